// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// What is standard: outputs, inputs and witnesses, both sides of each limit.

#include <script/policy.h>
#include <test/tap_fixture.h>

#include <boost/test/unit_test.hpp>

using namespace slhc;
using namespace slhc::test;

namespace {

TxoutType TypeOf(const CScript& script_pub_key)
{
    std::vector<Bytes> solutions;
    return Solver(script_pub_key, solutions);
}

/** A compressed key. */
Bytes EcKey(uint8_t last = 1)
{
    Bytes key(33, 0x55);
    key[0] = 0x02;
    key[32] = last;
    return key;
}

/** Why the witness of a spend isn't standard; "standard" if it is. */
std::string WitnessVerdict(const CScript& script_pub_key, const std::vector<Bytes>& stack, const CScript& script_sig = {})
{
    CMutableTransaction tx;
    tx.vin.emplace_back(COutPoint{uint256{uint8_t{1}}, 0}, CScript{});
    tx.vin.emplace_back(COutPoint{uint256{uint8_t{2}}, 0}, script_sig);
    tx.vin[1].scriptWitness.stack = stack;
    tx.vout.emplace_back(1000, CScript{} << OP_TRUE);
    const std::vector<CTxOut> spent{{1, CScript{} << OP_TRUE}, {1000, script_pub_key}};
    std::string reason{"standard"};
    const bool standard{IsWitnessStandard(CTransaction{tx}, spent, reason)};
    BOOST_CHECK_EQUAL(standard, reason == "standard");
    return reason;
}

std::string WitnessVerdict(const TapSpend& spend) { return WitnessVerdict(spend.ScriptPubKey(), spend.Witness().stack); }

std::string InputVerdict(const CScript& script_pub_key, const CScript& script_sig)
{
    CMutableTransaction tx;
    tx.vin.emplace_back(COutPoint{uint256{uint8_t{1}}, 0}, script_sig);
    tx.vout.emplace_back(1000, CScript{} << OP_TRUE);
    const std::vector<CTxOut> spent{{1000, script_pub_key}};
    std::string reason{"standard"};
    const bool standard{AreInputsStandard(CTransaction{tx}, spent, reason)};
    BOOST_CHECK_EQUAL(standard, reason == "standard");
    return reason;
}

CScript P2SH(const CScript& redeem_script) { return CScript{} << OP_HASH160 << Hash160(redeem_script) << OP_EQUAL; }

} // namespace

BOOST_AUTO_TEST_SUITE(policy_tests)

BOOST_AUTO_TEST_CASE(kinds_of_outputs)
{
    const auto check{[](const CScript& script, TxoutType type, std::string_view name, const std::vector<Bytes>& expected) {
        std::vector<Bytes> solutions{{9}};
        BOOST_CHECK(Solver(script, solutions) == type);
        BOOST_CHECK_EQUAL(GetTxnOutputType(type), name);
        BOOST_CHECK(solutions == expected);
        TxoutType found;
        BOOST_CHECK_EQUAL(IsStandard(script, found), type != TxoutType::NONSTANDARD);
        BOOST_CHECK(found == type);
    }};
    const Bytes h20(20, 1), h32(32, 2), key{EcKey()};
    Bytes long_key(65, 7);
    long_key[0] = 4;
    check(CScript{} << key << OP_CHECKSIG, TxoutType::PUBKEY, "pubkey", {key});
    check(CScript{} << long_key << OP_CHECKSIG, TxoutType::PUBKEY, "pubkey", {long_key});
    check(CScript{} << OP_DUP << OP_HASH160 << h20 << OP_EQUALVERIFY << OP_CHECKSIG, TxoutType::PUBKEYHASH, "pubkeyhash", {h20});
    check(CScript{} << OP_HASH160 << h20 << OP_EQUAL, TxoutType::SCRIPTHASH, "scripthash", {h20});
    check(CScript{} << OP_1 << key << EcKey(2) << OP_2 << OP_CHECKMULTISIG, TxoutType::MULTISIG, "multisig", {{1}, key, EcKey(2), {2}});
    check(CScript{} << OP_RETURN, TxoutType::NULL_DATA, "nulldata", {});
    check(CScript{} << OP_RETURN << h32 << OP_1, TxoutType::NULL_DATA, "nulldata", {});
    check(CScript{} << OP_0 << h20, TxoutType::WITNESS_V0_KEYHASH, "witness_v0_keyhash", {h20});
    check(CScript{} << OP_0 << h32, TxoutType::WITNESS_V0_SCRIPTHASH, "witness_v0_scripthash", {h32});
    check(CScript{} << OP_1 << h32, TxoutType::WITNESS_V1_TAPROOT, "witness_v1_taproot", {h32});
    check(CScript{} << OP_2 << h32, TxoutType::WITNESS_V2_P2MR, "witness_v2_p2mr", {h32});
    check(CScript{} << OP_1 << Bytes{0x4e, 0x73}, TxoutType::ANCHOR, "anchor", {});
    check(CScript{} << OP_2 << h20, TxoutType::WITNESS_UNKNOWN, "witness_unknown", {{2}, h20});
    check(CScript{} << OP_1 << h20, TxoutType::WITNESS_UNKNOWN, "witness_unknown", {{1}, h20});
    check(CScript{} << OP_16 << h32, TxoutType::WITNESS_UNKNOWN, "witness_unknown", {{16}, h32});
    check(CScript{} << OP_0 << Bytes(21, 1), TxoutType::NONSTANDARD, "nonstandard", {});
    check(CScript{}, TxoutType::NONSTANDARD, "nonstandard", {});
    check(CScript{} << OP_RETURN << OP_NOP, TxoutType::NONSTANDARD, "nonstandard", {});
    check(CScript{} << Bytes(33, 5) << OP_CHECKSIG, TxoutType::NONSTANDARD, "nonstandard", {});
    check(CScript{} << OP_2 << key << OP_1 << OP_CHECKMULTISIG, TxoutType::NONSTANDARD, "nonstandard", {}); // 2 of 1
    check(CScript{} << OP_0 << key << OP_1 << OP_CHECKMULTISIG, TxoutType::NONSTANDARD, "nonstandard", {});
    check(CScript{} << OP_1 << key << OP_2 << OP_CHECKMULTISIG, TxoutType::NONSTANDARD, "nonstandard", {}); // a key is missing
    check(CScript{} << OP_1 << key << OP_1 << OP_NOP << OP_CHECKMULTISIG, TxoutType::NONSTANDARD, "nonstandard", {});
}

BOOST_AUTO_TEST_CASE(bare_multisig)
{
    CScript script{CScript{} << OP_1};
    for (uint8_t n{1}; n <= 5; ++n) {
        script << EcKey(n);
        TxoutType type;
        BOOST_CHECK_EQUAL(IsStandard(CScript{script} << n << OP_CHECKMULTISIG, type), n <= 3);
        BOOST_CHECK(type == TxoutType::MULTISIG);
    }
    // 17 and more keys are pushed as bytes.
    CScript many{CScript{} << 17};
    for (uint8_t n{0}; n < 20; ++n) many << EcKey(n);
    BOOST_CHECK(TypeOf(CScript{many} << 20 << OP_CHECKMULTISIG) == TxoutType::MULTISIG);
    BOOST_CHECK(TypeOf(CScript{many} << EcKey(20) << 21 << OP_CHECKMULTISIG) == TxoutType::NONSTANDARD);
}

BOOST_AUTO_TEST_CASE(flags_of_policy)
{
    BOOST_CHECK(ValidFlags(STANDARD_SCRIPT_VERIFY_FLAGS));
    BOOST_CHECK(ValidFlags(MANDATORY_SCRIPT_VERIFY_FLAGS));
    // All but SIGPUSHONLY, which P2SH and the transaction's own rule make needless.
    BOOST_CHECK((STANDARD_SCRIPT_VERIFY_FLAGS | SCRIPT_VERIFY_SIGPUSHONLY) == script_verify_flags::from_int(MAX_SCRIPT_VERIFY_FLAGS));
    BOOST_CHECK((GetScriptFlagNames(MANDATORY_SCRIPT_VERIFY_FLAGS) ==
                 std::vector<std::string>{"P2SH", "DERSIG", "NULLDUMMY", "CHECKLOCKTIMEVERIFY", "CHECKSEQUENCEVERIFY", "WITNESS", "TAPROOT", "P2MR", "SLHDSA"}));

    // With them, unknown key types and leaf versions, and a tree of one leaf, cannot be spent.
    TapSpend spend;
    const auto& key{TestKey::Get(1).Public()};
    spend.leaf = CScript{} << key << OP_CHECKSIGSLHDSA;
    spend.stack = {FakeSignature()};
    BOOST_CHECK_EQUAL(spend.Run(STANDARD_SCRIPT_VERIFY_FLAGS), SCRIPT_ERR_OK);
    spend.leaf = CScript{} << Bytes(33, 1) << OP_CHECKSIGSLHDSA;
    BOOST_CHECK_EQUAL(spend.Run(STANDARD_SCRIPT_VERIFY_FLAGS), SCRIPT_ERR_DISCOURAGE_UPGRADABLE_PUBKEYTYPE);
    spend.leaf_version = 0xc2;
    BOOST_CHECK_EQUAL(spend.Run(STANDARD_SCRIPT_VERIFY_FLAGS), SCRIPT_ERR_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION);
    spend.path_length = 0;
    BOOST_CHECK_EQUAL(spend.Run(STANDARD_SCRIPT_VERIFY_FLAGS), SCRIPT_ERR_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM);
}

BOOST_AUTO_TEST_CASE(transactions)
{
    CMutableTransaction good;
    good.vin.emplace_back(COutPoint{uint256{uint8_t{1}}, 0}, CScript{} << Bytes(71, 1));
    good.vout.emplace_back(10'000, CScript{} << OP_2 << Bytes(32, 1));
    const auto verdict{[](const CMutableTransaction& tx, const StandardnessOptions& options = {}) {
        std::string reason{"standard"};
        const bool standard{IsStandardTx(CTransaction{tx}, options, reason)};
        BOOST_CHECK_EQUAL(standard, reason == "standard");
        return reason;
    }};
    BOOST_CHECK_EQUAL(verdict(good), "standard");

    CMutableTransaction tx{good};
    for (const uint32_t version : {0, 1, 2, 3, 4}) {
        tx.version = version;
        BOOST_CHECK_EQUAL(verdict(tx), version >= 1 && version <= 3 ? "standard" : "version");
    }
    tx = good;
    tx.vin[0].scriptWitness.stack = {Bytes(1, 1)};
    const auto base{GetTransactionWeight(CTransaction{tx})};
    tx.vin[0].scriptWitness.stack = {Bytes(static_cast<size_t>(400'000 - base) - 3, 1)}; // 4 bytes more of size, 1 less of data
    BOOST_CHECK_EQUAL(GetTransactionWeight(CTransaction{tx}), 400'000);
    BOOST_CHECK_EQUAL(verdict(tx), "standard");
    tx.vin[0].scriptWitness.stack[0].push_back(1);
    BOOST_CHECK_EQUAL(verdict(tx), "tx-size");

    tx = good;
    tx.vin[0].scriptSig = CScript{} << Bytes(1647, 1);
    BOOST_CHECK_EQUAL(tx.vin[0].scriptSig.size(), 1650U);
    BOOST_CHECK_EQUAL(verdict(tx), "standard");
    tx.vin[0].scriptSig = CScript{} << Bytes(1648, 1);
    BOOST_CHECK_EQUAL(verdict(tx), "scriptsig-size");
    tx.vin[0].scriptSig = CScript{} << OP_NOP;
    BOOST_CHECK_EQUAL(verdict(tx), "scriptsig-not-pushonly");

    tx = good;
    tx.vout.emplace_back(10'000, CScript{} << OP_TRUE);
    BOOST_CHECK_EQUAL(verdict(tx), "scriptpubkey");
    tx.vout[1] = CTxOut{0, CScript{} << OP_RETURN << Bytes(80, 1)};
    BOOST_CHECK_EQUAL(tx.vout[1].scriptPubKey.size(), 83U);
    BOOST_CHECK_EQUAL(verdict(tx, {.max_datacarrier_bytes = 83}), "standard");
    BOOST_CHECK_EQUAL(verdict(tx, {.max_datacarrier_bytes = 82}), "datacarrier");
    tx.vout.push_back(tx.vout[1]);
    BOOST_CHECK_EQUAL(verdict(tx, {.max_datacarrier_bytes = 165}), "datacarrier");
    tx.vout.resize(1);
    tx.vout.emplace_back(10'000, CScript{} << OP_1 << EcKey() << OP_1 << OP_CHECKMULTISIG);
    BOOST_CHECK_EQUAL(verdict(tx), "standard");
    BOOST_CHECK_EQUAL(verdict(tx, {.permit_bare_multisig = false}), "bare-multisig");
}

BOOST_AUTO_TEST_CASE(dust)
{
    // 43 bytes of output and 67 of input for P2MR as for P2TR, 31 and 67 for P2WPKH, 34 and 148 for P2PKH
    BOOST_CHECK_EQUAL(GetDustThreshold({0, CScript{} << OP_2 << Bytes(32, 1)}), 330);
    BOOST_CHECK_EQUAL(GetDustThreshold({0, CScript{} << OP_1 << Bytes(32, 1)}), 330);
    BOOST_CHECK_EQUAL(GetDustThreshold({0, CScript{} << OP_0 << Bytes(20, 1)}), 294);
    BOOST_CHECK_EQUAL(GetDustThreshold({0, CScript{} << OP_DUP << OP_HASH160 << Bytes(20, 1) << OP_EQUALVERIFY << OP_CHECKSIG}), 546);
    BOOST_CHECK_EQUAL(GetDustThreshold({0, CScript{} << OP_RETURN}), 0);
    BOOST_CHECK_EQUAL(GetDustThreshold({0, CScript{} << OP_2 << Bytes(32, 1)}, 1), 1);
    BOOST_CHECK_EQUAL(GetDustThreshold({0, CScript{} << OP_2 << Bytes(32, 1)}, 0), 0);

    CMutableTransaction tx;
    tx.vin.emplace_back(COutPoint{uint256{uint8_t{1}}, 0});
    tx.vout.emplace_back(329, CScript{} << OP_2 << Bytes(32, 1));
    tx.vout.emplace_back(330, CScript{} << OP_2 << Bytes(32, 1));
    std::string reason;
    BOOST_CHECK(IsStandardTx(CTransaction{tx}, {}, reason)); // one is allowed
    tx.vout[1].nValue = 329;
    BOOST_CHECK(!IsStandardTx(CTransaction{tx}, {}, reason));
    BOOST_CHECK_EQUAL(reason, "dust");
    BOOST_CHECK(IsStandardTx(CTransaction{tx}, {.dust_relay_fee = 0}, reason));
}

BOOST_AUTO_TEST_CASE(inputs)
{
    BOOST_CHECK_EQUAL(InputVerdict(CScript{} << OP_2 << Bytes(32, 1), {}), "standard");
    BOOST_CHECK_EQUAL(InputVerdict(CScript{} << OP_1 << Bytes(32, 1), {}), "standard");
    BOOST_CHECK_EQUAL(InputVerdict(CScript{} << OP_2 << Bytes(31, 1), {}), "input 0: witness program is undefined");
    BOOST_CHECK_EQUAL(InputVerdict(CScript{} << OP_3 << Bytes(32, 1), {}), "input 0: witness program is undefined");
    BOOST_CHECK_EQUAL(InputVerdict(CScript{} << OP_TRUE, {}), "input 0: script unknown");

    CScript redeem_script;
    for (int i{0}; i < 15; ++i) redeem_script << OP_CHECKSIG;
    BOOST_CHECK_EQUAL(InputVerdict(P2SH(redeem_script), CScript{} << Bytes{redeem_script}), "standard");
    redeem_script << OP_CHECKSIG;
    BOOST_CHECK_EQUAL(InputVerdict(P2SH(redeem_script), CScript{} << Bytes{redeem_script}), "input 0: 16 signature checks in the redeem script");
    BOOST_CHECK_EQUAL(InputVerdict(P2SH(redeem_script), {}), "input 0: redeem script is missing");
    BOOST_CHECK_EQUAL(InputVerdict(P2SH(redeem_script), CScript{} << OP_RETURN), "input 0: scriptSig of P2SH fails: SCRIPT_ERR_OP_RETURN");

    CScript many_checks;
    for (int i{0}; i < 2500; ++i) many_checks << OP_CHECKSIG;
    BOOST_CHECK_EQUAL(InputVerdict(many_checks, {}), "input 0: script unknown");
    many_checks << OP_CHECKSIG;
    BOOST_CHECK_EQUAL(InputVerdict(many_checks, {}), "more than 2500 signature checks outside of witnesses at input 0");
}

BOOST_AUTO_TEST_CASE(witnesses_of_taproot_and_p2mr)
{
    for (const Output output : BOTH_OUTPUTS) {
        TapSpend spend;
        spend.output = output;
        spend.leaf = CScript{} << OP_DROP << OP_TRUE;
        spend.stack = {Bytes(80, 1)};
        BOOST_CHECK_EQUAL(WitnessVerdict(spend), "standard");
        spend.stack = {Bytes(81, 1)};
        BOOST_CHECK_EQUAL(WitnessVerdict(spend), "input 1: tapscript stack item size");
        spend.leaf_version = 0xc2; // other leaf versions are for the flags to discourage
        BOOST_CHECK_EQUAL(WitnessVerdict(spend), "standard");
        spend.leaf_version = TAPROOT_LEAF_TAPSCRIPT;

        for (const opcodetype opcode : {OP_CHECKSIGSLHDSA, OP_CHECKSIGADDSLHDSA}) {
            spend.leaf = CScript{} << opcode;
            for (const auto& [size, standard] : std::vector<std::pair<size_t, bool>>{{0, true}, {80, true}, {81, false}, {520, false}, {521, false}, {7855, false}, {7856, true}, {7857, true}, {7858, false}}) {
                spend.stack = {Bytes(80, 1), Bytes(size, 1)};
                BOOST_CHECK_EQUAL(WitnessVerdict(spend), standard ? "standard" : "input 1: tapscript stack item size");
            }
            // A leaf that isn't executed buys nothing, and a byte in a push is no opcode.
            spend.stack = {Bytes(7856, 1)};
            for (const CScript& leaf : {CScript{} << opcode << OP_RESERVED, CScript{} << opcode << OP_PUSHDATA1, CScript{} << Bytes{opcode}}) {
                spend.leaf = leaf;
                BOOST_CHECK_EQUAL(WitnessVerdict(spend), "input 1: tapscript stack item size");
            }
        }

        spend = TapSpend{};
        spend.output = output;
        spend.annex = Bytes{ANNEX_TAG};
        BOOST_CHECK_EQUAL(WitnessVerdict(spend), "input 1: annex");
        const CScript script_pub_key{spend.ScriptPubKey()};
        BOOST_CHECK_EQUAL(WitnessVerdict(script_pub_key, {{1}, {ANNEX_TAG}}), "input 1: annex");
        BOOST_CHECK_EQUAL(WitnessVerdict(script_pub_key, {{1}, {}}), "input 1: empty control block");
        BOOST_CHECK_EQUAL(WitnessVerdict(script_pub_key, {Bytes(64, 1)}), output == Output::P2TR ? "standard" : "input 1: too few witness elements");
        BOOST_CHECK_EQUAL(WitnessVerdict(script_pub_key, {}), "standard"); // validation will say so
    }
}

BOOST_AUTO_TEST_CASE(other_witnesses)
{
    const auto p2wsh{[](size_t script_size, size_t items, size_t item_size) {
        std::vector<Bytes> stack(items, Bytes(item_size, 1));
        stack.emplace_back(script_size, uint8_t{OP_NOP});
        return WitnessVerdict(CScript{} << OP_0 << Bytes(32, 1), stack);
    }};
    BOOST_CHECK_EQUAL(p2wsh(3600, 100, 80), "standard");
    BOOST_CHECK_EQUAL(p2wsh(3601, 100, 80), "input 1: P2WSH sizes");
    BOOST_CHECK_EQUAL(p2wsh(3600, 101, 80), "input 1: P2WSH sizes");
    BOOST_CHECK_EQUAL(p2wsh(3600, 100, 81), "input 1: P2WSH sizes");
    BOOST_CHECK_EQUAL(WitnessVerdict(CScript{} << OP_0 << Bytes(20, 1), {Bytes(72, 1), EcKey()}), "standard");
    BOOST_CHECK_EQUAL(WitnessVerdict(CScript{} << OP_TRUE, {{1}}), "input 1: witness without a witness program");
    BOOST_CHECK_EQUAL(WitnessVerdict(CScript{} << OP_1 << Bytes{0x4e, 0x73}, {{1}}), "input 1: witness of an anchor");

    // In P2SH, rules of version 0 apply, and those of taproot and P2MR don't.
    const auto wrapped{[](const CScript& program, const std::vector<Bytes>& stack) { return WitnessVerdict(P2SH(program), stack, CScript{} << Bytes{program}); }};
    BOOST_CHECK_EQUAL(wrapped(CScript{} << OP_0 << Bytes(32, 1), {Bytes(81, 1), {}}), "input 1: P2WSH sizes");
    BOOST_CHECK_EQUAL(wrapped(CScript{} << OP_2 << Bytes(32, 1), {{1}, {ANNEX_TAG}}), "standard");
    BOOST_CHECK_EQUAL(wrapped(CScript{} << OP_NOP << OP_NOP, {{1}}), "input 1: witness without a witness program");
    BOOST_CHECK_EQUAL(WitnessVerdict(P2SH(CScript{}), {{1}}, CScript{}), "input 1: no redeem script");
}

BOOST_AUTO_TEST_CASE(coinbase)
{
    CMutableTransaction tx;
    tx.vin.emplace_back(COutPoint{}, CScript{} << OP_NOP);
    tx.vin[0].scriptWitness.stack = {Bytes(32, 0)};
    std::string reason;
    BOOST_CHECK(AreInputsStandard(CTransaction{tx}, {}, reason));
    BOOST_CHECK(IsWitnessStandard(CTransaction{tx}, {}, reason));
}

BOOST_AUTO_TEST_SUITE_END()
