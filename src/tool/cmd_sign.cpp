// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/api.h>
#include <tool/commands.h>
#include <tool/input.h>
#include <tool/keys.h>
#include <tool/message.h>
#include <tool/output.h>
#include <tool/output_file.h>
#include <util/hex.h>
#include <util/random.h>

#include <memory>

namespace slhc::tool {
namespace {

struct Options {
    std::string key, signature, type{"slhdsa"};
    OutputFile out;
    MessageOptions message;
    bool deterministic{false}, internal{false}, json{false};
};

ExitStatus Sign(const Options& options)
{
    CheckOutputFile(options.out);
    const auto message{options.message.Message()};
    const auto context{options.message.Context()};
    const KeyPair key{ReadKeyFile(options.key)};
    std::vector<uint8_t> random;
    if (!options.deterministic) {
        random.resize(SigningRandomSize(key.type));
        GetStrongRandBytes(random);
    }
    const std::string signature{HexStr(SignMessage(key, message, context, random))};
    if (!options.out.empty()) WriteTextFile(options.out, signature + "\n");
    if (options.json) {
        PrintJson({{"type", KeyTypeName(key.type)}, {"public_key", HexStr(key.public_key)}, {"signature", signature}});
    } else if (options.out.empty()) {
        PrintLine(signature);
    }
    return EXIT_VALID;
}

bool IsValid(const Options& options, KeyType type, std::span<const uint8_t> key, std::span<const uint8_t> signature)
{
    const auto message{options.message.Message()};
    const auto context{options.message.Context()};
    if (!options.internal) return VerifyMessage(type, key, message, context, signature);
    if (type != KeyType::SLHDSA) throw InputError{"--internal", "only SLH-DSA has an internal interface"};
    if (!context.empty()) throw InputError{"--context", "the internal interface takes none"};
    return Checked(slhc_slhdsa_verify_internal(key.data(), View(message), View(signature))) == SLHC_VALID;
}

ExitStatus Verify(const Options& options)
{
    const KeyType type{options.type == "schnorr" ? KeyType::SCHNORR : KeyType::SLHDSA};
    const auto key{Within("--public-key", [&] { return ParsePublicKey(options.key, type); })};
    const auto signature{HexArgument("--signature", options.signature)};
    const bool valid{IsValid(options, type, key, signature)};
    if (options.json) {
        PrintJson({{"type", KeyTypeName(type)}, {"signature_size", signature.size()}, {"valid", valid}});
    } else {
        PrintLine(valid ? "valid" : "invalid");
    }
    return valid ? EXIT_VALID : EXIT_INVALID;
}

} // namespace

Action DeclareSign(CommandParser& parser)
{
    auto options{std::make_shared<Options>()};
    parser.Explain("The key decides how: SLH-DSA-SHA2-128s (slh_sign of FIPS 205, pure, 7856 bytes) or BIP 340 (64 bytes).\n"
                    "Signatures are randomized unless --deterministic is given.");
    parser.Add("--key FILE", options->key, "Secret key file, - for standard input").Required();
    options->message.Declare(parser);
    parser.AddFlag("--deterministic", options->deterministic, "Add no randomness: the same message gives the same signature");
    parser.Add("--out FILE", options->out.path, "Write the signature to this file, in hex");
    AddForceFlag(parser, options->out.force);
    AddJsonFlag(parser, options->json);
    parser.AddExamples({{"sign a file", "slhtool sign --key alice.key --message-file letter.txt --out letter.sig"},
                        {"sign with a FIPS 205 context", "slhtool sign --key alice.key --message 00ff --context 6d79617070"}});
    return [options] { return Sign(*options); };
}

Action DeclareVerify(CommandParser& parser)
{
    auto options{std::make_shared<Options>()};
    parser.Explain("Exit status 0: valid, 1: invalid (a wrong size included).");
    parser.Add("--public-key KEY", options->key, "64 hex digits, or @FILE with a public or secret key").Required();
    parser.Add("--signature HEX", options->signature, "The signature in hex, @FILE or -").Required();
    options->message.Declare(parser);
    parser.AddChoice("--type", options->type, {"slhdsa", "schnorr"}, "The type of the key and the signature");
    parser.AddFlag("--internal", options->internal, "slh_verify_internal: the message is hashed as is, without the prefix of slh_verify");
    AddJsonFlag(parser, options->json);
    parser.AddExamples(
        {{"verify what slhtool sign wrote", "slhtool verify --public-key @alice.key --message-file letter.txt --signature @letter.sig"}});
    return [options] { return Verify(*options); };
}

} // namespace slhc::tool
