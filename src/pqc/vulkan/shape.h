// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_VULKAN_SHAPE_H
#define SLHCONSENSUS_PQC_VULKAN_SHAPE_H

#include <pqc/slhdsa/params.h>

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <cstdint>

namespace slhc::slhdsa::vulkan {

/** The traits that decide how the shader is laid out on a device. */
struct DeviceTraits {
    VkPhysicalDeviceType type;
    VkPhysicalDeviceLimits limits;
    uint32_t subgroup_size;
    bool is_llvmpipe; //!< see IsLlvmpipe()
};

/** How a workgroup is laid out. */
struct Layout {
    uint32_t invocations;
    uint32_t max_signatures;
    bool one_subgroup; //!< the group is one subgroup
    friend bool operator==(const Layout&, const Layout&) = default;
};

/** How the shader is laid out on a device. */
struct Shape {
    Layout layout;
    uint32_t groups;    //!< about as many workgroups as the device runs side by side
    size_t least_chunk; //!< see DeviceLink::LeastChunk

    /** @throws std::runtime_error if the device reports limits that no Vulkan device may have */
    [[nodiscard]] static Shape For(const DeviceTraits& device, const Params& params);

    /** Signatures of a workgroup for n in all: as few as keep the device busy, since a group's signatures wait for one another, and
     *  equally many in each group where there are too many for one round. */
    [[nodiscard]] uint32_t PerGroup(size_t n) const noexcept;

    /** The fewest signatures of which a workgroup takes layout.max_signatures. */
    [[nodiscard]] size_t FullLayout() const noexcept { return size_t{groups} * (layout.max_signatures - 1) + 1; }
};

/** How many entries of 128s a slot holds, and of another set at most: as many as wanted, but no more than a buffer and a dispatch may have,
 *  and at least one.
 *  @param[in] wanted  0: what suits the device */
[[nodiscard]] size_t ChooseCapacity(const DeviceTraits& device, size_t wanted);

} // namespace slhc::slhdsa::vulkan

#endif // SLHCONSENSUS_PQC_VULKAN_SHAPE_H
