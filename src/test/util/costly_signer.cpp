// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/util/costly_signer.h>

#include <pqc/experiment_signer.h>
#include <pqc/slhdsa/encoding.h>
#include <test/numbers_128s.h>

#include <algorithm>
#include <array>

namespace slhc::test {

using namespace slhdsa;

namespace {

/** Makes all keys. The first 8 bytes of a seed, and of the secret key that has them too, are a key's number. */
const ExperimentSigner& SharedSigner()
{
    static const ExperimentSigner signer{ParameterSet::SHA2_128S, std::array<uint8_t, KEYGEN_SEED_SIZE>{'c', 'o', 's', 't', 'l', 'y'}};
    return signer;
}

uint64_t KeyNumber(std::span<const uint8_t> secret) { return toInt(secret.first(8)); }

} // namespace

SLHDSAFunctions CostlySLHDSA(uint32_t tries)
{
    return {
        .keygen =
            [](std::span<const uint8_t, KEYGEN_SEED_SIZE> seed, SecretKey& sk, PublicKey& pk) {
                pk = SharedSigner().Key(KeyNumber(seed));
                std::ranges::copy(pk, std::ranges::copy(seed.first<2 * N>(), sk.begin()).out);
            },
        .sign =
            [tries](std::span<const uint8_t> message, const SecretKey& sk, const std::array<uint8_t, N>& addrnd, Signature& sig) {
                SharedSigner().Sign(KeyNumber(sk), *MessagePieces::Pure(message, {}), sig, tries, toInt(std::span{addrnd}.first<8>()));
            },
    };
}

size_t VerificationCompressions(std::span<const uint8_t, PUBLIC_KEY_SIZE> pk, std::span<const uint8_t> message,
                                std::span<const uint8_t, SIGNATURE_SIZE> sig)
{
    const HashContext hash{pk.first<N>()};
    const MessageDigest digest{DigestMessage<PARAMS_128S>(sig.first<N>(), pk, *MessagePieces::Pure(message, {}))};
    Node signed_node{fors_pkFromSig<PARAMS_128S>(hash, sig.subspan<N, FORS_SIG_SIZE>(), digest.md, ForsAddress(digest))};

    const auto blocks{[](size_t n_nodes) { return (COMPRESSED_ADRS_SIZE + n_nodes * N + 9 + 63) / 64; }};
    size_t compressions{1 + 4 + K * (1 + A) + blocks(K)}; // PK.seed, H_msg, FORS
    uint64_t tree{digest.idx_tree};
    uint32_t leaf{digest.idx_leaf};
    for (uint32_t layer{0}; layer < D; ++layer) {
        for (const uint32_t digit : wots_digits<PARAMS_128S>(signed_node)) compressions += W - 1 - digit;
        compressions += blocks(LEN) + H_PRIME;
        ADRS adrs;
        adrs.setLayerAddress(layer);
        adrs.setTreeAddress(tree);
        signed_node =
            xmss_pkFromSig<PARAMS_128S>(hash, leaf, sig.subspan(N + FORS_SIG_SIZE + layer * XMSS_SIG_SIZE).first<XMSS_SIG_SIZE>(),
                                        signed_node, adrs);
        leaf = static_cast<uint32_t>(tree & ((1 << H_PRIME) - 1));
        tree >>= H_PRIME;
    }
    return compressions;
}

} // namespace slhc::test
