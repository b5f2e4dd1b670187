// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_WALLET_PSBT_COMBINER_H
#define SLHCONSENSUS_WALLET_PSBT_COMBINER_H

#include <wallet/psbt.h>
#include <wallet/psbt_signer.h>

#include <span>

/** BIP 174's Combiner. */
namespace slhc::wallet {

/** Put together what several signers did. Of two values of a field the first stays; of two signatures by one key for one leaf the first
 *  that is valid, if all spent outputs are known; of valid ones, that with the hash type that the PSBT asks for.
 *  @param[in] psbts  at least one
 *  @throws PSBTError if they are of different versions or transactions, or their required lock times (version 2) together determine
 *          another lock time */
[[nodiscard]] PartiallySignedTransaction CombinePSBTs(std::span<const PartiallySignedTransaction> psbts,
                                                      const VerifySignature& verify = VerifyLeafSignature);

} // namespace slhc::wallet

#endif // SLHCONSENSUS_WALLET_PSBT_COMBINER_H
