// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PRIMITIVES_BLOCK_H
#define SLHCONSENSUS_PRIMITIVES_BLOCK_H

#include <primitives/serialize.h>
#include <primitives/transaction.h>
#include <primitives/uint256.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace slhc {

struct CBlockHeader {
    static constexpr size_t SIZE{80};

    int32_t nVersion{0};
    uint256 hashPrevBlock;
    uint256 hashMerkleRoot;
    uint32_t nTime{0};
    uint32_t nBits{0};
    uint32_t nNonce{0};

    /** The block's id: double SHA-256 of the 80 bytes. */
    [[nodiscard]] uint256 GetHash() const;
};

struct CBlock : CBlockHeader {
    std::vector<CTransactionRef> vtx;
};

template <ByteSink S>
void Serialize(S& sink, const CBlockHeader& header)
{
    WriteU32(sink, static_cast<uint32_t>(header.nVersion));
    sink.write(header.hashPrevBlock.Bytes());
    sink.write(header.hashMerkleRoot.Bytes());
    WriteU32(sink, header.nTime);
    WriteU32(sink, header.nBits);
    WriteU32(sink, header.nNonce);
}

template <ByteSink S>
void Serialize(S& sink, const CBlock& block, TxFormat format = TxFormat::WITH_WITNESS)
{
    Serialize(sink, static_cast<const CBlockHeader&>(block));
    WriteCompactSize(sink, block.vtx.size());
    for (const auto& tx : block.vtx) Serialize(sink, *tx, format);
}

/** Read a header from where the reader stands. @throws ParseError */
[[nodiscard]] CBlockHeader ReadBlockHeader(SpanReader& reader);

/** Parse a block that takes up all of the bytes. Judges nothing but the format.
 *  @throws ParseError, also for trailing bytes; it names the transaction */
[[nodiscard]] CBlock ParseBlock(std::span<const uint8_t> bytes);

} // namespace slhc

#endif // SLHCONSENSUS_PRIMITIVES_BLOCK_H
