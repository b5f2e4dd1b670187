// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/asm.h>
#include <tool/commands.h>
#include <tool/decode.h>
#include <tool/input.h>
#include <tool/output.h>
#include <tool/spend_file.h>

#include <memory>
#include <string>

namespace slhc::tool {
namespace {

struct Options {
    std::string data, script;
    bool json{false};
    std::string kind;
    Json (*decode)(const Options&){nullptr};
};

using Decoder = decltype(Options::decode);

void DeclareKind(CommandParser& parser, const std::shared_ptr<Options>& options, const std::string& kind, const std::string& description,
                 const std::string& what, Decoder decode)
{
    CommandParser sub{parser.AddCommand(kind, description)};
    sub.Add("DATA", options->data, what).Required();
    if (kind == "control-block") sub.Add("--script SCRIPT", options->script, "The leaf script, in hex or readable: computes the root and the address");
    AddJsonFlag(sub, options->json);
    sub.OnSelected([options, kind, decode] {
        options->kind = kind;
        options->decode = decode;
    });
}

Json ControlBlock(const Options& options)
{
    const auto bytes{HexArgument(options.data)};
    if (options.script.empty()) return DecodeControlBlock(bytes, nullptr);
    const CScript script{Within("--script", [&] { return WithArgument(options.script, ParseScriptOrHex); })};
    return DecodeControlBlock(bytes, &script);
}

/** Hex of a transaction, or the JSON of `slhtool spend`. */
Json Tx(const Options& options)
{
    return WithArgument(options.data, [](const std::string& text) {
        if (!Trim(text).starts_with('{')) return DecodeTx(ParseTx(ParseHex(text)));
        const Json json = ParseJson(text);
        return DecodeTx(ParseTx(JsonValue{json}.At("tx").Hex()));
    });
}

} // namespace

Action DeclareDecode(CommandParser& parser)
{
    auto options{std::make_shared<Options>()};
    parser.Describe("DATA is hexadecimal, @FILE with it, or - for standard input.");
    parser.RequireCommand();
    DeclareKind(parser, options, "script", "A script: instructions, address, what tapscript's rules make of it", "The script, in hex or readable",
                [](const Options& o) { return WithArgument(o.data, [](const std::string& text) { return DecodeScript(ParseScriptOrHex(text)); }); });
    DeclareKind(parser, options, "witness", "A serialized witness: elements, annex, control block, leaf script", "The witness in hex",
                [](const Options& o) { return WithArgument(o.data, [](const std::string& text) { return DecodeWitness(ParseHex(text)); }); });
    DeclareKind(parser, options, "control-block", "A control block of P2MR (P2TSH) or P2TR: leaf version and path", "The control block in hex",
                ControlBlock);
    DeclareKind(parser, options, "tx", "A transaction", "The transaction in hex, or the JSON of slhtool spend",
                Tx);
    DeclareKind(parser, options, "address", "An address: P2MR (P2TSH, bc1z...), P2TR, P2WSH, P2WPKH", "The address",
                [](const Options& o) { return WithArgument(o.data, [](const std::string& text) { return DecodeAddressText(Trim(text)); }); });
    parser.AddExamples({{"what a leaf script does", "slhtool decode script 20...7f"},
                        {"a transaction from a file", "slhtool decode tx @spend.json"},
                        {"which output a control block and a script belong to", "slhtool decode control-block c1... --script 20...7f --json"}});
    return [options] {
        const Json json = Within(options->kind, [&] { return options->decode(*options); });
        options->json ? PrintJson(json) : Print(RenderText(json));
        return EXIT_VALID;
    };
}

} // namespace slhc::tool
