// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

/** Times the verification of full blocks: ordinary ones, and the most expensive that the rules allow (worst_blocks.h),
 *  eagerly and deferred, on one thread and on more, beside a block full of Schnorr key path spends.
 *
 *  Each block is verified in a process of its own, for the sake of its peak memory, and in turns with the Schnorr block, so that other load
 *  on the machine hits both. Times are the least of all rounds. */

#include <bench/block_bench_util.h>
#include <consensus/block_scripts.h>
#include <pqc/verifier.h>
#include <script/script_check.h>
#include <test/util/verifier.h>
#include <test/util/worst_blocks.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

using namespace slhc;
using namespace slhc::test;
using slhc::bench::ClockTimes;

namespace {

struct Options {
    std::vector<std::string> only;
    std::vector<unsigned> threads{1, 2};
    unsigned rounds{3};
    std::string backend{"cpu"};
    bool json{false};
};

/** All SLH-DSA signatures of a block, as the scripts ask for them. */
std::vector<slhdsa::SignatureCheck> CollectSignatures(const BlockWithSpent& b)
{
    std::vector<slhdsa::SignatureCheck> all;
    ForEachSpender(b, [&](const CTransaction& tx, std::span<const CTxOut> spent) {
        const PrecomputedTransactionData txdata{tx, {spent.begin(), spent.end()}};
        for (unsigned n = 0; n < tx.vin.size(); ++n) {
            if (CScriptCheck{tx, n, MANDATORY_SCRIPT_VERIFY_FLAGS, txdata, PortableVerifier()}.RunDeferring(all) ==
                ScriptVerdict::INVALID) {
                throw std::logic_error{"a script that should be valid is not"};
            }
        }
    });
    return all;
}

void VerifySignaturesAlone(const std::vector<slhdsa::SignatureCheck>& signatures, slhdsa::Verifier& verifier)
{
    std::vector<slhdsa::CheckView> checks;
    checks.reserve(signatures.size());
    for (const slhdsa::SignatureCheck& check : signatures) checks.push_back(check.View());
    std::vector<slhdsa::Verdict> verdicts(checks.size());
    if (!verifier.VerifyMany(checks, verdicts) || std::ranges::count(verdicts, slhdsa::Verdict::VALID) != std::ssize(verdicts)) {
        throw std::logic_error{"a signature that should be valid is not"};
    }
}

nlohmann::json ToJson(const ClockTimes& times) { return {{"wall_s", times.wall}, {"cpu_s", times.cpu}}; }

/** Runs in a process of its own. */
nlohmann::json MeasureBlock(const WorstBlock& worst, const BlockWithSpent& schnorr, const Options& options)
{
    RealSigner signer{bench::FastSLHDSA()};
    const BlockWithSpent b{worst.make({.signer = signer})};
    // Memory first, while the heap has nothing left over: the memory of verification, without the block, which the caller has anyway.
    const size_t before{bench::ResetPeakMemory()};
    bench::VerifyBlock(b, bench::OpenVerifier(options.backend, options.threads.back()), SignatureTiming::DEFERRED);
    const size_t peak{bench::PeakMemory()};

    const std::vector<slhdsa::SignatureCheck> signatures{CollectSignatures(b)};
    size_t inputs{0};
    for (const auto& tx : b.block.vtx) inputs += tx->vin.size();

    nlohmann::json runs = nlohmann::json::array();
    for (const unsigned threads : options.threads) {
        const auto verifier{bench::OpenVerifier(options.backend, threads)};
        ClockTimes best_schnorr, best_eager, best_deferred, best_alone;
        for (unsigned round = 0; round < options.rounds; ++round) {
            best_schnorr.KeepLeast(bench::Measure([&] { bench::VerifyBlock(schnorr, verifier, SignatureTiming::DEFERRED); }));
            best_eager.KeepLeast(bench::Measure([&] { bench::VerifyBlock(b, verifier, SignatureTiming::EAGER); }));
            best_deferred.KeepLeast(bench::Measure([&] { bench::VerifyBlock(b, verifier, SignatureTiming::DEFERRED); }));
            if (!signatures.empty()) best_alone.KeepLeast(bench::Measure([&] { VerifySignaturesAlone(signatures, *verifier); }));
            bench::RequireDevices(options.backend, verifier->Statistics());
        }
        nlohmann::json run{{"threads", threads},
                           {"eager", ToJson(best_eager)},
                           {"deferred", ToJson(best_deferred)},
                           {"schnorr_block", ToJson(best_schnorr)}};
        if (!signatures.empty()) run["signatures_alone"] = ToJson(best_alone);
        runs.push_back(std::move(run));
    }

    return {{"name", worst.name}, {"what", worst.what}, {"inputs", inputs - 1}, {"slhdsa_signatures", signatures.size()},
            {"runs", std::move(runs)}, {"memory_before_bytes", before}, {"memory_peak_bytes", peak}};
}

void PrintHeader(const std::string& backends, unsigned rounds)
{
    std::printf("%s; %s; least of %u rounds; ms\n", bench::DescribeMachine().c_str(), backends.c_str(), rounds);
    std::printf("%-20s %7s %7s %8s %10s %10s %10s %10s %10s %10s %9s\n", "block", "inputs", "SLH-DSA", "threads", "eager", "deferred",
                "Schnorr", "deferred/", "sigs", "deferred/", "peak MiB");
    std::printf("%-20s %7s %7s %8s %10s %10s %10s %10s %10s %10s %9s\n", "", "", "sigs", "", "", "", "block", "Schnorr", "alone",
                "sigs alone", "(added)");
}

void Print(const nlohmann::json& result)
{
    const auto memory{[&](const char* key) { return result.at(key).get<double>() / (1 << 20); }};
    for (const auto& run : result.at("runs")) {
        // One thread: CPU time, which is less disturbed by neighbours. More threads: wall-clock time.
        const char* const clock{run.at("threads") == 1 ? "cpu_s" : "wall_s"};
        const auto ms{[&](const char* what) { return run.at(what).at(clock).get<double>() * 1e3; }};
        std::string alone{"-"}, ratio{"-"};
        if (run.contains("signatures_alone")) {
            char buffer[32];
            std::snprintf(buffer, sizeof(buffer), "%.2f", ms("signatures_alone"));
            alone = buffer;
            std::snprintf(buffer, sizeof(buffer), "%.2f", ms("deferred") / ms("signatures_alone"));
            ratio = buffer;
        }
        std::printf("%-20s %7zu %7zu %8u %10.2f %10.2f %10.2f %10.3f %10s %10s %4.0f (%.1f)\n",
                    result.at("name").get<std::string>().c_str(), result.at("inputs").get<size_t>(),
                    result.at("slhdsa_signatures").get<size_t>(), run.at("threads").get<unsigned>(), ms("eager"), ms("deferred"),
                    ms("schnorr_block"), ms("deferred") / ms("schnorr_block"), alone.c_str(), ratio.c_str(), memory("memory_peak_bytes"),
                    memory("memory_peak_bytes") - memory("memory_before_bytes"));
    }
    std::fflush(stdout);
}

int Run(const Options& options)
{
    RealSigner signer;
    const BlockWithSpent schnorr{WorstBlocks().front().make({.signer = signer})};
    const std::string backends{bench::DescribeBackends(options.backend)}; // one that is not here is an error before the work begins
    nlohmann::json all = nlohmann::json::array();
    if (!options.json) PrintHeader(backends, options.rounds);
    for (const WorstBlock& worst : WorstBlocks()) {
        if (!options.only.empty() && std::ranges::find(options.only, worst.name) == options.only.end()) continue;
        nlohmann::json result = nlohmann::json::parse(bench::InChildProcess([&] { return MeasureBlock(worst, schnorr, options).dump(); }));
        if (!options.json) Print(result);
        all.push_back(std::move(result));
    }
    if (options.json) {
        std::cout << nlohmann::json{{"machine", bench::DescribeMachine()},
                                    {"backend", backends},
                                    {"rounds", options.rounds},
                                    {"blocks", all}}
                         .dump(2)
                  << '\n';
    }
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    Options options;
    std::vector<std::string> names;
    for (const WorstBlock& worst : WorstBlocks()) names.emplace_back(worst.name);
    CLI::App app{"Verify full blocks, ordinary and worst, and print what it takes."};
    app.add_option("--only", options.only, "these blocks; default: all")->check(CLI::IsMember(names))->delimiter(',');
    app.add_option("--threads", options.threads, "numbers of threads")->delimiter(',')->check(CLI::Range(1, 256));
    app.add_option("--rounds", options.rounds, "rounds of which the least time counts")->check(CLI::Range(1, 1000));
    app.add_option("--backend", options.backend, "as SLHC_BACKEND");
    app.add_flag("--json", options.json, "print JSON");
    CLI11_PARSE(app, argc, argv);
    try {
        return Run(options);
    } catch (const std::exception& e) {
        std::cerr << "bench_blocks: " << e.what() << '\n';
        return 2;
    }
}
