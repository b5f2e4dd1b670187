// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_VERIFIER_H
#define SLHCONSENSUS_PQC_VERIFIER_H

#include <pqc/backend.h>
#include <pqc/batch_sharer.h>
#include <pqc/check.h>
#include <pqc/cpu_verifier.h>
#include <pqc/device_verifier.h>
#include <pqc/pace.h>
#include <util/log.h>
#include <util/threadpool.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace slhc::slhdsa {

/** The work of one backend since its verifier was created. */
struct BackendStatistics {
    std::string name;
    bool is_device;
    bool ready;             //!< would take work now
    bool retired;           //!< a device that was wrong, failed too often or could not be opened: it gets no more work
    std::string state;      //!< see DeviceStateName()
    DriverProcess process;  //!< that runs a device's driver
    uint64_t calls;         //!< calls of ComputeRoots
    uint64_t jobs;          //!< signatures in these calls
    uint64_t failed_calls;  //!< calls that ended in BackendStatus::FAILED or REOPENS, or an exception
    uint64_t wrong_roots;   //!< roots of a device for which the CPU computed another value
};

/** Verifies SLH-DSA signatures with the backends of a context, one now or many together. Safe to use from several threads at once; holds no
 *  lock during a computation.
 *
 *  A device computes, the CPU judges: PK.root is compared here, and if a device's root differs from it, the CPU verifies the signature
 *  again and has the final word; if the device was wrong, the CPU also verifies all others of that call. So a device that is wrong, lost,
 *  late or out of memory costs time but never changes a verdict: it is retired or opened again, logged and counted. While a device is
 *  serving another call, the others and the CPU work without it. Devices that were named get every signature of a batch; a device that
 *  nobody named gets a share if that ends the batch sooner. Shares follow from paces (pace.h). */
class Verifier final
{
public:
    using DeviceShare = BatchSharer::DeviceShare;

    /** @param[in] share  for tests: decides instead of the paces */
    Verifier(Backends backends, std::shared_ptr<ThreadPool> pool, std::shared_ptr<const Logger> logger, DeviceShare share = {});

    /** Give every check its verdict, on all threads of the pool and on the devices.
     *  @pre  checks.size() == verdicts.size(); any size, even 0
     *  @return false if the pool was interrupted: verdicts that are not NONE are right, the others were not reached
     *  @throws std::bad_alloc; the same holds for the verdicts */
    [[nodiscard]] bool VerifyMany(std::span<const CheckView> checks, std::span<Verdict> verdicts);

    /** Verify one signature on the CPU in the calling thread; never waits for a device or a worker. */
    [[nodiscard]] bool VerifyNow(const CheckView& check) const;

    /** Give every check its verdict, on the CPU and in the calling thread; never waits for a device or a worker.
     *  @pre  checks.size() == verdicts.size()
     *  @throws std::bad_alloc; verdicts then say nothing */
    void VerifyHere(std::span<const CheckView> checks, std::span<Verdict> verdicts) const;

    /** The number of checks that a thread takes from a batch that is not complete yet. They fill the lanes of every engine. With more,
     *  other threads would wait at the end for work that they cannot share. */
    static constexpr size_t JOBS_AHEAD{16};

    /** True if the CPU has a part in batches, false if devices get every signature. */
    [[nodiscard]] bool CpuTakesPart() const { return !m_device_only; }

    /** The CPU's pace with all threads of the pool, learned from batches that begin while no thread is in VerifyHere(); nothing before the
     *  first one. */
    [[nodiscard]] std::optional<Pace> CpuPace() const { return m_cpu.MeasuredPace(); }

    /** The CPU backend, then the devices. */
    [[nodiscard]] std::vector<BackendStatistics> Statistics() const;

    [[nodiscard]] ThreadPool& Pool() const { return *m_pool; }

private:
    bool VerifyAlike(std::span<const CheckView> checks, std::span<Verdict> verdicts);

    const std::shared_ptr<ThreadPool> m_pool;
    const bool m_device_only;
    mutable CpuVerifier m_cpu; //!< it counts
    const BatchSharer m_sharer;
    std::deque<DeviceVerifier> m_devices; //!< in the order of Backends
};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_VERIFIER_H
