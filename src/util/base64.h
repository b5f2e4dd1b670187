// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_UTIL_BASE64_H
#define SLHCONSENSUS_UTIL_BASE64_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slhc {

/** RFC 4648, section 4, with padding. */
std::string EncodeBase64(std::span<const uint8_t> bytes);

/** The bytes that text spells; nothing if it has another character (a space, say), lacks padding, or sets bits that spell nothing:
 *  each sequence of bytes has one spelling. */
std::optional<std::vector<uint8_t>> DecodeBase64(std::string_view text);

} // namespace slhc

#endif // SLHCONSENSUS_UTIL_BASE64_H
