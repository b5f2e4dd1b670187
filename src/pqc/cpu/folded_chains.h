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

/** Lanes of a VectorKernels engine, for FoldedChains. */
template <VectorIsa Isa>
struct LanesThatFold {
    using V = VectorKernels<Isa>;
    using Vec = typename Isa::Vec;
    using Mask = typename Isa::Mask;
    using Lanes = typename V::ChainLanes;
    static constexpr size_t LANES{Isa::LANES};

    /** Chains that wait for their lanes. */
    struct Row : Lanes {
        Vec arrival;
    };

    /** LANES chains into the lanes, or into a row. */
    static void Load(Lanes& lanes, const ChainKey* keys, const ChainItem* items)
    {
        typename V::ChainPlaces places;
        places.Find(keys, items, LANES, 0, LANES);
        V::Load(lanes, places);
    }
    static void SetArrival(Row& row, const uint32_t* arrival) { row.arrival = Isa::Load(arrival); }

    [[gnu::noinline]] static void Enter(Lanes& lanes, Row& row, uint32_t now)
    {
        const Mask entering{Isa::IsEqual(row.arrival, Isa::Set1(now))};
        V::Exchange(entering, lanes, row);
        for (int i{0}; i < 8; ++i) lanes.state[i] = Isa::Select(entering, row.state[i], lanes.state[i]);
    }

    static void Step(Lanes& lanes) { V::Step(lanes); }
    static void Finish(Lanes&) {}
    static void Store(const Lanes& lanes, uint8_t* const* out) { V::StoreHashes(lanes.value, out); }
};

/** The chains themselves.
 *  Machine: lanes that can be stepped
 *      LANES, Lanes, Row                  Row: chains that wait for their lanes
 *      V                                  the VectorKernels
 *      Load(Lanes& or Row&, keys, items)  LANES chains
 *      SetArrival(Row&, arrival)          how many steps each lane has done when it comes to the row; NEVER: it has no chain in it.
 *                                         LANES words, aligned to 64 bytes
 *      Enter(Lanes&, Row&, now)           lanes that arrive after `now` steps exchange their values for the row's and begin its chains; the
 *                                         row then has their results
 *      Step(Lanes&), Finish(Lanes&)       a step of all lanes; end what they have under way, before Store()
 *      Store(Lanes& or Row&, out)         the values */
template <class Machine>
struct FoldedChains {
    static constexpr size_t LANES{Machine::LANES};
    static constexpr uint32_t NEVER{UINT32_MAX};

    /** The lanes, and the rows that they go through. */
    struct Fold {
        typename Machine::Lanes lanes;               //!< in row 0 at first
        typename Machine::Row rows[FOLDED_ROWS - 1]; //!< row 1 and those that follow
        size_t n_rows{0};                            //!< row 0 included
        uint32_t n_steps[LANES]{};                   //!< that a lane has to do
        uint8_t* out[LANES];                         //!< where the value goes that a lane has in the end
        uint8_t* left[FOLDED_ROWS - 1][LANES];       //!< where the values go that lanes leave in a row
        uint8_t entered[FOLDED_ROWS * MAX_FOLDED_STEPS + 1]{}; //!< bit r: after so many steps some lane enters row r

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
                n_steps[lane] += Machine::V::Length(in_lanes[lane]);
            }
            if (r == 0) {
                Machine::Load(lanes, keys, in_lanes);
            } else {
                Machine::Load(rows[r - 1], keys, in_lanes);
                Machine::SetArrival(rows[r - 1], arrival);
            }
            for (size_t lane{0}; lane < LANES; ++lane) {
                if (r > 0) left[r - 1][lane] = out[lane];
                if (arrival[lane] != NEVER) out[lane] = keys[in_lanes[lane].key].out + 16 * in_lanes[lane].chain;
            }
        }

        void Run()
        {
            uint32_t last{0};
            for (const uint32_t steps : n_steps) last = steps > last ? steps : last;
            for (uint32_t now{0};; ++now) {
                // In order: a chain without steps is left at once.
                for (size_t r{1}; r < n_rows; ++r) {
                    if ((entered[now] >> r & 1) != 0) Machine::Enter(lanes, rows[r - 1], now);
                }
                if (now == last) break;
                Machine::Step(lanes);
            }
            Machine::Finish(lanes);
            // A value that a lane never exchanged is overwritten: it goes where the lane's own value goes at last.
            for (size_t r{1}; r < n_rows; ++r) Machine::Store(rows[r - 1], left[r - 1]);
            Machine::Store(lanes, out);
        }
    };

    /** As FoldedKernel has it. */
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
