// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_TEST_SETS_H
#define SLHCONSENSUS_TEST_TEST_SETS_H

#include <pqc/slhdsa/params.h>

/** Parameter sets for tests alone. */
namespace slhc::test {

// Small enough for a test to go through every key, index and digest, which has 24 bits
inline constexpr slhdsa::Params TINY{.h = 4, .d = 2, .a = 2, .k = 2, .lg_w = 4};
inline constexpr slhdsa::Params TINY_W4{.h = 3, .d = 1, .a = 3, .k = 3, .lg_w = 2};   //!< one tree, as in 128-24
inline constexpr slhdsa::Params TINY_W256{.h = 3, .d = 3, .a = 1, .k = 3, .lg_w = 8}; //!< trees of two leaves

/** The numbers of SLH-DSA-SHA2-256f: all 64 bits of a tree's index. */
inline constexpr slhdsa::Params WIDE{.h = 68, .d = 17, .a = 9, .k = 35, .lg_w = 4};

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_TEST_SETS_H
