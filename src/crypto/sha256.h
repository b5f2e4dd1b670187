// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_CRYPTO_SHA256_H
#define SLHCONSENSUS_CRYPTO_SHA256_H

#include <crypto/block_hasher.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace slhc {

/** SHA-256 (FIPS 180-4, section 6.2). */
namespace sha256 {

using State = std::array<uint32_t, 8>;

inline constexpr State INITIAL{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

/** The round constants. */
inline constexpr std::array<uint32_t, 64> K{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/** The compression function over n_blocks blocks of 64 bytes, on the fastest code that this machine runs. */
void Transform(State& state, const uint8_t* blocks, size_t n_blocks) noexcept;

using TransformFunction = void (*)(State&, const uint8_t*, size_t) noexcept;

/** One way to compute Transform. */
struct Implementation {
    std::string_view name; //!< "portable", "x86_shani"
    TransformFunction transform;
};

/** Every implementation that this machine can run (see cpu::Features), the fastest first, "portable" last. */
[[nodiscard]] std::vector<Implementation> AvailableImplementations();

/** Whether a function computes what TransformPortable computes, tried on a few blocks. */
[[nodiscard]] bool IsRight(TransformFunction transform) noexcept;

/** Choose again what Transform uses, by cpu::Features() as they are now, among what is right; its name. For tests and
 *  logs: without a call, the first use chooses. */
std::string_view SelectImplementation() noexcept;

// One file each. Those of an instruction set may be left out of a build and run only where the machine has it.
void TransformPortable(State& state, const uint8_t* blocks, size_t n_blocks) noexcept;
void TransformX86ShaNi(State& state, const uint8_t* blocks, size_t n_blocks) noexcept;

} // namespace sha256

/** A hasher for SHA-256. */
class CSHA256 : public BlockHasher<CSHA256, sha256::State, 64, 8, 32>
{
    using Base = BlockHasher<CSHA256, sha256::State, 64, 8, 32>;

public:
    CSHA256() noexcept : Base{Midstate{sha256::INITIAL}} {}
    using Base::Base;
    CSHA256& Reset() noexcept { return *this = CSHA256{}; }

    static void Compress(sha256::State& state, const uint8_t* blocks, size_t n_blocks) noexcept
    {
        sha256::Transform(state, blocks, n_blocks);
    }
    static void WriteLength(uint8_t* end, uint64_t n_bits) noexcept;
    static void WriteState(const sha256::State& state, uint8_t* out) noexcept;
};

} // namespace slhc

#endif // SLHCONSENSUS_CRYPTO_SHA256_H
