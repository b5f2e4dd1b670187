// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_WALLET_PSBT_FINALIZER_H
#define SLHCONSENSUS_WALLET_PSBT_FINALIZER_H

#include <primitives/transaction.h>
#include <wallet/leaf_recipe.h>
#include <wallet/psbt.h>
#include <wallet/psbt_signatures.h>
#include <wallet/psbt_updater.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

/** What BIP 174's Finalizer and Extractor do, and the size and the fee of what they will make. */
namespace slhc::wallet {

/** What an input's leaf has and lacks. A signature counts if it is valid and has the hash type that the PSBT asks for; without a verifier,
 *  any one does. In `missing` there is also why the leaf cannot be spent by this transaction, or by anyone.
 *  @param[in] tx  the PSBT's unsigned transaction */
[[nodiscard]] LeafStack LeafProgress(const PartiallySignedTransaction& psbt, const CMutableTransaction& tx, size_t n_in,
                                     const PSBTLeaf& leaf, const PSBTVerifier* verifier);

/** Why a signature of the key path of P2TR is not used for an input; empty if it is. As for a leaf, without a verifier any one counts that
 *  has the hash type that is asked for. */
[[nodiscard]] std::string WhyKeyPathNotUsed(const PartiallySignedTransaction& psbt, size_t n_in, std::span<const uint8_t> signature,
                                            const PSBTVerifier* verifier);

/** What came of finalizing an input. */
struct PSBTFinalization {
    std::string missing;                  //!< why it is not final; empty if it is
    std::optional<uint256> leaf;          //!< TapLeaf hash of the leaf that it spends now; none: the key path, or it was final before
    std::vector<PSBTWrongField> left_out; //!< what was there and was not used, because it is not valid for it
};

/** Finalizer: put the witness together, from a valid signature of the key path, or else from the first leaf that has all it takes and
 *  whose lock times the transaction meets, and clear what BIP 174 says. Signatures that are not valid, or have another hash type than the
 *  PSBT asks for, are not used, and the script must accept the witness. An input that is final and spends stays as it is; a final scriptSig
 *  or witness that does not spend is replaced, since anyone may have put it there. An input for which WrongTreeFields finds something does
 *  not become final; one that does not become final keeps all its fields. */
[[nodiscard]] PSBTFinalization FinalizeInput(PartiallySignedTransaction& psbt, size_t n_in, const PSBTVerifier& verifier);

/** Extractor: the signed transaction. It is not verified.
 *  @throws PSBTError naming an input that is not final */
[[nodiscard]] CMutableTransaction ExtractTransaction(const PartiallySignedTransaction& psbt);

/** The keys of a threshold in the order in which their signatures are expected: those that are there come first, then the largest, so that
 *  no fee is too low for them. */
[[nodiscard]] std::vector<LeafKey> ExpectedSigners(const LeafSignatures& signatures,
                                                   const std::function<bool(const LeafKey&)>& has_signed);

/** What a signed transaction will weigh and pay. */
struct PSBTEstimate {
    int64_t weight;
    bool exact; //!< else with the largest leaf and signatures where there is a choice, and 32 bytes for a preimage that may have more

    /** Virtual bytes: weight / 4, rounded up. */
    [[nodiscard]] int64_t VirtualSize() const noexcept { return (weight + WITNESS_SCALE_FACTOR - 1) / WITNESS_SCALE_FACTOR; }
};
/** As FinalizeInput will make the witnesses: a signature of the key path comes first, and one that it does not use does not count. Without
 *  a verifier, any one counts that has the hash type that is asked for. Nothing if some input is neither final nor has a signature of the
 *  key path, nor spends a leaf of its output that can be read and whose lock times the transaction meets. */
[[nodiscard]] std::optional<PSBTEstimate> EstimateWeight(const PartiallySignedTransaction& psbt, const PSBTVerifier* verifier = nullptr);

/** What the inputs have, less what the outputs get; nothing if a spent output is not known. Negative if outputs get more.
 *  @throws PSBTError if either is more than 21,000,000 bitcoin */
[[nodiscard]] std::optional<CAmount> Fee(const PartiallySignedTransaction& psbt);

/** Why no signature may be made for this transaction, whatever anyone agrees to: it can never be valid (its outputs get more than its
 *  inputs have, or either of them more than there is, it spends a coin twice); empty if there is no such reason. */
[[nodiscard]] std::string NeverValid(const PartiallySignedTransaction& psbt);
/** Why a transaction cannot be finalized or extracted yet, whatever its inputs have: it has no inputs or no outputs, which may still be
 *  added until then (BIP 370's Constructor); empty if it has both. */
[[nodiscard]] std::string WhyIncomplete(const PartiallySignedTransaction& psbt);

} // namespace slhc::wallet

#endif // SLHCONSENSUS_WALLET_PSBT_FINALIZER_H
