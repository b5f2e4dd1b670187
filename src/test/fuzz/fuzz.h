// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_FUZZ_FUZZ_H
#define SLHCONSENSUS_TEST_FUZZ_FUZZ_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

/** A fuzz target is one file with one LLVMFuzzerTestOneInput, which libFuzzer and AFL++ both call. Its claims use Require: a claim that
 *  fails ends the process, and the fuzzer keeps the input. */
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace slhc::test {

inline void Require(bool claim, const char* what)
{
    if (claim) return;
    std::fprintf(stderr, "fuzz: does not hold: %s\n", what);
    std::abort();
}

inline void Require(bool claim, const std::string& what) { Require(claim, what.c_str()); }

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_FUZZ_FUZZ_H
