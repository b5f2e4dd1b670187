// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_EAGER_H
#define SLHCONSENSUS_PQC_EAGER_H

#include <pqc/params.h>

#include <cstdint>
#include <span>

namespace slhc::slhdsa {

/** Verifies one signature at once, on the CPU and in the calling thread: for checks that are final when they
 *  return. Never waits for a device or another thread. Safe to use from several threads. */
class EagerVerifier
{
public:
    virtual ~EagerVerifier() = default;

    /** As slh_verify (slhdsa.h) with an empty context. */
    [[nodiscard]] virtual bool VerifyPure(std::span<const uint8_t> m, std::span<const uint8_t, SIGNATURE_SIZE> sig,
                                          std::span<const uint8_t, PUBLIC_KEY_SIZE> pk) const = 0;
};

/** The one of this process, for whoever has no context: on the engine that SLHC_BACKEND=cpu:<isa> names, else on the
 *  best one of this machine. */
[[nodiscard]] const EagerVerifier& DefaultEagerVerifier();

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_EAGER_H
