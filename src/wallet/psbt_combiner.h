// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_WALLET_PSBT_COMBINER_H
#define SLHCONSENSUS_WALLET_PSBT_COMBINER_H

#include <wallet/psbt.h>
#include <wallet/psbt_signatures.h>

#include <span>

/** What BIP 174's Combiner does. */
namespace slhc::wallet {

/** PSBTs of different versions: one of them must be converted. */
class PSBTVersionError : public PSBTError
{
public:
    using PSBTError::PSBTError;
};

/** Put together what several signers did. Of two signatures by one key for one leaf, or two final witnesses, the first that is valid stays;
 *  the first of all if none is, or if some spent output is not known. ECDSA signatures count as valid. The first value also stays of a
 *  field that nothing here uses (unknown types, key origins), and of a previous transaction with and without its witnesses.
 *  In version 2, a field that one of them lacks, such as PSBT_IN_SEQUENCE, may change what its signatures sign: WrongFields finds them.
 *  @param[in] psbts  at least one
 *  @throws PSBTVersionError
 *  @throws PSBTError if they aren't of one transaction, or together have another one than each of them, or if any other field has two
 *          values */
[[nodiscard]] PartiallySignedTransaction CombinePSBTs(std::span<const PartiallySignedTransaction> psbts,
                                                      const VerifySignature& verify = VerifyLeafSignature);

} // namespace slhc::wallet

#endif // SLHCONSENSUS_WALLET_PSBT_COMBINER_H
