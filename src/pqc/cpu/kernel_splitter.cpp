// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/cpu/kernel_splitter.h>

#include <algorithm>
#include <array>

namespace slhc::slhdsa::lanes {
namespace {

/** Up to this many chains are divided between the kernels one by one; more of them leave hardly any lane empty. */
constexpr size_t FEW_CHAINS{560};

size_t Length(const ChainItem& item) { return item.end > item.begin ? size_t{item.end} - item.begin : 0; }

size_t Hashes(std::span<const ChainItem> items)
{
    size_t hashes{0};
    for (const ChainItem& item : items) hashes += Length(item);
    return hashes;
}

} // namespace

size_t KernelSplitter::WideItems(size_t n) const
{
    const size_t rest{n % m_wide.lanes};
    return m_narrow && rest <= m_costs.group ? n - rest : n;
}

void KernelSplitter::Chains(std::span<const ChainKey> keys, std::span<const ChainItem> items) const
{
    Fold fold{BestFold(m_wide.folded, m_costs.group, items)};
    const Fold side_by_side{BestFold(m_wide.folded_side_by_side, m_costs.two_groups, items)};
    if (side_by_side.kernel && (!fold.kernel || side_by_side.cost < fold.cost)) fold = side_by_side;
    if (fold.kernel) {
        fold.kernel->chains(keys.data(), items.data(), fold.n);
        if (fold.n < items.size()) m_narrow->chains(keys.data(), items.data() + fold.n, items.size() - fold.n);
    } else if (m_narrow && items.size() <= FEW_CHAINS) {
        ChainsOfFewSignatures(keys, items);
    } else {
        m_wide.chains(keys.data(), items.data(), items.size());
    }
}

/** The number of items that are best folded into rows of lanes, and the cost of that with the rest, which the narrow kernels take: in their
 *  hashes. */
KernelSplitter::Fold KernelSplitter::BestFold(const FoldedKernel& kernel, size_t step_cost, std::span<const ChainItem> items) const
{
    if (kernel.chains == nullptr || items.size() > FOLDED_ROWS * kernel.lanes) return {};
    if (!items.empty() && Length(items.front()) > MAX_FOLDED_STEPS) return {};
    std::array<size_t, 2 * MAX_LANES> steps{};
    size_t longest{0}, left{Hashes(items)};
    Fold best{.kernel = m_narrow ? &kernel : nullptr, .n = 0, .cost = left};
    for (size_t begin{0}; begin < items.size(); begin += kernel.lanes) {
        const size_t end{std::min(begin + kernel.lanes, items.size())};
        const bool backwards{begin / kernel.lanes % 2 == 1};
        for (size_t i{begin}; i < end; ++i) {
            size_t& lane{steps[backwards ? begin + kernel.lanes - 1 - i : i - begin]};
            lane += Length(items[i]);
            longest = std::max(longest, lane);
            left -= Length(items[i]);
        }
        const size_t cost{step_cost * longest + left};
        if (m_narrow ? cost < best.cost : end == items.size()) best = {.kernel = &kernel, .n = end, .cost = cost};
    }
    return best;
}

/** A group of lanes costs as much as its longest chain, whatever the others are; with SHA instructions every hash costs
 *  the same. So the lengths decide which is better: find the cheapest way to cut the sorted row of chains into groups, pairs of groups and
 *  single chains, from its end. */
void KernelSplitter::ChainsOfFewSignatures(std::span<const ChainKey> keys, std::span<const ChainItem> items) const
{
    const size_t n{items.size()};
    std::array<size_t, FEW_CHAINS + 1> cost; // of items[i..n), in hashes with SHA instructions
    std::array<uint8_t, FEW_CHAINS> groups;  // how many groups begin at i, if i begins anything
    cost[n] = 0;
    for (size_t i{n}; i-- > 0;) {
        const size_t length{Length(items[i])};
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

bool KernelSplitter::Keys(std::span<const KeyItem> items, KeyShape shape) const
{
    if (!m_wide.keys) return false;
    m_wide.keys(items.data(), items.size(), shape);
    return true;
}

void KernelSplitter::Messages(std::span<const MessageItem> items, size_t n_blocks) const
{
    const size_t wide{WideItems(items.size())};
    m_wide.messages(items.data(), wide, n_blocks);
    if (wide < items.size()) m_narrow->messages(items.data() + wide, items.size() - wide, n_blocks);
}

} // namespace slhc::slhdsa::lanes
