// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/device/device_backend.h>

#include <pqc/cpu/engines.h>
#include <pqc/sample_jobs.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace slhc::slhdsa {

namespace {

using Clock = std::chrono::steady_clock;

/** Their number; a device is asked some of them more than once. */
constexpr size_t KNOWN_ANSWERS{17};

constexpr std::string_view NOT_NEEDED{"no longer needed"};

/** The examination that a device must pass before it gets any work. */
class Examination
{
public:
    /** @param[in] is_needed  false to stop, with NOT_NEEDED as the fault */
    Examination(RootComputer& verifier, ParameterSet set, std::function<bool()> is_needed)
        : m_verifier{verifier}, m_set{set}, m_is_needed{std::move(is_needed)}
    {
        // Scalar code on the stack: it has no way to fail.
        (void)CreatePortableEngine()->ComputeRoots(m_sample.Jobs(), m_known);
    }

    /** Known answers, alone and together, as workgroups are laid out differently then. @return what is wrong, if anything */
    std::string_view FindFault()
    {
        for (const size_t n : {size_t{1}, std::max(KNOWN_ANSWERS, m_verifier.FullLayout(m_set))}) {
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
        if (!m_is_needed()) return NOT_NEEDED;
        std::vector<RootJob> jobs;
        for (size_t i = 0; i < n; ++i) jobs.push_back(m_sample.Jobs()[i % KNOWN_ANSWERS]);
        std::vector<Root> roots(n);
        const LinkStatus status{m_verifier.Compute(jobs, roots)};
        if (status != LinkStatus::OK) return LinkStatusName(status);
        for (size_t i = 0; i < n; ++i) {
            if (roots[i] != m_known[i % KNOWN_ANSWERS]) return "its known answers are wrong";
        }
        return {};
    }

    RootComputer& m_verifier;
    const ParameterSet m_set;
    const std::function<bool()> m_is_needed;
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

/** Has the device for itself as long as it lives, if nobody else has it. */
class DeviceBackend::Claim
{
public:
    explicit Claim(Shared& shared) : m_shared{shared}, m_claimed{!shared.busy.exchange(true)} {}
    ~Claim()
    {
        if (m_claimed) Free(m_shared);
    }
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    explicit operator bool() const { return m_claimed; }

private:
    Shared& m_shared;
    const bool m_claimed;
};

DeviceBackend::DeviceBackend(std::string name, OpenLink open, Options options) : m_pool{std::exchange(options.pool, nullptr)}
{
    m_shared->name = std::move(name);
    m_shared->options = std::move(options);
    m_shared->open = std::move(open);
    if (m_shared->options.opens_at_once) Open();
}

void DeviceBackend::Open() noexcept
{
    if (m_asked_to_open.exchange(true)) return;
    try {
        m_thread = AbandonableThread{[shared = m_shared] { Run(*shared); }};
    } catch (const std::exception&) {
        {
            const std::lock_guard lock{m_shared->mutex};
            m_shared->state = State::UNUSABLE;
        }
        m_shared->changed.notify_all();
        m_shared->options.logger->Log(LogLevel::WARNING, [&] { return m_shared->name + ": no thread to open the device in"; });
    }
}

DeviceBackend::~DeviceBackend()
{
    if (!m_thread.IsStarted()) return;
    {
        const std::lock_guard lock{m_shared->mutex};
        m_shared->closing = true;
        if (m_shared->link) m_shared->link->Close();
    }
    const Options& options{m_shared->options};
    const bool compiles{m_shared->state == State::OPENING ||
                        std::ranges::any_of(m_shared->sets, [](const auto& state) { return state == SetState::ASKED; })};
    if (m_thread.EndsWithin(compiles ? options.opening_close_limit : options.close_limit)) {
        m_thread.Join();
        return;
    }
    const std::lock_guard lock{m_shared->mutex};
    m_shared->left_alone = true;
    options.logger->Log(LogLevel::WARNING, [&] { return m_shared->name + ": its driver does not return and is abandoned"; });
    m_thread.Abandon();
}

void DeviceBackend::Retire() noexcept
{
    m_shared->state = State::UNUSABLE;
    CloseIfUnused(*m_shared);
}

/** Let the thread of a device that is no longer used release it, unless a call has it: that call does the same at its end. */
void DeviceBackend::CloseIfUnused(Shared& shared) noexcept
{
    if (shared.busy.exchange(true)) return;
    {
        const std::lock_guard lock{shared.mutex};
        if (shared.link) shared.link->Close();
    }
    shared.busy = false;
}

/** End a claim. */
void DeviceBackend::Free(Shared& shared) noexcept
{
    shared.busy = false;
    // Retire() could not while the device was claimed.
    if (shared.state == State::UNUSABLE) CloseIfUnused(shared);
}

void DeviceBackend::Say(Shared& shared, LogLevel level, std::string_view about, std::string_view message, Clock::time_point start)
{
    const auto took{std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start)};
    const std::lock_guard lock{shared.mutex};
    // The backend may be destroyed already, and the owner of the log callback with it.
    if (shared.left_alone) return;
    shared.options.logger->Log(level, [&] {
        return shared.name + ": " + std::string{about} + std::string{message} + " (" + std::to_string(took.count()) + " ms)";
    });
}

/** True unless the backend waits for the thread to end. */
bool DeviceBackend::IsNeeded(Shared& shared)
{
    const std::lock_guard lock{shared.mutex};
    return !shared.closing;
}

void DeviceBackend::Run(Shared& shared) noexcept
{
    OpenLinkOf(shared);
    std::shared_ptr<RemoteLink> link;
    {
        const std::lock_guard lock{shared.mutex};
        if ((shared.closing || shared.state == State::UNUSABLE) && shared.link) shared.link->Close();
        link = shared.link;
    }
    shared.changed.notify_all();
    if (link) link->Serve();
}

void DeviceBackend::OpenLinkOf(Shared& shared) noexcept
{
    const auto start{Clock::now()};
    const auto say{[&](LogLevel level, std::string_view about, std::string_view message) {
        Say(shared, level, about, message, start);
    }};
    const auto is_needed{[&shared] { return IsNeeded(shared); }};
    try {
        std::string about;
        if (!is_needed()) {
            say(LogLevel::INFO, {}, NOT_NEEDED);
        } else if (std::shared_ptr<DeviceLink> link{shared.open(about)}) {
            std::string_view fault;
            TimeLimits limits{.least = link->OnCpu() ? shared.options.least_limit_on_cpu : shared.options.least_limit};
            constexpr ParameterSet SET{ParameterSet::SHA2_128S};
            {
                RootComputer verifier{link, {.least = shared.options.opening_limit}};
                Examination examination{verifier, SET, is_needed};
                const size_t full{verifier.FullLayout(SET)};
                fault = examination.FindFault();
                const std::chrono::nanoseconds one{examination.Time(1, fault)}, round{examination.Time(full, fault)};
                if (fault.empty()) {
                    limits.round = SLACK * round;
                    shared.pace.Measured(PaceFrom(one, full, round));
                }
            }
            if (fault.empty()) {
                shared.sets[IndexOf(SET)] = SetState::READY;
                auto remote{std::make_shared<RemoteLink>(std::move(link))};
                shared.verifier.emplace(remote, limits);
                shared.limits = limits;
                {
                    const std::lock_guard lock{shared.mutex};
                    shared.link = std::move(remote);
                }
                say(LogLevel::INFO, about, ": ready");
            } else if (fault == NOT_NEEDED) {
                say(LogLevel::INFO, about + ": ", NOT_NEEDED);
            } else {
                link->ForgetCache(); // which may be what is wrong
                say(LogLevel::WARNING, about + " is not used: ", fault);
            }
        } else {
            say(LogLevel::INFO, about, {});
        }
    } catch (const std::exception& e) {
        say(LogLevel::WARNING, "not used: ", e.what());
    }
    State opening{State::OPENING};
    shared.state.compare_exchange_strong(opening, shared.link ? State::READY : State::UNUSABLE);
}

/** Make a device that is claimed ready for another set; its thread does, and ends the claim. */
void DeviceBackend::ExamineSet(Shared& shared, const std::shared_ptr<DeviceLink>& link, ParameterSet set) noexcept
{
    const auto start{Clock::now()};
    bool ready{false};
    try {
        std::string_view fault;
        if (!IsNeeded(shared)) {
            fault = NOT_NEEDED;
        } else if (const LinkStatus status{link->Prepare(set)}; status != LinkStatus::OK) {
            fault = LinkStatusName(status);
        } else {
            RootComputer verifier{link, {.least = shared.options.opening_limit}};
            fault = Examination{verifier, set, [&shared] { return IsNeeded(shared); }}.FindFault();
        }
        ready = fault.empty();
        if (ready || fault == NOT_NEEDED) {
            Say(shared, LogLevel::INFO, ParameterSetName(set), ready ? ": ready" : ": no longer needed", start);
        } else {
            link->ForgetCache();
            Say(shared, LogLevel::WARNING, std::string{ParameterSetName(set)} + ": not used any more: ", fault, start);
        }
    } catch (const std::exception& e) {
        Say(shared, LogLevel::WARNING, "not used any more: ", e.what(), start);
    }
    {
        const std::lock_guard lock{shared.mutex};
        if (ready) {
            shared.sets[IndexOf(set)] = SetState::READY;
        } else {
            shared.state = State::UNUSABLE;
        }
    }
    Free(shared);
    shared.changed.notify_all();
}

bool DeviceBackend::Supports(ParameterSet set) const noexcept
{
    std::atomic<SetState>& state{m_shared->sets[IndexOf(set)]};
    if (state == SetState::READY) return true;
    if (m_shared->state != State::READY || state != SetState::UNKNOWN || m_shared->busy.exchange(true)) return false;
    state = SetState::ASKED;
    try {
        m_shared->link->Do([shared = m_shared.get(), set](const std::shared_ptr<DeviceLink>& link) { ExamineSet(*shared, link, set); });
    } catch (const std::bad_alloc&) {
        state = SetState::UNKNOWN;
        Free(*m_shared);
    }
    return false;
}

bool DeviceBackend::WaitUntilSupported(ParameterSet set)
{
    if (Supports(set)) return true;
    std::unique_lock lock{m_shared->mutex};
    const auto& state{m_shared->sets[IndexOf(set)]};
    m_shared->changed.wait(lock, [&] { return state == SetState::READY || m_shared->state == State::UNUSABLE; });
    return state == SetState::READY && m_shared->state == State::READY;
}

bool DeviceBackend::IsReady() const noexcept { return m_shared->state == State::READY && !m_shared->busy; }

std::optional<Pace> DeviceBackend::MeasuredPace() const noexcept
{
    if (m_shared->state != State::READY) return std::nullopt;
    return m_shared->pace.Get();
}

bool DeviceBackend::WaitUntilOpened()
{
    std::unique_lock lock{m_shared->mutex};
    m_shared->changed.wait(lock, [this] { return m_shared->state != State::OPENING; });
    return m_shared->state == State::READY;
}

BackendStatus DeviceBackend::ComputeRoots(std::span<const RootJob> jobs, std::span<Root> roots)
{
    if (jobs.empty()) return BackendStatus::OK;
    const Claim claim{*m_shared};
    if (!claim || m_shared->state == State::OPENING) return BackendStatus::BUSY;
    if (m_shared->state == State::UNUSABLE) return BackendStatus::FAILED;
    if (m_shared->sets[IndexOf(jobs.front().set)] != SetState::READY) return BackendStatus::BUSY;
    LinkStatus status{LinkStatus::ERROR};
    const auto begin{Clock::now()};
    try {
        status = m_shared->verifier->Compute(jobs, roots, m_pool.get());
    } catch (...) {
        m_shared->state = State::UNUSABLE;
        throw;
    }
    if (status == LinkStatus::INTERRUPTED) return BackendStatus::BUSY;
    if (status == LinkStatus::OK) {
        m_shared->pace.Learn(jobs.size() * ParamsOf(jobs.front().set).VerifyCompressions(), Clock::now() - begin);
        return BackendStatus::OK;
    }
    // Before it counts as idle, so that it never seems ready in between.
    m_shared->state = State::UNUSABLE;
    m_shared->options.logger->Log(LogLevel::WARNING, [&] {
        return m_shared->name + ": " + std::string{LinkStatusName(status)} + " after a call for " + std::to_string(jobs.size()) +
               " signatures";
    });
    return BackendStatus::FAILED;
}

} // namespace slhc::slhdsa
