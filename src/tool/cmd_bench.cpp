// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/bench.h>
#include <tool/commands.h>
#include <tool/input.h>
#include <tool/output.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace slhc::tool {
namespace {

constexpr uint64_t MAX_BATCH{4096};
constexpr uint64_t MAX_MILLISECONDS{60'000};

struct Options {
    std::vector<std::string> backends, batches{"1", "8", "64", "512"};
    std::string milliseconds{"300"};
    bool json{false};
};

/** With about three digits that count. */
std::string Number(double x)
{
    std::array<char, 32> text;
    std::snprintf(text.data(), text.size(), x < 0.1 ? "%.4f" : x < 10 ? "%.2f" : x < 100 ? "%.1f" : "%.0f", x);
    return text.data();
}

std::string Padded(const std::string& text, size_t width, bool right)
{
    const std::string space(width > text.size() ? width - text.size() : 0, ' ');
    return right ? space + text : text + space;
}

std::string Line(const std::string& what, const std::string& backend, const std::string& threads, const std::string& batch,
                 const std::string& us, const std::string& ratio, const std::string& clock)
{
    return Padded(what, 8, false) + Padded(backend, 14, false) + Padded(threads, 7, true) + Padded(batch, 7, true) + Padded(us, 12, true) +
           Padded(ratio, 11, true) + "  " + clock;
}

void PrintHeader(const BenchSetup& setup)
{
    PrintTable({{"machine", setup.machine + ", " + std::to_string(setup.processors) + " processors"},
                {"compiler", setup.compiler},
                {"denominator", setup.denominator}});
    PrintLine("");
    PrintLine(Line("what", "backend", "threads", "batch", "us each", "x BIP 340", "clock"));
}

void PrintRow(const BenchRow& row)
{
    const bool measured{row.fault.empty()};
    PrintLine(Line(row.what, row.backend, std::to_string(row.threads), std::to_string(row.batch), measured ? Number(row.us) : "",
                   measured ? Number(row.Ratio()) : "",
                   !measured      ? "FAULT: " + row.fault
                   : row.cpu_time ? "CPU"
                                  : "wall"));
    (void)FinishOutput(); // now, not when all rows are measured
}

void PrintFooter(const BenchReport& report, size_t samples)
{
    PrintLine("");
    PrintLine("x BIP 340: how many times as fast as the denominator, which took " + Number(report.bip340_us) +
              " us and ran in turns with each row.");
    PrintLine("The " + std::to_string(samples) + " keys, messages and signatures all differ, and take turns.");
    PrintLine("CPU: processor time of the working thread; wall: elapsed time.");
}

Json ReportJson(const BenchSetup& setup, const BenchReport& report)
{
    Json rows = Json::array();
    for (const auto& row : report.rows) {
        Json json = {{"what", row.what}, {"backend", row.backend}, {"threads", row.threads}, {"batch", row.batch}};
        if (row.fault.empty()) {
            json["clock"] = row.cpu_time ? "cpu" : "wall";
            json["us"] = row.us;
            json["bip340_us"] = row.bip340_us;
            json["times_bip340"] = row.Ratio();
        } else {
            json["fault"] = row.fault;
        }
        rows.push_back(std::move(json));
    }
    return {{"machine", setup.machine}, {"processors", setup.processors}, {"compiler", setup.compiler}, {"denominator", setup.denominator},
            {"bip340_us", report.bip340_us}, {"rows", std::move(rows)}};
}

ExitStatus RunIt(const Options& options)
{
    BenchOptions bench{.backends = options.backends, .batches = {}, .seconds = 0};
    for (const auto& batch : options.batches) {
        bench.batches.push_back(Within("--batch", [&] { return ParseNumber(batch, MAX_BATCH); }));
        if (bench.batches.back() == 0) throw InputError{"--batch", "0 is too few"};
    }
    const auto milliseconds{Within("--milliseconds", [&] { return ParseNumber(options.milliseconds, MAX_MILLISECONDS); })};
    if (milliseconds == 0) throw InputError{"--milliseconds", "0 is too few"};
    bench.seconds = static_cast<double>(milliseconds) / 1000;

    const BenchSetup setup{GetBenchSetup()};
    bool begun{false};
    // Drivers need not be asked for what nobody wants.
    const auto known{bench.backends.empty() ? slhdsa::ListBackends() : std::vector<slhdsa::BackendInfo>{}};
    const BenchReport report{RunBench(bench, known, [&](const BenchRow& row) {
        if (options.json) return;
        if (!begun) PrintHeader(setup);
        begun = true;
        PrintRow(row);
    })};
    options.json ? PrintJson(ReportJson(setup, report)) : PrintFooter(report, CountSamples(bench));
    return std::ranges::all_of(report.rows, [](const BenchRow& row) { return row.fault.empty(); }) ? EXIT_VALID : EXIT_INVALID;
}

} // namespace

Action DeclareBench(CommandParser& parser)
{
    auto options{std::make_shared<Options>()};
    parser.Explain(
        "Times verification by every backend of this machine at several batch sizes, signing and key generation. The\n"
        "denominator is BIP 340 verification by libsecp256k1, which takes turns with each row in the same process. CPU\n"
        "engines run on one thread, the best one also on all. A key and a signature for each entry of the largest batch,\n"
        "and at least so many that no key signs again before its top tree is forgotten, are made first. Exit status 1 if a\n"
        "backend is wrong, fails or rejects a valid signature.");
    parser.Add("--backend BACKEND", options->backends,
               "Measure only this one: cpu, cpu:<instruction set>, vulkan, vulkan:<index>, :<part of a name> or :all");
    parser.Add("--batch N", options->batches,
               "How many signatures are verified together, up to " + std::to_string(MAX_BATCH) + " (default: 1, 8, 64 and 512)");
    parser.Add("--milliseconds N", options->milliseconds, "How long to measure each row");
    AddJsonFlag(parser, options->json);
    parser.AddExamples({{"this machine", "slhtool bench"},
                        {"one engine, longer, as JSON", "slhtool bench --backend cpu:avx2 --batch 64 --milliseconds 3000 --json"}});
    return [options] { return RunIt(*options); };
}

} // namespace slhc::tool
