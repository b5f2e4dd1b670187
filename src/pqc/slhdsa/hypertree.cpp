// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/slhdsa/hypertree.h>

#include <pqc/slhdsa/declassify.h>

#include <algorithm>

namespace slhc::slhdsa {
namespace {

/** The place of the walk up the hypertree: the address of the XMSS tree of one layer, and the leaf in it. */
class Position
{
public:
    Position(uint64_t idx_tree, uint32_t idx_leaf) noexcept : m_tree{idx_tree}, m_leaf{idx_leaf} { m_adrs.setTreeAddress(m_tree); }

    [[nodiscard]] const ADRS& Address() const noexcept { return m_adrs; }
    [[nodiscard]] uint32_t Leaf() const noexcept { return m_leaf; }

    /** To the tree whose leaf signs the root of this one: lines 7 to 10 of algorithm 12, 6 to 9 of 13. */
    void MoveUp() noexcept
    {
        m_leaf = static_cast<uint32_t>(m_tree % (uint64_t{1} << H_PRIME));
        m_tree >>= H_PRIME;
        m_adrs.setLayerAddress(++m_layer);
        m_adrs.setTreeAddress(m_tree);
    }

private:
    ADRS m_adrs;
    uint64_t m_tree;
    uint32_t m_leaf;
    uint32_t m_layer{0};
};

} // namespace

void ht_sign(const HashContext& hash, NodeView m, NodeView sk_seed, uint64_t idx_tree, uint32_t idx_leaf,
             std::span<uint8_t, HT_SIG_SIZE> sig) noexcept
{
    Position position{idx_tree, idx_leaf};
    Node root;
    std::copy(m.begin(), m.end(), root.begin());
    for (size_t j{0}; j < D; ++j) {
        if (j > 0) position.MoveUp();
        const std::span<uint8_t, XMSS_SIG_SIZE> layer_sig{sig.data() + j * XMSS_SIG_SIZE, XMSS_SIG_SIZE};
        xmss_sign(hash, root, sk_seed, position.Leaf(), position.Address(), layer_sig);
        Declassify(layer_sig.data(), layer_sig.size());
        if (j < D - 1) root = xmss_pkFromSig(hash, position.Leaf(), layer_sig, root, position.Address());
    }
}

Node ht_rootFromSig(const HashContext& hash, NodeView m, std::span<const uint8_t, HT_SIG_SIZE> sig, uint64_t idx_tree,
                    uint32_t idx_leaf) noexcept
{
    Position position{idx_tree, idx_leaf};
    Node node;
    std::copy(m.begin(), m.end(), node.begin());
    for (size_t j{0}; j < D; ++j) {
        if (j > 0) position.MoveUp();
        const std::span<const uint8_t, XMSS_SIG_SIZE> layer_sig{sig.data() + j * XMSS_SIG_SIZE, XMSS_SIG_SIZE};
        node = xmss_pkFromSig(hash, position.Leaf(), layer_sig, node, position.Address());
    }
    return node;
}

bool ht_verify(const HashContext& hash, NodeView m, std::span<const uint8_t, HT_SIG_SIZE> sig, uint64_t idx_tree, uint32_t idx_leaf,
               NodeView pk_root) noexcept
{
    const Node node{ht_rootFromSig(hash, m, sig, idx_tree, idx_leaf)};
    return std::equal(node.begin(), node.end(), pk_root.begin());
}

} // namespace slhc::slhdsa
