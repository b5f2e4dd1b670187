// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_CPU_VERTICAL_H
#define SLHCONSENSUS_PQC_CPU_VERTICAL_H

#include <crypto/sha256.h>
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

/** Two vectors of Isa side by side: their instructions interleave, which hides latency where one stream of
 *  SHA-256 cannot fill the execution units. */
template <class Isa>
struct Twin {
    static constexpr size_t LANES{2 * Isa::LANES};
    struct Vec { typename Isa::Vec lo, hi; };
    struct Mask { typename Isa::Mask lo, hi; };
    using Half = typename Isa::Vec;

    [[gnu::always_inline]] static inline Vec Set1(uint32_t x) { const Half v{Isa::Set1(x)}; return {v, v}; }
    [[gnu::always_inline]] static inline Vec Load(const uint32_t* p) { return {Isa::Load(p), Isa::Load(p + Isa::LANES)}; }
    [[gnu::always_inline]] static inline Vec Add(Vec x, Vec y) { return {Isa::Add(x.lo, y.lo), Isa::Add(x.hi, y.hi)}; }
    [[gnu::always_inline]] static inline Vec And(Vec x, Vec y) { return {Isa::And(x.lo, y.lo), Isa::And(x.hi, y.hi)}; }
    [[gnu::always_inline]] static inline Vec Xor3(Vec x, Vec y, Vec z) { return {Isa::Xor3(x.lo, y.lo, z.lo), Isa::Xor3(x.hi, y.hi, z.hi)}; }
    [[gnu::always_inline]] static inline Vec Ch(Vec x, Vec y, Vec z) { return {Isa::Ch(x.lo, y.lo, z.lo), Isa::Ch(x.hi, y.hi, z.hi)}; }
    [[gnu::always_inline]] static inline Vec Maj(Vec x, Vec y, Vec z) { return {Isa::Maj(x.lo, y.lo, z.lo), Isa::Maj(x.hi, y.hi, z.hi)}; }
    template <int R> [[gnu::always_inline]] static inline Vec Rotr(Vec x) { return {Isa::template Rotr<R>(x.lo), Isa::template Rotr<R>(x.hi)}; }
    template <int R> [[gnu::always_inline]] static inline Vec Shr(Vec x) { return {Isa::template Shr<R>(x.lo), Isa::template Shr<R>(x.hi)}; }
    template <int R> [[gnu::always_inline]] static inline Vec Shl(Vec x) { return {Isa::template Shl<R>(x.lo), Isa::template Shl<R>(x.hi)}; }
    [[gnu::always_inline]] static inline Vec JoinHalves(Vec x, Vec y) { return {Isa::JoinHalves(x.lo, y.lo), Isa::JoinHalves(x.hi, y.hi)}; }
    [[gnu::always_inline]] static inline Vec SwapBytes(Vec x) { return {Isa::SwapBytes(x.lo), Isa::SwapBytes(x.hi)}; }
    [[gnu::always_inline]] static inline Mask InRange(Vec begin, Vec x, Vec end) { return {Isa::InRange(begin.lo, x.lo, end.lo), Isa::InRange(begin.hi, x.hi, end.hi)}; }
    [[gnu::always_inline]] static inline Mask IsOdd(Vec x) { return {Isa::IsOdd(x.lo), Isa::IsOdd(x.hi)}; }
    [[gnu::always_inline]] static inline Vec Select(Mask m, Vec x, Vec y) { return {Isa::Select(m.lo, x.lo, y.lo), Isa::Select(m.hi, x.hi, y.hi)}; }
    [[gnu::always_inline]] static inline Vec AddWhere(Mask m, Vec old, Vec x, Vec y) { return {Isa::AddWhere(m.lo, old.lo, x.lo, y.lo), Isa::AddWhere(m.hi, old.hi, x.hi, y.hi)}; }
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
template <class Isa>
struct Vertical {
    using Vec = typename Isa::Vec;
    using Mask = typename Isa::Mask;
    static constexpr size_t LANES{Isa::LANES};

    template <class... V>
    [[gnu::always_inline]] static inline Vec Sum(Vec x, V... rest)
    {
        if constexpr (sizeof...(rest) == 0) {
            return x;
        } else {
            return Isa::Add(x, Sum(rest...));
        }
    }
    [[gnu::always_inline]] static inline Vec Sigma0(Vec x) { return Isa::Xor3(Isa::template Rotr<2>(x), Isa::template Rotr<13>(x), Isa::template Rotr<22>(x)); }
    [[gnu::always_inline]] static inline Vec Sigma1(Vec x) { return Isa::Xor3(Isa::template Rotr<6>(x), Isa::template Rotr<11>(x), Isa::template Rotr<25>(x)); }
    [[gnu::always_inline]] static inline Vec sigma0(Vec x) { return Isa::Xor3(Isa::template Rotr<7>(x), Isa::template Rotr<18>(x), Isa::template Shr<3>(x)); }
    [[gnu::always_inline]] static inline Vec sigma1(Vec x) { return Isa::Xor3(Isa::template Rotr<17>(x), Isa::template Rotr<19>(x), Isa::template Shr<10>(x)); }

    /** Where the working variables are before round T: not they move, but their names. a is i = 0, h is i = 7. */
    template <int T>
    static constexpr size_t At(int i) { return static_cast<size_t>(i + 64 - T) % 8; }

    /** Round T.
     *  @param kw  K_T + W_T */
    template <int T>
    [[gnu::always_inline]] static inline void Round(Vec (&v)[8], Vec kw)
    {
        const Vec a{v[At<T>(0)]}, b{v[At<T>(1)]}, c{v[At<T>(2)]}, e{v[At<T>(4)]}, f{v[At<T>(5)]}, g{v[At<T>(6)]};
        const Vec t1{Isa::Add(Isa::Add(Isa::Add(v[At<T>(7)], kw), Isa::Ch(e, f, g)), Sigma1(e))};
        v[At<T>(3)] = Isa::Add(v[At<T>(3)], t1);
        v[At<T>(7)] = Isa::Add(Isa::Add(t1, Isa::Maj(a, b, c)), Sigma0(a));
    }

    /** Word T of the message schedule, where w holds the sixteen before it as a ring. */
    template <int T>
    [[gnu::always_inline]] static inline Vec Extend(const Vec (&w)[16])
    {
        return Isa::Add(Isa::Add(w[T % 16], sigma0(w[(T - 15) % 16])), Isa::Add(w[(T - 7) % 16], sigma1(w[(T - 2) % 16])));
    }

    /** K_T + W_T */
    template <int T>
    [[gnu::always_inline]] static inline Vec PlusK(Vec word) { return Isa::Add(word, Isa::Set1(sha256::K[T])); }

    /** Rounds First to 63 for any block. w: the sixteen words of the block, used up. */
    template <int First>
    [[gnu::always_inline]] static inline void Rounds(Vec (&v)[8], Vec (&w)[16])
    {
        [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
            (ScheduleAndRound<First + I>(v, w), ...);
        }(std::make_integer_sequence<int, 64 - First>{});
    }

    template <int T>
    [[gnu::always_inline]] static inline void ScheduleAndRound(Vec (&v)[8], Vec (&w)[16])
    {
        if constexpr (T >= 16) w[T % 16] = Extend<T>(w);
        Round<T>(v, PlusK<T>(w[T % 16]));
    }

    // ----------------------------------------------------------------------------------------------- chains

    /** LANES chains under way. Of an F only words 5 to 9 of the block change from one step to the next: what
     *  depends on the others alone is here. */
    struct ChainState {
        Vec value[4];       //!< where the chains are, as words
        Vec begin, end;     //!< a lane's value changes in the steps [begin, end)
        Vec state[8];       //!< a..h after round 5, but for W5, which is missing from a and e
        Vec midstate[4];
        Vec w4, w17, w19;   //!< schedule words
        Vec kw17, kw19;     //!< the same plus K
        Vec w16_part, w18_part;               //!< W0+s0(W1), W2+s0(W3)
        Vec s0_w17, s0_w19, s1_w19;           //!< sigma0(W17), sigma0(W19), sigma1(W19)
    };

    /** The rounds of one F. Which words are constant, zero or known along the chain decides what each costs. */
    struct ChainStep {
        const ChainState& c;
        Vec w[16];
        Vec v[8];

        /** W_T for 16 <= T: what Extend gives, without the words that are zero (10 to 14), and with those that are known
         *  (4, 15, 17, 19) where c or the compiler has them. */
        template <int T>
        [[gnu::always_inline]] inline Vec Word() const
        {
            if constexpr (T == 16) return Sum(c.w16_part, w[9]);
            else if constexpr (T == 18) return Sum(c.w18_part, sigma1(w[0]));
            else if constexpr (T == 20) return Sum(c.w4, sigma0(w[5]), sigma1(w[2]));
            else if constexpr (T == 21) return Sum(w[5], c.s1_w19, sigma0(w[6]));
            else if constexpr (T == 22) return Sum(w[6], Isa::Set1(F_BITS), sigma0(w[7]), sigma1(w[4]));
            else if constexpr (T == 24) return Sum(w[8], c.w17, sigma0(w[9]), sigma1(w[6]));
            else if constexpr (T == 25) return Sum(w[9], w[2], sigma1(w[7]));
            else if constexpr (T == 26) return Sum(c.w19, sigma1(w[8]));
            else if constexpr (T >= 27 && T <= 29) return Sum(w[T - 23], sigma1(w[T - 18]));
            else if constexpr (T == 30) return Sum(w[7], Isa::Set1(F_BITS_SIGMA0), sigma1(w[12]));
            else if constexpr (T == 31) return Sum(w[8], Isa::Set1(F_BITS), sigma0(w[0]), sigma1(w[13]));
            else if constexpr (T == 32) return Sum(w[0], c.s0_w17, w[9], sigma1(w[14]));
            else if constexpr (T == 33) return Sum(w[10], c.w17, sigma0(w[2]), sigma1(w[15]));
            else if constexpr (T == 34) return Sum(w[2], c.s0_w19, w[11], sigma1(w[0]));
            else if constexpr (T == 35) return Sum(w[12], c.w19, sigma0(w[4]), sigma1(w[1]));
            else return Extend<T>(w);
        }

        template <int T>
        [[gnu::always_inline]] inline void ScheduleAndRound()
        {
            if constexpr (T >= 10 && T <= 14) {
                Round<T>(v, Isa::Set1(sha256::K[T]));
            } else if constexpr (T == 15) {
                Round<T>(v, Isa::Set1(sha256::K[T] + F_BITS));
            } else if constexpr (T == 17) {
                Round<T>(v, c.kw17);
            } else if constexpr (T == 19) {
                Round<T>(v, c.kw19);
            } else {
                if constexpr (T >= 16) w[T % 16] = Word<T>();
                Round<T>(v, PlusK<T>(w[T % 16]));
            }
        }

        [[gnu::always_inline]] inline void Rounds6To63()
        {
            [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
                (ScheduleAndRound<6 + I>(), ...);
            }(std::make_integer_sequence<int, 58>{});
        }
    };

    static constexpr uint32_t F_BITS_SIGMA0{(F_BITS >> 7 | F_BITS << 25) ^ (F_BITS >> 18 | F_BITS << 14) ^ (F_BITS >> 3)};
    static constexpr uint32_t F_BITS_SIGMA1{(F_BITS >> 17 | F_BITS << 15) ^ (F_BITS >> 19 | F_BITS << 13) ^ (F_BITS >> 10)};

    /** Step all chains from index `step` to the next. Out of line: compilers schedule and allocate registers
     *  better where this is all there is. */
    [[gnu::noinline]] static void Step(ChainState& c, uint32_t step)
    {
        ChainStep f{.c = c, .w = {}, .v = {}};
        Shift2(c.value, Isa::Set1(step << 16), Isa::Set1(PADDING), f.w);
        for (int i{0}; i < 8; ++i) f.v[i] = c.state[i];
        f.v[At<6>(0)] = Isa::Add(f.v[At<6>(0)], f.w[5]);
        f.v[At<6>(4)] = Isa::Add(f.v[At<6>(4)], f.w[5]);
        f.Rounds6To63();
        const Mask active{Isa::InRange(c.begin, Isa::Set1(step), c.end)};
        for (int i{0}; i < 4; ++i) c.value[i] = Isa::AddWhere(active, c.value[i], f.v[i], c.midstate[i]);
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

    /** The row and the place of each of LANES chains. The last of n < LANES items fills the lanes behind it. */
    [[gnu::always_inline]] static inline void Load(ChainState& c, const ChainKey* keys, const ChainItem* items, size_t n)
    {
        const uint8_t* row[LANES];
        const uint8_t* in[LANES];
        alignas(64) uint32_t chain[LANES], begin[LANES], end[LANES];
        for (size_t i{0}; i < LANES; ++i) {
            const ChainItem& item{items[i < n ? i : n - 1]};
            const ChainKey& key{keys[item.key]};
            row[i] = reinterpret_cast<const uint8_t*>(key.row);
            in[i] = key.in + 16 * item.chain;
            chain[i] = uint32_t{item.chain} << 16;
            begin[i] = item.begin;
            end[i] = item.end;
        }
        Isa::Gather4(in, 0, c.value);
        for (Vec& word : c.value) word = Isa::SwapBytes(word);
        c.begin = Isa::Load(begin);
        c.end = Isa::Load(end);
        c.w4 = Isa::Load(chain);

        Vec part[4];
        Vec v[8];
        LoadRow(row, v, c.midstate, part);
        c.w16_part = part[0];
        c.w17 = Isa::Add(part[1], Isa::Set1(F_BITS_SIGMA1));
        c.w18_part = part[2];
        c.w19 = Sum(part[3], sigma0(c.w4), sigma1(c.w17));
        c.kw17 = PlusK<17>(c.w17);
        c.kw19 = PlusK<19>(c.w19);
        c.s0_w17 = sigma0(c.w17);
        c.s0_w19 = sigma0(c.w19);
        c.s1_w19 = sigma1(c.w19);
        Round<4>(v, PlusK<4>(c.w4));
        Round<5>(v, Isa::Set1(sha256::K[5])); // W5 follows in each step
        for (int i{0}; i < 8; ++i) c.state[i] = v[i];
    }

    [[gnu::always_inline]] static inline void LoadRow(const uint8_t* const* row, Vec (&v)[8], Vec (&midstate)[4], Vec (&part)[4])
    {
        Vec x[8];
        Isa::Gather4(row, offsetof(Row, state), x);
        Isa::Gather4(row, offsetof(Row, state) + 16, x + 4);
        for (int i{0}; i < 8; ++i) v[At<4>(i)] = x[i];
        Isa::Gather4(row, offsetof(Row, midstate), midstate);
        Isa::Gather4(row, offsetof(Row, schedule), part);
    }

    [[gnu::always_inline]] static inline void StoreHashes(const Vec (&hash)[4], uint8_t* const* out)
    {
        Vec bytes[4];
        for (int i{0}; i < 4; ++i) bytes[i] = Isa::SwapBytes(hash[i]);
        Isa::Scatter4(bytes, out);
    }

    /** Up to LANES chains, from the first begin to the last end. */
    static void ChainGroup(const ChainKey* keys, const ChainItem* items, size_t n)
    {
        ChainState c;
        Load(c, keys, items, n);
        uint8_t* out[LANES];
        uint32_t begin{items[0].begin}, end{items[0].end};
        for (size_t i{0}; i < LANES; ++i) {
            const ChainItem& item{items[i < n ? i : n - 1]};
            out[i] = keys[item.key].out + 16 * item.chain;
            if (item.begin < begin) begin = item.begin;
            if (item.end > end) end = item.end;
        }
        for (uint32_t step{begin}; step < end; ++step) Step(c, step);
        StoreHashes(c.value, out);
    }

    static void Chains(const ChainKey* keys, const ChainItem* items, size_t n)
    {
        for (size_t i{0}; i < n; i += LANES) ChainGroup(keys, items + i, n - i);
    }

    // ------------------------------------------------------------------------------------------------ paths

    /** LANES walks up a tree under way. */
    struct PathState {
        Vec node[4];
        Vec index;
        Vec state[8]; //!< after round 3
        Vec midstate[4];
        Vec w16_part, w17_part, w18_part, w3;
    };

    /** Rounds 4 to 63 of the block whose words 4 to 15 are in w, from the row of p; then the node is the hash. */
    [[gnu::always_inline]] static inline void HashFromRow(PathState& p, Vec (&w)[16])
    {
        Vec v[8];
        for (int i{0}; i < 8; ++i) v[i] = p.state[i];
        [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
            (ScheduleAndRound<4 + I>(v, w), ...);
        }(std::make_integer_sequence<int, 12>{});
        // Words 16 to 19 have their part that comes from words 0 to 3 in the row.
        w[0] = Sum(p.w16_part, w[9], sigma1(w[14]));
        Round<16>(v, PlusK<16>(w[0]));
        w[1] = Sum(p.w17_part, w[10], sigma1(w[15]));
        Round<17>(v, PlusK<17>(w[1]));
        w[2] = Sum(p.w18_part, w[11], sigma1(w[0]));
        Round<18>(v, PlusK<18>(w[2]));
        w[3] = Sum(p.w3, sigma0(w[4]), w[12], sigma1(w[1]));
        Round<19>(v, PlusK<19>(w[3]));
        Rounds<20>(v, w);
        for (int i{0}; i < 4; ++i) p.node[i] = Isa::Add(v[i], p.midstate[i]);
    }

    /** F of the node at height 0: a FORS leaf. */
    [[gnu::noinline]] static void Leaf(PathState& p)
    {
        Vec w[16];
        const Vec zero{Isa::Set1(0)};
        w[4] = zero;
        Shift2(p.node, Isa::template Shl<16>(p.index), Isa::Set1(PADDING), w);
        for (int i{10}; i < 15; ++i) w[i] = zero;
        w[15] = Isa::Set1(F_BITS);
        HashFromRow(p, w);
    }

    /** H of the node and its sibling; the result has that height. */
    [[gnu::noinline]] static void Parent(PathState& p, const Vec (&sibling)[4], uint32_t height)
    {
        Vec left[4], right[4], w[16];
        const Mask odd{Isa::IsOdd(p.index)};
        for (int i{0}; i < 4; ++i) {
            left[i] = Isa::Select(odd, sibling[i], p.node[i]);
            right[i] = Isa::Select(odd, p.node[i], sibling[i]);
        }
        p.index = Isa::template Shr<1>(p.index);
        w[4] = Isa::Set1(height << 16);
        // The right half begins four words after the left one; word 9 has the end of this and the beginning of that.
        Shift2(left, Isa::template Shl<16>(p.index), Isa::Set1(0), w);
        const Vec end_of_left{w[9]};
        Shift2(right, Isa::Set1(0), Isa::Set1(PADDING), w + 4);
        w[9] = Isa::Add(end_of_left, w[9]);
        w[14] = Isa::Set1(0);
        w[15] = Isa::Set1(H_BITS);
        HashFromRow(p, w);
    }

    static void PathGroup(const PathItem* items, size_t n, PathShape shape)
    {
        const uint8_t* row[LANES];
        const uint8_t* in[LANES];
        const uint8_t* auth[LANES];
        uint8_t* out[LANES];
        alignas(64) uint32_t index[LANES];
        for (size_t i{0}; i < LANES; ++i) {
            const PathItem& item{items[i < n ? i : n - 1]};
            row[i] = reinterpret_cast<const uint8_t*>(item.row);
            in[i] = item.in;
            auth[i] = item.auth;
            out[i] = item.out;
            index[i] = item.index;
        }
        PathState p;
        Vec part[4], v[8];
        LoadRow(row, v, p.midstate, part);
        for (int i{0}; i < 8; ++i) p.state[i] = v[i];
        p.w16_part = part[0];
        p.w17_part = part[1];
        p.w18_part = part[2];
        p.w3 = part[3];
        p.index = Isa::Load(index);
        Isa::Gather4(in, 0, p.node);
        for (Vec& word : p.node) word = Isa::SwapBytes(word);

        if (shape.leaf) Leaf(p);
        for (uint32_t height{shape.first + 1}; height <= shape.last; ++height) {
            Vec sibling[4];
            Isa::Gather4(auth, 16 * (height - shape.first - 1), sibling);
            for (Vec& word : sibling) word = Isa::SwapBytes(word);
            Parent(p, sibling, height);
        }
        StoreHashes(p.node, out);
    }

    static void Paths(const PathItem* items, size_t n, PathShape shape)
    {
        for (size_t i{0}; i < n; i += LANES) PathGroup(items + i, n - i, shape);
    }

    // --------------------------------------------------------------------------------------------- messages

    /** One block of each of LANES messages into the states. */
    [[gnu::noinline]] static void Block(Vec (&state)[8], const uint8_t* const* block)
    {
        Vec v[8], w[16];
        for (size_t i{0}; i < 16; i += 4) Isa::Gather4(block, 4 * i, w + i);
        for (Vec& word : w) word = Isa::SwapBytes(word);
        for (int i{0}; i < 8; ++i) v[i] = state[i];
        Rounds<0>(v, w);
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
            Block(state, block);
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

#endif // SLHCONSENSUS_PQC_CPU_VERTICAL_H
