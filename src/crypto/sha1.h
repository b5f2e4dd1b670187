// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_CRYPTO_SHA1_H
#define SLHCONSENSUS_CRYPTO_SHA1_H

#include <crypto/block_hasher.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace slhc {

namespace sha1 {
using State = std::array<uint32_t, 5>;
inline constexpr State INITIAL{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
void Transform(State& state, const uint8_t* blocks, size_t n_blocks) noexcept;
} // namespace sha1

/** A hasher for SHA-1 (FIPS 180-4, section 6.1), which OP_SHA1 needs and nothing else should. */
class CSHA1 : public BlockHasher<CSHA1, sha1::State, 64, 8, 20>
{
    using Base = BlockHasher<CSHA1, sha1::State, 64, 8, 20>;

public:
    CSHA1() noexcept : Base{Midstate{sha1::INITIAL}} {}
    using Base::Base;
    CSHA1& Reset() noexcept { return *this = CSHA1{}; }

    static void Compress(sha1::State& state, const uint8_t* blocks, size_t n_blocks) noexcept { sha1::Transform(state, blocks, n_blocks); }
    static void WriteLength(uint8_t* end, uint64_t n_bits) noexcept;
    static void WriteState(const sha1::State& state, uint8_t* out) noexcept;
};

} // namespace slhc

#endif // SLHCONSENSUS_CRYPTO_SHA1_H
