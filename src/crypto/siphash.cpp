// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <crypto/siphash.h>

#include <crypto/endian.h>

#include <bit>

namespace slhc {
namespace {

using Words = std::array<uint64_t, 4>;

void SipRound(Words& v)
{
    v[0] += v[1];
    v[1] = std::rotl(v[1], 13) ^ v[0];
    v[0] = std::rotl(v[0], 32);
    v[2] += v[3];
    v[3] = std::rotl(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = std::rotl(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = std::rotl(v[1], 17) ^ v[2];
    v[2] = std::rotl(v[2], 32);
}

void Absorb(Words& v, uint64_t word)
{
    v[3] ^= word;
    SipRound(v);
    SipRound(v);
    v[0] ^= word;
}

/** @param[in] last  the bytes left over, and the length modulo 256 in the top byte */
uint64_t Finish(Words v, uint64_t last)
{
    Absorb(v, last);
    v[2] ^= 0xff;
    for (int i{0}; i < 4; ++i) {
        SipRound(v);
    }
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/** "somepseudorandomlygeneratedbytes", as four big-endian words, XORed with the key. */
constexpr Words Start(uint64_t k0, uint64_t k1)
{
    return {k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573};
}

} // namespace

CSipHasher::CSipHasher(uint64_t k0, uint64_t k1) noexcept : m_v{Start(k0, k1)} {}

CSipHasher& CSipHasher::Write(std::span<const uint8_t> data) noexcept
{
    for (const uint8_t byte : data) {
        m_tail |= uint64_t{byte} << (8 * (m_count % 8));
        if (++m_count % 8 == 0) {
            Absorb(m_v, m_tail);
            m_tail = 0;
        }
    }
    return *this;
}

uint64_t CSipHasher::Finalize() const noexcept { return Finish(m_v, m_tail | m_count << 56); }

uint64_t SipHashUint256(uint64_t k0, uint64_t k1, std::span<const uint8_t, 32> value) noexcept
{
    Words v{Start(k0, k1)};
    for (size_t i{0}; i < 32; i += 8) {
        Absorb(v, ReadLE64(value.data() + i));
    }
    return Finish(v, uint64_t{32} << 56);
}

} // namespace slhc
