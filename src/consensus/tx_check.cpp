// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <consensus/tx_check.h>

#include <consensus/consensus.h>
#include <primitives/amount.h>

#include <algorithm>
#include <string>
#include <vector>

namespace slhc {

namespace {
/** Any outpoint that occurs twice; null if none does. */
const COutPoint* FindDuplicate(std::vector<const COutPoint*>& outpoints)
{
    std::ranges::sort(outpoints, [](const COutPoint* a, const COutPoint* b) { return *a < *b; });
    const auto it{std::ranges::adjacent_find(outpoints, [](const COutPoint* a, const COutPoint* b) { return *a == *b; })};
    return it == outpoints.end() ? nullptr : *it;
}
} // namespace

bool CheckTransaction(const CTransaction& tx, ValidationState& state)
{
    if (tx.vin.empty()) return state.Invalid("bad-txns-vin-empty");
    if (tx.vout.empty()) return state.Invalid("bad-txns-vout-empty");
    // The witness is left out: it was not compared with a commitment yet.
    if (static_cast<int64_t>(GetSerializeSize(tx, TxFormat::WITHOUT_WITNESS)) * WITNESS_SCALE_FACTOR > MAX_BLOCK_WEIGHT) {
        return state.Invalid("bad-txns-oversize");
    }

    CAmount total{0};
    for (size_t i = 0; i < tx.vout.size(); ++i) {
        const CAmount value{tx.vout[i].nValue};
        if (value < 0) return state.Invalid("bad-txns-vout-negative", "output " + std::to_string(i));
        if (value > MAX_MONEY) return state.Invalid("bad-txns-vout-toolarge", "output " + std::to_string(i));
        total += value; // both are at most MAX_MONEY: no overflow
        if (!MoneyRange(total)) return state.Invalid("bad-txns-txouttotal-toolarge", "output " + std::to_string(i));
    }

    std::vector<const COutPoint*> outpoints;
    outpoints.reserve(tx.vin.size());
    for (const CTxIn& txin : tx.vin) outpoints.push_back(&txin.prevout);
    if (const COutPoint* twice{FindDuplicate(outpoints)}) {
        return state.Invalid("bad-txns-inputs-duplicate", "output " + std::to_string(twice->n) + " of " + twice->hash.GetHex());
    }

    if (tx.IsCoinBase()) {
        const size_t size{tx.vin[0].scriptSig.size()};
        if (size < MIN_COINBASE_SCRIPT_SIZE || size > MAX_COINBASE_SCRIPT_SIZE) {
            return state.Invalid("bad-cb-length", std::to_string(size) + " bytes");
        }
    } else {
        for (size_t i = 0; i < tx.vin.size(); ++i) {
            if (tx.vin[i].prevout.IsNull()) return state.Invalid("bad-txns-prevout-null", "input " + std::to_string(i));
        }
    }
    return true;
}

} // namespace slhc
