// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <slhconsensus.h>

#include <crypto/hash.h>
#include <test/allocations.h>
#include <test/capi_last_error.h>
#include <test/json_data.h>
#include <test/preconditions.h>
#include <test/psbt_fixture.h>
#include <util/base64.h>
#include <util/hex.h>
#include <wallet/tap_tree.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

using namespace slhc;
using slhc::test::CheckLastError;

namespace {

using Bytes = std::vector<uint8_t>;
using PSBTPtr = std::unique_ptr<slhc_psbt, decltype(&slhc_psbt_destroy)>;

/** A step of the first vector of doc/psbt.md's field: two of three sign a P2MR leaf. */
Bytes Vector(const char* name)
{
    return *DecodeBase64(test::ReadJson("psbt_slhdsa.json").at(0).at(name).get<std::string>());
}

PSBTPtr Parse(const Bytes& bytes)
{
    slhc_error error SLHC_ERROR_INIT;
    PSBTPtr psbt{slhc_psbt_parse({bytes.data(), bytes.size()}, &error), slhc_psbt_destroy};
    BOOST_REQUIRE_MESSAGE(psbt, error.message);
    return psbt;
}

Bytes Serialize(const PSBTPtr& psbt)
{
    slhc_bytes out;
    BOOST_REQUIRE_EQUAL(slhc_psbt_serialize(psbt.get(), &out), SLHC_OK);
    return {out.data, out.data + out.size};
}

slhc_psbt_finding Finding(const PSBTPtr& psbt, size_t index)
{
    slhc_psbt_finding finding SLHC_PSBT_FINDING_INIT;
    BOOST_REQUIRE_EQUAL(slhc_psbt_get_finding(psbt.get(), index, &finding), SLHC_OK);
    return finding;
}

/** The same with a bit of its only signature flipped. */
Bytes Damaged(Bytes bytes)
{
    constexpr size_t TO_THE_MIDDLE{5000}; // from the beginning of the field
    const std::array<uint8_t, 7> field{'s', 'l', 'h', 'd', 's', 'a', 0};
    const auto at{std::search(bytes.begin(), bytes.end(), field.begin(), field.end())};
    BOOST_REQUIRE(at != bytes.end());
    at[TO_THE_MIDDLE] ^= 1;
    return bytes;
}

} // namespace

BOOST_AUTO_TEST_SUITE(capi_psbt_tests)

BOOST_AUTO_TEST_CASE(combined_and_finalized_as_the_vector_has_it)
{
    const auto a{Parse(Vector("signed_a"))}, b{Parse(Vector("signed_b"))};
    size_t n{9};
    BOOST_CHECK_EQUAL(slhc_psbt_check(a.get(), &n), SLHC_OK);
    BOOST_CHECK_EQUAL(n, 0);
    const Bytes before{Serialize(a)};
    BOOST_CHECK_EQUAL(slhc_psbt_finalize(a.get(), &n), SLHC_INVALID);
    BOOST_REQUIRE_EQUAL(n, 1);
    BOOST_CHECK_EQUAL(Finding(a, 0).kind, SLHC_PSBT_MISSING);
    BOOST_CHECK_EQUAL(Finding(a, 0).why, "needs 2 signatures, but has 1");
    BOOST_CHECK(Serialize(a) == before);

    BOOST_REQUIRE_EQUAL(slhc_psbt_combine(a.get(), b.get()), SLHC_OK);
    BOOST_CHECK_EQUAL(slhc_psbt_finalize(a.get(), &n), SLHC_VALID);
    BOOST_CHECK_EQUAL(n, 0);
    const auto vector = test::ReadJson("psbt_slhdsa.json").at(0);
    BOOST_CHECK_EQUAL(HexStr(Sha256(Serialize(a))), vector.at("finalized_sha256").get<std::string>());
}

BOOST_AUTO_TEST_CASE(an_invalid_signature)
{
    const auto bad{Parse(Damaged(Vector("signed_a")))}, good{Parse(Vector("signed_a"))}, b{Parse(Vector("signed_b"))};
    size_t n{0};
    BOOST_CHECK_EQUAL(slhc_psbt_check(bad.get(), &n), SLHC_OK);
    BOOST_REQUIRE_EQUAL(n, 1);
    const auto finding{Finding(bad, 0)};
    BOOST_CHECK(finding.kind == SLHC_PSBT_WRONG && finding.input == 0 && finding.field.size == 73);
    BOOST_CHECK(std::string{finding.why}.ends_with("is not valid for this transaction"));

    BOOST_CHECK_EQUAL(slhc_psbt_combine(bad.get(), b.get()), SLHC_OK);
    slhc_psbt_finding gone SLHC_PSBT_FINDING_INIT;
    BOOST_CHECK_EQUAL(slhc_psbt_get_finding(bad.get(), 0, &gone), SLHC_ERROR); // it was about what there was before
    CheckLastError(SLHC_ERR_ARGUMENT, "index 0: there are 0 findings");
    const Bytes before{Serialize(bad)};
    BOOST_CHECK_EQUAL(slhc_psbt_finalize(bad.get(), &n), SLHC_INVALID);
    BOOST_CHECK_EQUAL(n, 2);
    BOOST_CHECK(Serialize(bad) == before);
    const auto resolved{Parse(before)};
    BOOST_CHECK_EQUAL(slhc_psbt_combine(resolved.get(), good.get()), SLHC_OK);
    BOOST_CHECK_EQUAL(slhc_psbt_finalize(resolved.get(), &n), SLHC_VALID);
    BOOST_CHECK_EQUAL(slhc_psbt_drop_invalid(bad.get(), &n), SLHC_OK);
    BOOST_CHECK_EQUAL(n, 1);
    BOOST_CHECK(Serialize(bad) == Serialize(b));
}

/** Somebody adds a final witness to a PSBT that he signs, too: combined, it stands beside the signatures, and none of them is lost. */
BOOST_AUTO_TEST_CASE(a_final_witness_that_does_not_spend)
{
    auto with_junk{wallet::PartiallySignedTransaction::Parse(Vector("signed_b"))};
    const Bytes field{wallet::PSBTKey(wallet::PSBT_IN_FINAL_SCRIPTWITNESS)};
    with_junk.Set(wallet::PSBTScope::INPUT, 0, field, Bytes{1, 0});
    const auto a{Parse(Vector("signed_a"))}, b{Parse(with_junk.Serialize())};
    size_t n{0};
    BOOST_CHECK_EQUAL(slhc_psbt_finalize(b.get(), &n), SLHC_INVALID);
    BOOST_CHECK_EQUAL(n, 2);
    BOOST_REQUIRE_EQUAL(slhc_psbt_combine(a.get(), b.get()), SLHC_OK);
    BOOST_CHECK_EQUAL(slhc_psbt_finalize(a.get(), &n), SLHC_VALID);
    BOOST_REQUIRE_EQUAL(n, 1);
    const auto finding{Finding(a, 0)};
    BOOST_CHECK(finding.kind == SLHC_PSBT_WRONG && Bytes(finding.field.data, finding.field.data + finding.field.size) == field);
    BOOST_CHECK(std::string{finding.why}.starts_with("what is final does not spend the output"));
    const auto vector = test::ReadJson("psbt_slhdsa.json").at(0);
    BOOST_CHECK_EQUAL(HexStr(Sha256(Serialize(a))), vector.at("finalized_sha256").get<std::string>());
}

/** The others become final all the same. */
BOOST_AUTO_TEST_CASE(a_wrong_leaf_of_one_input)
{
    using namespace wallet;
    auto psbt{test::SamplePSBT(0, {0, 0})};
    psbt.Set(PSBTScope::INPUT, 0, PSBTKey(PSBT_IN_TAP_MERKLE_ROOT), Bytes(32, 7));
    const auto parsed{Parse(psbt.Serialize())};
    size_t n{0};
    BOOST_CHECK_EQUAL(slhc_psbt_finalize(parsed.get(), &n), SLHC_INVALID);
    BOOST_REQUIRE_EQUAL(n, 3);
    const auto kinds{std::array{Finding(parsed, 0), Finding(parsed, 1), Finding(parsed, 2)}};
    BOOST_CHECK(kinds[0].kind == SLHC_PSBT_MISSING && kinds[0].input == 0);
    BOOST_CHECK(std::string{kinds[0].why}.starts_with("cannot be finalized: PSBT_IN_TAP_MERKLE_ROOT"));
    BOOST_CHECK(kinds[1].kind == SLHC_PSBT_WRONG && kinds[1].input == 0 && kinds[1].field.size == 1);
    BOOST_CHECK(kinds[2].kind == SLHC_PSBT_MISSING && kinds[2].input == 1);
    BOOST_CHECK(test::Contains(kinds[2].why, "needs 2 signatures"));
}

/** Every one of its inputs is final, and it is no transaction. */
BOOST_AUTO_TEST_CASE(nothing_to_spend_or_to_pay)
{
    CMutableTransaction tx{test::SampleTx(1)};
    tx.vin.clear();
    tx.vout.at(0).nValue = 0;
    const auto no_inputs{Parse(wallet::PartiallySignedTransaction{tx, 0}.Serialize())};
    tx = test::SampleTx(1);
    tx.vout.clear();
    wallet::PartiallySignedTransaction anyone{tx, 0}; // a witness program of the future, which anyone can spend
    SetSpentOutput(anyone, 0, {1'000, CScript{} << OP_3 << Bytes(32, 1)});
    anyone.Set(wallet::PSBTScope::INPUT, 0, wallet::PSBTKey(wallet::PSBT_IN_FINAL_SCRIPTWITNESS), Bytes{0});
    const auto no_outputs{Parse(anyone.Serialize())};
    for (const auto& [psbt, why] : {std::pair{&no_inputs, "bad-txns-vin-empty"}, {&no_outputs, "bad-txns-vout-empty"}}) {
        size_t n{9};
        BOOST_CHECK_EQUAL(slhc_psbt_check(psbt->get(), &n), SLHC_OK);
        BOOST_CHECK_EQUAL(n, 0);
        BOOST_CHECK_EQUAL(slhc_psbt_finalize(psbt->get(), &n), SLHC_INVALID);
        BOOST_REQUIRE_EQUAL(n, 1);
        BOOST_CHECK_EQUAL(Finding(*psbt, 0).kind, SLHC_PSBT_NEVER);
        BOOST_CHECK(test::Contains(Finding(*psbt, 0).why, why));
    }
}

BOOST_AUTO_TEST_CASE(findings_stay_when_a_call_fails)
{
    CMutableTransaction tx{test::SampleTx(2)};
    tx.vin[1].prevout = tx.vin[0].prevout;
    const auto psbt{Parse(wallet::PartiallySignedTransaction{tx, 0}.Serialize())};
    size_t n{0};
    BOOST_CHECK_EQUAL(slhc_psbt_check(psbt.get(), &n), SLHC_OK);
    BOOST_REQUIRE_EQUAL(n, 1);
    n = 9;
    BOOST_CHECK_EQUAL(slhc_psbt_finalize(psbt.get(), &n), SLHC_ERROR);
    CheckLastError(SLHC_ERR_DATA, "what it spends is not known");
    BOOST_CHECK_EQUAL(n, 9);
    BOOST_CHECK_EQUAL(Finding(psbt, 0).kind, SLHC_PSBT_NEVER);
}

BOOST_AUTO_TEST_CASE(an_output_that_anyone_can_spend)
{
    const ScriptTree single{CScript{} << Bytes(32, 1) << OP_CHECKSIGSLHDSA};
    CMutableTransaction tx{test::SampleTx(1)};
    tx.vout.emplace_back(5, wallet::TreeScriptPubKey(single, {}));
    wallet::PartiallySignedTransaction change{tx, 0};
    change.Set(wallet::PSBTScope::OUTPUT, 1, wallet::PSBTKey(wallet::PSBT_OUT_TAP_TREE), wallet::SerializeTapTree(single));
    const auto psbt{Parse(change.Serialize())};
    size_t n{0};
    BOOST_CHECK_EQUAL(slhc_psbt_check(psbt.get(), &n), SLHC_OK);
    BOOST_REQUIRE_EQUAL(n, 1);
    const auto finding{Finding(psbt, 0)};
    BOOST_CHECK(finding.kind == SLHC_PSBT_ANYONE_CAN_SPEND && finding.input == 1 && finding.field.size == 0);
    BOOST_CHECK(test::Contains(finding.why, "can be spent by anyone"));
    BOOST_CHECK_EQUAL(slhc_psbt_drop_invalid(psbt.get(), &n), SLHC_OK);
    BOOST_CHECK_EQUAL(n, 0);
}

BOOST_AUTO_TEST_CASE(lock_times)
{
    const auto psbt{Parse(Vector("updated"))}; // nSequence 144, nLockTime 500
    std::array<char, SLHC_PSBT_REASON_SIZE> why;
    const auto check{[&](const Bytes& script) {
        return slhc_psbt_check_lock_times(psbt.get(), 0, {script.data(), script.size()}, why.data());
    }};
    BOOST_CHECK_EQUAL(check({0x02, 0x90, 0x00, 0xb2}), SLHC_VALID); // 144 OP_CHECKSEQUENCEVERIFY
    BOOST_CHECK_EQUAL(why[0], 0);
    BOOST_CHECK_EQUAL(check({0x02, 0x91, 0x00, 0xb2}), SLHC_INVALID);
    BOOST_CHECK_EQUAL(why.data(), "needs an age of 145 blocks, but the input's nSequence 144 means 144 blocks");
    // Nobody ever meets these.
    for (const auto& [script, reason] : std::initializer_list<std::pair<CScript, const char*>>{
             {CScript{} << int64_t{4294967295} << OP_CHECKLOCKTIMEVERIFY, "OP_CHECKLOCKTIMEVERIFY of 4294967295, which no block reaches"},
             {CScript{} << int64_t{-1} << OP_CHECKLOCKTIMEVERIFY, "OP_CHECKLOCKTIMEVERIFY of a negative number"},
             {CScript{} << int64_t{-2} << OP_CHECKSEQUENCEVERIFY, "OP_CHECKSEQUENCEVERIFY of a negative number"},
             {CScript{} << Bytes(6, 1) << OP_CHECKLOCKTIMEVERIFY, "OP_CHECKLOCKTIMEVERIFY of what is not a number of up to 5 bytes"},
             {CScript{} << int64_t{500} << OP_CHECKLOCKTIMEVERIFY << OP_DROP << int64_t{-1} << OP_CHECKSEQUENCEVERIFY,
              "OP_CHECKSEQUENCEVERIFY of a negative number"},
             {CScript{} << int64_t{-1} << OP_CHECKSEQUENCEVERIFY << OP_DROP << int64_t{144} << OP_CHECKSEQUENCEVERIFY,
              "OP_CHECKSEQUENCEVERIFY of a negative number"}}) {
        BOOST_CHECK_EQUAL(check({script.begin(), script.end()}), SLHC_INVALID);
        BOOST_CHECK_EQUAL(why.data(), std::string{reason} + ": nobody can ever spend it");
    }
    // In a branch, and where the operand is not pushed right before the opcode, nothing is known.
    for (const CScript& script : {CScript{} << OP_IF << int64_t{-1} << OP_CHECKSEQUENCEVERIFY << OP_ENDIF,
                                  CScript{} << int64_t{-1} << OP_ABS << OP_CHECKSEQUENCEVERIFY,
                                  CScript{} << int64_t{4294967295} << OP_CHECKSEQUENCEVERIFY}) {
        BOOST_CHECK_EQUAL(check({script.begin(), script.end()}), SLHC_VALID);
    }
    BOOST_CHECK_EQUAL(slhc_psbt_check_lock_times(psbt.get(), 1, {nullptr, 0}, nullptr), SLHC_ERROR);
    CheckLastError(SLHC_ERR_ARGUMENT, "there is no input 1");
}

/** Asked for each input in turn, the transaction is not built each time: ten times as many inputs are ten times the work. */
BOOST_AUTO_TEST_CASE(lock_times_of_many_inputs, *boost::unit_test::precondition(test::CanForbidAllocations))
{
    for (const uint32_t version : {0U, 2U}) {
        const auto bytes{[&](unsigned n) {
            CMutableTransaction tx{test::SampleTx(1)};
            tx.vin.resize(n, tx.vin.at(0));
            const auto psbt{Parse(wallet::PartiallySignedTransaction{tx, version}.Serialize())};
            const size_t before{test::AllocatedBytes()};
            bool valid{true};
            for (unsigned i = 0; i < n; ++i) valid &= slhc_psbt_check_lock_times(psbt.get(), i, {nullptr, 0}, nullptr) == SLHC_VALID;
            BOOST_CHECK(valid);
            return test::AllocatedBytes() - before;
        }};
        BOOST_CHECK_LT(bytes(2'000), 15 * bytes(200));
    }
}

/** What another PSBT brings counts at once. */
BOOST_AUTO_TEST_CASE(lock_times_after_a_change)
{
    using namespace wallet;
    CMutableTransaction tx{test::SampleTx(1)};
    tx.vin.at(0).nSequence = 5;
    PartiallySignedTransaction silent{tx, 2}, told{tx, 2};
    silent.Erase(PSBTScope::INPUT, 0, PSBTKey(PSBT_IN_SEQUENCE));
    const auto psbt{Parse(silent.Serialize())}, other{Parse(told.Serialize())};
    const Bytes five{OP_5, OP_CHECKSEQUENCEVERIFY};
    const auto check{[&] { return slhc_psbt_check_lock_times(psbt.get(), 0, {five.data(), five.size()}, nullptr); }};
    BOOST_CHECK_EQUAL(check(), SLHC_INVALID);
    BOOST_REQUIRE_EQUAL(slhc_psbt_combine(psbt.get(), other.get()), SLHC_OK);
    BOOST_CHECK_EQUAL(check(), SLHC_VALID);
}

BOOST_AUTO_TEST_CASE(wrong_arguments)
{
    const Bytes junk{1, 2, 3};
    BOOST_CHECK(slhc_psbt_parse({junk.data(), junk.size()}, nullptr) == nullptr);
    CheckLastError(SLHC_ERR_DATA, "magic");
    BOOST_CHECK(slhc_psbt_parse({nullptr, 3}, nullptr) == nullptr);
    CheckLastError(SLHC_ERR_ARGUMENT, "psbt.data");
    slhc_psbt_destroy(nullptr);

    const auto psbt{Parse(Vector("updated"))};
    size_t n{0};
    slhc_bytes bytes;
    slhc_psbt_finding finding SLHC_PSBT_FINDING_INIT;
    for (const int result : {slhc_psbt_serialize(nullptr, &bytes), slhc_psbt_serialize(psbt.get(), nullptr), slhc_psbt_check(nullptr, &n),
                             slhc_psbt_check(psbt.get(), nullptr), slhc_psbt_drop_invalid(nullptr, &n),
                             slhc_psbt_drop_invalid(psbt.get(), nullptr), slhc_psbt_combine(nullptr, psbt.get()),
                             slhc_psbt_combine(psbt.get(), nullptr), slhc_psbt_finalize(nullptr, &n),
                             slhc_psbt_finalize(psbt.get(), nullptr), slhc_psbt_get_finding(nullptr, 0, &finding),
                             slhc_psbt_check_lock_times(nullptr, 0, {nullptr, 0}, nullptr)}) {
        BOOST_CHECK_EQUAL(result, SLHC_ERROR);
    }
    BOOST_CHECK_EQUAL(slhc_psbt_get_finding(psbt.get(), 0, &finding), SLHC_ERROR);
    CheckLastError(SLHC_ERR_ARGUMENT, "index 0: there are 0 findings");

    // Another transaction
    const Bytes other{*DecodeBase64(test::ReadJson("psbt_slhdsa.json").at(1).at("updated").get<std::string>())};
    BOOST_CHECK_EQUAL(slhc_psbt_combine(psbt.get(), Parse(other).get()), SLHC_ERROR);
    CheckLastError(SLHC_ERR_DATA, "PSBT 1");
    BOOST_CHECK(Serialize(psbt) == Vector("updated"));
}

BOOST_AUTO_TEST_SUITE_END()
