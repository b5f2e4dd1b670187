// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_CRYPTO_SHA3_H
#define SLHCONSENSUS_CRYPTO_SHA3_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace slhc {

/** The Keccak sponge of FIPS 202: SHA3-224 to SHA3-512 and the SHAKE functions, for messages that are hashed
 *  before they are signed. */
class Keccak
{
public:
    static constexpr uint8_t SHA3_SUFFIX{0x06};  //!< domain bits and the first padding bit of SHA3-d
    static constexpr uint8_t SHAKE_SUFFIX{0x1f}; //!< the same of SHAKE128 and SHAKE256

    /** @param[in] capacity  bytes: 2 * 28, 2 * 32, 2 * 48 or 2 * 64 for SHA3-d; 32 for SHAKE128, 64 for SHAKE256 */
    Keccak(size_t capacity, uint8_t suffix) noexcept : m_rate{STATE_SIZE - capacity}, m_suffix{suffix} {}

    Keccak& Write(std::span<const uint8_t> data) noexcept;

    /** Pad, and write as many bytes as out has, up to the rate (136 for SHAKE256). The object is used up. */
    void Finalize(std::span<uint8_t> out) noexcept;

private:
    static constexpr size_t STATE_SIZE{200};

    std::array<uint64_t, 25> m_state{}; //!< lane x + 5 * y
    size_t m_rate;
    size_t m_fill{0}; //!< bytes of the current block taken in
    uint8_t m_suffix;

    void XorByte(size_t at, uint8_t byte) noexcept { m_state[at / 8] ^= uint64_t{byte} << (8 * (at % 8)); }
};

} // namespace slhc

#endif // SLHCONSENSUS_CRYPTO_SHA3_H
