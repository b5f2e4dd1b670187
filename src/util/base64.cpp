// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <util/base64.h>

#include <algorithm>

namespace slhc {
namespace {

constexpr std::string_view ALPHABET{"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"};
constexpr char PADDING{'='};
constexpr size_t BYTES_PER_GROUP{3}, CHARACTERS_PER_GROUP{4};
constexpr int BITS_PER_BYTE{8}, BITS_PER_CHARACTER{6};
constexpr uint32_t CHARACTER_MASK{0x3f};

} // namespace

std::string EncodeBase64(std::span<const uint8_t> bytes)
{
    std::string text;
    text.reserve((bytes.size() + BYTES_PER_GROUP - 1) / BYTES_PER_GROUP * CHARACTERS_PER_GROUP);
    while (!bytes.empty()) {
        const size_t size{std::min(bytes.size(), BYTES_PER_GROUP)};
        uint32_t group{0};
        for (size_t i = 0; i < BYTES_PER_GROUP; ++i) group = group << BITS_PER_BYTE | (i < size ? bytes[i] : 0);
        for (size_t i = 0; i < CHARACTERS_PER_GROUP; ++i) {
            const auto shift{BITS_PER_CHARACTER * (CHARACTERS_PER_GROUP - 1 - i)};
            text += i <= size ? ALPHABET[group >> shift & CHARACTER_MASK] : PADDING;
        }
        bytes = bytes.subspan(size);
    }
    return text;
}

std::optional<std::vector<uint8_t>> DecodeBase64(std::string_view text)
{
    if (text.size() % CHARACTERS_PER_GROUP != 0) return std::nullopt;
    size_t padding{0};
    while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == PADDING) ++padding;
    text.remove_suffix(padding);

    std::vector<uint8_t> bytes;
    bytes.reserve(text.size() / CHARACTERS_PER_GROUP * BYTES_PER_GROUP + BYTES_PER_GROUP);
    uint32_t pending{0};
    int bits{0};
    for (const char c : text) {
        const size_t value{ALPHABET.find(c)};
        if (value == ALPHABET.npos) return std::nullopt;
        pending = pending << BITS_PER_CHARACTER | static_cast<uint32_t>(value);
        bits += BITS_PER_CHARACTER;
        if (bits < BITS_PER_BYTE) continue;
        bits -= BITS_PER_BYTE;
        bytes.push_back(static_cast<uint8_t>(pending >> bits));
        pending &= (1u << bits) - 1;
    }
    if (pending != 0) return std::nullopt;
    return bytes;
}

} // namespace slhc
