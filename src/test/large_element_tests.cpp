// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Elements over 520 bytes: the scripts that may have them, the operations that may use them, and the order of errors. The use of each
// operand by each opcode is in opcode_operands_tests.cpp.

#include <script/interpreter.h>
#include <script/observer.h>
#include <test/script_machine.h>
#include <test/tap_fixture.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <optional>

using namespace slhc;
using namespace slhc::test;

namespace {

/** In a branch never taken: makes large elements possible. */
const CScript ALLOW_LARGE{CScript{} << OP_0 << OP_IF << OP_CHECKSIGSLHDSA << OP_ENDIF};

CScript Join(std::initializer_list<CScript> parts)
{
    CScript joined;
    for (const CScript& part : parts) joined.insert(joined.end(), part.begin(), part.end());
    return joined;
}

} // namespace

BOOST_AUTO_TEST_SUITE(large_element_tests)

// large-order
BOOST_AUTO_TEST_CASE(large_before_the_rules_of_an_opcode)
{
    // Before the rule of minimal conditions
    for (const opcodetype opcode : {OP_IF, OP_NOTIF}) {
        BOOST_CHECK_EQUAL(Machine({Bytes(520, 1)}, CScript{} << opcode << OP_ENDIF).error, SCRIPT_ERR_TAPSCRIPT_MINIMALIF);
        BOOST_CHECK_EQUAL(Machine({Bytes(521, 1)}, CScript{} << opcode << OP_ENDIF).error, SCRIPT_ERR_PUSH_SIZE);
    }
    // A condition that isn't evaluated is not read.
    BOOST_CHECK_EQUAL(Machine({Bytes(521, 1)}, CScript{} << OP_0 << OP_IF << OP_IF << OP_ENDIF << OP_ENDIF).error, SCRIPT_ERR_OK);
    // Before the empty key of a signature check
    BOOST_CHECK_EQUAL(Machine({Bytes(521, 1), {}}, CScript{} << OP_CHECKSIG).error, SCRIPT_ERR_PUSH_SIZE);
    BOOST_CHECK_EQUAL(Machine({Bytes(520, 1), {}}, CScript{} << OP_CHECKSIG).error, SCRIPT_ERR_TAPSCRIPT_EMPTY_PUBKEY);
}

BOOST_AUTO_TEST_CASE(lock_times_without_their_flags)
{
    // They are OP_NOP2 and OP_NOP3 then, and read nothing.
    const Bytes large(521, 1);
    const auto without{CONSENSUS & ~(SCRIPT_VERIFY_CHECKLOCKTIMEVERIFY | SCRIPT_VERIFY_CHECKSEQUENCEVERIFY)};
    for (const opcodetype opcode : {OP_CHECKLOCKTIMEVERIFY, OP_CHECKSEQUENCEVERIFY}) {
        BOOST_CHECK_EQUAL(Machine({large}, CScript{} << opcode).error, SCRIPT_ERR_PUSH_SIZE);
        BOOST_CHECK_EQUAL(Machine({large}, CScript{} << opcode, without).error, SCRIPT_ERR_OK);
        BOOST_CHECK_EQUAL(Machine({}, CScript{} << opcode, without).error, SCRIPT_ERR_OK);
    }
}

// large-operands
BOOST_AUTO_TEST_CASE(moves_keep_large_elements_as_they_are)
{
    const auto large{[](uint8_t n) { return Bytes(1000 + n, n); }};
    const auto make{[&](std::initializer_list<int> numbers) {
        std::vector<Bytes> elements;
        for (const int n : numbers) elements.push_back(large(static_cast<uint8_t>(n)));
        return elements;
    }};
    const auto check{[&](std::initializer_list<int> before, const CScript& script, std::initializer_list<int> after) {
        const Machine machine{make(before), script};
        BOOST_CHECK_EQUAL(machine.error, SCRIPT_ERR_OK);
        BOOST_CHECK(machine.Elements() == make(after));
    }};
    check({1, 2}, CScript{} << OP_DROP, {1});
    check({1, 2, 3}, CScript{} << OP_2DROP, {1});
    check({1, 2, 3}, CScript{} << OP_NIP, {1, 3});
    check({1, 2, 3}, CScript{} << OP_SWAP, {1, 3, 2});
    check({1, 2, 3, 4, 5}, CScript{} << OP_2SWAP, {1, 4, 5, 2, 3});
    check({1, 2, 3, 4}, CScript{} << OP_ROT, {1, 3, 4, 2});
    check({1, 2, 3, 4, 5, 6, 7}, CScript{} << OP_2ROT, {1, 4, 5, 6, 7, 2, 3});
    check({1, 2, 3, 4}, CScript{} << OP_3 << OP_ROLL, {2, 3, 4, 1});
    check({1, 2, 3, 4}, CScript{} << OP_0 << OP_ROLL, {1, 2, 3, 4});
    check({1, 2, 3, 4}, CScript{} << OP_1 << OP_ROLL, {1, 2, 4, 3});
    check({1, 2, 3}, CScript{} << OP_TOALTSTACK << OP_TOALTSTACK << OP_FROMALTSTACK << OP_FROMALTSTACK, {1, 2, 3});
    check({1, 2, 3}, CScript{} << OP_TOALTSTACK << OP_SWAP << OP_FROMALTSTACK, {2, 1, 3});
}

BOOST_AUTO_TEST_CASE(copies_of_small_elements)
{
    const auto check{[](const std::vector<Bytes>& before, opcodetype opcode, const std::vector<Bytes>& after) {
        const Machine machine{before, CScript{} << opcode};
        BOOST_CHECK_EQUAL(machine.error, SCRIPT_ERR_OK);
        BOOST_CHECK(machine.Elements() == after);
    }};
    const Bytes big(521, 9);
    check({{1}}, OP_DUP, {{1}, {1}});
    check({{1}, {2}}, OP_2DUP, {{1}, {2}, {1}, {2}});
    check({{1}, {2}, {3}}, OP_3DUP, {{1}, {2}, {3}, {1}, {2}, {3}});
    check({{1}, big}, OP_OVER, {{1}, big, {1}});
    check({{1}, {2}, big, big}, OP_2OVER, {{1}, {2}, big, big, {1}, {2}});
    check({big, {2}}, OP_TUCK, {{2}, big, {2}});
    check({{1}}, OP_IFDUP, {{1}, {1}});
    check({{}}, OP_IFDUP, {{}});
    check({{7, 7, 7}}, OP_SIZE, {{7, 7, 7}, {3}});
    check({big}, OP_SIZE, {big, {0x09, 0x02}});
    check({Bytes(7857, 1)}, OP_SIZE, {Bytes(7857, 1), {0xb1, 0x1e}});
    check({{}, {}}, OP_DEPTH, {{}, {}, {2}});
}

// large-pick-roll
BOOST_AUTO_TEST_CASE(roll_moves_a_large_element_and_pick_refuses_it)
{
    const Bytes large(521, 1);
    for (const opcodetype opcode : {OP_PICK, OP_ROLL}) {
        const auto run{[&](const std::vector<Bytes>& elements) { return Machine(elements, CScript{} << opcode).error; }};
        // Depth, then n is read, then its range, then the element
        BOOST_CHECK_EQUAL(run({large}), SCRIPT_ERR_INVALID_STACK_OPERATION);
        BOOST_CHECK_EQUAL(run({{}, large}), SCRIPT_ERR_PUSH_SIZE);
        BOOST_CHECK_EQUAL(run({large, large}), SCRIPT_ERR_PUSH_SIZE);
        BOOST_CHECK_EQUAL(run({large, Bytes(520, 1)}), SCRIPT_ERR_SCRIPTNUM);
        BOOST_CHECK_EQUAL(run({large, Bytes(5, 1)}), SCRIPT_ERR_SCRIPTNUM);
        BOOST_CHECK_EQUAL(run({large, {1}}), SCRIPT_ERR_INVALID_STACK_OPERATION);
        BOOST_CHECK_EQUAL(run({large, {0x81}}), SCRIPT_ERR_INVALID_STACK_OPERATION);
        BOOST_CHECK_EQUAL(run({large, {0xff, 0xff, 0xff, 0x7f}}), SCRIPT_ERR_INVALID_STACK_OPERATION);
        BOOST_CHECK_EQUAL(run({large, {}}), opcode == OP_PICK ? SCRIPT_ERR_PUSH_SIZE : SCRIPT_ERR_OK);
        BOOST_CHECK_EQUAL(run({large, {7}, {1}}), opcode == OP_PICK ? SCRIPT_ERR_PUSH_SIZE : SCRIPT_ERR_OK);
        BOOST_CHECK_EQUAL(run({large, {7}, {}}), SCRIPT_ERR_OK); // the other one
        BOOST_CHECK_EQUAL(run({Bytes(520, 1), {}}), SCRIPT_ERR_OK);
    }
    const Machine picked{{{7}, {8}, {1}}, CScript{} << OP_PICK};
    BOOST_CHECK(picked.Elements() == (std::vector<Bytes>{{7}, {8}, {7}}));
}

BOOST_AUTO_TEST_CASE(schnorr_opcodes_refuse_large_signatures)
{
    const Bytes large(521, 1);
    for (const opcodetype opcode : {OP_CHECKSIG, OP_CHECKSIGVERIFY}) {
        BOOST_CHECK_EQUAL(Machine({large, SchnorrPublicKey()}, CScript{} << opcode).error, SCRIPT_ERR_PUSH_SIZE);
        BOOST_CHECK_EQUAL(Machine({{}, large}, CScript{} << opcode).error, SCRIPT_ERR_PUSH_SIZE);
    }
    BOOST_CHECK_EQUAL(Machine({large, Bytes(5, 1), SchnorrPublicKey()}, CScript{} << OP_CHECKSIGADD).error, SCRIPT_ERR_PUSH_SIZE);
    BOOST_CHECK_EQUAL(Machine({{}, Bytes(5, 1), large}, CScript{} << OP_CHECKSIGADD).error, SCRIPT_ERR_PUSH_SIZE);
    for (const opcodetype opcode : {OP_CHECKMULTISIG, OP_CHECKMULTISIGVERIFY}) {
        BOOST_CHECK_EQUAL(Machine({large, large}, CScript{} << opcode).error, SCRIPT_ERR_TAPSCRIPT_CHECKMULTISIG);
    }
}

BOOST_AUTO_TEST_CASE(signatures_are_consumed)
{
    const Bytes key(33, 2); // unknown: any signature passes
    const Machine check{{{7}, Bytes(7857, 1), key}, CScript{} << OP_CHECKSIGSLHDSA};
    BOOST_CHECK_EQUAL(check.error, SCRIPT_ERR_OK);
    BOOST_CHECK(check.Elements() == (std::vector<Bytes>{{7}, {1}}));
    const Machine add{{{7}, Bytes(7857, 1), {2}, key}, CScript{} << OP_CHECKSIGADDSLHDSA};
    BOOST_CHECK_EQUAL(add.error, SCRIPT_ERR_OK);
    BOOST_CHECK(add.Elements() == (std::vector<Bytes>{{7}, {3}}));
}

// Scripts that may have large elements

// scan-contains, limit-element
BOOST_AUTO_TEST_CASE(large_initial_elements_need_one_of_the_opcodes)
{
    for (const Output output : BOTH_OUTPUTS) {
        TapSpend spend;
        spend.output = output;
        const auto run{[&](const CScript& leaf, size_t size, script_verify_flags flags = CONSENSUS) {
            spend.leaf = leaf;
            spend.stack = {{1}, Bytes(size, 1)};
            return spend.Run(flags);
        }};
        const CScript drop{CScript{} << OP_DROP};
        BOOST_CHECK_EQUAL(run(drop, 520), SCRIPT_ERR_OK);
        BOOST_CHECK_EQUAL(run(drop, 521), SCRIPT_ERR_PUSH_SIZE);
        for (const opcodetype opcode : {OP_CHECKSIGSLHDSA, OP_CHECKSIGADDSLHDSA}) {
            // Wherever it is, executed or not
            const CScript not_taken{CScript{} << OP_0 << OP_IF << opcode << OP_ENDIF};
            for (const CScript& leaf : {Join({drop, not_taken}), Join({not_taken, drop})}) {
                BOOST_CHECK_EQUAL(run(leaf, 521), SCRIPT_ERR_OK);
                BOOST_CHECK_EQUAL(run(leaf, 7857), SCRIPT_ERR_OK);
                BOOST_CHECK_EQUAL(run(leaf, 7858), SCRIPT_ERR_PUSH_SIZE);
                BOOST_CHECK_EQUAL(run(leaf, 7858, CONSENSUS & ~SCRIPT_VERIFY_SLHDSA), SCRIPT_ERR_OK); // OP_SUCCESSx
            }
            // The byte in a push is no opcode.
            BOOST_CHECK_EQUAL(run(Join({drop, CScript{} << Bytes{opcode} << OP_DROP}), 521), SCRIPT_ERR_PUSH_SIZE);
        }
        // Every element is looked at, not only those used.
        spend.leaf = Join({ALLOW_LARGE, CScript{} << OP_2DROP});
        spend.stack = {{1}, Bytes(7857, 1), Bytes(7857, 1)};
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
        for (size_t i{0}; i < 3; ++i) {
            auto changed{spend};
            changed.stack[i] = Bytes(7858, 1);
            BOOST_CHECK_EQUAL(changed.Run(), SCRIPT_ERR_PUSH_SIZE);
        }
    }
    // Not in version 0
    const CScript witness_script{CScript{} << OP_DROP << OP_TRUE};
    const CScript p2wsh{CScript{} << OP_0 << Sha256(witness_script)};
    for (const size_t size : {520, 521}) {
        const CScriptWitness witness{{Bytes(size, 1), witness_script}};
        ScriptError error;
        (void)VerifyScript({}, p2wsh, &witness, CONSENSUS, BaseSignatureChecker{}, error);
        BOOST_CHECK_EQUAL(error, size > 520 ? SCRIPT_ERR_PUSH_SIZE : SCRIPT_ERR_OK);
    }
}

// limit-push
BOOST_AUTO_TEST_CASE(pushes_of_the_script)
{
    for (const Output output : BOTH_OUTPUTS) {
        TapSpend spend;
        spend.output = output;
        for (const CScript& allow : {CScript{}, ALLOW_LARGE}) {
            spend.leaf = Join({allow, CScript{} << Bytes(520, 1)});
            BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
            spend.leaf = Join({allow, CScript{} << Bytes(521, 1)});
            BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_PUSH_SIZE);
            spend.leaf = Join({allow, CScript{} << OP_TRUE << OP_0 << OP_IF << Bytes(521, 1) << OP_ENDIF});
            BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_PUSH_SIZE);
        }
    }
}

// scan-success, scan-decode
BOOST_AUTO_TEST_CASE(search_for_op_success)
{
    constexpr auto DISCOURAGE{SCRIPT_VERIFY_DISCOURAGE_OP_SUCCESS};
    for (const Output output : BOTH_OUTPUTS) {
        for (const opcodetype ours : {OP_CHECKSIGSLHDSA, OP_CHECKSIGADDSLHDSA}) {
            TapSpend spend;
            spend.output = output;
            spend.stack = {Bytes(100'000, 1)}; // too large for anything that is executed
            const auto run{[&](const CScript& leaf, script_verify_flags flags = CONSENSUS) {
                spend.leaf = leaf;
                return spend.Run(flags);
            }};
            const CScript cut_off{CScript{} << OP_PUSHDATA1};
            for (const opcodetype other : {OP_RESERVED, OP_CAT, OP_RIGHT, static_cast<opcodetype>(0xbb), static_cast<opcodetype>(0xfe)}) {
                for (const CScript& leaf : {CScript{} << other << ours, CScript{} << ours << other,
                                            Join({CScript{} << ours << other, cut_off}), Join({CScript{} << other << ours, cut_off})}) {
                    BOOST_CHECK_EQUAL(run(leaf), SCRIPT_ERR_OK);
                    BOOST_CHECK_EQUAL(run(leaf, CONSENSUS | DISCOURAGE), SCRIPT_ERR_DISCOURAGE_OP_SUCCESS);
                }
            }
            // An instruction that is cut off, with nothing behind it to save it
            for (const CScript& leaf : {cut_off, Join({CScript{} << ours, cut_off}), CScript{Bytes{ours, 0x02, OP_RESERVED}},
                                        CScript{Bytes{0x05, ours, OP_RESERVED}}}) {
                BOOST_CHECK_EQUAL(run(leaf), SCRIPT_ERR_BAD_OPCODE);
                BOOST_CHECK_EQUAL(run(leaf, CONSENSUS | DISCOURAGE), SCRIPT_ERR_BAD_OPCODE);
            }
            // Without our flag ours end the search.
            const auto without{CONSENSUS & ~SCRIPT_VERIFY_SLHDSA};
            BOOST_CHECK_EQUAL(run(Join({CScript{} << ours, cut_off}), without), SCRIPT_ERR_OK);
            BOOST_CHECK_EQUAL(run(Join({CScript{} << ours, cut_off}), without | DISCOURAGE), SCRIPT_ERR_DISCOURAGE_OP_SUCCESS);
        }
    }
}

// limit-count
BOOST_AUTO_TEST_CASE(order_of_the_limits)
{
    for (const Output output : BOTH_OUTPUTS) {
        for (const CScript& allow : {CScript{}, ALLOW_LARGE}) {
            TapSpend spend;
            spend.output = output;
            spend.leaf = allow;
            for (int i{0}; i < 499; ++i) spend.leaf << OP_2DROP;
            // 1000 elements and no more. The script may not push a 1001st, so that OP_0 of ALLOW_LARGE is too much.
            spend.stack.assign(1000, Bytes{1});
            BOOST_CHECK_EQUAL(spend.Run(), allow.empty() ? SCRIPT_ERR_CLEANSTACK : SCRIPT_ERR_STACK_SIZE);
            spend.stack.assign(999, Bytes{1});
            BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
            spend.stack.assign(1001, Bytes{1});
            BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_STACK_SIZE);
            // The number of elements comes before their sizes,
            spend.stack[0] = Bytes(100'000, 1);
            BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_STACK_SIZE);
            spend.stack.resize(1000);
            BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_PUSH_SIZE);
            // after decodability,
            spend.stack.assign(1001, Bytes(100'000, 1));
            spend.leaf << OP_PUSHDATA1;
            BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_BAD_OPCODE);
            // and that after OP_SUCCESSx.
            spend.leaf.back() = OP_RESERVED;
            BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
        }
    }
}

// limit-stack
BOOST_AUTO_TEST_CASE(thousand_elements_with_the_opcode)
{
    // The opcode at the end, so that nothing is pushed above the limit.
    TapSpend spend;
    for (int i{0}; i < 499; ++i) spend.leaf << OP_2DROP;
    const CScript tail{CScript{} << OP_DROP << OP_TRUE << OP_0 << OP_IF << OP_CHECKSIGSLHDSA << OP_ENDIF << OP_NIP};
    spend.leaf.insert(spend.leaf.end(), tail.begin(), tail.end());
    spend.stack.assign(1000, Bytes{1});
    spend.stack[999] = Bytes(7857, 1);
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
    spend.stack.insert(spend.stack.begin(), Bytes{1});
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_STACK_SIZE);
}

// large-result
BOOST_AUTO_TEST_CASE(a_large_element_fails_the_truth_test)
{
    for (const Output output : BOTH_OUTPUTS) {
        TapSpend spend;
        spend.output = output;
        spend.leaf = ALLOW_LARGE;
        spend.stack = {Bytes(520, 1)};
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
        spend.stack = {Bytes(520, 0)};
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_EVAL_FALSE);
        for (const uint8_t byte : {0, 1}) {
            spend.stack = {Bytes(521, byte)};
            BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_PUSH_SIZE);
            spend.stack = {Bytes(521, byte), Bytes(521, byte)}; // after the rule of one element
            BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_CLEANSTACK);
        }
        spend.stack = {};
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_CLEANSTACK);
    }
}

BOOST_AUTO_TEST_CASE(moves_in_a_spend)
{
    // A signature that goes through all ten moves, and is valid at the end.
    for (const Output output : BOTH_OUTPUTS) {
        TapSpend spend;
        spend.output = output;
        const auto& key{TestKey::Get(1).Public()};
        spend.leaf = CScript{} << OP_TOALTSTACK << OP_FROMALTSTACK << OP_SWAP << OP_SWAP
                               << OP_0 << OP_0 << OP_ROT // 0 0 sig
                               << OP_2 << OP_ROLL << OP_2 << OP_ROLL // sig 0 0
                               << OP_0 << OP_2SWAP // 0 0 sig 0
                               << OP_1 << OP_2 << OP_2ROT // sig 0 1 2 0 0
                               << OP_2DROP << OP_2DROP << OP_NIP // 0: the signature is dropped
                               << OP_DROP << key << OP_CHECKSIGSLHDSA;
        spend.stack = {FakeSignature(), FakeSignature()};
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
        BOOST_CHECK_EQUAL(spend.Run(CONSENSUS, Verify::REJECT), SCRIPT_ERR_SLHDSA_SIG);
    }
}

BOOST_AUTO_TEST_CASE(lengths_in_a_spend)
{
    // Miniscript's j: runs what it wraps if the element is not empty. Here: or_b(A, sj:B).
    const auto& a{TestKey::Get(1).Public()};
    const auto& b{TestKey::Get(2).Public()};
    for (const Output output : BOTH_OUTPUTS) {
        TapSpend spend;
        spend.output = output;
        spend.leaf = CScript{} << a << OP_CHECKSIGSLHDSA << OP_SWAP << OP_SIZE << OP_0NOTEQUAL << OP_IF << b << OP_CHECKSIGSLHDSA
                               << OP_ENDIF << OP_BOOLOR;
        const auto run{[&](const Bytes& sig_b, const Bytes& sig_a, Verify verify = Verify::ACCEPT) {
            spend.stack = {sig_b, sig_a};
            return spend.Run(CONSENSUS, verify);
        }};
        BOOST_CHECK_EQUAL(run(FakeSignature(), {}), SCRIPT_ERR_OK);
        BOOST_CHECK_EQUAL(run(FakeSignature(7857, SIGHASH_ALL), {}), SCRIPT_ERR_OK);
        BOOST_CHECK_EQUAL(run({}, FakeSignature()), SCRIPT_ERR_OK);
        BOOST_CHECK_EQUAL(run(FakeSignature(), FakeSignature()), SCRIPT_ERR_OK);
        BOOST_CHECK_EQUAL(run({}, {}), SCRIPT_ERR_EVAL_FALSE);
        BOOST_CHECK_EQUAL(run(FakeSignature(), {}, Verify::REJECT), SCRIPT_ERR_SLHDSA_SIG);
        BOOST_CHECK_EQUAL(run(Bytes(521, 1), FakeSignature()), SCRIPT_ERR_SLHDSA_SIG_SIZE);

        // A script can insist on a signature without a hash type.
        spend.leaf = CScript{} << OP_SIZE << int64_t{7856} << OP_EQUALVERIFY << a << OP_CHECKSIGSLHDSA;
        spend.stack = {FakeSignature()};
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
        spend.stack = {FakeSignature(7857, SIGHASH_ALL)};
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_EQUALVERIFY);
    }
}

BOOST_AUTO_TEST_CASE(the_stack_moves_large_elements_and_does_not_read_them)
{
    ScriptStack stack;
    stack.Push(Bytes(521, 1));
    stack.Push(Bytes{2});
    BOOST_CHECK_EQUAL(stack.SizeOf(2), 521U);
    BOOST_CHECK_EQUAL(stack.SizeOf(1), 1U);
    BOOST_CHECK_THROW((void)stack.Read(2), LargeElementError);
    BOOST_CHECK_THROW((void)stack.Clone(), LargeElementError);
    BOOST_CHECK(std::ranges::equal(stack.Read(1), Bytes{2}));
    // A move hands the very bytes over.
    const uint8_t* const bytes{PeekForDisplay(stack, 2).data()};
    StackElement element{stack.Move(2)};
    BOOST_CHECK(element.IsLarge());
    stack.Push(std::move(element));
    BOOST_CHECK(PeekForDisplay(stack, 1).data() == bytes);
    BOOST_CHECK(std::move(stack.Move(1)).TakeBytes().data() == bytes);
    BOOST_CHECK_EQUAL(stack.size(), 1U);
}

BOOST_AUTO_TEST_SUITE_END()
