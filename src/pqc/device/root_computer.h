// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_DEVICE_ROOT_COMPUTER_H
#define SLHCONSENSUS_PQC_DEVICE_ROOT_COMPUTER_H

#include <pqc/backend.h>
#include <pqc/device/link.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace slhc::slhdsa {

/** How long a device may take for the entries of a slot before it counts as hung. */
struct TimeLimits {
    std::chrono::nanoseconds least;    //!< whatever the number of entries
    std::chrono::nanoseconds round{0}; //!< for each filling of the device, see DeviceLink::FullLayout

    /** @param[in] entries      at least 1
     *  @param[in] full_layout  entries of a round, at least 1 */
    [[nodiscard]] std::chrono::nanoseconds For(size_t entries, size_t full_layout) const noexcept;
};

/** Computes roots on a device: cuts the jobs into chunks that fit its slots, fills one slot while the device works on others, and removes
 *  the masks from the results. Not thread-safe. */
class RootComputer
{
public:
    RootComputer(std::shared_ptr<DeviceLink> link, const TimeLimits& limits);

    /** After any result other than OK, the device is not used again: its link is abandoned and every later call returns the same result.
     *  @pre  jobs.size() == roots.size(); any size, 0 too
     *  @throws std::system_error if the system provides no random bytes; std::bad_alloc */
    [[nodiscard]] LinkStatus Compute(std::span<const RootJob> jobs, std::span<Root> roots);

    /** The most jobs that a device takes in one go. */
    [[nodiscard]] size_t Capacity() const noexcept { return m_link->Capacity(); }

    /** See DeviceLink::FullLayout. */
    [[nodiscard]] size_t FullLayout() const noexcept { return m_link->FullLayout(); }

private:
    /** What a slot is working on. */
    struct Flight {
        size_t begin{0};
        size_t count{0}; //!< 0: nothing
        std::vector<Root> masks;
    };

    LinkStatus ComputeChunks(std::span<const RootJob> jobs, std::span<Root> roots);
    LinkStatus Launch(size_t slot, size_t begin, std::span<const RootJob> jobs);
    LinkStatus Land(size_t slot, std::span<Root> roots);

    const std::shared_ptr<DeviceLink> m_link;
    const TimeLimits m_limits;
    std::vector<Flight> m_flights; //!< one per slot
    LinkStatus m_status{LinkStatus::OK};
};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_DEVICE_ROOT_COMPUTER_H
