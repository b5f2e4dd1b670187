// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// The crate secp256k1-sys leaves out the functions of libsecp256k1 that allocate. Benchmarks, and the library in them, need these two.

#include <secp256k1_preallocated.h>

#include <stdlib.h>

secp256k1_context* secp256k1_context_create(unsigned int flags)
{
    void* const memory = malloc(secp256k1_context_preallocated_size(flags));
    return memory ? secp256k1_context_preallocated_create(memory, flags) : NULL;
}

void secp256k1_context_destroy(secp256k1_context* context)
{
    if (!context) return;
    secp256k1_context_preallocated_destroy(context);
    free(context);
}
