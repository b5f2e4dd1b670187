// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/input.h>

#include <util/counted.h>
#include <util/hex.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace slhc::tool {
namespace {

bool IsRegularFile(const std::string& path)
{
    struct stat info{};
    return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

[[noreturn]] void ThrowTooLarge(const std::string& path, size_t max_size)
{
    throw InputError{FileName(path), "larger than the limit of " + std::to_string(max_size) + " bytes"};
}

[[noreturn]] void ThrowCannotOpen(const std::string& path)
{
    const std::string why{std::strerror(errno)};
    const bool has_at{path.starts_with('@') && IsRegularFile(path.substr(1))};
    throw InputError{FileName(path), why + (has_at ? " (FILE takes no @: write " + path.substr(1) + ")" : "")};
}

/** An open file, or standard input for "-". */
class InputFile
{
public:
    /** @throws InputError if it cannot be opened, is a directory, or says that it has more than max_size bytes */
    InputFile(const std::string& path, size_t max_size)
        : m_path{path}
        , m_fd{path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC)}
    {
        if (m_fd < 0) ThrowCannotOpen(path);
        struct stat info{};
        const bool known{fstat(m_fd, &info) == 0};
        const bool directory{known && S_ISDIR(info.st_mode)};
        const bool too_large{known && S_ISREG(info.st_mode) && static_cast<uint64_t>(info.st_size) > max_size};
        if ((directory || too_large) && m_fd != STDIN_FILENO) close(m_fd);
        if (directory) throw InputError{FileName(path), "is a directory"};
        if (too_large) ThrowTooLarge(path, max_size);
    }
    ~InputFile()
    {
        if (m_fd != STDIN_FILENO) close(m_fd);
    }
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    /** Read up to size bytes; 0 at the end.
     *  @throws InputError */
    size_t Read(void* out, size_t size)
    {
        while (true) {
            const ssize_t count{read(m_fd, out, size)};
            if (count >= 0) return static_cast<size_t>(count);
            if (errno != EINTR) throw InputError{FileName(m_path), std::strerror(errno)};
        }
    }

private:
    const std::string m_path;
    const int m_fd;
};

} // namespace

std::string FileName(const std::string& path)
{
    return path == "-" ? "standard input" : path;
}

std::string ReadFile(const std::string& path, size_t max_size)
{
    InputFile file{path, max_size};
    // A pipe does not tell its size, and a file may grow: the limit holds while reading, too.
    const size_t chunk{std::min<size_t>(max_size + 1, 64 * 1024)};
    std::string content;
    while (true) {
        const size_t old_size{content.size()};
        content.resize(old_size + chunk);
        const size_t count{file.Read(content.data() + old_size, chunk)};
        content.resize(old_size + count);
        if (count == 0) break;
        if (content.size() > max_size) ThrowTooLarge(path, max_size);
    }
    if (content.empty()) throw InputError{FileName(path), "is empty"};
    return content;
}

std::string_view Trim(std::string_view text)
{
    while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
    while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
    return text;
}

std::vector<std::string_view> SplitAtCommas(std::string_view text)
{
    std::vector<std::string_view> parts;
    while (true) {
        const size_t comma{text.find(',')};
        parts.push_back(Trim(text.substr(0, comma)));
        if (comma == text.npos) return parts;
        text.remove_prefix(comma + 1);
    }
}

std::string Quote(std::string_view text)
{
    constexpr size_t MAX_SHOWN{60};
    std::string quoted{"'"};
    for (const char c : text.substr(0, MAX_SHOWN)) quoted.push_back(static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c);
    return quoted + (text.size() > MAX_SHOWN ? "...'" : "'");
}

std::vector<uint8_t> ParseHex(std::string_view hex)
{
    const std::string_view digits{Trim(hex)};
    if (auto bytes{TryParseHex(digits)}) return *std::move(bytes);
    const auto bad{std::ranges::find_if(digits, [](char c) { return HexDigit(c) < 0; })};
    if (bad == digits.end()) throw InputError{"odd number of hex digits (" + std::to_string(digits.size()) + ")"};
    const auto position{static_cast<size_t>(bad - digits.begin())};
    throw InputError{"position " + std::to_string(position) + ": " + Quote(digits.substr(position, 1)) + " is not a hex digit"};
}

std::vector<uint8_t> ParseHex(std::string_view hex, size_t size)
{
    auto bytes{ParseHex(hex)};
    if (bytes.size() != size) {
        throw InputError{"has " + Counted(bytes.size(), "byte") + ", not " + std::to_string(size)};
    }
    return bytes;
}

std::string TextArgument(const std::string& argument)
{
    if (argument == "-") return ReadFile("-");
    if (argument.starts_with('@')) return ReadFile(argument.substr(1));
    return argument;
}

std::string MissingAtHint(const std::string& argument)
{
    if (!IsRegularFile(argument)) return "";
    return " (there is a file of this name: write @" + argument + ")";
}

std::vector<uint8_t> HexArgument(const std::string& argument)
{
    return WithArgument(argument, [](const std::string& text) { return ParseHex(text); });
}

std::vector<uint8_t> HexArgument(const std::string& name, const std::string& argument)
{
    return Within(name, [&] { return HexArgument(argument); });
}

uint64_t ParseNumber(std::string_view text, uint64_t max)
{
    uint64_t number{};
    const auto [end, code]{std::from_chars(text.data(), text.data() + text.size(), number)};
    if (text.empty() || code == std::errc::invalid_argument || end != text.data() + text.size()) {
        throw InputError{Quote(text) + " is not a whole number, 0 or more"};
    }
    if (code == std::errc::result_out_of_range || number > max) {
        throw InputError{Quote(text) + " is more than " + std::to_string(max)};
    }
    return number;
}

size_t ParseIndex(std::string_view text, size_t count, std::string_view thing)
{
    const uint64_t index{ParseNumber(text, UINT64_MAX)};
    if (index >= count) throw InputError{"there is no " + std::string{thing} + " " + std::to_string(index)};
    return index;
}

} // namespace slhc::tool
