// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_DEVICE_CHECK_H
#define SLHCONSENSUS_TOOL_DEVICE_CHECK_H

#include <pqc/backends.h>

#include <cstddef>
#include <optional>
#include <vector>

namespace slhc::tool {

/** About as many signatures as a block can hold. */
inline constexpr size_t CHECKED_SIGNATURES{508};

/** A backend, and what trying it showed. */
struct DeviceFinding {
    slhdsa::BackendInfo backend;     //!< with the fault that was found, if any
    std::optional<double> opened_ms; //!< until the first call would be served
    std::optional<double> one_us;    //!< one signature alone
    std::optional<double> block_us;  //!< one of CHECKED_SIGNATURES, in one call
};

/** Try all that are available: they compute sample roots, which are compared with the scalar code's. Faults that are known stay. */
[[nodiscard]] std::vector<DeviceFinding> CheckDevices(std::vector<slhdsa::BackendInfo> backends,
                                                      slhdsa::ParameterSet set = slhdsa::ParameterSet::SHA2_128S);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_DEVICE_CHECK_H
