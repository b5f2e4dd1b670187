// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_VULKAN_PIPELINE_FILE_H
#define SLHCONSENSUS_PQC_VULKAN_PIPELINE_FILE_H

#include <pqc/vulkan/shape.h>

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <span>
#include <string>

namespace slhc::slhdsa::vulkan {

/** The file in cache_dir that holds a driver's compiled code. Its content depends on the device, its driver's version, the shape, the
 *  parameter set and the shader; the key has them all. */
struct PipelineCacheFile {
    std::string path;
    std::string key;
};

/** @param[in] shader  in SPIR-V */
[[nodiscard]] PipelineCacheFile LocatePipelineCache(const VkPhysicalDeviceProperties& device, const Shape& shape, const Params& params,
                                                    std::span<const uint32_t> shader, const std::string& cache_dir);

} // namespace slhc::slhdsa::vulkan

#endif // SLHCONSENSUS_PQC_VULKAN_PIPELINE_FILE_H
