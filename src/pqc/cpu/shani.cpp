// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

/** The SHA instructions of x86, four hashes in turn. Compiled with -msse4.1 -msha; nothing in here may run before
 *  cpu_features.h said so. */

#include <pqc/cpu/kernels.h>
#include <pqc/cpu/sha_kernels.h>
#include <pqc/cpu/shani_isa.h>

namespace slhc::slhdsa::lanes {
namespace {

using Engine = ShaKernels<ShaNi>;

} // namespace

constinit const Kernels g_shani_kernels{Engine::MAX_STREAMS, 16, Engine::Chains, Engine::Paths, Engine::Messages};

} // namespace slhc::slhdsa::lanes
