// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_VULKAN_MEMORY_TYPE_H
#define SLHCONSENSUS_PQC_VULKAN_MEMORY_TYPE_H

#include <vulkan/vulkan_core.h>

#include <bit>
#include <cstdint>
#include <optional>

namespace slhc::slhdsa::vulkan {

/** The first memory type among the allowed ones that has all of `required` and as many of `preferred` as possible;
 *  nothing if there is none. */
[[nodiscard]] inline std::optional<uint32_t> ChooseMemoryType(const VkPhysicalDeviceMemoryProperties& memory, uint32_t allowed,
                                                              VkMemoryPropertyFlags required, VkMemoryPropertyFlags preferred)
{
    // A driver's mask may allow these for a buffer, but they need a feature that the device was not created with.
    constexpr VkMemoryPropertyFlags NEEDS_A_FEATURE{VK_MEMORY_PROPERTY_PROTECTED_BIT | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT |
                                                    VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD |
                                                    VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD | VK_MEMORY_PROPERTY_RDMA_CAPABLE_BIT_NV};
    std::optional<uint32_t> best;
    int best_score{-1};
    for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
        const VkMemoryPropertyFlags flags{memory.memoryTypes[i].propertyFlags};
        if (!(allowed & (uint32_t{1} << i)) || (flags & required) != required || (flags & NEEDS_A_FEATURE) != 0) continue;
        if (const int score{std::popcount(flags & preferred)}; score > best_score) {
            best = i;
            best_score = score;
        }
    }
    return best;
}

/** True if the CPU can write directly to all of a device's own memory. */
[[nodiscard]] inline bool HasUnifiedMemory(const VkPhysicalDeviceMemoryProperties& memory, VkPhysicalDeviceType type)
{
    // On a discrete device a window into its memory may be small or slow to write: only a single heap is taken to mean that there is
    // nothing to copy.
    return type == VK_PHYSICAL_DEVICE_TYPE_CPU || (type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU && memory.memoryHeapCount == 1);
}

} // namespace slhc::slhdsa::vulkan

#endif // SLHCONSENSUS_PQC_VULKAN_MEMORY_TYPE_H
