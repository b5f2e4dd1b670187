// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/vulkan/family.h>

#include <pqc/device/device_backend.h>
#include <pqc/vulkan/open.h>
#include <util/abandonable_thread.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>

namespace slhc::slhdsa::vulkan {
namespace {

constexpr std::string_view NO_ANSWER{"a driver does not return from listing its devices"};
constexpr std::string_view NO_THREAD{"no thread to ask the drivers in"};

struct Answer {
    std::vector<DeviceDescription> devices;
    std::string error; //!< if there is none
};

/** Ask in a thread that can be abandoned, like everything that calls a driver.
 *  @param[out] fault  why nothing is returned, if so */
template <typename Ask>
auto AskDrivers(std::chrono::milliseconds limit, Ask ask, std::string& fault) -> std::optional<std::invoke_result_t<Ask>>
{
    try {
        auto answer{RunWithin(limit, std::move(ask))};
        if (!answer) fault = NO_ANSWER;
        return answer;
    } catch (const std::system_error&) {
        fault = NO_THREAD;
        return std::nullopt;
    }
}

/** The device of that name, or all of them: not those that are CPUs, unless there is nothing else. */
Answer Find(const std::string& which)
{
    Answer answer;
    if (which == "all") {
        answer.devices = ListDevices(answer.error);
        const auto is_cpu{[](const DeviceDescription& device) { return device.type == "cpu"; }};
        if (!std::ranges::all_of(answer.devices, is_cpu)) std::erase_if(answer.devices, is_cpu);
    } else if (DeviceDescription found; FindDevice(which, found, answer.error)) {
        answer.devices.push_back(std::move(found));
    }
    return answer;
}

/** @param[in] which  see OpenDevice */
std::shared_ptr<RootBackend> Open(const std::string& name, const std::string& which, const DeviceOptions& options)
{
    const auto open{[which, cache_dir = options.cache_dir](std::string& about) {
        DeviceDescription opened;
        std::string reason;
        std::unique_ptr<DeviceLink> link{
            OpenDevice(which, {.cache_dir = cache_dir, .capacity = 0, .as_gpu = false, .on_validation_message = {}}, opened, reason)};
        about = link ? opened.name + " (" + opened.type + ", " + opened.driver + ")" : reason;
        return link;
    }};
    // Loading drivers takes longer than verifying one signature: a device that nobody named is opened by a batch.
    return std::make_shared<DeviceBackend>(
        name, open, DeviceBackend::Options{.logger = options.logger, .pool = options.pool, .opens_at_once = which != "auto"});
}

} // namespace

std::vector<std::shared_ptr<RootBackend>> OpenVulkanBackends(std::string_view device, const DeviceOptions& options, std::string& error)
{
    if (!HasLoader(error)) return {};
    if (device == "auto") return {Open("vulkan", "auto", options)};
    std::string fault;
    const auto answer{AskDrivers(options.listing_limit, [which = std::string{device}] { return Find(which); }, fault)};
    if (!answer || answer->devices.empty()) {
        error = answer ? answer->error : "vulkan: " + fault;
        return {};
    }
    std::vector<std::shared_ptr<RootBackend>> backends;
    for (const DeviceDescription& found : answer->devices) {
        const std::string index{std::to_string(found.index)};
        backends.push_back(Open("vulkan:" + index, index, options));
    }
    return backends;
}

std::vector<std::string> ListVulkanDevices(std::chrono::milliseconds limit, std::string& fault)
{
    fault.clear();
    const auto list{[] {
        Answer answer;
        bool is_fault{false};
        answer.devices = ListDevices(answer.error, &is_fault);
        if (!is_fault) answer.error.clear(); // no error where there is no device
        return answer;
    }};
    const auto answer{AskDrivers(limit, list, fault)};
    if (!answer) return {};
    constexpr std::string_view NAME{"vulkan: "}; // which the caller knows
    fault = answer->error.starts_with(NAME) ? answer->error.substr(NAME.size()) : answer->error;
    std::vector<std::string> lines;
    for (const DeviceDescription& device : answer->devices) {
        lines.push_back(std::to_string(device.index) + ": " + device.name + " (" + device.type + ", " + device.driver + ")");
    }
    return lines;
}

} // namespace slhc::slhdsa::vulkan
