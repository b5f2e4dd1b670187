// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_SLHDSA_WOTS_H
#define SLHCONSENSUS_PQC_SLHDSA_WOTS_H

#include <pqc/slhdsa/hash_functions.h>

/** WOTS+, the one-time signatures of FIPS 205, section 5. In every function, adrs names the key pair: its
 *  layer, tree and key pair address are set, and its type is WOTS_HASH. */
namespace slhc::slhdsa {

inline constexpr size_t WOTS_SIG_SIZE{LEN * N};

/** The message as LEN digits of LG_W bits, its checksum last: lines 1 to 7 of algorithms 7 and 8. */
[[nodiscard]] std::array<uint32_t, LEN> wots_digits(NodeView m) noexcept;

/** Algorithm 5, chain: F applied s times to x, which stands at step i of the chain that adrs names.
 *  @pre i + s < W */
[[nodiscard]] Node chain(const HashContext& hash, NodeView x, uint32_t i, uint32_t s, ADRS adrs) noexcept;

/** Algorithm 6, wots_pkGen: the compressed public key. */
[[nodiscard]] Node wots_pkGen(const HashContext& hash, NodeView sk_seed, const ADRS& adrs) noexcept;

/** Algorithm 7, wots_sign. */
void wots_sign(const HashContext& hash, NodeView m, NodeView sk_seed, const ADRS& adrs, std::span<uint8_t, WOTS_SIG_SIZE> sig) noexcept;

/** Algorithm 8, wots_pkFromSig: the compressed public key under which sig signs m. */
[[nodiscard]] Node wots_pkFromSig(const HashContext& hash, std::span<const uint8_t, WOTS_SIG_SIZE> sig, NodeView m,
                                  const ADRS& adrs) noexcept;

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_SLHDSA_WOTS_H
