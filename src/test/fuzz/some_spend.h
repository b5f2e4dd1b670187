// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_FUZZ_SOME_SPEND_H
#define SLHCONSENSUS_TEST_FUZZ_SOME_SPEND_H

#include <script/verify_flags.h>
#include <test/core/module_side.h>
#include <test/core/plan_maker.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace slhc::test {

inline std::vector<uint8_t> SomeBytes(Choices& choices, size_t max) { return choices.Bytes(choices.Below(max + 1)); }

/** Bytes where scripts and elements belong, with commitments that fit in two cases of three. */
inline Spend RawSpend(Choices& choices)
{
    Spend spend;
    CTxIn& input{spend.tx.vin.emplace_back(COutPoint{uint256{1}, 0}, CScript{}, static_cast<uint32_t>(choices.Take(4)))};
    spend.tx.nLockTime = static_cast<uint32_t>(choices.Take(4));
    const uint64_t kind{choices.Below(3)};
    for (size_t n{choices.Below(6)}; n > 0; --n) input.scriptWitness.stack.push_back(SomeBytes(choices, 255));
    input.scriptSig = CScript{SomeBytes(choices, 255)};
    spend.spent.emplace_back(static_cast<CAmount>(choices.Take(4)), CScript{SomeBytes(choices, 255)});
    spend.tx.vout.emplace_back(0, CScript{});
    if (kind == 1) FixCommitments(spend);
    if (kind == 2) {
        Plan plan;
        plan.kind = OutputKind::P2MR;
        plan.base = spend;
        plan.base.tx.vin[0].scriptSig.clear();
        plan.base.tx.vin[0].scriptWitness.stack.clear();
        for (const auto& element : input.scriptWitness.stack) plan.stack.push_back({.bytes = element});
        plan.script = {{.bytes = spend.spent[0].scriptPubKey}};
        plan.path.assign(choices.Below(3), uint256{7});
        return plan.Build();
    }
    return spend;
}

inline Spend SomeSpend(Choices& choices)
{
    if (choices.Below(4) == 3) return RawSpend(choices);
    static const ModuleProbe PROBE;
    Spend spend{MakePlan(choices, Scope::ALL).BuildSigned(PROBE, choices)};
    for (size_t n{choices.Below(4)}; n > 0; --n) MutateSpend(spend, choices);
    return spend;
}

/** A spend, and flags to verify it by. */
struct FuzzedSpend {
    script_verify_flags wanted;
    script_verify_flags flags; //!< those of these that VerifyScript takes
    script_verify_flags flag;  //!< one more
    Spend spend;               //!< its SLH-DSA signatures are QuickSLHDSA's
};

inline FuzzedSpend MakeFuzzedSpend(Choices& choices)
{
    // Flags first, so that a fuzzer can change them without changing the rest.
    const script_verify_flags wanted{script_verify_flags::from_int(choices.Take(3) ^ (CONSENSUS_FLAGS | OWN_FLAGS).as_int())};
    const script_verify_flags flags{WithoutUngrounded(wanted & script_verify_flags::from_int(MAX_SCRIPT_VERIFY_FLAGS))};
    const script_verify_flags flag{static_cast<script_verify_flag_name>(choices.Below(MAX_SCRIPT_VERIFY_FLAGS_BITS))};
    return {wanted, flags, flag, SomeSpend(choices)};
}

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_FUZZ_SOME_SPEND_H
