// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_CPU_FOLDED_TURNS_H
#define SLHCONSENSUS_PQC_CPU_FOLDED_TURNS_H

#include <pqc/cpu/kernels.h>
#include <pqc/cpu/vector_kernels.h>
#include <pqc/cpu/vector_sha_kernels.h>

#include <cstddef>
#include <cstdint>

namespace slhc::slhdsa::lanes {

/** Two groups of lanes that take turns (vector_sha_kernels.h), for FoldedChains: the second one is half a step behind.
 *  Engine: a VectorShaKernels of Isa and Sha */
template <class Engine, class Isa, class Sha>
struct TurnsThatFold {
    using V = VectorKernels<Isa>;
    static constexpr size_t HALF{Isa::LANES};
    static constexpr size_t LANES{2 * HALF};

    struct HalfRow : V::ChainState {
        typename Sha::State start[HALF]; //!< after round 3
        alignas(64) uint32_t arrival[HALF];
    };
    struct Row {
        HalfRow half[2];
    };

    struct Lanes {
        typename Engine::ChainGroup first, second;
        bool under_way{false};             //!< the second group has a step that lacks its rounds
        HalfRow* entered[FOLDED_ROWS - 1]; //!< by lanes of the second group, when that step has ended
        size_t n_entered{0};
        uint32_t now; //!< how many steps they have done then
    };

    static void Load(Lanes& lanes, const ChainKey* keys, const ChainItem* items)
    {
        lanes.first.Load(keys, items, HALF);
        lanes.second.Load(keys, items + HALF, HALF);
    }

    static void Load(Row& row, const ChainKey* keys, const ChainItem* items)
    {
        for (HalfRow& half : row.half) {
            typename V::ChainPlaces places;
            places.Find(keys, items, HALF, 0, HALF);
            V::LoadKeys(half, places.prefix);
            V::LoadChains(half, places);
            for (size_t i{0}; i < HALF; ++i) {
                half.start[i] = Sha::LoadState(reinterpret_cast<const BlockPrefix*>(places.prefix[i])->state);
            }
            items += HALF;
        }
    }

    static void SetArrival(Row& row, const uint32_t* arrival)
    {
        for (HalfRow& half : row.half) {
            for (uint32_t& steps : half.arrival) steps = *arrival++;
        }
    }

    [[gnu::noinline]] static void Enter(typename Engine::ChainGroup& group, HalfRow& row, uint32_t now)
    {
        bool anything{false};
        for (size_t i{0}; i < HALF; ++i) {
            if (row.arrival[i] != now) continue;
            group.start[i] = row.start[i];
            anything = true;
        }
        if (!anything) return; // it is the other group that has lanes to enter
        group.EndStep();
        V::Exchange(Isa::IsEqual(Isa::Load(row.arrival), Isa::Set1(now)), group, row);
    }

    static void Enter(Lanes& lanes, Row& row, uint32_t now)
    {
        Enter(lanes.first, row.half[0], now);
        lanes.entered[lanes.n_entered++] = &row.half[1];
        lanes.now = now;
    }

    static void EnterSecond(Lanes& lanes)
    {
        for (size_t i{0}; i < lanes.n_entered; ++i) Enter(lanes.second, *lanes.entered[i], lanes.now);
        lanes.n_entered = 0;
    }

    static void Step(Lanes& lanes)
    {
        lanes.first.Step(lanes.under_way ? &lanes.second : nullptr, 0);
        EnterSecond(lanes);
        lanes.second.Step(&lanes.first, 0);
        lanes.under_way = true;
    }

    static void Finish(Lanes& lanes)
    {
        if (lanes.under_way) Engine::RoundsAlone(lanes.second);
        lanes.under_way = false;
        lanes.first.EndStep();
        lanes.second.EndStep();
        EnterSecond(lanes);
    }

    static void Store(const Lanes& lanes, uint8_t* const* out)
    {
        V::StoreHashes(lanes.first.value, out);
        V::StoreHashes(lanes.second.value, out + HALF);
    }
    static void Store(const Row& row, uint8_t* const* out)
    {
        for (const HalfRow& half : row.half) {
            V::StoreHashes(half.value, out);
            out += HALF;
        }
    }
};

} // namespace slhc::slhdsa::lanes

#endif // SLHCONSENSUS_PQC_CPU_FOLDED_TURNS_H
