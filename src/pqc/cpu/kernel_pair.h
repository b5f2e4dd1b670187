// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_CPU_KERNEL_PAIR_H
#define SLHCONSENSUS_PQC_CPU_KERNEL_PAIR_H

#include <pqc/cpu/kernels.h>

#include <chrono>
#include <cstddef>
#include <span>

namespace slhc::slhdsa::lanes {

/** The time that kernels take for n whole chains; the shortest of some, as others may use the machine too. */
[[nodiscard]] std::chrono::nanoseconds TimeChains(const Kernels& kernels, size_t n);

/** Wide vectors for many items, SHA instructions for the few that would leave most lanes empty. */
class KernelPair
{
public:
    /** One engine for everything. */
    explicit KernelPair(const Kernels& wide) : m_wide{wide}, m_narrow{nullptr} {}

    /** Measures once, for some ten microseconds, how the two compare on this machine. Results never depend on it. */
    KernelPair(const Kernels& wide, const Kernels& narrow);

    /** How many signatures to verify together. */
    [[nodiscard]] size_t PoolSize() const { return m_wide.pool; }

    /** @param[in] items  sorted by length, the longest first */
    void Chains(std::span<const ChainKey> keys, std::span<const ChainItem> items) const;
    void Paths(std::span<const PathItem> items, PathShape shape) const;
    void Messages(std::span<const MessageItem> items, size_t n_blocks) const;

private:
    /** How many of n items, all of the same length, go to the wide kernels: the full groups, and what is left if it is
     *  not too little. */
    [[nodiscard]] size_t WideItems(size_t n) const;
    void ChainsOfFewSignatures(std::span<const ChainKey> keys, std::span<const ChainItem> items) const;

    const Kernels& m_wide;
    const Kernels* m_narrow; //!< null: none
    // Hashes that m_narrow does while m_wide takes one step of all its lanes, once and twice side by side.
    size_t m_group_cost{0};
    size_t m_pair_cost{0};
};

} // namespace slhc::slhdsa::lanes

#endif // SLHCONSENSUS_PQC_CPU_KERNEL_PAIR_H
