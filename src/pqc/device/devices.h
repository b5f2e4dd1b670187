// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_DEVICE_DEVICES_H
#define SLHCONSENSUS_PQC_DEVICE_DEVICES_H

#include <pqc/backend.h>
#include <pqc/device/device_choice.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace slhc::slhdsa {

/** The name of the devices' backends, as in SLHC_BACKEND=vulkan[:<device>]. */
inline constexpr std::string_view VULKAN{"vulkan"};

/** Open a device, or several.
 *  @param[in]  which  see ChooseDevice(); or "all": all that are not CPUs, or if there are only CPUs, all of those. "auto" is searched for
 *                     in the background
 *  @param[out] error  why nothing is returned, one line that begins with the backend's name
 *  @return empty if there is no such device; never throws because of the state of the machine */
[[nodiscard]] std::vector<std::shared_ptr<RootDevice>> OpenDeviceBackends(std::string_view which, const DeviceOptions& options,
                                                                           std::string& error);

/** The devices of this machine.
 *  @param[out] error     why there is none, one line; empty if there is one
 *  @param[out] is_fault  true if that is a fault, false if there is no program, loader, driver or device */
[[nodiscard]] std::vector<DeviceDescription> ListDeviceBackends(const DeviceOptions& options, std::string& error, bool& is_fault);

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_DEVICE_DEVICES_H
