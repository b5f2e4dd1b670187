// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_CORE_SLHDSA_SCHEME_H
#define SLHCONSENSUS_TEST_CORE_SLHDSA_SCHEME_H

#include <slhdsa.h>

#include <pqc/experiment_signer.h>
#include <pqc/slhdsa/slhdsa.h>
#include <script/slhdsa_pubkey.h>
#include <pqc/verifier.h>
#include <primitives/uint256.h>

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

/** The signature scheme in a family of test cases: SLH-DSA itself, or one that signs in microseconds. */
namespace slhc::test {

/** A key that everybody knows. */
struct SLHDSATestKey {
    slhdsa::ParameterSet set{slhdsa::ParameterSet::SHA2_128S};
    slhdsa::PublicKey pubkey{};
    std::shared_ptr<const slhdsa::ExperimentSigner> signer;

    /** As scripts have it. */
    [[nodiscard]] std::vector<uint8_t> Element() const { return SLHDSAPubKey{set, pubkey}.Element(); }
};

/** Two of 128s, one of each other set that scripts can have. */
inline constexpr size_t N_SLHDSA_KEYS{4};

/** The keys, made once. */
const std::array<SLHDSATestKey, N_SLHDSA_KEYS>& SLHDSATestKeys();

struct SLHDSAScheme {
    /** A pure signature, with an empty context, over 32 bytes. */
    std::vector<uint8_t> (*sign)(const SLHDSATestKey& key, const uint256& message);
    /** As slhc_slhdsa_verify. */
    int (*verify)(int set, const unsigned char public_key[32], slhc_bytes message, slhc_bytes ctx, slhc_bytes signature);
    /** The same verdicts, for this project's scripts and batches. */
    std::shared_ptr<slhdsa::Verifier> verifier;
};

/** SLH-DSA. */
const SLHDSAScheme& RealSLHDSA();

/** A stand-in for its slow part. Messages are hashed and roots compared as in SLH-DSA, but the root to which a signature leads is a
 *  string in it XORed with a hash of everything else. So every bit of the message, the key and the signature counts, and everybody can
 *  sign. */
const SLHDSAScheme& QuickSLHDSA();

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_CORE_SLHDSA_SCHEME_H
