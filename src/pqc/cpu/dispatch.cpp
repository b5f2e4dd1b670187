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

bool HasShaNi() { return cpu::Has(cpu::SHA_NI | cpu::SSE41); }

/** SHA instructions for an engine of wide vectors, if this build and this machine have them. */
const lanes::Kernels* ShaInstructions()
{
#ifdef SLHC_ENABLE_SHANI
    if (HasShaNi()) return &lanes::g_shani_kernels;
#endif
    return nullptr;
}

} // namespace

std::span<const CpuEngine> CpuEngines()
{
    using lanes::CreateLaneEngine;
    using lanes::KernelPair;
    // One entry for each engine, in order of preference.
    static constexpr std::array ENGINES{
#ifdef SLHC_ENABLE_AVX512
        CpuEngine{"avx512", [] { return cpu::Has(cpu::AVX512); },
                  [] { return CreateLaneEngine("cpu:avx512", KernelPair{lanes::g_avx512_kernels, ShaInstructions()}); }},
#endif
#ifdef SLHC_ENABLE_SHANI
        CpuEngine{"shani", HasShaNi, [] { return CreateLaneEngine("cpu:shani", KernelPair{lanes::g_shani_kernels}); }},
#endif
#ifdef SLHC_ENABLE_AVX2
        CpuEngine{"avx2", [] { return cpu::Has(cpu::AVX2); },
                  [] { return CreateLaneEngine("cpu:avx2", KernelPair{lanes::g_avx2_kernels}); }},
#endif
        CpuEngine{"portable", [] { return true; }, CreatePortableEngine},
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

} // namespace slhc::slhdsa
