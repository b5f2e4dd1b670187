// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <consensus/block_check.h>

#include <consensus/consensus.h>
#include <consensus/merkle.h>
#include <consensus/validation.h>
#include <test/util/block_builder.h>

#include <boost/test/unit_test.hpp>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace slhc;
using slhc::test::BlockBuilder;
using slhc::test::BlockWithSpent;

BOOST_AUTO_TEST_SUITE(block_check_tests)

namespace {
constexpr script_verify_flags FLAGS{SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS | SCRIPT_VERIFY_TAPROOT};

CMutableTransaction Spend(const std::vector<COutPoint>& prevouts)
{
    CMutableTransaction tx;
    for (const COutPoint& prevout : prevouts) tx.vin.emplace_back(prevout);
    tx.vout.emplace_back(1000, CScript{} << OP_TRUE);
    return tx;
}

/** A coinbase and n transactions of two inputs; the first input of each has a witness. */
BlockWithSpent MakeBlock(size_t n = 3)
{
    BlockBuilder builder;
    for (size_t i = 0; i < n; ++i) {
        CMutableTransaction tx{Spend({test::NewOutPoint(), test::NewOutPoint()})};
        tx.vin[0].scriptWitness.stack.emplace_back(5);
        builder.Add(std::move(tx), {{700, CScript{} << OP_TRUE}, {800, CScript{} << OP_TRUE}});
    }
    return std::move(builder).Finish();
}

void ChangeTransaction(CBlock& block, size_t index, const std::function<void(CMutableTransaction&)>& change)
{
    CMutableTransaction tx{*block.vtx.at(index)};
    change(tx);
    block.vtx[index] = std::make_shared<const CTransaction>(std::move(tx));
}

std::string Reason(const CBlock& block)
{
    BlockValidationState state;
    const bool valid{CheckBlockStructure(block, FLAGS, state)};
    BOOST_CHECK_EQUAL(valid, state.IsValid());
    return state.GetRejectReason();
}

/** The reason after a change of the block, its merkle root and commitment mended. */
std::string ReasonAfter(const std::function<void(CBlock&)>& change)
{
    CBlock block{MakeBlock().block};
    change(block);
    test::UpdateCommitments(block);
    return Reason(block);
}

std::string InputReason(const BlockWithSpent& b)
{
    BlockValidationState state;
    const bool valid{CheckBlockInputs(b.block, b.spent_outputs, FLAGS, state)};
    BOOST_CHECK_EQUAL(valid, state.IsValid());
    return state.GetRejectReason();
}
} // namespace

BOOST_AUTO_TEST_CASE(a_valid_block_passes)
{
    for (const size_t n : {0, 1, 2, 3, 10}) {
        const BlockWithSpent b{MakeBlock(n)};
        BOOST_CHECK_EQUAL(Reason(b.block), "");
        BOOST_CHECK_EQUAL(CountBlockInputs(b.block), 2 * n);
        BOOST_CHECK_EQUAL(b.spent_outputs.size(), 2 * n);
        BOOST_CHECK_EQUAL(InputReason(b), "");
    }
}

BOOST_AUTO_TEST_CASE(a_wrong_or_ambiguous_merkle_tree_is_refused)
{
    CBlock block{MakeBlock().block};
    block.hashMerkleRoot.data()[31] ^= 1;
    BOOST_CHECK_EQUAL(Reason(block), "bad-txnmrklroot");
    for (const uint8_t byte : {0x00, 0xff}) { // whichever of the two is the larger
        for (size_t i = 0; i < uint256::SIZE; ++i) block.hashMerkleRoot.data()[i] = byte;
        BOOST_CHECK_EQUAL(Reason(block), "bad-txnmrklroot");
    }

    // A witness may change without a change of this root; the commitment sees it.
    block = MakeBlock().block;
    ChangeTransaction(block, 1, [](auto& tx) { tx.vin[0].scriptWitness.stack[0][0] ^= 1; });
    BOOST_CHECK_EQUAL(Reason(block), "bad-witness-merkle-match");

    // Four transactions in all, then the first two of them again at the end: 0 1 2 3 2 3 has another root; with three,
    // 0 1 2 2 has the same.
    block = MakeBlock(2).block;
    BOOST_REQUIRE_EQUAL(block.vtx.size(), 3U);
    const uint256 root{block.hashMerkleRoot};
    block.vtx.push_back(block.vtx.back());
    BOOST_CHECK(BlockMerkleRoot(block) == root);
    BOOST_CHECK_EQUAL(Reason(block), "bad-txns-duplicate");
}

BOOST_AUTO_TEST_CASE(what_may_have_changed_on_the_way_is_no_fault_of_the_header)
{
    // A header that is marked as invalid for any of these would be marked for a valid block as well.
    const auto check{[](const CBlock& block, const std::string& reason, BlockValidationResult result, script_verify_flags flags = FLAGS) {
        BlockValidationState state;
        BOOST_CHECK_EQUAL(CheckBlockStructure(block, flags, state), reason.empty());
        BOOST_CHECK_EQUAL(state.GetRejectReason(), reason);
        BOOST_CHECK_MESSAGE(state.GetResult() == result, reason << " says the wrong thing of the header");
    }};
    using enum BlockValidationResult;
    const CBlock valid{MakeBlock(2).block};
    const auto changed{[&](size_t index, const std::function<void(CMutableTransaction&)>& change) {
        CBlock block{valid};
        ChangeTransaction(block, index, change);
        return block;
    }};
    check(valid, "", UNSET);
    check(changed(1, [](auto& tx) { tx.nLockTime ^= 1; }), "bad-txnmrklroot", MUTATED);
    CBlock duplicated{valid};
    duplicated.vtx.push_back(duplicated.vtx.back());
    check(duplicated, "bad-txns-duplicate", MUTATED);
    check(changed(1, [](auto& tx) { tx.vin[0].scriptWitness.stack[0][0] ^= 1; }), "bad-witness-merkle-match", MUTATED);
    check(changed(1, [](auto& tx) { tx.vin[0].scriptWitness.stack.clear(); }), "bad-witness-merkle-match", MUTATED);
    check(changed(0, [](auto& tx) { tx.vin[0].scriptWitness.stack.clear(); }), "bad-witness-nonce-size", MUTATED);
    // The header does not commit to a witness that is too large; if it does, the block is invalid.
    const auto inflate{[](auto& tx) { tx.vin[0].scriptWitness.stack[0].resize(4'000'000); }};
    check(changed(1, inflate), "bad-witness-merkle-match", MUTATED);
    CBlock committed{changed(1, inflate)};
    test::UpdateCommitments(committed);
    check(committed, "bad-blk-weight", CONSENSUS);

    // Before segwit, no witness is part of a block, and an output that looks like a commitment is none.
    CBlock stripped{changed(1, [](auto& tx) { tx.vin[0].scriptWitness.stack.clear(); })};
    ChangeTransaction(stripped, 2, [](auto& tx) { tx.vin[0].scriptWitness.stack.clear(); });
    check(stripped, "unexpected-witness", MUTATED, SCRIPT_VERIFY_P2SH); // the coinbase's
    ChangeTransaction(stripped, 0, [](auto& tx) { tx.vin[0].scriptWitness.stack.clear(); });
    check(stripped, "", UNSET, SCRIPT_VERIFY_P2SH);
    check(stripped, "bad-witness-nonce-size", MUTATED);

    // Data that transaction ids commit to cannot change on the way.
    CBlock invalid{changed(1, [](auto& tx) { tx.vout[0].nValue = -1; })};
    test::UpdateCommitments(invalid);
    check(invalid, "bad-txns-vout-negative", CONSENSUS);
    check(CBlock{}, "bad-blk-length", CONSENSUS);
}

BOOST_AUTO_TEST_CASE(a_transaction_of_64_bytes_may_be_two_hashes)
{
    // Pairs of transaction ids, taken for transactions, make the same merkle root. Such a block has no coinbase, but its
    // header may be that of a valid block, which has twice as many transactions.
    const auto result_of{[](size_t script_size, size_t witness_size) {
        CMutableTransaction tx{Spend({test::NewOutPoint()})};
        tx.vin[0].scriptSig.assign(script_size, OP_NOP);
        if (witness_size > 0) tx.vin[0].scriptWitness.stack.emplace_back(witness_size);
        CBlock block;
        block.vtx.push_back(std::make_shared<const CTransaction>(Spend({test::NewOutPoint(), test::NewOutPoint()})));
        block.vtx.push_back(std::make_shared<const CTransaction>(std::move(tx)));
        block.hashMerkleRoot = BlockMerkleRoot(block);
        BlockValidationState state;
        BOOST_CHECK(!CheckBlockStructure(block, FLAGS, state));
        BOOST_CHECK_EQUAL(state.GetRejectReason(), "bad-cb-missing");
        return state.GetResult();
    }};
    const size_t overhead{GetSerializeSize(Spend({test::NewOutPoint()}))};
    BOOST_REQUIRE_LT(overhead, 64U);
    BOOST_CHECK(result_of(64 - overhead, 0) == BlockValidationResult::MUTATED);
    BOOST_CHECK(result_of(64 - overhead, 1) == BlockValidationResult::MUTATED);
    BOOST_CHECK(result_of(63 - overhead, 0) == BlockValidationResult::CONSENSUS);
    BOOST_CHECK(result_of(65 - overhead, 0) == BlockValidationResult::CONSENSUS);
}

BOOST_AUTO_TEST_CASE(a_block_without_transactions_is_refused)
{
    CBlock block;
    BOOST_CHECK_EQUAL(Reason(block), "bad-blk-length"); // the merkle root is zeros, as it should be
    block.hashMerkleRoot.data()[0] = 1;
    BOOST_CHECK_EQUAL(Reason(block), "bad-txnmrklroot");
}

BOOST_AUTO_TEST_CASE(the_first_transaction_and_no_other_is_a_coinbase)
{
    CBlock block{MakeBlock().block};
    block.vtx.erase(block.vtx.begin());
    block.hashMerkleRoot = BlockMerkleRoot(block);
    BOOST_CHECK_EQUAL(Reason(block), "bad-cb-missing");

    block = MakeBlock().block;
    CMutableTransaction second{*block.vtx[0]};
    second.nLockTime = 1;
    block.vtx.push_back(std::make_shared<const CTransaction>(std::move(second)));
    block.hashMerkleRoot = BlockMerkleRoot(block);
    BOOST_CHECK_EQUAL(Reason(block), "bad-cb-multiple");
    std::swap(block.vtx[1], block.vtx.back());
    block.hashMerkleRoot = BlockMerkleRoot(block);
    BOOST_CHECK_EQUAL(Reason(block), "bad-cb-multiple");

    BOOST_CHECK_EQUAL(ReasonAfter([](CBlock& b) { ChangeTransaction(b, 0, [](auto& tx) { tx.vin[0].scriptSig.resize(101); }); }),
                      "bad-cb-length");
}

BOOST_AUTO_TEST_CASE(a_bad_transaction_is_named)
{
    CBlock block{MakeBlock().block};
    ChangeTransaction(block, 2, [](auto& tx) { tx.vin[1].prevout = tx.vin[0].prevout; });
    test::UpdateCommitments(block);
    BlockValidationState state;
    BOOST_CHECK(!CheckBlockStructure(block, FLAGS, state));
    BOOST_CHECK_EQUAL(state.GetRejectReason(), "bad-txns-inputs-duplicate");
    const COutPoint& twice{block.vtx[2]->vin[0].prevout};
    const auto name{[&](size_t i) { return "transaction " + std::to_string(i) + " (" + block.vtx[i]->GetHash().GetHex() + ")"; }};
    BOOST_CHECK_EQUAL(state.GetDetail(), name(2) + ", output " + std::to_string(twice.n) + " of " + twice.hash.GetHex());

    // A reason without detail, a missing coinbase, witnesses without a commitment
    const auto detail{[&](const std::string& reason, script_verify_flags flags = FLAGS) {
        BlockValidationState why;
        BOOST_CHECK(!CheckBlockStructure(block, flags, why));
        BOOST_CHECK_EQUAL(why.GetRejectReason(), reason);
        return why.GetDetail();
    }};
    ChangeTransaction(block, 2, [](auto& tx) { tx.vout.clear(); });
    test::UpdateCommitments(block);
    BOOST_CHECK_EQUAL(detail("bad-txns-vout-empty"), name(2));
    block = MakeBlock().block;
    block.vtx.erase(block.vtx.begin());
    block.hashMerkleRoot = BlockMerkleRoot(block);
    BOOST_CHECK_EQUAL(detail("bad-cb-missing"), name(0) + " is not a coinbase");
    block = MakeBlock().block;
    ChangeTransaction(block, 0, [](auto& tx) {
        tx.vout.pop_back();
        tx.vin[0].scriptWitness.stack.clear();
    });
    block.hashMerkleRoot = BlockMerkleRoot(block);
    BOOST_CHECK_EQUAL(detail("unexpected-witness"), name(1) + " has a witness, but the coinbase commits to none");
    BOOST_CHECK_EQUAL(detail("unexpected-witness", SCRIPT_VERIFY_P2SH), name(1) + " has a witness, but segwit is not active");
}

BOOST_AUTO_TEST_CASE(legacy_signature_checks_are_limited)
{
    const auto with_sigops{[](size_t n) {
        return [n](CBlock& block) {
            ChangeTransaction(block, 1, [n](auto& tx) { tx.vout[0].scriptPubKey.assign(n, OP_CHECKSIG); });
        };
    }};
    const size_t most{MAX_BLOCK_SIGOPS_COST / WITNESS_SCALE_FACTOR};
    BOOST_CHECK_EQUAL(ReasonAfter(with_sigops(most)), "");
    BOOST_CHECK_EQUAL(ReasonAfter(with_sigops(most + 1)), "bad-blk-sigops");
}

BOOST_AUTO_TEST_CASE(witnesses_need_the_last_commitment)
{
    const auto change_coinbase{[](const std::function<void(CMutableTransaction&)>& change) {
        CBlock block{MakeBlock().block};
        ChangeTransaction(block, 0, change);
        block.hashMerkleRoot = BlockMerkleRoot(block);
        return Reason(block);
    }};
    BOOST_CHECK_EQUAL(change_coinbase([](auto& tx) { tx.vin[0].scriptWitness.stack[0].resize(31); }), "bad-witness-nonce-size");
    BOOST_CHECK_EQUAL(change_coinbase([](auto& tx) { tx.vin[0].scriptWitness.stack[0].resize(33); }), "bad-witness-nonce-size");
    BOOST_CHECK_EQUAL(change_coinbase([](auto& tx) { tx.vin[0].scriptWitness.stack.emplace_back(32); }), "bad-witness-nonce-size");
    BOOST_CHECK_EQUAL(change_coinbase([](auto& tx) { tx.vin[0].scriptWitness.stack.clear(); }), "bad-witness-nonce-size");
    BOOST_CHECK_EQUAL(change_coinbase([](auto& tx) { tx.vin[0].scriptWitness.stack[0][0] = 1; }), "bad-witness-merkle-match");
    BOOST_CHECK_EQUAL(change_coinbase([](auto& tx) { tx.vout.back().scriptPubKey.back() ^= 1; }), "bad-witness-merkle-match");
    BOOST_CHECK_EQUAL(change_coinbase([](auto& tx) { tx.vout.pop_back(); }), "unexpected-witness");
    BOOST_CHECK_EQUAL(change_coinbase([](auto& tx) { tx.vout.back().scriptPubKey.pop_back(); }), "unexpected-witness");
    BOOST_CHECK_EQUAL(change_coinbase([](auto& tx) { tx.vout.back().scriptPubKey[5] ^= 1; }), "unexpected-witness");
    // More bytes after the commitment are allowed, and the last commitment is the one that counts.
    BOOST_CHECK_EQUAL(change_coinbase([](auto& tx) { tx.vout.back().scriptPubKey.push_back(OP_RETURN); }), "");
    BOOST_CHECK_EQUAL(change_coinbase([](auto& tx) {
        tx.vout.insert(tx.vout.begin(), tx.vout.back());
        tx.vout.front().scriptPubKey.back() ^= 1;
    }), "");
    BOOST_CHECK_EQUAL(change_coinbase([](auto& tx) {
        tx.vout.push_back(tx.vout.back());
        tx.vout.back().scriptPubKey.back() ^= 1;
    }), "bad-witness-merkle-match");

    // Without any witness no commitment is needed; the last transaction's needs it as much as the coinbase's.
    const auto remove_commitment{[](auto& tx) {
        tx.vout.pop_back();
        tx.vin[0].scriptWitness.stack.clear();
    }};
    CBlock block{MakeBlock(0).block};
    ChangeTransaction(block, 0, remove_commitment);
    block.hashMerkleRoot = BlockMerkleRoot(block);
    BOOST_CHECK_EQUAL(Reason(block), "");
    block = MakeBlock(2).block;
    ChangeTransaction(block, 0, remove_commitment);
    ChangeTransaction(block, 1, [](auto& tx) { tx.vin[0].scriptWitness.stack.clear(); });
    block.hashMerkleRoot = BlockMerkleRoot(block);
    BOOST_CHECK_EQUAL(Reason(block), "unexpected-witness");
}

BOOST_AUTO_TEST_CASE(of_several_commitments_the_last_is_found)
{
    CBlock block{MakeBlock().block};
    CTxOut commitment{block.vtx[0]->vout.back()};
    const CTxOut other{1, CScript{} << OP_TRUE};
    CTxOut too_short{commitment};
    too_short.scriptPubKey.pop_back();
    const auto index_among{[&](const std::vector<CTxOut>& outputs) {
        ChangeTransaction(block, 0, [&](auto& tx) { tx.vout = outputs; });
        return GetWitnessCommitmentIndex(block);
    }};
    BOOST_CHECK(!index_among({}));
    BOOST_CHECK(!index_among({other, too_short}));
    BOOST_CHECK(index_among({commitment}) == 0U);
    BOOST_CHECK(index_among({commitment, other}) == 0U);
    BOOST_CHECK(index_among({commitment, other, commitment, other, too_short}) == 2U);
    // Whatever follows the 38 bytes
    commitment.scriptPubKey.push_back(0xff);
    BOOST_CHECK(index_among({other, commitment}) == 1U);
    block.vtx.clear();
    BOOST_CHECK(!GetWitnessCommitmentIndex(block));
}

BOOST_AUTO_TEST_CASE(a_state_reads_as_one_line)
{
    ValidationState state;
    BOOST_CHECK_EQUAL(state.ToString(), "valid");
    BOOST_CHECK(!state.Invalid("bad-cb-length"));
    BOOST_CHECK_EQUAL(state.ToString(), "bad-cb-length");
    BOOST_CHECK(!state.Invalid("bad-cb-height", "later"));
    BOOST_CHECK_EQUAL(state.ToString(), "bad-cb-length");
    ValidationState detailed;
    BOOST_CHECK(!detailed.Invalid("bad-cb-length", "101 bytes"));
    BOOST_CHECK_EQUAL(detailed.ToString(), "bad-cb-length: 101 bytes");
}

BOOST_AUTO_TEST_CASE(weight_and_length_are_limited)
{
    // BIP 141: every byte weighs four units, but one in a witness (its two bytes of marker and flag, too) weighs one.
    for (const size_t n : {0, 1, 3}) {
        const CBlock weighed{MakeBlock(n).block};
        const size_t stripped{GetSerializeSize(weighed, TxFormat::WITHOUT_WITNESS)};
        const size_t witness{GetSerializeSize(weighed, TxFormat::WITH_WITNESS) - stripped};
        BOOST_CHECK_EQUAL(witness, (2 + 1 + 1 + 32) + n * (2 + (1 + 1 + 5) + 1)); // the coinbase's nonce; an element, and none
        BOOST_CHECK_EQUAL(GetBlockWeight(weighed), static_cast<int64_t>(4 * stripped + witness));
    }

    CBlock block{MakeBlock().block};
    // A witness element so large that its length takes five bytes, then to the unit.
    const auto with_element_of{[](size_t size) {
        return [size](CBlock& b) {
            ChangeTransaction(b, 1, [size](auto& tx) { tx.vin[0].scriptWitness.stack[0].resize(size); });
        };
    }};
    with_element_of(1'000'000)(block);
    const int64_t overhead{GetBlockWeight(block) - 1'000'000};
    const auto largest{static_cast<size_t>(MAX_BLOCK_WEIGHT - overhead)};
    BOOST_CHECK_EQUAL(ReasonAfter(with_element_of(largest)), "");
    BOOST_CHECK_EQUAL(ReasonAfter(with_element_of(largest + 1)), "bad-blk-weight");

    // Without witnesses, to the byte; such a block with a witness weighs too much.
    const auto with_script_of{[](size_t size) {
        return [size](CBlock& b) { ChangeTransaction(b, 1, [size](auto& tx) { tx.vout[0].scriptPubKey.assign(size, OP_NOP); }); };
    }};
    with_script_of(500'000)(block = MakeBlock().block);
    const auto longest{
        static_cast<size_t>(500'000 + MAX_BLOCK_WEIGHT / WITNESS_SCALE_FACTOR - GetSerializeSize(block, TxFormat::WITHOUT_WITNESS))};
    BOOST_CHECK_EQUAL(ReasonAfter(with_script_of(longest)), "bad-blk-weight");
    BOOST_CHECK_EQUAL(ReasonAfter(with_script_of(longest + 1)), "bad-blk-length");

    // Too long without witnesses, though each transaction for itself would do.
    BOOST_CHECK_EQUAL(ReasonAfter([](CBlock& b) {
        for (const size_t i : {1, 2}) {
            ChangeTransaction(b, i, [](auto& tx) { tx.vout[0].scriptPubKey.assign(600'000, OP_NOP); });
        }
    }), "bad-blk-length");
}

BOOST_AUTO_TEST_CASE(amounts_are_in_range_and_outputs_are_spent_once)
{
    const auto reason_after{[](const std::function<void(BlockWithSpent&)>& change) {
        BlockWithSpent b{MakeBlock()};
        change(b);
        return InputReason(b);
    }};
    BOOST_CHECK_EQUAL(reason_after([](auto& b) { b.spent_outputs[2].nValue = 200; }), "");
    BOOST_CHECK_EQUAL(reason_after([](auto& b) { b.spent_outputs[2].nValue = 199; }), "bad-txns-in-belowout");
    BOOST_CHECK_EQUAL(reason_after([](auto& b) { b.spent_outputs[5].nValue = -1; }), "bad-txns-inputvalues-outofrange");
    BOOST_CHECK_EQUAL(reason_after([](auto& b) { b.spent_outputs[0].nValue = b.spent_outputs[2].nValue = MAX_MONEY - 800; }),
                      "bad-txns-accumulated-fee-outofrange");
    // With the fees of the other two, 500 each, to the satoshi
    BOOST_CHECK_EQUAL(reason_after([](auto& b) { b.spent_outputs[0].nValue = MAX_MONEY - 800; }), "");
    BOOST_CHECK_EQUAL(reason_after([](auto& b) {
        b.spent_outputs[0].nValue = MAX_MONEY - 800;
        ++b.spent_outputs[2].nValue;
    }), "bad-txns-accumulated-fee-outofrange");
    // The output that transaction 1 spent, once more.
    BOOST_CHECK_EQUAL(reason_after([](auto& b) {
        const COutPoint spent{b.block.vtx[1]->vin[1].prevout};
        ChangeTransaction(b.block, 3, [&](auto& tx) { tx.vin[0].prevout = spent; });
    }), "bad-txns-inputs-missingorspent");
}

BOOST_AUTO_TEST_CASE(spends_within_the_block)
{
    // Transaction 3 spends an output of transaction 1, 2, 3 (itself: impossible), or 4.
    const auto reason_of{[](size_t maker, uint32_t n) {
        BlockWithSpent b{MakeBlock(4)};
        COutPoint prevout;
        prevout.hash = b.block.vtx[maker]->GetHash();
        prevout.n = n;
        ChangeTransaction(b.block, 3, [&](auto& tx) { tx.vin[1].prevout = prevout; });
        const auto& made{b.block.vtx[maker]->vout};
        b.spent_outputs[5] = n < made.size() ? made[n] : CTxOut{1000, CScript{} << OP_TRUE};
        return InputReason(b);
    }};
    BOOST_CHECK_EQUAL(reason_of(1, 0), "");
    BOOST_CHECK_EQUAL(reason_of(2, 0), "");
    BOOST_CHECK_EQUAL(reason_of(1, 1), "bad-txns-inputs-missingorspent");
    BOOST_CHECK_EQUAL(reason_of(1, 2), "bad-txns-inputs-missingorspent");
    BOOST_CHECK_EQUAL(reason_of(4, 0), "bad-txns-inputs-missingorspent");
    BOOST_CHECK_EQUAL(reason_of(0, 0), "bad-txns-premature-spend-of-coinbase");
    BOOST_CHECK_EQUAL(reason_of(0, 1), "bad-txns-inputs-missingorspent"); // the witness commitment is unspendable
}

BOOST_AUTO_TEST_CASE(the_first_of_several_inputs_that_spend_the_coinbase_is_named)
{
    BlockWithSpent b{MakeBlock(4)};
    ChangeTransaction(b.block, 0, [](auto& tx) { tx.vout.insert(tx.vout.begin(), tx.vout[0]); });
    for (uint32_t n{0}; n < 2; ++n) {
        ChangeTransaction(b.block, 3, [&](auto& tx) { tx.vin[n].prevout = {b.block.vtx[0]->GetHash(), n}; });
        b.spent_outputs[4 + n] = b.block.vtx[0]->vout[n];
    }
    BlockValidationState state;
    BOOST_CHECK(!CheckBlockInputs(b.block, b.spent_outputs, FLAGS, state));
    BOOST_CHECK_EQUAL(state.GetRejectReason(), "bad-txns-premature-spend-of-coinbase");
    BOOST_CHECK_EQUAL(state.GetDetail(), "transaction 3 (" + b.block.vtx[3]->GetHash().GetHex() + "), input 0");
}

BOOST_AUTO_TEST_CASE(an_unspendable_output_is_in_no_set_of_coins)
{
    // Bitcoin Core puts no such output into its set of unspent outputs, so there is nothing to spend: in the same block,
    // or made by an earlier one.
    const auto reason_of{[](const CScript& script, bool same_block) {
        BlockWithSpent b{MakeBlock(4)};
        COutPoint prevout{test::NewOutPoint()};
        if (same_block) {
            ChangeTransaction(b.block, 1, [&](auto& tx) { tx.vout[0].scriptPubKey = script; });
            prevout = {b.block.vtx[1]->GetHash(), 0};
        }
        ChangeTransaction(b.block, 3, [&](auto& tx) { tx.vin[1].prevout = prevout; });
        b.spent_outputs[5] = {1000, script};
        return InputReason(b);
    }};
    CScript longest;
    longest.assign(MAX_SCRIPT_SIZE, OP_NOP);
    CScript too_long;
    too_long.assign(MAX_SCRIPT_SIZE + 1, OP_NOP);
    for (const bool same_block : {true, false}) {
        BOOST_CHECK_EQUAL(reason_of(CScript{} << OP_RETURN, same_block), "bad-txns-inputs-missingorspent");
        BOOST_CHECK_EQUAL(reason_of(CScript{} << OP_RETURN << std::vector<uint8_t>(20), same_block), "bad-txns-inputs-missingorspent");
        BOOST_CHECK_EQUAL(reason_of(CScript{} << OP_1 << OP_RETURN, same_block), "");
        BOOST_CHECK_EQUAL(reason_of(CScript{}, same_block), "");
        BOOST_CHECK_EQUAL(reason_of(longest, same_block), "");
        BOOST_CHECK_EQUAL(reason_of(too_long, same_block), "bad-txns-inputs-missingorspent");
    }
}

BOOST_AUTO_TEST_CASE(a_spent_output_that_the_block_contradicts_is_no_verdict)
{
    // Whatever the block says, the caller looked up the wrong output: the block may be valid.
    const auto check_throws{[](const std::function<void(CTxOut&)>& change) {
        BlockWithSpent b{MakeBlock(4)};
        ChangeTransaction(b.block, 3, [&](auto& tx) { tx.vin[1].prevout = {b.block.vtx[1]->GetHash(), 0}; });
        b.spent_outputs[5] = b.block.vtx[1]->vout[0];
        BOOST_CHECK_EQUAL(InputReason(b), "");
        change(b.spent_outputs[5]);
        BlockValidationState state;
        BOOST_CHECK_EXCEPTION((void)CheckBlockInputs(b.block, b.spent_outputs, FLAGS, state), std::invalid_argument, [](const auto& e) {
            return std::string{e.what()}.starts_with("spent output 5 ");
        });
    }};
    check_throws([](CTxOut& output) { output.nValue += 1; });
    check_throws([](CTxOut& output) { output.scriptPubKey << OP_NOP; });
    check_throws([](CTxOut& output) { output.scriptPubKey = CScript{} << OP_RETURN; });
}

BOOST_AUTO_TEST_CASE(of_several_faults_of_a_transaction_the_one_that_core_meets_first)
{
    // All inputs are looked up before any of them is judged; then each is judged for its maturity and its value.
    const CAmount too_much{MAX_MONEY + 1};
    enum Fault { NONE, MISSING, IMMATURE, VALUE };
    const auto reason_of{[&](Fault first, Fault second) {
        BlockWithSpent b{MakeBlock(4)};
        for (const auto& [fault, input] : {std::pair{first, size_t{0}}, std::pair{second, size_t{1}}}) {
            CTxOut& output{b.spent_outputs[4 + input]};
            if (fault == VALUE) output.nValue = too_much;
            if (fault == IMMATURE) output = b.block.vtx[0]->vout[0];
            if (fault == NONE || fault == VALUE) continue;
            const COutPoint prevout{b.block.vtx[fault == MISSING ? 4 : 0]->GetHash(), 0};
            ChangeTransaction(b.block, 3, [&, n = input](auto& tx) { tx.vin[n].prevout = prevout; });
        }
        return InputReason(b);
    }};
    BOOST_CHECK_EQUAL(reason_of(NONE, NONE), "");
    BOOST_CHECK_EQUAL(reason_of(IMMATURE, NONE), "bad-txns-premature-spend-of-coinbase");
    BOOST_CHECK_EQUAL(reason_of(NONE, IMMATURE), "bad-txns-premature-spend-of-coinbase");
    BOOST_CHECK_EQUAL(reason_of(IMMATURE, MISSING), "bad-txns-inputs-missingorspent");
    BOOST_CHECK_EQUAL(reason_of(VALUE, MISSING), "bad-txns-inputs-missingorspent");
    BOOST_CHECK_EQUAL(reason_of(VALUE, IMMATURE), "bad-txns-inputvalues-outofrange");
    BOOST_CHECK_EQUAL(reason_of(IMMATURE, VALUE), "bad-txns-premature-spend-of-coinbase");
}

BOOST_AUTO_TEST_CASE(sigop_cost_counts_redeem_scripts_and_witnesses)
{
    // 20,000 operations in a redeem script that is nowhere executed here, and one in a witness script beside it.
    const auto reason_of{[](size_t in_redeem_script, size_t in_witness) {
        BlockWithSpent b{MakeBlock()};
        CScript p2sh{CScript{} << OP_HASH160};
        p2sh << std::vector<uint8_t>(20) << OP_EQUAL;
        CScript p2wsh{CScript{} << OP_0};
        p2wsh << std::vector<uint8_t>(32);
        b.spent_outputs[0].scriptPubKey = p2wsh;
        b.spent_outputs[1].scriptPubKey = p2sh;
        ChangeTransaction(b.block, 1, [&](auto& tx) {
            tx.vin[0].scriptWitness.stack[0].assign(in_witness, OP_CHECKSIG);
            tx.vin[1].scriptSig << std::vector<uint8_t>(in_redeem_script, OP_CHECKSIG);
        });
        return InputReason(b);
    }};
    const size_t most{MAX_BLOCK_SIGOPS_COST / WITNESS_SCALE_FACTOR};
    BOOST_CHECK_EQUAL(reason_of(most, 0), "");
    BOOST_CHECK_EQUAL(reason_of(most + 1, 0), "bad-blk-sigops");
    BOOST_CHECK_EQUAL(reason_of(most, 1), "bad-blk-sigops");
    BOOST_CHECK_EQUAL(reason_of(most - 1, 4), "");
    BOOST_CHECK_EQUAL(reason_of(most - 1, 5), "bad-blk-sigops");
    BOOST_CHECK_EQUAL(reason_of(0, MAX_BLOCK_SIGOPS_COST), "");
}

BOOST_AUTO_TEST_SUITE_END()
