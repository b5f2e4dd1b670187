// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_CORE_TEST_KEYS_H
#define SLHCONSENSUS_TEST_CORE_TEST_KEYS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace slhc::test {

/** A secp256k1 key that everybody knows, in each form in which its public half can appear. */
struct TestKey {
    std::array<uint8_t, 32> secret;
    std::vector<uint8_t> compressed;
    std::vector<uint8_t> uncompressed;
    std::vector<uint8_t> hybrid; //!< 0x06 or 0x07 before both coordinates, as OpenSSL once wrote it
    std::vector<uint8_t> x_only;
};

inline constexpr size_t N_TEST_KEYS{24};

/** The keys, made once. */
const std::array<TestKey, N_TEST_KEYS>& TestKeys();

/** r and s, 32 bytes each, of an ECDSA signature over a 32-byte hash; s above half of the order if high_s. */
struct CompactSignature {
    std::array<uint8_t, 32> r;
    std::array<uint8_t, 32> s;
};
CompactSignature SignECDSA(const TestKey& key, std::span<const uint8_t, 32> hash, bool high_s);

/** DER of a signature, as short as it gets. */
std::vector<uint8_t> EncodeDER(const CompactSignature& signature);

/** BIP 340 over a 32-byte message, without auxiliary randomness. With a tweak, by the key tweaked as in BIP 341. */
std::vector<uint8_t> SignSchnorr(const TestKey& key, std::span<const uint8_t, 32> hash, const std::array<uint8_t, 32>* tap_tweak = nullptr);

/** BIP 341's output key for a tweak (the TapTweak hash) of a test key. */
struct OutputKey {
    std::array<uint8_t, 32> x_only;
    bool odd;
};
OutputKey TweakTapKey(const TestKey& key, const std::array<uint8_t, 32>& tap_tweak);

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_CORE_TEST_KEYS_H
