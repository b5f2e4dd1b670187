// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_CONSENSUS_TX_VERIFY_H
#define SLHCONSENSUS_CONSENSUS_TX_VERIFY_H

#include <consensus/validation.h>
#include <primitives/amount.h>
#include <primitives/transaction.h>
#include <script/verify_flags.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

/** The checks of a transaction that need the outputs that it spends: its cost for a block, and its right to spend them. */
namespace slhc {

/** Signature operations of all scriptSigs and output scripts, as Bitcoin has always counted them: inaccurately, executed or
 *  not. */
[[nodiscard]] unsigned GetLegacySigOpCount(const CTransaction& tx);

/** Signature operations of the P2SH redeem scripts. 0 for a coinbase.
 *  @param[in] spent_outputs  one for each input, in order */
[[nodiscard]] unsigned GetP2SHSigOpCount(const CTransaction& tx, std::span<const CTxOut> spent_outputs);

/** The cost that counts against MAX_BLOCK_SIGOPS_COST: legacy and P2SH operations scaled, those of version 0 witnesses not; taproot and
 *  P2MR spends cost nothing here.
 *  @param[in] spent_outputs  one for each input, in order; ignored for a coinbase */
[[nodiscard]] int64_t GetTransactionSigOpCost(const CTransaction& tx, std::span<const CTxOut> spent_outputs, script_verify_flags flags);

/** Check that a transaction may spend the given outputs now, and that they pay for the outputs that it creates.
 *  @param[in] tx             not a coinbase, and valid by CheckTransaction
 *  @param[in] spent_outputs  one for each input, in order
 *  @param[in] immature       the first input that spends a coinbase too early; nothing if there is none
 *  @param[out] fee           the difference, if valid */
[[nodiscard]] bool CheckTxInputs(const CTransaction& tx, std::span<const CTxOut> spent_outputs, std::optional<size_t> immature,
                                 ValidationState& state, CAmount& fee);

} // namespace slhc

#endif // SLHCONSENSUS_CONSENSUS_TX_VERIFY_H
