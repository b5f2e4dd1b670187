// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

/** AVX2 and the SHA instructions together: message schedules in eight lanes, rounds with sha256rnds2. For processors without
 *  AVX-512 on which the two may alternate. Nothing in here may run before cpu_features.h said so. */

#include <pqc/cpu/avx2_isa.h>
#include <pqc/cpu/kernels.h>
#include <pqc/cpu/sha_kernels.h>
#include <pqc/cpu/shani_isa.h>
#include <pqc/cpu/vector_kernels.h>
#include <pqc/cpu/vector_sha_kernels.h>

namespace slhc::slhdsa::lanes {
namespace {

using Engine = VectorShaKernels<Avx2, ShaNi>;

} // namespace

const Kernels g_avx2sha_kernels{Engine::LANES, 128, Engine::Chains, Engine::Paths, ShaKernels<ShaNi>::Messages};

} // namespace slhc::slhdsa::lanes
