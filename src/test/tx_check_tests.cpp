// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <consensus/consensus.h>
#include <consensus/tx_check.h>
#include <consensus/tx_verify.h>
#include <test/util/block_builder.h>

#include <boost/test/unit_test.hpp>

#include <functional>
#include <string>
#include <vector>

using namespace slhc;

BOOST_AUTO_TEST_SUITE(tx_check_tests)

namespace {
CMutableTransaction MakeTransaction()
{
    CMutableTransaction tx;
    tx.vin.emplace_back(test::NewOutPoint());
    tx.vin.emplace_back(test::NewOutPoint());
    tx.vout.emplace_back(1000, CScript{} << OP_TRUE);
    tx.vout.emplace_back(2000, CScript{} << OP_TRUE);
    return tx;
}

CMutableTransaction MakeCoinbase(size_t script_size)
{
    CMutableTransaction tx;
    tx.vin.emplace_back(COutPoint{}, CScript{std::vector<uint8_t>(script_size, OP_TRUE)});
    tx.vout.emplace_back(1000, CScript{} << OP_TRUE);
    return tx;
}

/** The reject reason; empty if valid. */
std::string Reason(const CMutableTransaction& tx)
{
    ValidationState state;
    const bool valid{CheckTransaction(CTransaction{tx}, state)};
    BOOST_CHECK_EQUAL(valid, state.IsValid());
    return state.GetRejectReason();
}

std::string ReasonAfter(const std::function<void(CMutableTransaction&)>& change)
{
    CMutableTransaction tx{MakeTransaction()};
    change(tx);
    return Reason(tx);
}
} // namespace

BOOST_AUTO_TEST_CASE(check_transaction)
{
    BOOST_CHECK_EQUAL(ReasonAfter([](auto&) {}), "");
    BOOST_CHECK_EQUAL(ReasonAfter([](auto& tx) { tx.vin.clear(); }), "bad-txns-vin-empty");
    BOOST_CHECK_EQUAL(ReasonAfter([](auto& tx) { tx.vout.clear(); }), "bad-txns-vout-empty");
    BOOST_CHECK_EQUAL(ReasonAfter([](auto& tx) { tx.vout[1].nValue = -1; }), "bad-txns-vout-negative");
    BOOST_CHECK_EQUAL(ReasonAfter([](auto& tx) { tx.vout[1].nValue = std::numeric_limits<CAmount>::min(); }), "bad-txns-vout-negative");
    BOOST_CHECK_EQUAL(ReasonAfter([](auto& tx) { tx.vout[0].nValue = MAX_MONEY + 1; }), "bad-txns-vout-toolarge");
    BOOST_CHECK_EQUAL(ReasonAfter([](auto& tx) { tx.vout[0].nValue = std::numeric_limits<CAmount>::max(); }), "bad-txns-vout-toolarge");
    BOOST_CHECK_EQUAL(ReasonAfter([](auto& tx) { tx.vout[0].nValue = MAX_MONEY - 2000; }), "");
    BOOST_CHECK_EQUAL(ReasonAfter([](auto& tx) { tx.vout[0].nValue = MAX_MONEY - 1999; }), "bad-txns-txouttotal-toolarge");
    BOOST_CHECK_EQUAL(ReasonAfter([](auto& tx) { tx.vin[1].prevout = tx.vin[0].prevout; }), "bad-txns-inputs-duplicate");
    BOOST_CHECK_EQUAL(ReasonAfter([](auto& tx) { tx.vin[1].prevout.hash = tx.vin[0].prevout.hash, tx.vin[1].prevout.n = 1; }), "");
    BOOST_CHECK_EQUAL(ReasonAfter([](auto& tx) { tx.vin[1].prevout = COutPoint{}; }), "bad-txns-prevout-null");
    // Both wrong: the order is part of what is agreed on.
    BOOST_CHECK_EQUAL(ReasonAfter([](auto& tx) { tx.vin[1].prevout = tx.vin[0].prevout = COutPoint{}; }), "bad-txns-inputs-duplicate");
    BOOST_CHECK_EQUAL(ReasonAfter([](auto& tx) { tx.vin[1].prevout = tx.vin[0].prevout, tx.vout[0].nValue = -1; }),
                      "bad-txns-vout-negative");
    // Half of a null outpoint is none.
    BOOST_CHECK_EQUAL(ReasonAfter([](auto& tx) { tx.vin[1].prevout.n = COutPoint::NULL_INDEX; }), "");
    BOOST_CHECK_EQUAL(ReasonAfter([](auto& tx) { tx.vin[1].prevout.hash.SetNull(); }), "");
}

/** Wherever the two are, in whatever order the others. */
BOOST_AUTO_TEST_CASE(no_output_is_spent_twice)
{
    constexpr size_t INPUTS{9};
    CMutableTransaction tx{MakeTransaction()};
    tx.vin.clear();
    for (size_t i{0}; i < INPUTS; ++i) {
        // Neither hashes nor indexes rise or fall with i, and hashes repeat.
        COutPoint& prevout{tx.vin.emplace_back().prevout};
        prevout.hash = uint256{static_cast<uint8_t>(1 + i * 5 % 3)};
        prevout.n = static_cast<uint32_t>(i * 7 % INPUTS);
    }
    BOOST_CHECK_EQUAL(Reason(tx), "");
    for (size_t first{0}; first < INPUTS; ++first) {
        for (size_t second{0}; second < INPUTS; ++second) {
            if (first == second) continue;
            CMutableTransaction twice{tx};
            twice.vin[second].prevout = twice.vin[first].prevout;
            ValidationState state;
            BOOST_CHECK(!CheckTransaction(CTransaction{twice}, state));
            BOOST_CHECK_EQUAL(state.GetRejectReason(), "bad-txns-inputs-duplicate");
            const COutPoint& prevout{twice.vin[first].prevout};
            BOOST_CHECK_EQUAL(state.GetDetail(), "output " + std::to_string(prevout.n) + " of " + prevout.hash.GetHex());
        }
    }
}

BOOST_AUTO_TEST_CASE(oversize_does_not_count_the_witness)
{
    const auto with_output_of{[](size_t size) {
        return [size](CMutableTransaction& tx) { tx.vout[0].scriptPubKey.resize(size, OP_TRUE); };
    }};
    CMutableTransaction tx{MakeTransaction()};
    tx.vout[0].scriptPubKey.resize(500'000, OP_TRUE); // so that its length is written in five bytes
    const size_t overhead{GetSerializeSize(tx, TxFormat::WITHOUT_WITNESS) - 500'000};
    const auto largest{static_cast<size_t>(MAX_BLOCK_WEIGHT / WITNESS_SCALE_FACTOR) - overhead};
    BOOST_CHECK_EQUAL(ReasonAfter(with_output_of(largest)), "");
    BOOST_CHECK_EQUAL(ReasonAfter(with_output_of(largest + 1)), "bad-txns-oversize");
    BOOST_CHECK_EQUAL(ReasonAfter([&](auto& t) { t.vin[0].scriptWitness.stack.emplace_back(5'000'000); }), "");
}

BOOST_AUTO_TEST_CASE(coinbase_script_size)
{
    BOOST_CHECK_EQUAL(Reason(MakeCoinbase(1)), "bad-cb-length");
    BOOST_CHECK_EQUAL(Reason(MakeCoinbase(2)), "");
    BOOST_CHECK_EQUAL(Reason(MakeCoinbase(100)), "");
    BOOST_CHECK_EQUAL(Reason(MakeCoinbase(101)), "bad-cb-length");
}

BOOST_AUTO_TEST_CASE(check_tx_inputs)
{
    const CTransaction tx{MakeTransaction()}; // spends two, makes 3000
    const auto check{[&](CAmount first, CAmount second, CAmount expected_fee) {
        const std::vector<CTxOut> spent{{first, CScript{}}, {second, CScript{}}};
        ValidationState state;
        CAmount fee{-1};
        if (CheckTxInputs(tx, spent, std::nullopt, state, fee)) BOOST_CHECK_EQUAL(fee, expected_fee);
        return state.GetRejectReason();
    }};
    BOOST_CHECK_EQUAL(check(1000, 2000, 0), "");
    BOOST_CHECK_EQUAL(check(1000, 2500, 500), "");
    BOOST_CHECK_EQUAL(check(1000, 1999, 0), "bad-txns-in-belowout");
    BOOST_CHECK_EQUAL(check(MAX_MONEY, 0, MAX_MONEY - 3000), "");
    BOOST_CHECK_EQUAL(check(MAX_MONEY, 1, 0), "bad-txns-inputvalues-outofrange");
    BOOST_CHECK_EQUAL(check(5000, -1, 0), "bad-txns-inputvalues-outofrange");
    BOOST_CHECK_EQUAL(check(5000, MAX_MONEY + 1, 0), "bad-txns-inputvalues-outofrange");
    constexpr auto HUGE_AMOUNT{std::numeric_limits<CAmount>::max()};
    BOOST_CHECK_EQUAL(check(HUGE_AMOUNT, HUGE_AMOUNT, 0), "bad-txns-inputvalues-outofrange");
}

BOOST_AUTO_TEST_CASE(sigop_cost)
{
    CMutableTransaction tx{MakeTransaction()};
    const CScript redeem{CScript{} << OP_2 << OP_CHECKMULTISIG}; // counts as two where it is read accurately, else as 20
    CScript p2sh{CScript{} << OP_HASH160};
    p2sh << std::vector<uint8_t>(20) << OP_EQUAL;
    CScript p2wsh{CScript{} << OP_0};
    p2wsh << std::vector<uint8_t>(32);
    const auto witness_program{[](opcodetype version) {
        CScript script{CScript{} << version};
        script << std::vector<uint8_t>(32);
        return script;
    }};
    const script_verify_flags flags{SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS | SCRIPT_VERIFY_TAPROOT | SCRIPT_VERIFY_P2MR |
                                    SCRIPT_VERIFY_SLHDSA};

    tx.vout[0].scriptPubKey = redeem;                              // 20 legacy
    tx.vin[0].scriptSig << std::vector<uint8_t>{redeem.begin(), redeem.end()}; // P2SH: 2
    std::vector<CTxOut> spent{{1, p2sh}, {1, p2wsh}};
    tx.vin[1].scriptWitness.stack = {{OP_CHECKSIG, OP_CHECKSIG, OP_3, OP_CHECKMULTISIG}}; // 2 + 3, unscaled
    const CTransaction t{tx};
    BOOST_CHECK_EQUAL(GetLegacySigOpCount(t), 20U);
    BOOST_CHECK_EQUAL(GetP2SHSigOpCount(t, spent), 2U);
    BOOST_CHECK_EQUAL(GetTransactionSigOpCost(t, spent, flags), (20 + 2) * WITNESS_SCALE_FACTOR + 5);
    BOOST_CHECK_EQUAL(GetTransactionSigOpCost(t, spent, SCRIPT_VERIFY_P2SH), (20 + 2) * WITNESS_SCALE_FACTOR);
    BOOST_CHECK_EQUAL(GetTransactionSigOpCost(t, spent, script_verify_flags{}), 20 * WITNESS_SCALE_FACTOR);
    BOOST_CHECK_EQUAL(GetTransactionSigOpCost(t, spent, SCRIPT_VERIFY_DERSIG), 20 * WITNESS_SCALE_FACTOR);

    // Operations in a scriptSig itself are counted as before P2SH.
    CMutableTransaction bare{MakeTransaction()};
    bare.vin[0].scriptSig << OP_CHECKSIG << OP_2 << OP_CHECKMULTISIG;
    bare.vin[1].scriptSig << OP_CHECKSIGVERIFY;
    BOOST_CHECK_EQUAL(GetLegacySigOpCount(CTransaction{bare}), 1U + 20U + 1U);

    // Taproot and P2MR spends cost nothing, nor do other versions, whatever their scripts hold.
    CMutableTransaction taproot{MakeTransaction()};
    for (const opcodetype version : {OP_1, OP_2, OP_16}) {
        spent = {{1, witness_program(version)}, {1, witness_program(version)}};
        taproot.vin[0].scriptWitness.stack = {{}, {OP_CHECKSIGSLHDSA, OP_CHECKSIG, OP_CHECKSIGADD}, std::vector<uint8_t>(33, 0xc1)};
        BOOST_CHECK_EQUAL(GetTransactionSigOpCost(CTransaction{taproot}, spent, flags), 0);
    }

    // A coinbase spends nothing; its scripts count all the same.
    CMutableTransaction coinbase{MakeCoinbase(2)};
    coinbase.vout[0].scriptPubKey = CScript{} << OP_CHECKSIG;
    BOOST_CHECK_EQUAL(GetTransactionSigOpCost(CTransaction{coinbase}, {}, flags), WITNESS_SCALE_FACTOR);
    BOOST_CHECK_EQUAL(GetP2SHSigOpCount(CTransaction{coinbase}, {}), 0U);
}

BOOST_AUTO_TEST_SUITE_END()
