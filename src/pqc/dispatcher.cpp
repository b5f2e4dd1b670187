// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/dispatcher.h>

#include <pqc/cache_file.h>
#include <pqc/sample_jobs.h>
#include <util/thread.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <unistd.h>

namespace slhc::slhdsa {

namespace {

using Clock = std::chrono::steady_clock;

/** A block holds about 500 signatures; beyond the largest size the cost of one stays the same. */
constexpr std::array<size_t, 6> SIZES{1, 8, 64, 256, 1024, 4096};
/** No larger size is tried once a batch takes this long on either side. */
constexpr std::chrono::milliseconds LONG_ENOUGH{100};
constexpr int REPETITIONS{3};
/** A device that is not ready by then is not waited for any longer. */
constexpr std::chrono::minutes PATIENCE{10};

/** The shortest of some runs, in ns: what disturbs a measurement makes it longer. */
template <typename Call>
uint64_t Shortest(Call&& call)
{
    Clock::duration best{Clock::duration::max()};
    for (int i = 0; i < REPETITIONS; ++i) {
        const auto start{Clock::now()};
        call();
        best = std::min(best, Clock::now() - start);
        if (best > LONG_ENOUGH) break;
    }
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(best).count());
}

void ComputeOnCpu(RootBackend& cpu, ThreadPool& pool, std::span<const RootJob> jobs, std::span<Root> roots)
{
    const std::vector<Chunk> chunks{CutChunks(jobs.size(), pool.Threads(), cpu.PreferredJobs())};
    const bool done{pool.Run(chunks.size(), [&](size_t i_chunk) {
        const auto [begin, size]{chunks[i_chunk]};
        if (cpu.ComputeRoots(jobs.subspan(begin, size), roots.subspan(begin, size)) != BackendStatus::OK) throw std::runtime_error{"the CPU engine failed"};
    })};
    if (!done) throw std::runtime_error{"interrupted"};
}

void ComputeOnDevice(RootBackend& device, std::span<const RootJob> jobs, std::span<Root> roots)
{
    const BackendStatus status{device.ComputeRoots(jobs, roots)};
    if (status != BackendStatus::OK) throw std::runtime_error{status == BackendStatus::BUSY ? "the device was busy" : "the device failed"};
}

} // namespace

/** The thread and what it shares with its dispatcher. */
class Dispatcher::Learner
{
public:
    Learner(Backends backends, std::shared_ptr<ThreadPool> pool, std::shared_ptr<const Logger> logger, std::string cache_dir)
        : m_backends{std::move(backends)}, m_pool{std::move(pool)}, m_logger{std::move(logger)}, m_cache_dir{std::move(cache_dir)}
    {
        try {
            m_thread = StartThread([this] { Learn(); });
        } catch (const std::exception&) {
            m_done = true; // the CPU does everything
        }
    }
    ~Learner()
    {
        if (!m_thread.joinable()) return;
        {
            const std::lock_guard lock{m_mutex};
            m_stop = true;
        }
        m_changed.notify_all();
        m_thread.join();
    }
    Learner(const Learner&) = delete;
    Learner& operator=(const Learner&) = delete;

    size_t DeviceShare(size_t n) const
    {
        const std::lock_guard lock{m_mutex};
        return m_model ? m_model->DeviceShare(n) : 0;
    }

    std::optional<CostModel> WaitForModel()
    {
        std::unique_lock lock{m_mutex};
        m_changed.wait(lock, [this] { return m_done; });
        return m_model;
    }

private:
    void Learn() noexcept;
    std::optional<CostModel> LoadOrCalibrate();
    bool WaitUntilReady();
    std::optional<CostModel> Calibrate();
    void LogShares(const CostModel& model) const noexcept;

    const Backends m_backends;
    const std::shared_ptr<ThreadPool> m_pool;
    const std::shared_ptr<const Logger> m_logger;
    const std::string m_cache_dir;
    mutable std::mutex m_mutex;
    std::condition_variable m_changed;
    std::optional<CostModel> m_model; //!< set once
    bool m_stop{false};
    bool m_done{false};
    std::thread m_thread;
};

bool Dispatcher::Learner::WaitUntilReady()
{
    const auto end{Clock::now() + PATIENCE};
    auto pause{std::chrono::milliseconds{10}};
    std::unique_lock lock{m_mutex};
    while (!m_stop && Clock::now() < end) {
        if (m_backends.device->IsReady()) return true;
        if (m_backends.device->IsUnusable()) return false;
        m_changed.wait_for(lock, pause, [this] { return m_stop; });
        pause = std::min(2 * pause, std::chrono::milliseconds{1'000});
    }
    return false;
}

std::optional<CostModel> Dispatcher::Learner::Calibrate()
{
    RootBackend& cpu{*m_backends.cpu};
    RootBackend& device{*m_backends.device};
    const SampleJobs sample{SIZES.back()};
    std::vector<Root> expected(SIZES.back());
    std::vector<Root> roots(SIZES.back());
    std::vector<CostModel::Sample> samples;
    for (const size_t n : SIZES) {
        {
            const std::lock_guard lock{m_mutex};
            if (m_stop) return std::nullopt;
        }
        const auto jobs{sample.Jobs().first(n)};
        CostModel::Sample s{.n = n, .cpu_ns = 0, .device_ns = 0};
        s.cpu_ns = Shortest([&] { ComputeOnCpu(cpu, *m_pool, jobs, std::span{expected}.first(n)); });
        s.device_ns = Shortest([&] { ComputeOnDevice(device, jobs, std::span{roots}.first(n)); });
        if (!std::equal(expected.begin(), expected.begin() + n, roots.begin())) {
            device.Retire();
            throw std::runtime_error{"its roots are not the CPU's"};
        }
        samples.push_back(s);
        if (std::chrono::nanoseconds{std::max(s.cpu_ns, s.device_ns)} > LONG_ENOUGH) break;
    }

    // Whether both together are faster can only be tried: a device may use the same cores or the same memory.
    const size_t n{samples.back().n};
    CostModel model{std::move(samples), false};
    const size_t share{model.SplitShare(n)};
    if (share > 0 && share < n) {
        const double together{static_cast<double>(Shortest([&] {
            auto on_device{StartTask([&] { ComputeOnDevice(device, sample.Jobs().first(share), std::span{roots}.first(share)); })};
            ComputeOnCpu(cpu, *m_pool, sample.Jobs().subspan(share, n - share), std::span{roots}.subspan(share, n - share));
            on_device.get();
        }))};
        model.AllowSplit(together < CostModel::WORTHWHILE * std::min(model.CpuTime(n), model.DeviceTime(n)));
    }
    return model;
}

std::optional<CostModel> Dispatcher::Learner::LoadOrCalibrate()
{
    const std::string device{m_backends.device->Identity()};
    const std::string path{m_cache_dir + "/dispatch"};
    const std::string key{"dispatch 1\n" + std::string{m_backends.cpu->Name()} + "\n" + std::to_string(m_pool->Threads()) + "\n" + device};
    if (!m_cache_dir.empty()) {
        if (const auto text{ReadCacheFile(path, key)}) {
            if (auto model{CostModel::Parse({reinterpret_cast<const char*>(text->data()), text->size()})}) return model;
        }
    }
    std::optional<CostModel> model{Calibrate()};
    if (model && !m_cache_dir.empty()) {
        const std::string text{model->Serialize()};
        (void)WriteCacheFile(path, key, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
    }
    return model;
}

void Dispatcher::Learner::LogShares(const CostModel& model) const noexcept
{
    m_logger->Log(LogLevel::INFO, [&] {
        std::string message{std::string{m_backends.device->Name()} + " gets"};
        for (const size_t n : {size_t{8}, size_t{64}, size_t{508}, size_t{4096}}) message += " " + std::to_string(model.DeviceShare(n)) + " of " + std::to_string(n) + ",";
        message.back() = ' ';
        return message + "signatures";
    });
}

void Dispatcher::Learner::Learn() noexcept
{
    std::optional<CostModel> model;
    try {
        if (WaitUntilReady()) model = LoadOrCalibrate();
    } catch (const std::exception& e) {
        m_logger->Log(LogLevel::WARNING, [&] { return std::string{m_backends.device->Name()} + " is given no work: " + e.what() + " while it was measured"; });
    }
    if (model) LogShares(*model);
    {
        const std::lock_guard lock{m_mutex};
        m_model = std::move(model);
        m_done = true;
    }
    m_changed.notify_all();
}

Dispatcher::Dispatcher(Backends backends, std::shared_ptr<ThreadPool> pool, std::shared_ptr<const Logger> logger, std::string cache_dir)
    : m_pid{getpid()}, m_learner{std::make_unique<Learner>(std::move(backends), std::move(pool), std::move(logger), std::move(cache_dir))}
{
}

Dispatcher::~Dispatcher()
{
    // As in ThreadPool: in a forked child there is no thread to join, and a condition variable that it waited on cannot be
    // destroyed without waiting for it.
    if (getpid() != m_pid) (void)m_learner.release();
}

size_t Dispatcher::DeviceShare(size_t n) const { return m_learner->DeviceShare(n); }

std::optional<CostModel> Dispatcher::WaitForModel() { return m_learner->WaitForModel(); }

Verifier::DeviceShare MakeDeviceShare(const Backends& backends, std::shared_ptr<ThreadPool> pool, std::shared_ptr<const Logger> logger, const std::string& cache_dir)
{
    if (!backends.device || backends.device_only) return {};
    auto dispatcher{std::make_shared<Dispatcher>(backends, std::move(pool), std::move(logger), cache_dir)};
    return [dispatcher](size_t n) { return dispatcher->DeviceShare(n); };
}

} // namespace slhc::slhdsa
