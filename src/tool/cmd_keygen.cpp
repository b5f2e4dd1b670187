// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/commands.h>
#include <tool/input.h>
#include <tool/keys.h>
#include <tool/output.h>
#include <tool/output_file.h>
#include <util/hex.h>
#include <util/random.h>

#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace slhc::tool {
namespace {

constexpr size_t MAX_SEED_FILE{4096};

struct Options {
    std::vector<std::string> files;
    std::string file, type{"slhdsa"}, seed_file, public_file;
    bool force{false}, json{false};
};

KeyType TypeFromOption(const std::string& type)
{
    return type == "schnorr" ? KeyType::SCHNORR : KeyType::SLHDSA;
}

Json PublicKeyJson(KeyType type, std::span<const uint8_t> public_key)
{
    return {{"type", KeyTypeName(type)}, {"public_key", HexStr(public_key)}};
}

std::vector<uint8_t> Seed(const Options& options, KeyType type)
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

/** Find what would go wrong at a later key before the first one is made. */
void CheckFiles(const Options& options)
{
    std::set<std::string> seen;
    for (const auto& file : options.files) {
        if (file == "-") throw InputError{"FILE", "a secret key is never written to standard output"};
        if (!seen.insert(file).second) throw InputError{file, "is given twice"};
        CheckOutputFile({file, options.force});
    }
    if (options.public_file.empty() && options.seed_file.empty()) return;
    const char* const option{options.seed_file.empty() ? "--public" : "--seed-file"};
    if (options.files.size() > 1) throw InputError{option, "works with a single FILE only"};
    if (seen.contains(options.public_file)) throw InputError{"--public", "names the file of the secret key"};
    CheckOutputFile({options.public_file, options.force});
}

ExitStatus Keygen(const Options& options)
{
    CheckFiles(options);
    const KeyType type{TypeFromOption(options.type)};
    const bool one{options.files.size() == 1};
    Json keys = Json::array();
    for (const std::string& file : options.files) {
        const KeyPair key{MakeKeyPair(type, Seed(options, type))};
        WriteKeyFile({file, options.force}, key);
        Json json = PublicKeyJson(type, key.public_key);
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

ExitStatus Pubkey(const Options& options)
{
    const PublicKey key{ReadPublicKeyFile(options.file)};
    // A Schnorr secret has as many digits.
    if (!key.type) throw InputError{options.file, "a line of 64 hex digits, which does not say that it is a public key"};
    if (options.json) {
        PrintJson(PublicKeyJson(*key.type, key.bytes));
    } else {
        PrintLine(HexStr(key.bytes));
    }
    return EXIT_VALID;
}

} // namespace

Action DeclareKeygen(CommandParser& parser)
{
    auto options{std::make_shared<Options>()};
    parser.Explain("Writes the secret key to FILE, which only its owner can read (mode 0600), and prints the\n"
                    "public key. With several FILEs, each public key is on a line with its FILE, or in a JSON\n"
                    "array. Randomness comes from the operating system.");
    parser.Add("FILE", options->files, "Where the secret key goes. With several FILEs, a key for each").Required();
    parser.AddChoice("--type", options->type, {"slhdsa", "schnorr"}, "slhdsa (SLH-DSA-SHA2-128s) or schnorr (BIP 340)");
    parser.Add("--seed-file FILE", options->seed_file,
               "Make the key from a seed in hex: 48 bytes SK.seed || SK.prf || PK.seed, or the 32 bytes of a Schnorr secret key; - for "
               "standard input");
    parser.Add("--public FILE", options->public_file, "Write the public key to this file too");
    AddForceFlag(parser, options->force);
    AddJsonFlag(parser, options->json);
    parser.AddExamples(
        {{"an SLH-DSA key", "slhtool keygen alice.key"},
         {"keys for a 2-of-3", "slhtool keygen a.key b.key c.key"},
         {"a Schnorr key, with its public key in a file of its own", "slhtool keygen --type schnorr bob.key --public bob.pub"}});
    return [options] { return Keygen(*options); };
}

Action DeclarePubkey(CommandParser& parser)
{
    auto options{std::make_shared<Options>()};
    parser.Explain("An SLH-DSA secret key contains its public key; that of a Schnorr key is computed.");
    parser.Add("FILE", options->file, "File of a secret or a public key, - for standard input").Required();
    AddJsonFlag(parser, options->json);
    parser.AddExamples({{"the public key in hex", "slhtool pubkey alice.key"}});
    return [options] { return Pubkey(*options); };
}

} // namespace slhc::tool
