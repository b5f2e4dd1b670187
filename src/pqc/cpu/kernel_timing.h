// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_CPU_KERNEL_TIMING_H
#define SLHCONSENSUS_PQC_CPU_KERNEL_TIMING_H

#include <pqc/cpu/kernel_splitter.h>
#include <pqc/cpu/kernels.h>

#include <chrono>
#include <cstddef>

/** Measurements for the choice between kernels. Their work is bounded, since every process that verifies anything begins with them. Speed
 *  depends on their outcome, results never do. */
namespace slhc::slhdsa::lanes {

/** The time since some moment. */
using KernelClock = std::chrono::nanoseconds (*)();
[[nodiscard]] std::chrono::nanoseconds SteadyTime();

/** The times that two tables of kernels took for the same chains. */
struct ChainTimes {
    std::chrono::nanoseconds first;
    std::chrono::nanoseconds second;
};

/** Time two tables of kernels with n chains that start together. They take turns, and the shortest run of each counts, as others may use
 *  the machine too. A table that falls far behind is not run again.
 *  @param[in] n  at most MAX_TIMED_CHAINS */
[[nodiscard]] ChainTimes CompareChains(const Kernels& first, const Kernels& second, size_t n, KernelClock clock = SteadyTime);

inline constexpr size_t MAX_TIMED_CHAINS{64};
/** The most hashes that CompareChains computes with each table, for each chain; and with one that is far behind. */
inline constexpr size_t MAX_TIMED_HASHES{42};
inline constexpr size_t MAX_TIMED_HASHES_BEHIND{2};

/** Compare the two tables of a pair. */
[[nodiscard]] SplitCosts MeasureSplitCosts(const Kernels& wide, const Kernels& narrow, KernelClock clock = SteadyTime);

} // namespace slhc::slhdsa::lanes

#endif // SLHCONSENSUS_PQC_CPU_KERNEL_TIMING_H
