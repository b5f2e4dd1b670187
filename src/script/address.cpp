// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/address.h>

#include <util/bech32.h>
#include <util/check.h>
#include <util/counted.h>

#include <algorithm>

namespace slhc {
namespace {

constexpr size_t MIN_PROGRAM_SIZE{2};
constexpr size_t MAX_PROGRAM_SIZE{40};
constexpr uint8_t MAX_VERSION{16};
constexpr size_t P2WPKH_SIZE{20};
constexpr size_t HASH_SIZE{32};
constexpr std::array<uint8_t, 2> P2A_PROGRAM{0x4e, 0x73};

//! OP_0 is 0x00; OP_1 to OP_16 follow this one.
constexpr uint8_t OP_RESERVED_BYTE{0x50};

bech32::Encoding EncodingFor(uint8_t version)
{
    return version == 0 ? bech32::Encoding::BECH32 : bech32::Encoding::BECH32M;
}

std::optional<DecodedAddress> Fail(std::string& error, std::string why)
{
    error = std::move(why);
    return std::nullopt;
}

} // namespace

std::string WitnessProgramError(unsigned version, size_t size)
{
    if (version > MAX_VERSION) return "witness version " + std::to_string(version) + " (at most 16)";
    if (size < MIN_PROGRAM_SIZE || size > MAX_PROGRAM_SIZE) {
        return "witness program of " + Counted(static_cast<int64_t>(size), "byte") + " (2 to 40)";
    }
    if (version == 0 && size != P2WPKH_SIZE && size != HASH_SIZE) {
        return "version 0 witness program of " + std::to_string(size) + " bytes (20 or 32)";
    }
    return {};
}

std::string_view NetworkName(Network network)
{
    switch (network) {
    case Network::MAINNET: return "mainnet";
    case Network::TESTNET: return "testnet";
    case Network::SIGNET: return "signet";
    case Network::REGTEST: return "regtest";
    }
    assert(false);
    return {};
}

std::string_view NetworkHrp(Network network)
{
    switch (network) {
    case Network::MAINNET: return "bc";
    case Network::TESTNET:
    case Network::SIGNET: return "tb";
    case Network::REGTEST: return "bcrt";
    }
    assert(false);
    return {};
}

std::vector<uint8_t> WitnessProgram::ScriptPubKey() const
{
    std::vector<uint8_t> script;
    script.reserve(2 + program.size());
    script.push_back(version == 0 ? 0 : static_cast<uint8_t>(OP_RESERVED_BYTE + version));
    script.push_back(static_cast<uint8_t>(program.size()));
    script.insert(script.end(), program.begin(), program.end());
    return script;
}

std::optional<WitnessProgram> WitnessProgram::FromScriptPubKey(std::span<const uint8_t> script)
{
    if (script.size() < 2 + MIN_PROGRAM_SIZE || script.size() > 2 + MAX_PROGRAM_SIZE) return std::nullopt;
    const uint8_t opcode{script[0]};
    if (opcode != 0 && (opcode <= OP_RESERVED_BYTE || opcode > OP_RESERVED_BYTE + MAX_VERSION)) return std::nullopt;
    if (script[1] != script.size() - 2) return std::nullopt;
    return WitnessProgram{opcode == 0 ? uint8_t{0} : static_cast<uint8_t>(opcode - OP_RESERVED_BYTE),
                          {script.begin() + 2, script.end()}};
}

std::string_view WitnessProgram::TypeName() const
{
    if (version == 0 && program.size() == P2WPKH_SIZE) return "p2wpkh";
    if (version == 0 && program.size() == HASH_SIZE) return "p2wsh";
    if (version == 1 && program.size() == HASH_SIZE) return "p2tr";
    if (version == 1 && std::ranges::equal(program, P2A_PROGRAM)) return "p2a";
    if (version == P2MR_WITNESS_VERSION && program.size() == HASH_SIZE) return "p2mr";
    return "witness_unknown";
}

std::string EncodeAddress(Network network, const WitnessProgram& program)
{
    assert(WitnessProgramError(program.version, program.program.size()).empty());
    std::vector<uint8_t> values{bech32::ToFiveBit(program.program)};
    values.insert(values.begin(), program.version);
    return bech32::Encode(EncodingFor(program.version), NetworkHrp(network), values);
}

std::optional<DecodedAddress> DecodeAddress(std::string_view address, std::string& error)
{
    const auto decoded{bech32::Decode(address, error)};
    if (!decoded) return std::nullopt;
    const bool known{std::ranges::any_of(ALL_NETWORKS, [&](Network network) { return NetworkHrp(network) == decoded->hrp; })};
    if (!known) return Fail(error, "prefix '" + decoded->hrp + "' is not that of a known network (bc, tb or bcrt)");
    if (decoded->values.empty()) return Fail(error, "no witness version");

    const uint8_t version{decoded->values[0]};
    auto program{bech32::FromFiveBit(std::span{decoded->values}.subspan(1))};
    if (!program) return Fail(error, "superfluous or non-zero bits after the witness program");
    if (std::string why{WitnessProgramError(version, program->size())}; !why.empty()) return Fail(error, std::move(why));
    if (decoded->encoding != EncodingFor(version)) {
        return Fail(error, version == 0 ? "Bech32m checksum, but witness version 0 needs a Bech32 one" :
                                          "Bech32 checksum, but witness version " + std::to_string(version) + " needs a Bech32m one");
    }
    return DecodedAddress{decoded->hrp, {version, std::move(*program)}};
}

} // namespace slhc
