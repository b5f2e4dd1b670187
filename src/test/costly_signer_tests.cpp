// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Signatures made to be expensive are valid, for the code that follows FIPS 205 and for every backend on this machine, and cost as much as
// claimed.

#include <pqc/slhdsa/slhdsa.h>
#include <test/json_data.h>
#include <test/util/costly_signer.h>
#include <test/util/spends.h>
#include <test/util/verifier.h>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <array>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <vector>

using namespace slhc;
using namespace slhc::test;

namespace {

struct Signed {
    slhdsa::PublicKey pk{};
    std::array<uint8_t, 32> message{};
    slhdsa::Signature sig{};

    explicit Signed(const SLHDSAFunctions& functions, uint8_t number = 1)
    {
        std::array<uint8_t, slhdsa::KEYGEN_SEED_SIZE> seed{};
        seed.fill(number);
        message.fill(number);
        slhdsa::SecretKey sk;
        functions.keygen(seed, sk, pk);
        std::array<uint8_t, slhdsa::N> addrnd{};
        addrnd.fill(number);
        functions.sign(message, sk, addrnd, sig);
    }

    [[nodiscard]] size_t Compressions() const { return VerificationCompressions(pk, message, sig); }
};

} // namespace

BOOST_AUTO_TEST_SUITE(costly_signer_tests)

BOOST_AUTO_TEST_CASE(valid_everywhere)
{
    std::vector<Signed> all;
    for (uint8_t i = 1; i <= 20; ++i) all.emplace_back(CostlySLHDSA(16), i);
    for (const Signed& s : all) BOOST_CHECK(slhdsa::slh_verify(s.message, s.sig, {}, s.pk));
    all[7].sig[4000] ^= 1;
    std::vector<slhdsa::CheckView> checks;
    for (const Signed& s : all) {
        checks.push_back({.public_key = s.pk.data(), .message = *slhdsa::MessagePieces::Pure(s.message, {}), .signature = s.sig});
    }
    std::vector<slhdsa::Verdict> verdicts(all.size());
    BOOST_REQUIRE(MakeVerifier("cpu", 2)->VerifyMany(checks, verdicts));
    for (size_t i = 0; i < all.size(); ++i) BOOST_CHECK(verdicts[i] == (i == 7 ? slhdsa::Verdict::INVALID : slhdsa::Verdict::VALID));
}

BOOST_AUTO_TEST_CASE(counts_of_the_vectors)
{
    // Counted block by block in contrib/bench/test_cost_model.py
    const std::map<std::string, size_t> counted{{"alice-0", 2169}, {"alice-1", 2214}, {"bob-0", 2349}};
    std::ifstream file{OpenBIPVectors("slhdsa.json")};
    size_t found{0};
    for (const auto& vector : nlohmann::json::parse(file)) {
        const auto it{counted.find(vector.at("name").get<std::string>())};
        if (it == counted.end()) continue;
        ++found;
        const auto pk{HexField(vector, "public_key")}, m_prime{HexField(vector, "m_prime")}, sig{HexField(vector, "signature")};
        BOOST_REQUIRE_EQUAL(m_prime.size(), 34U);
        BOOST_CHECK_EQUAL(VerificationCompressions(std::span{pk}.first<slhdsa::PUBLIC_KEY_SIZE>(), std::span{m_prime}.subspan(2),
                                                   std::span{sig}.first<slhdsa::SIGNATURE_SIZE>()),
                          it->second);
    }
    BOOST_CHECK_EQUAL(found, counted.size());
}

BOOST_AUTO_TEST_CASE(tries_make_them_more_expensive)
{
    // One in 2^10 messages of a layer takes 360 steps or more, 267 on average.
    const auto mean{[](uint32_t tries) {
        size_t total{0};
        for (uint8_t i = 1; i <= 8; ++i) total += Signed{CostlySLHDSA(tries), i}.Compressions();
        return total / 8;
    }};
    const size_t some{mean(1 << 10)};
    BOOST_CHECK_GT(some, 2700);
    BOOST_CHECK_LT(some, 3054); // 2^20 tries
    BOOST_CHECK_LT(mean(1), 2400);
}

BOOST_AUTO_TEST_SUITE_END()
