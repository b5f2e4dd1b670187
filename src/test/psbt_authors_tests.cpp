// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// PSBTs of several authors: what one of them says neither binds nor stops the others, unless the transaction does.
// And what is made of all that they say.

#include <crypto/hash.h>
#include <script/script.h>
#include <test/psbt_fixture.h>
#include <util/hex.h>
#include <wallet/psbt.h>
#include <wallet/psbt_combiner.h>
#include <wallet/psbt_finalizer.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

using namespace slhc;
using namespace slhc::test;

BOOST_AUTO_TEST_SUITE(psbt_authors_tests)

/** A leaf of another output, and a hash type that cannot be signed, concern the input that has them, and no other leaf of it. */
BOOST_AUTO_TEST_CASE(each_input_is_judged_by_itself)
{
    const LeafKey one{Key(1), KeyType::SLHDSA}, two{Key(2), KeyType::SLHDSA};
    auto psbt{SamplePSBT(0, {0, 0})};
    const PSBTVerifier verifier{psbt, NotZero};
    const auto to_make{[&](size_t n_in, const LeafKey& key) { return SignaturesToMake(psbt, n_in, verifier, key); }};
    const auto hash_type{[&](uint32_t type) { psbt.Set(PSBTScope::INPUT, 1, PSBTKey(PSBT_IN_SIGHASH_TYPE), LE32(type)); }};

    for (const auto& [type, why] : {std::pair{uint32_t{SIGHASH_SINGLE}, "input 1: hash type SINGLE, but there is no output 1"},
                                    {0x04U, "input 1: hash type 4 is undefined"}}) {
        hash_type(type);
        BOOST_CHECK_EQUAL(to_make(0, one).size(), 1);
        BOOST_CHECK_EQUAL(Problem([&] { (void)to_make(1, one); }), why);
    }
    psbt.Erase(PSBTScope::INPUT, 1, PSBTKey(PSBT_IN_SIGHASH_TYPE));

    // A path that leads elsewhere, in the field before that of the real one
    const auto add_foreign{[&](size_t n_in) {
        const Bytes real{PSBTKey(PSBT_IN_TAP_LEAF_SCRIPT, Leaves(psbt, n_in).at(0).control_block)};
        Bytes foreign{PSBTKey(PSBT_IN_TAP_LEAF_SCRIPT, Bytes(33))};
        foreign[1] = 0xc1;
        BOOST_REQUIRE(foreign < real);
        psbt.Set(PSBTScope::INPUT, n_in, foreign, psbt.Inputs()[n_in].at(real));
        return real;
    }};
    (void)add_foreign(0);
    psbt.Erase(PSBTScope::INPUT, 1, add_foreign(1));
    const std::string foreign{"leaf " + HexStr(LeafHash(0).Bytes()) + " is not one of the output that is spent"};
    BOOST_CHECK(Leaves(psbt, 0).at(0).problem == foreign && Leaves(psbt, 0).at(1).problem.empty());
    BOOST_REQUIRE_EQUAL(to_make(0, one).size(), 1);
    BOOST_CHECK_EQUAL(to_make(0, one)[0].leaf, 1);
    BOOST_CHECK_EQUAL(Problem([&] { (void)to_make(1, one); }), "input 1: " + foreign);
    BOOST_CHECK_EQUAL(Problem([&] { AddSLHDSA(psbt, 1, 0, 1); }), "input 1: " + foreign);
    AddSLHDSA(psbt, 0, 0, 1);
    BOOST_CHECK(to_make(0, one).empty());
    auto half{psbt};
    BOOST_CHECK_EQUAL(Finalize(half, 0), foreign + "; leaf " + HexStr(LeafHash(0).Bytes()) + ": needs 2 signatures, but has 1");
    AddSLHDSA(psbt, 0, 0, 2);
    BOOST_CHECK_EQUAL(Finalize(psbt, 0), "");
    BOOST_CHECK(FinalWitness(psbt, 0).back() == SampleTree().Leaves()[0].P2MRControlBlock());
    BOOST_CHECK_EQUAL(Finalize(psbt, 1), foreign);

    // A preimage is for a leaf of the output, too.
    const Bytes secret(32, 5);
    const auto digest{Sha256(secret)};
    Bytes value;
    const CScript asks{CScript{} << OP_SHA256 << Bytes{digest.begin(), digest.end()} << OP_EQUAL};
    value.assign(asks.begin(), asks.end());
    value.push_back(TAPROOT_LEAF_TAPSCRIPT);
    auto start{SamplePSBT(0, {0})};
    start.Set(PSBTScope::INPUT, 0, PSBTKey(PSBT_IN_TAP_LEAF_SCRIPT, Bytes(33, 0xc1)), value);
    BOOST_CHECK(!AddPreimage(start, 0, secret));

    // Where the output is not known, no leaf is known to be one of it.
    psbt = SamplePSBT(0, {0});
    psbt.Erase(PSBTScope::INPUT, 0, PSBTKey(PSBT_IN_WITNESS_UTXO));
    BOOST_CHECK(Leaves(psbt, 0).at(0).problem.ends_with(": what the input spends is not known"));
    BOOST_CHECK(Contains(Problem([&] { AddSLHDSA(psbt, 0, 0, 1); }), "what the input spends is not known"));
}

/** What a PSBT says of trees is compared with the outputs. */
BOOST_AUTO_TEST_CASE(trees_are_those_of_the_outputs)
{
    const Bytes root_key{PSBTKey(PSBT_IN_TAP_MERKLE_ROOT)}, key_key{PSBTKey(PSBT_IN_TAP_INTERNAL_KEY)};
    const Bytes out_key{PSBTKey(PSBT_OUT_TAP_INTERNAL_KEY)}, no_point(32), another_key(32, 2);
    const std::string of_input{"PSBT_IN_TAP_MERKLE_ROOT or PSBT_IN_TAP_INTERNAL_KEY is not that of the output that is spent"};
    for (const InternalKey& internal_key : {InternalKey{}, InternalKey{INTERNAL_KEY}}) {
        const bool taproot{internal_key.has_value()};
        for (const bool with_leaf : {true, false}) {
            auto start{SamplePSBT(0, {0}, internal_key)};
            if (!with_leaf) start.Erase(PSBTScope::INPUT, 0, PSBTKey(PSBT_IN_TAP_LEAF_SCRIPT, Leaves(start, 0).at(0).control_block));
            const auto problem{[&](const Bytes& field, const Bytes& value, const Bytes& without) {
                auto psbt{start};
                psbt.Set(PSBTScope::INPUT, 0, field, value);
                if (!without.empty()) psbt.Erase(PSBTScope::INPUT, 0, without);
                return InputTreeProblem(psbt, 0);
            }};
            BOOST_CHECK_EQUAL(InputTreeProblem(start, 0), "");
            BOOST_CHECK_EQUAL(problem(root_key, Bytes(32, 7), {}), of_input);
            BOOST_CHECK_EQUAL(problem(key_key, no_point, {}), of_input);
            BOOST_CHECK_EQUAL(problem(key_key, another_key, {}), of_input);
            // The key alone, or the root alone, of P2TR: only the leaf tells.
            const std::string alone{taproot && !with_leaf ? "" : of_input};
            BOOST_CHECK_EQUAL(problem(key_key, another_key, root_key), alone);
            BOOST_CHECK_EQUAL(problem(root_key, Bytes(32, 7), key_key), alone);
            BOOST_CHECK_EQUAL(problem(root_key, start.Inputs()[0].at(root_key), key_key), "");
        }

        CMutableTransaction tx{SampleTx(1)};
        tx.vout.emplace_back(5, TreeScriptPubKey(SampleTree(), internal_key));
        PartiallySignedTransaction psbt{tx, 0};
        const auto problem{[&](size_t n_out) { return OutputTreeProblem(psbt, n_out, SampleTree()); }};
        const auto set_key{[&](const Bytes& key) { psbt.Set(PSBTScope::OUTPUT, 1, out_key, key); }};
        BOOST_CHECK_EQUAL(problem(0), "PSBT_OUT_TAP_TREE is not the tree of this output");
        BOOST_CHECK_EQUAL(problem(1), taproot ? "PSBT_OUT_TAP_TREE cannot be checked without PSBT_OUT_TAP_INTERNAL_KEY" : "");
        for (const Bytes& wrong : {another_key, no_point}) {
            set_key(wrong);
            BOOST_CHECK_EQUAL(problem(1), "PSBT_OUT_TAP_TREE with PSBT_OUT_TAP_INTERNAL_KEY is not the tree of this output");
        }
        if (!taproot) continue;
        set_key({INTERNAL_KEY.begin(), INTERNAL_KEY.end()});
        BOOST_CHECK_EQUAL(problem(1), "");
        BOOST_CHECK(Contains(OutputTreeProblem(psbt, 1, ScriptTree{CScript{} << OP_1}), "is not the tree of this output"));
    }
}

/** Of what suffices, the smallest is taken: among leaves, places of a leaf, and signatures. */
BOOST_AUTO_TEST_CASE(finalizing_takes_the_smallest_witness)
{
    const auto q40{[](uint8_t n) {
        Bytes key{Key(n)};
        key.insert(key.begin(), uint8_t{40});
        return LeafKey{key, KeyType::SLHDSA};
    }};
    const LeafKey one{Key(1), KeyType::SLHDSA}, two{Key(2), KeyType::SLHDSA}, small{q40(3)}, schnorr{Key(7), KeyType::SCHNORR};
    CScript large, medium, least;
    large << one.public_key << OP_CHECKSIGSLHDSA << OP_VERIFY << two.public_key << OP_CHECKSIGSLHDSA;
    medium << one.public_key << OP_CHECKSIGSLHDSA << small.public_key << OP_CHECKSIGADDSLHDSA << int64_t{1} << OP_NUMEQUAL;
    least << schnorr.public_key << OP_CHECKSIG;
    const ScriptTree leaf{medium}, pair{*ScriptTree::Branch(ScriptTree{large}, leaf)};
    const ScriptTree tree{*ScriptTree::Branch(*ScriptTree::Branch(pair, ScriptTree{least}), leaf)};
    PartiallySignedTransaction psbt{SampleTx(1), 0};
    SetSpentOutput(psbt, 0, {100'000, TreeScriptPubKey(tree, {})});
    AddLeaves(psbt, 0, tree, std::array{size_t{0}, size_t{1}, size_t{2}, size_t{3}}, {});
    const auto sign{[&](size_t n, const LeafKey& key, uint8_t hash_type = SIGHASH_DEFAULT) {
        Bytes signature(SignatureSize(key.type, key.public_key), 0x55);
        if (hash_type != SIGHASH_DEFAULT) signature.push_back(hash_type);
        AddSignature(psbt, 0, tree.Leaves()[n].hash, key, signature);
    }};
    const auto sizes{[&] {
        auto finalized{psbt};
        BOOST_CHECK_EQUAL(Finalize(finalized, 0), "");
        std::vector<size_t> found;
        for (const auto& element : FinalWitness(finalized, 0)) found.push_back(element.size());
        return found;
    }};
    using Sizes = std::vector<size_t>;
    sign(0, one);
    sign(0, two);
    BOOST_CHECK(sizes() == (Sizes{7856, 7856, large.size(), 97}));
    sign(1, one);
    BOOST_CHECK(sizes() == (Sizes{0, 7856, medium.size(), 33})); // with the shorter of two paths
    sign(1, small, SIGHASH_ALL);
    BOOST_CHECK(sizes() == (Sizes{5777, 0, medium.size(), 33})); // by the second key
    sign(2, schnorr);
    BOOST_CHECK(sizes() == (Sizes{64, least.size(), 65}));
}

BOOST_AUTO_TEST_CASE(combining)
{
    const auto start{SamplePSBT(0, {0, 1})};
    const auto problem{[&](const PartiallySignedTransaction& other) {
        const std::vector<PartiallySignedTransaction> both{start, other};
        return Problem([&] { (void)CombinePSBTs(both); });
    }};
    BOOST_CHECK(Contains(problem(SamplePSBT(2, {0, 1})), "PSBT 1 has version 2, and PSBT 0 version 0"));
    BOOST_CHECK(Contains(problem(SamplePSBT(0, {0})), "PSBT 1 has a different transaction from PSBT 0"));

    // Of two signatures by one key, which are randomized, either does; of anything else there is only one.
    auto a{start}, b{start};
    AddSLHDSA(a, 0, 0, 1, 0x11);
    AddSLHDSA(b, 0, 0, 1, 0x22);
    const std::vector<PartiallySignedTransaction> both{a, b};
    BOOST_CHECK(CombinePSBTs(both).Serialize() == a.Serialize());
    // Of different values of any other field, the first stays (BIP 174).
    const Bytes utxo{PSBTKey(PSBT_IN_WITNESS_UTXO)}, unknown{PSBTKey(0x99)};
    auto c{start}, d{start};
    d.Set(PSBTScope::INPUT, 0, utxo, SerializeToVector(CTxOut{99'999, TreeScriptPubKey(SampleTree(), {})}));
    c.Set(PSBTScope::OUTPUT, 0, unknown, Bytes{1});
    d.Set(PSBTScope::OUTPUT, 0, unknown, Bytes{2});
    BOOST_CHECK(CombinePSBTs(std::vector{c, d}).Serialize() == c.Serialize());
    BOOST_CHECK(CombinePSBTs(std::vector{d, c}).Serialize() == d.Serialize());

    // A right that a signer took away is not restored.
    auto modifiable{SamplePSBT(2, {0})};
    modifiable.Set(PSBTScope::GLOBAL, 0, PSBTKey(PSBT_GLOBAL_TX_MODIFIABLE), Bytes{3});
    auto with_all{modifiable}, with_single{modifiable};
    AddSLHDSA(with_all, 0, 0, 1);
    AddSignature(with_single, 0, LeafHash(0), {Key(2), KeyType::SLHDSA}, Bytes(7857, SIGHASH_SINGLE | SIGHASH_ANYONECANPAY));
    BOOST_CHECK(with_all.Global().at(PSBTKey(PSBT_GLOBAL_TX_MODIFIABLE)) == Bytes{0});
    BOOST_CHECK(with_single.Global().at(PSBTKey(PSBT_GLOBAL_TX_MODIFIABLE)) == Bytes{5});
    const std::vector<PartiallySignedTransaction> v2{with_all, with_single};
    BOOST_CHECK(CombinePSBTs(v2).Global().at(PSBTKey(PSBT_GLOBAL_TX_MODIFIABLE)) == Bytes{4});
    // A PSBT without the field allows nothing.
    const auto silent{SamplePSBT(2, {0})};
    for (const auto& parts : {std::vector{silent, modifiable}, std::vector{modifiable, silent}}) {
        BOOST_CHECK(CombinePSBTs(parts).Global().at(PSBTKey(PSBT_GLOBAL_TX_MODIFIABLE)) == Bytes{0});
    }
}

BOOST_AUTO_TEST_CASE(combining_prefers_what_is_valid)
{
    const auto start{SamplePSBT(0, {0, 0})};
    const LeafKey one{Key(1), KeyType::SLHDSA}, two{Key(2), KeyType::SLHDSA};
    auto good{start}, bad{start}, other{start};
    AddSLHDSA(good, 0, 0, 1, 0x11);
    AddSLHDSA(bad, 0, 0, 1, INVALID);
    AddSLHDSA(bad, 0, 0, 2, 0x22);
    for (const auto& order : {std::vector{good, bad}, std::vector{bad, good}}) {
        const auto combined{CombinePSBTs(order, NotZero)};
        BOOST_CHECK(GetSignature(combined, 0, LeafHash(0), one) == Bytes(7856, 0x11));
        BOOST_CHECK(GetSignature(combined, 0, LeafHash(0), two) == Bytes(7856, 0x22));
    }
    // Of two that are valid, the first
    AddSLHDSA(other, 0, 0, 1, 0x77);
    BOOST_CHECK(GetSignature(CombinePSBTs(std::vector{other, good}, NotZero), 0, LeafHash(0), one) == Bytes(7856, 0x77));
}

/** Of two signatures that are valid, that of the hash type asked for is taken, whoever asks. */
BOOST_AUTO_TEST_CASE(combining_prefers_what_is_asked_for)
{
    const LeafKey one{Key(1), KeyType::SLHDSA};
    auto plain{SamplePSBT(0, {0})}, asked{plain};
    AddSLHDSA(plain, 0, 0, 1, 0x11);
    AddSLHDSA(plain, 0, 0, 2, 0x11);
    Bytes with_all(7856, 0x22);
    with_all.push_back(SIGHASH_ALL);
    asked.Set(PSBTScope::INPUT, 0, PSBTKey(PSBT_IN_SIGHASH_TYPE), LE32(SIGHASH_ALL));
    for (const uint8_t key : {1, 2}) AddSignature(asked, 0, LeafHash(0), {Key(key), KeyType::SLHDSA}, with_all);
    for (const auto& order : {std::vector{plain, asked}, std::vector{asked, plain}}) {
        auto combined{CombinePSBTs(order, NotZero)};
        BOOST_CHECK(GetSignature(combined, 0, LeafHash(0), one) == with_all);
        BOOST_CHECK_EQUAL(Finalize(combined, 0), "");
    }
    // Whoever has signed otherwise can sign again.
    plain.Set(PSBTScope::INPUT, 0, PSBTKey(PSBT_IN_SIGHASH_TYPE), LE32(SIGHASH_ALL));
    BOOST_CHECK_EQUAL(SignaturesToMake(plain, 0, PSBTVerifier{plain, NotZero}, one).size(), 1);
    BOOST_CHECK(SignaturesToMake(asked, 0, PSBTVerifier{asked, NotZero}, one).empty());
    plain.Erase(PSBTScope::INPUT, 0, PSBTKey(PSBT_IN_SIGHASH_TYPE));
    // One of another hash type is better than one that is not valid.
    std::ranges::fill(with_all, INVALID);
    with_all.back() = SIGHASH_ALL;
    AddSignature(asked, 0, LeafHash(0), one, with_all);
    BOOST_CHECK(GetSignature(CombinePSBTs(std::vector{asked, plain}, NotZero), 0, LeafHash(0), one) == Bytes(7856, 0x11));
}

/** Each PSBT has an input that allows a time alone, but together the inputs allow a height, which BIP 370 prefers. */
BOOST_AUTO_TEST_CASE(combined_lock_times_that_change_the_transaction)
{
    PartiallySignedTransaction a{SampleTx(2), 2};
    a.Set(PSBTScope::INPUT, 0, PSBTKey(PSBT_IN_REQUIRED_TIME_LOCKTIME), LE32(1'700'000'000));
    a.Set(PSBTScope::INPUT, 1, PSBTKey(PSBT_IN_REQUIRED_TIME_LOCKTIME), LE32(1'700'000'000));
    auto b{a};
    a.Set(PSBTScope::INPUT, 0, PSBTKey(PSBT_IN_REQUIRED_HEIGHT_LOCKTIME), LE32(5));
    b.Set(PSBTScope::INPUT, 1, PSBTKey(PSBT_IN_REQUIRED_HEIGHT_LOCKTIME), LE32(7));
    BOOST_CHECK(a.UniqueId() == b.UniqueId());
    for (const auto& parts : {std::vector{a, b}, std::vector{b, a}}) {
        BOOST_CHECK(Contains(Problem([&] { (void)CombinePSBTs(parts); }), "give the transaction another lock time"));
    }
}

BOOST_AUTO_TEST_SUITE_END()
