// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/checker.h>

#include <script/check_origin.h>
#include <test/script_util.h>

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

using namespace slhc;
using namespace slhc::test;

BOOST_AUTO_TEST_SUITE(checker_tests)

namespace {

/** Two inputs, of which tests use the second, and one output: SINGLE has nothing to sign there. */
CTransaction Transaction(uint32_t version, uint32_t sequence, uint32_t lock_time)
{
    CMutableTransaction tx;
    tx.vin.resize(2);
    tx.vin[0].nSequence = 0x1234; // another one's
    tx.vin[1].nSequence = sequence;
    tx.vout.emplace_back(1, CScript{});
    tx.version = version;
    tx.nLockTime = lock_time;
    return CTransaction{std::move(tx)};
}

constexpr unsigned INPUT{1};

/** Takes every signature for valid, and records it. */
struct Recorder final : SignatureSink {
    std::optional<std::pair<Bytes, uint256>> asked{};
    std::optional<slhdsa::SignatureCheck> check{};

    bool PutECDSA(std::span<const uint8_t> sig, const CPubKey&, const uint256& sighash) override
    {
        asked = {{sig.begin(), sig.end()}, sighash};
        return true;
    }
    bool PutSchnorr(std::span<const uint8_t, 64> sig, const XOnlyPubKey&, const uint256& sighash) override
    {
        asked = {{sig.begin(), sig.end()}, sighash};
        return true;
    }
    SLHDSACheckResult PutSLHDSA(slhdsa::SignatureCheck&& given) override
    {
        check.emplace(std::move(given));
        return SLHDSACheckResult::VALID;
    }
};

bool LockTimeIsReached(int64_t wanted, uint32_t lock_time, uint32_t sequence)
{
    const CTransaction tx{Transaction(2, sequence, lock_time)};
    Recorder sink;
    return TransactionSignatureChecker{tx, INPUT, 0, nullptr, sink}.CheckLockTime(CScriptNum{wanted});
}

bool SequenceIsReached(int64_t wanted, uint32_t version, uint32_t sequence)
{
    const CTransaction tx{Transaction(version, sequence, 0)};
    Recorder sink;
    return TransactionSignatureChecker{tx, INPUT, 0, nullptr, sink}.CheckSequence(CScriptNum{wanted});
}

ScriptExecutionData LeafData()
{
    ScriptExecutionData data;
    data.m_tapleaf_hash = uint256{uint8_t{9}};
    data.m_annex_init = true;
    data.m_opcode = OP_CHECKSIGADDSLHDSA;
    data.m_opcode_pos = 17;
    return data;
}

/** True if this can be a 65th or 7857th byte. DEFAULT is left out instead, and SINGLE has no output here. */
bool MayBeAppended(int hash_type)
{
    const int outputs{hash_type & ~SIGHASH_ANYONECANPAY};
    return outputs == SIGHASH_ALL || outputs == SIGHASH_NONE;
}

std::vector<CTxOut> SpentOutputs() { return {{3, CScript{}}, {4, CScript{}}}; }

} // namespace

/** BIP 65 */
BOOST_AUTO_TEST_CASE(lock_times)
{
    constexpr uint32_t THRESHOLD{500'000'000};
    const std::vector<uint32_t> times{0, 1, 1000, THRESHOLD - 1, THRESHOLD, THRESHOLD + 1, 0x7fffffff, 0x80000000, 0xffffffff};
    std::vector<int64_t> all_wanted(times.begin(), times.end());
    all_wanted.insert(all_wanted.end(), {0x100000000, 0x7fffffffff});
    for (const int64_t wanted : all_wanted) {
        for (const uint32_t actual : times) {
            const bool same_kind{(wanted >= THRESHOLD) == (actual >= THRESHOLD)};
            for (const uint32_t sequence : {0U, 1U, 0x80000000U, 0xfffffffeU, 0xffffffffU}) {
                BOOST_CHECK_EQUAL(LockTimeIsReached(wanted, actual, sequence), same_kind && wanted <= actual && sequence != 0xffffffff);
            }
        }
    }
}

/** BIP 112, with BIP 68's meaning of the bits: the type in bit 22, the value in the lower 16, the others have none. */
BOOST_AUTO_TEST_CASE(sequences)
{
    std::vector<uint32_t> numbers;
    for (const uint32_t value : {0U, 1U, 2U, 0x7fffU, 0x8000U, 0xfffeU, 0xffffU}) {
        for (const uint32_t bits : {0U, 1U << 16, 1U << 21, 1U << 22, 1U << 23, 1U << 22 | 1U << 23, 1U << 30, 1U << 31, 0xffff0000U}) {
            numbers.push_back(value | bits);
        }
    }
    for (const uint32_t wanted : numbers) {
        for (const uint32_t actual : numbers) {
            const bool same_kind{(wanted >> 22 & 1) == (actual >> 22 & 1)}, opts_out{(actual >> 31) != 0};
            const bool reached{same_kind && !opts_out && (wanted & 0xffff) <= (actual & 0xffff)};
            for (const uint32_t version : {0U, 1U, 2U, 3U, 0xffffffffU}) {
                BOOST_CHECK_EQUAL(SequenceIsReached(wanted, version, actual), reached && version >= 2);
            }
        }
    }
    BOOST_CHECK(SequenceIsReached(0x100000001, 2, 1)); // bits above the 32 of a sequence mean nothing either
    BOOST_CHECK(!SequenceIsReached(0x100000002, 2, 1));
}

BOOST_AUTO_TEST_CASE(ecdsa_signatures)
{
    const CTransaction tx{Transaction(2, 0, 0)};
    const Bytes key(CPubKey::COMPRESSED_SIZE, 0x02);
    const Bytes sig{0x30, 0x31, SIGHASH_ALL};
    const auto asks{[&](CAmount amount, SigVersion version, const Bytes& with_key, const Bytes& with_sig) {
        Recorder recorder;
        const TransactionSignatureChecker checker{tx, INPUT, amount, nullptr, recorder};
        const bool result{checker.CheckECDSASignature(with_sig, with_key, CScript{}, version)};
        BOOST_CHECK_EQUAL(result, recorder.asked.has_value());
        if (result) {
            const uint256 sighash{SignatureHash(CScript{}, tx, INPUT, with_sig.back(), amount, version)};
            BOOST_CHECK(recorder.asked->first == Bytes(with_sig.begin(), with_sig.end() - 1));
            BOOST_CHECK(recorder.asked->second == sighash);
        }
        return result;
    }};
    for (const SigVersion version : {SigVersion::BASE, SigVersion::WITNESS_V0}) {
        BOOST_CHECK(asks(0, version, key, sig));
        BOOST_CHECK(asks(1, version, key, sig));
        BOOST_CHECK(asks(0, version, key, {SIGHASH_ALL}));
        BOOST_CHECK(!asks(0, version, key, {}));
        BOOST_CHECK(!asks(0, version, {}, sig));
        BOOST_CHECK(!asks(0, version, Bytes(CPubKey::COMPRESSED_SIZE, 0x05), sig));
        // An unknown amount, which only version 0 signs.
        for (const CAmount unknown : {CAmount{-1}, CAmount{-2}, INT64_MIN}) {
            BOOST_CHECK_EQUAL(asks(unknown, version, key, sig), version == SigVersion::BASE);
        }
    }
}

BOOST_AUTO_TEST_CASE(schnorr_signatures)
{
    const CTransaction tx{Transaction(2, 0, 0)};
    const PrecomputedTransactionData txdata{tx, SpentOutputs(), true};
    const Bytes key(XOnlyPubKey::SIZE, 0x01);
    const auto error{[&](Recorder& recorder, const Bytes& sig, SigVersion version, const PrecomputedTransactionData* with) {
        ScriptExecutionData data{LeafData()};
        ScriptError why{SCRIPT_ERR_OK};
        const TransactionSignatureChecker checker{tx, INPUT, 4, with, recorder};
        const bool valid{checker.CheckSchnorrSignature(sig, key, version, data, why)};
        BOOST_CHECK_EQUAL(valid, why == SCRIPT_ERR_OK);
        BOOST_CHECK_EQUAL(valid, recorder.asked.has_value());
        return why;
    }};
    for (const SigVersion version : {SigVersion::TAPROOT, SigVersion::TAPSCRIPT}) {
        for (size_t size{0}; size <= 130; ++size) {
            Recorder recorder;
            BOOST_CHECK_EQUAL(error(recorder, Bytes(size, SIGHASH_ALL), version, &txdata),
                              size == 64 || size == 65 ? SCRIPT_ERR_OK : SCRIPT_ERR_SCHNORR_SIG_SIZE);
        }
        for (int hash_type{0}; hash_type < 0x100; ++hash_type) {
            Bytes sig(64, 0x77);
            sig.push_back(static_cast<uint8_t>(hash_type));
            Recorder recorder;
            BOOST_CHECK_EQUAL(error(recorder, sig, version, &txdata),
                              MayBeAppended(hash_type) ? SCRIPT_ERR_OK : SCRIPT_ERR_SCHNORR_SIG_HASHTYPE);
            if (!recorder.asked) continue;
            ScriptExecutionData data{LeafData()};
            BOOST_CHECK(recorder.asked->first == Bytes(64, 0x77));
            BOOST_CHECK(recorder.asked->second ==
                        *SignatureHashSchnorr(data, tx, INPUT, static_cast<uint8_t>(hash_type), version, txdata));
        }
        Recorder recorder;
        BOOST_CHECK_EQUAL(error(recorder, Bytes(64), version, nullptr), SCRIPT_ERR_UNKNOWN_ERROR);
    }
}

BOOST_AUTO_TEST_CASE(slhdsa_signatures)
{
    const CTransaction tx{Transaction(2, 0, 0)};
    const PrecomputedTransactionData txdata{tx, SpentOutputs(), true};
    constexpr uint64_t TAG{0x123456789a};
    slhdsa::PublicKey key;
    key.fill(0x31);
    const auto error{[&](Recorder& recorder, Bytes sig, const PrecomputedTransactionData* with, uint64_t tag,
                         slhdsa::ParameterSet set = slhdsa::ParameterSet::SHA2_128S) {
        ScriptExecutionData data{LeafData()};
        ScriptError why{SCRIPT_ERR_OK};
        const TransactionSignatureChecker checker{tx, INPUT, 4, with, recorder, tag};
        const SLHDSACheckResult result{checker.CheckSLHDSASignature(std::move(sig), {set, key}, data, why)};
        BOOST_CHECK(result == (why == SCRIPT_ERR_OK ? SLHDSACheckResult::VALID : SLHDSACheckResult::INVALID));
        BOOST_CHECK_EQUAL(recorder.check.has_value(), why == SCRIPT_ERR_OK);
        return why;
    }};
    for (const size_t size : {1, 64, 7855, 7856, 7857, 7858, 8000, 15712}) {
        Recorder recorder;
        BOOST_CHECK_EQUAL(error(recorder, Bytes(size, SIGHASH_ALL), &txdata, TAG),
                          size == 7856 || size == 7857 ? SCRIPT_ERR_OK : SCRIPT_ERR_SLHDSA_SIG_SIZE);
    }
    for (int hash_type{0}; hash_type < 0x100; ++hash_type) {
        Bytes sig(slhdsa::SIGNATURE_SIZE, 0x77);
        sig.push_back(static_cast<uint8_t>(hash_type));
        Recorder recorder;
        BOOST_CHECK_EQUAL(error(recorder, sig, &txdata, TAG), MayBeAppended(hash_type) ? SCRIPT_ERR_OK : SCRIPT_ERR_SLHDSA_SIG_HASHTYPE);
        if (!recorder.check) continue;
        const slhdsa::SignatureCheck& check{*recorder.check};
        ScriptExecutionData data{LeafData()};
        const auto sighash{SignatureHashSchnorr(data, tx, INPUT, static_cast<uint8_t>(hash_type), SigVersion::TAPSCRIPT, txdata,
                                                KeyVersion::SLHDSA)};
        BOOST_CHECK(check.message == sighash->Bytes());
        BOOST_CHECK(check.public_key == key);
        BOOST_CHECK(check.signature == Bytes(slhdsa::SIGNATURE_SIZE, 0x77));
        const CheckOrigin origin{CheckOrigin::FromTicket(check.ticket)};
        BOOST_CHECK_EQUAL(origin.tag, TAG);
        BOOST_CHECK_EQUAL(origin.input, INPUT);
        BOOST_CHECK_EQUAL(origin.opcode_pos, 17U);
        BOOST_CHECK_EQUAL(origin.opcode, uint8_t{OP_CHECKSIGADDSLHDSA});
    }
    Recorder recorder;
    BOOST_CHECK_EQUAL(error(recorder, Bytes(slhdsa::SIGNATURE_SIZE), nullptr, TAG), SCRIPT_ERR_UNKNOWN_ERROR);
}

/** A ticket carries its origin, and is ordered as eager verification meets the opcodes. */
BOOST_AUTO_TEST_CASE(origins_on_tickets)
{
    constexpr uint32_t MAX{0xffffffff};
    const std::vector<CheckOrigin> ascending{
        {.tag = 0, .input = 0, .opcode_pos = 0, .opcode = OP_CHECKSIGSLHDSA},
        {.tag = 0, .input = 0, .opcode_pos = MAX, .opcode = OP_CHECKSIGSLHDSA},
        {.tag = 0, .input = 1, .opcode_pos = 0, .opcode = OP_CHECKSIGADDSLHDSA},
        {.tag = 0, .input = MAX, .opcode_pos = 3, .opcode = OP_CHECKSIGSLHDSA},
        {.tag = 1, .input = 0, .opcode_pos = 2, .opcode = OP_CHECKSIGADDSLHDSA},
        {.tag = UINT64_MAX, .input = 0, .opcode_pos = 1, .opcode = OP_CHECKSIGSLHDSA},
    };
    for (size_t i{0}; i < ascending.size(); ++i) {
        const CheckOrigin& origin{ascending[i]};
        const CheckOrigin back{CheckOrigin::FromTicket(origin.ToTicket())};
        BOOST_CHECK_EQUAL(back.tag, origin.tag);
        BOOST_CHECK_EQUAL(back.input, origin.input);
        BOOST_CHECK_EQUAL(back.opcode_pos, origin.opcode_pos);
        BOOST_CHECK_EQUAL(back.opcode, origin.opcode);
        if (i > 0) BOOST_CHECK(ascending[i - 1].ToTicket() < origin.ToTicket());
    }
}

BOOST_AUTO_TEST_CASE(without_a_transaction_nothing_is_valid)
{
    const BaseSignatureChecker checker;
    ScriptExecutionData data{LeafData()};
    ScriptError error{SCRIPT_ERR_OK};
    const Bytes key(XOnlyPubKey::SIZE, 0x01);
    BOOST_CHECK(!checker.CheckECDSASignature(Bytes{SIGHASH_ALL}, key, CScript{}, SigVersion::BASE));
    BOOST_CHECK(!checker.CheckSchnorrSignature(Bytes(64), key, SigVersion::TAPSCRIPT, data, error));
    const auto slhdsa_result{checker.CheckSLHDSASignature(
        Bytes(slhdsa::SIGNATURE_SIZE), {slhdsa::ParameterSet::SHA2_128S, slhdsa::PublicKey{}}, data, error)};
    BOOST_CHECK(slhdsa_result == SLHDSACheckResult::INVALID);
    BOOST_CHECK(!checker.CheckLockTime(CScriptNum{0}));
    BOOST_CHECK(!checker.CheckSequence(CScriptNum{0}));
}

BOOST_AUTO_TEST_SUITE_END()
