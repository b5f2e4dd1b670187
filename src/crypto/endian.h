// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_CRYPTO_ENDIAN_H
#define SLHCONSENSUS_CRYPTO_ENDIAN_H

#include <bit>
#include <cstdint>
#include <cstring>

/** Integers from and to bytes in a given order, at any alignment. */
namespace slhc {

static_assert(std::endian::native == std::endian::little || std::endian::native == std::endian::big);

namespace detail {
constexpr uint32_t SwapBytes(uint32_t x) noexcept { return __builtin_bswap32(x); }
constexpr uint64_t SwapBytes(uint64_t x) noexcept { return __builtin_bswap64(x); }

template <std::endian ORDER, typename T>
T ReadInt(const uint8_t* bytes) noexcept
{
    T x;
    std::memcpy(&x, bytes, sizeof(x));
    return std::endian::native == ORDER ? x : SwapBytes(x);
}

template <std::endian ORDER, typename T>
void WriteInt(uint8_t* bytes, T x) noexcept
{
    if constexpr (std::endian::native != ORDER) x = SwapBytes(x);
    std::memcpy(bytes, &x, sizeof(x));
}
} // namespace detail

inline uint32_t ReadLE32(const uint8_t* bytes) noexcept { return detail::ReadInt<std::endian::little, uint32_t>(bytes); }
inline uint64_t ReadLE64(const uint8_t* bytes) noexcept { return detail::ReadInt<std::endian::little, uint64_t>(bytes); }
inline uint32_t ReadBE32(const uint8_t* bytes) noexcept { return detail::ReadInt<std::endian::big, uint32_t>(bytes); }
inline void WriteLE32(uint8_t* bytes, uint32_t x) noexcept { detail::WriteInt<std::endian::little>(bytes, x); }
inline void WriteLE64(uint8_t* bytes, uint64_t x) noexcept { detail::WriteInt<std::endian::little>(bytes, x); }
inline void WriteBE32(uint8_t* bytes, uint32_t x) noexcept { detail::WriteInt<std::endian::big>(bytes, x); }
inline void WriteBE64(uint8_t* bytes, uint64_t x) noexcept { detail::WriteInt<std::endian::big>(bytes, x); }

} // namespace slhc

#endif // SLHCONSENSUS_CRYPTO_ENDIAN_H
