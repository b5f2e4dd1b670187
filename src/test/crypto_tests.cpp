// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <crypto/cpu_features.h>
#include <crypto/hash.h>
#include <crypto/hmac_sha256.h>
#include <crypto/ripemd160.h>
#include <crypto/sha1.h>
#include <crypto/sha256.h>
#include <test/json_data.h>
#include <test/random_source.h>
#include <util/cleanse.h>
#include <util/hex.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace slhc;

namespace {

std::vector<uint8_t> Bytes(std::string_view text) { return {text.begin(), text.end()}; }

template <typename Hasher>
std::string HexDigest(std::span<const uint8_t> data, Hasher hasher = {})
{
    std::vector<uint8_t> out(Hasher::OUTPUT_SIZE);
    hasher.Write(data);
    hasher.Finalize(std::span<uint8_t, Hasher::OUTPUT_SIZE>{out});
    return HexStr(out);
}

template <typename Hasher>
std::string HexDigest(std::string_view text)
{
    return HexDigest<Hasher>(Bytes(text));
}

#if defined(__aarch64__)
constexpr bool CPU_HAS_ARM_NAMES{true};
#else
constexpr bool CPU_HAS_ARM_NAMES{false};
#endif

const std::string MILLION_A(1'000'000, 'a');
// The two long messages of the SHA examples published by NIST: 448 and 896 bits.
constexpr std::string_view NIST_448{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"};
constexpr std::string_view NIST_896{
    "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"};

std::vector<uint8_t> RandomBytes(std::mt19937_64& rng, size_t size)
{
    std::vector<uint8_t> bytes(size);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(rng());
    return bytes;
}

/** Every length around the block boundaries, cut in two at every place, gives the digest of the whole. */
template <typename Hasher>
void CheckSplits()
{
    std::mt19937_64 rng{slhc::test::Seed(1)};
    const std::vector<uint8_t> data{RandomBytes(rng, 2 * Hasher::BLOCK_SIZE + 17)};
    for (size_t size{0}; size <= data.size(); ++size) {
        const std::span<const uint8_t> message{data.data(), size};
        const std::string whole{HexDigest<Hasher>(message)};
        for (size_t cut{0}; cut <= size; ++cut) {
            Hasher hasher;
            hasher.Write(message.first(cut));
            if (HexDigest<Hasher>(message.subspan(cut), hasher) != whole) {
                BOOST_ERROR("size " << size << " cut at " << cut);
                return;
            }
        }
    }
}

/** One digest of the digests of messages of 0 to 300 bytes, by hash(message). */
template <typename Function>
std::string DigestOfAllLengths(Function hash)
{
    std::vector<uint8_t> data(300);
    for (size_t i{0}; i < data.size(); ++i) data[i] = static_cast<uint8_t>(7 * i + 1);
    CSHA256 all;
    for (size_t size{0}; size <= data.size(); ++size) {
        all.Write(*TryParseHex(hash(std::span<const uint8_t>{data}.first(size))));
    }
    return HexStr(all.Digest());
}

template <typename Hasher>
std::string AllLengths()
{
    return DigestOfAllLengths([](std::span<const uint8_t> message) { return HexDigest<Hasher>(message); });
}

} // namespace

BOOST_AUTO_TEST_SUITE(crypto_tests)

BOOST_AUTO_TEST_CASE(sha256_known_answers)
{
    // NIST, Cryptographic Standards and Guidelines, example values for FIPS 180-4.
    BOOST_CHECK_EQUAL(HexDigest<CSHA256>(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    BOOST_CHECK_EQUAL(HexDigest<CSHA256>("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    BOOST_CHECK_EQUAL(HexDigest<CSHA256>(NIST_448), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    BOOST_CHECK_EQUAL(HexDigest<CSHA256>(NIST_896), "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    BOOST_CHECK_EQUAL(HexDigest<CSHA256>(MILLION_A), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

BOOST_AUTO_TEST_CASE(sha1_known_answers)
{
    BOOST_CHECK_EQUAL(HexDigest<CSHA1>("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
    BOOST_CHECK_EQUAL(HexDigest<CSHA1>(NIST_448), "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
    BOOST_CHECK_EQUAL(HexDigest<CSHA1>(MILLION_A), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

BOOST_AUTO_TEST_CASE(ripemd160_known_answers)
{
    // The test values of the function's authors.
    BOOST_CHECK_EQUAL(HexDigest<CRIPEMD160>(""), "9c1185a5c5e9fc54612808977ee8f548b2258d31");
    BOOST_CHECK_EQUAL(HexDigest<CRIPEMD160>("a"), "0bdc9d2d256b3ee9daae347be6f4dc835a467ffe");
    BOOST_CHECK_EQUAL(HexDigest<CRIPEMD160>("abc"), "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc");
    BOOST_CHECK_EQUAL(HexDigest<CRIPEMD160>("message digest"), "5d0689ef49d2fae572b881b123a85ffa21595f36");
    BOOST_CHECK_EQUAL(HexDigest<CRIPEMD160>(NIST_448), "12a053384a9c0c88e405a06c27dcf49ada62eb2b");
    BOOST_CHECK_EQUAL(HexDigest<CRIPEMD160>(MILLION_A), "52783243c1697bdbe16d37f97f68f08325dc1528");
}

BOOST_AUTO_TEST_CASE(hmac_sha256_known_answers)
{
    const auto mac{[](std::span<const uint8_t> key, std::span<const uint8_t> data) {
        std::array<uint8_t, 32> out;
        CHMAC_SHA256 hmac{key};
        hmac.Write(data).Finalize(out);
        return HexStr(out);
    }};
    // RFC 4231, cases 1, 2, 3, 6 and 7: keys below, at and above a block.
    BOOST_CHECK_EQUAL(mac(std::vector<uint8_t>(20, 0x0b), Bytes("Hi There")),
                      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    BOOST_CHECK_EQUAL(mac(Bytes("Jefe"), Bytes("what do ya want for nothing?")),
                      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    BOOST_CHECK_EQUAL(mac(std::vector<uint8_t>(20, 0xaa), std::vector<uint8_t>(50, 0xdd)),
                      "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
    BOOST_CHECK_EQUAL(mac(std::vector<uint8_t>(131, 0xaa), Bytes("Test Using Larger Than Block-Size Key - Hash Key First")),
                      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
    BOOST_CHECK_EQUAL(mac(std::vector<uint8_t>(64, 0x11), Bytes("abc")),
                      "289d4efc232e7008dc425c88c558da91af0ea4db129de2a6da75ca9ac4a8fe83");
    BOOST_CHECK_EQUAL(mac(std::vector<uint8_t>(65, 0x11), Bytes("abc")),
                      "972ba4276c862f1c1f24b08fa1559ac331a3d937ca1b7f63086f59ba4578492d");
}

BOOST_AUTO_TEST_CASE(compositions)
{
    BOOST_CHECK_EQUAL(HexStr(Sha256(Bytes("abc"))), HexDigest<CSHA256>("abc"));
    BOOST_CHECK_EQUAL(HexStr(Hash256({})), "5df6e0e2761359d30a8275058e299fcc0381534545f55cf43e41983f5d4c9456");
    BOOST_CHECK_EQUAL(HexStr(Hash160({})), "b472a266d0bd89c13706a4132ccfb16f7c3b9fcb");
    BOOST_CHECK_EQUAL(HexDigest<CHash256>("abc"), HexStr(Sha256(Sha256(Bytes("abc")))));

    // BIP 340: SHA256(SHA256(tag) || SHA256(tag) || x).
    const auto tag_hash{Sha256(Bytes("TapLeaf"))};
    const auto expected{[&](std::span<const uint8_t> x) { return HexDigest(x, CSHA256{}.Write(tag_hash).Write(tag_hash)); }};
    const CSHA256 tagged{TaggedHash("TapLeaf")};
    const std::vector<uint8_t> x{0xc0, 0x00};
    BOOST_CHECK_EQUAL(tagged.Size(), 64U);
    BOOST_CHECK_EQUAL(HexDigest({}, tagged), expected({}));
    BOOST_CHECK_EQUAL(HexDigest(x, CSHA256{tagged.GetMidstate()}), expected(x));
    BOOST_CHECK(HexDigest(x, TaggedHash("TapBranch")) != expected(x));
}

BOOST_AUTO_TEST_CASE(every_length)
{
    // The same computed with Python's hashlib, which is OpenSSL.
    BOOST_CHECK_EQUAL(AllLengths<CSHA256>(), "bb7d6d0d6592ab7edb752459c835ecac860ed253b337ce29b780d8e0bb3a76d5");
    BOOST_CHECK_EQUAL(AllLengths<CSHA1>(), "cd9471e5e06775c69a29ebb14c905a9440e3e788e329b439d11272d128018898");
    BOOST_CHECK_EQUAL(AllLengths<CRIPEMD160>(), "5c35d1ad5cfa5354dd3cb492c99369ed10653a1449b4507f047870a1bbc3155d");
}

/** Length by length, so that a failure names it; by hashlib too (contrib/differential/make_hash_lengths.py). */
BOOST_AUTO_TEST_CASE(hashes_of_script_at_every_block_border)
{
    const nlohmann::json rows = test::ReadJson("hash_lengths.json");
    BOOST_CHECK_EQUAL(rows.size(), 257U + 82U);
    std::vector<uint8_t> data(600);
    for (size_t i{0}; i < data.size(); ++i) data[i] = static_cast<uint8_t>(7 * i + 1);
    for (const auto& row : rows) {
        const size_t length{row.at("length").get<size_t>()};
        // At an odd address, as elements of a script are.
        std::vector<uint8_t> message(length + 1);
        std::copy_n(data.begin(), length, message.begin() + 1);
        const auto check{[&](const char* name, const std::string& digest) {
            BOOST_CHECK_MESSAGE(row.at(name) == digest, name << " of " << length << " bytes is " << digest);
        }};
        const auto bytes{std::span<const uint8_t>{message}.subspan(1)};
        check("RIPEMD160", HexDigest<CRIPEMD160>(bytes));
        check("SHA1", HexDigest<CSHA1>(bytes));
        check("SHA256", HexDigest<CSHA256>(bytes));
        check("HASH160", HexDigest<CHash160>(bytes));
        check("HASH256", HexDigest<CHash256>(bytes));
    }
}

BOOST_AUTO_TEST_CASE(splits)
{
    CheckSplits<CSHA256>();
    CheckSplits<CSHA1>();
    CheckSplits<CRIPEMD160>();
}

BOOST_AUTO_TEST_CASE(sha256_midstate)
{
    std::mt19937_64 rng{slhc::test::Seed(2)};
    const std::vector<uint8_t> data{RandomBytes(rng, 5 * 64 + 9)};
    const std::span<const uint8_t> all{data};
    for (size_t blocks{0}; blocks <= 5; ++blocks) {
        CSHA256 prefix;
        prefix.Write(all.first(64 * blocks));
        const CSHA256::Midstate midstate{prefix.GetMidstate()};
        BOOST_CHECK_EQUAL(midstate.bytes, 64 * blocks);
        BOOST_CHECK_EQUAL(HexDigest(all.subspan(64 * blocks), CSHA256{midstate}), HexDigest<CSHA256>(all));
    }
}

BOOST_AUTO_TEST_CASE(sha256_implementations_agree)
{
    const std::vector<sha256::Implementation> implementations{sha256::AvailableImplementations()};
    BOOST_REQUIRE(!implementations.empty());
    BOOST_CHECK_EQUAL(implementations.back().name, "portable");
    std::mt19937_64 rng{slhc::test::Seed(3)};
    for (const sha256::Implementation& implementation : implementations) {
        BOOST_TEST_MESSAGE("SHA-256 implementation: " << implementation.name);
        for (size_t n_blocks{0}; n_blocks <= 9; ++n_blocks) {
            for (size_t offset{0}; offset < 16; ++offset) {
                const std::vector<uint8_t> data{RandomBytes(rng, offset + 64 * n_blocks)};
                sha256::State expected;
                for (uint32_t& word : expected) word = static_cast<uint32_t>(rng());
                sha256::State state{expected};
                sha256::TransformPortable(expected, data.data() + offset, n_blocks);
                implementation.transform(state, data.data() + offset, n_blocks);
                BOOST_CHECK_MESSAGE(state == expected, implementation.name << ", " << n_blocks << " blocks at offset " << offset);
            }
        }
    }
}

/** A wrong implementation is not chosen: the same blocks, from the same state, must give the same result. */
BOOST_AUTO_TEST_CASE(sha256_implementations_prove_themselves)
{
    for (const sha256::Implementation& implementation : sha256::AvailableImplementations()) {
        BOOST_CHECK_MESSAGE(sha256::IsRight(implementation.transform), implementation.name);
    }
    const sha256::TransformFunction faulty[]{
        [](sha256::State&, const uint8_t*, size_t) noexcept {},
        [](sha256::State& state, const uint8_t* blocks, size_t n) noexcept {
            sha256::TransformPortable(state, blocks, n);
            state[7] ^= 1;
        },
        // the last block of several
        [](sha256::State& state, const uint8_t* blocks, size_t n) noexcept { sha256::TransformPortable(state, blocks, n > 1 ? n - 1 : n); },
        // the state before it
        [](sha256::State& state, const uint8_t* blocks, size_t n) noexcept {
            if (n > 0) state = sha256::INITIAL;
            sha256::TransformPortable(state, blocks, n);
        },
        // nothing to do
        [](sha256::State& state, const uint8_t* blocks, size_t n) noexcept { sha256::TransformPortable(state, blocks, n == 0 ? 1 : n); },
    };
    for (const sha256::TransformFunction transform : faulty) BOOST_CHECK(!sha256::IsRight(transform));
}

/** If these features were not found, the tests that need them would be empty. */
BOOST_AUTO_TEST_CASE(features_are_those_that_the_kernel_lists)
{
    // The words after "flags : ", or "Features : " on AArch64, of the first processor; and its vendor.
    std::set<std::string> listed;
    std::string vendor;
    std::ifstream cpuinfo{"/proc/cpuinfo"};
    for (std::string line; listed.empty() && std::getline(cpuinfo, line);) {
        std::istringstream words{line};
        std::string name, word;
        words >> name;
        if (name == "vendor_id") words >> word >> vendor;
        if (name != (CPU_HAS_ARM_NAMES ? "Features" : "flags")) continue;
        while (words >> word) listed.insert(word);
    }
    if (listed.empty()) {
        BOOST_TEST_MESSAGE("SKIPPED: /proc/cpuinfo does not list the features of this processor");
        return;
    }
    const auto has{[&](std::initializer_list<const char*> names) {
        return std::all_of(names.begin(), names.end(), [&](const char* name) { return listed.contains(name); });
    }};
    const bool avx512{has({"avx2", "avx512f", "avx512bw", "avx512dq", "avx512vl"})};
    cpu::FeatureMask expected{0};
    if (CPU_HAS_ARM_NAMES) {
        if (has({"sha2"})) expected |= cpu::ARM_SHA2;
    } else {
        if (has({"ssse3", "sse4_1"})) expected |= cpu::SSE41;
        if (has({"sha_ni"})) expected |= cpu::SHA_NI;
        if (has({"avx", "avx2"})) expected |= cpu::AVX2;
        if (avx512) expected |= cpu::AVX512;
        if (avx512 && vendor == "AuthenticAMD") expected |= cpu::FREE_SSE_AVX_SWITCH;
    }
    BOOST_CHECK_EQUAL(cpu::Features(), expected);
}

BOOST_AUTO_TEST_CASE(sha256_dispatch)
{
    const std::string_view best{sha256::AvailableImplementations().front().name};
    {
        const cpu::ScopedFeatureMask none{0};
        BOOST_CHECK_EQUAL(cpu::Features(), 0U);
        BOOST_CHECK_EQUAL(sha256::AvailableImplementations().size(), 1U);
        BOOST_CHECK_EQUAL(sha256::SelectImplementation(), "portable");
        sha256_known_answers().test_method();
        CheckSplits<CSHA256>();
    }
    BOOST_CHECK_EQUAL(sha256::SelectImplementation(), best);
    sha256_known_answers().test_method();
    CheckSplits<CSHA256>();
}

BOOST_AUTO_TEST_CASE(cleanse)
{
    std::array<uint8_t, 40> bytes;
    bytes.fill(0xff);
    memory_cleanse(bytes.data() + 1, 38);
    BOOST_CHECK_EQUAL(bytes[0], 0xff);
    BOOST_CHECK_EQUAL(bytes[39], 0xff);
    BOOST_CHECK(std::all_of(bytes.begin() + 1, bytes.end() - 1, [](uint8_t b) { return b == 0; }));
    memory_cleanse(nullptr, 0);
}

BOOST_AUTO_TEST_SUITE_END()
