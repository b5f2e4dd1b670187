// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/commands.h>
#include <tool/output.h>
#include <tool/terminal.h>

#include <pqc/backends.h>
#include <pqc/cpu/engines.h>
#include <pqc/sample_jobs.h>
#include <util/environment.h>
#include <util/log.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <thread>

namespace slhc::tool {
namespace {

using namespace slhdsa;
using Clock = std::chrono::steady_clock;

struct Options {
    bool check{false}, json{false};
};

/** About as many signatures as a block can hold. */
constexpr size_t CHECKED{508};
constexpr std::chrono::seconds PATIENCE{120};

struct Finding {
    BackendInfo backend;
    std::string fault;               //!< of a check; empty: none
    std::optional<double> opened_ms; //!< until the first call would be served
    std::optional<double> one_us;    //!< one signature alone
    std::optional<double> block_us;  //!< one of CHECKED, in one call
};

double Since(Clock::time_point start, double per_second)
{
    return std::chrono::duration<double>(Clock::now() - start).count() * per_second;
}

/** Compute sample roots with a backend, and compare with the scalar code. */
void Check(Finding& finding, const SampleJobs& sample, std::span<const Root> expected)
{
    const char* const cache_dir{GetEnvironment("SLHC_CACHE_DIR")};
    const DeviceOptions options{.logger = std::make_shared<const Logger>(LogLevel::WARNING, LogToStderr),
                                .cache_dir = cache_dir ? cache_dir : ""};
    const auto start{Clock::now()};
    const auto backends{SelectBackends(finding.backend.name, options, finding.fault)};
    if (!backends) return;
    RootBackend& backend{backends->devices.empty() ? *backends->cpu : *backends->devices.front()};
    while (!backend.IsReady() && Clock::now() < start + PATIENCE && !backend.IsUnusable()) {
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    if (!backend.IsReady()) {
        finding.fault = "did not become ready";
        return;
    }
    finding.opened_ms = Since(start, 1e3);
    for (const size_t n : {size_t{1}, CHECKED}) {
        std::vector<Root> roots(n);
        const auto begin{Clock::now()};
        if (backend.ComputeRoots(sample.Jobs().first(n), roots) != BackendStatus::OK) {
            finding.fault = "a call failed";
            return;
        }
        (n == 1 ? finding.one_us : finding.block_us) = Since(begin, 1e6) / static_cast<double>(n);
        if (!std::equal(roots.begin(), roots.end(), expected.begin())) {
            finding.fault = "wrong roots";
            return;
        }
    }
}

std::string Number(double x)
{
    char text[32];
    std::snprintf(text, sizeof(text), x < 100 ? "%.1f" : "%.0f", x);
    return text;
}

void PrintFinding(const Finding& finding)
{
    std::string line{finding.backend.name + ": " + finding.backend.description};
    if (!finding.fault.empty()) line += "; " + Coloured(Colour::BAD, "FAULT: " + finding.fault);
    if (finding.opened_ms) line += "; ready after " + Number(*finding.opened_ms) + " ms";
    if (finding.one_us) line += "; one signature " + Number(*finding.one_us) + " us";
    if (finding.block_us) line += "; " + Number(*finding.block_us) + " us each for " + std::to_string(CHECKED);
    PrintLine(line);
}

Json ToJson(const Finding& finding)
{
    Json json = {{"name", finding.backend.name}, {"description", finding.backend.description}, {"available", finding.backend.available}};
    if (!finding.fault.empty()) json["fault"] = finding.fault;
    if (finding.opened_ms) json["ready_after_ms"] = *finding.opened_ms;
    if (finding.one_us) json["one_signature_us"] = *finding.one_us;
    if (finding.block_us) json["signature_of_508_us"] = *finding.block_us;
    return json;
}

ExitStatus Devices(const Options& options)
{
    std::vector<Finding> findings;
    for (BackendInfo& info : ListBackends()) {
        findings.push_back({.backend = std::move(info), .fault = {}, .opened_ms = {}, .one_us = {}, .block_us = {}});
    }
    if (options.check) {
        const SampleJobs sample{CHECKED};
        std::vector<Root> expected(CHECKED);
        // Scalar code on the stack: it has no way to fail.
        (void)CreatePortableEngine()->ComputeRoots(sample.Jobs(), expected);
        for (Finding& finding : findings) {
            if (finding.backend.available) Check(finding, sample, expected);
        }
    }
    if (options.json) {
        Json json = Json::array();
        for (const Finding& finding : findings) json.push_back(ToJson(finding));
        PrintJson(json);
    } else {
        for (const Finding& finding : findings) PrintFinding(finding);
    }
    return std::all_of(findings.begin(), findings.end(), [](const Finding& f) { return f.fault.empty(); }) ? EXIT_VALID : EXIT_INVALID;
}

} // namespace

Action DeclareDevices(CommandParser& parser)
{
    auto options{std::make_shared<Options>()};
    parser.Describe("The CPU engines of this build and the devices of this machine, under the names that SLHC_BACKEND\n"
                    "takes; vulkan:all stands for all devices together, each with its measured share of a batch. With\n"
                    "--check, each one computes the roots of sample signatures, which are compared with the scalar\n"
                    "code's; exit status 1 if one is wrong or fails. CPU engines then run on one thread.");
    parser.AddFlag("--check", options->check, "Try each one, and time it");
    AddJsonFlag(parser, options->json);
    AddColorOption(parser);
    parser.AddExamples({{"what there is", "slhtool devices"},
                        {"whether it works, and how fast", "slhtool devices --check"},
                        {"verify with the second Vulkan device", "SLHC_BACKEND=vulkan:1 slhtool verify-block ..."},
                        {"verify with all of them", "SLHC_BACKEND=vulkan:all slhtool verify-block ..."}});
    return [options] { return Devices(*options); };
}

} // namespace slhc::tool
