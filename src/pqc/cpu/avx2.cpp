// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

/** AVX2: eight hashes a vector. Compiled with -mavx2; nothing in here may run before cpu_features.h said so. */

#include <pqc/cpu/avx2_isa.h>
#include <pqc/cpu/folded_chains.h>
#include <pqc/cpu/kernels.h>
#include <pqc/cpu/vector_kernels.h>

#include <immintrin.h>

namespace slhc::slhdsa::lanes {
namespace {

struct Avx2 : Avx2Lanes {
    using Mask = __m256i; //!< all ones in the lanes that are chosen

    [[gnu::always_inline]] static inline Vec Xor3(Vec x, Vec y, Vec z) { return _mm256_xor_si256(_mm256_xor_si256(x, y), z); }
    [[gnu::always_inline]] static inline Vec Ch(Vec x, Vec y, Vec z)
    {
        return _mm256_xor_si256(z, _mm256_and_si256(x, _mm256_xor_si256(y, z)));
    }
    /** y ^ z. Where x and y differ, the majority is z; elsewhere it is y. */
    using Shared = Vec;
    [[gnu::always_inline]] static inline Shared Share(Vec y, Vec z) { return _mm256_xor_si256(y, z); }
    [[gnu::always_inline]] static inline Vec Maj(Vec x, Vec y, Vec, Shared& shared)
    {
        const Vec y_xor_z{shared};
        shared = _mm256_xor_si256(x, y);
        return _mm256_xor_si256(y, _mm256_and_si256(shared, y_xor_z));
    }
    template <int R>
    [[gnu::always_inline]] static inline Vec Rotr(Vec x)
    {
        if constexpr (R == 16) return SwapHalves(x);
        else return _mm256_or_si256(Shr<R>(x), Shl<32 - R>(x));
    }
    [[gnu::always_inline]] static inline Mask IsLess(Vec x, Vec y) { return _mm256_cmpgt_epi32(y, x); }
    [[gnu::always_inline]] static inline Mask IsEqual(Vec x, Vec y) { return _mm256_cmpeq_epi32(x, y); }
    [[gnu::always_inline]] static inline Mask IsOdd(Vec x) { return _mm256_cmpeq_epi32(_mm256_and_si256(x, Set1(1)), Set1(1)); }
    [[gnu::always_inline]] static inline bool Any(Mask m) { return _mm256_testz_si256(m, m) == 0; }
    [[gnu::always_inline]] static inline Vec Select(Mask m, Vec x, Vec y) { return _mm256_blendv_epi8(y, x, m); }
    [[gnu::always_inline]] static inline Vec AddWhere(Mask m, Vec old, Vec x, Vec y) { return Select(m, Add(x, y), old); }
};

using Engine = VectorKernels<Avx2>;

} // namespace

constinit const Kernels g_avx2_kernels{Engine::LANES, 64, Engine::Chains, Engine::Paths, Engine::Messages, nullptr,
                                       FoldedChains<LanesThatFold<Avx2>>::KERNEL};

} // namespace slhc::slhdsa::lanes
