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

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>

/** Signing and key generation with the kernels of an engine. No branch and no address depends on a secret; secrets
 *  are wiped when a step is done with them. */
namespace slhc::slhdsa::lanes {

/** Called now and then, in the thread that signs, with how many of a number of steps are done, and with all of them at the end. */
using SigningProgress = std::function<void(size_t done, size_t total)>;

/** The height of the subtrees in which an XMSS tree is made: enough WOTS+ keys to fill the lanes, few enough for the first-level cache, and
 *  for several threads to share a signature evenly. Of a tree, the roots of these subtrees are kept. */
[[nodiscard]] constexpr size_t KeysHeight(const Params& p) { return std::min<size_t>(p.h_prime(), 5); }

/** Algorithm 19, slh_sign_internal, on the threads of a pool: all trees that a signature goes through are known once
 *  the message is hashed, so their leaves are computed side by side, in subtrees of which only the roots are kept.
 *  @param[in] cache     of top trees; null: none
 *  @param[in] progress  null: nobody asks
 *  @return false, and sig untouched, if the pool was interrupted */
[[nodiscard]] bool Sign(const KernelSplitter& kernels, ThreadPool& pool, ParameterSet set, const MessagePieces& m,
                        std::span<const uint8_t, SECRET_KEY_SIZE> sk, std::span<const uint8_t, N> addrnd, std::span<uint8_t> sig,
                        TopTreeCache* cache = nullptr, const SigningProgress& progress = {});

/** A key that was just made is wrong: this machine made an error. */
class FaultyKey : public std::runtime_error
{
public:
    FaultyKey() : std::runtime_error{"the key that was just made is wrong: this machine made an error"} {}
};

/** Algorithm 18, slh_keygen_internal, on the threads of a pool. With another set than 128s, which the engine was not tried with, the scalar
 *  code makes a part of the tree again.
 *  @param[in,out] cache  keeps the key's top tree; null: none
 *  @return false if the pool was interrupted
 *  @throws FaultyKey */
[[nodiscard]] bool GenerateKey(const KernelSplitter& kernels, ThreadPool& pool, ParameterSet set,
                               std::span<const uint8_t, KEYGEN_SEED_SIZE> seed, SecretKey& sk, PublicKey& pk,
                               TopTreeCache* cache = nullptr, const SigningProgress& progress = {});

} // namespace slhc::slhdsa::lanes

#endif // SLHCONSENSUS_PQC_CPU_LANE_SIGNER_H
