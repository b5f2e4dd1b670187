// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/backup.h>

#include <script/p2mr.h>
#include <tool/error.h>
#include <tool/input.h>
#include <tool/key_table.h>
#include <tool/network.h>
#include <tool/tree.h>
#include <util/hex.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace slhc::tool {
namespace {

std::variant<wallet::Descriptor, ScriptTree> MadeOfFromJson(const JsonValue& json)
{
    const auto text{json.Find("descriptor")}, tree_text{json.Find("tree")};
    if (text && tree_text) tree_text->Fail("cannot stand beside 'descriptor'");
    if (tree_text) {
        return tree_text->Parse([](std::string_view written) {
            auto tree{ParseTree(written)};
            RefuseSingleLeaf(tree);
            return tree;
        });
    }
    const JsonValue descriptor{json.At("descriptor")};
    // In a backup, a descriptor without its checksum is one that somebody has cut off.
    if (descriptor.String().find('#') == std::string::npos) descriptor.Fail("has no checksum");
    return descriptor.Parse(ParseDescriptor);
}

/** Each key of a range is looked for in each table, at each address. The largest backups that make writes stay below this bound: even with
 *  600 ranges, there are no more than 435,000 keys in 32 MiB.
 *  @throws InputError */
void RefuseTooManyTables(const Backup& backup, const JsonValue& json)
{
    constexpr size_t MAX_LOOKUPS{1u << 28};
    if (backup.tables.empty() || backup.Descriptor() == nullptr) return;
    const auto ranges{std::ranges::count_if(backup.Descriptor()->Keys(), &wallet::KeyExpression::IsRange)};
    const size_t most{MAX_LOOKUPS / std::max<size_t>(1, static_cast<size_t>(ranges) * backup.addresses.size())};
    if (backup.tables.size() > most) json.At("key_tables").Fail("more than " + std::to_string(most) + " for so many keys and addresses");
}

} // namespace

std::pair<std::string, std::string> Backup::MadeOf() const
{
    if (const auto* descriptor{Descriptor()}) return {"descriptor", descriptor->ToString()};
    return {"tree", FormatTree(std::get<ScriptTree>(made_of))};
}

BackupOutput::BackupOutput(const Backup& backup, uint32_t index)
{
    if (const auto* range{backup.Descriptor()}) {
        const auto descriptor{DescriptorAt(*range, index, backup.tables)};
        output = descriptor.Output();
        keys = descriptor.Keys();
    } else {
        output.tree = std::get<ScriptTree>(backup.made_of);
        output.script_pubkey = P2MRScriptPubKey(output.tree->Root());
    }
}

std::string BackupOutput::Address(Network network) const
{
    const std::string address{AddressOf(output, network)};
    return address.empty() ? HexStr(output.script_pubkey) : address;
}

bool SaysHowToSpend(const wallet::DescriptorOutput& output) { return output.tree || output.internal_key; }

Json BackupJson(const Backup& backup)
{
    Json tables = Json::array(), addresses = Json::array();
    for (const auto& table : backup.tables) tables.push_back(KeyTableJson(table));
    for (const auto& [index, address] : backup.addresses) addresses.push_back({{"index", index}, {"address", address}});
    const auto [name, text]{backup.MadeOf()};
    return {{"backup", 1},
            {name, text},
            {"network", NetworkName(backup.network)},
            {"birth_height", backup.birth_height},
            {"key_tables", std::move(tables)},
            {"addresses", std::move(addresses)}};
}

std::string TooManyAddresses(const Backup& backup, size_t count)
{
    constexpr size_t MAX_TEXT{32u << 20}; // of the descriptors of all addresses; what is said of them is some times as long
    const auto* const descriptor{backup.Descriptor()};
    if (!(descriptor != nullptr && descriptor->IsRange())) return count > 1 ? "more than one, and only a range has several" : "";
    if (count > MAX_RANGE) return "more than " + std::to_string(MAX_RANGE);
    const size_t most{MAX_TEXT / backup.MadeOf().second.size()};
    return count > most ? "more than " + std::to_string(most) + ", which is too much to check for so long a descriptor" : "";
}

Backup BackupFromJson(const JsonValue& json)
{
    if (!json.Find("backup")) throw InputError{"not a backup (no member 'backup')"};
    json.OnlyMembers({"backup", "descriptor", "tree", "network", "birth_height", "key_tables", "addresses"});
    if (const auto version{json.At("backup")}; version.Number(UINT32_MAX) != 1) version.Fail("a version other than 1");
    Backup backup{MadeOfFromJson(json),
                  json.At("network").Parse(ParseNetwork),
                  json.At("birth_height").Number(MAX_HEIGHT),
                  {},
                  {}};
    for (const auto& table : json.At("key_tables").Elements()) backup.tables.push_back(KeyTableFromJson(table));
    const auto addresses{json.At("addresses").Elements()};
    if (const std::string why{TooManyAddresses(backup, addresses.size())}; !why.empty()) json.At("addresses").Fail(why);
    const auto* const descriptor{backup.Descriptor()};
    const uint64_t last_index{descriptor != nullptr && descriptor->IsRange() ? uint64_t{wallet::HARDENED - 1} : 0};
    std::set<uint32_t> indexes;
    for (const auto& address : addresses) {
        address.OnlyMembers({"index", "address"});
        const auto index{static_cast<uint32_t>(address.At("index").Number(last_index))};
        if (!indexes.insert(index).second) address.At("index").Fail("is there already");
        backup.addresses.emplace_back(index, address.At("address").String());
    }
    if (backup.addresses.empty()) json.At("addresses").Fail("is empty: there is nothing to compare with");
    RefuseTooManyTables(backup, json);
    return backup;
}

Backup UsableBackup(const JsonValue& json)
{
    Backup backup{BackupFromJson(json)};
    const auto wrong{std::ranges::find_if(backup.addresses, [&](const auto& each) {
        return BackupOutput{backup, each.first}.Address(backup.network) != each.second;
    })};
    if (wrong == backup.addresses.end()) {
        DropOtherKeys(backup);
        RefuseTooManyTables(backup, json); // a table with gaps has become several
        return backup;
    }
    const std::string address{BackupOutput{backup, wrong->first}.Address(backup.network)};
    json.At("addresses").Fail("at index " + std::to_string(wrong->first) + " the backup says " + wrong->second + ", but makes " + address +
                              ": it is damaged, and slhtool backup check says where");
}

void DropOtherKeys(Backup& backup)
{
    std::set<std::string> ranges;
    if (const auto* descriptor{backup.Descriptor()}) {
        for (const auto& key : descriptor->Keys()) {
            if (key.IsRange()) ranges.insert(key.Identity());
        }
    }
    std::set<uint32_t> indexes;
    for (const auto& [index, address] : backup.addresses) indexes.insert(index);
    std::vector<wallet::KeyTable> kept;
    for (const auto& table : backup.tables) {
        if (!ranges.contains(wallet::KeyExpression{table.type, table.origin}.Identity())) continue;
        std::optional<uint32_t> next; // the index of the key that the last table that is kept would have next
        for (auto index{indexes.lower_bound(table.first)}; index != indexes.end() && *index - table.first < table.keys.size(); ++index) {
            if (next != *index) kept.push_back({table.type, table.origin, *index, {}});
            kept.back().keys.push_back(table.keys[*index - table.first]);
            next = *index + 1;
        }
    }
    backup.tables = std::move(kept);
}

} // namespace slhc::tool
