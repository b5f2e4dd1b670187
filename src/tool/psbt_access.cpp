// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/psbt_access.h>

#include <tool/witness_plan.h>
#include <util/hex.h>
#include <wallet/psbt_signatures.h>
#include <wallet/tap_tree.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace slhc::tool {
namespace {

using wallet::LeafKey;
using wallet::PSBTInternalKey;

//! H of BIP 341, of which nobody knows the discrete logarithm: "nothing up my sleeve".
constexpr std::array<uint8_t, 32> NUMS_KEY{0x50, 0x92, 0x9b, 0x74, 0xc1, 0xa0, 0x49, 0x54, 0xb7, 0x8b, 0x4b, 0x60, 0x35, 0xe9, 0x7a, 0x5e,
                                           0x07, 0x8a, 0x5a, 0x0f, 0x28, 0xec, 0x96, 0xd5, 0x47, 0xbf, 0xee, 0x9a, 0xce, 0x80, 0x3a, 0xc0};

/** Who has an internal key, in the words of JSON. */
constexpr std::string_view NOBODY{"nobody"}, THESE_KEYS{"these keys"}, UNKNOWN{"unknown"}, UNVERIFIED{"unverified"};

std::string_view OwnerOf(const PSBTInternalKey& internal_key, const std::set<LeafKey>& keys)
{
    if (!internal_key.verified) return UNVERIFIED;
    if (internal_key.key == NUMS_KEY) return NOBODY;
    const LeafKey key{{internal_key.key.begin(), internal_key.key.end()}, KeyType::SCHNORR};
    return keys.contains(key) ? THESE_KEYS : UNKNOWN;
}

/** Why a key in a leaf says nothing about who can spend it; empty if it does. */
std::string WhyNotUsable(const wallet::LeafRecipe& recipe)
{
    if (recipe.unknown.empty()) return recipe.never;
    return "it is not known what that leaf takes: it has " + recipe.unknown;
}

/** The keys of somebody who signs, in the leaves of an output's tree. */
void AddLeafRows(TableRows& rows, const Json& output)
{
    if (!output.contains("leaves_of_these_keys")) return;
    const auto key_in_leaf{[](const Json& own, std::string_view in) {
        return own["public_key"].get<std::string>() + std::string{in} + own["leaf"].dump();
    }};
    for (const auto& own : output["leaves_of_these_keys"]) rows.emplace_back("    your key", key_in_leaf(own, " in leaf "));
    const Json others = output.value("other_leaves_with_these_keys", Json::array());
    for (const auto& own : others) {
        rows.emplace_back("    your key", key_in_leaf(own, " is in leaf ") + ", but " + own["why"].get<std::string>());
    }
    if (output["leaves_of_these_keys"].empty() && others.empty()) {
        rows.emplace_back("    your key", "none: no leaf asks for one of these keys");
    }
}

} // namespace

KnownTree KnownTree::OfInput(const CTxOut& spent, std::span<const wallet::PSBTLeaf> leaves,
                             const std::optional<PSBTInternalKey>& internal_key)
{
    KnownTree tree{.leaves = {}, .whole = false, .internal_key = internal_key};
    for (const auto& leaf : leaves) {
        const auto path{leaf.Path(spent.scriptPubKey)};
        tree.leaves.push_back({leaf.version, leaf.script, leaf.hash, {path.begin(), path.end()}});
    }
    if (tree.leaves.empty()) return tree;
    tree.whole = wallet::AreAllLeaves(ComputeTapPathRoot(tree.leaves[0].path, tree.leaves[0].hash), tree.leaves);
    return tree;
}

KeyAccess AccessOf(const std::set<LeafKey>& keys, const KnownTree& tree)
{
    KeyAccess access;
    std::vector<std::string> ways;
    if (tree.internal_key) {
        const std::string_view owner{OwnerOf(*tree.internal_key, keys)};
        access.some = access.usable = access.alone = owner == THESE_KEYS;
        if (owner == UNKNOWN || owner == UNVERIFIED) ways.emplace_back("by the key path, whoever has the internal key");
    }
    if (!tree.whole) ways.emplace_back("by leaves that the PSBT does not show (psbt update --output says the tree)");
    std::string by_leaf; // the first is enough
    for (size_t i = 0; i < tree.leaves.size(); ++i) {
        const auto& leaf{tree.leaves[i]};
        const std::string how{by_leaf.empty() ? SpendableWithout(leaf, keys) : ""};
        if (!how.empty()) by_leaf = "by leaf " + std::to_string(i) + ": " + how;
        if (KeysIn(leaf, keys).empty()) continue;
        access.some = true;
        const wallet::LeafRecipe recipe{wallet::ReadLeafRecipe(leaf.script)};
        if (!recipe.Usable()) continue;
        access.usable = true;
        access.alone = access.alone || Suffice(keys, recipe);
    }
    if (!by_leaf.empty()) ways.push_back(by_leaf);
    for (const auto& way : ways) access.others += (access.others.empty() ? "" : "; ") + way;
    return access;
}

std::set<LeafKey> KeysIn(const ScriptTree::Leaf& leaf, const std::set<LeafKey>& keys)
{
    if (leaf.version != TAPROOT_LEAF_TAPSCRIPT || keys.empty()) return {};
    auto found{wallet::KeysOf(wallet::ReadLeafRecipe(leaf.script))};
    std::erase_if(found, [&](const auto& key) { return !keys.contains(key); });
    return found;
}

void AddLeavesOf(Json& output, const std::set<LeafKey>& keys, const ScriptTree& tree)
{
    Json usable = Json::array(), others = Json::array();
    for (size_t i = 0; i < tree.Leaves().size(); ++i) {
        const auto& leaf{tree.Leaves()[i]};
        const auto found{KeysIn(leaf, keys)};
        if (found.empty()) continue;
        const std::string why{WhyNotUsable(wallet::ReadLeafRecipe(leaf.script))};
        for (const auto& key : found) {
            Json of_key = {{"leaf", i}, {"public_key", HexStr(key.public_key)}};
            if (!why.empty()) of_key["why"] = why;
            (why.empty() ? usable : others).push_back(std::move(of_key));
        }
    }
    output["leaves_of_these_keys"] = std::move(usable);
    if (!others.empty()) output["other_leaves_with_these_keys"] = std::move(others);
}

void AddInternalKey(Json& json, const PSBTInternalKey& internal_key, const std::set<LeafKey>& keys)
{
    json["internal_key"] = HexStr(internal_key.key);
    json["internal_key_owner"] = OwnerOf(internal_key, keys);
}

std::string InternalKeyWarning(const PSBTInternalKey& internal_key, const std::set<LeafKey>& keys)
{
    if (keys.empty() || OwnerOf(internal_key, keys) != UNKNOWN) return "";
    return "whoever has the internal key " + HexStr(internal_key.key) + " can spend it by the key path, whatever its leaves ask for";
}

void AddInternalKeyRow(TableRows& rows, const Json& json)
{
    if (!json.contains("internal_key")) return;
    const std::string& owner{json["internal_key_owner"].get_ref<const std::string&>()};
    std::string means;
    if (owner == NOBODY) means = ", of which nobody has the secret key (BIP 341): there is no key path";
    if (owner == THESE_KEYS) means = ", one of these keys";
    if (owner == UNKNOWN) means = ": whoever has it can spend by the key path, whatever the leaves ask for";
    if (owner == UNVERIFIED) means = ", which may be another one: the PSBT does not show the tree";
    rows.emplace_back("  internal key", json["internal_key"].get_ref<const std::string&>() + means);
}

void AddAccessRows(TableRows& rows, const Json& output)
{
    const bool others{output.contains("others_may_spend")};
    if (output.contains("script_of_input")) {
        const bool only{output.value("only_these_keys", false)};
        std::string script{"the script of input " + output["script_of_input"].dump()};
        if (only && output["others_must_sign"].get<bool>()) {
            script += ", for which others must sign, too";
        } else if (others) {
            const bool all{output["script_of_all_signed_inputs"].get<bool>()};
            script += all ? ", as every coin that these keys sign for" : ", of which these keys sign a leaf";
        } else if (!only && output.contains("only_these_keys")) {
            script += ", which none of these keys signs";
        }
        rows.emplace_back(only ? "  back to" : "  has", script);
    }
    AddInternalKeyRow(rows, output);
    if (output.contains("tree")) rows.emplace_back("  tree", output["tree"]);
    AddLeafRows(rows, output);
    if (others) rows.emplace_back("  others", "may spend it, too: " + output["others_may_spend"].get<std::string>());
}

} // namespace slhc::tool
