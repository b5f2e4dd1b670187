// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <bench/devices.h>

#include <bench/corpus.h>
#include <bench/paired.h>
#include <bench/peers.h>

#include <pqc/backends.h>
#include <pqc/judge.h>
#include <util/log.h>

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace slhc::bench {

namespace {

using namespace slhdsa;

/** Select a device and wait until it takes work. */
Backends Open(const std::string& name)
{
    std::string error;
    const char* const cache_dir{std::getenv("SLHC_CACHE_DIR")};
    auto backends{SelectBackends(name, {.logger = std::make_shared<const Logger>(), .cache_dir = cache_dir ? cache_dir : ""}, error)};
    if (!backends) throw std::runtime_error{error};
    while (!backends->device->IsReady()) {
        if (backends->device->IsUnusable()) throw std::runtime_error{name + " cannot be used"};
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    return *std::move(backends);
}

/** Whether each signature leads to its key's root: the messages are hashed here, everything between is the device's.
 *  A verifier would verify invalid ones again on the CPU, which is no work of the device. */
std::vector<Verdict> Compute(RootBackend& device, std::span<const Check> checks)
{
    std::vector<RootJob> jobs;
    jobs.reserve(checks.size());
    for (const Check& check : checks) jobs.push_back(PrepareRootJob(check));
    std::vector<Root> roots(checks.size());
    if (device.ComputeRoots(jobs, roots) != BackendStatus::OK) throw std::runtime_error{"the device failed"};
    std::vector<Verdict> verdicts(checks.size());
    for (size_t i{0}; i < checks.size(); ++i) verdicts[i] = RootMatches(roots[i], checks[i].public_key) ? Verdict::VALID : Verdict::INVALID;
    return verdicts;
}

/** From the messages to the verdicts:
 *      us            wall time of one signature
 *      cpu_us        CPU time of one signature in this process, which for a device that is the CPU is all of its work
 *      bip340_us     CPU time of one BIP 340 verification, measured in between
 *      x_bip340      bip340_us / us; on a device that is the CPU with several cores compare cpu_us instead */
void VerifyOnDevice(benchmark::State& state, const std::string& name, size_t batch)
{
    const Backends backends{Open(name)};
    const auto peer{MakeBip340Peer()};
    const Corpus& corpus{Corpus::Get()};
    double wall{0}, cpu{0}, peer_cpu{0};
    size_t calls{0}, peer_runs{0};
    const auto verify{[&] {
        const auto checks{corpus.Slice(batch, calls)};
        if (!corpus.Right(checks, Compute(*backends.device, checks))) throw std::logic_error{"wrong verdicts"};
    }};
    verify();
    for (auto _ : state) {
        const double wall_begin{WallTime()}, cpu_begin{ProcessCpuTime()};
        verify();
        const double took{WallTime() - wall_begin};
        cpu += ProcessCpuTime() - cpu_begin;
        wall += took;
        ++calls;
        state.SetIterationTime(took);
        const double peer_begin{ThreadCpuTime()};
        do {
            peer->Run();
            ++peer_runs;
        } while (ThreadCpuTime() - peer_begin < took / 4);
        peer_cpu += ThreadCpuTime() - peer_begin;
    }
    const double n{static_cast<double>(batch * calls)};
    const double peer_us{1e6 * peer_cpu / static_cast<double>(peer_runs)};
    state.counters["us"] = 1e6 * wall / n;
    state.counters["cpu_us"] = 1e6 * cpu / n;
    state.counters["bip340_us"] = peer_us;
    state.counters["x_bip340"] = peer_us * n / (1e6 * wall);
}

/** From the name to the first verdict, known answers included: wall time, and CPU time (cpu_us). */
void OpenDevice(benchmark::State& state, const std::string& name)
{
    const Corpus& corpus{Corpus::Get()};
    double cpu{0};
    size_t calls{0};
    for (auto _ : state) {
        const double wall_begin{WallTime()}, cpu_begin{ProcessCpuTime()};
        const Backends backends{Open(name)};
        const auto checks{corpus.Slice(1, calls)};
        if (!corpus.Right(checks, Compute(*backends.device, checks))) throw std::logic_error{"wrong verdicts"};
        state.SetIterationTime(WallTime() - wall_begin);
        cpu += ProcessCpuTime() - cpu_begin;
        ++calls;
    }
    state.counters["cpu_us"] = 1e6 * cpu / static_cast<double>(calls);
}

template <class Run>
void Register(const std::string& name, Run run)
{
    benchmark::RegisterBenchmark(name.c_str(), [run](benchmark::State& state) {
        try {
            run(state);
        } catch (const std::exception& e) {
            state.SkipWithError(e.what());
        }
    })->UseManualTime()->Unit(benchmark::kMicrosecond);
}

} // namespace

void RegisterDevices()
{
    for (const DeviceFamily& family : DeviceFamilies()) {
        for (const std::string& device : family.list()) {
            const std::string name{std::string{family.name} + ":" + device.substr(0, device.find(':'))};
            for (const size_t batch : {1, 8, 64, 508, 512, 4096}) {
                Register(name + "/batch:" + std::to_string(batch), [name, batch](benchmark::State& s) { VerifyOnDevice(s, name, batch); });
            }
            Register(name + "/open", [name](benchmark::State& s) { OpenDevice(s, name); });
        }
    }
}

} // namespace slhc::bench
