// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// VerifyScript on spends that a generator builds from the fuzzer's bytes, P2MR and the SLH-DSA opcodes among them, and
// on raw scripts: it ends, verdict and error fit, and every flag is a soft fork.

#include <test/core/fuzzed_spend.h>
#include <test/core/module_side.h>
#include <test/fuzz/fuzz.h>

using namespace slhc;
using namespace slhc::test;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    FuzzedChoices choices{{data, size}};
    const auto [wanted, flags, flag, spend]{MakeFuzzedSpend(choices)};
    const ModuleTx tx{spend};

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
