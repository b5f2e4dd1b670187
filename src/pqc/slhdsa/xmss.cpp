// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/slhdsa/xmss.h>

#include <algorithm>

namespace slhc::slhdsa {

Node xmss_node(const HashContext& hash, NodeView sk_seed, uint32_t i, uint32_t z, ADRS adrs) noexcept
{
    if (z == 0) {
        adrs.setTypeAndClear(ADRSType::WOTS_HASH);
        adrs.setKeyPairAddress(i);
        return wots_pkGen(hash, sk_seed, adrs);
    }
    const Node lnode{xmss_node(hash, sk_seed, 2 * i, z - 1, adrs)};
    const Node rnode{xmss_node(hash, sk_seed, 2 * i + 1, z - 1, adrs)};
    adrs.setTypeAndClear(ADRSType::TREE);
    adrs.setTreeHeight(z);
    adrs.setTreeIndex(i);
    return hash.H(adrs, lnode, rnode);
}

void xmss_sign(const HashContext& hash, NodeView m, NodeView sk_seed, uint32_t idx, ADRS adrs,
               std::span<uint8_t, XMSS_SIG_SIZE> sig) noexcept
{
    const auto auth{sig.subspan<WOTS_SIG_SIZE>()};
    for (uint32_t j{0}; j < H_PRIME; ++j) {
        const uint32_t k{(idx >> j) ^ 1};
        const Node node{xmss_node(hash, sk_seed, k, j, adrs)};
        std::copy(node.begin(), node.end(), auth.begin() + j * N);
    }
    adrs.setTypeAndClear(ADRSType::WOTS_HASH);
    adrs.setKeyPairAddress(idx);
    wots_sign(hash, m, sk_seed, adrs, sig.first<WOTS_SIG_SIZE>());
}

Node xmss_pkFromSig(const HashContext& hash, uint32_t idx, std::span<const uint8_t, XMSS_SIG_SIZE> sig, NodeView m, ADRS adrs) noexcept
{
    adrs.setTypeAndClear(ADRSType::WOTS_HASH);
    adrs.setKeyPairAddress(idx);
    Node node{wots_pkFromSig(hash, sig.first<WOTS_SIG_SIZE>(), m, adrs)};

    const auto auth{sig.subspan<WOTS_SIG_SIZE>()};
    adrs.setTypeAndClear(ADRSType::TREE);
    adrs.setTreeIndex(idx);
    for (uint32_t k{0}; k < H_PRIME; ++k) {
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
