// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/cpu/engines.h>

#include <crypto/cpu_features.h>

namespace slhc::slhdsa {
namespace {

std::string_view Unless(bool has_instructions) { return has_instructions ? "" : "this machine lacks the instructions"; }

template <cpu::FeatureMask NEEDED>
[[maybe_unused]] std::string_view Lacks()
{
    return Unless(cpu::Has(NEEDED));
}

[[maybe_unused]] constexpr cpu::FeatureMask SHANI{cpu::SHA_NI | cpu::SSE41};

#ifdef SLHC_ENABLE_AVX512SHA
std::string_view LacksAvx512Sha()
{
    if (!cpu::Has(SHANI | cpu::AVX512)) return Unless(false);
    return cpu::Has(cpu::FREE_SSE_AVX_SWITCH) ? "" : "this processor loses hundreds of cycles when SHA and vector instructions alternate";
}
#endif

} // namespace

const CpuEngineSet& CpuEngines()
{
    // Every engine, in order of preference, with the template that its kernels are made of; doc/engines.md explains them. Compiler flags
    // are in CMakeLists.txt.
    static constexpr EngineParts ENGINES[]{
#ifdef SLHC_ENABLE_AVX512SHA // VectorShaKernels<Avx512Half, ShaNi>
        // This beats wider vectors alone on some processors only, depending on their execution units.
        {.name = "cpu:avx512sha",
         .how = "message schedules in AVX-512 vectors, rounds with SHA instructions",
         .lacks = LacksAvx512Sha,
         .kernels = &lanes::g_avx512sha_kernels,
         .narrow_isa = "shani",
         .rival_isa = "avx512"},
#endif
#ifdef SLHC_ENABLE_AVX512 // VectorKernels<Avx512>, and of Twin<Avx512>
        {.name = "cpu:avx512",
         .how = "16 hashes in AVX-512 vectors",
         .lacks = Lacks<cpu::AVX512>,
         .kernels = &lanes::g_avx512_kernels,
         .narrow_isa = "shani"},
#endif
#ifdef SLHC_ENABLE_SHANI // ShaKernels<ShaNi>
        {.name = "cpu:shani", .how = "SHA instructions", .lacks = Lacks<SHANI>, .kernels = &lanes::g_shani_kernels},
#endif
#ifdef SLHC_ENABLE_AVX2 // VectorKernels<Avx2>
        {.name = "cpu:avx2", .how = "8 hashes in AVX2 vectors", .lacks = Lacks<cpu::AVX2>, .kernels = &lanes::g_avx2_kernels},
#endif
#ifdef SLHC_ENABLE_ARMV8 // ShaKernels<Armv8>
        {.name = "cpu:armv8", .how = "SHA instructions", .lacks = Lacks<cpu::ARM_SHA2>, .kernels = &lanes::g_armv8_kernels},
#endif
        {.name = "cpu:portable", .how = "scalar code", .lacks = [] { return Unless(true); }},
    };
    // Never destroyed: a thread may be signing when the program ends.
    static const CpuEngineSet& s_engines{*new CpuEngineSet{ENGINES}};
    return s_engines;
}

} // namespace slhc::slhdsa
