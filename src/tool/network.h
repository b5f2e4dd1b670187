// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_NETWORK_H
#define SLHCONSENSUS_TOOL_NETWORK_H

#include <script/address.h>
#include <tool/command_line.h>

#include <array>
#include <string>
#include <string_view>

namespace slhc::tool {

//! In the order in which they are listed: the network to try things on comes first.
//! The order in which networks are listed: the one to try things on comes first.
inline constexpr std::array<Network, 4> LISTED_NETWORKS{Network::REGTEST, Network::SIGNET, Network::TESTNET, Network::MAINNET};
static_assert(LISTED_NETWORKS.size() == ALL_NETWORKS.size());

/** "mainnet", "testnet", "signet" or "regtest".
 *  @throws InputError */
Network ParseNetwork(std::string_view text);

/** True if it begins as a segwit address of any network does. */
bool LooksLikeAddress(std::string_view text);

/** @throws InputError that says what an address looks like, unless this does. @param[in] instead  what else there is to give */
void RequireAddress(std::string_view text, std::string_view instead = "");

/** --network, which takes one of the names. */
void AddNetworkOption(CommandParser& parser, std::string& variable, const std::string& description);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_NETWORK_H
