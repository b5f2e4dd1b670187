// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Compiled with -msse4.1 -msha; nothing in here may run before cpu::Has(SHA_NI | SSE41) said so.

#include <crypto/sha256.h>
#include <crypto/sha256_constants.h>

#include <immintrin.h>

#include <utility>

namespace slhc::sha256 {
namespace {

// The instructions want the eight words as (f, e, b, a) and (h, g, d, c), lowest lane first.
struct Registers {
    __m128i abef;
    __m128i cdgh;
};

// Without operator[], a function of this file that others could be linked with.
inline Registers LoadState(const State& state)
{
    const __m128i dcba{_mm_loadu_si128(reinterpret_cast<const __m128i*>(&state))};
    const __m128i hgfe{_mm_loadu_si128(reinterpret_cast<const __m128i*>(&state) + 1)};
    const __m128i cdab{_mm_shuffle_epi32(dcba, _MM_SHUFFLE(2, 3, 0, 1))};
    const __m128i efgh{_mm_shuffle_epi32(hgfe, _MM_SHUFFLE(0, 1, 2, 3))};
    return {_mm_alignr_epi8(cdab, efgh, 8), _mm_blend_epi16(efgh, cdab, 0xf0)};
}

inline void StoreState(State& state, const Registers& r)
{
    const __m128i feba{_mm_shuffle_epi32(r.abef, _MM_SHUFFLE(0, 1, 2, 3))};
    const __m128i dchg{_mm_shuffle_epi32(r.cdgh, _MM_SHUFFLE(2, 3, 0, 1))};
    _mm_storeu_si128(reinterpret_cast<__m128i*>(&state), _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(&state) + 1, _mm_alignr_epi8(dchg, feba, 8));
}

/** Rounds 4 * Q to 4 * Q + 3. w holds sixteen schedule words as a ring of four vectors; the one that these
 *  rounds use is replaced by the one four steps ahead. */
template <size_t Q>
inline void FourRounds(Registers& r, __m128i (&w)[4])
{
    const __m128i kw{_mm_add_epi32(w[Q % 4], _mm_loadu_si128(reinterpret_cast<const __m128i*>(&K[4 * Q])))};
    r.cdgh = _mm_sha256rnds2_epu32(r.cdgh, r.abef, kw);
    r.abef = _mm_sha256rnds2_epu32(r.abef, r.cdgh, _mm_shuffle_epi32(kw, _MM_SHUFFLE(1, 0, 3, 2)));
    if constexpr (Q < 12) {
        const __m128i& w1{w[(Q + 1) % 4]};
        const __m128i& w2{w[(Q + 2) % 4]};
        const __m128i& w3{w[(Q + 3) % 4]};
        const __m128i partial{_mm_add_epi32(_mm_sha256msg1_epu32(w[Q % 4], w1), _mm_alignr_epi8(w3, w2, 4))};
        w[Q % 4] = _mm_sha256msg2_epu32(partial, w3);
    }
}

template <size_t... Q>
inline void AllRounds(Registers& r, __m128i (&w)[4], std::index_sequence<Q...>)
{
    (FourRounds<Q>(r, w), ...);
}

} // namespace

void TransformX86ShaNi(State& state, const uint8_t* blocks, size_t n_blocks) noexcept
{
    const __m128i big_endian{_mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3)};
    Registers r{LoadState(state)};
    for (; n_blocks > 0; --n_blocks, blocks += 64) {
        __m128i w[4];
        for (size_t i{0}; i < 4; ++i) {
            w[i] = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(blocks + 16 * i)), big_endian);
        }
        const Registers before{r};
        AllRounds(r, w, std::make_index_sequence<16>{});
        r.abef = _mm_add_epi32(r.abef, before.abef);
        r.cdgh = _mm_add_epi32(r.cdgh, before.cdgh);
    }
    StoreState(state, r);
}

} // namespace slhc::sha256
