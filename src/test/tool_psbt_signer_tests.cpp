// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/script.h>
#include <test/compressions.h>
#include <test/psbt_fixture.h>
#include <tool/psbt_signer.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <vector>

using namespace slhc;
using namespace slhc::test;
using slhc::tool::GivenSignature;
using slhc::tool::KeyPair;

namespace {

using Keys = std::array<std::shared_ptr<const KeyPair>, 1>;

/** A key that signs fast. */
Keys Dave()
{
    return {std::make_shared<const KeyPair>(tool::MakeKeyPair(KeyType::SCHNORR, Bytes(32, 3)))};
}

LeafKey DavesKey() { return {Dave()[0]->public_key, KeyType::SCHNORR}; }

/** A leaf that Dave signs, with something of its own. */
ScriptTree DavesLeaf(uint16_t n)
{
    Bytes other(32, 1);
    other[0] = static_cast<uint8_t>(n);
    other[1] = static_cast<uint8_t>(n >> 8);
    return ScriptTree{CScript{} << Dave()[0]->public_key << OP_CHECKSIGVERIFY << other << OP_CHECKSIG};
}

/** Such leaves, count of them from `first` on, at one depth. */
ScriptTree Balanced(uint16_t first, uint16_t count)
{
    if (count == 1) return DavesLeaf(first);
    const auto half{static_cast<uint16_t>(count / 2)};
    return *ScriptTree::Branch(Balanced(first, half), Balanced(static_cast<uint16_t>(first + half), half));
}

/** One leaf in many places, and another one. */
ScriptTree Repeated(size_t places)
{
    ScriptTree tree{DavesLeaf(1)};
    for (size_t i = 0; i < places; ++i) tree = *ScriptTree::Branch(DavesLeaf(0), tree);
    return tree;
}

/** A PSBT with an input for each tree, and all leaves. */
PartiallySignedTransaction PSBTFor(const std::vector<ScriptTree>& trees, const InternalKey& internal_key = {})
{
    PartiallySignedTransaction psbt{SampleTx(trees.size()), 0};
    for (size_t i = 0; i < trees.size(); ++i) {
        SetSpentOutput(psbt, i, {100'000, TreeScriptPubKey(trees[i], internal_key)});
        std::vector<size_t> leaves(trees[i].Leaves().size());
        std::iota(leaves.begin(), leaves.end(), size_t{0});
        AddLeaves(psbt, i, trees[i], leaves, internal_key);
    }
    return psbt;
}

} // namespace

BOOST_AUTO_TEST_SUITE(tool_psbt_signer_tests)

/** A signature takes no look at the other leaves: twice as many leaves are twice the work. */
BOOST_AUTO_TEST_CASE(many_leaves)
{
    const auto compressions{[](uint16_t n) {
        auto psbt{PSBTFor({Balanced(0, n)})};
        const uint64_t before{CountedCompressions().sha256};
        BOOST_CHECK_EQUAL(tool::SignInput(psbt, 0, Dave(), SIGHASH_DEFAULT).size(), n);
        const uint64_t done{CountedCompressions().sha256 - before};
        BOOST_CHECK(WrongFields(psbt).empty());
        return done;
    }};
    BOOST_CHECK_LT(compressions(128), 3 * compressions(64));
}

/** Likewise where an input gets them. */
BOOST_AUTO_TEST_CASE(many_leaves_to_add)
{
    for (const InternalKey& internal_key : {InternalKey{}, InternalKey{INTERNAL_KEY}}) {
        const auto compressions{[&](uint16_t n) {
            const std::vector trees{Balanced(0, n)};
            const uint64_t before{CountedCompressions().sha256};
            const auto psbt{PSBTFor(trees, internal_key)};
            const uint64_t done{CountedCompressions().sha256 - before};
            BOOST_CHECK_EQUAL(Leaves(psbt, 0).size(), n);
            return done;
        }};
        BOOST_CHECK_LT(compressions(128), 3 * compressions(64) + 64);
    }
}

/** Each input has leaves of its own. */
BOOST_AUTO_TEST_CASE(several_inputs)
{
    const std::vector trees{Balanced(0, 4), Balanced(9, 2), Balanced(20, 4)};
    auto psbt{PSBTFor(trees)};
    const auto signable{tool::SignableBy(psbt, Dave(), {})};
    BOOST_CHECK_EQUAL(signable.signatures.size(), 10);
    tool::MakeSignatures(psbt, PSBTSignatureHasher{psbt}, signable.signatures);
    for (size_t i = 0; i < trees.size(); ++i) {
        for (const auto& leaf : trees[i].Leaves()) BOOST_CHECK(GetSignature(psbt, i, leaf.hash, DavesKey()));
    }
    BOOST_CHECK(WrongFields(psbt).empty());
}

/** A tree may have a leaf in many places, which have one field for its signature: it is signed once. */
BOOST_AUTO_TEST_CASE(a_leaf_in_many_places)
{
    constexpr size_t PLACES{5};
    const auto start{PSBTFor({Repeated(PLACES)})};
    const auto leaves{Leaves(start, 0)};
    BOOST_REQUIRE_EQUAL(leaves.size(), PLACES + 1);
    const uint256 hash{DavesLeaf(0).Leaves()[0].hash};
    const auto numbers{[&](const std::string& leaf) {
        std::vector<size_t> signed_leaves;
        for (const auto& each : tool::SignableBy(start, Dave(), {.input = {}, .leaf = leaf}).signatures) {
            if (each.leaf_hash == hash) signed_leaves.push_back(each.leaf);
        }
        return signed_leaves;
    }};
    const auto first{static_cast<size_t>(std::ranges::find(leaves, hash, &PSBTLeaf::hash) - leaves.begin())};
    BOOST_CHECK(numbers("") == std::vector{first});
    // Any of its numbers means it.
    for (size_t n = 0; n < leaves.size(); ++n) BOOST_CHECK_EQUAL(numbers(std::to_string(n)).size(), leaves[n].hash == hash ? 1 : 0);

    auto made{start};
    BOOST_CHECK_EQUAL(tool::SignInput(made, 0, Dave(), SIGHASH_DEFAULT).size(), 2);
    auto given{start};
    const GivenSignature signature{Dave()[0]->public_key, *GetSignature(made, 0, hash, DavesKey())};
    BOOST_CHECK_EQUAL(tool::AddGivenSignature(given, signature, {}), 1);
    BOOST_CHECK(GetSignature(given, 0, hash, DavesKey()) == signature.signature);
}

BOOST_AUTO_TEST_SUITE_END()
