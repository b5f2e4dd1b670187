// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_SLHDSA_HYPERTREE_H
#define SLHCONSENSUS_PQC_SLHDSA_HYPERTREE_H

#include <pqc/slhdsa/xmss.h>

/** The hypertree, D layers of XMSS trees that sign each other's roots: FIPS 205, section 7. idx_tree is
 *  below 2^(H - H_PRIME), idx_leaf below 2^H_PRIME. */
namespace slhc::slhdsa {

/** Algorithm 12, ht_sign. */
void ht_sign(const HashContext& hash, NodeView m, NodeView sk_seed, uint64_t idx_tree, uint32_t idx_leaf,
             std::span<uint8_t, HT_SIG_SIZE> sig) noexcept;

/** Algorithm 13 up to its comparison: the root under which sig signs m. */
[[nodiscard]] Node ht_rootFromSig(const HashContext& hash, NodeView m, std::span<const uint8_t, HT_SIG_SIZE> sig, uint64_t idx_tree,
                                  uint32_t idx_leaf) noexcept;

/** Algorithm 13, ht_verify. */
[[nodiscard]] bool ht_verify(const HashContext& hash, NodeView m, std::span<const uint8_t, HT_SIG_SIZE> sig, uint64_t idx_tree,
                             uint32_t idx_leaf, NodeView pk_root) noexcept;

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_SLHDSA_HYPERTREE_H
