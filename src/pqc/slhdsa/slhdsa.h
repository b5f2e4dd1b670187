// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_SLHDSA_SLHDSA_H
#define SLHCONSENSUS_PQC_SLHDSA_SLHDSA_H

#include <pqc/slhdsa/hash_functions.h>
#include <pqc/slhdsa/message.h>
#include <pqc/slhdsa/params.h>

#include <array>
#include <cstdint>
#include <span>

/** SLH-DSA-SHA2-128s as FIPS 205 writes it, one function for each algorithm, on plain scalar code. Every
 *  faster path in this project is tested against these functions. */
namespace slhc::slhdsa {

using SecretKey = std::array<uint8_t, SECRET_KEY_SIZE>; //!< SK.seed || SK.prf || PK.seed || PK.root; the caller wipes it
using Signature = std::array<uint8_t, SIGNATURE_SIZE>;  //!< R || SIG_FORS || SIG_HT

/** Algorithm 18, slh_keygen_internal.
 *  @param[in] seed  SK.seed || SK.prf || PK.seed, 48 bytes from a random bit generator */
void slh_keygen_internal(std::span<const uint8_t, KEYGEN_SEED_SIZE> seed, SecretKey& sk, PublicKey& pk);

/** Algorithm 21, slh_keygen: a key from the operating system's random generator.
 *  @throws std::system_error  if that fails */
void slh_keygen(SecretKey& sk, PublicKey& pk);

/** Algorithm 19, slh_sign_internal.
 *  @param[in] m        the message as it is hashed (M' of the external interfaces)
 *  @param[in] addrnd   16 bytes of additional randomness; PK.seed for the deterministic variant */
void slh_sign_internal(std::span<const uint8_t> m, std::span<const uint8_t, SECRET_KEY_SIZE> sk,
                       std::span<const uint8_t, N> addrnd, Signature& sig);

/** Algorithm 19 again, for a message in pieces. */
void slh_sign_internal(const MessagePieces& m, std::span<const uint8_t, SECRET_KEY_SIZE> sk,
                       std::span<const uint8_t, N> addrnd, Signature& sig);

/** Algorithm 20, slh_verify_internal. A signature of any size but 7856 bytes is invalid. */
[[nodiscard]] bool slh_verify_internal(std::span<const uint8_t> m, std::span<const uint8_t> sig,
                                       std::span<const uint8_t, PUBLIC_KEY_SIZE> pk);

/** Algorithm 20 again, for a message in pieces. */
[[nodiscard]] bool slh_verify_internal(const MessagePieces& m, std::span<const uint8_t> sig,
                                       std::span<const uint8_t, PUBLIC_KEY_SIZE> pk);

/** Algorithm 22, slh_sign: pure SLH-DSA.
 *  @param[in] ctx      context string; more than 255 bytes is the one error
 *  @param[in] addrnd   16 bytes, or null for the deterministic variant
 *  @return false, and sig untouched, if ctx is too long */
[[nodiscard]] bool slh_sign(std::span<const uint8_t> m, std::span<const uint8_t> ctx,
                            std::span<const uint8_t, SECRET_KEY_SIZE> sk, const uint8_t* addrnd, Signature& sig);

/** Algorithm 24, slh_verify: pure SLH-DSA. False also if ctx has more than 255 bytes. */
[[nodiscard]] bool slh_verify(std::span<const uint8_t> m, std::span<const uint8_t> sig, std::span<const uint8_t> ctx,
                              std::span<const uint8_t, PUBLIC_KEY_SIZE> pk);

// The pieces of algorithms 19 and 20 that other code computes too.

/** The message digest, split as lines 6 to 10 of algorithm 19 (9 to 13 of 20) split it. */
struct MessageDigest {
    std::array<uint8_t, FORS_DIGEST_SIZE> md; //!< what FORS signs
    uint64_t idx_tree;                        //!< below 2^(H - H_PRIME)
    uint16_t idx_leaf;                        //!< below 2^H_PRIME
};

/** Take the digest apart. */
[[nodiscard]] MessageDigest SplitDigest(std::span<const uint8_t, M> digest) noexcept;

/** H_msg of a message under a public key and a randomizer R, split. */
[[nodiscard]] MessageDigest DigestMessage(std::span<const uint8_t, N> r, std::span<const uint8_t, PUBLIC_KEY_SIZE> pk,
                                          const MessagePieces& m) noexcept;

/** Algorithm 20 between the digest and the comparison with PK.root: the hypertree root under which sig signs
 *  the digest. The signature's first N bytes, R, are not read. */
[[nodiscard]] Node slh_rootFromSig(const HashContext& hash, const MessageDigest& digest,
                                   std::span<const uint8_t, SIGNATURE_SIZE> sig) noexcept;

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_SLHDSA_SLHDSA_H
