// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_SIGNER_H
#define SLHCONSENSUS_PQC_SIGNER_H

#include <pqc/cpu/lane_signer.h>
#include <pqc/slhdsa/slhdsa.h>
#include <pqc/top_tree_cache.h>
#include <util/threadpool.h>

#include <cstdint>
#include <span>
#include <stdexcept>

/** Signing and key generation in the fastest way that this build and machine offer. The results are, to the byte, those of slh_sign and
 *  slh_keygen_internal (slhdsa.h). */
namespace slhc::slhdsa {

/** A signature that was just made does not verify. Nobody gets to see it, for wrong signatures give secrets away (doc/signing.md). */
class FaultySignature : public std::runtime_error
{
public:
    FaultySignature()
        : std::runtime_error{"the signature that was just made is wrong: the parts of the secret key do not belong together, or this "
                             "machine made an error"}
    {
    }
};

/** As slh_sign (FIPS 205, algorithm 22), on the threads of a pool; the scalar code has verified what comes out.
 *  @param[in] addrnd    16 bytes, or null for the deterministic variant
 *  @param[out] sig      as many bytes as the set's signatures have
 *  @param[in] cache     of top trees, for keys that sign often; null: none
 *  @param[in] progress  null: nobody asks
 *  @return false, and sig untouched, if ctx has more than 255 bytes or the pool was interrupted
 *  @throws FaultySignature  sig is untouched */
[[nodiscard]] bool Sign(ThreadPool& pool, ParameterSet set, std::span<const uint8_t> m, std::span<const uint8_t> ctx,
                        std::span<const uint8_t, SECRET_KEY_SIZE> sk, const uint8_t* addrnd, std::span<uint8_t> sig,
                        TopTreeCache* cache = nullptr, const lanes::SigningProgress& progress = {});

/** The same for a message in pieces, with the kernels of the caller's choice.
 *  @param[in] kernels  null: the scalar code signs, in the calling thread, and is not interrupted within a signature */
[[nodiscard]] bool Sign(const lanes::KernelSplitter* kernels, ThreadPool& pool, ParameterSet set, const MessagePieces& m,
                        std::span<const uint8_t, SECRET_KEY_SIZE> sk, std::span<const uint8_t, N> addrnd, std::span<uint8_t> sig,
                        TopTreeCache* cache, const lanes::SigningProgress& progress = {});

/** As slh_keygen_internal (algorithm 18), on the threads of a pool.
 *  @param[in,out] cache  keeps the key's top tree, if there is an engine; null: none
 *  @return false if the pool was interrupted
 *  @throws FaultyKey */
[[nodiscard]] bool GenerateKey(ThreadPool& pool, ParameterSet set, std::span<const uint8_t, KEYGEN_SEED_SIZE> seed, SecretKey& sk,
                               PublicKey& pk, TopTreeCache* cache = nullptr, const lanes::SigningProgress& progress = {});

/** The bytes of the nodes that a TopTreeCache has of a key. */
[[nodiscard]] size_t TopTreeSize(ParameterSet set);

/** Take a key's top tree out of a cache, to be kept elsewhere.
 *  @param[out] tree  TopTreeSize() bytes
 *  @return false if it is not there */
[[nodiscard]] bool SaveTopTree(TopTreeCache& cache, ParameterSet set, TopTreeCache::SecretKeyView sk, std::span<uint8_t> tree);

/** Put it into a cache again.
 *  @param[in] tree  TopTreeSize() bytes
 *  @return false if it is another key's */
[[nodiscard]] bool LoadTopTree(TopTreeCache& cache, ParameterSet set, TopTreeCache::SecretKeyView sk, std::span<const uint8_t> tree);

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_SIGNER_H
