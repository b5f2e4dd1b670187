// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// BIP 360's construction vectors, as consensus sees them: each control block proves its leaf, and nothing else does.

#include <script/interpreter.h>
#include <script/p2mr.h>
#include <test/script_util.h>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>
#include <string>

using namespace slhc;
using namespace slhc::test;
using nlohmann::json;

namespace {

constexpr auto FLAGS{SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS | SCRIPT_VERIFY_P2MR | SCRIPT_VERIFY_SLHDSA};

std::ifstream OpenVectors(const std::string& name)
{
    const char* const dir{std::getenv("SLHC_BIP360_VECTORS")};
    return std::ifstream{std::string{dir ? dir : SLHC_BIP360_VECTORS_DIR} + "/" + name};
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

} // namespace

BOOST_AUTO_TEST_SUITE(bip360_vectors_tests, *boost::unit_test::precondition(HaveVectors))

BOOST_AUTO_TEST_CASE(p2mr_construction) { BOOST_CHECK_EQUAL(CheckFile("p2mr_construction.json"), 16U); }

BOOST_AUTO_TEST_CASE(p2mr_pqc_construction) { BOOST_CHECK_EQUAL(CheckFile("p2mr_pqc_construction.json"), 13U); }

BOOST_AUTO_TEST_SUITE_END()
