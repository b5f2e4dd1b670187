// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_BACKENDS_H
#define SLHCONSENSUS_PQC_BACKENDS_H

#include <pqc/backend.h>
#include <pqc/cpu/engines.h>

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/** The list of backends, and the selection by SLHC_BACKEND's names. */
namespace slhc::slhdsa {

/** A backend that a user can select. */
struct BackendInfo {
    std::string name;        //!< e.g. "cpu:portable", "vulkan:0"
    std::string description; //!< one line; if the engine is not available, says why
    bool available;          //!< on this machine
    std::string fault{};     //!< what is wrong with it, if it is not just missing here; in a list, only of what is not available
};

/** Every engine; one that was not tried yet is tried first. */
[[nodiscard]] std::vector<BackendInfo> ListEngines(const CpuEngineSet& engines);

/** Every CPU engine of this build, then every device of this machine; if there is none, one unavailable backend says why. This queries
 *  drivers, so it may take a while. */
[[nodiscard]] std::vector<BackendInfo> ListBackends(const DeviceOptions& options);

/** Select by name:
 *    auto                 the best CPU engine, and a device if there is one
 *    cpu                  the best CPU engine
 *    cpu:<isa>            that engine
 *    vulkan[:<index>]     that device, together with the best CPU engine
 *    vulkan:all           all devices, with shares by their paces, together with the best CPU engine
 *  An engine that was found to be wrong is left out, which is logged.
 *  @param[out] error  one line: what is wrong with the name, or why this machine cannot use it
 *  @return nothing if the name is unknown, or its backend is not available here */
[[nodiscard]] std::optional<Backends> SelectBackends(std::string_view name, const DeviceOptions& options, std::string& error,
                                                     const CpuEngineSet& engines = CpuEngines());

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_BACKENDS_H
