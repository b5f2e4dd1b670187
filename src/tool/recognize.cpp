// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/recognize.h>

#include <primitives/block.h>
#include <script/address.h>
#include <script/p2mr.h>
#include <script/script.h>
#include <slhconsensus.h>
#include <tool/decode.h>
#include <tool/error.h>
#include <tool/input.h>
#include <tool/json.h>
#include <tool/keys.h>
#include <tool/psbt_file.h>
#include <util/hex.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace slhc::tool {
namespace {

constexpr size_t COMPRESSED_KEY_SIZE{33};

/** Whether it begins as a descriptor that slhtool knows. No shorthand of scripts has such a name. */
bool LooksLikeDescriptor(std::string_view text)
{
    constexpr std::array<std::string_view, 4> BEGINNINGS{"mr(", "tr(", "raw(", "addr("};
    return std::ranges::any_of(BEGINNINGS, [&](std::string_view beginning) { return text.starts_with(beginning); });
}

/** @return whether parse(bytes) gives something */
template <typename F>
bool Parses(F&& parse, std::span<const uint8_t> bytes)
{
    try {
        parse(bytes);
        return true;
    } catch (const ParseError&) {
        return false;
    }
}

/** Leaf version 0xc0 and a parity bit, then 32-byte steps. Control blocks of other leaf versions look like anything. */
bool LooksLikeControlBlock(std::span<const uint8_t> bytes)
{
    return !bytes.empty() && (bytes[0] & TAPROOT_LEAF_MASK) == TAPROOT_LEAF_TAPSCRIPT &&
           ValidControlSize(bytes.size(), P2MR_CONTROL_BASE_SIZE);
}

/** An SLH-DSA or Schnorr signature, with a hash type or without. */
bool LooksLikeTapscriptSignature(std::span<const uint8_t> bytes)
{
    const auto is{[&](KeyType type) { return bytes.size() == SignatureSize(type) || bytes.size() == SignatureSize(type) + 1; }};
    return is(KeyType::SLHDSA) || is(KeyType::SCHNORR);
}

/** DER with a hash type (ECDSA). */
bool LooksLikeDerSignature(std::span<const uint8_t> bytes)
{
    constexpr uint8_t DER_SEQUENCE{0x30};
    constexpr size_t HEADER_SIZE{2}, HASH_TYPE_SIZE{1};
    return bytes.size() > HEADER_SIZE && bytes[0] == DER_SEQUENCE && bytes.size() == bytes[1] + HEADER_SIZE + HASH_TYPE_SIZE;
}

/** Whether a witness has an element that hardly anything else has. */
bool HasTypicalElement(const CScriptWitness& witness)
{
    return std::ranges::any_of(witness.stack, [](const auto& element) {
        return LooksLikeControlBlock(element) || LooksLikeTapscriptSignature(element) || LooksLikeDerSignature(element);
    });
}

/** Whether every instruction decodes and is one that means something today. */
bool LooksLikeScript(const CScript& script)
{
    auto pc{script.begin()};
    opcodetype opcode;
    while (pc != script.end()) {
        if (!script.GetOp(pc, opcode)) return false;
        if (!IsSLHDSAOpcode(opcode) && (IsDisabledOpcode(opcode) || opcode > OP_CHECKSIGADD)) return false;
    }
    return !script.empty();
}

/** What people have in hex beside scripts and transactions, by size; empty if it is none of these. */
std::string KnownBySize(size_t size)
{
    if (size == ANY_PUBLIC_KEY_SIZE) return "a public key, a hash or a transaction id (32 bytes)";
    if (size == COMPRESSED_KEY_SIZE) return "a compressed public key (33 bytes)";
    if (size == SignatureSize(KeyType::SLHDSA) || size == SignatureSize(KeyType::SLHDSA) + 1) {
        return "an SLH-DSA signature (" + std::to_string(size) + " bytes)";
    }
    if (size == SignatureSize(KeyType::SCHNORR) || size == SignatureSize(KeyType::SCHNORR) + 1) {
        return "a Schnorr signature (" + std::to_string(size) + " bytes)";
    }
    return "";
}

DataKind RecognizeBytes(std::span<const uint8_t> bytes)
{
    if (bytes.empty()) throw InputError{"nothing to decode"};
    if (Parses([](auto data) { (void)ParseTransaction(data); }, bytes)) return DataKind::TX;
    if (Parses([](auto data) { (void)ParseBlock(data); }, bytes)) throw InputError{"this is a block: slhtool verify-block verifies one"};

    const CScript script{bytes};
    const bool is_script{LooksLikeScript(script)};
    const auto witness{TryParseWitness(bytes)};
    const bool may_be_control_block{ValidControlSize(bytes.size(), P2MR_CONTROL_BASE_SIZE)};
    if (witness && HasTypicalElement(*witness)) return DataKind::WITNESS;
    if (LooksLikeControlBlock(bytes) && !is_script) return DataKind::CONTROL_BLOCK;
    // 33 bytes are a control block, a key, or any script.
    const std::string known{KnownBySize(bytes.size())};
    if (is_script && known.empty() && !witness) return DataKind::SCRIPT;
    if (is_script && WitnessProgram::FromScriptPubKey(bytes)) return DataKind::SCRIPT;

    std::string choices{"slhtool decode script"};
    if (witness) choices += ", decode witness";
    if (may_be_control_block) choices += ", decode control-block";
    if (!known.empty()) throw InputError{"this may be " + known + " and has nothing to decode; to decode it anyway, use " + choices};
    if (is_script || witness || may_be_control_block) throw InputError{"these bytes may be several things; say which: " + choices};
    throw InputError{"not a transaction, witness or control block, and as a script it has undefined or truncated instructions; " + choices +
                     " shows it anyway"};
}

DataKind RecognizeJson(std::string_view text)
{
    const Json json = ParseJson(text);
    const auto has{[&](const char* name) { return json.contains(name); }};
    if (has("tx")) return DataKind::TX;
    if (has("block")) throw InputError{"this is a block: slhtool verify-block verifies one"};
    if (has("tree")) throw InputError{"this is a script tree: slhtool address --tree shows it"};
    if (has("inputs") && has("outputs")) throw InputError{"this says what to spend: slhtool spend makes a transaction from it"};
    throw InputError{"JSON without a transaction (no member 'tx')"};
}

} // namespace

std::string_view DataKindName(DataKind kind)
{
    switch (kind) {
    case DataKind::ADDRESS: return "address";
    case DataKind::SCRIPT: return "script";
    case DataKind::WITNESS: return "witness";
    case DataKind::CONTROL_BLOCK: return "control-block";
    case DataKind::TX: return "tx";
    }
    return "";
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

DataKind RecognizeData(std::string_view text)
{
    text = Trim(text);
    if (LooksLikePSBT(text)) throw InputError{"this is a PSBT: slhtool psbt show says what it holds"};
    if (HasOnlyHexDigits(text)) return RecognizeBytes(ParseHex(text));
    if (LooksLikeAddress(text)) return DataKind::ADDRESS;
    if (LooksLikeDescriptor(text)) throw InputError{"this is a descriptor: slhtool descriptor info says what it means"};
    // A tree begins as JSON does, but has no quotation marks.
    if (text.starts_with('{') && !Trim(text.substr(1)).starts_with('"')) {
        throw InputError{"this is a script tree: slhtool address --tree shows it"};
    }
    if (text.starts_with('{')) return RecognizeJson(text);
    if (text.starts_with("0x") || text.starts_with("OP_") || text.find_first_of("<( ") != text.npos) return DataKind::SCRIPT;
    throw InputError{Quote(text) + " is not hex, an address, a script or a file; it can be: address, script, witness, control-block, tx"};
}

} // namespace slhc::tool
