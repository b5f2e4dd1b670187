// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_CPU_PORTABLE_H
#define SLHCONSENSUS_PQC_CPU_PORTABLE_H

#include <pqc/backend.h>

#include <memory>

namespace slhc::slhdsa {

/** The scalar code of slhdsa.h behind the backend interface: what every other engine is tested against. */
[[nodiscard]] std::unique_ptr<RootBackend> CreatePortableEngine();

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_CPU_PORTABLE_H
