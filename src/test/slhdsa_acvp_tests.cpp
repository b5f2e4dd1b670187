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

/** A set, and where its vectors are. */
struct Vectors {
    ParameterSet set;
    std::string file;

    [[nodiscard]] nlohmann::json Tests(const std::string& kind) const { return ReadJson(file + "_" + kind + ".json"); }

    [[nodiscard]] std::string Case(const nlohmann::json& test) const
    {
        return std::string{ParameterSetName(set)} + ", test case " + test.at("tc").dump();
    }

    [[nodiscard]] std::vector<uint8_t> Sign(const nlohmann::json& test) const
    {
        const std::string interface{test.at("interface")};
        const std::vector<uint8_t> message{HexField(test, "msg")};
        const std::vector<uint8_t> sk_bytes{HexField(test, "sk")};
        const auto sk{Sized<SECRET_KEY_SIZE>(sk_bytes)};
        std::vector<uint8_t> rnd;
        if (test.contains("rnd")) rnd = HexField(test, "rnd");
        const uint8_t* addrnd{rnd.empty() ? nullptr : Sized<N>(rnd).data()};

        std::vector<uint8_t> sig(ParamsOf(set).SignatureSize());
        if (interface == "internal") {
            slh_sign_internal(set, MessagePieces::Internal(message), sk,
                              addrnd ? std::span<const uint8_t, N>{addrnd, N} : sk.subspan<2 * N, N>(), sig);
        } else {
            BOOST_REQUIRE_EQUAL(interface, "pure");
            BOOST_REQUIRE(slh_sign(set, message, HexField(test, "ctx"), sk, addrnd, sig));
        }
        return sig;
    }

    [[nodiscard]] bool Verify(const nlohmann::json& test, std::span<const uint8_t> sig, std::span<const uint8_t, PUBLIC_KEY_SIZE> pk) const
    {
        const std::string interface{test.at("interface")};
        const std::vector<uint8_t> message{HexField(test, "msg")};
        if (interface == "internal") return slh_verify_internal(set, MessagePieces::Internal(message), sig, pk);
        BOOST_REQUIRE_EQUAL(interface, "pure");
        return slh_verify(set, message, sig, HexField(test, "ctx"), pk);
    }
};

const Vectors OF_128S{ParameterSet::SHA2_128S, "slhdsa_acvp"};
const Vectors OF_128F{ParameterSet::SHA2_128F, "slhdsa_acvp_128f"};

void CheckKeygen(const Vectors& vectors, size_t count)
{
    const nlohmann::json tests = vectors.Tests("keygen");
    BOOST_CHECK_EQUAL(tests.size(), count);
    for (const nlohmann::json& test : tests) {
        const std::vector<uint8_t> seed{HexField(test, "seed")};
        SecretKey sk;
        PublicKey pk;
        slh_keygen_internal(vectors.set, Sized<KEYGEN_SEED_SIZE>(seed), sk, pk);
        BOOST_CHECK_MESSAGE(HexStr(sk) == test.at("sk").get<std::string>(), "secret key, " << vectors.Case(test));
        BOOST_CHECK_MESSAGE(HexStr(pk) == test.at("pk").get<std::string>(), "public key, " << vectors.Case(test));
    }
}

void CheckSiggen(const Vectors& vectors, size_t count)
{
    const nlohmann::json tests = vectors.Tests("siggen");
    BOOST_CHECK_EQUAL(tests.size(), count);
    for (const nlohmann::json& test : tests) {
        const std::vector<uint8_t> sig{vectors.Sign(test)};
        BOOST_CHECK_MESSAGE(HexStr(Sha256(sig)) == test.at("sig_sha256").get<std::string>(), "signature, " << vectors.Case(test));
        const std::vector<uint8_t> sk{HexField(test, "sk")};
        BOOST_CHECK_MESSAGE(vectors.Verify(test, sig, Sized<SECRET_KEY_SIZE>(sk).subspan<2 * N>()), "verdict, " << vectors.Case(test));
    }
}

void CheckSigver(const Vectors& vectors, size_t count, int valid)
{
    const nlohmann::json tests = vectors.Tests("sigver");
    BOOST_CHECK_EQUAL(tests.size(), count);
    BOOST_CHECK_EQUAL(std::count_if(tests.begin(), tests.end(), [](const nlohmann::json& test) { return test.at("valid").get<bool>(); }),
                      valid);
    for (const nlohmann::json& test : tests) {
        const std::vector<uint8_t> sig{HexField(test, "sig")};
        const std::vector<uint8_t> pk{HexField(test, "pk")};
        BOOST_CHECK_MESSAGE(vectors.Verify(test, sig, Sized<PUBLIC_KEY_SIZE>(pk)) == test.at("valid").get<bool>(),
                            "verdict, " << vectors.Case(test) << " (" << test.value("reason", "no reason given") << ")");
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(slhdsa_acvp_tests)

BOOST_AUTO_TEST_CASE(keygen)
{
    CheckKeygen(OF_128S, 10);
    CheckKeygen(OF_128F, 10);
}

BOOST_AUTO_TEST_CASE(siggen)
{
    CheckSiggen(OF_128S, 52);
    CheckSiggen(OF_128F, 24);
}

BOOST_AUTO_TEST_CASE(sigver)
{
    CheckSigver(OF_128S, 42, 6);
    CheckSigver(OF_128F, 28, 4);
}

BOOST_AUTO_TEST_SUITE_END()
