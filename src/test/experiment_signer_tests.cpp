// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// The signatures of an ExperimentSigner are valid for the code that follows FIPS 205, each under its own key, and its one-time keys are
// those of the standard.

#include <pqc/experiment_signer.h>
#include <pqc/slhdsa/slhdsa.h>
#include <test/compressions.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

using namespace slhc;
using namespace slhc::slhdsa;

namespace {

constexpr std::array<uint8_t, KEYGEN_SEED_SIZE> SEED{[] {
    std::array<uint8_t, KEYGEN_SEED_SIZE> seed{};
    for (size_t i{0}; i < seed.size(); ++i) seed[i] = static_cast<uint8_t>(5 * i + 3);
    return seed;
}()};

std::vector<uint8_t> Sign(const ExperimentSigner& signer, uint64_t number, std::span<const uint8_t> message, uint32_t tries = 1,
                          uint64_t variant = 0)
{
    std::vector<uint8_t> sig(ParamsOf(signer.Set()).SignatureSize());
    signer.Sign(number, *MessagePieces::Pure(message, {}), sig, tries, variant);
    return sig;
}

std::array<uint8_t, 4> Message(uint8_t i) { return {'e', 'x', 'p', i}; }

constexpr uint64_t LAST{~uint64_t{0}};

} // namespace

BOOST_AUTO_TEST_SUITE(experiment_signer_tests)

BOOST_AUTO_TEST_CASE(valid_in_every_set)
{
    for (const ParameterSetEntry& entry : PARAMETER_SETS) {
        BOOST_TEST_CONTEXT(entry.name)
        {
            const ExperimentSigner signer{entry.set, SEED};
            BOOST_CHECK(signer.Set() == entry.set);
            std::set<std::vector<uint8_t>> distinct;
            for (uint8_t i{0}; i < 24; ++i) {
                const uint64_t number{i % 2 == 0 ? i : LAST - i};
                const auto sig{Sign(signer, number, Message(i), i % 3 == 0 ? 5 : 1)};
                BOOST_CHECK(slh_verify(entry.set, Message(i), sig, {}, signer.Key(number)));
                distinct.insert(sig);
            }
            BOOST_CHECK_EQUAL(distinct.size(), 24U);
            const std::array<uint8_t, 4> message{Message(1)};
            const std::array<uint8_t, 3> ctx{1, 2, 3};
            for (const MessagePieces& pieces : {*MessagePieces::Pure(message, ctx), MessagePieces::Internal(message)}) {
                std::vector<uint8_t> sig(entry.params.SignatureSize());
                signer.Sign(7, pieces, sig);
                BOOST_CHECK(slh_verify_internal(entry.set, pieces, sig, signer.Key(7)));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(keys_are_distinct)
{
    for (const ParameterSetEntry& entry : PARAMETER_SETS) {
        BOOST_TEST_CONTEXT(entry.name)
        {
            const ExperimentSigner signer{entry.set, SEED};
            std::set<PublicKey> keys;
            for (const uint64_t base : {uint64_t{0}, uint64_t{1} << 32, LAST - 99}) {
                for (uint64_t i{0}; i < 100; ++i) keys.insert(signer.Key(base + i));
            }
            BOOST_CHECK_EQUAL(keys.size(), 300U);
            for (const PublicKey& key : keys) BOOST_CHECK(std::ranges::equal(std::span{key}.first<N>(), std::span{SEED}.last<N>()));
            const auto sig{Sign(signer, 1, Message(1))};
            for (const uint64_t other : {uint64_t{0}, uint64_t{2}, LAST}) {
                BOOST_CHECK(!slh_verify(entry.set, Message(1), sig, {}, signer.Key(other)));
            }
            auto seed{SEED};
            for (const size_t at : {size_t{0}, 2 * N}) { // SK.seed and PK.seed
                seed[at] ^= 1;
                BOOST_CHECK(ExperimentSigner(entry.set, seed).Key(1) != signer.Key(1));
                seed[at] ^= 1;
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(a_changed_bit_is_refused)
{
    for (const ParameterSetEntry& entry : PARAMETER_SETS) {
        BOOST_TEST_CONTEXT(entry.name)
        {
            const ExperimentSigner signer{entry.set, SEED};
            const PublicKey key{signer.Key(3)};
            auto sig{Sign(signer, 3, Message(1))};
            // A tiny set has so few digests that another R may serve as well.
            for (size_t byte{IsForTests(entry.set) ? N : 0}; byte < sig.size(); byte += IsForTests(entry.set) ? 1 : 37) {
                sig[byte] ^= static_cast<uint8_t>(1U << byte % 8);
                BOOST_CHECK_MESSAGE(!slh_verify(entry.set, Message(1), sig, {}, key), "accepted with byte " << byte << " changed");
                sig[byte] ^= static_cast<uint8_t>(1U << byte % 8);
            }
            BOOST_CHECK(slh_verify(entry.set, Message(1), sig, {}, key));
            if (!IsForTests(entry.set)) BOOST_CHECK(!slh_verify(entry.set, Message(2), sig, {}, key));
        }
    }
}

BOOST_AUTO_TEST_CASE(reproducible)
{
    for (const ParameterSetEntry& entry : PARAMETER_SETS) {
        BOOST_TEST_CONTEXT(entry.name)
        {
            const ExperimentSigner signer{entry.set, SEED}, again{entry.set, SEED};
            const auto sig{Sign(signer, 5, Message(1))};
            BOOST_CHECK(signer.Key(5) == again.Key(5));
            BOOST_CHECK(sig == Sign(again, 5, Message(1)));
            const auto variant{Sign(signer, 5, Message(1), 1, 1)};
            BOOST_CHECK(variant != sig);
            BOOST_CHECK(slh_verify(entry.set, Message(1), variant, {}, signer.Key(5)));
            auto seed{SEED};
            seed[N] ^= 1; // SK.prf
            const ExperimentSigner other{entry.set, seed};
            BOOST_CHECK(other.Key(5) == signer.Key(5));
            BOOST_CHECK(Sign(other, 5, Message(1)) != sig);
        }
    }
}

BOOST_AUTO_TEST_CASE(cheap)
{
    for (const ParameterSetEntry& entry : PARAMETER_SETS) {
        BOOST_TEST_CONTEXT(entry.name)
        {
            const ExperimentSigner signer{entry.set, SEED};
            const auto counted{[](uint64_t times, const auto& call) {
                const uint64_t before{test::CountedCompressions().sha256};
                for (uint64_t i{0}; i < times; ++i) call(i);
                return static_cast<double>(test::CountedCompressions().sha256 - before) / static_cast<double>(times);
            }};
            BOOST_CHECK_EQUAL(counted(50, [&](uint64_t i) { (void)signer.Key(i); }), 1);
            const double mean{counted(50, [&](uint64_t i) { (void)Sign(signer, i, Message(1)); })};
            BOOST_TEST_MESSAGE(entry.name << ": " << mean << " compressions");
            // 128-24 tries R 1024 times, each try three blocks, the other sets twice.
            const double search{entry.params.h_prime() > 13 ? 3.0 * 1024 : 3.0 * 2};
            BOOST_CHECK_LT(mean, 1.5 * (static_cast<double>(entry.params.VerifyCompressions()) + search) + 50);
        }
    }
}

BOOST_AUTO_TEST_CASE(the_leaves_are_those_of_the_standard)
{
    // In a tiny set's top tree, the sibling of an honest signature's first leaf is the experiment's.
    constexpr Params P{ParamsOf(ParameterSet::TINY_W4)};
    SecretKey sk;
    PublicKey pk;
    slh_keygen_internal<P>(SEED, sk, pk);
    const ExperimentSigner signer{ParameterSet::TINY_W4, SEED};
    const PublicKey key{signer.Key(1)};
    const HashContext hash{std::span{SEED}.last<N>()};
    const Node left{xmss_node<P>(hash, std::span{sk}.first<N>(), 0, P.h_prime() - 1, ADRS{})};
    std::set<uint32_t> leaves;
    for (uint8_t i{0}; i < 40; ++i) {
        const auto sig{Sign(signer, 1, Message(i))};
        const auto digest{DigestMessage<P>(std::span{sig}.first<N>(), key, *MessagePieces::Pure(Message(i), {}))};
        leaves.insert(digest.idx_leaf);
        const auto path{std::span{sig}.last<P.h_prime() * N>()};
        for (uint32_t level{0}; level + 1 < P.h_prime(); ++level) {
            const Node sibling{xmss_node<P>(hash, std::span{sk}.first<N>(), (digest.idx_leaf >> level) ^ 1, level, ADRS{})};
            BOOST_CHECK(std::ranges::equal(path.subspan(level * N, N), sibling));
        }
        ADRS adrs;
        adrs.setTypeAndClear(ADRSType::TREE);
        adrs.setTreeHeight(P.h_prime());
        const Node root{hash.H(adrs, left, path.last<N>())};
        BOOST_CHECK(std::ranges::equal(std::span{key}.last<N>(), root));
    }
    BOOST_CHECK((leaves == std::set<uint32_t>{0, 1, 2, 3}));
}

BOOST_AUTO_TEST_SUITE_END()
