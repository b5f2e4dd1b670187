// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/network.h>

#include <tool/error.h>
#include <tool/input.h>

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

} // namespace slhc::tool
