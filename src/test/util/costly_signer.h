// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_UTIL_COSTLY_SIGNER_H
#define SLHCONSENSUS_TEST_UTIL_COSTLY_SIGNER_H

#include <pqc/slhdsa/slhdsa.h>
#include <test/util/spends.h>

#include <cstddef>
#include <cstdint>
#include <span>

/** Valid signatures that are expensive to verify, made as an attacker would who also makes the key: as an ExperimentSigner does it, signing
 *  of many messages for each layer the one that leaves the most steps to the verifier (doc/worst-case.md). */
namespace slhc::test {

/** @param[in] tries  messages for each layer, above 0 */
[[nodiscard]] SLHDSAFunctions CostlySLHDSA(uint32_t tries);

/** Calls of SHA-256's compression function in slh_verify of a message of 32 bytes with an empty context, the block of PK.seed included. */
[[nodiscard]] size_t VerificationCompressions(std::span<const uint8_t, slhdsa::PUBLIC_KEY_SIZE> pk, std::span<const uint8_t> message,
                                              std::span<const uint8_t, slhdsa::SIGNATURE_SIZE> sig);

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_UTIL_COSTLY_SIGNER_H
