// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/p2mr.h>

namespace slhc {

std::optional<P2MRControlBlock> P2MRControlBlock::Parse(std::span<const uint8_t> bytes) noexcept
{
    if (!ValidControlSize(bytes.size(), P2MR_CONTROL_BASE_SIZE)) return std::nullopt;
    return P2MRControlBlock{
        .leaf_version = static_cast<uint8_t>(bytes[0] & TAPROOT_LEAF_MASK),
        .control_bit = (bytes[0] & P2MR_CONTROL_BIT) != 0,
        .path = bytes.subspan(P2MR_CONTROL_BASE_SIZE),
    };
}

CScript P2MRScriptPubKey(const uint256& merkle_root)
{
    return CScript{} << OP_2 << merkle_root.Bytes();
}

} // namespace slhc
