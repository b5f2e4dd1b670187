// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <wallet/tap_tree.h>

#include <primitives/serialize.h>
#include <script/taptree.h>
#include <util/check.h>

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace slhc::wallet {
namespace {

/** Calls leaf(version, script) for each leaf, and join() whenever the last two trees become the branches of one. */
template <typename Leaf, typename Join>
void ReadTapTree(std::span<const uint8_t> bytes, Leaf&& leaf, Join&& join)
{
    SpanReader reader{bytes};
    std::vector<size_t> depths; // of the trees that still lack a sibling: each is deeper than the one before
    for (size_t count{0}; count == 0 || reader.Remaining() > 0; ++count) {
        const SpanReader::Item item{reader, "leaf", count};
        const size_t offset{reader.Offset()};
        const size_t depth{reader.ReadU8("depth")};
        if (depth > TAPROOT_CONTROL_MAX_NODE_COUNT) reader.Fail("more than 128", offset, "depth");
        if (!depths.empty() && (depth < depths.back() || depths.back() == 0))
            reader.Fail("a leaf that has no place in the tree", offset, "depth");
        const uint8_t version{reader.ReadU8("leaf version")};
        if ((version & ~TAPROOT_LEAF_MASK) != 0) reader.Fail("an odd number", offset + 1, "leaf version");
        leaf(version, reader.ReadVarBytes("script"), count);
        depths.push_back(depth);
        while (depths.size() > 1 && depths.back() == depths[depths.size() - 2]) {
            join();
            depths.pop_back();
            --depths.back();
        }
    }
    if (depths.back() != 0) reader.Fail("the tree lacks a leaf", reader.Offset(), "end");
}

} // namespace

void CheckTapTree(std::span<const uint8_t> bytes)
{
    ReadTapTree(
        bytes, [](uint8_t, std::span<const uint8_t>, size_t) {}, [] {});
}

uint256 TapTreeRoot(std::span<const uint8_t> bytes)
{
    std::vector<uint256> roots; // of the trees that still lack a sibling
    ReadTapTree(
        bytes, [&](uint8_t version, std::span<const uint8_t> script, size_t) { roots.push_back(ComputeTapleafHash(version, script)); },
        [&] {
            const uint256 right{roots.back()};
            roots.pop_back();
            roots.back() = ComputeTapbranchHash(roots.back().Bytes(), right.Bytes());
        });
    return roots.back();
}

ScriptTree ParseTapTree(std::span<const uint8_t> bytes)
{
    std::vector<ScriptTree> trees;
    ReadTapTree(
        bytes,
        [&](uint8_t version, std::span<const uint8_t> script, size_t count) {
            if (count >= MAX_TAP_TREE_LEAVES) throw ParseError{"more than " + std::to_string(MAX_TAP_TREE_LEAVES) + " leaves", 0, "tree"};
            trees.emplace_back(CScript{script}, version);
        },
        [&] {
            ScriptTree right{std::move(trees.back())};
            trees.pop_back();
            auto joined{ScriptTree::Branch(std::move(trees.back()), std::move(right))};
            assert(joined); // no depth is above 128
            trees.back() = *std::move(joined);
        });
    return std::move(trees.back());
}

std::vector<uint8_t> SerializeTapTree(const ScriptTree& tree)
{
    std::vector<uint8_t> bytes;
    VectorWriter writer{bytes};
    for (const auto& leaf : tree.Leaves()) {
        WriteU8(writer, static_cast<uint8_t>(leaf.Depth()));
        WriteU8(writer, leaf.version);
        WriteVarBytes(writer, leaf.script);
    }
    return bytes;
}

bool AreAllLeaves(const uint256& root, std::span<const ScriptTree::Leaf> leaves)
{
    // A hash tells what it is of, wherever it stands in the tree: a leaf that is known, a branch on the way from one, or neither.
    std::set<uint256> known;
    std::map<uint256, std::array<uint256, 2>> branches;
    for (const auto& leaf : leaves) {
        known.insert(leaf.hash);
        uint256 node{leaf.hash};
        for (size_t at{0}; at < leaf.path.size(); at += TAPROOT_CONTROL_NODE_SIZE) {
            const uint256 sibling{std::span{leaf.path}.subspan(at).first<TAPROOT_CONTROL_NODE_SIZE>()};
            const uint256 branch{ComputeTapbranchHash(node.Bytes(), sibling.Bytes())};
            branches.try_emplace(branch, std::array{node, sibling});
            node = branch;
        }
    }
    // From the root down, without recursion: a tree in which a branch stands in several places may be deeper than any path.
    std::vector<uint256> to_do{root};
    while (!to_do.empty()) {
        const uint256 node{to_do.back()};
        to_do.pop_back();
        if (!known.insert(node).second) continue;
        const auto branch{branches.find(node)};
        if (branch == branches.end()) return false;
        to_do.insert(to_do.end(), branch->second.begin(), branch->second.end());
    }
    return true;
}

} // namespace slhc::wallet
