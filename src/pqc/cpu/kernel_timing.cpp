// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/cpu/kernel_timing.h>

#include <pqc/slhdsa/params.h>
#include <util/check.h>

#include <algorithm>
#include <array>

namespace slhc::slhdsa::lanes {
namespace {

/** About half a chain, which is what most of them are. */
constexpr uint8_t STEPS{8};
constexpr int RUNS{5};
/** Single steps before that: they fetch code and data, and show which table is not worth timing. There are two, since the machine may
 *  interrupt one. */
constexpr int LOOKS{2};
/** The factor of slowness that counts as far behind. */
constexpr int FAR{8};

static_assert(MAX_TIMED_HASHES == LOOKS + RUNS * STEPS && MAX_TIMED_HASHES_BEHIND == LOOKS);

/** Chains side by side, of one key. */
class Chains
{
public:
    explicit Chains(size_t n) : m_n{n} { assert(n <= MAX_TIMED_CHAINS); }

    std::chrono::nanoseconds Time(const Kernels& kernels, uint8_t steps, KernelClock clock)
    {
        std::array<ChainItem, MAX_TIMED_CHAINS> items;
        for (size_t i{0}; i < m_n; ++i) items[i] = {0, static_cast<uint8_t>(i), 0, steps};
        const ChainKey key{&m_prefix, m_values.data(), m_values.data()};
        const auto begin{clock()};
        kernels.chains(&key, items.data(), m_n);
        return clock() - begin;
    }

private:
    const size_t m_n;
    const BlockPrefix m_prefix{};
    std::array<uint8_t, MAX_TIMED_CHAINS * N> m_values{};
};

} // namespace

std::chrono::nanoseconds SteadyTime()
{
    return std::chrono::steady_clock::now().time_since_epoch();
}

ChainTimes CompareChains(const Kernels& first, const Kernels& second, size_t n, KernelClock clock)
{
    Chains chains{n};
    const auto take_turns{[&](ChainTimes& shortest, uint8_t steps) {
        shortest.first = std::min(shortest.first, chains.Time(first, steps, clock));
        shortest.second = std::min(shortest.second, chains.Time(second, steps, clock));
    }};
    constexpr ChainTimes NOTHING{std::chrono::nanoseconds::max(), std::chrono::nanoseconds::max()};
    ChainTimes looks{NOTHING};
    for (int i{0}; i < LOOKS; ++i) take_turns(looks, 1);
    if (looks.first / FAR > looks.second || looks.second / FAR > looks.first) return looks;
    ChainTimes runs{NOTHING};
    for (int i{0}; i < RUNS; ++i) take_turns(runs, STEPS);
    return runs;
}

SplitCosts MeasureSplitCosts(const Kernels& wide, const Kernels& narrow, KernelClock clock)
{
    const auto cost{[&](size_t n) {
        const ChainTimes times{CompareChains(wide, narrow, n, clock)};
        return std::clamp<size_t>(n * times.first.count() / std::max<size_t>(times.second.count(), 1), 1, n);
    }};
    return {.group = cost(wide.lanes), .two_groups = cost(2 * wide.lanes)};
}

} // namespace slhc::slhdsa::lanes
