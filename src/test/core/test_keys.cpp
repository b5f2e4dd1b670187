// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/core/test_keys.h>

#include <test/util/signing_context.h>

#include <secp256k1.h>
#include <secp256k1_extrakeys.h>
#include <secp256k1_schnorrsig.h>

#include <algorithm>
#include <stdexcept>

namespace slhc::test {

namespace {

/** The library answers 0 only to keys and tweaks out of range, which these never are. */
void Must(int ok)
{
    if (ok != 1) throw std::logic_error{"libsecp256k1 refuses a test key"};
}

TestKey MakeKey(uint8_t n)
{
    TestKey key;
    for (size_t i{0}; i < key.secret.size(); ++i) key.secret[i] = static_cast<uint8_t>(n * 37 + i * 11 + 1);
    secp256k1_pubkey pubkey;
    Must(secp256k1_ec_pubkey_create(SigningContext(), &pubkey, key.secret.data()));
    key.compressed.resize(33);
    size_t size{33};
    secp256k1_ec_pubkey_serialize(SigningContext(), key.compressed.data(), &size, &pubkey, SECP256K1_EC_COMPRESSED);
    key.uncompressed.resize(65);
    size = 65;
    secp256k1_ec_pubkey_serialize(SigningContext(), key.uncompressed.data(), &size, &pubkey, SECP256K1_EC_UNCOMPRESSED);
    key.hybrid = key.uncompressed;
    key.hybrid[0] = 0x06 | (key.uncompressed.back() & 1);
    key.x_only.assign(key.compressed.begin() + 1, key.compressed.end());
    return key;
}

} // namespace

const std::array<TestKey, N_TEST_KEYS>& TestKeys()
{
    static const auto keys{[] {
        std::array<TestKey, N_TEST_KEYS> result;
        for (size_t i{0}; i < result.size(); ++i) result[i] = MakeKey(static_cast<uint8_t>(i + 1));
        return result;
    }()};
    return keys;
}

CompactSignature SignECDSA(const TestKey& key, std::span<const uint8_t, 32> hash, bool high_s)
{
    secp256k1_ecdsa_signature signature;
    Must(secp256k1_ecdsa_sign(SigningContext(), &signature, hash.data(), key.secret.data(), nullptr, nullptr));
    std::array<uint8_t, 64> compact;
    secp256k1_ecdsa_signature_serialize_compact(SigningContext(), compact.data(), &signature);
    CompactSignature result;
    std::copy_n(compact.begin(), 32, result.r.begin());
    std::copy_n(compact.begin() + 32, 32, result.s.begin());
    // n - s verifies as well as s does.
    if (high_s) Must(secp256k1_ec_seckey_negate(SigningContext(), result.s.data()));
    return result;
}

std::vector<uint8_t> EncodeDER(const CompactSignature& signature)
{
    std::vector<uint8_t> der{0x30, 0};
    for (const auto& number : {signature.r, signature.s}) {
        auto first{std::find_if(number.begin(), number.end() - 1, [](uint8_t byte) { return byte != 0; })};
        const bool pad{(*first & 0x80) != 0};
        der.push_back(0x02);
        der.push_back(static_cast<uint8_t>(number.end() - first + pad));
        if (pad) der.push_back(0);
        der.insert(der.end(), first, number.end());
    }
    der[1] = static_cast<uint8_t>(der.size() - 2);
    return der;
}

std::vector<uint8_t> SignSchnorr(const TestKey& key, std::span<const uint8_t, 32> hash, const std::array<uint8_t, 32>* tap_tweak)
{
    secp256k1_keypair keypair;
    Must(secp256k1_keypair_create(SigningContext(), &keypair, key.secret.data()));
    if (tap_tweak) Must(secp256k1_keypair_xonly_tweak_add(SigningContext(), &keypair, tap_tweak->data()));
    std::vector<uint8_t> signature(64);
    Must(secp256k1_schnorrsig_sign32(SigningContext(), signature.data(), hash.data(), &keypair, nullptr));
    return signature;
}

OutputKey TweakTapKey(const TestKey& key, const std::array<uint8_t, 32>& tap_tweak)
{
    secp256k1_xonly_pubkey internal, output;
    secp256k1_pubkey tweaked;
    Must(secp256k1_xonly_pubkey_parse(SigningContext(), &internal, key.x_only.data()));
    Must(secp256k1_xonly_pubkey_tweak_add(SigningContext(), &tweaked, &internal, tap_tweak.data()));
    int odd{0};
    Must(secp256k1_xonly_pubkey_from_pubkey(SigningContext(), &output, &odd, &tweaked));
    OutputKey result;
    secp256k1_xonly_pubkey_serialize(SigningContext(), result.x_only.data(), &output);
    result.odd = odd != 0;
    return result;
}

} // namespace slhc::test
