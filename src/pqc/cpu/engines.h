// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_CPU_ENGINES_H
#define SLHCONSENSUS_PQC_CPU_ENGINES_H

#include <pqc/cpu/cpu_engine.h>
#include <pqc/cpu/portable.h>

namespace slhc::slhdsa {

/** The engines of this build, as this process knows them. */
[[nodiscard]] const CpuEngineSet& CpuEngines();

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_CPU_ENGINES_H
