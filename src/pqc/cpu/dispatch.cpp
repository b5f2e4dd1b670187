// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/cpu/dispatch.h>

#include <crypto/cpu_features.h>
#include <pqc/cpu/kernel_pair.h>
#include <pqc/cpu/lane_engine.h>

#include <array>

namespace slhc::slhdsa {
namespace {

[[maybe_unused]] bool HasShaNi() { return cpu::Has(cpu::SHA_NI | cpu::SSE41); }

#ifdef SLHC_ENABLE_SHANI
std::optional<lanes::KernelPair> ShaNi() { return lanes::KernelPair{lanes::g_shani_kernels}; }
#endif
#ifdef SLHC_ENABLE_AVX512
lanes::KernelPair MakeAvx512()
{
#ifdef SLHC_ENABLE_SHANI
    if (HasShaNi()) return lanes::KernelPair{lanes::g_avx512_kernels, lanes::g_shani_kernels};
#endif
    return lanes::KernelPair{lanes::g_avx512_kernels};
}
std::optional<lanes::KernelPair> Avx512()
{
    static const lanes::KernelPair s_pair{MakeAvx512()};
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
#ifdef SLHC_ENABLE_AVX512
        CpuEngine{"avx512", [] { return cpu::Has(cpu::AVX512); }, Avx512, [] { return CreateLaneEngine("cpu:avx512", *Avx512()); }},
#endif
#ifdef SLHC_ENABLE_SHANI
        CpuEngine{"shani", HasShaNi, ShaNi, [] { return CreateLaneEngine("cpu:shani", *ShaNi()); }},
#endif
#ifdef SLHC_ENABLE_AVX2
        CpuEngine{"avx2", [] { return cpu::Has(cpu::AVX2); }, Avx2, [] { return CreateLaneEngine("cpu:avx2", *Avx2()); }},
#endif
#ifdef SLHC_ENABLE_ARMV8
        CpuEngine{"armv8", [] { return cpu::Has(cpu::ARM_SHA2); }, Armv8, [] { return CreateLaneEngine("cpu:armv8", *Armv8()); }},
#endif
        CpuEngine{"portable", [] { return true; }, []() -> std::optional<lanes::KernelPair> { return std::nullopt; }, CreatePortableEngine},
    };
    return ENGINES;
}

std::unique_ptr<RootBackend> CreateBestCpuEngine()
{
    for (const CpuEngine& engine : CpuEngines()) {
        if (engine.supported()) return engine.create();
    }
    return CreatePortableEngine();
}

std::optional<lanes::KernelPair> PreferredKernels()
{
    for (const CpuEngine& engine : CpuEngines()) {
        if (engine.supported()) return engine.kernels();
    }
    return std::nullopt;
}

} // namespace slhc::slhdsa
