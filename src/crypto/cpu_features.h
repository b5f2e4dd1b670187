// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_CRYPTO_CPU_FEATURES_H
#define SLHCONSENSUS_CRYPTO_CPU_FEATURES_H

#include <cstdint>

/** The features that the processor and the operating system offer beyond the baseline that the compiler targets. Every choice between
 *  engines depends on them. */
namespace slhc::cpu {

/** One bit each. A bit is set only if the operating system saves the registers that the instructions use. */
enum Feature : uint32_t {
    SSE41 = 1U << 0,   //!< x86: SSSE3 and SSE4.1
    SHA_NI = 1U << 1,  //!< x86: SHA-1 and SHA-256 instructions
    AVX2 = 1U << 2,    //!< x86: AVX and AVX2
    AVX512 = 1U << 3,  //!< x86: AVX-512 F, BW, DQ and VL
    ARM_SHA2 = 1U << 4, //!< AArch64: SHA-256 instructions (NEON is part of the baseline)
    /** x86: instructions in legacy SSE encoding, as all SHA instructions are, may alternate with VEX-encoded ones at no cost.
     *  No CPUID flag tells. True of AMD's processors with AVX-512. On others, each change takes some hundred cycles while the upper half
     *  of any of ymm0 to ymm15 is in use (measured on Sapphire Rapids and on Zen 3). */
    FREE_SSE_AVX_SWITCH = 1U << 5,
};

using FeatureMask = uint32_t;

/** The features of this machine, determined once and remembered. A test can override it. Thread-safe. */
[[nodiscard]] FeatureMask Features() noexcept;

/** True if all features of mask are there. */
[[nodiscard]] inline bool Has(FeatureMask mask) noexcept { return (Features() & mask) == mask; }

/** For tests: as long as the object lives, Features() is the machine's AND mask. Code that has already chosen an implementation must choose
 *  again. Not for use while other threads hash. */
class ScopedFeatureMask
{
public:
    explicit ScopedFeatureMask(FeatureMask mask) noexcept;
    ~ScopedFeatureMask();
    ScopedFeatureMask(const ScopedFeatureMask&) = delete;
    ScopedFeatureMask& operator=(const ScopedFeatureMask&) = delete;

private:
    FeatureMask m_previous;
};

} // namespace slhc::cpu

#endif // SLHCONSENSUS_CRYPTO_CPU_FEATURES_H
