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
#include <string>
#include <vector>

namespace slhc::wallet {

using PublicKey = std::array<uint8_t, 32>;

/** The bit of a hardened step of a path (BIP 32). */
inline constexpr uint32_t HARDENED{0x80000000};

//! BIP 32: the depth of a key is one byte.
inline constexpr size_t MAX_PATH{255};

/** Where a key comes from (BIP 380, "Key Expressions"): "d34db33f/360h/1h". */
struct KeyOrigin {
    std::array<uint8_t, 4> fingerprint; //!< of the master key
    std::vector<uint32_t> path;

    /** The text between the brackets. */
    [[nodiscard]] std::string ToString() const;
};

/** A key in a descriptor. There are no ranges: BIP 32's public derivation needs a group, and SLH-DSA has none. */
struct KeyExpression {
    KeyType type;
    std::optional<KeyOrigin> origin;
    PublicKey key;
    //! Written before it: the number of another parameter set than 128s, or 0x02 or 0x03 of a compressed key, whose x coordinate is meant
    std::optional<uint8_t> prefix{};

    /** As a script has it. */
    [[nodiscard]] std::vector<uint8_t> Element() const;
    [[nodiscard]] std::string ToString() const;
};

} // namespace slhc::wallet

#endif // SLHCONSENSUS_WALLET_KEY_EXPRESSION_H
