// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_SCRIPT_SCRIPT_TREE_H
#define SLHCONSENSUS_SCRIPT_SCRIPT_TREE_H

#include <primitives/script.h>
#include <primitives/uint256.h>
#include <script/taptree.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace slhc {

/** A tree of leaf scripts, built from the leaves up: a P2MR (formerly P2TSH) output commits to its root. */
class ScriptTree
{
public:
    struct Leaf {
        uint8_t version;           //!< even
        CScript script;
        uint256 hash;              //!< TapLeaf hash
        std::vector<uint8_t> path; //!< siblings from the leaf up, 32 bytes each

        [[nodiscard]] size_t Depth() const noexcept { return path.size() / TAPROOT_CONTROL_NODE_SIZE; }
        /** The control block that spends this leaf of a P2MR output: leaf version with the low bit set, and the path. */
        [[nodiscard]] std::vector<uint8_t> P2MRControlBlock() const;
    };

    /** A tree of one leaf. Anyone can spend a P2MR output with such a tree (BIP 360).
     *  @pre version is even */
    explicit ScriptTree(CScript script, uint8_t version = TAPROOT_LEAF_TAPSCRIPT);

    /** The tree with these two below its root; nothing if a leaf would be more than 128 levels deep. */
    [[nodiscard]] static std::optional<ScriptTree> Branch(ScriptTree left, ScriptTree right);

    [[nodiscard]] const uint256& Root() const noexcept { return m_root; }
    /** From left to right. */
    [[nodiscard]] const std::vector<Leaf>& Leaves() const noexcept { return m_leaves; }

private:
    uint256 m_root;
    std::vector<Leaf> m_leaves;
};

} // namespace slhc

#endif // SLHCONSENSUS_SCRIPT_SCRIPT_TREE_H
