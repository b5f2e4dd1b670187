// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_SCRIPT_PUBKEY_H
#define SLHCONSENSUS_SCRIPT_PUBKEY_H

#include <primitives/uint256.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

/** Public keys of secp256k1 and the signatures that they verify. libsecp256k1 does the curve arithmetic. */
namespace slhc {

/** A key in one of the encodings of SEC 1: compressed, uncompressed, or hybrid (which consensus has always allowed). */
class CPubKey
{
public:
    static constexpr size_t SIZE{65};
    static constexpr size_t COMPRESSED_SIZE{33};

    /** A key if its size matches its first byte, otherwise an invalid one. The point isn't checked. */
    explicit CPubKey(std::span<const uint8_t> bytes) noexcept;

    /** True if the size fits the first byte. */
    [[nodiscard]] static bool ValidSize(std::span<const uint8_t> bytes) noexcept;
    [[nodiscard]] bool IsValid() const noexcept { return m_size > 0; }

    /** As passed to the constructor; empty if the key is invalid. */
    [[nodiscard]] std::span<const uint8_t> Bytes() const noexcept { return std::span{m_bytes}.first(m_size); }

    /** Verify an ECDSA signature. It may deviate from DER, as signatures did before BIP 66, and S may be high. */
    [[nodiscard]] bool Verify(const uint256& hash, std::span<const uint8_t> sig) const;

    /** True if S of a signature is at most half the order. @param[in] sig  as for Verify() */
    [[nodiscard]] static bool CheckLowS(std::span<const uint8_t> sig);

private:
    std::array<uint8_t, SIZE> m_bytes{};
    size_t m_size{0};
};

/** A BIP 340 key: the x coordinate. */
class XOnlyPubKey
{
public:
    static constexpr size_t SIZE{32};

    explicit XOnlyPubKey(std::span<const uint8_t, SIZE> bytes) noexcept;

    /** True if there is a point with this x coordinate. */
    [[nodiscard]] bool IsFullyValid() const;

    [[nodiscard]] bool VerifySchnorr(const uint256& msg, std::span<const uint8_t, 64> sig) const;

    /** TapTweak hash (BIP 341) of this internal key. @param[in] merkle_root  null for a key without scripts */
    [[nodiscard]] uint256 ComputeTapTweakHash(const uint256* merkle_root) const;

    /** True if this output key is the internal key tweaked with its scripts. @param[in] parity  of the output's y */
    [[nodiscard]] bool CheckTapTweak(const XOnlyPubKey& internal, const uint256& merkle_root, bool parity) const;

    /** The output key of this internal key, and the parity of its y; nothing if this isn't a point. */
    [[nodiscard]] std::optional<std::pair<XOnlyPubKey, bool>> CreateTapTweak(const uint256* merkle_root) const;

    [[nodiscard]] const std::array<uint8_t, SIZE>& Bytes() const noexcept { return m_bytes; }

private:
    std::array<uint8_t, SIZE> m_bytes;
};

} // namespace slhc

#endif // SLHCONSENSUS_SCRIPT_PUBKEY_H
