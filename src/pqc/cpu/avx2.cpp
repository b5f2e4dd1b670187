// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

/** AVX2: eight hashes a vector. Compiled with -mavx2; nothing in here may run before cpu_features.h said so. */

#include <pqc/cpu/avx2_isa.h>
#include <pqc/cpu/folded_chains.h>
#include <pqc/cpu/kernels.h>
#include <pqc/cpu/vector_kernels.h>

namespace slhc::slhdsa::lanes {
namespace {

using Engine = VectorKernels<Avx2>;

} // namespace

const Kernels g_avx2_kernels{Engine::LANES, 64, Engine::Chains, Engine::Paths, Engine::Messages, nullptr, FoldedChains<Avx2>::KERNEL};

} // namespace slhc::slhdsa::lanes
