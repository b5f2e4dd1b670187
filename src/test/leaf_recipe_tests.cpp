// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <wallet/leaf_recipe.h>

#include <script/script.h>
#include <test/psbt_fixture.h>
#include <wallet/lock_time.h>

#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/** Leaf scripts as a wallet reads them: which of them nobody can ever spend, and which it does not know. */

using namespace slhc;
using namespace slhc::test;

namespace {

CScript Locked(const Bytes& pushed, opcodetype check)
{
    return CScript{} << pushed << check << OP_DROP << Key(1) << OP_CHECKSIGSLHDSA;
}

/** What is checked is pushed by an opcode that carries no data. */
CScript Locked(opcodetype pushed, opcodetype check)
{
    return CScript{} << pushed << check << OP_DROP << Key(1) << OP_CHECKSIGSLHDSA;
}

} // namespace

BOOST_AUTO_TEST_SUITE(leaf_recipe_tests)

BOOST_AUTO_TEST_CASE(a_stack_holds_only_so_many_elements)
{
    CScript script;
    script << OP_SHA256 << Bytes(32, 5) << OP_EQUALVERIFY << Key(1) << OP_CHECKSIGSLHDSA;
    for (size_t i{1}; i < MAX_STACK_SIZE; ++i) script << Key(2) << OP_CHECKSIGADDSLHDSA;
    script << int64_t{1} << OP_NUMEQUAL;
    BOOST_CHECK_EQUAL(ReadLeafRecipe(script).never, "it takes 1001 stack elements, of which there may be 1000: nobody can ever spend it");
}

/** Beside the elements that it takes, a script pushes what it compares them with. */
BOOST_AUTO_TEST_CASE(a_stack_that_grows_too_high)
{
    for (const size_t n : {size_t{MAX_STACK_SIZE} - 1, size_t{MAX_STACK_SIZE}}) {
        CScript script;
        script << Key(1) << OP_CHECKSIGSLHDSA;
        for (size_t i{1}; i < n; ++i) script << Key(2) << OP_CHECKSIGADDSLHDSA;
        script << int64_t{1} << OP_NUMEQUAL;
        const char* const never{"its stack grows beyond 1000 elements: nobody can ever spend it"};
        BOOST_CHECK_EQUAL(ReadLeafRecipe(script).never, n < MAX_STACK_SIZE ? "" : never);
    }
}

/** The interpreter has the last word. */
BOOST_AUTO_TEST_CASE(what_no_witness_satisfies)
{
    const CScript verified{CScript{} << Key(1) << OP_CHECKSIGSLHDSA << OP_VERIFY};
    for (const Bytes& zero : {Bytes{0x00}, Bytes{0x80}, Bytes{0x00, 0x80}}) {
        BOOST_CHECK_EQUAL(ReadLeafRecipe(CScript{verified} << zero << OP_CHECKSEQUENCEVERIFY).never,
                          "it fails with SCRIPT_ERR_EVAL_FALSE: nobody can ever spend it");
    }
    CScript both{verified};
    both << int64_t{100} << OP_CHECKLOCKTIMEVERIFY << OP_DROP << int64_t{600'000'000} << OP_CHECKLOCKTIMEVERIFY;
    BOOST_CHECK_EQUAL(ReadLeafRecipe(both).never, "requires a block height and a time, and no nLockTime can express both");
    // Preimages that are not known here are no reason.
    BOOST_CHECK(ReadLeafRecipe(CScript{verified} << OP_SHA256 << Bytes(32, 7) << OP_EQUAL).Usable());
    BOOST_CHECK(ReadLeafRecipe(CScript{} << OP_SIZE << int64_t{32} << OP_EQUALVERIFY << OP_SHA256 << Bytes(32, 7) << OP_EQUALVERIFY
                                         << OP_SHA256 << Bytes(32, 8) << OP_EQUALVERIFY << Key(1) << OP_CHECKSIG)
                    .Usable());
}

/** Nobody has a secret key for what is the x coordinate of no point. */
BOOST_AUTO_TEST_CASE(keys_that_are_no_points)
{
    const Bytes point{Key(1)}, other_point{Key(2)}, none{Key(3)}, other_none{Key(4)};
    const auto never{[](size_t needed, const std::vector<Bytes>& keys) {
        CScript script;
        for (size_t i = 0; i < keys.size(); ++i) script << keys[i] << (i == 0 ? OP_CHECKSIG : OP_CHECKSIGADD);
        if (keys.size() > 1) script << static_cast<int64_t>(needed) << OP_NUMEQUAL;
        return ReadLeafRecipe(script).never;
    }};
    BOOST_CHECK_EQUAL(never(1, {point}), "");
    BOOST_CHECK_EQUAL(never(1, {none, point}), "");
    BOOST_CHECK_EQUAL(never(2, {point, none, other_point, other_none}), "");
    BOOST_CHECK(Contains(never(1, {none}), "it needs a signature by the schnorr-bip340 key 0303"));
    const std::string why{", since BIP 340 keys of it are not the x coordinate of a point: nobody can ever spend it"};
    BOOST_CHECK_EQUAL(never(1, {none, other_none}), "it needs 1 signature, but has 0" + why);
    BOOST_CHECK_EQUAL(never(2, {none, point, other_none}), "it needs 2 signatures, but has 1" + why);
    // Any 32 bytes are an SLH-DSA key.
    BOOST_CHECK(ReadLeafRecipe(CScript{} << none << OP_CHECKSIGSLHDSA).Usable());
}

/** A spend that is larger than a block is none; one that nodes do not relay is. */
BOOST_AUTO_TEST_CASE(spends_that_weigh_too_much)
{
    const auto all_of{[](size_t n) {
        CScript script;
        for (size_t i = 0; i < n; ++i) script << Bytes{Key(static_cast<uint8_t>(i))} << (i == 0 ? OP_CHECKSIGSLHDSA : OP_CHECKSIGADDSLHDSA);
        return script << static_cast<int64_t>(n) << OP_NUMEQUAL;
    }};
    for (const auto& [n, never] : {std::pair{size_t{506}, false}, {size_t{507}, true}}) {
        const CScript script{all_of(n)};
        const LeafRecipe recipe{ReadLeafRecipe(script)};
        BOOST_CHECK_EQUAL(Contains(recipe.never, "weight units, more than a block may have: nobody can ever spend it"), never);
        BOOST_CHECK_EQUAL(LeastSpendWeight(recipe, script) > 4'000'000, never);
    }
    // Of both types, the small signatures
    CScript either;
    either << Key(1) << OP_CHECKSIGSLHDSA << Key(2) << OP_CHECKSIGADD << int64_t{1} << OP_NUMEQUAL;
    BOOST_CHECK_EQUAL(LeastSpendWeight(ReadLeafRecipe(either), either), 330 + 70 + 2 + 64);
}

BOOST_AUTO_TEST_CASE(lock_times_that_nobody_meets)
{
    struct Case {
        CScript script;
        const char* never; //!< empty: somebody may
    };
    for (const auto& [script, never] : {
             Case{Locked(Bytes{0xfe, 0xff, 0xff, 0xff, 0x00}, OP_CHECKLOCKTIMEVERIFY), ""},
             Case{Locked(Bytes{0xff, 0xff, 0xff, 0xff, 0x00}, OP_CHECKLOCKTIMEVERIFY),
                  "OP_CHECKLOCKTIMEVERIFY of 4294967295, which no block reaches"},
             Case{Locked(Bytes{0x00, 0x00, 0x00, 0x00, 0x01}, OP_CHECKLOCKTIMEVERIFY),
                  "OP_CHECKLOCKTIMEVERIFY of 4294967296, which no block reaches"},
             Case{Locked(Bytes{0xff, 0xff, 0xff, 0xff, 0x7f}, OP_CHECKSEQUENCEVERIFY), ""}, // its bit 31 turns the check off
             Case{Locked(OP_1NEGATE, OP_CHECKLOCKTIMEVERIFY), "OP_CHECKLOCKTIMEVERIFY of a negative number"},
             Case{Locked(OP_1NEGATE, OP_CHECKSEQUENCEVERIFY), "OP_CHECKSEQUENCEVERIFY of a negative number"},
             Case{Locked(Bytes{0x02, 0x80}, OP_CHECKSEQUENCEVERIFY), "OP_CHECKSEQUENCEVERIFY of a negative number"},
             Case{Locked(Bytes{0x01, 0x00}, OP_CHECKSEQUENCEVERIFY), ""}, // what is not minimal is not standard, but valid
             Case{Locked(Bytes(6, 1), OP_CHECKSEQUENCEVERIFY), "OP_CHECKSEQUENCEVERIFY of what is not a number of up to 5 bytes"},
             Case{Locked(OP_0, OP_CHECKSEQUENCEVERIFY), ""},
             Case{Locked(OP_16, OP_CHECKLOCKTIMEVERIFY), ""},
         }) {
        const LeafRecipe recipe{ReadLeafRecipe(script)};
        BOOST_TEST_CONTEXT(never << " / " << recipe.never << " / " << recipe.unknown)
        {
            BOOST_CHECK_EQUAL(recipe.Usable(), std::string{never}.empty());
            BOOST_CHECK(recipe.Usable() || recipe.never.starts_with(never));
            BOOST_CHECK(recipe.Usable() || recipe.never.ends_with(": nobody can ever spend it"));
        }
    }
    // OP_RESERVED, which is OP_SUCCESS80 in tapscript, lies between the opcodes that push.
    BOOST_CHECK_EQUAL(ReadLeafRecipe(Locked(OP_RESERVED, OP_CHECKSEQUENCEVERIFY)).unknown, "OP_SUCCESS80 (instruction 0)");
}

BOOST_AUTO_TEST_CASE(a_script_ends_with_one_result)
{
    const auto never{[](const CScript& script) { return ReadLeafRecipe(script).never; }};
    const CScript one{CScript{} << Key(1) << OP_CHECKSIGSLHDSA};
    BOOST_CHECK_EQUAL(never(one), "");
    CScript verified{one}, twice{one}, extra{one};
    verified << OP_VERIFY;
    BOOST_CHECK_EQUAL(never(verified), "it ends with 0 results, but must end with one: nobody can ever spend it");
    twice << Key(2) << OP_CHECKSIG;
    BOOST_CHECK_EQUAL(never(twice), "instruction 2 takes the result of the condition before it, which OP_VERIFY must drop first: nobody "
                                    "can ever spend it");
    extra << OP_1;
    BOOST_CHECK_EQUAL(never(extra), "it ends with 2 results, but must end with one: nobody can ever spend it");
    // A lock time leaves its number, if nothing drops it.
    BOOST_CHECK_EQUAL(never(CScript{verified} << int64_t{144} << OP_CHECKSEQUENCEVERIFY), "");
    BOOST_CHECK_EQUAL(ReadLeafRecipe(CScript{verified} << OP_0 << OP_CHECKSEQUENCEVERIFY).unknown, "OP_0 (instruction 3)");
}

BOOST_AUTO_TEST_CASE(thresholds)
{
    const auto read{[](int64_t needed) {
        return ReadLeafRecipe(CScript{} << Key(1) << OP_CHECKSIGSLHDSA << Key(2) << OP_CHECKSIGADDSLHDSA << needed << OP_NUMEQUAL);
    }};
    for (const int64_t needed : {0, 1, 2}) {
        const LeafRecipe recipe{read(needed)};
        BOOST_REQUIRE(recipe.Usable());
        BOOST_CHECK_EQUAL(std::get<LeafSignatures>(recipe.conditions.at(0)).needed, static_cast<size_t>(needed));
    }
    BOOST_CHECK_EQUAL(read(3).never, "3 of 2 signatures is impossible");
    BOOST_CHECK_EQUAL(read(-1).unknown, "a count of signatures that no number and OP_NUMEQUAL follow"); // OP_1NEGATE
    BOOST_CHECK_EQUAL(read(-2).never, "-2 of 2 signatures is impossible");
}

/** A key that a script has many times is looked up and verified once. */
BOOST_AUTO_TEST_CASE(a_key_many_times)
{
    constexpr size_t TIMES{500};
    CScript script;
    script << Key(1) << OP_CHECKSIGSLHDSA;
    for (size_t i{1}; i < TIMES; ++i) script << Key(1) << OP_CHECKSIGADDSLHDSA;
    script << static_cast<int64_t>(TIMES) << OP_NUMEQUAL;
    const ScriptTree tree{*ScriptTree::Branch(ScriptTree{script}, ScriptTree{CScript{} << OP_RETURN})};
    PartiallySignedTransaction psbt{SampleTx(1), 0};
    SetSpentOutput(psbt, 0, {100'000, TreeScriptPubKey(tree, {})});
    AddLeaf(psbt, 0, tree, 0, {});
    for (const bool valid : {true, false}) {
        AddSignature(psbt, 0, tree.Leaves()[0].hash, {Key(1), KeyType::SLHDSA}, Bytes(7856, valid ? 0x11 : 0));
        size_t verified{0};
        const PSBTVerifier verifier{psbt, [&](const LeafKey& key, const uint256& hash, std::span<const uint8_t> signature) {
                                        ++verified;
                                        return NotZero(key, hash, signature);
                                    }};
        const LeafStack stack{LeafProgress(psbt, verifier.Hasher().Tx(), 0, Leaves(psbt, 0).at(0), &verifier)};
        BOOST_CHECK_EQUAL(stack.Complete(), valid);
        BOOST_CHECK_EQUAL(verified, 1);
    }
}

BOOST_AUTO_TEST_SUITE_END()
