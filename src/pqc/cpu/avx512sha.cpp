// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

/** AVX-512 and the SHA instructions together: message schedules in eight lanes of 256 bits, rounds with sha256rnds2. Pays
 *  where the two do not share execution units, as on Zen 4. Vectors of 256 bits, because those of 512 leave too few
 *  gaps there. Nothing in here may run before cpu_features.h said so. */

#include <pqc/cpu/kernels.h>
#include <pqc/cpu/mixed.h>
#include <pqc/cpu/shani_isa.h>
#include <pqc/cpu/streams.h>
#include <pqc/cpu/vertical.h>

#include <immintrin.h>

namespace slhc::slhdsa::lanes {
namespace {

struct Avx512Half {
    static constexpr size_t LANES{8};
    using Vec = __m256i;
    using Mask = __mmask8;

    // Immediates of vpternlogd: the truth table of f(x, y, z), with x the most significant bit of the row number.
    static constexpr int XOR3{0x96}, CHOOSE{0xca}, MAJORITY{0xe8};

    [[gnu::always_inline]] static inline Vec Set1(uint32_t x) { return _mm256_set1_epi32(static_cast<int>(x)); }
    [[gnu::always_inline]] static inline Vec Load(const uint32_t* p) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(p)); }
    [[gnu::always_inline]] static inline Vec Add(Vec x, Vec y) { return _mm256_add_epi32(x, y); }
    [[gnu::always_inline]] static inline Vec Xor3(Vec x, Vec y, Vec z) { return _mm256_ternarylogic_epi32(x, y, z, XOR3); }
    [[gnu::always_inline]] static inline Vec Ch(Vec x, Vec y, Vec z) { return _mm256_ternarylogic_epi32(x, y, z, CHOOSE); }
    [[gnu::always_inline]] static inline Vec Maj(Vec x, Vec y, Vec z) { return _mm256_ternarylogic_epi32(x, y, z, MAJORITY); }
    template <int R> [[gnu::always_inline]] static inline Vec Rotr(Vec x) { return _mm256_ror_epi32(x, R); }
    template <int R> [[gnu::always_inline]] static inline Vec Shr(Vec x) { return _mm256_srli_epi32(x, R); }
    template <int R> [[gnu::always_inline]] static inline Vec Shl(Vec x) { return _mm256_slli_epi32(x, R); }
    [[gnu::always_inline]] static inline Vec JoinHalves(Vec x, Vec y) { return _mm256_blend_epi16(x, y, 0x55); }
    [[gnu::always_inline]] static inline Vec SwapBytes(Vec x)
    {
        const __m128i reverse{_mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3)};
        return _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(reverse));
    }
    [[gnu::always_inline]] static inline Mask InRange(Vec begin, Vec x, Vec end) { return _mm256_mask_cmplt_epu32_mask(_mm256_cmple_epu32_mask(begin, x), x, end); }
    [[gnu::always_inline]] static inline Mask IsOdd(Vec x) { return _mm256_test_epi32_mask(x, Set1(1)); }
    [[gnu::always_inline]] static inline Vec Select(Mask m, Vec x, Vec y) { return _mm256_mask_blend_epi32(m, y, x); }
    [[gnu::always_inline]] static inline Vec AddWhere(Mask m, Vec old, Vec x, Vec y) { return _mm256_mask_add_epi32(old, m, x, y); }

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

    // What mixed.h wants besides: the way from lanes to single hashes and back.

    /** Two words of each lane side by side. Interleaving them works within 128 bits, hence the order of lanes. */
    [[gnu::always_inline]] static inline void StorePairs(uint64_t* out, Vec even, Vec odd)
    {
        _mm256_store_si256(reinterpret_cast<__m256i*>(out), _mm256_unpacklo_epi32(even, odd));
        _mm256_store_si256(reinterpret_cast<__m256i*>(out + 4), _mm256_unpackhi_epi32(even, odd));
    }
    static constexpr int PairPlace(int lane) { return (lane & 1) + lane / 4 * 2 + (lane & 2) * 2; }

    /** Lanes i and i + 4 are neighbours, so that a load has what Transpose wants. */
    static constexpr int HashPlace(int lane) { return lane % 4 * 2 + lane / 4; }
    [[gnu::always_inline]] static inline void Transposed(const __m128i* hash, Vec (&a_to_d)[4])
    {
        Vec part[4], d_to_a[4];
        for (int i{0}; i < 4; ++i) part[i] = _mm256_load_si256(reinterpret_cast<const __m256i*>(hash + 2 * i));
        Transpose(part, d_to_a);
        for (int i{0}; i < 4; ++i) a_to_d[i] = d_to_a[3 - i];
    }
};

using Engine = Mixed<Avx512Half, ShaNi>;

} // namespace

const Kernels g_avx512sha_kernels{Engine::LANES, 128, Engine::Chains, Engine::Paths, Streams<ShaNi>::Messages};

} // namespace slhc::slhdsa::lanes
