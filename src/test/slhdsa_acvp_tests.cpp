// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// NIST's ACVP vectors: see src/test/data/README.md.

#include <crypto/hash.h>
#include <pqc/slhdsa/slhdsa.h>
#include <test/json_data.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace slhc;
using namespace slhc::slhdsa;
using slhc::test::HexField;
using slhc::test::ReadJson;

namespace {

template <size_t SIZE>
std::span<const uint8_t, SIZE> Sized(const std::vector<uint8_t>& bytes)
{
    if (bytes.size() != SIZE) throw std::runtime_error{"test data: a field has " + std::to_string(bytes.size()) + " bytes"};
    return std::span<const uint8_t, SIZE>{bytes.data(), SIZE};
}

Signature Sign(const nlohmann::json& test)
{
    const std::string interface{test.at("interface")};
    const std::vector<uint8_t> message{HexField(test, "msg")};
    const std::vector<uint8_t> sk_bytes{HexField(test, "sk")};
    const auto sk{Sized<SECRET_KEY_SIZE>(sk_bytes)};
    std::vector<uint8_t> rnd;
    if (test.contains("rnd")) rnd = HexField(test, "rnd");
    const uint8_t* addrnd{rnd.empty() ? nullptr : Sized<N>(rnd).data()};

    Signature sig;
    if (interface == "internal") {
        slh_sign_internal(message, sk, addrnd ? std::span<const uint8_t, N>{addrnd, N} : sk.subspan<2 * N, N>(), sig);
    } else {
        BOOST_REQUIRE_EQUAL(interface, "pure");
        BOOST_REQUIRE(slh_sign(message, HexField(test, "ctx"), sk, addrnd, sig));
    }
    return sig;
}

bool Verify(const nlohmann::json& test, std::span<const uint8_t> sig, std::span<const uint8_t, PUBLIC_KEY_SIZE> pk)
{
    const std::string interface{test.at("interface")};
    const std::vector<uint8_t> message{HexField(test, "msg")};
    if (interface == "internal") return slh_verify_internal(message, sig, pk);
    BOOST_REQUIRE_EQUAL(interface, "pure");
    return slh_verify(message, sig, HexField(test, "ctx"), pk);
}

} // namespace

BOOST_AUTO_TEST_SUITE(slhdsa_acvp_tests)

BOOST_AUTO_TEST_CASE(keygen)
{
    const nlohmann::json tests = ReadJson("slhdsa_acvp_keygen.json");
    BOOST_CHECK_EQUAL(tests.size(), 10U);
    for (const nlohmann::json& test : tests) {
        const std::vector<uint8_t> seed{HexField(test, "seed")};
        SecretKey sk;
        PublicKey pk;
        slh_keygen_internal(Sized<KEYGEN_SEED_SIZE>(seed), sk, pk);
        BOOST_CHECK_MESSAGE(HexStr(sk) == test.at("sk").get<std::string>(), "secret key, test case " << test.at("tc"));
        BOOST_CHECK_MESSAGE(HexStr(pk) == test.at("pk").get<std::string>(), "public key, test case " << test.at("tc"));
    }
}

BOOST_AUTO_TEST_CASE(siggen)
{
    const nlohmann::json tests = ReadJson("slhdsa_acvp_siggen.json");
    BOOST_CHECK_EQUAL(tests.size(), 52U);
    for (const nlohmann::json& test : tests) {
        const Signature sig{Sign(test)};
        BOOST_CHECK_MESSAGE(HexStr(Sha256(sig)) == test.at("sig_sha256").get<std::string>(), "signature, test case " << test.at("tc"));
        const std::vector<uint8_t> sk{HexField(test, "sk")};
        BOOST_CHECK_MESSAGE(Verify(test, sig, Sized<SECRET_KEY_SIZE>(sk).subspan<2 * N>()), "verdict, test case " << test.at("tc"));
    }
}

BOOST_AUTO_TEST_CASE(sigver)
{
    const nlohmann::json tests = ReadJson("slhdsa_acvp_sigver.json");
    BOOST_CHECK_EQUAL(tests.size(), 42U);
    BOOST_CHECK_EQUAL(std::count_if(tests.begin(), tests.end(), [](const nlohmann::json& test) { return test.at("valid").get<bool>(); }),
                      6);
    for (const nlohmann::json& test : tests) {
        const std::vector<uint8_t> sig{HexField(test, "sig")};
        const std::vector<uint8_t> pk{HexField(test, "pk")};
        BOOST_CHECK_MESSAGE(Verify(test, sig, Sized<PUBLIC_KEY_SIZE>(pk)) == test.at("valid").get<bool>(),
                            "verdict, test case " << test.at("tc") << " (" << test.value("reason", "no reason given") << ")");
    }
}

BOOST_AUTO_TEST_SUITE_END()
