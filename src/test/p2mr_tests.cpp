// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Outputs of BIP 360, clause by clause: both sides of each boundary, and the order of errors.

#include <script/interpreter.h>
#include <script/p2mr.h>
#include <script/pubkey.h>
#include <script/script_tree.h>
#include <test/tap_fixture.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace slhc;
using namespace slhc::test;

namespace {

constexpr auto DISCOURAGE_PROGRAM{SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM};
constexpr auto DISCOURAGE_LEAF{SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION};

/** A spend that is valid, of a leaf that wants one true element. */
TapSpend ValidSpend()
{
    TapSpend spend;
    spend.stack = {{1}};
    return spend;
}

/** Verify a scriptPubKey against a witness, without a transaction. */
ScriptError VerifyPlain(const CScript& script_pub_key, const CScriptWitness& witness, script_verify_flags flags = CONSENSUS,
                        const CScript& script_sig = {})
{
    ScriptError error;
    const bool valid{VerifyScript(script_sig, script_pub_key, &witness, flags, BaseSignatureChecker{}, error)};
    BOOST_CHECK_EQUAL(valid, error == SCRIPT_ERR_OK);
    return error;
}

ScriptError VerifyStack(const TapSpend& spend, std::vector<Bytes> elements, script_verify_flags flags = CONSENSUS)
{
    return VerifyPlain(spend.ScriptPubKey(), CScriptWitness{std::move(elements)}, flags);
}

} // namespace

BOOST_AUTO_TEST_SUITE(p2mr_tests)

BOOST_AUTO_TEST_CASE(a_valid_spend_succeeds)
{
    BOOST_CHECK_EQUAL(ValidSpend().Run(), SCRIPT_ERR_OK);
    TapSpend spend{ValidSpend()};
    spend.stack = {{}};
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_EVAL_FALSE);
    // It doesn't depend on the rules of taproot.
    BOOST_CHECK_EQUAL(ValidSpend().Run(CONSENSUS & ~SCRIPT_VERIFY_TAPROOT), SCRIPT_ERR_OK);
    BOOST_CHECK_EQUAL(spend.Run(CONSENSUS & ~SCRIPT_VERIFY_TAPROOT), SCRIPT_ERR_EVAL_FALSE);
}

// p2mr-count
BOOST_AUTO_TEST_CASE(a_witness_has_at_least_two_elements)
{
    const TapSpend spend{ValidSpend()};
    const Bytes leaf{spend.leaf};
    const Bytes control{spend.ControlBlock()};
    BOOST_CHECK_EQUAL(VerifyStack(spend, {}), SCRIPT_ERR_WITNESS_PROGRAM_WITNESS_EMPTY);
    BOOST_CHECK_EQUAL(VerifyStack(spend, {control}), SCRIPT_ERR_WITNESS_PROGRAM_WITNESS_EMPTY);
    BOOST_CHECK_EQUAL(VerifyStack(spend, {{1}}), SCRIPT_ERR_WITNESS_PROGRAM_WITNESS_EMPTY);
    BOOST_CHECK_EQUAL(VerifyStack(spend, {Bytes(64, 1)}), SCRIPT_ERR_WITNESS_PROGRAM_WITNESS_EMPTY); // no key path
    BOOST_CHECK_EQUAL(VerifyStack(spend, {leaf, control}), SCRIPT_ERR_CLEANSTACK);
    BOOST_CHECK_EQUAL(VerifyStack(spend, {{1}, leaf, control}), SCRIPT_ERR_OK);
}

// p2mr-annex
BOOST_AUTO_TEST_CASE(an_annex_is_removed_from_three_elements_or_more)
{
    const TapSpend spend{ValidSpend()};
    const Bytes leaf{spend.leaf};
    const Bytes control{spend.ControlBlock()};
    // Two elements: one that looks like an annex is removed, and too few are left, whatever they are.
    BOOST_CHECK_EQUAL(VerifyStack(spend, {control, {ANNEX_TAG}}), SCRIPT_ERR_WITNESS_PROGRAM_WITNESS_EMPTY);
    BOOST_CHECK_EQUAL(VerifyStack(spend, {leaf, {ANNEX_TAG, 1, 2}}), SCRIPT_ERR_WITNESS_PROGRAM_WITNESS_EMPTY);
    BOOST_CHECK_EQUAL(VerifyStack(spend, {leaf, {ANNEX_TAG - 1}}), SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
    BOOST_CHECK_EQUAL(VerifyStack(spend, {leaf, {ANNEX_TAG + 1}}), SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
    BOOST_CHECK_EQUAL(VerifyStack(spend, {leaf, {ANNEX_TAG + 1, 0}}), SCRIPT_ERR_TAPROOT_WRONG_CONTROL_SIZE);
    // Three: it is removed, and no more than one.
    BOOST_CHECK_EQUAL(VerifyStack(spend, {leaf, control, {ANNEX_TAG}}), SCRIPT_ERR_CLEANSTACK);
    BOOST_CHECK_EQUAL(VerifyStack(spend, {{1}, leaf, control, {ANNEX_TAG}}), SCRIPT_ERR_OK);
    BOOST_CHECK_EQUAL(VerifyStack(spend, {{1}, leaf, control, Bytes(10'000, ANNEX_TAG)}), SCRIPT_ERR_OK);
    BOOST_CHECK_EQUAL(VerifyStack(spend, {{1}, leaf, control, {ANNEX_TAG}, {ANNEX_TAG}}), SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
    BOOST_CHECK_EQUAL(VerifyStack(spend, {{1}, leaf, control, {ANNEX_TAG + 1}}), SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
    // An empty last element is none, but a control block without bytes.
    BOOST_CHECK_EQUAL(VerifyStack(spend, {leaf, {}}), SCRIPT_ERR_TAPROOT_WRONG_CONTROL_SIZE);
    BOOST_CHECK_EQUAL(VerifyStack(spend, {{1}, leaf, control, {}}), SCRIPT_ERR_TAPROOT_WRONG_CONTROL_SIZE);
}

BOOST_AUTO_TEST_CASE(annex_is_signed)
{
    TapSpend spend;
    spend.leaf = CScript{} << SchnorrPublicKey() << OP_CHECKSIG;
    for (const auto& annex : std::vector<std::optional<Bytes>>{std::nullopt, Bytes{ANNEX_TAG}, Bytes{ANNEX_TAG, 1}}) {
        spend.annex = annex;
        spend.stack = {SignSchnorr(spend.Message(SIGHASH_DEFAULT, KeyVersion::BIP340))};
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
        spend.annex = annex ? std::nullopt : std::optional{Bytes{ANNEX_TAG}};
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_SCHNORR_SIG);
        spend.annex = Bytes{ANNEX_TAG, 2};
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_SCHNORR_SIG);
    }
}

// p2mr-control
BOOST_AUTO_TEST_CASE(a_control_block_has_1_plus_32m_bytes)
{
    for (const size_t m : {1, 2, 127, 128}) {
        TapSpend spend{ValidSpend()};
        spend.path_length = m;
        BOOST_CHECK_EQUAL(spend.ControlBlock().size(), 1 + 32 * m);
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
    }
    TapSpend too_deep{ValidSpend()};
    too_deep.path_length = 129;
    BOOST_CHECK_EQUAL(too_deep.Run(), SCRIPT_ERR_TAPROOT_WRONG_CONTROL_SIZE);

    TapSpend spend{ValidSpend()};
    for (const size_t size : {0, 2, 31, 32, 34, 64, 66, 4096, 4098}) {
        spend.control = Bytes(size, 0xc1);
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_TAPROOT_WRONG_CONTROL_SIZE);
    }
    for (const size_t size : {1, 33, 65, 4097}) { // sizes are right, roots are not
        spend.control = Bytes(size, 0xc1);
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
    }
}

// p2mr-control
BOOST_AUTO_TEST_CASE(the_low_bit_of_the_control_byte_is_1)
{
    for (const size_t m : {0, 1, 128}) {
        TapSpend spend{ValidSpend()};
        spend.path_length = m;
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
        spend.control = spend.ControlBlock();
        spend.control->front() &= ~P2MR_CONTROL_BIT;
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
        // The size comes first.
        spend.control->push_back(0);
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_TAPROOT_WRONG_CONTROL_SIZE);
    }
}

// p2mr-root
BOOST_AUTO_TEST_CASE(leaf_and_path_lead_to_the_program)
{
    for (const size_t m : {0, 1, 2, 5}) {
        TapSpend spend{ValidSpend()};
        spend.path_length = m;
        const Bytes control{spend.ControlBlock()};
        for (size_t i{0}; i < control.size(); ++i) {
            spend.control = control;
            (*spend.control)[i] ^= i == 0 ? 0x02 : 0x01; // another leaf version, another path
            BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
        }
        spend.control = control;
        spend.shown_leaf = CScript{} << OP_TRUE;
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
    }
    // The root of the path is not the one of another number of steps.
    TapSpend spend{ValidSpend()};
    spend.path_length = 2;
    spend.control = spend.ControlBlock();
    spend.control->resize(33);
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
}

BOOST_AUTO_TEST_CASE(tree_hashes_are_those_of_bip341)
{
    const Bytes script{CScript{} << OP_TRUE};
    const uint256 leaf{ComputeTapleafHash(0xc0, script)};
    BOOST_CHECK(leaf != ComputeTapleafHash(0xc2, script));
    // A branch is the same whichever of its children comes first, and so is a path.
    const uint256 low{uint8_t{1}};
    uint256 high;
    std::fill(high.begin(), high.end(), uint8_t{0xff});
    BOOST_CHECK(ComputeTapbranchHash(leaf.Bytes(), low.Bytes()) == ComputeTapbranchHash(low.Bytes(), leaf.Bytes()));
    BOOST_CHECK(ComputeTapbranchHash(leaf.Bytes(), high.Bytes()) == ComputeTapbranchHash(high.Bytes(), leaf.Bytes()));
    BOOST_CHECK(ComputeTapbranchHash(leaf.Bytes(), high.Bytes()) != ComputeTapbranchHash(leaf.Bytes(), low.Bytes()));
    BOOST_CHECK(ComputeTapPathRoot({}, leaf) == leaf);
    BOOST_CHECK(ComputeTapPathRoot(low.Bytes(), leaf) == ComputeTapbranchHash(leaf.Bytes(), low.Bytes()));
}

// p2mr-depth-zero, policy-depth-zero
BOOST_AUTO_TEST_CASE(single_leaf_is_anyone_can_spend)
{
    TapSpend spend;
    spend.path_length = 0;
    for (const uint8_t version : {0x00, 0x50, 0x66, 0xc0, 0xc2, 0xfe}) {
        spend.leaf_version = version;
        for (const CScript& leaf : {CScript{}, CScript{} << OP_RETURN, CScript{} << OP_PUSHDATA4, CScript{} << OP_RESERVED << OP_VER}) {
            spend.leaf = leaf;
            // Nothing is looked at: not the number of elements, not their sizes, not the weight.
            for (const auto& stack :
                 std::vector<std::vector<Bytes>>{{}, {{}}, {Bytes(8000, 1), Bytes(100'000, 2)}, std::vector<Bytes>(1001)}) {
                spend.stack = stack;
                BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
                BOOST_CHECK_EQUAL(spend.Run(CONSENSUS | DISCOURAGE_LEAF), SCRIPT_ERR_OK); // before the leaf version
                BOOST_CHECK_EQUAL(spend.Run(CONSENSUS | SCRIPT_VERIFY_DISCOURAGE_OP_SUCCESS), SCRIPT_ERR_OK);
                BOOST_CHECK_EQUAL(spend.Run(CONSENSUS | DISCOURAGE_PROGRAM), SCRIPT_ERR_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM);
                BOOST_CHECK_EQUAL(spend.Run(CONSENSUS | DISCOURAGE_PROGRAM | DISCOURAGE_LEAF),
                                  SCRIPT_ERR_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM);
            }
        }
    }
    // After the commitment.
    spend.shown_leaf = CScript{} << OP_TRUE;
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
    BOOST_CHECK_EQUAL(spend.Run(CONSENSUS | DISCOURAGE_PROGRAM), SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
    // One step is enough to be executed.
    spend = TapSpend{};
    spend.leaf = CScript{} << OP_RETURN;
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OP_RETURN);
    BOOST_CHECK_EQUAL(spend.Run(CONSENSUS | DISCOURAGE_PROGRAM), SCRIPT_ERR_OP_RETURN);
}

// p2mr-execute, scope-leaf-version, policy-leaf-version
BOOST_AUTO_TEST_CASE(other_leaf_versions_succeed)
{
    TapSpend spend;
    spend.leaf = CScript{} << OP_RETURN;
    for (int version{0}; version < 0x100; version += 2) {
        spend.leaf_version = static_cast<uint8_t>(version);
        if (version == TAPROOT_LEAF_TAPSCRIPT) {
            BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OP_RETURN);
            BOOST_CHECK_EQUAL(spend.Run(CONSENSUS | DISCOURAGE_LEAF), SCRIPT_ERR_OP_RETURN);
        } else {
            BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
            BOOST_CHECK_EQUAL(spend.Run(CONSENSUS | DISCOURAGE_PROGRAM), SCRIPT_ERR_OK);
            BOOST_CHECK_EQUAL(spend.Run(CONSENSUS | DISCOURAGE_LEAF), SCRIPT_ERR_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION);
        }
    }
}

// p2mr-budget
BOOST_AUTO_TEST_CASE(the_budget_is_the_size_of_the_witness_plus_50)
{
    // Signatures of one byte for a key of unknown type cost 50 each. The witness is the only thing to pay with.
    const CScript check{CScript{} << Bytes(33, 2) << OP_CHECKSIGVERIFY};
    for (const bool with_annex : {false, true}) {
        for (size_t checks{1}; checks < 12; ++checks) {
            TapSpend spend;
            for (size_t i{0}; i < checks; ++i) {
                spend.leaf.insert(spend.leaf.end(), check.begin(), check.end());
                spend.stack.push_back({1});
            }
            spend.leaf << OP_TRUE;
            if (with_annex) spend.annex = Bytes(1, ANNEX_TAG);
            // 35 bytes of leaf and 2 of stack for each check, and what can be added to it.
            const auto size{static_cast<int64_t>(GetSerializeSize(spend.Witness()))};
            const int64_t missing{50 * static_cast<int64_t>(checks) - 50 - size};
            BOOST_CHECK_EQUAL(spend.Run(), missing > 0 ? SCRIPT_ERR_TAPSCRIPT_VALIDATION_WEIGHT : SCRIPT_ERR_OK);
            if (missing <= 2) continue;
            // One more element, dropped first, that is just large enough, and one byte less.
            for (const int64_t short_of : {0, 1}) {
                TapSpend padded{spend};
                const auto grow{[&](size_t bytes) {
                    padded.stack = spend.stack;
                    padded.stack.push_back(Bytes(bytes, 3));
                }};
                padded.leaf = CScript{} << OP_DROP;
                padded.leaf.insert(padded.leaf.end(), spend.leaf.begin(), spend.leaf.end());
                grow(0);
                const auto base{static_cast<int64_t>(GetSerializeSize(padded.Witness()))};
                grow(static_cast<size_t>(50 * static_cast<int64_t>(checks) - 50 - base - short_of));
                BOOST_REQUIRE_EQUAL(static_cast<int64_t>(GetSerializeSize(padded.Witness())) + 50,
                                    50 * static_cast<int64_t>(checks) - short_of);
                BOOST_CHECK_EQUAL(padded.Run(), short_of ? SCRIPT_ERR_TAPSCRIPT_VALIDATION_WEIGHT : SCRIPT_ERR_OK);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(tapscript_rules_apply)
{
    TapSpend spend;
    spend.leaf = CScript{} << OP_0 << OP_0 << OP_0 << OP_CHECKMULTISIG;
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_TAPSCRIPT_CHECKMULTISIG);
    spend.leaf = CScript{} << OP_2 << OP_IF << OP_ENDIF << OP_TRUE;
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_TAPSCRIPT_MINIMALIF);
    spend.leaf = CScript{} << OP_RETURN << OP_RESERVED;
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
    BOOST_CHECK_EQUAL(spend.Run(CONSENSUS | SCRIPT_VERIFY_DISCOURAGE_OP_SUCCESS), SCRIPT_ERR_DISCOURAGE_OP_SUCCESS);
    spend.leaf = CScript{} << OP_TRUE << OP_TRUE;
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_CLEANSTACK);
    spend.leaf = CScript{};
    for (int i{0}; i < 11'000; ++i) spend.leaf << OP_NOP; // no limits on size and operations
    spend.leaf << OP_TRUE;
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
}

// scope-p2mr, flag-p2mr, policy-unknown-program
BOOST_AUTO_TEST_CASE(only_native_version_2_programs_of_32_bytes_are_p2mr)
{
    // An invalid spend of a P2MR output; where it's an unknown program, it is valid.
    TapSpend spend;
    spend.leaf = CScript{} << OP_RETURN;
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OP_RETURN);
    const auto without_flag{CONSENSUS & ~SCRIPT_VERIFY_P2MR};
    BOOST_CHECK_EQUAL(spend.Run(without_flag), SCRIPT_ERR_OK);
    BOOST_CHECK_EQUAL(spend.Run(without_flag | DISCOURAGE_PROGRAM), SCRIPT_ERR_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM);

    // Wrapped in P2SH it stays unknown.
    const CScript redeem_script{spend.ScriptPubKey()};
    const CScript p2sh{CScript{} << OP_HASH160 << Hash160(redeem_script) << OP_EQUAL};
    const CScript script_sig{CScript{} << Bytes{redeem_script}};
    BOOST_CHECK_EQUAL(VerifyPlain(p2sh, spend.Witness(), CONSENSUS, script_sig), SCRIPT_ERR_OK);
    BOOST_CHECK_EQUAL(VerifyPlain(p2sh, spend.Witness(), CONSENSUS | DISCOURAGE_PROGRAM, script_sig),
                      SCRIPT_ERR_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM);

    // So do other versions and sizes.
    const Bytes root{redeem_script.begin() + 2, redeem_script.end()};
    for (const opcodetype version : {OP_3, OP_16}) {
        const CScript other{CScript{} << version << root};
        BOOST_CHECK_EQUAL(VerifyPlain(other, spend.Witness()), SCRIPT_ERR_OK);
        BOOST_CHECK_EQUAL(VerifyPlain(other, spend.Witness(), CONSENSUS | DISCOURAGE_PROGRAM),
                          SCRIPT_ERR_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM);
    }
    for (const size_t size : {2, 20, 31, 33, 40}) {
        const CScript other{CScript{} << OP_2 << Bytes(size, 7)};
        BOOST_CHECK_EQUAL(VerifyPlain(other, spend.Witness()), SCRIPT_ERR_OK);
        BOOST_CHECK_EQUAL(VerifyPlain(other, spend.Witness(), CONSENSUS | DISCOURAGE_PROGRAM),
                          SCRIPT_ERR_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM);
    }

    // The scriptSig of a native program is empty.
    BOOST_CHECK_EQUAL(VerifyPlain(redeem_script, ValidSpend().Witness(), CONSENSUS, CScript{} << OP_TRUE), SCRIPT_ERR_WITNESS_MALLEATED);
}

BOOST_AUTO_TEST_CASE(forms)
{
    const TapSpend spend{ValidSpend()};
    const CScript script_pub_key{spend.ScriptPubKey()};
    BOOST_CHECK(script_pub_key.IsPayToMerkleRoot());
    BOOST_CHECK(!script_pub_key.IsPayToTaproot());
    TapSpend taproot{ValidSpend()};
    taproot.output = Output::P2TR;
    BOOST_CHECK(!taproot.ScriptPubKey().IsPayToMerkleRoot());
    BOOST_CHECK(!(CScript{} << OP_2 << Bytes(31, 1)).IsPayToMerkleRoot());
    BOOST_CHECK(!(CScript{} << OP_2 << Bytes(33, 1)).IsPayToMerkleRoot());

    // Signature checks in a leaf count nothing for a block's limit.
    TapSpend with_checks{ValidSpend()};
    with_checks.leaf = CScript{} << OP_CHECKSIG << OP_CHECKSIGADD << OP_CHECKSIGSLHDSA << OP_CHECKSIGADDSLHDSA << OP_CHECKMULTISIG;
    BOOST_CHECK_EQUAL(CountWitnessSigOps({}, with_checks.ScriptPubKey(), with_checks.Witness(), CONSENSUS), 0U); // scope-sigops
    // Its count in an older script: the multisig's 20, and one.
    BOOST_CHECK_EQUAL(with_checks.leaf.GetSigOpCount(true), 21U);
}

BOOST_AUTO_TEST_CASE(flags_of_policy_change_nothing_else)
{
    // Whatever is removed from a full set, a valid input stays valid.
    const auto all{script_verify_flags::from_int(MAX_SCRIPT_VERIFY_FLAGS)};
    TapSpend spend{ValidSpend()};
    BOOST_CHECK_EQUAL(spend.Run(all), SCRIPT_ERR_OK);
    for (int bit{0}; bit < MAX_SCRIPT_VERIFY_FLAGS_BITS; ++bit) {
        const auto flags{all & ~static_cast<script_verify_flag_name>(bit)};
        if (!ValidFlags(flags)) {
            BOOST_CHECK_EQUAL(spend.Run(flags), SCRIPT_ERR_UNKNOWN_ERROR);
        } else if (bit == static_cast<int>(SCRIPT_VERIFY_P2MR)) {
            BOOST_CHECK_EQUAL(spend.Run(flags), SCRIPT_ERR_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM);
        } else {
            BOOST_CHECK_EQUAL(spend.Run(flags), SCRIPT_ERR_OK);
        }
    }
}

BOOST_AUTO_TEST_CASE(standard_flags_refuse_what_is_kept_for_soft_forks)
{
    BOOST_CHECK(ValidFlags(STANDARD_SCRIPT_VERIFY_FLAGS));
    BOOST_CHECK(ValidFlags(MANDATORY_SCRIPT_VERIFY_FLAGS));
    // All but SIGPUSHONLY, which P2SH and the transaction's own rule make needless, and the experiment.
    BOOST_CHECK((STANDARD_SCRIPT_VERIFY_FLAGS | SCRIPT_VERIFY_SIGPUSHONLY | SCRIPT_VERIFY_SLHDSA_SETS) ==
                script_verify_flags::from_int(MAX_SCRIPT_VERIFY_FLAGS));
    BOOST_CHECK((GetScriptFlagNames(MANDATORY_SCRIPT_VERIFY_FLAGS) == std::vector<std::string>{"P2SH", "DERSIG", "NULLDUMMY",
                                                                                               "CHECKLOCKTIMEVERIFY", "CHECKSEQUENCEVERIFY",
                                                                                               "WITNESS", "TAPROOT", "P2MR", "SLHDSA"}));

    // With them, unknown key types and leaf versions, and a tree of one leaf, cannot be spent.
    TapSpend spend;
    spend.leaf = CScript{} << TestKey::Get(1).Public() << OP_CHECKSIGSLHDSA;
    spend.stack = {FakeSignature()};
    BOOST_CHECK_EQUAL(spend.Run(STANDARD_SCRIPT_VERIFY_FLAGS), SCRIPT_ERR_OK);
    spend.leaf = CScript{} << Bytes(33, 1) << OP_CHECKSIGSLHDSA;
    BOOST_CHECK_EQUAL(spend.Run(STANDARD_SCRIPT_VERIFY_FLAGS), SCRIPT_ERR_DISCOURAGE_UPGRADABLE_PUBKEYTYPE);
    spend.leaf_version = 0xc2;
    BOOST_CHECK_EQUAL(spend.Run(STANDARD_SCRIPT_VERIFY_FLAGS), SCRIPT_ERR_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION);
    spend.path_length = 0;
    BOOST_CHECK_EQUAL(spend.Run(STANDARD_SCRIPT_VERIFY_FLAGS), SCRIPT_ERR_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM);
}

BOOST_AUTO_TEST_CASE(control_blocks_have_whole_paths)
{
    for (size_t size{0}; size <= 1 + 32 * 130; ++size) {
        std::vector<uint8_t> bytes(size, 0x33);
        if (size > 0) bytes[0] = 0xc1;
        const auto block{P2MRControlBlock::Parse(bytes)};
        const bool possible{size % 32 == 1 && size / 32 <= 128};
        BOOST_CHECK_EQUAL(block.has_value(), possible);
        if (!block) continue;
        BOOST_CHECK_EQUAL(block->PathLength(), size / 32);
        BOOST_CHECK_EQUAL(block->path.size(), size - 1);
        BOOST_CHECK_EQUAL(block->leaf_version, 0xc0);
        BOOST_CHECK(block->control_bit);
    }
}

/** No tree is deeper than a control block can express. */
BOOST_AUTO_TEST_CASE(trees_have_128_levels_at_most)
{
    for (const bool leaf_to_the_left : {false, true}) {
        ScriptTree tree{CScript{} << OP_1};
        for (size_t depth{1}; depth <= 128; ++depth) {
            ScriptTree leaf{CScript{} << OP_2};
            auto higher{leaf_to_the_left ? ScriptTree::Branch(leaf, tree) : ScriptTree::Branch(tree, leaf)};
            BOOST_REQUIRE(higher);
            tree = *std::move(higher);
            const ScriptTree::Leaf& deepest{leaf_to_the_left ? tree.Leaves().back() : tree.Leaves().front()};
            BOOST_CHECK_EQUAL(deepest.Depth(), depth);
            BOOST_CHECK_EQUAL(deepest.P2MRControlBlock().size(), 1 + 32 * depth);
        }
        const ScriptTree leaf{CScript{} << OP_2};
        BOOST_CHECK(!ScriptTree::Branch(leaf, tree));
        BOOST_CHECK(!ScriptTree::Branch(tree, leaf));
        BOOST_CHECK(!ScriptTree::Branch(tree, tree));
    }
}

BOOST_AUTO_TEST_SUITE_END()
