// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/p2mr.h>
#include <tool/asm.h>
#include <tool/commands.h>
#include <tool/decode.h>
#include <tool/input.h>
#include <tool/json.h>
#include <tool/keys.h>
#include <tool/network.h>
#include <tool/output.h>
#include <tool/tree.h>
#include <util/hex.h>
#include <wallet/descriptor.h>
#include <wallet/descriptor_checksum.h>
#include <wallet/descriptor_error.h>
#include <wallet/descriptor_inference.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace slhc::tool {
namespace {

struct Options {
    std::string descriptor, network{"regtest"};
    bool json{false};
    ExitStatus (*action)(const Options&){nullptr};
};

/** @throws InputError with the column */
wallet::Descriptor ParseDescriptor(std::string_view text)
{
    try {
        return wallet::Descriptor::Parse(text);
    } catch (const wallet::DescriptorError& e) {
        throw InputError{e.what()};
    }
}

/** The descriptor of a JSON object that has one, or a tree, or both, which then must agree. */
wallet::Descriptor DescriptorFromJson(std::string_view json_text)
{
    const Json json = ParseJson(json_text);
    const JsonValue top{json};
    const auto text{top.Find("descriptor")}, tree_text{top.Find("tree")};
    if (!text && !tree_text) top.Fail("has neither 'descriptor' nor 'tree'");
    std::optional<wallet::Descriptor> descriptor;
    if (text) descriptor = text->Parse(ParseDescriptor);
    if (!tree_text) return *descriptor;
    const ScriptTree tree{tree_text->Parse(ParseTree)};
    if (!descriptor) {
        tree_text->Within([&] { RefuseSingleLeaf(tree); });
        std::string why_not;
        descriptor = wallet::InferDescriptor(tree, why_not);
        if (!descriptor) tree_text->Fail("cannot be written as a descriptor: " + why_not);
    } else if (descriptor->IsRange() || descriptor->Output().script_pubkey != P2MRScriptPubKey(tree.Root())) {
        text->Fail("is not that of 'tree'");
    }
    return *descriptor;
}

/** A descriptor, or @FILE (- for standard input) with one, or with JSON that has a "descriptor" or a "tree" that can be written as one,
 *  as `slhtool address --json` prints it.
 *  @throws InputError with the column */
wallet::Descriptor DescriptorArgument(const std::string& argument)
{
    return WithArgument(argument, [](const std::string& text) {
        return IsJsonObject(text) ? DescriptorFromJson(text) : ParseDescriptor(Trim(text));
    });
}

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
    const auto descriptor{DescriptorArgument(options.descriptor)};
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
            throw InputError{"not an output descriptor, which would end with ')': " + Quote(descriptor)};
        }
        return std::string{descriptor} + "#" + wallet::DescriptorChecksum(descriptor);
    } catch (const wallet::DescriptorError& e) {
        throw InputError{e.what()};
    }
}

ExitStatus Checksum(const Options& options)
{
    const std::string descriptor{WithArgument(options.descriptor, [](const std::string& text) {
        return IsJsonObject(text) ? DescriptorFromJson(text).ToString() : WithChecksum(Trim(text));
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
    if (descriptor.IsRange()) throw InputError{"the descriptor is a range, and each of its outputs has an address of its own"};
    const auto output{descriptor.Output()};
    std::string error;
    const std::string address{wallet::OutputAddress(output, ParseNetwork(options.network), error)};
    if (!error.empty()) throw InputError{error};
    if (address.empty()) throw InputError{"the output's script has no address"};
    if (options.json) {
        const Json of_output = {{"address", address}, {"script_pubkey", HexStr(output.script_pubkey)}};
        PrintJson({{"descriptor", descriptor.ToString()}, {"network", options.network}, {"addresses", Json::array({of_output})}});
    } else {
        PrintLine(address);
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
    parser.Explain(
        "An output descriptor (BIP 380) says in one line what an output script is made of. One that locks coins forever or lets\n"
        "anyone spend them is refused; the error gives the column.");
    parser.RequireCommand();
    DeclareOne(parser, options, "info", "Its normal form with the checksum, keys, script, addresses and leaves", Info);
    DeclareOne(parser, options, "checksum", "Any descriptor with its checksum, also one that slhtool does not know", Checksum);
    CommandParser addresses{DeclareOne(parser, options, "addresses", "Its address", Addresses)};
    AddNetworkOption(addresses, options->network, "Whose address");
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
        "  [d34db33f/360h/1h/0h/0h]/*h is a range: all hardened children of the origin.");
    parser.AddExamples(
        {{"what a descriptor says", "slhtool descriptor info 'mr({pk_slhdsa(0011...),and_v(v:pk(79be...),older(52560))})'"},
         {"its address on regtest", "slhtool descriptor addresses @wallet.txt"}});
    return [options] { return options->action(*options); };
}

} // namespace slhc::tool
