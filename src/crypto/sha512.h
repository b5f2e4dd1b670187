// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_CRYPTO_SHA512_H
#define SLHCONSENSUS_CRYPTO_SHA512_H

#include <crypto/block_hasher.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace slhc {

/** SHA-512 (FIPS 180-4, section 6.4). SHA-384, SHA-512/224 and SHA-512/256 are the same with another initial
 *  value and a shorter output: CSHA512{{sha512::INITIAL_384}}. */
namespace sha512 {

using State = std::array<uint64_t, 8>;

inline constexpr State INITIAL{
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
inline constexpr State INITIAL_384{
    0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
    0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4};
inline constexpr State INITIAL_512_224{
    0x8c3d37c819544da2, 0x73e1996689dcd4d6, 0x1dfab7ae32ff9c82, 0x679dd514582f9fcf,
    0x0f6d2b697bd44da8, 0x77e36f7304c48942, 0x3f9d85a86a1d36c8, 0x1112e6ad91d692a1};
inline constexpr State INITIAL_512_256{
    0x22312194fc2bf72c, 0x9f555fa3c84c64c2, 0x2393b86b6f53b151, 0x963877195940eabd,
    0x96283ee2a88effe3, 0xbe5e1e2553863992, 0x2b0199fc2c85b8aa, 0x0eb72ddc81c52ca2};

/** The compression function over n_blocks blocks of 128 bytes. */
void Transform(State& state, const uint8_t* blocks, size_t n_blocks) noexcept;

} // namespace sha512

/** A hasher for SHA-512. */
class CSHA512 : public BlockHasher<CSHA512, sha512::State, 128, 16, 64>
{
    using Base = BlockHasher<CSHA512, sha512::State, 128, 16, 64>;

public:
    CSHA512() noexcept : Base{Midstate{sha512::INITIAL}} {}
    using Base::Base;
    CSHA512& Reset() noexcept { return *this = CSHA512{}; }

    static void Compress(sha512::State& state, const uint8_t* blocks, size_t n_blocks) noexcept { sha512::Transform(state, blocks, n_blocks); }
    static void WriteLength(uint8_t* end, uint64_t n_bits) noexcept;
    static void WriteState(const sha512::State& state, uint8_t* out) noexcept;
};

} // namespace slhc

#endif // SLHCONSENSUS_CRYPTO_SHA512_H
