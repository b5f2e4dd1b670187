// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/network.h>

#include <tool/error.h>
#include <tool/input.h>

#include <algorithm>
#include <vector>

namespace slhc::tool {

Network ParseNetwork(std::string_view text)
{
    for (const Network network : ALL_NETWORKS) {
        if (NetworkName(network) == text) return network;
    }
    throw InputError{Quote(text) + " is not one of mainnet, testnet, signet, regtest"};
}

void AddNetworkOption(CommandParser& parser, std::string& variable, const std::string& description)
{
    std::vector<std::string> names;
    for (const Network network : LISTED_NETWORKS) names.emplace_back(NetworkName(network));
    parser.AddChoice("--network", variable, names, description);
}

bool LooksLikeAddress(std::string_view text)
{
    std::string lower{text.substr(0, text.find('1'))};
    std::ranges::transform(lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return std::ranges::any_of(ALL_NETWORKS, [&](Network network) { return NetworkHrp(network) == lower; }) && text.size() > lower.size();
}

void RequireAddress(std::string_view text, std::string_view instead)
{
    if (LooksLikeAddress(text)) return;
    throw InputError{Quote(text) + " is not a segwit address (bc1..., tb1..., bcrt1...)" + std::string{instead}};
}

} // namespace slhc::tool
