// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_VULKAN_DEVICE_TYPE_H
#define SLHCONSENSUS_PQC_VULKAN_DEVICE_TYPE_H

#include <vulkan/vulkan_core.h>

#include <string_view>

namespace slhc::slhdsa::vulkan {

/** One word, for lists of devices. */
[[nodiscard]] inline std::string_view DeviceTypeName(VkPhysicalDeviceType type) noexcept
{
    switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return "discrete";
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return "integrated";
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return "virtual";
    case VK_PHYSICAL_DEVICE_TYPE_CPU: return "cpu";
    default: return "other";
    }
}

/** True for Mesa's driver for CPUs, which runs a subgroup of a workgroup in one vector register. */
[[nodiscard]] inline bool IsLlvmpipe(VkPhysicalDeviceType type, std::string_view name) noexcept
{
    return type == VK_PHYSICAL_DEVICE_TYPE_CPU && name.starts_with("llvmpipe");
}

} // namespace slhc::slhdsa::vulkan

#endif // SLHCONSENSUS_PQC_VULKAN_DEVICE_TYPE_H
