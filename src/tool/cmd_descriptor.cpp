// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/asm.h>
#include <tool/commands.h>
#include <tool/decode.h>
#include <tool/input.h>
#include <tool/json.h>
#include <tool/keys.h>
#include <tool/network.h>
#include <tool/output.h>
#include <util/hex.h>
#include <wallet/descriptor.h>
#include <wallet/descriptor_checksum.h>

#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace slhc::tool {
namespace {

struct Options {
    std::string descriptor;
    bool json{false};
    ExitStatus (*action)(const Options&){nullptr};
};

Json KeysJson(const wallet::Descriptor& descriptor)
{
    Json keys = Json::array();
    for (const auto& key : descriptor.Keys()) {
        const auto element{key.Element()};
        Json json{{"type", KeyTypeName(key.type, element)}, {"text", key.ToString()}, {"public_key", HexStr(element)}};
        if (key.origin) json["origin"] = key.origin->ToString();
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

/** Run f on the text of the argument; an error of the descriptor gets the argument's place. */
template <typename F>
auto WithDescriptor(const Options& options, F&& f)
{
    return WithArgument(options.descriptor, [&](const std::string& text) {
        try {
            return f(Trim(text));
        } catch (const wallet::DescriptorError& e) {
            throw InputError{e.what()};
        }
    });
}

ExitStatus Info(const Options& options)
{
    const auto descriptor{WithDescriptor(options, [](std::string_view text) { return wallet::Descriptor::Parse(text); })};
    Json json{{"descriptor", descriptor.ToString()}, {"type", descriptor.TypeName()}, {"keys", KeysJson(descriptor)}};
    json.update(OutputJson(descriptor.Output()));
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

ExitStatus Checksum(const Options& options)
{
    const std::string descriptor{WithDescriptor(options, [](std::string_view text) {
        const std::string_view without{wallet::WithoutDescriptorChecksum(text)};
        return std::string{without} + "#" + wallet::DescriptorChecksum(without);
    })};
    if (options.json) {
        PrintJson({{"descriptor", descriptor}, {"checksum", descriptor.substr(descriptor.find('#') + 1)}});
    } else {
        PrintLine(descriptor);
    }
    return EXIT_VALID;
}

CommandParser DeclareOne(CommandParser& parser, const std::shared_ptr<Options>& options, const std::string& name,
                         const std::string& summary, ExitStatus (*action)(const Options&))
{
    CommandParser sub{parser.AddCommand(name, summary)};
    sub.Add("DESCRIPTOR", options->descriptor,
            "The descriptor, @FILE containing it, or - for standard input")
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
        "An output descriptor (BIP 380) says in one line what an output script is made of. One that\n"
        "nobody or anyone could spend is refused; the error gives the column.");
    parser.RequireCommand();
    DeclareOne(parser, options, "info", "Its normal form with the checksum, keys, script, addresses and leaves", Info);
    DeclareOne(parser, options, "checksum", "Any descriptor with its checksum, also one that slhtool does not know", Checksum);
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
        "  A KEY is 64 hex digits (BIP 340: also 66, and SLH-DSA with the number of another parameter set in front: 18 for\n"
        "  128-24, 28 for 128-q40), with or without its origin before it: [d34db33f/360h/1h]00ff...");
    parser.AddExamples(
        {{"what a descriptor says", "slhtool descriptor info 'mr({pk_slhdsa(0011...),and_v(v:pk(79be...),older(52560))})'"}});
    return [options] { return options->action(*options); };
}

} // namespace slhc::tool
