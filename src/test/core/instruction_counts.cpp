// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Verifies a little of each of the most expensive blocks, here and with Bitcoin Core's interpreter, so that valgrind counts the
// instructions of both: instruction_counts.py runs it, and compares. Signatures are hashed and not verified.
//
// Each count is a dump of callgrind with the name "<block> <side> <weight>".
// Exit status: 0 done, 77 without Core's interpreter or valgrind's headers.

#include <script/interpreter.h>
#include <test/core/core_block.h>
#include <test/core/oracle_loader.h>
#include <test/counting_sink.h>
#include <test/util/worst_blocks.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#define HAVE_CALLGRIND
#endif

using namespace slhc;
using namespace slhc::test;

#ifdef HAVE_CALLGRIND
namespace {

bool Verify(const BlockWithSpent& b)
{
    bool valid{true};
    ForEachSpender(b, [&](const CTransaction& tx, std::span<const CTxOut> spent) {
        const PrecomputedTransactionData txdata{tx, {spent.begin(), spent.end()}};
        for (uint32_t n = 0; n < tx.vin.size(); ++n) {
            CountingSink sink;
            const TransactionSignatureChecker checker{tx, n, spent[n].nValue, &txdata, sink};
            ScriptRun run{.flags = MANDATORY_SCRIPT_VERIFY_FLAGS, .checker = checker};
            valid = VerifyScript(tx.vin[n].scriptSig, spent[n].scriptPubKey, &tx.vin[n].scriptWitness, run) && valid;
        }
    });
    return valid;
}

int FindValid(void*, int, const unsigned char*, size_t, const unsigned char*, size_t, const unsigned char*) { return 1; }

template <typename F>
bool Count(const std::string& name, F&& verify)
{
    CALLGRIND_ZERO_STATS;
    const bool valid{verify()};
    CALLGRIND_DUMP_STATS_AT(name.c_str());
    if (!valid) std::printf("%s: a block that should be valid is not\n", name.c_str());
    return valid;
}

bool CountAll(const core_oracle& oracle)
{
    FillerSigner signer;
    bool valid{true};
    for (const WorstBlock& worst : WorstBlocks()) {
        // Fixed costs of a block are in both, so that the difference is the part that grows with the weight.
        for (const int64_t weight : {worst.least_weight, worst.least_weight + std::min<int64_t>(worst.least_weight * 2 / 3, 16'000)}) {
            const auto name{[&](const char* side) { return worst.name + " " + side + " " + std::to_string(weight); }};
            const BlockWithSpent module{worst.make({.signer = signer, .rules = BlockRules::MODULE, .weight = weight})};
            const CoreBlock today{oracle, worst.make({.signer = signer, .rules = BlockRules::TODAY, .weight = weight})};
            valid = Count(name("module"), [&] { return Verify(module); }) && valid;
            valid = Count(name("core"), [&] { return today.Verify(oracle, FindValid); }) && valid;
        }
    }
    return valid;
}

} // namespace
#endif

int main()
{
    OracleError error;
    const core_oracle* const oracle{LoadCoreOracle(CoreVariant::TODAY, error)};
    if (!oracle) {
        std::printf("instruction_counts: %s\n", error.Line().c_str());
        return error.ExitStatus();
    }
#ifdef HAVE_CALLGRIND
    return CountAll(*oracle) ? 0 : 1;
#else
    std::puts("instruction_counts: skipped: built without valgrind's headers");
    return EXIT_SKIPPED;
#endif
}
