// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_CRYPTO_RIPEMD160_H
#define SLHCONSENSUS_CRYPTO_RIPEMD160_H

#include <crypto/block_hasher.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace slhc {

namespace ripemd160 {
using State = std::array<uint32_t, 5>;
inline constexpr State INITIAL{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
void Transform(State& state, const uint8_t* blocks, size_t n_blocks) noexcept;
} // namespace ripemd160

/** A hasher for RIPEMD-160 (Dobbertin, Bosselaers and Preneel, 1996). */
class CRIPEMD160 : public BlockHasher<CRIPEMD160, ripemd160::State, 64, 8, 20>
{
    using Base = BlockHasher<CRIPEMD160, ripemd160::State, 64, 8, 20>;

public:
    CRIPEMD160() noexcept : Base{Midstate{ripemd160::INITIAL}} {}
    using Base::Base;
    CRIPEMD160& Reset() noexcept { return *this = CRIPEMD160{}; }

    static void Compress(ripemd160::State& state, const uint8_t* blocks, size_t n_blocks) noexcept
    {
        ripemd160::Transform(state, blocks, n_blocks);
    }
    static void WriteLength(uint8_t* end, uint64_t n_bits) noexcept;
    static void WriteState(const ripemd160::State& state, uint8_t* out) noexcept;
};

} // namespace slhc

#endif // SLHCONSENSUS_CRYPTO_RIPEMD160_H
