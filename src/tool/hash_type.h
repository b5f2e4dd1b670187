// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_HASH_TYPE_H
#define SLHCONSENSUS_TOOL_HASH_TYPE_H

#include <script/sighash.h>
#include <tool/json.h>
#include <tool/spend_spec.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/** Hash types other than DEFAULT and ALL leave a part of the transaction open to change. The rule for all commands: such a type is used
 *  only if the command line names it, and what it leaves open is said. */
namespace slhc::tool {

//! All that BIP 341 defines.
inline constexpr std::array<std::pair<std::string_view, uint8_t>, 7> HASH_TYPES{{
    {"DEFAULT", SIGHASH_DEFAULT},
    {"ALL", SIGHASH_ALL},
    {"NONE", SIGHASH_NONE},
    {"SINGLE", SIGHASH_SINGLE},
    {"ALL|ANYONECANPAY", SIGHASH_ALL | SIGHASH_ANYONECANPAY},
    {"NONE|ANYONECANPAY", SIGHASH_NONE | SIGHASH_ANYONECANPAY},
    {"SINGLE|ANYONECANPAY", SIGHASH_SINGLE | SIGHASH_ANYONECANPAY},
}};

/** @throws InputError */
uint8_t ParseHashType(std::string_view text);
/** Its name, or in hex if it has none. */
std::string HashTypeName(uint8_t hash_type);

/** What --sighash names. @throws InputError */
std::set<uint8_t> ParseHashTypes(const std::vector<std::string>& names);

/** The hash type that a signature has at its end; `otherwise` if it has none. */
uint8_t HashTypeOf(const GivenSignature& given, uint8_t otherwise);

/** What a signature of an input with this hash type does not commit to, for people; empty if it commits to the whole transaction. */
std::string HashTypeWarning(size_t n_in, uint8_t hash_type);
/** The same for every signature that a transaction is to have. */
std::vector<std::string> HashTypeWarnings(const SpendSpec& spec);

/** @param[in] who    where the hash type comes from: "the PSBT asks for"
 *  @param[in] named  on the command line
 *  @throws InputError if it leaves something open and is not named */
void RequireNamed(size_t n_in, const std::string& who, uint8_t hash_type, const std::set<uint8_t>& named);
/** The same for all signatures of a transaction. @param[in] from_file  the spec is that of a file
 *  @throws InputError also for a named type that the file does not have */
void RequireNamed(const SpendSpec& spec, bool from_file, const std::set<uint8_t>& named);

/** Warnings as lines on standard error, for output that has no place for them. @param[in] warnings  an array of strings */
void PrintWarnings(const Json& warnings);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_HASH_TYPE_H
