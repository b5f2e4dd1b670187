// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/commands.h>
#include <tool/derivation.h>
#include <tool/input.h>
#include <tool/key_table.h>
#include <tool/keys.h>
#include <tool/output.h>
#include <tool/output_file.h>
#include <tool/spend_spec.h>
#include <util/hex.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace slhc::tool {
namespace {

using wallet::KeyTable;
using wallet::LeafExpression;

struct Options {
    std::string file, descriptor, network{"regtest"}, indexes, birth_height, master, passphrase_file, wordlist;
    std::vector<std::string> tables, keys;
    bool force{false}, json{false};
    ExitStatus (*action)(const Options&){nullptr};
};

constexpr uint64_t MAX_HEIGHT{499'999'999}; //!< beyond it, a lock time is a time

/** What a backup holds: all that a spend takes besides the keys. */
struct Backup {
    wallet::Descriptor descriptor;
    Network network;
    uint64_t birth_height;
    std::vector<KeyTable> tables;
    std::vector<std::pair<uint32_t, std::string>> addresses; //!< by index; 0 if the descriptor is no range
};

Json BackupJson(const Backup& backup)
{
    Json tables = Json::array(), addresses = Json::array();
    for (const auto& table : backup.tables) tables.push_back(KeyTableJson(table));
    for (const auto& [index, address] : backup.addresses) addresses.push_back({{"index", index}, {"address", address}});
    return {{"backup", 1},
            {"descriptor", backup.descriptor.ToString()},
            {"network", NetworkName(backup.network)},
            {"birth_height", backup.birth_height},
            {"key_tables", std::move(tables)},
            {"addresses", std::move(addresses)}};
}

Backup BackupFromJson(const JsonValue& json)
{
    json.OnlyMembers({"backup", "descriptor", "network", "birth_height", "key_tables", "addresses"});
    if (const auto version{json.At("backup")}; version.Number(UINT32_MAX) != 1) version.Fail("a version other than 1");
    const JsonValue descriptor{json.At("descriptor")}, network{json.At("network")};
    // In a backup, a descriptor without its checksum is one that somebody has cut off.
    if (descriptor.String().find('#') == std::string::npos) descriptor.Fail("has no checksum");
    Backup backup{descriptor.Within([&] { return ParseDescriptor(descriptor.String()); }),
                  network.Within([&] { return ParseNetwork(network.String()); }),
                  json.At("birth_height").Number(MAX_HEIGHT),
                  {},
                  {}};
    for (const auto& table : json.At("key_tables").Elements()) backup.tables.push_back(KeyTableFromJson(table));
    for (const auto& address : json.At("addresses").Elements()) {
        address.OnlyMembers({"index", "address"});
        const auto index{static_cast<uint32_t>(address.At("index").Number(wallet::HARDENED - 1))};
        backup.addresses.emplace_back(index, address.At("address").String());
    }
    if (backup.addresses.empty()) json.At("addresses").Fail("is empty: there is nothing to compare with");
    return backup;
}

ExitStatus Make(const Options& options)
{
    CheckOutputFile({options.file, options.force}, FileKind::BACKUP);
    Backup backup{DescriptorArgument(options.descriptor), ParseNetwork(options.network),
                  Within("--birth-height", [&] { return ParseNumber(options.birth_height, MAX_HEIGHT); }), {}, {}};
    for (const auto& path : options.tables) backup.tables.push_back(ReadKeyTable(path));
    const auto [first, count]{IndexesOf(backup.descriptor, options.indexes, options.tables)};
    for (uint32_t i = 0; i < count; ++i) {
        const auto output{DescriptorAt(backup.descriptor, first + i, backup.tables).Output()};
        const std::string address{AddressOf(output, backup.network)};
        backup.addresses.emplace_back(first + i, address.empty() ? HexStr(output.script_pubkey) : address);
    }
    WriteTextFile({options.file, options.force}, BackupJson(backup).dump(2) + "\n", FileKind::BACKUP);
    return EXIT_VALID;
}

using KnownKeys = std::set<std::pair<KeyType, wallet::PublicKey>>;

/** What a leaf takes beyond the keys that are known; empty if they are enough. Ages and times come by themselves. */
std::string Missing(const LeafExpression& leaf, const KnownKeys& known)
{
    using Fragment = LeafExpression::Fragment;
    std::string missing;
    if (!leaf.keys.empty()) {
        const size_t needed{leaf.number > 0 ? leaf.number : 1};
        const auto have{static_cast<size_t>(
            std::ranges::count_if(leaf.keys, [&](const auto& key) { return known.contains({key.Type(), key.Key()}); }))};
        if (have < needed) missing = std::to_string(needed - have) + " more of the keys of " + leaf.ToString();
    }
    if (leaf.fragment == Fragment::SHA256) missing = "the preimage of " + HexStr(leaf.hash);
    for (const auto& sub : leaf.subs) {
        const std::string of_sub{Missing(sub, known)};
        if (!of_sub.empty()) missing += (missing.empty() ? "" : ", ") + of_sub;
    }
    return missing;
}

/** The key of an origin, if the master is that of the origin and each step is hardened. */
std::optional<KeyPair> Derived(const ExtendedKey& master, const wallet::KeyExpression& key)
{
    if (!key.Origin() || key.Origin()->fingerprint != master.Fingerprint()) return std::nullopt;
    const auto& path{key.Origin()->path};
    if (!std::ranges::all_of(path, [](uint32_t step) { return (step & wallet::HARDENED) != 0; })) return std::nullopt;
    return master.Derive(path).Key(key.Type());
}

/** What can be said of one output. */
Json CheckOutput(const Backup& backup, uint32_t index, const std::string& expected, const std::optional<ExtendedKey>& master,
                 KnownKeys known, bool keys_given, bool& good)
{
    const auto descriptor{DescriptorAt(backup.descriptor, index, backup.tables)};
    const auto output{descriptor.Output()};
    std::string address{AddressOf(output, backup.network)};
    if (address.empty()) address = HexStr(output.script_pubkey);
    Json json{{"index", index}, {"address", address}};
    if (address != expected) {
        json["problem"] = "the backup says " + Printable(expected);
        good = false;
    }
    if (!keys_given) return json;
    for (const auto& key : descriptor.Keys()) {
        if (!master) break;
        const auto derived{Derived(*master, key)};
        if (!derived) continue;
        wallet::PublicKey public_key;
        std::ranges::copy(derived->public_key, public_key.begin());
        if (public_key == key.Key()) {
            known.emplace(key.Type(), public_key);
        } else {
            json["problem"] = "the secret derives another key at [" + key.Origin()->ToString() + "]";
            good = false;
        }
    }
    bool spendable{false};
    Json leaves = Json::array();
    for (const auto& leaf : output.leaves) {
        const std::string missing{Missing(leaf.expression, known)};
        spendable |= missing.empty();
        leaves.push_back({{"leaf", leaf.expression.ToString()}, {"spendable", missing.empty()}, {"missing", missing}});
    }
    if (output.internal_key) {
        const bool have{known.contains({KeyType::SCHNORR, *output.internal_key})};
        spendable |= have;
        json["key_path"] = have;
    }
    json["spendable"] = spendable;
    json["leaves"] = std::move(leaves);
    good &= spendable;
    return json;
}

/** Keys and hashes cut to their beginnings: --json has all of them. */
std::string Abbreviated(std::string_view text)
{
    constexpr size_t LONG{32}, SHOWN{8};
    std::string shown;
    while (!text.empty()) {
        const auto digits{static_cast<size_t>(std::ranges::find_if(text, [](char c) { return HexDigit(c) < 0; }) - text.begin())};
        shown += digits < LONG ? std::string{text.substr(0, digits)} : std::string{text.substr(0, SHOWN)} + "...";
        text.remove_prefix(digits);
        shown += text.substr(0, 1);
        text.remove_prefix(std::min<size_t>(1, text.size()));
    }
    return shown;
}

/** A line for each output; what is missing where nothing can spend it. */
void PrintCheck(const Json& json)
{
    const bool keys_checked{json["keys_checked"].get<bool>()};
    PrintTable({{"good", json["good"].dump()},
                {"descriptor", Abbreviated(json["descriptor"].get_ref<const std::string&>())},
                {"birth height", json["birth_height"].dump()},
                {"keys", keys_checked ? "checked" : "not checked: neither --master nor --key is given"}});
    for (const auto& output : json["outputs"]) {
        PrintLine("");
        PrintLine(output["index"].dump() + "  " + output["address"].get<std::string>());
        if (output.contains("problem")) PrintLine("   problem: " + Abbreviated(output["problem"].get_ref<const std::string&>()));
        if (!keys_checked) continue;
        if (output.value("key_path", false)) PrintLine("   can be spent by the key path");
        for (size_t i = 0; i < output["leaves"].size(); ++i) {
            const auto& leaf{output["leaves"][i]};
            const std::string name{"leaf " + std::to_string(i)};
            if (leaf["spendable"].get<bool>()) {
                PrintLine("   can be spent by " + name);
            } else {
                PrintLine("   " + name + " lacks " + Abbreviated(leaf["missing"].get_ref<const std::string&>()));
            }
        }
        if (!output["spendable"].get<bool>()) PrintLine("   cannot be spent with these keys");
    }
}

ExitStatus Check(const Options& options)
{
    const std::string text{ReadFile(options.file)};
    const Backup backup{Within(options.file, [&] {
        const Json json = ParseJson(text);
        return BackupFromJson(JsonValue{json});
    })};
    KnownKeys known;
    for (const auto& path : options.keys) {
        const KeyPair key{ReadKeyFile(path)};
        wallet::PublicKey public_key;
        std::ranges::copy(key.public_key, public_key.begin());
        known.emplace(key.type, public_key);
    }
    std::optional<ExtendedKey> master;
    if (!options.master.empty()) master = ReadMaster({options.master, options.passphrase_file, options.wordlist});
    const bool keys_given{master || !known.empty()};
    bool good{true};
    Json outputs = Json::array();
    for (const auto& [index, address] : backup.addresses) {
        outputs.push_back(CheckOutput(backup, index, address, master, known, keys_given, good));
    }
    Json json{{"good", good}, {"descriptor", backup.descriptor.ToString()}, {"birth_height", backup.birth_height}};
    json["keys_checked"] = keys_given;
    json["outputs"] = std::move(outputs);
    options.json ? PrintJson(json) : PrintCheck(json);
    return good ? EXIT_VALID : EXIT_INVALID;
}

} // namespace

Action DeclareBackup(CommandParser& parser)
{
    auto options{std::make_shared<Options>()};
    parser.Describe(
        "A spend takes the keys, and the whole tree: the output's address is only a hash of it. Without the tree the coins are\n"
        "gone, whatever keys there are. A backup therefore has the descriptor, the tables of public keys, the height below\n"
        "which no coin is, and addresses to compare with. It has no secret; keep the secret apart from it (doc/backup.md).");
    parser.RequireCommand();
    CommandParser make{parser.AddCommand("make", "Write a backup")};
    make.Add("FILE", options->file, "Where it goes").Required();
    make.Add("--descriptor DESCRIPTOR", options->descriptor, "The descriptor, @FILE containing it, or @FILE from slhtool address --json")
        .Required();
    make.Add("--birth-height HEIGHT", options->birth_height, "No coin is in a block below this one: where a rescan begins").Required();
    make.Add("--keys FILE", options->tables, "A table of public keys, for a descriptor that is a range");
    make.Add("--range INDEXES", options->indexes, "Which addresses to write down, if the descriptor is a range: 0-9");
    make.AddChoice("--network", options->network, {"regtest", "signet", "testnet", "mainnet"}, "Whose addresses");
    AddForceFlag(make, options->force);
    make.OnSelected([options] { options->action = Make; });

    CommandParser check{parser.AddCommand("check", "Check a backup, and whether keys can spend what it describes")};
    check.Add("FILE", options->file, "What backup make wrote").Required();
    check.Add("--key FILE", options->keys, "A secret key file");
    check.Add("--master FILE", options->master, "The secret that keys with an origin derive from, as slhtool derive takes it");
    DeclareMasterOptions(check, options->passphrase_file, options->wordlist);
    AddJsonFlag(check, options->json);
    check.OnSelected([options] { options->action = Check; });
    parser.Explain("check shows the beginnings of keys; --json has all of them.\n"
                   "\n"
                   "Exit status of check:\n"
                   "  0 if the addresses agree and, with --key or --master, these can spend each output; 1 if not.");
    parser.AddExamples(
        {{"a backup", "slhtool backup make wallet.backup --descriptor @wallet.txt --keys alice.table --range 0-9 --birth-height 850000"},
         {"of an address of slhtool address", "slhtool backup make vault.backup --descriptor @vault.tree --birth-height 850000"},
         {"is it complete?", "slhtool backup check wallet.backup --master phrase.txt"}});
    return [options] { return options->action(*options); };
}

} // namespace slhc::tool
