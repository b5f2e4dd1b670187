// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_DEVICE_DEVICE_BACKEND_H
#define SLHCONSENSUS_PQC_DEVICE_DEVICE_BACKEND_H

#include <pqc/backend.h>
#include <pqc/device/remote_link.h>
#include <pqc/device/root_computer.h>
#include <util/abandonable_thread.h>
#include <util/log.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace slhc::slhdsa {

/** A device behind the backend interface. It has its own thread, the only one that calls its driver: that thread opens it, checks known
 *  answers and times it before it is ready, and then tells its driver what to compute. Until it is ready, while it serves another call, and
 *  after its first fault, it takes no work, and the CPU does it. */
class DeviceBackend final : public RootBackend
{
public:
    /** Opens the device; called once, in the backend's thread, or never if the backend is destroyed before that.
     *  @param[out] about  the device that was opened, or why null is returned: one line */
    using OpenLink = std::function<std::unique_ptr<DeviceLink>(std::string& about)>;

    struct Options {
        std::shared_ptr<const Logger> logger; //!< never null
        std::shared_ptr<ThreadPool> pool{};   //!< fills what is uploaded, together with the caller; null: the caller alone
        /** The least time before a device counts as hung; above it, the limit is SLACK times the time measured for as many signatures. */
        std::chrono::milliseconds least_limit{50};
        std::chrono::milliseconds least_limit_on_cpu{250};  //!< its threads wait for their turn on the cores
        std::chrono::milliseconds opening_limit{60'000};    //!< for each known answer, while drivers still compile
        std::chrono::milliseconds close_limit{10'000};      //!< how long the destructor waits for the thread
        std::chrono::milliseconds opening_close_limit{30'000}; //!< the same while the device opens: drivers may take that long to compile
        bool opens_at_once{true};                           //!< false: Open() begins it
    };

    /** The factor by which a device may take longer than measured. */
    static constexpr int SLACK{10};

    DeviceBackend(std::string name, OpenLink open, Options options);
    /** Waits for what the device is doing; a device that opens need not become ready. A driver that does not return is abandoned after
     *  the limit, together with its thread, which then no longer logs. */
    ~DeviceBackend() override;
    DeviceBackend(const DeviceBackend&) = delete;
    DeviceBackend& operator=(const DeviceBackend&) = delete;

    std::string_view Name() const noexcept override { return m_shared->name; }
    bool IsDevice() const noexcept override { return true; }
    bool IsReady() const noexcept override;
    bool IsUnusable() const noexcept override { return m_shared->state == State::UNUSABLE; }
    /** The driver releases the device as soon as no call uses it. */
    void Retire() noexcept override;
    void Open() noexcept override;
    /** The first question about a set makes the device ready for it, if no call uses it then; meanwhile it is not ready for any. */
    bool Supports(ParameterSet set) const noexcept override;
    std::optional<Pace> MeasuredPace() const noexcept override;
    BackendStatus ComputeRoots(std::span<const RootJob> jobs, std::span<Root> roots) override;

    /** Wait until the device is ready or never will be. @pre it opens, or has been opened
     *  @return whether it is ready */
    bool WaitUntilOpened();

    /** Wait until Supports() a set or never will.
     *  @pre WaitUntilOpened(); no call uses the device, and it is being made ready for no other set
     *  @return whether it does */
    bool WaitUntilSupported(ParameterSet set);

    /** Counts of its work for callers. @pre the device is ready */
    [[nodiscard]] RootCounts Counts() const noexcept { return m_shared->verifier->Counts(); }

    /** The time limit of a call. @pre the device is ready */
    [[nodiscard]] const TimeLimits& Limits() const noexcept { return m_shared->limits; }

private:
    enum class State { OPENING, READY, UNUSABLE };
    enum class SetState { UNKNOWN, ASKED, READY };

    /** State shared with the thread, which may outlive the backend. */
    struct Shared {
        std::string name;
        Options options;
        OpenLink open;
        std::atomic<State> state{State::OPENING};

        // Written before the state is READY, and not changed afterwards.
        std::shared_ptr<RemoteLink> link;
        TimeLimits limits{};
        std::optional<RootComputer> verifier; //!< used by the call that has set `busy`

        LearnedPace pace; //!< measured with known answers, then corrected by calls
        std::atomic<bool> busy{false};
        std::array<std::atomic<SetState>, PARAMETER_SETS.size()> sets{}; //!< by their places in the list

        mutable std::mutex mutex;         //!< guards what follows; never held during a computation
        std::condition_variable changed;  //!< the state is no longer OPENING, or that of a set is another one
        bool closing{false};              //!< the backend waits for the thread to end
        bool left_alone{false};           //!< the backend is gone
    };

    class Claim;

    static void CloseIfUnused(Shared& shared) noexcept;
    static void Run(Shared& shared) noexcept;
    static void OpenLinkOf(Shared& shared) noexcept;
    static void Say(Shared& shared, LogLevel level, std::string_view about, std::string_view message,
                    std::chrono::steady_clock::time_point start);
    static bool IsNeeded(Shared& shared);
    static void Free(Shared& shared) noexcept;
    static void ExamineSet(Shared& shared, const std::shared_ptr<DeviceLink>& link, ParameterSet set) noexcept;

    const std::shared_ptr<ThreadPool> m_pool; //!< not in Shared, since a driver that never returns would keep its threads
    const std::shared_ptr<Shared> m_shared{std::make_shared<Shared>()};
    AbandonableThread m_thread; //!< not started before Open(), and if none could be
    std::atomic<bool> m_asked_to_open{false};
};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_DEVICE_DEVICE_BACKEND_H
