// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <primitives/block.h>
#include <script/address.h>
#include <script/p2mr.h>
#include <script/script.h>
#include <tool/asm.h>
#include <tool/commands.h>
#include <tool/decode.h>
#include <tool/error.h>
#include <tool/input.h>
#include <tool/json.h>
#include <tool/keys.h>
#include <tool/network.h>
#include <tool/output.h>
#include <tool/psbt_file.h>
#include <tool/spend_file.h>
#include <util/hex.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>

namespace slhc::tool {
namespace {

/** The kinds that can be told from the data alone. */
enum class DataKind { ADDRESS, SCRIPT, WITNESS, CONTROL_BLOCK, TX };

/** The word for it on the command line: "control-block". */
std::string_view DataKindName(DataKind kind)
{
    switch (kind) {
    case DataKind::ADDRESS: return "address";
    case DataKind::SCRIPT: return "script";
    case DataKind::WITNESS: return "witness";
    case DataKind::CONTROL_BLOCK: return "control-block";
    case DataKind::TX: return "tx";
    }
    return "";
}

constexpr size_t COMPRESSED_KEY_SIZE{33};

/** True if it begins as a descriptor that slhtool knows. No shorthand of scripts has such a name. */
bool LooksLikeDescriptor(std::string_view text)
{
    constexpr std::array<std::string_view, 4> BEGINNINGS{"mr(", "tr(", "raw(", "addr("};
    return std::ranges::any_of(BEGINNINGS, [&](std::string_view beginning) { return text.starts_with(beginning); });
}

/** @return true if parse(bytes) gives something */
template <typename F>
bool Parses(F&& parse, std::span<const uint8_t> bytes)
{
    try {
        parse(bytes);
        return true;
    } catch (const ParseError&) {
        return false;
    }
}

/** Leaf version 0xc0 and a parity bit, then 32-byte steps. Control blocks of other leaf versions look like anything. */
bool LooksLikeControlBlock(std::span<const uint8_t> bytes)
{
    return !bytes.empty() && (bytes[0] & TAPROOT_LEAF_MASK) == TAPROOT_LEAF_TAPSCRIPT &&
           ValidControlSize(bytes.size(), P2MR_CONTROL_BASE_SIZE);
}

/** With a hash type or without. */
bool IsSchnorrSignatureSize(size_t size) { return size == wallet::SCHNORR_SIGNATURE_SIZE || size == wallet::SCHNORR_SIGNATURE_SIZE + 1; }

/** An SLH-DSA or Schnorr signature, with a hash type or without. */
bool LooksLikeTapscriptSignature(std::span<const uint8_t> bytes)
{
    return wallet::SetOfSignature(bytes.size()) || IsSchnorrSignatureSize(bytes.size());
}

/** DER with a hash type (ECDSA). */
bool LooksLikeDerSignature(std::span<const uint8_t> bytes)
{
    constexpr uint8_t DER_SEQUENCE{0x30};
    constexpr size_t HEADER_SIZE{2}, HASH_TYPE_SIZE{1};
    return bytes.size() > HEADER_SIZE && bytes[0] == DER_SEQUENCE && bytes.size() == bytes[1] + HEADER_SIZE + HASH_TYPE_SIZE;
}

/** True if a witness has an element that hardly anything else has. */
bool HasTypicalElement(const CScriptWitness& witness)
{
    return std::ranges::any_of(witness.stack, [](const auto& element) {
        return LooksLikeControlBlock(element) || LooksLikeTapscriptSignature(element) || LooksLikeDerSignature(element);
    });
}

/** True if every instruction decodes and is one that means something today. */
bool LooksLikeScript(const CScript& script)
{
    auto pc{script.begin()};
    opcodetype opcode;
    while (pc != script.end()) {
        if (!script.GetOp(pc, opcode)) return false;
        if (!IsSLHDSAOpcode(opcode) && (IsDisabledOpcode(opcode) || opcode > OP_CHECKSIGADD)) return false;
    }
    return !script.empty();
}

/** A name for other things that people have in hex, by size; empty if it is none of these. */
std::string KnownBySize(std::span<const uint8_t> bytes)
{
    const size_t size{bytes.size()};
    const auto of_set{[](slhdsa::ParameterSet set) { return " of " + std::string{slhdsa::ParameterSetName(set)}; }};
    if (size == ANY_PUBLIC_KEY_SIZE) return "a public key, a hash or a transaction id (32 bytes)";
    if (size == COMPRESSED_KEY_SIZE) {
        const auto set{wallet::SetOfKey(bytes)};
        return (set ? "a public key" + of_set(*set) : std::string{"a compressed public key"}) + " (33 bytes)";
    }
    if (const auto set{wallet::SetOfSignature(size)}) {
        const std::string of{*set == slhdsa::ParameterSet::SHA2_128S ? "" : of_set(*set)};
        return "an SLH-DSA signature" + of + " (" + std::to_string(size) + " bytes)";
    }
    if (IsSchnorrSignatureSize(size)) {
        return "a Schnorr signature (" + std::to_string(size) + " bytes)";
    }
    return "";
}

DataKind RecognizeBytes(std::span<const uint8_t> bytes)
{
    if (bytes.empty()) throw InputError{"nothing to decode"};
    if (Parses([](auto data) { (void)ParseTransaction(data); }, bytes)) return DataKind::TX;
    if (Parses([](auto data) { (void)ParseBlock(data); }, bytes)) throw InputError{"this is a block: slhtool verify-block verifies one"};

    const CScript script{bytes};
    const bool is_script{LooksLikeScript(script)};
    const auto witness{TryParseWitness(bytes)};
    const bool may_be_control_block{ValidControlSize(bytes.size(), P2MR_CONTROL_BASE_SIZE)};
    if (witness && HasTypicalElement(*witness)) return DataKind::WITNESS;
    if (LooksLikeControlBlock(bytes) && !is_script) return DataKind::CONTROL_BLOCK;
    // 33 bytes are a control block, a key, or any script.
    const std::string known{KnownBySize(bytes)};
    if (is_script && known.empty() && !witness) return DataKind::SCRIPT;
    if (is_script && WitnessProgram::FromScriptPubKey(bytes)) return DataKind::SCRIPT;

    std::string choices{"slhtool decode script"};
    if (witness) choices += ", decode witness";
    if (may_be_control_block) choices += ", decode control-block";
    if (!known.empty()) throw InputError{"this may be " + known + " and has nothing to decode; to decode it anyway, use " + choices};
    if (is_script || witness || may_be_control_block) throw InputError{"these bytes may be several things; say which: " + choices};
    throw InputError{"not a transaction, witness or control block, and as a script it has undefined or truncated instructions; " + choices +
                     " shows it anyway"};
}

DataKind RecognizeJson(std::string_view text)
{
    const JsonDocument json{text};
    const auto has{[&](const char* name) { return json.Top().Find(name).has_value(); }};
    if (has("tx")) return DataKind::TX;
    if (has("block")) throw InputError{"this is a block: slhtool verify-block verifies one"};
    if (has("tree")) throw InputError{"this is a script tree: slhtool address --tree shows it"};
    if (has("inputs") && has("outputs")) throw InputError{"this says what to spend: slhtool spend makes a transaction from it"};
    throw InputError{"JSON without a transaction (no member 'tx')"};
}

/** Find out what a text is: hex, an address, a readable script, or JSON with a transaction.
 *  @throws InputError saying what it may be, if that is several things, or which command is for it, if it is none of these */
DataKind RecognizeData(std::string_view text)
{
    text = Trim(text);
    if (LooksLikePSBT(text)) throw InputError{"this is a PSBT: slhtool psbt show says what it holds"};
    if (HasOnlyHexDigits(text)) return RecognizeBytes(ParseHex(text));
    if (LooksLikeAddress(text)) return DataKind::ADDRESS;
    if (LooksLikeDescriptor(text)) throw InputError{"this is a descriptor: slhtool descriptor info says what it means"};
    // A tree begins as JSON does, but has no quotation marks.
    if (text.starts_with('{') && !Trim(text.substr(1)).starts_with('"')) {
        throw InputError{"this is a script tree: slhtool address --tree shows it"};
    }
    if (text.starts_with('{')) return RecognizeJson(text);
    if (text.starts_with("0x") || text.starts_with("OP_") || text.find_first_of("<( ") != text.npos) return DataKind::SCRIPT;
    throw InputError{Quote(text) + " is not hex, an address, a script or a file; it can be: address, script, witness, control-block, tx"};
}

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
        if (!Trim(text).starts_with('{')) return DecodeTx(*ParseTx(ParseHex(text)));
        return DecodeTx(*ParseTx(JsonDocument{text}.Top().At("tx").Hex()));
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

/** Decode data that is given without a kind; it may be a file's name, which nothing else looks like. */
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
