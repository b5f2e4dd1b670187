// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/address.h>
#include <script/p2mr.h>
#include <script/script_tree.h>
#include <tool/asm.h>
#include <tool/input.h>
#include <tool/json.h>
#include <tool/tree.h>
#include <util/hex.h>

#include <nlohmann/json.hpp>

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>

using namespace slhc;
using namespace slhc::tool;

namespace {

std::filesystem::path VectorFolder()
{
    const char* folder{std::getenv("SLHC_BIP360_VECTORS")};
    return folder ? folder : "";
}

/** Skips the suite by name where there are no vectors. */
boost::test_tools::assertion_result HaveVectors(boost::unit_test::test_unit_id)
{
    boost::test_tools::assertion_result result{std::filesystem::exists(VectorFolder())};
    result.message() << "BIP 360's vectors are not there (SLHC_BIP360_VECTORS)";
    return result;
}

/** A vector's scriptTree: an object for a leaf, an array of two for a branch. Leaves are numbered as they come. */
ScriptTree TreeFrom(const Json& json)
{
    if (json.is_object()) return ScriptTree{CScript{ParseHex(json.at("script").get<std::string>())}, json.at("leafVersion").get<uint8_t>()};
    BOOST_REQUIRE_EQUAL(json.size(), 2);
    return ScriptTree::Branch(TreeFrom(json[0]), TreeFrom(json[1])).value();
}

/** @return whether the vector has a tree */
bool CheckVector(const Json& vector)
{
    const Json& given = vector.at("given");
    const Json& expected = vector.at("expected");
    if (!given.contains("scriptTree") || given["scriptTree"].is_null()) {
        BOOST_CHECK(expected.contains("error"));
        return false;
    }
    const ScriptTree tree{TreeFrom(given["scriptTree"])};
    BOOST_CHECK_EQUAL(HexStr(tree.Root().Bytes()), vector.at("intermediary").at("merkleRoot").get<std::string>());
    const CScript script_pubkey{P2MRScriptPubKey(tree.Root())};
    BOOST_CHECK_EQUAL(HexStr(script_pubkey), expected.at("scriptPubKey").get<std::string>());

    const std::string address{expected.at("bip350Address").get<std::string>()};
    const auto program{WitnessProgram::FromScriptPubKey(script_pubkey)};
    BOOST_REQUIRE(program);
    BOOST_CHECK_EQUAL(program->TypeName(), "p2mr");
    BOOST_CHECK_EQUAL(EncodeAddress(Network::MAINNET, *program), address);
    std::string error;
    const auto decoded{DecodeAddress(address, error)};
    BOOST_CHECK(decoded && decoded->program == *program);

    const auto hashes{vector["intermediary"].at("leafHashes").get<std::vector<std::string>>()};
    const auto blocks{expected.at("scriptPathControlBlocks").get<std::vector<std::string>>()};
    BOOST_REQUIRE_EQUAL(tree.Leaves().size(), blocks.size());
    for (size_t i = 0; i < blocks.size(); ++i) {
        BOOST_CHECK_EQUAL(HexStr(tree.Leaves()[i].hash.Bytes()), hashes.at(i));
        BOOST_CHECK_EQUAL(HexStr(tree.Leaves()[i].P2MRControlBlock()), blocks[i]);
    }
    // Through the text form and back.
    BOOST_CHECK(ParseTree(FormatTree(tree)).Root() == tree.Root());
    return true;
}

} // namespace

// The P2MR constructions that BIP 360 publishes.
BOOST_AUTO_TEST_SUITE(tool_bip360_tests, *boost::unit_test::precondition(HaveVectors))

BOOST_AUTO_TEST_CASE(constructions)
{
    const std::pair<const char*, int> files[]{{"p2mr_construction.json", 7}, {"p2mr_pqc_construction.json", 6}};
    for (const auto& [name, trees] : files) {
        const auto path{VectorFolder() / name};
        int count{0};
        const Json document = Json::parse(ReadFile(path.string()));
        for (const auto& vector : document.at("test_vectors")) {
            BOOST_TEST_CONTEXT(name << ": " << vector.at("id").get<std::string>()) { count += CheckVector(vector); }
        }
        BOOST_CHECK_EQUAL(count, trees);
    }
}

BOOST_AUTO_TEST_SUITE_END()
