// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/device/device_backend.h>

#include <pqc/cpu/engines.h>
#include <pqc/sample_jobs.h>
#include <util/counted.h>
#include <util/thread.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>
#include <vector>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace slhc::slhdsa {

namespace {

using Clock = std::chrono::steady_clock;

/** Their number; a device is asked some of them more than once. */
constexpr size_t KNOWN_ANSWERS{17};

constexpr std::string_view NOT_NEEDED{"no longer needed"}, WRONG{"its known answers are wrong"};

/** The examination that a device must pass before it gets any work. */
class Examination
{
public:
    /** @param[in] end   of all of it
     *  @param[in] stop  if requested, the fault is NOT_NEEDED */
    Examination(std::shared_ptr<DeviceLink> link, ParameterSet set, Clock::time_point end, std::stop_token stop)
        : m_link{std::move(link)}, m_set{set}, m_end{end}, m_stop{std::move(stop)}
    {
        const auto start{Clock::now()};
        // Scalar code on the stack: it has no way to fail.
        (void)CreatePortableEngine()->ComputeRoots(m_sample.Jobs(), m_known);
        m_scalar = Clock::now() - start;
    }

    /** What the scalar code takes for a compression. */
    double ScalarNs() const
    {
        return static_cast<double>(m_scalar.count()) / static_cast<double>(KNOWN_ANSWERS * ParamsOf(m_set).VerifyCompressions());
    }

    /** Known answers, alone and together, as workgroups are laid out differently then. @return what is wrong, if anything */
    std::string_view FindFault()
    {
        for (const size_t n : {size_t{1}, std::max(KNOWN_ANSWERS, m_link->FullLayout(m_set))}) {
            if (const std::string_view fault{Ask(n)}; !fault.empty()) return fault;
        }
        return {};
    }

    /** The shortest time of n of them, out of three: drivers may still compile the first time.
     *  @param[in,out] fault  empty, or what went wrong */
    std::chrono::nanoseconds Time(size_t n, std::string_view& fault)
    {
        std::chrono::nanoseconds shortest{std::chrono::nanoseconds::max()};
        for (int i = 0; i < 3 && fault.empty(); ++i) {
            const auto start{Clock::now()};
            fault = Ask(n);
            shortest = std::min<std::chrono::nanoseconds>(shortest, Clock::now() - start);
        }
        return shortest;
    }

private:
    std::string_view Ask(size_t n)
    {
        if (m_stop.stop_requested()) return NOT_NEEDED;
        std::vector<RootJob> jobs;
        for (size_t i = 0; i < n; ++i) jobs.push_back(m_sample.Jobs()[i % KNOWN_ANSWERS]);
        std::vector<Root> roots(n);
        const auto left{std::max<std::chrono::nanoseconds>(m_end - Clock::now(), std::chrono::nanoseconds{1})};
        const LinkStatus status{RootComputer{m_link, {.least = left}}.Compute(jobs, roots)};
        if (status == LinkStatus::INTERRUPTED) return NOT_NEEDED;
        if (status != LinkStatus::OK) return LinkStatusName(status);
        for (size_t i = 0; i < n; ++i) {
            if (roots[i] != m_known[i % KNOWN_ANSWERS]) return WRONG;
        }
        return {};
    }

    const std::shared_ptr<DeviceLink> m_link;
    const ParameterSet m_set;
    const Clock::time_point m_end;
    std::chrono::nanoseconds m_scalar;
    const std::stop_token m_stop;
    const SampleJobs m_sample{KNOWN_ANSWERS, m_set};
    std::array<Root, KNOWN_ANSWERS> m_known;
};

/** The pace that follows from the times of one signature of 128s and of n. */
Pace PaceFrom(std::chrono::nanoseconds one, size_t n, std::chrono::nanoseconds all)
{
    const double first{static_cast<double>(one.count())}, total{static_cast<double>(all.count())};
    // On a large GPU many signatures take hardly longer than one, and the difference is lost in noise.
    const double each{std::max({total - first, total / 8, 1.0}) / static_cast<double>(n)};
    return {.call_ns = std::max(first - each, 0.0), .each_ns = each / static_cast<double>(PARAMS_128S.VerifyCompressions())};
}

} // namespace

DeviceBackend::DeviceBackend(std::string name, OpenLink open, Options options)
    : m_name{std::move(name)}, m_open{std::move(open)}, m_options{std::move(options)}, m_reopenings_left{m_options.reopenings}
{
    if (m_options.opens_at_once) Open();
}

DeviceBackend::~DeviceBackend()
{
    {
        const std::lock_guard lock{m_mutex};
        m_stop.request_stop();
        WakeLocked();
    }
    if (m_thread.joinable()) m_thread.join();
}

void DeviceBackend::Open() noexcept
{
    {
        const std::lock_guard lock{m_mutex};
        if (m_state != DeviceState::WAITING) return;
        m_state = DeviceState::OPENING;
        m_wakes = Descriptor{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    }
    try {
        if (!m_wakes) throw std::system_error{errno, std::generic_category()};
        m_thread = StartThread([this] { Run(); });
    } catch (const std::exception&) {
        {
            const std::lock_guard lock{m_mutex};
            m_state = DeviceState::RETIRED;
            m_changed.notify_all();
        }
        m_options.logger->Log(LogLevel::WARNING, [&] { return m_name + ": no thread to open the device in"; });
    }
}

DeviceState DeviceBackend::State() const noexcept
{
    const std::lock_guard lock{m_mutex};
    return m_retired ? DeviceState::RETIRED : m_state;
}

DriverProcess DeviceBackend::Process() const
{
    const std::lock_guard lock{m_mutex};
    return m_process;
}

bool DeviceBackend::Retire() noexcept
{
    const std::lock_guard lock{m_mutex};
    const bool first{!std::exchange(m_retired, true)};
    // Otherwise the thread, or the call that uses it, does this at its end.
    if (m_state == DeviceState::READY || m_state == DeviceState::WAITING) m_state = DeviceState::RETIRED;
    WakeLocked();
    return first;
}

void DeviceBackend::Say(LogLevel level, std::string_view about, std::string_view message, Clock::time_point start) const
{
    m_options.logger->Log(level, [&] {
        const auto took{std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start)};
        return m_name + ": " + std::string{about} + std::string{message} + " (" + std::to_string(took.count()) + " ms)";
    });
}

void DeviceBackend::Run() noexcept
{
    std::unique_lock lock{m_mutex};
    while (m_state != DeviceState::RETIRED && !m_stop.stop_requested()) {
        if (m_state == DeviceState::OPENING) {
            const std::optional<Preparation> lost{std::exchange(m_preparing, std::nullopt)};
            for (SetState& set : m_sets) {
                if (set == SetState::READY) set = SetState::PREPARING;
            }
            // The process may have been lost because of it.
            if (lost && lost->started) m_sets[IndexOf(lost->set)] = SetState::UNUSABLE;
            lock.unlock();
            if (lost && lost->started) Say(LogLevel::WARNING, ParameterSetName(lost->set), ": not used: the process was lost", lost->start);
            const bool opened{OpenAndExamine()};
            lock.lock();
            if (opened) m_sets[IndexOf(ParameterSet::SHA2_128S)] = SetState::READY;
            m_state = opened && !m_retired ? DeviceState::READY : DeviceState::RETIRED;
            m_changed.notify_all();
        } else if (m_preparing && !m_preparing->started) {
            m_preparing->started = true;
            // What goes wrong here is seen as a process that has ended.
            (void)m_link->StartPreparing(m_preparing->set);
        } else {
            Watch(lock);
        }
    }
    m_process.id = 0;
    lock.unlock();
    m_computer.reset();
    m_link.reset();
}

/** Tell the thread, and whoever waits for a state. */
void DeviceBackend::WakeLocked() noexcept
{
    m_changed.notify_all();
    if (m_wakes) (void)eventfd_write(m_wakes.Get(), 1);
}

/** Wait until there is something to do. A process that ends without a call is opened again, too. */
void DeviceBackend::Watch(std::unique_lock<std::mutex>& lock) noexcept
{
    // What a call waits for is not for this thread, which the end of the call wakes.
    const auto awaits_answer{[this] { return m_preparing && m_preparing->started && m_state == DeviceState::READY; }};
    const bool awaits{awaits_answer()};
    const bool is_answered{awaits && m_link->IsAnswered()};
    const auto descriptor{[](int fd) { return pollfd{.fd = fd, .events = POLLIN, .revents = 0}; }};
    std::array<pollfd, 3> ends{descriptor(m_wakes.Get()), descriptor(m_link->ProcessDescriptor()),
                               descriptor(awaits ? m_link->AnswerDescriptor() : -1)};
    const auto left{[&] { return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(m_preparing->Left()).count()); }};
    const int limit{is_answered ? 0 : awaits ? left() : -1};
    lock.unlock();
    (void)poll(ends.data(), ends.size(), limit);
    eventfd_t wakes;
    (void)eventfd_read(m_wakes.Get(), &wakes);
    lock.lock();
    if (ends[1].revents != 0) {
        // A call finds it out for itself, unless it has all its roots.
        m_changed.wait(lock, [this] { return m_state != DeviceState::BUSY; });
        if (m_state != DeviceState::READY || m_stop.stop_requested()) return;
        const bool again{LoseLocked()};
        lock.unlock();
        m_options.logger->Log(LogLevel::WARNING, [&] {
            return m_name + ": its process has ended between calls; the device is " + (again ? "opened again" : "retired");
        });
        lock.lock();
    } else if (awaits_answer()) {
        // What there was to read may have been for a call meanwhile.
        pollfd answer{descriptor(m_link->AnswerDescriptor())};
        const bool is_late{m_preparing->Left() == std::chrono::nanoseconds::zero()};
        if (!is_late && !m_link->IsAnswered() && poll(&answer, 1, 0) <= 0) return;
        Examine(lock);
    } else {
        return;
    }
    m_changed.notify_all();
}

/** End the preparation of a set. */
void DeviceBackend::Examine(std::unique_lock<std::mutex>& lock) noexcept
{
    const Preparation preparation{*m_preparing};
    m_state = DeviceState::OPENING;
    lock.unlock();
    const SetOutcome outcome{ExamineSet(preparation)};
    lock.lock();
    m_preparing.reset();
    m_sets[IndexOf(preparation.set)] = outcome == SetOutcome::READY ? SetState::READY : SetState::UNUSABLE;
    if (m_retired || outcome == SetOutcome::WRONG) {
        m_state = DeviceState::RETIRED;
    } else if (outcome == SetOutcome::LOST) {
        (void)LoseLocked();
    } else {
        m_state = DeviceState::READY;
    }
}

/** @return whether the device is right */
bool DeviceBackend::OpenAndExamine() noexcept
{
    const auto start{Clock::now()};
    m_computer.reset();
    m_link.reset();
    const std::stop_token stop{m_stop.get_token()};
    try {
        std::string about;
        std::shared_ptr<DeviceLink> link;
        if (!stop.stop_requested()) link = m_open(stop, about);
        if (stop.stop_requested()) {
            Say(LogLevel::INFO, {}, NOT_NEEDED, start);
            return false;
        }
        if (!link) {
            Say(LogLevel::INFO, about, {}, start);
            return false;
        }
        std::string_view fault;
        TimeLimits limits{.least = link->OnCpu() ? m_options.least_limit_on_cpu : m_options.least_limit};
        constexpr ParameterSet SET{ParameterSet::SHA2_128S};
        {
            Examination examination{link, SET, start + m_options.opening_limit, stop};
            const size_t full{link->FullLayout(SET)};
            fault = examination.FindFault();
            const std::chrono::nanoseconds one{examination.Time(1, fault)}, round{examination.Time(full, fault)};
            if (fault.empty()) {
                const Pace pace{PaceFrom(one, full, round)};
                limits.allowed = {.call_ns = SLACK * pace.call_ns, .each_ns = SLACK * pace.each_ns};
                limits.cpu_ns = examination.ScalarNs();
                m_pace.Measured(pace);
            }
        }
        if (fault.empty()) {
            m_computer.emplace(link, limits);
            m_limits = limits;
            m_link = std::move(link);
            DriverProcess process{m_link->Process()};
            {
                const std::lock_guard lock{m_mutex};
                m_process = std::move(process);
            }
            Say(LogLevel::INFO, about, ": ready", start);
            return true;
        }
        if (fault == NOT_NEEDED) {
            Say(LogLevel::INFO, about + ": ", NOT_NEEDED, start);
        } else {
            link->ForgetCache(); // which may be what is wrong
            Say(LogLevel::WARNING, about + " is not used: ", fault, start);
        }
    } catch (const std::exception& e) {
        if (stop.stop_requested()) {
            Say(LogLevel::INFO, {}, NOT_NEEDED, start);
        } else {
            Say(LogLevel::WARNING, "not used: ", e.what(), start);
        }
    }
    return false;
}

DeviceBackend::SetOutcome DeviceBackend::ExamineSet(const Preparation& preparation) noexcept
{
    const std::string_view name{ParameterSetName(preparation.set)};
    SetOutcome outcome{SetOutcome::LOST};
    try {
        const LinkStatus status{m_link->Prepare(preparation.set, preparation.Left())};
        std::string_view fault;
        if (status == LinkStatus::OK) {
            fault = Examination{m_link, preparation.set, preparation.end, m_stop.get_token()}.FindFault();
        } else {
            fault = status == LinkStatus::INTERRUPTED ? NOT_NEEDED : LinkStatusName(status);
        }
        if (fault.empty() || fault == NOT_NEEDED) {
            Say(LogLevel::INFO, name, fault.empty() ? ": ready" : ": no longer needed", preparation.start);
            return fault.empty() ? SetOutcome::READY : SetOutcome::LOST;
        }
        if (status == LinkStatus::UNSUPPORTED) outcome = SetOutcome::UNSUPPORTED;
        if (fault == WRONG) outcome = SetOutcome::WRONG;
        if (outcome == SetOutcome::WRONG) m_link->ForgetCache();
        const char* const says{outcome == SetOutcome::WRONG ? ": not used any more: " : ": not used: "};
        Say(LogLevel::WARNING, std::string{name} + says, fault, preparation.start);
    } catch (const std::exception& e) {
        Say(LogLevel::WARNING, name, std::string{": not used: "} + e.what(), preparation.start);
    }
    return outcome;
}

std::chrono::nanoseconds DeviceBackend::Preparation::Left() const noexcept
{
    return std::max<std::chrono::nanoseconds>(end - Clock::now(), std::chrono::nanoseconds::zero());
}

SetState DeviceBackend::PrepareLocked(ParameterSet set) noexcept
{
    if (m_retired || m_state == DeviceState::RETIRED) return SetState::UNUSABLE;
    const bool is_opened{m_state == DeviceState::READY || m_state == DeviceState::BUSY};
    if (m_sets[IndexOf(set)] == SetState::PREPARING && is_opened && !m_preparing) {
        const auto now{Clock::now()};
        m_preparing = {.set = set, .start = now, .end = now + m_options.opening_limit};
        WakeLocked();
    }
    return m_sets[IndexOf(set)];
}

SetState DeviceBackend::PrepareSet(ParameterSet set) noexcept
{
    const std::lock_guard lock{m_mutex};
    return PrepareLocked(set);
}

bool DeviceBackend::WaitUntilPrepared(ParameterSet set)
{
    std::unique_lock lock{m_mutex};
    m_changed.wait(lock, [&] { return PrepareLocked(set) != SetState::PREPARING && m_state != DeviceState::OPENING; });
    return m_sets[IndexOf(set)] == SetState::READY && m_state == DeviceState::READY;
}

std::optional<Pace> DeviceBackend::MeasuredPace() const noexcept
{
    const DeviceState state{State()};
    if (state != DeviceState::READY && state != DeviceState::BUSY) return std::nullopt;
    return m_pace.Get();
}

bool DeviceBackend::WaitUntilOpened()
{
    std::unique_lock lock{m_mutex};
    m_changed.wait(lock, [this] { return m_state == DeviceState::READY || m_state == DeviceState::RETIRED; });
    return m_state == DeviceState::READY;
}

/** Give up the process. @return whether the device is opened again */
bool DeviceBackend::LoseLocked() noexcept
{
    const bool again{!m_retired && m_reopenings_left > 0};
    if (again) --m_reopenings_left;
    m_process.id = 0;
    m_state = again ? DeviceState::OPENING : DeviceState::RETIRED;
    return again;
}

/** End a call.
 *  @param[in] why  the fault, empty if there was none; NOT_NEEDED: the device is, and ends without a word
 *  @param[in] n    signatures
 *  @return whether the device is opened again */
bool DeviceBackend::EndCall(std::string_view why, size_t n) noexcept
{
    const bool is_fault{!why.empty() && why != NOT_NEEDED};
    bool again{false};
    {
        const std::lock_guard lock{m_mutex};
        if (is_fault) {
            again = LoseLocked();
        } else {
            m_state = m_retired || why == NOT_NEEDED ? DeviceState::RETIRED : DeviceState::READY;
        }
        if (m_state == DeviceState::READY && !m_preparing) {
            m_changed.notify_all();
        } else {
            WakeLocked(); // the thread has something to do
        }
    }
    if (is_fault) {
        m_options.logger->Log(LogLevel::WARNING, [&] {
            return m_name + ": " + std::string{why} + " after a call for " + Counted(static_cast<int64_t>(n), "signature") +
                   (again ? "; the CPU repeats its work, and the device is opened again" : "");
        });
    }
    return again;
}

BackendStatus DeviceBackend::ComputeRoots(std::span<const RootJob> jobs, std::span<Root> roots)
{
    if (jobs.empty()) return BackendStatus::OK;
    {
        const std::lock_guard lock{m_mutex};
        if (m_state == DeviceState::RETIRED) return BackendStatus::FAILED;
        if (m_state != DeviceState::READY || m_sets[IndexOf(jobs.front().set)] != SetState::READY) return BackendStatus::BUSY;
        m_state = DeviceState::BUSY;
    }
    LinkStatus status{LinkStatus::ERROR};
    const auto begin{Clock::now()};
    try {
        status = m_computer->Compute(jobs, roots, m_options.pool.get());
    } catch (...) {
        if (EndCall("an exception", jobs.size())) return BackendStatus::REOPENS;
        throw;
    }
    const bool is_right{status == LinkStatus::OK}, interrupted{status == LinkStatus::INTERRUPTED};
    const std::string_view why{is_right ? std::string_view{} : interrupted ? NOT_NEEDED : LinkStatusName(status)};
    if (is_right) m_pace.Learn(jobs.size() * ParamsOf(jobs.front().set).VerifyCompressions(), Clock::now() - begin);
    if (EndCall(why, jobs.size())) return BackendStatus::REOPENS;
    return is_right ? BackendStatus::OK : interrupted ? BackendStatus::BUSY : BackendStatus::FAILED;
}

} // namespace slhc::slhdsa
