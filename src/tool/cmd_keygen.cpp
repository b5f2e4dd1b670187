// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/commands.h>
#include <tool/input.h>
#include <tool/keys.h>
#include <tool/output.h>
#include <util/hex.h>
#include <util/random.h>

#include <memory>

namespace slhc::tool {
namespace {

struct Options {
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

SecretBytes Seed(const Options& options, KeyType type)
{
    if (!options.seed_file.empty()) return ReadSecretHexFile(options.seed_file, SeedSize(type));
    SecretBytes seed(SeedSize(type));
    GetStrongRandBytes(seed);
    return seed;
}

ExitStatus Keygen(const Options& options)
{
    const KeyType type{TypeFromOption(options.type)};
    const KeyPair key{MakeKeyPair(type, Seed(options, type))};
    WriteKeyFile(options.file, key, options.force);
    const Json json = PublicKeyJson(type, key.public_key);
    if (!options.public_file.empty()) WriteTextFile(options.public_file, json.dump(2) + "\n");
    if (options.json) {
        PrintJson(json);
    } else {
        PrintLine(HexStr(key.public_key));
    }
    return EXIT_VALID;
}

ExitStatus Pubkey(const Options& options)
{
    const KeyPair key{ReadKeyFile(options.file)};
    if (options.json) {
        PrintJson(PublicKeyJson(key.type, key.public_key));
    } else {
        PrintLine(HexStr(key.public_key));
    }
    return EXIT_VALID;
}

} // namespace

Action DeclareKeygen(CLI::App& app)
{
    auto options{std::make_shared<Options>()};
    app.description("The secret key goes to FILE, which only its owner can read (mode 0600); the public\n"
                    "key goes to standard output. Randomness comes from the operating system.");
    app.add_option("FILE", options->file, "Where the secret key goes; must not exist")->required()->type_name("");
    app.add_option("--type", options->type, "slhdsa (SLH-DSA-SHA2-128s) or schnorr (BIP 340)")->check(CLI::IsMember({"slhdsa", "schnorr"}))->capture_default_str()->type_name("TYPE");
    app.add_option("--seed-file", options->seed_file,
                   "Make the key from a seed in hex: 48 bytes SK.seed || SK.prf || PK.seed, or the 32 bytes of a Schnorr secret key; - for standard input")->type_name("FILE");
    app.add_option("--public", options->public_file, "Write the public key to this file too")->type_name("FILE");
    app.add_flag("--force", options->force, "Replace FILE if it exists");
    AddJsonFlag(app, options->json);
    AddExamples(app, {{"an SLH-DSA key", "slhtool keygen alice.key"},
                      {"a Schnorr key, with its public key in a file of its own", "slhtool keygen --type schnorr bob.key --public bob.pub"}});
    return [options] { return Keygen(*options); };
}

Action DeclarePubkey(CLI::App& app)
{
    auto options{std::make_shared<Options>()};
    app.description("The public key of an SLH-DSA key is in its secret key; that of a Schnorr key is computed.");
    app.add_option("FILE", options->file, "Secret key file, - for standard input")->required()->type_name("");
    AddJsonFlag(app, options->json);
    AddExamples(app, {{"the public key in hex", "slhtool pubkey alice.key"}});
    return [options] { return Pubkey(*options); };
}

} // namespace slhc::tool
