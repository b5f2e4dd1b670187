// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_CORE_FUZZED_SPEND_H
#define SLHCONSENSUS_TEST_CORE_FUZZED_SPEND_H

#include <script/verify_flags.h>
#include <test/core/choices.h>
#include <test/core/plan_maker.h>
#include <test/core/slhdsa_scheme.h>

#include <cstdint>
#include <vector>

/** What spend_generator.h makes, as this project's targets take it. */
namespace slhc::test {

/** A spend, and flags to verify it by. */
struct FuzzedSpend {
    script_verify_flags wanted;
    script_verify_flags flags; //!< those of these that VerifyScript takes
    script_verify_flags flag;  //!< one more
    Spend spend;
};

FuzzedSpend MakeFuzzedSpend(FuzzedChoices& choices, Scope scope = Scope::ALL, const SLHDSAScheme& slhdsa = QuickSLHDSA());

/** The bytes of which MakeFuzzedSpend makes this spend and these flags. */
std::vector<uint8_t> WriteFuzzedSpend(const Spend& spend, script_verify_flags flags);

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_CORE_FUZZED_SPEND_H
