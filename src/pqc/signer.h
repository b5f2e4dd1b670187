// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_SIGNER_H
#define SLHCONSENSUS_PQC_SIGNER_H

#include <pqc/slhdsa/slhdsa.h>
#include <pqc/top_tree_cache.h>
#include <util/threadpool.h>

#include <cstdint>
#include <span>

/** Signing and key generation in the fastest way that this build and machine offer. The results are, to the byte, those of slh_sign and
 *  slh_keygen_internal (slhdsa.h). */
namespace slhc::slhdsa {

/** As slh_sign (FIPS 205, algorithm 22), on the threads of a pool.
 *  @param[in] addrnd  16 bytes, or null for the deterministic variant
 *  @param[in] cache   of top trees, for keys that sign often; null: none
 *  @return false, and sig untouched, if ctx has more than 255 bytes or the pool was interrupted */
[[nodiscard]] bool Sign(ThreadPool& pool, std::span<const uint8_t> m, std::span<const uint8_t> ctx,
                        std::span<const uint8_t, SECRET_KEY_SIZE> sk, const uint8_t* addrnd, Signature& sig,
                        TopTreeCache* cache = nullptr);

/** As slh_keygen_internal (algorithm 18), in the calling thread. */
void GenerateKey(std::span<const uint8_t, KEYGEN_SEED_SIZE> seed, SecretKey& sk, PublicKey& pk);

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_SIGNER_H
