// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_VERIFIER_H
#define SLHCONSENSUS_PQC_VERIFIER_H

#include <pqc/backend.h>
#include <pqc/check.h>
#include <pqc/pace.h>
#include <util/log.h>
#include <util/threadpool.h>

#include <atomic>
#include <cstdint>
#include <functional>
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
    std::string state;      //!< see RootBackend::StateName()
    DriverProcess process;  //!< that runs a device's driver
    uint64_t calls;         //!< calls of ComputeRoots
    uint64_t jobs;          //!< signatures in these calls
    uint64_t failed_calls;  //!< calls that ended in BackendStatus::FAILED or REOPENS, or an exception
    uint64_t wrong_roots;   //!< roots of a device for which the CPU computed another value
};

/** A range of jobs. */
struct Chunk {
    size_t begin;
    size_t size;
};

/** Cut n jobs into chunks for a number of threads, none of more than `preferred` jobs: large ones first, smaller ones
 *  towards the end, so that threads finish together, equally fast ones with ⌈n / threads⌉ jobs at most.
 *  @return the chunks in order; together they cover all n jobs */
[[nodiscard]] std::vector<Chunk> CutChunks(size_t n, unsigned threads, size_t preferred);

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
    /** Smaller batches end at once and say nothing about larger ones: they open no device that nobody named, give it no share, and do not
     *  correct the CPU's pace. */
    static constexpr size_t LEAST_TELLING{16};
    /** A device that nobody named gets a share only if the batch is expected to take at most this part of the CPU's time: two measurements
     *  may differ by less. */
    static constexpr double WORTHWHILE{0.95};

    /** The number of n signatures that go to the devices; the CPU verifies the others at the same time. Any answer is correct (more than n
     *  counts as n). Called from any thread. */
    using DeviceShare = std::function<size_t(size_t n)>;

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
    [[nodiscard]] std::optional<Pace> CpuPace() const { return m_cpu_pace.Get(); }

    /** The CPU backend, then the devices. */
    [[nodiscard]] std::vector<BackendStatistics> Statistics() const;

    [[nodiscard]] ThreadPool& Pool() const { return *m_pool; }

private:
    struct Counters {
        std::atomic<uint64_t> calls{0};
        std::atomic<uint64_t> jobs{0};
        std::atomic<uint64_t> failed_calls{0};
        std::atomic<uint64_t> wrong_roots{0};
    };

    /** A device and what it has done. */
    struct Device {
        std::shared_ptr<RootBackend> backend;
        std::atomic<bool> retired{false};
        Counters counters;
    };

    /** Neighbouring checks of a batch, for a device or for the CPU. */
    struct Part {
        Device* device; //!< null: the CPU
        size_t begin;
        size_t size;
    };

    std::vector<size_t> DeviceParts(size_t n, ParameterSet set, std::vector<Pace> paces) const;
    std::vector<Part> CutParts(size_t n, ParameterSet set);
    BackendStatus Compute(RootBackend& backend, Counters& counters, std::span<const RootJob> jobs, std::span<Root> roots) const;
    void ComputeOnCpu(std::span<const RootJob> jobs, std::span<Root> roots) const;
    void VerifyAlikeHere(std::span<const CheckView> checks, std::span<Verdict> verdicts) const;
    bool VerifyAlike(std::span<const CheckView> checks, std::span<Verdict> verdicts);
    bool VerifyOnCpu(std::span<const CheckView> checks, std::span<Verdict> verdicts);
    bool RunInChunks(size_t n, size_t preferred, const std::function<void(size_t begin, size_t end)>& f) const;
    bool VerifyAgain(Device& device, std::span<const size_t> indexes, std::span<const CheckView> checks, std::span<const RootJob> jobs,
                     std::span<const Root> roots, std::span<Verdict> verdicts, std::atomic<uint64_t>& wrong) const;
    bool Judge(Device& device, std::span<const CheckView> checks, std::span<const RootJob> jobs, std::span<const Root> roots,
               std::span<Verdict> verdicts);
    bool VerifyOnDevice(Device& device, std::span<const CheckView> checks, std::span<Verdict> verdicts);
    void Retire(Device& device, const std::function<std::string()>& reason);

    const std::shared_ptr<RootBackend> m_cpu;
    std::vector<Device> m_devices; //!< never resized
    const bool m_device_only;
    const std::shared_ptr<ThreadPool> m_pool;
    const std::shared_ptr<const Logger> m_logger;
    const DeviceShare m_share;
    LearnedPace m_cpu_pace; //!< of all threads
    const std::unique_ptr<RootBackend> m_portable; //!< in case a CPU engine fails
    mutable std::atomic<size_t> m_here{0};         //!< threads in VerifyHere()
    mutable Counters m_cpu_counters;
};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_VERIFIER_H
