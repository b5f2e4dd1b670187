// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/util/block_builder.h>

#include <consensus/merkle.h>
#include <consensus/validation.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <utility>

namespace slhc::test {

namespace {
CMutableTransaction MakeCoinbase()
{
    CMutableTransaction coinbase;
    coinbase.vin.emplace_back(COutPoint{}, CScript{} << int64_t{840'000} << OP_0);
    coinbase.vin[0].scriptWitness.stack.emplace_back(32);
    coinbase.vout.emplace_back(312'500'000, CScript{} << OP_TRUE);
    return coinbase;
}
} // namespace

void UpdateCommitments(CBlock& block)
{
    CMutableTransaction coinbase{*block.vtx.at(0)};
    auto index{GetWitnessCommitmentIndex(block)};
    if (!index) {
        const std::array<uint8_t, 4> header{0xaa, 0x21, 0xa9, 0xed};
        std::vector<uint8_t> push(36);
        std::copy(header.begin(), header.end(), push.begin());
        index = coinbase.vout.size();
        coinbase.vout.emplace_back(0, CScript{} << OP_RETURN << push);
    }
    HashWriter hasher;
    hasher.write(BlockWitnessMerkleRoot(block).Bytes());
    hasher.write(coinbase.vin.at(0).scriptWitness.stack.at(0));
    const uint256 commitment{hasher.GetHash()};
    std::copy(commitment.begin(), commitment.end(), coinbase.vout[*index].scriptPubKey.begin() + WITNESS_COMMITMENT_OFFSET);
    block.vtx[0] = std::make_shared<const CTransaction>(std::move(coinbase));
    block.hashMerkleRoot = BlockMerkleRoot(block);
}

BlockBuilder::BlockBuilder(int64_t max_weight) : m_max_weight{max_weight}
{
    m_result.block.nVersion = 0x20000000;
    m_result.block.vtx.push_back(std::make_shared<const CTransaction>(MakeCoinbase()));
    UpdateCommitments(m_result.block);
    m_weight = GetBlockWeight(m_result.block);
}

void BlockBuilder::Add(CMutableTransaction tx, std::vector<CTxOut> spent)
{
    CBlock& block{m_result.block};
    const size_t count_before{GetSizeOfCompactSize(block.vtx.size())};
    block.vtx.push_back(std::make_shared<const CTransaction>(std::move(tx)));
    m_weight += GetTransactionWeight(*block.vtx.back());
    m_weight += WITNESS_SCALE_FACTOR * static_cast<int64_t>(GetSizeOfCompactSize(block.vtx.size()) - count_before);
    std::ranges::move(spent, std::back_inserter(m_result.spent_outputs));
}

int64_t BlockBuilder::Weight() const { return m_weight; }

int64_t BlockBuilder::Room() const { return m_max_weight - m_weight - WITNESS_SCALE_FACTOR * 2; }

BlockWithSpent BlockBuilder::Finish() &&
{
    UpdateCommitments(m_result.block);
    return std::move(m_result);
}

COutPoint NewOutPoint()
{
    static std::atomic<uint64_t> counter{0};
    HashWriter hasher;
    WriteU64(hasher, ++counter);
    COutPoint outpoint;
    outpoint.hash = hasher.GetSHA256();
    outpoint.n = 0;
    return outpoint;
}

} // namespace slhc::test
