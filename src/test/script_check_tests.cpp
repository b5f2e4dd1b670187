// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Eager and deferred checks of an input: the same verdicts and errors, and what is staged.

#include <script/observer.h>
#include <script/script_check.h>
#include <test/tap_fixture.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace slhc;
using namespace slhc::test;

namespace {

const slhdsa::PublicKey& Key(uint8_t seed) { return TestKey::Get(seed).Public(); }

/** A leaf of two checks, and what comes behind them. */
TapSpend TwoChecks(const CScript& tail)
{
    TapSpend spend;
    spend.leaf = CScript{} << Key(1) << OP_CHECKSIGSLHDSA << OP_VERIFY << Key(2) << OP_CHECKSIGSLHDSA << OP_VERIFY;
    spend.leaf.insert(spend.leaf.end(), tail.begin(), tail.end());
    return spend;
}

/** Both signatures: valid, or with a bit changed. The first check takes the upper one. */
std::vector<Bytes> Signatures(const TapSpend& spend, bool first_valid, bool second_valid)
{
    std::vector<Bytes> stack{TestKey::Get(2).Sign(spend.Message()), TestKey::Get(1).Sign(spend.Message())};
    if (!second_valid) stack[0][100] ^= 1;
    if (!first_valid) stack[1][100] ^= 1;
    return stack;
}

struct Prepared {
    CTransaction tx;
    PrecomputedTransactionData txdata;
    explicit Prepared(const TapSpend& spend) : tx{spend.Tx()}, txdata{tx, spend.SpentOutputs()} {}
};

/** Remembers what happened. */
struct Recorder final : EvalObserver {
    std::vector<std::string> events;
    std::vector<size_t> depths;
    std::vector<std::optional<int64_t>> weights;

    void BeginScript(const CScript& script, SigVersion, const ScriptStack& stack) override
    {
        events.push_back("begin " + std::to_string(script.size()) + " " + std::to_string(stack.size()));
    }
    void BeforeOpcode(const EvalStep& step) override
    {
        events.push_back(std::to_string(step.opcode_pos) + "@" + std::to_string(step.byte_offset) + " " + GetTapscriptOpName(step.opcode, CONSENSUS) +
                         (step.executed ? "" : " (not executed)") + " " + std::to_string(step.data.size()));
        depths.push_back(step.stack.size() + 1000 * step.altstack.size());
        weights.push_back(step.validation_weight_left);
    }
    void EndScript(ScriptError error, const ScriptStack& stack) override
    {
        events.push_back("end " + std::string{ScriptErrorName(error)} + " " + std::to_string(stack.size()));
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(script_check_tests)

BOOST_AUTO_TEST_CASE(verdicts)
{
    struct Case {
        CScript tail;
        ScriptError own; //!< what the script says if its signatures are valid
    };
    const std::vector<Case> cases{
        {CScript{} << OP_TRUE, SCRIPT_ERR_OK},
        {CScript{} << OP_0, SCRIPT_ERR_EVAL_FALSE},
        {CScript{} << OP_RETURN, SCRIPT_ERR_OP_RETURN},
        {CScript{}, SCRIPT_ERR_CLEANSTACK},
        {CScript{} << OP_TRUE << OP_TRUE, SCRIPT_ERR_CLEANSTACK},
        {CScript{} << Bytes{1} << Key(1) << OP_CHECKSIGSLHDSA, SCRIPT_ERR_SLHDSA_SIG_SIZE},
        {CScript{} << OP_1 << OP_0 << OP_CHECKSIGSLHDSA, SCRIPT_ERR_TAPSCRIPT_EMPTY_PUBKEY},
        {CScript{} << OP_IF, SCRIPT_ERR_INVALID_STACK_OPERATION},
    };
    for (const Case& test : cases) {
        TapSpend spend{TwoChecks(test.tail)};
        for (const bool first_valid : {true, false}) {
            for (const bool second_valid : {true, false}) {
                spend.stack = Signatures(spend, first_valid, second_valid);
                const Prepared prepared{spend};
                const bool valid{first_valid && second_valid};
                const ScriptError expected{valid ? test.own : SCRIPT_ERR_SLHDSA_SIG};
                const int expected_pos{valid ? -1 : first_valid ? 4 : 1};
                const auto failed_pos{[](const CScriptCheck& check) { return check.FailedOpcodePos() ? static_cast<int>(*check.FailedOpcodePos()) : -1; }};

                CScriptCheck eager{prepared.tx, 0, CONSENSUS, prepared.txdata};
                BOOST_CHECK(eager() == (expected == SCRIPT_ERR_OK ? ScriptVerdict::VALID : ScriptVerdict::INVALID));
                BOOST_CHECK_EQUAL(eager.GetScriptError(), expected);
                BOOST_CHECK_EQUAL(failed_pos(eager), expected_pos);

                CScriptCheck deferring{prepared.tx, 0, CONSENSUS, prepared.txdata};
                std::vector<StagedSignature> staged;
                const ScriptVerdict verdict{deferring(staged)};
                if (test.own != SCRIPT_ERR_OK) {
                    // The script failed: the staged signatures are looked at before its error counts, and go nowhere.
                    BOOST_CHECK(verdict == ScriptVerdict::INVALID);
                    BOOST_CHECK(staged.empty());
                    BOOST_CHECK_EQUAL(deferring.GetScriptError(), expected);
                    BOOST_CHECK_EQUAL(failed_pos(deferring), expected_pos);
                } else {
                    BOOST_CHECK(verdict == ScriptVerdict::DEFERRED);
                    BOOST_CHECK_EQUAL(deferring.GetScriptError(), SCRIPT_ERR_OK);
                    BOOST_REQUIRE_EQUAL(staged.size(), 2U);
                    BOOST_CHECK_EQUAL(staged[0].Verify(), first_valid);
                    BOOST_CHECK_EQUAL(staged[1].Verify(), second_valid);
                    BOOST_CHECK_EQUAL(staged[0].opcode_pos, 1U);
                    BOOST_CHECK_EQUAL(staged[1].opcode_pos, 4U);
                    BOOST_CHECK(staged[0].pubkey == Key(1));
                    BOOST_CHECK(staged[1].pubkey == Key(2));
                    for (size_t i{0}; i < 2; ++i) {
                        BOOST_CHECK(staged[i].message == spend.Message());
                        BOOST_CHECK(staged[i].signature == spend.stack[1 - i]);
                    }
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(nothing_to_defer)
{
    TapSpend spend;
    spend.leaf = CScript{} << Key(1) << OP_CHECKSIGSLHDSA << OP_NOT;
    spend.stack = {{}};
    const Prepared prepared{spend};
    CScriptCheck check{prepared.tx, 0, CONSENSUS, prepared.txdata};
    std::vector<StagedSignature> staged;
    BOOST_CHECK(check(staged) == ScriptVerdict::VALID);
    BOOST_CHECK(staged.empty());
}

BOOST_AUTO_TEST_CASE(runs_are_independent)
{
    TapSpend spend{TwoChecks(CScript{} << OP_TRUE)};
    spend.stack = Signatures(spend, true, true);
    const Prepared prepared{spend};
    CScriptCheck check{prepared.tx, 0, CONSENSUS, prepared.txdata};
    for (int i{0}; i < 2; ++i) {
        std::vector<StagedSignature> staged;
        BOOST_CHECK(check(staged) == ScriptVerdict::DEFERRED);
        BOOST_CHECK_EQUAL(staged.size(), 2U);
        BOOST_CHECK(check() == ScriptVerdict::VALID);
    }
}

BOOST_AUTO_TEST_CASE(signature_cache)
{
    TapSpend spend{TwoChecks(CScript{} << OP_TRUE)};
    spend.stack = Signatures(spend, true, false);
    const Prepared half_valid{spend};
    spend.stack = Signatures(spend, true, true);
    const Prepared valid{spend};
    SignatureCache cache;
    std::vector<StagedSignature> staged;

    // A deferring check stores nothing, whatever its mode.
    CScriptCheck deferring{valid.tx, 0, CONSENSUS, valid.txdata, &cache, SignatureCacheMode::STORE};
    BOOST_CHECK(deferring(staged) == ScriptVerdict::DEFERRED);
    BOOST_CHECK_EQUAL(cache.GetStats().inserted, 0U);

    // An eager one stores what is valid, and nothing else.
    CScriptCheck without_mode{valid.tx, 0, CONSENSUS, valid.txdata, &cache};
    BOOST_CHECK(without_mode() == ScriptVerdict::VALID);
    BOOST_CHECK_EQUAL(cache.GetStats().inserted, 0U);
    CScriptCheck half{half_valid.tx, 0, CONSENSUS, half_valid.txdata, &cache, SignatureCacheMode::STORE};
    BOOST_CHECK(half() == ScriptVerdict::INVALID);
    BOOST_CHECK_EQUAL(cache.GetStats().inserted, 1U);
    BOOST_CHECK(half() == ScriptVerdict::INVALID);
    BOOST_CHECK_EQUAL(cache.GetStats().inserted, 1U);

    // What is in the cache isn't staged.
    staged.clear();
    BOOST_CHECK(deferring(staged) == ScriptVerdict::DEFERRED);
    BOOST_REQUIRE_EQUAL(staged.size(), 1U);
    BOOST_CHECK_EQUAL(staged[0].opcode_pos, 4U);
    CScriptCheck eager{valid.tx, 0, CONSENSUS, valid.txdata, &cache, SignatureCacheMode::STORE};
    BOOST_CHECK(eager() == ScriptVerdict::VALID);
    staged.clear();
    BOOST_CHECK(deferring(staged) == ScriptVerdict::VALID);
    BOOST_CHECK(staged.empty());

    // A block lets go of them, and they are there for the next one.
    CScriptCheck erasing{valid.tx, 0, CONSENSUS, valid.txdata, &cache, SignatureCacheMode::ERASE_ON_HIT};
    for (int block = 0; block < 2; ++block) BOOST_CHECK(erasing(staged) == ScriptVerdict::VALID);
    // Of the other modes, one does not ask, and the other changes nothing.
    CScriptCheck asking{valid.tx, 0, CONSENSUS, valid.txdata, &cache, SignatureCacheMode::ASK};
    BOOST_CHECK(asking(staged) == ScriptVerdict::VALID);
    CScriptCheck none{valid.tx, 0, CONSENSUS, valid.txdata, &cache, SignatureCacheMode::NONE};
    BOOST_CHECK(none(staged) == ScriptVerdict::DEFERRED);
    SignatureCache empty;
    CScriptCheck asking_in_vain{valid.tx, 0, CONSENSUS, valid.txdata, &empty, SignatureCacheMode::ASK};
    BOOST_CHECK(asking_in_vain() == ScriptVerdict::VALID);
    BOOST_CHECK_EQUAL(empty.GetStats().misses, 2U);
    BOOST_CHECK_EQUAL(empty.GetStats().inserted, 0U);
}

BOOST_AUTO_TEST_CASE(an_invalid_signature_over_the_curve_is_not_stored)
{
    const Bytes generator{0x79, 0xbe, 0x66, 0x7e, 0xf9, 0xdc, 0xbb, 0xac, 0x55, 0xa0, 0x62, 0x95, 0xce, 0x87, 0x0b, 0x07,
                          0x02, 0x9b, 0xfc, 0xdb, 0x2d, 0xce, 0x28, 0xd9, 0x59, 0xf2, 0x81, 0x5b, 0x16, 0xf8, 0x17, 0x98};
    TapSpend spend;
    spend.leaf = CScript{} << generator << OP_CHECKSIG;
    spend.stack = {Bytes(64, 1)};
    const Prepared prepared{spend};
    SignatureCache cache;
    CScriptCheck check{prepared.tx, 0, CONSENSUS, prepared.txdata, &cache, SignatureCacheMode::STORE};
    for (uint64_t run{1}; run <= 2; ++run) {
        BOOST_CHECK(check() == ScriptVerdict::INVALID);
        BOOST_CHECK_EQUAL(check.GetScriptError(), SCRIPT_ERR_SCHNORR_SIG);
        BOOST_CHECK_EQUAL(cache.GetStats().misses, run);
    }
    BOOST_CHECK_EQUAL(cache.GetStats().inserted, 0U);
}

BOOST_AUTO_TEST_CASE(observer)
{
    TapSpend spend;
    spend.leaf = CScript{} << OP_TOALTSTACK << OP_0 << OP_IF << Bytes{1, 2} << OP_ENDIF << OP_FROMALTSTACK << Bytes(33, 3) << OP_CHECKSIGSLHDSA << OP_RETURN;
    spend.stack = {Bytes(7000, 1)};
    const Prepared prepared{spend};
    Recorder recorder;
    CScriptCheck check{prepared.tx, 0, CONSENSUS, prepared.txdata};
    check.SetObserver(&recorder);
    BOOST_CHECK(check() == ScriptVerdict::INVALID);
    const std::vector<std::string> events{
        "begin 0 0", "end SCRIPT_ERR_OK 0",
        "begin 34 0", "0@0 OP_2 0", "1@1 OP_PUSHBYTES_32 32", "end SCRIPT_ERR_OK 2",
        "begin 44 1",
        "0@0 OP_TOALTSTACK 0", "1@1 OP_0 0", "2@2 OP_IF 0", "3@3 OP_PUSHBYTES_2 (not executed) 2", "4@6 OP_ENDIF (not executed) 0",
        "5@7 OP_FROMALTSTACK 0", "6@8 OP_PUSHBYTES_33 33", "7@42 OP_CHECKSIGSLHDSA 0", "8@43 OP_RETURN 0",
        "end SCRIPT_ERR_OP_RETURN 1"};
    BOOST_CHECK_EQUAL_COLLECTIONS(recorder.events.begin(), recorder.events.end(), events.begin(), events.end());
    BOOST_CHECK((recorder.depths == std::vector<size_t>{0, 1, 1, 1000, 1001, 1000, 1000, 1000, 1, 2, 1}));
    BOOST_CHECK(!recorder.weights[0] && !recorder.weights[1]);
    const auto weight{static_cast<int64_t>(GetSerializeSize(spend.Witness())) + VALIDATION_WEIGHT_OFFSET};
    BOOST_CHECK(recorder.weights[2] == weight);
    BOOST_CHECK(recorder.weights[10] == weight - VALIDATION_WEIGHT_PER_SIGOP_PASSED);
    check.SetObserver(nullptr);
    BOOST_CHECK(check() == ScriptVerdict::INVALID);
    BOOST_CHECK_EQUAL(recorder.events.size(), events.size());
}

BOOST_AUTO_TEST_SUITE_END()
