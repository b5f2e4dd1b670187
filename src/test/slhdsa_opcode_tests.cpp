// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// OP_CHECKSIGSLHDSA and OP_CHECKSIGADDSLHDSA, clause by clause, in P2MR and P2TR leaves.

#include <script/interpreter.h>
#include <test/tap_fixture.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <functional>

using namespace slhc;
using namespace slhc::test;

namespace {

constexpr auto DISCOURAGE_KEY{SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_PUBKEYTYPE};

Bytes Key(uint8_t seed = 1)
{
    const auto& key{TestKey::Get(seed).Public()};
    return {key.begin(), key.end()};
}

/** The opcode that checks, and the one that checks and adds. */
constexpr std::array<opcodetype, 2> BOTH_OPCODES{OP_CHECKSIGSLHDSA, OP_CHECKSIGADDSLHDSA};

/** A leaf that checks the signature on the stack and leaves the result, as a bool or as 0 + bool. */
CScript CheckLeaf(opcodetype opcode, const Bytes& key)
{
    CScript leaf;
    if (opcode == OP_CHECKSIGADDSLHDSA) leaf << OP_0;
    return leaf << key << opcode;
}

/** Every combination of output and opcode, with a leaf that checks one signature with a key. */
void ForEach(const Bytes& key, const std::function<void(TapSpend&)>& test)
{
    for (const Output output : BOTH_OUTPUTS) {
        for (const opcodetype opcode : BOTH_OPCODES) {
            BOOST_TEST_CONTEXT(output << " " << GetTapscriptOpName(opcode, CONSENSUS))
            {
                TapSpend spend;
                spend.output = output;
                spend.leaf = CheckLeaf(opcode, key);
                test(spend);
            }
        }
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(slhdsa_opcode_tests)

// scan-success
BOOST_AUTO_TEST_CASE(op_success_is_bip342s_list_but_for_the_opcodes)
{
    // BIP 342's list, written another way.
    const auto bip342{[](int x) {
        for (const auto& [first, last] :
             std::vector<std::pair<int, int>>{{80, 80}, {98, 98}, {126, 129}, {131, 134}, {137, 138}, {141, 142}, {149, 153}, {187, 254}}) {
            if (x >= first && x <= last) return true;
        }
        return false;
    }};
    for (int x{0}; x <= 0xff; ++x) {
        const auto opcode{static_cast<opcodetype>(x)};
        BOOST_CHECK_EQUAL(IsOpSuccess(opcode, CONSENSUS & ~SCRIPT_VERIFY_SLHDSA), bip342(x));
        BOOST_CHECK_EQUAL(IsOpSuccess(opcode, CONSENSUS), bip342(x) && x != 0x7f && x != 0x80);
        BOOST_CHECK_EQUAL(IsSLHDSAOpcode(opcode), x == 0x7f || x == 0x80);
    }
}

// scope-tapscript, scope-leaf-version, policy-success, flag-opcodes
BOOST_AUTO_TEST_CASE(without_the_flag_the_opcodes_are_op_success)
{
    ForEach(Key(), [](TapSpend& spend) {
        spend.stack = {{}};
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_EVAL_FALSE);
        BOOST_CHECK_EQUAL(spend.Run(CONSENSUS | SCRIPT_VERIFY_DISCOURAGE_OP_SUCCESS), SCRIPT_ERR_EVAL_FALSE);
        const auto without{CONSENSUS & ~SCRIPT_VERIFY_SLHDSA};
        BOOST_CHECK_EQUAL(spend.Run(without), SCRIPT_ERR_OK);
        BOOST_CHECK_EQUAL(spend.Run(without | SCRIPT_VERIFY_DISCOURAGE_OP_SUCCESS), SCRIPT_ERR_DISCOURAGE_OP_SUCCESS);
        spend.stack = {Bytes(8000, 1)};
        BOOST_CHECK_EQUAL(spend.Run(without), SCRIPT_ERR_OK);
        // Other leaf versions have no opcodes.
        spend.leaf_version = 0xc2;
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
    });
}

// scope-legacy
BOOST_AUTO_TEST_CASE(outside_tapscript_the_opcodes_stay_disabled)
{
    for (const opcodetype opcode : BOTH_OPCODES) {
        for (const CScript& script :
             {CScript{} << OP_0 << OP_0 << OP_0 << opcode, CScript{} << OP_TRUE << OP_0 << OP_IF << opcode << OP_ENDIF}) {
            ScriptError error;
            // Bare, P2SH, P2WSH
            BOOST_CHECK(!VerifyScript({}, script, nullptr, CONSENSUS, BaseSignatureChecker{}, error));
            BOOST_CHECK_EQUAL(error, SCRIPT_ERR_DISABLED_OPCODE);
            const CScript p2sh{CScript{} << OP_HASH160 << Hash160(script) << OP_EQUAL};
            BOOST_CHECK(!VerifyScript(CScript{} << Bytes{script}, p2sh, nullptr, CONSENSUS, BaseSignatureChecker{}, error));
            BOOST_CHECK_EQUAL(error, SCRIPT_ERR_DISABLED_OPCODE);
            const CScript p2wsh{CScript{} << OP_0 << Sha256(script)};
            const CScriptWitness witness{{script}};
            BOOST_CHECK(!VerifyScript({}, p2wsh, &witness, CONSENSUS, BaseSignatureChecker{}, error));
            BOOST_CHECK_EQUAL(error, SCRIPT_ERR_DISABLED_OPCODE);
        }
    }
    // The other disabled opcodes are as they were in tapscript: OP_SUCCESSx.
    TapSpend spend;
    for (const opcodetype opcode : {OP_CAT, OP_RIGHT, OP_INVERT, OP_2MUL, OP_RSHIFT}) {
        spend.leaf = CScript{} << OP_RETURN << opcode;
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
    }
    // EvalScript itself, without the search for OP_SUCCESSx: disabled without the flag.
    for (const opcodetype opcode : BOTH_OPCODES) {
        for (const SigVersion version : {SigVersion::BASE, SigVersion::WITNESS_V0, SigVersion::TAPSCRIPT}) {
            ScriptStack stack;
            ScriptExecutionData execdata;
            ScriptError error;
            BOOST_CHECK(!EvalScript(stack, CScript{} << opcode, SCRIPT_VERIFY_NONE, BaseSignatureChecker{}, version, execdata, error));
            BOOST_CHECK_EQUAL(error, SCRIPT_ERR_DISABLED_OPCODE);
        }
    }
}

// opcode-unexecuted
BOOST_AUTO_TEST_CASE(in_an_unexecuted_branch_the_opcodes_do_nothing)
{
    for (const Output output : BOTH_OUTPUTS) {
        for (const opcodetype opcode : BOTH_OPCODES) {
            TapSpend spend;
            spend.output = output;
            spend.leaf = CScript{} << OP_0 << OP_IF << opcode << opcode << OP_ENDIF << OP_TRUE;
            BOOST_CHECK_EQUAL(spend.Run(CONSENSUS, Verify::REJECT), SCRIPT_ERR_OK);
        }
    }
}

// opcode-depth
BOOST_AUTO_TEST_CASE(too_few_elements_fail_first)
{
    for (const Output output : BOTH_OUTPUTS) {
        TapSpend spend;
        spend.output = output;
        for (size_t n{0}; n <= 3; ++n) {
            spend.stack.assign(n, Bytes{});
            spend.leaf = CScript{} << OP_CHECKSIGSLHDSA;
            BOOST_CHECK_EQUAL(spend.Run(), n < 2 ? SCRIPT_ERR_INVALID_STACK_OPERATION : SCRIPT_ERR_TAPSCRIPT_EMPTY_PUBKEY);
            spend.leaf = CScript{} << OP_CHECKSIGADDSLHDSA;
            BOOST_CHECK_EQUAL(spend.Run(), n < 3 ? SCRIPT_ERR_INVALID_STACK_OPERATION : SCRIPT_ERR_TAPSCRIPT_EMPTY_PUBKEY);
        }
        // It comes before large operands.
        spend.leaf = CScript{} << OP_CHECKSIGSLHDSA;
        spend.stack = {Bytes(521, 1)};
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_INVALID_STACK_OPERATION);
        spend.leaf = CScript{} << OP_CHECKSIGADDSLHDSA;
        spend.stack = {Bytes(521, 1), Bytes(521, 1)};
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_INVALID_STACK_OPERATION);
    }
}

// opcode-num, policy-minimaldata
BOOST_AUTO_TEST_CASE(order_of_n_and_key)
{
    const Bytes large(521, 1);
    const Bytes no_number(5, 1);
    for (const Output output : BOTH_OUTPUTS) {
        TapSpend spend;
        spend.output = output;
        spend.leaf = CScript{} << OP_CHECKSIGADDSLHDSA;
        const auto run{[&](const Bytes& sig, const Bytes& n, const Bytes& key, script_verify_flags flags = CONSENSUS) {
            spend.stack = {sig, n, key};
            return spend.Run(flags);
        }};
        BOOST_CHECK_EQUAL(run({}, large, Key()), SCRIPT_ERR_PUSH_SIZE);
        BOOST_CHECK_EQUAL(run({}, Bytes(520, 1), Key()), SCRIPT_ERR_SCRIPTNUM);
        BOOST_CHECK_EQUAL(run({}, no_number, Key()), SCRIPT_ERR_SCRIPTNUM);
        BOOST_CHECK_EQUAL(run({}, no_number, large), SCRIPT_ERR_SCRIPTNUM); // n before the key
        BOOST_CHECK_EQUAL(run({}, {1}, large), SCRIPT_ERR_PUSH_SIZE);
        BOOST_CHECK_EQUAL(run({}, large, {}), SCRIPT_ERR_PUSH_SIZE);
        BOOST_CHECK_EQUAL(run({}, no_number, {}), SCRIPT_ERR_SCRIPTNUM);
        BOOST_CHECK_EQUAL(run({}, {0}, Key()), SCRIPT_ERR_EVAL_FALSE);
        BOOST_CHECK_EQUAL(run({}, {0}, Key(), CONSENSUS | SCRIPT_VERIFY_MINIMALDATA), SCRIPT_ERR_SCRIPTNUM);
        BOOST_CHECK_EQUAL(run({}, {0}, large, CONSENSUS | SCRIPT_VERIFY_MINIMALDATA), SCRIPT_ERR_SCRIPTNUM);
        BOOST_CHECK_EQUAL(run({1}, {}, Key()), SCRIPT_ERR_SLHDSA_SIG_SIZE);

        spend.leaf = CScript{} << OP_CHECKSIGSLHDSA;
        spend.stack = {{}, large};
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_PUSH_SIZE);
        spend.stack = {{}, Bytes(520, 1)};
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_EVAL_FALSE); // an unknown type of key
    }
}

// opcode-key-large
BOOST_AUTO_TEST_CASE(a_large_key_comes_before_the_weight)
{
    // A witness that pays for the first check and not for the second, which has a large key.
    for (const opcodetype opcode : BOTH_OPCODES) {
        ScriptStack stack;
        stack.Push(Bytes{1});
        if (opcode == OP_CHECKSIGADDSLHDSA) stack.Push(Bytes{});
        stack.Push(Bytes(521, 1));
        ScriptExecutionData execdata;
        execdata.m_annex_init = true;
        execdata.m_validation_weight_left = 0;
        ScriptError error;
        BOOST_CHECK(!EvalScript(stack, CScript{} << opcode, CONSENSUS, BaseSignatureChecker{}, SigVersion::TAPSCRIPT, execdata, error));
        BOOST_CHECK_EQUAL(error, SCRIPT_ERR_PUSH_SIZE);
        BOOST_CHECK_EQUAL(*execdata.m_validation_weight_left, 0);
    }
}

// opcode-result, opcode-sig-empty
BOOST_AUTO_TEST_CASE(checksigadd_adds_to_its_number_and_checksig_gives_a_bool)
{
    for (const Output output : BOTH_OUTPUTS) {
        TapSpend spend;
        spend.output = output;
        for (const int64_t n : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{16}, int64_t{0x7fffffff}, int64_t{-0x7fffffff}}) {
            for (const bool empty : {false, true}) {
                spend.stack = {empty ? Bytes{} : FakeSignature()};
                spend.leaf = CScript{} << n << Key() << OP_CHECKSIGADDSLHDSA << SerializeScriptNum(n + (empty ? 0 : 1)) << OP_EQUAL;
                BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
            }
        }
        // The result of the other one is a bool.
        spend.stack = {FakeSignature()};
        spend.leaf = CScript{} << Key() << OP_CHECKSIGSLHDSA << Bytes{1} << OP_EQUAL;
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
        spend.stack = {{}};
        spend.leaf = CScript{} << Key() << OP_CHECKSIGSLHDSA << OP_0 << OP_EQUAL;
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
    }
}

// opcode-budget
BOOST_AUTO_TEST_CASE(weight_of_a_check)
{
    const auto weight_after{[](opcodetype opcode, int64_t weight, const Bytes& sig, const Bytes& key, ScriptError& error) {
        ScriptStack stack;
        stack.Push(sig);
        if (opcode == OP_CHECKSIGADDSLHDSA) stack.Push(Bytes{});
        stack.Push(key);
        ScriptExecutionData execdata;
        execdata.m_annex_init = true;
        execdata.m_validation_weight_left = weight;
        (void)EvalScript(stack, CScript{} << opcode, CONSENSUS, BaseSignatureChecker{}, SigVersion::TAPSCRIPT, execdata, error);
        return *execdata.m_validation_weight_left;
    }};
    ScriptError error;
    for (const opcodetype opcode : BOTH_OPCODES) {
        // Whatever the signature, unless it's empty; and before key and signature are judged.
        for (const Bytes& key : {Bytes{}, Key(), Bytes(33, 2)}) {
            for (const Bytes& sig : {Bytes{1}, Bytes(64, 1), FakeSignature()}) {
                BOOST_CHECK_EQUAL(weight_after(opcode, 49, sig, key, error), -1);
                BOOST_CHECK_EQUAL(error, SCRIPT_ERR_TAPSCRIPT_VALIDATION_WEIGHT);
                BOOST_CHECK_EQUAL(weight_after(opcode, 50, sig, key, error), 0);
                BOOST_CHECK_NE(error, SCRIPT_ERR_TAPSCRIPT_VALIDATION_WEIGHT);
            }
            BOOST_CHECK_EQUAL(weight_after(opcode, 0, {}, key, error), 0);
            BOOST_CHECK_EQUAL(error, key.empty() ? SCRIPT_ERR_TAPSCRIPT_EMPTY_PUBKEY : SCRIPT_ERR_OK);
        }
    }
}

// opcode-budget
BOOST_AUTO_TEST_CASE(the_budget_may_be_spent_to_zero)
{
    // n small signatures to keys of unknown types, in a witness that pays for exactly that, and for one byte less.
    for (const Output output : BOTH_OUTPUTS) {
        for (const opcodetype opcode : BOTH_OPCODES) {
            for (const size_t n : {5, 20, 150}) {
                for (const int64_t short_of : {0, 1}) {
                    TapSpend spend;
                    spend.output = output;
                    spend.leaf << OP_DROP; // of the padding
                    for (size_t i{0}; i < n; ++i) {
                        if (opcode == OP_CHECKSIGADDSLHDSA) spend.leaf << OP_0;
                        spend.leaf << Bytes{2} << opcode << OP_VERIFY;
                    }
                    spend.leaf << OP_TRUE;
                    spend.stack.assign(n, Bytes{1});
                    const auto want{50 * static_cast<int64_t>(n) - VALIDATION_WEIGHT_OFFSET - short_of};
                    spend.stack.emplace_back();
                    while (static_cast<int64_t>(GetSerializeSize(spend.Witness())) < want) spend.stack.back().push_back(3);
                    BOOST_REQUIRE_EQUAL(static_cast<int64_t>(GetSerializeSize(spend.Witness())), want);
                    BOOST_CHECK_EQUAL(spend.Run(), short_of ? SCRIPT_ERR_TAPSCRIPT_VALIDATION_WEIGHT : SCRIPT_ERR_OK);
                }
            }
        }
    }
}

// opcode-budget
BOOST_AUTO_TEST_CASE(weight_is_shared_with_other_checks)
{
    TapSpend spend;
    spend.leaf = CScript{} << Key() << OP_CHECKSIGSLHDSA << OP_VERIFY;
    spend.stack = {FakeSignature()};
    // As many as one signature of 7856 bytes pays for, and no more.
    const Bytes one_check{CScript{} << OP_DUP << Bytes{2} << OP_CHECKSIGVERIFY};
    const auto run{[&](size_t checks) {
        TapSpend with_checks{spend};
        with_checks.stack.insert(with_checks.stack.begin(), Bytes{1});
        for (size_t i{0}; i < checks; ++i) with_checks.leaf.insert(with_checks.leaf.end(), one_check.begin(), one_check.end());
        const auto weight{static_cast<int64_t>(GetSerializeSize(with_checks.Witness())) + VALIDATION_WEIGHT_OFFSET};
        BOOST_CHECK_EQUAL(with_checks.Run(),
                          weight < 50 * static_cast<int64_t>(checks + 1) ? SCRIPT_ERR_TAPSCRIPT_VALIDATION_WEIGHT : SCRIPT_ERR_OK);
        return weight - 50 * static_cast<int64_t>(checks + 1);
    }};
    size_t checks{150};
    while (run(checks) >= 0) ++checks;
    BOOST_CHECK_GT(checks, 155U);
    BOOST_CHECK_LT(checks, 180U);
}

// opcode-key-empty
BOOST_AUTO_TEST_CASE(an_empty_key_fails)
{
    ForEach({}, [](TapSpend& spend) {
        for (const Bytes& sig : {Bytes{}, Bytes{1}, FakeSignature(), FakeSignature(slhdsa::SIGNATURE_SIZE + 1, SIGHASH_ALL)}) {
            spend.stack = {sig};
            BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_TAPSCRIPT_EMPTY_PUBKEY);
            BOOST_CHECK_EQUAL(spend.Run(CONSENSUS | DISCOURAGE_KEY), SCRIPT_ERR_TAPSCRIPT_EMPTY_PUBKEY);
        }
    });
}

// opcode-key-unknown, policy-pubkey
BOOST_AUTO_TEST_CASE(keys_of_other_sizes_pass_unless_discouraged)
{
    for (const size_t size : {1, 2, 31, 33, 64, 65, 519, 520}) {
        ForEach(Bytes(size, 2), [](TapSpend& spend) {
            for (const Bytes& sig :
                 {Bytes{1}, Bytes(64, 1), Bytes(521, 1), FakeSignature(), FakeSignature(slhdsa::SIGNATURE_SIZE + 1, 0)}) {
                spend.stack = {sig};
                BOOST_CHECK_EQUAL(spend.Run(CONSENSUS, Verify::REJECT), SCRIPT_ERR_OK); // it isn't looked at
                BOOST_CHECK_EQUAL(spend.Run(CONSENSUS | DISCOURAGE_KEY), SCRIPT_ERR_DISCOURAGE_UPGRADABLE_PUBKEYTYPE);
            }
            spend.stack = {{}};
            BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_EVAL_FALSE);
            BOOST_CHECK_EQUAL(spend.Run(CONSENSUS | DISCOURAGE_KEY), SCRIPT_ERR_DISCOURAGE_UPGRADABLE_PUBKEYTYPE);
        });
    }
    ForEach(Key(), [](TapSpend& spend) {
        spend.stack = {FakeSignature()};
        BOOST_CHECK_EQUAL(spend.Run(CONSENSUS | DISCOURAGE_KEY), SCRIPT_ERR_OK);
    });
}

// opcode-sig-size
BOOST_AUTO_TEST_CASE(a_signature_has_7856_or_7857_bytes)
{
    ForEach(Key(), [](TapSpend& spend) {
        const auto run{[&](const Bytes& sig) {
            spend.stack = {sig};
            const ScriptError error{spend.Run()};
            if (!sig.empty()) {
                BOOST_CHECK_EQUAL(spend.Run(CONSENSUS, Verify::REJECT), error == SCRIPT_ERR_OK ? SCRIPT_ERR_SLHDSA_SIG : error);
            }
            if (error != SCRIPT_ERR_OK) BOOST_CHECK_EQUAL(spend.Run(CONSENSUS, Verify::DEFERRED), error);
            return error;
        }};
        BOOST_CHECK_EQUAL(run({}), SCRIPT_ERR_EVAL_FALSE);
        for (const size_t size : {1, 63, 64, 65, 519, 520, 521, 4096, 7854, 7855}) {
            BOOST_CHECK_EQUAL(run(FakeSignature(size)), SCRIPT_ERR_SLHDSA_SIG_SIZE);
            BOOST_CHECK_EQUAL(run(FakeSignature(size, 0)), SCRIPT_ERR_SLHDSA_SIG_SIZE);
        }
        BOOST_CHECK_EQUAL(run(FakeSignature(7856)), SCRIPT_ERR_OK);
        BOOST_CHECK_EQUAL(run(FakeSignature(7856, 0)), SCRIPT_ERR_OK); // the last byte is no hash type here
        BOOST_CHECK_EQUAL(run(FakeSignature(7857, SIGHASH_ALL)), SCRIPT_ERR_OK);
        BOOST_CHECK_EQUAL(run(FakeSignature(7858, SIGHASH_ALL)), SCRIPT_ERR_PUSH_SIZE);
        BOOST_CHECK_EQUAL(run(FakeSignature(7859)), SCRIPT_ERR_PUSH_SIZE);
        BOOST_CHECK_EQUAL(run(FakeSignature(100'000)), SCRIPT_ERR_PUSH_SIZE);
    });
}

// opcode-hashtype
BOOST_AUTO_TEST_CASE(undefined_hash_types_fail)
{
    ForEach(Key(), [](TapSpend& spend) {
        for (int hash_type{0}; hash_type <= 0xff; ++hash_type) {
            spend.stack = {FakeSignature(7857, static_cast<uint8_t>(hash_type))};
            const bool defined{(hash_type >= 1 && hash_type <= 3) || (hash_type >= 0x81 && hash_type <= 0x83)};
            BOOST_CHECK_EQUAL(spend.Run(), defined ? SCRIPT_ERR_OK : SCRIPT_ERR_SLHDSA_SIG_HASHTYPE);
            if (!defined) BOOST_CHECK_EQUAL(spend.Run(CONSENSUS, Verify::DEFERRED), SCRIPT_ERR_SLHDSA_SIG_HASHTYPE);
        }
    });
}

// opcode-hashtype
BOOST_AUTO_TEST_CASE(single_needs_the_output_of_its_index)
{
    ForEach(Key(), [](TapSpend& spend) {
        spend.n_in = 1;
        for (const uint8_t hash_type : {SIGHASH_SINGLE, static_cast<decltype(SIGHASH_SINGLE)>(SIGHASH_SINGLE | SIGHASH_ANYONECANPAY)}) {
            spend.stack = {FakeSignature(7857, hash_type)};
            spend.n_outputs = 2;
            BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
            spend.n_outputs = 1;
            BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_SLHDSA_SIG_HASHTYPE);
            BOOST_CHECK_EQUAL(spend.Run(CONSENSUS, Verify::DEFERRED), SCRIPT_ERR_SLHDSA_SIG_HASHTYPE);
        }
        for (const uint8_t hash_type : {SIGHASH_ALL, SIGHASH_NONE}) {
            spend.stack = {FakeSignature(7857, hash_type)};
            BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
        }
    });
}

// message-fields, message-verify
BOOST_AUTO_TEST_CASE(the_message_is_bip342s_with_key_version_2)
{
    // BIP 341's and BIP 342's message, from the parts: two inputs and two outputs, this input is the second.
    TapSpend spend;
    spend.leaf = CScript{} << OP_CODESEPARATOR << Key() << OP_CHECKSIGSLHDSA;
    spend.n_in = 1;
    spend.n_outputs = 2;
    spend.tx_version = 0x01020304;
    spend.lock_time = 0x11121314;
    spend.sequence = 0x21222324;
    const CTransaction tx{spend.Tx()};
    const auto spent{spend.SpentOutputs()};
    const auto sha{[](const Bytes& bytes) { return Sha256(bytes); }};

    for (const bool with_annex : {false, true}) {
        spend.annex = with_annex ? std::optional{Bytes{ANNEX_TAG, 7}} : std::nullopt;
        for (const uint8_t hash_type : {0x00, 0x01, 0x02, 0x03, 0x81, 0x82, 0x83}) {
            const uint8_t output_type{static_cast<uint8_t>(hash_type & 3)};
            const bool all_inputs{hash_type < 0x80};
            Bytes message;
            const auto add{[&](const auto& bytes) { message.insert(message.end(), std::begin(bytes), std::end(bytes)); }};
            const auto u32{[](uint32_t x) { return Bytes{uint8_t(x), uint8_t(x >> 8), uint8_t(x >> 16), uint8_t(x >> 24)}; }};
            Bytes prevouts, amounts, scripts, sequences, outputs;
            const auto append{[](Bytes& to, const Bytes& bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }};
            for (const auto& txin : tx.vin) {
                append(prevouts, SerializeToVector(txin.prevout));
                append(sequences, u32(txin.nSequence));
            }
            for (const auto& output : spent) {
                const Bytes bytes{SerializeToVector(output)};
                append(amounts, {bytes.begin(), bytes.begin() + 8});
                append(scripts, {bytes.begin() + 8, bytes.end()});
            }
            for (const auto& output : tx.vout) append(outputs, SerializeToVector(output));

            const auto tag{Sha256(std::array<uint8_t, 10>{'T', 'a', 'p', 'S', 'i', 'g', 'h', 'a', 's', 'h'})};
            add(tag);
            add(tag);
            add(Bytes{0x00, hash_type}); // epoch
            add(u32(0x01020304));
            add(u32(0x11121314));
            if (all_inputs) {
                add(sha(prevouts));
                add(sha(amounts));
                add(sha(scripts));
                add(sha(sequences));
            }
            if (output_type < 2) add(sha(outputs));
            add(Bytes{static_cast<uint8_t>(with_annex ? 3 : 2)});
            if (all_inputs) {
                add(u32(1));
            } else {
                add(SerializeToVector(tx.vin[1].prevout));
                add(SerializeToVector(spent[1]));
                add(u32(0x21222324));
            }
            if (with_annex) add(sha({2, ANNEX_TAG, 7}));
            if (output_type == 3) add(sha(SerializeToVector(tx.vout[1])));
            add(spend.LeafHash().Bytes());
            add(Bytes{0x02}); // key_version
            add(u32(0));      // the first opcode
            BOOST_CHECK(spend.Message(hash_type, KeyVersion::SLHDSA, 0).Bytes() == Sha256(message));
            // The others' messages are not ours.
            BOOST_CHECK(spend.Message(hash_type, KeyVersion::BIP340, 0).Bytes() != Sha256(message));
        }
    }
}

BOOST_AUTO_TEST_CASE(a_signature_with_any_bit_changed_fails_the_script)
{
    ForEach(Key(), [](TapSpend& spend) {
        const auto& key{TestKey::Get(1)};
        spend.stack = {key.Sign(spend.Message())};
        BOOST_CHECK_EQUAL(RunReal(spend), SCRIPT_ERR_OK);
        // The hash type is signed, also if its meaning is the same.
        spend.stack = {WithHashType(key.Sign(spend.Message()), SIGHASH_ALL)};
        BOOST_CHECK_EQUAL(RunReal(spend), SCRIPT_ERR_SLHDSA_SIG);
        // Any other bit
        spend.stack = {key.Sign(spend.Message())};
        for (const size_t i : {size_t{0}, size_t{16}, size_t{4000}, spend.stack[0].size() - 1}) {
            spend.stack[0][i] ^= 0x01;
            BOOST_CHECK_EQUAL(RunReal(spend), SCRIPT_ERR_SLHDSA_SIG);
            spend.stack[0][i] ^= 0x01;
        }
        BOOST_CHECK_EQUAL(RunReal(spend), SCRIPT_ERR_OK);
    });
}

BOOST_AUTO_TEST_CASE(what_is_signed)
{
    const auto& key{TestKey::Get(1)};
    TapSpend spend;
    spend.leaf = CheckLeaf(OP_CHECKSIGSLHDSA, Key());

    // Each hash type by itself
    spend.n_in = 1;
    spend.n_outputs = 2;
    for (const uint8_t hash_type : {SIGHASH_ALL, SIGHASH_SINGLE}) {
        spend.stack = {WithHashType(key.Sign(spend.Message(hash_type)), hash_type)};
        BOOST_CHECK_EQUAL(RunReal(spend), SCRIPT_ERR_OK);
        spend.stack[0].back() = SIGHASH_NONE;
        BOOST_CHECK_EQUAL(RunReal(spend), SCRIPT_ERR_SLHDSA_SIG);
    }

    // key_version, the context, the prefix
    spend.stack = {key.Sign(spend.Message(SIGHASH_DEFAULT, KeyVersion::BIP340))};
    BOOST_CHECK_EQUAL(RunReal(spend), SCRIPT_ERR_SLHDSA_SIG);
    spend.stack = {key.Sign(spend.Message(), Bytes{0})};
    BOOST_CHECK_EQUAL(RunReal(spend), SCRIPT_ERR_SLHDSA_SIG);

    // Another key's
    spend.stack = {TestKey::Get(2).Sign(spend.Message())};
    BOOST_CHECK_EQUAL(RunReal(spend), SCRIPT_ERR_SLHDSA_SIG);

    // The annex
    spend.annex = Bytes{ANNEX_TAG, 1, 2, 3};
    spend.stack = {key.Sign(spend.Message())};
    BOOST_CHECK_EQUAL(RunReal(spend), SCRIPT_ERR_OK);
    spend.annex->push_back(4);
    BOOST_CHECK_EQUAL(RunReal(spend), SCRIPT_ERR_SLHDSA_SIG);
}

BOOST_AUTO_TEST_CASE(the_position_of_the_code_separator_is_signed)
{
    const auto& key{TestKey::Get(1)};
    TapSpend spend;
    spend.leaf = CScript{} << OP_NOP << OP_CODESEPARATOR << Key() << OP_CHECKSIGSLHDSA;
    spend.stack = {key.Sign(spend.Message(SIGHASH_DEFAULT, KeyVersion::SLHDSA, 1))};
    BOOST_CHECK_EQUAL(RunReal(spend), SCRIPT_ERR_OK);
    spend.stack = {key.Sign(spend.Message())};
    BOOST_CHECK_EQUAL(RunReal(spend), SCRIPT_ERR_SLHDSA_SIG);
}

BOOST_AUTO_TEST_CASE(schnorr_signatures_keep_key_version_0)
{
    TapSpend spend;
    spend.leaf = CScript{} << SchnorrPublicKey() << OP_CHECKSIG;
    spend.stack = {SignSchnorr(spend.Message(SIGHASH_DEFAULT, KeyVersion::BIP340))};
    BOOST_CHECK_EQUAL(RunReal(spend), SCRIPT_ERR_OK);
    spend.stack = {SignSchnorr(spend.Message(SIGHASH_DEFAULT, KeyVersion::SLHDSA))};
    BOOST_CHECK_EQUAL(RunReal(spend), SCRIPT_ERR_SCHNORR_SIG);
}

/** BIP 341: the default hash type is written by leaving it out. */
BOOST_AUTO_TEST_CASE(schnorr_signatures_have_64_bytes_or_65)
{
    TapSpend spend;
    spend.leaf = CScript{} << SchnorrPublicKey() << OP_CHECKSIG;
    const Bytes by_default{SignSchnorr(spend.Message(SIGHASH_DEFAULT, KeyVersion::BIP340))};
    Bytes sig{SignSchnorr(spend.Message(SIGHASH_ALL, KeyVersion::BIP340))};
    sig.push_back(SIGHASH_ALL);
    spend.stack = {sig};
    BOOST_CHECK_EQUAL(RunReal(spend), SCRIPT_ERR_OK);
    for (const size_t size : {1, 63, 66, 128}) {
        spend.stack = {by_default};
        spend.stack[0].resize(size, SIGHASH_ALL);
        BOOST_CHECK_EQUAL(RunReal(spend), SCRIPT_ERR_SCHNORR_SIG_SIZE);
    }
    for (const uint8_t hash_type : {uint8_t{SIGHASH_DEFAULT}, uint8_t{4}, uint8_t{SIGHASH_ANYONECANPAY}}) {
        spend.stack = {by_default};
        spend.stack[0].push_back(hash_type);
        BOOST_CHECK_EQUAL(RunReal(spend), SCRIPT_ERR_SCHNORR_SIG_HASHTYPE);
    }
}

BOOST_AUTO_TEST_CASE(single_output_is_hashed_once)
{
    TapSpend spend;
    const CTransaction tx{spend.Tx()};
    const PrecomputedTransactionData txdata{tx, spend.SpentOutputs()};
    ScriptExecutionData execdata;
    execdata.m_annex_init = true;
    execdata.m_tapleaf_hash = spend.LeafHash();
    const auto hash{
        [&] { return SignatureHashSchnorr(execdata, tx, 0, SIGHASH_SINGLE, SigVersion::TAPSCRIPT, txdata, KeyVersion::SLHDSA); }};
    const auto first{hash()};
    BOOST_REQUIRE(execdata.m_output_hash);
    BOOST_CHECK(execdata.m_output_hash->Bytes() == Sha256(SerializeToVector(tx.vout[0])));
    BOOST_CHECK(hash() == first);
    execdata.m_output_hash = uint256{uint8_t{1}}; // if it's kept, it is used
    BOOST_CHECK(hash() != first);
}

// opcode-verify
BOOST_AUTO_TEST_CASE(an_invalid_signature_fails_the_script)
{
    ForEach(Key(), [](TapSpend& spend) {
        spend.leaf << OP_NOT; // a result of false would satisfy it
        spend.stack = {FakeSignature()};
        BOOST_CHECK_EQUAL(RunReal(spend), SCRIPT_ERR_SLHDSA_SIG);
        for (int bit{0}; bit < MAX_SCRIPT_VERIFY_FLAGS_BITS; ++bit) { // by no flag but the opcodes' own
            const auto flags{CONSENSUS & ~static_cast<script_verify_flag_name>(bit)};
            const bool ours{bit == static_cast<int>(SCRIPT_VERIFY_SLHDSA) ||
                            bit == static_cast<int>(spend.output == Output::P2MR ? SCRIPT_VERIFY_P2MR : SCRIPT_VERIFY_TAPROOT)};
            if (ValidFlags(flags) && bit != static_cast<int>(SCRIPT_VERIFY_WITNESS)) {
                BOOST_CHECK_EQUAL(spend.Run(flags, Verify::REJECT), ours ? SCRIPT_ERR_OK : SCRIPT_ERR_SLHDSA_SIG);
            }
        }
        spend.stack = {{}};
        BOOST_CHECK_EQUAL(RunReal(spend), SCRIPT_ERR_OK);
    });
}

BOOST_AUTO_TEST_CASE(two_of_three)
{
    TapSpend spend;
    spend.leaf = CScript{} << Key(1) << OP_CHECKSIGSLHDSA << Key(2) << OP_CHECKSIGADDSLHDSA << Key(3) << OP_CHECKSIGADDSLHDSA << OP_2
                           << OP_NUMEQUAL;
    const uint256 message{spend.Message()};
    const Bytes first{TestKey::Get(1).Sign(message)};
    const Bytes third{TestKey::Get(3).Sign(message)};
    spend.stack = {third, {}, first};
    BOOST_CHECK_EQUAL(RunReal(spend), SCRIPT_ERR_OK);
    spend.stack = {{}, {}, first};
    BOOST_CHECK_EQUAL(RunReal(spend), SCRIPT_ERR_EVAL_FALSE);
    spend.stack = {first, {}, third};
    BOOST_CHECK_EQUAL(RunReal(spend), SCRIPT_ERR_SLHDSA_SIG);
}

BOOST_AUTO_TEST_SUITE_END()
