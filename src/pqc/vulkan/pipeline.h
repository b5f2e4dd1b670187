// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_VULKAN_PIPELINE_H
#define SLHCONSENSUS_PQC_VULKAN_PIPELINE_H

#include <pqc/vulkan/device.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slhc::slhdsa::vulkan {

/** How a workgroup is laid out. */
struct Layout {
    uint32_t invocations;
    uint32_t max_signatures;
    bool one_subgroup; //!< the group is one subgroup
};

/** How the shader is laid out on a device. */
struct Shape {
    Layout usual;
    std::optional<Layout> large; //!< for so many signatures that all of its workgroups are full
    uint32_t groups;             //!< about as many workgroups as the device runs side by side
    size_t least_chunk;          //!< see DeviceLink::LeastChunk

    [[nodiscard]] static Shape For(const Device& device);

    /** Whether a batch of n is large. */
    [[nodiscard]] bool IsLarge(size_t n) const noexcept { return large && n >= size_t{groups} * large->max_signatures; }

    /** Signatures of a workgroup for n in all: as few as keep the device busy, since a group's signatures wait for
     *  one another, and as many as it takes beyond. */
    [[nodiscard]] uint32_t PerGroup(size_t n) const noexcept;

    /** The fewest signatures of which a workgroup takes usual.max_signatures. */
    [[nodiscard]] size_t FullLayout() const noexcept { return size_t{groups} * (usual.max_signatures - 1) + 1; }
};

/** The shader, compiled for a device: descriptor 0 is the entries, 1 the roots; push constants are PushConstants. */
class Pipeline
{
public:
    struct PushConstants {
        uint32_t count;     //!< entries
        uint32_t per_group; //!< signatures of a workgroup
    };

    /** @param[in] cache_dir  where drivers' compiled code is kept between runs; empty: nowhere */
    Pipeline(const Device& device, const Shape& shape, const std::string& cache_dir);

    /** Delete the file that the driver's compiled code is kept in. */
    void ForgetCache() const noexcept;

    const vk::raii::DescriptorSetLayout set_layout;
    const vk::raii::PipelineLayout layout;
    vk::raii::Pipeline usual{nullptr};
    vk::raii::Pipeline large{nullptr}; //!< only if the shape has it

private:
    std::vector<uint8_t> Compile(const Device& device, const Shape& shape, const std::vector<uint8_t>& cached);

    std::string m_cache_file; //!< empty: none
};

/** The file in cache_dir that holds what a driver compiled. What is in it depends on the device, its driver's version
 *  and the shader; the key has them all. */
struct PipelineCacheFile {
    std::string path;
    std::string key;
};
[[nodiscard]] PipelineCacheFile LocatePipelineCache(const vk::PhysicalDeviceProperties& device, const Shape& shape,
                                                    const std::string& cache_dir);

} // namespace slhc::slhdsa::vulkan

#endif // SLHCONSENSUS_PQC_VULKAN_PIPELINE_H
