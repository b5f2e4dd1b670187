// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_CPU_SHA_KERNELS_H
#define SLHCONSENSUS_PQC_CPU_SHA_KERNELS_H

#include <crypto/sha256_constants.h>
#include <pqc/cpu/kernels.h>

#include <cstddef>
#include <cstdint>
#include <utility>

/** The kernels for instruction sets that have SHA-256 instructions. One hash keeps few of their execution units busy,
 *  as every instruction waits for the one before it: so several independent hashes, streams, advance in turn.
 *
 *  Everything here is a template over an instruction set, a struct in the anonymous namespace of the one file
 *  that may use those instructions; vector_kernels.h says why. */
namespace slhc::slhdsa::lanes {

/** The interface to SHA-256 instructions. A Vec holds four words of one hash, a State its eight working variables in the order
 *  that the instructions want; STREAMS is how many hashes keep the execution units busy.
 *      Set(w0, w1, w2, w3), LoadWords(p)   four words
 *      LoadBytes(p), StoreBytes(p, x)      16 big-endian bytes
 *      Add, Or, Select(mask, x, y)         word by word; x where the bits of mask are set, elsewhere y
 *      MaskOfBit(bit)                      all bits set if bit is 1
 *      LoadState(p), AddState, FirstHalf   from a..h; word by word; a..d
 *      QuadRound(State&, kw)               four rounds; kw: K + W of them
 *      Extend(w0, w1)                      W[t] + sigma0(W[t+1]) for t = 0..3: the first half of the message schedule
 *      Finish(partial, w2, w3)             the second half: the next four words
 *      WordsFrom5(d), WordsTo9(d)          words 4 to 7 and 8 to 11 of a block that holds the 16 bytes d at byte 22, in the
 *                                          middle of word 5; zeros elsewhere */
template <class Isa>
concept ShaIsa = requires(typename Isa::Vec x, typename Isa::State state, const uint32_t* words, const uint8_t* in, uint8_t* out) {
    requires Isa::STREAMS > 0;
    x = Isa::Set(uint32_t{}, uint32_t{}, uint32_t{}, uint32_t{});
    x = Isa::LoadWords(words);
    x = Isa::LoadBytes(in);
    Isa::StoreBytes(out, x);
    x = Isa::Add(x, x);
    x = Isa::Or(x, x);
    x = Isa::Select(x, x, x);
    x = Isa::MaskOfBit(uint32_t{});
    state = Isa::LoadState(words);
    state = Isa::AddState(state, state);
    x = Isa::FirstHalf(state);
    Isa::QuadRound(state, x);
    x = Isa::Extend(x, x);
    x = Isa::Finish(x, x, x);
    x = Isa::WordsFrom5(x);
    x = Isa::WordsTo9(x);
};

template <ShaIsa Isa>
struct ShaKernels {
    using Vec = typename Isa::Vec;
    using State = typename Isa::State;
    static constexpr size_t MAX_STREAMS{Isa::STREAMS};

    /** Rounds 4 * Q to 4 * Q + 3 of S streams, and the schedule words that take the place of those used. */
    template <size_t S, int Q>
    [[gnu::always_inline]] static inline void QuadRounds(State (&state)[S], Vec (&w)[S][4])
    {
        constexpr const uint32_t* k{&sha256::K[4 * Q]};
        const Vec constants{Isa::Set(k[0], k[1], k[2], k[3])};
        for (size_t s{0}; s < S; ++s) Isa::QuadRound(state[s], Isa::Add(w[s][Q % 4], constants));
        if constexpr (Q < 12) {
            for (size_t s{0}; s < S; ++s) {
                w[s][Q % 4] = Isa::Finish(Isa::Extend(w[s][Q % 4], w[s][(Q + 1) % 4]), w[s][(Q + 2) % 4], w[s][(Q + 3) % 4]);
            }
        }
    }

    template <size_t S, int First>
    [[gnu::always_inline]] static inline void Rounds(State (&state)[S], Vec (&w)[S][4])
    {
        [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
            (QuadRounds<S, First + I>(state, w), ...);
        }(std::make_integer_sequence<int, 16 - First>{});
    }

    /** The values that a prefix and a chain address determine, and a stream's place in the chain. */
    struct Stream {
        State state;  //!< after round 3
        Vec midstate; //!< its first half
        Vec partial;  //!< of words 16 to 19
        Vec value;
        Vec w4;       //!< (W4, 0, 0, 0)
        uint32_t step;
        uint32_t end;
        uint8_t* out;
    };

    static void LoadPrefix(Stream& s, const BlockPrefix& prefix)
    {
        s.state = Isa::LoadState(prefix.state);
        s.midstate = Isa::LoadWords(prefix.midstate);
        s.partial = Isa::LoadWords(prefix.schedule);
    }

    /** Words 16 to 19 of S streams, whose part that comes from words 0 to 3 is known, and rounds 4 to 63. */
    template <size_t S>
    [[gnu::always_inline]] static inline void HashFromPrefix(Stream* s, Vec (&w)[S][4])
    {
        State state[S];
        for (size_t i{0}; i < S; ++i) {
            state[i] = s[i].state;
            w[i][0] = Isa::Finish(s[i].partial, w[i][2], w[i][3]);
        }
        Rounds<S, 1>(state, w);
        for (size_t i{0}; i < S; ++i) s[i].value = Isa::Add(Isa::FirstHalf(state[i]), s[i].midstate);
    }

    /** Choose word 4, of which word 19 has sigma0. */
    [[gnu::always_inline]] static inline void SetW4(Stream& s, uint32_t w4)
    {
        s.w4 = Isa::Set(w4, 0, 0, 0);
        s.partial = Isa::Add(s.partial, Isa::Set(0, 0, 0, Sigma0(w4)));
    }

    static constexpr uint32_t Sigma0(uint32_t x) { return (x >> 7 | x << 25) ^ (x >> 18 | x << 14) ^ (x >> 3); }

    // ----------------------------------------------------------------------------------------------- chains

    /** How many items ahead of what is loaded the first-level cache has to fetch: signatures are read once, in an order that no hardware
     *  guesses. */
    static constexpr std::ptrdiff_t AHEAD{8};

    static void LoadChain(Stream& s, const ChainKey& key, const ChainItem& item)
    {
        LoadPrefix(s, *key.prefix);
        SetW4(s, uint32_t{item.chain} << 16);
        s.value = Isa::LoadBytes(key.in + 16 * item.chain);
        s.step = item.begin;
        s.end = item.end;
        s.out = key.out + 16 * item.chain;
    }

    /** One F of each of S chains. */
    template <size_t S>
    [[gnu::noinline]] static void Step(Stream* s)
    {
        Vec w[S][4];
        for (size_t i{0}; i < S; ++i) {
            w[i][1] = Isa::Or(Isa::Or(s[i].w4, Isa::Set(0, s[i].step << 16, 0, 0)), Isa::WordsFrom5(s[i].value));
            w[i][2] = Isa::Or(Isa::WordsTo9(s[i].value), Isa::Set(0, PADDING, 0, 0));
            w[i][3] = Isa::Set(0, 0, 0, F_BITS);
            ++s[i].step;
        }
        HashFromPrefix<S>(s, w);
    }

    /** Every stream takes the next chain when its own ends, so chains of any lengths keep all streams busy. */
    static void Chains(const ChainKey* keys, const ChainItem* items, size_t n)
    {
        Stream streams[MAX_STREAMS];
        size_t active{0};
        const ChainItem* const end{items + n};
        const auto refill{[&](Stream& s) {
            for (; items != end; ++items) {
                if (end - items > AHEAD) __builtin_prefetch(keys[items[AHEAD].key].in + size_t{16} * items[AHEAD].chain);
                LoadChain(s, keys[items->key], *items);
                if (s.step < s.end) return ++items, true;
                Isa::StoreBytes(s.out, s.value);
            }
            return false;
        }};
        while (active < MAX_STREAMS && refill(streams[active])) ++active;
        while (active > 0) {
            StepAll(streams, active);
            for (size_t i{0}; i < active;) {
                if (streams[i].step < streams[i].end) {
                    ++i;
                    continue;
                }
                Isa::StoreBytes(streams[i].out, streams[i].value);
                if (refill(streams[i])) {
                    ++i;
                } else {
                    streams[i] = streams[--active];
                }
            }
        }
    }

    /** Step the first `active` streams, in groups as large as there is code for. */
    static void StepAll(Stream* s, size_t active)
    {
        if (active >= 4) return Step<4>(s);
        if (active >= 2) Step<2>(s);
        if (active % 2 == 1) Step<1>(s + active - 1);
    }

    // ------------------------------------------------------------------------------------------------ paths

    /** @param[in] n  the items that there are; the first S of them are hashed */
    template <size_t S>
    static void PathGroup(const PathItem* items, size_t n, PathShape shape)
    {
        Stream s[S];
        uint32_t index[S];
        for (size_t i{0}; i < S; ++i) {
            LoadPrefix(s[i], *items[i].prefix);
            s[i].value = Isa::LoadBytes(items[i].in);
            index[i] = items[i].index;
        }
        if (shape.leaf) {
            Stream leaf[S];
            for (size_t i{0}; i < S; ++i) {
                leaf[i] = s[i];
                SetW4(leaf[i], index[i] >> 16);
                leaf[i].step = index[i];
            }
            Step<S>(leaf);
            for (size_t i{0}; i < S; ++i) s[i].value = leaf[i].value;
        }
        for (uint32_t height{shape.first + 1}; height <= shape.last; ++height) {
            Stream node[S];
            Vec w[S][4];
            for (size_t i{0}; i < S; ++i) {
                const size_t place{size_t{16} * (height - shape.first - 1)};
                const Vec sibling{Isa::LoadBytes(items[i].auth + place)};
                if (S + i < n) __builtin_prefetch(items[S + i].auth + place);
                const Vec odd{Isa::MaskOfBit(index[i] & 1)};
                index[i] >>= 1;
                node[i] = s[i];
                SetW4(node[i], height << 16 | index[i] >> 16);
                const Vec left{Isa::Select(odd, sibling, s[i].value)};
                const Vec right{Isa::Select(odd, s[i].value, sibling)};
                w[i][1] = Isa::Or(Isa::Or(node[i].w4, Isa::Set(0, index[i] << 16, 0, 0)), Isa::WordsFrom5(left));
                // The right half begins 16 bytes after the left one: four words on, in the same place within a word.
                w[i][2] = Isa::Or(Isa::WordsTo9(left), Isa::WordsFrom5(right));
                w[i][3] = Isa::Or(Isa::WordsTo9(right), Isa::Set(0, PADDING, 0, H_BITS));
            }
            HashFromPrefix<S>(node, w);
            for (size_t i{0}; i < S; ++i) s[i].value = node[i].value;
        }
        for (size_t i{0}; i < S; ++i) Isa::StoreBytes(items[i].out, s[i].value);
    }

    static void Paths(const PathItem* items, size_t n, PathShape shape)
    {
        for (; n >= 4; n -= 4, items += 4) PathGroup<4>(items, n, shape);
        for (; n >= 2; n -= 2, items += 2) PathGroup<2>(items, n, shape);
        if (n == 1) PathGroup<1>(items, n, shape);
    }

    // --------------------------------------------------------------------------------------------- messages

    template <size_t S>
    static void MessageGroup(const MessageItem* items, size_t n_blocks)
    {
        State state[S];
        for (size_t i{0}; i < S; ++i) state[i] = Isa::LoadState(items[i].midstate);
        for (size_t b{0}; b < n_blocks; ++b) {
            State v[S];
            Vec w[S][4];
            for (size_t i{0}; i < S; ++i) {
                v[i] = state[i];
                for (size_t q{0}; q < 4; ++q) w[i][q] = Isa::LoadBytes(items[i].blocks + 64 * b + 16 * q);
            }
            Rounds<S, 0>(v, w);
            for (size_t i{0}; i < S; ++i) state[i] = Isa::AddState(state[i], v[i]);
        }
        for (size_t i{0}; i < S; ++i) Isa::StoreBytes(items[i].out, Isa::FirstHalf(state[i]));
    }

    static void Messages(const MessageItem* items, size_t n, size_t n_blocks)
    {
        for (; n >= 4; n -= 4, items += 4) MessageGroup<4>(items, n_blocks);
        for (; n >= 2; n -= 2, items += 2) MessageGroup<2>(items, n_blocks);
        if (n == 1) MessageGroup<1>(items, n_blocks);
    }
};

} // namespace slhc::slhdsa::lanes

#endif // SLHCONSENSUS_PQC_CPU_SHA_KERNELS_H
