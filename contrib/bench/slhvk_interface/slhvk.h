// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

/** The part of slhvk that slhvk.cpp uses, declared so that every build compiles it: nothing is linked with this. slhvk.sh compiles with
 *  slhvk's own header. */

#ifndef SLHCONSENSUS_BENCH_SLHVK_INTERFACE_H
#define SLHCONSENSUS_BENCH_SLHVK_INTERFACE_H

#include <stddef.h>
#include <stdint.h>

typedef struct SlhvkContext_T* SlhvkContext;

int slhvkContextInit(SlhvkContext* context);
void slhvkContextFree(SlhvkContext context);
int slhvkVerifyPure(SlhvkContext context, uint32_t count, const uint8_t* const* contexts, const uint8_t* context_sizes, const uint8_t* const* pk_seeds,
                    const uint8_t* const* pk_roots, const uint8_t* const* signatures, const uint8_t* const* messages, const size_t* message_sizes, int* results);

#endif // SLHCONSENSUS_BENCH_SLHVK_INTERFACE_H
