// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Eager and deferred checks of an input: the same verdicts and errors, and the staged checks.

#include <crypto/hash.h>
#include <script/observer.h>
#include <script/p2mr.h>
#include <script/script_check.h>
#include <script/taptree.h>
#include <test/script_util.h>
#include <test/util/spends.h>
#include <test/util/verifier.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace slhc;
using namespace slhc::test;

namespace {

constexpr script_verify_flags CONSENSUS{MANDATORY_SCRIPT_VERIFY_FLAGS};

RealSigner& Keys()
{
    static RealSigner signer;
    return signer;
}

slhdsa::PublicKey Key(size_t key) { return Keys().SLHDSAKey(key); }

/** One input that spends a leaf of a P2MR tree. */
struct TapSpend {
    LeafSpend leaf;
    std::vector<Bytes> stack{}; //!< below the leaf script
    CMutableTransaction tx{MakeSpend(1)};

    explicit TapSpend(LeafSpend spent) : leaf{std::move(spent)} {}
    explicit TapSpend(const CScript& script) : TapSpend{LeafSpend::P2MR(script)} {}
    [[nodiscard]] std::vector<CTxOut> SpentOutputs() const { return MakeSpent({leaf.script_pub_key}); }
    [[nodiscard]] CTransaction Tx() const
    {
        CMutableTransaction signed_tx{tx};
        signed_tx.vin[0].scriptWitness = leaf.Witness(stack);
        return CTransaction{signed_tx};
    }
    [[nodiscard]] uint256 Message(uint8_t hash_type = SIGHASH_DEFAULT, KeyVersion key_version = KeyVersion::SLHDSA) const
    {
        return leaf.Message(tx, 0, {tx, SpentOutputs(), /*force=*/true}, hash_type, key_version);
    }
};

/** A leaf of two checks with a tail, and their valid signatures. The first check takes the upper one. */
TapSpend TwoChecks(const CScript& tail)
{
    CScript script{CScript{} << Key(1) << OP_CHECKSIGSLHDSA << OP_VERIFY << Key(2) << OP_CHECKSIGSLHDSA << OP_VERIFY};
    script.insert(script.end(), tail.begin(), tail.end());
    TapSpend spend{script};
    spend.stack = {Keys().SignSLHDSA(2, spend.Message()), Keys().SignSLHDSA(1, spend.Message())};
    return spend;
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
        events.push_back(std::to_string(step.opcode_pos) + "@" + std::to_string(step.byte_offset) + " " +
                         GetTapscriptOpName(step.opcode, CONSENSUS) + (step.executed ? "" : " (not executed)") + " " +
                         std::to_string(step.data.size()));
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

BOOST_AUTO_TEST_CASE(eager_and_deferred_checks_give_the_same_errors)
{
    struct Case {
        CScript tail;
        ScriptError own; //!< the script's own error if its signatures are valid
        uint32_t own_pos{NO_OPCODE};
    };
    const std::vector<Case> cases{
        {CScript{} << OP_TRUE, SCRIPT_ERR_OK},
        {CScript{} << OP_0, SCRIPT_ERR_EVAL_FALSE},
        {CScript{} << OP_RETURN, SCRIPT_ERR_OP_RETURN, 6},
        {CScript{}, SCRIPT_ERR_CLEANSTACK},
        {CScript{} << OP_TRUE << OP_TRUE, SCRIPT_ERR_CLEANSTACK},
        {CScript{} << Bytes{1} << Key(1) << OP_CHECKSIGSLHDSA, SCRIPT_ERR_SLHDSA_SIG_SIZE, 8},
        {CScript{} << OP_1 << OP_0 << OP_CHECKSIGSLHDSA, SCRIPT_ERR_TAPSCRIPT_EMPTY_PUBKEY, 8},
        {CScript{} << OP_IF, SCRIPT_ERR_INVALID_STACK_OPERATION, 6},
    };
    for (const Case& test : cases) {
        const TapSpend valid_spend{TwoChecks(test.tail)};
        for (const bool first_valid : {true, false}) {
            for (const bool second_valid : {true, false}) {
                TapSpend spend{valid_spend};
                if (!second_valid) spend.stack[0][100] ^= 1;
                if (!first_valid) spend.stack[1][100] ^= 1;
                const Prepared prepared{spend};
                const bool valid{first_valid && second_valid};
                const ScriptError expected{valid ? test.own : SCRIPT_ERR_SLHDSA_SIG};
                const uint32_t expected_pos{first_valid ? 4U : 1U}; // if it is not valid
                // An invalid signature is the place; the script's own error has another, at the end or behind it.
                const auto at_expected_place{[&](const CScriptCheck& check) {
                    const ScriptFailure& failure{check.Failure()};
                    if (expected == SCRIPT_ERR_OK) return failure == ScriptFailure{};
                    if (failure.script != ScriptRole::LEAF_SCRIPT) return false;
                    if (!valid) return failure.opcode_pos == expected_pos && failure.opcode == OP_CHECKSIGSLHDSA;
                    return failure.opcode_pos == test.own_pos;
                }};

                CScriptCheck eager{prepared.tx, 0, CONSENSUS, prepared.txdata, PortableVerifier()};
                BOOST_CHECK(eager.VerifyNow() == (expected == SCRIPT_ERR_OK ? ScriptVerdict::VALID : ScriptVerdict::INVALID));
                BOOST_CHECK_EQUAL(eager.Failure().error, expected);
                BOOST_CHECK(at_expected_place(eager));

                CScriptCheck deferring{prepared.tx, 0, CONSENSUS, prepared.txdata, PortableVerifier()};
                std::vector<slhdsa::SignatureCheck> staged;
                const ScriptVerdict verdict{deferring.RunDeferring(staged)};
                if (test.own != SCRIPT_ERR_OK) {
                    // The script failed: the staged signatures are verified before its error counts, and are not handed out.
                    BOOST_CHECK(verdict == ScriptVerdict::INVALID);
                    BOOST_CHECK(staged.empty());
                    BOOST_CHECK_EQUAL(deferring.Failure().error, expected);
                    BOOST_CHECK(at_expected_place(deferring));
                } else {
                    BOOST_CHECK(verdict == ScriptVerdict::DEFERRED);
                    BOOST_CHECK_EQUAL(deferring.Failure().error, SCRIPT_ERR_OK);
                    BOOST_REQUIRE_EQUAL(staged.size(), 2U);
                    BOOST_CHECK_EQUAL(PortableVerifier().VerifyNow(staged[0].View()), first_valid);
                    BOOST_CHECK_EQUAL(PortableVerifier().VerifyNow(staged[1].View()), second_valid);
                    BOOST_CHECK_EQUAL(CheckOrigin::FromTicket(staged[0].ticket).opcode_pos, 1U);
                    BOOST_CHECK_EQUAL(CheckOrigin::FromTicket(staged[1].ticket).opcode_pos, 4U);
                    BOOST_CHECK(staged[0].public_key == Key(1));
                    BOOST_CHECK(staged[1].public_key == Key(2));
                    for (size_t i{0}; i < 2; ++i) {
                        BOOST_CHECK(staged[i].message == spend.Message().Bytes());
                        BOOST_CHECK(staged[i].signature == spend.stack[1 - i]);
                    }
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(without_signatures_nothing_is_deferred)
{
    TapSpend spend{CScript{} << Key(1) << OP_CHECKSIGSLHDSA << OP_NOT};
    spend.stack = {{}};
    const Prepared prepared{spend};
    CScriptCheck check{prepared.tx, 0, CONSENSUS, prepared.txdata, PortableVerifier()};
    std::vector<slhdsa::SignatureCheck> staged;
    BOOST_CHECK(check.RunDeferring(staged) == ScriptVerdict::VALID);
    BOOST_CHECK(staged.empty());
}

BOOST_AUTO_TEST_CASE(runs_are_independent)
{
    const Prepared prepared{TwoChecks(CScript{} << OP_TRUE)};
    CScriptCheck check{prepared.tx, 0, CONSENSUS, prepared.txdata, PortableVerifier()};
    BOOST_CHECK_EQUAL(check.VerifiedNow(), 0U);
    for (int i{0}; i < 2; ++i) {
        std::vector<slhdsa::SignatureCheck> staged;
        BOOST_CHECK(check.RunDeferring(staged) == ScriptVerdict::DEFERRED);
        BOOST_REQUIRE_EQUAL(staged.size(), 2U);
        BOOST_CHECK_EQUAL(CheckOrigin::FromTicket(staged[0].ticket).tag, 0U);
        BOOST_CHECK_EQUAL(check.VerifiedNow(), 0U);
        BOOST_CHECK(check.VerifyNow() == ScriptVerdict::VALID);
        BOOST_CHECK_EQUAL(check.VerifiedNow(), 2U);
    }
}

BOOST_AUTO_TEST_CASE(only_eager_checks_store_and_only_what_is_valid)
{
    TapSpend spend{TwoChecks(CScript{} << OP_TRUE)};
    const Prepared valid{spend};
    spend.stack[0][100] ^= 1;
    const Prepared half_valid{spend};
    SignatureCache cache;
    std::vector<slhdsa::SignatureCheck> staged;

    // A deferring check stores nothing, whatever its mode.
    CScriptCheck deferring{valid.tx, 0, CONSENSUS, valid.txdata, PortableVerifier(), {.cache = &cache, .mode = SignatureCacheMode::STORE}};
    BOOST_CHECK(deferring.RunDeferring(staged) == ScriptVerdict::DEFERRED);
    BOOST_CHECK_EQUAL(cache.GetStats().inserted, 0U);

    // An eager one stores valid signatures, and nothing else.
    CScriptCheck without_mode{valid.tx, 0, CONSENSUS, valid.txdata, PortableVerifier(), {.cache = &cache}};
    BOOST_CHECK(without_mode.VerifyNow() == ScriptVerdict::VALID);
    BOOST_CHECK_EQUAL(cache.GetStats().inserted, 0U);
    CScriptCheck half{half_valid.tx,      0,
                      CONSENSUS,          half_valid.txdata,
                      PortableVerifier(), {.cache = &cache, .mode = SignatureCacheMode::STORE}};
    BOOST_CHECK(half.VerifyNow() == ScriptVerdict::INVALID);
    BOOST_CHECK_EQUAL(cache.GetStats().inserted, 1U);
    BOOST_CHECK(half.VerifyNow() == ScriptVerdict::INVALID);
    BOOST_CHECK_EQUAL(cache.GetStats().inserted, 1U);

    // Signatures in the cache aren't staged.
    staged.clear();
    BOOST_CHECK(deferring.RunDeferring(staged) == ScriptVerdict::DEFERRED);
    BOOST_REQUIRE_EQUAL(staged.size(), 1U);
    BOOST_CHECK_EQUAL(CheckOrigin::FromTicket(staged[0].ticket).opcode_pos, 4U);
    CScriptCheck eager{valid.tx, 0, CONSENSUS, valid.txdata, PortableVerifier(), {.cache = &cache, .mode = SignatureCacheMode::STORE}};
    BOOST_CHECK(eager.VerifyNow() == ScriptVerdict::VALID);
    staged.clear();
    BOOST_CHECK(deferring.RunDeferring(staged) == ScriptVerdict::VALID);
    BOOST_CHECK(staged.empty());

    // A block marks them as erasable, and the next one still finds them.
    CScriptCheck erasing{valid.tx,           0,
                         CONSENSUS,          valid.txdata,
                         PortableVerifier(), {.cache = &cache, .mode = SignatureCacheMode::ERASE_ON_HIT}};
    for (int block = 0; block < 2; ++block) BOOST_CHECK(erasing.RunDeferring(staged) == ScriptVerdict::VALID);
    // Of the other modes, one does not ask, and the other changes nothing.
    CScriptCheck asking{valid.tx, 0, CONSENSUS, valid.txdata, PortableVerifier(), {.cache = &cache, .mode = SignatureCacheMode::ASK}};
    BOOST_CHECK(asking.RunDeferring(staged) == ScriptVerdict::VALID);
    CScriptCheck none{valid.tx, 0, CONSENSUS, valid.txdata, PortableVerifier(), {.cache = &cache, .mode = SignatureCacheMode::NONE}};
    BOOST_CHECK(none.RunDeferring(staged) == ScriptVerdict::DEFERRED);
    SignatureCache empty;
    CScriptCheck asking_in_vain{valid.tx,           0,
                                CONSENSUS,          valid.txdata,
                                PortableVerifier(), {.cache = &empty, .mode = SignatureCacheMode::ASK}};
    BOOST_CHECK(asking_in_vain.VerifyNow() == ScriptVerdict::VALID);
    BOOST_CHECK_EQUAL(empty.GetStats().misses, 2U);
    BOOST_CHECK_EQUAL(empty.GetStats().inserted, 0U);
}

/** In one mode, an entry that was found may be overwritten; in the others it is kept like any other. */
BOOST_AUTO_TEST_CASE(only_a_block_lets_go_of_what_it_found)
{
    TapSpend spend{CScript{} << Keys().SchnorrKey(0) << OP_CHECKSIG};
    spend.stack = {Keys().SignSchnorr(0, spend.Message(SIGHASH_DEFAULT, KeyVersion::BIP340))};
    const Prepared prepared{spend};
    for (const SignatureCacheMode mode : {SignatureCacheMode::ASK, SignatureCacheMode::STORE, SignatureCacheMode::ERASE_ON_HIT}) {
        SignatureCache cache{400};
        BOOST_REQUIRE_EQUAL(cache.Capacity(), 8U); // one bucket
        for (const SignatureCacheMode each : {SignatureCacheMode::STORE, mode}) {
            CScriptCheck check{prepared.tx, 0, CONSENSUS, prepared.txdata, PortableVerifier(), {.cache = &cache, .mode = each}};
            BOOST_CHECK(check.VerifyNow() == ScriptVerdict::VALID);
        }
        BOOST_CHECK_EQUAL(cache.GetStats().hits, 1U);
        for (uint8_t i{0}; i < 8; ++i) { // one more than there is place for
            cache.Insert({SignatureScheme::ECDSA, Keys().SchnorrKey(0), uint256{i}.Bytes(), Bytes(64, 1)});
        }
        const bool erased{mode == SignatureCacheMode::ERASE_ON_HIT};
        BOOST_CHECK_EQUAL(cache.GetStats().overwritten, erased ? 1U : 0U);
        BOOST_CHECK_EQUAL(cache.GetStats().evicted, erased ? 0U : 1U);
    }
}

BOOST_AUTO_TEST_CASE(an_invalid_signature_over_the_curve_is_not_stored)
{
    const Bytes generator{0x79, 0xbe, 0x66, 0x7e, 0xf9, 0xdc, 0xbb, 0xac, 0x55, 0xa0, 0x62, 0x95, 0xce, 0x87, 0x0b, 0x07,
                          0x02, 0x9b, 0xfc, 0xdb, 0x2d, 0xce, 0x28, 0xd9, 0x59, 0xf2, 0x81, 0x5b, 0x16, 0xf8, 0x17, 0x98};
    TapSpend spend{CScript{} << generator << OP_CHECKSIG};
    spend.stack = {Bytes(64, 1)};
    const Prepared prepared{spend};
    SignatureCache cache;
    CScriptCheck check{prepared.tx,        0,
                       CONSENSUS,          prepared.txdata,
                       PortableVerifier(), {.cache = &cache, .mode = SignatureCacheMode::STORE}};
    for (uint64_t run{1}; run <= 2; ++run) {
        BOOST_CHECK(check.VerifyNow() == ScriptVerdict::INVALID);
        BOOST_CHECK_EQUAL(check.Failure().error, SCRIPT_ERR_SCHNORR_SIG);
        BOOST_CHECK_EQUAL(cache.GetStats().misses, run);
    }
    BOOST_CHECK_EQUAL(cache.GetStats().inserted, 0U);
}

BOOST_AUTO_TEST_CASE(a_failure_names_the_script_and_the_opcode)
{
    const auto where{[](const CScript& script_sig, const CScript& script_pub_key, const CScriptWitness& witness = {}) {
        const BaseSignatureChecker checker;
        ScriptRun run{.flags = CONSENSUS, .checker = checker};
        const bool valid{VerifyScript(script_sig, script_pub_key, &witness, run)};
        BOOST_CHECK_EQUAL(valid, run.failure.error == SCRIPT_ERR_OK);
        return run.failure;
    }};
    const CScript false_on_top{CScript{} << OP_NOP << OP_0};
    const CScript returns{CScript{} << OP_NOP << OP_RETURN};
    const CScript undecodable{std::vector<uint8_t>{OP_NOP, OP_NOP, OP_PUSHDATA1}};
    const CScript unbalanced{CScript{} << OP_1 << OP_IF};
    const auto p2sh{[](const CScript& script) { return CScript{} << OP_HASH160 << Hash160(script) << OP_EQUAL; }};
    const auto p2wsh{[](const CScript& script) { return CScript{} << OP_0 << Sha256(script); }};
    const auto leaf{[&](const CScript& script) {
        const LeafSpend spend{LeafSpend::P2MR(script)};
        return where({}, spend.script_pub_key, spend.Witness({}));
    }};

    BOOST_CHECK(where(CScript{} << OP_1, CScript{} << OP_NOP) == ScriptFailure{});
    using enum ScriptRole;
    BOOST_CHECK((where(returns, CScript{} << OP_1) == ScriptFailure{SCRIPT_ERR_OP_RETURN, SCRIPT_SIG, 1, OP_RETURN}));
    BOOST_CHECK((where({}, returns) == ScriptFailure{SCRIPT_ERR_OP_RETURN, SCRIPT_PUB_KEY, 1, OP_RETURN}));
    BOOST_CHECK((where(CScript{} << Bytes{returns}, p2sh(returns)) == ScriptFailure{SCRIPT_ERR_OP_RETURN, REDEEM_SCRIPT, 1, OP_RETURN}));
    BOOST_CHECK((where({}, p2wsh(returns), {{returns}}) == ScriptFailure{SCRIPT_ERR_OP_RETURN, WITNESS_SCRIPT, 1, OP_RETURN}));
    BOOST_CHECK((leaf(returns) == ScriptFailure{SCRIPT_ERR_OP_RETURN, LEAF_SCRIPT, 1, OP_RETURN}));
    // The script behind P2WPKH
    const CScriptWitness key{{Bytes{1}, Bytes(33, 2)}};
    BOOST_CHECK(
        (where({}, CScript{} << OP_0 << Bytes(20, 7), key) == ScriptFailure{SCRIPT_ERR_EQUALVERIFY, WITNESS_SCRIPT, 3, OP_EQUALVERIFY}));
    // An instruction that does not decode has a place and no opcode; in a leaf it is found before anything runs.
    BOOST_CHECK((where({}, undecodable) == ScriptFailure{SCRIPT_ERR_BAD_OPCODE, SCRIPT_PUB_KEY, 2, OP_INVALIDOPCODE}));
    BOOST_CHECK((leaf(undecodable) == ScriptFailure{SCRIPT_ERR_BAD_OPCODE, LEAF_SCRIPT, NO_OPCODE, OP_INVALIDOPCODE}));
    // No opcode is to blame for how a script ends.
    for (const auto& [script, error] :
         {std::pair{false_on_top, SCRIPT_ERR_EVAL_FALSE}, std::pair{unbalanced, SCRIPT_ERR_UNBALANCED_CONDITIONAL}}) {
        BOOST_CHECK((where({}, script) == ScriptFailure{error, SCRIPT_PUB_KEY, NO_OPCODE, OP_INVALIDOPCODE}));
        BOOST_CHECK((leaf(script) == ScriptFailure{error, LEAF_SCRIPT, NO_OPCODE, OP_INVALIDOPCODE}));
    }
    // Nor is a script to blame for faults before and after it.
    BOOST_CHECK((where({}, p2wsh(returns), {{false_on_top}}) ==
                 ScriptFailure{SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH, NONE, NO_OPCODE, OP_INVALIDOPCODE}));
    BOOST_CHECK(
        (where({}, CScript{} << OP_1, {{Bytes{1}}}) == ScriptFailure{SCRIPT_ERR_WITNESS_UNEXPECTED, NONE, NO_OPCODE, OP_INVALIDOPCODE}));
}

/** The earlier use of a run makes no difference. */
BOOST_AUTO_TEST_CASE(success_leaves_no_failure)
{
    const auto succeeds{[](const CTransaction& tx, const std::vector<CTxOut>& spent, unsigned n_in, script_verify_flags flags = CONSENSUS) {
        const PrecomputedTransactionData txdata{tx, std::vector{spent}};
        VerifyingSink sink{PortableVerifier()};
        const TransactionSignatureChecker checker{tx, n_in, spent[n_in].nValue, &txdata, sink};
        ScriptRun run{.flags = flags, .checker = checker};
        run.execdata.m_annex_hash = uint256{uint8_t{1}};
        run.execdata.m_output_hash = uint256{uint8_t{2}};
        run.execdata.m_tapleaf_hash = uint256{uint8_t{3}};
        run.execdata.m_codeseparator_pos = 4;
        run.script = ScriptRole::SCRIPT_SIG;
        run.Fail(SCRIPT_ERR_OP_RETURN, ScriptRole::SCRIPT_SIG);
        int version;
        std::span<const uint8_t> program;
        BOOST_REQUIRE(spent[n_in].scriptPubKey.IsWitnessProgram(version, program));
        BOOST_CHECK(VerifyWitnessProgram(tx.vin[n_in].scriptWitness, version, program, /*is_p2sh=*/false, run));
        BOOST_CHECK(run.failure == ScriptFailure{});
    }};
    const std::vector<SpendKind> kinds{SpendKind::P2WPKH, SpendKind::P2TR_KEY_PATH, SpendKind::P2TR_SCRIPT_PATH, SpendKind::P2MR_SCHNORR};
    const SignedSpend spend{SpendKinds(kinds, Keys(), 1)};
    const CTransaction tx{spend.tx};
    for (unsigned i{0}; i < kinds.size(); ++i) succeeds(tx, spend.spent, i);
    succeeds(tx, spend.spent, 1, CONSENSUS & ~SCRIPT_VERIFY_TAPROOT);

    const CScript check_schnorr{CScript{} << Keys().SchnorrKey(0) << OP_CHECKSIG};
    const CScript op_success{CScript{} << OP_RESERVED}, fails{CScript{} << OP_RETURN};
    for (const auto& make : {LeafSpend::P2MR, LeafSpend::P2TR}) {
        TapSpend tap{make(check_schnorr, 1)};
        tap.stack = {Keys().SignSchnorr(0, tap.Message(SIGHASH_SINGLE, KeyVersion::BIP340))};
        tap.stack[0].push_back(SIGHASH_SINGLE);
        succeeds(tap.Tx(), tap.SpentOutputs(), 0);
        const TapSpend success{make(op_success, 1)};
        succeeds(success.Tx(), success.SpentOutputs(), 0);
    }
    // A tree of one leaf, and a leaf of an unknown version: neither is executed
    for (const uint8_t version : {0xc0, 0xc2}) {
        const Bytes path(version == 0xc0 ? 0 : 32, 1);
        LeafSpend leaf{.script = fails,
                       .script_pub_key = P2MRScriptPubKey(ComputeTapPathRoot(path, ComputeTapleafHash(version, fails))),
                       .control{static_cast<uint8_t>(version | P2MR_CONTROL_BIT)}};
        leaf.control.insert(leaf.control.end(), path.begin(), path.end());
        const TapSpend tap{std::move(leaf)};
        succeeds(tap.Tx(), tap.SpentOutputs(), 0);
    }
    for (const CScript& script_pub_key : {CScript{} << OP_1 << Bytes{0x4e, 0x73}, CScript{} << OP_16 << Bytes(32, 1)}) {
        succeeds(TapSpend{op_success}.Tx(), {CTxOut{1, script_pub_key}}, 0);
    }
}

BOOST_AUTO_TEST_CASE(an_observer_sees_every_instruction)
{
    TapSpend spend{CScript{} << OP_TOALTSTACK << OP_0 << OP_IF << Bytes{1, 2} << OP_ENDIF << OP_FROMALTSTACK << Bytes(33, 3)
                             << OP_CHECKSIGSLHDSA << OP_RETURN};
    spend.stack = {Bytes(7000, 1)};
    const Prepared prepared{spend};
    Recorder recorder;
    CScriptCheck check{prepared.tx, 0, CONSENSUS, prepared.txdata, PortableVerifier()};
    check.SetObserver(&recorder);
    BOOST_CHECK(check.VerifyNow() == ScriptVerdict::INVALID);
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
    const auto weight{static_cast<int64_t>(GetSerializeSize(spend.leaf.Witness(spend.stack))) + VALIDATION_WEIGHT_OFFSET};
    BOOST_CHECK(recorder.weights[2] == weight);
    BOOST_CHECK(recorder.weights[10] == weight - VALIDATION_WEIGHT_PER_SIGOP_PASSED);
    check.SetObserver(nullptr);
    BOOST_CHECK(check.VerifyNow() == ScriptVerdict::INVALID);
    BOOST_CHECK_EQUAL(recorder.events.size(), events.size());
}

BOOST_AUTO_TEST_SUITE_END()
