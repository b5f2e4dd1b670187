// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/device_check.h>

#include <pqc/cpu/engines.h>
#include <pqc/sample_jobs.h>
#include <util/environment.h>
#include <util/log.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <span>
#include <thread>
#include <utility>

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
void Try(DeviceFinding& finding, const SampleJobs& sample, std::span<const Root> expected)
{
    const char* const cache_dir{GetEnvironment("SLHC_CACHE_DIR")};
    const DeviceOptions options{.logger = std::make_shared<const Logger>(LogLevel::WARNING, LogToStderr),
                                .cache_dir = cache_dir ? cache_dir : ""};
    const auto start{Clock::now()};
    const auto backends{SelectBackends(finding.backend.name, options, finding.backend.fault)};
    if (!backends) return;
    RootBackend& backend{backends->devices.empty() ? *backends->cpu : *backends->devices.front()};
    while (!backend.IsReady() && Clock::now() < start + PATIENCE && !backend.IsUnusable()) {
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    if (!backend.IsReady()) {
        finding.backend.fault = "did not become ready";
        return;
    }
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

} // namespace

std::vector<DeviceFinding> CheckDevices(std::vector<BackendInfo> backends)
{
    const SampleJobs sample{CHECKED_SIGNATURES};
    std::vector<Root> expected(CHECKED_SIGNATURES);
    // Scalar code on the stack: it has no way to fail.
    (void)CreatePortableEngine()->ComputeRoots(sample.Jobs(), expected);
    std::vector<DeviceFinding> findings;
    for (BackendInfo& backend : backends) {
        DeviceFinding& finding{findings.emplace_back()};
        finding.backend = std::move(backend);
        if (finding.backend.available) Try(finding, sample, expected);
    }
    return findings;
}

} // namespace slhc::tool
