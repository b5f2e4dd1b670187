// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_ENCRYPTION_H
#define SLHCONSENSUS_TOOL_ENCRYPTION_H

#include <tool/secret.h>

#include <cstddef>
#include <span>
#include <string>

/** Files encrypted with a passphrase, by libsodium: Argon2id makes the key, XChaCha20-Poly1305 encrypts and authenticates the
 *  content and the header. doc/backup.md has the format. */
namespace slhc::tool {

//! Of what is encrypted: a key file has 300 bytes, a backup with tables of keys some hundred thousand.
inline constexpr size_t MAX_ENCRYPTED_CONTENT{4u << 20};
//! Of its encrypted form, which has a header and a tag besides.
inline constexpr size_t MAX_ENCRYPTED_FILE{MAX_ENCRYPTED_CONTENT + 84};

/** Whether bytes begin as an encrypted file does. */
bool IsEncrypted(std::span<const uint8_t> bytes);

/** @throws InputError that begins with the file's name if bytes, its content, are an encrypted file */
void RefuseEncrypted(const std::string& path, std::span<const uint8_t> bytes);

/** @throws InputError if this machine lacks the 256 MiB of memory that Argon2id takes */
SecretBytes EncryptFile(std::span<const uint8_t> content, std::span<const uint8_t> passphrase);

/** @throws InputError if it is not an encrypted file, the passphrase is wrong, or a byte was changed */
SecretBytes DecryptFile(std::span<const uint8_t> bytes, std::span<const uint8_t> passphrase);

/** Ask at the terminal without showing what is typed. @param[in] twice  and once more, for a new passphrase
 *  @throws InputError if there is no terminal, nothing is typed, or the two differ */
SecretBytes AskPassphrase(bool twice);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_ENCRYPTION_H
