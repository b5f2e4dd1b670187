// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/device/devices.h>

#include <pqc/device/device_backend.h>
#include <pqc/device/process_link.h>

#include <algorithm>
#include <utility>

namespace slhc::slhdsa {

namespace {

ProcessOptions OptionsFor(const DeviceOptions& options)
{
    return {.program = options.program, .cache_dir = options.cache_dir, .listing_limit = options.listing_limit};
}

std::shared_ptr<RootDevice> MakeBackend(std::string name, std::string which, const DeviceOptions& options)
{
    const auto open{[which = std::move(which), process_options = OptionsFor(options)](const std::stop_token& stop, std::string& about) {
        std::unique_ptr<DeviceLink> link;
        try {
            DeviceDescription opened;
            link = OpenDevice(which, process_options, stop, opened);
            about = Describe(opened);
        } catch (const NoDevices& e) {
            about = e.what(); // which is no fault
        }
        return link;
    }};
    // Loading drivers takes longer than verifying one signature: a device that nobody named is opened by a batch.
    const bool is_named{name != VULKAN};
    return std::make_shared<DeviceBackend>(
        std::move(name), open, DeviceBackend::Options{.logger = options.logger, .pool = options.pool, .opens_at_once = is_named});
}

} // namespace

std::vector<DeviceDescription> ListDeviceBackends(const DeviceOptions& options, std::string& error, bool& is_fault)
{
    error.clear();
    is_fault = false;
    try {
        return ListDevices(OptionsFor(options));
    } catch (const DeviceError& e) {
        error = e.what();
        is_fault = !dynamic_cast<const NoDevices*>(&e);
    }
    return {};
}

std::vector<std::shared_ptr<RootDevice>> OpenDeviceBackends(std::string_view which, const DeviceOptions& options, std::string& error)
{
    std::vector<std::shared_ptr<RootDevice>> backends;
    try {
        if (which == "auto") {
            (void)FindDeviceProgram(options.program);
            return {MakeBackend(std::string{VULKAN}, "auto", options)};
        }
        std::vector<DeviceDescription> devices{ListDevices(OptionsFor(options))};
        if (which == "all") {
            const auto is_cpu{[](const DeviceDescription& device) { return device.type == "cpu"; }};
            if (!std::ranges::all_of(devices, is_cpu)) std::erase_if(devices, is_cpu);
        } else {
            devices = {ChooseDevice(devices, which)};
        }
        for (const DeviceDescription& device : devices) {
            const std::string index{std::to_string(device.index)};
            backends.push_back(MakeBackend(std::string{VULKAN} + ":" + index, index, options));
        }
    } catch (const DeviceError& e) {
        error = std::string{VULKAN} + ": " + e.what();
    }
    return backends;
}

} // namespace slhc::slhdsa
