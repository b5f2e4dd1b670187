// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_INPUT_H
#define SLHCONSENSUS_TOOL_INPUT_H

#include <tool/error.h>

#include <algorithm>
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

inline constexpr const char* KEY_FILE_HINT{"this is a key file: slhtool pubkey prints the public key"};

/** What messages call a file: its path, or "standard input" for "-". */
std::string FileName(const std::string& path);

/** An open file, or standard input for "-". */
class InputFile
{
public:
    /** @throws InputError if it cannot be opened, is a directory, or says that it has more than max_size bytes. The message does not
     *          repeat a path that is none and may be a secret. */
    InputFile(const std::string& path, size_t max_size);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    /** Read up to size bytes; 0 at the end.
     *  @throws InputError */
    size_t Read(void* out, size_t size);

private:
    const std::string m_path;
    const int m_fd;
};

[[noreturn]] void ThrowTooLarge(const std::string& path, size_t max_size);
[[noreturn]] void ThrowEmpty(const std::string& path);

/** The whole content of a file, as a container of bytes or characters; "-" is standard input.
 *  @throws InputError if it cannot be read, is a directory, is empty, or has more than max_size bytes */
template <typename Buffer>
Buffer ReadFileAs(const std::string& path, size_t max_size)
{
    InputFile file{path, max_size};
    // A pipe does not tell its size, and a file may grow: the limit holds while reading, too.
    const size_t chunk{std::min<size_t>(max_size + 1, 64 * 1024)};
    Buffer content;
    while (true) {
        const size_t old_size{content.size()};
        content.resize(old_size + chunk);
        const size_t count{file.Read(content.data() + old_size, chunk)};
        content.resize(old_size + count);
        if (count == 0) break;
        if (content.size() > max_size) ThrowTooLarge(path, max_size);
    }
    if (content.empty()) ThrowEmpty(path);
    return content;
}

/** ReadFileAs text.
 *  @throws InputError also if it is what slhtool encrypt wrote */
std::string ReadFile(const std::string& path, size_t max_size = MAX_INPUT_SIZE);

/** The bytes that hex spells, white space around it ignored.
 *  @throws InputError naming the first position that is no digit, or the odd number of digits */
std::vector<uint8_t> ParseHex(std::string_view hex);

/** As ParseHex, and exactly `size` bytes. */
std::vector<uint8_t> ParseHex(std::string_view hex, size_t size);

/** What a command-line argument stands for: the content of FILE for "@FILE", standard input for "-", else
 *  the argument itself. */
std::string TextArgument(const std::string& argument);

/** @throws InputError if a text seems to be a phrase, a private key or a key file. Hex passes: the seeds of some wallets look like hashes
 *          and scripts. */
void RefuseSecret(std::string_view text);

/** What an error about an argument adds if there is a file of this name: the @ before it may be missing. Else empty. */
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

/** f(TextArgument(argument)); an InputError out of f is thrown again with the file put before it, if it is one, else with a hint. The
 *  text may be a secret, which f must not repeat. */
template <typename F>
auto WithArgumentOrSecret(const std::string& argument, F&& f)
{
    const std::string text{TextArgument(argument)};
    if (argument == "-") return Within("standard input", [&] { return f(text); });
    if (argument.starts_with('@')) return Within(argument.substr(1), [&] { return f(text); });
    return WithMissingAtHint(argument, [&] { return f(text); });
}

/** WithArgumentOrSecret, which RefuseSecret. */
template <typename F>
auto WithArgument(const std::string& argument, F&& f)
{
    return WithArgumentOrSecret(argument, [&](const std::string& text) {
        RefuseSecret(text);
        return f(text);
    });
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

/** What the small languages of the tool take for white space. */
constexpr bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/** text without white space at its ends. */
std::string_view Trim(std::string_view text);

/** The parts of a list, at least one, each without white space at its ends. */
std::vector<std::string_view> SplitAtCommas(std::string_view text);

/** text cut to about max_shown characters, control characters replaced, in single quotes: for one-line errors. Hardly anything is shown of
 *  what may be a secret. */
std::string Quote(std::string_view text, size_t max_shown = 60);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_INPUT_H
