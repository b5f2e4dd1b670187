// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_SLHDSA_FORS_H
#define SLHCONSENSUS_PQC_SLHDSA_FORS_H

#include <pqc/slhdsa/hash_functions.h>

/** FORS, the few-time signature that signs the message digest: FIPS 205, section 8. In every function, adrs
 *  names the FORS key: its tree and key pair address are set, and its type is FORS_TREE. */
namespace slhc::slhdsa {

using ForsDigestView = std::span<const uint8_t, FORS_DIGEST_SIZE>;

/** Algorithm 14, fors_skGen: secret value idx; those of tree i begin at i * 2^A. */
[[nodiscard]] Node fors_skGen(const HashContext& hash, NodeView sk_seed, const ADRS& adrs, uint32_t idx) noexcept;

/** Algorithm 15, fors_node: node i of height z, counted through all trees.
 *  @pre z <= A and i < K * 2^(A - z) */
[[nodiscard]] Node fors_node(const HashContext& hash, NodeView sk_seed, uint32_t i, uint32_t z, ADRS adrs) noexcept;

/** Algorithm 16, fors_sign. */
void fors_sign(const HashContext& hash, ForsDigestView md, NodeView sk_seed, const ADRS& adrs,
               std::span<uint8_t, FORS_SIG_SIZE> sig) noexcept;

/** Algorithm 17, fors_pkFromSig: the FORS public key under which sig signs md. */
[[nodiscard]] Node fors_pkFromSig(const HashContext& hash, std::span<const uint8_t, FORS_SIG_SIZE> sig, ForsDigestView md,
                                  ADRS adrs) noexcept;

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_SLHDSA_FORS_H
