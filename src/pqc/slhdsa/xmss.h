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
 *  @pre z <= h' and i < 2^(h' - z) */
template <Params P>
[[nodiscard]] Node xmss_node(const HashContext& hash, NodeView sk_seed, uint32_t i, uint32_t z, ADRS adrs) noexcept
{
    if (z == 0) {
        adrs.setTypeAndClear(ADRSType::WOTS_HASH);
        adrs.setKeyPairAddress(i);
        return wots_pkGen<P>(hash, sk_seed, adrs);
    }
    const Node lnode{xmss_node<P>(hash, sk_seed, 2 * i, z - 1, adrs)};
    const Node rnode{xmss_node<P>(hash, sk_seed, 2 * i + 1, z - 1, adrs)};
    adrs.setTypeAndClear(ADRSType::TREE);
    adrs.setTreeHeight(z);
    adrs.setTreeIndex(i);
    return hash.H(adrs, lnode, rnode);
}

/** Algorithm 10, xmss_sign: WOTS+ key idx signs m; its authentication path follows. */
template <Params P>
void xmss_sign(const HashContext& hash, NodeView m, NodeView sk_seed, uint32_t idx, ADRS adrs,
               std::span<uint8_t, P.XmssSigSize()> sig) noexcept
{
    const auto auth{sig.template subspan<P.WotsSigSize()>()};
    for (uint32_t j{0}; j < P.h_prime(); ++j) {
        const uint32_t k{(idx >> j) ^ 1};
        const Node node{xmss_node<P>(hash, sk_seed, k, j, adrs)};
        std::copy(node.begin(), node.end(), auth.begin() + j * N);
    }
    adrs.setTypeAndClear(ADRSType::WOTS_HASH);
    adrs.setKeyPairAddress(idx);
    wots_sign<P>(hash, m, sk_seed, adrs, sig.template first<P.WotsSigSize()>());
}

/** Algorithm 11, xmss_pkFromSig: the root under which sig signs m.
 *  @pre idx < 2^h' */
template <Params P>
[[nodiscard]] Node xmss_pkFromSig(const HashContext& hash, uint32_t idx, std::span<const uint8_t, P.XmssSigSize()> sig, NodeView m,
                                  ADRS adrs) noexcept
{
    adrs.setTypeAndClear(ADRSType::WOTS_HASH);
    adrs.setKeyPairAddress(idx);
    Node node{wots_pkFromSig<P>(hash, sig.template first<P.WotsSigSize()>(), m, adrs)};

    const auto auth{sig.template subspan<P.WotsSigSize()>()};
    adrs.setTypeAndClear(ADRSType::TREE);
    adrs.setTreeIndex(idx);
    for (uint32_t k{0}; k < P.h_prime(); ++k) {
        const NodeView sibling{auth.data() + k * N, N};
        adrs.setTreeHeight(k + 1);
        if ((idx >> k) % 2 == 0) {
            adrs.setTreeIndex(adrs.getTreeIndex() / 2);
            node = hash.H(adrs, node, sibling);
        } else {
            adrs.setTreeIndex((adrs.getTreeIndex() - 1) / 2);
            node = hash.H(adrs, sibling, node);
        }
    }
    return node;
}

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_SLHDSA_XMSS_H
