// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_PREHASH_H
#define SLHCONSENSUS_PQC_PREHASH_H

#include <pqc/slhdsa.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

/** Pre-hash SLH-DSA, FIPS 205, section 10.2.2: a digest of the message is signed, together with the name of
 *  the hash. Consensus does not use it. */
namespace slhc::slhdsa {

/** The hash functions that may be used: those of the ACVP test vectors. */
enum class PreHash : uint8_t {
    SHA2_224,
    SHA2_256,
    SHA2_384,
    SHA2_512,
    SHA2_512_224,
    SHA2_512_256,
    SHA3_224,
    SHA3_256,
    SHA3_384,
    SHA3_512,
    SHAKE_128, //!< 256 bits of output
    SHAKE_256, //!< 512 bits of output
};

/** The hash that ACVP calls by this name, e.g. "SHA2-512/256"; nothing if it is none of the above. */
[[nodiscard]] std::optional<PreHash> PreHashByName(std::string_view name) noexcept;

/** Algorithm 23, hash_slh_sign. Arguments and result as of slh_sign. */
[[nodiscard]] bool hash_slh_sign(std::span<const uint8_t> m, std::span<const uint8_t> ctx, PreHash ph,
                                 std::span<const uint8_t, SECRET_KEY_SIZE> sk, const uint8_t* addrnd, Signature& sig);

/** Algorithm 25, hash_slh_verify. Arguments and result as of slh_verify. */
[[nodiscard]] bool hash_slh_verify(std::span<const uint8_t> m, std::span<const uint8_t> sig, std::span<const uint8_t> ctx, PreHash ph,
                                   std::span<const uint8_t, PUBLIC_KEY_SIZE> pk);

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_PREHASH_H
