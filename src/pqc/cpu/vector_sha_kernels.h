// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_CPU_VECTOR_SHA_KERNELS_H
#define SLHCONSENSUS_PQC_CPU_VECTOR_SHA_KERNELS_H

#include <pqc/cpu/kernels.h>
#include <pqc/cpu/sha_kernels.h>
#include <pqc/cpu/vector_kernels.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

/** The kernels for processors that have both wide vectors and SHA-256 instructions, where those do not run on the same
 *  units: vectors compute the message schedules of LANES hashes side by side, SHA instructions the rounds of one hash after
 *  the other. Two groups of lanes take turns: the rounds of one are interleaved, instruction by instruction, with
 *  the schedule of the other, so neither unit waits.
 *
 *  Everything here is a template over instruction sets in the anonymous namespace of the one file that may use them;
 *  vector_kernels.h says why. */
namespace slhc::slhdsa::lanes {

/** The way from lanes to single hashes and back, an addition to VectorIsa.
 *      StorePairs(out, even, odd)   both words of each lane as one of out[0..LANES - 1], at PairPlace(lane)
 *      Transposed(hash, a_to_d)     words d..a of each lane, from hash[HashPlace(lane)], into lanes */
template <class Isa, class Sha>
concept LanesOfHashes =
    VectorIsa<Isa> && requires(typename Isa::Vec x, typename Isa::Vec (&a_to_d)[4], uint64_t* out, const typename Sha::Vec* hash) {
        Isa::StorePairs(out, x, x);
        Isa::Transposed(hash, a_to_d);
        requires Isa::PairPlace(0) >= 0 && Isa::HashPlace(0) >= 0;
    };

/** An addition to ShaIsa for single hashes.
 *      LoadPair(kw)                what TwoRounds takes: K + W of two rounds
 *      TwoRounds(State&, pair)     two rounds
 *      FirstHalfReversed(State)    d..a */
template <class Sha>
concept RoundPairIsa = ShaIsa<Sha> && requires(typename Sha::State state, typename Sha::Vec x, const uint64_t* kw) {
    x = Sha::LoadPair(kw);
    Sha::TwoRounds(state, x);
    x = Sha::FirstHalfReversed(state);
};

/** The order of instructions in a step of chains, left to the compiler. Another order has a function
 *      ChainStep(rounds, lanes, chains, begun)   what ChainGroup::Step() does, where there are rounds to interleave with: on the RoundsData
 *                                                of both groups, the ChainState of `lanes`, and whether a step of theirs is to be ended */
struct CompilersOrder {};

template <class Isa, RoundPairIsa Sha, class Order = CompilersOrder>
    requires LanesOfHashes<Isa, Sha>
struct VectorShaKernels {
    using V = VectorKernels<Isa>;
    using Vec = typename Isa::Vec;
    using Mask = typename Isa::Mask;
    using State = typename Sha::State;
    using Quad = typename Sha::Vec;
    static constexpr size_t LANES{Isa::LANES};
    static constexpr int FIRST_ROUND{4}; //!< a BlockPrefix has what comes before

    /** The input and output of the rounds of LANES hashes. */
    struct alignas(64) RoundsData {
        State start[LANES];     //!< after round 3
        uint64_t kw[32][LANES]; //!< K + W of rounds 2i and 2i + 1, where Isa::PairPlace says
        Quad hash[LANES];       //!< what the rounds make of a..d, where Isa::HashPlace says
    };

    // ------------------------------------------------------------------------------- the two halves of a hash

    /** Rounds 4 to 63 of all lanes, cut into slots of similar length: BLOCK lanes advance side by side, as
     *  many as it takes to keep the unit for SHA instructions busy. */
    struct RoundSlots {
        static constexpr int BLOCK{4};
        static constexpr int PAIRS{(64 - FIRST_ROUND) / 2};
        static constexpr int SLOTS_OF_BLOCK{1 + PAIRS}; //!< the first one loads, the last one stores too
        static constexpr int SLOTS{LANES / BLOCK * SLOTS_OF_BLOCK};

        RoundsData& lanes;
        State state[BLOCK];

        template <int Slot>
        [[gnu::always_inline]] inline void Do()
        {
            constexpr int first_lane{Slot / SLOTS_OF_BLOCK * BLOCK}, part{Slot % SLOTS_OF_BLOCK};
            for (int i{0}; i < BLOCK; ++i) {
                const int lane{first_lane + i};
                if constexpr (part == 0) {
                    state[i] = lanes.start[lane];
                } else {
                    Sha::TwoRounds(state[i], Sha::LoadPair(&lanes.kw[FIRST_ROUND / 2 + part - 1][Isa::PairPlace(lane)]));
                }
                if constexpr (part == PAIRS) lanes.hash[Isa::HashPlace(lane)] = Sha::FirstHalfReversed(state[i]);
            }
        }
    };

    /** The message schedule of all lanes, a word at a time.
     *  Words: one of the kinds of vector_kernels.h */
    template <class Words>
    struct Schedule {
        RoundsData& lanes;
        Words words;
        Vec even;

        template <int T>
        [[gnu::always_inline]] inline void Do()
        {
            if constexpr (Words::IsConstant(T)) return; // the lanes have it from the beginning
            const Vec kw{words.template Kw<T>()};
            if constexpr (T % 2 == 0) {
                even = kw;
            } else {
                Isa::StorePairs(lanes.kw[T / 2], even, kw);
            }
        }
    };

    /** Do the schedule of `lanes`.
     *  @param[in] make_words  returns its block; called when there is something to do in between
     *  @param[in] rounds      the lanes whose schedule came before; null: none */
    template <class MakeWords>
    [[gnu::always_inline]] static inline void Interleave(RoundsData* rounds, RoundsData& lanes, const MakeWords& make_words)
    {
        using Words = decltype(make_words());
        if (rounds == nullptr) {
            Schedule<Words> schedule{lanes, make_words(), {}};
            Slots<FIRST_ROUND, 64>([&]<int T>() __attribute__((always_inline)) { schedule.template Do<T>(); });
            return;
        }
        // The hashes before last, from which the words are made, may still be on their way to the cache: some rounds first.
        constexpr int DELAY{RoundSlots::SLOTS / 4};
        RoundSlots r{*rounds, {}};
        Slots<0, DELAY>([&]<int Slot>() __attribute__((always_inline)) { r.template Do<Slot>(); });
        Schedule<Words> schedule{lanes, make_words(), {}};
        Slots<DELAY, RoundSlots::SLOTS>([&]<int Slot>() __attribute__((always_inline)) {
            r.template Do<Slot>();
            constexpr int n{RoundSlots::SLOTS - DELAY}, i{Slot - DELAY};
            Slots<FIRST_ROUND + (64 - FIRST_ROUND) * i / n, FIRST_ROUND + (64 - FIRST_ROUND) * (i + 1) / n>([&]<int T>() __attribute__((
                always_inline)) { schedule.template Do<T>(); });
        });
    }

    [[gnu::noinline]] static void RoundsAlone(RoundsData& lanes)
    {
        RoundSlots r{lanes, {}};
        Slots<0, RoundSlots::SLOTS>([&]<int Slot>() __attribute__((always_inline)) { r.template Do<Slot>(); });
    }

    /** Call f<Begin>() to f<End - 1>(). */
    template <int Begin, int End, class F>
    [[gnu::always_inline]] static inline void Slots(const F& f)
    {
        [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
            (f.template operator()<Begin + I>(), ...);
        }(std::make_integer_sequence<int, End - Begin>{});
    }

    // ------------------------------------------------------------------------------------------ taking turns

    /** Run n items in groups of lanes, two groups at a time. The rounds of a pair's last step go with the next pair's first one.
     *  Items: a Group with Step(rounds, s), which begins step s and does the rounds of other lanes meanwhile, and Store()
     *  @param[in] load  f(group, i): put the items from i on into the lanes, the last item into those that are left over. All begin
     *                   with the same step */
    template <class Items, class LoadItems>
    [[gnu::always_inline]] static inline void Run(size_t n, const LoadItems& load)
    {
        Items a, b;
        bool b_waits{false}; // for the rounds of its last step
        const auto end_b{[&] {
            b.Store();
            b_waits = false;
        }};
        for (size_t i{0}; i < n; i += 2 * LANES) {
            load(a, i);
            uint32_t s{a.first_step};
            const bool a_leads{b_waits && s < a.last_step}; // it has begun step s while b is of the pair before
            if (a_leads) a.Step(&b, s);
            if (b_waits && !a_leads) RoundsAlone(b);
            if (b_waits) end_b();
            if (n - i <= LANES) { // nobody to take turns with
                for (; s < a.last_step; ++s) {
                    if (!a_leads || s > a.first_step) a.Step(nullptr, s);
                    RoundsAlone(a);
                }
                a.Store();
                return;
            }
            load(b, i + LANES);
            const uint32_t last{a.last_step > b.last_step ? a.last_step : b.last_step};
            for (; s < last; ++s) {
                if (!a_leads || s > a.first_step) a.Step(b_waits ? &b : nullptr, s);
                b.Step(&a, s);
                b_waits = true;
            }
            a.Store();
            if (!b_waits) b.Store();
        }
        if (b_waits) {
            RoundsAlone(b);
            end_b();
        }
    }

    struct Group : RoundsData {
        uint32_t first_step, last_step; //!< the steps that there are: last_step is the one behind the last
        bool begun;                     //!< a step was: its hashes are to be used

        void LoadStates(const uint8_t* const* prefix)
        {
            for (size_t i{0}; i < LANES; ++i) this->start[i] = Sha::LoadState(reinterpret_cast<const BlockPrefix*>(prefix[i])->state);
            begun = false;
        }
    };

    // ----------------------------------------------------------------------------------------------- chains

    struct ChainGroup : Group, V::ChainState {
        uint8_t* out[LANES];

        ChainGroup()
        {
            using Words = typename V::ChainWords;
            for (int t{0}; t < 64; t += 2) {
                if (!Words::IsConstant(t)) continue;
                const uint64_t even{V::ROUND_CONSTANTS[t] + Words::ConstantWord(t)},
                    odd{V::ROUND_CONSTANTS[t + 1] + Words::ConstantWord(t + 1)};
                for (uint64_t& pair : this->kw[t / 2]) pair = odd << 32 | even;
            }
        }

        void Load(const ChainKey* keys, const ChainItem* items, size_t n)
        {
            typename V::ChainPlaces places;
            places.Find(keys, items, n, 0, LANES);
            V::LoadKeys(*this, places.prefix);
            V::LoadChains(*this, places);
            this->LoadStates(places.prefix);
            this->first_step = 0;
            this->last_step = 0;
            for (size_t i{0}; i < LANES && i < n; ++i) {
                if (V::Length(items[i]) > this->last_step) this->last_step = V::Length(items[i]);
            }
            for (size_t i{2 * LANES}; i < 3 * LANES && i < n; ++i) __builtin_prefetch(keys[items[i].key].in + size_t{16} * items[i].chain);
            for (size_t i{0}; i < LANES; ++i) out[i] = places.out[i];
        }

        /** End the step that is under way. */
        [[gnu::always_inline]] inline void Fold()
        {
            if (!this->begun) return;
            Vec a_to_d[4];
            Isa::Transposed(this->hash, a_to_d);
            V::EndStep(*this, a_to_d);
        }

        [[gnu::noinline]] void Step(RoundsData* rounds, uint32_t)
        {
            if constexpr (!std::is_same_v<Order, CompilersOrder>) {
                if (rounds != nullptr) {
                    Order::ChainStep(*rounds, static_cast<RoundsData&>(*this), static_cast<typename V::ChainState&>(*this), this->begun);
                    this->begun = true;
                    return;
                }
            }
            Interleave(rounds, *this, [&]() __attribute__((always_inline)) {
                Fold();
                this->begun = true;
                return typename V::ChainWords{*this};
            });
        }

        /** End the step that is under way, and whose rounds were done, before the next one begins. */
        void EndStep()
        {
            Fold();
            this->begun = false;
        }

        void Store()
        {
            Fold();
            V::StoreHashes(this->value, out);
        }
    };

    static void Chains(const ChainKey* keys, const ChainItem* items, size_t n)
    {
        Run<ChainGroup>(n, [&](ChainGroup& group, size_t i) { group.Load(keys, items + i, n - i); });
    }

    // ------------------------------------------------------------------------------------------------ paths

    /** A step is the height of its result. */
    struct PathGroup : Group, V::PathState {
        typename V::Walks walks;
        PathShape shape;

        void Load(const PathItem* items, size_t n, PathShape path_shape)
        {
            shape = path_shape;
            V::Load(*this, walks, items, n);
            for (size_t i{2 * LANES}; i < 3 * LANES && i < n; ++i) V::FetchWalk(items[i], shape);
            this->LoadStates(walks.prefix);
            this->first_step = shape.leaf ? 0 : shape.first + 1;
            this->last_step = shape.last + 1;
        }

        [[gnu::always_inline]] inline void Fold()
        {
            if (!this->begun) return;
            Vec a_to_d[4];
            Isa::Transposed(this->hash, a_to_d);
            for (int i{0}; i < 4; ++i) this->node[i] = Isa::Add(a_to_d[i], this->midstate[i]);
        }

        void Step(RoundsData* rounds, uint32_t height)
        {
            if (height == 0) {
                Leaf(rounds);
            } else {
                Parent(rounds, height);
            }
        }

        [[gnu::noinline]] void Leaf(RoundsData* rounds)
        {
            Interleave(rounds, *this, [&]() __attribute__((always_inline)) {
                this->begun = true;
                typename V::LeafWords words{*this, {}};
                words.SetLeaf();
                return words;
            });
        }

        [[gnu::noinline]] void Parent(RoundsData* rounds, uint32_t height)
        {
            Interleave(rounds, *this, [&]() __attribute__((always_inline)) {
                Fold();
                this->begun = true;
                Vec sibling[4];
                V::LoadSiblings(sibling, walks, shape, height);
                const Mask odd{Isa::IsOdd(this->index)};
                this->index = Isa::template Shr<1>(this->index);
                typename V::ParentWords words{*this, {}};
                words.SetParent(sibling, odd, this->index, height);
                return words;
            });
        }

        void Store()
        {
            Fold();
            V::StoreHashes(this->node, walks.out);
        }
    };

    static void Paths(const PathItem* items, size_t n, PathShape shape)
    {
        Run<PathGroup>(n, [&](PathGroup& group, size_t i) { group.Load(items + i, n - i, shape); });
    }
};

} // namespace slhc::slhdsa::lanes

#endif // SLHCONSENSUS_PQC_CPU_VECTOR_SHA_KERNELS_H
