// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/cpu/kernel_timing.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ostream>
#include <vector>

using namespace slhc::slhdsa::lanes;
using namespace std::chrono_literals;

/** Time decides which kernels are chosen, so the clock is a fake: nothing depends on the machine. */
namespace {

std::chrono::nanoseconds g_now;
size_t g_calls;
size_t g_interrupted_call; //!< counted from 1
size_t g_looked_at_clock;

std::chrono::nanoseconds FakeTime()
{
    ++g_looked_at_clock;
    return g_now;
}

/** Kernels that let STEP_NS pass for a step of LANES lanes. */
template <size_t LANES, int STEP_NS>
struct Fake {
    static inline size_t s_hashes{0};

    static void Chains(const ChainKey*, const ChainItem* items, size_t n)
    {
        for (size_t i{0}; i < n; ++i) s_hashes += items[i].end - items[i].begin;
        for (size_t i{0}; i < n; i += LANES) g_now += (items[i].end - items[i].begin) * std::chrono::nanoseconds{STEP_NS};
        if (++g_calls == g_interrupted_call) g_now += 4ms;
    }
    static constexpr Kernels KERNELS{LANES, 1, Chains, nullptr, nullptr};
};

void Reset(size_t interrupted_call = 0)
{
    g_now = 1h;
    g_calls = 0;
    g_interrupted_call = interrupted_call;
    g_looked_at_clock = 0;
}

/** The numbers of items that a splitter sends to each kernel. */
struct Sent {
    size_t in_groups{0}, folded{0}, folded_side_by_side{0}, narrow{0};

    bool operator==(const Sent&) const = default;
    friend std::ostream& operator<<(std::ostream& out, const Sent& s)
    {
        return out << s.in_groups << " in groups, " << s.folded << " folded, " << s.folded_side_by_side << " folded side by side, "
                   << s.narrow << " narrow";
    }
};
Sent g_sent;

template <size_t Sent::* COUNT>
void Count(const ChainKey*, const ChainItem*, size_t n)
{
    g_sent.*COUNT += n;
}

constexpr Kernels FOLDING{
    16, 1, Count<&Sent::in_groups>, nullptr, nullptr, nullptr, {16, Count<&Sent::folded>}, {32, Count<&Sent::folded_side_by_side>}};
constexpr Kernels NARROW{4, 1, Count<&Sent::narrow>, nullptr, nullptr};

/** The distribution of chains of those lengths. */
Sent Split(const KernelSplitter& splitter, const std::vector<uint8_t>& lengths)
{
    std::vector<ChainItem> items;
    for (const uint8_t length : lengths) items.push_back({0, 0, static_cast<uint8_t>(MAX_FOLDED_STEPS - length), MAX_FOLDED_STEPS});
    std::ranges::sort(items, {}, &ChainItem::begin);
    g_sent = {};
    splitter.Chains({}, items);
    return g_sent;
}

using OneOf16 = Fake<16, 176>;   // 11 ns a hash
using OneOf8 = Fake<8, 80>;      // 10 ns a hash
using OneByOne = Fake<1, 22>;
using Slow = Fake<8, 8 * 4'300>; // the time of SHA instructions among vector instructions on Sapphire Rapids

template <class First, class Second>
ChainTimes Compare(size_t n)
{
    First::s_hashes = Second::s_hashes = 0;
    return CompareChains(First::KERNELS, Second::KERNELS, n, FakeTime);
}

} // namespace

BOOST_AUTO_TEST_SUITE(kernel_timing_tests)

BOOST_AUTO_TEST_CASE(the_shorter_time_is_found_with_bounded_work)
{
    Reset();
    const ChainTimes times{Compare<OneOf8, OneOf16>(MAX_TIMED_CHAINS)};
    BOOST_CHECK_EQUAL(times.first.count() * 11, times.second.count() * 10);
    BOOST_CHECK_EQUAL(OneOf8::s_hashes, MAX_TIMED_CHAINS * MAX_TIMED_HASHES);
    BOOST_CHECK_EQUAL(OneOf16::s_hashes, MAX_TIMED_CHAINS * MAX_TIMED_HASHES);
    BOOST_CHECK_LE(2 * OneOf8::s_hashes, 5'500U); // about 60 us
}

BOOST_AUTO_TEST_CASE(what_is_far_behind_is_not_timed)
{
    Reset();
    const auto begin{g_now};
    const ChainTimes times{Compare<Slow, OneOf16>(MAX_TIMED_CHAINS)};
    BOOST_CHECK(times.second < times.first);
    BOOST_CHECK_EQUAL(Slow::s_hashes, MAX_TIMED_CHAINS * MAX_TIMED_HASHES_BEHIND);
    BOOST_CHECK(g_now - begin < 1ms);

    const ChainTimes swapped{Compare<OneOf16, Slow>(MAX_TIMED_CHAINS)};
    BOOST_CHECK(swapped.first < swapped.second);
    BOOST_CHECK_EQUAL(Slow::s_hashes, MAX_TIMED_CHAINS * MAX_TIMED_HASHES_BEHIND);
}

BOOST_AUTO_TEST_CASE(one_interruption_changes_nothing)
{
    Reset();
    const ChainTimes undisturbed{Compare<OneOf8, OneOf16>(MAX_TIMED_CHAINS)};
    const size_t calls{g_calls};
    for (size_t call{1}; call <= calls; ++call) {
        Reset(call);
        const ChainTimes times{Compare<OneOf8, OneOf16>(MAX_TIMED_CHAINS)};
        BOOST_CHECK_MESSAGE(times.first == undisturbed.first && times.second == undisturbed.second, "call " << call);
        BOOST_CHECK_EQUAL(g_calls, calls);
    }
}

BOOST_AUTO_TEST_CASE(pair_costs)
{
    const auto hashes{[] { return OneOf16::s_hashes + OneOf8::s_hashes + OneByOne::s_hashes + Slow::s_hashes; }};
    Reset();
    const size_t before{hashes()};
    const SplitCosts costs{MeasureSplitCosts(OneOf16::KERNELS, OneByOne::KERNELS, FakeTime)};
    BOOST_CHECK_EQUAL(costs.group, 8U);
    BOOST_CHECK_EQUAL(costs.two_groups, 16U);
    BOOST_CHECK_LE(hashes() - before, 2 * (16 + 32) * MAX_TIMED_HASHES);
    BOOST_CHECK_LE(hashes() - before, 4'100U); // about 60 us
    // A group never costs nothing, nor more than doing its hashes one by one.
    const SplitCosts narrow_is_slow{MeasureSplitCosts(OneOf16::KERNELS, Slow::KERNELS, FakeTime)};
    BOOST_CHECK_EQUAL(narrow_is_slow.group, 1U);
    BOOST_CHECK_EQUAL(narrow_is_slow.two_groups, 1U);
    const SplitCosts wide_is_slow{MeasureSplitCosts(Slow::KERNELS, OneByOne::KERNELS, FakeTime)};
    BOOST_CHECK_EQUAL(wide_is_slow.group, 8U);
    BOOST_CHECK_EQUAL(wide_is_slow.two_groups, 16U);
    // A clock that stands still does no harm.
    const SplitCosts unknown{MeasureSplitCosts(OneOf16::KERNELS, OneByOne::KERNELS, [] { return 0ns; })};
    BOOST_CHECK_EQUAL(unknown.group, 1U);
    BOOST_CHECK_EQUAL(unknown.two_groups, 1U);
}

/** Few chains are folded into the lanes that are done first, and the rest, which would keep them waiting, goes to the narrow kernels. */
BOOST_AUTO_TEST_CASE(few_chains_are_folded)
{
    const KernelSplitter pair{FOLDING, NARROW, {.group = 8, .two_groups = 12}}, alone{FOLDING};
    // One signature: two rows, the longest and the shortest in a lane, 15 steps; the third would add one for two hashes.
    std::vector<uint8_t> one{1, 1, 0};
    for (uint8_t i{0}; i < 16; ++i) one.insert(one.end(), {static_cast<uint8_t>(15 - i / 2), static_cast<uint8_t>(i / 2)});
    BOOST_CHECK_EQUAL(Split(pair, one), (Sent{.folded = 32, .narrow = 3}));
    BOOST_CHECK_EQUAL(Split(alone, one), (Sent{.folded = 35}));
    // Two: 30 steps of 16 lanes cost 240, 15 of 32 lanes 180.
    std::vector<uint8_t> two{one};
    two.insert(two.end(), one.begin(), one.end());
    BOOST_CHECK_EQUAL(Split(pair, two), (Sent{.folded_side_by_side = 64, .narrow = 6}));
    const KernelSplitter no_gain{FOLDING, NARROW, {.group = 8, .two_groups = 17}};
    BOOST_CHECK_EQUAL(Split(no_gain, two), (Sent{.folded = 64, .narrow = 6}));
    // Nothing to do, or next to nothing.
    BOOST_CHECK_EQUAL(Split(pair, {}), Sent{});
    BOOST_CHECK_EQUAL(Split(alone, {}), Sent{});
    BOOST_CHECK_EQUAL(Split(pair, std::vector<uint8_t>(35, 0)), (Sent{.narrow = 35}));
    BOOST_CHECK_EQUAL(Split(pair, std::vector<uint8_t>(7, 15)), (Sent{.narrow = 7}));
    BOOST_CHECK_EQUAL(Split(pair, std::vector<uint8_t>(9, 15)), (Sent{.folded = 9}));
    // As many as fit, and one more.
    const size_t most{FOLDED_ROWS * 32};
    BOOST_CHECK_EQUAL(Split(pair, std::vector<uint8_t>(most, 15)), (Sent{.folded_side_by_side = most}));
    BOOST_CHECK_EQUAL(Split(alone, std::vector<uint8_t>(most, 15)), (Sent{.folded_side_by_side = most}));
    BOOST_CHECK_EQUAL(Split(alone, std::vector<uint8_t>(most + 1, 15)), (Sent{.in_groups = most + 1}));
    BOOST_CHECK_EQUAL(Split(pair, std::vector<uint8_t>(most + 1, 15)), (Sent{.in_groups = most, .narrow = 1}));
    const size_t most_of_one{FOLDED_ROWS * 16};
    BOOST_CHECK_EQUAL(Split(no_gain, std::vector<uint8_t>(most_of_one, 15)), (Sent{.folded = most_of_one}));
    BOOST_CHECK_EQUAL(Split(no_gain, std::vector<uint8_t>(most_of_one + 1, 15)), (Sent{.folded_side_by_side = most_of_one, .narrow = 1}));
}

/** A splitter does not measure: it is given its costs. */
BOOST_AUTO_TEST_CASE(making_a_pair_computes_nothing)
{
    Reset();
    const KernelSplitter splitter{OneOf16::KERNELS, OneByOne::KERNELS, {.group = 8, .two_groups = 16}};
    BOOST_CHECK_EQUAL(splitter.CohortSize(), OneOf16::KERNELS.cohort);
    BOOST_CHECK_EQUAL(g_calls, 0U);
    BOOST_CHECK_EQUAL(g_looked_at_clock, 0U);
}

BOOST_AUTO_TEST_SUITE_END()
