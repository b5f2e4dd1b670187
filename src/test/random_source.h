// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_RANDOM_SOURCE_H
#define SLHCONSENSUS_TEST_RANDOM_SOURCE_H

#include <cstddef>

#include <sys/types.h>

namespace slhc::test {

/** A replacement for getrandom() in the test program, from now on and in any thread (random_source.cpp); null: the system's. A function
 *  sets errno if it returns -1. */
using RandomSource = ssize_t (*)(void* buffer, size_t size);
void SetRandomSource(RandomSource source) noexcept;

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_RANDOM_SOURCE_H
