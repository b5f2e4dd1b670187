// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/asm.h>
#include <tool/backup.h>
#include <tool/commands.h>
#include <tool/derivation.h>
#include <tool/input.h>
#include <tool/key_table.h>
#include <tool/keys.h>
#include <tool/network.h>
#include <tool/output.h>
#include <tool/output_file.h>
#include <tool/tree.h>
#include <tool/witness_plan.h>
#include <util/hex.h>
#include <wallet/leaf_recipe.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace slhc::tool {
namespace {

using wallet::KeyTable;

struct Options {
    std::string file, descriptor, network{"regtest"}, indexes, birth_height, master, passphrase_file, wordlist;
    std::vector<std::string> tables, keys;
    bool force{false}, json{false};
    ExitStatus (*action)(const Options&){nullptr};
};

constexpr const char* NOTHING_TO_SPEND_WITH{"it has neither a tree nor an internal key, and an output script is only a hash of them"};

/** The keys of tables, each with where it comes from. */
std::set<std::tuple<KeyType, std::string, wallet::PublicKey>> KeysOf(const std::vector<KeyTable>& tables)
{
    std::set<std::tuple<KeyType, std::string, wallet::PublicKey>> keys;
    for (const auto& table : tables) {
        for (size_t i = 0; i < table.keys.size(); ++i) {
            keys.emplace(table.type, table.origin.Child(table.first + static_cast<uint32_t>(i)).ToString(), table.keys[i]);
        }
    }
    return keys;
}

Backup ParseBackup(std::string_view text)
{
    const Json json = ParseJson(text);
    return BackupFromJson(JsonValue{json});
}

std::optional<Backup> TryParseBackup(std::string_view text)
{
    try {
        return ParseBackup(text);
    } catch (const InputError&) {
        return std::nullopt;
    }
}

/** Whether a backup of the same wallet has each key and each address that an old one has.
 *  @throws InputError if it does, but looks for coins only from later on */
bool HoldsAllOfBackup(const Backup& backup, std::string_view old_text)
{
    const auto old{TryParseBackup(old_text)};
    if (!old) return false; // nobody can tell what a damaged one is still good for
    const bool same_outputs{
        old->MadeOf() == backup.MadeOf() && old->network == backup.network &&
        std::ranges::includes(KeysOf(backup.tables), KeysOf(old->tables)) &&
        std::ranges::all_of(old->addresses, [&](const auto& each) {
            return std::ranges::find(backup.addresses, each) != backup.addresses.end();
        })};
    if (same_outputs && backup.birth_height > old->birth_height) {
        throw InputError{"--birth-height", std::to_string(backup.birth_height) + " is above " + std::to_string(old->birth_height) +
                                               ", that of the backup that is there: coins in between would not be found"};
    }
    return same_outputs;
}

/** The text of a backup, which every command can read again: nobody finds out that it cannot when all else is lost.
 *  @throws InputError */
std::string BackupText(const Backup& backup)
{
    std::string text{BackupJson(backup).dump(2) + "\n"};
    if (text.size() > MAX_INPUT_SIZE) {
        throw InputError{"the backup would have " + std::to_string(text.size()) + " bytes, and no command reads more than " +
                         std::to_string(MAX_INPUT_SIZE) + ": make several, of fewer addresses each"};
    }
    Within("the backup could not be read again", [&] { (void)ParseBackup(text); });
    return text;
}

ExitStatus Make(const Options& options)
{
    const OutputFile out{options.file, options.force};
    CheckOutputFile(out, FileKind::BACKUP);
    Backup backup{DescriptorOrTreeArgument(options.descriptor),
                  ParseNetwork(options.network),
                  Within("--birth-height", [&] { return ParseNumber(options.birth_height, MAX_HEIGHT); }),
                  ReadKeyTables(options.tables),
                  {}};
    if (const auto* tree{std::get_if<ScriptTree>(&backup.made_of)}) Within("--descriptor", [&] { RefuseUnspendable(*tree); });
    std::pair<uint32_t, uint32_t> indexes{0, 1};
    if (const auto* descriptor{backup.Descriptor()}) {
        indexes = IndexesOf(*descriptor, options.indexes, options.tables);
    } else if (!options.indexes.empty() || !options.tables.empty()) {
        throw InputError{options.indexes.empty() ? "--keys" : "--range", "belongs to a descriptor that is a range, and this is a tree"};
    }
    if (const std::string why{TooManyAddresses(backup, indexes.second)}; !why.empty()) throw InputError{"--range", why};
    for (uint32_t i = 0; i < indexes.second; ++i) {
        const uint32_t index{indexes.first + i};
        const BackupOutput output{backup, index};
        if (!SaysHowToSpend(output.output)) throw InputError{"--descriptor", NOTHING_TO_SPEND_WITH};
        backup.addresses.emplace_back(index, output.Address(backup.network));
    }
    DropOtherKeys(backup);
    const auto holds_all_of{[&](std::span<const uint8_t> old) {
        return HoldsAllOfBackup(backup, {reinterpret_cast<const char*>(old.data()), old.size()});
    }};
    WriteTextFile(out, BackupText(backup), holds_all_of);
    return EXIT_VALID;
}

using KnownKeys = std::set<wallet::LeafKey>;

/** What signatures take beyond the keys that are known; empty if these are enough. */
std::string Missing(const wallet::LeafSignatures& signatures, const KnownKeys& known)
{
    std::string unknown;
    size_t n_unknown{0};
    for (const auto& key : signatures.keys) {
        if (known.contains(key)) continue;
        unknown += (n_unknown++ == 0 ? "" : ", ") + HexStr(key.public_key);
    }
    const size_t have{signatures.keys.size() - n_unknown};
    if (have >= signatures.needed) return "";
    const size_t needed{signatures.needed - have};
    if (needed < n_unknown) return std::to_string(needed) + " of the keys " + unknown;
    return (n_unknown == 1 ? "the key " : "the keys ") + unknown;
}

/** What a leaf takes beyond the keys that are known; empty if they are enough. Ages and times come by themselves. */
std::string Missing(const wallet::LeafRecipe& recipe, const KnownKeys& known)
{
    std::string missing;
    for (const auto& condition : recipe.conditions) {
        std::string part;
        if (const auto* const signatures{std::get_if<wallet::LeafSignatures>(&condition)}) part = Missing(*signatures, known);
        if (const auto* const preimage{std::get_if<wallet::LeafPreimage>(&condition)}) part = "the preimage of " + HexStr(preimage->hash);
        if (!part.empty()) missing += (missing.empty() ? "" : ", ") + part;
    }
    return missing;
}

/** Whether a leaf can be spent, and what it lacks if not, or why that cannot be said.
 *  @param[in,out] unconfirmed  gets its keys that are not known */
Json CheckLeaf(const ScriptTree::Leaf& leaf, const std::string& text, const KnownKeys& known, KnownKeys& unconfirmed)
{
    const auto recipe{wallet::ReadLeafRecipe(leaf.script)};
    for (const auto& condition : recipe.conditions) {
        const auto* const signatures{std::get_if<wallet::LeafSignatures>(&condition)};
        if (!signatures) continue;
        std::ranges::copy_if(signatures->keys, std::inserter(unconfirmed, unconfirmed.end()),
                             [&](const wallet::LeafKey& key) { return !known.contains(key); });
    }
    std::string problem{recipe.never.empty() ? WhyUseless(leaf) : recipe.never};
    if (leaf.version != TAPROOT_LEAF_TAPSCRIPT) {
        problem = "not known what it takes: its leaf version is not 0xc0";
    } else if (AlwaysReturns(leaf)) {
        problem = "nobody can spend it (OP_RETURN)";
    } else if (problem.empty() && !recipe.unknown.empty()) {
        problem = "not known what it takes: " + recipe.unknown;
    }
    const std::string missing{problem.empty() ? Missing(recipe, known) : ""};
    Json json{{"leaf", text}, {"spendable", problem.empty() && missing.empty()}, {"missing", missing}};
    if (!problem.empty()) json["problem"] = problem;
    if (const std::string warning{WhoCanSpend(leaf).warning}; !warning.empty()) json["warning"] = warning;
    return json;
}

/** Whether the master derives a key that says so; nothing if its origin is not the master, or has a step that is not hardened. */
std::optional<bool> Derives(const ExtendedKey& master, const wallet::KeyExpression& key)
{
    if (!key.Origin() || key.Origin()->fingerprint != master.Fingerprint()) return std::nullopt;
    const auto& path{key.Origin()->path};
    if (!std::ranges::all_of(path, [](uint32_t step) { return (step & wallet::HARDENED) != 0; })) return std::nullopt;
    return std::ranges::equal(master.Derive(path).Key(key.Type()).public_key, key.Key());
}

std::string DerivesAnother(const wallet::KeyExpression& key)
{
    return "the secret derives another key at [" + key.Origin()->ToString() + "]";
}

/** Keys of a backup's tables that none of its addresses is made of, so that these do not show whether one was replaced. */
struct KeysWithoutAddress {
    size_t unchecked{0};               //!< how many of them nothing is known of
    std::vector<std::string> problems; //!< of the others
};

KeysWithoutAddress CheckKeysWithoutAddress(const Backup& backup, const std::optional<ExtendedKey>& master)
{
    Backup with_address{backup};
    DropOtherKeys(with_address);
    const auto checked_elsewhere{KeysOf(with_address.tables)};
    KeysWithoutAddress found;
    for (const auto& table : backup.tables) {
        for (size_t i = 0; i < table.keys.size(); ++i) {
            const wallet::KeyExpression key{table.type, table.origin.Child(table.first + static_cast<uint32_t>(i)), table.keys[i]};
            if (checked_elsewhere.contains({key.Type(), key.Origin()->ToString(), key.Key()})) continue;
            const auto derives{master ? Derives(*master, key) : std::nullopt};
            if (!derives) ++found.unchecked;
            if (derives == false) found.problems.push_back(DerivesAnother(key));
        }
    }
    return found;
}

/** What can be said of one output. */
Json CheckOutput(const Backup& backup, uint32_t index, const std::string& expected, const std::optional<ExtendedKey>& master,
                 KnownKeys known, bool keys_given, bool& good)
{
    const BackupOutput found{backup, index};
    const auto& output{found.output};
    const std::string address{found.Address(backup.network)};
    Json json{{"index", index}, {"address", address}};
    if (address != expected) {
        json["problem"] = "the backup says " + Printable(expected);
        good = false;
    } else if (!SaysHowToSpend(output)) {
        json["problem"] = NOTHING_TO_SPEND_WITH;
        good = false;
    }
    if (!keys_given) return json;
    for (const auto& key : found.keys) {
        if (!master) break;
        const auto derives{Derives(*master, key)};
        if (!derives) continue;
        if (*derives) {
            known.insert({{key.Key().begin(), key.Key().end()}, key.Type()});
        } else {
            json["problem"] = DerivesAnother(key);
            good = false;
        }
    }
    bool spendable{false};
    KnownKeys unconfirmed;
    Json leaves = Json::array();
    for (size_t i = 0; output.tree && i < output.tree->Leaves().size(); ++i) {
        const auto& leaf{output.tree->Leaves()[i]};
        const std::string text{output.leaves.empty() ? FormatScript(leaf.script) : output.leaves[i].expression.ToString()};
        leaves.push_back(CheckLeaf(leaf, text, known, unconfirmed));
        spendable |= leaves.back()["spendable"].get<bool>();
    }
    if (output.internal_key) {
        const wallet::LeafKey internal_key{{output.internal_key->begin(), output.internal_key->end()}, KeyType::SCHNORR};
        const bool have{known.contains(internal_key)};
        if (!have) unconfirmed.insert(internal_key);
        spendable |= have;
        json["key_path"] = have;
    }
    json["spendable"] = spendable;
    json["leaves"] = std::move(leaves);
    json["unconfirmed_keys"] = Json::array();
    for (const auto& key : unconfirmed) json["unconfirmed_keys"].push_back(HexStr(key.public_key));
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
    const std::string made_of{json.contains("tree") ? "tree" : "descriptor"};
    PrintTable({{"good", json["good"].is_null() ? "not known" : json["good"].dump()},
                {made_of, Abbreviated(json[made_of].get_ref<const std::string&>())},
                {"birth height", json["birth_height"].dump()},
                {"keys",
                 keys_checked ? "checked" : "not checked: neither --master nor --key is given, so they may belong to someone else"}});
    if (const auto count{json["unchecked_keys_without_address"].get<size_t>()}; count != 0) {
        PrintLine("WARNING: nothing shows whose the keys are that stand in a table, and in no address here: " + std::to_string(count));
    }
    bool any_unconfirmed{false};
    for (const auto& problem : json.value("problems", Json::array())) PrintLine("problem: " + problem.get<std::string>());
    for (const auto& output : json["outputs"]) {
        PrintLine("");
        PrintLine(output["index"].dump() + "  " + output["address"].get<std::string>());
        if (output.contains("problem")) PrintLine("   problem: " + Abbreviated(output["problem"].get_ref<const std::string&>()));
        if (!keys_checked) continue;
        if (output.value("key_path", false)) PrintLine("   can be spent by the key path, with other software");
        for (size_t i = 0; i < output["leaves"].size(); ++i) {
            const auto& leaf{output["leaves"][i]};
            const std::string name{"leaf " + std::to_string(i)};
            if (leaf.contains("warning")) PrintLine("   WARNING: " + name + ": " + leaf["warning"].get<std::string>());
            if (leaf["spendable"].get<bool>()) {
                PrintLine("   can be spent by " + name);
            } else if (leaf.contains("problem")) {
                PrintLine("   " + name + ": " + leaf["problem"].get<std::string>());
            } else {
                PrintLine("   " + name + " lacks " + Abbreviated(leaf["missing"].get_ref<const std::string&>()));
            }
        }
        if (!output["spendable"].get<bool>()) PrintLine("   cannot be spent with these keys");
        std::string keys;
        for (const auto& key : output["unconfirmed_keys"]) keys += (keys.empty() ? "" : ", ") + key.get<std::string>();
        if (!keys.empty()) PrintLine("   not confirmed: " + Abbreviated(keys));
        any_unconfirmed |= !keys.empty();
    }
    if (!any_unconfirmed) return;
    PrintLine("");
    PrintLine("Keys that are not confirmed are neither those of --key nor derive from --master: compare them with what their owners have.");
}

ExitStatus Check(const Options& options)
{
    const std::string text{ReadFile(options.file)};
    const Backup backup{Within(options.file, [&] { return ParseBackup(text); })};
    KnownKeys known;
    for (const auto& path : options.keys) {
        const KeyPair key{ReadKeyFile(path)};
        known.insert({key.public_key, key.type});
    }
    std::optional<ExtendedKey> master;
    if (!options.master.empty() && backup.Descriptor() == nullptr) {
        throw InputError{"--master", "this backup has a tree, which does not say where its keys come from: give each one by --key FILE"};
    }
    if (!options.master.empty()) master = ReadMaster({options.master, options.passphrase_file, options.wordlist});
    const bool keys_given{master || !known.empty()};
    bool good{true};
    Json outputs = Json::array();
    for (const auto& [index, address] : backup.addresses) {
        outputs.push_back(CheckOutput(backup, index, address, master, known, keys_given, good));
    }
    const auto others{CheckKeysWithoutAddress(backup, master)};
    good &= others.problems.empty();
    const auto [name, made_of]{backup.MadeOf()};
    Json json{{"good", good}, {name, made_of}, {"birth_height", backup.birth_height}};
    // A table and its addresses may have been exchanged together: only the keys can tell.
    if (good && (!keys_given || others.unchecked != 0)) json["good"] = nullptr;
    json["keys_checked"] = keys_given;
    json["unchecked_keys_without_address"] = others.unchecked;
    if (!others.problems.empty()) json["problems"] = others.problems;
    json["outputs"] = std::move(outputs);
    options.json ? PrintJson(json) : PrintCheck(json);
    return good ? EXIT_VALID : EXIT_INVALID;
}

} // namespace

Action DeclareBackup(CommandParser& parser)
{
    auto options{std::make_shared<Options>()};
    parser.Describe(
        "A spend needs the keys and the whole tree: the output's address is only a hash of it. Without the tree the coins are\n"
        "lost, whatever keys you have. A backup therefore has the descriptor or tree, the tables of public keys, the height\n"
        "below which no coin is, and addresses to compare with. It has no secret; keep the secret apart from it (doc/backup.md).");
    parser.RequireCommand();
    CommandParser make{parser.AddCommand("make", "Write a backup")};
    make.Add("FILE", options->file, "Where it goes").Required();
    make.Add("--descriptor DESCRIPTOR", options->descriptor,
             "The descriptor, @FILE containing it, or @FILE containing what slhtool address --json printed")
        .Required();
    make.Add("--birth-height HEIGHT", options->birth_height, "No coin is in a block below this one: where a rescan begins").Required();
    make.Add("--keys FILE", options->tables, "A table of public keys, or a backup with such tables, for a descriptor that is a range");
    make.Add("--range INDEXES", options->indexes, "Which addresses to write down, if the descriptor is a range: 0-9");
    AddNetworkOption(make, options->network, "Whose addresses");
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
                   "  0 if the addresses agree and, with --key or --master, these can spend each output; 1 if not.\n"
                   "Without either, \"good\" is null (\"not known\"): nothing shows whether the keys are yours. So it is if a table has\n"
                   "keys that no address here is made of and --master does not derive. An output's \"unconfirmed_keys\" are neither\n"
                   "given nor derived.");
    parser.AddExamples(
        {{"a backup", "slhtool backup make wallet.backup --descriptor @wallet.txt --keys alice.table --range 0-9 --birth-height 850000"},
         {"of an address of slhtool address", "slhtool backup make vault.backup --descriptor @vault.tree --birth-height 850000"},
         {"is it complete?", "slhtool backup check wallet.backup --master phrase.txt"}});
    return [options] { return options->action(*options); };
}

} // namespace slhc::tool
