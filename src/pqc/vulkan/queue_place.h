// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_VULKAN_QUEUE_PLACE_H
#define SLHCONSENSUS_PQC_VULKAN_QUEUE_PLACE_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <optional>
#include <span>

namespace slhc::slhdsa::vulkan {

/** A queue of a device, by its place there. */
struct QueuePlace {
    uint32_t family;
    uint32_t index;
    friend bool operator==(const QueuePlace&, const QueuePlace&) = default;
};

/** The family of queues to compute in: one without graphics, if there is one, since nobody else may be using it; else the first.
 *  @return nothing if none computes */
[[nodiscard]] inline std::optional<uint32_t> ChooseComputeFamily(std::span<const VkQueueFamilyProperties> families)
{
    std::optional<uint32_t> found;
    for (uint32_t i = 0; i < families.size(); ++i) {
        if (!(families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) || families[i].queueCount == 0) continue;
        if (!(families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT)) return i;
        if (!found) found = i;
    }
    return found;
}

/** The queue that copies entries to the device while it computes: one for transfers alone, as hardware has its own engine for those; else a
 *  second one that computes; else the only one.
 *  @param[in] compute  the family whose first queue computes */
[[nodiscard]] inline QueuePlace ChooseUploadQueue(std::span<const VkQueueFamilyProperties> families, uint32_t compute)
{
    // Families for video can transfer, too.
    constexpr VkQueueFlags OTHER{~VkQueueFlags{VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT}};
    for (uint32_t i = 0; i < families.size(); ++i) {
        const VkQueueFlags flags{families[i].queueFlags};
        if ((flags & VK_QUEUE_TRANSFER_BIT) && !(flags & OTHER) && families[i].queueCount > 0) return {.family = i, .index = 0};
    }
    return {.family = compute, .index = families[compute].queueCount > 1 ? 1U : 0U};
}

} // namespace slhc::slhdsa::vulkan

#endif // SLHCONSENSUS_PQC_VULKAN_QUEUE_PLACE_H
