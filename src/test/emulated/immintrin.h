// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_EMULATED_IMMINTRIN_H
#define SLHCONSENSUS_TEST_EMULATED_IMMINTRIN_H

#include <cstddef>
#include <cstdint>
#include <cstring>

/** Stands in for the compiler's <immintrin.h>: the vector and SHA instructions that the engine files use (src/pqc/cpu), in
 *  plain C++ that any processor runs. With it, the engines themselves run where their instructions do not, above all under
 *  valgrind, which knows neither AVX-512 nor the SHA instructions: ctime_tests and emulated_engine_tests.
 *
 *  Words and bytes are numbered from the lowest one, as in Intel's manual. Nothing here branches on a lane, or has an address
 *  that depends on one, except for the indices of byte shuffles. */

using __mmask8 = uint8_t;
using __mmask16 = uint16_t;
typedef uint32_t __m128i __attribute__((vector_size(16), may_alias));
typedef uint32_t __m256i __attribute__((vector_size(32), may_alias));
typedef uint32_t __m512i __attribute__((vector_size(64), may_alias));

#define _MM_SHUFFLE(d, c, b, a) ((d) << 6 | (c) << 4 | (b) << 2 | (a))

namespace {
namespace emulated {

template <class V>
constexpr size_t WORDS{sizeof(V) / sizeof(uint32_t)};

/** Pointers to vectors may be to any address; as pointers to void, no compiler takes them for aligned. */
inline void Copy(void* to, const void* from, size_t size) { std::memcpy(to, from, size); }

template <class V>
inline V FromMemory(const void* p)
{
    V x;
    Copy(&x, p, sizeof(x));
    return x;
}

template <class V>
inline V Broadcast(uint32_t word)
{
    return V{} + word;
}

template <class V>
inline V RotateRight(V x, int bits)
{
    return x >> bits | x << (32 - bits);
}

/** vpternlogd: bit by bit, row x * 4 + y * 2 + z of the truth table. */
template <class V>
inline V TernaryLogic(V x, V y, V z, int table)
{
    V result{};
    for (int row{0}; row < 8; ++row) {
        if ((table >> row & 1) != 0) result |= ((row & 4) != 0 ? x : ~x) & ((row & 2) != 0 ? y : ~y) & ((row & 1) != 0 ? z : ~z);
    }
    return result;
}

/** A bit for each word that is not zero in `chosen`, which has all bits of a word or none. */
template <class Mask, class V>
inline Mask MaskOf(V chosen)
{
    uint32_t mask{0};
    for (size_t i{0}; i < WORDS<V>; ++i) mask |= (chosen[i] & 1) << i;
    return static_cast<Mask>(mask);
}

/** The inverse: all bits of the words whose bit is set. */
template <class V, class Mask>
inline V Spread(Mask mask)
{
    V chosen;
    for (size_t i{0}; i < WORDS<V>; ++i) chosen[i] = 0 - (uint32_t{mask} >> i & 1);
    return chosen;
}

template <class V>
inline V Choose(V chosen, V yes, V no)
{
    return (yes & chosen) | (no & ~chosen);
}

/** punpck: within each 128 bits, pieces of `width` words of the given half of x and y, in turns. */
template <class V>
inline V Unpack(V x, V y, size_t first, size_t width)
{
    V result{};
    for (size_t part{0}; part < WORDS<V>; part += 4) {
        for (size_t i{0}; i < 4; ++i) {
            const size_t from{part + first + i / (2 * width) * width + i % width};
            result[part + i] = i / width % 2 == 0 ? x[from] : y[from];
        }
    }
    return result;
}

/** pshufb: within each 128 bits, the byte of x that an index names, or zero if its highest bit is set. */
template <class V>
inline V ShuffleBytes(V x, V indices)
{
    uint8_t in[sizeof(V)], at[sizeof(V)], out[sizeof(V)];
    std::memcpy(in, &x, sizeof(V));
    std::memcpy(at, &indices, sizeof(V));
    for (size_t i{0}; i < sizeof(V); ++i) out[i] = (at[i] & 0x80) != 0 ? uint8_t{0} : in[i / 16 * 16 + at[i] % 16];
    return FromMemory<V>(out);
}

/** pblendw: within each 128 bits, the 16-bit pieces of y whose bit is set, elsewhere x's. */
template <class V>
inline V BlendHalves(V x, V y, int bits)
{
    V chosen;
    for (size_t i{0}; i < WORDS<V>; ++i) {
        const int two{bits >> 2 * (i % 4) & 3};
        chosen[i] = ((two & 1) != 0 ? 0x0000ffff : 0U) | ((two & 2) != 0 ? 0xffff0000 : 0U);
    }
    return Choose(chosen, y, x);
}

/** pblendvb: the bytes of y where the highest bit of the mask's byte is set, elsewhere x's. */
template <class V>
inline V BlendBytes(V x, V y, V mask)
{
    const V bit{mask >> 7 & 0x01010101};
    return Choose<V>((bit << 8) - bit, y, x);
}

inline uint32_t Rotr(uint32_t x, int bits) { return x >> bits | x << (32 - bits); }
inline uint32_t Sigma0(uint32_t x) { return Rotr(x, 7) ^ Rotr(x, 18) ^ x >> 3; }
inline uint32_t Sigma1(uint32_t x) { return Rotr(x, 17) ^ Rotr(x, 19) ^ x >> 10; }

} // namespace emulated

// --------------------------------------------------------------------------------------------------- 128 bits

inline __m128i _mm_loadu_si128(const __m128i* p) { return emulated::FromMemory<__m128i>(p); }
inline void _mm_storeu_si128(__m128i* p, __m128i x) { emulated::Copy(p, &x, sizeof(x)); }
inline __m128i _mm_loadl_epi64(const __m128i* p)
{
    __m128i x{};
    emulated::Copy(&x, p, 8);
    return x;
}
inline __m128i _mm_set1_epi32(int word) { return emulated::Broadcast<__m128i>(static_cast<uint32_t>(word)); }
inline __m128i _mm_setr_epi32(int w0, int w1, int w2, int w3)
{
    return __m128i{static_cast<uint32_t>(w0), static_cast<uint32_t>(w1), static_cast<uint32_t>(w2), static_cast<uint32_t>(w3)};
}
inline __m128i _mm_setr_epi8(signed char b0, signed char b1, signed char b2, signed char b3, signed char b4, signed char b5, signed char b6,
                             signed char b7, signed char b8, signed char b9, signed char b10, signed char b11, signed char b12,
                             signed char b13, signed char b14, signed char b15)
{
    const signed char bytes[]{b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15};
    return emulated::FromMemory<__m128i>(bytes);
}
inline __m128i _mm_set_epi8(signed char b15, signed char b14, signed char b13, signed char b12, signed char b11, signed char b10,
                            signed char b9, signed char b8, signed char b7, signed char b6, signed char b5, signed char b4, signed char b3,
                            signed char b2, signed char b1, signed char b0)
{
    return _mm_setr_epi8(b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15);
}
inline __m128i _mm_add_epi32(__m128i x, __m128i y) { return x + y; }
inline __m128i _mm_or_si128(__m128i x, __m128i y) { return x | y; }
inline __m128i _mm_blendv_epi8(__m128i x, __m128i y, __m128i mask) { return emulated::BlendBytes(x, y, mask); }
inline __m128i _mm_blend_epi16(__m128i x, __m128i y, int bits) { return emulated::BlendHalves(x, y, bits); }
inline __m128i _mm_shuffle_epi8(__m128i x, __m128i indices) { return emulated::ShuffleBytes(x, indices); }
inline __m128i _mm_shuffle_epi32(__m128i x, int order)
{
    return __m128i{x[order & 3], x[order >> 2 & 3], x[order >> 4 & 3], x[order >> 6 & 3]};
}
inline __m128i _mm_alignr_epi8(__m128i high, __m128i low, int bytes)
{
    uint8_t both[32];
    emulated::Copy(both, &low, 16);
    emulated::Copy(both + 16, &high, 16);
    return emulated::FromMemory<__m128i>(both + bytes);
}
inline __m128i _mm_unpackhi_epi64(__m128i x, __m128i y) { return emulated::Unpack(x, y, 2, 2); }

/** Two rounds. (h, g, d, c) and (f, e, b, a), lowest word first, give the next (f, e, b, a). */
inline __m128i _mm_sha256rnds2_epu32(__m128i cdgh, __m128i abef, __m128i kw)
{
    using emulated::Rotr;
    uint32_t a{abef[3]}, b{abef[2]}, c{cdgh[3]}, d{cdgh[2]}, e{abef[1]}, f{abef[0]}, g{cdgh[1]}, h{cdgh[0]};
    for (size_t i{0}; i < 2; ++i) {
        const uint32_t t1{h + (Rotr(e, 6) ^ Rotr(e, 11) ^ Rotr(e, 25)) + (g ^ (e & (f ^ g))) + kw[i]};
        const uint32_t t2{(Rotr(a, 2) ^ Rotr(a, 13) ^ Rotr(a, 22)) + ((a & b) | (c & (a | b)))};
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    return __m128i{f, e, b, a};
}
inline __m128i _mm_sha256msg1_epu32(__m128i w0_to_3, __m128i w4_to_7)
{
    using emulated::Sigma0;
    return w0_to_3 + __m128i{Sigma0(w0_to_3[1]), Sigma0(w0_to_3[2]), Sigma0(w0_to_3[3]), Sigma0(w4_to_7[0])};
}
inline __m128i _mm_sha256msg2_epu32(__m128i partial, __m128i w12_to_15)
{
    using emulated::Sigma1;
    const uint32_t w16{partial[0] + Sigma1(w12_to_15[2])}, w17{partial[1] + Sigma1(w12_to_15[3])};
    return __m128i{w16, w17, partial[2] + Sigma1(w16), partial[3] + Sigma1(w17)};
}

// --------------------------------------------------------------------------------------------------- 256 bits

inline __m256i _mm256_load_si256(const __m256i* p) { return emulated::FromMemory<__m256i>(p); }
inline void _mm256_store_si256(__m256i* p, __m256i x) { emulated::Copy(p, &x, sizeof(x)); }
inline __m256i _mm256_loadu2_m128i(const __m128i* high, const __m128i* low)
{
    __m256i x;
    emulated::Copy(&x, low, 16);
    emulated::Copy(reinterpret_cast<char*>(&x) + 16, high, 16);
    return x;
}
inline void _mm256_storeu2_m128i(__m128i* high, __m128i* low, __m256i x)
{
    emulated::Copy(low, &x, 16);
    emulated::Copy(high, reinterpret_cast<const char*>(&x) + 16, 16);
}
inline __m256i _mm256_broadcastsi128_si256(__m128i x) { return _mm256_loadu2_m128i(&x, &x); }
inline __m256i _mm256_set1_epi32(int word) { return emulated::Broadcast<__m256i>(static_cast<uint32_t>(word)); }
inline __m256i _mm256_add_epi32(__m256i x, __m256i y) { return x + y; }
inline __m256i _mm256_xor_si256(__m256i x, __m256i y) { return x ^ y; }
inline __m256i _mm256_and_si256(__m256i x, __m256i y) { return x & y; }
inline __m256i _mm256_or_si256(__m256i x, __m256i y) { return x | y; }
inline __m256i _mm256_srli_epi32(__m256i x, int bits) { return x >> bits; }
inline __m256i _mm256_slli_epi32(__m256i x, int bits) { return x << bits; }
inline __m256i _mm256_ror_epi32(__m256i x, int bits) { return emulated::RotateRight(x, bits); }
inline __m256i _mm256_ternarylogic_epi32(__m256i x, __m256i y, __m256i z, int table) { return emulated::TernaryLogic(x, y, z, table); }
inline __m256i _mm256_blend_epi16(__m256i x, __m256i y, int bits) { return emulated::BlendHalves(x, y, bits); }
inline __m256i _mm256_blendv_epi8(__m256i x, __m256i y, __m256i mask) { return emulated::BlendBytes(x, y, mask); }
inline __m256i _mm256_shuffle_epi8(__m256i x, __m256i indices) { return emulated::ShuffleBytes(x, indices); }
inline __m256i _mm256_unpacklo_epi32(__m256i x, __m256i y) { return emulated::Unpack(x, y, 0, 1); }
inline __m256i _mm256_unpackhi_epi32(__m256i x, __m256i y) { return emulated::Unpack(x, y, 2, 1); }
inline __m256i _mm256_unpacklo_epi64(__m256i x, __m256i y) { return emulated::Unpack(x, y, 0, 2); }
inline __m256i _mm256_unpackhi_epi64(__m256i x, __m256i y) { return emulated::Unpack(x, y, 2, 2); }
inline __m256i _mm256_cmpeq_epi32(__m256i x, __m256i y) { return reinterpret_cast<__m256i>(x == y); }
/** Signed. */
inline __m256i _mm256_cmpgt_epi32(__m256i x, __m256i y)
{
    constexpr uint32_t SIGN{0x80000000};
    return reinterpret_cast<__m256i>((x ^ SIGN) > (y ^ SIGN));
}
inline int _mm256_testz_si256(__m256i x, __m256i y)
{
    uint32_t any{0};
    for (size_t i{0}; i < 8; ++i) any |= x[i] & y[i];
    return any == 0;
}
inline __mmask8 _mm256_cmplt_epu32_mask(__m256i x, __m256i y) { return emulated::MaskOf<__mmask8>(reinterpret_cast<__m256i>(x < y)); }
inline __mmask8 _mm256_cmpeq_epi32_mask(__m256i x, __m256i y) { return emulated::MaskOf<__mmask8>(reinterpret_cast<__m256i>(x == y)); }
inline __mmask8 _mm256_test_epi32_mask(__m256i x, __m256i y)
{
    return emulated::MaskOf<__mmask8>(reinterpret_cast<__m256i>((x & y) != __m256i{}));
}
inline __m256i _mm256_mask_blend_epi32(__mmask8 mask, __m256i x, __m256i y)
{
    return emulated::Choose(emulated::Spread<__m256i>(mask), y, x);
}
inline __m256i _mm256_mask_add_epi32(__m256i old, __mmask8 mask, __m256i x, __m256i y)
{
    return emulated::Choose(emulated::Spread<__m256i>(mask), x + y, old);
}

// --------------------------------------------------------------------------------------------------- 512 bits

inline __m512i _mm512_load_si512(const void* p) { return emulated::FromMemory<__m512i>(p); }
inline __m512i _mm512_set1_epi32(int word) { return emulated::Broadcast<__m512i>(static_cast<uint32_t>(word)); }
inline __m512i _mm512_broadcast_i32x4(__m128i x)
{
    __m512i result{};
    for (size_t i{0}; i < 4; ++i) emulated::Copy(reinterpret_cast<char*>(&result) + 16 * i, &x, 16);
    return result;
}
inline __m512i _mm512_castsi128_si512(__m128i x)
{
    __m512i result{};
    emulated::Copy(&result, &x, 16);
    return result;
}
inline __m128i _mm512_castsi512_si128(__m512i x) { return emulated::FromMemory<__m128i>(&x); }
inline __m512i _mm512_inserti32x4(__m512i x, __m128i part, int which)
{
    emulated::Copy(reinterpret_cast<char*>(&x) + 16 * which, &part, 16);
    return x;
}
inline __m128i _mm512_extracti32x4_epi32(__m512i x, int which)
{
    return emulated::FromMemory<__m128i>(reinterpret_cast<const char*>(&x) + 16 * which);
}
inline __m512i _mm512_add_epi32(__m512i x, __m512i y) { return x + y; }
inline __m512i _mm512_srli_epi32(__m512i x, int bits) { return x >> bits; }
inline __m512i _mm512_slli_epi32(__m512i x, int bits) { return x << bits; }
inline __m512i _mm512_ror_epi32(__m512i x, int bits) { return emulated::RotateRight(x, bits); }
inline __m512i _mm512_ternarylogic_epi32(__m512i x, __m512i y, __m512i z, int table) { return emulated::TernaryLogic(x, y, z, table); }
inline __m512i _mm512_shuffle_epi8(__m512i x, __m512i indices) { return emulated::ShuffleBytes(x, indices); }
inline __m512i _mm512_unpacklo_epi32(__m512i x, __m512i y) { return emulated::Unpack(x, y, 0, 1); }
inline __m512i _mm512_unpackhi_epi32(__m512i x, __m512i y) { return emulated::Unpack(x, y, 2, 1); }
inline __m512i _mm512_unpacklo_epi64(__m512i x, __m512i y) { return emulated::Unpack(x, y, 0, 2); }
inline __m512i _mm512_unpackhi_epi64(__m512i x, __m512i y) { return emulated::Unpack(x, y, 2, 2); }
inline __mmask16 _mm512_cmplt_epu32_mask(__m512i x, __m512i y) { return emulated::MaskOf<__mmask16>(reinterpret_cast<__m512i>(x < y)); }
inline __mmask16 _mm512_cmpeq_epi32_mask(__m512i x, __m512i y) { return emulated::MaskOf<__mmask16>(reinterpret_cast<__m512i>(x == y)); }
inline __mmask16 _mm512_test_epi32_mask(__m512i x, __m512i y)
{
    return emulated::MaskOf<__mmask16>(reinterpret_cast<__m512i>((x & y) != __m512i{}));
}
inline __m512i _mm512_mask_blend_epi32(__mmask16 mask, __m512i x, __m512i y)
{
    return emulated::Choose(emulated::Spread<__m512i>(mask), y, x);
}
inline __m512i _mm512_mask_add_epi32(__m512i old, __mmask16 mask, __m512i x, __m512i y)
{
    return emulated::Choose(emulated::Spread<__m512i>(mask), x + y, old);
}

} // namespace

#endif // SLHCONSENSUS_TEST_EMULATED_IMMINTRIN_H
