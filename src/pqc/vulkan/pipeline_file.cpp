// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/vulkan/pipeline_file.h>

#include <crypto/sha256.h>
#include <util/hex.h>

#include <array>
#include <initializer_list>

namespace slhc::slhdsa::vulkan {

PipelineCacheFile LocatePipelineCache(const VkPhysicalDeviceProperties& device, const Shape& shape, std::span<const uint32_t> shader,
                                      const std::string& cache_dir)
{
    std::array<uint8_t, CSHA256::OUTPUT_SIZE> hash;
    CSHA256{}.Write(reinterpret_cast<const uint8_t*>(shader.data()), shader.size_bytes()).Finalize(hash.data());
    std::string key{"vulkan pipeline 3"};
    const auto append{[&](std::initializer_list<uint32_t> parts) {
        for (const uint32_t part : parts) key += " " + std::to_string(part);
    }};
    append({device.vendorID, device.deviceID, device.driverVersion, device.apiVersion});
    append({shape.layout.invocations, shape.layout.max_signatures, uint32_t{shape.layout.one_subgroup}});
    key += " " + HexStr(device.pipelineCacheUUID) + " " + HexStr(hash);
    // One file a device, whatever its driver's version: an upgrade replaces it.
    return {cache_dir + "/vulkan-" + std::to_string(device.vendorID) + "-" + std::to_string(device.deviceID) + ".pipeline", key};
}

} // namespace slhc::slhdsa::vulkan
