// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <consensus/tx_verify.h>

#include <consensus/consensus.h>
#include <script/interpreter.h>

#include <string>

namespace slhc {

unsigned GetLegacySigOpCount(const CTransaction& tx)
{
    unsigned count{0};
    for (const CTxIn& txin : tx.vin) count += txin.scriptSig.GetSigOpCount(/*accurate=*/false);
    for (const CTxOut& txout : tx.vout) count += txout.scriptPubKey.GetSigOpCount(/*accurate=*/false);
    return count;
}

unsigned GetP2SHSigOpCount(const CTransaction& tx, std::span<const CTxOut> spent_outputs)
{
    if (tx.IsCoinBase()) return 0;
    unsigned count{0};
    for (size_t i = 0; i < tx.vin.size(); ++i) {
        const CScript& script{spent_outputs[i].scriptPubKey};
        if (script.IsPayToScriptHash()) count += script.GetSigOpCount(tx.vin[i].scriptSig);
    }
    return count;
}

int64_t GetTransactionSigOpCost(const CTransaction& tx, std::span<const CTxOut> spent_outputs, script_verify_flags flags)
{
    int64_t cost{GetLegacySigOpCount(tx) * WITNESS_SCALE_FACTOR};
    if (tx.IsCoinBase()) return cost;
    if (flags & SCRIPT_VERIFY_P2SH) cost += GetP2SHSigOpCount(tx, spent_outputs) * WITNESS_SCALE_FACTOR;
    for (size_t i = 0; i < tx.vin.size(); ++i) {
        cost +=
            static_cast<int64_t>(CountWitnessSigOps(tx.vin[i].scriptSig, spent_outputs[i].scriptPubKey, tx.vin[i].scriptWitness, flags));
    }
    return cost;
}

bool CheckTxInputs(const CTransaction& tx, std::span<const CTxOut> spent_outputs, std::optional<size_t> immature, ValidationState& state,
                   CAmount& fee)
{
    CAmount in{0};
    for (size_t i = 0; i < spent_outputs.size(); ++i) {
        if (i == immature) return state.Invalid("bad-txns-premature-spend-of-coinbase", "input " + std::to_string(i));
        const CAmount value{spent_outputs[i].nValue};
        if (MoneyRange(value)) in += value; // two amounts in range: no overflow
        if (!MoneyRange(value) || !MoneyRange(in)) return state.Invalid("bad-txns-inputvalues-outofrange", "input " + std::to_string(i));
    }
    CAmount out{0};
    for (const CTxOut& txout : tx.vout) out += txout.nValue;
    if (in < out) {
        return state.Invalid("bad-txns-in-belowout",
                             "inputs worth " + std::to_string(in) + ", outputs worth " + std::to_string(out) + " satoshis");
    }
    fee = in - out;
    return true;
}

} // namespace slhc
