// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/script_tree.h>

#include <script/p2mr.h>
#include <util/check.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace slhc {

std::vector<uint8_t> ScriptTree::Leaf::P2MRControlBlock() const
{
    std::vector<uint8_t> block;
    block.reserve(P2MR_CONTROL_BASE_SIZE + path.size());
    block.push_back(version | P2MR_CONTROL_BIT);
    block.insert(block.end(), path.begin(), path.end());
    return block;
}

ScriptTree::ScriptTree(CScript script, uint8_t version)
{
    assert((version & ~TAPROOT_LEAF_MASK) == 0);
    m_root = ComputeTapleafHash(version, script);
    m_leaves.push_back({version, std::move(script), m_root, {}});
}

std::optional<ScriptTree> ScriptTree::Branch(ScriptTree left, ScriptTree right)
{
    const auto deepest{[](const ScriptTree& tree) {
        return std::ranges::max(tree.m_leaves, {}, &Leaf::Depth).Depth();
    }};
    if (std::max(deepest(left), deepest(right)) >= TAPROOT_CONTROL_MAX_NODE_COUNT) return std::nullopt;

    for (auto& leaf : left.m_leaves) leaf.path.insert(leaf.path.end(), right.m_root.begin(), right.m_root.end());
    for (auto& leaf : right.m_leaves) leaf.path.insert(leaf.path.end(), left.m_root.begin(), left.m_root.end());
    left.m_root = ComputeTapbranchHash(left.m_root.Bytes(), right.m_root.Bytes());
    std::ranges::move(right.m_leaves, std::back_inserter(left.m_leaves));
    return left;
}

} // namespace slhc
