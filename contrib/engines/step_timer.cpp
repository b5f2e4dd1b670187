// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

/** Compares and times placements of a step for search_step.py, which compiles them. */

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include <x86intrin.h>

namespace {

// Room for what a step reads and writes; its offsets are known to place_step.py.
struct alignas(4096) Group {
    uint8_t rounds_data[3072];
    uint8_t chains[1024];
};

struct Data {
    Group a, b;
    uint32_t k[64];
    uint32_t constants[64];
};

/** A step takes as long for any data. */
Data RandomData()
{
    Data data;
    std::vector<uint32_t> words(sizeof(Data) / 4);
    std::mt19937 random{1};
    for (uint32_t& word : words) word = random();
    std::memcpy(&data, words.data(), sizeof(Data));
    return data;
}

/** The output of place_step.py, as a function. */
using Step = void (*)(Group& rounds, Group& lanes, uint8_t* chains, const uint32_t* k, const uint32_t* constants, uint32_t begun);

void Do(Step step, Data& data, bool swapped, uint32_t begun = 0xff)
{
    Group& rounds{swapped ? data.b : data.a};
    Group& lanes{swapped ? data.a : data.b};
    step(rounds, lanes, lanes.chains, data.k, data.constants, begun);
}

uint64_t Ticks(Step step, Data& data)
{
    unsigned int core;
    const uint64_t begin{__rdtscp(&core)};
    for (int i{0}; i < 50; ++i) {
        Do(step, data, false);
        Do(step, data, true);
    }
    return __rdtscp(&core) - begin;
}

} // namespace

/** True if both compute the same. */
extern "C" bool Same(Step step, Step other)
{
    Data data{RandomData()}, expected{data};
    for (const bool swapped : {false, true, false}) {
        for (const uint32_t begun : {0U, 0xffU}) {
            Do(step, data, swapped, begun);
            Do(other, expected, swapped, begun);
        }
    }
    return std::memcmp(&data.a, &expected.a, sizeof(Group)) == 0 && std::memcmp(&data.b, &expected.b, sizeof(Group)) == 0;
}

/** The time of `step` divided by that of `other`: the median of turns in which nothing came between. 0: there were none.
 *  @param[in] quiet  the ticks that `other` takes at its best; others' work on the same core makes it slower
 *  @param[out] best  likewise, in this call */
extern "C" double Compare(Step step, Step other, int turns, uint64_t quiet, uint64_t* best)
{
    Data data{RandomData()};
    std::vector<double> ratios;
    *best = UINT64_MAX;
    Ticks(other, data);
    Ticks(step, data);
    for (int i{0}; i < turns; ++i) {
        const uint64_t before{Ticks(other, data)}, its{Ticks(step, data)}, after{Ticks(other, data)};
        const auto [low, high]{std::minmax(before, after)};
        *best = std::min(*best, low);
        if (high <= quiet + quiet / 40 && high <= low + low / 60) ratios.push_back(2.0 * its / (before + after));
    }
    if (ratios.empty()) return 0;
    std::nth_element(ratios.begin(), ratios.begin() + ratios.size() / 2, ratios.end());
    return ratios[ratios.size() / 2];
}
