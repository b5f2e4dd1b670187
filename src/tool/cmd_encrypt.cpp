// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/commands.h>
#include <tool/encryption.h>
#include <tool/input.h>
#include <tool/output.h>

#include <memory>
#include <string>

#include <unistd.h>

namespace slhc::tool {
namespace {

struct Options {
    std::string file, out, passphrase_file;
    bool force{false};
};

SecretBytes Passphrase(const Options& options, bool twice)
{
    return options.passphrase_file.empty() ? AskPassphrase(twice) : ReadPassphraseFile(options.passphrase_file);
}

SecretBytes ReadInput(const Options& options)
{
    return ReadFileAs<SecretBytes>(options.file, MAX_ENCRYPTED_CONTENT);
}

ExitStatus Encrypt(const Options& options)
{
    if (options.out == "-") throw InputError{"OUT", "an encrypted file is bytes, not text: name a file"};
    const SecretBytes content{ReadInput(options)};
    if (IsEncrypted(content)) throw InputError{options.file, "is encrypted already"};
    const SecretBytes encrypted{EncryptFile(content, Passphrase(options, /*twice=*/true))};
    WriteSecretFile(options.out, encrypted, options.force);
    return EXIT_VALID;
}

ExitStatus Decrypt(const Options& options)
{
    if (options.out == "-" && isatty(STDOUT_FILENO) != 0) {
        throw InputError{"OUT", "a secret is not shown on a terminal: name a file, or send it to a command (slhtool spend --key -)"};
    }
    const SecretBytes encrypted{ReadInput(options)};
    const SecretBytes content{Within(options.file, [&] { return DecryptFile(encrypted, Passphrase(options, /*twice=*/false)); })};
    if (options.out == "-") {
        Print(AsText(content));
    } else {
        WriteSecretFile(options.out, content, options.force);
    }
    return EXIT_VALID;
}

Action Declare(CommandParser& parser, const std::string& file, const std::string& out, ExitStatus (*action)(const Options&))
{
    auto options{std::make_shared<Options>()};
    parser.Add("FILE", options->file, file).Required();
    parser.Add("OUT", options->out, out).Required();
    parser.Add("--passphrase-file FILE", options->passphrase_file,
               "The passphrase is the first line of this file; without it, slhtool asks at the terminal");
    parser.AddFlag("--force", options->force, "Replace OUT if it exists");
    return [options, action] { return action(*options); };
}

} // namespace

Action DeclareEncrypt(CommandParser& parser)
{
    parser.Describe(
        "The key is made from the passphrase by Argon2id with 256 MiB of memory; XChaCha20-Poly1305 encrypts the content and\n"
        "authenticates it with its header (libsodium). FILE stays as it is. Nobody can recover a forgotten passphrase.");
    parser.AddExamples({{"a key file", "slhtool encrypt alice.key alice.key.enc"}});
    return Declare(parser, "What to encrypt: a key file, a phrase, a backup", "Where the encrypted file goes; must not exist", Encrypt);
}

Action DeclareDecrypt(CommandParser& parser)
{
    parser.Describe("A wrong passphrase and a changed file look the same, and give an error: nothing is written then.");
    parser.AddExamples({{"a key file", "slhtool decrypt alice.key.enc alice.key"},
                        {"only for one command", "slhtool decrypt alice.key.enc - | slhtool pubkey -"}});
    return Declare(parser, "What slhtool encrypt wrote", "Where the content goes, readable by its owner only; - for standard output",
                   Decrypt);
}

} // namespace slhc::tool
