// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_TEST_SETS_H
#define SLHCONSENSUS_TEST_TEST_SETS_H

#include <pqc/slhdsa/params.h>

/** Parameter sets for tests alone. */
namespace slhc::test {

inline constexpr slhdsa::Params TINY{slhdsa::ParamsOf(slhdsa::ParameterSet::TINY)};
inline constexpr slhdsa::Params TINY_W4{slhdsa::ParamsOf(slhdsa::ParameterSet::TINY_W4)};
inline constexpr slhdsa::Params TINY_W256{slhdsa::ParamsOf(slhdsa::ParameterSet::TINY_W256)};

/** The numbers of SLH-DSA-SHA2-256f: all 64 bits of a tree's index. */
inline constexpr slhdsa::Params WIDE{.h = 68, .d = 17, .a = 9, .k = 35, .lg_w = 4};

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_TEST_SETS_H
