// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_OUTPUT_FILE_H
#define SLHCONSENSUS_TOOL_OUTPUT_FILE_H

#include <tool/command_line.h>

#include <string>
#include <string_view>

/** Files that commands write. One that exists is replaced only with --force, and a new one is complete before it gets its name. */
namespace slhc::tool {

struct OutputFile {
    std::string path; //!< empty: none is asked for
    bool force{false};

    [[nodiscard]] bool empty() const noexcept { return path.empty(); }
};

/** --force, the same in every subcommand that writes files. */
void AddForceFlag(CommandParser& parser, bool& force);

/** Find out before any work whether the file may be written. An empty path is fine.
 *  @throws InputError */
void CheckOutputFile(const OutputFile& file);

/** Write a file that anyone may read. A device or a pipe, such as /dev/stdout, is written to as it is.
 *  @throws InputError */
void WriteTextFile(const OutputFile& file, std::string_view content);

/** Write a file that only its owner can read.
 *  @throws InputError */
void WriteSecretFile(const OutputFile& file, std::string_view content);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_OUTPUT_FILE_H
