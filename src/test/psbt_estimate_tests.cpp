// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <crypto/hash.h>
#include <script/script.h>
#include <test/psbt_fixture.h>
#include <wallet/psbt.h>
#include <wallet/psbt_finalizer.h>

#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <cstdint>

/** What a PSBT will weigh and pay when it is signed, as far as that is known. */

using namespace slhc;
using namespace slhc::test;

BOOST_AUTO_TEST_SUITE(psbt_estimate_tests)

BOOST_AUTO_TEST_CASE(fee_and_size)
{
    auto psbt{SamplePSBT(0, {0, 1})};
    BOOST_CHECK(Fee(psbt) == 110'000);
    BOOST_CHECK(!Fee(PartiallySignedTransaction{SampleTx(1), 0}));
    BOOST_CHECK(!EstimateWeight(PartiallySignedTransaction{SampleTx(1), 0}));
    const auto one_leaf{EstimateWeight(psbt)};
    // With a second leaf, the more expensive one counts.
    AddLeaf(psbt, 1, SampleTree(), 0, {});
    const auto two_leaves{EstimateWeight(psbt)};
    BOOST_REQUIRE(one_leaf && two_leaves);
    BOOST_CHECK(one_leaf->exact && !two_leaves->exact);
    BOOST_CHECK_GT(two_leaves->weight, one_leaf->weight + 7000);
}

/** A signature that is there counts as it is, also if it is not by the first of the keys. */
BOOST_AUTO_TEST_CASE(size_with_some_signatures)
{
    auto psbt{SamplePSBT(0, {0})};
    AddSignature(psbt, 0, LeafHash(0), {Key(2), KeyType::SLHDSA}, Bytes(7857, SIGHASH_ALL));
    const auto one{EstimateWeight(psbt)};
    AddSignature(psbt, 0, LeafHash(0), {Key(3), KeyType::SLHDSA}, Bytes(7857, SIGHASH_ALL));
    const auto two{EstimateWeight(psbt)};
    BOOST_REQUIRE(one && two && two->exact);
    BOOST_CHECK_EQUAL(two->weight, one->weight + 1);
    BOOST_CHECK_EQUAL(Finalize(psbt, 0), "");
    BOOST_CHECK_EQUAL(GetTransactionWeight(CTransaction{ExtractTransaction(psbt)}), two->weight);
}

/** Of keys of both types the largest signatures are expected, until those that are there suffice. */
BOOST_AUTO_TEST_CASE(size_of_a_threshold_with_both_types)
{
    const LeafKey schnorr{Key(7), KeyType::SCHNORR}, slhdsa{Key(1), KeyType::SLHDSA}, other_slhdsa{Key(2), KeyType::SLHDSA};
    const auto sign{[](PartiallySignedTransaction& psbt, const LeafKey& key) {
        AddSignature(psbt, 0, Leaves(psbt, 0)[0].hash, key, Bytes(SignatureSize(key.type), 0xaa));
    }};
    const auto final_weight{[](PartiallySignedTransaction psbt) {
        BOOST_CHECK_EQUAL(Finalize(psbt, 0), "");
        return GetTransactionWeight(CTransaction{ExtractTransaction(psbt)});
    }};
    CScript either;
    either << schnorr.public_key << OP_CHECKSIG << slhdsa.public_key << OP_CHECKSIGADDSLHDSA << int64_t{1} << OP_NUMEQUAL;
    auto psbt{SpendingLeaf(either)}, small{psbt};
    const auto nobody{EstimateWeight(psbt)};
    sign(psbt, slhdsa);
    sign(small, schnorr);
    const auto large_one{EstimateWeight(psbt)}, small_one{EstimateWeight(small)};
    BOOST_REQUIRE(nobody && large_one && small_one);
    BOOST_CHECK(!nobody->exact && large_one->exact && small_one->exact);
    BOOST_CHECK_EQUAL(nobody->weight, large_one->weight);
    BOOST_CHECK_EQUAL(final_weight(psbt), large_one->weight);
    BOOST_CHECK_EQUAL(final_weight(small), small_one->weight);

    CScript two_of_three{CScript{} << schnorr.public_key << OP_CHECKSIG << slhdsa.public_key << OP_CHECKSIGADDSLHDSA};
    two_of_three << other_slhdsa.public_key << OP_CHECKSIGADDSLHDSA << int64_t{2} << OP_NUMEQUAL;
    psbt = SpendingLeaf(two_of_three);
    const auto both_large{EstimateWeight(psbt)};
    sign(psbt, schnorr);
    const auto one_large{EstimateWeight(psbt)};
    BOOST_REQUIRE(both_large && one_large);
    BOOST_CHECK(!both_large->exact && !one_large->exact); // the third one may sign, too
    BOOST_CHECK_EQUAL(both_large->weight, one_large->weight + 7856 + 2 - 64);
    sign(psbt, other_slhdsa);
    BOOST_CHECK(EstimateWeight(psbt)->exact);
    BOOST_CHECK_EQUAL(final_weight(psbt), one_large->weight);

    CScript all;
    all << schnorr.public_key << OP_CHECKSIG << slhdsa.public_key << OP_CHECKSIGADDSLHDSA << int64_t{2} << OP_NUMEQUAL;
    BOOST_CHECK(EstimateWeight(SpendingLeaf(all))->exact);
}

/** What the Finalizer does not use does not count: anybody may have put it there. */
BOOST_AUTO_TEST_CASE(size_with_signatures_that_are_not_used)
{
    const auto estimate{[](const PartiallySignedTransaction& psbt) {
        const PSBTVerifier verifier{psbt, NotZero};
        const auto estimated{EstimateWeight(psbt, &verifier)};
        BOOST_REQUIRE(estimated);
        return *estimated;
    }};
    CScript either;
    either << Key(7) << OP_CHECKSIG << Key(1) << OP_CHECKSIGADDSLHDSA << int64_t{1} << OP_NUMEQUAL;
    auto psbt{SpendingLeaf(either)};
    const auto unsigned_one{estimate(psbt)};
    AddSignature(psbt, 0, Leaves(psbt, 0)[0].hash, {Key(7), KeyType::SCHNORR}, Bytes(64));
    BOOST_CHECK(!estimate(psbt).exact);
    BOOST_CHECK_EQUAL(estimate(psbt).weight, unsigned_one.weight);
    BOOST_CHECK(EstimateWeight(psbt)->exact); // nobody says that it is not valid

    psbt = SamplePSBT(0, {0}, INTERNAL_KEY);
    const auto by_leaf{estimate(psbt)};
    const auto set{[&](uint64_t type, const Bytes& value) { psbt.Set(PSBTScope::INPUT, 0, PSBTKey(type), value); }};
    set(PSBT_IN_TAP_KEY_SIG, Bytes(64));
    BOOST_CHECK_EQUAL(estimate(psbt).weight, by_leaf.weight);
    set(PSBT_IN_TAP_KEY_SIG, Bytes(65, SIGHASH_ALL));
    set(PSBT_IN_SIGHASH_TYPE, Bytes(4));
    BOOST_CHECK_EQUAL(estimate(psbt).weight, by_leaf.weight);
}

/** A signature of P2TR's key path comes before any leaf, and needs none. */
BOOST_AUTO_TEST_CASE(size_of_the_key_path)
{
    PartiallySignedTransaction without_leaf{SampleTx(1), 0};
    SetSpentOutput(without_leaf, 0, {100'000, TreeScriptPubKey(SampleTree(), INTERNAL_KEY)});
    for (auto psbt : {SamplePSBT(0, {0}, INTERNAL_KEY), without_leaf}) {
        psbt.Set(PSBTScope::INPUT, 0, PSBTKey(PSBT_IN_TAP_KEY_SIG), Bytes(65, SIGHASH_ALL));
        const PSBTVerifier verifier{psbt, NotZero};
        const auto estimate{EstimateWeight(psbt, &verifier)};
        BOOST_REQUIRE(estimate && estimate->exact);
        BOOST_CHECK_EQUAL(Finalize(psbt, 0), "");
        BOOST_CHECK_EQUAL(GetTransactionWeight(CTransaction{ExtractTransaction(psbt)}), estimate->weight);
    }
}

/** A preimage may have any size until it is there, unless the leaf asks for 32 bytes. */
BOOST_AUTO_TEST_CASE(size_of_a_preimage)
{
    for (const size_t size : {size_t{0}, size_t{32}, size_t{500}}) {
        const Bytes secret(size, 3);
        const auto digest{Sha256(secret)};
        CScript any_size, of_32_bytes{CScript{} << OP_SIZE << int64_t{32} << OP_EQUALVERIFY};
        for (CScript* const script : {&any_size, &of_32_bytes}) {
            *script << OP_SHA256 << Bytes{digest.begin(), digest.end()} << OP_EQUALVERIFY << Key(1) << OP_CHECKSIGSLHDSA;
        }
        auto psbt{SpendingLeaf(any_size)};
        const auto before{EstimateWeight(psbt)};
        AddPreimage(psbt, 0, secret);
        const auto estimate{EstimateWeight(psbt)};
        BOOST_REQUIRE(before && estimate);
        BOOST_CHECK(!before->exact && estimate->exact);
        AddSignature(psbt, 0, Leaves(psbt, 0)[0].hash, {Key(1), KeyType::SLHDSA}, Bytes(7856, 0xaa));
        BOOST_CHECK_EQUAL(Finalize(psbt, 0), "");
        BOOST_CHECK_EQUAL(GetTransactionWeight(CTransaction{ExtractTransaction(psbt)}), estimate->weight);

        psbt = SpendingLeaf(of_32_bytes);
        const auto fixed{EstimateWeight(psbt)};
        BOOST_REQUIRE(fixed && fixed->exact);
        AddPreimage(psbt, 0, secret); // which is of no use if it has another size
        BOOST_CHECK(EstimateWeight(psbt)->exact);
        BOOST_CHECK_EQUAL(EstimateWeight(psbt)->weight, fixed->weight);
    }
}

BOOST_AUTO_TEST_SUITE_END()
