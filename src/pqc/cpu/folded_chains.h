// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_CPU_FOLDED_CHAINS_H
#define SLHCONSENSUS_PQC_CPU_FOLDED_CHAINS_H

#include <pqc/cpu/kernels.h>
#include <pqc/cpu/vector_kernels.h>

#include <cstddef>
#include <cstdint>

/** Few chains of different lengths in lanes, without waiting for the longest: a lane takes several chains, one after the other.
 *
 *  The chains, the longest first, stand in rows of LANES, and the row is folded: every second one runs backwards. So a lane with a long
 *  chain in one row has a short one in the next, and all lanes end at about the same time.
 *
 *      lane    0   1   2   3
 *      row 0   15  14  12  12
 *      row 1   2   4   7   9
 *      row 2   1   0
 *
 *  A template in the anonymous namespace of the one file that may use its instructions; vector_kernels.h says why. */
namespace slhc::slhdsa::lanes {

template <VectorIsa Isa>
struct FoldedChains {
    using V = VectorKernels<Isa>;
    using Vec = typename Isa::Vec;
    using Mask = typename Isa::Mask;
    using ChainLanes = typename V::ChainLanes;
    static constexpr size_t LANES{Isa::LANES};

    /** Chains that wait for their lanes. A lane that comes here exchanges values with them: it leaves the result of its chain. */
    struct Row : ChainLanes {
        Vec arrival;         //!< how many steps each lane has done when it comes here; NEVER: it has no chain in this row
        uint8_t* out[LANES]; //!< where the values go that lanes leave here
    };
    static constexpr uint32_t NEVER{UINT32_MAX};

    /** The lanes that arrive after `now` steps begin the chains of a row. */
    [[gnu::noinline]] static void Enter(ChainLanes& lanes, Row& row, uint32_t now)
    {
        const Mask entering{Isa::IsEqual(row.arrival, Isa::Set1(now))};
        const auto take{[&](Vec& lane, Vec from_row) __attribute__((always_inline)) { lane = Isa::Select(entering, from_row, lane); }};
        for (int i{0}; i < 4; ++i) {
            const Vec result{lanes.value[i]};
            take(lanes.value[i], row.value[i]);
            take(row.value[i], result);
        }
        take(lanes.step, row.step);
        take(lanes.end, row.end);
        take(lanes.w4, row.w4);
        take(lanes.w19, row.w19);
        take(lanes.kw19, row.kw19);
        take(lanes.s0_w19, row.s0_w19);
        take(lanes.s1_w19, row.s1_w19);
        for (int i{0}; i < 8; ++i) take(lanes.state[i], row.state[i]);
        for (int i{0}; i < 4; ++i) take(lanes.midstate[i], row.midstate[i]);
        take(lanes.w3, row.w3);
        take(lanes.w17, row.w17);
        take(lanes.kw17, row.kw17);
        take(lanes.w16_part, row.w16_part);
        take(lanes.w18_part, row.w18_part);
        take(lanes.s0_w17, row.s0_w17);
    }

    /** The lanes, and the rows that they go through. */
    struct Fold {
        ChainLanes lanes;          //!< in row 0 at first
        Row rows[FOLDED_ROWS - 1]; //!< row 1 and those that follow
        size_t n_rows{0};          //!< row 0 included
        uint32_t n_steps[LANES]{}; //!< that a lane has to do
        uint8_t* out[LANES];       //!< where the value goes that a lane has in the end
        uint8_t entered[FOLDED_ROWS * MAX_CHAIN_STEPS + 1]{}; //!< bit r: after so many steps some lane enters row r

        /** @param[in] size  1 to LANES; copies of the first chain fill the other lanes */
        void AddRow(const ChainKey* keys, const ChainItem* items, size_t size)
        {
            const size_t r{n_rows++};
            ChainItem in_lanes[LANES];
            alignas(64) uint32_t arrival[LANES];
            for (size_t i{0}; i < LANES; ++i) {
                const size_t lane{r % 2 == 0 ? i : LANES - 1 - i};
                in_lanes[lane] = items[i < size ? i : 0];
                arrival[lane] = NEVER;
                if (i >= size && r > 0) continue;
                arrival[lane] = n_steps[lane];
                entered[n_steps[lane]] |= static_cast<uint8_t>(1U << r);
                n_steps[lane] += V::Length(in_lanes[lane]);
            }
            const typename V::ChainPlaces places{keys, in_lanes, LANES};
            V::Load(r == 0 ? lanes : rows[r - 1], places);
            if (r > 0) rows[r - 1].arrival = Isa::Load(arrival);
            for (size_t lane{0}; lane < LANES; ++lane) {
                if (r > 0) rows[r - 1].out[lane] = out[lane];
                if (arrival[lane] != NEVER) out[lane] = places.out[lane];
            }
        }

        void Run()
        {
            uint32_t last{0};
            for (const uint32_t steps : n_steps) last = steps > last ? steps : last;
            for (uint32_t now{0};; ++now) {
                // In order: a chain without steps is left at once.
                for (size_t r{1}; r < n_rows; ++r) {
                    if ((entered[now] >> r & 1) != 0) Enter(lanes, rows[r - 1], now);
                }
                if (now == last) break;
                V::Step(lanes);
            }
            // What a lane never exchanged is overwritten: it goes where the lane's own value goes at last.
            for (size_t r{1}; r < n_rows; ++r) V::StoreHashes(rows[r - 1].value, rows[r - 1].out);
            V::StoreHashes(lanes.value, out);
        }
    };

    /** @param[in] n  at most FOLDED_ROWS * LANES */
    static void Chains(const ChainKey* keys, const ChainItem* items, size_t n)
    {
        if (n == 0) return;
        Fold fold;
        for (size_t i{0}; i < n; i += LANES) fold.AddRow(keys, items + i, n - i < LANES ? n - i : LANES);
        fold.Run();
    }

    static constexpr FoldedKernel KERNEL{LANES, Chains};
};

} // namespace slhc::slhdsa::lanes

#endif // SLHCONSENSUS_PQC_CPU_FOLDED_CHAINS_H
