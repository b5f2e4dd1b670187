// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/input.h>

#include <tool/encryption.h>
#include <tool/file_kind.h>
#include <tool/secret.h>
#include <tool/secret_text.h>
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

[[noreturn]] void ThrowCannotOpen(const std::string& path)
{
    const std::string why{std::strerror(errno)};
    const bool has_at{path.starts_with('@') && IsRegularFile(path.substr(1))};
    if (!has_at && access(path.c_str(), F_OK) != 0 && MayBeSecret(path)) {
        throw InputError{"expected the name of a file; secrets are read from a file or standard input, never from the command line"};
    }
    throw InputError{FileName(path), why + (has_at ? " (FILE takes no @: write " + path.substr(1) + ")" : "")};
}

} // namespace

std::string FileName(const std::string& path)
{
    return path == "-" ? "standard input" : path;
}

InputFile::InputFile(const std::string& path, size_t max_size)
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

InputFile::~InputFile()
{
    if (m_fd != STDIN_FILENO) close(m_fd);
}

size_t InputFile::Read(void* out, size_t size)
{
    while (true) {
        const ssize_t count{read(m_fd, out, size)};
        if (count >= 0) return static_cast<size_t>(count);
        if (errno != EINTR) throw InputError{FileName(m_path), std::strerror(errno)};
    }
}

void ThrowTooLarge(const std::string& path, size_t max_size)
{
    throw InputError{FileName(path), "larger than the limit of " + std::to_string(max_size) + " bytes"};
}

void ThrowEmpty(const std::string& path)
{
    throw InputError{FileName(path), "is empty"};
}

std::string ReadFile(const std::string& path, size_t max_size)
{
    std::string content{ReadFileAs<std::string>(path, max_size)};
    RefuseEncrypted(path, AsBytes(content));
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

std::string Quote(std::string_view text, size_t max_shown)
{
    constexpr size_t SHOWN_OF_SECRET{4}; // enough to find it, and to tell an xprv from a transaction id
    if (MayBeSecret(text)) max_shown = SHOWN_OF_SECRET;
    std::string quoted{"'"};
    for (const char c : text.substr(0, max_shown)) quoted.push_back(static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c);
    return quoted + (text.size() > max_shown ? "...'" : "'");
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

void RefuseSecret(std::string_view text)
{
    const FileKind kind{FileKindOf(AsBytes(text))};
    if (kind == FileKind::KEY) throw InputError{KEY_FILE_HINT};
    const auto form{kind == FileKind::MASTER ? FindSecret(text) : std::nullopt};
    if (form == SecretForm::WIF) throw InputError{"this may be a private key (WIF), which slhtool does not read"};
    if (form == SecretForm::PHRASE || form == SecretForm::EXTENDED_KEY) {
        throw InputError{"this may be a phrase or an extended private key: slhtool derive reads it"};
    }
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
