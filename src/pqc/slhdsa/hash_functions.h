// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_SLHDSA_HASH_FUNCTIONS_H
#define SLHCONSENSUS_PQC_SLHDSA_HASH_FUNCTIONS_H

#include <crypto/sha256.h>
#include <pqc/slhdsa/address.h>
#include <pqc/slhdsa/message.h>
#include <pqc/slhdsa/params.h>

#include <array>
#include <cstdint>
#include <span>

/** FIPS 205, section 11.2.1: the hash functions of the SHA-2 parameter sets of security category 1. */
namespace slhc::slhdsa {

using Node = std::array<uint8_t, N>;       //!< the result of the functions below: a node of a tree, a value of a chain
using NodeView = std::span<const uint8_t, N>;

/** The functions that take PK.seed and an address:
 *
 *      F, H, T_l:  Trunc_n(SHA-256(PK.seed || toByte(0, 64 - n) || ADRS^c || M))
 *      PRF:        the same with SK.seed for M
 *
 *  PK.seed and its padding fill one block, which is compressed once, when the object is made. Thread-safe. */
class HashContext
{
public:
    explicit HashContext(NodeView pk_seed) noexcept;
    /** @param[in] seed_state  the result of SeedState() for the same key */
    explicit HashContext(const sha256::State& seed_state) noexcept : m_after_seed{seed_state, CSHA256::BLOCK_SIZE} {}

    /** F: one value of n bytes. */
    [[nodiscard]] Node F(const ADRS& adrs, NodeView m1) const noexcept { return Hash(adrs, m1, {}); }

    /** H: two values, M_2 = left || right. */
    [[nodiscard]] Node H(const ADRS& adrs, NodeView left, NodeView right) const noexcept { return Hash(adrs, left, right); }

    /** T_len and T_k: l values of n bytes. */
    [[nodiscard]] Node T_l(const ADRS& adrs, std::span<const Node> m) const noexcept;

    /** PRF: the secret value that belongs to an address. */
    [[nodiscard]] Node PRF(NodeView sk_seed, const ADRS& adrs) const noexcept { return Hash(adrs, sk_seed, {}); }

    /** SHA-256's state after the block PK.seed || toByte(0, 64 - n). */
    [[nodiscard]] const sha256::State& SeedState() const noexcept { return m_after_seed.state; }

private:
    CSHA256::Midstate m_after_seed;

    [[nodiscard]] Node Hash(const ADRS& adrs, std::span<const uint8_t> m, std::span<const uint8_t> more) const noexcept;
};

/** PRF_msg: Trunc_n(HMAC-SHA-256(SK.prf, opt_rand || M)), the randomizer R. */
[[nodiscard]] Node PRF_msg(NodeView sk_prf, NodeView opt_rand, const MessagePieces& m) noexcept;

/** H_msg: MGF1-SHA-256(R || PK.seed || SHA-256(R || PK.seed || PK.root || M), m), the message digest.
 *  @param[out] digest  m bytes */
void H_msg(NodeView r, NodeView pk_seed, NodeView pk_root, const MessagePieces& m, std::span<uint8_t> digest) noexcept;

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_SLHDSA_HASH_FUNCTIONS_H
