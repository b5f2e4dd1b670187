// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <addresstype.h>
#include <key_io.h>
#include <outputtype.h>
#include <policy/policy.h>
#include <rpc/util.h>
#include <script/script.h>
#include <script/solver.h>
#include <slhdsa/config.h>
#include <test/util/setup_common.h>
#include <uint256.h>
#include <univalue.h>
#include <util/chaintype.h>
#include <util/strencodings.h>

#include <boost/test/unit_test.hpp>

#include <variant>
#include <vector>

BOOST_FIXTURE_TEST_SUITE(p2mr_output_tests, BasicTestingSetup)

static const std::vector<unsigned char> PROGRAM{ParseHex("c525714a7f49c28aedbbba78c005931a81c234b2f6c99a73e4d06082adc8bf2b")};
//! From the construction vectors that BIP 360 publishes.
static const std::string ADDRESS{"bc1zc5jhzjnlf8pg4mdmhfuvqpvnr2quyd9j7mye5uly6psg9twghu4ssr0v9k"};

BOOST_AUTO_TEST_CASE(output_type)
{
    const CScript script{CScript{} << OP_2 << PROGRAM};
    BOOST_CHECK(script.IsPayToMerkleRoot());

    std::vector<std::vector<unsigned char>> solutions;
    const TxoutType type{Solver(script, solutions)};
    CTxDestination destination;
    BOOST_REQUIRE(ExtractDestination(script, destination));
    BOOST_CHECK(IsValidDestination(destination));
    BOOST_CHECK(GetScriptForDestination(destination) == script);
    BOOST_CHECK_EQUAL(EncodeDestination(destination), ADDRESS);
    BOOST_CHECK(DecodeDestination(ADDRESS) == destination);
    BOOST_CHECK(OutputTypeFromDestination(destination) == OutputType::BECH32M);
    TxoutType standard_type;
    BOOST_CHECK(IsStandard(script, standard_type));

    const UniValue description{DescribeAddress(destination)};
    BOOST_CHECK(description["iswitness"].get_bool());
    BOOST_CHECK_EQUAL(description["witness_version"].getInt<int>(), 2);
    BOOST_CHECK_EQUAL(description["witness_program"].get_str(), HexStr(PROGRAM));

    if (HAVE_SLHDSA) {
        BOOST_CHECK(type == TxoutType::WITNESS_V2_P2MR);
        BOOST_CHECK_EQUAL(GetTxnOutputType(type), "witness_v2_p2mr");
        BOOST_REQUIRE_EQUAL(solutions.size(), 1U);
        BOOST_CHECK(solutions[0] == PROGRAM);
        BOOST_CHECK(destination == CTxDestination{WitnessV2P2MR{uint256{PROGRAM}}});
        BOOST_CHECK(description["isscript"].get_bool());
        BOOST_CHECK(GetAllOutputTypes().find("witness_v2_p2mr") != std::string::npos);
    } else {
        BOOST_CHECK(type == TxoutType::WITNESS_UNKNOWN);
        BOOST_CHECK(std::holds_alternative<WitnessUnknown>(destination));
        BOOST_CHECK(description["isscript"].isNull());
        BOOST_CHECK(GetAllOutputTypes().find("p2mr") == std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(not_p2mr)
{
    std::vector<std::vector<unsigned char>> solutions;
    const auto type{[&](const CScript& script) { return Solver(script, solutions); }};

    // Another version, and other sizes of the program.
    std::vector<unsigned char> longer{PROGRAM};
    longer.push_back(0);
    const std::vector<unsigned char> shorter(PROGRAM.begin(), PROGRAM.end() - 1);
    BOOST_CHECK(type(CScript{} << OP_3 << PROGRAM) == TxoutType::WITNESS_UNKNOWN);
    BOOST_CHECK(type(CScript{} << OP_2 << longer) == TxoutType::WITNESS_UNKNOWN);
    BOOST_CHECK(type(CScript{} << OP_2 << shorter) == TxoutType::WITNESS_UNKNOWN);
    BOOST_CHECK(type(CScript{} << OP_1 << PROGRAM) == TxoutType::WITNESS_V1_TAPROOT);

    // A push that is not minimal is no witness program.
    CScript script;
    script.push_back(OP_2);
    script.push_back(OP_PUSHDATA1);
    script.push_back(32);
    script.insert(script.end(), PROGRAM.begin(), PROGRAM.end());
    BOOST_CHECK(!script.IsPayToMerkleRoot());
    BOOST_CHECK(type(script) == TxoutType::NONSTANDARD);
}

BOOST_AUTO_TEST_CASE(addresses)
{
    // Bech32 in place of Bech32m, one character changed, and another network's prefix.
    std::string error;
    BOOST_CHECK(!IsValidDestination(DecodeDestination("bc1zc5jhzjnlf8pg4mdmhfuvqpvnr2quyd9j7mye5uly6psg9twghu4ssr0v9j", error, nullptr)));
    BOOST_CHECK(!error.empty());
    SelectParams(ChainType::REGTEST);
    BOOST_CHECK(!IsValidDestination(DecodeDestination(ADDRESS, error, nullptr)));
    const CTxDestination destination{WitnessV2P2MR{uint256{PROGRAM}}};
    const std::string address{EncodeDestination(destination)};
    BOOST_CHECK_EQUAL(address.substr(0, 6), "bcrt1z");
    BOOST_CHECK(GetScriptForDestination(DecodeDestination(address)) == GetScriptForDestination(destination));
    SelectParams(ChainType::MAIN);
}

BOOST_AUTO_TEST_SUITE_END()
