// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_CRYPTO_HASH_H
#define SLHCONSENSUS_CRYPTO_HASH_H

#include <crypto/ripemd160.h>
#include <crypto/sha256.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

/** The compositions of hashes that Bitcoin uses. */
namespace slhc {

/** A hasher for SHA-256 of SHA-256: transaction ids, block hashes, signature hashes before taproot. */
class CHash256
{
public:
    static constexpr size_t OUTPUT_SIZE{CSHA256::OUTPUT_SIZE};

    CHash256& Write(std::span<const uint8_t> data) noexcept
    {
        m_sha.Write(data);
        return *this;
    }

    void Finalize(std::span<uint8_t, OUTPUT_SIZE> out) noexcept
    {
        m_sha.Finalize(out);
        CSHA256{}.Write(out).Finalize(out);
    }

    CHash256& Reset() noexcept
    {
        m_sha.Reset();
        return *this;
    }

private:
    CSHA256 m_sha;
};

/** A hasher for RIPEMD-160 of SHA-256: key and script hashes. */
class CHash160
{
public:
    static constexpr size_t OUTPUT_SIZE{CRIPEMD160::OUTPUT_SIZE};

    CHash160& Write(std::span<const uint8_t> data) noexcept
    {
        m_sha.Write(data);
        return *this;
    }

    void Finalize(std::span<uint8_t, OUTPUT_SIZE> out) noexcept { CRIPEMD160{}.Write(m_sha.Digest()).Finalize(out); }

    CHash160& Reset() noexcept
    {
        m_sha.Reset();
        return *this;
    }

private:
    CSHA256 m_sha;
};

[[nodiscard]] inline std::array<uint8_t, 32> Sha256(std::span<const uint8_t> data) noexcept { return CSHA256{}.Write(data).Digest(); }

[[nodiscard]] inline std::array<uint8_t, 32> Hash256(std::span<const uint8_t> data) noexcept
{
    std::array<uint8_t, 32> out;
    CHash256{}.Write(data).Finalize(out);
    return out;
}

[[nodiscard]] inline std::array<uint8_t, 20> Hash160(std::span<const uint8_t> data) noexcept
{
    std::array<uint8_t, 20> out;
    CHash160{}.Write(data).Finalize(out);
    return out;
}

/** A SHA-256 hasher that has taken in SHA-256(tag) twice, as BIP 340 defines tagged hashes. The two copies
 *  fill one block: keep the object (or its midstate) and copy it, so that the tag costs nothing any more. */
[[nodiscard]] CSHA256 TaggedHash(std::string_view tag) noexcept;

} // namespace slhc

#endif // SLHCONSENSUS_CRYPTO_HASH_H
