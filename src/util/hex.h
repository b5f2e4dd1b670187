// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_UTIL_HEX_H
#define SLHCONSENSUS_UTIL_HEX_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slhc {

/** The value of one hexadecimal digit, in either case; -1 if c is none. */
int HexDigit(char c) noexcept;

/** True if every character is a hexadecimal digit, in either case; also for an empty text. */
bool HasOnlyHexDigits(std::string_view text) noexcept;

/** Lower-case hexadecimal, two digits a byte. */
std::string HexStr(std::span<const uint8_t> bytes);

/** The bytes that hex spells; nothing if it has an odd number of digits or a character that is no digit
 *  (a space is none). */
std::optional<std::vector<uint8_t>> TryParseHex(std::string_view hex);

} // namespace slhc

#endif // SLHCONSENSUS_UTIL_HEX_H
