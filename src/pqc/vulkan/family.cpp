// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/vulkan/family.h>

#include <pqc/device/device_backend.h>
#include <pqc/vulkan/open.h>
#include <util/thread.h>

namespace slhc::slhdsa::vulkan {
namespace {

constexpr std::string_view NO_ANSWER{"a driver does not return from listing its devices"};

} // namespace

std::shared_ptr<RootBackend> OpenVulkanBackend(std::string_view device, const DeviceOptions& options, std::string& error)
{
    if (!HasLoader(error)) return nullptr;
    std::string name{"vulkan"};
    std::string which{device};
    if (device != "auto") {
        // In a thread that can be left alone, as everything that calls a driver.
        struct Answer {
            bool found{false};
            DeviceDescription description;
            std::string error;
        };
        const auto answer{RunWithin(options.listing_limit, [which] {
            Answer a;
            a.found = FindDevice(which, a.description, a.error);
            return a;
        })};
        if (!answer || !answer->found) {
            error = answer ? answer->error : "vulkan: " + std::string{NO_ANSWER};
            return nullptr;
        }
        which = std::to_string(answer->description.index);
        name += ":" + which;
    }
    const auto open{[which, cache_dir = options.cache_dir](std::string& about) {
        DeviceDescription opened;
        std::string reason;
        std::unique_ptr<DeviceLink> link{
            OpenDevice(which, {.cache_dir = cache_dir, .capacity = 0, .as_gpu = false, .on_validation_message = {}}, opened, reason)};
        about = link ? opened.name + " (" + opened.type + ", " + opened.driver + ")" : reason;
        return link;
    }};
    return std::make_shared<DeviceBackend>(name, open, DeviceBackend::Options{.logger = options.logger, .pool = options.pool});
}

std::vector<std::string> ListVulkanDevices(std::chrono::milliseconds limit, std::string& fault)
{
    fault.clear();
    const auto devices{RunWithin(limit, [] {
        std::string error;
        return ListDevices(error);
    })};
    if (!devices) {
        fault = NO_ANSWER;
        return {};
    }
    std::vector<std::string> lines;
    for (const DeviceDescription& device : *devices) {
        lines.push_back(std::to_string(device.index) + ": " + device.name + " (" + device.type + ", " + device.driver + ")");
    }
    return lines;
}

} // namespace slhc::slhdsa::vulkan
