// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_PSBT_ACCESS_H
#define SLHCONSENSUS_TOOL_PSBT_ACCESS_H

#include <script/script_tree.h>
#include <tool/json.h>
#include <wallet/leaf_recipe.h>
#include <wallet/psbt_updater.h>

#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

/** Who can spend an output, as far as a PSBT shows its tree: the one who signs with some keys, others, or both. */
namespace slhc::tool {

/** A P2MR or P2TR output as a PSBT shows it. */
struct KnownTree {
    std::vector<ScriptTree::Leaf> leaves;
    bool whole;                                          //!< the tree has no other leaves
    std::optional<wallet::PSBTInternalKey> internal_key; //!< none: P2MR

    /** @param[in] spent  what the leaves belong to; they are those of an input, as wallet::Leaves() returns them */
    [[nodiscard]] static KnownTree OfInput(const CTxOut& spent, std::span<const wallet::PSBTLeaf> leaves,
                                           const std::optional<wallet::PSBTInternalKey>& internal_key);
};

/** What some keys can do with an output. */
struct KeyAccess {
    bool some{false};   //!< a leaf asks for one of them, or the internal key is one
    bool usable{false}; //!< ... of which it is known how to spend it
    bool alone{false};  //!< ... and that takes no other signatures
    std::string others; //!< how it may be spent without them; empty: not at all

    [[nodiscard]] bool Only() const noexcept { return usable && others.empty(); }
};

/** @pre the tree is not P2MR with a single leaf, which anyone can spend: a PSBT with such an output or input is refused */
[[nodiscard]] KeyAccess AccessOf(const std::set<wallet::LeafKey>& keys, const KnownTree& tree);

/** Those of some keys by which a leaf checks signatures. */
[[nodiscard]] std::set<wallet::LeafKey> KeysIn(const ScriptTree::Leaf& leaf, const std::set<wallet::LeafKey>& keys);

/** Some keys in an output's tree: in leaves that they can spend, alone or with others, and in those of which that is not known. */
void AddLeavesOf(Json& output, const std::set<wallet::LeafKey>& keys, const ScriptTree& tree);

void AddInternalKey(Json& json, const wallet::PSBTInternalKey& internal_key, const std::set<wallet::LeafKey>& keys);
/** What somebody who signs should know of the internal key of an output that has a tree; empty if there is nothing. */
[[nodiscard]] std::string InternalKeyWarning(const wallet::PSBTInternalKey& internal_key, const std::set<wallet::LeafKey>& keys);

using TableRows = std::vector<std::pair<std::string, std::string>>;
/** The internal key of an input or an output, if there is one. */
void AddInternalKeyRow(TableRows& rows, const Json& json);
/** Whose an output may be. */
void AddAccessRows(TableRows& rows, const Json& output);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_PSBT_ACCESS_H
