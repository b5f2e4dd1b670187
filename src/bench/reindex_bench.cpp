// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

/** Times the work of a reindex: full blocks, one after the other from files that make_chain made, through the C API.
 *
 *  A thousand full blocks have 4 GB, so those of a file are read again and again. None of their signatures is in a cache when its block
 *  comes again. Files and numbers of threads take turns, a few blocks each time, so that other load on the machine hits all of them.
 *  Reading the file is part of every time, as it is of a reindex. */

#include <slhconsensus.h>

#include <bench/block_bench_util.h>
#include <bench/block_file.h>
#include <bench/median.h>
#include <pqc/verifier.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace slhc;
using nlohmann::json;
using slhc::bench::BlockFileReader;
using slhc::bench::ClockTimes;

namespace {

/** Files of make_chain may have keys of other sets; other blocks have none. */
constexpr uint64_t FLAGS{SLHC_VERIFY_CONSENSUS | SLHC_VERIFY_SLHDSA_SETS};

struct Options {
    std::vector<std::string> files;
    std::vector<unsigned> threads{1, 2};
    size_t blocks{1000};
    size_t segment{20};
    std::string backend{"cpu"};
    bool json{false};
};

using ContextPtr = std::unique_ptr<slhc_context, decltype(&slhc_context_destroy)>;

void Require(bool ok, const char* what)
{
    if (ok) return;
    slhc_error error SLHC_ERROR_INIT;
    (void)slhc_last_error(&error);
    throw std::runtime_error{std::string{what} + (error.code != SLHC_ERR_NONE ? std::string{": "} + error.message : std::string{})};
}

bench::BackendList Backends(const slhc_context* context)
{
    slhc_statistics statistics SLHC_STATISTICS_INIT;
    Require(slhc_context_statistics(context, &statistics) == SLHC_OK, "no statistics");
    bench::BackendList backends;
    for (size_t i = 0; i < statistics.n_backends; ++i) {
        slhc_backend_statistics backend SLHC_BACKEND_STATISTICS_INIT;
        Require(slhc_context_backend_statistics(context, i, &backend) == SLHC_OK, "no statistics");
        backends.push_back({.name = backend.name,
                            .is_device = backend.is_device != 0,
                            .ready = backend.ready != 0,
                            .retired = backend.retired != 0,
                            .state = backend.state,
                            .process = {.program = backend.program, .id = backend.process_id},
                            .calls = backend.calls,
                            .jobs = backend.signatures,
                            .failed_calls = backend.failed_calls,
                            .wrong_roots = backend.wrong_roots});
    }
    return backends;
}

ContextPtr MakeContext(const Options& options, unsigned threads)
{
    slhc_context_options context_options SLHC_CONTEXT_OPTIONS_INIT;
    context_options.backend = options.backend.c_str();
    context_options.threads = threads;
    ContextPtr context{slhc_context_create(&context_options), slhc_context_destroy};
    Require(context != nullptr, "no context");
    bench::WaitForDevices(options.backend, [&] { return Backends(context.get()); });
    return context;
}

/** Signatures that the backends of a context have verified. */
uint64_t CountSignatures(const slhc_context* context)
{
    uint64_t count{0};
    for (const auto& backend : Backends(context)) count += backend.jobs;
    return count;
}

void VerifyBlocks(const slhc_context* context, BlockFileReader& file, size_t n)
{
    BlockFileReader::Block block;
    for (size_t i = 0; i < n; ++i) {
        file.Next(block);
        const int verdict{
            slhc_verify_block_scripts(context, block.Raw(), block.spent.data(), block.spent.size(), FLAGS, nullptr, 0, nullptr)};
        Require(verdict == SLHC_VALID, "a block that should be valid is not");
    }
}

/** Times, added up over turns. */
struct Total {
    ClockTimes sum{.wall = 0, .cpu = 0};
    std::vector<double> walls;

    void Add(const ClockTimes& times)
    {
        sum.wall += times.wall;
        sum.cpu += times.cpu;
        walls.push_back(times.wall);
    }
};

/** Blocks of one file with one number of threads. */
struct Run {
    size_t file;
    unsigned threads;
    ContextPtr context;
    Total total{};
    uint64_t signatures{0};
};

struct File {
    std::string path;
    BlockFileReader reader;
    size_t distinct, inputs, bytes;
};

/** The factor by which the second is faster, as the median over turns. */
double Speedup(const Total& slow, const Total& fast)
{
    std::vector<double> ratios;
    for (size_t i = 0; i < slow.walls.size(); ++i) ratios.push_back(slow.walls[i] / fast.walls[i]);
    return bench::Median(std::move(ratios));
}

json Measure(std::deque<File>& files, const Options& options)
{
    std::vector<Run> runs;
    for (size_t i = 0; i < files.size(); ++i) {
        for (const unsigned threads : options.threads) {
            runs.push_back({.file = i, .threads = threads, .context = MakeContext(options, threads)});
        }
    }
    for (Run& run : runs) { // threads started, the file in memory
        BlockFileReader& file{files[run.file].reader};
        file.Rewind();
        const size_t n{std::min(options.segment, options.blocks)};
        VerifyBlocks(run.context.get(), file, n);
        run.signatures = CountSignatures(run.context.get()) / n;
    }
    for (size_t first = 0; first < options.blocks; first += options.segment) {
        const size_t n{std::min(options.segment, options.blocks - first)};
        for (Run& run : runs) {
            BlockFileReader& file{files[run.file].reader};
            file.Rewind();
            run.total.Add(bench::Measure([&] { VerifyBlocks(run.context.get(), file, n); }));
            bench::RequireDevices(options.backend, Backends(run.context.get()));
        }
    }

    json result = json::array();
    for (const Run& run : runs) {
        const File& file{files[run.file]};
        json row{{"file", file.path},
                 {"threads", run.threads},
                 {"backend", bench::WorkingBackends(options.backend, Backends(run.context.get()))},
                 {"distinct_blocks", file.distinct},
                 {"inputs", file.inputs},
                 {"bytes", file.bytes},
                 {"slhdsa_signatures", run.signatures},
                 {"wall_s", run.total.sum.wall},
                 {"cpu_s", run.total.sum.cpu},
                 {"turns_wall_s", run.total.walls}};
        const auto one{std::ranges::find_if(runs, [&](const Run& r) { return r.file == run.file && r.threads == 1; })};
        if (one != runs.end() && run.threads > 1) row["scaling"] = Speedup(one->total, run.total) / run.threads;
        result.push_back(std::move(row));
    }
    return result;
}

void Print(const json& runs, const Options& options)
{
    std::printf("%s; %s; %zu blocks, %zu in a turn; times with reading, per block\n", bench::DescribeMachine().c_str(),
                runs.front().at("backend").get<std::string>().c_str(), options.blocks, options.segment);
    std::printf("%7s %7s %7s | %9s %9s %9s | %8s | %s\n", "inputs", "SLH-DSA", "threads", "blocks/s", "ms", "ms CPU", "scaling", "file");
    const double n{static_cast<double>(options.blocks)};
    for (const json& run : runs) {
        const double wall{run.at("wall_s").get<double>()};
        char scaling[32]{"-"};
        if (run.contains("scaling")) std::snprintf(scaling, sizeof(scaling), "%.3f", run.at("scaling").get<double>());
        std::printf("%7zu %7zu %7u | %9.2f %9.2f %9.2f | %8s | %s\n", run.at("inputs").get<size_t>(),
                    run.at("slhdsa_signatures").get<size_t>(), run.at("threads").get<unsigned>(), n / wall, wall / n * 1e3,
                    run.at("cpu_s").get<double>() / n * 1e3, scaling, run.at("file").get<std::string>().c_str());
    }
}

int Execute(const Options& options)
{
    (void)MakeContext(options, 1); // a backend that is not here is an error before the work begins
    std::deque<File> files;
    for (const std::string& path : options.files) {
        BlockFileReader reader{path};
        const size_t distinct{reader.CountBlocks()};
        BlockFileReader::Block first;
        reader.Next(first);
        const size_t inputs{first.spent.size()}, bytes{first.raw.size()};
        files.push_back({.path = path, .reader = std::move(reader), .distinct = distinct, .inputs = inputs, .bytes = bytes});
    }
    const json runs = Measure(files, options); // in braces it would be an array of one
    if (options.json) {
        std::cout << json{{"machine", bench::DescribeMachine()}, {"blocks", options.blocks}, {"segment", options.segment}, {"runs", runs}}
                         .dump(1)
                  << '\n';
    } else {
        Print(runs, options);
    }
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    Options options;
    CLI::App app{"Verify full blocks from a file, one by one, and print what it takes."};
    app.add_option("FILES", options.files, "<chain>/tip.blocks as make_chain wrote it, read again and again")
        ->required()
        ->check(CLI::ExistingFile);
    app.add_option("--threads", options.threads, "numbers of threads")->allow_extra_args(false)->delimiter(',')->check(CLI::Range(1, 256));
    app.add_option("--blocks", options.blocks, "blocks that are verified, of each file with each number of threads")
        ->check(CLI::Range(1, 1'000'000));
    app.add_option("--segment", options.segment, "blocks in a turn")->check(CLI::Range(1, 1'000'000));
    app.add_option("--backend", options.backend, "as SLHC_BACKEND");
    app.add_flag("--json", options.json, "print JSON");
    CLI11_PARSE(app, argc, argv);
    try {
        return Execute(options);
    } catch (const std::exception& e) {
        std::cerr << "bench_reindex: " << e.what() << '\n';
        return 2;
    }
}
