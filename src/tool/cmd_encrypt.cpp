// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/commands.h>
#include <tool/encryption.h>
#include <tool/input.h>
#include <tool/output.h>
#include <tool/output_file.h>
#include <tool/unnamed_file.h>

#include <cstdio>
#include <memory>
#include <span>
#include <string>

#include <unistd.h>

namespace slhc::tool {
namespace {

struct Options {
    std::string file, passphrase_file;
    OutputFile out;
};

SecretBytes Passphrase(const Options& options, bool twice)
{
    return options.passphrase_file.empty() ? AskPassphrase(twice) : ReadPassphraseFile(options.passphrase_file, options.file);
}

/** The passphrase stays, whatever is replaced: nothing else opens the file. */
void KeepPassphrase(const Options& options)
{
    RefuseSameFile({"OUT", options.out.path}, {"--passphrase-file", options.passphrase_file});
}

/** Past the buffer of stdio, which nobody would wipe. */
void WriteToStdout(std::span<const uint8_t> content)
{
    std::fflush(stdout);
    WriteAll(STDOUT_FILENO, content, "standard output");
}

/** What is left of a file that was given as FILE and as OUT. */
void SayReplaced(const Options& options, const std::string& by)
{
    PrintLine(Printable(options.out.path) + ": replaced by " + by);
}

ExitStatus Encrypt(const Options& options)
{
    if (options.out.path == "-") throw InputError{"OUT", "an encrypted file is bytes, not text: name a file"};
    KeepPassphrase(options);
    const bool in_place{WouldReplace(options.out.path, options.file)};
    const SecretBytes content{ReadFileAs<SecretBytes>(options.file, MAX_ENCRYPTED_CONTENT)};
    if (IsEncrypted(content)) throw InputError{options.file, "is encrypted already"};
    CheckOutputFile(options.out, FileKind::ENCRYPTED, options.file);
    const SecretBytes passphrase{Passphrase(options, /*twice=*/true)};
    const auto verify{[&](const SecretBytes& written) {
        if (DecryptFile(written, passphrase) != content) throw InputError{options.out.path, "what was written is not what was encrypted"};
    }};
    const auto holds_all_of{[&](std::span<const uint8_t> old) {
        if (std::ranges::equal(old, content)) return true;
        try {
            return DecryptFile(old, passphrase) == content;
        } catch (const InputError&) {
            return false; // another passphrase may well open it
        }
    }};
    WriteSecretFile(options.out, EncryptFile(content, passphrase),
                    {.holds_all_of = holds_all_of, .verify = verify});
    if (in_place) SayReplaced(options, "its encrypted form: without the passphrase, its content is lost");
    return EXIT_VALID;
}

ExitStatus Decrypt(const Options& options)
{
    const bool to_stdout{options.out.path == "-"};
    if (to_stdout && isatty(STDOUT_FILENO) != 0) {
        throw InputError{"OUT", "a secret is not shown on a terminal: name a file, or send it to a command (slhtool spend --key -)"};
    }
    if (!to_stdout) KeepPassphrase(options);
    // What --force may replace depends on what comes out.
    if (!to_stdout && !options.out.force) CheckOutputFile(options.out);
    const bool in_place{!to_stdout && WouldReplace(options.out.path, options.file)};
    const SecretBytes encrypted{ReadFileAs<SecretBytes>(options.file, MAX_ENCRYPTED_FILE)};
    const SecretBytes passphrase{Passphrase(options, /*twice=*/false)};
    const SecretBytes content{Within(options.file, [&] { return DecryptFile(encrypted, passphrase); })};
    if (to_stdout) {
        WriteToStdout(content);
        return EXIT_VALID;
    }
    WriteSecretFile(options.out, content,
                    {.holds_all_of = [&](std::span<const uint8_t> old) { return std::ranges::equal(old, encrypted); }});
    if (in_place) SayReplaced(options, "its plain content: anyone who reads this disk can read it");
    return EXIT_VALID;
}

Action Declare(CommandParser& parser, const std::string& file, const std::string& out, ExitStatus (*action)(const Options&))
{
    auto options{std::make_shared<Options>()};
    parser.Add("FILE", options->file, file).Required();
    parser.Add("OUT", options->out.path, out).Required();
    parser.Add("--passphrase-file FILE", options->passphrase_file,
               "The passphrase is the first line of this file; without it, slhtool asks at the terminal");
    AddForceFlag(parser, options->out.force);
    return [options, action] { return action(*options); };
}

} // namespace

Action DeclareEncrypt(CommandParser& parser)
{
    parser.Describe(
        "The key is made from the passphrase by Argon2id with 256 MiB of memory; XChaCha20-Poly1305 encrypts the content and\n"
        "authenticates it with its header (libsodium). The result is decrypted as a check before it is put in place. FILE stays\n"
        "as it is, unless OUT is FILE and --force is given. Nobody can recover a forgotten passphrase.");
    parser.AddExamples({{"a key file", "slhtool encrypt alice.key alice.key.enc"},
                        {"in place: the plain file is replaced", "slhtool encrypt alice.key alice.key --force"}});
    return Declare(parser, "What to encrypt: a key file, a phrase, a backup", "Where the encrypted file goes", Encrypt);
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
