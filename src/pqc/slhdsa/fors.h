// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_SLHDSA_FORS_H
#define SLHCONSENSUS_PQC_SLHDSA_FORS_H

#include <pqc/slhdsa/encoding.h>
#include <pqc/slhdsa/hash_functions.h>
#include <util/cleanse.h>

#include <algorithm>

/** FORS, the few-time signature that signs the message digest: FIPS 205, section 8. In every function, adrs
 *  names the FORS key: its tree and key pair address are set, and its type is FORS_TREE. */
namespace slhc::slhdsa {

/** Algorithm 14, fors_skGen: secret value idx; those of tree i begin at i * 2^a. */
[[nodiscard]] inline Node fors_skGen(const HashContext& hash, NodeView sk_seed, const ADRS& adrs, uint32_t idx) noexcept
{
    ADRS sk_adrs{adrs};
    sk_adrs.setTypeAndClear(ADRSType::FORS_PRF);
    sk_adrs.setKeyPairAddress(adrs.getKeyPairAddress());
    sk_adrs.setTreeIndex(idx);
    return hash.PRF(sk_seed, sk_adrs);
}

/** Algorithm 15, fors_node: node i of height z, counted through all trees.
 *  @pre z <= a and i < k * 2^(a - z) */
[[nodiscard]] inline Node fors_node(const HashContext& hash, NodeView sk_seed, uint32_t i, uint32_t z, ADRS adrs) noexcept
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

/** Algorithm 16, fors_sign. */
template <Params P>
void fors_sign(const HashContext& hash, std::span<const uint8_t, P.MdSize()> md, NodeView sk_seed, const ADRS& adrs,
               std::span<uint8_t, P.ForsSigSize()> sig) noexcept
{
    const auto indices{base_2b<P.a, P.k>(md)};
    auto out{sig.begin()};
    for (uint32_t i{0}; i < P.k; ++i) {
        const Node sk{fors_skGen(hash, sk_seed, adrs, (i << P.a) + indices[i])};
        out = std::copy(sk.begin(), sk.end(), out);
        for (uint32_t j{0}; j < P.a; ++j) {
            const uint32_t s{(indices[i] >> j) ^ 1};
            const Node node{fors_node(hash, sk_seed, (i << (P.a - j)) + s, j, adrs)};
            out = std::copy(node.begin(), node.end(), out);
        }
    }
}

/** Algorithm 17, fors_pkFromSig: the FORS public key under which sig signs md. */
template <Params P>
[[nodiscard]] Node fors_pkFromSig(const HashContext& hash, std::span<const uint8_t, P.ForsSigSize()> sig,
                                  std::span<const uint8_t, P.MdSize()> md, ADRS adrs) noexcept
{
    const auto indices{base_2b<P.a, P.k>(md)};
    const uint8_t* in{sig.data()};
    std::array<Node, P.k> root;
    for (uint32_t i{0}; i < P.k; ++i) {
        const NodeView sk{in, N};
        in += N;
        adrs.setTreeHeight(0);
        adrs.setTreeIndex((i << P.a) + indices[i]);
        Node node{hash.F(adrs, sk)};
        for (uint32_t j{0}; j < P.a; ++j) {
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

#endif // SLHCONSENSUS_PQC_SLHDSA_FORS_H
