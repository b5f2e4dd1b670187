// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_VULKAN_OPEN_H
#define SLHCONSENSUS_PQC_VULKAN_OPEN_H

#include <pqc/device/device_link.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/** The library's interface to Vulkan: the devices of this machine, and links to them. */
namespace slhc::slhdsa::vulkan {

struct DeviceDescription {
    uint32_t index{0};  //!< as the loader counts them
    std::string name;
    std::string type;   //!< "discrete", "integrated", "virtual", "cpu", "other"
    std::string driver; //!< name and version
};

/** True if drivers can be loaded here at all; the one question here that is answered at once.
 *  @param[out] error  why not, one line: there is no Vulkan loader, or the program is a static one */
[[nodiscard]] bool HasLoader(std::string& error);

/** The devices that could run the verifier, by index.
 *  @param[out] error     why there is none, one line; empty if there is one
 *  @param[out] is_fault  nullable: true if that is a fault, false if there is no loader, no driver or no such device */
[[nodiscard]] std::vector<DeviceDescription> ListDevices(std::string& error, bool* is_fault = nullptr);

struct OpenOptions {
    std::string cache_dir; //!< for the pipeline cache; empty: keep none
    size_t capacity{0};    //!< the most entries of a slot; 0: as suits the device
    /** For tests: treat the device as a discrete GPU, whatever it is, with memory of its own and several subgroups in a
     *  workgroup. */
    bool as_gpu{false};
    /** If given, the Khronos validation layer is switched on, and each of its messages comes here. */
    std::function<void(const std::string& message)> on_validation_message;
};

/** Open a device and build what the verifier needs there. Takes as long as its driver takes to compile a shader.
 *  @param[in]  which   an index; a part of a name; empty for the best device (discrete, integrated, virtual, CPU,
 *                      in this order); "auto" for the best one that is not a CPU, since the CPU engines are faster
 *                      than a driver that runs shaders on the same cores
 *  @param[out] opened  the device
 *  @param[out] error   why nothing is returned, one line
 *  @return null if there is no such device or it fails; never throws because of the state of the machine */
[[nodiscard]] std::unique_ptr<DeviceLink> OpenDevice(std::string_view which, const OpenOptions& options, DeviceDescription& opened,
                                                     std::string& error);

/** Find a device as OpenDevice would, without opening it. */
[[nodiscard]] bool FindDevice(std::string_view which, DeviceDescription& found, std::string& error);

} // namespace slhc::slhdsa::vulkan

#endif // SLHCONSENSUS_PQC_VULKAN_OPEN_H
