// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_WALLET_PSBT_FINALIZER_H
#define SLHCONSENSUS_WALLET_PSBT_FINALIZER_H

#include <primitives/transaction.h>
#include <wallet/leaf_recipe.h>
#include <wallet/psbt.h>
#include <wallet/psbt_signer.h>
#include <wallet/psbt_updater.h>

#include <cstddef>
#include <optional>
#include <string>

/** BIP 174's Finalizer and Extractor. */
namespace slhc::wallet {

/** The progress of an input's leaf: what it has and lacks. A signature counts if it is valid and has the hash type that the PSBT asks for;
 *  in `missing` there is also why one does not, and why this transaction cannot spend the leaf. */
[[nodiscard]] LeafStack LeafProgress(const PartiallySignedTransaction& psbt, size_t n_in, const PSBTLeaf& leaf,
                                     const PSBTVerifier& verifier);

/** Finalizer: put the smallest witness together from the leaves that have all it takes and whose lock times the transaction meets, and
 *  clear what BIP 174 says. An input that is final stays as it is; one that does not become final keeps all its fields.
 *  @return what it lacks; empty: it is final */
[[nodiscard]] std::string FinalizeInput(PartiallySignedTransaction& psbt, size_t n_in, const PSBTVerifier& verifier);

/** The amount of the inputs less that of the outputs; nothing if a spent output is not known.
 *  @throws PSBTError if either is more than 21,000,000 bitcoin */
[[nodiscard]] std::optional<CAmount> Fee(const PartiallySignedTransaction& psbt);

/** Extractor: the signed transaction, which is valid by the consensus rules, those for keys of other parameter sets included.
 *  @throws PSBTError naming an input that is not final or not valid, or why there can be no such transaction */
[[nodiscard]] CMutableTransaction ExtractTransaction(const PartiallySignedTransaction& psbt);

} // namespace slhc::wallet

#endif // SLHCONSENSUS_WALLET_PSBT_FINALIZER_H
