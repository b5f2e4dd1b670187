// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/asm.h>
#include <tool/commands.h>
#include <tool/decode.h>
#include <tool/input.h>
#include <tool/output.h>
#include <tool/recognize.h>
#include <tool/spend_file.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

namespace slhc::tool {
namespace {

struct Options {
    std::string data, script;
    bool json{false};
    std::optional<DataKind> kind; //!< none: to be found out
};

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

Json Decode(DataKind kind, const Options& options)
{
    switch (kind) {
    case DataKind::ADDRESS: return WithArgument(options.data, [](const std::string& text) { return DecodeAddressText(Trim(text)); });
    case DataKind::SCRIPT: return WithArgument(options.data, [](const std::string& text) { return DecodeScript(ParseScriptOrHex(text)); });
    case DataKind::WITNESS: return WithArgument(options.data, [](const std::string& text) { return DecodeWitness(ParseHex(text)); });
    case DataKind::CONTROL_BLOCK: return ControlBlock(options);
    case DataKind::TX: return Tx(options);
    }
    return {};
}

/** What is given without a kind: also a file's name, which nothing else looks like. */
Json DecodeAnything(Options options)
{
    if (options.data.empty()) throw InputError{"DATA is required (see slhtool decode --help)"};
    std::error_code error;
    const bool is_file{options.data != "-" && !options.data.starts_with('@') && std::filesystem::is_regular_file(options.data, error)};
    const std::string argument{is_file ? "@" + options.data : options.data};
    options.data = TextArgument(argument); // standard input is read once
    const auto decode{[&] {
        const DataKind kind{RecognizeData(options.data)};
        Json json = {{"kind", DataKindName(kind)}};
        json.update(Within(std::string{DataKindName(kind)}, [&] { return Decode(kind, options); }));
        return json;
    }};
    return argument.starts_with('@') ? Within(argument.substr(1), decode) : argument == "-" ? Within("standard input", decode) : decode();
}

void DeclareKind(CommandParser& parser, const std::shared_ptr<Options>& options, DataKind kind, const std::string& description,
                 const std::string& what)
{
    CommandParser sub{parser.AddCommand(std::string{DataKindName(kind)}, description)};
    sub.Add("DATA", options->data, what).Required();
    if (kind == DataKind::CONTROL_BLOCK) {
        sub.Add("--script SCRIPT", options->script, "The leaf script, in hex or readable: computes the root and the address");
    }
    AddJsonFlag(sub, options->json);
    sub.OnSelected([options, kind] { options->kind = kind; });
}

} // namespace

Action DeclareDecode(CommandParser& parser)
{
    auto options{std::make_shared<Options>()};
    parser.Explain(
        "DATA is hexadecimal, @FILE containing it, or - for standard input. A COMMAND says what DATA is. Without one, slhtool\n"
        "finds out whether it is an address, a script, a witness, a control block or a transaction (in hex, or as the JSON\n"
        "of slhtool spend), and the output begins with what it took DATA for. DATA may then also be the name of a file. If\n"
        "the bytes are ambiguous, the error names the commands to choose from.");
    parser.Add("DATA", options->data, "What to decode");
    AddJsonFlag(parser, options->json);
    DeclareKind(parser, options, DataKind::SCRIPT, "A script: its instructions, its address, and what tapscript's rules make of it",
                "The script, in hex or readable");
    DeclareKind(parser, options, DataKind::WITNESS, "A serialized witness: elements, annex, control block, leaf script",
                "The witness in hex");
    DeclareKind(parser, options, DataKind::CONTROL_BLOCK, "A control block of P2MR (P2TSH) or P2TR: leaf version and path",
                "The control block in hex");
    DeclareKind(parser, options, DataKind::TX, "A transaction", "The transaction in hex, or the JSON of slhtool spend");
    DeclareKind(parser, options, DataKind::ADDRESS, "An address: P2MR (P2TSH, bc1z...), P2TR, P2WSH, P2WPKH", "The address");
    parser.AddExamples(
        {{"whatever it is", "slhtool decode demo-output/tampered.json"},
         {"what a leaf script does", "slhtool decode script 20...7f"},
         {"a transaction from a file", "slhtool decode tx @spend.json"},
         {"which output a control block and a script belong to", "slhtool decode control-block c1... --script 20...7f --json"}});
    return [options] {
        const Json json = options->kind ? Decode(*options->kind, *options) : DecodeAnything(*options);
        options->json ? PrintJson(json) : Print(RenderText(json));
        return EXIT_VALID;
    };
}

} // namespace slhc::tool
