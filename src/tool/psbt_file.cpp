// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/psbt_file.h>

#include <tool/input.h>
#include <util/base64.h>
#include <util/hex.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace slhc::tool {
namespace {

constexpr std::string_view MAGIC{"psbt\xff"};

std::vector<uint8_t> PSBTBytes(std::string_view text)
{
    if (text.starts_with(MAGIC)) return {text.begin(), text.end()};
    const std::string_view trimmed{Trim(text)};
    if (auto bytes{TryParseHex(trimmed)}) return *std::move(bytes);
    if (auto bytes{DecodeBase64(trimmed)}) return *std::move(bytes);
    throw InputError{"not a PSBT: neither base64 nor hex"};
}

} // namespace

bool LooksLikePSBT(std::string_view text)
{
    constexpr std::array<std::string_view, 4> BEGINNINGS{MAGIC, "cHNidP", "70736274ff", "70736274FF"};
    return std::ranges::any_of(BEGINNINGS, [&](std::string_view beginning) { return text.starts_with(beginning); });
}

wallet::PartiallySignedTransaction PSBTArgument(const std::string& argument)
{
    return WithArgument(argument, [](const std::string& text) {
        return WithPSBT([&] { return wallet::PartiallySignedTransaction::Parse(PSBTBytes(text)); });
    });
}

} // namespace slhc::tool
