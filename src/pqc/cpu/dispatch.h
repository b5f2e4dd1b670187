// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_CPU_DISPATCH_H
#define SLHCONSENSUS_PQC_CPU_DISPATCH_H

#include <pqc/backend.h>
#include <pqc/cpu/kernel_pair.h>

#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace slhc::slhdsa {

/** One way to compute roots on the CPU. */
struct CpuEngine {
    std::string_view isa;   //!< as in SLHC_BACKEND=cpu:<isa>
    std::string_view (*why_not)(); //!< why this machine is not offered it; empty: it is
    bool (*preferred)();    //!< whether it is faster here than those that follow. @pre supported()
    std::optional<lanes::KernelPair> (*kernels)(); //!< what it computes with, for signing too; nothing for "portable". @pre supported()
    std::unique_ptr<RootBackend> (*create)(); //!< @pre supported()

    /** Whether this machine is offered it. */
    [[nodiscard]] bool supported() const { return why_not().empty(); }
};

/** The engines of this build, the one to prefer first; "portable", which every machine supports, is always there
 *  and always last. */
[[nodiscard]] std::span<const CpuEngine> CpuEngines();

/** The first of them that this machine supports and prefers. */
[[nodiscard]] std::unique_ptr<RootBackend> CreateBestCpuEngine();

/** What to sign with: the kernels of the preferred engine, nothing if that is "portable". */
[[nodiscard]] std::optional<lanes::KernelPair> PreferredKernels();

/** The scalar code of slhdsa.h behind the backend interface: what every other engine is tested against. */
[[nodiscard]] std::unique_ptr<RootBackend> CreatePortableEngine();

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_CPU_DISPATCH_H
