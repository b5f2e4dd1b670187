// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/file_kind.h>

#include <tool/encryption.h>
#include <tool/input.h>
#include <tool/psbt_file.h>
#include <util/check.h>
#include <util/hex.h>

#include <algorithm>
#include <cstddef>

namespace slhc::tool {
namespace {

bool Has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80; }

bool IsLetterOrDigit(char c) { return IsLetter(c) || (c >= '0' && c <= '9'); }

/** An extended private key anywhere, in a descriptor for one. They have 111 characters; it may be cut off. */
bool HasExtendedPrivateKey(std::string_view text)
{
    constexpr std::string_view NETWORKS{"xtyzuv"}, PRIVATE{"prv"}; // xprv and tprv, and what other wallets made of them
    constexpr size_t LONG_ENOUGH{50};
    for (size_t at{text.find(PRIVATE)}; at != text.npos; at = text.find(PRIVATE, at + 1)) {
        const bool begins{at > 0 && Has(NETWORKS, text.substr(at - 1, 1)) && (at == 1 || !IsLetterOrDigit(text[at - 2]))};
        const std::string_view rest{text.substr(at)};
        if (begins && static_cast<size_t>(std::ranges::find_if_not(rest, IsLetterOrDigit) - rest.begin()) >= LONG_ENOUGH) return true;
    }
    return false;
}

/** 12 to 24 words, or one more or less: somebody may have lost one. */
bool IsPhrase(std::string_view text)
{
    constexpr size_t FEWEST{11}, MOST{25};
    size_t words{0};
    for (bool in_word{false}; const char c : text) {
        if (!IsSpace(c) && !IsLetter(c)) return false;
        words += !in_word && !IsSpace(c);
        in_word = !IsSpace(c);
    }
    return words >= FEWEST && words <= MOST;
}

/** A BIP 32 seed, the seed of a key file, or a secret key itself: 16 to 64 bytes. */
bool IsHexSecret(std::string_view text)
{
    return text.size() >= 2 * 16 && text.size() <= 2 * 64 && HasOnlyHexDigits(text);
}

/** mr(...), or any other name of BIP 380's. */
bool IsDescriptor(std::string_view text)
{
    const auto name_end{std::ranges::find_if_not(text, [](char c) { return IsLetterOrDigit(c) || c == '_'; })};
    return name_end != text.begin() && name_end != text.end() && *name_end == '(' && Has(text, ")");
}

} // namespace

FileKind FileKindOf(std::span<const uint8_t> content)
{
    if (IsEncrypted(content)) return FileKind::ENCRYPTED;
    const std::string_view text{Trim({reinterpret_cast<const char*>(content.data()), content.size()})};
    if (LooksLikePSBT(text)) return FileKind::OTHER; // any word may happen to be in its base64
    if (Has(text, "\"secret_key\"")) return FileKind::KEY;
    if (HasExtendedPrivateKey(text) || IsHexSecret(text) || IsPhrase(text)) return FileKind::MASTER;
    if (Has(text, "\"backup\"")) return FileKind::BACKUP;
    // A tree begins as JSON does, but has no quotation marks.
    const bool is_tree{text.starts_with('{') && !Has(text, "\"")};
    if (is_tree || IsDescriptor(text) || Has(text, "\"tree\"") || Has(text, "\"descriptor\"")) return FileKind::DESCRIPTOR;
    return FileKind::OTHER;
}

std::string_view FileKindName(FileKind kind)
{
    switch (kind) {
    case FileKind::OTHER: return "something else";
    case FileKind::KEY: return "a secret key";
    case FileKind::MASTER: return "what may be a phrase, a seed or an extended private key";
    case FileKind::ENCRYPTED: return "an encrypted file";
    case FileKind::BACKUP: return "a backup";
    case FileKind::DESCRIPTOR: return "a descriptor or a script tree";
    }
    assert(false);
    return {};
}

} // namespace slhc::tool
