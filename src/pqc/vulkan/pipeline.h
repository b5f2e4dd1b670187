// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_VULKAN_PIPELINE_H
#define SLHCONSENSUS_PQC_VULKAN_PIPELINE_H

#include <pqc/vulkan/device.h>
#include <pqc/vulkan/shape.h>

#include <cstdint>
#include <string>
#include <vector>

namespace slhc::slhdsa::vulkan {

/** The shader, compiled for a device and a parameter set: descriptor 0 is the entries, 1 the roots. All have the same layouts, so that
 *  descriptors and push constants for one serve for the others. */
class Pipeline
{
public:
    struct PushConstants {
        uint32_t count;     //!< entries
        uint32_t per_group; //!< signatures of a workgroup
    };

    /** @param[in] cache_dir  where drivers' compiled code is kept between runs; empty: nowhere */
    Pipeline(const Device& device, const Shape& shape, const Params& params, const std::string& cache_dir);

    /** Delete the file that the driver's compiled code is kept in. */
    void ForgetCache() const noexcept;

    const vk::raii::DescriptorSetLayout set_layout;
    const vk::raii::PipelineLayout layout;
    vk::raii::Pipeline handle{nullptr};

private:
    std::vector<uint8_t> Compile(const Device& device, const Shape& shape, const Params& params, const std::vector<uint8_t>& cached);

    std::string m_cache_file; //!< empty: none
};

} // namespace slhc::slhdsa::vulkan

#endif // SLHCONSENSUS_PQC_VULKAN_PIPELINE_H
