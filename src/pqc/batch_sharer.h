// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_BATCH_SHARER_H
#define SLHCONSENSUS_PQC_BATCH_SHARER_H

#include <pqc/backend.h>
#include <pqc/pace.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace slhc::slhdsa {

/** Smaller batches end at once and say nothing about larger ones: they open no device that nobody named, give it no share, and do not
 *  correct the CPU's pace. */
inline constexpr size_t LEAST_TELLING{16};

/** Shares a batch out among devices and the CPU, by their paces (pace.h), so that all end at about the same time. */
class BatchSharer
{
public:
    /** A device that nobody named gets a share only if the batch is expected to take at most this part of the CPU's time: two measurements
     *  may differ by less. */
    static constexpr double WORTHWHILE{0.95};

    /** The number of n signatures that go to the devices; the CPU verifies the others at the same time. Any answer is correct (more than n
     *  counts as n). Called from any thread. */
    using DeviceShare = std::function<size_t(size_t n)>;

    /** @param[in] device_only  see Backends
     *  @param[in] share        for tests: decides instead of the paces */
    BatchSharer(std::vector<std::shared_ptr<RootDevice>> devices, bool device_only, DeviceShare share);

    /** The devices' parts of n signatures of a set, one for each device, 0 for those that get none; the rest is the CPU's. Opens devices
     *  and makes them ready for the set, if that has not begun; meanwhile they get nothing.
     *  @param[in] cpu_pace  of all threads, for compressions; nothing: not known yet */
    [[nodiscard]] std::vector<size_t> ShareOut(size_t n, ParameterSet set, std::optional<Pace> cpu_pace) const;

private:
    std::vector<size_t> PartsByPace(size_t n, std::vector<Pace> paces, std::optional<Pace> cpu) const;

    const std::vector<std::shared_ptr<RootDevice>> m_devices;
    const bool m_device_only;
    const DeviceShare m_share;
};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_BATCH_SHARER_H
