// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_RANDOM_SOURCE_H
#define SLHCONSENSUS_TEST_RANDOM_SOURCE_H

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <sys/types.h>

namespace slhc::test {

/** All that is random in the test program follows from this number: $SLHC_TEST_SEED, 1 by default. A test case that fails prints it. */
uint64_t GlobalSeed();

/** The seed of a generator of random numbers; another one for each number. */
uint32_t Seed(uint32_t number);

/** From now on, getrandom() gives bytes that follow from the global seed and this name, which is that of the test case. */
void SeedRandomSource(std::string_view name);

/** A replacement for getrandom() in the test program, from now on and in any thread (random_source.cpp); null: what SeedRandomSource()
 *  says. A function sets errno if it returns -1. */
using RandomSource = ssize_t (*)(void* buffer, size_t size);
void SetRandomSource(RandomSource source) noexcept;

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_RANDOM_SOURCE_H
