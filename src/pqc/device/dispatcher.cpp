// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/device/dispatcher.h>

#include <crypto/cpu_features.h>
#include <pqc/device/cache_file.h>
#include <pqc/sample_jobs.h>
#include <util/thread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>

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

/** What a file holds. */
struct Calibration {
    std::chrono::sys_seconds measured;
    CostModel model;

    [[nodiscard]] std::string Serialize() const
    {
        return std::string{HEAD} + std::to_string(measured.time_since_epoch().count()) + "\n" + model.Serialize();
    }

    [[nodiscard]] static std::optional<Calibration> Parse(std::string_view text)
    {
        const size_t end{text.find('\n')};
        if (!text.starts_with(HEAD) || end == std::string_view::npos) return std::nullopt;
        std::chrono::sys_seconds::rep seconds{0};
        const auto [stop, code]{std::from_chars(text.data() + HEAD.size(), text.data() + end, seconds)};
        auto model{CostModel::Parse(text.substr(end + 1))};
        if (code != std::errc{} || stop != text.data() + end || seconds < 0 || !model) return std::nullopt;
        return Calibration{std::chrono::sys_seconds{std::chrono::seconds{seconds}}, std::move(*model)};
    }

private:
    static constexpr std::string_view HEAD{"measured "};
};

void ComputeOnCpu(RootBackend& cpu, ThreadPool& pool, std::span<const RootJob> jobs, std::span<Root> roots)
{
    const std::vector<Chunk> chunks{CutChunks(jobs.size(), pool.Threads(), cpu.PreferredJobs())};
    const bool done{pool.Run(chunks.size(), [&](size_t i_chunk) {
        const auto [begin, size]{chunks[i_chunk]};
        if (cpu.ComputeRoots(jobs.subspan(begin, size), roots.subspan(begin, size)) != BackendStatus::OK) {
            throw std::runtime_error{"the CPU engine failed"};
        }
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
    Learner(Backends backends, std::shared_ptr<ThreadPool> pool, std::shared_ptr<const Logger> logger, std::string cache_dir, Today today)
        : m_backends{std::move(backends)}
        , m_pool{std::move(pool)}
        , m_logger{std::move(logger)}
        , m_cache_dir{std::move(cache_dir)}
        , m_today{today}
    {
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
        if (!m_observed || m_cache_dir.empty()) return;
        try {
            // Where a file may not grow, the caller's thread would be sent SIGXFSZ; ours block it.
            StartThread([this] { Save(*m_calibration); }).join();
        } catch (const std::exception&) {
        }
    }
    Learner(const Learner&) = delete;
    Learner& operator=(const Learner&) = delete;

    size_t DeviceShare(size_t n)
    {
        if (n >= BATCH_TO_OPEN_FOR) Start();
        const std::lock_guard lock{m_mutex};
        if (!m_calibration) return 0;
        const CostModel& model{m_calibration->model};
        const size_t share{model.DeviceShare(n)};
        if ((share != 0 && share != n) || ++m_one_sided < BATCHES_FOR_A_TRIAL) return share;
        const size_t trial{model.TrialShare(n)};
        if (trial != share) m_one_sided = 0; // else this batch cannot be one, and the next one is due
        return trial;
    }

    void Observe(CostModel::Side side, size_t n, std::chrono::nanoseconds time)
    {
        const std::lock_guard lock{m_mutex};
        if (!m_calibration) return;
        m_calibration->model.Observe(side, n, static_cast<uint64_t>(std::max<int64_t>(time.count(), 1)));
        m_observed = true;
    }

    std::optional<CostModel> WaitForModel()
    {
        Start();
        std::unique_lock lock{m_mutex};
        m_changed.wait(lock, [this] { return m_done; });
        return m_calibration ? std::optional{m_calibration->model} : std::nullopt;
    }

private:
    void Start() noexcept;
    void Learn() noexcept;
    std::optional<Calibration> LoadOrCalibrate();
    std::string Path() const { return m_cache_dir + "/dispatch"; }
    void Save(const Calibration& calibration) const noexcept;
    bool WaitUntilReady();
    std::optional<CostModel> Calibrate();
    void LogShares(const CostModel& model) const noexcept;

    const Backends m_backends;
    const std::shared_ptr<ThreadPool> m_pool;
    const std::shared_ptr<const Logger> m_logger;
    const std::string m_cache_dir;
    const Today m_today;
    mutable std::mutex m_mutex;
    std::condition_variable m_changed;
    std::string m_key; //!< of the file: what the calibration holds for
    std::optional<Calibration> m_calibration;
    size_t m_one_sided{0};  //!< batches that went to one side alone since the last trial
    bool m_observed{false}; //!< the model is not what the file has
    bool m_stop{false};
    bool m_done{false};
    std::atomic<bool> m_asked_to_start{false};
    std::thread m_thread;
};

void Dispatcher::Learner::Start() noexcept
{
    if (m_asked_to_start.exchange(true)) return;
    m_backends.devices.front()->Open();
    try {
        m_thread = StartThread([this] { Learn(); });
    } catch (const std::exception&) {
        {
            const std::lock_guard lock{m_mutex};
            m_done = true; // the CPU does everything
        }
        m_changed.notify_all();
    }
}

bool Dispatcher::Learner::WaitUntilReady()
{
    const auto end{Clock::now() + PATIENCE};
    auto pause{std::chrono::milliseconds{10}};
    std::unique_lock lock{m_mutex};
    while (!m_stop && Clock::now() < end) {
        if (m_backends.devices.front()->IsReady()) return true;
        if (m_backends.devices.front()->IsUnusable()) return false;
        m_changed.wait_for(lock, pause, [this] { return m_stop; });
        pause = std::min(2 * pause, std::chrono::milliseconds{1'000});
    }
    return false;
}

std::optional<CostModel> Dispatcher::Learner::Calibrate()
{
    RootBackend& cpu{*m_backends.cpu};
    RootBackend& device{*m_backends.devices.front()};
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
            throw std::runtime_error{"its roots differ from the CPU's"};
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

std::optional<Calibration> Dispatcher::Learner::LoadOrCalibrate()
{
    m_key = "dispatch 2\n" + cpu::ProcessorName() + "\n" + std::string{m_backends.cpu->Name()} + "\n" + std::to_string(m_pool->Threads()) +
            "\n" + m_backends.devices.front()->Identity();
    const std::chrono::sys_seconds now{m_today()};
    if (!m_cache_dir.empty()) {
        if (const auto text{ReadCacheFile(Path(), m_key)}) {
            auto known{Calibration::Parse({reinterpret_cast<const char*>(text->data()), text->size()})};
            if (known && known->measured <= now && now - known->measured <= MAX_AGE) return known;
        }
    }
    auto model{Calibrate()};
    if (!model) return std::nullopt;
    const Calibration measured{now, std::move(*model)};
    Save(measured);
    return measured;
}

/** Whatever goes wrong, the next process measures again. */
void Dispatcher::Learner::Save(const Calibration& calibration) const noexcept
{
    if (m_cache_dir.empty()) return;
    try {
        const std::string text{calibration.Serialize()};
        (void)WriteCacheFile(Path(), m_key, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
    } catch (const std::exception&) {
    }
}

void Dispatcher::Learner::LogShares(const CostModel& model) const noexcept
{
    m_logger->Log(LogLevel::INFO, [&] {
        std::string message{std::string{m_backends.devices.front()->Name()} + " gets"};
        for (const size_t n : {CostModel::LEAST_TELLING, size_t{64}, size_t{508}, size_t{4096}}) {
            message += " " + std::to_string(model.DeviceShare(n)) + " of " + std::to_string(n) + ",";
        }
        message.back() = ' ';
        return message + "signatures";
    });
}

void Dispatcher::Learner::Learn() noexcept
{
    std::optional<Calibration> calibration;
    try {
        if (WaitUntilReady()) calibration = LoadOrCalibrate();
    } catch (const std::exception& e) {
        m_logger->Log(LogLevel::WARNING, [&] {
            return std::string{m_backends.devices.front()->Name()} + " gets no work: " + e.what() + " while it was measured";
        });
    }
    if (calibration) LogShares(calibration->model);
    {
        const std::lock_guard lock{m_mutex};
        m_calibration = std::move(calibration);
        m_done = true;
    }
    m_changed.notify_all();
}

Dispatcher::Dispatcher(Backends backends, std::shared_ptr<ThreadPool> pool, std::shared_ptr<const Logger> logger, std::string cache_dir,
                       Today today)
    : m_learner{std::make_unique<Learner>(std::move(backends), std::move(pool), std::move(logger), std::move(cache_dir), today)}
{
}

Dispatcher::~Dispatcher() = default;

std::chrono::sys_seconds Dispatcher::SystemTime() { return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()); }

size_t Dispatcher::DeviceShare(size_t n) { return m_learner->DeviceShare(n); }

void Dispatcher::Observe(CostModel::Side side, size_t n, std::chrono::nanoseconds time) { m_learner->Observe(side, n, time); }

std::optional<CostModel> Dispatcher::WaitForModel() { return m_learner->WaitForModel(); }

Sharing MakeSharing(const Backends& backends, std::shared_ptr<ThreadPool> pool, std::shared_ptr<const Logger> logger,
                    const std::string& cache_dir)
{
    if (backends.devices.empty() || backends.device_only) return {};
    auto dispatcher{std::make_shared<Dispatcher>(backends, std::move(pool), std::move(logger), cache_dir)};
    return {.device_share = [dispatcher](size_t n) { return dispatcher->DeviceShare(n); },
            .observer = [dispatcher](CostModel::Side side, size_t n,
                                     std::chrono::nanoseconds time) { dispatcher->Observe(side, n, time); }};
}

} // namespace slhc::slhdsa
