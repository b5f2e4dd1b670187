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
#include <test/random_source.h>
#include <util/hex.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/** Leaf scripts as a wallet reads them. */

using namespace slhc;
using namespace slhc::test;

namespace {

const Bytes SCHNORR_SIGNATURE(64, 1);
const Bytes KNOWN_PREIMAGE(32, 9);

/** A key of a number before 32 bytes: of 128-24, 128-q40, or an unknown type. */
Bytes NumberedKey(uint8_t number, uint8_t n)
{
    Bytes key{Key(n)};
    key.insert(key.begin(), number);
    return key;
}

/** Accepts one signature of each type and parameter set, and every lock time. */
class OneSignatureChecker final : public BaseSignatureChecker
{
public:
    bool CheckSchnorrSignature(std::span<const uint8_t> sig, std::span<const uint8_t>, SigVersion, ScriptExecutionData&,
                               ScriptError& error) const override
    {
        error = SCRIPT_ERR_SCHNORR_SIG;
        return std::ranges::equal(sig, SCHNORR_SIGNATURE);
    }
    SLHDSACheckResult CheckSLHDSASignature(Bytes&& sig, const SLHDSAPubKey& key, ScriptExecutionData&, ScriptError& error) const override
    {
        error = SCRIPT_ERR_SLHDSA_SIG;
        return sig == Bytes(key.SignatureSize(), 1) ? SLHDSACheckResult::VALID : SLHDSACheckResult::INVALID;
    }
    bool CheckLockTime(const CScriptNum&) const override { return true; }
    bool CheckSequence(const CScriptNum&) const override { return true; }
};

bool Satisfied(const CScript& script, std::span<const Bytes> stack)
{
    const OneSignatureChecker checker;
    ScriptRun run{.flags = MANDATORY_SCRIPT_VERIFY_FLAGS | SCRIPT_VERIFY_SLHDSA_SETS, .checker = checker};
    run.execdata.m_validation_weight_left = std::numeric_limits<int64_t>::max();
    return ExecuteWitnessScript(stack, script, SigVersion::TAPSCRIPT, run);
}

/** A script of the pieces that a recipe may have, in any order. */
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
            const auto which{static_cast<uint8_t>(1 + choose(2))};
            const Bytes keys[]{Key(which), Key(which), Key(which), NumberedKey(24, which), NumberedKey(40, which), NumberedKey(41, which)};
            script << keys[choose(std::size(keys))] << CHECKS[choose(std::size(CHECKS))];
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

/** A stack that satisfies a leaf by its recipe does satisfy it. */
BOOST_AUTO_TEST_CASE(recipes_of_random_scripts)
{
    std::mt19937_64 random{slhc::test::Seed(20261124)};
    const auto signature{[](const LeafKey& key) {
        return std::optional{key.type == KeyType::SLHDSA ? Bytes(SignatureSize(key.type, key.public_key), 1) : SCHNORR_SIGNATURE};
    }};
    const auto preimage{[](std::span<const uint8_t> hash) -> std::optional<Bytes> {
        for (const Bytes& known : {Bytes{}, Bytes{1}, Bytes{2}, KNOWN_PREIMAGE}) {
            if (std::ranges::equal(Sha256(known), hash)) return known;
        }
        return std::nullopt;
    }};
    size_t n_satisfied{0}, n_unknown{0}, n_of_other_sets{0};
    for (size_t i = 0; i < 20'000; ++i) {
        const CScript script{RandomScript(random)};
        const LeafRecipe recipe{ReadLeafRecipe(script)};
        if (!recipe.unknown.empty()) {
            ++n_unknown;
            continue;
        }
        const LeafStack satisfied{SatisfyLeaf(recipe, signature, preimage)};
        if (!satisfied.Complete()) continue; // a preimage that has not the size that is asked for
        std::vector<Bytes> stack;
        for (const auto& element : satisfied.elements) stack.push_back(element.bytes);
        BOOST_REQUIRE_MESSAGE(Satisfied(script, stack), HexStr(script));
        ++n_satisfied;
        n_of_other_sets += ChecksKeyOfOtherSet(script) ? 1 : 0;
    }
    BOOST_CHECK_GT(n_satisfied, 1000);
    BOOST_CHECK_GT(n_unknown, 1000);
    BOOST_CHECK_GT(n_of_other_sets, 30);
}

/** A script may leave its result to an element that is there before: anybody can put one there. */
BOOST_AUTO_TEST_CASE(a_script_without_a_result)
{
    const auto signature{[](const LeafKey&) { return std::optional{SCHNORR_SIGNATURE}; }};
    const auto no_preimage{[](std::span<const uint8_t>) -> std::optional<Bytes> { return std::nullopt; }};
    for (const CScript& script : {CScript{}, CScript{} << OP_1 << OP_VERIFY, CScript{} << int64_t{1} << OP_CHECKSEQUENCEVERIFY << OP_DROP,
                                  CScript{} << Key(1) << OP_CHECKSIGVERIFY, CScript{} << Key(1) << OP_CHECKSIG << OP_VERIFY}) {
        const LeafRecipe recipe{ReadLeafRecipe(script)};
        BOOST_REQUIRE_EQUAL(recipe.unknown, "");
        BOOST_CHECK(std::holds_alternative<LeafTrue>(recipe.conditions.back()));
        const LeafStack stack{SatisfyLeaf(recipe, signature, no_preimage)};
        std::vector<Bytes> elements;
        for (const auto& element : stack.elements) elements.push_back(element.bytes);
        BOOST_CHECK_EQUAL(elements.size(), recipe.conditions.size());
        BOOST_CHECK(elements.front() == Bytes{1});
        BOOST_CHECK(Satisfied(script, elements));
    }
}

BOOST_AUTO_TEST_CASE(scripts_that_are_not_known)
{
    const auto unknown{[](const CScript& script) { return ReadLeafRecipe(script).unknown; }};
    const CScript one{CScript{} << Key(1) << OP_CHECKSIGSLHDSA};
    const CScript verified{CScript{one} << OP_VERIFY};
    const Bytes hash(32, 7);
    const std::string on_top{"a condition on top of the result of the one before it (instruction 2)"};
    const std::string no_count{"a count of signatures that no number and OP_NUMEQUAL follow"};
    for (const auto& [script, why] : std::initializer_list<std::pair<CScript, std::string>>{
             {one, ""},
             {verified, ""},
             {CScript{verified} << int64_t{144} << OP_CHECKSEQUENCEVERIFY, ""}, // which leaves its number
             {CScript{one} << int64_t{144} << OP_CHECKSEQUENCEVERIFY << OP_DROP, ""},
             {CScript{one} << int64_t{144} << OP_CHECKSEQUENCEVERIFY, on_top},
             {CScript{verified} << OP_0 << OP_CHECKSEQUENCEVERIFY, "OP_0 (instruction 3)"},
             {CScript{verified} << Bytes{0x80} << OP_CHECKSEQUENCEVERIFY, "<80> (instruction 3)"},
             {CScript{one} << Key(2) << OP_CHECKSIG, on_top},
             {CScript{one} << OP_1, on_top},
             {CScript{one} << OP_SHA256 << hash << OP_EQUAL, on_top},
             {CScript{one} << OP_RESERVED, "OP_SUCCESS80 (instruction 2)"},
             {CScript{} << OP_RETURN, "OP_RETURN (instruction 0)"},
             {CScript{} << OP_VERIFY, "OP_VERIFY (instruction 0)"},
             {CScript{} << Key(1) << OP_CHECKSIGVERIFY << Key(2) << OP_CHECKSIGADD << OP_1 << OP_NUMEQUAL, "<" + HexStr(Key(2)) + ">"},
             {CScript{one} << Key(2) << OP_CHECKSIGADD, no_count},
             {CScript{one} << Key(2) << OP_CHECKSIGADD << OP_1 << OP_EQUAL, no_count},
         }) {
        const std::string found{unknown(script)};
        BOOST_CHECK_MESSAGE(why.empty() ? found.empty() : found.starts_with(why), HexStr(script) << ": " << found);
    }
    CScript cut_off{one};
    cut_off.push_back(OP_PUSHDATA1);
    BOOST_CHECK_EQUAL(unknown(cut_off), "what cannot be decoded (instruction 2)");
    CScript many{one};
    for (size_t i{1}; i <= MAX_STACK_SIZE; ++i) many << Key(2) << OP_CHECKSIGADDSLHDSA;
    BOOST_CHECK(unknown(CScript{many} << OP_1 << OP_NUMEQUAL).starts_with("more than 1000 stack elements"));
}

BOOST_AUTO_TEST_CASE(keys_of_other_sets)
{
    for (const opcodetype check : {OP_CHECKSIGSLHDSA, OP_CHECKSIG}) {
        for (const uint8_t number : {0, 1, 24, 40, 41, 0xf0}) {
            const CScript script{CScript{} << NumberedKey(number, 1) << check};
            const bool is_key{check == OP_CHECKSIGSLHDSA && (number == 24 || number == 40)};
            BOOST_CHECK_EQUAL(ReadLeafRecipe(script).unknown.empty(), is_key);
            BOOST_CHECK_EQUAL(ChecksKeyOfOtherSet(script), is_key);
        }
    }
    BOOST_CHECK(!ChecksKeyOfOtherSet(CScript{} << Key(1) << OP_CHECKSIGSLHDSA));
    BOOST_CHECK(!ChecksKeyOfOtherSet(CScript{} << NumberedKey(24, 1) << OP_DROP << OP_CHECKSIGSLHDSA));
    BOOST_CHECK(ChecksKeyOfOtherSet(CScript{} << Key(1) << OP_CHECKSIGSLHDSA << NumberedKey(24, 1) << OP_CHECKSIGADDSLHDSA));
}

BOOST_AUTO_TEST_CASE(thresholds)
{
    for (const size_t keys : {1, 2}) {
        const auto read{[&](int64_t needed) {
            CScript script{CScript{} << Key(1) << OP_CHECKSIGSLHDSA};
            if (keys == 2) script << Key(2) << OP_CHECKSIGADD;
            return ReadLeafRecipe(script << needed << OP_NUMEQUAL);
        }};
        for (size_t needed{0}; needed <= keys; ++needed) {
            const LeafRecipe recipe{read(static_cast<int64_t>(needed))};
            BOOST_REQUIRE_EQUAL(recipe.unknown, "");
            BOOST_REQUIRE_EQUAL(recipe.conditions.size(), 1);
            BOOST_CHECK_EQUAL(std::get<LeafSignatures>(recipe.conditions[0]).needed, needed);
            BOOST_CHECK_EQUAL(std::get<LeafSignatures>(recipe.conditions[0]).keys.size(), keys);
        }
        for (const int64_t needed : {int64_t{-2}, static_cast<int64_t>(keys) + 1}) {
            BOOST_CHECK(read(needed).unknown.starts_with(std::to_string(needed) + " of " + std::to_string(keys) + " signatures"));
        }
    }
    // OP_CHECKSIGVERIFY leaves nothing that could be compared.
    BOOST_CHECK(!ReadLeafRecipe(CScript{} << Key(1) << OP_CHECKSIGVERIFY << OP_1 << OP_NUMEQUAL).unknown.empty());
}

BOOST_AUTO_TEST_SUITE_END()
