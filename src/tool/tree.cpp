// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/tree.h>

#include <tool/asm.h>
#include <tool/cursor.h>
#include <tool/error.h>
#include <tool/input.h>
#include <tool/json.h>
#include <tool/keys.h>
#include <util/hex.h>
#include <wallet/descriptor.h>
#include <wallet/descriptor_checksum.h>

#include <array>
#include <utility>
#include <vector>

namespace slhc::tool {
namespace {

//! Wide enough for any experiment, narrow enough to be built at once.
constexpr size_t MAX_LEAVES{1024};

ScriptTree Join(ScriptTree left, ScriptTree right)
{
    if (left.Leaves().size() + right.Leaves().size() > MAX_LEAVES) {
        throw InputError{"the tree has more than " + std::to_string(MAX_LEAVES) + " leaves"};
    }
    auto tree{ScriptTree::Branch(std::move(left), std::move(right))};
    if (!tree) throw InputError{"the tree is deeper than " + std::to_string(TAPROOT_CONTROL_MAX_NODE_COUNT) + " levels"};
    return *std::move(tree);
}

ScriptTree ParseLeaf(std::string_view text)
{
    constexpr std::string_view LEAF{"leaf("};
    text = Trim(text);
    if (!text.starts_with(LEAF)) return ScriptTree{ParseScriptOrHex(text)};

    const size_t comma{text.find(',')};
    if (comma == text.npos || !text.ends_with(')')) throw InputError{"leaf() takes a version and a script: leaf(0xfa,OP_1)"};
    const std::string_view version{Trim(text.substr(LEAF.size(), comma - LEAF.size()))};
    if (!version.starts_with("0x")) throw InputError{"leaf version " + Quote(version) + " does not begin with 0x"};
    const uint8_t byte{Within("leaf version", [&] { return ParseHex(version.substr(2), 1)[0]; })};
    if ((byte & ~TAPROOT_LEAF_MASK) != 0) throw InputError{"leaf version " + Quote(version) + " is odd"};
    return ScriptTree{ParseScriptOrHex(text.substr(comma + 1, text.size() - comma - 2)), byte};
}

class TreeParser
{
public:
    explicit TreeParser(std::string_view text) : m_cursor{text} {}

    ScriptTree Parse()
    {
        ScriptTree tree{Node(0)};
        m_cursor.SkipSpace();
        if (!m_cursor.AtEnd()) Fail("unexpected text after the tree");
        return tree;
    }

private:
    ScriptTree Node(size_t depth)
    {
        if (depth > TAPROOT_CONTROL_MAX_NODE_COUNT) {
            Fail("the tree is deeper than " + std::to_string(TAPROOT_CONTROL_MAX_NODE_COUNT) + " levels");
        }
        m_cursor.SkipSpace();
        if (m_cursor.AtEnd()) Fail("expected a leaf or '{'");
        if (!m_cursor.Accept('{')) return LeafHere();
        ScriptTree left{Node(depth + 1)};
        if (!m_cursor.Accept(',')) Fail("missing ',' between the two sides of a branch");
        ScriptTree right{Node(depth + 1)};
        if (!m_cursor.Accept('}')) Fail("missing '}' after the two sides of a branch");
        return Join(std::move(left), std::move(right));
    }

    /** A leaf ends at a comma or brace that is not within parentheses. */
    ScriptTree LeafHere()
    {
        const size_t begin{m_cursor.Position()};
        int parentheses{0};
        const std::string_view leaf{m_cursor.TakeWhile([&](char c) {
            if (c == '(') ++parentheses;
            if (c == ')') --parentheses;
            return parentheses != 0 || (c != ',' && c != '{' && c != '}');
        })};
        return Within("leaf at position " + std::to_string(begin), [&] { return ParseLeaf(leaf); });
    }

    [[noreturn]] void Fail(const std::string& why) const
    {
        throw InputError{"position " + std::to_string(m_cursor.Position()), why};
    }

    Cursor m_cursor;
};

ScriptTree Balance(std::span<ScriptTree> leaves)
{
    if (leaves.size() == 1) return std::move(leaves[0]);
    const size_t half{(leaves.size() + 1) / 2};
    ScriptTree left{Balance(leaves.first(half))};
    return Join(std::move(left), Balance(leaves.subspan(half)));
}

std::string FormatLeaf(const ScriptTree::Leaf& leaf)
{
    std::string script{leaf.script.empty() ? "0x" : FormatScript(leaf.script)};
    if (leaf.version == TAPROOT_LEAF_TAPSCRIPT) return script;
    return "leaf(0x" + HexStr(std::array{leaf.version}) + "," + script + ")";
}

/** The tree of a descriptor mr(TREE). */
ScriptTree DescriptorTree(std::string_view text)
{
    try {
        const auto descriptor{wallet::Descriptor::Parse(text)};
        if (descriptor.GetType() != wallet::Descriptor::Type::MR) {
            throw InputError{"the descriptor is " + std::string{descriptor.TypeName()} + "(), not mr(TREE)"};
        }
        return *descriptor.Output().tree;
    } catch (const wallet::DescriptorError& e) {
        throw InputError{e.what()};
    }
}

} // namespace

ScriptTree ParseTree(std::string_view text)
{
    return TreeParser{Trim(text)}.Parse();
}

ScriptTree TreeArgument(const std::string& argument)
{
    return WithArgument(argument, [](const std::string& text) {
        const std::string_view trimmed{Trim(text)};
        if (trimmed.starts_with("mr(")) return DescriptorTree(trimmed);
        if (!IsJsonObject(trimmed)) return ParseTree(text);
        const JsonDocument json{text};
        g_script_for_experiments |= json.Top().Find("experiment").has_value();
        return json.Top().At("tree").Parse(ParseTree);
    });
}

ScriptTree BalancedTree(std::span<const std::string> leaves)
{
    if (leaves.empty()) throw InputError{"a tree needs at least one leaf"};
    std::vector<ScriptTree> trees;
    for (size_t i = 0; i < leaves.size(); ++i) {
        trees.push_back(Within("leaf " + std::to_string(i), [&] { return ParseLeaf(leaves[i]); }));
    }
    return Balance(trees);
}

std::string FormatTree(const ScriptTree& tree)
{
    // The depths of a tree's leaves, from left to right, determine its shape.
    std::string text;
    std::vector<bool> right_side; // for each open branch: whether its left side is done
    for (const auto& leaf : tree.Leaves()) {
        while (right_side.size() < leaf.Depth()) {
            text += "{";
            right_side.push_back(false);
        }
        text += FormatLeaf(leaf);
        while (!right_side.empty() && right_side.back()) {
            text += "}";
            right_side.pop_back();
        }
        if (!right_side.empty()) {
            text += ",";
            right_side.back() = true;
        }
    }
    return text;
}

void RefuseSingleLeaf(const ScriptTree& tree)
{
    if (tree.Leaves().size() > 1) return;
    throw InputError{std::string{wallet::SINGLE_LEAF_PROBLEM} + ", for example OP_RETURN"};
}

} // namespace slhc::tool
