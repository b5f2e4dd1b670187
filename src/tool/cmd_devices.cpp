// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/backends.h>
#include <pqc/capi/context.h>
#include <pqc/cpu/engines.h>
#include <pqc/sample_jobs.h>
#include <tool/commands.h>
#include <tool/device_check.h>
#include <tool/keys.h>
#include <tool/output.h>
#include <util/log.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace slhc::tool {
namespace {

using namespace slhdsa;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds PATIENCE{120};

double Since(Clock::time_point start, double per_second)
{
    return std::chrono::duration<double>(Clock::now() - start).count() * per_second;
}

/** Compute sample roots with a backend, and compare with the scalar code. */
void Try(DeviceFinding& finding, ParameterSet set, const SampleJobs& sample, std::span<const Root> expected)
{
    const DeviceOptions options{capi::DeviceOptionsOfEnvironment(std::make_shared<const Logger>(LogLevel::WARNING, LogToStderr))};
    const auto start{Clock::now()};
    const auto backends{SelectBackends(finding.backend.name, options, finding.backend.fault)};
    if (!backends) return;
    if (!backends->devices.empty()) {
        RootDevice& device{*backends->devices.front()};
        const auto is_ready{[&] { return device.State() == DeviceState::READY && device.PrepareSet(set) == SetState::READY; }};
        while (!is_ready() && Clock::now() < start + PATIENCE && device.PrepareSet(set) != SetState::UNUSABLE) {
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
        }
        if (!is_ready()) {
            finding.backend.fault = "did not become ready";
            return;
        }
    }
    RootBackend& backend{backends->devices.empty() ? *backends->cpu : *backends->devices.front()};
    finding.opened_ms = Since(start, 1e3);
    for (const size_t n : {size_t{1}, CHECKED_SIGNATURES}) {
        std::vector<Root> roots(n);
        const auto begin{Clock::now()};
        if (backend.ComputeRoots(sample.Jobs().first(n), roots) != BackendStatus::OK) {
            finding.backend.fault = "a call failed";
            return;
        }
        (n == 1 ? finding.one_us : finding.block_us) = Since(begin, 1e6) / static_cast<double>(n);
        if (!std::equal(roots.begin(), roots.end(), expected.begin())) {
            finding.backend.fault = "wrong roots";
            return;
        }
    }
}

struct Options {
    bool check{false}, json{false};
    std::string set{"128s"};
};

std::string Number(double x)
{
    char text[32];
    std::snprintf(text, sizeof(text), x < 100 ? "%.1f" : "%.0f", x);
    return text;
}

void PrintFinding(const DeviceFinding& finding)
{
    const auto& [name, description, available, fault]{finding.backend};
    std::string line{name + ": "};
    if (fault.empty()) {
        line += description;
    } else if (available) {
        line += description + "; " + "FAULT: " + fault;
    } else {
        line += "FAULT: " + description; // which says what the fault is
    }
    if (finding.opened_ms) line += "; ready after " + Number(*finding.opened_ms) + " ms";
    if (finding.one_us) line += "; one signature " + Number(*finding.one_us) + " us";
    if (finding.block_us) line += "; " + Number(*finding.block_us) + " us each for " + std::to_string(CHECKED_SIGNATURES);
    PrintLine(line);
}

Json ToJson(const DeviceFinding& finding)
{
    const auto& [name, description, available, fault]{finding.backend};
    Json json = {{"name", name}, {"description", description}, {"available", available}};
    if (!fault.empty()) json["fault"] = fault;
    if (finding.opened_ms) json["ready_after_ms"] = *finding.opened_ms;
    if (finding.one_us) json["one_signature_us"] = *finding.one_us;
    if (finding.block_us) json["signature_of_508_us"] = *finding.block_us;
    return json;
}

ExitStatus Devices(const Options& options)
{
    std::vector<DeviceFinding> findings;
    std::vector<BackendInfo> backends{slhdsa::ListBackends(capi::DeviceOptionsOfEnvironment(std::make_shared<const Logger>()))};
    if (options.check) {
        findings = CheckDevices(std::move(backends), ParseParameterSet(options.set));
    } else {
        for (auto& backend : backends) findings.emplace_back().backend = std::move(backend);
    }
    if (options.json) {
        Json json = Json::array();
        for (const auto& finding : findings) json.push_back(ToJson(finding));
        PrintJson(json);
    } else {
        for (const auto& finding : findings) PrintFinding(finding);
    }
    const bool all_right{std::ranges::all_of(findings, [](const auto& finding) { return finding.backend.fault.empty(); })};
    return all_right || !options.check ? EXIT_VALID : EXIT_INVALID; // a list alone is no verdict
}

} // namespace

std::vector<DeviceFinding> CheckDevices(std::vector<BackendInfo> backends, ParameterSet set)
{
    const SampleJobs sample{CHECKED_SIGNATURES, set};
    std::vector<Root> expected(CHECKED_SIGNATURES);
    // Scalar code on the stack: it has no way to fail.
    (void)CreatePortableEngine()->ComputeRoots(sample.Jobs(), expected);
    std::vector<DeviceFinding> findings;
    for (BackendInfo& backend : backends) {
        DeviceFinding& finding{findings.emplace_back()};
        finding.backend = std::move(backend);
        if (finding.backend.available) Try(finding, set, sample, expected);
    }
    return findings;
}

Action DeclareDevices(CommandParser& parser)
{
    auto options{std::make_shared<Options>()};
    parser.Explain("The CPU engines of this build and the devices of this machine, under the names that SLHC_BACKEND\n"
                   "takes; vulkan:all stands for all devices together, each with its measured share of a batch. An\n"
                   "engine that fails its known-answer test, and drivers that cannot be asked for their devices, are\n"
                   "marked FAULT (in JSON, they have a member fault). With --check, each one computes the roots of\n"
                   "sample signatures, which are compared with the scalar code's; exit status 1 if there is any fault.\n"
                   "CPU engines then run on one thread.");
    parser.AddFlag("--check", options->check, "Try each one, and time it");
    AddSetChoice(parser, options->set, "Parameter set to try them with");
    AddJsonFlag(parser, options->json);
    parser.AddExamples({{"what there is", "slhtool devices"},
                        {"whether it works, and how fast", "slhtool devices --check"},
                        {"the same with another parameter set", "slhtool devices --check --set 128-24"},
                        {"verify with the second Vulkan device", "SLHC_BACKEND=vulkan:1 slhtool verify-block ..."},
                        {"verify with all of them", "SLHC_BACKEND=vulkan:all slhtool verify-block ..."}});
    return [options] { return Devices(*options); };
}

} // namespace slhc::tool
