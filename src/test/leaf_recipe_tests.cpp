// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <wallet/leaf_recipe.h>

#include <crypto/hash.h>
#include <script/checker.h>
#include <script/interpreter.h>
#include <script/script.h>
#include <script/verify_flags.h>
#include <test/psbt_fixture.h>
#include <util/hex.h>
#include <wallet/lock_time.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <variant>
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

const Bytes SCHNORR_SIGNATURE(64, 1);
const Bytes SLHDSA_SIGNATURE(slhdsa::SIGNATURE_SIZE, 1);
const Bytes KNOWN_PREIMAGE(32, 9);

/** Accepts one signature of each type, and every lock time. */
class OneSignatureChecker final : public BaseSignatureChecker
{
public:
    bool CheckSchnorrSignature(std::span<const uint8_t> sig, std::span<const uint8_t>, SigVersion, ScriptExecutionData&,
                               ScriptError& error) const override
    {
        error = SCRIPT_ERR_SCHNORR_SIG;
        return std::ranges::equal(sig, SCHNORR_SIGNATURE);
    }
    SLHDSACheckResult CheckSLHDSASignature(Bytes&& sig, std::span<const uint8_t, slhdsa::PUBLIC_KEY_SIZE>, ScriptExecutionData&,
                                           ScriptError& error) const override
    {
        error = SCRIPT_ERR_SLHDSA_SIG;
        return sig == SLHDSA_SIGNATURE ? SLHDSACheckResult::VALID : SLHDSACheckResult::INVALID;
    }
    bool CheckLockTime(const CScriptNum&) const override { return true; }
    bool CheckSequence(const CScriptNum&) const override { return true; }
};

bool Satisfied(const CScript& script, std::span<const Bytes> stack)
{
    const OneSignatureChecker checker;
    ScriptRun run{.flags = MANDATORY_SCRIPT_VERIFY_FLAGS, .checker = checker};
    run.execdata.m_validation_weight_left = std::numeric_limits<int64_t>::max();
    return ExecuteWitnessScript(stack, script, SigVersion::TAPSCRIPT, run);
}

/** Whether any stack of up to so many elements, of these, satisfies a script. */
bool AnySatisfies(const CScript& script, std::span<const Bytes> of, std::vector<Bytes>& stack, size_t longest)
{
    if (Satisfied(script, stack)) return true;
    if (stack.size() == longest) return false;
    for (const auto& element : of) {
        stack.push_back(element);
        if (AnySatisfies(script, of, stack, longest)) return true;
        stack.pop_back();
    }
    return false;
}

/** A script of what a recipe may have, in any order. */
CScript RandomScript(std::mt19937_64& random)
{
    const auto choose{[&](size_t n) { return static_cast<size_t>(random() % n); }};
    const auto number{[&] { return static_cast<int64_t>(1 + choose(3)); }};
    CScript script;
    for (size_t n{1 + choose(6)}; n > 0; --n) {
        switch (choose(8)) {
        case 0:
        case 1: {
            static constexpr opcodetype CHECKS[]{OP_CHECKSIG, OP_CHECKSIGVERIFY, OP_CHECKSIGSLHDSA, OP_CHECKSIGADD, OP_CHECKSIGADDSLHDSA};
            script << Key(static_cast<uint8_t>(1 + choose(2))) << CHECKS[choose(std::size(CHECKS))];
            break;
        }
        case 2:
            script << Key(1) << OP_CHECKSIG << Key(2) << OP_CHECKSIGADDSLHDSA << number() - 1 + int64_t{choose(2) == 0} << OP_NUMEQUAL;
            break;
        case 3: script << number(); break;
        case 4: script << (choose(4) == 0 ? OP_NUMEQUALVERIFY : OP_VERIFY); break;
        case 5:
        case 6: {
            const Bytes preimages[]{{}, {1}, {2}, KNOWN_PREIMAGE};
            if (choose(4) == 0) script << OP_SIZE << int64_t{32} << OP_EQUALVERIFY;
            const auto hash{Sha256(preimages[choose(std::size(preimages))])};
            script << OP_SHA256 << Bytes{hash.begin(), hash.end()} << (choose(2) == 0 ? OP_EQUAL : OP_EQUALVERIFY);
            break;
        }
        default:
            script << (choose(4) == 0 ? Bytes{0} : Bytes{1}) << OP_CHECKSEQUENCEVERIFY;
            if (choose(2) == 0) script << OP_DROP;
            break;
        }
    }
    return script;
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

/** A script has room for many more results than a stack: beyond that, none is collected. */
BOOST_AUTO_TEST_CASE(results_beyond_the_stack)
{
    const std::string grows{"its stack grows beyond 1000 elements: nobody can ever spend it"};
    for (const size_t n : {size_t{MAX_STACK_SIZE}, MAX_STACK_SIZE + 1}) {
        const bool fits{n <= MAX_STACK_SIZE};
        CScript script;
        for (size_t i{0}; i < n; ++i) script << int64_t{1 + static_cast<int64_t>(i % 16)};
        BOOST_CHECK_EQUAL(ReadLeafRecipe(script).never,
                          fits ? "it ends with 1000 results, but must end with one: nobody can ever spend it" : grows);
        CScript dropped{script};
        for (size_t i{1}; i < n; ++i) dropped << OP_VERIFY;
        BOOST_CHECK_EQUAL(ReadLeafRecipe(dropped).never, fits ? "" : grows);
        CScript number{script};
        number << OP_VERIFY << Bytes{0x20} << OP_CHECKLOCKTIMEVERIFY << Bytes{0x20} << OP_CHECKLOCKTIMEVERIFY;
        BOOST_CHECK_EQUAL(ReadLeafRecipe(number).never, grows);
        // What comes later counts only if the script succeeds with it whatever it does.
        BOOST_CHECK_EQUAL(ReadLeafRecipe(CScript{number} << OP_DUP).unknown, "");
        const LeafRecipe success{ReadLeafRecipe(CScript{number} << OP_DUP << OP_RESERVED)};
        BOOST_CHECK_EQUAL(success.never, "");
        BOOST_CHECK(success.unknown.starts_with("OP_SUCCESS80 (instruction "));
    }
    const LeafRecipe success{ReadLeafRecipe(Locked(OP_1NEGATE, OP_CHECKSEQUENCEVERIFY) << OP_RESERVED)};
    BOOST_CHECK_EQUAL(success.never, "");
    BOOST_CHECK_EQUAL(success.unknown, "OP_SUCCESS80 (instruction 5)");
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
    // A script that leaves no room for anything else is not even read.
    constexpr size_t LONGEST{4'000'000 - 330};
    for (const opcodetype opcode : {OP_DUP, OP_RESERVED}) {
        CScript script;
        script.assign(LONGEST, opcode);
        BOOST_CHECK_EQUAL(ReadLeafRecipe(script).unknown, std::string{opcode == OP_DUP ? "OP_DUP" : "OP_SUCCESS80"} + " (instruction 0)");
        script.push_back(opcode);
        const LeafRecipe recipe{ReadLeafRecipe(script)};
        BOOST_CHECK_EQUAL(recipe.unknown, "");
        BOOST_CHECK_EQUAL(recipe.never, "to spend it takes a transaction of at least 4000001 weight units, more than a block may have: "
                                        "nobody can ever spend it");
    }
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

/** A recipe that claims that nobody can spend a leaf is right, and so is what it says that satisfies one. */
BOOST_AUTO_TEST_CASE(recipes_of_random_scripts)
{
    std::mt19937_64 random{20261124};
    const Bytes elements[]{{}, {1}, KNOWN_PREIMAGE, SCHNORR_SIGNATURE, SLHDSA_SIGNATURE};
    size_t n_never{0}, n_satisfied{0}, n_unknown{0};
    for (size_t i = 0; i < 20'000; ++i) {
        const CScript script{RandomScript(random)};
        const LeafRecipe recipe{ReadLeafRecipe(script)};
        BOOST_TEST_CONTEXT(HexStr(script) << ", " << recipe.never)
        {
            if (!recipe.never.empty()) {
                if (++n_never % 16 != 0) continue; // each is compared with hundreds of stacks
                std::vector<Bytes> stack;
                BOOST_REQUIRE(!AnySatisfies(script, elements, stack, 4));
            } else if (recipe.unknown.empty()) {
                const auto signature{[](const LeafKey& key) {
                    return std::optional{key.type == KeyType::SLHDSA ? SLHDSA_SIGNATURE : SCHNORR_SIGNATURE};
                }};
                const auto preimage{[&](std::span<const uint8_t> hash) -> std::optional<Bytes> {
                    for (const Bytes& known : {Bytes{}, Bytes{1}, Bytes{2}, KNOWN_PREIMAGE}) {
                        if (std::ranges::equal(Sha256(known), hash)) return known;
                    }
                    return std::nullopt;
                }};
                std::vector<Bytes> stack;
                const LeafStack satisfied{SatisfyLeaf(recipe, signature, preimage)};
                if (!satisfied.Complete()) continue; // a preimage that has not the size that is asked for
                for (const auto& element : satisfied.elements) stack.push_back(element.bytes);
                BOOST_REQUIRE(Satisfied(script, stack));
                ++n_satisfied;
            } else {
                ++n_unknown;
            }
        }
    }
    BOOST_CHECK_GT(n_never, 1000);
    BOOST_CHECK_GT(n_satisfied, 1000);
    BOOST_CHECK_GT(n_unknown, 1000);
}

/** A script may leave its result to an element that is there before: anybody can put one there. */
BOOST_AUTO_TEST_CASE(a_script_without_a_result)
{
    const auto signature{[](const LeafKey&) { return std::optional{SCHNORR_SIGNATURE}; }};
    const auto no_preimage{[](std::span<const uint8_t>) -> std::optional<Bytes> { return std::nullopt; }};
    for (const CScript& script : {CScript{}, CScript{} << OP_1 << OP_VERIFY, CScript{} << int64_t{1} << OP_CHECKSEQUENCEVERIFY << OP_DROP,
                                  CScript{} << Key(1) << OP_CHECKSIGVERIFY, CScript{} << Key(1) << OP_CHECKSIG << OP_VERIFY}) {
        const LeafRecipe recipe{ReadLeafRecipe(script)};
        BOOST_REQUIRE(recipe.Usable());
        BOOST_CHECK(std::holds_alternative<LeafTrue>(recipe.conditions.back()));
        const LeafStack stack{SatisfyLeaf(recipe, signature, no_preimage)};
        std::vector<Bytes> elements;
        for (const auto& element : stack.elements) elements.push_back(element.bytes);
        BOOST_CHECK_EQUAL(elements.size(), recipe.conditions.size());
        BOOST_CHECK(elements.front() == Bytes{1});
        BOOST_CHECK(Satisfied(script, elements));
    }
    const CScript one{CScript{} << Key(1) << OP_CHECKSIGVERIFY};
    BOOST_CHECK_EQUAL(LeastSpendWeight(ReadLeafRecipe(one), one), 330 + 34 + 1 + 64 + 2);
}

/** What takes the result of the condition before it is satisfied by one now and then. */
BOOST_AUTO_TEST_CASE(results_that_are_taken)
{
    const auto script{[](const Bytes& preimage) {
        const auto hash{Sha256(preimage)};
        return CScript{} << Key(1) << OP_CHECKSIG << OP_SHA256 << Bytes{hash.begin(), hash.end()} << OP_EQUAL;
    }};
    for (const Bytes& preimage : {Bytes{}, Bytes{1}}) {
        BOOST_CHECK_EQUAL(ReadLeafRecipe(script(preimage)).unknown,
                          "a condition that takes the result of the one before it (instruction 2)");
    }
    const std::string why{" takes the result of the condition before it, which OP_VERIFY must drop first: nobody can ever spend it"};
    BOOST_CHECK_EQUAL(ReadLeafRecipe(script({2})).never, "instruction 2" + why);
    const auto unknown{[](const CScript& leaf) { return !ReadLeafRecipe(leaf).unknown.empty(); }};
    const auto two{Sha256(Bytes{2})}, empty{Sha256(Bytes{})};
    BOOST_CHECK(unknown(CScript{} << OP_2 << OP_SHA256 << Bytes{two.begin(), two.end()} << OP_EQUAL));
    const CScript false_result{CScript{} << Key(1) << OP_CHECKSIG << Key(1) << OP_CHECKSIG};
    BOOST_CHECK(!unknown(false_result));
    BOOST_CHECK(unknown(CScript{false_result} << Key(2) << OP_CHECKSIGADD << int64_t{0} << OP_NUMEQUAL));
    BOOST_CHECK(unknown(CScript{false_result} << OP_SHA256 << Bytes{empty.begin(), empty.end()} << OP_EQUAL));
    // The count that the second signature is added to comes from the initial stack.
    BOOST_CHECK(unknown(CScript{} << Key(1) << OP_CHECKSIGVERIFY << Key(2) << OP_CHECKSIGADD << int64_t{1} << OP_NUMEQUAL));
}

BOOST_AUTO_TEST_CASE(a_script_ends_with_one_result)
{
    const auto never{[](const CScript& script) { return ReadLeafRecipe(script).never; }};
    const CScript one{CScript{} << Key(1) << OP_CHECKSIGSLHDSA};
    BOOST_CHECK_EQUAL(never(one), "");
    CScript twice{one}, extra{one};
    const CScript verified{CScript{one} << OP_VERIFY};
    BOOST_CHECK_EQUAL(never(verified), "");
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
    BOOST_CHECK_EQUAL(ReadLeafRecipe(CScript{} << Key(1) << OP_CHECKSIG << Key(2) << OP_CHECKSIGADD).unknown,
                      "a count of signatures that no number and OP_NUMEQUAL follow");

    // multi_a(1,KEY) and multi_slhdsa(1,KEY)
    for (const opcodetype check : {OP_CHECKSIG, OP_CHECKSIGSLHDSA}) {
        const auto read_one{[&](int64_t count) { return ReadLeafRecipe(CScript{} << Key(1) << check << count << OP_NUMEQUAL); }};
        for (const int64_t needed : {0, 1}) {
            const LeafRecipe recipe{read_one(needed)};
            BOOST_REQUIRE(recipe.Usable());
            BOOST_REQUIRE_EQUAL(recipe.conditions.size(), 1);
            const auto& signatures{std::get<LeafSignatures>(recipe.conditions[0])};
            BOOST_CHECK_EQUAL(signatures.needed, static_cast<size_t>(needed));
            BOOST_CHECK_EQUAL(signatures.keys.size(), 1);
        }
        BOOST_CHECK_EQUAL(read_one(2).never, "2 of 1 signatures is impossible");
        const CScript verified{CScript{} << Key(1) << check << int64_t{1} << OP_NUMEQUALVERIFY};
        BOOST_CHECK_EQUAL(ReadLeafRecipe(CScript{verified} << Key(2) << OP_CHECKSIG).conditions.size(), 2);
        // The result before it is no signature, but may be the empty one that it asks for.
        const CScript taken{CScript{} << Key(1) << OP_CHECKSIG << Key(1) << check};
        BOOST_CHECK(ReadLeafRecipe(CScript{taken} << int64_t{1} << OP_NUMEQUAL).never.starts_with("instruction 2 takes the result"));
        BOOST_CHECK(!ReadLeafRecipe(CScript{taken} << int64_t{0} << OP_NUMEQUAL).unknown.empty());
    }
    // OP_CHECKSIGVERIFY leaves nothing that could be compared.
    BOOST_CHECK(!ReadLeafRecipe(CScript{} << Key(1) << OP_CHECKSIGVERIFY << int64_t{1} << OP_NUMEQUAL).Usable());
}

/** A key that a script has many times is looked up and verified once. */
BOOST_AUTO_TEST_CASE(a_key_many_times)
{
    constexpr size_t TIMES{500};
    CScript script;
    script << Key(1) << OP_CHECKSIGSLHDSA;
    for (size_t i{1}; i < TIMES; ++i) script << Key(1) << OP_CHECKSIGADDSLHDSA;
    script << static_cast<int64_t>(TIMES) << OP_NUMEQUAL;
    auto psbt{SpendingLeaf(script)};
    const PSBTLeaf leaf{Leaves(psbt, 0).at(0)};
    for (const bool valid : {true, false}) {
        AddSignature(psbt, 0, leaf, {Key(1), KeyType::SLHDSA}, Bytes(7856, valid ? 0x11 : 0));
        size_t verified{0};
        const PSBTVerifier verifier{psbt, [&](const LeafKey& key, const uint256& hash, std::span<const uint8_t> signature) {
                                        ++verified;
                                        return NotZero(key, hash, signature);
                                    }};
        const LeafStack stack{LeafProgress(psbt, verifier.Hasher().Tx(), 0, leaf, &verifier)};
        BOOST_CHECK_EQUAL(stack.Complete(), valid);
        BOOST_CHECK_EQUAL(verified, 1);
    }
}

BOOST_AUTO_TEST_SUITE_END()
