// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/slhdsa/fors.h>

#include <pqc/slhdsa/encoding.h>
#include <util/cleanse.h>

#include <algorithm>

namespace slhc::slhdsa {

Node fors_skGen(const HashContext& hash, NodeView sk_seed, const ADRS& adrs, uint32_t idx) noexcept
{
    ADRS sk_adrs{adrs};
    sk_adrs.setTypeAndClear(ADRSType::FORS_PRF);
    sk_adrs.setKeyPairAddress(adrs.getKeyPairAddress());
    sk_adrs.setTreeIndex(idx);
    return hash.PRF(sk_seed, sk_adrs);
}

Node fors_node(const HashContext& hash, NodeView sk_seed, uint32_t i, uint32_t z, ADRS adrs) noexcept
{
    if (z == 0) {
        const Wiped<Node> sk{fors_skGen(hash, sk_seed, adrs, i)};
        adrs.setTreeHeight(0);
        adrs.setTreeIndex(i);
        return hash.F(adrs, *sk);
    }
    const Node lnode{fors_node(hash, sk_seed, 2 * i, z - 1, adrs)};
    const Node rnode{fors_node(hash, sk_seed, 2 * i + 1, z - 1, adrs)};
    adrs.setTreeHeight(z);
    adrs.setTreeIndex(i);
    return hash.H(adrs, lnode, rnode);
}

void fors_sign(const HashContext& hash, ForsDigestView md, NodeView sk_seed, const ADRS& adrs,
               std::span<uint8_t, FORS_SIG_SIZE> sig) noexcept
{
    const auto indices{base_2b<A, K>(md)};
    auto out{sig.begin()};
    for (uint32_t i{0}; i < K; ++i) {
        const Node sk{fors_skGen(hash, sk_seed, adrs, (i << A) + indices[i])};
        out = std::copy(sk.begin(), sk.end(), out);
        for (uint32_t j{0}; j < A; ++j) {
            const uint32_t s{(indices[i] >> j) ^ 1};
            const Node node{fors_node(hash, sk_seed, (i << (A - j)) + s, j, adrs)};
            out = std::copy(node.begin(), node.end(), out);
        }
    }
}

Node fors_pkFromSig(const HashContext& hash, std::span<const uint8_t, FORS_SIG_SIZE> sig, ForsDigestView md, ADRS adrs) noexcept
{
    const auto indices{base_2b<A, K>(md)};
    const uint8_t* in{sig.data()};
    std::array<Node, K> root;
    for (uint32_t i{0}; i < K; ++i) {
        const NodeView sk{in, N};
        in += N;
        adrs.setTreeHeight(0);
        adrs.setTreeIndex((i << A) + indices[i]);
        Node node{hash.F(adrs, sk)};
        for (uint32_t j{0}; j < A; ++j) {
            const NodeView sibling{in, N};
            in += N;
            adrs.setTreeHeight(j + 1);
            if ((indices[i] >> j) % 2 == 0) {
                adrs.setTreeIndex(adrs.getTreeIndex() / 2);
                node = hash.H(adrs, node, sibling);
            } else {
                adrs.setTreeIndex((adrs.getTreeIndex() - 1) / 2);
                node = hash.H(adrs, sibling, node);
            }
        }
        root[i] = node;
    }
    ADRS pk_adrs{adrs};
    pk_adrs.setTypeAndClear(ADRSType::FORS_ROOTS);
    pk_adrs.setKeyPairAddress(adrs.getKeyPairAddress());
    return hash.T_l(pk_adrs, root);
}

} // namespace slhc::slhdsa
