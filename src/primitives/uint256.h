// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PRIMITIVES_UINT256_H
#define SLHCONSENSUS_PRIMITIVES_UINT256_H

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace slhc {

/** 32 opaque bytes, most often a hash, in the order in which they are hashed and serialized. As text they are written in reverse, as
 *  Bitcoin has always done. */
class uint256
{
public:
    static constexpr size_t SIZE{32};

    constexpr uint256() noexcept = default;
    constexpr explicit uint256(const std::array<uint8_t, SIZE>& bytes) noexcept : m_bytes{bytes} {}
    constexpr explicit uint256(std::span<const uint8_t, SIZE> bytes) noexcept { std::copy(bytes.begin(), bytes.end(), m_bytes.begin()); }
    /** The number n in little-endian order. */
    constexpr explicit uint256(uint8_t n) noexcept { m_bytes[0] = n; }

    /** 64 hexadecimal digits, the last byte first; nothing for anything else. */
    [[nodiscard]] static std::optional<uint256> FromHex(std::string_view hex);
    [[nodiscard]] std::string GetHex() const;

    [[nodiscard]] constexpr bool IsNull() const noexcept
    {
        return std::all_of(m_bytes.begin(), m_bytes.end(), [](uint8_t byte) { return byte == 0; });
    }
    constexpr void SetNull() noexcept { m_bytes.fill(0); }

    constexpr auto operator<=>(const uint256&) const noexcept = default;

    [[nodiscard]] constexpr const std::array<uint8_t, SIZE>& Bytes() const noexcept { return m_bytes; }
    [[nodiscard]] constexpr uint8_t* data() noexcept { return m_bytes.data(); }
    [[nodiscard]] constexpr const uint8_t* data() const noexcept { return m_bytes.data(); }
    [[nodiscard]] static constexpr size_t size() noexcept { return SIZE; }
    [[nodiscard]] constexpr auto begin() noexcept { return m_bytes.begin(); }
    [[nodiscard]] constexpr auto end() noexcept { return m_bytes.end(); }
    [[nodiscard]] constexpr auto begin() const noexcept { return m_bytes.begin(); }
    [[nodiscard]] constexpr auto end() const noexcept { return m_bytes.end(); }

private:
    std::array<uint8_t, SIZE> m_bytes{};
};

} // namespace slhc

#endif // SLHCONSENSUS_PRIMITIVES_UINT256_H
