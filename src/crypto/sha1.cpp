// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <crypto/sha1.h>

#include <crypto/endian.h>

#include <bit>
#include <utility>

namespace slhc {
namespace sha1 {
namespace {

/** The constant of each twenty rounds (FIPS 180-4, 4.2.1). */
constexpr std::array<uint32_t, 4> K{0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};

/** The Boolean function of each twenty rounds (FIPS 180-4, 4.1.1). */
template <size_t QUARTER>
constexpr uint32_t Mix(uint32_t b, uint32_t c, uint32_t d)
{
    if constexpr (QUARTER == 0) return d ^ (b & (c ^ d)); // Ch
    if constexpr (QUARTER == 2) return (b & c) | (d & (b | c)); // Maj
    return b ^ c ^ d; // Parity
}

/** Word T of the message schedule, read when it is needed. w is a ring of the last sixteen: from round 16 on, word T takes the place of
 *  word T - 16. */
template <size_t T>
inline uint32_t Word(std::array<uint32_t, 16>& w, const uint8_t* block)
{
    if constexpr (T < 16) w[T] = ReadBE32(block + 4 * T);
    if constexpr (T >= 16) w[T % 16] = std::rotl(w[(T - 3) % 16] ^ w[(T - 8) % 16] ^ w[(T - 14) % 16] ^ w[T % 16], 1);
    return w[T % 16];
}

/** Round T. The five working variables are renamed instead of moved: round T has its `a` at v[-T mod 5]. */
template <size_t T>
inline void Round(State& v, std::array<uint32_t, 16>& w, const uint8_t* block)
{
    constexpr auto at{[](size_t letter) { return (letter + 80 - T) % 5; }};
    uint32_t& b{v[at(1)]};
    uint32_t& e{v[at(4)]};
    e += std::rotl(v[at(0)], 5) + Mix<T / 20>(b, v[at(2)], v[at(3)]) + K[T / 20] + Word<T>(w, block);
    b = std::rotl(b, 30);
}

template <size_t... T>
inline void EightyRounds(State& v, std::array<uint32_t, 16>& w, const uint8_t* block, std::index_sequence<T...>)
{
    (Round<T>(v, w, block), ...);
}

/** Not inlined into the loop over blocks, whose variables would take registers that the rounds need: 5 % with gcc 12. */
[[gnu::noinline]] void TransformBlock(State& state, const uint8_t* block) noexcept
{
    std::array<uint32_t, 16> w;
    State v{state};
    EightyRounds(v, w, block, std::make_index_sequence<80>{});
    for (size_t i{0}; i < 5; ++i) {
        state[i] += v[i];
    }
}

} // namespace

void Transform(State& state, const uint8_t* blocks, size_t n_blocks) noexcept
{
    for (; n_blocks > 0; --n_blocks, blocks += 64) TransformBlock(state, blocks);
}

} // namespace sha1

void CSHA1::WriteLength(uint8_t* end, uint64_t n_bits) noexcept { WriteBE64(end - 8, n_bits); }

void CSHA1::WriteState(const sha1::State& state, uint8_t* out) noexcept
{
    for (size_t i{0}; i < state.size(); ++i) {
        WriteBE32(out + 4 * i, state[i]);
    }
}

} // namespace slhc
