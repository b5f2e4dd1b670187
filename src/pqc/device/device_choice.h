// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_DEVICE_DEVICE_CHOICE_H
#define SLHCONSENSUS_PQC_DEVICE_DEVICE_CHOICE_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace slhc::slhdsa {

/** A device cannot be used: one line that says why. */
class DeviceError : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

/** Nothing is wrong, but there is no device, or none of that name. */
class NoDevices final : public DeviceError
{
public:
    using DeviceError::DeviceError;
};

/** More than any machine has: each that is used gets a process. */
inline constexpr size_t MAX_DEVICES{16};

/** A device that can run the verifier. */
struct DeviceDescription {
    uint32_t index{0};  //!< as the drivers' loader counts them
    std::string type;   //!< "discrete", "integrated", "virtual", "other", "cpu"
    std::string name;
    std::string driver; //!< name and version
};

/** E.g. "NVIDIA H200 (discrete, Vulkan 1.3)". */
[[nodiscard]] std::string Describe(const DeviceDescription& device);

/** A program's text in a line of its own, of a bounded length: for logs, errors and lists. */
[[nodiscard]] std::string OneLine(std::string_view text);

/** A line for each device, as programs tell one another. */
[[nodiscard]] std::string FormatDevices(std::span<const DeviceDescription> devices);
/** @return the first line of each index, MAX_DEVICES at most
 *  @throws NoDevices if there is no line of that form */
[[nodiscard]] std::vector<DeviceDescription> ParseDevices(std::string_view lines);

/** Choose a device.
 *  @param[in] which  an index; a part of a name; empty for the best device (discrete, integrated, virtual, other, CPU, in this order);
 *                    "auto" for the best one that is not a CPU, since the CPU engines are faster than a driver that runs shaders on the
 *                    same cores
 *  @throws NoDevices that names what is missing */
[[nodiscard]] DeviceDescription ChooseDevice(std::span<const DeviceDescription> devices, std::string_view which);

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_DEVICE_DEVICE_CHOICE_H
