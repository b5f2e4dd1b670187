// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_CPU_SHANI_ISA_H
#define SLHCONSENSUS_PQC_CPU_SHANI_ISA_H

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

/** The SHA instructions of x86, for the engine files that use them. In an anonymous namespace on purpose: each of those files is compiled
 *  for another instruction set and must keep its code of this to itself (vector_kernels.h). */
namespace slhc::slhdsa::lanes {
namespace {

struct ShaNi {
    static constexpr size_t STREAMS{4};
    using Vec = __m128i;
    /** The order that sha256rnds2 wants, lowest lane first: (f, e, b, a) and (h, g, d, c). */
    struct State {
        __m128i abef;
        __m128i cdgh;
    };

    [[gnu::always_inline]] static inline Vec Set(uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3)
    {
        return _mm_setr_epi32(static_cast<int>(w0), static_cast<int>(w1), static_cast<int>(w2), static_cast<int>(w3));
    }
    [[gnu::always_inline]] static inline Vec Add(Vec x, Vec y) { return _mm_add_epi32(x, y); }
    [[gnu::always_inline]] static inline Vec Or(Vec x, Vec y) { return _mm_or_si128(x, y); }
    [[gnu::always_inline]] static inline Vec Select(Vec mask, Vec x, Vec y) { return _mm_blendv_epi8(y, x, mask); }
    [[gnu::always_inline]] static inline Vec MaskOfBit(uint32_t bit) { return _mm_set1_epi32(-static_cast<int>(bit)); }
    [[gnu::always_inline]] static inline Vec LoadWords(const uint32_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
    [[gnu::always_inline]] static inline Vec SwapBytes(Vec x)
    {
        return _mm_shuffle_epi8(x, _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3));
    }
    [[gnu::always_inline]] static inline Vec LoadBytes(const uint8_t* p)
    {
        return SwapBytes(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    }
    [[gnu::always_inline]] static inline void StoreBytes(uint8_t* p, Vec x)
    {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(p), SwapBytes(x));
    }

    [[gnu::always_inline]] static inline State LoadState(const uint32_t* a_to_h)
    {
        const Vec badc{_mm_shuffle_epi32(LoadWords(a_to_h), _MM_SHUFFLE(2, 3, 0, 1))};
        const Vec hgfe{_mm_shuffle_epi32(LoadWords(a_to_h + 4), _MM_SHUFFLE(0, 1, 2, 3))};
        return {_mm_alignr_epi8(badc, hgfe, 8), _mm_blend_epi16(hgfe, badc, 0xf0)};
    }
    [[gnu::always_inline]] static inline State AddState(const State& x, const State& y)
    {
        return {Add(x.abef, y.abef), Add(x.cdgh, y.cdgh)};
    }
    /** d, c, b, a */
    [[gnu::always_inline]] static inline Vec FirstHalfReversed(const State& s) { return _mm_unpackhi_epi64(s.cdgh, s.abef); }
    [[gnu::always_inline]] static inline Vec FirstHalf(const State& s)
    {
        return _mm_shuffle_epi32(FirstHalfReversed(s), _MM_SHUFFLE(0, 1, 2, 3));
    }

    /** K + W of two rounds, which the instruction wants in the lower half. */
    [[gnu::always_inline]] static inline Vec LoadPair(const uint64_t* kw) { return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kw)); }
    [[gnu::always_inline]] static inline void TwoRounds(State& s, Vec kw)
    {
        const Vec abef{_mm_sha256rnds2_epu32(s.cdgh, s.abef, kw)};
        s.cdgh = s.abef;
        s.abef = abef;
    }
    [[gnu::always_inline]] static inline void QuadRound(State& s, Vec kw)
    {
        TwoRounds(s, kw);
        TwoRounds(s, _mm_unpackhi_epi64(kw, kw));
    }
    [[gnu::always_inline]] static inline Vec Extend(Vec w0, Vec w1) { return _mm_sha256msg1_epu32(w0, w1); }
    [[gnu::always_inline]] static inline Vec Finish(Vec partial, Vec w2, Vec w3)
    {
        return _mm_sha256msg2_epu32(Add(partial, _mm_alignr_epi8(w3, w2, 4)), w3);
    }

    [[gnu::always_inline]] static inline Vec WordsFrom5(Vec d)
    {
        return _mm_shuffle_epi8(d, _mm_setr_epi8(-1, -1, -1, -1, 2, 3, -1, -1, 6, 7, 0, 1, 10, 11, 4, 5));
    }
    [[gnu::always_inline]] static inline Vec WordsTo9(Vec d)
    {
        return _mm_shuffle_epi8(d, _mm_setr_epi8(14, 15, 8, 9, -1, -1, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1));
    }
};

} // namespace
} // namespace slhc::slhdsa::lanes

#endif // SLHCONSENSUS_PQC_CPU_SHANI_ISA_H
