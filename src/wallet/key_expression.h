// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_WALLET_KEY_EXPRESSION_H
#define SLHCONSENSUS_WALLET_KEY_EXPRESSION_H

#include <wallet/key_type.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/** The keys in descriptors. BIP 32's public derivation needs a group, and SLH-DSA has none: no xpub can exist for it. A range of keys
 *  is therefore a table of public keys, made by the owner of the secret, and the descriptor names the table by its origin. */
namespace slhc::wallet {

using PublicKey = std::array<uint8_t, 32>;

/** The bit of a hardened step of a path (BIP 32). */
inline constexpr uint32_t HARDENED{0x80000000};

//! BIP 32: the depth of a key is one byte.
inline constexpr size_t MAX_PATH{255};

/** What is wrong with a BIP 340 key that is not one. */
inline constexpr std::string_view NOT_A_POINT{"is not the x coordinate of a point on secp256k1: nobody could sign"};

/** Where a key comes from (BIP 380, "Key Expressions"): "d34db33f/360h/1h". */
struct KeyOrigin {
    std::array<uint8_t, 4> fingerprint; //!< of the master key
    std::vector<uint32_t> path;

    bool operator==(const KeyOrigin&) const = default;

    /** What stands between the brackets. @throws DescriptorError */
    [[nodiscard]] static KeyOrigin Parse(std::string_view text);
    [[nodiscard]] std::string ToString() const;
    /** That of a hardened child. */
    [[nodiscard]] KeyOrigin Child(uint32_t index) const;
};

/** Public keys that derive from one secret: those at origin/<first>h, origin/<first+1>h, and so on. */
struct KeyTable {
    KeyType type;
    KeyOrigin origin;
    uint32_t first;
    std::vector<PublicKey> keys;

    /** @throws KeyTableError if a table of so many keys would go beyond the last index */
    static void CheckIndexes(uint32_t first, size_t n_keys);
    /** What every reader of a table calls.
     *  @throws KeyTableError if its keys are too deep, it goes beyond the last index, or has a key at two indexes, whose addresses would be
     *          the same */
    void Check() const;
};

/** KEY: a public key with or without its origin, or a range of keys. */
class KeyExpression
{
public:
    /** One key. @param[in] compressed_prefix  0x02 or 0x03 if it is written as a compressed key, whose x coordinate is meant */
    KeyExpression(KeyType type, std::optional<KeyOrigin> origin, const PublicKey& key, std::optional<uint8_t> compressed_prefix = {});
    /** The hardened children of origin, written "[d34db33f/360h/1h]" followed by a slash and "*h". */
    KeyExpression(KeyType type, KeyOrigin origin);

    [[nodiscard]] KeyType Type() const noexcept { return m_type; }
    [[nodiscard]] bool IsRange() const noexcept { return !m_key.has_value(); }
    [[nodiscard]] const std::optional<KeyOrigin>& Origin() const noexcept { return m_origin; }
    /** @pre this is not a range */
    [[nodiscard]] const PublicKey& Key() const;

    /** Equal for expressions that stand for the same 32 bytes. */
    [[nodiscard]] std::string Identity() const;

    /** A range's key at this index, with its origin; a single key as it is.
     *  @throws KeyTableError if no table has it, two have different ones, or it is not a key */
    [[nodiscard]] KeyExpression At(uint32_t index, std::span<const KeyTable> tables) const;

    [[nodiscard]] std::string ToString() const;

private:
    KeyType m_type;
    std::optional<KeyOrigin> m_origin;
    std::optional<PublicKey> m_key;
    std::optional<uint8_t> m_compressed_prefix;
};

} // namespace slhc::wallet

#endif // SLHCONSENSUS_WALLET_KEY_EXPRESSION_H
