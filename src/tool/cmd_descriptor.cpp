// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/asm.h>
#include <tool/commands.h>
#include <tool/decode.h>
#include <tool/input.h>
#include <tool/key_table.h>
#include <tool/keys.h>
#include <tool/network.h>
#include <tool/output.h>
#include <util/hex.h>
#include <wallet/descriptor_checksum.h>
#include <wallet/descriptor_error.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace slhc::tool {
namespace {

constexpr const char* KEYS_HELP{"A table of public keys for a range, as slhtool derive --table writes it, or a backup with such tables"};

struct Options {
    std::string descriptor, network{"regtest"}, indexes;
    std::vector<std::string> tables;
    bool json{false};
    ExitStatus (*action)(const Options&){nullptr};
};

Json KeysJson(const wallet::Descriptor& descriptor)
{
    Json keys = Json::array();
    for (const auto& key : descriptor.Keys()) {
        Json json{{"type", KeyTypeName(key.Type())}, {"text", key.ToString()}};
        if (!key.IsRange()) json["public_key"] = HexStr(key.Key());
        if (key.Origin()) json["origin"] = key.Origin()->ToString();
        keys.push_back(std::move(json));
    }
    return keys;
}

Json OutputJson(const wallet::DescriptorOutput& output)
{
    Json json{{"script_pubkey", HexStr(output.script_pubkey)}};
    Json addresses = Json::object();
    for (const Network network : LISTED_NETWORKS) {
        std::string other;
        const std::string address{wallet::OutputAddress(output, network, other)};
        if (!address.empty()) addresses[std::string{NetworkName(network)}] = address;
    }
    json["addresses"] = std::move(addresses);
    if (output.internal_key) json["internal_key"] = HexStr(*output.internal_key);
    if (!output.tree) return json;
    json["merkle_root"] = HexStr(output.tree->Root().Bytes());
    Json leaves = Json::array();
    for (const auto& leaf : output.leaves) {
        leaves.push_back({{"text", leaf.expression.ToString()},
                          {"leaf_version", leaf.leaf.version},
                          {"script", HexStr(leaf.leaf.script)},
                          {"asm", FormatScript(leaf.leaf.script)},
                          {"leaf_hash", HexStr(leaf.leaf.hash.Bytes())},
                          {"depth", leaf.leaf.Depth()},
                          {"control_block", HexStr(leaf.control_block)}});
    }
    json["leaves"] = std::move(leaves);
    return json;
}

ExitStatus Info(const Options& options)
{
    auto descriptor{DescriptorArgument(options.descriptor)};
    if (!options.indexes.empty() || !options.tables.empty()) {
        const auto [index, count]{IndexesOf(descriptor, options.indexes, options.tables)};
        if (count != 1) throw InputError{"--range", "takes one index here: slhtool descriptor addresses lists several"};
        descriptor = DescriptorAt(descriptor, index, ReadKeyTables(options.tables));
    }
    Json json{{"descriptor", descriptor.ToString()},
              {"type", descriptor.TypeName()},
              {"is_range", descriptor.IsRange()},
              {"keys", KeysJson(descriptor)}};
    if (!descriptor.IsRange()) json.update(OutputJson(descriptor.Output()));
    if (options.json) {
        PrintJson(json);
        return EXIT_VALID;
    }
    // Long texts are cut below, and this one is there to be copied.
    PrintLine(json["descriptor"].get<std::string>());
    json.erase("descriptor");
    Print(RenderText(json));
    return EXIT_VALID;
}

/** Any descriptor, known or not, with its checksum. */
std::string WithChecksum(std::string_view text)
{
    try {
        const std::string_view descriptor{wallet::WithoutDescriptorChecksum(text)};
        // Most likely the name of a file, whose checksum would be taken for that of the descriptor in it.
        if (!descriptor.ends_with(')')) {
            RefuseSecret(descriptor);
            throw InputError{"not an output descriptor, which would end with ')': " + Quote(descriptor)};
        }
        return std::string{descriptor} + "#" + wallet::DescriptorChecksum(descriptor);
    } catch (const wallet::DescriptorError& e) {
        throw InputError{e.what()};
    }
}

ExitStatus Checksum(const Options& options)
{
    // One with private keys may need a checksum, too.
    const std::string descriptor{WithArgumentOrSecret(options.descriptor, [](const std::string& text) {
        const bool is_json{IsJsonObject(text)};
        if (is_json || text.find('(') == text.npos) RefuseSecret(text);
        return is_json ? DescriptorFromJson(text).ToString() : WithChecksum(Trim(text));
    })};
    if (options.json) {
        PrintJson({{"descriptor", descriptor}, {"checksum", descriptor.substr(descriptor.find('#') + 1)}});
    } else {
        PrintLine(descriptor);
    }
    return EXIT_VALID;
}

ExitStatus Addresses(const Options& options)
{
    const auto descriptor{DescriptorArgument(options.descriptor)};
    const Network network{ParseNetwork(options.network)};
    const auto tables{ReadKeyTables(options.tables)};
    const auto [first, count]{IndexesOf(descriptor, options.indexes, options.tables)};
    Json addresses = Json::array();
    for (uint32_t i = 0; i < count; ++i) {
        const auto at{DescriptorAt(descriptor, first + i, tables)};
        const auto output{at.Output()};
        const std::string address{AddressOf(output, network)};
        if (address.empty()) throw InputError{"the output's script has no address"};
        Json json = Json::object();
        if (descriptor.IsRange()) json["index"] = first + i;
        json["address"] = address;
        if (options.json) { // else nobody sees the descriptors, which may have a megabyte each
            json["script_pubkey"] = HexStr(output.script_pubkey);
            json["descriptor"] = at.ToString();
        }
        addresses.push_back(std::move(json));
    }
    if (options.json) {
        PrintJson({{"descriptor", descriptor.ToString()}, {"network", options.network}, {"addresses", std::move(addresses)}});
        return EXIT_VALID;
    }
    for (const auto& address : addresses) {
        PrintLine((descriptor.IsRange() ? address["index"].dump() + "  " : "") + address["address"].get<std::string>());
    }
    return EXIT_VALID;
}

CommandParser DeclareOne(CommandParser& parser, const std::shared_ptr<Options>& options, const std::string& name,
                         const std::string& summary, ExitStatus (*action)(const Options&))
{
    CommandParser sub{parser.AddCommand(name, summary)};
    sub.Add("DESCRIPTOR", options->descriptor,
            "The descriptor, @FILE containing it or what slhtool address --json printed, or - for standard input")
        .Required();
    AddJsonFlag(sub, options->json);
    sub.OnSelected([options, action] { options->action = action; });
    return sub;
}

} // namespace

Action DeclareDescriptor(CommandParser& parser)
{
    auto options{std::make_shared<Options>()};
    parser.Describe(
        "An output descriptor (BIP 380) says in one line what an output script is made of. One that locks coins forever or lets\n"
        "anyone spend them is refused; the error gives the column.");
    parser.RequireCommand();
    CommandParser info{DeclareOne(parser, options, "info", "Its normal form with the checksum, keys, script, addresses and leaves", Info)};
    info.Add("--range INDEX", options->indexes, "One output of a range: 7");
    info.Add("--keys FILE", options->tables, KEYS_HELP);
    DeclareOne(parser, options, "checksum", "Any descriptor with its checksum, also one that slhtool does not know", Checksum);
    CommandParser addresses{DeclareOne(parser, options, "addresses", "The addresses of a range, or the one address", Addresses)};
    addresses.Add("--range INDEXES", options->indexes, "Which outputs, if the descriptor is a range: 7, or 0-9");
    addresses.Add("--keys FILE", options->tables, KEYS_HELP);
    AddNetworkOption(addresses, options->network, "Whose addresses");
    parser.Explain(
        "Descriptors:\n"
        "  mr(TREE)                  P2MR (P2TSH); a TREE is a leaf or {TREE,TREE}, and needs at least two leaves\n"
        "  tr(KEY), tr(KEY,TREE)     P2TR with this internal key\n"
        "  raw(HEX), addr(ADDRESS)   an output script, and one as a segwit address\n"
        "Leaves:\n"
        "  pk_slhdsa(KEY)            one SLH-DSA signature\n"
        "  multi_slhdsa(k,KEY,...)   k SLH-DSA signatures\n"
        "  pk(KEY)                   one BIP 340 signature\n"
        "  multi_a(k,KEY,...)        k BIP 340 signatures; sortedmulti_a sorts the keys\n"
        "  and_v(v:X,Y)              both X and Y, as in miniscript\n"
        "  older(n), after(n)        the coin's age, a height or time; only as a part of and_v\n"
        "  sha256(H)                 a preimage of 32 bytes; only as a part of and_v\n"
        "Keys:\n"
        "  A KEY is 64 hex digits (BIP 340: also 66), with or without its origin before it: [d34db33f/360h/1h]00ff...\n"
        "  [d34db33f/360h/1h/0h/0h]/*h is a range: all hardened children of the origin. SLH-DSA has no extended public keys,\n"
        "  so their public keys come from tables.");
    parser.AddExamples(
        {{"what a descriptor says", "slhtool descriptor info 'mr({pk_slhdsa(0011...),and_v(v:pk(79be...),older(52560))})'"},
         {"ten addresses of a range", "slhtool descriptor addresses @wallet.txt --keys alice.table --range 0-9"},
         {"one of them, for slhtool spend --tree @3.tree",
          "slhtool descriptor info @wallet.txt --keys alice.table --range 3 --json > 3.tree"}});
    return [options] { return options->action(*options); };
}

} // namespace slhc::tool
