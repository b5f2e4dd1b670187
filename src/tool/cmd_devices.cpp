// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/commands.h>
#include <tool/device_check.h>
#include <tool/output.h>

#include <pqc/backends.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace slhc::tool {
namespace {

struct Options {
    bool check{false}, json{false};
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
    if (options.check) {
        findings = CheckDevices(slhdsa::ListBackends());
    } else {
        for (auto& backend : slhdsa::ListBackends()) findings.emplace_back().backend = std::move(backend);
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
    AddJsonFlag(parser, options->json);
    parser.AddExamples({{"what there is", "slhtool devices"},
                        {"whether it works, and how fast", "slhtool devices --check"},
                        {"verify with the second Vulkan device", "SLHC_BACKEND=vulkan:1 slhtool verify-block ..."},
                        {"verify with all of them", "SLHC_BACKEND=vulkan:all slhtool verify-block ..."}});
    return [options] { return Devices(*options); };
}

} // namespace slhc::tool
