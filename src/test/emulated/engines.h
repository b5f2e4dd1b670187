// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_EMULATED_ENGINES_H
#define SLHCONSENSUS_TEST_EMULATED_ENGINES_H

#include <pqc/cpu/kernel_splitter.h>
#include <pqc/cpu/kernels.h>

#include <array>
#include <string_view>

/** The engine files of src/pqc/cpu, compiled with emulated/immintrin.h in place of the compiler's: the code of the engines, on
 *  any processor. */
namespace slhc::slhdsa::lanes {

extern const Kernels g_emulated_avx512_kernels;
extern const Kernels g_emulated_avx512sha_kernels;
extern const Kernels g_emulated_avx2_kernels;
extern const Kernels g_emulated_shani_kernels;

struct EmulatedEngine {
    std::string_view isa;
    const Kernels& kernels;
    bool has_narrow; //!< shani's kernels take items too few to fill lanes, as in engines.cpp

    [[nodiscard]] KernelSplitter Splitter() const
    {
        // As if a step of all lanes took as long as six hashes with SHA instructions: both get some of the work.
        return has_narrow ? KernelSplitter{kernels, g_emulated_shani_kernels, {.group = 6, .two_groups = 10}} : KernelSplitter{kernels};
    }
};

inline const std::array<EmulatedEngine, 4> EMULATED_ENGINES{{
    {"avx512sha", g_emulated_avx512sha_kernels, true},
    {"avx512", g_emulated_avx512_kernels, true},
    {"shani", g_emulated_shani_kernels, false},
    {"avx2", g_emulated_avx2_kernels, false},
}};

} // namespace slhc::slhdsa::lanes

#endif // SLHCONSENSUS_TEST_EMULATED_ENGINES_H
