// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/vulkan/pipeline_file.h>

#include <crypto/sha256.h>
#include <util/hex.h>

#include <array>
#include <initializer_list>

namespace slhc::slhdsa::vulkan {

PipelineCacheFile LocatePipelineCache(const VkPhysicalDeviceProperties& device, const Shape& shape, const Params& params,
                                      std::span<const uint32_t> shader, const std::string& cache_dir)
{
    std::array<uint8_t, CSHA256::OUTPUT_SIZE> hash;
    CSHA256{}.Write(reinterpret_cast<const uint8_t*>(shader.data()), shader.size_bytes()).Finalize(hash.data());
    std::string key{"vulkan pipeline 4"};
    const auto append{[&](std::initializer_list<uint64_t> parts) {
        for (const uint32_t part : parts) key += " " + std::to_string(part);
    }};
    append({device.vendorID, device.deviceID, device.driverVersion, device.apiVersion});
    append({shape.layout.invocations, shape.layout.max_signatures, uint32_t{shape.layout.one_subgroup}});
    append({params.h, params.d, params.a, params.k, params.lg_w});
    key += " " + HexStr(device.pipelineCacheUUID) + " " + HexStr(hash);
    // One file for a device and a set, whatever its driver's version: an upgrade replaces it.
    std::string name{"/vulkan"};
    for (const uint64_t part : std::initializer_list<uint64_t>{device.vendorID, device.deviceID, params.h, params.d, params.a, params.k,
                                                               params.lg_w}) {
        name += "-" + std::to_string(part);
    }
    return {cache_dir + name + ".pipeline", key};
}

} // namespace slhc::slhdsa::vulkan
