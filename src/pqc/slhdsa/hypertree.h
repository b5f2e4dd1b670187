// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_SLHDSA_HYPERTREE_H
#define SLHCONSENSUS_PQC_SLHDSA_HYPERTREE_H

#include <pqc/slhdsa/declassify.h>
#include <pqc/slhdsa/xmss.h>

/** The hypertree, d layers of XMSS trees that sign each other's roots: FIPS 205, section 7. idx_tree is
 *  below 2^(h - h'), idx_leaf below 2^h'. */
namespace slhc::slhdsa {

/** The place of the walk up the hypertree: the address of the XMSS tree of one layer, and the leaf in it. */
template <Params P>
class HypertreePosition
{
public:
    HypertreePosition(uint64_t idx_tree, uint32_t idx_leaf) noexcept : m_tree{idx_tree}, m_leaf{idx_leaf}
    {
        m_adrs.setTreeAddress(m_tree);
    }

    [[nodiscard]] const ADRS& Address() const noexcept { return m_adrs; }
    [[nodiscard]] uint32_t Leaf() const noexcept { return m_leaf; }

    /** To the tree whose leaf signs the root of this one: lines 7 to 10 of algorithm 12, 6 to 9 of 13. */
    void MoveUp() noexcept
    {
        m_leaf = static_cast<uint32_t>(m_tree % (uint64_t{1} << P.h_prime()));
        m_tree >>= P.h_prime();
        m_adrs.setLayerAddress(++m_layer);
        m_adrs.setTreeAddress(m_tree);
    }

private:
    ADRS m_adrs;
    uint64_t m_tree;
    uint32_t m_leaf;
    uint32_t m_layer{0};
};

/** Algorithm 12, ht_sign. */
template <Params P>
void ht_sign(const HashContext& hash, NodeView m, NodeView sk_seed, uint64_t idx_tree, uint32_t idx_leaf,
             std::span<uint8_t, P.HtSigSize()> sig) noexcept
{
    HypertreePosition<P> position{idx_tree, idx_leaf};
    Node root;
    std::copy(m.begin(), m.end(), root.begin());
    for (size_t j{0}; j < P.d; ++j) {
        if (j > 0) position.MoveUp();
        const std::span<uint8_t, P.XmssSigSize()> layer_sig{sig.data() + j * P.XmssSigSize(), P.XmssSigSize()};
        xmss_sign<P>(hash, root, sk_seed, position.Leaf(), position.Address(), layer_sig);
        Declassify(layer_sig.data(), layer_sig.size());
        if (j < P.d - 1) root = xmss_pkFromSig<P>(hash, position.Leaf(), layer_sig, root, position.Address());
    }
}

/** Algorithm 13 up to its comparison: the root under which sig signs m. */
template <Params P>
[[nodiscard]] Node ht_rootFromSig(const HashContext& hash, NodeView m, std::span<const uint8_t, P.HtSigSize()> sig, uint64_t idx_tree,
                                  uint32_t idx_leaf) noexcept
{
    HypertreePosition<P> position{idx_tree, idx_leaf};
    Node node;
    std::copy(m.begin(), m.end(), node.begin());
    for (size_t j{0}; j < P.d; ++j) {
        if (j > 0) position.MoveUp();
        const std::span<const uint8_t, P.XmssSigSize()> layer_sig{sig.data() + j * P.XmssSigSize(), P.XmssSigSize()};
        node = xmss_pkFromSig<P>(hash, position.Leaf(), layer_sig, node, position.Address());
    }
    return node;
}

/** Algorithm 13, ht_verify. */
template <Params P>
[[nodiscard]] bool ht_verify(const HashContext& hash, NodeView m, std::span<const uint8_t, P.HtSigSize()> sig, uint64_t idx_tree,
                             uint32_t idx_leaf, NodeView pk_root) noexcept
{
    const Node node{ht_rootFromSig<P>(hash, m, sig, idx_tree, idx_leaf)};
    return std::equal(node.begin(), node.end(), pk_root.begin());
}

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_SLHDSA_HYPERTREE_H
