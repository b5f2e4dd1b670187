// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

/** AVX-512 and the SHA instructions together: message schedules in eight lanes of 256 bits, rounds with sha256rnds2. Pays
 *  where the two do not share execution units, as on Zen 4. Vectors of 256 bits, because those of 512 leave too few
 *  gaps there. Nothing in here may run before cpu_features.h said so. */

#include <pqc/cpu/avx2_isa.h>
#include <pqc/cpu/folded_chains.h>
#include <pqc/cpu/folded_turns.h>
#include <pqc/cpu/kernels.h>
#include <pqc/cpu/sha_kernels.h>
#include <pqc/cpu/shani_isa.h>
#include <pqc/cpu/vector_kernels.h>
#include <pqc/cpu/vector_sha_kernels.h>

#include <cstddef>
#include <cstdint>
#include <immintrin.h>
#include <type_traits>

namespace slhc::slhdsa::lanes {
namespace {

struct Avx512Half : Avx2Lanes {
    using Mask = __mmask8;

    // Immediates of vpternlogd: the truth table of f(x, y, z), with x the most significant bit of the row number.
    static constexpr int XOR3{0x96}, CHOOSE{0xca}, MAJORITY{0xe8};

    [[gnu::always_inline]] static inline Vec Xor3(Vec x, Vec y, Vec z) { return _mm256_ternarylogic_epi32(x, y, z, XOR3); }
    [[gnu::always_inline]] static inline Vec Ch(Vec x, Vec y, Vec z) { return _mm256_ternarylogic_epi32(x, y, z, CHOOSE); }
    struct Shared {}; // Maj is one instruction
    [[gnu::always_inline]] static inline Shared Share(Vec, Vec) { return {}; }
    [[gnu::always_inline]] static inline Vec Maj(Vec x, Vec y, Vec z, Shared&) { return _mm256_ternarylogic_epi32(x, y, z, MAJORITY); }
    template <int R> [[gnu::always_inline]] static inline Vec Rotr(Vec x) { return _mm256_ror_epi32(x, R); }
    [[gnu::always_inline]] static inline Mask IsLess(Vec x, Vec y) { return _mm256_cmplt_epu32_mask(x, y); }
    [[gnu::always_inline]] static inline Mask IsEqual(Vec x, Vec y) { return _mm256_cmpeq_epi32_mask(x, y); }
    [[gnu::always_inline]] static inline Mask IsOdd(Vec x) { return _mm256_test_epi32_mask(x, Set1(1)); }
    [[gnu::always_inline]] static inline bool Any(Mask m) { return m != 0; }
    [[gnu::always_inline]] static inline Vec Select(Mask m, Vec x, Vec y) { return _mm256_mask_blend_epi32(m, y, x); }
    [[gnu::always_inline]] static inline Vec AddWhere(Mask m, Vec old, Vec x, Vec y) { return _mm256_mask_add_epi32(old, m, x, y); }

    // Needed by vector_sha_kernels.h as well: the way from lanes to single hashes and back.

    /** Two words of each lane side by side. Interleaving them works within 128 bits, hence the order of lanes. */
    [[gnu::always_inline]] static inline void StorePairs(uint64_t* out, Vec even, Vec odd)
    {
        _mm256_store_si256(reinterpret_cast<__m256i*>(out), _mm256_unpacklo_epi32(even, odd));
        _mm256_store_si256(reinterpret_cast<__m256i*>(out + 4), _mm256_unpackhi_epi32(even, odd));
    }
    static constexpr int PairPlace(int lane) { return (lane & 1) + lane / 4 * 2 + (lane & 2) * 2; }

    /** Lanes i and i + 4 are neighbours, so that a load fetches the words that Transpose takes. */
    static constexpr int HashPlace(int lane) { return lane % 4 * 2 + lane / 4; }
    [[gnu::always_inline]] static inline void Transposed(const __m128i* hash, Vec (&a_to_d)[4])
    {
        Vec part[4], d_to_a[4];
        for (int i{0}; i < 4; ++i) part[i] = _mm256_load_si256(reinterpret_cast<const __m256i*>(hash + 2 * i));
        Transpose(part, d_to_a);
        for (int i{0}; i < 4; ++i) a_to_d[i] = d_to_a[3 - i];
    }
};

#ifdef SLHC_EMULATED_INSTRUCTIONS
using PlacedOrder = CompilersOrder;
#else
/** A step of chains whose instructions contrib/engines/place_step.py has placed. It has no branches, and no address in it depends on
 *  what is hashed. */
struct PlacedOrder {
    using V = VectorKernels<Avx512Half>;
    using RoundsData = VectorShaKernels<Avx512Half, ShaNi>::RoundsData;
    using ChainState = V::ChainState;

    /** Operands that instructions take from memory, a word for all lanes. */
    struct Constants {
        uint32_t f_bits, f_bits_sigma0, padding, lower_half, one_step;
    };
    static constexpr Constants CONSTANTS{F_BITS, V::SmallSigma0(F_BITS), PADDING, 0xffff, 1 << V::STEP_SHIFT};

// Structures that inherit members have no standard layout; both compilers give them one all the same.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
    static_assert(offsetof(RoundsData, start) == 0 && offsetof(RoundsData, kw) == 256 && offsetof(RoundsData, hash) == 2304);
    static_assert(offsetof(ChainState, midstate) == 0 && offsetof(ChainState, w17) == 5 * 32 && offsetof(ChainState, kw17) == 6 * 32);
    static_assert(offsetof(ChainState, w16_part) == 7 * 32 && offsetof(ChainState, w18_part) == 8 * 32);
    static_assert(offsetof(ChainState, s0_w17) == 9 * 32 && offsetof(ChainState, value) == 10 * 32);
    static_assert(offsetof(ChainState, step) == 14 * 32 && offsetof(ChainState, end) == 15 * 32 && offsetof(ChainState, w4) == 16 * 32);
    static_assert(offsetof(ChainState, w19) == 17 * 32 && offsetof(ChainState, kw19) == 18 * 32);
    static_assert(offsetof(ChainState, s0_w19) == 19 * 32 && offsetof(ChainState, s1_w19) == 20 * 32);
    static_assert(offsetof(Constants, f_bits) == 0 && offsetof(Constants, f_bits_sigma0) == 4 && offsetof(Constants, padding) == 8);
    static_assert(offsetof(Constants, lower_half) == 12 && offsetof(Constants, one_step) == 16);
#pragma GCC diagnostic pop

    template <class Rounds, class Chains>
    [[gnu::always_inline]] static inline void ChainStep(Rounds& rounds, Rounds& lanes, Chains& chains, bool begun)
    {
        static_assert(sizeof(Rounds) == sizeof(RoundsData) && std::is_same_v<Chains, ChainState>);
        __asm__ volatile(
#include <pqc/cpu/placed_step.inc>
            :
            : [rounds] "r"(&rounds), [lanes] "r"(&lanes), [chains] "r"(&chains), [k] "r"(&V::ROUND_CONSTANTS),
              [constants] "r"(&CONSTANTS), [begun] "r"(begun ? 0xffU : 0U)
            : "memory", "k1", "k2", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
              "xmm12", "xmm13", "xmm14", "xmm15", "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24",
              "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31");
    }
};
#endif

using Engine = VectorShaKernels<Avx512Half, ShaNi, PlacedOrder>;

} // namespace

constinit const Kernels g_avx512sha_kernels{Engine::LANES, 128, Engine::Chains, Engine::Paths, ShaKernels<ShaNi>::Messages, nullptr, {},
                                            FoldedChains<TurnsThatFold<Engine, Avx512Half, ShaNi>>::KERNEL};

} // namespace slhc::slhdsa::lanes
