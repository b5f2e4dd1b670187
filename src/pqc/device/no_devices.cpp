// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/device/devices.h>

/** In the place of devices.cpp, where devices are not offered. */
namespace slhc::slhdsa {
namespace {

constexpr std::string_view WHY_NOT{"devices need Linux"};

} // namespace

std::vector<DeviceDescription> ListDeviceBackends(const DeviceOptions&, std::string& error, bool& is_fault)
{
    error = WHY_NOT;
    is_fault = false;
    return {};
}

std::vector<std::shared_ptr<RootDevice>> OpenDeviceBackends(std::string_view, const DeviceOptions&, std::string& error)
{
    error = std::string{VULKAN}.append(": ").append(WHY_NOT);
    return {};
}

} // namespace slhc::slhdsa
