// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_DEVICE_PROCESS_LINK_H
#define SLHCONSENSUS_PQC_DEVICE_PROCESS_LINK_H

#include <pqc/device/device_choice.h>
#include <pqc/device/device_link.h>
#include <pqc/device/device_process.h>

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace slhc::slhdsa {

struct ProcessOptions {
    std::string program{};   //!< see FindDeviceProgram()
    std::string cache_dir{}; //!< for the pipeline cache; empty: keep none
    std::chrono::nanoseconds listing_limit{LISTING_LIMIT};
    std::chrono::nanoseconds opening_limit{OPENING_LIMIT - LISTING_LIMIT}; //!< from the list on, and for each further set
    size_t capacity{0};      //!< the most entries of a slot; 0: as suits the device
    uint32_t flags{0};       //!< for tests: AS_GPU, NO_IMPORT of DeviceRequest
    /** If given, the Khronos validation layer is switched on, and each of its messages comes here. */
    std::function<void(const std::string& message)> on_validation_message{};
};

/** The devices that could run the verifier, by index. Starts the program and ends it again.
 *  @throws NoDevices if this machine has none; another DeviceError for a fault */
[[nodiscard]] std::vector<DeviceDescription> ListDevices(const ProcessOptions& options);

/** Start the program, and let it open a device and build what the verifier needs there. Takes as long as its driver takes to compile a
 *  shader.
 *  @param[in]  which   see ChooseDevice()
 *  @param[in]  stop    ends every wait, also later ones for the device
 *  @param[out] opened  the device
 *  @throws DeviceError, NoDevices among them */
[[nodiscard]] std::unique_ptr<DeviceLink> OpenDevice(std::string_view which, const ProcessOptions& options, const std::stop_token& stop,
                                                     DeviceDescription& opened);

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_DEVICE_PROCESS_LINK_H
