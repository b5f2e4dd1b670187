// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_CRYPTO_SIPHASH_H
#define SLHCONSENSUS_CRYPTO_SIPHASH_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace slhc {

/** SipHash-2-4 (Aumasson and Bernstein, 2012): a keyed 64-bit hash for tables whose keys an adversary chooses. */
class CSipHasher
{
public:
    /** The key, as two little-endian 64-bit words. */
    CSipHasher(uint64_t k0, uint64_t k1) noexcept;

    CSipHasher& Write(std::span<const uint8_t> data) noexcept;

    /** The hash of what was written so far; more may be written afterwards. */
    [[nodiscard]] uint64_t Finalize() const noexcept;

private:
    std::array<uint64_t, 4> m_v;
    uint64_t m_tail{0};  //!< bytes that do not fill a word yet, the first one lowest
    uint64_t m_count{0}; //!< bytes written
};

/** SipHash-2-4 of 32 bytes, such as a hash. */
[[nodiscard]] uint64_t SipHashUint256(uint64_t k0, uint64_t k1, std::span<const uint8_t, 32> value) noexcept;

} // namespace slhc

#endif // SLHCONSENSUS_CRYPTO_SIPHASH_H
