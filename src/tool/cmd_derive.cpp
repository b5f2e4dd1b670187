// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/commands.h>
#include <tool/derivation.h>
#include <tool/input.h>
#include <tool/key_table.h>
#include <tool/output.h>
#include <tool/output_file.h>
#include <util/hex.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slhc::tool {
namespace {

struct Options {
    std::string master, path{"m/360h/1h/0h/0h"}, type{"slhdsa"}, indexes{"0"}, table, out, passphrase_file, wordlist;
    bool force{false}, json{false};
};

/** Whether a table has each key of an old one, at the same index. */
bool HoldsAllOfTable(const wallet::KeyTable& table, std::string_view old_text)
{
    try {
        const Json json = ParseJson(old_text);
        const auto old{KeyTableFromJson(JsonValue{json})};
        if (old.type != table.type || old.origin != table.origin || old.first < table.first) return false;
        const auto from{std::min<size_t>(old.first - table.first, table.keys.size())};
        const auto ours{std::span{table.keys}.subspan(from)};
        return old.keys.size() <= ours.size() && std::ranges::equal(old.keys, ours.first(old.keys.size()));
    } catch (const InputError&) {
        return false; // nobody can tell what a damaged one is still good for
    }
}

ExitStatus Derive(const Options& options)
{
    const auto [first, count]{Within("--range", [&] { return ParseIndexes(options.indexes); })};
    const auto path{Within("--path", [&] { return ParseHardenedPath(options.path); })};
    const KeyType type{options.type == "schnorr" ? KeyType::SCHNORR : KeyType::SLHDSA};
    if (!options.out.empty() && count != 1) throw InputError{"--out", "takes one key: give --range a single index"};
    if (options.out == "-") throw InputError{"--out", "a secret key is never written to standard output"};
    const OutputFile out{options.out, options.force}, table_file{options.table, options.force};
    RefuseSameFile({"--table", options.table}, {"--out", options.out});
    for (const auto& written : {NamedFile{"--out", options.out}, NamedFile{"--table", options.table}}) {
        RefuseSameFile(written, {"--passphrase-file", options.passphrase_file});
        RefuseSameFile(written, {"--wordlist", options.wordlist});
    }
    CheckOutputFile(out, FileKind::KEY);
    CheckOutputFile(table_file, FileKind::TABLE);

    const ExtendedKey master{ReadMaster({options.master, options.passphrase_file, options.wordlist})};
    const ExtendedKey parent{master.Derive(path)};
    wallet::KeyTable table{type, {master.Fingerprint(), path}, first, {}};
    Json keys = Json::array();
    for (uint32_t i = 0; i < count; ++i) {
        const KeyPair key{parent.HardenedChild(first + i).Key(type)};
        if (!out.empty()) WriteKeyFile(out, key);
        table.keys.emplace_back();
        std::ranges::copy(key.public_key, table.keys.back().begin());
        keys.push_back({{"index", first + i},
                        {"public_key", HexStr(key.public_key)},
                        {"key", "[" + table.origin.Child(first + i).ToString() + "]" + HexStr(key.public_key)}});
    }
    const auto holds_all_of{[&](std::span<const uint8_t> old) {
        return HoldsAllOfTable(table, {reinterpret_cast<const char*>(old.data()), old.size()});
    }};
    if (!table_file.empty()) WriteTextFile(table_file, KeyTableJson(table).dump(2) + "\n", holds_all_of);
    if (options.json) {
        PrintJson({{"type", KeyTypeName(type)},
                   {"fingerprint", HexStr(table.origin.fingerprint)},
                   {"origin", table.origin.ToString()},
                   {"range", "[" + table.origin.ToString() + "]/*h"},
                   {"keys", std::move(keys)}});
    } else {
        for (const auto& key : keys) PrintLine(key["key"].get<std::string>());
    }
    return EXIT_VALID;
}

} // namespace

Action DeclareDerive(CommandParser& parser)
{
    auto options{std::make_shared<Options>()};
    parser.Describe(
        "An experiment: no standard says yet how SLH-DSA keys derive from a wallet's secret. Prints public keys with their\n"
        "origins, as descriptors take them. Every step of the path is hardened: SLH-DSA has no extended public keys. FILE\n"
        "contains an extended private key (xprv, tprv), a BIP 32 seed in hex, or a BIP 39 phrase.");
    parser.Add("FILE", options->master, "The secret, - for standard input").Required();
    parser.Add("--path PATH", options->path, "Hardened steps below the secret");
    parser.Add("--range INDEXES", options->indexes, "Which hardened children of that: 7, or 0-9");
    parser.AddChoice("--type", options->type, {"slhdsa", "schnorr"}, "slhdsa (SLH-DSA-SHA2-128s) or schnorr (BIP 340)");
    parser.Add("--table FILE", options->table, "Write a table of the public keys, for ranged descriptors and watch-only use");
    parser.Add("--out FILE", options->out, "Write the secret key of a single index to a key file, readable by its owner only");
    AddForceFlag(parser, options->force);
    DeclareMasterOptions(parser, options->passphrase_file, options->wordlist);
    AddJsonFlag(parser, options->json);
    parser.Explain(
        "Derivation:\n"
        "  BIP 32 leads to a secret k and a chain code c. A BIP 340 key is k. SK.seed || SK.prf || PK.seed of an SLH-DSA key are\n"
        "  the first 48 bytes of HMAC-SHA512 with the key \"slhconsensus/SLH-DSA-SHA2-128s/seed/0\" and the message k || c.\n"
        "  Never publish the extended public key of a step of this path: anyone who can break its key has all keys below it.");
    parser.AddExamples({{"the first ten public keys, and a table of them", "slhtool derive master.txt --range 0-9 --table alice.table"},
                        {"the secret key of the fourth, to spend with", "slhtool derive master.txt --range 3 --out alice-3.key"}});
    return [options] { return Derive(*options); };
}

} // namespace slhc::tool
