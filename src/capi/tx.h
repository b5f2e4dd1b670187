// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_CAPI_TX_H
#define SLHCONSENSUS_CAPI_TX_H

#include <primitives/transaction.h>
#include <script/sighash.h>
#include <slhconsensus.h>

struct slhc_tx {
    slhc::CTransaction tx;
    slhc::PrecomputedTransactionData txdata; //!< with the spent outputs; all of it is ready
};

#endif // SLHCONSENSUS_CAPI_TX_H
