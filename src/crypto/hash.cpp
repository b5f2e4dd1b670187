// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <crypto/hash.h>

namespace slhc {

CSHA256 TaggedHash(std::string_view tag) noexcept
{
    const std::array<uint8_t, 32> tag_hash{CSHA256{}.Write(reinterpret_cast<const uint8_t*>(tag.data()), tag.size()).Digest()};
    CSHA256 hasher;
    hasher.Write(tag_hash).Write(tag_hash);
    return hasher;
}

} // namespace slhc
