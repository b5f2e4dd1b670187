// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/solver.h>

#include <script/interpreter.h>
#include <script/p2mr.h>
#include <script/pubkey.h>

#include <optional>
#include <span>
#include <utility>

namespace slhc {

namespace {

using Bytes = std::vector<uint8_t>;

Bytes ToBytes(std::span<const uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

/** A key of the given size between its push and OP_CHECKSIG. */
std::optional<Bytes> MatchPubKey(const CScript& script, size_t key_size)
{
    if (script.size() != key_size + 2 || script.front() != key_size || script.back() != OP_CHECKSIG) return std::nullopt;
    const auto key{std::span<const uint8_t>{script}.subspan(1, key_size)};
    if (!CPubKey::ValidSize(key)) return std::nullopt;
    return ToBytes(key);
}

std::optional<Bytes> MatchPubKeyHash(const CScript& script)
{
    constexpr size_t HASH_SIZE{20};
    if (script.size() != HASH_SIZE + 5 || script[0] != OP_DUP || script[1] != OP_HASH160 || script[2] != HASH_SIZE ||
        script[23] != OP_EQUALVERIFY || script[24] != OP_CHECKSIG) return std::nullopt;
    return ToBytes(std::span<const uint8_t>{script}.subspan(3, HASH_SIZE));
}

/** The number from min to max that an instruction pushes in the shortest way. */
std::optional<int> SmallNumber(opcodetype opcode, std::span<const uint8_t> data, int min, int max)
{
    int number;
    if (opcode >= OP_1 && opcode <= OP_16) {
        number = CScript::DecodeOP_N(opcode);
    } else if (opcode > OP_0 && opcode <= OP_PUSHDATA4 && CheckMinimalPush(data, opcode)) {
        try {
            number = CScriptNum{data, /*require_minimal=*/true}.getint();
        } catch (const scriptnum_error&) {
            return std::nullopt;
        }
    } else {
        return std::nullopt;
    }
    if (number < min || number > max) return std::nullopt;
    return number;
}

/** m, keys, n, OP_CHECKMULTISIG: the solutions. */
std::optional<std::vector<Bytes>> MatchMultisig(const CScript& script)
{
    if (script.empty() || script.back() != OP_CHECKMULTISIG) return std::nullopt;
    opcodetype opcode;
    std::span<const uint8_t> data;
    auto pc{script.begin()};
    if (!script.GetOp(pc, opcode, data)) return std::nullopt;
    const auto required{SmallNumber(opcode, data, 1, MAX_PUBKEYS_PER_MULTISIG)};
    if (!required) return std::nullopt;

    std::vector<Bytes> solutions{{static_cast<uint8_t>(*required)}};
    while (script.GetOp(pc, opcode, data) && CPubKey::ValidSize(data)) solutions.push_back(ToBytes(data));
    const auto n_keys{SmallNumber(opcode, data, *required, MAX_PUBKEYS_PER_MULTISIG)};
    if (!n_keys || solutions.size() - 1 != static_cast<size_t>(*n_keys) || pc + 1 != script.end()) return std::nullopt;
    solutions.push_back({static_cast<uint8_t>(*n_keys)});
    return solutions;
}

TxoutType SolveWitnessProgram(int version, std::span<const uint8_t> program, std::vector<Bytes>& solutions)
{
    if (CScript::IsPayToAnchor(version, program)) return TxoutType::ANCHOR;
    TxoutType type{TxoutType::WITNESS_UNKNOWN};
    if (version == 0 && program.size() == WITNESS_V0_KEYHASH_SIZE) {
        type = TxoutType::WITNESS_V0_KEYHASH;
    } else if (version == 0 && program.size() == WITNESS_V0_SCRIPTHASH_SIZE) {
        type = TxoutType::WITNESS_V0_SCRIPTHASH;
    } else if (version == 0) {
        return TxoutType::NONSTANDARD; // cannot be spent
    } else if (version == 1 && program.size() == WITNESS_V1_TAPROOT_SIZE) {
        type = TxoutType::WITNESS_V1_TAPROOT;
    } else if (version == P2MR_WITNESS_VERSION && program.size() == P2MR_PROGRAM_SIZE) {
        type = TxoutType::WITNESS_V2_P2MR;
    } else {
        solutions.push_back({static_cast<uint8_t>(version)});
    }
    solutions.push_back(ToBytes(program));
    return type;
}

} // namespace

std::string_view GetTxnOutputType(TxoutType type) noexcept
{
    switch (type) {
    case TxoutType::NONSTANDARD: return "nonstandard";
    case TxoutType::ANCHOR: return "anchor";
    case TxoutType::PUBKEY: return "pubkey";
    case TxoutType::PUBKEYHASH: return "pubkeyhash";
    case TxoutType::SCRIPTHASH: return "scripthash";
    case TxoutType::MULTISIG: return "multisig";
    case TxoutType::NULL_DATA: return "nulldata";
    case TxoutType::WITNESS_V0_SCRIPTHASH: return "witness_v0_scripthash";
    case TxoutType::WITNESS_V0_KEYHASH: return "witness_v0_keyhash";
    case TxoutType::WITNESS_V1_TAPROOT: return "witness_v1_taproot";
    case TxoutType::WITNESS_V2_P2MR: return "witness_v2_p2mr";
    case TxoutType::WITNESS_UNKNOWN: return "witness_unknown";
    }
    return "nonstandard";
}

TxoutType Solver(const CScript& script_pub_key, std::vector<std::vector<uint8_t>>& solutions)
{
    solutions.clear();
    const std::span<const uint8_t> bytes{script_pub_key};

    if (script_pub_key.IsPayToScriptHash()) {
        solutions.push_back(ToBytes(bytes.subspan(2, 20)));
        return TxoutType::SCRIPTHASH;
    }
    int version;
    std::span<const uint8_t> program;
    if (script_pub_key.IsWitnessProgram(version, program)) return SolveWitnessProgram(version, program, solutions);
    if (!bytes.empty() && bytes[0] == OP_RETURN && script_pub_key.IsPushOnly(script_pub_key.begin() + 1)) return TxoutType::NULL_DATA;
    for (const size_t key_size : {CPubKey::SIZE, CPubKey::COMPRESSED_SIZE}) {
        if (auto key{MatchPubKey(script_pub_key, key_size)}) {
            solutions.push_back(*std::move(key));
            return TxoutType::PUBKEY;
        }
    }
    if (auto hash{MatchPubKeyHash(script_pub_key)}) {
        solutions.push_back(*std::move(hash));
        return TxoutType::PUBKEYHASH;
    }
    if (auto multisig{MatchMultisig(script_pub_key)}) {
        solutions = *std::move(multisig);
        return TxoutType::MULTISIG;
    }
    return TxoutType::NONSTANDARD;
}

} // namespace slhc
