// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_CPU_KERNEL_SPLITTER_H
#define SLHCONSENSUS_PQC_CPU_KERNEL_SPLITTER_H

#include <pqc/cpu/kernels.h>

#include <cstddef>
#include <span>

namespace slhc::slhdsa::lanes {

/** A comparison of two tables of kernels: the hashes that the narrow one does while the wide one takes one step of all its lanes, once and
 *  twice side by side. */
struct SplitCosts {
    size_t group;
    size_t two_groups;
};

/** Wide vectors for many items, SHA instructions for the few that would leave most lanes empty. */
class KernelSplitter
{
public:
    /** One engine for everything. */
    explicit KernelSplitter(const Kernels& wide) : m_wide{wide}, m_narrow{nullptr}, m_costs{.group = 1, .two_groups = 2} {}

    /** @param[in] costs  as MeasureSplitCosts (kernel_timing.h) found them on this machine; results never depend on them */
    KernelSplitter(const Kernels& wide, const Kernels& narrow, SplitCosts costs) : m_wide{wide}, m_narrow{&narrow}, m_costs{costs} {}

    /** The number of signatures to verify together. */
    [[nodiscard]] size_t CohortSize() const { return m_wide.cohort; }

    /** @param[in] items  sorted by length, the longest first */
    void Chains(std::span<const ChainKey> keys, std::span<const ChainItem> items) const;
    void Paths(std::span<const PathItem> items, PathShape shape) const;
    void Messages(std::span<const MessageItem> items, size_t n_blocks) const;
    /** @return false, and nothing is computed, if the wide engine has no such kernel */
    [[nodiscard]] bool Keys(std::span<const KeyItem> items, KeyShape shape) const;

private:
    /** The number of items, of n with the same length, that go to the wide kernels: the full groups, and the rest unless it is too
     *  small. */
    [[nodiscard]] size_t WideItems(size_t n) const;
    struct Fold {
        const FoldedKernel* kernel; //!< null: the items cannot be folded
        size_t n;                   //!< how many of them are
        size_t cost;
    };
    [[nodiscard]] Fold BestFold(const FoldedKernel& kernel, size_t step_cost, std::span<const ChainItem> items) const;
    void ChainsOfFewSignatures(std::span<const ChainKey> keys, std::span<const ChainItem> items) const;

    const Kernels& m_wide;
    const Kernels* m_narrow; //!< null: none
    SplitCosts m_costs;
};

} // namespace slhc::slhdsa::lanes

#endif // SLHCONSENSUS_PQC_CPU_KERNEL_SPLITTER_H
