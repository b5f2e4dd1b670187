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

/** What BIP 174's Updater does with inputs that spend a leaf of a P2MR (P2TSH) or P2TR output, and what every role reads of them. Other
 *  inputs pass through: what other software put into them stays. */
namespace slhc::wallet {

/** A BIP 341 internal key; none: the output is P2MR. */
using InternalKey = std::optional<std::array<uint8_t, 32>>;

/** The output script of a tree.
 *  @throws PSBTError if the internal key is not the x coordinate of a point */
[[nodiscard]] CScript TreeScriptPubKey(const ScriptTree& tree, const InternalKey& internal_key);
/** What spends a leaf of it. */
[[nodiscard]] std::vector<uint8_t> TreeControlBlock(const ScriptTree& tree, const ScriptTree::Leaf& leaf, const InternalKey& internal_key);

/** Updater: say what an input spends, and how a leaf of its tree is spent. Sets PSBT_IN_TAP_LEAF_SCRIPT, PSBT_IN_TAP_MERKLE_ROOT and, for
 *  P2TR, PSBT_IN_TAP_INTERNAL_KEY.
 *  @throws PSBTError if the input's output is not known, or is not that of the tree, or if the PSBT says something else about the tree */
void AddLeaf(PartiallySignedTransaction& psbt, size_t n_in, const ScriptTree& tree, size_t leaf, const InternalKey& internal_key);
/** The same for several leaves, in linear time: the input is looked at once. */
void AddLeaves(PartiallySignedTransaction& psbt, size_t n_in, const ScriptTree& tree, std::span<const size_t> leaves,
               const InternalKey& internal_key);
/** Updater: PSBT_IN_WITNESS_UTXO. @throws PSBTError if the PSBT says something else already */
void SetSpentOutput(PartiallySignedTransaction& psbt, size_t n_in, const CTxOut& output);
/** Updater: say which tree an output of ours has, so that a signer recognizes the change. Sets PSBT_OUT_TAP_TREE and, for P2TR,
 *  PSBT_OUT_TAP_INTERNAL_KEY. @throws PSBTError if the output is not that of the tree, or anyone could spend it: P2MR with a single leaf */
void AddOutputTree(PartiallySignedTransaction& psbt, size_t n_out, const ScriptTree& tree, const InternalKey& internal_key);
/** Updater: PSBT_IN_SHA256. @throws PSBTError if no leaf of the input has the hash of this */
void AddPreimage(PartiallySignedTransaction& psbt, size_t n_in, std::span<const uint8_t> preimage);

/** A leaf that an input may spend, as PSBT_IN_TAP_LEAF_SCRIPT has it. */
struct PSBTLeaf {
    std::vector<uint8_t> control_block;
    uint8_t version;
    CScript script;
    uint256 hash; //!< TapLeaf hash

    /** The siblings from the leaf up. @param[in] spent  what it belongs to: P2MR or P2TR */
    [[nodiscard]] std::span<const uint8_t> Path(const CScript& spent) const;
};

/** What is wrong with a field of an input or an output. */
struct PSBTWrongField {
    size_t index;               //!< of the input or the output
    std::vector<uint8_t> field; //!< its key
    std::string why;            //!< what it is and what is wrong with it, without the input or the output
    PSBTScope scope{PSBTScope::INPUT};
};

/** The fields of an input that say of the tree what the output that is spent contradicts: leaves that it does not have, another merkle root
 *  or internal key, or both of these if they do not lead to the output together. Nothing if the output is not known. */
[[nodiscard]] std::vector<PSBTWrongField> WrongTreeFields(const PartiallySignedTransaction& psbt, size_t n_in);

/** Whether what PSBT_OUT_TAP_TREE says of an output is so. */
struct PSBTOutputTreeCheck {
    bool agrees{false};                  //!< there is such a field, and the output has its tree
    std::string unknown{};               //!< why it is not known whether the output has the tree that is said; empty otherwise
    std::vector<PSBTWrongField> wrong{}; //!< fields that the output contradicts
};
/** Takes linear time: no tree is built.
 *  @throws PSBTError if there is no such output */
[[nodiscard]] PSBTOutputTreeCheck CheckOutputTree(const PartiallySignedTransaction& psbt, size_t n_out);

/** The same with the tree itself. */
struct PSBTOutputTree : PSBTOutputTreeCheck {
    std::optional<ScriptTree> tree; //!< that the output has; none: it is not said, or not known, or has more than MAX_TAP_TREE_LEAVES
};
/** @throws PSBTError if there is no such output */
[[nodiscard]] PSBTOutputTree ReadOutputTree(const PartiallySignedTransaction& psbt, size_t n_out);
/** Why anyone can spend an output, although the PSBT says a tree with which it looks like one of ours: it is P2MR with a single leaf.
 *  Empty if there is no such reason. Without the field nobody would know: it is not one to drop.
 *  @throws PSBTError if there is no such output */
[[nodiscard]] std::string WhyAnyoneCanSpend(const PartiallySignedTransaction& psbt, size_t n_out);

/** An internal key of a P2TR output, as a PSBT says it. */
struct PSBTInternalKey {
    std::array<uint8_t, 32> key;
    bool verified; //!< the output has it; if not, that is not known without the tree
};
/** The internal key of what an input spends; nothing if the PSBT does not say it.
 *  @param[in] leaves  as Leaves() returned them */
[[nodiscard]] std::optional<PSBTInternalKey> InputInternalKey(const PartiallySignedTransaction& psbt, size_t n_in, const CTxOut& spent,
                                                              std::span<const PSBTLeaf> leaves);
/** The internal key of an output; nothing if the PSBT does not say it, or says a wrong one.
 *  @param[in] said  as CheckOutputTree() returned it */
[[nodiscard]] std::optional<PSBTInternalKey> OutputInternalKey(const PartiallySignedTransaction& psbt, size_t n_out,
                                                               const PSBTOutputTreeCheck& said);

/** The leaves of an input, in the order of their fields.
 *  @throws PSBTError if there is a field that WrongTreeFields finds: a signature for another leaf would be worth nothing, or more than was
 *  said; or if there are leaves and the output is not known */
[[nodiscard]] std::vector<PSBTLeaf> Leaves(const PartiallySignedTransaction& psbt, size_t n_in);

/** The hash type that the PSBT asks for, PSBT_IN_SIGHASH_TYPE; none: DEFAULT.
 *  @throws PSBTError if it is no hash type of taproot */
[[nodiscard]] uint8_t RequestedHashType(const PartiallySignedTransaction& psbt, size_t n_in);

} // namespace slhc::wallet

#endif // SLHCONSENSUS_WALLET_PSBT_UPDATER_H
