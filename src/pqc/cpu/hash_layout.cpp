// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/cpu/hash_layout.h>

#include <crypto/sha256_constants.h>

#include <bit>

namespace slhc::slhdsa::lanes {

BlockPrefix MakeBlockPrefix(const sha256::State& seed_state, const ADRS& adrs) noexcept
{
    // The first words of ADRS^c, from the pieces in which the address was written: others would make the processor wait for them.
    const uint8_t* const bytes{adrs.Bytes().data()};
    const uint32_t layer{ReadBE32(bytes)}, tree[]{ReadBE32(bytes + 8), ReadBE32(bytes + 12)}, type{ReadBE32(bytes + 16)};
    const uint32_t key_pair{adrs.getKeyPairAddress()};
    const uint32_t w[4]{layer << 24 | tree[0] >> 8, tree[0] << 24 | tree[1] >> 8, tree[1] << 24 | type << 16 | key_pair >> 16,
                        key_pair << 16};

    // FIPS 180-4, section 6.2.2, rounds 0 to 3; the variables change their names instead of their places.
    sha256::State v{seed_state};
    for (size_t t{0}; t < 4; ++t) {
        const auto at{[&](size_t letter) -> uint32_t& { return v[(letter + 8 - t) % 8]; }};
        const uint32_t a{at(0)}, e{at(4)};
        const uint32_t Sigma1{std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)};
        const uint32_t Sigma0{std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)};
        const uint32_t t1{at(7) + Sigma1 + ((e & at(5)) ^ (~e & at(6))) + sha256::K[t] + w[t]};
        at(3) += t1;
        at(7) = t1 + Sigma0 + ((a & at(1)) ^ (a & at(2)) ^ (at(1) & at(2)));
    }

    BlockPrefix prefix;
    for (size_t i{0}; i < 8; ++i) prefix.state[i] = v[(i + 4) % 8];
    for (size_t i{0}; i < 4; ++i) prefix.midstate[i] = seed_state[i];
    for (size_t i{0}; i < 3; ++i) {
        const uint32_t next{w[i + 1]};
        prefix.schedule[i] = w[i] + (std::rotr(next, 7) ^ std::rotr(next, 18) ^ next >> 3);
    }
    prefix.schedule[3] = w[3];
    return prefix;
}

} // namespace slhc::slhdsa::lanes
