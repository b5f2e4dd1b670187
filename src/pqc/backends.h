// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_BACKENDS_H
#define SLHCONSENSUS_PQC_BACKENDS_H

#include <pqc/backend.h>
#include <pqc/cpu/engines.h>
#include <util/log.h>
#include <util/threadpool.h>

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/** Which backends exist, and which of them SLHC_BACKEND selects. */
namespace slhc::slhdsa {

/** The time limit for drivers to list their devices. Some need many seconds on a machine full of GPUs. */
inline constexpr std::chrono::milliseconds LISTING_LIMIT{30'000};

/** Options of a device backend. */
struct DeviceOptions {
    std::shared_ptr<const Logger> logger; //!< never null
    std::string cache_dir;                //!< for pipeline caches; empty: keep nothing on disk
    std::chrono::milliseconds listing_limit{LISTING_LIMIT};
    std::shared_ptr<ThreadPool> pool{};   //!< fills what is uploaded, together with the caller; null: the caller alone
};

/** A kind of device, e.g. "vulkan". */
struct DeviceFamily {
    std::string_view name; //!< as in SLHC_BACKEND=<name>[:<device>]
    /** Open a device, or several.
     *  @param[in]  device  what follows the colon (an index); empty: the best one; "all": all that are not CPUs, or if there are only
     *                      CPUs, all of those; "auto": the best one that may be faster than the CPU engines, searched for in the background
     *  @param[out] error   why nothing is returned, one line that begins with the backend's name
     *  @return empty if there is no such device; never throws because of the state of the machine */
    std::vector<std::shared_ptr<RootBackend>> (*open)(std::string_view device, const DeviceOptions& options, std::string& error);
    /** The devices of this machine, each as "index: description"; empty if there is none. Never throws because of the state of the machine.
     *  @param[out] fault  one line if a driver did not answer within the limit, or could not be asked; otherwise empty */
    std::vector<std::string> (*list)(std::chrono::milliseconds limit, std::string& fault);
};

/** The device families of this build; may be empty. */
[[nodiscard]] std::span<const DeviceFamily> DeviceFamilies();

/** What a context verifies with. */
struct Backends {
    std::shared_ptr<RootBackend> cpu;    //!< never null: eager checks, and the final verdict on everything
    std::vector<std::shared_ptr<RootBackend>> devices{}; //!< may be empty, none is null; more than one only if device_only
    bool device_only{false};             //!< devices were asked for by name: batches go there whenever one is ready
};

/** A backend that a user can select. */
struct BackendInfo {
    std::string name;        //!< e.g. "cpu:portable", "vulkan:0"
    std::string description; //!< one line; if the engine is not available, says why
    bool available;          //!< on this machine
    std::string fault{};     //!< what is wrong with it, if it is not just missing here; in a list, only of what is not available
};

/** Every engine, each of which is tried first if it has not been yet. */
[[nodiscard]] std::vector<BackendInfo> ListEngines(const CpuEngineSet& engines);

/** Every CPU engine of this build, then every device of this machine. It queries drivers, so it may take a while; those that do not answer
 *  within the limit, or cannot be asked, appear as one backend that is not available. */
[[nodiscard]] std::vector<BackendInfo> ListBackends(std::chrono::milliseconds limit = LISTING_LIMIT);

/** Select by name:
 *    auto                 the best CPU engine, and a device if there is one
 *    cpu                  the best CPU engine
 *    cpu:<isa>            that engine
 *    vulkan[:<index>]     that device, together with the best CPU engine
 *    vulkan:all           all devices, each with its measured share, together with the best CPU engine
 *  An engine that was found to be wrong is left out, which is logged.
 *  @param[out] error  one line: what is wrong with the name, or why this machine cannot use it
 *  @return nothing if the name is unknown or what it names is not available here */
[[nodiscard]] std::optional<Backends> SelectBackends(std::string_view name, const DeviceOptions& options, std::string& error,
                                                     const CpuEngineSet& engines = CpuEngines());

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_BACKENDS_H
