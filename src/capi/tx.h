// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_CAPI_TX_H
#define SLHCONSENSUS_CAPI_TX_H

#include <primitives/transaction.h>
#include <script/sighash.h>
#include <slhconsensus.h>

#include <cstddef>
#include <cstdint>
#include <span>

struct slhc_tx {
    const slhc::CTransaction tx;
    const slhc::PrecomputedTransactionData txdata; //!< with the spent outputs; all of it is ready

    /** See slhc_tx_create(). */
    slhc_tx(std::span<const uint8_t> raw_tx, const slhc_bytes* spent_outputs, size_t n_spent);
};

#endif // SLHCONSENSUS_CAPI_TX_H
