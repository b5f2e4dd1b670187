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
#include <test/util/json.h>
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
        ERROR_NAME(DISCOURAGE_UPGRADABLE_PUBKEYTYPE),
        ERROR_NAME(DISCOURAGE_UPGRADABLE_TAPROOT_VERSION),
        ERROR_NAME(DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM),
        ERROR_NAME(EQUALVERIFY),
        ERROR_NAME(EVAL_FALSE),
        ERROR_NAME(INVALID_STACK_OPERATION),
        ERROR_NAME(MINIMALDATA),
        ERROR_NAME(NEGATIVE_LOCKTIME),
        ERROR_NAME(NUMEQUALVERIFY),
        ERROR_NAME(OP_RETURN),
        ERROR_NAME(PUSH_SIZE),
        ERROR_NAME(SCHNORR_SIG),
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

/** Verify an input, with its SLH-DSA signatures at once, or deferred until the script has run. */
ScriptError VerifyInput(const CTransaction& tx, unsigned int in, script_verify_flags flags, const PrecomputedTransactionData& txdata, bool defer)
{
    const CTxOut& spent{txdata.m_spent_outputs.at(in)};
    // A cache of its own, so that nothing is known from before
    SignatureCache cache{1 << 12};
    PrecomputedTransactionData txdata_copy{txdata};
    std::vector<SLHDSACheck> deferred;
    const CachingTransactionSignatureChecker checker{&tx, in, spent.nValue, /*storeIn=*/true, cache, txdata_copy, /*slhdsa_verifier=*/nullptr, defer ? &deferred : nullptr};
    ScriptError error;
    const bool valid{VerifyScript(tx.vin[in].scriptSig, spent.scriptPubKey, &tx.vin[in].scriptWitness, flags, checker, &error)};
    BOOST_CHECK_EQUAL(valid, error == SCRIPT_ERR_OK);
    for (const SLHDSACheck& check : deferred) {
        if (!check.Verify()) return SCRIPT_ERR_SLHDSA_SIG;
    }
    return error;
}
} // namespace

BOOST_FIXTURE_TEST_SUITE(p2mr_vectors_tests, BasicTestingSetup)

BOOST_AUTO_TEST_CASE(p2mr_vectors_test)
{
    // $DIR_UNIT_TEST_DATA/spends.json is the file of test vectors that the specification comes with.
    const char* dir = std::getenv("DIR_UNIT_TEST_DATA");
    BOOST_WARN_MESSAGE(dir != nullptr, "Variable DIR_UNIT_TEST_DATA unset, skipping p2mr_vectors_test");
    if (dir == nullptr) return;
    const auto path = fs::path(dir) / "spends.json";
    BOOST_WARN_MESSAGE(HAVE_SLHDSA && fs::exists(path), "No SLH-DSA, or file $DIR_UNIT_TEST_DATA/spends.json not found, skipping p2mr_vectors_test");
    if (!HAVE_SLHDSA || !fs::exists(path)) return;
    std::ifstream file{path.std_path()};
    const std::string data{std::istreambuf_iterator<char>{file}, {}};
    const UniValue vectors = read_json(data);
    BOOST_REQUIRE(vectors.isArray() && !vectors.empty());

    for (const UniValue& vector : vectors.getValues()) {
        const std::string name{vector["name"].get_str()};
        CMutableTransaction mtx;
        SpanReader{ParseHex(vector["tx"].get_str())} >> TX_WITH_WITNESS(mtx);
        const CTransaction tx{mtx};
        std::vector<CTxOut> spent_outputs;
        for (const UniValue& output : vector["spent_outputs"].getValues()) {
            const std::vector<unsigned char> script{ParseHex(output["script_pubkey"].get_str())};
            spent_outputs.emplace_back(output["amount"].getInt<int64_t>(), CScript(script.begin(), script.end()));
        }
        PrecomputedTransactionData txdata;
        txdata.Init(tx, std::move(spent_outputs));
        const script_verify_flags flags{VectorFlags(vector["flags"].get_str())};
        const unsigned int vector_in{vector["input"].getInt<unsigned int>()};

        for (unsigned int in = 0; in < tx.vin.size(); ++in) {
            // The vector is about one input; the others are valid.
            const UniValue& error{vector["error"]};
            const auto expected{in != vector_in || error.isNull() ? SCRIPT_ERR_OK : ParseError(error.get_str())};
            BOOST_CHECK_MESSAGE(expected, name << ": add " << error.write() << " to ParseError()");
            for (const bool defer : {false, true}) {
                const ScriptError result{VerifyInput(tx, in, flags, txdata, defer)};
                BOOST_CHECK_MESSAGE(result == expected, name << ", input " << in << (defer ? ", deferred: " : ": ") << ScriptErrorString(result) << " instead of " << error.write());
            }
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
