// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/vulkan/backend.h>

#include <pqc/cpu/dispatch.h>
#include <pqc/sample_jobs.h>
#include <pqc/vulkan/devices.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <system_error>

#include <unistd.h>

namespace slhc::slhdsa::vulkan {

namespace {

/** One more than any workgroup takes. */
constexpr size_t KNOWN_ANSWERS{17};

} // namespace

VulkanBackend::VulkanBackend(std::string name, OpenLink open, Options options)
    : m_name{std::move(name)}, m_options{std::move(options)}, m_pid{getpid()}, m_open{std::move(open)}
{
    try {
        m_opener = std::thread{[this] { Open(); }};
    } catch (const std::system_error&) {
        m_state = State::UNUSABLE;
        m_options.logger->Log(LogLevel::WARNING, m_name + ": no thread to open the device in");
    }
}

VulkanBackend::~VulkanBackend()
{
    if (InOtherProcess()) {
        // The thread does not exist here, and what the driver knows belongs to the parent.
        if (m_opener.joinable()) m_opener.detach();
        if (m_verifier) m_verifier->Abandon();
        return;
    }
    if (m_opener.joinable()) m_opener.join();
}

bool VulkanBackend::InOtherProcess() const noexcept
{
    return getpid() != m_pid;
}

bool VulkanBackend::PassesKnownAnswers(DeviceVerifier& verifier, std::string& fault)
{
    const SampleJobs sample{KNOWN_ANSWERS};
    std::array<Root, KNOWN_ANSWERS> known;
    std::array<Root, KNOWN_ANSWERS> roots;
    // Scalar code on the stack: it has no way to fail.
    (void)CreatePortableEngine()->ComputeRoots(sample.Jobs(), known);
    // Alone and together: a workgroup may be laid out differently.
    for (const size_t n : {size_t{1}, KNOWN_ANSWERS}) {
        roots.fill({});
        const LinkStatus status{verifier.Compute(sample.Jobs().first(n), std::span{roots}.first(n))};
        if (status != LinkStatus::OK) {
            fault = LinkStatusName(status);
            return false;
        }
        if (!std::equal(roots.begin(), roots.begin() + n, known.begin())) {
            fault = "known answers came out wrong";
            return false;
        }
    }
    return true;
}

void VulkanBackend::Open()
{
    const auto start{std::chrono::steady_clock::now()};
    std::unique_ptr<DeviceVerifier> verifier;
    std::string message;
    std::string about;
    LogLevel level{LogLevel::WARNING};
    try {
        std::unique_ptr<DeviceLink> link{m_open(about)};
        if (!link) {
            message = about;
            level = LogLevel::INFO;
        } else {
            verifier = std::make_unique<DeviceVerifier>(std::move(link), m_options.first_limits);
            if (std::string fault; PassesKnownAnswers(*verifier, fault)) {
                verifier->SetLimits(m_options.limits);
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
    m_options.logger->Log(level, m_name + ": " + message + " (" + std::to_string(took.count()) + " ms)");
    {
        const std::lock_guard lock{m_mutex};
        m_verifier = std::move(verifier);
        m_about = std::move(about);
        m_state = m_verifier ? State::READY : State::UNUSABLE;
    }
    m_opened.notify_all();
}

bool VulkanBackend::IsReady() const noexcept
{
    return m_state == State::READY && !m_busy && !InOtherProcess();
}

std::string VulkanBackend::Identity() const
{
    const std::lock_guard lock{m_mutex};
    return m_name + " " + m_about;
}

bool VulkanBackend::WaitUntilOpened()
{
    std::unique_lock lock{m_mutex};
    m_opened.wait(lock, [this] { return m_state != State::OPENING; });
    return m_state == State::READY;
}

BackendStatus VulkanBackend::ComputeRoots(std::span<const RootJob> jobs, std::span<Root> roots)
{
    if (jobs.empty()) return BackendStatus::OK;
    if (InOtherProcess()) return BackendStatus::FAILED;
    const std::lock_guard lock{m_mutex};
    if (m_state != State::READY) return BackendStatus::FAILED;
    m_busy = true;
    LinkStatus status{LinkStatus::ERROR};
    try {
        status = m_verifier->Compute(jobs, roots);
    } catch (...) {
        m_state = State::UNUSABLE;
        m_busy = false;
        throw;
    }
    m_busy = false;
    if (status == LinkStatus::OK) return BackendStatus::OK;
    m_state = State::UNUSABLE;
    m_options.logger->Log(LogLevel::WARNING, m_name + ": " + std::string{LinkStatusName(status)} + " after a call for " + std::to_string(jobs.size()) + " signatures");
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
        std::unique_ptr<DeviceLink> link{OpenDevice(which, {.cache_dir = cache_dir, .capacity = 0, .on_validation_message = {}}, opened, reason)};
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
