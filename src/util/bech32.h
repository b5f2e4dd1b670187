// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_UTIL_BECH32_H
#define SLHCONSENSUS_UTIL_BECH32_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/** Bech32 (BIP 173) and Bech32m (BIP 350): five-bit values, a human-readable part before them and a
 *  checksum of six values behind. */
namespace slhc::bech32 {

enum class Encoding {
    BECH32,  //!< checksum constant 1; witness version 0
    BECH32M, //!< checksum constant 0x2bc830a3; witness versions 1 to 16
};

inline constexpr size_t MAX_LENGTH{90};
inline constexpr size_t CHECKSUM_SIZE{6};

/** hrp || "1" || values || checksum, in lower case.
 *  @pre hrp is lower-case and not empty; every value is below 32 */
std::string Encode(Encoding encoding, std::string_view hrp, std::span<const uint8_t> values);

struct Decoded {
    Encoding encoding;
    std::string hrp;             //!< in lower case
    std::vector<uint8_t> values; //!< below 32 each, without the checksum
};

/** The parts of a Bech32 or Bech32m string.
 *  @param[out] error  what is wrong with the string, and where, if nothing is returned */
std::optional<Decoded> Decode(std::string_view str, std::string& error);

/** Eight-bit bytes as five-bit values, the last one filled up with zero bits. */
std::vector<uint8_t> ToFiveBit(std::span<const uint8_t> bytes);

/** The reverse; nothing if more than four bits of filling are left or one of them is not zero. */
std::optional<std::vector<uint8_t>> FromFiveBit(std::span<const uint8_t> values);

} // namespace slhc::bech32

#endif // SLHCONSENSUS_UTIL_BECH32_H
