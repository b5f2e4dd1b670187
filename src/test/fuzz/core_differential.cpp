// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// This project's library against Bitcoin Core's own code, on spends that a generator builds from the fuzzer's bytes:
// verdicts, script errors, counts, parsing. Needs the oracle (see src/test/core).

#include <test/core/compare.h>
#include <test/core/oracle_loader.h>
#include <test/core/plan_maker.h>
#include <test/fuzz/fuzz.h>

#include <cstdio>
#include <cstdlib>

using namespace slhc;
using namespace slhc::test;

namespace {

const core_oracle& Oracle()
{
    static const core_oracle* const oracle{[] {
        std::string error;
        const core_oracle* const loaded{LoadCoreOracle(CoreOraclePath(), error)};
        if (!loaded) {
            std::fprintf(stderr, "fuzz_core_differential: skipped: %s\n", error.c_str());
            std::_Exit(EXIT_SKIPPED);
        }
        return loaded;
    }()};
    return *oracle;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const CoreProbe PROBE{Oracle()};
    FuzzedChoices choices{{data, size}};
    const script_verify_flags wanted{script_verify_flags::from_int(choices.Take(3) ^ CONSENSUS_FLAGS.as_int()) & CORE_FLAGS};
    const script_verify_flags flags{WithoutUngrounded(wanted)};
    Spend spend{MakePlan(choices, Scope::CORE).BuildSigned(PROBE, choices)};
    for (size_t n{choices.Below(4)}; n > 0; --n) MutateSpend(spend, choices);

    const SpendComparison comparison{Oracle(), spend};
    Verdict expected;
    const auto require_agreement{[&](script_verify_flags with) {
        const std::string what{comparison.CompareVerdict(with, expected)};
        if (!what.empty()) Require(false, what + "\n" + SpendToJson(spend, with));
    }};
    require_agreement(flags);
    if (!ConcernsModule(spend)) require_agreement(flags | SCRIPT_VERIFY_P2MR | SCRIPT_VERIFY_SLHDSA);
    const std::string counts{comparison.CompareCounts()};
    Require(counts.empty(), counts);

    std::vector<uint8_t> raw{SerializeToVector(spend.tx)};
    for (size_t n{choices.Below(3)}; n > 0; --n) MutateBytes(raw, choices);
    for (const std::string& parsing : {CompareParsing(Oracle(), raw), CompareParsing(Oracle(), {data, size})}) {
        Require(parsing.empty(), parsing);
    }
    return 0;
}
