// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_OUTPUT_FILE_H
#define SLHCONSENSUS_TOOL_OUTPUT_FILE_H

#include <tool/command_line.h>
#include <tool/file_kind.h>
#include <tool/secret.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

/** Files that commands write, by one rule for all:
 *
 *  - A file that exists is replaced only with --force.
 *  - One that cannot be made again (FileKind) is replaced even then only by what holds all of it: the same content, the same wallet's
 *    backup, a longer table of the same keys, or what is made of that very content (slhtool encrypt F F --force).
 *  - A new file is complete before it gets its name, and takes an old one's place in one step. Whatever fails, a full disk for one, the old
 *    one is as it was. Nothing is lost either if several of these programs replace it at the same time, or another program does, where the
 *    file system can exchange names. A link is replaced, never followed, except to a device or a stream: these are written to. */
namespace slhc::tool {

struct OutputFile {
    std::string path; //!< empty: none is asked for
    bool force{false};

    [[nodiscard]] bool empty() const noexcept { return path.empty(); }
};

/** --force, the same in every subcommand that writes files. */
void AddForceFlag(CommandParser& parser, bool& force);

/** Refuse what may be a secret as the name of a new file or folder, which everybody could read.
 *  @throws InputError that does not repeat it */
void RefuseSecretAsName(const std::string& path);

/** Find out whether the file may be written, before anybody is asked for anything. An empty path is fine.
 *  @param[in] kind       of what will be written
 *  @param[in] made_from  a file that the content will hold all of, if there is one
 *  Whether what is written holds all of an old file of this kind, or of that one, is judged when it is written.
 *  @throws InputError */
void CheckOutputFile(const OutputFile& file, FileKind kind = FileKind::OTHER, const std::string& made_from = "");

/** Whether what is written holds all of an old file, whose content is given, though not byte for byte. */
using HoldsAllOf = std::function<bool(std::span<const uint8_t> old)>;

/** Write a file that anyone may read, or that those may read who may read the one that it replaces.
 *  @throws InputError */
void WriteTextFile(const OutputFile& file, std::string_view content, const HoldsAllOf& holds_all_of = {});

struct SecretFileOptions {
    HoldsAllOf holds_all_of{};
    //! Called with what was written and read again, before it replaces anything; throws if it is not good.
    std::function<void(const SecretBytes&)> verify{};
};

/** Write a file that only its owner can read, never to a device or a stream.
 *  @throws InputError */
void WriteSecretFile(const OutputFile& file, std::span<const uint8_t> content, const SecretFileOptions& options = {});

/** "a.key, b.key are written; ": what this process has written so far, for an error that comes after it. Empty if that is nothing. */
std::string WrittenSoFar();

/** Whether writing the file `out` would replace the file `in`. */
bool WouldReplace(const std::string& out, const std::string& in);

/** A file on the command line. */
struct NamedFile {
    std::string option; //!< or the argument's name
    std::string path;   //!< empty: none is given
};

/** Refuse an output that would replace another file of the same command: a passphrase, say, which is like any text (FileKind::OTHER).
 *  @throws InputError */
void RefuseSameFile(const NamedFile& out, const NamedFile& other);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_OUTPUT_FILE_H
