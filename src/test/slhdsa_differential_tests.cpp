// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Answers of other SLH-DSA implementations to random questions: see src/test/data/README.md. The kinds of
// changes are described in contrib/differential/cases.py.

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

struct Key {
    SecretKey sk;
    PublicKey pk;
};

struct Case {
    size_t key;
    bool internal;
    std::vector<uint8_t> msg;
    std::vector<uint8_t> ctx;
    std::vector<uint8_t> sig;
    std::vector<uint8_t> pk;

    [[nodiscard]] bool Verify() const
    {
        const std::span<const uint8_t, PUBLIC_KEY_SIZE> key_view{pk.data(), PUBLIC_KEY_SIZE};
        return internal ? slh_verify_internal(msg, sig, key_view) : slh_verify(msg, sig, ctx, key_view);
    }

    std::vector<uint8_t>& Part(const std::string& name)
    {
        if (name == "sig") return sig;
        if (name == "pk") return pk;
        if (name == "msg") return msg;
        if (name == "ctx") return ctx;
        throw std::runtime_error{"test data: no part is called " + name};
    }
};

Case Apply(Case c, const nlohmann::json& change, const std::vector<Key>& keys, const std::vector<Case>& cases)
{
    const std::string kind{change.at(0)};
    if (kind == "none") return c;
    if (kind == "splice") {
        const size_t offset{change.at(1)};
        const std::vector<uint8_t>& other{cases.at(change.at(2)).sig};
        std::copy_n(other.begin() + offset, N, c.sig.begin() + offset);
    } else if (kind == "key") {
        const PublicKey& pk{keys.at(change.at(1)).pk};
        c.pk.assign(pk.begin(), pk.end());
    } else if (kind == "other_interface") {
        c.internal = !c.internal;
        c.ctx.clear();
    } else if (kind == "as_internal") {
        std::vector<uint8_t> encoded{0, static_cast<uint8_t>(c.ctx.size())};
        encoded.insert(encoded.end(), c.ctx.begin(), c.ctx.end());
        encoded.insert(encoded.end(), c.msg.begin(), c.msg.end());
        c.internal = true;
        c.msg = encoded;
    } else if (kind.ends_with("_size")) {
        c.Part(kind.substr(0, kind.size() - 5)).resize(change.at(1));
    } else {
        c.Part(kind).at(change.at(1)) ^= change.at(2).get<uint8_t>();
    }
    return c;
}

} // namespace

BOOST_AUTO_TEST_SUITE(slhdsa_differential_tests)

BOOST_AUTO_TEST_CASE(fixed_set)
{
    const nlohmann::json data = ReadJson("slhdsa_differential.json");

    std::vector<Key> keys;
    for (const nlohmann::json& entry : data.at("keys")) {
        const std::vector<uint8_t> seed{HexField(entry, "seed")};
        BOOST_REQUIRE_EQUAL(seed.size(), KEYGEN_SEED_SIZE);
        Key key;
        slh_keygen_internal(std::span<const uint8_t, KEYGEN_SEED_SIZE>{seed}, key.sk, key.pk);
        BOOST_CHECK_MESSAGE(HexStr(key.pk) == entry.at("pk").get<std::string>(), "key " << keys.size());
        keys.push_back(key);
    }

    std::vector<Case> cases;
    for (const nlohmann::json& entry : data.at("signatures")) {
        const Key& key{keys.at(entry.at("key"))};
        Case c{entry.at("key"),
               entry.at("interface") == "internal",
               HexField(entry, "msg"),
               HexField(entry, "ctx"),
               {},
               {key.pk.begin(), key.pk.end()}};
        const std::vector<uint8_t> rnd{HexField(entry, "rnd")};
        Signature sig;
        if (c.internal) {
            BOOST_REQUIRE_EQUAL(rnd.size(), N);
            slh_sign_internal(c.msg, key.sk, std::span<const uint8_t, N>{rnd}, sig);
        } else {
            BOOST_REQUIRE(rnd.empty() || rnd.size() == N);
            BOOST_REQUIRE(slh_sign(c.msg, c.ctx, key.sk, rnd.empty() ? nullptr : rnd.data(), sig));
        }
        BOOST_CHECK_MESSAGE(HexStr(Sha256(sig)) == entry.at("sig_sha256").get<std::string>(), "signature " << cases.size());
        c.sig.assign(sig.begin(), sig.end());
        cases.push_back(std::move(c));
    }

    size_t verdicts{0};
    size_t valid{0};
    for (size_t i{0}; i < cases.size(); ++i) {
        const nlohmann::json& entry{data.at("signatures").at(i)};
        const std::string expected{entry.at("verdicts")};
        BOOST_REQUIRE_EQUAL(entry.at("changes").size(), expected.size());
        for (size_t j{0}; j < expected.size(); ++j) {
            const nlohmann::json& change{entry.at("changes").at(j)};
            const bool verdict{Apply(cases[i], change, keys, cases).Verify()};
            BOOST_CHECK_MESSAGE(verdict == (expected[j] == '1'), "signature " << i << " changed by " << change << ": we say " << verdict);
            ++verdicts;
            valid += verdict;
        }
    }
    BOOST_TEST_MESSAGE(keys.size() << " keys, " << cases.size() << " signatures, " << verdicts << " verdicts (" << valid << " valid)");
    BOOST_CHECK_GE(keys.size(), 20U);
    BOOST_CHECK_GE(cases.size(), 60U);
    BOOST_CHECK_GE(verdicts, 3000U);
    BOOST_CHECK_GT(valid, cases.size());
}

BOOST_AUTO_TEST_SUITE_END()
