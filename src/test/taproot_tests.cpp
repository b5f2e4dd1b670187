// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Outputs of BIP 341, clause by clause. The comparison with Bitcoin Core covers more; this fails within a second.

#include <script/interpreter.h>
#include <script/pubkey.h>
#include <script/script_check.h>
#include <test/tap_fixture.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

using namespace slhc;
using namespace slhc::test;

namespace {

constexpr size_t NODE{TAPROOT_CONTROL_NODE_SIZE};
constexpr size_t KEY_END{1 + XOnlyPubKey::SIZE}; //!< of a control block's internal key

/** A spend that is valid, of a leaf that wants one true element. */
TapSpend ValidSpend()
{
    TapSpend spend;
    spend.output = Output::P2TR;
    spend.stack = {{1}};
    return spend;
}

/** One input that spends an output by its key alone. */
struct KeySpend {
    Bytes output_key{SchnorrPublicKey()};
    std::vector<Bytes> stack;
    std::optional<Bytes> annex;

    [[nodiscard]] CScript ScriptPubKey() const { return CScript{} << OP_1 << output_key; }
    [[nodiscard]] CTransaction Tx() const
    {
        CMutableTransaction tx;
        tx.vin.emplace_back(COutPoint{uint256{}, 0}, CScript{}, CTxIn::SEQUENCE_FINAL);
        tx.vin[0].scriptWitness.stack = stack;
        if (annex) tx.vin[0].scriptWitness.stack.push_back(*annex);
        tx.vout.emplace_back(CAmount{1}, CScript{} << OP_TRUE);
        return CTransaction{std::move(tx)};
    }
    /** A signature without a hash type. */
    [[nodiscard]] Bytes Sign(uint8_t hash_type = SIGHASH_DEFAULT) const
    {
        const CTransaction tx{Tx()};
        const PrecomputedTransactionData txdata{tx, {CTxOut{2, ScriptPubKey()}}, /*force=*/true};
        ScriptExecutionData execdata{AnnexData(annex)};
        return SignSchnorr(SignatureHashSchnorr(execdata, tx, 0, hash_type, SigVersion::TAPROOT, txdata).value());
    }
    [[nodiscard]] ScriptError Run(script_verify_flags flags = CONSENSUS) const
    {
        const CTransaction tx{Tx()};
        const PrecomputedTransactionData txdata{tx, {CTxOut{2, ScriptPubKey()}}};
        VerifyingSink sink{PortableVerifier()};
        ScriptError error;
        const bool valid{VerifyScript({}, ScriptPubKey(), &tx.vin[0].scriptWitness, flags,
                                      TransactionSignatureChecker{tx, 0, 2, &txdata, sink}, error)};
        BOOST_CHECK_EQUAL(valid, error == SCRIPT_ERR_OK);
        return error;
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(taproot_tests)

BOOST_AUTO_TEST_CASE(key_path)
{
    KeySpend spend;
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_WITNESS_PROGRAM_WITNESS_EMPTY);
    const Bytes right{spend.Sign()};
    spend.stack = {right};
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
    for (const size_t i : {0, 31, 32, 63}) {
        spend.stack = {right};
        spend.stack[0][i] ^= 1;
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_SCHNORR_SIG);
        BOOST_CHECK_EQUAL(spend.Run(CONSENSUS & ~SCRIPT_VERIFY_TAPROOT), SCRIPT_ERR_OK);
    }
    for (const size_t size : {0, 1, 63, 66}) {
        spend.stack = {Bytes(size, 1)};
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_SCHNORR_SIG_SIZE);
    }
    // An element below the signature makes it a script path.
    spend.stack = {{1}, right};
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_TAPROOT_WRONG_CONTROL_SIZE);
    // Keys that no point has
    spend.output_key = Bytes(XOnlyPubKey::SIZE, 0xff);
    spend.stack = {spend.Sign()};
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_SCHNORR_SIG);
}

BOOST_AUTO_TEST_CASE(key_path_hash_types)
{
    KeySpend spend;
    for (const int hash_type : {0x01, 0x02, 0x03, 0x81, 0x82, 0x83}) {
        const auto type{static_cast<uint8_t>(hash_type)};
        spend.stack = {WithHashType(spend.Sign(type), type)};
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
        spend.stack[0].back() = type == SIGHASH_ALL ? SIGHASH_NONE : SIGHASH_ALL;
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_SCHNORR_SIG);
    }
    spend.stack = {WithHashType(spend.Sign(), SIGHASH_DEFAULT)}; // is left out instead
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_SCHNORR_SIG_HASHTYPE);
    for (const int hash_type : {0x04, 0x80, 0x84, 0xff}) {
        spend.stack = {WithHashType(spend.Sign(), static_cast<uint8_t>(hash_type))};
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_SCHNORR_SIG_HASHTYPE);
    }
}

BOOST_AUTO_TEST_CASE(annex)
{
    KeySpend spend;
    spend.annex = Bytes{ANNEX_TAG, 1};
    spend.stack = {spend.Sign()};
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
    spend.annex = Bytes{ANNEX_TAG, 2};
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_SCHNORR_SIG);
    spend.annex.reset();
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_SCHNORR_SIG);
    // Alone, it is a signature.
    spend.stack = {{ANNEX_TAG, 1}};
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_SCHNORR_SIG_SIZE);
    // It is no element of the script's stack.
    TapSpend leaf{ValidSpend()};
    leaf.annex = Bytes{ANNEX_TAG};
    BOOST_CHECK_EQUAL(leaf.Run(), SCRIPT_ERR_OK);
}

BOOST_AUTO_TEST_CASE(a_control_block_has_33_plus_32m_bytes)
{
    for (const size_t m : {0, 1, 127, 128}) {
        TapSpend spend{ValidSpend()};
        spend.path_length = m;
        BOOST_CHECK_EQUAL(spend.ControlBlock().size(), KEY_END + NODE * m);
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
        spend.stack = {{}};
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_EVAL_FALSE);
    }
    TapSpend too_deep{ValidSpend()};
    too_deep.path_length = 129;
    BOOST_CHECK_EQUAL(too_deep.Run(), SCRIPT_ERR_TAPROOT_WRONG_CONTROL_SIZE);

    TapSpend spend{ValidSpend()};
    for (const size_t size : {0, 1, 32, 34, 64, 66, 4128, 4130}) {
        spend.control = Bytes(size, 0xc1);
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_TAPROOT_WRONG_CONTROL_SIZE);
    }
    for (const size_t size : {33, 65, 4129}) { // sizes are right, keys are not
        spend.control = Bytes(size, 0xc1);
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
    }
}

BOOST_AUTO_TEST_CASE(the_output_key_commits_to_everything)
{
    TapSpend spend{ValidSpend()};
    const Bytes right{spend.ControlBlock()};
    const auto run_with_control{[&](const Bytes& control) {
        spend.control = control;
        return spend.Run();
    }};
    BOOST_CHECK_EQUAL(run_with_control(right), SCRIPT_ERR_OK);
    for (const size_t i : {size_t{0}, size_t{1}, KEY_END - 1, KEY_END, right.size() - 1}) { // parity, internal key, path
        Bytes wrong{right};
        wrong[i] ^= 1;
        BOOST_CHECK_EQUAL(run_with_control(wrong), SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
    }
    Bytes other_version{right};
    other_version[0] ^= 2;
    BOOST_CHECK_EQUAL(run_with_control(other_version), SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
    Bytes no_point{right};
    std::fill(no_point.begin() + 1, no_point.begin() + KEY_END, uint8_t{0xff});
    BOOST_CHECK_EQUAL(run_with_control(no_point), SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);

    spend.control.reset();
    spend.shown_leaf = CScript{} << OP_TRUE << OP_DROP;
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
}

/** BIP 342: OP_CHECKSIGADD counts signatures that are not empty. */
BOOST_AUTO_TEST_CASE(checksigadd_counts)
{
    for (const opcodetype threshold : {OP_0, OP_1, OP_2, OP_3}) {
        TapSpend spend;
        spend.output = Output::P2TR;
        spend.leaf = CScript{} << SchnorrPublicKey() << OP_CHECKSIG << SchnorrPublicKey() << OP_CHECKSIGADD << threshold << OP_NUMEQUAL;
        const Bytes right{SignSchnorr(spend.Message(SIGHASH_DEFAULT, KeyVersion::BIP340))};
        for (const auto& [stack, count] : std::vector<std::pair<std::vector<Bytes>, opcodetype>>{
                 {{{}, {}}, OP_0}, {{right, {}}, OP_1}, {{{}, right}, OP_1}, {{right, right}, OP_2}}) {
            spend.stack = stack;
            BOOST_CHECK_EQUAL(spend.Run(CONSENSUS, Verify::PLAIN), count == threshold ? SCRIPT_ERR_OK : SCRIPT_ERR_EVAL_FALSE);
        }
    }
}

/** Empty, it makes a check fail; anything else that is not valid makes the script fail. */
BOOST_AUTO_TEST_CASE(an_invalid_signature_fails_the_script)
{
    const Bytes key{SchnorrPublicKey()};
    for (const Output output : BOTH_OUTPUTS) {
        for (const CScript& leaf : {CScript{} << key << OP_CHECKSIG << OP_DROP << OP_1, CScript{} << key << OP_CHECKSIGVERIFY << OP_1,
                                    CScript{} << OP_1 << key << OP_CHECKSIGADD}) {
            TapSpend spend;
            spend.output = output;
            spend.leaf = leaf;
            const Bytes right{SignSchnorr(spend.Message(SIGHASH_DEFAULT, KeyVersion::BIP340))};
            spend.stack = {right};
            BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
            spend.stack[0][40] ^= 1;
            BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_SCHNORR_SIG);
            spend.stack = {WithHashType(right, SIGHASH_DEFAULT)};
            BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_SCHNORR_SIG_HASHTYPE);
            spend.stack = {Bytes(63, 1)};
            BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_SCHNORR_SIG_SIZE);
        }
    }
}

BOOST_AUTO_TEST_CASE(other_leaf_versions_succeed)
{
    for (const int version : {0xc2, 0x66, 0xfe}) {
        TapSpend spend{ValidSpend()};
        spend.leaf = CScript{} << OP_RETURN;
        spend.leaf_version = static_cast<uint8_t>(version);
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
        BOOST_CHECK_EQUAL(spend.Run(CONSENSUS | SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION),
                          SCRIPT_ERR_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION);
    }
}

/** Of hashes over the whole transaction, those that an input may need, and no others. */
BOOST_AUTO_TEST_CASE(hashes_of_the_transaction_are_computed_on_demand)
{
    const CScript v0{CScript{} << OP_0 << Bytes(20, 1)};
    const CScript p2tr{CScript{} << OP_1 << Bytes(32, 1)};
    const CScript p2mr{CScript{} << OP_2 << Bytes(32, 1)};
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
            ScriptExecutionData execdata{AnnexData({})};
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

BOOST_AUTO_TEST_CASE(only_a_native_program_of_32_bytes)
{
    const auto verify{[](const CScript& script_pub_key, script_verify_flags flags, const CScript& script_sig) {
        const CScriptWitness witness{{Bytes(64, 1)}};
        ScriptError error;
        (void)VerifyScript(script_sig, script_pub_key, &witness, flags, BaseSignatureChecker{}, error);
        return error;
    }};
    const auto discouraged{CONSENSUS | SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM};
    for (const size_t size : {2, 20, 31, 33, 40}) {
        const CScript program{CScript{} << OP_1 << Bytes(size, 1)};
        BOOST_CHECK_EQUAL(verify(program, CONSENSUS, {}), SCRIPT_ERR_OK);
        BOOST_CHECK_EQUAL(verify(program, discouraged, {}), SCRIPT_ERR_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM);
    }
    const CScript native{CScript{} << OP_1 << Bytes(32, 1)};
    BOOST_CHECK_NE(verify(native, CONSENSUS, {}), SCRIPT_ERR_OK);
    const CScript script_sig{CScript{} << Bytes(native.begin(), native.end())};
    const CScript p2sh{CScript{} << OP_HASH160 << Hash160(native) << OP_EQUAL};
    BOOST_CHECK_EQUAL(verify(p2sh, CONSENSUS, script_sig), SCRIPT_ERR_OK);
    BOOST_CHECK_EQUAL(verify(p2sh, discouraged, script_sig), SCRIPT_ERR_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM);
    // P2A (BIP 433) is standard
    BOOST_CHECK_EQUAL(verify(CScript{} << OP_1 << Bytes{0x4e, 0x73}, discouraged, {}), SCRIPT_ERR_OK);
    for (const Bytes& other : {Bytes{0x4f, 0x73}, Bytes{0x4e, 0x72}}) {
        BOOST_CHECK_EQUAL(verify(CScript{} << OP_1 << other, discouraged, {}), SCRIPT_ERR_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM);
    }
}

BOOST_AUTO_TEST_SUITE_END()
