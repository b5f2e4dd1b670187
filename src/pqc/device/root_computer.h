// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_DEVICE_ROOT_COMPUTER_H
#define SLHCONSENSUS_PQC_DEVICE_ROOT_COMPUTER_H

#include <pqc/backend.h>
#include <pqc/device/device_link.h>
#include <util/threadpool.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace slhc::slhdsa {

/** The time that a call may wait for a device before this counts as hung: a multiple of what its pace says, but hardly more than it costs
 *  to do without it. */
struct TimeLimits {
    std::chrono::nanoseconds least; //!< whatever the number of entries
    Pace allowed{.call_ns = 0, .each_ns = 0}; //!< above it; for compressions
    double cpu_ns{0};               //!< what one of the CPU's threads takes for a compression, or more

    /** How much longer than the CPU it may take in any case. */
    static constexpr std::chrono::seconds PATIENCE{3};

    [[nodiscard]] std::chrono::nanoseconds For(ParameterSet set, size_t entries) const noexcept;
};

/** Counts of a RootComputer's work. */
struct RootCounts {
    uint64_t chunks;            //!< submitted
    uint64_t overlapping;       //!< of these: while another was at work, so that filling, uploading and computing overlapped
    uint64_t entries;           //!< filled
    uint64_t filled_by_workers; //!< of these: by other threads of the pool than the caller
};

/** Computes roots on a device: cuts the jobs into chunks that fit its slots, fills some slots while the device works on others, and
 *  removes the masks from the results. Not thread-safe, but for Counts(). */
class RootComputer
{
public:
    /** The number of entries that a thread fills in one go: fewer are not worth waking another thread. */
    static constexpr size_t PIECE{16};

    RootComputer(std::shared_ptr<DeviceLink> link, const TimeLimits& limits);

    /** After any result other than OK, the device is not used again: its link is abandoned and every later call returns the same result.
     *  @param[in] pool  the threads that fill entries, together with the caller; null: the caller alone. When it is interrupted, so is
     *                   this.
     *  @pre  jobs.size() == roots.size(); any size, 0 too; all jobs have the same set, for which the device is ready
     *  @throws std::system_error if the system provides no random bytes; std::bad_alloc */
    [[nodiscard]] LinkStatus Compute(std::span<const RootJob> jobs, std::span<Root> roots, ThreadPool* pool = nullptr);

    /** The most jobs that a device takes in one go. */
    [[nodiscard]] size_t Capacity(ParameterSet set) const noexcept { return m_link->Capacity(set); }

    /** See DeviceLink::FullLayout. */
    [[nodiscard]] size_t FullLayout(ParameterSet set) const noexcept { return m_link->FullLayout(set); }

    /** The counts so far; from any thread. */
    [[nodiscard]] RootCounts Counts() const noexcept;

private:
    /** The work of a slot. */
    struct Flight {
        size_t begin{0};
        size_t count{0}; //!< 0: nothing
        std::vector<Root> masks;
    };

    LinkStatus ComputeChunks(std::span<const RootJob> jobs, std::span<Root> roots, ThreadPool* pool);
    size_t ChunksFor(ParameterSet set, size_t n) const;
    size_t InFlight() const;
    void Fill(std::span<uint8_t> entries, std::span<const RootJob> jobs, std::span<Root> masks, ThreadPool* pool);
    LinkStatus Launch(size_t slot, size_t begin, std::span<const RootJob> jobs, ThreadPool* pool);
    LinkStatus Land(size_t slot, std::span<Root> roots, std::chrono::nanoseconds& left, const ThreadPool* pool);
    LinkStatus Wait(size_t slot, std::chrono::nanoseconds& left, const ThreadPool* pool);

    const std::shared_ptr<DeviceLink> m_link;
    const TimeLimits m_limits;
    std::vector<Flight> m_flights; //!< one per slot
    LinkStatus m_status{LinkStatus::OK};

    std::atomic<uint64_t> m_chunks{0};
    std::atomic<uint64_t> m_overlapping{0};
    std::atomic<uint64_t> m_entries{0};
    std::atomic<uint64_t> m_filled_by_workers{0};
};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_DEVICE_ROOT_COMPUTER_H
