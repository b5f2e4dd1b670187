// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/key_table.h>

#include <script/p2mr.h>
#include <tool/backup.h>
#include <tool/error.h>
#include <tool/input.h>
#include <tool/keys.h>
#include <tool/tree.h>
#include <util/hex.h>
#include <wallet/descriptor_error.h>
#include <wallet/descriptor_inference.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

namespace slhc::tool {

Json KeyTableJson(const wallet::KeyTable& table)
{
    Json keys = Json::array();
    for (const auto& key : table.keys) keys.push_back(HexStr(key));
    return {{"type", KeyTypeName(table.type)},
            {"origin", table.origin.ToString()},
            {"first", table.first},
            {"public_keys", std::move(keys)}};
}

wallet::KeyTable KeyTableFromJson(const JsonValue& json)
{
    json.OnlyMembers({"type", "origin", "first", "public_keys"});
    wallet::KeyTable table{};
    const JsonValue type{json.At("type")}, origin{json.At("origin")};
    constexpr std::array types{KeyType::SLHDSA, KeyType::SCHNORR};
    const auto found{std::ranges::find(types, type.String(), KeyTypeName)};
    if (found == types.end()) type.Fail(Quote(type.String()) + " is neither slh-dsa-sha2-128s nor schnorr-bip340");
    table.type = *found;
    try {
        table.origin = wallet::KeyOrigin::Parse(origin.String());
    } catch (const wallet::DescriptorError& e) {
        origin.Fail(e.what());
    }
    table.first = static_cast<uint32_t>(json.At("first").Number(wallet::HARDENED - 1));
    for (const auto& key : json.At("public_keys").Elements()) {
        table.keys.emplace_back();
        std::ranges::copy(key.Hex(ANY_PUBLIC_KEY_SIZE), table.keys.back().begin());
    }
    if (table.keys.empty()) json.At("public_keys").Fail("is empty");
    try {
        table.Check();
    } catch (const wallet::KeyTableError& e) {
        json.Fail(e.what());
    }
    return table;
}

std::vector<wallet::KeyTable> ReadKeyTables(std::span<const std::string> paths)
{
    std::vector<wallet::KeyTable> tables;
    for (const auto& path : paths) {
        const std::string text{ReadFile(path)};
        Within(FileName(path), [&] {
            const Json json = ParseJson(text);
            const JsonValue top{json};
            if (!top.Find("backup")) {
                tables.push_back(KeyTableFromJson(top));
                return;
            }
            auto of_backup{UsableBackup(top).tables};
            if (of_backup.empty()) throw InputError{"the backup has no key tables: its descriptor is not a range"};
            std::ranges::move(of_backup, std::back_inserter(tables));
        });
    }
    return tables;
}

namespace {

/** The descriptor of a JSON object that has one, or a tree, or both, which then must agree; the tree if there is no descriptor of it.
 *  @param[out] why_not  why there is none */
std::variant<wallet::Descriptor, ScriptTree> DescriptorOrTreeFromJson(const JsonValue& json, std::string& why_not)
{
    if (json.Find("backup")) (void)UsableBackup(json);
    const auto text{json.Find("descriptor")}, tree_text{json.Find("tree")};
    if (!text && !tree_text) json.Fail("has neither 'descriptor' nor 'tree'");
    std::optional<wallet::Descriptor> descriptor;
    if (text) descriptor = text->Parse(ParseDescriptor);
    if (!tree_text) return *descriptor;
    const ScriptTree tree{tree_text->Parse(ParseTree)};
    if (!descriptor) {
        tree_text->Within([&] { RefuseSingleLeaf(tree); });
        descriptor = wallet::InferDescriptor(tree, why_not);
        if (!descriptor) return tree;
    } else if (descriptor->IsRange() || descriptor->Output().script_pubkey != P2MRScriptPubKey(tree.Root())) {
        text->Fail("is not that of 'tree'");
    }
    return *descriptor;
}

} // namespace

wallet::Descriptor ParseDescriptor(std::string_view text)
{
    try {
        return wallet::Descriptor::Parse(text);
    } catch (const wallet::DescriptorError& e) {
        throw InputError{e.what()};
    }
}

wallet::Descriptor DescriptorFromJson(std::string_view text)
{
    const Json json = ParseJson(text);
    const JsonValue top{json};
    std::string why_not;
    const auto found{DescriptorOrTreeFromJson(top, why_not)};
    if (const auto* descriptor{std::get_if<wallet::Descriptor>(&found)}) return *descriptor;
    top.At("tree").Fail("cannot be written as a descriptor: " + why_not);
}

wallet::Descriptor DescriptorArgument(const std::string& argument)
{
    return WithArgument(argument, [](const std::string& text) {
        return IsJsonObject(text) ? DescriptorFromJson(text) : ParseDescriptor(Trim(text));
    });
}

std::variant<wallet::Descriptor, ScriptTree> DescriptorOrTreeArgument(const std::string& argument)
{
    return WithArgument(argument, [](const std::string& text) -> std::variant<wallet::Descriptor, ScriptTree> {
        if (!IsJsonObject(text)) return ParseDescriptor(Trim(text));
        const Json json = ParseJson(text);
        std::string why_not;
        return DescriptorOrTreeFromJson(JsonValue{json}, why_not);
    });
}

wallet::Descriptor DescriptorAt(const wallet::Descriptor& descriptor, uint32_t index, std::span<const wallet::KeyTable> tables)
{
    try {
        return descriptor.At(index, tables);
    } catch (const wallet::KeyTableError& e) {
        throw InputError{e.what()};
    }
}

std::pair<uint32_t, uint32_t> ParseIndexes(std::string_view text)
{
    const size_t dash{text.find('-')};
    const uint64_t first{ParseNumber(text.substr(0, dash), wallet::HARDENED - 1)};
    const uint64_t last{dash == text.npos ? first : ParseNumber(text.substr(dash + 1), wallet::HARDENED - 1)};
    if (last < first) throw InputError{Quote(text) + ": the last index is below the first"};
    if (last - first >= MAX_RANGE) throw InputError{Quote(text) + ": more than " + std::to_string(MAX_RANGE) + " indexes"};
    return {static_cast<uint32_t>(first), static_cast<uint32_t>(last - first + 1)};
}

std::pair<uint32_t, uint32_t> IndexesOf(const wallet::Descriptor& descriptor, const std::string& range,
                                        std::span<const std::string> tables)
{
    if (descriptor.IsRange()) {
        if (range.empty()) throw InputError{"--range", "missing: the descriptor is a range"};
        return Within("--range", [&] { return ParseIndexes(range); });
    }
    if (!range.empty()) throw InputError{"--range", "the descriptor is not a range: it has no key that ends in /*h"};
    if (!tables.empty()) throw InputError{"--keys", "the descriptor is not a range: it takes no keys from a table"};
    return {0, 1};
}

std::string AddressOf(const wallet::DescriptorOutput& output, Network network)
{
    std::string error;
    std::string address{wallet::OutputAddress(output, network, error)};
    if (!error.empty()) throw InputError{error};
    return address;
}

} // namespace slhc::tool
