// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/cpu/kernel_splitter.h>

#include <pqc/slhdsa/params.h>

#include <algorithm>
#include <array>

namespace slhc::slhdsa::lanes {
namespace {

/** Up to so many chains are divided between the kernels one by one; of more, hardly any lane stays empty. */
constexpr size_t FEW_CHAINS{16 * LEN};

} // namespace

size_t KernelSplitter::WideItems(size_t n) const
{
    const size_t rest{n % m_wide.lanes};
    return m_narrow && rest <= m_costs.group ? n - rest : n;
}

void KernelSplitter::Chains(std::span<const ChainKey> keys, std::span<const ChainItem> items) const
{
    if (m_narrow && items.size() <= FEW_CHAINS) {
        ChainsOfFewSignatures(keys, items);
    } else {
        m_wide.chains(keys.data(), items.data(), items.size());
    }
}

/** A group of lanes costs as much as its longest chain, whatever the others are; with SHA instructions every hash costs
 *  the same. So which is better depends on the lengths: find the cheapest way to cut the sorted row of chains
 *  into groups, pairs of groups and single chains, from its end. */
void KernelSplitter::ChainsOfFewSignatures(std::span<const ChainKey> keys, std::span<const ChainItem> items) const
{
    const size_t n{items.size()};
    std::array<size_t, FEW_CHAINS + 1> cost; // of items[i..n), in hashes with SHA instructions
    std::array<uint8_t, FEW_CHAINS> groups;  // how many groups begin at i, if i begins anything
    cost[n] = 0;
    for (size_t i{n}; i-- > 0;) {
        const size_t length{items[i].end > items[i].begin ? size_t{items[i].end} - items[i].begin : 0};
        const size_t choices[]{
            length + cost[i + 1],
            length * m_costs.group + cost[std::min(i + m_wide.lanes, n)],
            length * m_costs.two_groups + cost[std::min(i + 2 * m_wide.lanes, n)],
        };
        const size_t* const best{std::ranges::min_element(choices)};
        cost[i] = *best;
        groups[i] = static_cast<uint8_t>(best - choices);
    }

    std::array<ChainItem, FEW_CHAINS> narrow;
    size_t n_narrow{0};
    for (size_t i{0}; i < n;) {
        if (groups[i] == 0) {
            narrow[n_narrow++] = items[i++];
        } else {
            const size_t size{std::min(groups[i] * m_wide.lanes, n - i)};
            m_wide.chains(keys.data(), &items[i], size);
            i += size;
        }
    }
    m_narrow->chains(keys.data(), narrow.data(), n_narrow);
}

void KernelSplitter::Paths(std::span<const PathItem> items, PathShape shape) const
{
    const size_t wide{WideItems(items.size())};
    m_wide.paths(items.data(), wide, shape);
    if (wide < items.size()) m_narrow->paths(items.data() + wide, items.size() - wide, shape);
}

void KernelSplitter::Messages(std::span<const MessageItem> items, size_t n_blocks) const
{
    const size_t wide{WideItems(items.size())};
    m_wide.messages(items.data(), wide, n_blocks);
    if (wide < items.size()) m_narrow->messages(items.data() + wide, items.size() - wide, n_blocks);
}

} // namespace slhc::slhdsa::lanes
