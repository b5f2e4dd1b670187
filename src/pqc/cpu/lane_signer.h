// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_CPU_LANE_SIGNER_H
#define SLHCONSENSUS_PQC_CPU_LANE_SIGNER_H

#include <pqc/cpu/kernel_splitter.h>
#include <pqc/slhdsa/message.h>
#include <pqc/slhdsa/slhdsa.h>
#include <pqc/top_tree_cache.h>
#include <util/threadpool.h>

#include <cstdint>
#include <span>

/** Signing and key generation with the kernels of an engine. No branch and no address depends on a secret; secrets
 *  are wiped when a step is done with them. */
namespace slhc::slhdsa::lanes {

/** Algorithm 19, slh_sign_internal, on the threads of a pool: all trees that a signature goes through are known once
 *  the message is hashed, so their leaves are computed side by side.
 *  @param[in] cache  of top trees; null: none
 *  @return false, and sig untouched, if the pool was interrupted */
[[nodiscard]] bool Sign(const KernelSplitter& kernels, ThreadPool& pool, const MessagePieces& m,
                        std::span<const uint8_t, SECRET_KEY_SIZE> sk, std::span<const uint8_t, N> addrnd, Signature& sig,
                        TopTreeCache* cache = nullptr);

/** Algorithm 18, slh_keygen_internal, in the calling thread. */
void GenerateKey(const KernelSplitter& kernels, std::span<const uint8_t, KEYGEN_SEED_SIZE> seed, SecretKey& sk, PublicKey& pk);

} // namespace slhc::slhdsa::lanes

#endif // SLHCONSENSUS_PQC_CPU_LANE_SIGNER_H
