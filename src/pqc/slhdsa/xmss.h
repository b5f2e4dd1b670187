// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_SLHDSA_XMSS_H
#define SLHCONSENSUS_PQC_SLHDSA_XMSS_H

#include <pqc/slhdsa/wots.h>

/** XMSS, a Merkle tree over WOTS+ keys: FIPS 205, section 6. In every function, the layer and the tree
 *  address of adrs are set. */
namespace slhc::slhdsa {

/** Algorithm 9, xmss_node: node i of height z, computed from the secret key.
 *  @pre z <= H_PRIME and i < 2^(H_PRIME - z) */
[[nodiscard]] Node xmss_node(const HashContext& hash, NodeView sk_seed, uint32_t i, uint32_t z, ADRS adrs) noexcept;

/** Algorithm 10, xmss_sign: WOTS+ key idx signs m; its authentication path follows. */
void xmss_sign(const HashContext& hash, NodeView m, NodeView sk_seed, uint32_t idx, ADRS adrs,
               std::span<uint8_t, XMSS_SIG_SIZE> sig) noexcept;

/** Algorithm 11, xmss_pkFromSig: the root under which sig signs m.
 *  @pre idx < 2^H_PRIME */
[[nodiscard]] Node xmss_pkFromSig(const HashContext& hash, uint32_t idx, std::span<const uint8_t, XMSS_SIG_SIZE> sig, NodeView m,
                                  ADRS adrs) noexcept;

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_SLHDSA_XMSS_H
