// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/cpu/dispatch.h>

#include <crypto/cpu_features.h>
#include <pqc/cpu/kernel_pair.h>
#include <pqc/cpu/kernel_timing.h>
#include <pqc/cpu/lane_engine.h>

#include <array>

namespace slhc::slhdsa {
namespace {

bool Yes() { return true; }

std::string_view Unless(bool has_instructions) { return has_instructions ? "" : "this machine lacks the instructions"; }

[[maybe_unused]] bool HasShaNi() { return cpu::Has(cpu::SHA_NI | cpu::SSE41); }

#ifdef SLHC_ENABLE_SHANI
[[maybe_unused]] lanes::KernelPair Pair(const lanes::Kernels& wide, const lanes::Kernels& narrow)
{
    return {wide, narrow, lanes::MeasurePairCosts(wide, narrow)};
}
std::optional<lanes::KernelPair> ShaNi() { return lanes::KernelPair{lanes::g_shani_kernels}; }
#endif
#ifdef SLHC_ENABLE_AVX512
lanes::KernelPair MakeAvx512()
{
#ifdef SLHC_ENABLE_SHANI
    if (HasShaNi()) return Pair(lanes::g_avx512_kernels, lanes::g_shani_kernels);
#endif
    return lanes::KernelPair{lanes::g_avx512_kernels};
}
std::optional<lanes::KernelPair> Avx512()
{
    static const lanes::KernelPair s_pair{MakeAvx512()};
    return s_pair;
}
#endif
#ifdef SLHC_ENABLE_AVX512SHA
std::string_view WhyNotAvx512Sha()
{
    if (!HasShaNi() || !cpu::Has(cpu::AVX512)) return Unless(false);
    return cpu::Has(cpu::FREE_SSE_AVX_SWITCH) ? "" : "this processor loses hundreds of cycles where SHA and vector instructions alternate";
}

/** Whether vectors and SHA instructions together beat wider vectors alone: that depends on which execution units of the
 *  processor do what, so it is measured, once. */
bool PrefersAvx512Sha()
{
#ifdef SLHC_ENABLE_AVX512
    static const bool s_faster{[] {
        const lanes::ChainTimes times{lanes::CompareChains(lanes::g_avx512sha_kernels, lanes::g_avx512_kernels, lanes::MAX_TIMED_CHAINS)};
        return times.first < times.second;
    }()};
    return s_faster;
#else
    return true;
#endif
}

lanes::KernelPair MakeAvx512Sha()
{
#ifdef SLHC_ENABLE_SHANI
    return Pair(lanes::g_avx512sha_kernels, lanes::g_shani_kernels);
#else
    return lanes::KernelPair{lanes::g_avx512sha_kernels};
#endif
}
std::optional<lanes::KernelPair> Avx512Sha()
{
    static const lanes::KernelPair s_pair{MakeAvx512Sha()};
    return s_pair;
}
#endif
#ifdef SLHC_ENABLE_AVX2
std::optional<lanes::KernelPair> Avx2() { return lanes::KernelPair{lanes::g_avx2_kernels}; }
#endif
#ifdef SLHC_ENABLE_ARMV8
std::optional<lanes::KernelPair> Armv8() { return lanes::KernelPair{lanes::g_armv8_kernels}; }
#endif

} // namespace

std::span<const CpuEngine> CpuEngines()
{
    using lanes::CreateLaneEngine;
    // One entry for each engine, in order of preference.
    static constexpr std::array ENGINES{
#ifdef SLHC_ENABLE_AVX512SHA
        CpuEngine{"avx512sha", WhyNotAvx512Sha, PrefersAvx512Sha, Avx512Sha, [] { return CreateLaneEngine("cpu:avx512sha", *Avx512Sha()); }},
#endif
#ifdef SLHC_ENABLE_AVX512
        CpuEngine{"avx512", [] { return Unless(cpu::Has(cpu::AVX512)); }, Yes, Avx512, [] { return CreateLaneEngine("cpu:avx512", *Avx512()); }},
#endif
#ifdef SLHC_ENABLE_SHANI
        CpuEngine{"shani", [] { return Unless(HasShaNi()); }, Yes, ShaNi, [] { return CreateLaneEngine("cpu:shani", *ShaNi()); }},
#endif
#ifdef SLHC_ENABLE_AVX2
        CpuEngine{"avx2", [] { return Unless(cpu::Has(cpu::AVX2)); }, Yes, Avx2, [] { return CreateLaneEngine("cpu:avx2", *Avx2()); }},
#endif
#ifdef SLHC_ENABLE_ARMV8
        CpuEngine{"armv8", [] { return Unless(cpu::Has(cpu::ARM_SHA2)); }, Yes, Armv8, [] { return CreateLaneEngine("cpu:armv8", *Armv8()); }},
#endif
        CpuEngine{"portable", [] { return Unless(true); }, Yes, []() -> std::optional<lanes::KernelPair> { return std::nullopt; }, CreatePortableEngine},
    };
    return ENGINES;
}

std::unique_ptr<RootBackend> CreateBestCpuEngine()
{
    for (const CpuEngine& engine : CpuEngines()) {
        if (engine.supported() && engine.preferred()) return engine.create();
    }
    return CreatePortableEngine();
}

std::optional<lanes::KernelPair> PreferredKernels()
{
    for (const CpuEngine& engine : CpuEngines()) {
        if (engine.supported() && engine.preferred()) return engine.kernels();
    }
    return std::nullopt;
}

} // namespace slhc::slhdsa
