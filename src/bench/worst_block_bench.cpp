// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

/** Times the verification of the most expensive blocks (worst_blocks.h) beside Bitcoin Core's own interpreter, on one
 *  thread: their cost here under today's rules and under the module's, and the cost of today's there. Both sides use the libsecp256k1 that
 *  Core carries; LD_PRELOAD puts another one on ours.
 *
 *  Each block is measured in a process of its own. A round is Core's turn, and ours with each block right after it, so that other load on
 *  the machine hits all three; the output is the least CPU time of each and the median of the rounds' ratios. Exit status: 0 if no ratio is
 *  above the bound, 1 if one is, 2 if something failed, 77 if Core's
 *  interpreter is not here. */

#include <bench/block_bench_util.h>
#include <bench/median.h>
#include <crypto/sha256.h>
#include <test/core/core_block.h>
#include <test/core/oracle_loader.h>
#include <test/util/worst_blocks.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <secp256k1.h>

using namespace slhc;
using namespace slhc::test;
using slhc::bench::ClockTimes;
using slhc::bench::Median;

namespace {

struct Options {
    std::vector<std::string> only;
    unsigned rounds{3};
    double seconds{1};
    double bound{1.1};
    int percent{100};
    std::string backend{"cpu"};
    bool json{false};
};

/** The version of libsecp256k1, and the file that this program takes it from. */
std::string Secp256k1()
{
    Dl_info info{};
    const bool found{dladdr(reinterpret_cast<const void*>(&secp256k1_ec_pubkey_parse), &info) != 0};
    return std::string{SLHC_BENCH_SECP256K1_VERSION} + " from " + (found ? info.dli_fname : "an unknown file");
}

/** Runs in a process of its own. */
nlohmann::json MeasureBlock(const WorstBlock& worst, const core_oracle& oracle, const Options& options)
{
    RealSigner signer{bench::FastSLHDSA()};
    const int64_t weight{std::max(worst.weight * options.percent / 100, worst.least_weight)};
    const BlockWithSpent today{worst.make({.signer = signer, .rules = BlockRules::TODAY, .weight = weight})};
    const BlockWithSpent module{worst.make({.signer = signer, .rules = BlockRules::MODULE, .weight = weight})};
    const CoreBlock core{oracle, today};
    const auto verifier{bench::OpenVerifier(options.backend, 1)};

    ClockTimes best_core, best_today, best_module;
    std::vector<double> today_ratios, module_ratios;
    double spent{0};
    for (unsigned round = 0; round < options.rounds || spent < options.seconds; ++round) {
        const ClockTimes core_time{bench::Measure([&] {
            if (!core.Verify(oracle)) throw std::logic_error{"a block that should be valid is not so for Bitcoin Core"};
        })};
        const ClockTimes today_time{bench::Measure([&] { bench::VerifyBlock(today, verifier, SignatureTiming::DEFERRED); })};
        const ClockTimes module_time{bench::Measure([&] { bench::VerifyBlock(module, verifier, SignatureTiming::DEFERRED); })};
        bench::RequireDevices(options.backend, verifier->Statistics());
        best_core.KeepLeast(core_time);
        best_today.KeepLeast(today_time);
        best_module.KeepLeast(module_time);
        today_ratios.push_back(today_time.cpu / core_time.cpu);
        module_ratios.push_back(module_time.cpu / core_time.cpu);
        spent += core_time.cpu + today_time.cpu + module_time.cpu;
    }

    size_t inputs{0};
    for (const auto& tx : module.block.vtx) inputs += tx->vin.size();
    return {{"name", worst.name}, {"what", worst.what}, {"weight", weight}, {"inputs", inputs - 1}, {"rounds", today_ratios.size()},
            {"core_today_cpu_s", best_core.cpu}, {"today_cpu_s", best_today.cpu}, {"module_cpu_s", best_module.cpu},
            {"today_ratio", Median(today_ratios)}, {"module_ratio", Median(module_ratios)}};
}

void PrintHeader(const nlohmann::json& setup)
{
    const auto text{[&](const char* key) { return setup.at(key).get<std::string>(); }};
    std::printf("%s\nours: SHA-256 by %s, SLH-DSA by %s\n", text("machine").c_str(), text("sha256").c_str(), text("backend").c_str());
    std::printf("Bitcoin Core: %s, SHA-256 by %s, the same libsecp256k1\n", text("core_compiler").c_str(), text("core_sha256").c_str());
    std::printf("one thread, ms of CPU time, least of the rounds; ratios to Core, median of the rounds\n\n");
    std::printf("%-26s %9s %7s %10s %10s %10s %8s %8s\n", "block", "weight", "rounds", "Core", "ours,", "ours,", "today/", "module/");
    std::printf("%-26s %9s %7s %10s %10s %10s %8s %8s\n", "", "", "", "today", "today", "module", "Core", "Core");
}

void Print(const nlohmann::json& result, double bound)
{
    const auto ms{[&](const char* key) { return result.at(key).get<double>() * 1e3; }};
    const auto today{result.at("today_ratio").get<double>()};
    const auto module{result.at("module_ratio").get<double>()};
    std::printf("%-26s %9lld %7u %10.2f %10.2f %10.2f %8.3f %8.3f%s\n", result.at("name").get<std::string>().c_str(),
                result.at("weight").get<long long>(), result.at("rounds").get<unsigned>(), ms("core_today_cpu_s"), ms("today_cpu_s"),
                ms("module_cpu_s"), today, module, std::max(today, module) > bound ? "  above the bound" : "");
    std::fflush(stdout);
}

int Run(const core_oracle& oracle, const Options& options)
{
    const nlohmann::json setup{{"machine", bench::DescribeMachine()},
                               {"sha256", sha256::SelectImplementation()},
                               {"backend", bench::DescribeBackends(options.backend)},
                               {"libsecp256k1", Secp256k1()},
                               {"core_compiler", oracle.compiler()},
                               {"core_sha256", oracle.sha256_implementation()},
                               {"bound", options.bound}};
    if (!options.json) PrintHeader(setup);
    nlohmann::json blocks = nlohmann::json::array();
    bool within{true};
    for (const WorstBlock& worst : WorstBlocks()) {
        if (!options.only.empty() && std::ranges::find(options.only, worst.name) == options.only.end()) continue;
        nlohmann::json result = nlohmann::json::parse(bench::InChildProcess([&] { return MeasureBlock(worst, oracle, options).dump(); }));
        if (!options.json) Print(result, options.bound);
        within = within && std::max(result.at("today_ratio").get<double>(), result.at("module_ratio").get<double>()) <= options.bound;
        blocks.push_back(std::move(result));
    }
    if (options.json) {
        nlohmann::json all = setup;
        all["blocks"] = std::move(blocks);
        std::cout << all.dump(2) << '\n';
    }
    return within ? 0 : 1;
}

} // namespace

int main(int argc, char** argv)
{
    Options options;
    std::vector<std::string> names;
    for (const WorstBlock& worst : WorstBlocks()) names.push_back(worst.name);
    CLI::App app{"Verify the most expensive blocks here and with Bitcoin Core's interpreter, and print what it takes."};
    app.add_option("--only", options.only, "these blocks; default: all")->check(CLI::IsMember(names))->delimiter(',');
    app.add_option("--rounds", options.rounds, "rounds at least")->check(CLI::Range(1, 1000));
    app.add_option("--seconds", options.seconds, "CPU time for each block at least")->check(CLI::Range(0.0, 3600.0));
    app.add_option("--percent", options.percent, "of each block's weight")->check(CLI::Range(1, 100));
    app.add_option("--bound", options.bound, "exit with status 1 if a ratio is above");
    app.add_option("--backend", options.backend, "as SLHC_BACKEND");
    app.add_flag("--json", options.json, "print JSON");
    CLI11_PARSE(app, argc, argv);
    OracleError error;
    const core_oracle* const oracle{LoadCoreOracle(CoreVariant::TODAY, error)};
    if (!oracle) {
        std::cerr << "bench_worst_blocks: " << error.Line() << '\n';
        return error.is_broken ? 2 : EXIT_SKIPPED;
    }
    try {
        return Run(*oracle, options);
    } catch (const std::exception& e) {
        std::cerr << "bench_worst_blocks: " << e.what() << '\n';
        return 2;
    }
}
