// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_CRYPTO_HMAC_SHA256_H
#define SLHCONSENSUS_CRYPTO_HMAC_SHA256_H

#include <crypto/sha256.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace slhc {

/** A hasher for HMAC-SHA-256 (FIPS 198-1, RFC 2104), with a key of any length. Wipes itself when it goes. */
class CHMAC_SHA256
{
public:
    static constexpr size_t OUTPUT_SIZE{CSHA256::OUTPUT_SIZE};

    explicit CHMAC_SHA256(std::span<const uint8_t> key) noexcept;
    ~CHMAC_SHA256();
    CHMAC_SHA256(const CHMAC_SHA256&) = delete;
    CHMAC_SHA256& operator=(const CHMAC_SHA256&) = delete;

    CHMAC_SHA256& Write(std::span<const uint8_t> data) noexcept
    {
        m_inner.Write(data);
        return *this;
    }

    void Finalize(std::span<uint8_t, OUTPUT_SIZE> out) noexcept;

private:
    CSHA256 m_inner;
    CSHA256 m_outer;
};

} // namespace slhc

#endif // SLHCONSENSUS_CRYPTO_HMAC_SHA256_H
