// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <wallet/key_expression.h>

#include <util/hex.h>

namespace slhc::wallet {

std::string KeyOrigin::ToString() const
{
    std::string text{HexStr(fingerprint)};
    for (const uint32_t step : path) text += "/" + std::to_string(step & ~HARDENED) + ((step & HARDENED) != 0 ? "h" : "");
    return text;
}

std::vector<uint8_t> KeyExpression::Element() const
{
    std::vector<uint8_t> element{key.begin(), key.end()};
    if (type == KeyType::SLHDSA && prefix) element.insert(element.begin(), *prefix);
    return element;
}

std::string KeyExpression::ToString() const
{
    std::string text;
    if (origin) text += "[" + origin->ToString() + "]";
    if (prefix) text += HexStr(std::array{*prefix});
    return text + HexStr(key);
}

} // namespace slhc::wallet
