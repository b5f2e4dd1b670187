// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <primitives/uint256.h>

#include <util/hex.h>

namespace slhc {

std::optional<uint256> uint256::FromHex(std::string_view hex)
{
    if (hex.size() != 2 * SIZE) return std::nullopt;
    const auto bytes{TryParseHex(hex)};
    if (!bytes) return std::nullopt;
    uint256 result;
    std::reverse_copy(bytes->begin(), bytes->end(), result.begin());
    return result;
}

std::string uint256::GetHex() const
{
    std::array<uint8_t, SIZE> reversed;
    std::reverse_copy(m_bytes.begin(), m_bytes.end(), reversed.begin());
    return HexStr(reversed);
}

} // namespace slhc
