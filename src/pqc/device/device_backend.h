// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_DEVICE_DEVICE_BACKEND_H
#define SLHCONSENSUS_PQC_DEVICE_DEVICE_BACKEND_H

#include <pqc/backend.h>
#include <pqc/device/device_link.h>
#include <pqc/device/root_computer.h>
#include <util/descriptor.h>
#include <util/log.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace slhc::slhdsa {

/** A device behind the backend interface. Its own thread opens it, checks known answers and times it before it is ready. Until it is ready,
 *  and while it serves another call, it takes no work, and the CPU does it. After a fault in a call the same thread opens it again, a few
 *  times. */
class DeviceBackend final : public RootDevice
{
public:
    /** Opens the device; called in the backend's thread.
     *  @param[in]  stop   requested when the backend is destroyed: then returns soon
     *  @param[out] about  the device that was opened, or why null is returned: one line */
    using OpenLink = std::function<std::unique_ptr<DeviceLink>(const std::stop_token& stop, std::string& about)>;

    struct Options {
        std::shared_ptr<const Logger> logger; //!< never null
        std::shared_ptr<ThreadPool> pool{};   //!< fills what is uploaded, together with the caller; null: the caller alone
        /** The least time before a device counts as hung; above it, the limit is SLACK times what its pace says, see TimeLimits. */
        std::chrono::milliseconds least_limit{50};
        std::chrono::milliseconds least_limit_on_cpu{250};  //!< its threads wait for their turn on the cores
        std::chrono::milliseconds opening_limit{OPENING_LIMIT};
        bool opens_at_once{true};                           //!< false: Open() begins it
        int reopenings{3};                                  //!< how often it is opened again after a fault in a call
    };

    /** The factor by which a device may take longer than measured. */
    static constexpr int SLACK{10};

    DeviceBackend(std::string name, OpenLink open, Options options);
    /** Ends the device, whatever it is doing. */
    ~DeviceBackend() override;
    DeviceBackend(const DeviceBackend&) = delete;
    DeviceBackend& operator=(const DeviceBackend&) = delete;

    std::string_view Name() const noexcept override { return m_name; }
    DeviceState State() const noexcept override;
    DriverProcess Process() const override;
    /** The device is released as soon as no call uses it, and never opened again. */
    bool Retire() noexcept override;
    void Open() noexcept override;
    /** Meanwhile the device goes on with the sets that it has. One that it cannot be made ready for, or whose preparation the process does
     *  not outlive, is not tried again. */
    SetState PrepareSet(ParameterSet set) noexcept override;
    std::optional<Pace> MeasuredPace() const noexcept override;
    BackendStatus ComputeRoots(std::span<const RootJob> jobs, std::span<Root> roots) override;

    /** Wait until the device is ready or never will be. @pre it opens, or has been opened; no call uses it
     *  @return whether it is ready */
    bool WaitUntilOpened();

    /** Wait until it is ready for a set or never will be.
     *  @pre WaitUntilOpened(); no call uses the device, and it is being made ready for no other set
     *  @return whether it is ready */
    bool WaitUntilPrepared(ParameterSet set);

    /** Counts of its work for callers, since it was opened. @pre the device is ready */
    [[nodiscard]] RootCounts Counts() const noexcept { return m_computer->Counts(); }

    /** The time limit of a call. @pre the device is ready */
    [[nodiscard]] const TimeLimits& Limits() const noexcept { return m_limits; }

private:
    static constexpr std::array<SetState, PARAMETER_SETS.size()> ALL_TO_PREPARE{[] {
        std::array<SetState, PARAMETER_SETS.size()> sets{};
        sets.fill(SetState::PREPARING);
        return sets;
    }()};

    /** What comes of making the device ready for a set. */
    enum class SetOutcome {
        READY,
        UNSUPPORTED, //!< it goes on with the others
        LOST,        //!< its process must be given up; the next one is not asked for the set again
        WRONG,
    };

    void Run() noexcept;
    bool OpenAndExamine() noexcept;
    /** A set that the device is being made ready for. */
    struct Preparation {
        ParameterSet set;
        bool started{false}; //!< the device knows
        std::chrono::steady_clock::time_point start, end;

        [[nodiscard]] std::chrono::nanoseconds Left() const noexcept;
    };

    SetState PrepareLocked(ParameterSet set) noexcept;
    void Examine(std::unique_lock<std::mutex>& lock) noexcept;
    SetOutcome ExamineSet(const Preparation& preparation) noexcept;
    void Watch(std::unique_lock<std::mutex>& lock) noexcept;
    bool EndCall(std::string_view why, size_t n) noexcept;
    bool LoseLocked() noexcept;
    void WakeLocked() noexcept;
    void Say(LogLevel level, std::string_view about, std::string_view message, std::chrono::steady_clock::time_point start) const;

    const std::string m_name;
    const OpenLink m_open;
    const Options m_options;
    LearnedPace m_pace; //!< measured with known answers, then corrected by calls

    // Of the thread while it opens or examines, of the call that is BUSY, else of nobody.
    std::shared_ptr<DeviceLink> m_link;
    std::optional<RootComputer> m_computer;
    TimeLimits m_limits{};

    mutable std::mutex m_mutex; //!< guards what follows; never held during a computation
    std::condition_variable m_changed;
    DeviceState m_state{DeviceState::WAITING}; //!< OPENING: the thread does that; BUSY: in the call of ComputeRoots() that has set it
    std::optional<Preparation> m_preparing;    //!< beside calls for other sets
    std::array<SetState, PARAMETER_SETS.size()> m_sets{ALL_TO_PREPARE}; //!< by their places in the list
    bool m_retired{false};                     //!< at once, whatever the thread or a call still does
    int m_reopenings_left;
    DriverProcess m_process;

    Descriptor m_wakes; //!< the thread: it waits for this, or the end of the process
    std::stop_source m_stop;
    std::thread m_thread;
};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_DEVICE_DEVICE_BACKEND_H
