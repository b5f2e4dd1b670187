// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_DEVICE_DEVICE_BACKEND_H
#define SLHCONSENSUS_PQC_DEVICE_DEVICE_BACKEND_H

#include <pqc/backend.h>
#include <pqc/device/remote_link.h>
#include <pqc/device/root_computer.h>
#include <util/log.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace slhc::slhdsa {

/** A device behind the backend interface. It has a thread of its own, the only one that calls its driver: there it is
 *  opened, passes known answers and is timed before it is ready, and there its driver is told what to compute. Until it
 *  is ready, while another call is at work, and after its first fault it takes no work, and the CPU does it. */
class DeviceBackend final : public RootBackend
{
public:
    /** Opens the device; called once, in the backend's thread.
     *  @param[out] about  what was opened, or why nothing is returned: one line */
    using OpenLink = std::function<std::unique_ptr<DeviceLink>(std::string& about)>;

    struct Options {
        std::shared_ptr<const Logger> logger; //!< never null
        /** The least that a device is waited for before it counts as hung; beyond, it is SLACK times what was measured
         *  for so many signatures. */
        std::chrono::milliseconds least_limit{50};
        std::chrono::milliseconds least_limit_on_cpu{250};  //!< its threads get the cores when their turn comes
        std::chrono::milliseconds opening_limit{60'000};    //!< for each known answer, while drivers still compile
        std::chrono::milliseconds close_limit{10'000};      //!< how long the destructor waits for the thread
    };

    /** How much longer than measured a device may take. */
    static constexpr int SLACK{10};

    DeviceBackend(std::string name, OpenLink open, Options options);
    /** Waits for what the device is doing, but in a forked child. A driver that does not come back is left alone after the
     *  limit, with its thread, which logs nothing any more. */
    ~DeviceBackend() override;
    DeviceBackend(const DeviceBackend&) = delete;
    DeviceBackend& operator=(const DeviceBackend&) = delete;

    std::string_view Name() const noexcept override { return m_shared->name; }
    size_t PreferredJobs() const noexcept override { return 512; }
    bool IsDevice() const noexcept override { return true; }
    bool IsReady() const noexcept override;
    bool IsUnusable() const noexcept override { return m_shared->state == State::UNUSABLE; }
    void Retire() noexcept override { m_shared->state = State::UNUSABLE; }
    std::string Identity() const override;
    BackendStatus ComputeRoots(std::span<const RootJob> jobs, std::span<Root> roots) override;

    /** Wait until the device is ready or never will be; whether it is. */
    bool WaitUntilOpened();

    /** How long a call may take. @pre it is ready */
    [[nodiscard]] const TimeLimits& Limits() const noexcept { return m_shared->limits; }

private:
    enum class State { OPENING, READY, UNUSABLE };

    /** What the thread uses, too: it may outlive the backend. */
    struct Shared {
        std::string name;
        Options options;
        OpenLink open;
        std::atomic<State> state{State::OPENING};

        // Written before the state is READY, and not changed after.
        std::shared_ptr<RemoteLink> link;
        TimeLimits limits{};
        std::optional<RootComputer> verifier; //!< used by the call that has set `busy`
        std::atomic<bool> busy{false};

        mutable std::mutex mutex;         //!< guards what follows; never held while anything is computed
        std::condition_variable changed;  //!< the state is OPENING no more, or the thread has ended
        std::string about;                //!< what was opened
        bool closing{false};              //!< the backend waits for the thread to end
        bool left_alone{false};           //!< the backend is gone
        bool ended{false};                //!< the thread
    };

    static void Run(Shared& shared) noexcept;
    static void Open(Shared& shared) noexcept;
    bool InOtherProcess() const noexcept;

    /** What is left as it is in a forked child. */
    struct Worker {
        std::shared_ptr<Shared> shared;
        std::thread thread; //!< not joinable: none could be started
    };

    const long m_pid; //!< a device does not come across a fork
    std::unique_ptr<Worker> m_worker;
    Shared* const m_shared;
};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_DEVICE_DEVICE_BACKEND_H
