// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_SCRIPT_ADDRESS_H
#define SLHCONSENSUS_SCRIPT_ADDRESS_H

#include <script/p2mr.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/** Segregated witness addresses (BIP 173, BIP 350): P2WPKH, P2WSH, P2TR, P2MR (formerly P2TSH) and later witness versions. */
namespace slhc {

enum class Network { MAINNET, TESTNET, SIGNET, REGTEST };

inline constexpr std::array<Network, 4> ALL_NETWORKS{Network::MAINNET, Network::TESTNET, Network::SIGNET, Network::REGTEST};

/** "mainnet", "testnet", "signet" or "regtest". */
std::string_view NetworkName(Network network);

/** The human-readable part of an address, before the '1'; testnet and signet share "tb". */
std::string_view NetworkHrp(Network network);

/** A witness program (BIP 141): version 0 to 16 and 2 to 40 bytes. */
struct WitnessProgram {
    uint8_t version;
    std::vector<uint8_t> program;

    bool operator==(const WitnessProgram&) const = default;

    /** OP_version and one push of the program. */
    std::vector<uint8_t> ScriptPubKey() const;

    /** The program that a scriptPubKey holds; nothing if it isn't a witness program. */
    static std::optional<WitnessProgram> FromScriptPubKey(std::span<const uint8_t> script_pubkey);

    /** "p2wpkh", "p2wsh", "p2tr", "p2a", "p2mr", or "witness_unknown". */
    std::string_view TypeName() const;
};

/** The reason why there is no witness program of this version and size; empty if there is one. */
std::string WitnessProgramError(unsigned version, size_t size);

/** @pre WitnessProgramError returns an empty string for the program */
std::string EncodeAddress(Network network, const WitnessProgram& program);

struct DecodedAddress {
    std::string hrp; //!< of one network, or of both testnet and signet; see NetworkHrp
    WitnessProgram program;
};

/** The program that an address of any network encodes.
 *  @param[out] error  what is wrong with it, if nothing is returned */
std::optional<DecodedAddress> DecodeAddress(std::string_view address, std::string& error);

} // namespace slhc

#endif // SLHCONSENSUS_SCRIPT_ADDRESS_H
