// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <crypto/hash.h>
#include <primitives/serialize.h>
#include <script/script.h>
#include <test/allocations.h>
#include <test/compressions.h>
#include <test/preconditions.h>
#include <test/psbt_fixture.h>
#include <util/hex.h>
#include <wallet/descriptor.h>
#include <wallet/psbt_combiner.h>
#include <wallet/tap_tree.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

/** PSBTs from somebody who wants a signature for something else, or no transaction at all. */

using namespace slhc;
using namespace slhc::test;

namespace {

constexpr uint8_t INVALID{0}; //!< what a signature is filled with that NotZero refuses

Bytes LE32(uint32_t value)
{
    Bytes bytes;
    VectorWriter writer{bytes};
    WriteU32(writer, value);
    return bytes;
}

/** A tree whose first leaf has a lock time, and whose second one hasn't. */
ScriptTree TreeWithLockTime(opcodetype lock, int64_t n)
{
    CScript later, now;
    later << n << lock << OP_DROP << Key(1) << OP_CHECKSIGSLHDSA;
    now << Key(1) << OP_CHECKSIGSLHDSA << OP_VERIFY << Key(2) << OP_CHECKSIGSLHDSA;
    return *ScriptTree::Branch(ScriptTree{later}, ScriptTree{now});
}

PartiallySignedTransaction PSBTFor(const ScriptTree& tree, const CMutableTransaction& tx)
{
    PartiallySignedTransaction psbt{tx, 0};
    SetSpentOutput(psbt, 0, {100'000, TreeScriptPubKey(tree, {})});
    for (size_t leaf = 0; leaf < tree.Leaves().size(); ++leaf) AddLeaf(psbt, 0, tree, leaf, {});
    return psbt;
}

} // namespace

BOOST_AUTO_TEST_SUITE(psbt_hostile_tests)

BOOST_AUTO_TEST_CASE(finalizing_uses_valid_signatures_alone)
{
    auto psbt{SamplePSBT(0, {0})};
    AddSLHDSA(psbt, 0, 0, 1, INVALID);
    AddSLHDSA(psbt, 0, 0, 2, 0x22);
    const Bytes before{psbt.Serialize()};
    const auto not_enough{FinalizeInput(psbt, 0, PSBTVerifier{psbt, NotZero})};
    BOOST_CHECK(Contains(not_enough.missing, "needs 2 signatures, but has 1"));
    BOOST_CHECK(Contains(not_enough.missing, "not used: the signature by 0101"));
    BOOST_CHECK(psbt.Serialize() == before);

    AddSLHDSA(psbt, 0, 0, 3, 0x33);
    const auto enough{FinalizeInput(psbt, 0, PSBTVerifier{psbt, NotZero})};
    BOOST_CHECK_EQUAL(enough.missing, "");
    BOOST_CHECK(enough.leaf == LeafHash(0));
    BOOST_REQUIRE_EQUAL(enough.left_out.size(), 1);
    BOOST_CHECK(Contains(enough.left_out[0].why, "the signature by 0101"));
    const auto stack{ExtractTransaction(psbt).vin[0].scriptWitness.stack};
    BOOST_CHECK(stack[0] == Bytes(7856, 0x33) && stack[1] == Bytes(7856, 0x22) && stack[2].empty());
}

BOOST_AUTO_TEST_CASE(another_hash_type_does_not_stand_in_the_way)
{
    auto psbt{SamplePSBT(0, {0})};
    psbt.Set(PSBTScope::INPUT, 0, PSBTKey(PSBT_IN_SIGHASH_TYPE), LE32(SIGHASH_DEFAULT));
    AddSignature(psbt, 0, LeafHash(0), {Key(1), KeyType::SLHDSA}, Bytes(7857, SIGHASH_NONE));
    AddSLHDSA(psbt, 0, 0, 2);
    BOOST_CHECK(Contains(Finalize(psbt, 0), "not used: the signature by 0101"));
    AddSLHDSA(psbt, 0, 0, 3);
    const auto done{FinalizeInput(psbt, 0, PSBTVerifier{psbt, NotZero})};
    BOOST_CHECK_EQUAL(done.missing, "");
    BOOST_REQUIRE_EQUAL(done.left_out.size(), 1);
    BOOST_CHECK(Contains(done.left_out[0].why, "another hash type"));
}

/** A signature for DEFAULT has no hash type: with a byte 0 behind it, the interpreter refuses it. */
BOOST_AUTO_TEST_CASE(a_hash_type_of_zero)
{
    const auto with_zero{[](size_t size) {
        Bytes signature(size, 0x11);
        signature.push_back(SIGHASH_DEFAULT);
        return signature;
    }};
    auto psbt{SamplePSBT(0, {0, 1})};
    psbt.Set(PSBTScope::INPUT, 0, SignatureField({Key(1), KeyType::SLHDSA}, LeafHash(0)), with_zero(7856));
    psbt.Set(PSBTScope::INPUT, 1, SignatureField({Key(7), KeyType::SCHNORR}, LeafHash(1)), with_zero(64));
    AddSLHDSA(psbt, 0, 0, 2);
    AddSLHDSA(psbt, 0, 0, 3);
    const auto done{FinalizeInput(psbt, 0, PSBTVerifier{psbt, NotZero})};
    BOOST_CHECK_EQUAL(done.missing, "");
    BOOST_REQUIRE_EQUAL(done.left_out.size(), 1);
    BOOST_CHECK(Contains(done.left_out[0].why, "has a hash type of 0"));
    const auto wrong{WrongFields(psbt, NotZero)};
    BOOST_REQUIRE_EQUAL(wrong.size(), 1);
    BOOST_CHECK(wrong[0].index == 1 && Contains(wrong[0].why, "has a hash type of 0"));

    auto p2tr{SamplePSBT(0, {0}, INTERNAL_KEY)};
    p2tr.Set(PSBTScope::INPUT, 0, PSBTKey(PSBT_IN_TAP_KEY_SIG), with_zero(64));
    BOOST_CHECK(Contains(Finalize(p2tr, 0), "the key path's signature has a hash type of 0"));
}

/** Anyone can put a final witness beside the signatures of others. */
BOOST_AUTO_TEST_CASE(a_final_witness_that_does_not_spend_is_not_used)
{
    const Bytes witness{PSBTKey(PSBT_IN_FINAL_SCRIPTWITNESS)}, script_sig{PSBTKey(PSBT_IN_FINAL_SCRIPTSIG)};
    for (const auto& [junk, value] : {std::pair{witness, Bytes{1, 0}}, {script_sig, Bytes{OP_1}}}) {
        auto psbt{SamplePSBT(0, {0})};
        AddSLHDSA(psbt, 0, 0, 1);
        auto good{psbt};
        psbt.Set(PSBTScope::INPUT, 0, junk, value);
        const Bytes before{psbt.Serialize()};
        const auto not_enough{FinalizeInput(psbt, 0, PSBTVerifier{psbt, NotZero})};
        BOOST_CHECK(Contains(not_enough.missing, "needs 2 signatures, but has 1; not used: what is final does not spend the output"));
        BOOST_CHECK(psbt.Serialize() == before);

        for (auto* const each : {&psbt, &good}) AddSLHDSA(*each, 0, 0, 2);
        const auto enough{FinalizeInput(psbt, 0, PSBTVerifier{psbt, NotZero})};
        BOOST_CHECK_EQUAL(enough.missing, "");
        BOOST_REQUIRE_EQUAL(enough.left_out.size(), 1);
        BOOST_CHECK(enough.left_out[0].field == junk);
        BOOST_CHECK_EQUAL(Finalize(good, 0), "");
        BOOST_CHECK(psbt.Serialize() == good.Serialize());
        BOOST_CHECK_EQUAL(Finalize(psbt, 0), "");
        BOOST_CHECK(psbt.Serialize() == good.Serialize());
    }
    // Of an output that is none of ours, nothing is known but the verdict.
    PartiallySignedTransaction other{SampleTx(1), 0};
    SetSpentOutput(other, 0, {100'000, CScript{} << OP_1 << OP_EQUAL});
    other.Set(PSBTScope::INPUT, 0, script_sig, Bytes{OP_2});
    BOOST_CHECK(Finalize(other, 0).starts_with("has no leaf script"));
    other.Set(PSBTScope::INPUT, 0, script_sig, Bytes{OP_1});
    BOOST_CHECK_EQUAL(Finalize(other, 0), "");
}

BOOST_AUTO_TEST_CASE(a_key_path_signature_that_is_not_valid_is_not_used)
{
    const Bytes field{PSBTKey(PSBT_IN_TAP_KEY_SIG)};
    // P2MR has no key path; what signers did must not be thrown away for this.
    auto p2mr{SamplePSBT(0, {0})};
    p2mr.Set(PSBTScope::INPUT, 0, field, Bytes(64, 0x55));
    AddSLHDSA(p2mr, 0, 0, 1);
    BOOST_CHECK(Contains(Finalize(p2mr, 0), "has no key path"));
    BOOST_CHECK(GetSignature(p2mr, 0, LeafHash(0), {Key(1), KeyType::SLHDSA}));
    AddSLHDSA(p2mr, 0, 0, 2);
    BOOST_CHECK_EQUAL(Finalize(p2mr, 0), "");
    BOOST_CHECK_EQUAL(ExtractTransaction(p2mr).vin[0].scriptWitness.stack.size(), 5);

    auto p2tr{SamplePSBT(0, {0}, INTERNAL_KEY)};
    p2tr.Set(PSBTScope::INPUT, 0, field, Bytes(64, INVALID));
    BOOST_CHECK(Contains(Finalize(p2tr, 0), "the key path's signature is not valid"));
    p2tr.Set(PSBTScope::INPUT, 0, field, Bytes(64, 0x55));
    BOOST_CHECK_EQUAL(Finalize(p2tr, 0), "");
    BOOST_CHECK_EQUAL(ExtractTransaction(p2tr).vin[0].scriptWitness.stack.size(), 1);
}

BOOST_AUTO_TEST_CASE(a_key_path_signature_with_another_hash_type_is_not_used)
{
    const Bytes field{PSBTKey(PSBT_IN_TAP_KEY_SIG)}, asked{PSBTKey(PSBT_IN_SIGHASH_TYPE)};
    const auto with{[&](uint8_t wanted, uint8_t used) {
        auto psbt{SamplePSBT(0, {0}, INTERNAL_KEY)};
        psbt.Set(PSBTScope::INPUT, 0, asked, LE32(wanted));
        Bytes signature(64, 0x55);
        if (used != SIGHASH_DEFAULT) signature.push_back(used);
        psbt.Set(PSBTScope::INPUT, 0, field, signature);
        return psbt;
    }};
    for (const uint8_t hash_type : {SIGHASH_DEFAULT, SIGHASH_ALL, SIGHASH_NONE}) {
        auto psbt{with(hash_type, hash_type)};
        BOOST_CHECK(WrongFields(psbt, NotZero).empty());
        BOOST_CHECK_EQUAL(Finalize(psbt, 0), "");
    }
    for (const auto& [wanted, used, wrong] : {std::tuple{SIGHASH_ALL, SIGHASH_DEFAULT, asked}, {SIGHASH_ALL, SIGHASH_NONE, field}}) {
        auto psbt{with(static_cast<uint8_t>(wanted), static_cast<uint8_t>(used))};
        BOOST_CHECK(Contains(Finalize(psbt, 0), "the key path's signature has another hash type than PSBT_IN_SIGHASH_TYPE asks for"));
        const auto found{DropWrongFields(psbt, NotZero)};
        BOOST_REQUIRE_EQUAL(found.size(), 1);
        BOOST_CHECK(found[0].field == wrong);
        BOOST_CHECK(WrongFields(psbt, NotZero).empty());
    }
}

BOOST_AUTO_TEST_CASE(lock_times_choose_the_leaf)
{
    struct Case {
        opcodetype lock;
        int64_t n;
        uint32_t lock_time, sequence, version;
        const char* why; //!< that the leaf cannot be spent; empty: it can
    };
    constexpr uint32_t NONFINAL{0xfffffffe};
    for (const auto& [lock, n, lock_time, sequence, version, why] : {
             Case{OP_CHECKLOCKTIMEVERIFY, 500, 500, NONFINAL, 2, ""},
             Case{OP_CHECKLOCKTIMEVERIFY, 500, 499, NONFINAL, 2, "needs nLockTime 500 or later (height 500), but the transaction has 499"},
             Case{OP_CHECKLOCKTIMEVERIFY, 500, 500'000'000, NONFINAL, 2, "needs nLockTime 500"},
             Case{OP_CHECKLOCKTIMEVERIFY, 500, 500, 0xffffffff, 2, "nSequence 4294967295 turns them off"},
             Case{OP_CHECKSEQUENCEVERIFY, 144, 0, 144, 2, ""},
             Case{OP_CHECKSEQUENCEVERIFY, 144, 0, 143, 2, "needs an age of 144 blocks, but the input's nSequence 143 means 143 blocks"},
             Case{OP_CHECKSEQUENCEVERIFY, 144, 0, NONFINAL, 2, "nSequence 4294967294 means none"},
             Case{OP_CHECKSEQUENCEVERIFY, 144, 0, 144, 1, "in a transaction of version 1"},
             Case{OP_CHECKSEQUENCEVERIFY, 144, 0, 0x400000 + 200, 2, "means 200 units"},
         }) {
        CMutableTransaction tx{SampleTx(1)};
        tx.nLockTime = lock_time;
        tx.vin[0].nSequence = sequence;
        tx.version = version;
        const ScriptTree tree{TreeWithLockTime(lock, n)};
        auto psbt{PSBTFor(tree, tx)};
        for (size_t leaf = 0; leaf < 2; ++leaf) {
            AddSignature(psbt, 0, tree.Leaves()[leaf].hash, {Key(1), KeyType::SLHDSA}, Bytes(7856, 0x11));
        }
        BOOST_TEST_CONTEXT(n << " " << lock_time << " " << sequence << ": " << why)
        {
            const bool spendable{std::string{why}.empty()};
            auto half{psbt};
            const std::string missing{Finalize(half, 0)};
            BOOST_CHECK_EQUAL(missing.empty(), spendable);
            BOOST_CHECK(spendable || Contains(missing, why));
            // The signatures for the other leaf spend that one.
            AddSignature(psbt, 0, tree.Leaves()[1].hash, {Key(2), KeyType::SLHDSA}, Bytes(7856, 0x22));
            const auto done{FinalizeInput(psbt, 0, PSBTVerifier{psbt, NotZero})};
            BOOST_CHECK_EQUAL(done.missing, "");
            BOOST_CHECK(spendable || done.leaf == tree.Leaves()[1].hash);
        }
    }
}

BOOST_AUTO_TEST_CASE(combining_prefers_what_is_valid)
{
    const auto start{SamplePSBT(0, {0, 0})};
    auto good{start}, bad{start};
    AddSLHDSA(good, 0, 0, 1, 0x11);
    AddSLHDSA(bad, 0, 0, 1, INVALID);
    AddSLHDSA(bad, 0, 0, 2, 0x22);
    for (const auto& order : {std::vector{good, bad}, std::vector{bad, good}}) {
        const auto combined{CombinePSBTs(order, NotZero)};
        BOOST_CHECK(GetSignature(combined, 0, LeafHash(0), {Key(1), KeyType::SLHDSA}) == Bytes(7856, 0x11));
        BOOST_CHECK(GetSignature(combined, 0, LeafHash(0), {Key(2), KeyType::SLHDSA}) == Bytes(7856, 0x22));
    }
    // Of two that are valid, the first
    auto other{start};
    AddSLHDSA(other, 0, 0, 1, 0x77);
    const auto first{CombinePSBTs(std::vector{other, good}, NotZero)};
    BOOST_CHECK(GetSignature(first, 0, LeafHash(0), {Key(1), KeyType::SLHDSA}) == Bytes(7856, 0x77));

    // A final witness that does not spend gives way to one that does, with its scriptSig.
    AddSLHDSA(good, 0, 0, 2, 0x22);
    BOOST_CHECK_EQUAL(Finalize(good, 0), "");
    auto junk{start};
    junk.Set(PSBTScope::INPUT, 0, PSBTKey(PSBT_IN_FINAL_SCRIPTWITNESS), SerializeToVector(CScriptWitness{{Bytes{1}}}));
    junk.Set(PSBTScope::INPUT, 0, PSBTKey(PSBT_IN_FINAL_SCRIPTSIG), Bytes{0x51});
    for (const auto& order : {std::vector{good, junk}, std::vector{junk, good}}) {
        const auto combined{CombinePSBTs(order, NotZero)};
        BOOST_CHECK(combined.Inputs()[0].at(PSBTKey(PSBT_IN_FINAL_SCRIPTWITNESS)) ==
                    good.Inputs()[0].at(PSBTKey(PSBT_IN_FINAL_SCRIPTWITNESS)));
        BOOST_CHECK(!combined.Inputs()[0].contains(PSBTKey(PSBT_IN_FINAL_SCRIPTSIG)));
    }
}

BOOST_AUTO_TEST_CASE(dropping_what_should_not_be_there)
{
    const auto verify{NotZero};
    auto psbt{SamplePSBT(0, {0, 1})};
    AddSLHDSA(psbt, 0, 0, 2);
    const Bytes clean{psbt.Serialize()};
    BOOST_CHECK(WrongFields(psbt, verify).empty());

    AddSLHDSA(psbt, 0, 0, 1, INVALID);
    const auto set{[&](uint64_t type, const Bytes& value, const Bytes& data = {}) {
        psbt.Set(PSBTScope::INPUT, 1, PSBTKey(type, data), value);
    }};
    set(PSBT_IN_TAP_KEY_SIG, Bytes(64, 0x55));
    // By a key and for a leaf that the PSBT doesn't have
    set(PSBT_IN_TAP_SCRIPT_SIG, Bytes(64, INVALID), Bytes(64, 9));
    set(PSBT_IN_FINAL_SCRIPTWITNESS, SerializeToVector(CScriptWitness{{Bytes{1}}}));
    set(PSBT_IN_TAP_LEAF_SCRIPT, {0x51, 0xc0}, Bytes(33, 0xc1));
    const auto wrong{WrongFields(psbt, verify)};
    BOOST_CHECK_EQUAL(wrong.size(), 5);
    for (const char* const why : {"by 0101", "no key path", "by 0909", "does not spend the output", "is not one of the output"}) {
        BOOST_CHECK(std::ranges::any_of(wrong, [&](const auto& field) { return Contains(field.why, why); }));
    }
    BOOST_CHECK_EQUAL(DropWrongFields(psbt, verify).size(), 5);
    BOOST_CHECK(psbt.Serialize() == clean);

    // What cannot be judged stays.
    PartiallySignedTransaction unknown{SampleTx(2), 0};
    SetSpentOutput(unknown, 0, {100'000, TreeScriptPubKey(SampleTree(), {})});
    AddLeaf(unknown, 0, SampleTree(), 0, {});
    AddSLHDSA(unknown, 0, 0, 1, INVALID);
    BOOST_CHECK(DropWrongFields(unknown, verify).empty());
}

BOOST_AUTO_TEST_CASE(a_leaf_with_a_code_separator_is_not_judged)
{
    CScript script;
    script << OP_CODESEPARATOR << Key(1) << OP_CHECKSIGSLHDSA;
    const ScriptTree tree{*ScriptTree::Branch(ScriptTree{script}, ScriptTree{CScript{} << OP_RETURN})};
    auto psbt{PSBTFor(tree, SampleTx(1))};
    psbt.Set(PSBTScope::INPUT, 0, SignatureField({Key(1), KeyType::SLHDSA}, tree.Leaves()[0].hash), Bytes(7856, INVALID));
    BOOST_CHECK(WrongFields(psbt, NotZero).empty());

    // A leaf that is not of the output is no reason to keep a signature for it.
    auto foreign{SamplePSBT(0, {0})};
    const Bytes clean{foreign.Serialize()};
    Bytes leaf{script.begin(), script.end()};
    leaf.push_back(TAPROOT_LEAF_TAPSCRIPT);
    foreign.Set(PSBTScope::INPUT, 0, PSBTKey(PSBT_IN_TAP_LEAF_SCRIPT, Bytes(33, 0xc1)), leaf);
    foreign.Set(PSBTScope::INPUT, 0, SignatureField({Key(1), KeyType::SLHDSA}, tree.Leaves()[0].hash), Bytes(7856, INVALID));
    BOOST_CHECK_EQUAL(DropWrongFields(foreign, NotZero).size(), 2);
    BOOST_CHECK(WrongFields(foreign, NotZero).empty());
    BOOST_CHECK(foreign.Serialize() == clean);
}

BOOST_AUTO_TEST_CASE(roots_and_internal_keys_that_contradict_the_output)
{
    for (const InternalKey& internal_key : {InternalKey{}, InternalKey{INTERNAL_KEY}}) {
        for (const uint64_t type : {PSBT_IN_TAP_MERKLE_ROOT, PSBT_IN_TAP_INTERNAL_KEY}) {
            if (!internal_key && type == PSBT_IN_TAP_INTERNAL_KEY) continue;
            const std::string why{type == PSBT_IN_TAP_MERKLE_ROOT ? "PSBT_IN_TAP_MERKLE_ROOT is not the merkle root" :
                                                                    "PSBT_IN_TAP_INTERNAL_KEY is not the internal key"};
            auto psbt{SamplePSBT(0, {0}, internal_key)};
            const Bytes clean{psbt.Serialize()};
            psbt.Set(PSBTScope::INPUT, 0, PSBTKey(type), Bytes(32, 7));
            BOOST_CHECK(Contains(Problem([&] { AddSLHDSA(psbt, 0, 0, 1); }), "input 0: " + why));
            const auto finalized{FinalizeInput(psbt, 0, PSBTVerifier{psbt, NotZero})};
            BOOST_CHECK(finalized.missing.starts_with("cannot be finalized: " + why));
            BOOST_CHECK(finalized.left_out.size() == 1 && finalized.left_out[0].field == PSBTKey(type));
            BOOST_CHECK(Contains(Problem([&] { AddLeaf(psbt, 0, SampleTree(), 1, internal_key); }), why));
            BOOST_CHECK_EQUAL(DropWrongFields(psbt, NotZero).size(), 1);
            AddLeaf(psbt, 0, SampleTree(), 0, internal_key);
            BOOST_CHECK(psbt.Serialize() == clean);
        }
    }
}

/** Before there is a leaf to compare with. */
BOOST_AUTO_TEST_CASE(roots_and_internal_keys_without_a_leaf)
{
    const Bytes root{PSBTKey(PSBT_IN_TAP_MERKLE_ROOT)}, internal_key{PSBTKey(PSBT_IN_TAP_INTERNAL_KEY)};
    const uint256 right_root{SampleTree().Root()};
    const auto with{[&](std::span<const uint8_t> said_root, std::span<const uint8_t> said_key) {
        PartiallySignedTransaction psbt{SampleTx(1), 0};
        SetSpentOutput(psbt, 0, {100'000, TreeScriptPubKey(SampleTree(), INTERNAL_KEY)});
        if (!said_root.empty()) psbt.Set(PSBTScope::INPUT, 0, root, said_root);
        if (!said_key.empty()) psbt.Set(PSBTScope::INPUT, 0, internal_key, said_key);
        return psbt;
    }};
    const Bytes other(32, 7), no_point(32, 0xff);
    BOOST_CHECK(WrongFields(with(right_root.Bytes(), INTERNAL_KEY), NotZero).empty());
    for (const auto& wrong : {with(other, INTERNAL_KEY), with(right_root.Bytes(), other), with(right_root.Bytes(), no_point)}) {
        auto psbt{wrong};
        BOOST_CHECK(Contains(Problem([&] { AddLeaf(psbt, 0, SampleTree(), 0, INTERNAL_KEY); }), "do not lead to the output"));
        const auto found{DropWrongFields(psbt, NotZero)};
        BOOST_REQUIRE_EQUAL(found.size(), 2);
        BOOST_CHECK(found[0].field == root && found[1].field == internal_key);
        BOOST_CHECK(WrongFields(psbt, NotZero).empty());
    }
    // One alone can be right for all that is known, until the tree is.
    for (const auto& half : {with(other, {}), with({}, other)}) {
        auto psbt{half};
        BOOST_CHECK(WrongFields(psbt, NotZero).empty());
        const std::string why{Problem([&] { AddLeaf(psbt, 0, SampleTree(), 0, INTERNAL_KEY); })};
        BOOST_CHECK_EQUAL(why, "input 0: the PSBT has another merkle root or internal key than the output that is spent");
        BOOST_CHECK(psbt.Serialize() == half.Serialize());
    }
}

BOOST_AUTO_TEST_CASE(an_internal_key_of_p2mr)
{
    auto psbt{SamplePSBT(0, {0})};
    const Bytes clean{psbt.Serialize()};
    psbt.Set(PSBTScope::INPUT, 0, PSBTKey(PSBT_IN_TAP_INTERNAL_KEY), Bytes(32, 7));
    BOOST_CHECK(Contains(Problem([&] { AddSLHDSA(psbt, 0, 0, 1); }), "input 0: PSBT_IN_TAP_INTERNAL_KEY: the P2MR output"));
    BOOST_CHECK_EQUAL(DropWrongFields(psbt, NotZero).size(), 1);
    BOOST_CHECK(psbt.Serialize() == clean);
}

BOOST_AUTO_TEST_CASE(output_trees)
{
    const auto of{[](const CScript& script_pubkey) {
        CMutableTransaction tx{SampleTx(1)};
        tx.vout.at(0).scriptPubKey = script_pubkey;
        return PartiallySignedTransaction{tx, 0};
    }};
    const auto set{[](PartiallySignedTransaction& psbt, uint64_t type, std::span<const uint8_t> value) {
        psbt.Set(PSBTScope::OUTPUT, 0, PSBTKey(type), value);
    }};
    const Bytes other{SerializeTapTree(*ScriptTree::Branch(ScriptTree{CScript{} << OP_1}, ScriptTree{CScript{} << OP_2}))};
    for (const InternalKey& internal_key : {InternalKey{}, InternalKey{INTERNAL_KEY}}) {
        auto psbt{of(TreeScriptPubKey(SampleTree(), internal_key))};
        BOOST_CHECK(!ReadOutputTree(psbt, 0).tree);
        AddOutputTree(psbt, 0, SampleTree(), internal_key);
        const auto read{ReadOutputTree(psbt, 0)};
        BOOST_CHECK(read.tree && read.tree->Root() == SampleTree().Root() && read.wrong.empty() && read.unknown.empty());
        BOOST_CHECK(WrongFields(psbt, NotZero).empty());
        set(psbt, PSBT_OUT_TAP_TREE, other);
        const auto wrong{WrongFields(psbt, NotZero)};
        BOOST_REQUIRE_EQUAL(wrong.size(), internal_key ? 2 : 1);
        BOOST_CHECK(wrong[0].scope == PSBTScope::OUTPUT && wrong[0].index == 0 && wrong[0].field == PSBTKey(PSBT_OUT_TAP_TREE));
        BOOST_CHECK(!ReadOutputTree(psbt, 0).tree);
        BOOST_CHECK_EQUAL(DropWrongFields(psbt, NotZero).size(), wrong.size());
        BOOST_CHECK(psbt.Outputs()[0].empty());
    }
    auto keyless{of(TreeScriptPubKey(SampleTree(), INTERNAL_KEY))};
    set(keyless, PSBT_OUT_TAP_TREE, SerializeTapTree(SampleTree()));
    BOOST_CHECK(Contains(ReadOutputTree(keyless, 0).unknown, "not known without PSBT_OUT_TAP_INTERNAL_KEY"));
    BOOST_CHECK(WrongFields(keyless, NotZero).empty());
    auto treeless{of(CScript{} << OP_0 << Bytes(20, 1))};
    set(treeless, PSBT_OUT_TAP_TREE, other);
    set(treeless, PSBT_OUT_TAP_INTERNAL_KEY, INTERNAL_KEY);
    BOOST_CHECK_EQUAL(WrongFields(treeless, NotZero).size(), 2);
    BOOST_CHECK(Contains(Problem([&] { (void)ReadOutputTree(treeless, 1); }), "there is no output 1"));
}

/** A single leaf's keys are not asked: what looks like change is anyone's. */
BOOST_AUTO_TEST_CASE(output_trees_of_a_single_leaf)
{
    const ScriptTree single{CScript{} << Key(1) << OP_CHECKSIGSLHDSA};
    const auto of{[](const ScriptTree& tree, const InternalKey& internal_key) {
        CMutableTransaction tx{SampleTx(1)};
        tx.vout.at(0).scriptPubKey = TreeScriptPubKey(tree, internal_key);
        return PartiallySignedTransaction{tx, 0};
    }};
    auto psbt{of(single, {})};
    BOOST_CHECK(Contains(Problem([&] { AddOutputTree(psbt, 0, single, {}); }), "output 0: a P2MR (P2TSH) output with a single leaf"));
    BOOST_CHECK_EQUAL(WhyAnyoneCanSpend(psbt, 0), "");
    psbt.Set(PSBTScope::OUTPUT, 0, PSBTKey(PSBT_OUT_TAP_TREE), SerializeTapTree(single));
    BOOST_CHECK_EQUAL(WhyAnyoneCanSpend(psbt, 0), SINGLE_LEAF_PROBLEM);
    BOOST_CHECK(WrongFields(psbt, NotZero).empty());
    BOOST_CHECK(Contains(Problem([&] { (void)WhyAnyoneCanSpend(psbt, 1); }), "there is no output 1"));

    // Whose tree is another one, or P2TR, is not anyone's.
    auto two{of(SampleTree(), {})};
    AddOutputTree(two, 0, SampleTree(), {});
    BOOST_CHECK_EQUAL(WhyAnyoneCanSpend(two, 0), "");
    two.Set(PSBTScope::OUTPUT, 0, PSBTKey(PSBT_OUT_TAP_TREE), SerializeTapTree(single));
    BOOST_CHECK_EQUAL(WhyAnyoneCanSpend(two, 0), "");
    auto taproot{of(single, INTERNAL_KEY)};
    AddOutputTree(taproot, 0, single, INTERNAL_KEY);
    BOOST_CHECK_EQUAL(WhyAnyoneCanSpend(taproot, 0), "");
}

/** To know that an output has a tree takes no paths of its leaves: 1024 small ones at the greatest depth would have 4 MB of them. */
BOOST_AUTO_TEST_CASE(deep_output_trees, *boost::unit_test::precondition(slhc::test::CanForbidAllocations))
{
    std::optional<ScriptTree> tree;
    const auto add{[&](const ScriptTree& leaf) { tree = tree ? *ScriptTree::Branch(leaf, *tree) : leaf; }};
    for (size_t i = 0; i < 10; ++i) tree = tree ? *ScriptTree::Branch(*tree, *tree) : ScriptTree{CScript{} << OP_1};
    for (size_t i = 0; i < 110; ++i) add(ScriptTree{CScript{} << OP_2});
    CMutableTransaction tx{SampleTx(1)};
    tx.vout.at(0).scriptPubKey = TreeScriptPubKey(*tree, {});
    PartiallySignedTransaction psbt{tx, 0};
    AddOutputTree(psbt, 0, *tree, {});
    const size_t before{slhc::test::AllocatedBytes()};
    BOOST_CHECK(CheckOutputTree(psbt, 0).agrees);
    BOOST_CHECK_LT(slhc::test::AllocatedBytes() - before, 100'000);
    BOOST_CHECK(ReadOutputTree(psbt, 0).tree);

    // With more leaves than are built it is still known whether they are those of the output.
    for (const bool right : {true, false}) {
        for (size_t i = 0; i < 2; ++i) tree = *ScriptTree::Branch(*tree, *tree);
        tx.vout.at(0).scriptPubKey = TreeScriptPubKey(right ? *tree : SampleTree(), {});
        PartiallySignedTransaction large{tx, 0};
        large.Set(PSBTScope::OUTPUT, 0, PSBTKey(PSBT_OUT_TAP_TREE), SerializeTapTree(*tree));
        const auto read{ReadOutputTree(large, 0)};
        BOOST_CHECK(!read.tree && read.agrees == right && read.wrong.empty() == right);
        BOOST_CHECK_EQUAL(Contains(read.unknown, "more than 1024 leaves"), right);
    }
}

/** What is done for each output takes no look at the others: ten times as many outputs are ten times the work. */
BOOST_AUTO_TEST_CASE(many_outputs, *boost::unit_test::precondition(slhc::test::CanForbidAllocations))
{
    for (const uint32_t version : {0U, 2U}) {
        const auto bytes{[&](size_t n) {
            CMutableTransaction tx{SampleTx(1)};
            tx.vout.resize(n, tx.vout.at(0));
            const PartiallySignedTransaction psbt{tx, version};
            const size_t before{slhc::test::AllocatedBytes()};
            BOOST_CHECK(WrongFields(psbt, NotZero).empty());
            return slhc::test::AllocatedBytes() - before;
        }};
        BOOST_CHECK_LT(bytes(2'000), 15 * bytes(200));
    }
}

/** Each PSBT has an input that allows a time alone, but together the inputs allow a height, which BIP 370 prefers. */
BOOST_AUTO_TEST_CASE(lock_times_that_change_the_transaction)
{
    const uint32_t time{1'700'000'000};
    const auto with{[&](std::initializer_list<std::pair<size_t, uint32_t>> heights, std::initializer_list<size_t> times) {
        PartiallySignedTransaction psbt{SampleTx(3), 2};
        for (const size_t n_in : times) psbt.Set(PSBTScope::INPUT, n_in, PSBTKey(PSBT_IN_REQUIRED_TIME_LOCKTIME), LE32(time));
        for (const auto& [n_in, height] : heights) {
            psbt.Set(PSBTScope::INPUT, n_in, PSBTKey(PSBT_IN_REQUIRED_HEIGHT_LOCKTIME), LE32(height));
        }
        return psbt;
    }};
    const auto a{with({{1, 5}}, {0, 1})}, b{with({{0, 7}}, {0, 1})}, c{with({}, {2})};
    BOOST_CHECK(a.UniqueId() == b.UniqueId() && a.UniqueId() == c.UniqueId());
    const auto problem{[](const std::vector<PartiallySignedTransaction>& parts) { return Problem([&] { (void)CombinePSBTs(parts); }); }};
    const std::string why{" changes the transaction: with its PSBT_IN_REQUIRED_TIME_LOCKTIME and PSBT_IN_REQUIRED_HEIGHT_LOCKTIME, "
                          "the lock time is 7, not 1700000000"};
    BOOST_CHECK_EQUAL(problem({a, b}), "PSBT 1" + why);
    BOOST_CHECK_EQUAL(problem({b, a}), "PSBT 1" + why);
    BOOST_CHECK_EQUAL(problem({a, b, a}), "PSBT 1" + why);
    BOOST_CHECK_EQUAL(problem({a, a, b}), "PSBT 2" + why);
    // With an input that allows a time alone, the transaction is the same, in whatever order.
    for (const auto& parts : {std::vector{a, b, c}, {a, c, b}, {c, b, a}}) BOOST_CHECK(CombinePSBTs(parts).UniqueId() == a.UniqueId());
}

/** A signature costs as much as its own size, however long the scripts around it are: else many of them take quadratic time. */
BOOST_AUTO_TEST_CASE(many_signatures_beside_a_long_script)
{
    constexpr size_t LONG{64'000}, COUNT{100};
    const CScript long_script{CScript{} << OP_RETURN << Bytes(LONG, 1)};
    const auto with_signatures{[](PartiallySignedTransaction psbt, uint8_t hash_type) {
        for (size_t i = 0; i < COUNT; ++i) {
            const LeafKey key{Key(static_cast<uint8_t>(i)), KeyType::SCHNORR};
            psbt.Set(PSBTScope::INPUT, 0, SignatureField(key, LeafHash(0)), Bytes(65, hash_type));
        }
        return psbt;
    }};
    const auto judged{[](const PartiallySignedTransaction& psbt) {
        size_t n{0};
        const uint64_t before{slhc::test::CountedCompressions().sha256};
        const auto count{[&](const LeafKey&, const uint256&, std::span<const uint8_t>) {
            ++n;
            return true;
        }};
        const size_t wrong{WrongFields(psbt, count).size()};
        return std::tuple{n, wrong, slhc::test::CountedCompressions().sha256 - before};
    }};
    CMutableTransaction tx{SampleTx(1)};
    tx.vout.at(0).scriptPubKey = long_script;
    for (const uint8_t hash_type : {uint8_t{SIGHASH_SINGLE}, uint8_t{SIGHASH_ALL}}) {
        PartiallySignedTransaction psbt{tx, 0};
        SetSpentOutput(psbt, 0, {100'000, TreeScriptPubKey(SampleTree(), {})});
        const auto [n, wrong, compressions]{judged(with_signatures(psbt, hash_type))};
        BOOST_CHECK_EQUAL(n, COUNT);
        BOOST_CHECK_EQUAL(wrong, 0);
        BOOST_CHECK_LT(compressions, 10 * LONG / 64 + 20 * COUNT);
    }
    // A leaf of what is no tree: a signature for it is wrong whatever it signs.
    PartiallySignedTransaction treeless{SampleTx(1), 0};
    SetSpentOutput(treeless, 0, {100'000, long_script});
    const auto [n, wrong, compressions]{judged(with_signatures(treeless, SIGHASH_ALL | SIGHASH_ANYONECANPAY))};
    BOOST_CHECK_EQUAL(n, 0);
    BOOST_CHECK_EQUAL(wrong, COUNT);
    BOOST_CHECK_LT(compressions, 10 * LONG / 64 + 20 * COUNT);
}

/** Signatures from before segwit hash the whole transaction, each again: a PSBT with many of them takes no more than a fixed time. */
BOOST_AUTO_TEST_CASE(many_signatures_from_before_segwit)
{
    constexpr size_t CHECKS{20};
    const Bytes signature{0x30, 6, 2, 1, 1, 2, 1, 1, SIGHASH_ALL}; // r = s = 1
    Bytes key{INTERNAL_KEY.begin(), INTERNAL_KEY.end()};
    key.insert(key.begin(), 2);
    CScript script{CScript{} << signature << key};
    for (size_t i = 0; i < CHECKS; ++i) script << OP_2DUP << OP_CHECKSIG << OP_DROP << OP_CODESEPARATOR; // each hashes another script
    script << OP_CHECKSIG;                                                                               // not valid
    const auto judged{[&](size_t inputs, size_t output_size) {
        CMutableTransaction tx{SampleTx(inputs)};
        tx.vout.at(0).scriptPubKey = CScript{} << OP_RETURN << Bytes(output_size, 1);
        PartiallySignedTransaction psbt{tx, 0};
        for (size_t i = 0; i < inputs; ++i) {
            SetSpentOutput(psbt, i, {1'000, script});
            psbt.Set(PSBTScope::INPUT, i, PSBTKey(PSBT_IN_FINAL_SCRIPTSIG), {});
        }
        const uint64_t before{slhc::test::CountedCompressions().sha256};
        const auto wrong{WrongFields(psbt, NotZero)};
        return std::pair{wrong.size(), slhc::test::CountedCompressions().sha256 - before};
    }};
    BOOST_CHECK_EQUAL(judged(2, 1'000).first, 2);
    constexpr size_t ENOUGH{5}, SIZE{MAX_LEGACY_HASHED_BYTES / (CHECKS + 1) / ENOUGH - 1'000};
    for (const size_t inputs : {ENOUGH, 2 * ENOUGH}) {
        const auto [wrong, compressions]{judged(inputs, SIZE)};
        BOOST_CHECK_EQUAL(wrong, ENOUGH);
        BOOST_CHECK_LT(compressions, MAX_LEGACY_HASHED_BYTES / 64 * 11 / 10);
    }
}

/** A tree may have the same leaf in many places: its signatures are verified once, and each is found wrong once. */
BOOST_AUTO_TEST_CASE(a_leaf_in_many_places)
{
    constexpr size_t PLACES{20};
    const ScriptTree leaf{SampleTree().Leaves()[0].script};
    ScriptTree tree{leaf};
    while (tree.Leaves().size() < PLACES) tree = *ScriptTree::Branch(leaf, tree);
    auto psbt{PSBTFor(tree, SampleTx(1))};
    const LeafKey one{Key(1), KeyType::SLHDSA}, two{Key(2), KeyType::SLHDSA}, three{Key(3), KeyType::SLHDSA};
    AddSignature(psbt, 0, LeafHash(0), one, Bytes(7856, INVALID));
    AddSignature(psbt, 0, LeafHash(0), two, Bytes(7856, 2));
    BOOST_CHECK_GE(Leaves(psbt, 0).size(), PLACES - 1);
    size_t verified{0};
    const auto verify{[&](const LeafKey& key, const uint256& hash, std::span<const uint8_t> signature) {
        ++verified;
        return NotZero(key, hash, signature);
    }};
    const PSBTVerifier verifier{psbt, verify};
    for (const auto& each : Leaves(psbt, 0)) (void)LeafProgress(psbt, verifier.Hasher().Tx(), 0, each, &verifier);
    const auto half{FinalizeInput(psbt, 0, verifier)};
    BOOST_CHECK(half.missing.starts_with("needs 2 signatures, but has 1; not used: the signature by 0101"));
    BOOST_CHECK_EQUAL(half.left_out.size(), 1);
    BOOST_CHECK_EQUAL(verified, 2);
    // Not even the script that accepts them has a signature verified again.
    AddSignature(psbt, 0, LeafHash(0), three, Bytes(7856, 3));
    BOOST_CHECK_EQUAL(FinalizeInput(psbt, 0, verifier).missing, "");
    BOOST_CHECK_EQUAL(verified, 3);
}

BOOST_AUTO_TEST_CASE(requested_hash_types)
{
    const auto asked{[](uint8_t type) {
        auto psbt{SamplePSBT(0, {0})};
        psbt.Set(PSBTScope::INPUT, 0, PSBTKey(PSBT_IN_SIGHASH_TYPE), Bytes{type, 0, 0, 0});
        return psbt;
    }};
    const auto with{[](PartiallySignedTransaction psbt, uint8_t type) {
        Bytes signature(type == SIGHASH_DEFAULT ? 7856 : 7857, 1);
        if (type != SIGHASH_DEFAULT) signature.back() = type;
        AddSignature(psbt, 0, SampleTree().Leaves()[0].hash, {Key(1), KeyType::SLHDSA}, signature);
        return psbt;
    }};
    const auto wrong{[&](uint8_t field, uint8_t signature) { return WrongFields(with(asked(field), signature), NotZero); }};
    BOOST_CHECK(wrong(SIGHASH_ALL, SIGHASH_ALL).empty() && wrong(SIGHASH_NONE, SIGHASH_NONE).empty());
    for (const auto& [field, signature] : {std::pair{SIGHASH_ALL, SIGHASH_DEFAULT}, {SIGHASH_NONE, SIGHASH_ALL}}) {
        const auto found{wrong(static_cast<uint8_t>(field), static_cast<uint8_t>(signature))};
        BOOST_REQUIRE_EQUAL(found.size(), 1);
        BOOST_CHECK(found[0].field == PSBTKey(PSBT_IN_SIGHASH_TYPE));
    }
    const auto found{wrong(SIGHASH_ALL, SIGHASH_NONE)};
    BOOST_REQUIRE_EQUAL(found.size(), 1);
    BOOST_CHECK(found[0].field != PSBTKey(PSBT_IN_SIGHASH_TYPE));
    auto undefined{asked(4)};
    BOOST_CHECK(Contains(WrongFields(undefined, NotZero).at(0).why, "undefined"));
    BOOST_CHECK_EQUAL(DropWrongFields(undefined, NotZero).size(), 1);
    BOOST_CHECK(undefined.Serialize() == SamplePSBT(0, {0}).Serialize());
}

BOOST_AUTO_TEST_CASE(preimages_that_nothing_asks_for)
{
    auto psbt{SamplePSBT(0, {0})};
    BOOST_CHECK(Contains(Problem([&] { AddPreimage(psbt, 0, Bytes{1}); }), "input 0: no leaf in the PSBT asks for the preimage of"));
    BOOST_CHECK(psbt.Serialize() == SamplePSBT(0, {0}).Serialize());
}

/** No script can read more than 520 bytes, and a leaf may ask for the same preimage nearly a thousand times. */
BOOST_AUTO_TEST_CASE(preimages_that_no_script_can_read, *boost::unit_test::precondition(slhc::test::CanForbidAllocations))
{
    const auto finalized{[](size_t size, size_t times) {
        const Bytes preimage(size, 0x55);
        const auto hash{Sha256(preimage)};
        CScript leaf;
        for (size_t i = 0; i < times; ++i) leaf << OP_SHA256 << std::span<const uint8_t>{hash} << OP_EQUALVERIFY;
        leaf << Key(1) << OP_CHECKSIGSLHDSA;
        const ScriptTree tree{*ScriptTree::Branch(ScriptTree{leaf}, ScriptTree{CScript{} << OP_RETURN})};
        auto psbt{PSBTFor(tree, SampleTx(1))};
        AddSignature(psbt, 0, tree.Leaves()[0].hash, {Key(1), KeyType::SLHDSA}, Bytes(7856, 1));
        const auto problem{Problem([&] { AddPreimage(psbt, 0, preimage); })};
        BOOST_CHECK_EQUAL(problem == "no error", size <= 520);
        psbt.Set(PSBTScope::INPUT, 0, PSBTKey(PSBT_IN_SHA256, hash), preimage);
        const PSBTVerifier verifier{psbt, NotZero};
        std::string missing;
        const size_t bytes{slhc::test::MostBytes([&] { missing = FinalizeInput(psbt, 0, verifier).missing; })};
        const auto estimate{EstimateWeight(psbt, &verifier)};
        BOOST_CHECK(!estimate || estimate->exact == (size <= 520));
        return std::pair{Contains(missing, "needs the preimage of " + HexStr(hash)), bytes};
    }};
    BOOST_CHECK(!finalized(520, 2).first);
    BOOST_CHECK(finalized(521, 2).first);
    const auto [lacks, bytes]{finalized(1 << 20, 900)};
    BOOST_CHECK(lacks);
    BOOST_CHECK_LT(bytes, 8 << 20);
}

/** Version 2: one input requires a height, and another one a time. */
BOOST_AUTO_TEST_CASE(lock_times_that_contradict_each_other)
{
    PartiallySignedTransaction psbt{SampleTx(2), 2};
    psbt.Set(PSBTScope::INPUT, 0, PSBTKey(PSBT_IN_REQUIRED_HEIGHT_LOCKTIME), LE32(5));
    psbt.Set(PSBTScope::INPUT, 1, PSBTKey(PSBT_IN_REQUIRED_TIME_LOCKTIME), LE32(1'700'000'000));
    for (size_t i = 0; i < 2; ++i) SetSpentOutput(psbt, i, {100'000, TreeScriptPubKey(SampleTree(), {})});
    BOOST_CHECK(!PSBTVerifier::Make(psbt));
    BOOST_CHECK(Contains(NeverValid(psbt), ": the transaction can never be valid"));
    // What can be judged without a transaction still is.
    psbt.Set(PSBTScope::INPUT, 0, PSBTKey(PSBT_IN_SIGHASH_TYPE), Bytes{4, 0, 0, 0});
    psbt.Set(PSBTScope::INPUT, 0, PSBTKey(PSBT_IN_TAP_INTERNAL_KEY), Key(9));
    BOOST_CHECK(!WrongFields(psbt, NotZero).empty());
    BOOST_CHECK(!DropWrongFields(psbt, NotZero).empty());
    BOOST_CHECK(WrongFields(psbt, NotZero).empty());
}

BOOST_AUTO_TEST_CASE(transactions_that_can_never_be_valid)
{
    auto psbt{SamplePSBT(0, {0})};
    BOOST_CHECK_EQUAL(NeverValid(psbt), "");
    psbt.Set(PSBTScope::INPUT, 0, PSBTKey(PSBT_IN_WITNESS_UTXO), SerializeToVector(CTxOut{89'999, TreeScriptPubKey(SampleTree(), {})}));
    BOOST_CHECK(Contains(NeverValid(psbt), "the outputs get 1 satoshi more than the inputs have"));

    CMutableTransaction tx{SampleTx(2)};
    tx.vin[1].prevout = tx.vin[0].prevout;
    BOOST_CHECK(Contains(NeverValid(PartiallySignedTransaction{tx, 0}), "bad-txns-inputs-duplicate"));
}

BOOST_AUTO_TEST_CASE(amounts_of_more_than_there_is)
{
    auto psbt{SamplePSBT(0, {0, 0})};
    const auto spent{[&](size_t n_in, CAmount amount) {
        const CTxOut output{amount, TreeScriptPubKey(SampleTree(), {})};
        psbt.Set(PSBTScope::INPUT, n_in, PSBTKey(PSBT_IN_WITNESS_UTXO), SerializeToVector(output));
    }};
    spent(0, MAX_MONEY - 100'000);
    BOOST_CHECK(Fee(psbt) == MAX_MONEY - 90'000);
    spent(1, 100'001);
    BOOST_CHECK(Contains(Problem([&] { (void)Fee(psbt); }), "inputs or outputs of more than 21,000,000 bitcoin"));
    BOOST_CHECK_EQUAL(NeverValid(psbt), "inputs or outputs of more than 21,000,000 bitcoin: the transaction can never be valid");

    CMutableTransaction tx{SampleTx(1)};
    tx.vout.emplace_back(MAX_MONEY, CScript{} << OP_RETURN);
    PartiallySignedTransaction outputs{tx, 0};
    SetSpentOutput(outputs, 0, {100'000, TreeScriptPubKey(SampleTree(), {})});
    BOOST_CHECK(Contains(Problem([&] { (void)Fee(outputs); }), "more than 21,000,000 bitcoin"));
}

BOOST_AUTO_TEST_SUITE_END()
