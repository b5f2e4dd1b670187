// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_CPU_LANE_ENGINE_H
#define SLHCONSENSUS_PQC_CPU_LANE_ENGINE_H

#include <pqc/backend.h>
#include <pqc/cpu/kernel_splitter.h>

#include <memory>
#include <string_view>

namespace slhc::slhdsa::lanes {

/** The schedule that keeps the lanes of an engine full, whatever its instruction set.
 *
 *  Signatures are taken in cohorts, and a cohort walks up the hypertree layer by layer. In each step all hashes that do not depend on each
 *  other stand side by side, also those of different signatures: the FORS trees; the chains of a layer, sorted by length, so that chains of
 *  one step end together; the WOTS+ public keys; the XMSS paths.
 *
 *  @param[in] name  e.g. "cpu:avx512"; must live as long as the program */
[[nodiscard]] std::unique_ptr<RootBackend> CreateLaneEngine(std::string_view name, KernelSplitter kernels);

} // namespace slhc::slhdsa::lanes

#endif // SLHCONSENSUS_PQC_CPU_LANE_ENGINE_H
