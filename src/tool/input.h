// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_INPUT_H
#define SLHCONSENSUS_TOOL_INPUT_H

#include <tool/error.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/** Reading what a user gives: bounded, and with errors that name the thing and the place. */
namespace slhc::tool {

//! Files beyond this are refused before they are read. A block of 4,000,000 weight units and the outputs that
//! it spends fit in hexadecimal.
inline constexpr size_t MAX_INPUT_SIZE{32u << 20};

/** The name of a file in messages: its path, or "standard input" for "-". */
std::string FileName(const std::string& path);

/** The whole content of a file; "-" is standard input.
 *  @throws InputError if it cannot be read, is a directory, is empty, or has more than max_size bytes */
std::string ReadFile(const std::string& path, size_t max_size = MAX_INPUT_SIZE);

/** The bytes that hex spells, white space around it ignored.
 *  @throws InputError naming the first position that is no digit, or the odd number of digits */
std::vector<uint8_t> ParseHex(std::string_view hex);

/** As ParseHex, and exactly `size` bytes. */
std::vector<uint8_t> ParseHex(std::string_view hex, size_t size);

/** The text that a command-line argument stands for: the content of FILE for "@FILE", standard input for "-", else
 *  the argument itself. */
std::string TextArgument(const std::string& argument);

/** For an error about an argument: if there is a file of this name, the @ before it may be missing. Else empty. */
std::string MissingAtHint(const std::string& argument);

/** f(); an InputError out of it is thrown again with MissingAtHint(argument). */
template <typename F>
auto WithMissingAtHint(const std::string& argument, F&& f)
{
    try {
        return f();
    } catch (const InputError& e) {
        throw InputError{e.what() + MissingAtHint(argument)};
    }
}

/** f(TextArgument(argument)); an InputError out of f is thrown again with the file put before it, if it is one, else with a hint. */
template <typename F>
auto WithArgument(const std::string& argument, F&& f)
{
    const std::string text{TextArgument(argument)};
    if (argument == "-") return Within("standard input", [&] { return f(text); });
    if (argument.starts_with('@')) return Within(argument.substr(1), [&] { return f(text); });
    return WithMissingAtHint(argument, [&] { return f(text); });
}

/** TextArgument, as hexadecimal. */
std::vector<uint8_t> HexArgument(const std::string& argument);
/** The same; the argument's name opens every error. */
std::vector<uint8_t> HexArgument(const std::string& name, const std::string& argument);

/** A decimal number from 0 to max, nothing else.
 *  @throws InputError */
uint64_t ParseNumber(std::string_view text, uint64_t max);

/** The number of one of `count` things.
 *  @throws InputError "there is no leaf 2" */
size_t ParseIndex(std::string_view text, size_t count, std::string_view thing);

/** True for white space in the small languages of the tool. */
constexpr bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/** text without white space at its ends. */
std::string_view Trim(std::string_view text);

/** The parts of a list, at least one, each without white space at its ends. */
std::vector<std::string_view> SplitAtCommas(std::string_view text);

/** text cut to about 60 characters, control characters replaced, in single quotes: for one-line errors. */
std::string Quote(std::string_view text);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_INPUT_H
