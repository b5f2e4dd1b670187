// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_VULKAN_BACKEND_H
#define SLHCONSENSUS_PQC_VULKAN_BACKEND_H

#include <pqc/backend.h>
#include <pqc/backends.h>
#include <pqc/vulkan/verifier.h>
#include <util/log.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace slhc::slhdsa::vulkan {

/** A device behind the backend interface. It is opened in a thread of its own, and passes known answers there
 *  before it is ready; until then, while another call is at work, and after its first fault it says that it is not
 *  ready, and the CPU does the work. */
class VulkanBackend final : public RootBackend
{
public:
    /** Opens the device; called once, in the backend's thread.
     *  @param[out] about  what was opened, or why nothing is returned: one line */
    using OpenLink = std::function<std::unique_ptr<DeviceLink>(std::string& about)>;

    struct Options {
        std::shared_ptr<const Logger> logger; //!< never null
        TimeLimits limits;                    //!< for the work of batches
        TimeLimits first_limits{.fixed = std::chrono::milliseconds{60'000}}; //!< for known answers, while drivers still compile
        std::chrono::milliseconds close_limit{10'000}; //!< how long the destructor waits for a device that still opens
    };

    VulkanBackend(std::string name, OpenLink open, Options options);
    /** Waits for what the device is doing, but in a forked child. A driver that does not come back from opening is left
     *  alone after the limit, with its thread; it logs nothing any more. */
    ~VulkanBackend() override;
    VulkanBackend(const VulkanBackend&) = delete;
    VulkanBackend& operator=(const VulkanBackend&) = delete;

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

private:
    enum class State { OPENING, READY, UNUSABLE };

    /** What the thread that opens the device uses: it may outlive the backend. */
    struct Shared {
        std::string name;
        Options options;
        OpenLink open;
        std::atomic<State> state{State::OPENING};
        std::mutex mutex;                         //!< guards what follows; the verifier serves one call at a time
        std::condition_variable opened;           //!< the state is OPENING no more
        bool left_alone{false};                   //!< the backend is gone
        std::unique_ptr<DeviceVerifier> verifier;
        std::string about;                        //!< what was opened
    };

    static void Open(Shared& shared);
    bool InOtherProcess() const noexcept;

    const std::shared_ptr<Shared> m_shared;
    const long m_pid; //!< a device does not come across a fork
    std::atomic<bool> m_busy{false};
    std::thread m_opener;
};

/** See DeviceFamily. The device may also be part of a name, or "auto". */
[[nodiscard]] std::shared_ptr<RootBackend> OpenVulkanBackend(std::string_view device, const DeviceOptions& options, std::string& error);
[[nodiscard]] std::vector<std::string> ListVulkanDevices();

} // namespace slhc::slhdsa::vulkan

#endif // SLHCONSENSUS_PQC_VULKAN_BACKEND_H
