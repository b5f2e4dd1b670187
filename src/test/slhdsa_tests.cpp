// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// SLH-DSA's parts and boundaries. Agreement with others is tested in slhdsa_acvp_tests and
// slhdsa_differential_tests.

#include <crypto/hash.h>
#include <pqc/slhdsa/encoding.h>
#include <pqc/slhdsa/fors.h>
#include <pqc/slhdsa/hypertree.h>
#include <pqc/slhdsa/slhdsa.h>
#include <test/numbers_128s.h>
#include <test/random_source.h>
#include <util/hex.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

using namespace slhc;
using namespace slhc::slhdsa;

namespace {

template <size_t SIZE>
std::array<uint8_t, SIZE> Counting(uint8_t first)
{
    std::array<uint8_t, SIZE> bytes;
    std::iota(bytes.begin(), bytes.end(), first);
    return bytes;
}

/** A key, and a signature of a 32-byte message with an empty context, as the opcodes have them. */
struct Signed {
    SecretKey sk;
    PublicKey pk;
    std::array<uint8_t, 32> message{Counting<32>(0x40)};
    Signature sig;

    Signed()
    {
        slh_keygen_internal(Counting<KEYGEN_SEED_SIZE>(1), sk, pk);
        BOOST_REQUIRE(slh_sign(message, {}, sk, nullptr, sig));
    }

    [[nodiscard]] bool Verifies(const Signature& signature) const { return slh_verify(message, signature, {}, pk); }
};

/** Made once: signing is slow. */
const Signed& Example()
{
    static const Signed s_example;
    return s_example;
}

/** The parts of a signature, by name and in order, each of N bytes. */
std::vector<std::string> SignatureNodes()
{
    std::vector<std::string> names{"R"};
    for (size_t tree{0}; tree < K; ++tree) {
        const std::string prefix{"FORS tree " + std::to_string(tree)};
        names.push_back(prefix + " sk");
        for (size_t j{0}; j < A; ++j) names.push_back(prefix + " auth " + std::to_string(j));
    }
    for (size_t layer{0}; layer < D; ++layer) {
        const std::string prefix{"layer " + std::to_string(layer)};
        for (size_t i{0}; i < LEN; ++i) names.push_back(prefix + " chain " + std::to_string(i));
        for (size_t j{0}; j < H_PRIME; ++j) names.push_back(prefix + " auth " + std::to_string(j));
    }
    return names;
}

} // namespace

BOOST_AUTO_TEST_SUITE(slhdsa_tests)

BOOST_AUTO_TEST_CASE(encoding)
{
    BOOST_CHECK_EQUAL(toInt({}), 0U);
    BOOST_CHECK_EQUAL(toInt(std::array<uint8_t, 3>{0x01, 0x02, 0x03}), 0x010203U);
    BOOST_CHECK_EQUAL(toInt(Counting<8>(0xf8)), 0xf8f9fafbfcfdfeffU);
    BOOST_CHECK((toByte<2>(0x1234) == std::array<uint8_t, 2>{0x12, 0x34}));
    BOOST_CHECK((toByte<4>(0) == std::array<uint8_t, 4>{}));
    BOOST_CHECK((toByte<3>(0xff010203) == std::array<uint8_t, 3>{1, 2, 3}));

    const std::array<uint8_t, 3> x{0x12, 0x34, 0x56};
    BOOST_CHECK((base_2b<4, 6>(x) == std::array<uint32_t, 6>{1, 2, 3, 4, 5, 6}));
    BOOST_CHECK((base_2b<12, 2>(x) == std::array<uint32_t, 2>{0x123, 0x456}));
    BOOST_CHECK((base_2b<12, 1>(x) == std::array<uint32_t, 1>{0x123}));
    BOOST_CHECK((base_2b<5, 4>(x) == std::array<uint32_t, 4>{0x02, 0x08, 0x1a, 0x05}));
}

BOOST_AUTO_TEST_CASE(address)
{
    ADRS adrs;
    BOOST_CHECK_EQUAL(HexStr(adrs.Bytes()), std::string(64, '0'));
    adrs.setLayerAddress(6);
    adrs.setTreeAddress(0x3f12345678abcd);
    adrs.setTypeAndClear(ADRSType::FORS_PRF);
    adrs.setKeyPairAddress(0x1ff);
    adrs.setChainAddress(34);
    adrs.setHashAddress(15);
    BOOST_CHECK_EQUAL(HexStr(adrs.Bytes()), "00000006" "00000000003f12345678abcd" "00000006" "000001ff" "00000022" "0000000f");
    BOOST_CHECK_EQUAL(HexStr(adrs.Compressed()), "06" "003f12345678abcd" "06" "000001ff" "00000022" "0000000f");
    BOOST_CHECK_EQUAL(adrs.getKeyPairAddress(), 0x1ffU);
    adrs.setTreeHeight(12);
    adrs.setTreeIndex(0xdfff);
    BOOST_CHECK_EQUAL(adrs.getTreeIndex(), 0xdfffU);
    BOOST_CHECK_EQUAL(HexStr(adrs.Compressed()), "06" "003f12345678abcd" "06" "000001ff" "0000000c" "0000dfff");
    // More than any key pair has: every byte is cleared.
    adrs.setKeyPairAddress(0xf1f2f3f4);
    BOOST_CHECK_EQUAL(adrs.getKeyPairAddress(), 0xf1f2f3f4U);
    adrs.setTypeAndClear(ADRSType::TREE);
    BOOST_CHECK_EQUAL(HexStr(adrs.Bytes()), "00000006" "00000000003f12345678abcd" "00000002" "000000000000000000000000");
    BOOST_CHECK_EQUAL(HexStr(adrs.Compressed()), "06" "003f12345678abcd" "02" "000000000000000000000000");
}

BOOST_AUTO_TEST_CASE(hash_functions)
{
    const auto pk_seed{Counting<N>(0)};
    const HashContext hash{pk_seed};
    ADRS adrs;
    adrs.setLayerAddress(3);
    adrs.setTreeAddress(77);
    adrs.setTypeAndClear(ADRSType::TREE);
    adrs.setTreeIndex(5);

    const auto expected{[&](std::span<const uint8_t> m) {
        std::vector<uint8_t> input(pk_seed.begin(), pk_seed.end());
        input.resize(64);
        const auto compressed{adrs.Compressed()};
        input.insert(input.end(), compressed.begin(), compressed.end());
        input.insert(input.end(), m.begin(), m.end());
        return HexStr(Sha256(input)).substr(0, 2 * N);
    }};
    const auto m{Counting<LEN * N>(9)};
    const std::span<const uint8_t, LEN * N> all{m};
    BOOST_CHECK_EQUAL(HexStr(hash.F(adrs, all.first<N>())), expected(all.first<N>()));
    BOOST_CHECK_EQUAL(HexStr(hash.PRF(all.first<N>(), adrs)), expected(all.first<N>()));
    BOOST_CHECK_EQUAL(HexStr(hash.H(adrs, all.first<N>(), all.subspan<N, N>())), expected(all.first<2 * N>()));
    std::array<Node, LEN> nodes;
    for (size_t i{0}; i < LEN; ++i) std::copy_n(m.begin() + i * N, N, nodes[i].begin());
    BOOST_CHECK_EQUAL(HexStr(hash.T_l(adrs, nodes)), expected(all));
    BOOST_CHECK_EQUAL(HexStr(hash.T_l(adrs, std::span{nodes}.first(K))), expected(all.first<K * N>()));
}

BOOST_AUTO_TEST_CASE(message_pieces)
{
    const auto bytes{[](const MessagePieces& pieces) {
        struct Collector {
            std::vector<uint8_t> all;
            void Write(std::span<const uint8_t> data) { all.insert(all.end(), data.begin(), data.end()); }
        } collector;
        pieces.WriteTo(collector);
        return HexStr(collector.all);
    }};
    const std::vector<uint8_t> m{0xaa, 0xbb};
    const std::vector<uint8_t> ctx{1, 2, 3};
    BOOST_CHECK_EQUAL(bytes(MessagePieces::Internal(m)), "aabb");
    BOOST_CHECK_EQUAL(bytes(*MessagePieces::Pure(m, {})), "0000aabb");
    BOOST_CHECK_EQUAL(bytes(*MessagePieces::Pure(m, ctx)), "0003010203aabb");
    BOOST_CHECK_EQUAL(bytes(*MessagePieces::Pure(m, std::vector<uint8_t>(255))).substr(0, 4), "00ff");
    BOOST_CHECK(!MessagePieces::Pure(m, std::vector<uint8_t>(256)));
}

BOOST_AUTO_TEST_CASE(digest_split)
{
    std::array<uint8_t, M> digest;
    digest.fill(0xff);
    MessageDigest split{SplitDigest<PARAMS_128S>(digest)};
    BOOST_CHECK_EQUAL(split.idx_tree, (uint64_t{1} << 54) - 1);
    BOOST_CHECK_EQUAL(split.idx_leaf, 511);
    split = SplitDigest<PARAMS_128S>(Counting<M>(0));
    BOOST_CHECK_EQUAL(HexStr(split.md), HexStr(Counting<21>(0)));
    BOOST_CHECK_EQUAL(split.idx_tree, 0x15161718191a1bU); // 56 bits, of which the first two are zero
    BOOST_CHECK_EQUAL(split.idx_leaf, 0x01d);             // of 0x1c1d
}

BOOST_AUTO_TEST_CASE(wots_checksum)
{
    Node m{};
    auto digits{wots_digits<PARAMS_128S>(m)}; // 32 * 15 = 480 = 0x1e0
    BOOST_CHECK(std::all_of(digits.begin(), digits.begin() + LEN1, [](uint32_t d) { return d == 0; }));
    BOOST_CHECK_EQUAL(digits[32], 0x1U);
    BOOST_CHECK_EQUAL(digits[33], 0xeU);
    BOOST_CHECK_EQUAL(digits[34], 0x0U);
    m.fill(0xff);
    digits = wots_digits<PARAMS_128S>(m);
    BOOST_CHECK(std::all_of(digits.begin(), digits.begin() + LEN1, [](uint32_t d) { return d == 15; }));
    BOOST_CHECK(std::all_of(digits.begin() + LEN1, digits.end(), [](uint32_t d) { return d == 0; }));
    m.fill(0xff);
    m[0] = 0xe7; // 1 + 8 = 9
    digits = wots_digits<PARAMS_128S>(m);
    BOOST_CHECK_EQUAL(digits[0], 0xeU);
    BOOST_CHECK_EQUAL(digits[1], 0x7U);
    BOOST_CHECK_EQUAL(digits[34], 0x9U);
}

BOOST_AUTO_TEST_CASE(one_layer)
{
    const auto sk_seed{Counting<N>(0x10)};
    const HashContext hash{Counting<N>(0x20)};
    const Node m{Counting<N>(0x9c)};

    ADRS adrs;
    adrs.setLayerAddress(2);
    adrs.setTreeAddress(12345);
    const Node root{xmss_node<PARAMS_128S>(hash, sk_seed, 0, H_PRIME, adrs)};
    for (const uint32_t idx : {0U, 1U, 257U, 510U, 511U}) {
        ADRS key_adrs{adrs};
        key_adrs.setTypeAndClear(ADRSType::WOTS_HASH);
        key_adrs.setKeyPairAddress(idx);
        std::array<uint8_t, XMSS_SIG_SIZE> sig;
        xmss_sign<PARAMS_128S>(hash, m, sk_seed, idx, adrs, sig);
        const std::span<const uint8_t, XMSS_SIG_SIZE> view{sig};
        BOOST_CHECK(wots_pkFromSig<PARAMS_128S>(hash, view.first<WOTS_SIG_SIZE>(), m, key_adrs) ==
                    wots_pkGen<PARAMS_128S>(hash, sk_seed, key_adrs));
        BOOST_CHECK(xmss_pkFromSig<PARAMS_128S>(hash, idx, sig, m, adrs) == root);
        BOOST_CHECK(xmss_pkFromSig<PARAMS_128S>(hash, idx ^ 1, sig, m, adrs) != root);
    }
}

BOOST_AUTO_TEST_CASE(fors)
{
    const auto sk_seed{Counting<N>(0x10)};
    const HashContext hash{Counting<N>(0x20)};
    ADRS adrs;
    adrs.setTreeAddress(999);
    adrs.setTypeAndClear(ADRSType::FORS_TREE);
    adrs.setKeyPairAddress(300);

    std::array<Node, K> roots;
    for (uint32_t i{0}; i < K; ++i) roots[i] = fors_node(hash, sk_seed, i, A, adrs);
    ADRS pk_adrs{adrs};
    pk_adrs.setTypeAndClear(ADRSType::FORS_ROOTS);
    pk_adrs.setKeyPairAddress(300);
    const Node pk{hash.T_l(pk_adrs, roots)};

    std::array<uint8_t, FORS_DIGEST_SIZE> md;
    for (const uint8_t fill : {0x00, 0xff, 0x5a}) {
        md.fill(fill);
        std::array<uint8_t, FORS_SIG_SIZE> sig;
        fors_sign<PARAMS_128S>(hash, md, sk_seed, adrs, sig);
        BOOST_CHECK(fors_pkFromSig<PARAMS_128S>(hash, sig, md, adrs) == pk);
        md[20] ^= 1;
        BOOST_CHECK(fors_pkFromSig<PARAMS_128S>(hash, sig, md, adrs) != pk);
    }
}

BOOST_AUTO_TEST_CASE(hypertree)
{
    const Signed& example{Example()};
    const std::span<const uint8_t, SIGNATURE_SIZE> sig{example.sig};
    const std::span<const uint8_t, PUBLIC_KEY_SIZE> pk{example.pk};
    const HashContext hash{pk.first<N>()};
    const MessageDigest digest{DigestMessage<PARAMS_128S>(sig.first<N>(), pk, *MessagePieces::Pure(example.message, {}))};
    ADRS adrs;
    adrs.setTreeAddress(digest.idx_tree);
    adrs.setTypeAndClear(ADRSType::FORS_TREE);
    adrs.setKeyPairAddress(digest.idx_leaf);
    const Node pk_fors{fors_pkFromSig<PARAMS_128S>(hash, sig.subspan<N, FORS_SIG_SIZE>(), digest.md, adrs)};
    const auto sig_ht{sig.subspan<N + FORS_SIG_SIZE>()};
    BOOST_CHECK(ht_verify<PARAMS_128S>(hash, pk_fors, sig_ht, digest.idx_tree, digest.idx_leaf, pk.subspan<N>()));
    BOOST_CHECK(!ht_verify<PARAMS_128S>(hash, pk_fors, sig_ht, digest.idx_tree, digest.idx_leaf ^ 1U, pk.subspan<N>()));
    BOOST_CHECK(!ht_verify<PARAMS_128S>(hash, pk_fors, sig_ht, digest.idx_tree ^ (uint64_t{1} << 53), digest.idx_leaf, pk.subspan<N>()));
    BOOST_CHECK(!ht_verify<PARAMS_128S>(hash, pk_fors, sig_ht, digest.idx_tree, digest.idx_leaf, pk.first<N>()));
    BOOST_CHECK(HexStr(slh_rootFromSig<PARAMS_128S>(hash, digest, sig)) == HexStr(pk.subspan<N>()));
    for (size_t i{0}; i < N; ++i) {
        PublicKey other{example.pk};
        other[N + i] ^= 0x80;
        BOOST_CHECK_MESSAGE(!ht_verify<PARAMS_128S>(hash, pk_fors, sig_ht, digest.idx_tree, digest.idx_leaf,
                                       std::span<const uint8_t, PUBLIC_KEY_SIZE>{other}.subspan<N>()),
                            "accepted with byte " << i << " of PK.root changed");
    }
}

BOOST_AUTO_TEST_CASE(the_whole_root_is_compared)
{
    // PK.root goes into the digest too, so changing it changes everything. Where the signer has the same wrong
    // root, the digest is the same, and the computed root differs from PK.root in that one byte.
    const Signed& example{Example()};
    for (const size_t i : {size_t{0}, N / 2, N - 1}) {
        SecretKey sk{example.sk};
        PublicKey pk{example.pk};
        sk[3 * N + i] ^= 0x01;
        pk[N + i] ^= 0x01;
        Signature sig;
        BOOST_REQUIRE(slh_sign(example.message, {}, sk, nullptr, sig));
        const std::span<const uint8_t, SIGNATURE_SIZE> view{sig};
        const MessageDigest digest{DigestMessage<PARAMS_128S>(view.first<N>(), pk, *MessagePieces::Pure(example.message, {}))};
        const std::span<const uint8_t, PUBLIC_KEY_SIZE> true_pk{example.pk};
        BOOST_CHECK_EQUAL(HexStr(slh_rootFromSig<PARAMS_128S>(HashContext{true_pk.first<N>()}, digest, view)),
                          HexStr(true_pk.subspan<N>()));
        BOOST_CHECK_MESSAGE(!slh_verify(example.message, sig, {}, pk), "accepted a root that differs in byte " << i);
    }
}

BOOST_AUTO_TEST_CASE(contexts_have_up_to_255_bytes)
{
    const Signed& example{Example()};
    const std::vector<uint8_t> longest(MAX_CONTEXT_SIZE, 0x63);
    const std::vector<uint8_t> too_long(MAX_CONTEXT_SIZE + 1, 0x63);

    Signature sig;
    BOOST_REQUIRE(slh_sign(example.message, longest, example.sk, nullptr, sig));
    BOOST_CHECK(slh_verify(example.message, sig, longest, example.pk));
    BOOST_CHECK(!slh_verify(example.message, sig, std::span{longest}.first(254), example.pk));
    BOOST_CHECK(!slh_verify(example.message, sig, too_long, example.pk));
    BOOST_CHECK(!slh_verify(example.message, sig, {}, example.pk));
    BOOST_CHECK(!slh_verify(example.message, example.sig, std::span{longest}.first(1), example.pk));

    const Signature before{sig};
    BOOST_CHECK(!slh_sign(example.message, too_long, example.sk, nullptr, sig));
    BOOST_CHECK(sig == before);
}

BOOST_AUTO_TEST_CASE(signatures_of_other_sizes_are_invalid)
{
    const Signed& example{Example()};
    std::vector<uint8_t> sig(example.sig.begin(), example.sig.end());
    BOOST_CHECK(slh_verify(example.message, sig, {}, example.pk));
    sig.push_back(0);
    BOOST_CHECK(!slh_verify(example.message, sig, {}, example.pk));
    sig.resize(SIGNATURE_SIZE - 1);
    BOOST_CHECK(!slh_verify(example.message, sig, {}, example.pk));
    BOOST_CHECK(!slh_verify(example.message, {}, {}, example.pk));
}

BOOST_AUTO_TEST_CASE(every_part_of_a_signature_counts)
{
    const Signed& example{Example()};
    BOOST_REQUIRE(example.Verifies(example.sig));
    const std::vector<std::string> nodes{SignatureNodes()};
    BOOST_REQUIRE_EQUAL(nodes.size() * N, SIGNATURE_SIZE);
    std::mt19937_64 rng{slhc::test::Seed(4)};
    for (size_t node{0}; node < nodes.size(); ++node) {
        for (const size_t byte : {size_t{0}, static_cast<size_t>(rng() % N), N - 1}) {
            Signature sig{example.sig};
            sig[node * N + byte] ^= static_cast<uint8_t>(1U << (rng() % 8));
            BOOST_CHECK_MESSAGE(!example.Verifies(sig), "accepted with byte " << byte << " of " << nodes[node] << " changed");
        }
    }
}

BOOST_AUTO_TEST_CASE(parts_in_another_place)
{
    const Signed& example{Example()};
    const std::vector<std::string> nodes{SignatureNodes()};
    for (size_t node{1}; node < nodes.size(); ++node) {
        Signature sig{example.sig};
        std::swap_ranges(sig.begin() + (node - 1) * N, sig.begin() + node * N, sig.begin() + node * N);
        BOOST_CHECK_MESSAGE(!example.Verifies(sig), "accepted with " << nodes[node - 1] << " and " << nodes[node] << " exchanged");
    }
}

BOOST_AUTO_TEST_CASE(every_byte_of_key_and_message_counts)
{
    const Signed& example{Example()};
    for (size_t i{0}; i < PUBLIC_KEY_SIZE; ++i) {
        PublicKey pk{example.pk};
        pk[i] ^= 0x10;
        BOOST_CHECK_MESSAGE(!slh_verify(example.message, example.sig, {}, pk), "accepted with byte " << i << " of the key changed");
        auto message{example.message};
        message[i] ^= 0x01;
        BOOST_CHECK_MESSAGE(!slh_verify(message, example.sig, {}, example.pk), "accepted with byte " << i << " of the message changed");
    }
    BOOST_CHECK(!slh_verify(std::span{example.message}.first(31), example.sig, {}, example.pk));
}

BOOST_AUTO_TEST_CASE(interfaces_are_apart)
{
    const Signed& example{Example()};
    // Pure is internal with two bytes before the message, and nothing else is.
    std::vector<uint8_t> encoded{0, 0};
    encoded.insert(encoded.end(), example.message.begin(), example.message.end());
    BOOST_CHECK(slh_verify_internal(encoded, example.sig, example.pk));
    BOOST_CHECK(!slh_verify_internal(example.message, example.sig, example.pk));
    BOOST_CHECK(!slh_verify(encoded, example.sig, {}, example.pk));
    encoded[0] = 1;
    BOOST_CHECK(!slh_verify_internal(encoded, example.sig, example.pk));

    Signature sig;
    const auto pk_seed{std::span<const uint8_t, PUBLIC_KEY_SIZE>{example.pk}.first<N>()};
    slh_sign_internal(example.message, example.sk, pk_seed, sig);
    BOOST_CHECK(slh_verify_internal(example.message, sig, example.pk));
    BOOST_CHECK(!example.Verifies(sig));

    // A pre-hash signature (domain separator 1, an OID, a digest) is no pure one of its digest.
    std::vector<uint8_t> prehash{1, 0, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01}; // SHA2-256
    const auto digest{Sha256(example.message)};
    prehash.insert(prehash.end(), digest.begin(), digest.end());
    slh_sign_internal(prehash, example.sk, pk_seed, sig);
    BOOST_CHECK(slh_verify_internal(prehash, sig, example.pk));
    BOOST_CHECK(!slh_verify(digest, sig, {}, example.pk));
    BOOST_CHECK(!example.Verifies(sig));
}

BOOST_AUTO_TEST_CASE(hedged_signatures_differ_and_verify)
{
    const Signed& example{Example()};
    const std::span<const uint8_t, SIGNATURE_SIZE> deterministic{example.sig};
    const auto addrnd{Counting<N>(0xe0)};
    Signature sig;
    BOOST_REQUIRE(slh_sign(example.message, {}, example.sk, addrnd.data(), sig));
    BOOST_CHECK(example.Verifies(sig));
    BOOST_CHECK(!std::equal(sig.begin(), sig.begin() + N, deterministic.begin()));
    // A randomizer belongs to its own signature.
    std::copy_n(deterministic.begin(), N, sig.begin());
    BOOST_CHECK(!example.Verifies(sig));
    // The deterministic variant takes PK.seed for the randomness.
    BOOST_REQUIRE(slh_sign(example.message, {}, example.sk, example.pk.data(), sig));
    BOOST_CHECK(sig == example.sig);
}

BOOST_AUTO_TEST_CASE(random_keys)
{
    SecretKey sk, other_sk;
    PublicKey pk, other_pk;
    slh_keygen(sk, pk);
    slh_keygen(other_sk, other_pk);
    BOOST_CHECK(sk != other_sk);
    BOOST_CHECK(pk != other_pk);
    BOOST_CHECK(std::equal(pk.begin(), pk.end(), sk.begin() + 2 * N));
    const Signed& example{Example()};
    Signature sig;
    BOOST_REQUIRE(slh_sign(example.message, {}, sk, nullptr, sig));
    BOOST_CHECK(slh_verify(example.message, sig, {}, pk));
    BOOST_CHECK(!slh_verify(example.message, sig, {}, other_pk));
}

BOOST_AUTO_TEST_SUITE_END()
