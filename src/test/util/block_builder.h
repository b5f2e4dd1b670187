// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_UTIL_BLOCK_BUILDER_H
#define SLHCONSENSUS_TEST_UTIL_BLOCK_BUILDER_H

#include <consensus/consensus.h>
#include <primitives/block.h>
#include <primitives/transaction.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/** Blocks for tests and benchmarks, valid as far as that can be told without a chain. */
namespace slhc::test {

/** A block and all that its inputs spend, in its order. */
struct BlockWithSpent {
    CBlock block;
    std::vector<CTxOut> spent_outputs;
};

/** Call f(tx, spent) for every transaction but the coinbase, in the block's order; spent has one output for each input. */
template <typename F>
void ForEachSpender(const BlockWithSpent& b, F&& f)
{
    std::span<const CTxOut> rest{b.spent_outputs};
    for (size_t i = 1; i < b.block.vtx.size(); ++i) {
        const CTransaction& tx{*b.block.vtx[i]};
        f(tx, rest.first(tx.vin.size()));
        rest = rest.subspan(tx.vin.size());
    }
}

/** Compute the witness commitment in the coinbase (adding the output if there is none) and the merkle root anew. */
void UpdateCommitments(CBlock& block);

class BlockBuilder
{
public:
    /** @param[in] max_weight  weight units that the block may have */
    explicit BlockBuilder(int64_t max_weight = MAX_BLOCK_WEIGHT);

    /** Append a transaction. @param[in] spent  one for each input, in order */
    void Add(CMutableTransaction tx, std::vector<CTxOut> spent);

    /** Weight units of what Finish() will return. */
    [[nodiscard]] int64_t Weight() const;
    /** Weight units up to the most that the block may have, with room for the count of transactions. */
    [[nodiscard]] int64_t Room() const;

    /** The block, with its coinbase in front and its commitments right. */
    [[nodiscard]] BlockWithSpent Finish() &&;

private:
    BlockWithSpent m_result;
    int64_t m_max_weight;
    int64_t m_weight{0};
};

/** An outpoint that no other call has returned. */
[[nodiscard]] COutPoint NewOutPoint();

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_UTIL_BLOCK_BUILDER_H
