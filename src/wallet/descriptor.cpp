// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <wallet/descriptor.h>

#include <script/pubkey.h>
#include <util/check.h>
#include <util/hex.h>
#include <wallet/descriptor_checksum.h>

#include <utility>

namespace slhc::wallet {
namespace {

std::string Text(const TreeExpression& tree)
{
    if (tree.leaf) return tree.leaf->ToString();
    return "{" + Text(tree.sides[0]) + "," + Text(tree.sides[1]) + "}";
}

template <typename F>
void ForEachLeaf(const TreeExpression& tree, F&& f)
{
    if (tree.leaf) f(*tree.leaf);
    for (const auto& side : tree.sides) ForEachLeaf(side, f);
}

ScriptTree Build(const TreeExpression& tree)
{
    if (tree.leaf) return ScriptTree{tree.leaf->Script()};
    auto built{ScriptTree::Branch(Build(tree.sides[0]), Build(tree.sides[1]))};
    assert(built); // the parser bounds the depth
    return *std::move(built);
}

std::vector<uint8_t> P2TRControlBlock(const ScriptTree::Leaf& leaf, const PublicKey& internal_key, bool parity)
{
    std::vector<uint8_t> block;
    block.reserve(1 + internal_key.size() + leaf.path.size());
    block.push_back(leaf.version | (parity ? 1 : 0));
    block.insert(block.end(), internal_key.begin(), internal_key.end());
    block.insert(block.end(), leaf.path.begin(), leaf.path.end());
    return block;
}

} // namespace

constexpr std::string_view SINGLE_LEAF_PROBLEM{
    "a P2MR (P2TSH) output with a single leaf can be spent by anyone: the control block then has no path, and under BIP 360 such a spend "
    "succeeds without running the script; add a second leaf"};

std::string_view Descriptor::TypeName() const
{
    switch (m_type) {
    case Type::MR: return "mr";
    case Type::TR: return "tr";
    case Type::RAW: return "raw";
    case Type::ADDR: return "addr";
    }
    assert(false);
    return {};
}

std::vector<KeyExpression> Descriptor::Keys() const
{
    std::vector<KeyExpression> keys;
    if (m_internal_key) keys.push_back(*m_internal_key);
    if (m_tree) {
        ForEachLeaf(*m_tree, [&](const LeafExpression& leaf) { leaf.ForEachKey([&](const KeyExpression& key) { keys.push_back(key); }); });
    }
    return keys;
}

std::string Descriptor::ToString() const
{
    std::string text{TypeName()};
    text += "(";
    if (m_internal_key) text += m_internal_key->ToString();
    if (m_internal_key && m_tree) text += ",";
    if (m_tree) text += Text(*m_tree);
    if (m_type == Type::RAW) text += HexStr(m_script);
    text += m_address + ")";
    return text + "#" + DescriptorChecksum(text);
}

DescriptorOutput Descriptor::Output() const
{
    DescriptorOutput output;
    if (m_type == Type::RAW || m_type == Type::ADDR) {
        output.script_pubkey = m_script;
        if (m_type == Type::ADDR) output.hrp = m_hrp;
        return output;
    }
    if (m_tree) output.tree = Build(*m_tree);
    const auto& tree{output.tree};
    bool parity{false};
    if (m_internal_key) {
        output.internal_key = m_internal_key->key;
        const auto tweaked{XOnlyPubKey{*output.internal_key}.CreateTapTweak(tree ? &tree->Root() : nullptr)};
        assert(tweaked); // the parser accepts points alone
        parity = tweaked->second;
        output.script_pubkey << OP_1 << std::span<const uint8_t>{tweaked->first.Bytes()};
    } else {
        output.script_pubkey = P2MRScriptPubKey(tree->Root());
    }
    if (!tree) return output;
    ForEachLeaf(*m_tree, [&](const LeafExpression& expression) {
        const auto& leaf{tree->Leaves()[output.leaves.size()]};
        output.leaves.push_back(
            {expression, leaf, m_internal_key ? P2TRControlBlock(leaf, *output.internal_key, parity) : leaf.P2MRControlBlock()});
    });
    return output;
}

std::string OutputAddress(const DescriptorOutput& output, Network network, std::string& error)
{
    const auto program{WitnessProgram::FromScriptPubKey(output.script_pubkey)};
    if (!program || !WitnessProgramError(program->version, program->program.size()).empty()) return "";
    if (output.hrp && *output.hrp != NetworkHrp(network)) {
        error = "the descriptor is an address with the prefix '" + *output.hrp + "', which is not that of " +
                std::string{NetworkName(network)};
        return "";
    }
    return EncodeAddress(network, *program);
}

} // namespace slhc::wallet
