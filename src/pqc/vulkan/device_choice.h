// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_VULKAN_DEVICE_CHOICE_H
#define SLHCONSENSUS_PQC_VULKAN_DEVICE_CHOICE_H

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace slhc::slhdsa::vulkan {

/** A device, as far as its choice depends on it. */
struct NamedDevice {
    uint32_t index; //!< as the loader counts them
    std::string_view name;
    VkPhysicalDeviceType type;
};

/** Choose as OpenDevice says.
 *  @param[in] devices  those that can run the verifier
 *  @return a position among them
 *  @throws std::runtime_error that names what is missing */
[[nodiscard]] size_t ChooseAmong(std::span<const NamedDevice> devices, std::string_view which);

} // namespace slhc::slhdsa::vulkan

#endif // SLHCONSENSUS_PQC_VULKAN_DEVICE_CHOICE_H
