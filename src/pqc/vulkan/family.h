// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_VULKAN_FAMILY_H
#define SLHCONSENSUS_PQC_VULKAN_FAMILY_H

#include <pqc/backend.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/** Vulkan's entry in the list of device families: nothing else here is called from outside but by tests. */
namespace slhc::slhdsa::vulkan {

/** See DeviceFamily. The device may also be part of a name. */
[[nodiscard]] std::vector<std::shared_ptr<RootBackend>> OpenVulkanBackends(std::string_view device, const DeviceOptions& options,
                                                                           std::string& error);
[[nodiscard]] std::vector<std::string> ListVulkanDevices(std::chrono::milliseconds limit, std::string& fault);

} // namespace slhc::slhdsa::vulkan

#endif // SLHCONSENSUS_PQC_VULKAN_FAMILY_H
