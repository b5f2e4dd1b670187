// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_CONSENSUS_TX_CHECK_H
#define SLHCONSENSUS_CONSENSUS_TX_CHECK_H

#include <consensus/validation.h>
#include <primitives/transaction.h>

namespace slhc {

/** The checks that need only the transaction itself: that it has inputs and outputs, its size without witnesses, the range of its output
 *  values, that no outpoint occurs twice, a coinbase's script, and that no other transaction has a null outpoint. In Bitcoin Core's order
 *  and with its reject reasons. */
[[nodiscard]] bool CheckTransaction(const CTransaction& tx, ValidationState& state);

} // namespace slhc

#endif // SLHCONSENSUS_CONSENSUS_TX_CHECK_H
