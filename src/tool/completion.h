// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_COMPLETION_H
#define SLHCONSENSUS_TOOL_COMPLETION_H

#include <tool/help.h>

#include <string>

/** Scripts that complete a command line: commands, options, the words that an option takes, and files where one is
 *  expected, with the @ before its name where that is what names one. */
namespace slhc::tool {

/** For a shell's folder of completions, or to be sourced. */
std::string BashCompletion(const CommandText& program);
std::string ZshCompletion(const CommandText& program);
std::string FishCompletion(const CommandText& program);

/** What completes a value. */
struct ValueCompletion {
    enum class Kind { NONE, FILE, FOLDER, AT_FILE, WORDS } kind;
    std::vector<std::string> words;
};
ValueCompletion CompletionOf(const OptionText& option);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_COMPLETION_H
