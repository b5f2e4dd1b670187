// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_CONSENSUS_MERKLE_H
#define SLHCONSENSUS_CONSENSUS_MERKLE_H

#include <primitives/block.h>
#include <primitives/uint256.h>

#include <vector>

namespace slhc {

/** Bitcoin's hash tree: neighbours are hashed together, level by level, and the last one of an odd level with itself.
 *
 *  Because of that last rule, different lists can have the same root: for example, the leaves 1 2 3 and 1 2 3 3 (CVE-2012-2459). The longer
 *  list then has, at some level, two equal hashes that make a pair, which mutated reports. Such a block must not be marked as invalid by
 *  its hash, since a valid list may have the same header.
 *  @param[out] mutated  may be null
 *  @return all zeros if there are no leaves */
[[nodiscard]] uint256 ComputeMerkleRoot(std::vector<uint256> hashes, bool* mutated = nullptr);

/** Of the transaction ids, as the block's header has it. */
[[nodiscard]] uint256 BlockMerkleRoot(const CBlock& block, bool* mutated = nullptr);

/** Of the witness transaction ids, all zeros in place of the coinbase's (BIP 141). */
[[nodiscard]] uint256 BlockWitnessMerkleRoot(const CBlock& block);

} // namespace slhc

#endif // SLHCONSENSUS_CONSENSUS_MERKLE_H
