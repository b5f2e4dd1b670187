// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <crypto/hmac_sha256.h>

#include <util/cleanse.h>

#include <algorithm>
#include <array>

namespace slhc {

CHMAC_SHA256::CHMAC_SHA256(std::span<const uint8_t> key) noexcept
{
    constexpr uint8_t IPAD{0x36};
    constexpr uint8_t OPAD{0x5c};

    std::array<uint8_t, CSHA256::BLOCK_SIZE> block{};
    if (key.size() > block.size()) {
        CSHA256{}.Write(key).Finalize(block.data());
    } else {
        std::copy(key.begin(), key.end(), block.begin());
    }
    for (uint8_t& byte : block) byte ^= IPAD;
    m_inner.Write(block);
    for (uint8_t& byte : block) byte ^= IPAD ^ OPAD;
    m_outer.Write(block);
    memory_cleanse(block.data(), block.size());
}

CHMAC_SHA256::~CHMAC_SHA256()
{
    memory_cleanse(&m_inner, sizeof(m_inner));
    memory_cleanse(&m_outer, sizeof(m_outer));
}

void CHMAC_SHA256::Finalize(std::span<uint8_t, OUTPUT_SIZE> out) noexcept
{
    m_inner.Finalize(out);
    m_outer.Write(out).Finalize(out);
}

} // namespace slhc
