// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_TERMINAL_H
#define SLHCONSENSUS_TOOL_TERMINAL_H

#include <tool/command_line.h>

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

/** What only a person at a terminal gets to see: colours on standard output, steps of long work on standard error. */
namespace slhc::tool {

enum class Colour {
    GOOD, //!< green
    BAD,  //!< red
    DIM,
};

/** --color, in subcommands that use colours in what they print as text. */
void AddColorOption(CommandParser& parser);

/** The text in a colour, or as it is: unless --color says otherwise, colours are for a standard output that is a terminal,
 *  not with NO_COLOR set or TERM=dumb. */
std::string Coloured(Colour colour, std::string_view text);
/** GOOD or BAD. */
std::string ColouredVerdict(bool good, std::string_view text);

/** Linux keeps so many bytes of a line that is typed, and drops the others without a word: a line as long as this may have gone on. */
constexpr size_t MAX_TERMINAL_LINE{4095};

/** The terminal of the person who runs this, whatever standard input and output are. */
class Terminal
{
public:
    /** @throws InputError if there is none */
    Terminal();

    /** For what the person must have seen before a question. */
    [[nodiscard]] std::FILE* Stream() const noexcept { return m_file.get(); }
    /** Whether what is printed to a stream stands on this terminal. */
    [[nodiscard]] static bool Shows(std::FILE* stream);
    /** @return whether the answer, typed after the question was shown, is a line that says yes */
    [[nodiscard]] bool Confirm(std::string_view question) const;

private:
    struct CloseFile {
        void operator()(std::FILE* file) const { (void)std::fclose(file); }
    };

    const std::unique_ptr<std::FILE, CloseFile> m_file;
};

/** A line on standard error that names a step of long work as it begins, if standard error is a terminal.
 *  @param[in] wanted  false: show nothing (with --json) */
void ShowStep(bool wanted, std::string_view step);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_TERMINAL_H
