// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <consensus/block_check.h>
#include <consensus/consensus.h>
#include <script/interpreter.h>
#include <test/counting_sink.h>
#include <test/util/worst_blocks.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <vector>

using namespace slhc;
using namespace slhc::test;

/** The work that the most expensive blocks can ask for is bounded by their weight. Signatures are counted here, not verified: their verdict
 *  has no part in the bounds. */
BOOST_AUTO_TEST_SUITE(worst_blocks_tests)

namespace {

const WorstBlock& Find(const std::string& name)
{
    const auto it{std::ranges::find(WorstBlocks(), name, &WorstBlock::name)};
    if (it == WorstBlocks().end()) throw std::out_of_range{name};
    return *it;
}

/** Run all scripts of the block, which must succeed; check the bounds of each input. */
CheckCounts CountChecks(const BlockWithSpent& b, const std::string& name)
{
    CheckCounts total;
    size_t i{0};
    ForEachSpender(b, [&](const CTransaction& tx, std::span<const CTxOut> spent) {
        ++i;
        const PrecomputedTransactionData txdata{tx, {spent.begin(), spent.end()}};
        for (uint32_t n = 0; n < tx.vin.size(); ++n) {
            CountingSink sink;
            const CheckCounts& counts{sink.counts};
            const TransactionSignatureChecker checker{tx, n, spent[n].nValue, &txdata, sink};
            ScriptRun run{.flags = MANDATORY_SCRIPT_VERIFY_FLAGS, .checker = checker};
            const bool valid{VerifyScript(tx.vin[n].scriptSig, spent[n].scriptPubKey, &tx.vin[n].scriptWitness, run)};
            BOOST_REQUIRE_MESSAGE(valid, name << ": transaction " << i << ", input " << n << ": " << ScriptErrorName(run.failure.error));

            // In tapscript each check of a non-empty signature takes 50 off the weight that the witness brings.
            const auto witness_size{static_cast<int64_t>(GetSerializeSize(tx.vin[n].scriptWitness))};
            BOOST_REQUIRE_LE(static_cast<int64_t>(counts.slhdsa * SERIALIZED_SLHDSA_SIGNATURE_SIZE), witness_size);
            BOOST_REQUIRE_LE(static_cast<int64_t>(counts.slhdsa + counts.schnorr) * VALIDATION_WEIGHT_PER_SIGOP_PASSED,
                             witness_size + VALIDATION_WEIGHT_OFFSET);
            total += counts;
        }
    });
    return total;
}

/** Check the block without its scripts. */
void CheckBlock(const BlockWithSpent& b, const std::string& name, int64_t max_weight)
{
    BlockValidationState state;
    BOOST_CHECK_MESSAGE(CheckBlockStructure(b.block, MANDATORY_SCRIPT_VERIFY_FLAGS, state), name << ": " << state.ToString());
    BOOST_CHECK_MESSAGE(CheckBlockInputs(b.block, b.spent_outputs, MANDATORY_SCRIPT_VERIFY_FLAGS, state), name << ": " << state.ToString());
    const int64_t weight{GetBlockWeight(b.block)};
    BOOST_CHECK_MESSAGE(weight > max_weight - 2 * static_cast<int64_t>(SERIALIZED_SLHDSA_SIGNATURE_SIZE) && weight <= max_weight,
                        name << " weighs " << weight << " of " << max_weight);
}

CheckCounts CountChecksOfFullBlock(const std::string& name)
{
    FillerSigner signer;
    const BlockWithSpent b{Find(name).make({.signer = signer})};
    CheckBlock(b, name, MAX_BLOCK_WEIGHT);
    return CountChecks(b, name);
}

} // namespace

BOOST_AUTO_TEST_CASE(they_have_names_and_are_as_heavy_as_they_say)
{
    BOOST_CHECK_GE(WorstBlocks().size(), 80U);
    std::set<std::string> names;
    FillerSigner signer;
    for (const WorstBlock& worst : WorstBlocks()) {
        BOOST_CHECK_MESSAGE(names.insert(worst.name).second && worst.name.find(' ') == std::string::npos, worst.name);
        CheckBlock(worst.make({.signer = signer, .weight = worst.weight}), worst.name, worst.weight);
    }
}

/** A tenth of each, since the counts grow with the weight; also by today's rules. */
BOOST_AUTO_TEST_CASE(all_are_valid_and_bounded)
{
    FillerSigner signer;
    for (const WorstBlock& worst : WorstBlocks()) {
        const int64_t weight{std::max<int64_t>(worst.weight / 10, 40'000)};
        for (const BlockRules rules : {BlockRules::MODULE, BlockRules::TODAY}) {
            const std::string name{worst.name + (rules == BlockRules::TODAY ? " as of today" : "")};
            const BlockWithSpent b{worst.make({.signer = signer, .rules = rules, .weight = weight})};
            CheckBlock(b, name, weight);
            const CheckCounts counts{CountChecks(b, name)};
            BOOST_CHECK_MESSAGE(counts.slhdsa <= static_cast<size_t>(weight) / SERIALIZED_SLHDSA_SIGNATURE_SIZE,
                                name << ": " << counts.slhdsa);
            BOOST_CHECK_EQUAL(counts.slhdsa > 0, worst.has_slhdsa && rules == BlockRules::MODULE);
            BOOST_TEST_MESSAGE(name << ": " << counts.slhdsa << " SLH-DSA, " << counts.schnorr << " Schnorr, " << counts.ecdsa
                                    << " ECDSA checks in " << weight << " weight units");
        }
    }
}

BOOST_AUTO_TEST_CASE(the_bound_is_reached)
{
    // 4,000,000 / (7856 + 3), and a block that gets there: the bound has no slack.
    BOOST_CHECK_EQUAL(MAX_BLOCK_SLHDSA_VERIFICATIONS, 508U);
    BOOST_CHECK_EQUAL(CountChecksOfFullBlock("slhdsa_one_input").slhdsa, 508U);
}

BOOST_AUTO_TEST_CASE(bytes_of_signatures_buy_schnorr_checks)
{
    // Such a block has as many checks as one without SLH-DSA; some of them are SLH-DSA's, instead of nothing.
    const CheckCounts both{CountChecksOfFullBlock("slhdsa_and_schnorr")};
    const CheckCounts schnorr{CountChecksOfFullBlock("schnorr_budget")};
    BOOST_CHECK_EQUAL(both.slhdsa + both.schnorr, schnorr.schnorr);
    BOOST_CHECK_GT(both.slhdsa, 480U);
    BOOST_CHECK_GT(schnorr.schnorr, MAX_BLOCK_WEIGHT / VALIDATION_WEIGHT_PER_SIGOP_PASSED - 40);
    // Signing 500 kB of output takes half of the weight, and so half of the checks.
    const CheckCounts single{CountChecksOfFullBlock("single_huge_output")};
    BOOST_CHECK_GT(single.slhdsa + single.schnorr, 39'000U);
}

BOOST_AUTO_TEST_CASE(one_check_more_than_the_weight_buys_fails)
{
    FillerSigner signer;
    for (const char* name : {"schnorr_budget", "slhdsa_and_schnorr"}) {
        const BlockWithSpent b{Find(name).make({.signer = signer})};
        const CTransaction& tx{*b.block.vtx.at(1)};
        // With other scripts the leaf is another one, so it is run by itself, with the same budget.
        const auto& stack{tx.vin[0].scriptWitness.stack};
        CScript script{stack[stack.size() - 2].begin(), stack[stack.size() - 2].end()};
        const auto first_check{std::ranges::find(script, static_cast<uint8_t>(OP_2DUP))};
        BOOST_REQUIRE(first_check != script.end());
        for (const int n_extra : {0, 4}) {
            CScript longer{script};
            for (int i = 0; i < n_extra; ++i) longer.insert(longer.begin() + (first_check - script.begin()), {OP_2DUP, OP_CHECKSIGVERIFY});
            CountingSink sink;
            const PrecomputedTransactionData txdata{tx, std::vector<CTxOut>{b.spent_outputs}};
            const TransactionSignatureChecker checker{tx, 0, b.spent_outputs[0].nValue, &txdata, sink};
            ScriptRun run{.flags = MANDATORY_SCRIPT_VERIFY_FLAGS, .checker = checker};
            run.execdata.m_tapleaf_hash = uint256{};
            run.execdata.m_annex_init = true;
            run.execdata.m_validation_weight_left =
                static_cast<int64_t>(GetSerializeSize(tx.vin[0].scriptWitness)) + VALIDATION_WEIGHT_OFFSET;
            const bool valid{ExecuteWitnessScript(std::span{stack}.first(stack.size() - 2), longer, SigVersion::TAPSCRIPT, run)};
            BOOST_CHECK_EQUAL(valid, n_extra == 0);
            BOOST_CHECK_EQUAL(run.failure.error, n_extra == 0 ? SCRIPT_ERR_OK : SCRIPT_ERR_TAPSCRIPT_VALIDATION_WEIGHT);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
