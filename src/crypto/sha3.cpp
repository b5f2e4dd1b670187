// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <crypto/sha3.h>

#include <util/check.h>

#include <bit>

namespace slhc {
namespace {

using State = std::array<uint64_t, 25>;

/** One step of the linear feedback shift register that the round constants come from: x^8 + x^6 + x^5 + x^4 + 1. */
constexpr uint8_t NextLfsr(uint8_t r) { return static_cast<uint8_t>(r << 1 ^ (r >> 7) * 0x71); }

constexpr std::array<uint64_t, 24> MakeRoundConstants()
{
    std::array<uint64_t, 24> constants{};
    uint8_t lfsr{1};
    for (uint64_t& constant : constants) {
        for (unsigned j{0}; j <= 6; ++j) {
            if (lfsr & 1) constant |= uint64_t{1} << ((1U << j) - 1);
            lfsr = NextLfsr(lfsr);
        }
    }
    return constants;
}

constexpr std::array<uint64_t, 24> ROUND_CONSTANTS{MakeRoundConstants()};

/** FIPS 202, section 3.3: Keccak-f[1600]. */
void Permute(State& a)
{
    for (const uint64_t constant : ROUND_CONSTANTS) {
        // theta
        std::array<uint64_t, 5> parity;
        for (size_t x{0}; x < 5; ++x) {
            parity[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
        }
        for (size_t x{0}; x < 5; ++x) {
            const uint64_t d{parity[(x + 4) % 5] ^ std::rotl(parity[(x + 1) % 5], 1)};
            for (size_t y{0}; y < 25; y += 5) {
                a[x + y] ^= d;
            }
        }
        // rho and pi: walk the 24 lanes that move, in the order in which each takes the place of the next
        size_t x{1}, y{0};
        uint64_t moving{a[1]};
        for (int t{0}; t < 24; ++t) {
            const size_t next_y{(2 * x + 3 * y) % 5};
            x = y;
            y = next_y;
            const uint64_t displaced{a[x + 5 * y]};
            a[x + 5 * y] = std::rotl(moving, (t + 1) * (t + 2) / 2 % 64);
            moving = displaced;
        }
        // chi
        for (size_t row{0}; row < 25; row += 5) {
            const std::array<uint64_t, 5> before{a[row], a[row + 1], a[row + 2], a[row + 3], a[row + 4]};
            for (size_t i{0}; i < 5; ++i) {
                a[row + i] = before[i] ^ (~before[(i + 1) % 5] & before[(i + 2) % 5]);
            }
        }
        // iota
        a[0] ^= constant;
    }
}

} // namespace

Keccak& Keccak::Write(std::span<const uint8_t> data) noexcept
{
    for (const uint8_t byte : data) {
        XorByte(m_fill, byte);
        if (++m_fill == m_rate) {
            Permute(m_state);
            m_fill = 0;
        }
    }
    return *this;
}

void Keccak::Finalize(std::span<uint8_t> out) noexcept
{
    assert(out.size() <= m_rate);
    XorByte(m_fill, m_suffix);
    XorByte(m_rate - 1, 0x80);
    Permute(m_state);
    for (size_t i{0}; i < out.size(); ++i) {
        out[i] = static_cast<uint8_t>(m_state[i / 8] >> (8 * (i % 8)));
    }
}

} // namespace slhc
