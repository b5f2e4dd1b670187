// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_KEY_TABLE_H
#define SLHCONSENSUS_TOOL_KEY_TABLE_H

#include <script/script_tree.h>
#include <tool/json.h>
#include <wallet/descriptor.h>
#include <wallet/key_expression.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/** Tables of public keys, and descriptors whose ranges they fill. */
namespace slhc::tool {

/** Indexes of a range that are used at once. */
inline constexpr uint32_t MAX_RANGE{10'000};

/** {"type": "slh-dsa-sha2-128s", "origin": "d34db33f/360h/1h/0h/0h", "first": 0, "public_keys": [HEX, ...]} */
Json KeyTableJson(const wallet::KeyTable& table);
/** @throws InputError */
wallet::KeyTable KeyTableFromJson(const JsonValue& json);
/** The tables in files, each a table or a backup with its own.
 *  @throws InputError also for a backup that UsableBackup refuses */
std::vector<wallet::KeyTable> ReadKeyTables(std::span<const std::string> paths);

/** A descriptor, or @FILE (- for standard input) with one, or with JSON that has a "descriptor" or a "tree" that can be written as one,
 *  as `slhtool address --json` prints it, or that is a backup.
 *  @throws InputError with the column; also for a backup that UsableBackup refuses */
wallet::Descriptor DescriptorArgument(const std::string& argument);
/** The descriptor of such a JSON object.
 *  @throws InputError */
wallet::Descriptor DescriptorFromJson(std::string_view text);
/** As DescriptorArgument; JSON with a "tree" that cannot be written as a descriptor gives the tree, which has two leaves or more.
 *  @throws InputError */
std::variant<wallet::Descriptor, ScriptTree> DescriptorOrTreeArgument(const std::string& argument);
/** @throws InputError with the column */
wallet::Descriptor ParseDescriptor(std::string_view text);

/** The output of a descriptor at an index.
 *  @throws InputError if a table lacks a key */
wallet::Descriptor DescriptorAt(const wallet::Descriptor& descriptor, uint32_t index, std::span<const wallet::KeyTable> tables);

/** "7" or "0-9": the first index and how many there are, at most MAX_RANGE.
 *  @throws InputError */
std::pair<uint32_t, uint32_t> ParseIndexes(std::string_view text);

/** What --range and --keys mean to a descriptor: the indexes of one that is a range, which have to be given; else a single one, and neither
 *  may be given.
 *  @throws InputError */
std::pair<uint32_t, uint32_t> IndexesOf(const wallet::Descriptor& descriptor, const std::string& range,
                                        std::span<const std::string> tables);

/** The address of an output, "" if its script has none.
 *  @throws InputError if it is the address of another network */
std::string AddressOf(const wallet::DescriptorOutput& output, Network network);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_KEY_TABLE_H
