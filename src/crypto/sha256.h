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

/** Try a function on a few blocks: true if it computes the same as TransformPortable. */
[[nodiscard]] bool IsRight(TransformFunction transform) noexcept;

/** Choose Transform's implementation again, by the current cpu::Features(), among those that are right; returns its name. For tests and
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
