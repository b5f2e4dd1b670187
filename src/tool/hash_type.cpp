// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/hash_type.h>

#include <tool/error.h>
#include <tool/input.h>
#include <tool/output.h>
#include <util/hex.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace slhc::tool {
namespace {

/** The hash types of the signatures that are made for an input. */
std::set<uint8_t> HashTypesToSign(const SpendInput& input)
{
    if (!input.witness) return {input.hash_type};
    std::set<uint8_t> types;
    for (const auto& element : *input.witness) {
        if (element.key) types.insert(element.hash_type.value_or(input.hash_type));
    }
    return types;
}

} // namespace

uint8_t ParseHashType(std::string_view text)
{
    for (const auto& [name, value] : HASH_TYPES) {
        if (text == name) return value;
    }
    throw InputError{Quote(text) + " is not a hash type (DEFAULT, ALL, NONE, SINGLE; the last three also with |ANYONECANPAY)"};
}

std::string HashTypeName(uint8_t hash_type)
{
    for (const auto& [name, value] : HASH_TYPES) {
        if (hash_type == value) return std::string{name};
    }
    return "0x" + HexStr(std::array{hash_type});
}

std::set<uint8_t> ParseHashTypes(const std::vector<std::string>& names)
{
    std::set<uint8_t> types;
    for (const auto& name : names) types.insert(Within("--sighash", [&] { return ParseHashType(name); }));
    return types;
}

uint8_t HashTypeOf(const GivenSignature& given, uint8_t otherwise)
{
    for (const KeyType type : {KeyType::SLHDSA, KeyType::SCHNORR}) {
        if (given.signature.size() == SignatureSize(type) + 1) return given.signature.back();
    }
    return otherwise;
}

std::string HashTypeWarning(size_t n_in, uint8_t hash_type)
{
    const uint8_t outputs{static_cast<uint8_t>(hash_type & SIGHASH_OUTPUT_MASK)};
    std::string free;
    if (outputs == SIGHASH_NONE) {
        free = "no output: anyone who has the signature can send the coins anywhere";
    } else if (outputs == SIGHASH_SINGLE) {
        free = "no output but number " + std::to_string(n_in) + ": anyone can change where the others go";
    }
    if ((hash_type & SIGHASH_ANYONECANPAY) != 0) {
        free += free.empty() ? "" : ", and to ";
        free += "no other input: anyone can add, remove or replace them, and with them the fee";
    }
    if (free.empty()) return "";
    return "input " + std::to_string(n_in) + ": hash type " + HashTypeName(hash_type) + " commits to " + free;
}

std::vector<std::string> HashTypeWarnings(const SpendSpec& spec)
{
    std::vector<std::string> warnings;
    for (size_t i = 0; i < spec.inputs.size(); ++i) {
        const SpendInput& input{spec.inputs[i]};
        for (const uint8_t type : HashTypesToSign(input)) {
            if (auto warning{HashTypeWarning(i, type)}; !warning.empty()) warnings.push_back(std::move(warning));
        }
        for (const auto& given : input.signatures) {
            const uint8_t type{HashTypeOf(given, input.hash_type)};
            const std::string warning{HashTypeWarning(i, type)};
            if (!warning.empty() && type != input.hash_type)
                warnings.push_back(warning + " (the signature by " + HexStr(given.public_key) + ")");
        }
    }
    return warnings;
}

void RequireNamed(size_t n_in, const std::string& who, uint8_t hash_type, const std::set<uint8_t>& named)
{
    const std::string warning{HashTypeWarning(n_in, hash_type)};
    if (warning.empty() || named.contains(hash_type)) return;
    const std::string name{HashTypeName(hash_type)};
    throw InputError{"input " + std::to_string(n_in),
                     who + " hash type " + name + "; " + warning + " (--sighash '" + name + "' accepts it)"};
}

void RequireNamed(const SpendSpec& spec, bool from_file, const std::set<uint8_t>& named)
{
    std::set<uint8_t> used;
    for (size_t i = 0; i < spec.inputs.size(); ++i) {
        const SpendInput& input{spec.inputs[i]};
        for (const uint8_t type : HashTypesToSign(input)) {
            used.insert(type);
            if (from_file) RequireNamed(i, "the SPEC file asks for", type, named);
        }
        for (const auto& given : input.signatures) {
            const uint8_t type{HashTypeOf(given, input.hash_type)};
            used.insert(type);
            RequireNamed(i, "the signature by " + HexStr(given.public_key) + " has", type, named);
        }
    }
    if (!from_file) return;
    for (const uint8_t type : named) {
        if (!used.contains(type)) throw InputError{"--sighash", "no input in the SPEC file has hash type " + HashTypeName(type)};
    }
}

void PrintWarnings(const Json& warnings)
{
    for (const auto& warning : warnings) std::fprintf(stderr, "WARNING: %s\n", Printable(warning.get<std::string>()).c_str());
}

} // namespace slhc::tool
