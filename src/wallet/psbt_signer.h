// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_WALLET_PSBT_SIGNER_H
#define SLHCONSENSUS_WALLET_PSBT_SIGNER_H

#include <primitives/transaction.h>
#include <script/sighash.h>
#include <wallet/leaf_recipe.h>
#include <wallet/psbt.h>
#include <wallet/psbt_updater.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

/** Signatures for leaves in a PSBT: what a key is to sign, which signatures are there, and which of them are valid. */
namespace slhc::wallet {

/** Verifies a signature (without its hash type) by a key over a hash. */
using VerifySignature = std::function<bool(const LeafKey& key, const uint256& hash, std::span<const uint8_t> signature)>;
/** As consensus does: BIP 340, or pure SLH-DSA with an empty context. */
[[nodiscard]] bool VerifyLeafSignature(const LeafKey& key, const uint256& hash, std::span<const uint8_t> signature);

/** Computes what signatures sign, and judges them, for the transaction as it is when this is made. It verifies no signature twice. */
class PSBTVerifier
{
public:
    /** @throws PSBTError naming an input whose spent output is not known: signatures commit to all of them */
    explicit PSBTVerifier(const PartiallySignedTransaction& psbt, VerifySignature verify = VerifyLeafSignature);
    /** Nothing if some spent output is not known. */
    [[nodiscard]] static std::optional<PSBTVerifier> Make(const PartiallySignedTransaction& psbt,
                                                          const VerifySignature& verify = VerifyLeafSignature);

    /** The hash that a signature for a leaf signs. @throws PSBTError if the hash type is undefined, or SINGLE without an output */
    [[nodiscard]] uint256 Hash(size_t n_in, const uint256& leaf_hash, KeyVersion key_version, uint8_t hash_type) const;
    /** Why a signature for a leaf, with its hash type, is not valid; empty if it is. */
    [[nodiscard]] std::string SignatureError(size_t n_in, const uint256& leaf_hash, const LeafKey& key,
                                             std::span<const uint8_t> signature) const;
    /** The unsigned transaction. */
    [[nodiscard]] const CMutableTransaction& Tx() const noexcept { return m_tx; }

private:
    CMutableTransaction m_tx;
    PrecomputedTransactionData m_txdata;
    VerifySignature m_verify;
    mutable std::map<std::vector<uint8_t>, bool> m_verdicts;
};

/** The keys by which a leaf checks signatures, as far as its recipe says. */
[[nodiscard]] std::set<LeafKey> KeysOf(const LeafRecipe& recipe);

/** The key of the field that holds the signature by a key for a leaf. */
[[nodiscard]] std::vector<uint8_t> SignatureField(const LeafKey& key, const uint256& leaf_hash);
/** Whose signature a field holds, and for which leaf. */
struct PSBTSignatureOf {
    LeafKey key;
    uint256 leaf_hash;
};
/** Nothing if a field holds no signature for a leaf. */
[[nodiscard]] std::optional<PSBTSignatureOf> ReadSignatureField(std::span<const uint8_t> field);
/** The signature by a key for a leaf; nothing if there is none. */
[[nodiscard]] std::optional<std::vector<uint8_t>> GetSignature(const PartiallySignedTransaction& psbt, size_t n_in,
                                                               const uint256& leaf_hash, const LeafKey& key);
/** The hash type of a signature of either kind. @pre its size is right */
[[nodiscard]] uint8_t SignatureHashType(const LeafKey& key, std::span<const uint8_t> signature);

/** Why a signature for a leaf is not used: it is not valid, or has another hash type than the PSBT asks for; empty if it is. */
[[nodiscard]] std::string WhyNotUsed(const PartiallySignedTransaction& psbt, size_t n_in, const uint256& leaf_hash, const LeafKey& key,
                                     std::span<const uint8_t> signature, const PSBTVerifier& verifier);

/** True if an input has its final scriptSig or witness. */
[[nodiscard]] bool IsFinal(const PartiallySignedTransaction& psbt, size_t n_in);

/** A signature that a key can add. */
struct PSBTSignature {
    size_t n_in;
    size_t leaf; //!< its number among Leaves(); the first of several places in the tree
    uint256 leaf_hash;
    uint8_t hash_type;
    uint256 hash; //!< what to sign
};
/** Signer: what a key has to sign in an input. That is every leaf that asks for it, whose lock times the transaction meets, and that lacks
 *  a signature by it that will be used.
 *  @param[in] hash_type  none: what the PSBT asks for, or DEFAULT
 *  @throws PSBTError if the PSBT asks for another one, or for one that has a problem; or if no leaf asks for the key but one with a
 *          problem */
[[nodiscard]] std::vector<PSBTSignature> SignaturesToMake(const PartiallySignedTransaction& psbt, size_t n_in, const PSBTVerifier& verifier,
                                                          const LeafKey& key, std::optional<uint8_t> hash_type = {});
/** Signer: add a signature, with its hash type unless that is DEFAULT, or replace one; PSBT_GLOBAL_TX_MODIFIABLE follows. It is not
 *  verified.
 *  @throws PSBTError if its size is wrong, or the input has no such leaf that checks this key */
void AddSignature(PartiallySignedTransaction& psbt, size_t n_in, const uint256& leaf_hash, const LeafKey& key,
                  std::span<const uint8_t> signature);

} // namespace slhc::wallet

#endif // SLHCONSENSUS_WALLET_PSBT_SIGNER_H
