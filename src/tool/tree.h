// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_TREE_H
#define SLHCONSENSUS_TOOL_TREE_H

#include <script/script_tree.h>

#include <span>
#include <string>
#include <string_view>

/** Script trees as people write them:
 *
 *    {A,{B,C}}              A at the left of the root, B and C below its right
 *    leaf(0xfa,A)           a leaf whose version is not 0xc0
 *
 *  where A, B and C are scripts in the language of asm.h, or in hex. */
namespace slhc::tool {

/** The tree that text spells. A tree of one leaf is a tree here.
 *  @throws InputError */
ScriptTree ParseTree(std::string_view text);

/** The tree that an argument stands for: one in the language above or a descriptor mr(TREE), or @FILE (- for standard input)
 *  with one, or with JSON that has a "tree", as `slhtool address --json` prints it. Sets g_script_for_experiments.
 *  @throws InputError */
ScriptTree TreeArgument(const std::string& argument);

/** A balanced tree with these leaves, each in the language of ParseTree.
 *  @throws InputError */
ScriptTree BalancedTree(std::span<const std::string> leaves);

/** ParseTree reads it back. Keys are spelled out, no file is named. */
std::string FormatTree(const ScriptTree& tree);

/** @throws InputError with the reason if a P2MR output with this tree could be spent by anyone: it has one leaf */
void RefuseSingleLeaf(const ScriptTree& tree);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_TREE_H
