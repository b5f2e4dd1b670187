// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_WALLET_PSBT_UPDATER_H
#define SLHCONSENSUS_WALLET_PSBT_UPDATER_H

#include <script/script_tree.h>
#include <wallet/psbt.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/** BIP 174's Updater for inputs that spend a leaf of a P2MR (P2TSH) or P2TR output, and the parts that every role reads. Other
 *  inputs pass through: what other software put into them stays. */
namespace slhc::wallet {

/** A BIP 341 internal key; none: the output is P2MR. */
using InternalKey = std::optional<std::array<uint8_t, 32>>;

/** The output script of a tree.
 *  @throws PSBTError if the internal key is not the x coordinate of a point */
[[nodiscard]] CScript TreeScriptPubKey(const ScriptTree& tree, const InternalKey& internal_key);
/** The control block that spends a leaf of it. */
[[nodiscard]] std::vector<uint8_t> TreeControlBlock(const ScriptTree& tree, const ScriptTree::Leaf& leaf, const InternalKey& internal_key);

/** A leaf that an input may spend, as PSBT_IN_TAP_LEAF_SCRIPT has it. */
struct PSBTLeaf {
    std::vector<uint8_t> control_block;
    uint8_t version;
    CScript script;
    uint256 hash;          //!< TapLeaf hash
    std::string problem{}; //!< why it is not known to be one of the output that is spent; empty: it is
};

/** @throws PSBTError "there is no input 2" */
[[nodiscard]] const PSBTMap& PSBTInput(const PartiallySignedTransaction& psbt, size_t n_in);
/** The output that an input spends. @throws PSBTError if the PSBT does not have it */
[[nodiscard]] CTxOut KnownSpentOutput(const PartiallySignedTransaction& psbt, size_t n_in);

/** Updater: PSBT_IN_WITNESS_UTXO. @throws PSBTError if the PSBT says something else already */
void SetSpentOutput(PartiallySignedTransaction& psbt, size_t n_in, const CTxOut& output);
/** Updater: say how an input spends a leaf. Sets PSBT_IN_TAP_LEAF_SCRIPT, PSBT_IN_TAP_MERKLE_ROOT and, for P2TR, PSBT_IN_TAP_INTERNAL_KEY.
 *  @throws PSBTError if the output that is spent is not known, or has no such leaf, or if the PSBT says something else about its tree */
void AddLeaf(PartiallySignedTransaction& psbt, size_t n_in, std::span<const uint8_t> control_block, uint8_t version,
             const CScript& script);
/** The same for leaves of a tree. */
void AddLeaves(PartiallySignedTransaction& psbt, size_t n_in, const ScriptTree& tree, std::span<const size_t> leaves,
               const InternalKey& internal_key);
/** Updater: PSBT_IN_SHA256, if a leaf of the input asks for this preimage. @return whether one does */
[[nodiscard]] bool AddPreimage(PartiallySignedTransaction& psbt, size_t n_in, std::span<const uint8_t> preimage);
/** Updater: which tree an output has. Sets PSBT_OUT_TAP_TREE and, for P2TR, PSBT_OUT_TAP_INTERNAL_KEY.
 *  @throws PSBTError if the output does not have it */
void AddOutputTree(PartiallySignedTransaction& psbt, size_t n_out, const ScriptTree& tree, const InternalKey& internal_key);

/** The leaves of an input, in the order of their fields. One that has a problem is neither signed nor spent: a signature for it would be
 *  worth nothing, or more than was said. */
[[nodiscard]] std::vector<PSBTLeaf> Leaves(const PartiallySignedTransaction& psbt, size_t n_in);
/** One without a problem, by its TapLeaf hash; where it has many places in the tree, any. @throws PSBTError if there is none */
[[nodiscard]] PSBTLeaf FindLeaf(const PartiallySignedTransaction& psbt, size_t n_in, const uint256& hash);

/** Why what an input says of the tree of the output that is spent (merkle root, internal key) is not true; empty if it is, or if the PSBT
 *  does not say enough to tell. */
[[nodiscard]] std::string InputTreeProblem(const PartiallySignedTransaction& psbt, size_t n_in);
/** Why a tree is not known to be that of an output; empty if it is. */
[[nodiscard]] std::string OutputTreeProblem(const PartiallySignedTransaction& psbt, size_t n_out, const ScriptTree& tree);

/** Why an input of a transaction with so many outputs cannot be signed with this hash type; empty if it can. */
[[nodiscard]] std::string HashTypeProblem(uint32_t hash_type, size_t n_in, size_t n_outputs);
/** The hash type that the PSBT asks for, PSBT_IN_SIGHASH_TYPE; nothing if it asks for none.
 *  @throws PSBTError if it has a problem */
[[nodiscard]] std::optional<uint8_t> RequestedHashType(const PartiallySignedTransaction& psbt, size_t n_in);

} // namespace slhc::wallet

#endif // SLHCONSENSUS_WALLET_PSBT_UPDATER_H
