// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <bench/devices.h>

#include <bench/corpus.h>
#include <bench/paired.h>
#include <bench/peers.h>
#include <bench/register.h>

#include <pqc/backends.h>
#include <pqc/capi/context.h>
#include <pqc/device/device_backend.h>
#include <pqc/device/devices.h>
#include <pqc/device/root_computer.h>
#include <pqc/judge.h>
#include <pqc/verifier.h>
#include <util/log.h>
#include <util/threadpool.h>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace slhc::bench {

namespace {

using namespace slhdsa;

/** Select a device and wait until it takes work. */
std::shared_ptr<RootDevice> Open(const std::string& name, const std::shared_ptr<ThreadPool>& pool)
{
    std::string error;
    DeviceOptions options{capi::DeviceOptionsOfEnvironment(std::make_shared<const Logger>())};
    options.pool = pool;
    const auto backends{SelectBackends(name, options, error)};
    if (!backends) throw std::runtime_error{error};
    const auto& device{backends->devices.front()};
    while (device->State() != DeviceState::READY) {
        if (device->State() == DeviceState::RETIRED) throw std::runtime_error{name + " cannot be used"};
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    return device;
}

/** The compressions of a verification on average, and the operations of one compression in a chain: additions of two, logic of three
 *  operands, rotations and shifts; doc/performance.md has both. */
constexpr double COMPRESSIONS{2194};
constexpr double OPERATIONS{1434};

/** Operations on 32-bit integers that the device does in a second at best, or 0: SLHC_BENCH_INT_OPS, in units of 10^9. */
double OperationsPerSecond()
{
    const char* const text{std::getenv("SLHC_BENCH_INT_OPS")};
    if (!text) return 0;
    char* end{nullptr};
    const double giga{std::strtod(text, &end)};
    if (*text == '\0' || *end != '\0' || !(giga > 0)) throw std::invalid_argument{"SLHC_BENCH_INT_OPS is not a number above 0"};
    return 1e9 * giga;
}

/** Checks for the largest batch, for which the corpus is too small: after its checks come others, of random bytes. */
class Checks
{
public:
    explicit Checks(size_t n) : m_size{n}, m_more(n > Corpus::SIZE ? n - Corpus::SIZE : 0)
    {
        if (m_more.empty()) return;
        const auto first{Corpus::Get().Slice(Corpus::SIZE, 0)};
        m_checks.assign(first.begin(), first.end());
        std::mt19937_64 random{n};
        for (auto& words : m_more) {
            for (uint64_t& word : words) word = random();
            const uint8_t* const bytes{reinterpret_cast<const uint8_t*>(words.data())};
            m_checks.push_back(
                {bytes, *MessagePieces::Pure({bytes + PUBLIC_KEY_SIZE, 32}, {}), {bytes + PUBLIC_KEY_SIZE + 32, SIGNATURE_SIZE}});
        }
    }

    /** The checks of a call. */
    [[nodiscard]] std::span<const CheckView> Slice(size_t call) const
    {
        return m_more.empty() ? Corpus::Get().Slice(m_size, call) : m_checks;
    }

    [[nodiscard]] bool Right(std::span<const CheckView> slice, std::span<const Verdict> verdicts) const
    {
        if (m_more.empty()) return Corpus::Get().Right(slice, verdicts);
        for (size_t i{0}; i < verdicts.size(); ++i) {
            if (verdicts[i] != (i < Corpus::Get().ValidCount() ? Verdict::VALID : Verdict::INVALID)) return false;
        }
        return true;
    }

private:
    const size_t m_size;
    std::vector<std::array<uint64_t, (PUBLIC_KEY_SIZE + 32 + SIGNATURE_SIZE) / sizeof(uint64_t)>> m_more;
    std::vector<CheckView> m_checks;
};

/** Hash the messages. */
void Prepare(ThreadPool& pool, std::span<const CheckView> checks, std::span<RootJob> jobs)
{
    const std::vector<Chunk> chunks{CutChunks(checks.size(), pool.Threads(), 64)};
    const bool prepared{pool.Run(chunks.size(), [&](size_t i_chunk) {
        const auto [begin, size]{chunks[i_chunk]};
        for (size_t i = begin; i < begin + size; ++i) jobs[i] = PrepareRootJob(checks[i]);
    })};
    if (!prepared) throw std::runtime_error{"interrupted"};
}

/** Verify signatures as a verifier does, but do not verify invalid ones again on the CPU, which is no work of the device: messages are
 *  hashed here, roots are the device's. */
std::vector<Verdict> Compute(RootBackend& device, ThreadPool& pool, std::span<const CheckView> checks)
{
    std::vector<RootJob> jobs(checks.size());
    Prepare(pool, checks, jobs);
    std::vector<Root> roots(checks.size());
    if (device.ComputeRoots(jobs, roots) != BackendStatus::OK) throw std::runtime_error{"the device failed"};
    std::vector<Verdict> verdicts(checks.size());
    for (size_t i{0}; i < checks.size(); ++i) verdicts[i] = RootMatches(roots[i], checks[i].public_key) ? Verdict::VALID : Verdict::INVALID;
    return verdicts;
}

/** From the messages to the verdicts:
 *      ms, best_ms   wall time of a batch, and of the quickest one
 *      us            wall time of one signature
 *      cpu_us        CPU time of one signature in this process, which for a device that is the CPU is all of its work
 *      bip340_us     CPU time of one BIP 340 verification, measured in between
 *      x_bip340      bip340_us / us; on a device that is the CPU with several cores compare cpu_us instead
 *      compressions  of SHA-256 in a second of wall-clock time, in units of 10^9
 *      of_bound      the part of the device's integer throughput that this uses: only with SLHC_BENCH_INT_OPS
 *      chunks        into which a batch was cut
 *      overlapping   the number of these that were submitted while another was at work */
void VerifyOnDevice(benchmark::State& state, const std::string& name, size_t batch)
{
    const auto pool{std::make_shared<ThreadPool>(0)};
    const auto device{Open(name, pool)};
    const auto peer{MakeBip340Peer()};
    const double bound{OperationsPerSecond() / OPERATIONS};
    const Checks all{batch};
    double wall{0}, best{0}, cpu{0}, peer_cpu{0};
    size_t calls{0}, peer_runs{0};
    const auto verify{[&] {
        const auto checks{all.Slice(calls)};
        if (!all.Right(checks, Compute(*device, *pool, checks))) throw std::logic_error{"wrong verdicts"};
    }};
    verify();
    const RootCounts before{dynamic_cast<const DeviceBackend&>(*device).Counts()};
    for (auto _ : state) {
        const double wall_begin{WallTime()}, cpu_begin{ProcessCpuTime()};
        verify();
        const double took{WallTime() - wall_begin};
        cpu += ProcessCpuTime() - cpu_begin;
        wall += took;
        best = calls == 0 ? took : std::min(best, took);
        ++calls;
        state.SetIterationTime(took);
        const double peer_begin{ThreadCpuTime()};
        do {
            peer->Run();
            ++peer_runs;
        } while (ThreadCpuTime() - peer_begin < took / 4);
        peer_cpu += ThreadCpuTime() - peer_begin;
    }
    const RootCounts after{dynamic_cast<const DeviceBackend&>(*device).Counts()};
    const double n{static_cast<double>(batch * calls)};
    const double peer_us{1e6 * peer_cpu / static_cast<double>(peer_runs)};
    state.counters["ms"] = 1e3 * wall / static_cast<double>(calls);
    state.counters["best_ms"] = 1e3 * best;
    state.counters["us"] = 1e6 * wall / n;
    state.counters["cpu_us"] = 1e6 * cpu / n;
    state.counters["bip340_us"] = peer_us;
    state.counters["x_bip340"] = peer_us * n / (1e6 * wall);
    state.counters["compressions"] = 1e-9 * COMPRESSIONS * n / wall;
    state.counters["chunks"] = static_cast<double>(after.chunks - before.chunks) / static_cast<double>(calls);
    state.counters["overlapping"] = static_cast<double>(after.overlapping - before.overlapping) / static_cast<double>(calls);
    if (bound > 0) state.counters["of_bound"] = COMPRESSIONS * n / wall / bound;
}

/** From the name to the first verdict, known answers included: wall time, and CPU time (cpu_us). */
void OpenDevice(benchmark::State& state, const std::string& name)
{
    const Corpus& corpus{Corpus::Get()};
    const auto pool{std::make_shared<ThreadPool>(1)};
    double cpu{0};
    size_t calls{0};
    for (auto _ : state) {
        const double wall_begin{WallTime()}, cpu_begin{ProcessCpuTime()};
        const auto device{Open(name, pool)};
        const auto checks{corpus.Slice(1, calls)};
        if (!corpus.Right(checks, Compute(*device, *pool, checks))) throw std::logic_error{"wrong verdicts"};
        state.SetIterationTime(WallTime() - wall_begin);
        cpu += ProcessCpuTime() - cpu_begin;
        ++calls;
    }
    state.counters["cpu_us"] = 1e6 * cpu / static_cast<double>(calls);
}

/** A device that does nothing, so that only the work of the CPU is left. */
class IdleLink final : public DeviceLink
{
public:
    size_t Slots() const noexcept override { return m_entries.size(); }
    LinkStatus Prepare(ParameterSet, std::chrono::nanoseconds) noexcept override { return LinkStatus::OK; }
    size_t Capacity(ParameterSet) const noexcept override { return CAPACITY; }
    size_t FullLayout(ParameterSet) const noexcept override { return CAPACITY; }
    std::span<uint8_t> Entries(size_t slot) noexcept override { return m_entries[slot]; }
    std::span<const Root> Roots(size_t) noexcept override { return m_roots; }
    LinkStatus Submit(size_t, ParameterSet, size_t) noexcept override { return LinkStatus::OK; }
    LinkStatus Wait(size_t, std::chrono::nanoseconds) noexcept override { return LinkStatus::OK; }
    void Abandon() noexcept override {}

private:
    static constexpr size_t CAPACITY{1024};
    std::vector<std::vector<uint8_t>> m_entries{4, std::vector<uint8_t>(CAPACITY * DeviceEntry::Size(PARAMS_128S))};
    std::vector<Root> m_roots = std::vector<Root>(CAPACITY);
};

/** From the messages to entries that a device can take, by n threads:
 *      entries       in a second of wall-clock time
 *      cpu_us        CPU time of one entry, of all threads together
 *      by_workers    the part of the entries that other threads than the caller filled */
void FillEntries(benchmark::State& state, unsigned threads)
{
    ThreadPool pool{threads};
    const Checks all{Corpus::SIZE};
    RootComputer computer{std::make_shared<IdleLink>(), {.least = std::chrono::seconds{1}}};
    double wall{0}, cpu{0};
    size_t calls{0};
    std::vector<RootJob> jobs(Corpus::SIZE);
    std::vector<Root> roots(Corpus::SIZE);
    const auto fill{[&] {
        Prepare(pool, all.Slice(calls), jobs);
        if (computer.Compute(jobs, roots, &pool) != LinkStatus::OK) throw std::logic_error{"a device that does nothing failed"};
    }};
    fill(); // the first one makes the signatures
    const RootCounts before{computer.Counts()};
    for (auto _ : state) {
        const double wall_begin{WallTime()}, cpu_begin{ProcessCpuTime()};
        fill();
        const double took{WallTime() - wall_begin};
        cpu += ProcessCpuTime() - cpu_begin;
        wall += took;
        ++calls;
        state.SetIterationTime(took);
    }
    const RootCounts after{computer.Counts()};
    const double entries{static_cast<double>(after.entries - before.entries)};
    state.counters["entries"] = entries / wall;
    state.counters["cpu_us"] = 1e6 * cpu / entries;
    state.counters["by_workers"] = static_cast<double>(after.filled_by_workers - before.filled_by_workers) / entries;
}

} // namespace

void RegisterDevices()
{
    for (unsigned threads{1}; threads <= UsableCores(); threads *= 2) {
        Register("device/fill/threads:" + std::to_string(threads), [threads](benchmark::State& s) { FillEntries(s, threads); });
    }
    for (const BackendInfo& device : ListBackends(capi::DeviceOptionsOfEnvironment(std::make_shared<const Logger>()))) {
        if (!device.available || !device.name.starts_with(VULKAN)) continue;
        const std::string& name{device.name};
        benchmark::AddCustomContext(name, device.description); // every figure of a device comes with its name and driver
        for (const size_t batch : {1, 8, 64, 508, 512, 4096, 65536}) {
            Register(name + "/batch:" + std::to_string(batch), [name, batch](benchmark::State& s) { VerifyOnDevice(s, name, batch); });
        }
        Register(name + "/open", [name](benchmark::State& s) { OpenDevice(s, name); });
    }
}

} // namespace slhc::bench
