// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/file_kind.h>

#include <tool/encryption.h>
#include <tool/input.h>
#include <tool/psbt_file.h>
#include <tool/secret.h>
#include <tool/secret_text.h>
#include <util/check.h>

#include <algorithm>
#include <cstddef>

namespace slhc::tool {
namespace {

bool Has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

bool IsNameCharacter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

/** mr(...), or any other name of BIP 380's. */
bool IsDescriptor(std::string_view text)
{
    const auto name_end{std::ranges::find_if_not(text, IsNameCharacter)};
    return name_end != text.begin() && name_end != text.end() && *name_end == '(' && Has(text, ")");
}

} // namespace

FileKind FileKindOf(std::span<const uint8_t> content)
{
    if (IsEncrypted(content)) return FileKind::ENCRYPTED;
    const std::string_view text{Trim({reinterpret_cast<const char*>(content.data()), content.size()})};
    if (LooksLikePSBT(text)) return FileKind::OTHER; // any word may happen to be in its base64
    if (Has(text, "\"secret_key\"")) return FileKind::KEY;
    if (FindSecret(text)) return FileKind::MASTER;
    if (Has(text, "\"backup\"")) return FileKind::BACKUP;
    if (Has(text, "\"public_keys\"")) return FileKind::TABLE;
    // A tree begins as JSON does, but has no quotation marks.
    const bool is_tree{text.starts_with('{') && !Has(text, "\"")};
    if (is_tree || IsDescriptor(text) || Has(text, "\"tree\"") || Has(text, "\"descriptor\"")) return FileKind::DESCRIPTOR;
    return FileKind::OTHER;
}

bool MayBeSecret(std::string_view text)
{
    const FileKind kind{FileKindOf(AsBytes(text))};
    return kind == FileKind::KEY || kind == FileKind::MASTER;
}

std::string_view FileKindName(FileKind kind)
{
    switch (kind) {
    case FileKind::OTHER: return "something else";
    case FileKind::KEY: return "a secret key";
    case FileKind::MASTER: return "what may be a phrase, a seed or a private key";
    case FileKind::ENCRYPTED: return "an encrypted file";
    case FileKind::BACKUP: return "a backup";
    case FileKind::TABLE: return "a table of public keys";
    case FileKind::DESCRIPTOR: return "a descriptor or a script tree";
    }
    assert(false);
    return {};
}

} // namespace slhc::tool
