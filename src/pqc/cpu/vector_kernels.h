// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_CPU_VECTOR_KERNELS_H
#define SLHCONSENSUS_PQC_CPU_VECTOR_KERNELS_H

#include <crypto/sha256_constants.h>
#include <pqc/cpu/kernels.h>

#include <cstddef>
#include <cstdint>
#include <utility>

/** The kernels for instruction sets without SHA-256 instructions: one hash a lane. A vector holds the same word of
 *  LANES hashes, so every step of SHA-256 is one vector instruction, and data stays in that transposed form from the
 *  first hash of a chain or path to the last.
 *
 *  Everything here is a template over an instruction set, a struct in the anonymous namespace of the one file
 *  that may use those instructions. That gives every instantiation internal linkage: no code compiled for a newer CPU
 *  can end up in a function that an older one calls. Engine files include nothing else that defines functions. */
namespace slhc::slhdsa::lanes {

/** The interface to vector instructions. A Vec holds a 32-bit word of each of LANES hashes, a Mask chooses lanes; with two words
 *  x and y of one hash each:
 *      Set1(c), Load(p)             c in all lanes; p[lane], p aligned to 64 bytes
 *      Add, Xor3, Ch                as in FIPS 180-4, section 4.1.2; Xor3 is x ^ y ^ z
 *      Maj(x, y, z, shared)         likewise. What a round calls x and y, the next one calls y and z: `shared`, of type Shared, is what
 *                                   can be computed once for both. Share(y, z) makes the first one
 *      Summed(x)                    x. Where waiting for sums costs time, it also keeps compilers from adding up its terms in another order
 *      Rotr<R>, Shr<R>, Shl<R>      to the right and to the left by R bits
 *      JoinHalves(x, y)             the upper 16 bits of x, the lower ones of y
 *      SwapBytes                    between big-endian bytes and words
 *      IsLess(x, y), IsEqual(x, y)  where x < y, of numbers below 2^31; where x = y
 *      IsOdd(x)                     where the lowest bit is set
 *      Any(m)                       true if m chooses a lane
 *      Select(m, x, y)              x where m, elsewhere y
 *      AddWhere(m, old, x, y)       x + y where m, elsewhere old
 *      Gather4(p, offset, out)      out[j] = word j, as it lies in memory, of the 16 bytes at p[lane] + offset
 *      Scatter4(in, p)              the inverse, at offset 0 */
template <class Isa>
concept VectorIsa = requires(typename Isa::Vec x, typename Isa::Shared shared, typename Isa::Mask m, typename Isa::Vec (&four)[4],
                             const uint32_t* words, const uint8_t* const* in, uint8_t* const* out) {
    requires Isa::LANES > 0;
    x = Isa::Set1(uint32_t{});
    x = Isa::Load(words);
    x = Isa::Add(x, x);
    x = Isa::Summed(x);
    x = Isa::Xor3(x, x, x);
    x = Isa::Ch(x, x, x);
    x = Isa::Maj(x, x, x, shared);
    shared = Isa::Share(x, x);
    x = Isa::template Rotr<7>(x);
    x = Isa::template Shr<3>(x);
    x = Isa::template Shl<16>(x);
    x = Isa::JoinHalves(x, x);
    x = Isa::SwapBytes(x);
    m = Isa::IsLess(x, x);
    m = Isa::IsEqual(x, x);
    m = Isa::IsOdd(x);
    bool{Isa::Any(m)};
    x = Isa::Select(m, x, x);
    x = Isa::AddWhere(m, x, x, x);
    Isa::Gather4(in, size_t{}, four);
    Isa::Scatter4(four, out);
};

/** Two vectors of Isa side by side: their instructions interleave, which hides latency where one stream of
 *  SHA-256 cannot fill the execution units. */
template <VectorIsa Isa>
struct Twin {
    static constexpr size_t LANES{2 * Isa::LANES};
    struct Vec { typename Isa::Vec lo, hi; };
    struct Mask { typename Isa::Mask lo, hi; };
    struct Shared { typename Isa::Shared lo, hi; };
    using Half = typename Isa::Vec;

    [[gnu::always_inline]] static inline Vec Set1(uint32_t x) { const Half v{Isa::Set1(x)}; return {v, v}; }
    [[gnu::always_inline]] static inline Vec Load(const uint32_t* p) { return {Isa::Load(p), Isa::Load(p + Isa::LANES)}; }
    [[gnu::always_inline]] static inline Vec Add(Vec x, Vec y) { return {Isa::Add(x.lo, y.lo), Isa::Add(x.hi, y.hi)}; }
    /** While one stream waits, the other one computes: compilers may choose the order. */
    [[gnu::always_inline]] static inline Vec Summed(Vec x) { return x; }
    [[gnu::always_inline]] static inline Vec Xor3(Vec x, Vec y, Vec z)
    {
        return {Isa::Xor3(x.lo, y.lo, z.lo), Isa::Xor3(x.hi, y.hi, z.hi)};
    }
    [[gnu::always_inline]] static inline Vec Ch(Vec x, Vec y, Vec z) { return {Isa::Ch(x.lo, y.lo, z.lo), Isa::Ch(x.hi, y.hi, z.hi)}; }
    [[gnu::always_inline]] static inline Shared Share(Vec y, Vec z) { return {Isa::Share(y.lo, z.lo), Isa::Share(y.hi, z.hi)}; }
    [[gnu::always_inline]] static inline Vec Maj(Vec x, Vec y, Vec z, Shared& shared)
    {
        return {Isa::Maj(x.lo, y.lo, z.lo, shared.lo), Isa::Maj(x.hi, y.hi, z.hi, shared.hi)};
    }
    template <int R>
    [[gnu::always_inline]] static inline Vec Rotr(Vec x)
    {
        return {Isa::template Rotr<R>(x.lo), Isa::template Rotr<R>(x.hi)};
    }
    template <int R>
    [[gnu::always_inline]] static inline Vec Shr(Vec x)
    {
        return {Isa::template Shr<R>(x.lo), Isa::template Shr<R>(x.hi)};
    }
    template <int R>
    [[gnu::always_inline]] static inline Vec Shl(Vec x)
    {
        return {Isa::template Shl<R>(x.lo), Isa::template Shl<R>(x.hi)};
    }
    [[gnu::always_inline]] static inline Vec JoinHalves(Vec x, Vec y) { return {Isa::JoinHalves(x.lo, y.lo), Isa::JoinHalves(x.hi, y.hi)}; }
    [[gnu::always_inline]] static inline Vec SwapBytes(Vec x) { return {Isa::SwapBytes(x.lo), Isa::SwapBytes(x.hi)}; }
    [[gnu::always_inline]] static inline Mask IsLess(Vec x, Vec y) { return {Isa::IsLess(x.lo, y.lo), Isa::IsLess(x.hi, y.hi)}; }
    [[gnu::always_inline]] static inline Mask IsEqual(Vec x, Vec y) { return {Isa::IsEqual(x.lo, y.lo), Isa::IsEqual(x.hi, y.hi)}; }
    [[gnu::always_inline]] static inline Mask IsOdd(Vec x) { return {Isa::IsOdd(x.lo), Isa::IsOdd(x.hi)}; }
    [[gnu::always_inline]] static inline bool Any(Mask m) { return Isa::Any(m.lo) || Isa::Any(m.hi); }
    [[gnu::always_inline]] static inline Vec Select(Mask m, Vec x, Vec y)
    {
        return {Isa::Select(m.lo, x.lo, y.lo), Isa::Select(m.hi, x.hi, y.hi)};
    }
    [[gnu::always_inline]] static inline Vec AddWhere(Mask m, Vec old, Vec x, Vec y)
    {
        return {Isa::AddWhere(m.lo, old.lo, x.lo, y.lo), Isa::AddWhere(m.hi, old.hi, x.hi, y.hi)};
    }
    [[gnu::always_inline]] static inline void Gather4(const uint8_t* const* p, size_t offset, Vec* out)
    {
        Half lo[4], hi[4];
        Isa::Gather4(p, offset, lo);
        Isa::Gather4(p + Isa::LANES, offset, hi);
        for (int i{0}; i < 4; ++i) out[i] = {lo[i], hi[i]};
    }
    [[gnu::always_inline]] static inline void Scatter4(const Vec* in, uint8_t* const* p)
    {
        const Half lo[4]{in[0].lo, in[1].lo, in[2].lo, in[3].lo};
        const Half hi[4]{in[0].hi, in[1].hi, in[2].hi, in[3].hi};
        Isa::Scatter4(lo, p);
        Isa::Scatter4(hi, p + Isa::LANES);
    }
};

/** SHA-256 (FIPS 180-4, section 6.2) on Isa::LANES hashes at once. */
template <VectorIsa Isa>
struct VectorKernels {
    using Vec = typename Isa::Vec;
    using Mask = typename Isa::Mask;
    using Shared = typename Isa::Shared;
    static constexpr size_t LANES{Isa::LANES};

    /** A word that is zero in every lane, from which nothing is computed. */
    struct Zero {};
    [[gnu::always_inline]] static inline Vec Plus(Vec x, Vec y) { return Isa::Add(x, y); }
    [[gnu::always_inline]] static inline Vec Plus(Vec x, Zero) { return x; }
    [[gnu::always_inline]] static inline Vec Plus(Zero, Vec x) { return x; }
    [[gnu::always_inline]] static inline Zero Plus(Zero, Zero) { return {}; }
    [[gnu::always_inline]] static inline Vec Sigma0(Vec x)
    {
        return Isa::Xor3(Isa::template Rotr<2>(x), Isa::template Rotr<13>(x), Isa::template Rotr<22>(x));
    }
    [[gnu::always_inline]] static inline Vec Sigma1(Vec x)
    {
        return Isa::Xor3(Isa::template Rotr<6>(x), Isa::template Rotr<11>(x), Isa::template Rotr<25>(x));
    }
    [[gnu::always_inline]] static inline Vec sigma0(Vec x)
    {
        return Isa::Xor3(Isa::template Rotr<7>(x), Isa::template Rotr<18>(x), Isa::template Shr<3>(x));
    }
    [[gnu::always_inline]] static inline Vec sigma1(Vec x)
    {
        return Isa::Xor3(Isa::template Rotr<17>(x), Isa::template Rotr<19>(x), Isa::template Shr<10>(x));
    }

    static constexpr uint32_t SmallSigma0(uint32_t x) { return (x >> 7 | x << 25) ^ (x >> 18 | x << 14) ^ (x >> 3); }
    static constexpr uint32_t SmallSigma1(uint32_t x) { return (x >> 17 | x << 15) ^ (x >> 19 | x << 13) ^ (x >> 10); }

    /** The place of working variable i (a is 0, h is 7) before round T. The values stay in place, while the names move from place to place
     *  each round. */
    template <int T>
    static constexpr size_t At(int i) { return static_cast<size_t>(i + 64 - T) % 8; }

    /** The value that round T shares with the one before it. */
    template <int T>
    [[gnu::always_inline]] static inline Shared ShareBefore(const Vec (&v)[8]) { return Isa::Share(v[At<T>(1)], v[At<T>(2)]); }

    /** Round T.
     *  @param[in] kw          K_T + W_T
     *  @param[in,out] shared  with the round before it; with the next one */
    template <int T>
    [[gnu::always_inline]] static inline void Round(Vec (&v)[8], Vec kw, Shared& shared)
    {
        const Vec a{v[At<T>(0)]}, b{v[At<T>(1)]}, c{v[At<T>(2)]}, e{v[At<T>(4)]}, f{v[At<T>(5)]}, g{v[At<T>(6)]};
        const Vec t1{Isa::Add(Isa::Add(Isa::Summed(Isa::Add(v[At<T>(7)], kw)), Isa::Ch(e, f, g)), Sigma1(e))};
        v[At<T>(3)] = Isa::Add(v[At<T>(3)], t1);
        v[At<T>(7)] = Isa::Add(Isa::Add(t1, Isa::Maj(a, b, c, shared)), Sigma0(a));
    }

    /** Word T of the message schedule, where w holds the sixteen before it as a ring. */
    template <int T>
    [[gnu::always_inline]] static inline Vec Extend(const Vec (&w)[16])
    {
        return Isa::Add(Isa::Add(w[T % 16], sigma0(w[(T - 15) % 16])), Isa::Add(w[(T - 7) % 16], sigma1(w[(T - 2) % 16])));
    }

    static constexpr const uint32_t (&ROUND_CONSTANTS)[64]{sha256::K};

    /** K_T in all lanes, from memory, since an addition can take it from there. gcc would rather put every constant into a register and
     *  copy it from there into a vector, which occupies the units that add: it must not know the values. */
    template <int T>
    [[gnu::always_inline]] static inline Vec Constant()
    {
        const uint32_t* k{ROUND_CONSTANTS};
        __asm__("" : "+r"(k));
        return Isa::Set1(k[T]);
    }

    /** K_T + W_T */
    template <int T>
    [[gnu::always_inline]] static inline Vec PlusK(Vec word) { return Isa::Add(word, Constant<T>()); }

    /** The words of a block on their way through the message schedule. Kinds of blocks differ in which words are constant,
     *  zero or known beforehand; each kind has a Kw<T>(), called once for each round T that it has, in order. */
    struct BlockWords {
        Vec w[16];

        /** K_T + W_T */
        template <int T>
        [[gnu::always_inline]] inline Vec Kw()
        {
            if constexpr (T >= 16) w[T % 16] = Extend<T>(w);
            return PlusK<T>(w[T % 16]);
        }
    };

    /** Rounds First to 63. */
    template <int First, class Words>
    [[gnu::always_inline]] static inline void Rounds(Vec (&v)[8], Words& words)
    {
        Shared shared{ShareBefore<First>(v)};
        [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
            (Round<First + I>(v, words.template Kw<First + I>(), shared), ...);
        }(std::make_integer_sequence<int, 64 - First>{});
    }

    // ----------------------------------------------------------------------------------------------- chains

    /** The part of an F's message schedule that follows from words 0 to 3 and 15 of its block, the same for all chains of a key. */
    struct KeyState {
        Vec midstate[4];
        Vec w3, w17;            //!< schedule words
        Vec kw17;               //!< W17 + K
        Vec w16_part, w18_part; //!< W0+s0(W1), W2+s0(W3)
        Vec s0_w17;             //!< sigma0(W17)
    };

    /** LANES chains under way. Only words 5 to 9 of an F's block change from one step to the next: the part of the message schedule that
     *  follows from the others is here. */
    struct ChainState : KeyState {
        Vec value[4];       //!< where the chains are, as words
        Vec step, end;      //!< each lane's next step and the one behind its last, shifted to where word 5 has it
        Vec w4, w19;        //!< schedule words
        Vec kw19;           //!< W19 + K
        Vec s0_w19, s1_w19; //!< sigma0(W19), sigma1(W19)
    };

    /** The words of one F, from W4 on. The message schedule makes use of those that are known beforehand: 10 to 14 are zero, 15 is the
     *  length; 4, 17 and 19, and the first two terms of 16 and 18, are the same in every step of a
     *  chain, so that ChainState has them. */
    struct ChainWords {
        /** True if K_T + W_T is the same for all chains. */
        static constexpr bool IsConstant(int t) { return t >= 10 && t <= 15; }
        /** W_T. @pre IsConstant(t) */
        static constexpr uint32_t ConstantWord(int t) { return t == 15 ? F_BITS : 0; }

        const ChainState& c;
        Vec w[16];

        [[gnu::always_inline]] inline explicit ChainWords(const ChainState& state) : c{state}
        {
            Shift2(c.value, c.step, Isa::Set1(PADDING), w);
        }

        /** W_T, as a term of a later word. */
        template <int T>
        [[gnu::always_inline]] inline auto Word() const
        {
            if constexpr (IsConstant(T) && ConstantWord(T) == 0) return Zero{};
            else if constexpr (IsConstant(T)) return Isa::Set1(ConstantWord(T));
            else if constexpr (T == 4) return c.w4;
            else if constexpr (T == 17) return c.w17;
            else if constexpr (T == 19) return c.w19;
            else return w[T % 16];
        }

        /** sigma0(W_T) and sigma1(W_T), likewise. */
        template <int T>
        [[gnu::always_inline]] inline auto Sigma0Word() const
        {
            if constexpr (IsConstant(T) && ConstantWord(T) == 0) return Zero{};
            else if constexpr (IsConstant(T)) return Isa::Set1(SmallSigma0(F_BITS));
            else if constexpr (T == 17) return c.s0_w17;
            else if constexpr (T == 19) return c.s0_w19;
            else return sigma0(w[T % 16]);
        }
        template <int T>
        [[gnu::always_inline]] inline auto Sigma1Word() const
        {
            static_assert(T != 15 && T != 17, "a term of W17 or W19, which are known");
            if constexpr (IsConstant(T)) return Zero{};
            else if constexpr (T == 19) return c.s1_w19;
            else return sigma1(w[T % 16]);
        }
        /** W_(T-16) + sigma0(W_(T-15)) */
        template <int T>
        [[gnu::always_inline]] inline auto FirstTerms() const
        {
            if constexpr (T == 16) return c.w16_part;
            else if constexpr (T == 18) return c.w18_part;
            else return Plus(Word<T - 16>(), Sigma0Word<T - 15>());
        }

        template <int T>
        [[gnu::always_inline]] inline Vec Kw()
        {
            if constexpr (IsConstant(T)) return ConstantWord(T) == 0 ? Constant<T>() : Isa::Set1(sha256::K[T] + ConstantWord(T));
            else if constexpr (T == 17) return c.kw17;
            else if constexpr (T == 19) return c.kw19;
            else {
                if constexpr (T >= 16) w[T % 16] = Plus(FirstTerms<T>(), Plus(Word<T - 7>(), Sigma1Word<T - 2>()));
                return PlusK<T>(Word<T>());
            }
        }
    };

    /** Chains for rounds in lanes. */
    struct ChainLanes : ChainState {
        Vec state[8]; //!< a..h after round 5, but for W5, which is missing from a and e
    };

    /** The place of the step number in word 5. */
    static constexpr int STEP_SHIFT{16};

    /** End a step whose rounds made a..d: lanes that are not at their end yet take the hash. */
    [[gnu::always_inline]] static inline void EndStep(ChainState& c, const Vec* a_to_d)
    {
        const Mask active{Isa::IsLess(c.step, c.end)};
        for (int i{0}; i < 4; ++i) c.value[i] = Isa::AddWhere(active, c.value[i], a_to_d[i], c.midstate[i]);
        c.step = Isa::Add(c.step, Isa::Set1(1 << STEP_SHIFT));
    }

    /** Let some lanes leave their values and take the chains of `row`, where everything but the value stays. */
    [[gnu::always_inline]] static inline void Exchange(Mask entering, ChainState& lanes, ChainState& row)
    {
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
        for (int i{0}; i < 4; ++i) take(lanes.midstate[i], row.midstate[i]);
        take(lanes.w3, row.w3);
        take(lanes.w17, row.w17);
        take(lanes.kw17, row.kw17);
        take(lanes.w16_part, row.w16_part);
        take(lanes.w18_part, row.w18_part);
        take(lanes.s0_w17, row.s0_w17);
    }

    /** Step all chains, each from where it is. Out of line: compilers schedule and allocate registers
     *  better where this is all there is. */
    [[gnu::noinline]] static void Step(ChainLanes& c)
    {
        ChainWords words{c};
        Vec v[8];
        for (int i{0}; i < 8; ++i) v[i] = c.state[i];
        v[At<6>(0)] = Isa::Add(v[At<6>(0)], words.w[5]);
        v[At<6>(4)] = Isa::Add(v[At<6>(4)], words.w[5]);
        Rounds<6>(v, words);
        EndStep(c, v);
    }

    /** Lay 16 bytes into words 5 to 9 of a block, from byte 22 on. The first and last half word come from the caller. */
    [[gnu::always_inline]] static inline void Shift2(const Vec (&value)[4], Vec before, Vec after, Vec* w)
    {
        Vec r[4];
        for (int i{0}; i < 4; ++i) r[i] = Isa::template Rotr<16>(value[i]);
        w[5] = Isa::JoinHalves(before, r[0]);
        for (int i{0}; i < 3; ++i) w[6 + i] = Isa::JoinHalves(r[i], r[i + 1]);
        w[9] = Isa::JoinHalves(r[3], after);
    }

    /** The number of steps of a chain. */
    static constexpr uint32_t Length(const ChainItem& item) { return item.begin < item.end ? uint32_t{item.end} - item.begin : 0; }

    [[gnu::always_inline]] static inline void LoadKeys(KeyState& k, const uint8_t* const* prefix)
    {
        Vec part[4];
        Isa::Gather4(prefix, offsetof(BlockPrefix, midstate), k.midstate);
        Isa::Gather4(prefix, offsetof(BlockPrefix, schedule), part);
        k.w16_part = part[0];
        k.w17 = Isa::Add(part[1], Isa::Set1(SmallSigma1(F_BITS)));
        k.w18_part = part[2];
        k.w3 = part[3];
        k.kw17 = PlusK<17>(k.w17);
        k.s0_w17 = sigma0(k.w17);
    }

    /** Choose chains of the keys, whose KeyState is there.
     *  @param[in] w4  word 4 of the block: a chain address, << 16 */
    [[gnu::always_inline]] static inline void ChooseChains(ChainState& c, Vec w4)
    {
        c.w4 = w4;
        c.w19 = Plus(c.w3, Plus(sigma0(c.w4), sigma1(c.w17)));
        c.kw19 = PlusK<19>(c.w19);
        c.s0_w19 = sigma0(c.w19);
        c.s1_w19 = sigma1(c.w19);
    }

    /** The places of LANES chains in memory. */
    struct ChainPlaces {
        const uint8_t* prefix[LANES];
        const uint8_t* in[LANES];
        uint8_t* out[LANES];
        alignas(64) uint32_t w4[LANES], step[LANES], end[LANES]; //!< as ChainState has them

        /** Find those of some lanes. The last of n < LANES items fills the lanes behind it. Out of line, as Load() and StoreHashes(): with
         *  the code of a step, they have to fit the first-level cache. */
        [[gnu::noinline]] void Find(const ChainKey* keys, const ChainItem* items, size_t n, size_t first, size_t last)
        {
            for (size_t i{first}; i < last; ++i) {
                const ChainItem& item{items[i < n ? i : n - 1]};
                const ChainKey& key{keys[item.key]};
                const size_t value{size_t{16} * item.chain};
                prefix[i] = reinterpret_cast<const uint8_t*>(key.prefix);
                in[i] = key.in + value;
                out[i] = key.out + value;
                w4[i] = uint32_t{item.chain} << 16;
                step[i] = uint32_t{item.begin} << STEP_SHIFT;
                end[i] = uint32_t{item.end} << STEP_SHIFT;
                __builtin_prefetch(in[i]);
            }
        }
    };

    /** Put chains into lanes that have their keys. */
    [[gnu::always_inline]] static inline void LoadChains(ChainState& c, const ChainPlaces& places)
    {
        Isa::Gather4(places.in, 0, c.value);
        for (Vec& word : c.value) word = Isa::SwapBytes(word);
        c.step = Isa::Load(places.step);
        c.end = Isa::Load(places.end);
        ChooseChains(c, Isa::Load(places.w4));
    }

    /** The state after round 3. */
    [[gnu::always_inline]] static inline void LoadState(const uint8_t* const* prefix, Vec (&v)[8])
    {
        Vec x[8];
        Isa::Gather4(prefix, offsetof(BlockPrefix, state), x);
        Isa::Gather4(prefix, offsetof(BlockPrefix, state) + 16, x + 4);
        for (int i{0}; i < 8; ++i) v[At<4>(i)] = x[i];
    }

    [[gnu::noinline]] static void StoreHashes(const Vec (&hash)[4], uint8_t* const* out)
    {
        Vec bytes[4];
        for (int i{0}; i < 4; ++i) bytes[i] = Isa::SwapBytes(hash[i]);
        Isa::Scatter4(bytes, out);
    }

    /** From the state after round 3 to where a step begins. */
    [[gnu::always_inline]] static inline void FirstRounds(ChainLanes& c)
    {
        Shared shared{ShareBefore<4>(c.state)};
        Round<4>(c.state, PlusK<4>(c.w4), shared);
        Round<5>(c.state, Isa::Set1(sha256::K[5]), shared); // W5 follows in each step
    }

    [[gnu::noinline]] static void Load(ChainLanes& c, const ChainPlaces& places)
    {
        LoadKeys(c, places.prefix);
        LoadChains(c, places);
        LoadState(places.prefix, c.state);
        FirstRounds(c);
    }

    /** Chains in groups of LANES, all of which begin at once. Beside a step, whose instructions wait for each other, there is time to find
     *  the places of a few chains of the next group, and to fetch their values: signatures are read once, in an order that no hardware
     *  guesses. */
    static void Chains(const ChainKey* keys, const ChainItem* items, size_t n)
    {
        if (n == 0) return;
        constexpr size_t FEW{8};
        static_assert(LANES % FEW == 0);
        ChainPlaces places[2];
        ChainLanes lanes[2];
        places[0].Find(keys, items, n, 0, LANES);
        Load(lanes[0], places[0]);
        for (size_t which{0};; which ^= 1) {
            ChainLanes& c{lanes[which]};
            ChainPlaces& next{places[which ^ 1]};
            const size_t n_next{n > LANES ? n - LANES : 0};
            if (n_next > 0) items += LANES;
            size_t found{n_next > 0 ? 0 : LANES};
            while (Isa::Any(Isa::IsLess(c.step, c.end))) {
                Step(c);
                if (found == LANES) continue;
                next.Find(keys, items, n_next, found, found + FEW);
                found += FEW;
            }
            next.Find(keys, items, n_next, found, LANES);
            if (n_next > 0) Load(lanes[which ^ 1], next);
            StoreHashes(c.value, places[which].out);
            if (n_next == 0) return;
            n = n_next;
        }
    }

    // ------------------------------------------------------------------------------------------------ paths

    /** LANES walks up a tree under way. */
    struct PathState {
        Vec node[4];
        Vec index;
        Vec midstate[4];
        Vec w16_part, w17_part, w18_part, w3;
    };

    /** The words of one F or H, from W4 on. Words 16 to 19 have their part that comes from words 0 to 3 in the prefix.
     *  BITS: word 15, the length; word 14 is zero. */
    template <uint32_t BITS>
    struct PathWords {
        static constexpr bool IsConstant(int) { return false; }

        const PathState& p;
        Vec w[16];

        template <int T>
        [[gnu::always_inline]] inline auto Word() const
        {
            if constexpr (T == 14) return Zero{};
            else if constexpr (T == 15) return Isa::Set1(BITS);
            else return w[T % 16];
        }
        template <int T>
        [[gnu::always_inline]] inline auto Sigma0Word() const
        {
            if constexpr (T == 14) return Zero{};
            else if constexpr (T == 15) return Isa::Set1(SmallSigma0(BITS));
            else return sigma0(w[T % 16]);
        }

        template <int T>
        [[gnu::always_inline]] inline Vec Kw()
        {
            if constexpr (T == 14) return Constant<T>();
            else if constexpr (T == 15) return Isa::Set1(sha256::K[T] + BITS);
            else {
                if constexpr (T == 16) w[0] = Plus(p.w16_part, w[9]);
                else if constexpr (T == 17) w[1] = Plus(p.w17_part, Plus(w[10], Isa::Set1(SmallSigma1(BITS))));
                else if constexpr (T == 18) w[2] = Plus(p.w18_part, Plus(w[11], sigma1(w[0])));
                else if constexpr (T == 19) w[3] = Plus(Plus(p.w3, sigma0(w[4])), Plus(w[12], sigma1(w[1])));
                else if constexpr (T >= 20) {
                    w[T % 16] = Plus(Plus(Word<T - 16>(), Sigma0Word<T - 15>()), Plus(Word<T - 7>(), sigma1(w[(T - 2) % 16])));
                }
                return PlusK<T>(w[T % 16]);
            }
        }

        /** Of F of the node at height 0: a FORS leaf. */
        [[gnu::always_inline]] inline void SetLeaf()
        {
            w[4] = Isa::template Shr<16>(p.index);
            Shift2(p.node, Isa::template Shl<16>(p.index), Isa::Set1(PADDING), w);
            for (int i{10}; i < 14; ++i) w[i] = Isa::Set1(0);
        }

        /** Of H of a node and its sibling.
         *  @param[in] odd     where the node is the right one
         *  @param[in] index   of the result
         *  @param[in] height  of the result */
        [[gnu::always_inline]] inline void SetParent(const Vec (&sibling)[4], Mask odd, Vec index, uint32_t height)
        {
            Vec left[4], right[4];
            for (int i{0}; i < 4; ++i) {
                left[i] = Isa::Select(odd, sibling[i], p.node[i]);
                right[i] = Isa::Select(odd, p.node[i], sibling[i]);
            }
            w[4] = Isa::JoinHalves(Isa::Set1(height << 16), Isa::template Shr<16>(index));
            // The right half begins four words after the left one; word 9 has the end of this and the beginning of that.
            Shift2(left, Isa::template Shl<16>(index), Isa::Set1(0), w);
            const Vec end_of_left{w[9]};
            Shift2(right, Isa::Set1(0), Isa::Set1(PADDING), w + 4);
            w[9] = Isa::Add(end_of_left, w[9]);
        }
    };
    using LeafWords = PathWords<F_BITS>;
    using ParentWords = PathWords<H_BITS>;

    /** Walks for rounds in lanes. */
    struct PathLanes : PathState {
        Vec state[8]; //!< a..h after round 4, but for W4, which is missing from a and e
    };

    /** Rounds 4 to 63 from the prefix of p; then the node is the hash. */
    template <class Words>
    [[gnu::always_inline]] static inline void HashFromPrefix(PathLanes& p, Words& words)
    {
        Vec v[8];
        for (int i{0}; i < 8; ++i) v[i] = p.state[i];
        v[At<5>(0)] = Isa::Add(v[At<5>(0)], words.w[4]);
        v[At<5>(4)] = Isa::Add(v[At<5>(4)], words.w[4]);
        Rounds<5>(v, words);
        for (int i{0}; i < 4; ++i) p.node[i] = Isa::Add(v[i], p.midstate[i]);
    }

    [[gnu::noinline]] static void Leaf(PathLanes& p)
    {
        LeafWords words{p, {}};
        words.SetLeaf();
        HashFromPrefix(p, words);
    }

    /** Go from the nodes to their parents, which have that height. */
    [[gnu::noinline]] static void Parent(PathLanes& p, const Vec (&sibling)[4], uint32_t height)
    {
        const Mask odd{Isa::IsOdd(p.index)};
        p.index = Isa::template Shr<1>(p.index);
        ParentWords words{p, {}};
        words.SetParent(sibling, odd, p.index, height);
        HashFromPrefix(p, words);
    }

    /** Have the first-level cache fetch what a walk reads. */
    [[gnu::always_inline]] static inline void FetchWalk(const PathItem& item, PathShape shape)
    {
        constexpr size_t LINE{64};
        __builtin_prefetch(item.in);
        const size_t size{size_t{16} * (shape.last - shape.first)};
        for (size_t i{0}; i < size; i += LINE) __builtin_prefetch(item.auth + i);
        if (size > 0) __builtin_prefetch(item.auth + size - 1);
    }

    /** The prefixes and places of LANES walks; like Load of chains. */
    struct Walks {
        const uint8_t* prefix[LANES];
        const uint8_t* auth[LANES];
        uint8_t* out[LANES];
    };
    [[gnu::always_inline]] static inline void Load(PathState& p, Walks& walks, const PathItem* items, size_t n)
    {
        const uint8_t* in[LANES];
        alignas(64) uint32_t index[LANES];
        for (size_t i{0}; i < LANES; ++i) {
            const PathItem& item{items[i < n ? i : n - 1]};
            walks.prefix[i] = reinterpret_cast<const uint8_t*>(item.prefix);
            in[i] = item.in;
            walks.auth[i] = item.auth;
            walks.out[i] = item.out;
            index[i] = item.index;
        }
        Vec part[4];
        Isa::Gather4(walks.prefix, offsetof(BlockPrefix, midstate), p.midstate);
        Isa::Gather4(walks.prefix, offsetof(BlockPrefix, schedule), part);
        p.w16_part = part[0];
        p.w17_part = part[1];
        p.w18_part = part[2];
        p.w3 = part[3];
        p.index = Isa::Load(index);
        Isa::Gather4(in, 0, p.node);
        for (Vec& word : p.node) word = Isa::SwapBytes(word);
    }

    /** The siblings on the way to `height`. */
    [[gnu::always_inline]] static inline void LoadSiblings(Vec (&sibling)[4], const Walks& walks, PathShape shape, uint32_t height)
    {
        Isa::Gather4(walks.auth, 16 * (height - shape.first - 1), sibling);
        for (Vec& word : sibling) word = Isa::SwapBytes(word);
    }

    static void Paths(const PathItem* items, size_t n, PathShape shape)
    {
        for (size_t i{0}; i < LANES && i < n; ++i) FetchWalk(items[i], shape);
        for (; n > 0; items += LANES, n -= LANES) {
            PathLanes p;
            Walks walks;
            Load(p, walks, items, n);
            LoadState(walks.prefix, p.state);
            Shared shared{ShareBefore<4>(p.state)};
            Round<4>(p.state, Constant<4>(), shared); // W4 follows in each hash
            if (shape.leaf) Leaf(p);
            for (uint32_t height{shape.first + 1}; height <= shape.last; ++height) {
                Vec sibling[4];
                LoadSiblings(sibling, walks, shape, height);
                Parent(p, sibling, height);
                const size_t place{size_t{16} * (height - shape.first - 1)};
                for (size_t i{LANES}; i < 2 * LANES && i < n; ++i) __builtin_prefetch(place == 0 ? items[i].in : items[i].auth + place);
            }
            StoreHashes(p.node, walks.out);
            if (n <= LANES) return;
        }
    }

    // --------------------------------------------------------------------------------------------- messages

    [[gnu::noinline]] static void Compress(Vec (&state)[8], const Vec (&block)[16])
    {
        Vec v[8];
        BlockWords words;
        for (int i{0}; i < 16; ++i) words.w[i] = block[i];
        for (int i{0}; i < 8; ++i) v[i] = state[i];
        Rounds<0>(v, words);
        for (int i{0}; i < 8; ++i) state[i] = Isa::Add(state[i], v[i]);
    }

    static void MessageGroup(const MessageItem* items, size_t n, size_t n_blocks)
    {
        const uint8_t* midstate[LANES];
        const uint8_t* block[LANES];
        uint8_t* out[LANES];
        for (size_t i{0}; i < LANES; ++i) {
            const MessageItem& item{items[i < n ? i : n - 1]};
            midstate[i] = reinterpret_cast<const uint8_t*>(item.midstate);
            block[i] = item.blocks;
            out[i] = item.out;
        }
        Vec state[8];
        Isa::Gather4(midstate, 0, state);
        Isa::Gather4(midstate, 16, state + 4);
        for (size_t b{0}; b < n_blocks; ++b) {
            Vec words[16];
            for (size_t i{0}; i < 16; i += 4) Isa::Gather4(block, 4 * i, words + i);
            for (Vec& word : words) word = Isa::SwapBytes(word);
            Compress(state, words);
            for (const uint8_t*& p : block) p += 64;
        }
        const Vec hash[4]{state[0], state[1], state[2], state[3]};
        StoreHashes(hash, out);
    }

    static void Messages(const MessageItem* items, size_t n, size_t n_blocks)
    {
        for (size_t i{0}; i < n; i += LANES) MessageGroup(items + i, n - i, n_blocks);
    }
};

} // namespace slhc::slhdsa::lanes

#endif // SLHCONSENSUS_PQC_CPU_VECTOR_KERNELS_H
