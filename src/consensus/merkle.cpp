// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <consensus/merkle.h>

#include <primitives/serialize.h>

#include <utility>

namespace slhc {

uint256 ComputeMerkleRoot(std::vector<uint256> hashes, bool* mutated)
{
    bool equal_pair{false};
    while (hashes.size() > 1) {
        const size_t size{hashes.size()};
        for (size_t i = 0; i < size; i += 2) {
            const bool has_partner{i + 1 < size};
            const uint256& left{hashes[i]};
            const uint256& right{has_partner ? hashes[i + 1] : left};
            equal_pair |= has_partner && left == right;
            HashWriter hasher;
            hasher.write(left.Bytes());
            hasher.write(right.Bytes());
            hashes[i / 2] = hasher.GetHash();
        }
        hashes.resize((size + 1) / 2);
    }
    if (mutated) *mutated = equal_pair;
    return hashes.empty() ? uint256{} : hashes.front();
}

uint256 BlockMerkleRoot(const CBlock& block, bool* mutated)
{
    std::vector<uint256> leaves;
    leaves.reserve(block.vtx.size());
    for (const CTransactionRef& tx : block.vtx) leaves.push_back(tx->GetHash());
    return ComputeMerkleRoot(std::move(leaves), mutated);
}

uint256 BlockWitnessMerkleRoot(const CBlock& block)
{
    std::vector<uint256> leaves(block.vtx.size());
    for (size_t i = 1; i < block.vtx.size(); ++i) leaves[i] = block.vtx[i]->GetWitnessHash();
    return ComputeMerkleRoot(std::move(leaves));
}

} // namespace slhc
