// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Bitcoin Core's own test vectors, read from its sources (SLHC_CORE_TEST_DATA: the folder src/test/data).

#include <consensus/tx_check.h>
#include <script/checker.h>
#include <script/interpreter.h>
#include <script/pubkey.h>
#include <script/script.h>
#include <script/script_check.h>
#include <script/taptree.h>
#include <test/random_source.h>
#include <test/script_util.h>
#include <test/util/verifier.h>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <string>

using namespace slhc;
using namespace slhc::test;
using nlohmann::json;

namespace {

constexpr script_verify_flags::value_type CORE_FLAGS{(uint64_t{1} << 21) - 1};

std::string DataDir()
{
    const char* dir{std::getenv("SLHC_CORE_TEST_DATA")};
    return dir ? dir : SLHC_CORE_TEST_DATA;
}

std::ifstream Open(const std::string& name) { return std::ifstream{DataDir() + "/" + name}; }

json ReadCoreJson(const std::string& name)
{
    auto file{Open(name)};
    return json::parse(file);
}

/** Skips a suite by name where there are no vectors. */
boost::test_tools::assertion_result HaveData(boost::unit_test::test_unit_id)
{
    boost::test_tools::assertion_result result{Open("script_tests.json").good()};
    result.message() << "Bitcoin Core's test vectors are not there (SLHC_CORE_TEST_DATA='" << DataDir() << "')";
    return result;
}

/** Add the flags that others need. */
script_verify_flags Fill(script_verify_flags flags)
{
    if (flags & SCRIPT_VERIFY_CLEANSTACK) flags |= SCRIPT_VERIFY_WITNESS;
    if (flags & SCRIPT_VERIFY_WITNESS) flags |= SCRIPT_VERIFY_P2SH;
    return flags;
}

/** Remove flags without the others that they need. */
script_verify_flags Trim(script_verify_flags flags)
{
    if (!(flags & SCRIPT_VERIFY_P2SH)) flags &= ~SCRIPT_VERIFY_WITNESS;
    if (!(flags & SCRIPT_VERIFY_WITNESS)) flags &= ~SCRIPT_VERIFY_CLEANSTACK;
    return flags;
}

script_verify_flags CoreFlags(const std::string& names)
{
    std::string error;
    const auto flags{ParseScriptFlags(names, error)};
    BOOST_REQUIRE_MESSAGE(flags, error);
    return *flags;
}

ScriptError CoreError(const std::string& name)
{
    const auto error{ScriptErrorFromName(name == "NULLFAIL" ? "SIG_NULLFAIL" : name)};
    BOOST_REQUIRE_MESSAGE(error, "unknown script error " + name);
    return *error;
}

/** A hash whose bytes the vector has in their own order, as BIP 341 writes them. */
uint256 HashFromHex(const json& hex) { return uint256{std::span<const uint8_t, 32>{Hex(hex.get<std::string>())}}; }

XOnlyPubKey KeyFromHex(const json& hex) { return XOnlyPubKey{std::span<const uint8_t, 32>{Hex(hex.get<std::string>())}}; }

struct Leaf {
    uint8_t version;
    Bytes script;
};

/** The leaves of a tree of nested pairs, from left to right. */
std::vector<Leaf> Leaves(const json& tree)
{
    if (!tree.is_array()) return {{tree["leafVersion"].get<uint8_t>(), Hex(tree["script"].get<std::string>())}};
    std::vector<Leaf> leaves;
    for (const json& branch : tree) {
        for (Leaf& leaf : Leaves(branch)) leaves.push_back(std::move(leaf));
    }
    return leaves;
}

struct ScriptTest {
    CScriptWitness witness;
    CAmount amount{0};
    CScript script_sig;
    CScript script_pub_key;
    script_verify_flags flags;
    ScriptError expected;
};

/** One entry of script_tests.json; nothing for a comment. */
std::optional<ScriptTest> ReadScriptTest(const json& entry)
{
    constexpr std::string_view SCRIPT_MARK{"#SCRIPT#"};
    if (entry.size() == 1) return std::nullopt;
    // Any key will do for the taproot outputs that the vectors leave to be made.
    const XOnlyPubKey internal_key{std::span<const uint8_t, 32>{Hex("50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0")}};

    ScriptTest test;
    CScript taproot_output;
    size_t pos{0};
    if (entry[0].is_array()) {
        const json& witness{entry[pos++]};
        for (size_t i{0}; i + 1 < witness.size(); ++i) {
            const std::string element{witness[i].get<std::string>()};
            if (element.starts_with(SCRIPT_MARK)) {
                test.witness.stack.push_back(ParseTestScript(std::string_view{element}.substr(SCRIPT_MARK.size())));
            } else if (element == "#CONTROLBLOCK#") {
                const uint256 root{ComputeTapleafHash(TAPROOT_LEAF_TAPSCRIPT, test.witness.stack.back())};
                const auto output{internal_key.CreateTapTweak(&root).value()};
                taproot_output = CScript{} << OP_1 << output.first.Bytes();
                Bytes control{static_cast<uint8_t>(TAPROOT_LEAF_TAPSCRIPT | (output.second ? 1 : 0))};
                control.insert(control.end(), internal_key.Bytes().begin(), internal_key.Bytes().end());
                test.witness.stack.push_back(control);
            } else {
                test.witness.stack.push_back(Hex(element));
            }
        }
        test.amount = std::llround(witness.back().get<double>() * COIN);
    }
    test.script_sig = ParseTestScript(entry[pos++].get<std::string>());
    const std::string script_pub_key{entry[pos++].get<std::string>()};
    test.script_pub_key = script_pub_key == "0x51 0x20 #TAPROOTOUTPUT#" ? taproot_output : ParseTestScript(script_pub_key);
    test.flags = CoreFlags(entry[pos++].get<std::string>());
    if (test.flags & SCRIPT_VERIFY_CLEANSTACK) test.flags = Fill(test.flags);
    test.expected = CoreError(entry[pos++].get<std::string>());
    return test;
}

/** A transaction's vector with its spent outputs. */
struct TxTest {
    std::map<COutPoint, CTxOut> prevouts;
    CTransactionRef tx;
    std::string flags;
};

/** One entry of tx_valid.json or tx_invalid.json; nothing for a comment. */
std::optional<TxTest> ReadTxTest(const json& entry)
{
    if (!entry[0].is_array()) return std::nullopt;
    TxTest test{.prevouts = {},
                .tx = CTransactionRef{new CTransaction{ParseTransaction(Hex(entry[1].get<std::string>()))}},
                .flags = entry[2].get<std::string>()};
    for (const json& input : entry[0]) {
        const COutPoint outpoint{uint256::FromHex(input[0].get<std::string>()).value(), static_cast<uint32_t>(input[1].get<int64_t>())};
        test.prevouts[outpoint] = CTxOut{input.size() > 3 ? input[3].get<CAmount>() : 0, ParseTestScript(input[2].get<std::string>())};
    }
    return test;
}

/** Verify all inputs; the error of the first invalid one. */
ScriptError CheckInputs(const TxTest& test, const PrecomputedTransactionData& txdata, script_verify_flags flags)
{
    for (unsigned i{0}; i < test.tx->vin.size(); ++i) {
        const CTxIn& txin{test.tx->vin[i]};
        const CTxOut& spent{test.prevouts.at(txin.prevout)};
        VerifyingSink sink{PortableVerifier()};
        const TransactionSignatureChecker checker{*test.tx, i, spent.nValue, &txdata, sink};
        ScriptError error;
        if (!VerifyScript(txin.scriptSig, spent.scriptPubKey, &txin.scriptWitness, flags, checker, error)) {
            BOOST_CHECK_NE(error, SCRIPT_ERR_OK);
            return error;
        }
        BOOST_CHECK_EQUAL(error, SCRIPT_ERR_OK);
    }
    return SCRIPT_ERR_OK;
}

} // namespace

BOOST_AUTO_TEST_SUITE(core_vectors_tests, *boost::unit_test::precondition(HaveData))

BOOST_AUTO_TEST_CASE(script_tests)
{
    std::mt19937_64 random{slhc::test::Seed(1)};
    size_t n_tests{0};
    for (const json& entry : ReadCoreJson("script_tests.json")) {
        const auto test{ReadScriptTest(entry)};
        if (!test) continue;
        BOOST_TEST_CONTEXT(entry.dump())
        {
            ++n_tests;
            const bool valid{test->expected == SCRIPT_ERR_OK};
            const CTransaction credit{CreditingTransaction(test->script_pub_key, test->amount)};
            const CTransaction tx{SpendingTransaction(test->script_sig, test->witness, credit)};
            const PrecomputedTransactionData txdata{tx, {credit.vout[0]}};
            VerifyingSink sink{PortableVerifier()};
            const TransactionSignatureChecker checker{tx, 0, test->amount, &txdata, sink};
            ScriptError error;
            BOOST_CHECK_EQUAL(VerifyScript(test->script_sig, test->script_pub_key, &test->witness, test->flags, checker, error), valid);
            BOOST_CHECK_EQUAL(error, test->expected);

            // A valid input stays so with fewer flags, an invalid one with more.
            for (int i{0}; i < 64; ++i) {
                const auto change{script_verify_flags::from_int(random() & CORE_FLAGS)};
                const auto flags{valid ? Trim(test->flags & ~change) : Fill(test->flags | change)};
                BOOST_CHECK_EQUAL(VerifyScript(test->script_sig, test->script_pub_key, &test->witness, flags, checker, error), valid);
            }
        }
    }
    BOOST_TEST_MESSAGE("script_tests.json: " << n_tests << " vectors");
    BOOST_CHECK_GE(n_tests, 1200);
}

BOOST_AUTO_TEST_CASE(tx_valid)
{
    std::mt19937_64 random{slhc::test::Seed(2)};
    size_t n_tests{0};
    for (const json& entry : ReadCoreJson("tx_valid.json")) {
        const auto test{ReadTxTest(entry)};
        if (!test) continue;
        BOOST_TEST_CONTEXT(entry.dump())
        {
            ++n_tests;
            BOOST_CHECK(SerializeToVector(*test->tx) == Hex(entry[1].get<std::string>()));
            ValidationState state;
            BOOST_CHECK(CheckTransaction(*test->tx, state));
            const PrecomputedTransactionData txdata{*test->tx};
            // The vectors name the flags that must not be set.
            const auto excluded{CoreFlags(test->flags)};
            const auto flags{script_verify_flags::from_int(CORE_FLAGS) & ~excluded};
            BOOST_CHECK(ValidFlags(flags));
            BOOST_CHECK_EQUAL(CheckInputs(*test, txdata, flags), SCRIPT_ERR_OK);
            for (int i{0}; i < 64; ++i) {
                const auto fewer{Trim(flags & script_verify_flags::from_int(random()))};
                BOOST_CHECK_EQUAL(CheckInputs(*test, txdata, fewer), SCRIPT_ERR_OK);
            }
            // Each of them makes it invalid.
            for (int bit{0}; bit < 21; ++bit) {
                const auto flag{static_cast<script_verify_flag_name>(bit)};
                const auto more{script_verify_flags::from_int(CORE_FLAGS) & ~Trim(excluded & ~flag)};
                if ((excluded & flag) && more != flags) BOOST_CHECK_NE(CheckInputs(*test, txdata, more), SCRIPT_ERR_OK);
            }
        }
    }
    BOOST_TEST_MESSAGE("tx_valid.json: " << n_tests << " vectors");
    BOOST_CHECK_GE(n_tests, 115);
}

BOOST_AUTO_TEST_CASE(tx_invalid)
{
    std::mt19937_64 random{slhc::test::Seed(3)};
    size_t n_tests{0};
    for (const json& entry : ReadCoreJson("tx_invalid.json")) {
        const auto test{ReadTxTest(entry)};
        if (!test) continue;
        BOOST_TEST_CONTEXT(entry.dump())
        {
            ++n_tests;
            BOOST_CHECK(SerializeToVector(*test->tx) == Hex(entry[1].get<std::string>()));
            ValidationState state;
            const bool bad_tx{!CheckTransaction(*test->tx, state)};
            BOOST_CHECK_EQUAL(bad_tx, test->flags == "BADTX");
            if (bad_tx) continue;
            const PrecomputedTransactionData txdata{*test->tx};
            const auto flags{CoreFlags(test->flags)};
            BOOST_CHECK(ValidFlags(flags));
            BOOST_CHECK_NE(CheckInputs(*test, txdata, flags), SCRIPT_ERR_OK);
            for (int i{0}; i < 64; ++i) {
                const auto more{Fill(flags | script_verify_flags::from_int(random() & CORE_FLAGS))};
                BOOST_CHECK_NE(CheckInputs(*test, txdata, more), SCRIPT_ERR_OK);
            }
        }
    }
    BOOST_TEST_MESSAGE("tx_invalid.json: " << n_tests << " vectors");
    BOOST_CHECK_GE(n_tests, 90);
}

BOOST_AUTO_TEST_CASE(sighash)
{
    size_t n_tests{0};
    for (const json& entry : ReadCoreJson("sighash.json")) {
        if (entry.size() == 1) continue;
        ++n_tests;
        const CTransaction tx{ParseTransaction(Hex(entry[0].get<std::string>()))};
        const CScript script_code{Hex(entry[1].get<std::string>())};
        const auto n_in{entry[2].get<unsigned>()};
        const auto hash_type{entry[3].get<int32_t>()};
        const uint256 hash{SignatureHash(script_code, tx, n_in, hash_type, 0, SigVersion::BASE)};
        BOOST_CHECK_EQUAL(hash.GetHex(), entry[4].get<std::string>());
        // Twice, the second time from the midstate.
        SigHashCache cache;
        BOOST_CHECK(SignatureHash(script_code, tx, n_in, hash_type, 0, SigVersion::BASE, nullptr, &cache) == hash);
        BOOST_CHECK(SignatureHash(script_code, tx, n_in, hash_type, 0, SigVersion::BASE, nullptr, &cache) == hash);
    }
    BOOST_TEST_MESSAGE("sighash.json: " << n_tests << " vectors");
    BOOST_CHECK_EQUAL(n_tests, 500U);
}

BOOST_AUTO_TEST_CASE(bip341_script_pub_keys)
{
    size_t n_outputs{0};
    size_t n_control_blocks{0};
    const json vectors = ReadCoreJson("bip341_wallet_vectors.json");
    for (const json& vector : vectors["scriptPubKey"]) {
        ++n_outputs;
        const XOnlyPubKey internal_key{KeyFromHex(vector["given"]["internalPubkey"])};
        const json& root_hex{vector["intermediary"]["merkleRoot"]};
        const std::optional<uint256> root{root_hex.is_null() ? std::nullopt : std::optional{HashFromHex(root_hex)}};
        BOOST_CHECK(internal_key.ComputeTapTweakHash(root ? &*root : nullptr) == HashFromHex(vector["intermediary"]["tweak"]));
        const auto output{internal_key.CreateTapTweak(root ? &*root : nullptr)};
        BOOST_REQUIRE(output);
        BOOST_CHECK(output->first.Bytes() == KeyFromHex(vector["intermediary"]["tweakedPubkey"]).Bytes());
        BOOST_CHECK((CScript{} << OP_1 << output->first.Bytes()) == CScript{Hex(vector["expected"]["scriptPubKey"].get<std::string>())});
        if (!root) continue;

        const auto leaves{Leaves(vector["given"]["scriptTree"])};
        for (size_t i{0}; i < leaves.size(); ++i) {
            ++n_control_blocks;
            const uint256 leaf_hash{ComputeTapleafHash(leaves[i].version, leaves[i].script)};
            BOOST_CHECK(leaf_hash == HashFromHex(vector["intermediary"]["leafHashes"][i]));
            const Bytes control{Hex(vector["expected"]["scriptPathControlBlocks"][i].get<std::string>())};
            BOOST_REQUIRE(ValidControlSize(control.size(), TAPROOT_CONTROL_BASE_SIZE));
            BOOST_CHECK_EQUAL(control[0] & TAPROOT_LEAF_MASK, leaves[i].version);
            BOOST_CHECK(ComputeTapPathRoot(std::span{control}.subspan(TAPROOT_CONTROL_BASE_SIZE), leaf_hash) == *root);
            BOOST_CHECK(output->first.CheckTapTweak(internal_key, *root, (control[0] & 1) != 0));
            BOOST_CHECK(!output->first.CheckTapTweak(internal_key, *root, (control[0] & 1) == 0));
            BOOST_CHECK(!output->first.CheckTapTweak(internal_key, leaf_hash, (control[0] & 1) != 0) || leaf_hash == *root);
        }
    }
    BOOST_CHECK_EQUAL(n_outputs, 7U);
    BOOST_CHECK_EQUAL(n_control_blocks, 12U);
}

BOOST_AUTO_TEST_CASE(bip341_key_path_spending)
{
    const json vector = ReadCoreJson("bip341_wallet_vectors.json")["keyPathSpending"][0];
    const CTransaction unsigned_tx{ParseTransaction(Hex(vector["given"]["rawUnsignedTx"].get<std::string>()))};
    const CTransaction signed_tx{ParseTransaction(Hex(vector["auxiliary"]["fullySignedTx"].get<std::string>()))};
    std::vector<CTxOut> spent;
    for (const json& utxo : vector["given"]["utxosSpent"]) {
        spent.emplace_back(utxo["amountSats"].get<CAmount>(), CScript{Hex(utxo["scriptPubKey"].get<std::string>())});
    }
    auto spent_copy{spent};
    const PrecomputedTransactionData txdata{unsigned_tx, std::move(spent_copy), /*force=*/true};
    const json& hashes{vector["intermediary"]};
    BOOST_CHECK(txdata.m_spent_amounts_single_hash == HashFromHex(hashes["hashAmounts"]));
    BOOST_CHECK(txdata.m_outputs_single_hash == HashFromHex(hashes["hashOutputs"]));
    BOOST_CHECK(txdata.m_prevouts_single_hash == HashFromHex(hashes["hashPrevouts"]));
    BOOST_CHECK(txdata.m_spent_scripts_single_hash == HashFromHex(hashes["hashScriptPubkeys"]));
    BOOST_CHECK(txdata.m_sequences_single_hash == HashFromHex(hashes["hashSequences"]));

    for (const json& input : vector["inputSpending"]) {
        const auto n_in{input["given"]["txinIndex"].get<uint32_t>()};
        ScriptExecutionData execdata;
        execdata.m_annex_init = true;
        const auto sighash{
            SignatureHashSchnorr(execdata, unsigned_tx, n_in, input["given"]["hashType"].get<uint8_t>(), SigVersion::TAPROOT, txdata)};
        BOOST_REQUIRE(sighash);
        BOOST_CHECK(*sighash == HashFromHex(input["intermediary"]["sigHash"]));
        BOOST_CHECK(signed_tx.vin[n_in].scriptWitness.stack.at(0) == Hex(input["expected"]["witness"][0].get<std::string>()));
    }

    // The whole transaction, whose other inputs are P2PKH and P2WPKH.
    const PrecomputedTransactionData signed_txdata{signed_tx, std::move(spent)};
    const auto flags{SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS | SCRIPT_VERIFY_TAPROOT};
    for (unsigned i{0}; i < signed_tx.vin.size(); ++i) {
        const CTxOut& output{signed_txdata.m_spent_outputs[i]};
        VerifyingSink sink{PortableVerifier()};
        const TransactionSignatureChecker checker{signed_tx, i, output.nValue, &signed_txdata, sink};
        const CTxIn& txin{signed_tx.vin[i]};
        ScriptError error;
        BOOST_CHECK(VerifyScript(txin.scriptSig, output.scriptPubKey, &txin.scriptWitness, flags, checker, error));
        BOOST_CHECK_EQUAL(error, SCRIPT_ERR_OK);
    }
}

BOOST_AUTO_TEST_SUITE_END()
