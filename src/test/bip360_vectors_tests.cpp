// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// BIP 360's vectors, as consensus sees them. Construction: each control block proves its leaf, and nothing else does. Spending: signature
// hashes and verdicts.

#include <script/checker.h>
#include <script/interpreter.h>
#include <script/p2mr.h>
#include <script/script_check.h>
#include <script/sighash.h>
#include <test/script_util.h>
#include <test/util/verifier.h>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace slhc;
using namespace slhc::test;
using nlohmann::json;

namespace {

constexpr auto FLAGS{SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS | SCRIPT_VERIFY_P2MR | SCRIPT_VERIFY_SLHDSA};

std::ifstream OpenVectors(const std::string& name)
{
    const char* const dir{std::getenv("SLHC_BIP360_VECTORS")};
    return std::ifstream{dir ? std::string{dir} + "/" + name : std::string{}};
}

/** Skips the suite by name where there are no vectors. */
boost::test_tools::assertion_result HaveVectors(boost::unit_test::test_unit_id)
{
    boost::test_tools::assertion_result result{OpenVectors("p2mr_construction.json").good()};
    result.message() << "BIP 360's vectors are not there (SLHC_BIP360_VECTORS)";
    return result;
}

struct Leaf {
    uint8_t version;
    Bytes script;
};

std::vector<Leaf> Leaves(const json& tree)
{
    if (tree.is_object()) return {{tree["leafVersion"].get<uint8_t>(), Hex(tree["script"].get<std::string>())}};
    std::vector<Leaf> leaves;
    for (const json& branch : tree) {
        for (Leaf& leaf : Leaves(branch)) leaves.push_back(std::move(leaf));
    }
    return leaves;
}

/** The error of a spend with an empty stack and without a transaction. */
ScriptError Spend(const CScript& script_pub_key, const Bytes& script, const Bytes& control)
{
    const CScriptWitness witness{{script, control}};
    ScriptError error;
    (void)VerifyScript({}, script_pub_key, &witness, FLAGS, BaseSignatureChecker{}, error);
    return error;
}

/** @return the number of control blocks in the file */
size_t CheckFile(const std::string& name)
{
    size_t n_control_blocks{0};
    auto file{OpenVectors(name)};
    const json vectors = json::parse(file);
    for (const json& vector : vectors["test_vectors"]) {
        if (!vector["expected"].contains("scriptPathControlBlocks")) continue;
        BOOST_TEST_CONTEXT(vector["id"].get<std::string>())
        {
            const CScript script_pub_key{Hex(vector["expected"]["scriptPubKey"].get<std::string>())};
            BOOST_CHECK(script_pub_key.IsPayToMerkleRoot());
            const auto leaves{Leaves(vector["given"]["scriptTree"])};
            const json& blocks = vector["expected"]["scriptPathControlBlocks"];
            BOOST_REQUIRE_EQUAL(blocks.size(), leaves.size());
            for (size_t i{0}; i < leaves.size(); ++i) {
                ++n_control_blocks;
                Bytes control{Hex(blocks[i].get<std::string>())};
                BOOST_CHECK(HexStr(ComputeTapleafHash(leaves[i].version, leaves[i].script).Bytes()) ==
                            vector["intermediary"]["leafHashes"][i].get<std::string>());
                const auto parsed{P2MRControlBlock::Parse(control)};
                BOOST_REQUIRE(parsed && parsed->control_bit);
                BOOST_CHECK_EQUAL(parsed->leaf_version, leaves[i].version);
                // A single leaf, or one of another version, is not executed. Of those that are, the ones that push a
                // constant alone succeed; every other one needs something on the stack.
                const bool executed{parsed->PathLength() > 0 && parsed->leaf_version == TAPROOT_LEAF_TAPSCRIPT};
                const CScript script{leaves[i].script};
                const bool fails{executed && !script.IsPushOnly()};
                const ScriptError error{Spend(script_pub_key, leaves[i].script, control)};
                BOOST_CHECK_NE(error, SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
                BOOST_CHECK_EQUAL(error != SCRIPT_ERR_OK, fails);
                for (uint8_t& byte : control) {
                    byte ^= 0x10;
                    BOOST_CHECK_EQUAL(Spend(script_pub_key, leaves[i].script, control), SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
                    byte ^= 0x10;
                }
            }
        }
    }
    return n_control_blocks;
}

CTxOut Output(const json& utxo) { return {utxo["amountSats"].get<CAmount>(), CScript{Hex(utxo["scriptPubKey"].get<std::string>())}}; }

ScriptError VerifyInput(const CTransaction& tx, uint32_t n_in, const PrecomputedTransactionData& txdata)
{
    const CTxOut& output{txdata.m_spent_outputs.at(n_in)};
    VerifyingSink sink{PortableVerifier()};
    const TransactionSignatureChecker checker{tx, n_in, output.nValue, &txdata, sink};
    const CTxIn& txin{tx.vin.at(n_in)};
    ScriptError error;
    (void)VerifyScript(txin.scriptSig, output.scriptPubKey, &txin.scriptWitness, FLAGS | SCRIPT_VERIFY_TAPROOT, checker, error);
    return error;
}

} // namespace

BOOST_AUTO_TEST_SUITE(bip360_vectors_tests, *boost::unit_test::precondition(HaveVectors))

BOOST_AUTO_TEST_CASE(p2mr_construction) { BOOST_CHECK_EQUAL(CheckFile("p2mr_construction.json"), 16U); }

BOOST_AUTO_TEST_CASE(p2mr_pqc_construction) { BOOST_CHECK_EQUAL(CheckFile("p2mr_pqc_construction.json"), 13U); }

BOOST_AUTO_TEST_CASE(p2mr_spending)
{
    auto file{OpenVectors("p2mr_spending.json")};
    BOOST_REQUIRE(file);
    const json vectors = json::parse(file);
    size_t n_inputs{0};
    for (const json& vector : vectors["scriptPathSpending"]) {
        const CTransaction tx{ParseTransaction(Hex(vector["auxiliary"]["fullySignedTx"].get<std::string>()))};
        std::vector<CTxOut> spent;
        for (const json& utxo : vector["given"]["utxosSpent"]) spent.push_back(Output(utxo));
        const PrecomputedTransactionData txdata{tx, std::move(spent)};
        for (const json& input : vector["inputSpending"]) {
            BOOST_TEST_CONTEXT(input["comment"].get<std::string>())
            {
                ++n_inputs;
                const json& given{input["given"]};
                const json& hashes{input["intermediary"]};
                const auto n_in{given["txinIndex"].get<uint32_t>()};
                BOOST_CHECK_EQUAL(VerifyInput(tx, n_in, txdata), SCRIPT_ERR_OK);
                const Leaf leaf{Leaves(given["scriptTree"]).at(given["leafId"].get<size_t>())};
                BOOST_CHECK(HexStr(ComputeTapleafHash(leaf.version, leaf.script).Bytes()) == hashes["leafHash"].get<std::string>());
                if (given["hashType"].is_null()) continue;
                ScriptExecutionData execdata;
                execdata.m_tapleaf_hash = ComputeTapleafHash(leaf.version, leaf.script);
                execdata.m_annex_init = true;
                if (!given["annex"].is_null()) execdata.m_annex_hash = ComputeAnnexHash(Hex(given["annex"].get<std::string>()));
                const auto hash_type{given["hashType"].get<uint8_t>()};
                const auto sighash{SignatureHashSchnorr(execdata, tx, n_in, hash_type, SigVersion::TAPSCRIPT, txdata)};
                BOOST_REQUIRE(sighash);
                BOOST_CHECK(HexStr(sighash->Bytes()) == hashes["sigHash"].get<std::string>());
            }
        }
    }
    BOOST_CHECK_EQUAL(n_inputs, 6U);

    const std::map<std::string, ScriptError> errors{
        {"invalid signature", SCRIPT_ERR_SCHNORR_SIG},
        {"witness program mismatch", SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH},
        {"invalid control byte", SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH},
        {"invalid control block size", SCRIPT_ERR_TAPROOT_WRONG_CONTROL_SIZE},
        {"empty witness", SCRIPT_ERR_WITNESS_PROGRAM_WITNESS_EMPTY},
        {"fewer than two witness elements", SCRIPT_ERR_WITNESS_PROGRAM_WITNESS_EMPTY},
        {"annex with fewer than two remaining witness elements", SCRIPT_ERR_WITNESS_PROGRAM_WITNESS_EMPTY},
    };
    BOOST_CHECK_EQUAL(vectors["invalidSpending"].size(), 9U);
    for (const json& vector : vectors["invalidSpending"]) {
        const CTransaction tx{ParseTransaction(Hex(vector["given"]["rawTx"].get<std::string>()))};
        const PrecomputedTransactionData txdata{tx, {Output(vector["given"]["utxoSpent"])}};
        const ScriptError expected{errors.at(vector["expected"]["error"])};
        BOOST_TEST_CONTEXT(vector["id"].get<std::string>()) { BOOST_CHECK_EQUAL(VerifyInput(tx, 0, txdata), expected); }
    }
}

BOOST_AUTO_TEST_SUITE_END()
