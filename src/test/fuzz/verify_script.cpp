// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// VerifyScript on spends that a generator builds from the fuzzer's bytes, P2MR and the SLH-DSA opcodes among them, and
// on raw scripts: it ends, verdict and error fit, and every flag is a soft fork.

#include <test/core/module_side.h>
#include <test/core/plan_maker.h>
#include <test/fuzz/fuzz.h>

using namespace slhc;
using namespace slhc::test;

namespace {

std::vector<uint8_t> SomeBytes(Choices& choices, size_t max) { return choices.Bytes(choices.Below(max + 1)); }

/** Bytes where scripts and elements belong, with commitments that fit in two cases of three. */
Spend RawSpend(Choices& choices)
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

Spend SomeSpend(Choices& choices)
{
    if (choices.Below(4) == 3) return RawSpend(choices);
    static const ModuleProbe PROBE;
    Spend spend{MakePlan(choices, Scope::ALL).BuildSigned(PROBE, choices)};
    for (size_t n{choices.Below(4)}; n > 0; --n) MutateSpend(spend, choices);
    return spend;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    FuzzedChoices choices{{data, size}};
    // Flags first: they are what a fuzzer should be able to change without changing the rest.
    const script_verify_flags wanted{script_verify_flags::from_int(choices.Take(3) ^ (CONSENSUS_FLAGS | OWN_FLAGS).as_int())};
    const script_verify_flags flags{WithoutUngrounded(wanted & script_verify_flags::from_int(MAX_SCRIPT_VERIFY_FLAGS))};
    const script_verify_flags flag{static_cast<script_verify_flag_name>(choices.Below(MAX_SCRIPT_VERIFY_FLAGS_BITS))};
    const ModuleTx tx{SomeSpend(choices)};

    for (uint32_t n_in{0}; n_in < tx.m_tx.vin.size(); ++n_in) {
        const Verdict verdict{tx.Verify(n_in, flags)};
        Require(verdict.valid == (verdict.error == SCRIPT_ERR_OK), "verdict and error fit");
        Require(verdict == tx.Verify(n_in, flags), "the same question has the same answer");
        const Verdict refused{tx.Verify(n_in, wanted | script_verify_flags::from_int(MAX_SCRIPT_VERIFY_FLAGS + 1))};
        Require(!refused.valid, "unknown flags are refused");
        if ((flag & OWN_FLAGS) && (flags & DISCOURAGE_FLAGS)) continue;
        if (verdict.valid) Require(tx.Verify(n_in, WithoutUngrounded(flags & ~flag)).valid, "valid stays valid with a flag less");
    }
    return 0;
}
