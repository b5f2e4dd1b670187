// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_BACKEND_H
#define SLHCONSENSUS_PQC_BACKEND_H

#include <pqc/pace.h>
#include <pqc/slhdsa/params.h>
#include <util/log.h>
#include <util/threadpool.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slhc::slhdsa {

/** One verification as a backend sees it: everything that slh_verify_internal (FIPS 205, algorithm 20) needs after the message is hashed
 *  and the digest is split, except PK.root. A backend computes the root that the signature leads to; the code that has PK.root compares
 *  them (see judge.h). */
struct RootJob {
    const uint8_t* pk_seed;   //!< N bytes
    const uint8_t* signature; //!< as many bytes as the set's signatures have; the first N, the randomizer R, are no longer needed
    std::array<uint8_t, MAX_MD_SIZE> md; //!< the FORS part of the digest, in the first bytes
    ParameterSet set{ParameterSet::SHA2_128S};
    uint32_t idx_leaf;        //!< below 2^h'
    uint64_t idx_tree;        //!< below 2^(h - h')
};

using Root = std::array<uint8_t, N>;

/** The outcome of a backend's call as a whole. */
enum class BackendStatus {
    OK,     //!< every root is computed, as far as the backend knows
    BUSY,   //!< a device is serving another call or is not ready: nothing was computed, and nothing is wrong
    FAILED, //!< device lost, out of memory or late: do not use any root of this call
    REOPENS, //!< the same, but the device is opened again by itself
};

struct DriverProcess {
    std::string program{}; //!< its path; empty: there is none
    int64_t id{0};         //!< 0: none
};

/** Computes hypertree roots: the only interface between the batch and the code that hashes. */
class RootBackend
{
public:
    virtual ~RootBackend() = default;

    /** Short name, as SLHC_BACKEND and logs have it, e.g. "cpu:portable". */
    [[nodiscard]] virtual std::string_view Name() const noexcept = 0;

    /** The number of jobs that a CPU backend handles best in one call; it gets about this many per call and thread, but any number is
     *  correct. */
    [[nodiscard]] virtual size_t PreferredJobs() const noexcept { return 1; }

    /** Compute roots[i] for jobs[i]. Safe to call from several threads at once; none of them waits for another. Keeps no reference to the
     *  arguments.
     *  @pre jobs.size() == roots.size(); any size, even 0; all jobs have the same parameter set; of a device, one that PrepareSet() has
     *       called READY */
    [[nodiscard]] virtual BackendStatus ComputeRoots(std::span<const RootJob> jobs, std::span<Root> roots) = 0;
};

/** A device's life. It may change at any time. */
enum class DeviceState {
    WAITING, //!< for Open()
    OPENING, //!< or being made ready for a set: the CPU does the work instead
    READY,   //!< a call now would be served at once
    BUSY,    //!< with a call
    RETIRED, //!< for good: it is gone, failed too often, or was wrong
};

/** One word in lower case. */
[[nodiscard]] constexpr std::string_view DeviceStateName(DeviceState state) noexcept
{
    constexpr std::array<std::string_view, 5> NAMES{"waiting", "opening", "ready", "busy", "retired"};
    return NAMES[static_cast<size_t>(state)];
}

/** A device's way to a parameter set. */
enum class SetState {
    READY,
    PREPARING,
    UNUSABLE, //!< for good
};

/** A backend other than the CPU, with a life of its own. Its roots are a proposal: one that is not PK.root is computed again on the CPU,
 *  and a device that was wrong gets no further work (see verifier.h). It gets a whole batch, or its share of one, in one call and splits it
 *  according to its own limits. */
class RootDevice : public RootBackend
{
public:
    [[nodiscard]] virtual DeviceState State() const noexcept = 0;

    /** Begin to open it, if that has not begun. */
    virtual void Open() noexcept {}

    /** Begin to make it ready for a set, if that has not begun and it has nothing else to do. */
    [[nodiscard]] virtual SetState PrepareSet(ParameterSet set) noexcept = 0;

    /** Its pace, which decides its share of a batch; from any thread. Nothing if it is not measured yet, or the device is retired. */
    [[nodiscard]] virtual std::optional<Pace> MeasuredPace() const noexcept = 0;

    /** Give it no more work, because it was wrong or failed. From now on its state is RETIRED, even if a call is under way.
     *  @return true the first time */
    virtual bool Retire() noexcept = 0;

    /** The process that runs its driver. */
    [[nodiscard]] virtual DriverProcess Process() const { return {}; }
};

/** The backends of a context. */
struct Backends {
    std::shared_ptr<RootBackend> cpu;    //!< never null: eager checks, and the final verdict on everything
    std::vector<std::shared_ptr<RootDevice>> devices{}; //!< may be empty, none is null; more than one only if device_only
    bool device_only{false};             //!< devices were named: batches go there whenever one is ready
};

/** The time in which a program must have said who it is and listed its devices. Some need many seconds on a machine full of GPUs. */
inline constexpr std::chrono::milliseconds LISTING_LIMIT{30'000};
/** The time in which a device must be ready, that of its listing and of all known answers included; then the same for each further
 *  parameter set. Drivers compile meanwhile. */
inline constexpr std::chrono::milliseconds OPENING_LIMIT{120'000};

/** Options of a device backend. */
struct DeviceOptions {
    std::shared_ptr<const Logger> logger; //!< never null
    std::string cache_dir{};              //!< for pipeline caches; empty: keep nothing on disk
    std::string program{};                //!< that runs drivers; empty: see FindDeviceProgram()
    std::chrono::milliseconds listing_limit{LISTING_LIMIT};
    std::shared_ptr<ThreadPool> pool{};   //!< fills what is uploaded, together with the caller; null: the caller alone
};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_BACKEND_H
