// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_WALLET_PSBT_SIGNATURES_H
#define SLHCONSENSUS_WALLET_PSBT_SIGNATURES_H

#include <primitives/transaction.h>
#include <script/sighash.h>
#include <wallet/leaf_recipe.h>
#include <wallet/psbt.h>
#include <wallet/psbt_updater.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/** Signatures in a PSBT: what they sign, which are there, and which of them are valid. Whatever uses a signature asks here first, since
 *  anyone on the way may have put it there, or changed what it signs. */
namespace slhc::wallet {

/** Computes what signatures sign, for the transaction as it is when this is made. */
class PSBTSignatureHasher
{
public:
    /** @throws PSBTError naming an input whose spent output is not known: signatures commit to all of them */
    explicit PSBTSignatureHasher(const PartiallySignedTransaction& psbt);

    /** @throws PSBTError if the hash type is undefined, or SINGLE without an output */
    [[nodiscard]] uint256 Hash(size_t n_in, const uint256& leaf_hash, KeyType type, uint8_t hash_type) const;
    /** For the key path of P2TR; likewise. */
    [[nodiscard]] uint256 KeyPathHash(size_t n_in, uint8_t hash_type) const;

    /** Without scriptSigs and witnesses. */
    [[nodiscard]] const CMutableTransaction& Tx() const noexcept { return m_tx; }
    [[nodiscard]] const PrecomputedTransactionData& TxData() const noexcept { return m_txdata; }

private:
    [[nodiscard]] ScriptExecutionData ExecutionData(size_t n_in) const;

    CMutableTransaction m_tx;
    PrecomputedTransactionData m_txdata;
    //! Of the outputs with the numbers of inputs, for SINGLE: if each signature hashed its output again, a PSBT of many signatures and a
    //! long output would take quadratic time.
    std::vector<uint256> m_output_hashes;
};

/** The keys by which a leaf checks signatures, as far as its recipe says. */
[[nodiscard]] std::set<LeafKey> KeysOf(const LeafRecipe& recipe);

/** The key of the field that holds the signature by a key for a leaf. */
[[nodiscard]] std::vector<uint8_t> SignatureField(const LeafKey& key, const uint256& leaf_hash);

/** Signer: add a signature, with its hash type unless that is DEFAULT, or replace one; PSBT_GLOBAL_TX_MODIFIABLE follows. It is not
 *  verified here.
 *  @throws PSBTError if its size is wrong, or the input has no such leaf that checks this key */
void AddSignature(PartiallySignedTransaction& psbt, size_t n_in, const uint256& leaf_hash, const LeafKey& key,
                  std::span<const uint8_t> signature);
/** The same for a caller that has the leaves already: to read them again for each signature would take quadratic time.
 *  @pre the leaf is one of Leaves(psbt, n_in) */
void AddSignature(PartiallySignedTransaction& psbt, size_t n_in, const PSBTLeaf& leaf, const LeafKey& key,
                  std::span<const uint8_t> signature);
/** The signature by a key for a leaf; nothing if there is none. */
[[nodiscard]] std::optional<std::vector<uint8_t>> GetSignature(const PartiallySignedTransaction& psbt, size_t n_in,
                                                               const uint256& leaf_hash, const LeafKey& key);
/** The hash type of a signature of either kind. @pre its size is right */
[[nodiscard]] uint8_t SignatureHashType(KeyType type, std::span<const uint8_t> signature) noexcept;

/** Why a signature that may well be valid is not used for an input: it has another hash type than PSBT_IN_SIGHASH_TYPE asks for; empty if
 *  it may be.
 *  @param[in] signature  what to call it */
[[nodiscard]] std::string HashTypeProblem(const PartiallySignedTransaction& psbt, size_t n_in, const std::string& signature,
                                          uint8_t hash_type);

/** Whether an input has its final scriptSig or witness. */
[[nodiscard]] bool IsFinal(const PartiallySignedTransaction& psbt, size_t n_in);

/** Verifies a signature (without its hash type) by a key over a hash. */
using VerifySignature = std::function<bool(const LeafKey& key, const uint256& hash, std::span<const uint8_t> signature)>;
/** As consensus does: BIP 340, or pure SLH-DSA with an empty context. */
[[nodiscard]] bool VerifyLeafSignature(const LeafKey& key, const uint256& hash, std::span<const uint8_t> signature);

//! The signature in PSBT_IN_TAP_KEY_SIG, in words.
inline constexpr std::string_view KEY_PATH_SIGNATURE{"the key path's signature"};

//! How many bytes may be hashed for the signatures of final inputs from before segwit, all together. Each of these signatures hashes the
//! whole transaction, and a script can check many, so that a PSBT could take quadratic time. A standard transaction that spends single keys
//! and multisig takes less than half of this.
inline constexpr uint64_t MAX_LEGACY_HASHED_BYTES{200'000'000};

/** Judges signatures and witnesses, for the transaction as it is when this is made. It verifies no signature twice, and remembers the
 *  verdicts: not for several threads at once. */
class PSBTVerifier
{
public:
    /** @throws PSBTError as PSBTSignatureHasher */
    explicit PSBTVerifier(const PartiallySignedTransaction& psbt, VerifySignature verify = VerifyLeafSignature);
    /** Nothing if no signature can be verified: some spent output is not known, or there is no transaction, since lock times contradict
     *  each other (version 2), which NeverValid() says. */
    [[nodiscard]] static std::optional<PSBTVerifier> Make(const PartiallySignedTransaction& psbt,
                                                          const VerifySignature& verify = VerifyLeafSignature);

    /** Why a signature for a leaf, with its hash type, is not valid; empty if it is. */
    [[nodiscard]] std::string SignatureError(size_t n_in, const uint256& leaf_hash, const LeafKey& key,
                                             std::span<const uint8_t> signature) const;
    /** The same for a signature of the key path of P2TR. */
    [[nodiscard]] std::string KeyPathError(size_t n_in, std::span<const uint8_t> signature) const;
    /** The same for the value of a field that holds a signature; empty also for a kind that cannot be verified here. */
    [[nodiscard]] std::string FieldError(size_t n_in, std::span<const uint8_t> field, std::span<const uint8_t> value) const;
    /** Why a scriptSig and a witness do not spend an input's output by the consensus rules; empty if they do, or if that is not known since
     *  all calls together would hash more than MAX_LEGACY_HASHED_BYTES. */
    [[nodiscard]] std::string FinalError(size_t n_in, const CScript& script_sig, const CScriptWitness& witness) const;

    [[nodiscard]] const PSBTSignatureHasher& Hasher() const noexcept { return m_hasher; }

private:
    PSBTSignatureHasher m_hasher;
    std::shared_ptr<const CTransaction> m_tx; //!< no signature signs a scriptSig or a witness: one for all inputs
    uint64_t m_tx_size;
    mutable uint64_t m_legacy_bytes_left{MAX_LEGACY_HASHED_BYTES};
    VerifySignature m_verify;
};

/** The final scriptSig and witness of an input; empty where it has none. */
struct PSBTFinalFields {
    CScript script_sig;
    CScriptWitness witness;
};
[[nodiscard]] PSBTFinalFields ReadFinalFields(const PartiallySignedTransaction& psbt, size_t n_in);
/** The fields of these in an input that has them and does not spend with them; nothing if it does. */
[[nodiscard]] std::vector<PSBTWrongField> WrongFinalFields(const PartiallySignedTransaction& psbt, size_t n_in,
                                                           const PSBTVerifier& verifier);

/** What should not be in a PSBT: signatures for leaves and for the key path of P2TR that are not valid for its transaction, final
 *  scriptSigs and witnesses that do not spend, WrongTreeFields, and fields of outputs that CheckOutputTree calls so. Of a valid signature
 *  and a PSBT_IN_SIGHASH_TYPE that asks for another hash type, so that it cannot be used: the latter if the signature commits to the whole
 *  transaction, else the former. ECDSA signatures are not looked at, nor those for a leaf of the output with an OP_CODESEPARATOR, of which
 *  the PSBT does not say what they sign, nor the final fields of inputs from before segwit that would hash more than
 *  MAX_LEGACY_HASHED_BYTES. Where some spent output is not known, no signature is. */
[[nodiscard]] std::vector<PSBTWrongField> WrongFields(const PartiallySignedTransaction& psbt,
                                                      const VerifySignature& verify = VerifyLeafSignature);
/** Remove them. WrongFields finds none in what is left, unless MAX_LEGACY_HASHED_BYTES now suffice for more. @return what was removed */
std::vector<PSBTWrongField> DropWrongFields(PartiallySignedTransaction& psbt, const VerifySignature& verify = VerifyLeafSignature);

} // namespace slhc::wallet

#endif // SLHCONSENSUS_WALLET_PSBT_SIGNATURES_H
