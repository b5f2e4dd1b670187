// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// This project's library against Bitcoin Core's own code with the rules in it, on spends that a generator builds from the
// fuzzer's bytes: verdicts, script errors, counts, parsing. Needs the oracles (see src/test/core).

#include <test/core/compare.h>
#include <test/core/fuzzed_spend.h>
#include <test/core/oracle_loader.h>
#include <test/fuzz/fuzz.h>

#include <cstdio>
#include <cstdlib>

using namespace slhc;
using namespace slhc::test;

namespace {

const CoreOracles& Oracles()
{
    static const CoreOracles* const oracles{[] {
        OracleError error;
        const CoreOracles* const loaded{LoadCoreOracles(error)};
        if (!loaded) {
            std::fprintf(stderr, "fuzz_core_differential: %s\n", error.Line().c_str());
            std::_Exit(error.ExitStatus());
        }
        return loaded;
    }()};
    return *oracles;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    FuzzedChoices choices{{data, size}};
    const auto [wanted, flags, flag, spend]{MakeFuzzedSpend(choices)};

    const SpendComparison comparison{Oracles(), QuickSLHDSA(), spend};
    Verdict expected;
    Verdict module;
    const std::string what{comparison.CompareVerdict(flags, expected, module)};
    if (!what.empty()) Require(false, what + "\n" + SpendToJson(spend, flags));
    const std::string counts{comparison.CompareCounts()};
    Require(counts.empty(), counts);

    std::vector<uint8_t> raw{SerializeToVector(spend.tx)};
    for (size_t n{choices.Below(3)}; n > 0; --n) MutateBytes(raw, choices);
    for (const std::string& parsing : {CompareParsing(Oracles().today, raw), CompareParsing(Oracles().today, {data, size})}) {
        Require(parsing.empty(), parsing);
    }
    return 0;
}
