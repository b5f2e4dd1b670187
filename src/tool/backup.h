// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_BACKUP_H
#define SLHCONSENSUS_TOOL_BACKUP_H

#include <script/address.h>
#include <script/script_tree.h>
#include <tool/json.h>
#include <wallet/descriptor.h>
#include <wallet/key_expression.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/** What slhtool backup writes and checks, and other commands take in place of a descriptor, a tree or a table of keys. */
namespace slhc::tool {

inline constexpr uint64_t MAX_HEIGHT{499'999'999}; //!< beyond it, a lock time is a time

/** What a backup holds: all that a spend takes besides the keys. */
struct Backup {
    std::variant<wallet::Descriptor, ScriptTree> made_of; //!< the second: a tree that cannot be written as a descriptor
    Network network;
    uint64_t birth_height;
    std::vector<wallet::KeyTable> tables;
    std::vector<std::pair<uint32_t, std::string>> addresses; //!< by index; 0 if there is no range

    [[nodiscard]] const wallet::Descriptor* Descriptor() const { return std::get_if<wallet::Descriptor>(&made_of); }
    /** Its name and its text in JSON. */
    [[nodiscard]] std::pair<std::string, std::string> MadeOf() const;
};

/** One of the outputs of a backup. */
struct BackupOutput {
    wallet::DescriptorOutput output{};
    std::vector<wallet::KeyExpression> keys{}; //!< with their origins, which a tree does not have

    BackupOutput(const Backup& backup, uint32_t index);
    /** The address, or the script if there is none. */
    [[nodiscard]] std::string Address(Network network) const;
};

/** Whether there is anything to spend an output with: a tree or an internal key. An address and a script have neither. */
bool SaysHowToSpend(const wallet::DescriptorOutput& output);

Json BackupJson(const Backup& backup);
/** @throws InputError */
Backup BackupFromJson(const JsonValue& json);
/** The same for one that is to be used: each address in it must be the one that it makes. DropOtherKeys is applied.
 *  @throws InputError naming the first address that is not */
Backup UsableBackup(const JsonValue& json);

/** Keep only the keys that the backup's addresses are made of: no comparison of addresses would show that another one was replaced. */
void DropOtherKeys(Backup& backup);

/** Why a backup cannot have so many addresses: a check works out each of them, and what to say of each leaf. Empty if it can. */
std::string TooManyAddresses(const Backup& backup, size_t count);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_BACKUP_H
