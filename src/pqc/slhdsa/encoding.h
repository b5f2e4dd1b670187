// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_SLHDSA_ENCODING_H
#define SLHCONSENSUS_PQC_SLHDSA_ENCODING_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

/** Integers, bytes and digits: FIPS 205, section 4.4. None of it is called with secrets. */
namespace slhc::slhdsa {

/** Algorithm 2, toInt: a big-endian byte string of up to 8 bytes as an integer. */
[[nodiscard]] constexpr uint64_t toInt(std::span<const uint8_t> x) noexcept
{
    uint64_t total{0};
    for (const uint8_t byte : x) {
        total = total << 8 | byte;
    }
    return total;
}

/** Algorithm 3, toByte: the low bytes of an integer, big-endian. */
template <size_t SIZE>
[[nodiscard]] constexpr std::array<uint8_t, SIZE> toByte(uint64_t x) noexcept
{
    std::array<uint8_t, SIZE> s{};
    for (size_t i{SIZE}; i-- > 0; x >>= 8) {
        s[i] = static_cast<uint8_t>(x);
    }
    return s;
}

/** Algorithm 4, base_2b: the first OUT_LEN digits of B bits of a byte string, the most significant first.
 *  @pre 8 * x.size() >= OUT_LEN * B */
template <size_t B, size_t OUT_LEN>
[[nodiscard]] constexpr std::array<uint32_t, OUT_LEN> base_2b(std::span<const uint8_t> x) noexcept
{
    static_assert(B <= 24);
    std::array<uint32_t, OUT_LEN> digits{};
    size_t in{0};
    size_t bits{0};
    uint32_t total{0};
    for (uint32_t& digit : digits) {
        while (bits < B) {
            total = total << 8 | x[in++];
            bits += 8;
        }
        bits -= B;
        digit = (total >> bits) & ((uint32_t{1} << B) - 1);
    }
    return digits;
}

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_SLHDSA_ENCODING_H
