// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <wallet/tap_tree.h>

#include <primitives/serialize.h>
#include <script/taptree.h>
#include <util/check.h>

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

} // namespace slhc::wallet
