// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/vulkan/backend.h>

#include <pqc/cpu/dispatch.h>
#include <pqc/sample_jobs.h>
#include <pqc/vulkan/devices.h>
#include <util/thread.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <system_error>
#include <vector>

#include <unistd.h>

namespace slhc::slhdsa::vulkan {

namespace {

/** How many there are; a device is asked some of them more than once. */
constexpr size_t KNOWN_ANSWERS{17};

/** Alone and together, as workgroups are laid out differently then. */
bool PassesKnownAnswers(DeviceVerifier& verifier, std::string& fault)
{
    const SampleJobs sample{KNOWN_ANSWERS};
    std::array<Root, KNOWN_ANSWERS> known;
    // Scalar code on the stack: it has no way to fail.
    (void)CreatePortableEngine()->ComputeRoots(sample.Jobs(), known);
    for (const size_t n : {size_t{1}, std::max(KNOWN_ANSWERS, verifier.FullLayout())}) {
        std::vector<RootJob> jobs;
        for (size_t i = 0; i < n; ++i) jobs.push_back(sample.Jobs()[i % KNOWN_ANSWERS]);
        std::vector<Root> roots(n);
        const LinkStatus status{verifier.Compute(jobs, roots)};
        if (status != LinkStatus::OK) {
            fault = LinkStatusName(status);
            return false;
        }
        for (size_t i = 0; i < n; ++i) {
            if (roots[i] != known[i % KNOWN_ANSWERS]) {
                fault = "known answers came out wrong";
                return false;
            }
        }
    }
    return true;
}

} // namespace

VulkanBackend::VulkanBackend(std::string name, OpenLink open, Options options)
    : m_shared{std::make_shared<Shared>()}, m_pid{getpid()}
{
    m_shared->name = std::move(name);
    m_shared->options = std::move(options);
    m_shared->open = std::move(open);
    try {
        m_opener = StartThread([shared = m_shared] { Open(*shared); });
    } catch (const std::system_error&) {
        m_shared->state = State::UNUSABLE;
        m_shared->options.logger->Log(LogLevel::WARNING, m_shared->name + ": no thread to open the device in");
    }
}

VulkanBackend::~VulkanBackend()
{
    if (InOtherProcess()) {
        // The thread does not exist here, and what the driver knows belongs to the parent.
        if (m_opener.joinable()) m_opener.detach();
        if (m_shared->verifier) m_shared->verifier->Abandon();
        return;
    }
    if (!m_opener.joinable()) return;
    {
        std::unique_lock lock{m_shared->mutex};
        if (!m_shared->opened.wait_for(lock, m_shared->options.close_limit, [this] { return m_shared->state != State::OPENING; })) {
            m_shared->left_alone = true;
            m_shared->options.logger->Log(LogLevel::WARNING, m_shared->name + ": its driver does not come back and is left alone");
            m_opener.detach();
            return;
        }
    }
    m_opener.join();
}

bool VulkanBackend::InOtherProcess() const noexcept
{
    return getpid() != m_pid;
}

void VulkanBackend::Open(Shared& shared)
{
    const auto start{std::chrono::steady_clock::now()};
    std::unique_ptr<DeviceVerifier> verifier;
    std::string message;
    std::string about;
    LogLevel level{LogLevel::WARNING};
    try {
        std::unique_ptr<DeviceLink> link{shared.open(about)};
        if (!link) {
            message = about;
            level = LogLevel::INFO;
        } else {
            verifier = std::make_unique<DeviceVerifier>(std::move(link), shared.options.first_limits);
            if (std::string fault; PassesKnownAnswers(*verifier, fault)) {
                verifier->SetLimits(shared.options.limits);
                message = about + ": ready";
                level = LogLevel::INFO;
            } else {
                verifier.reset();
                message = about + " is not used: " + fault;
            }
        }
    } catch (const std::exception& e) {
        verifier.reset();
        message = std::string{"not used: "} + e.what();
    }
    const auto took{std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start)};
    {
        const std::lock_guard lock{shared.mutex};
        // Whom the log belongs to may be gone with the backend.
        if (shared.left_alone) return;
        shared.options.logger->Log(level, shared.name + ": " + message + " (" + std::to_string(took.count()) + " ms)");
        shared.verifier = std::move(verifier);
        shared.about = std::move(about);
        State opening{State::OPENING};
        shared.state.compare_exchange_strong(opening, shared.verifier ? State::READY : State::UNUSABLE);
    }
    shared.opened.notify_all();
}

bool VulkanBackend::IsReady() const noexcept
{
    return m_shared->state == State::READY && !m_busy && !InOtherProcess();
}

std::string VulkanBackend::Identity() const
{
    const std::lock_guard lock{m_shared->mutex};
    return m_shared->name + " " + m_shared->about;
}

bool VulkanBackend::WaitUntilOpened()
{
    std::unique_lock lock{m_shared->mutex};
    m_shared->opened.wait(lock, [this] { return m_shared->state != State::OPENING; });
    return m_shared->state == State::READY;
}

BackendStatus VulkanBackend::ComputeRoots(std::span<const RootJob> jobs, std::span<Root> roots)
{
    if (jobs.empty()) return BackendStatus::OK;
    if (InOtherProcess()) return BackendStatus::FAILED;
    const std::lock_guard lock{m_shared->mutex};
    if (m_shared->state != State::READY) return BackendStatus::FAILED;
    m_busy = true;
    LinkStatus status{LinkStatus::ERROR};
    try {
        status = m_shared->verifier->Compute(jobs, roots);
    } catch (...) {
        m_shared->state = State::UNUSABLE;
        m_busy = false;
        throw;
    }
    // In this order, so that a device which failed never seems ready in between.
    if (status != LinkStatus::OK) m_shared->state = State::UNUSABLE;
    m_busy = false;
    if (status == LinkStatus::OK) return BackendStatus::OK;
    m_shared->options.logger->Log(LogLevel::WARNING, m_shared->name + ": " + std::string{LinkStatusName(status)} + " after a call for " + std::to_string(jobs.size()) + " signatures");
    return BackendStatus::FAILED;
}

std::shared_ptr<RootBackend> OpenVulkanBackend(std::string_view device, const DeviceOptions& options, std::string& error)
{
    if (!HasLoader()) {
        error = "vulkan: this machine has no Vulkan loader (libvulkan.so.1)";
        return nullptr;
    }
    std::string name{"vulkan"};
    std::string which{device};
    if (device != "auto") {
        DeviceDescription found;
        if (!FindDevice(device, found, error)) return nullptr;
        which = std::to_string(found.index);
        name += ":" + which;
    }
    const auto open{[which, cache_dir = options.cache_dir](std::string& about) {
        DeviceDescription opened;
        std::string reason;
        std::unique_ptr<DeviceLink> link{OpenDevice(which, {.cache_dir = cache_dir, .capacity = 0, .as_gpu = false, .on_validation_message = {}}, opened, reason)};
        about = link ? opened.name + " (" + opened.type + ", " + opened.driver + ")" : reason;
        return link;
    }};
    return std::make_shared<VulkanBackend>(name, open, VulkanBackend::Options{.logger = options.logger, .limits = {}});
}

std::vector<std::string> ListVulkanDevices()
{
    std::string error;
    std::vector<std::string> lines;
    for (const DeviceDescription& device : ListDevices(error)) {
        lines.push_back(std::to_string(device.index) + ": " + device.name + " (" + device.type + ", " + device.driver + ")");
    }
    return lines;
}

} // namespace slhc::slhdsa::vulkan
