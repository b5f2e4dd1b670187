// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

/** AVX-512 (F and BW): sixteen hashes a vector, two vectors at a time. Rotations and every three-operand function of
 *  SHA-256 are single instructions. Nothing in here may run before cpu_features.h said so. */

#include <pqc/cpu/folded_chains.h>
#include <pqc/cpu/kernels.h>
#include <pqc/cpu/vector_kernels.h>
#include <pqc/cpu/wots_keys.h>

#include <immintrin.h>

namespace slhc::slhdsa::lanes {
namespace {

struct Avx512 {
    static constexpr size_t LANES{16};
    using Vec = __m512i;
    using Mask = __mmask16;

    // Immediates of vpternlogd: the truth table of f(x, y, z), with x the most significant bit of the row number.
    static constexpr int XOR3{0x96}, CHOOSE{0xca}, MAJORITY{0xe8};

    [[gnu::always_inline]] static inline Vec Set1(uint32_t x) { return _mm512_set1_epi32(static_cast<int>(x)); }
    [[gnu::always_inline]] static inline Vec Load(const uint32_t* p) { return _mm512_load_si512(p); }
    [[gnu::always_inline]] static inline Vec Add(Vec x, Vec y) { return _mm512_add_epi32(x, y); }
    /** A round waits longest for SIGMA1(e), so it is added last. In the order that gcc prefers, a step of one stream takes a
     *  third longer on Zen 5. */
    [[gnu::always_inline]] static inline Vec Summed(Vec x)
    {
#ifndef SLHC_EMULATED_INSTRUCTIONS
        __asm__("" : "+v"(x));
#endif
        return x;
    }
    [[gnu::always_inline]] static inline Vec Xor3(Vec x, Vec y, Vec z) { return _mm512_ternarylogic_epi32(x, y, z, XOR3); }
    [[gnu::always_inline]] static inline Vec Ch(Vec x, Vec y, Vec z) { return _mm512_ternarylogic_epi32(x, y, z, CHOOSE); }
    struct Shared {}; // Maj is one instruction
    [[gnu::always_inline]] static inline Shared Share(Vec, Vec) { return {}; }
    [[gnu::always_inline]] static inline Vec Maj(Vec x, Vec y, Vec z, Shared&) { return _mm512_ternarylogic_epi32(x, y, z, MAJORITY); }
    template <int R> [[gnu::always_inline]] static inline Vec Rotr(Vec x) { return _mm512_ror_epi32(x, R); }
    template <int R> [[gnu::always_inline]] static inline Vec Shr(Vec x) { return _mm512_srli_epi32(x, R); }
    template <int R> [[gnu::always_inline]] static inline Vec Shl(Vec x) { return _mm512_slli_epi32(x, R); }
    /** The upper half of each word of x, the lower half of y's. */
    [[gnu::always_inline]] static inline Vec JoinHalves(Vec x, Vec y) { return _mm512_ternarylogic_epi32(Set1(0xffff0000), x, y, CHOOSE); }
    [[gnu::always_inline]] static inline Vec SwapBytes(Vec x)
    {
        const __m128i reverse{_mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3)};
        return _mm512_shuffle_epi8(x, _mm512_broadcast_i32x4(reverse));
    }
    [[gnu::always_inline]] static inline Mask IsLess(Vec x, Vec y) { return _mm512_cmplt_epu32_mask(x, y); }
    [[gnu::always_inline]] static inline Mask IsEqual(Vec x, Vec y) { return _mm512_cmpeq_epi32_mask(x, y); }
    [[gnu::always_inline]] static inline Mask IsOdd(Vec x) { return _mm512_test_epi32_mask(x, Set1(1)); }
    [[gnu::always_inline]] static inline Vec Select(Mask m, Vec x, Vec y) { return _mm512_mask_blend_epi32(m, y, x); }
    [[gnu::always_inline]] static inline Vec AddWhere(Mask m, Vec old, Vec x, Vec y) { return _mm512_mask_add_epi32(old, m, x, y); }

    [[gnu::always_inline]] static inline bool Any(Mask m) { return m != 0; }

    /** Transpose the 4x4 words of each 128-bit part: row j of the result holds word j of each of four inputs. */
    [[gnu::always_inline]] static inline void Transpose(const Vec (&in)[4], Vec* out)
    {
        const Vec t0{_mm512_unpacklo_epi32(in[0], in[1])}, t1{_mm512_unpackhi_epi32(in[0], in[1])};
        const Vec t2{_mm512_unpacklo_epi32(in[2], in[3])}, t3{_mm512_unpackhi_epi32(in[2], in[3])};
        out[0] = _mm512_unpacklo_epi64(t0, t2);
        out[1] = _mm512_unpackhi_epi64(t0, t2);
        out[2] = _mm512_unpacklo_epi64(t1, t3);
        out[3] = _mm512_unpackhi_epi64(t1, t3);
    }
    /** out[j] = the j-th word of the 16 bytes at p[lane] + offset, for each lane */
    [[gnu::always_inline]] static inline void Gather4(const uint8_t* const* p, size_t offset, Vec* out)
    {
        Vec part[4];
        for (int i{0}; i < 4; ++i) {
            const auto load{[&](int lane) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p[lane] + offset)); }};
            part[i] = _mm512_castsi128_si512(load(i));
            part[i] = _mm512_inserti32x4(part[i], load(i + 4), 1);
            part[i] = _mm512_inserti32x4(part[i], load(i + 8), 2);
            part[i] = _mm512_inserti32x4(part[i], load(i + 12), 3);
        }
        Transpose(part, out);
    }
    /** The inverse of Gather4, at offset 0. */
    [[gnu::always_inline]] static inline void Scatter4(const Vec (&in)[4], uint8_t* const* p)
    {
        Vec part[4];
        Transpose(in, part);
        for (int i{0}; i < 4; ++i) {
            const auto store{[&](int lane, __m128i x) { _mm_storeu_si128(reinterpret_cast<__m128i*>(p[lane]), x); }};
            store(i, _mm512_castsi512_si128(part[i]));
            store(i + 4, _mm512_extracti32x4_epi32(part[i], 1));
            store(i + 8, _mm512_extracti32x4_epi32(part[i], 2));
            store(i + 12, _mm512_extracti32x4_epi32(part[i], 3));
        }
    }
};

using One = VectorKernels<Avx512>;
using Two = VectorKernels<Twin<Avx512>>;

/** The number of items, of n, that go into two vectors at a time. */
size_t ForTwo(size_t n)
{
    const size_t rest{n % Two::LANES};
    return rest > One::LANES ? n : n - rest;
}

/** Call two(i) or one(i) for each group of items that begins at i: two vectors while there is enough for them. */
template <class Twos, class Ones>
void ForGroups(size_t n, const Twos& two, const Ones& one)
{
    size_t i{0};
    for (; i + One::LANES < n; i += Two::LANES) two(i);
    if (i < n) one(i);
}

void Chains(const ChainKey* keys, const ChainItem* items, size_t n)
{
    const size_t two{ForTwo(n)};
    Two::Chains(keys, items, two);
    One::Chains(keys, items + two, n - two);
}

void Paths(const PathItem* items, size_t n, PathShape shape)
{
    const size_t two{ForTwo(n)};
    Two::Paths(items, two, shape);
    One::Paths(items + two, n - two, shape);
}

void Messages(const MessageItem* items, size_t n, size_t n_blocks)
{
    ForGroups(
        n, [&](size_t i) { Two::MessageGroup(items + i, n - i, n_blocks); },
        [&](size_t i) { One::MessageGroup(items + i, n - i, n_blocks); });
}

void Keys(const KeyItem* items, size_t n, KeyShape shape)
{
    ForGroups(
        n, [&](size_t i) { WotsKeys<Twin<Avx512>>::Group(items + i, n - i, shape); },
        [&](size_t i) { WotsKeys<Avx512>::Group(items + i, n - i, shape); });
}

} // namespace

constinit const Kernels g_avx512_kernels{One::LANES, 128, Chains, Paths, Messages, Keys, FoldedChains<LanesThatFold<Avx512>>::KERNEL,
                                         FoldedChains<LanesThatFold<Twin<Avx512>>>::KERNEL};

} // namespace slhc::slhdsa::lanes
