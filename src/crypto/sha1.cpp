// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <crypto/sha1.h>

#include <crypto/endian.h>

#include <bit>

namespace slhc {
namespace sha1 {
namespace {

/** The function and the constant of a round, by quarter. */
uint32_t Mix(size_t t, uint32_t b, uint32_t c, uint32_t d)
{
    switch (t / 20) {
    case 0: return (d ^ (b & (c ^ d))) + 0x5a827999;
    case 1: return (b ^ c ^ d) + 0x6ed9eba1;
    case 2: return ((b & c) | (d & (b | c))) + 0x8f1bbcdc;
    default: return (b ^ c ^ d) + 0xca62c1d6;
    }
}

} // namespace

void Transform(State& state, const uint8_t* blocks, size_t n_blocks) noexcept
{
    for (; n_blocks > 0; --n_blocks, blocks += 64) {
        std::array<uint32_t, 80> w;
        for (size_t t{0}; t < 16; ++t) {
            w[t] = ReadBE32(blocks + 4 * t);
        }
        for (size_t t{16}; t < 80; ++t) {
            w[t] = std::rotl(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
        }
        auto [a, b, c, d, e] = state;
        for (size_t t{0}; t < 80; ++t) {
            const uint32_t next{std::rotl(a, 5) + Mix(t, b, c, d) + e + w[t]};
            e = d;
            d = c;
            c = std::rotl(b, 30);
            b = a;
            a = next;
        }
        state[0] += a;
        state[1] += b;
        state[2] += c;
        state[3] += d;
        state[4] += e;
    }
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
