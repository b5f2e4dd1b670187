// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_CPU_KNOWN_ANSWERS_H
#define SLHCONSENSUS_PQC_CPU_KNOWN_ANSWERS_H

#include <pqc/backend.h>
#include <pqc/cpu/kernels.h>

#include <string_view>

/** The scalar code's results for some inputs, and the comparison with an engine's: a compiler, a processor or an emulator may be wrong
 *  about instructions that nothing else uses. Each call takes some ten to a hundred microseconds. */
namespace slhc::slhdsa::lanes {

/** Run every kernel of a table on batches that reach every lane of every size of group.
 *  @return the first kernel that is wrong, "chains", "paths", "messages", "keys" or "folded chains"; empty: none */
[[nodiscard]] std::string_view FindWrongKernel(const Kernels& kernels);

/** True if an engine finds the root of a sample signature. */
[[nodiscard]] bool FindsSampleRoot(RootBackend& engine);

} // namespace slhc::slhdsa::lanes

#endif // SLHCONSENSUS_PQC_CPU_KNOWN_ANSWERS_H
