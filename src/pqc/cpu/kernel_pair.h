// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_CPU_KERNEL_PAIR_H
#define SLHCONSENSUS_PQC_CPU_KERNEL_PAIR_H

#include <pqc/cpu/kernels.h>

#include <span>

namespace slhc::slhdsa::lanes {

/** Wide vectors for many items, SHA instructions for the few that would leave most lanes empty. */
class KernelPair
{
public:
    /** @param[in] narrow  null: wide does it all */
    explicit KernelPair(const Kernels& wide, const Kernels* narrow = nullptr) : m_wide{wide}, m_narrow{narrow} {}

    /** @param[in] items  fastest if sorted by `begin` */
    void Chains(std::span<const ChainKey> keys, std::span<const ChainItem> items) const
    {
        const size_t wide{WideItems(items.size())};
        m_wide.chains(keys.data(), items.data(), wide);
        if (wide < items.size()) m_narrow->chains(keys.data(), items.data() + wide, items.size() - wide);
    }

    void Paths(std::span<const PathItem> items, PathShape shape) const
    {
        const size_t wide{WideItems(items.size())};
        m_wide.paths(items.data(), wide, shape);
        if (wide < items.size()) m_narrow->paths(items.data() + wide, items.size() - wide, shape);
    }

    void Messages(std::span<const MessageItem> items, size_t n_blocks) const
    {
        const size_t wide{WideItems(items.size())};
        m_wide.messages(items.data(), wide, n_blocks);
        if (wide < items.size()) m_narrow->messages(items.data() + wide, items.size() - wide, n_blocks);
    }

private:
    /** How many of n items go to the wide kernels. */
    size_t WideItems(size_t n) const
    {
        const size_t rest{n % m_wide.lanes};
        return m_narrow && rest <= m_wide.narrow_limit ? n - rest : n;
    }

    const Kernels& m_wide;
    const Kernels* const m_narrow;
};

} // namespace slhc::slhdsa::lanes

#endif // SLHCONSENSUS_PQC_CPU_KERNEL_PAIR_H
