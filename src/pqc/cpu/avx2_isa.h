// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_CPU_AVX2_ISA_H
#define SLHCONSENSUS_PQC_CPU_AVX2_ISA_H

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

/** Eight lanes of 256 bits with AVX2's instructions, for the engine files that have such lanes. In an anonymous namespace
 *  on purpose, as shani_isa.h. */
namespace slhc::slhdsa::lanes {
namespace {

struct Avx2Lanes {
    static constexpr size_t LANES{8};
    using Vec = __m256i;

    [[gnu::always_inline]] static inline Vec Set1(uint32_t x) { return _mm256_set1_epi32(static_cast<int>(x)); }
    [[gnu::always_inline]] static inline Vec Load(const uint32_t* p) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(p)); }
    [[gnu::always_inline]] static inline Vec Add(Vec x, Vec y) { return _mm256_add_epi32(x, y); }
    [[gnu::always_inline]] static inline Vec Summed(Vec x) { return x; }
    template <int R> [[gnu::always_inline]] static inline Vec Shr(Vec x) { return _mm256_srli_epi32(x, R); }
    template <int R> [[gnu::always_inline]] static inline Vec Shl(Vec x) { return _mm256_slli_epi32(x, R); }
    [[gnu::always_inline]] static inline Vec JoinHalves(Vec x, Vec y) { return _mm256_blend_epi16(x, y, 0x55); }
    /** The 16-bit halves of each word. */
    [[gnu::always_inline]] static inline Vec SwapHalves(Vec x)
    {
        const __m128i swap{_mm_set_epi8(13, 12, 15, 14, 9, 8, 11, 10, 5, 4, 7, 6, 1, 0, 3, 2)};
        return _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(swap));
    }
    [[gnu::always_inline]] static inline Vec SwapBytes(Vec x)
    {
        const __m128i reverse{_mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3)};
        return _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(reverse));
    }

    [[gnu::always_inline]] static inline void Transpose(const Vec (&in)[4], Vec* out)
    {
        const Vec t0{_mm256_unpacklo_epi32(in[0], in[1])}, t1{_mm256_unpackhi_epi32(in[0], in[1])};
        const Vec t2{_mm256_unpacklo_epi32(in[2], in[3])}, t3{_mm256_unpackhi_epi32(in[2], in[3])};
        out[0] = _mm256_unpacklo_epi64(t0, t2);
        out[1] = _mm256_unpackhi_epi64(t0, t2);
        out[2] = _mm256_unpacklo_epi64(t1, t3);
        out[3] = _mm256_unpackhi_epi64(t1, t3);
    }
    [[gnu::always_inline]] static inline void Gather4(const uint8_t* const* p, size_t offset, Vec* out)
    {
        const auto at{[&](int lane) { return reinterpret_cast<const __m128i*>(p[lane] + offset); }};
        Vec part[4];
        for (int i{0}; i < 4; ++i) part[i] = _mm256_loadu2_m128i(at(i + 4), at(i));
        Transpose(part, out);
    }
    [[gnu::always_inline]] static inline void Scatter4(const Vec (&in)[4], uint8_t* const* p)
    {
        const auto at{[&](int lane) { return reinterpret_cast<__m128i*>(p[lane]); }};
        Vec part[4];
        Transpose(in, part);
        for (int i{0}; i < 4; ++i) _mm256_storeu2_m128i(at(i + 4), at(i), part[i]);
    }
};

} // namespace
} // namespace slhc::slhdsa::lanes

#endif // SLHCONSENSUS_PQC_CPU_AVX2_ISA_H
