// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <primitives/block.h>

#include <memory>
#include <utility>

namespace slhc {

namespace {

/** Bytes of a transaction without inputs and outputs. */
constexpr size_t MIN_TRANSACTION_SIZE{4 + 1 + 1 + 4};

} // namespace

uint256 CBlockHeader::GetHash() const
{
    HashWriter writer;
    Serialize(writer, *this);
    return writer.GetHash();
}

CBlockHeader ReadBlockHeader(SpanReader& reader)
{
    CBlockHeader header;
    header.nVersion = static_cast<int32_t>(reader.ReadU32("block version"));
    header.hashPrevBlock = reader.ReadUint256("previous block hash");
    header.hashMerkleRoot = reader.ReadUint256("merkle root");
    header.nTime = reader.ReadU32("block time");
    header.nBits = reader.ReadU32("bits");
    header.nNonce = reader.ReadU32("nonce");
    return header;
}

CBlock ParseBlock(std::span<const uint8_t> bytes)
{
    SpanReader reader{bytes};
    CBlock block;
    static_cast<CBlockHeader&>(block) = ReadBlockHeader(reader);
    const size_t count{reader.ReadCount(MIN_TRANSACTION_SIZE, "transaction count")};
    block.vtx.reserve(count);
    for (size_t i{0}; i < count; ++i) {
        const SpanReader::Item item{reader, "transaction", i};
        block.vtx.push_back(std::make_shared<const CTransaction>(ReadTransaction(reader)));
    }
    reader.ExpectEnd("block");
    return block;
}

} // namespace slhc
