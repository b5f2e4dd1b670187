// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_WALLET_TAP_TREE_H
#define SLHCONSENSUS_WALLET_TAP_TREE_H

#include <script/script_tree.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/** Script trees as BIP 371 writes them in PSBT_OUT_TAP_TREE: depth, leaf version and script of each leaf, from left to right. */
namespace slhc::wallet {

/** More leaves than this are not built: each has a path of up to 128 hashes. */
inline constexpr size_t MAX_TAP_TREE_LEAVES{1024};

/** @throws ParseError if the leaves don't form a tree, or it is deeper than 128 levels */
void CheckTapTree(std::span<const uint8_t> bytes);

/** @throws ParseError as CheckTapTree, and if there are more than MAX_TAP_TREE_LEAVES */
[[nodiscard]] ScriptTree ParseTapTree(std::span<const uint8_t> bytes);

[[nodiscard]] std::vector<uint8_t> SerializeTapTree(const ScriptTree& tree);

} // namespace slhc::wallet

#endif // SLHCONSENSUS_WALLET_TAP_TREE_H
