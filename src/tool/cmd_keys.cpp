// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/slhdsa/encoding.h>
#include <pqc/slhdsa/slhdsa.h>
#include <tool/commands.h>
#include <tool/input.h>
#include <tool/keys.h>
#include <tool/output.h>
#include <tool/output_file.h>
#include <util/hex.h>
#include <util/random.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace slhc::tool {
namespace {

constexpr size_t MAX_SEED_FILE{4096};

struct KeyOptions {
    std::vector<std::string> files;
    std::string file, type{"slhdsa"}, set{"128s"}, seed_file, experiment, public_file;
    bool force{false}, json{false};
};

KeyType TypeFromOption(const std::string& type)
{
    return type == "schnorr" ? KeyType::SCHNORR : KeyType::SLHDSA;
}

/** @throws InputError if a Schnorr key is to have a set */
slhdsa::ParameterSet SetFromOption(const std::string& set, KeyType type)
{
    const slhdsa::ParameterSet known{ParseParameterSet(set)};
    if (type == KeyType::SCHNORR && known != slhdsa::ParameterSet::SHA2_128S) throw InputError{"--set", "Schnorr keys have none"};
    return known;
}

constexpr const char* SET_OF_KEY{"Parameter set of SLH-DSA; scripts know 128s and, behind a flag of their own, 128-24 and 128-q40"};

Json PublicKeyJson(KeyType type, slhdsa::ParameterSet set, bool experiment, std::span<const uint8_t> public_key)
{
    return {{"type", FileTypeName(type, set, experiment)}, {"public_key", HexStr(public_key)}};
}

std::vector<uint8_t> Seed(const KeyOptions& options, KeyType type)
{
    const size_t size{SeedSize(type)};
    if (!options.seed_file.empty()) {
        const std::string hex{ReadFile(options.seed_file, MAX_SEED_FILE)};
        return Within(FileName(options.seed_file), [&] { return ParseHex(hex, size); });
    }
    std::vector<uint8_t> seed(size);
    GetStrongRandBytes(seed);
    return seed;
}

/** The key with this index of those that --experiment makes. */
KeyPair ExperimentKey(const KeyOptions& options, KeyType type, slhdsa::ParameterSet set, size_t index)
{
    return Within("--experiment", [&] {
        if (type == KeyType::SCHNORR || !options.seed_file.empty()) throw InputError{"works without --type schnorr and --seed-file"};
        const std::string_view text{options.experiment};
        const size_t colon{std::min(text.find(':'), text.size())};
        auto secret{ParseHex(text.substr(0, colon))};
        if (secret.size() > slhdsa::KEYGEN_SEED_SIZE) throw InputError{"the seed has more than 48 bytes"};
        secret.resize(slhdsa::KEYGEN_SEED_SIZE);
        const uint64_t first{colon == text.size() ? 0 : ParseNumber(text.substr(colon + 1), std::numeric_limits<uint64_t>::max())};
        const auto number{slhdsa::toByte<8>(first + index)};
        secret.insert(secret.end(), number.begin(), number.end());
        return MakeExperimentKey(std::move(secret), set);
    });
}

/** Find what would go wrong at a later key before the first one is made. */
void CheckFiles(const KeyOptions& options, slhdsa::ParameterSet set)
{
    std::set<std::string> seen;
    for (const auto& file : options.files) {
        if (file == "-") throw InputError{"FILE", "a secret key is never written to standard output"};
        if (!seen.insert(file).second) throw InputError{file, "is given twice"};
        CheckOutputFile({file, options.force});
        if (!HasLargeTopTree(set) || !options.experiment.empty()) continue;
        if (!seen.insert(TreeFile(file)).second) throw InputError{TreeFile(file), "is given, and goes beside a key"};
        CheckOutputFile({TreeFile(file), options.force});
    }
    if (options.public_file.empty() && options.seed_file.empty()) return;
    const char* const option{options.seed_file.empty() ? "--public" : "--seed-file"};
    if (options.files.size() > 1) throw InputError{option, "works with a single FILE only"};
    if (seen.contains(options.public_file)) throw InputError{"--public", "names the file of the secret key"};
    CheckOutputFile({options.public_file, options.force});
}

ExitStatus Keygen(const KeyOptions& options)
{
    const KeyType type{TypeFromOption(options.type)};
    const slhdsa::ParameterSet set{SetFromOption(options.set, type)};
    CheckFiles(options, set);
    const bool one{options.files.size() == 1};
    Json keys = Json::array();
    for (const std::string& file : options.files) {
        const KeyPair key{options.experiment.empty() ? MakeKeyPair(type, Seed(options, type), set)
                                                     : ExperimentKey(options, type, set, keys.size())};
        WriteKeyFile({file, options.force}, key);
        Json json = PublicKeyJson(type, set, key.experiment != nullptr, key.public_key);
        if (!options.public_file.empty()) WriteTextFile({options.public_file, options.force}, json.dump(2) + "\n");
        if (!one) json["file"] = file;
        keys.push_back(std::move(json));
    }
    if (options.json) {
        PrintJson(one ? keys[0] : keys);
    } else {
        for (const auto& key : keys) {
            PrintLine(key["public_key"].get<std::string>() + (one ? "" : "  " + Printable(key["file"].get<std::string>())));
        }
    }
    return EXIT_VALID;
}

ExitStatus Pubkey(const KeyOptions& options)
{
    const PublicKey key{ReadPublicKeyFile(options.file)};
    // A Schnorr secret has as many digits.
    if (!key.type) throw InputError{options.file, "a line of 64 hex digits, which does not say that it is a public key"};
    if (options.json) {
        PrintJson(PublicKeyJson(*key.type, key.set, key.experiment, key.bytes));
    } else {
        PrintLine(HexStr(key.bytes));
    }
    return EXIT_VALID;
}

/** The options that say which message is signed or verified, and its FIPS 205 context. */
struct MessageOptions {
    std::string hex, file, context_hex;
    std::optional<std::string> text;

    void Declare(CommandParser& parser)
    {
        CommandParser group{parser.AddGroup("Message (one of these)")};
        group.Add("--message HEX", hex, "The message in hex, @FILE with hex, or - for hex from standard input");
        group.Add("--message-file FILE", file, "A file that is the message, byte for byte");
        group.Add("--message-text TEXT", text, "The message as text");
        group.RequireOneOption();
        parser.Add("--context HEX", context_hex, "FIPS 205 context string in hex, up to 255 bytes; scripts use none");
    }
    /** @throws InputError */
    std::vector<uint8_t> Message() const
    {
        const auto bytes{file.empty() ? text : ReadFile(file)};
        if (bytes) return {bytes->begin(), bytes->end()};
        return HexArgument("--message", hex);
    }
    std::vector<uint8_t> Context() const { return HexArgument("--context", context_hex); }
};

struct SignatureOptions {
    std::string key, signature, type{"slhdsa"}, set{"128s"};
    OutputFile out;
    MessageOptions message;
    bool deterministic{false}, internal{false}, json{false};
};

ExitStatus Sign(const SignatureOptions& options)
{
    CheckOutputFile(options.out);
    const auto message{options.message.Message()};
    const auto context{options.message.Context()};
    const KeyPair key{ReadKeyFileOfAnySet(options.key)};
    std::vector<uint8_t> random;
    if (!options.deterministic) {
        random.resize(SigningRandomSize(key.type));
        GetStrongRandBytes(random);
    }
    const std::string signature{HexStr(SignMessage(key, message, context, random))};
    if (!options.out.empty()) WriteTextFile(options.out, signature + "\n");
    if (options.json) {
        PrintJson({{"type", KeyTypeName(key.type, key.set)}, {"public_key", HexStr(key.public_key)}, {"signature", signature}});
    } else if (options.out.empty()) {
        PrintLine(signature);
    }
    return EXIT_VALID;
}

bool IsValid(const SignatureOptions& options, KeyType type, slhdsa::ParameterSet set, std::span<const uint8_t> key,
             std::span<const uint8_t> signature)
{
    const auto message{options.message.Message()};
    const auto context{options.message.Context()};
    if (!options.internal) return VerifyMessage(type, key, message, context, signature, set);
    if (type != KeyType::SLHDSA) throw InputError{"--internal", "only SLH-DSA has an internal interface"};
    if (!context.empty()) throw InputError{"--context", "the internal interface takes none"};
    return slhdsa::slh_verify_internal(set, slhdsa::MessagePieces::Internal(message), signature, key.first<slhdsa::PUBLIC_KEY_SIZE>());
}

ExitStatus Verify(const SignatureOptions& options)
{
    const KeyType type{TypeFromOption(options.type)};
    const slhdsa::ParameterSet set{SetFromOption(options.set, type)};
    const auto key{Within("--public-key", [&] { return ParsePublicKey(options.key, type, set); })};
    const auto signature{HexArgument("--signature", options.signature)};
    const bool valid{IsValid(options, type, set, key, signature)};
    if (options.json) {
        PrintJson({{"type", KeyTypeName(type, set)}, {"signature_size", signature.size()}, {"valid", valid}});
    } else {
        PrintLine(valid ? "valid" : "invalid");
    }
    return valid ? EXIT_VALID : EXIT_INVALID;
}

} // namespace

Action DeclareKeygen(CommandParser& parser)
{
    auto options{std::make_shared<KeyOptions>()};
    parser.Explain("Writes the secret key to FILE, which only its owner can read (mode 0600), and prints the\n"
                   "public key. With several FILEs, each public key is on a line with its FILE, or in a JSON\n"
                   "array. Randomness comes from the operating system. A key of 128-24 takes seconds; the part that all its\n"
                   "signatures share goes to FILE.tree, which sign finds there. It is not secret.");
    parser.Add("FILE", options->files, "Where the secret key goes. With several FILEs, a key for each").Required();
    parser.AddChoice("--type", options->type, {"slhdsa", "schnorr"}, "slhdsa (SLH-DSA) or schnorr (BIP 340)");
    AddSetChoice(parser, options->set, SET_OF_KEY);
    parser.Add("--seed-file FILE", options->seed_file,
               "Make the key from a seed in hex: 48 bytes SK.seed || SK.prf || PK.seed, or the 32 bytes of a Schnorr secret key; - for "
               "standard input");
    parser.Add("--experiment SEED:NUMBER", options->experiment,
               "A key for experiments, which protects nothing: slhtool spend signs with it in a millisecond, and nothing else does. SEED "
               "is up to 48 bytes in hex, zeros follow; NUMBER, 0 if left out, is that of the first FILE");
    parser.Add("--public FILE", options->public_file, "Write the public key to this file too");
    AddForceFlag(parser, options->force);
    AddJsonFlag(parser, options->json);
    parser.AddExamples(
        {{"an SLH-DSA key", "slhtool keygen alice.key"},
         {"keys for a 2-of-3", "slhtool keygen a.key b.key c.key"},
         {"a key of another parameter set", "slhtool keygen --set 128-24 carol.key"},
         {"ten keys to fill blocks with", "slhtool keygen --experiment 00:1 {1..10}.key"},
         {"a Schnorr key, with its public key in a file of its own", "slhtool keygen --type schnorr bob.key --public bob.pub"}});
    return [options] { return Keygen(*options); };
}

Action DeclarePubkey(CommandParser& parser)
{
    auto options{std::make_shared<KeyOptions>()};
    parser.Explain("An SLH-DSA secret key contains its public key; that of a Schnorr key is computed.");
    parser.Add("FILE", options->file, "File of a secret or a public key, - for standard input").Required();
    AddJsonFlag(parser, options->json);
    parser.AddExamples({{"the public key in hex", "slhtool pubkey alice.key"}});
    return [options] { return Pubkey(*options); };
}

Action DeclareSign(CommandParser& parser)
{
    auto options{std::make_shared<SignatureOptions>()};
    parser.Explain("The key decides how: SLH-DSA (slh_sign of FIPS 205, pure; 7856 bytes with 128s) or BIP 340 (64 bytes).\n"
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
    auto options{std::make_shared<SignatureOptions>()};
    parser.Explain("Exit status 0: valid, 1: invalid (a wrong size included).");
    parser.Add("--public-key KEY", options->key, "64 hex digits, or @FILE with a public or secret key").Required();
    parser.Add("--signature HEX", options->signature, "The signature in hex, @FILE or -").Required();
    options->message.Declare(parser);
    parser.AddChoice("--type", options->type, {"slhdsa", "schnorr"}, "The type of the key and the signature");
    AddSetChoice(parser, options->set, SET_OF_KEY);
    parser.AddFlag("--internal", options->internal, "slh_verify_internal: the message is hashed as is, without the prefix of slh_verify");
    AddJsonFlag(parser, options->json);
    parser.AddExamples(
        {{"verify what slhtool sign wrote", "slhtool verify --public-key @alice.key --message-file letter.txt --signature @letter.sig"}});
    return [options] { return Verify(*options); };
}

} // namespace slhc::tool
