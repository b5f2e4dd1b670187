// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Real blocks, read from Bitcoin Core's sources (SLHC_CORE_TEST_DATA: the folder src/test/data): ten of testnet, and the
// regtest chain of its kernel tests.

#include <consensus/block_check.h>
#include <consensus/block_scripts.h>
#include <consensus/merkle.h>
#include <test/util/verifier.h>
#include <util/hex.h>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace slhc;
using slhc::test::MakeVerifier;

namespace {

std::ifstream Open(const std::string& name)
{
    const char* dir{std::getenv("SLHC_CORE_TEST_DATA")};
    return std::ifstream{std::string{dir ? dir : SLHC_CORE_TEST_DATA} + "/" + name};
}

/** Skips the suite by name where there are no blocks. */
boost::test_tools::assertion_result HaveData(boost::unit_test::test_unit_id)
{
    boost::test_tools::assertion_result result{Open("blockfilters.json").good() && Open("../kernel/block_data.h").good()};
    result.message() << "Bitcoin Core's blocks are not there (SLHC_CORE_TEST_DATA)";
    return result;
}

const std::shared_ptr<slhdsa::Verifier>& TheVerifier()
{
    static const auto verifier{MakeVerifier("cpu", 2)};
    return verifier;
}

CBlock FromHex(const std::string& hex)
{
    const auto bytes{TryParseHex(hex)};
    BOOST_REQUIRE(bytes);
    const CBlock block{ParseBlock(*bytes)};
    BOOST_CHECK(SerializeToVector(block) == *bytes);
    return block;
}

/** The blocks of Core's kernel test: a C++ file with a list of string literals. */
std::vector<CBlock> RegtestChain()
{
    std::vector<CBlock> chain;
    auto file{Open("../kernel/block_data.h")};
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with('"')) continue;
        chain.push_back(FromHex(line.substr(1, line.find('"', 1) - 1)));
    }
    return chain;
}

} // namespace

BOOST_AUTO_TEST_SUITE(core_blocks_tests, *boost::unit_test::precondition(HaveData))

BOOST_AUTO_TEST_CASE(testnet)
{
    auto file{Open("blockfilters.json")};
    const auto vectors = nlohmann::json::parse(file);
    size_t n_blocks{0}, n_scripts{0};
    for (const auto& vector : vectors) {
        if (vector.size() < 4) continue; // the line that names the columns
        const std::string height{std::to_string(vector[0].get<int>())};
        CBlock block{FromHex(vector[2])};
        BOOST_CHECK_EQUAL(block.GetHash().GetHex(), vector[1].get<std::string>());
        BlockValidationState state;
        BOOST_CHECK_MESSAGE(CheckBlockStructure(block, MANDATORY_SCRIPT_VERIFY_FLAGS, state),
                            "block " << height << ": " << state.ToString());
        ++n_blocks;

        // The scripts that are spent are known, their amounts are not; without a witness nothing depends on them. The list lacks the
        // scripts that Core's filters leave out.
        std::vector<CTxOut> spent;
        for (const auto& script : vector[3]) spent.emplace_back(0, CScript{TryParseHex(script.get<std::string>()).value()});
        const bool has_witness{
            std::ranges::any_of(block.vtx.begin() + 1, block.vtx.end(), [](const auto& tx) { return tx->HasWitness(); })};
        if (!has_witness && spent.size() == CountBlockInputs(block) && !spent.empty()) {
            const auto result{VerifyBlockScripts(block, spent, SCRIPT_VERIFY_P2SH, TheVerifier())};
            BOOST_CHECK_MESSAGE(result.status == BlockScriptStatus::VALID, "scripts of block " << height);
            n_scripts += result.inputs;
        }

        // Another merkle root, or another order of transactions, and it is not this block.
        CBlock other{block};
        other.hashMerkleRoot.data()[0] ^= 1;
        BlockValidationState other_state;
        BOOST_CHECK(!CheckBlockStructure(other, MANDATORY_SCRIPT_VERIFY_FLAGS, other_state));
        BOOST_CHECK_EQUAL(other_state.GetRejectReason(), "bad-txnmrklroot");
    }
    BOOST_CHECK_EQUAL(n_blocks, 10U);
    BOOST_CHECK_EQUAL(n_scripts, 16U);
}

BOOST_AUTO_TEST_CASE(regtest_chain)
{
    std::map<COutPoint, CTxOut> coins;
    size_t n_inputs{0}, n_witness_inputs{0}, n_refused{0};
    const auto chain{RegtestChain()};
    BOOST_CHECK_EQUAL(chain.size(), 206U);
    for (size_t height = 1; height <= chain.size(); ++height) {
        const CBlock& block{chain[height - 1]};
        if (height > 1) BOOST_CHECK(block.hashPrevBlock == chain[height - 2].GetHash());
        std::vector<CTxOut> spent;
        for (const auto& tx : block.vtx) {
            if (!tx->IsCoinBase()) {
                for (const CTxIn& txin : tx->vin) {
                    const auto coin{coins.extract(txin.prevout)};
                    BOOST_REQUIRE_MESSAGE(!coin.empty(), "block " << height << " spends what is not there");
                    spent.push_back(coin.mapped());
                    n_witness_inputs += !txin.scriptWitness.IsNull();
                }
            }
            for (uint32_t n = 0; n < tx->vout.size(); ++n) coins.emplace(COutPoint{tx->GetHash(), n}, tx->vout[n]);
        }
        BlockValidationState state;
        BOOST_CHECK_MESSAGE(CheckBlockStructure(block, MANDATORY_SCRIPT_VERIFY_FLAGS, state) &&
                                CheckBlockInputs(block, spent, MANDATORY_SCRIPT_VERIFY_FLAGS, state),
                            "block " << height << ": " << state.ToString());
        const auto result{VerifyBlockScripts(block, spent, MANDATORY_SCRIPT_VERIFY_FLAGS, TheVerifier())};
        BOOST_CHECK_MESSAGE(result.status == BlockScriptStatus::VALID, "scripts of block " << height);
        n_inputs += result.inputs;

        // Every input signs the amount that it spends: one satoshi more or less, and no signature is valid.
        for (size_t i = 0; i < spent.size(); ++i) {
            auto others{spent};
            ++others[i].nValue;
            n_refused +=
                VerifyBlockScripts(block, others, MANDATORY_SCRIPT_VERIFY_FLAGS, TheVerifier()).status == BlockScriptStatus::INVALID;
        }
    }
    BOOST_TEST_MESSAGE(n_inputs << " inputs, " << n_witness_inputs << " with a witness, " << n_refused << " refused with another amount");
    BOOST_CHECK_GT(n_inputs, 0U);
    BOOST_CHECK_EQUAL(n_refused, n_witness_inputs);
}

BOOST_AUTO_TEST_SUITE_END()
