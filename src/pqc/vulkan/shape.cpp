// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/vulkan/shape.h>

#include <pqc/device/entry.h>
#include <pqc/slhdsa/params.h>
#include <pqc/vulkan/shaders/shared_memory.h>

#include <algorithm>
#include <stdexcept>
#include <thread>

namespace slhc::slhdsa::vulkan {

namespace {

constexpr uint32_t ALWAYS_THERE{128}; //!< invocations of a workgroup, with any Vulkan device
constexpr uint32_t MOST_INVOCATIONS{256};
constexpr uint32_t MOST_SIGNATURES{32}; //!< T and the paths, which have one invocation for each signature, fill a subgroup

/** The number of signatures for which a workgroup has room in the shader's shared memory. */
uint32_t RoomForSignatures(const Params& p, size_t shared_memory)
{
    constexpr size_t WORD{sizeof(uint32_t)}, QUAD{4 * WORD};
    constexpr size_t QUADS{[] {
        size_t n{0};
#define COUNT_QUAD(name) ++n;
        SHARED_QUADS(COUNT_QUAD)
#undef COUNT_QUAD
        return n;
    }()};
    const size_t for_all{SHARED_COUNTS(p.w()) * WORD};
    const size_t for_a_signature{(SHARED_VALUES(p.len(), p.k) + QUADS) * QUAD + SHARED_CHAINS(p.len()) * WORD};
    const size_t room{shared_memory < for_all ? 0 : (shared_memory - for_all) / for_a_signature};
    return static_cast<uint32_t>(std::clamp<size_t>(room, 1, MOST_SIGNATURES));
}

} // namespace

Shape Shape::For(const DeviceTraits& device, const Params& params)
{
    const VkPhysicalDeviceLimits& limits{device.limits};
    const uint32_t most_invocations{std::min(limits.maxComputeWorkGroupInvocations, limits.maxComputeWorkGroupSize[0])};
    // If a workgroup of such a size is compiled all the same, the driver writes beyond its allocation.
    if (most_invocations < ALWAYS_THERE) throw std::runtime_error{"the device's limits on workgroups are below Vulkan's minimum"};
    if (device.is_llvmpipe) {
        if (device.subgroup_size < 1 || device.subgroup_size > most_invocations) {
            throw std::runtime_error{"the device's subgroups do not fit its workgroups"};
        }
        // A workgroup runs in one thread, a subgroup is a vector.
        return {.layout = {.invocations = device.subgroup_size, .max_signatures = 16, .one_subgroup = true},
                .groups = std::max(1U, std::thread::hardware_concurrency()),
                .least_chunk = SIZE_MAX}; // nothing overlaps: entries are filled on the cores that compute
    }
    const Layout layout{.invocations = std::min(MOST_INVOCATIONS, most_invocations),
                        .max_signatures = RoomForSignatures(params, limits.maxComputeSharedMemorySize),
                        .one_subgroup = false};
    // One for each processor of a large device: with so many invocations, a few signatures take no longer than one.
    const uint32_t groups{device.type == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU ? 128U : 32U};
    // A quarter of that takes a large device half the time, and chunks are computed one after the other.
    return {.layout = layout, .groups = groups, .least_chunk = size_t{groups} * layout.max_signatures};
}

uint32_t Shape::PerGroup(size_t n) const noexcept
{
    if (n == 0) return 1;
    const auto rounded_up{[](size_t dividend, size_t divisor) { return dividend / divisor + (dividend % divisor != 0); }};
    const size_t rounds{rounded_up(n, size_t{groups} * layout.max_signatures)};
    return static_cast<uint32_t>(rounded_up(rounded_up(n, rounds), groups));
}

size_t ChooseCapacity(const DeviceTraits& device, size_t wanted)
{
    const VkPhysicalDeviceLimits& limits{device.limits};
    if (wanted == 0) wanted = device.type == VK_PHYSICAL_DEVICE_TYPE_CPU ? 1024 : 4096;
    return std::max<size_t>(1, std::min({wanted, limits.maxStorageBufferRange / DeviceEntry::Size(PARAMS_128S),
                                         size_t{limits.maxComputeWorkGroupCount[0]}}));
}

} // namespace slhc::slhdsa::vulkan
