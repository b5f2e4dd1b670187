// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_DERIVATION_H
#define SLHCONSENSUS_TOOL_DERIVATION_H

#include <tool/command_line.h>
#include <tool/keys.h>
#include <tool/secret.h>
#include <wallet/key_expression.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/** Keys from one secret: an experiment of this project, see doc/derivation.md.
 *
 *  BIP 32 leads along hardened steps to a secret k and a chain code c. For BIP 340 the key is k itself. For SLH-DSA,
 *  SK.seed || SK.prf || PK.seed are the first 48 bytes of HMAC-SHA512(DERIVATION_TAG, k || c). */
namespace slhc::tool {

inline constexpr std::string_view DERIVATION_TAG{"slhconsensus/SLH-DSA-SHA2-128s/seed/0"};

/** A secret of BIP 32 with its chain code. */
class ExtendedKey
{
public:
    /** The root of a tree. @param[in] seed  16 to 64 bytes
     *  @throws InputError */
    static ExtendedKey FromSeed(std::span<const uint8_t> seed);
    /** One in Base58Check, "xprv..." or "tprv...".
     *  @throws InputError, which repeats no character of it */
    static ExtendedKey Parse(std::string_view text);

    /** @param[in] index  below 2^31
     *  @throws InputError below the greatest depth, or if the key does not exist, which happens once in 2^127 times */
    [[nodiscard]] ExtendedKey HardenedChild(uint32_t index) const;
    /** The key at the end of hardened steps. @pre each has wallet::HARDENED set */
    [[nodiscard]] ExtendedKey Derive(std::span<const uint32_t> path) const;

    /** The first four bytes of the hash of the public key. */
    [[nodiscard]] std::array<uint8_t, 4> Fingerprint() const;
    /** The key pair that belongs to this node. */
    [[nodiscard]] KeyPair Key(KeyType type) const;

private:
    ExtendedKey(SecretBytes secret, SecretBytes chain_code, size_t depth);

    SecretBytes m_secret, m_chain_code;
    size_t m_depth; //!< steps from the root
};

/** BIP 39: the seed of a phrase of 12, 15, 18, 21 or 24 words, of lower-case letters a to z.
 *  @param[in] wordlist  the language's 2048 words, with which the phrase's checksum is checked; empty: it is not
 *  @throws InputError, which repeats no word */
SecretBytes SeedFromPhrase(std::string_view phrase, std::string_view passphrase, std::span<const std::string> wordlist);

/** What a file with a secret to derive from says: an extended private key, a BIP 32 seed in hex, or a BIP 39 phrase.
 *  @throws InputError */
ExtendedKey ParseMaster(std::string_view text, std::string_view passphrase, std::span<const std::string> wordlist);

/** "m/360h/1h/0h": hardened steps, perhaps none.
 *  @throws InputError */
std::vector<uint32_t> ParseHardenedPath(std::string_view text);

/** Where a secret to derive from is. */
struct MasterFiles {
    std::string master, passphrase, wordlist; //!< the last two: empty if there are none
};

/** @throws InputError that begins with the file */
ExtendedKey ReadMaster(const MasterFiles& files);

/** --passphrase-file and --wordlist, the same in every subcommand that reads such a secret. */
void DeclareMasterOptions(CommandParser& parser, std::string& passphrase_file, std::string& wordlist);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_DERIVATION_H
