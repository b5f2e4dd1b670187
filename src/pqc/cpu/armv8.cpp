// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

/** The SHA-256 instructions of ARMv8, four hashes in turn. Nothing in here may run before cpu_features.h said so. */

#include <pqc/cpu/kernels.h>
#include <pqc/cpu/sha_kernels.h>

#include <arm_neon.h>

namespace slhc::slhdsa::lanes {
namespace {

struct Armv8 {
    static constexpr size_t STREAMS{4};
    using Vec = uint32x4_t;
    struct State {
        uint32x4_t abcd;
        uint32x4_t efgh;
    };

    [[gnu::always_inline]] static inline Vec Set(uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3)
    {
        const uint32_t words[4]{w0, w1, w2, w3};
        return vld1q_u32(words);
    }
    [[gnu::always_inline]] static inline Vec Add(Vec x, Vec y) { return vaddq_u32(x, y); }
    [[gnu::always_inline]] static inline Vec Or(Vec x, Vec y) { return vorrq_u32(x, y); }
    [[gnu::always_inline]] static inline Vec Select(Vec mask, Vec x, Vec y) { return vbslq_u32(mask, x, y); }
    [[gnu::always_inline]] static inline Vec MaskOfBit(uint32_t bit) { return vdupq_n_u32(0 - bit); }
    [[gnu::always_inline]] static inline Vec LoadWords(const uint32_t* p) { return vld1q_u32(p); }
    [[gnu::always_inline]] static inline Vec LoadBytes(const uint8_t* p) { return vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(p))); }
    [[gnu::always_inline]] static inline void StoreBytes(uint8_t* p, Vec x) { vst1q_u8(p, vrev32q_u8(vreinterpretq_u8_u32(x))); }

    [[gnu::always_inline]] static inline State LoadState(const uint32_t* a_to_h) { return {vld1q_u32(a_to_h), vld1q_u32(a_to_h + 4)}; }
    [[gnu::always_inline]] static inline State AddState(const State& x, const State& y)
    {
        return {Add(x.abcd, y.abcd), Add(x.efgh, y.efgh)};
    }
    [[gnu::always_inline]] static inline Vec FirstHalf(const State& s) { return s.abcd; }

    [[gnu::always_inline]] static inline void QuadRound(State& s, Vec kw)
    {
        const Vec abcd{s.abcd};
        s.abcd = vsha256hq_u32(s.abcd, s.efgh, kw);
        s.efgh = vsha256h2q_u32(s.efgh, abcd, kw);
    }
    [[gnu::always_inline]] static inline Vec Extend(Vec w0, Vec w1) { return vsha256su0q_u32(w0, w1); }
    [[gnu::always_inline]] static inline Vec Finish(Vec partial, Vec w2, Vec w3) { return vsha256su1q_u32(partial, w2, w3); }

    /** Byte i of the result is byte index[i] of x, or 0 where there is no such byte. */
    [[gnu::always_inline]] static inline Vec Permute(Vec x, const uint8_t (&index)[16])
    {
        return vreinterpretq_u32_u8(vqtbl1q_u8(vreinterpretq_u8_u32(x), vld1q_u8(index)));
    }
    [[gnu::always_inline]] static inline Vec WordsFrom5(Vec d)
    {
        static constexpr uint8_t INDEX[16]{NONE, NONE, NONE, NONE, 2, 3, NONE, NONE, 6, 7, 0, 1, 10, 11, 4, 5};
        return Permute(d, INDEX);
    }
    [[gnu::always_inline]] static inline Vec WordsTo9(Vec d)
    {
        static constexpr uint8_t INDEX[16]{14, 15, 8, 9, NONE, NONE, 12, 13, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE};
        return Permute(d, INDEX);
    }
    static constexpr uint8_t NONE{0xff};
};

using Engine = ShaKernels<Armv8>;

} // namespace

constinit const Kernels g_armv8_kernels{Engine::MAX_STREAMS, 16, Engine::Chains, Engine::Paths, Engine::Messages};

} // namespace slhc::slhdsa::lanes
