// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/vulkan/shape.h>

#include <pqc/device/entry.h>
#include <pqc/slhdsa/params.h>

#include <algorithm>
#include <thread>

namespace slhc::slhdsa::vulkan {

namespace {

/** What the shader declares as shared. */
size_t SharedMemory(const Layout& layout)
{
    constexpr size_t WORD{sizeof(uint32_t)}, QUAD{4 * WORD};
    constexpr size_t FOR_A_SIGNATURE{LEN * (QUAD + WORD) + 8 * QUAD}; // values and sorted chains; nodes, places, masks, states, terms
    return layout.max_signatures * FOR_A_SIGNATURE + W * WORD;
}

} // namespace

Shape Shape::For(const DeviceTraits& device)
{
    if (device.is_llvmpipe) {
        // A workgroup runs in one thread, a subgroup is a vector.
        return {.usual = {.invocations = device.subgroup_size, .max_signatures = 16, .one_subgroup = true},
                .large = std::nullopt,
                .groups = std::max(1U, std::thread::hardware_concurrency()),
                .least_chunk = SIZE_MAX}; // nothing overlaps: entries are filled on the cores that compute
    }
    const VkPhysicalDeviceLimits& limits{device.limits};
    const uint32_t most_invocations{std::min(limits.maxComputeWorkGroupInvocations, limits.maxComputeWorkGroupSize[0])};
    Shape shape{
        // Shared memory decides how many groups run side by side.
        .usual = {.invocations = std::min(std::max(device.subgroup_size, 32U), most_invocations),
                  .max_signatures = 8,
                  .one_subgroup = false},
        .large = std::nullopt,
        .groups = device.type == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU ? 512U : 64U,
        .least_chunk = 128, // computing takes as long as for one, and longer than filling and uploading the next
    };
    // As many signatures to an invocation, but T and the paths, which have one invocation for each signature, fill a
    // subgroup instead of a quarter of one.
    const Layout wide{.invocations = 4 * shape.usual.invocations, .max_signatures = 32, .one_subgroup = false};
    if (wide.invocations <= most_invocations && SharedMemory(wide) <= limits.maxComputeSharedMemorySize) {
        shape.large = wide;
    }
    return shape;
}

uint32_t Shape::PerGroup(size_t n) const noexcept
{
    if (IsLarge(n)) return large->max_signatures;
    return static_cast<uint32_t>(std::clamp<size_t>(n / groups + (n % groups != 0), 1, usual.max_signatures));
}

size_t ChooseCapacity(const DeviceTraits& device, size_t wanted)
{
    const VkPhysicalDeviceLimits& limits{device.limits};
    if (wanted == 0) wanted = device.type == VK_PHYSICAL_DEVICE_TYPE_CPU ? 1024 : 4096;
    return std::max<size_t>(1, std::min({wanted, limits.maxStorageBufferRange / sizeof(DeviceEntry),
                                         size_t{limits.maxComputeWorkGroupCount[0]}}));
}

} // namespace slhc::slhdsa::vulkan
