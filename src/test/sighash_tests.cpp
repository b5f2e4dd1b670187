// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/sighash.h>

#include <primitives/serialize.h>
#include <primitives/transaction.h>

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <utility>
#include <vector>

using namespace slhc;

BOOST_AUTO_TEST_SUITE(sighash_tests)

namespace {

constexpr CAmount AMOUNT{123456789};

/** More inputs than outputs. Every field has a value of its own. */
CMutableTransaction Transaction()
{
    CMutableTransaction tx;
    for (uint8_t i{0}; i < 4; ++i) {
        CTxIn& in{tx.vin.emplace_back()};
        in.prevout.hash = uint256{static_cast<uint8_t>(0x10 + i)};
        in.prevout.n = 0x20U + i;
        in.nSequence = 0x30U + i;
        in.scriptWitness.stack = {{i}};
    }
    for (uint8_t i{0}; i < 2; ++i) tx.vout.emplace_back(0x40 + i, CScript{} << OP_1 << std::vector<uint8_t>{i});
    tx.nLockTime = 0x50;
    return tx;
}

const CScript SCRIPT_CODE{CScript{} << OP_DUP << OP_CODESEPARATOR << OP_DROP};

bool IsAnyoneCanPay(int32_t hash_type) { return (hash_type & 0x80) != 0; }
bool IsNone(int32_t hash_type) { return (hash_type & 0x1f) == 2; }
bool IsSingle(int32_t hash_type) { return (hash_type & 0x1f) == 3; }

template <typename F>
uint256 DoubleHash(const F& write)
{
    HashWriter writer;
    write(writer);
    return writer.GetHash();
}

/** BIP 143, "Specification". */
uint256 Bip143(const CMutableTransaction& tx, unsigned n_in, int32_t hash_type)
{
    uint256 prevouts, sequences, outputs;
    if (!IsAnyoneCanPay(hash_type)) {
        prevouts = DoubleHash([&](HashWriter& w) { for (const CTxIn& in : tx.vin) Serialize(w, in.prevout); });
        if (!IsNone(hash_type) && !IsSingle(hash_type)) {
            sequences = DoubleHash([&](HashWriter& w) { for (const CTxIn& in : tx.vin) WriteU32(w, in.nSequence); });
        }
    }
    if (IsSingle(hash_type)) {
        if (n_in < tx.vout.size()) outputs = DoubleHash([&](HashWriter& w) { Serialize(w, tx.vout[n_in]); });
    } else if (!IsNone(hash_type)) {
        outputs = DoubleHash([&](HashWriter& w) { for (const CTxOut& out : tx.vout) Serialize(w, out); });
    }
    return DoubleHash([&](HashWriter& w) {
        WriteU32(w, tx.version);
        w.write(prevouts.Bytes());
        w.write(sequences.Bytes());
        Serialize(w, tx.vin[n_in].prevout);
        WriteVarBytes(w, SCRIPT_CODE);
        WriteU64(w, AMOUNT);
        WriteU32(w, tx.vin[n_in].nSequence);
        w.write(outputs.Bytes());
        WriteU32(w, tx.nLockTime);
        WriteU32(w, static_cast<uint32_t>(hash_type));
    });
}

uint256 WitnessV0(const CMutableTransaction& tx, unsigned n_in, int32_t hash_type, const PrecomputedTransactionData* data,
                  SigHashCache* cache = nullptr)
{
    return SignatureHash(SCRIPT_CODE, tx, n_in, hash_type, AMOUNT, SigVersion::WITNESS_V0, data, cache);
}

} // namespace

BOOST_AUTO_TEST_CASE(version_0_is_bip143)
{
    const CMutableTransaction tx{Transaction()};
    const PrecomputedTransactionData ready{tx};
    BOOST_CHECK(ready.m_bip143_segwit_ready);
    const PrecomputedTransactionData not_ready;
    for (unsigned n_in{0}; n_in < tx.vin.size(); ++n_in) {
        SigHashCache cache;
        for (int32_t hash_type{0}; hash_type < 0x100; ++hash_type) {
            const uint256 expected{Bip143(tx, n_in, hash_type)};
            BOOST_CHECK(WitnessV0(tx, n_in, hash_type, nullptr) == expected);
            BOOST_CHECK(WitnessV0(tx, n_in, hash_type, &not_ready) == expected);
            BOOST_CHECK(WitnessV0(tx, n_in, hash_type, &ready) == expected);
            BOOST_CHECK(WitnessV0(tx, n_in, hash_type, &ready, &cache) == expected);
        }
    }
}

/** Precomputed hashes are used, once they are there and if the hash type needs them. */
BOOST_AUTO_TEST_CASE(what_is_computed_beforehand_is_used)
{
    const CMutableTransaction tx{Transaction()};
    const auto differs{[&](uint256 PrecomputedTransactionData::*member, int32_t hash_type) {
        PrecomputedTransactionData data{tx};
        data.*member = uint256{uint8_t{0x99}};
        return WitnessV0(tx, 0, hash_type, &data) != Bip143(tx, 0, hash_type);
    }};
    using Data = PrecomputedTransactionData;
    for (const int32_t hash_type : {1, 2, 3, 0x81, 0x82, 0x83}) {
        BOOST_CHECK_EQUAL(differs(&Data::hashPrevouts, hash_type), hash_type < 0x80);
        BOOST_CHECK_EQUAL(differs(&Data::hashSequence, hash_type), hash_type == 1);
        BOOST_CHECK_EQUAL(differs(&Data::hashOutputs, hash_type), (hash_type & 0x7f) == 1);
    }
}

/** Of hashes over the whole transaction, those that an input may need, and no others. */
BOOST_AUTO_TEST_CASE(hashes_of_the_transaction_are_computed_on_demand)
{
    const CScript v0{CScript{} << OP_0 << std::vector<uint8_t>(20, 1)};
    const CScript p2tr{CScript{} << OP_1 << std::vector<uint8_t>(32, 1)};
    const CScript p2mr{CScript{} << OP_2 << std::vector<uint8_t>(32, 1)};
    const auto check{[](const std::vector<CScript>& spent, const std::vector<bool>& witnesses, bool bip143, bool bip341,
                        bool force = false) {
        CMutableTransaction tx;
        std::vector<CTxOut> outputs;
        for (const bool has_witness : witnesses) {
            tx.vin.emplace_back(COutPoint{uint256{}, static_cast<uint32_t>(tx.vin.size())}, CScript{});
            if (has_witness) tx.vin.back().scriptWitness.stack = {{1}};
        }
        for (const CScript& script : spent) outputs.emplace_back(1, script);
        tx.vout.emplace_back(CAmount{1}, CScript{} << OP_TRUE);
        const CTransaction final_tx{tx};
        const PrecomputedTransactionData txdata{final_tx, std::move(outputs), force};
        BOOST_CHECK_EQUAL(txdata.m_bip143_segwit_ready, bip143);
        BOOST_CHECK_EQUAL(txdata.m_bip341_taproot_ready, bip341);
        BOOST_CHECK_EQUAL(txdata.m_spent_outputs_ready, !spent.empty());
        const uint256 zero;
        BOOST_CHECK_EQUAL(txdata.hashPrevouts != zero, bip143);
        BOOST_CHECK_EQUAL(txdata.m_spent_scripts_single_hash != zero, bip341);
        BOOST_CHECK_EQUAL(txdata.m_prevouts_single_hash != zero, bip143 || bip341);
        // Nothing is signed without them.
        for (const SigVersion sigversion : {SigVersion::TAPROOT, SigVersion::TAPSCRIPT}) {
            ScriptExecutionData execdata;
            execdata.m_annex_init = true;
            execdata.m_tapleaf_hash = zero;
            BOOST_CHECK_EQUAL(SignatureHashSchnorr(execdata, final_tx, 0, SIGHASH_ALL, sigversion, txdata).has_value(), bip341);
        }
    }};
    for (const CScript& taproot : {p2tr, p2mr}) {
        check({taproot}, {true}, false, true);
        check({taproot}, {false}, false, false);
        check({v0, taproot}, {true, true}, true, true);
        check({taproot, v0}, {true, true}, true, true);
        check({v0, taproot}, {true, false}, true, false);
        check({v0, taproot}, {false, true}, false, true);
        check({taproot, taproot, v0}, {true, true, true}, true, true);
    }
    check({v0}, {true}, true, false);
    check({v0}, {false}, false, false);
    check({v0}, {false}, true, true, /*force=*/true);
    // Without the outputs, taproot's cannot be computed.
    check({}, {true}, true, false);
    check({}, {false}, true, false, /*force=*/true);
}

/** The original algorithm then signs the number one; taproot's refuses. */
BOOST_AUTO_TEST_CASE(a_single_output_that_is_not_there)
{
    const CMutableTransaction tx{Transaction()};
    const PrecomputedTransactionData data{tx, std::vector<CTxOut>(tx.vin.size(), CTxOut{1, CScript{} << OP_2}), true};
    for (unsigned n_in{0}; n_in < tx.vin.size(); ++n_in) {
        const bool is_there{n_in < tx.vout.size()};
        for (int32_t hash_type{0}; hash_type < 0x100; ++hash_type) {
            const uint256 hash{SignatureHash(SCRIPT_CODE, tx, n_in, hash_type, AMOUNT, SigVersion::BASE)};
            BOOST_CHECK_EQUAL(hash == uint256{uint8_t{1}}, IsSingle(hash_type) && !is_there);
        }
        for (const uint8_t hash_type : {3, 0x83}) {
            for (const SigVersion version : {SigVersion::TAPROOT, SigVersion::TAPSCRIPT}) {
                ScriptExecutionData execdata;
                execdata.m_annex_init = true;
                execdata.m_tapleaf_hash = uint256{};
                BOOST_CHECK_EQUAL(SignatureHashSchnorr(execdata, tx, n_in, hash_type, version, data).has_value(), is_there);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(midstates_are_kept)
{
    const CMutableTransaction tx{Transaction()};
    const CScript other_script{CScript{} << OP_1};
    const auto same_message{[](int32_t a, int32_t b) {
        return IsAnyoneCanPay(a) == IsAnyoneCanPay(b) && IsNone(a) == IsNone(b) && IsSingle(a) == IsSingle(b);
    }};
    for (const SigVersion version : {SigVersion::BASE, SigVersion::WITNESS_V0}) {
        for (int32_t stored{0}; stored < 0x100; ++stored) {
            SigHashCache cache;
            BOOST_CHECK(!cache.Load(stored, SCRIPT_CODE));
            const uint256 hash{SignatureHash(SCRIPT_CODE, tx, 0, stored, AMOUNT, version, nullptr, &cache)};
            BOOST_CHECK(hash == SignatureHash(SCRIPT_CODE, tx, 0, stored, AMOUNT, version));
            BOOST_CHECK(!cache.Load(stored, other_script));
            for (int32_t loaded{0}; loaded < 0x100; ++loaded) {
                BOOST_CHECK_EQUAL(cache.Load(loaded, SCRIPT_CODE).has_value(), same_message(stored, loaded));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(a_script_starts_at_its_first_opcode)
{
    const ScriptExecutionData data;
    BOOST_CHECK_EQUAL(data.m_opcode_pos, 0U);
    BOOST_CHECK_EQUAL(data.m_codeseparator_pos, 0xffffffffU);
    BOOST_CHECK(data.m_opcode == OP_INVALIDOPCODE);
}

BOOST_AUTO_TEST_SUITE_END()
