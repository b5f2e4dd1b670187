// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <policy/policy.h>
#include <primitives/transaction.h>
#include <script/interpreter.h>
#include <script/script_error.h>
#include <script/sigcache.h>
#include <slhdsa/check.h>
#include <slhdsa/config.h>
#include <streams.h>
#include <test/util/setup_common.h>
#include <util/fs.h>
#include <util/strencodings.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <univalue.h>

script_verify_flags ParseScriptFlags(std::string strFlags);

namespace {
std::optional<ScriptError> ParseError(const std::string& name)
{
#define ERROR_NAME(error) {"SCRIPT_ERR_" #error, SCRIPT_ERR_##error}
    static const std::map<std::string, ScriptError> errors{
        ERROR_NAME(BAD_OPCODE),
        ERROR_NAME(CHECKSIGVERIFY),
        ERROR_NAME(CLEANSTACK),
        ERROR_NAME(DISABLED_OPCODE),
        ERROR_NAME(DISCOURAGE_OP_SUCCESS),
        ERROR_NAME(DISCOURAGE_UPGRADABLE_NOPS),
        ERROR_NAME(DISCOURAGE_UPGRADABLE_PUBKEYTYPE),
        ERROR_NAME(DISCOURAGE_UPGRADABLE_TAPROOT_VERSION),
        ERROR_NAME(DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM),
        ERROR_NAME(EQUALVERIFY),
        ERROR_NAME(EVAL_FALSE),
        ERROR_NAME(INVALID_ALTSTACK_OPERATION),
        ERROR_NAME(INVALID_STACK_OPERATION),
        ERROR_NAME(MINIMALDATA),
        ERROR_NAME(NEGATIVE_LOCKTIME),
        ERROR_NAME(NUMEQUALVERIFY),
        ERROR_NAME(OP_RETURN),
        ERROR_NAME(PUSH_SIZE),
        ERROR_NAME(SCHNORR_SIG),
        ERROR_NAME(SCHNORR_SIG_HASHTYPE),
        ERROR_NAME(SCHNORR_SIG_SIZE),
        ERROR_NAME(SCRIPTNUM),
        ERROR_NAME(SLHDSA_SIG),
        ERROR_NAME(SLHDSA_SIG_HASHTYPE),
        ERROR_NAME(SLHDSA_SIG_SIZE),
        ERROR_NAME(STACK_SIZE),
        ERROR_NAME(TAPROOT_WRONG_CONTROL_SIZE),
        ERROR_NAME(TAPSCRIPT_CHECKMULTISIG),
        ERROR_NAME(TAPSCRIPT_EMPTY_PUBKEY),
        ERROR_NAME(TAPSCRIPT_MINIMALIF),
        ERROR_NAME(TAPSCRIPT_VALIDATION_WEIGHT),
        ERROR_NAME(UNBALANCED_CONDITIONAL),
        ERROR_NAME(UNSATISFIED_LOCKTIME),
        ERROR_NAME(VERIFY),
        ERROR_NAME(WITNESS_MALLEATED),
        ERROR_NAME(WITNESS_PROGRAM_MISMATCH),
        ERROR_NAME(WITNESS_PROGRAM_WITNESS_EMPTY),
        ERROR_NAME(WITNESS_UNEXPECTED),
    };
#undef ERROR_NAME
    const auto it{errors.find(name)};
    return it == errors.end() ? std::nullopt : std::optional{it->second};
}

script_verify_flags VectorFlags(const std::string& flags)
{
    constexpr script_verify_flags BOTH{SCRIPT_VERIFY_P2MR | SCRIPT_VERIFY_SLHDSA};
    if (flags == "consensus") return MANDATORY_SCRIPT_VERIFY_FLAGS | BOTH;
    if (flags == "standard") return STANDARD_SCRIPT_VERIFY_FLAGS | BOTH;
    return ParseScriptFlags(flags);
}

struct Outcome {
    ScriptError error;
    std::optional<uint32_t> opcode_pos{}; //!< known of a deferred signature alone
};

/** Verify an input, with its SLH-DSA signatures at once, or deferred until the script has run. */
Outcome VerifyInput(const CTransaction& tx, unsigned int in, script_verify_flags flags, const PrecomputedTransactionData& txdata, SignatureCache& cache, bool defer)
{
    const CTxOut& spent{txdata.m_spent_outputs.at(in)};
    PrecomputedTransactionData txdata_copy{txdata};
    std::vector<SLHDSACheck> deferred;
    const CachingTransactionSignatureChecker checker{&tx, in, spent.nValue, /*storeIn=*/true, cache, txdata_copy, /*slhdsa_verifier=*/nullptr, defer ? &deferred : nullptr};
    ScriptError error;
    const bool valid{VerifyScript(tx.vin[in].scriptSig, spent.scriptPubKey, &tx.vin[in].scriptWitness, flags, checker, &error)};
    BOOST_CHECK_EQUAL(valid, error == SCRIPT_ERR_OK);
    for (const SLHDSACheck& check : deferred) {
        if (!check.Verify()) return {SCRIPT_ERR_SLHDSA_SIG, check.opcode_pos};
    }
    return {error};
}

CTxOut ParseOutput(const UniValue& amount, const UniValue& script_pub_key)
{
    const std::vector<unsigned char> script{ParseHex(script_pub_key.get_str())};
    return {amount.getInt<int64_t>(), CScript(script.begin(), script.end())};
}

CTransaction ParseTx(const UniValue& hex)
{
    CMutableTransaction mtx;
    SpanReader{ParseHex(hex.get_str())} >> TX_WITH_WITNESS(mtx);
    return CTransaction{mtx};
}

/** The file NAME in the folder that an environment variable names, if it is there. */
std::optional<UniValue> ReadVectors(const char* variable, const char* name, const char* test)
{
    const char* dir{std::getenv(variable)};
    const fs::path path{fs::path(dir ? dir : "") / name};
    const bool found{dir && fs::exists(path)};
    BOOST_WARN_MESSAGE(found, "File $" << variable << "/" << name << " not found, skipping " << test);
    if (!found) return std::nullopt;
    std::ifstream file{path.std_path()};
    UniValue vectors;
    BOOST_REQUIRE(vectors.read(std::string{std::istreambuf_iterator<char>{file}, {}}));
    return vectors;
}

/** A file of test vectors that the specification comes with. */
void CheckSpends(const char* name)
{
    BOOST_WARN_MESSAGE(HAVE_SLHDSA, "No SLH-DSA, skipping " << name);
    const std::optional<UniValue> vectors{ReadVectors("DIR_UNIT_TEST_DATA", name, "p2mr_vectors_test")};
    if (!HAVE_SLHDSA || !vectors) return;
    BOOST_REQUIRE(vectors->isArray() && !vectors->empty());

    for (const UniValue& vector : vectors->getValues()) {
        const std::string name{vector["name"].get_str()};
        const CTransaction tx{ParseTx(vector["tx"])};
        std::vector<CTxOut> spent_outputs;
        for (const UniValue& output : vector["spent_outputs"].getValues()) spent_outputs.push_back(ParseOutput(output["amount"], output["script_pubkey"]));
        PrecomputedTransactionData txdata;
        txdata.Init(tx, std::move(spent_outputs));
        const script_verify_flags flags{VectorFlags(vector["flags"].get_str())};
        const unsigned int vector_in{vector["input"].getInt<unsigned int>()};

        for (unsigned int in = 0; in < tx.vin.size(); ++in) {
            // The vector is about one input; the others are valid.
            const UniValue& error{vector["error"]};
            const auto expected{in != vector_in || error.isNull() ? SCRIPT_ERR_OK : ParseError(error.get_str())};
            BOOST_CHECK_MESSAGE(expected, name << ": add " << error.write() << " to ParseError()");
            // Deferred by a cache that knows nothing, then at once, then deferred again by a cache that the second time has filled
            SignatureCache cache{1 << 12};
            for (const bool defer : {true, false, true}) {
                const Outcome outcome{VerifyInput(tx, in, flags, txdata, cache, defer)};
                BOOST_CHECK_MESSAGE(outcome.error == expected, name << ", input " << in << (defer ? ", deferred: " : ": ") << ScriptErrorString(outcome.error) << " instead of " << error.write());
                BOOST_CHECK_MESSAGE(!outcome.opcode_pos || *outcome.opcode_pos == vector["opcode_pos"].getInt<uint32_t>(), name << ": fails at " << *outcome.opcode_pos);
            }
        }
    }
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(p2mr_vectors_tests, BasicTestingSetup)

BOOST_AUTO_TEST_CASE(p2mr_vectors_test)
{
    CheckSpends("spends.json");
    CheckSpends("parameter-sets.json");
}

BOOST_AUTO_TEST_CASE(bip360_spends_test)
{
    // The spends that BIP 360 comes with
    const std::optional<UniValue> vectors{ReadVectors("SLHC_BIP360_VECTORS", "p2mr_spending.json", "bip360_spends_test")};
    if (!vectors) return;
    const script_verify_flags flags{VectorFlags("consensus")};
    size_t valid{0};
    for (const UniValue& group : (*vectors)["scriptPathSpending"].getValues()) {
        const CTransaction tx{ParseTx(group["auxiliary"]["fullySignedTx"])};
        std::vector<CTxOut> spent_outputs;
        for (const UniValue& utxo : group["given"]["utxosSpent"].getValues()) spent_outputs.push_back(ParseOutput(utxo["amountSats"], utxo["scriptPubKey"]));
        PrecomputedTransactionData txdata;
        txdata.Init(tx, std::move(spent_outputs));
        for (unsigned int in = 0; in < tx.vin.size(); ++in, ++valid) {
            SignatureCache cache{1 << 12};
            BOOST_CHECK_EQUAL(VerifyInput(tx, in, flags, txdata, cache, /*defer=*/false).error, SCRIPT_ERR_OK);
        }
    }
    BOOST_CHECK_EQUAL(valid, 6U);

    const std::map<std::string, ScriptError> errors{
        {"invalid signature", SCRIPT_ERR_SCHNORR_SIG},
        {"witness program mismatch", SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH},
        {"invalid control byte", SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH},
        {"invalid control block size", SCRIPT_ERR_TAPROOT_WRONG_CONTROL_SIZE},
        {"empty witness", SCRIPT_ERR_WITNESS_PROGRAM_WITNESS_EMPTY},
        {"fewer than two witness elements", SCRIPT_ERR_WITNESS_PROGRAM_WITNESS_EMPTY},
        {"annex with fewer than two remaining witness elements", SCRIPT_ERR_WITNESS_PROGRAM_WITNESS_EMPTY},
    };
    BOOST_CHECK_EQUAL((*vectors)["invalidSpending"].size(), 9U);
    for (const UniValue& vector : (*vectors)["invalidSpending"].getValues()) {
        const CTransaction tx{ParseTx(vector["given"]["rawTx"])};
        const UniValue& utxo{vector["given"]["utxoSpent"]};
        PrecomputedTransactionData txdata;
        txdata.Init(tx, {ParseOutput(utxo["amountSats"], utxo["scriptPubKey"])});
        SignatureCache cache{1 << 12};
        BOOST_CHECK_MESSAGE(VerifyInput(tx, 0, flags, txdata, cache, /*defer=*/false).error == errors.at(vector["expected"]["error"].get_str()), vector["id"].get_str());
    }
}

BOOST_AUTO_TEST_SUITE_END()
