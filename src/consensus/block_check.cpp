// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <consensus/block_check.h>

#include <consensus/consensus.h>
#include <consensus/merkle.h>
#include <consensus/tx_check.h>
#include <consensus/tx_verify.h>
#include <util/check.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>

namespace slhc {

namespace {

using enum BlockValidationResult;

std::string NameTransaction(const CBlock& block, size_t index)
{
    return "transaction " + std::to_string(index) + " (" + block.vtx[index]->GetHash().GetHex() + ")";
}

/** Take over a part's reason as the reason for the whole, with the part's name before the detail. */
bool InvalidIn(BlockValidationState& state, const std::string& part, const ValidationState& part_state)
{
    return state.Invalid(CONSENSUS, part_state.GetRejectReason(),
                         part_state.GetDetail().empty() ? part : part + ", " + part_state.GetDetail());
}

bool CheckMerkleRoot(const CBlock& block, BlockValidationState& state)
{
    bool mutated{false};
    const uint256 root{BlockMerkleRoot(block, &mutated)};
    if (root != block.hashMerkleRoot) {
        return state.Invalid(MUTATED, "bad-txnmrklroot",
                             "the header has " + block.hashMerkleRoot.GetHex() + ", but the transactions give " + root.GetHex());
    }
    if (mutated) return state.Invalid(MUTATED, "bad-txns-duplicate", "repeated transactions leave the merkle root unchanged");
    return true;
}

/** The meaning of a fault for the header of a block that does not begin with a coinbase. A transaction of 64 bytes may be two hashes, one
 *  level up in the tree of a valid block, which has the same root and other transactions. (For a block that begins with a coinbase, the
 *  coinbase would have to be two hashes: 224 bits of work. As in Bitcoin Core's IsBlockMutated.) */
BlockValidationResult ResultWithoutCoinbase(const CBlock& block)
{
    const auto could_be_hashes{
        [](const CTransactionRef& tx) { return GetSerializeSize(*tx, TxFormat::WITHOUT_WITNESS) == 2 * uint256::SIZE; }};
    return std::ranges::any_of(block.vtx, could_be_hashes) ? MUTATED : CONSENSUS;
}

/** @param[in] segwit  true if BIP 141 is active; if not, there are no witnesses */
bool CheckWitnessCommitment(const CBlock& block, bool segwit, BlockValidationState& state)
{
    const auto index{segwit ? GetWitnessCommitmentIndex(block) : std::nullopt};
    if (!index) {
        for (size_t i = 0; i < block.vtx.size(); ++i) {
            if (!block.vtx[i]->HasWitness()) continue;
            return state.Invalid(MUTATED, "unexpected-witness",
                                 NameTransaction(block, i) + " has a witness, " +
                                     (segwit ? "but the coinbase commits to none" : "but segwit is not active"));
        }
        return true;
    }
    const CTransaction& coinbase{*block.vtx[0]};
    const auto& stack{coinbase.vin[0].scriptWitness.stack};
    if (stack.size() != 1 || stack[0].size() != uint256::SIZE) {
        return state.Invalid(MUTATED, "bad-witness-nonce-size", "the coinbase's witness is not one element of 32 bytes");
    }
    HashWriter hasher;
    hasher.write(BlockWitnessMerkleRoot(block).Bytes());
    hasher.write(stack[0]);
    const uint256 commitment{hasher.GetHash()};
    const CScript& script{coinbase.vout[*index].scriptPubKey};
    if (!std::equal(commitment.begin(), commitment.end(), script.begin() + WITNESS_COMMITMENT_OFFSET)) {
        return state.Invalid(MUTATED, "bad-witness-merkle-match",
                             "output " + std::to_string(*index) + " of the coinbase commits to different witnesses");
    }
    return true;
}

} // namespace

bool CheckBlockStructure(const CBlock& block, script_verify_flags flags, BlockValidationState& state)
{
    // First of all: does the header commit to these transactions? Before that is known, no other fault says anything about the block with
    // this header.
    if (!CheckMerkleRoot(block, state)) return false;
    if (block.vtx.empty()) return state.Invalid(CONSENSUS, "bad-blk-length", "no transaction");
    const bool has_coinbase{block.vtx[0]->IsCoinBase()};
    const BlockValidationResult result{has_coinbase ? CONSENSUS : ResultWithoutCoinbase(block)};

    // Witnesses are not looked at before their commitment is. The count alone bounds the cost of computing the size.
    if (static_cast<int64_t>(block.vtx.size()) * WITNESS_SCALE_FACTOR > MAX_BLOCK_WEIGHT ||
        static_cast<int64_t>(GetSerializeSize(block, TxFormat::WITHOUT_WITNESS)) * WITNESS_SCALE_FACTOR > MAX_BLOCK_WEIGHT) {
        return state.Invalid(result, "bad-blk-length", "too large even without witnesses");
    }

    if (!has_coinbase) return state.Invalid(result, "bad-cb-missing", NameTransaction(block, 0) + " is not a coinbase");
    for (size_t i = 1; i < block.vtx.size(); ++i) {
        if (block.vtx[i]->IsCoinBase()) {
            return state.Invalid(CONSENSUS, "bad-cb-multiple", NameTransaction(block, i) + " is also a coinbase");
        }
    }

    int64_t legacy_sigops{0};
    for (size_t i = 0; i < block.vtx.size(); ++i) {
        ValidationState tx_state;
        if (!CheckTransaction(*block.vtx[i], tx_state)) return InvalidIn(state, NameTransaction(block, i), tx_state);
        legacy_sigops += GetLegacySigOpCount(*block.vtx[i]);
    }
    if (legacy_sigops * WITNESS_SCALE_FACTOR > MAX_BLOCK_SIGOPS_COST) {
        return state.Invalid(CONSENSUS, "bad-blk-sigops", std::to_string(legacy_sigops) + " legacy signature operations");
    }

    if (!CheckWitnessCommitment(block, bool{flags & SCRIPT_VERIFY_WITNESS}, state)) return false;
    if (const int64_t weight{GetBlockWeight(block)}; weight > MAX_BLOCK_WEIGHT) {
        return state.Invalid(CONSENSUS, "bad-blk-weight", std::to_string(weight) + " weight units");
    }
    return true;
}

size_t CountBlockInputs(const CBlock& block)
{
    size_t count{0};
    for (size_t i = 1; i < block.vtx.size(); ++i) count += block.vtx[i]->vin.size();
    return count;
}

bool CheckBlockInputs(const CBlock& block, std::span<const CTxOut> spent_outputs, script_verify_flags flags, BlockValidationState& state)
{
    assert(spent_outputs.size() == CountBlockInputs(block));

    std::map<uint256, size_t> made_by; // txid -> index
    for (size_t i = 0; i < block.vtx.size(); ++i) made_by.emplace(block.vtx[i]->GetHash(), i);

    std::set<COutPoint> spent;
    int64_t sigops_cost{GetTransactionSigOpCost(*block.vtx[0], {}, flags)};
    CAmount fees{0};
    size_t first{0};
    for (size_t i = 1; i < block.vtx.size(); ++i) {
        const CTransaction& tx{*block.vtx[i]};
        const auto outputs{spent_outputs.subspan(first, tx.vin.size())};
        std::optional<size_t> immature;
        for (size_t j = 0; j < tx.vin.size(); ++j) {
            const COutPoint& prevout{tx.vin[j].prevout};
            const auto missing{[&](const std::string& why) {
                return state.Invalid(CONSENSUS, "bad-txns-inputs-missingorspent",
                                     "input " + std::to_string(j) + " of " + NameTransaction(block, i) + " spends " + why);
            }};
            if (!spent.insert(prevout).second) return missing("an output that was already spent");
            if (const auto maker{made_by.find(prevout.hash)}; maker != made_by.end()) {
                const CTransaction& maker_tx{*block.vtx[maker->second]};
                if (maker->second >= i || prevout.n >= maker_tx.vout.size()) return missing("an output that does not exist yet");
                if (maker_tx.vout[prevout.n] != outputs[j]) {
                    throw std::invalid_argument{"spent output " + std::to_string(first + j) + " is not the one that " +
                                                NameTransaction(block, maker->second) + " creates"};
                }
                if (maker->second == 0 && !immature) immature = j;
            }
            if (outputs[j].scriptPubKey.IsUnspendable()) return missing("an unspendable output, which is never in the set of coins");
        }
        first += tx.vin.size();

        ValidationState tx_state;
        CAmount fee{0};
        if (!CheckTxInputs(tx, outputs, immature, tx_state, fee)) return InvalidIn(state, NameTransaction(block, i), tx_state);
        fees += fee; // at most MAX_MONEY each, and checked at once: no overflow
        if (!MoneyRange(fees)) return state.Invalid(CONSENSUS, "bad-txns-accumulated-fee-outofrange", NameTransaction(block, i));
        sigops_cost += GetTransactionSigOpCost(tx, outputs, flags);
        if (sigops_cost > MAX_BLOCK_SIGOPS_COST) {
            return state.Invalid(CONSENSUS, "bad-blk-sigops", "cost " + std::to_string(sigops_cost) + " at " + NameTransaction(block, i));
        }
    }
    return true;
}

} // namespace slhc
