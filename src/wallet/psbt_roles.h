// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_WALLET_PSBT_ROLES_H
#define SLHCONSENSUS_WALLET_PSBT_ROLES_H

#include <script/script_tree.h>
#include <script/sighash.h>
#include <wallet/leaf_recipe.h>
#include <wallet/psbt.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

/** What BIP 174's Updater, Signer, Finalizer and Extractor do with inputs that spend a leaf of a P2MR (P2TSH) or P2TR output. Other inputs
 *  pass through: what other software put into them stays, and is used by Extract if it is final. */
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
 *  @throws PSBTError if the input's output is not known, or is not that of the tree */
void AddLeaf(PartiallySignedTransaction& psbt, size_t n_in, const ScriptTree& tree, size_t leaf, const InternalKey& internal_key);
/** Updater: PSBT_IN_WITNESS_UTXO. @throws PSBTError if the PSBT says something else already */
void SetSpentOutput(PartiallySignedTransaction& psbt, size_t n_in, const CTxOut& output);
/** Updater: say which tree an output of ours has, so that a signer recognizes the change. Sets PSBT_OUT_TAP_TREE and, for P2TR,
 *  PSBT_OUT_TAP_INTERNAL_KEY. @throws PSBTError if the output is not that of the tree */
void AddOutputTree(PartiallySignedTransaction& psbt, size_t n_out, const ScriptTree& tree, const InternalKey& internal_key);
/** Updater: PSBT_IN_SHA256. */
void AddPreimage(PartiallySignedTransaction& psbt, size_t n_in, std::span<const uint8_t> preimage);

/** A leaf that an input may spend, as PSBT_IN_TAP_LEAF_SCRIPT has it. */
struct PSBTLeaf {
    std::vector<uint8_t> control_block;
    uint8_t version;
    CScript script;
    uint256 hash; //!< TapLeaf hash
};

/** The leaves of an input, in the order of their fields.
 *  @throws PSBTError if one is not a leaf of the output that is spent: a signature for it would be worth nothing, or more than was said */
[[nodiscard]] std::vector<PSBTLeaf> Leaves(const PartiallySignedTransaction& psbt, size_t n_in);

/** The hash type that the PSBT asks for, PSBT_IN_SIGHASH_TYPE; none: DEFAULT.
 *  @throws PSBTError if it is no hash type of taproot */
[[nodiscard]] uint8_t RequestedHashType(const PartiallySignedTransaction& psbt, size_t n_in);

/** Signer: computes what signatures sign, for the transaction as it is when this is made. */
class PSBTSignatureHasher
{
public:
    /** @throws PSBTError naming an input whose spent output is not known: signatures commit to all of them */
    explicit PSBTSignatureHasher(const PartiallySignedTransaction& psbt);

    /** @throws PSBTError if the hash type is undefined, or SINGLE without an output */
    [[nodiscard]] uint256 Hash(size_t n_in, const uint256& leaf_hash, KeyType type, uint8_t hash_type) const;

private:
    CMutableTransaction m_tx;
    PrecomputedTransactionData m_txdata;
};

/** Signer: add a signature, with its hash type unless that is DEFAULT; PSBT_GLOBAL_TX_MODIFIABLE follows. It is not verified here.
 *  @throws PSBTError if its size is wrong, or the input has no such leaf that checks this key */
void AddSignature(PartiallySignedTransaction& psbt, size_t n_in, const uint256& leaf_hash, const LeafKey& key,
                  std::span<const uint8_t> signature);
/** The signature by a key for a leaf; nothing if there is none. */
[[nodiscard]] std::optional<std::vector<uint8_t>> GetSignature(const PartiallySignedTransaction& psbt, size_t n_in,
                                                               const uint256& leaf_hash, const LeafKey& key);
/** The hash type of a signature of either kind. @pre its size is right */
[[nodiscard]] uint8_t SignatureHashType(KeyType type, std::span<const uint8_t> signature) noexcept;

/** Whether an input has its final scriptSig or witness. */
[[nodiscard]] bool IsFinal(const PartiallySignedTransaction& psbt, size_t n_in);

/** What an input's leaf has and lacks. @pre the recipe is that of the leaf, and usable */
[[nodiscard]] LeafStack LeafProgress(const PartiallySignedTransaction& psbt, size_t n_in, const PSBTLeaf& leaf, const LeafRecipe& recipe);

/** Verifies a signature (without its hash type) by a key over a hash. */
using VerifySignature = std::function<bool(const LeafKey& key, const uint256& hash, std::span<const uint8_t> signature)>;

/** Verify every signature for a leaf of an input.
 *  @return why the first wrong one is wrong; empty if none is */
[[nodiscard]] std::string CheckSignatures(const PartiallySignedTransaction& psbt, size_t n_in, const PSBTSignatureHasher& hasher,
                                          const VerifySignature& verify);

/** Finalizer: put the witness together from the first leaf that has all it takes, and clear what BIP 174 says. An input that is final
 *  stays as it is.
 *  @return why the input cannot be finalized; empty if it was */
[[nodiscard]] std::string FinalizeInput(PartiallySignedTransaction& psbt, size_t n_in);

/** Extractor: the signed transaction. It is not verified.
 *  @throws PSBTError naming an input that is not final */
[[nodiscard]] CMutableTransaction ExtractTransaction(const PartiallySignedTransaction& psbt);

/** What a signed transaction will weigh and pay. */
struct PSBTEstimate {
    int64_t weight;
    bool exact; //!< else the most that it can be: some input has several leaves

    /** Virtual bytes: weight / 4, rounded up. */
    [[nodiscard]] int64_t VirtualSize() const noexcept { return (weight + WITNESS_SCALE_FACTOR - 1) / WITNESS_SCALE_FACTOR; }
};
/** Nothing if some input is neither final nor spends a leaf that can be read. */
[[nodiscard]] std::optional<PSBTEstimate> EstimateWeight(const PartiallySignedTransaction& psbt);

/** What the inputs have, less what the outputs get; nothing if a spent output is not known. Negative if outputs get more.
 *  @throws PSBTError if either is more than 21,000,000 bitcoin */
[[nodiscard]] std::optional<CAmount> Fee(const PartiallySignedTransaction& psbt);

} // namespace slhc::wallet

#endif // SLHCONSENSUS_WALLET_PSBT_ROLES_H
