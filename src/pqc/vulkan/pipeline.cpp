// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/vulkan/pipeline.h>

#include <pqc/vulkan/cache_file.h>
#include <pqc/vulkan/pipeline_file.h>

#include <verify_spv.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace slhc::slhdsa::vulkan {

namespace {

vk::raii::DescriptorSetLayout CreateSetLayout(const Device& device)
{
    const std::array bindings{
        vk::DescriptorSetLayoutBinding{0, vk::DescriptorType::eStorageBuffer, 1, vk::ShaderStageFlagBits::eCompute},
        vk::DescriptorSetLayoutBinding{1, vk::DescriptorType::eStorageBuffer, 1, vk::ShaderStageFlagBits::eCompute},
    };
    return {device.handle, vk::DescriptorSetLayoutCreateInfo{{}, bindings}};
}

vk::raii::PipelineLayout CreateLayout(const Device& device, const vk::raii::DescriptorSetLayout& set_layout)
{
    const vk::PushConstantRange constants{vk::ShaderStageFlagBits::eCompute, 0, sizeof(Pipeline::PushConstants)};
    return {device.handle, vk::PipelineLayoutCreateInfo{{}, *set_layout, constants}};
}

/** As the shader numbers them. */
struct Specialization {
    uint32_t invocations;
    uint32_t max_signatures;
    VkBool32 one_subgroup;
    uint32_t layers, leaf_bits, fors_trees, fors_height, lg_w, chains;
};

constexpr auto SPECIALIZATION_MAP{[] {
    std::array<vk::SpecializationMapEntry, sizeof(Specialization) / sizeof(uint32_t)> map;
    constexpr uint32_t SIZE{sizeof(uint32_t)};
    for (uint32_t i{0}; i < map.size(); ++i) map[i] = vk::SpecializationMapEntry{i, i * SIZE, SIZE};
    return map;
}()};

} // namespace

Pipeline::Pipeline(const Device& device, const Shape& shape, const Params& params, const std::string& cache_dir)
    : set_layout{CreateSetLayout(device)}, layout{CreateLayout(device, set_layout)}
{
    if (cache_dir.empty()) {
        (void)Compile(device, shape, params, {});
        return;
    }
    const PipelineCacheFile file{LocatePipelineCache(device.properties, shape, params, VERIFY_SPV, cache_dir)};
    m_cache_file = file.path;
    const std::vector<uint8_t> cached{ReadCacheFile(file.path, file.key).value_or(std::vector<uint8_t>{})};
    std::vector<uint8_t> compiled;
    try {
        compiled = Compile(device, shape, params, cached);
    } catch (const vk::SystemError&) {
        // A driver should ignore what it cannot use, but some refuse it.
        if (cached.empty()) throw;
        compiled = Compile(device, shape, params, {});
    }
    // Nothing is lost if it cannot be written.
    if (!compiled.empty() && compiled != cached) (void)WriteCacheFile(file.path, file.key, compiled);
}

/** @param[in] cached  the return value of an earlier run; may be empty
 *  @return what to keep for the next run; empty if it cannot be had */
std::vector<uint8_t> Pipeline::Compile(const Device& device, const Shape& shape, const Params& params, const std::vector<uint8_t>& cached)
{
    const vk::raii::PipelineCache cache{device.handle, vk::PipelineCacheCreateInfo{{}, cached.size(), cached.data()}};
    const vk::raii::ShaderModule shader{device.handle, vk::ShaderModuleCreateInfo{{}, sizeof(VERIFY_SPV), VERIFY_SPV}};
    const auto number{[](size_t x) { return static_cast<uint32_t>(x); }};
    const Specialization values{.invocations = shape.layout.invocations,
                                .max_signatures = shape.layout.max_signatures,
                                .one_subgroup = shape.layout.one_subgroup,
                                .layers = number(params.d),
                                .leaf_bits = number(params.h_prime()),
                                .fors_trees = number(params.k),
                                .fors_height = number(params.a),
                                .lg_w = number(params.lg_w),
                                .chains = number(params.len())};
    const vk::SpecializationInfo specialization{static_cast<uint32_t>(SPECIALIZATION_MAP.size()), SPECIALIZATION_MAP.data(), sizeof(values),
                                                &values};
    const vk::PipelineShaderStageCreateInfo stage{{}, vk::ShaderStageFlagBits::eCompute, *shader, "main", &specialization};
    handle = {device.handle, cache, vk::ComputePipelineCreateInfo{{}, stage, *layout}};
    try {
        return cache.getData();
    } catch (const vk::SystemError&) {
        return {};
    }
}

void Pipeline::ForgetCache() const noexcept
{
    if (!m_cache_file.empty()) (void)std::remove(m_cache_file.c_str());
}

} // namespace slhc::slhdsa::vulkan
