// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/secret.h>

#include <tool/encryption.h>
#include <tool/error.h>
#include <tool/input.h>
#include <util/counted.h>
#include <util/hex.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <unistd.h>

namespace slhc::tool {
namespace {

constexpr size_t MAX_SECRET_FILE{4096};

} // namespace

SecretBytes ReadSecretFile(const std::string& path)
{
    SecretBytes content{ReadFileAs<SecretBytes>(path, MAX_SECRET_FILE)};
    RefuseEncrypted(path, content);
    return content;
}

SecretBytes ReadPassphraseFile(const std::string& path, const std::string& secret)
{
    // The message does not repeat what may be the passphrase itself.
    if (path != "-" && access(path.c_str(), R_OK) != 0) {
        throw InputError{"--passphrase-file", std::string{"cannot be read: "} + std::strerror(errno)};
    }
    std::error_code error;
    if (path != "-" && secret != "-" && std::filesystem::equivalent(path, secret, error)) {
        throw InputError{"--passphrase-file", "names the file that the passphrase is for"};
    }
    SecretBytes line{ReadSecretFile(path)};
    const size_t end{AsText(line).find_first_of("\r\n")};
    if (end != std::string_view::npos) line.resize(end);
    if (line.empty()) throw InputError{path, "the first line is empty"};
    return line;
}

SecretBytes ParseSecretHex(std::string_view hex, size_t size)
{
    if (hex.size() != 2 * size) {
        const bool is_hex{HasOnlyHexDigits(hex)};
        throw InputError{"has " + Counted(hex.size(), is_hex ? "hex digit" : "character") + ", not " + std::to_string(2 * size) +
                         (is_hex ? "" : " hex digits")};
    }
    SecretBytes bytes(size);
    for (size_t i = 0; i < hex.size(); ++i) {
        const int digit{HexDigit(hex[i])};
        if (digit < 0) throw InputError{"position " + std::to_string(i) + " is not a hex digit"};
        bytes[i / 2] = static_cast<uint8_t>(bytes[i / 2] << 4 | digit);
    }
    return bytes;
}

SecretBytes ReadSecretHexFile(const std::string& path, size_t size)
{
    const SecretBytes content{ReadSecretFile(path)};
    return Within(FileName(path), [&] { return ParseSecretHex(Trim(AsText(content)), size); });
}

} // namespace slhc::tool
