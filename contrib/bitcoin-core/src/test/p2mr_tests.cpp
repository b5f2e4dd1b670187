// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <consensus/amount.h>
#include <core_io.h>
#include <hash.h>
#include <key.h>
#include <primitives/transaction.h>
#include <pubkey.h>
#include <script/interpreter.h>
#include <script/script.h>
#include <script/script_error.h>
#include <script/sigcache.h>
#include <serialize.h>
#include <slhdsa/check.h>
#include <slhdsa/config.h>
#include <slhdsa/pubkey.h>
#include <test/util/common.h>
#include <test/util/setup_common.h>
#include <uint256.h>

#ifdef ENABLE_SLHDSA
#include <slhdsa.h>
#endif

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// For BOOST_CHECK_EQUAL
static std::ostream& boost_test_print_type(std::ostream& stream, ScriptError error)
{
    return stream << int{error} << " (" << ScriptErrorString(error) << ")";
}

namespace {
using valtype = std::vector<unsigned char>;
using Stack = std::vector<valtype>;

constexpr script_verify_flags CONSENSUS{SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_CHECKLOCKTIMEVERIFY | SCRIPT_VERIFY_CHECKSEQUENCEVERIFY |
                                        SCRIPT_VERIFY_WITNESS | SCRIPT_VERIFY_TAPROOT | SCRIPT_VERIFY_P2MR | SCRIPT_VERIFY_SLHDSA};

constexpr size_t SIG_SIZE{SLHDSAPubKey::SIGNATURE_SIZE};

const valtype KEY(32, 0xab);      //!< an SLH-DSA public key
const valtype VALID(SIG_SIZE, 1); //!< what MockChecker takes for a valid signature
const valtype INVALID(SIG_SIZE, 2);
const Stack TOO_MANY{[] { Stack stack(1001); stack[500] = valtype(8000); return stack; }()}; //!< elements, and one that is too large
const valtype ONE{1};
const valtype TWO{2};
const valtype THREE{3};

valtype WithHashType(valtype sig, uint8_t hash_type)
{
    sig.push_back(hash_type);
    return sig;
}

//! <key> OP_CHECKSIGSLHDSA
CScript CheckSig(const valtype& key = KEY)
{
    return CScript() << key << OP_CHECKSIGSLHDSA;
}

//! A check that reached VerifySLHDSASignature().
struct Verified {
    SLHDSAPubKey pubkey;
    uint256 sighash;
    size_t size;
    uint32_t opcode_pos;
};

/** Takes SLH-DSA signatures for valid that begin with 1, and notes what is to be verified. */
class MockChecker : public TransactionSignatureChecker
{
    std::vector<Verified>* m_verified;

public:
    MockChecker(const CTransaction& tx, unsigned int in, const PrecomputedTransactionData& txdata, std::vector<Verified>* verified)
        : TransactionSignatureChecker{&tx, in, txdata.m_spent_outputs.at(in).nValue, txdata, MissingDataBehavior::ASSERT_FAIL}, m_verified{verified} {}

    bool VerifySLHDSASignature(std::vector<unsigned char>&& sig, const SLHDSAPubKey& pubkey, const uint256& sighash, uint32_t opcode_pos) const override
    {
        if (m_verified) m_verified->push_back({pubkey, sighash, sig.size(), opcode_pos});
        return sig.at(0) == 1;
    }
};

/** The spend of a leaf, in a transaction with more inputs and outputs. */
struct Spend {
    Stack stack{}; //!< initial stack
    CScript script{};
    std::vector<uint256> path{uint256{0x77}};
    std::optional<valtype> annex{};
    uint8_t leaf_version{TAPROOT_LEAF_TAPSCRIPT};
    bool p2tr{false};
    script_verify_flags flags{CONSENSUS};
    unsigned int in{1};
    size_t n_outputs{2};

    //! Instead of what follows from the fields above:
    std::optional<valtype> control_block{};
    std::optional<CScript> spk{};
    std::optional<Stack> witness{};
    CScript script_sig{};

    uint256 LeafHash() const { return ComputeTapleafHash(leaf_version, script); }

    uint256 Root() const
    {
        uint256 k{LeafHash()};
        for (const uint256& node : path) {
            // As BIP 341 has it, not as the code under test
            const auto [a, b] = std::minmax(k, node, [](const uint256& x, const uint256& y) { return std::ranges::lexicographical_compare(x, y); });
            k = (HashWriter{TaggedHash("TapBranch")} << a << b).GetSHA256();
        }
        return k;
    }

    CScript ScriptPubKey() const
    {
        if (spk) return *spk;
        const uint256 root{Root()};
        if (!p2tr) return CScript() << OP_2 << valtype{root.begin(), root.end()};
        const XOnlyPubKey key{XOnlyPubKey::NUMS_H.CreateTapTweak(&root)->first};
        return CScript() << OP_1 << valtype{key.begin(), key.end()};
    }

    valtype ControlBlock() const
    {
        if (control_block) return *control_block;
        valtype control;
        if (p2tr) {
            const uint256 root{Root()};
            control.push_back(leaf_version | (XOnlyPubKey::NUMS_H.CreateTapTweak(&root)->second ? 1 : 0));
            control.insert(control.end(), XOnlyPubKey::NUMS_H.begin(), XOnlyPubKey::NUMS_H.end());
        } else {
            control.push_back(leaf_version | 1);
        }
        for (const uint256& node : path) control.insert(control.end(), node.begin(), node.end());
        return control;
    }

    Stack Witness() const
    {
        if (witness) return *witness;
        Stack result{stack};
        result.emplace_back(script.begin(), script.end());
        result.push_back(ControlBlock());
        if (annex) result.push_back(*annex);
        return result;
    }

    std::vector<CTxOut> SpentOutputs() const
    {
        std::vector<CTxOut> spent{{5 * COIN, CScript() << OP_TRUE}, {6 * COIN, CScript() << OP_TRUE}, {7 * COIN, CScript() << OP_TRUE}};
        spent.at(in).scriptPubKey = ScriptPubKey();
        return spent;
    }

    CMutableTransaction Tx() const
    {
        CMutableTransaction tx;
        tx.version = 2;
        tx.nLockTime = 1000;
        for (uint32_t i = 0; i < 3; ++i) tx.vin.emplace_back(Txid::FromUint256(uint256{static_cast<uint8_t>(i + 1)}), i, CScript(), 10 + i);
        for (size_t i = 0; i < n_outputs; ++i) tx.vout.emplace_back(COIN, CScript() << OP_TRUE << static_cast<int64_t>(i));
        tx.vin.at(in).scriptSig = script_sig;
        tx.vin.at(in).scriptWitness.stack = Witness();
        return tx;
    }

    ScriptError Run(std::vector<Verified>* verified = nullptr) const
    {
        const CTransaction tx{Tx()};
        PrecomputedTransactionData txdata;
        txdata.Init(tx, SpentOutputs());
        return Verify(tx, MockChecker{tx, in, txdata, verified});
    }

    ScriptError Verify(const CTransaction& tx, const BaseSignatureChecker& checker) const
    {
        ScriptError error;
        const bool valid{VerifyScript(tx.vin.at(in).scriptSig, ScriptPubKey(), &tx.vin.at(in).scriptWitness, flags, checker, &error)};
        BOOST_CHECK_EQUAL(valid, error == SCRIPT_ERR_OK);
        return error;
    }
};

/** Run a spend in a P2MR and in a P2TR output, which must agree. */
ScriptError Run(Spend spend)
{
    const ScriptError p2mr{spend.Run()};
    spend.p2tr = true;
    BOOST_CHECK_EQUAL(spend.Run(), p2mr);
    return p2mr;
}

ScriptError Run(const CScript& script, Stack stack, script_verify_flags flags = CONSENSUS)
{
    return Run(Spend{.stack = std::move(stack), .script = script, .flags = flags});
}
} // namespace

BOOST_FIXTURE_TEST_SUITE(p2mr_tests, BasicTestingSetup)

BOOST_AUTO_TEST_CASE(p2mr_witness)
{
    const CScript script{CScript() << OP_TRUE};
    BOOST_CHECK_EQUAL(Spend{.script = script}.Run(), SCRIPT_ERR_OK);

    // Number of elements
    Spend spend{.script = script};
    const valtype leaf(script.begin(), script.end());
    const valtype control{spend.ControlBlock()};
    for (const Stack& witness : std::vector<Stack>{{}, {control}, {{}}, {{ANNEX_TAG}}, {control, {ANNEX_TAG}}, {leaf, {ANNEX_TAG, 1, 2}}}) {
        spend.witness = witness;
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_WITNESS_PROGRAM_WITNESS_EMPTY);
    }

    // Annex: it is dropped, and the initial stack is below script and control block
    spend.witness = {leaf, control, {ANNEX_TAG}};
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
    spend.witness = {leaf, control, {ANNEX_TAG}, {ANNEX_TAG}}; // only one is
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
    spend.witness = {leaf, control, {}}; // an empty element is never an annex
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_TAPROOT_WRONG_CONTROL_SIZE);
    spend.witness = {leaf, control, {0x51}};
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
    spend.witness = {{1}, leaf, control};
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_CLEANSTACK);

    // Outer script
    spend.witness.reset();
    spend.script_sig << OP_TRUE;
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_WITNESS_MALLEATED);
    spend.script_sig.clear();
    valtype program(32, 0);
    spend.spk = CScript() << OP_2 << program;
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_EVAL_FALSE);
    program.back() = 0x80; // p2mr-outer
    spend.spk = CScript() << OP_2 << program;
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_EVAL_FALSE);
    program.back() = 0x81;
    spend.spk = CScript() << OP_2 << program;
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
}

BOOST_AUTO_TEST_CASE(p2mr_control_block)
{
    Spend spend{.script = CScript() << OP_TRUE};
    for (const size_t size : {0, 2, 31, 32, 34, 64, 66, 1 + 32 * 128 - 1, 1 + 32 * 128 + 1, 1 + 32 * 129}) {
        spend.control_block = valtype(size, 0xc1);
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_TAPROOT_WRONG_CONTROL_SIZE);
    }
    // Sizes that are right, with a wrong root
    for (const size_t size : {1, 33, 65, 1 + 32 * 128}) {
        spend.control_block = valtype(size, 0xc1);
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
    }
    spend.control_block.reset();

    // The path, with nodes below and above the hashes that they are combined with
    for (const size_t depth : {1, 2, 3, 127, 128}) {
        spend.path.clear();
        for (size_t i = 0; i < depth; ++i) spend.path.emplace_back(i % 2 ? uint256{static_cast<uint8_t>(i)} : (HashWriter{} << i).GetSHA256());
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
        Spend changed{spend};
        changed.spk = spend.ScriptPubKey();
        changed.path.back() = uint256{0x78};
        BOOST_CHECK_EQUAL(changed.Run(), SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
    }
    std::vector<uint256> path{uint256{1}, uint256{2}};
    spend.path = path;
    spend.spk = spend.ScriptPubKey();
    std::ranges::reverse(spend.path);
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
    spend.path = path;
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
    spend.script << OP_NOP;
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);

    // The lowest bit of the first byte is 1. The others, the leaf version, are part of the leaf hash.
    Spend even{.script = CScript() << OP_TRUE};
    even.control_block = even.ControlBlock();
    even.control_block->at(0) = 0xc0;
    BOOST_CHECK_EQUAL(even.Run(), SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
    even.control_block->at(0) = 0xc3;
    BOOST_CHECK_EQUAL(even.Run(), SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
    even.control_block->at(0) = 0xc1;
    BOOST_CHECK_EQUAL(even.Run(), SCRIPT_ERR_OK);
}

BOOST_AUTO_TEST_CASE(p2mr_leaf_version)
{
    // Other versions succeed, whatever the script and the stack are. Only 0xc0 executes.
    for (int version = 0; version < 0x100; version += 2) {
        Spend spend{.stack = TOO_MANY, .script = CheckSig() << OP_RETURN, .leaf_version = static_cast<uint8_t>(version)};
        const bool tapscript{version == 0xc0};
        if (version == ANNEX_TAG) spend.annex = valtype{ANNEX_TAG}; // else the control block would be one
        BOOST_CHECK_EQUAL(spend.Run(), tapscript ? SCRIPT_ERR_STACK_SIZE : SCRIPT_ERR_OK);
        spend.flags |= SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION;
        BOOST_CHECK_EQUAL(spend.Run(), tapscript ? SCRIPT_ERR_STACK_SIZE : SCRIPT_ERR_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION);
    }
}

BOOST_AUTO_TEST_CASE(p2mr_depth_zero)
{
    for (const uint8_t version : {0xc0, 0xc2, 0x00}) {
        Spend spend{.stack = TOO_MANY, .script = CScript() << OP_RETURN, .path = {}, .leaf_version = version};
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
        spend.flags |= SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION;
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
        spend.flags |= SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM;
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM);
        // The leaf is committed to nevertheless
        spend.spk = spend.ScriptPubKey();
        spend.script << OP_NOP;
        BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
    }
}

BOOST_AUTO_TEST_CASE(p2mr_unknown_programs)
{
    // Programs of another size, wrapped in P2SH, or without the flag, are unknown ones, and succeed with any witness.
    std::vector<Spend> spends;
    for (const size_t size : {2, 20, 31, 33, 40}) spends.push_back({.spk = CScript() << OP_2 << valtype(size, 1)});
    const CScript redeem{CScript() << OP_2 << valtype(32, 1)};
    spends.push_back({.spk = CScript() << OP_HASH160 << ToByteVector(CScriptID{redeem}) << OP_EQUAL,
                      .script_sig = CScript() << valtype(redeem.begin(), redeem.end())});
    for (const opcodetype version : {OP_3, OP_16}) spends.push_back({.spk = CScript() << version << valtype(32, 1)});
    spends.push_back({.flags = CONSENSUS & ~SCRIPT_VERIFY_P2MR, .spk = redeem});
    for (Spend& spend : spends) {
        for (const Stack& witness : std::vector<Stack>{{}, {{1}}, {{1}, {2}}, TOO_MANY}) {
            spend.witness = witness;
            BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
            Spend discouraged{spend};
            discouraged.flags |= SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM;
            BOOST_CHECK_EQUAL(discouraged.Run(), SCRIPT_ERR_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM);
        }
    }

    // Either flag without the other
    Spend spend{.stack = {VALID}, .script = CheckSig()};
    spend.flags = CONSENSUS & ~SCRIPT_VERIFY_SLHDSA;
    BOOST_CHECK_EQUAL(Run(spend), SCRIPT_ERR_OK); // OP_SUCCESS127
    spend.flags |= SCRIPT_VERIFY_DISCOURAGE_OP_SUCCESS;
    BOOST_CHECK_EQUAL(Run(spend), SCRIPT_ERR_DISCOURAGE_OP_SUCCESS);
    spend.flags = CONSENSUS & ~SCRIPT_VERIFY_P2MR;
    spend.stack = {INVALID};
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
    spend.p2tr = true;
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_SLHDSA_SIG);
}

BOOST_AUTO_TEST_CASE(scan)
{
    // Each opcode by itself, before and after an opcode for SLH-DSA signatures and an instruction that cannot be decoded
    for (int op = 0; op < 256; ++op) {
        const bool success{op == 80 || op == 98 || op == 126 || op == 129 || (op >= 131 && op <= 134) || op == 137 || op == 138 ||
                           op == 141 || op == 142 || (op >= 149 && op <= 153) || (op >= 187 && op <= 254)};
        const bool former{op == 127 || op == 128};
        if (op >= 1 && op <= 78) continue; // pushes
        CScript script;
        script.push_back(op);
        const auto run{[&](const CScript& s, script_verify_flags flags) { return Run(s, TOO_MANY, flags); }};
        const ScriptError otherwise{SCRIPT_ERR_STACK_SIZE};
        BOOST_CHECK_EQUAL(run(script, CONSENSUS), success ? SCRIPT_ERR_OK : otherwise);
        BOOST_CHECK_EQUAL(run(script, CONSENSUS & ~SCRIPT_VERIFY_SLHDSA), success || former ? SCRIPT_ERR_OK : otherwise);
        BOOST_CHECK_EQUAL(run(script, CONSENSUS | SCRIPT_VERIFY_DISCOURAGE_OP_SUCCESS), success ? SCRIPT_ERR_DISCOURAGE_OP_SUCCESS : otherwise);
        if (!success) continue;
        for (const opcodetype slhdsa : {OP_CHECKSIGSLHDSA, OP_CHECKSIGADDSLHDSA}) {
            CScript after{CScript() << slhdsa};
            after.push_back(op);
            after.push_back(OP_PUSHDATA4);
            BOOST_CHECK_EQUAL(run(after, CONSENSUS), SCRIPT_ERR_OK);
            CScript before{script};
            before << slhdsa;
            before.push_back(OP_PUSHDATA1);
            BOOST_CHECK_EQUAL(run(before, CONSENSUS), SCRIPT_ERR_OK);
        }
    }
    // Undecodable instructions come first, even before the limits and after one of the opcodes
    for (const CScript& start : {CScript(), CheckSig(), CScript() << OP_CHECKSIGADDSLHDSA}) {
        for (const valtype& rest : std::vector<valtype>{{1}, {75, 0}, {OP_PUSHDATA1}, {OP_PUSHDATA1, 2, OP_RESERVED}, {OP_PUSHDATA2, 1}, {OP_PUSHDATA4, 1, 0, 0, 0}}) {
            CScript script{start};
            script.insert(script.end(), rest.begin(), rest.end());
            BOOST_CHECK_EQUAL(Run(script, TOO_MANY), SCRIPT_ERR_BAD_OPCODE);
        }
    }
    // OP_SUCCESSx in pushed data does not count
    BOOST_CHECK_EQUAL(Run(CScript() << valtype{80, 98, 254} << OP_DROP << OP_RETURN, {}), SCRIPT_ERR_OP_RETURN);
}

BOOST_AUTO_TEST_CASE(limits)
{
    // Scripts that drop one element, and whether elements may be large in them
    const std::vector<std::pair<CScript, bool>> scripts{
        {CScript() << OP_DROP << OP_1, false},
        {CScript() << OP_DROP << OP_1 << OP_0 << OP_IF << OP_CHECKSIGSLHDSA << OP_ENDIF, true},
        {CScript() << OP_DROP << OP_1 << OP_0 << OP_IF << OP_CHECKSIGADDSLHDSA << OP_ENDIF, true},
        {CScript() << OP_DROP << OP_1 << OP_CHECKSIGSLHDSA << OP_RETURN, true},
        {CScript() << OP_DROP << valtype{OP_CHECKSIGSLHDSA, OP_CHECKSIGADDSLHDSA}, false}, // pushed data
        {CScript() << OP_DROP << valtype(80, OP_CHECKSIGSLHDSA), false},
        {CScript() << OP_DROP << valtype(300, OP_CHECKSIGADDSLHDSA), false},
    };
    for (const auto& [script, lifts] : scripts) {
        const ScriptError small{Run(script, {{}})}; // what it gives without a limit
        for (const size_t size : {520, 521, 7855, 7856, 7857, 7858, 8000}) {
            const ScriptError error{Run(script, {valtype(size)})};
            BOOST_CHECK_EQUAL(error, size <= 520 || (lifts && size <= 7857) ? small : SCRIPT_ERR_PUSH_SIZE);
            // Every element counts, wherever it is
            BOOST_CHECK_EQUAL(Run(CScript(script) << OP_RETURN, {{}, valtype(size), {}}) == SCRIPT_ERR_PUSH_SIZE, error == SCRIPT_ERR_PUSH_SIZE);
            BOOST_CHECK_EQUAL(Run(CScript(script) << OP_RETURN, {valtype(size), {}, {}}) == SCRIPT_ERR_PUSH_SIZE, error == SCRIPT_ERR_PUSH_SIZE);
            // Without the opcodes, the limit is that of today (with them in the script, it would be OP_SUCCESSx)
            if (!lifts) BOOST_CHECK_EQUAL(Run(script, {valtype(size)}, CONSENSUS & ~SCRIPT_VERIFY_SLHDSA), error);
        }
        // The number of elements comes before their sizes
        BOOST_CHECK_EQUAL(Run(script, TOO_MANY), SCRIPT_ERR_STACK_SIZE);
        BOOST_CHECK_EQUAL(Run(script, Stack{TOO_MANY.begin(), TOO_MANY.begin() + 1000}), SCRIPT_ERR_PUSH_SIZE);
    }

    // Pushes have 520 bytes at most, even in branches that are not executed
    for (const bool executed : {false, true}) {
        const auto script{[&](size_t size) {
            return CScript() << (executed ? OP_1 : OP_0) << OP_IF << valtype(size, 1) << OP_DROP << OP_ENDIF << OP_CHECKSIGSLHDSA;
        }};
        BOOST_CHECK_EQUAL(Run(script(520), {VALID, {1}}), SCRIPT_ERR_OK);
        BOOST_CHECK_EQUAL(Run(script(521), {VALID, {1}}), SCRIPT_ERR_PUSH_SIZE);
        BOOST_CHECK_EQUAL(Run(CScript() << OP_RETURN << valtype(521, 1) << OP_CHECKSIGSLHDSA, {}), SCRIPT_ERR_OP_RETURN); // when it is reached
    }

    // 1000 elements at any time, the alternative stack included
    BOOST_CHECK_EQUAL(Run(CScript() << OP_TOALTSTACK << OP_1 << OP_RETURN << OP_CHECKSIGSLHDSA, Stack(999)), SCRIPT_ERR_OP_RETURN);
    BOOST_CHECK_EQUAL(Run(CScript() << OP_TOALTSTACK << OP_1 << OP_1 << OP_RETURN << OP_CHECKSIGSLHDSA, Stack(999)), SCRIPT_ERR_STACK_SIZE);
    BOOST_CHECK_EQUAL(Run(CScript() << KEY << OP_CHECKSIGSLHDSA, Stack(1000)), SCRIPT_ERR_STACK_SIZE);
}

BOOST_AUTO_TEST_CASE(opcodes)
{
    for (const bool add : {false, true}) {
        // sig [num] <key> OPCODE: the number is 5 where the test does not give one
        const auto script{[&](const valtype& key) {
            return CScript() << key << (add ? OP_CHECKSIGADDSLHDSA : OP_CHECKSIGSLHDSA) << (add ? valtype{6} : valtype{1}) << OP_EQUAL;
        }};
        const auto stack{[&](const valtype& sig) { return add ? Stack{sig, {5}} : Stack{sig}; }};
        const auto run{[&](const valtype& sig, const valtype& key, script_verify_flags flags = CONSENSUS) { return Run(script(key), stack(sig), flags); }};

        BOOST_CHECK_EQUAL(run(VALID, KEY), SCRIPT_ERR_OK);
        for (const uint8_t hash_type : {0x01, 0x02, 0x03, 0x81, 0x82, 0x83}) BOOST_CHECK_EQUAL(run(WithHashType(VALID, hash_type), KEY), SCRIPT_ERR_OK);

        // depth: with large elements too
        const opcodetype opcode{add ? OP_CHECKSIGADDSLHDSA : OP_CHECKSIGSLHDSA};
        for (size_t n = 0; n < (add ? 3 : 2); ++n) BOOST_CHECK_EQUAL(Run(CScript() << opcode, Stack(n, VALID)), SCRIPT_ERR_INVALID_STACK_OPERATION);

        // key-large: before the budget and everything about the signature
        BOOST_CHECK_EQUAL(Run(CScript() << opcode, add ? Stack{{}, {}, valtype(521)} : Stack{{}, valtype(521)}), SCRIPT_ERR_PUSH_SIZE);
        BOOST_CHECK_EQUAL(Run(CScript() << opcode, add ? Stack{{1}, {}, valtype(7857)} : Stack{{1}, valtype(7857)}), SCRIPT_ERR_PUSH_SIZE);
        BOOST_CHECK_EQUAL(Run(CScript() << opcode << OP_DROP << OP_1, add ? Stack{{1}, {}, valtype(520)} : Stack{{1}, valtype(520)}), SCRIPT_ERR_OK);

        // key-empty, whatever the signature is
        for (const valtype& sig : {valtype{}, valtype{1}, VALID, INVALID, valtype(7857)}) BOOST_CHECK_EQUAL(run(sig, {}), SCRIPT_ERR_TAPSCRIPT_EMPTY_PUBKEY);

        // key-unknown: only whether the signature is empty matters; discouraged with an empty one too
        for (const size_t size : {1, 31, 33, 64, 520}) {
            for (const valtype& sig : {valtype{1}, valtype(64), VALID, INVALID, valtype(7857), valtype(7000)}) {
                BOOST_CHECK_EQUAL(run(sig, valtype(size, 3)), SCRIPT_ERR_OK);
            }
            BOOST_CHECK_EQUAL(run({}, valtype(size, 3)), SCRIPT_ERR_EVAL_FALSE);
            for (const valtype& sig : {valtype{}, valtype{1}}) {
                BOOST_CHECK_EQUAL(run(sig, valtype(size, 3), CONSENSUS | SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_PUBKEYTYPE), SCRIPT_ERR_DISCOURAGE_UPGRADABLE_PUBKEYTYPE);
            }
        }
        BOOST_CHECK_EQUAL(run(VALID, KEY, CONSENSUS | SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_PUBKEYTYPE), SCRIPT_ERR_OK);

        // sig-empty: the exact results, without a verification
        std::vector<Verified> verified;
        Spend empty{.stack = stack({}), .script = CScript() << KEY << opcode << (add ? valtype{5} : valtype{}) << OP_EQUAL};
        BOOST_CHECK_EQUAL(empty.Run(&verified), SCRIPT_ERR_OK);
        BOOST_CHECK(verified.empty());

        // sig-size
        for (const size_t size : {1, 64, 65, 520, 521, 7855}) BOOST_CHECK_EQUAL(run(valtype(size, 1), KEY), SCRIPT_ERR_SLHDSA_SIG_SIZE);
        BOOST_CHECK_EQUAL(run(valtype(7858, 1), KEY), SCRIPT_ERR_PUSH_SIZE); // the limit for elements

        // hashtype: before the verification
        for (int hash_type = 0; hash_type < 256; ++hash_type) {
            const bool defined{(hash_type >= 1 && hash_type <= 3) || (hash_type >= 0x81 && hash_type <= 0x83)};
            BOOST_CHECK_EQUAL(run(WithHashType(INVALID, hash_type), KEY), defined ? SCRIPT_ERR_SLHDSA_SIG : SCRIPT_ERR_SLHDSA_SIG_HASHTYPE);
        }
        for (const uint8_t hash_type : {1, 2, 3, 0x81, 0x82, 0x83}) {
            for (const size_t n_outputs : {0, 1, 2}) {
                Spend spend{.stack = stack(WithHashType(VALID, hash_type)), .script = script(KEY), .in = 1, .n_outputs = n_outputs};
                BOOST_CHECK_EQUAL(Run(spend), (hash_type & 3) == 3 && n_outputs < 2 ? SCRIPT_ERR_SLHDSA_SIG_HASHTYPE : SCRIPT_ERR_OK);
            }
        }

        // verify: what reaches it, and that failing it fails the script
        verified.clear();
        Spend spend{.stack = stack(WithHashType(VALID, 1)), .script = CScript() << OP_NOP << OP_0 << OP_IF << valtype{7, 7} << OP_ENDIF << KEY << opcode << OP_0NOTEQUAL};
        BOOST_CHECK_EQUAL(spend.Run(&verified), SCRIPT_ERR_OK);
        BOOST_REQUIRE_EQUAL(verified.size(), 1U);
        BOOST_CHECK(verified[0].pubkey == SLHDSAPubKey{KEY});
        BOOST_CHECK_EQUAL(verified[0].size, SIG_SIZE); // without hash type
        BOOST_CHECK_EQUAL(verified[0].opcode_pos, 6U);
        BOOST_CHECK_EQUAL(run(INVALID, KEY), SCRIPT_ERR_SLHDSA_SIG);
        BOOST_CHECK_EQUAL(Run(script(KEY) << OP_NOT, stack(INVALID)), SCRIPT_ERR_SLHDSA_SIG);

        // unexecuted: nothing happens, and a signature may stay where it is
        BOOST_CHECK_EQUAL(Run(CScript() << OP_0 << OP_IF << KEY << opcode << OP_ELSE << OP_DROP << OP_1 << OP_ENDIF, {INVALID}), SCRIPT_ERR_OK);
    }

    // num: like that of OP_CHECKSIGADD, and before the key is looked at
    const CScript add{CScript() << OP_CHECKSIGADDSLHDSA << OP_DROP << OP_1};
    for (const auto& [num, error] : std::vector<std::pair<valtype, ScriptError>>{
             {valtype(4, 0x7f), SCRIPT_ERR_OK}, {valtype{0}, SCRIPT_ERR_OK}, {valtype(5), SCRIPT_ERR_SCRIPTNUM}, {valtype(520), SCRIPT_ERR_SCRIPTNUM}, {valtype(521), SCRIPT_ERR_PUSH_SIZE}, {VALID, SCRIPT_ERR_PUSH_SIZE}}) {
        BOOST_CHECK_EQUAL(Run(add, {VALID, num, KEY}), error);
        if (error == SCRIPT_ERR_OK) continue;
        for (const valtype& key : {valtype{}, valtype(33), valtype(521)}) BOOST_CHECK_EQUAL(Run(add, {INVALID, num, key}), error);
    }
    BOOST_CHECK_EQUAL(Run(add, {VALID, {0}, KEY}, CONSENSUS | SCRIPT_VERIFY_MINIMALDATA), SCRIPT_ERR_SCRIPTNUM);
    BOOST_CHECK_EQUAL(Run(add, {VALID, {5, 0}, valtype(521)}, CONSENSUS | SCRIPT_VERIFY_MINIMALDATA), SCRIPT_ERR_SCRIPTNUM);
    for (const auto& [num, sum] : std::vector<std::pair<valtype, valtype>>{
             {{}, {1}}, {{0x81}, {}}, {{0x80}, {1}}, {{0xff}, {0x80 + 126}}, {{127}, {128, 0}}, {{0xff, 0xff, 0xff, 0x7f}, {0, 0, 0, 0x80, 0}}, {{5, 0}, {6}}}) {
        BOOST_CHECK_EQUAL(Run(CScript() << KEY << OP_CHECKSIGADDSLHDSA << sum << OP_EQUAL, {VALID, num}), SCRIPT_ERR_OK);
    }

    // Both operands are removed, and nothing else
    BOOST_CHECK_EQUAL(Run(CheckSig() << OP_VERIFY << valtype{9} << OP_EQUAL, {{9}, VALID}), SCRIPT_ERR_OK);
    BOOST_CHECK_EQUAL(Run(CScript() << KEY << OP_CHECKSIGADDSLHDSA << OP_2 << OP_EQUALVERIFY << valtype{9} << OP_EQUAL, {{9}, VALID, {1}}), SCRIPT_ERR_OK);
    // Two of three
    const CScript threshold{CScript() << KEY << OP_CHECKSIGSLHDSA << KEY << OP_CHECKSIGADDSLHDSA << KEY << OP_CHECKSIGADDSLHDSA << OP_2 << OP_NUMEQUAL};
    BOOST_CHECK_EQUAL(Run(threshold, {VALID, {}, WithHashType(VALID, 1)}), SCRIPT_ERR_OK);
    BOOST_CHECK_EQUAL(Run(threshold, {{}, {}, VALID}), SCRIPT_ERR_EVAL_FALSE);
    BOOST_CHECK_EQUAL(Run(threshold, {VALID, INVALID, VALID}), SCRIPT_ERR_SLHDSA_SIG);
}

BOOST_AUTO_TEST_CASE(other_sets)
{
    // A key of 33 bytes: the number of a set, and its key
    const auto key_of{[](unsigned char set, unsigned char byte = 0xab) {
        valtype key(33, byte);
        key[0] = set;
        return key;
    }};
    constexpr script_verify_flags SETS{CONSENSUS | SCRIPT_VERIFY_SLHDSA_SETS}, DISCOURAGED{SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_PUBKEYTYPE};
    for (const auto& [set, size] : {std::pair{24, 3856}, std::pair{40, 5776}}) {
        const valtype key{key_of(set)}, valid(size, 1), invalid(size, 2);
        for (const bool add : {false, true}) {
            const auto run{[&](const valtype& sig, script_verify_flags flags) {
                return Run(CScript() << key << (add ? OP_CHECKSIGADDSLHDSA : OP_CHECKSIGSLHDSA) << (add ? valtype{6} : valtype{1}) << OP_EQUAL, add ? Stack{sig, {5}} : Stack{sig}, flags);
            }};
            BOOST_CHECK_EQUAL(run(valid, SETS | DISCOURAGED), SCRIPT_ERR_OK);
            BOOST_CHECK_EQUAL(run(WithHashType(valid, 0x81), SETS), SCRIPT_ERR_OK);
            BOOST_CHECK_EQUAL(run(invalid, SETS), SCRIPT_ERR_SLHDSA_SIG);
            BOOST_CHECK_EQUAL(run({}, SETS), SCRIPT_ERR_EVAL_FALSE);
            BOOST_CHECK_EQUAL(run(WithHashType(valid, 0), SETS), SCRIPT_ERR_SLHDSA_SIG_HASHTYPE);
            // sets-sig-size: those of the other sets too
            for (const size_t other : {1, 64, size - 1, size + 2, 3856, 3857, 5776, 5777, 7856, 7857}) {
                if (other != size_t(size) && other != size_t(size) + 1) BOOST_CHECK_EQUAL(run(valtype(other, 1), SETS), SCRIPT_ERR_SLHDSA_SIG_SIZE);
            }
            // sets-flag: without it, any signature is as good
            for (const valtype& sig : {valid, invalid, valtype{1}}) {
                BOOST_CHECK_EQUAL(run(sig, CONSENSUS), SCRIPT_ERR_OK);
                BOOST_CHECK_EQUAL(run(sig, CONSENSUS | DISCOURAGED), SCRIPT_ERR_DISCOURAGE_UPGRADABLE_PUBKEYTYPE);
            }
        }

        // sets-message: with a key version of its own
        Spend spend{.stack = {valid}, .script = CheckSig(key), .flags = SETS};
        std::vector<Verified> verified;
        BOOST_CHECK_EQUAL(spend.Run(&verified), SCRIPT_ERR_OK);
        BOOST_REQUIRE_EQUAL(verified.size(), 1U);
        BOOST_CHECK(verified[0].pubkey == SLHDSAPubKey{key});
        BOOST_CHECK_EQUAL(verified[0].pubkey.Set(), set);
        BOOST_CHECK_EQUAL(verified[0].size, size_t(size));
        const CTransaction tx{spend.Tx()};
        PrecomputedTransactionData txdata;
        txdata.Init(tx, spend.SpentOutputs());
        ScriptExecutionData execdata;
        execdata.m_annex_init = execdata.m_tapleaf_hash_init = execdata.m_codeseparator_pos_init = true;
        execdata.m_annex_present = false;
        execdata.m_tapleaf_hash = spend.LeafHash();
        execdata.m_codeseparator_pos = 0xffffffff;
        uint256 sighash;
        BOOST_REQUIRE(SignatureHashSchnorr(sighash, execdata, tx, spend.in, SIGHASH_DEFAULT, SigVersion::TAPSCRIPT, txdata, MissingDataBehavior::FAIL, 3));
        BOOST_CHECK_EQUAL(verified[0].sighash, sighash);

        // BIP 342's opcodes do not know such keys.
        BOOST_CHECK_EQUAL(Run(CScript() << key << OP_CHECKSIG, {ONE}, SETS), SCRIPT_ERR_OK);
    }
    // sets-key: other numbers, 128s's and those of sets with larger signatures among them, and other sizes are of an unknown type
    for (int set = 0; set < 256; ++set) {
        if (set == 24 || set == 40) continue;
        BOOST_CHECK_EQUAL(Run(CheckSig(key_of(set)), {ONE}, SETS), SCRIPT_ERR_OK);
        BOOST_CHECK_EQUAL(Run(CheckSig(key_of(set)), {ONE}, SETS | DISCOURAGED), SCRIPT_ERR_DISCOURAGE_UPGRADABLE_PUBKEYTYPE);
    }
    for (const size_t size : {1, 31, 34}) BOOST_CHECK_EQUAL(Run(CheckSig(valtype(size, 24)), {ONE}, SETS), SCRIPT_ERR_OK);
    // Keys of 32 bytes are what they were.
    BOOST_CHECK_EQUAL(Run(CheckSig(), {VALID}, SETS), SCRIPT_ERR_OK);
    BOOST_CHECK_EQUAL(Run(CheckSig(), {INVALID}, SETS), SCRIPT_ERR_SLHDSA_SIG);
    BOOST_CHECK_EQUAL(Run(CheckSig(), {valtype(3856, 1)}, SETS), SCRIPT_ERR_SLHDSA_SIG_SIZE);
    // Without the opcodes, there is nothing that could take such a key.
    BOOST_CHECK_EQUAL(Run(CheckSig(key_of(24)), {ONE}, SETS & ~SCRIPT_VERIFY_SLHDSA), SCRIPT_ERR_OK);
}

BOOST_AUTO_TEST_CASE(budget)
{
    // Give the witness a size, by the size of the element at the bottom of the stack
    const auto pad{[](Spend& spend, size_t size) {
        BOOST_REQUIRE_LE(GetSerializeSize(spend.Witness()), size);
        while (GetSerializeSize(spend.Witness()) < size) spend.stack[0].push_back(0);
        BOOST_REQUIRE_EQUAL(GetSerializeSize(spend.Witness()), size);
    }};

    // n checks with keys of unknown type. One byte of witness decides.
    for (const bool p2tr : {false, true}) {
        for (const bool annex : {false, true}) {
            for (const size_t n : {20, 21, 100}) {
                Spend spend{.stack = {valtype(300)}, .p2tr = p2tr};
                if (annex) spend.annex = valtype(100, ANNEX_TAG);
                for (size_t i = 0; i < n; ++i) {
                    if (i % 3 == 0) spend.script << OP_1 << OP_1 << OP_CHECKSIGSLHDSA << OP_DROP;
                    if (i % 3 == 1) spend.script << OP_1 << OP_0 << OP_1 << OP_CHECKSIGADDSLHDSA << OP_DROP;
                    if (i % 3 == 2) spend.script << OP_1 << OP_1 << OP_CHECKSIG << OP_DROP; // the same budget
                }
                // Empty signatures cost nothing
                spend.script << OP_0 << OP_1 << OP_CHECKSIGSLHDSA << OP_DROP << OP_0 << OP_0 << OP_1 << OP_CHECKSIGADDSLHDSA << OP_DROP;
                spend.script << OP_DROP << OP_1;
                pad(spend, 50 * n - 50);
                BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
                spend.stack[0].pop_back();
                BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_TAPSCRIPT_VALIDATION_WEIGHT);
            }
        }
    }

    // Errors before it and after it, when it pays for 15 checks and there is a 16th
    for (const bool add : {false, true}) {
        const auto run{[&](const valtype& sig, const valtype& num, const valtype& key, script_verify_flags flags = CONSENSUS) {
            Spend spend{.stack = {{}, sig}, .flags = flags};
            if (add) spend.stack.push_back(num);
            spend.stack.push_back(key);
            for (int i = 0; i < 15; ++i) spend.script << OP_1 << OP_1 << OP_CHECKSIGSLHDSA << OP_DROP;
            spend.script << (add ? OP_CHECKSIGADDSLHDSA : OP_CHECKSIGSLHDSA);
            pad(spend, 15 * 50 - 1);
            return spend.Run();
        }};
        for (const valtype& key : {valtype{}, valtype{1}, KEY}) {
            for (const valtype& sig : {valtype{1}, valtype(64)}) {
                BOOST_CHECK_EQUAL(run(sig, {}, key), SCRIPT_ERR_TAPSCRIPT_VALIDATION_WEIGHT);
                BOOST_CHECK_EQUAL(run(sig, {}, key, CONSENSUS | SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_PUBKEYTYPE), SCRIPT_ERR_DISCOURAGE_UPGRADABLE_PUBKEYTYPE); // an earlier one
            }
            BOOST_CHECK_EQUAL(run({}, {}, key), key.empty() ? SCRIPT_ERR_TAPSCRIPT_EMPTY_PUBKEY : SCRIPT_ERR_CLEANSTACK);
        }
        BOOST_CHECK_EQUAL(run({1}, {}, valtype(521)), SCRIPT_ERR_PUSH_SIZE);
        if (add) BOOST_CHECK_EQUAL(run({1}, valtype(5), KEY), SCRIPT_ERR_SCRIPTNUM);
        if (add) BOOST_CHECK_EQUAL(run({1}, valtype(521), KEY), SCRIPT_ERR_PUSH_SIZE);
    }

    // A key of unknown type is discouraged after the budget is charged
    Stack stack{ONE, THREE};
    ScriptExecutionData execdata;
    execdata.m_validation_weight_left = 49;
    execdata.m_validation_weight_left_init = true;
    ScriptError error;
    BOOST_CHECK(!EvalScript(stack, CScript() << OP_CHECKSIGSLHDSA, CONSENSUS | SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_PUBKEYTYPE, BaseSignatureChecker{}, SigVersion::TAPSCRIPT, execdata, &error));
    BOOST_CHECK_EQUAL(error, SCRIPT_ERR_TAPSCRIPT_VALIDATION_WEIGHT);
}

namespace {
/** One opcode's row in the table of operands. */
struct Operands {
    std::string read;            //!< for each operand, the top of the stack last: 'r' if it is read, '-' if not
    Stack stack{};                 //!< operands with which the opcode succeeds, if the others are what they are
    ScriptError error{SCRIPT_ERR_OK}; //!< what it gives with these
    CScript after{};             //!< executed after it
};

/** All opcodes of tapscript but pushes. */
std::map<int, Operands> OperandTable()
{
    std::map<int, Operands> table;
    for (const int op : {OP_NOP, OP_DEPTH, OP_CODESEPARATOR, OP_NOP1, OP_NOP4, OP_NOP5, OP_NOP6, OP_NOP7, OP_NOP8, OP_NOP9, OP_NOP10, OP_1NEGATE}) table[op] = {"", {}};
    for (int op = OP_1; op <= OP_16; ++op) table[op] = {"", {}};
    for (const int op : {OP_VERIF, OP_VERNOTIF, OP_INVALIDOPCODE}) table[op] = {"", {}, SCRIPT_ERR_BAD_OPCODE};
    table[OP_RETURN] = {"", {}, SCRIPT_ERR_OP_RETURN};
    for (const int op : {OP_CHECKMULTISIG, OP_CHECKMULTISIGVERIFY}) table[op] = {"", {}, SCRIPT_ERR_TAPSCRIPT_CHECKMULTISIG};
    for (const int op : {OP_ELSE, OP_ENDIF}) table[op] = {"", {}, SCRIPT_ERR_UNBALANCED_CONDITIONAL};

    for (const int op : {OP_IF, OP_NOTIF}) table[op] = {"r", {ONE}, SCRIPT_ERR_OK, CScript() << OP_ENDIF};
    table[OP_VERIFY] = {"r", {ONE}};
    for (const int op : {OP_CHECKLOCKTIMEVERIFY, OP_CHECKSEQUENCEVERIFY}) table[op] = {"r", {ONE}};
    table[OP_TOALTSTACK] = {"-", {ONE}, SCRIPT_ERR_OK, CScript() << OP_FROMALTSTACK};
    table[OP_FROMALTSTACK] = {"", {}, SCRIPT_ERR_INVALID_ALTSTACK_OPERATION}; // see OP_TOALTSTACK
    table[OP_2DROP] = {"--", {ONE, TWO}};
    table[OP_2DUP] = {"rr", {ONE, TWO}};
    table[OP_3DUP] = {"rrr", {ONE, TWO, THREE}};
    table[OP_2OVER] = {"rr--", {ONE, TWO, THREE, ONE}};
    table[OP_2ROT] = {"------", {ONE, TWO, THREE, ONE, TWO, THREE}};
    table[OP_2SWAP] = {"----", {ONE, TWO, THREE, ONE}};
    table[OP_IFDUP] = {"r", {ONE}};
    table[OP_DROP] = {"-", {ONE}};
    table[OP_DUP] = {"r", {ONE}};
    table[OP_NIP] = {"--", {ONE, TWO}};
    table[OP_OVER] = {"r-", {ONE, TWO}};
    table[OP_PICK] = {"r--r", {ONE, TWO, THREE, TWO}};
    table[OP_ROLL] = {"---r", {ONE, TWO, THREE, TWO}};
    table[OP_ROT] = {"---", {ONE, TWO, THREE}};
    table[OP_SWAP] = {"--", {ONE, TWO}};
    table[OP_TUCK] = {"-r", {ONE, TWO}};
    table[OP_SIZE] = {"-", {ONE}};
    table[OP_EQUAL] = {"rr", {ONE, ONE}};
    table[OP_EQUALVERIFY] = {"rr", {ONE, ONE}};
    for (const int op : {OP_1ADD, OP_1SUB, OP_NEGATE, OP_ABS, OP_NOT, OP_0NOTEQUAL}) table[op] = {"r", {ONE}};
    for (const int op : {OP_ADD, OP_SUB, OP_BOOLAND, OP_BOOLOR, OP_NUMEQUAL, OP_NUMEQUALVERIFY, OP_NUMNOTEQUAL, OP_LESSTHAN, OP_GREATERTHAN,
                         OP_LESSTHANOREQUAL, OP_GREATERTHANOREQUAL, OP_MIN, OP_MAX}) table[op] = {"rr", {ONE, ONE}};
    table[OP_WITHIN] = {"rrr", {ONE, ONE, TWO}};
    for (const int op : {OP_RIPEMD160, OP_SHA1, OP_SHA256, OP_HASH160, OP_HASH256}) table[op] = {"r", {ONE}};
    for (const int op : {OP_CHECKSIG, OP_CHECKSIGVERIFY}) table[op] = {"rr", {ONE, THREE}}; // a key of unknown type
    table[OP_CHECKSIGADD] = {"rrr", {ONE, TWO, THREE}};
    table[OP_CHECKSIGSLHDSA] = {"-r", {ONE, THREE}};
    table[OP_CHECKSIGADDSLHDSA] = {"-rr", {ONE, TWO, THREE}};
    return table;
}

class LockTimeChecker : public BaseSignatureChecker
{
public:
    bool CheckLockTime(const CScriptNum&) const override { return true; }
    bool CheckSequence(const CScriptNum&) const override { return true; }
};

ScriptError Eval(Stack& stack, const CScript& script, script_verify_flags flags = CONSENSUS)
{
    ScriptError error;
    ScriptExecutionData execdata;
    execdata.m_validation_weight_left = 1000;
    execdata.m_validation_weight_left_init = true;
    EvalScript(stack, script, flags, LockTimeChecker{}, SigVersion::TAPSCRIPT, execdata, &error);
    return error;
}
} // namespace

BOOST_AUTO_TEST_CASE(large_elements)
{
    const std::map<int, Operands> table{OperandTable()};
    for (int op = OP_1NEGATE; op < 256; ++op) {
        if (!table.contains(op)) {
            BOOST_CHECK_MESSAGE(IsOpSuccess(static_cast<opcodetype>(op)) && !IsSLHDSAOpcode(static_cast<opcodetype>(op)), "not in the table: " << op);
            continue;
        }
        const Operands& operands{table.at(op)};
        BOOST_REQUIRE_EQUAL(operands.read.size(), operands.stack.size());
        CScript script;
        script.push_back(op);
        script.insert(script.end(), operands.after.begin(), operands.after.end());
        const std::string name{GetOpName(static_cast<opcodetype>(op))};

        // Without large elements: the result to compare with
        Stack small{operands.stack};
        BOOST_CHECK_MESSAGE(Eval(small, script) == operands.error, name);

        // Below the operands, large elements do not matter
        {
            Stack stack{operands.stack};
            stack.insert(stack.begin(), VALID);
            BOOST_CHECK_MESSAGE(Eval(stack, script) == operands.error, name);
            BOOST_CHECK(stack.front() == VALID);
        }
        // With too few elements, it does not matter what they are
        for (size_t n = 0; n < operands.stack.size(); ++n) {
            if (op == OP_PICK || op == OP_ROLL) continue; // below
            Stack stack(n, VALID);
            BOOST_CHECK_MESSAGE(Eval(stack, script) == SCRIPT_ERR_INVALID_STACK_OPERATION, name);
        }
        // Each operand in turn, at both ends of "large"
        for (size_t i = 0; i < operands.stack.size(); ++i) {
            for (const size_t size : {520, 521, 7857}) {
                Stack stack{operands.stack};
                stack[i] = valtype(size, 0x55);
                const unsigned char* const data{stack[i].data()};
                const ScriptError error{Eval(stack, script)};
                if (operands.read[i] == 'r' && size > 520) {
                    BOOST_CHECK_MESSAGE(error == SCRIPT_ERR_PUSH_SIZE, name << ", operand " << i);
                    continue;
                }
                BOOST_CHECK_MESSAGE(error != SCRIPT_ERR_PUSH_SIZE, name << ", operand " << i);
                if (operands.read[i] == 'r') continue; // its content matters
                BOOST_CHECK_MESSAGE(error == operands.error, name << ", operand " << i);
                // It is where a small element would be, moved and not copied
                Stack marked{operands.stack};
                marked[i] = {0x55, 0x55};
                BOOST_REQUIRE(Eval(marked, script) == operands.error);
                BOOST_REQUIRE_EQUAL(stack.size(), marked.size());
                for (size_t j = 0; j < stack.size(); ++j) {
                    if (marked[j] == valtype{0x55, 0x55}) {
                        BOOST_CHECK_MESSAGE(stack[j].data() == data && stack[j].size() == size, name << ", operand " << i);
                    } else if (op != OP_SIZE) {
                        BOOST_CHECK_MESSAGE(stack[j] == marked[j], name << ", operand " << i);
                    }
                }
            }
        }
        // In a branch that is not executed, nothing is read
        if (op != OP_IF && op != OP_NOTIF && op != OP_ELSE && op != OP_ENDIF && op != OP_VERIF && op != OP_VERNOTIF) {
            Stack stack(6, VALID);
            CScript unexecuted{CScript() << OP_0 << OP_IF};
            unexecuted.push_back(op);
            BOOST_CHECK_EQUAL(Eval(stack, unexecuted << OP_ENDIF), SCRIPT_ERR_OK);
            BOOST_CHECK(stack == Stack(6, VALID));
        }
    }

    // Pushes have no operands
    Stack pushes{VALID};
    BOOST_CHECK_EQUAL(Eval(pushes, CScript() << valtype(5) << valtype(80) << valtype(300) << OP_0), SCRIPT_ERR_OK);
    BOOST_CHECK_EQUAL(pushes.size(), 5U);

    // From the alternative stack, where a large element may also remain
    Stack alt{VALID};
    const unsigned char* const data{alt[0].data()};
    BOOST_CHECK_EQUAL(Eval(alt, CScript() << OP_TOALTSTACK << OP_FROMALTSTACK), SCRIPT_ERR_OK);
    BOOST_CHECK(alt[0].data() == data);
    BOOST_CHECK_EQUAL(Run(CScript() << OP_TOALTSTACK << OP_1 << OP_0 << OP_IF << OP_CHECKSIGSLHDSA << OP_ENDIF, {VALID}), SCRIPT_ERR_OK);

    // The size is measured, and pushed
    Stack size{VALID};
    BOOST_CHECK_EQUAL(Eval(size, CScript() << OP_SIZE), SCRIPT_ERR_OK);
    BOOST_CHECK(size == (Stack{VALID, {0xb0, 0x1e}}));

    // The result
    const CScript unused{CScript() << OP_0 << OP_IF << OP_CHECKSIGSLHDSA << OP_ENDIF};
    BOOST_CHECK_EQUAL(Run(unused, {VALID}), SCRIPT_ERR_PUSH_SIZE);
    BOOST_CHECK_EQUAL(Run(unused, {valtype(521)}), SCRIPT_ERR_PUSH_SIZE);
    BOOST_CHECK_EQUAL(Run(unused, {valtype(520, 1)}), SCRIPT_ERR_OK);
    BOOST_CHECK_EQUAL(Run(unused, {valtype(520)}), SCRIPT_ERR_EVAL_FALSE);
    BOOST_CHECK_EQUAL(Run(unused, {VALID, VALID}), SCRIPT_ERR_CLEANSTACK);
}

BOOST_AUTO_TEST_CASE(large_elements_moved)
{
    // Where the opcodes that move elements move large ones: each letter is one
    const auto element{[](char c) { return valtype(600 + c, static_cast<unsigned char>(c)); }};
    const std::vector<std::tuple<CScript, std::string, std::string>> moves{
        {CScript() << OP_2ROT, "abcdefg", "adefgbc"},
        {CScript() << OP_ROT, "abcd", "acdb"},
        {CScript() << OP_2SWAP, "abcde", "adebc"},
        {CScript() << OP_SWAP, "abc", "acb"},
        {CScript() << OP_2 << OP_ROLL, "abcd", "acdb"},
        {CScript() << OP_0 << OP_ROLL, "abcd", "abcd"},
        {CScript() << OP_NIP, "abc", "ac"},
        {CScript() << OP_DROP, "abc", "ab"},
        {CScript() << OP_2DROP, "abc", "a"},
        {CScript() << OP_TOALTSTACK << OP_DROP << OP_FROMALTSTACK, "abc", "ac"},
        {CScript() << OP_TOALTSTACK << OP_TOALTSTACK << OP_TOALTSTACK << OP_FROMALTSTACK << OP_FROMALTSTACK, "abcd", "abc"},
    };
    for (const auto& [script, before, after] : moves) {
        Stack stack, expected;
        std::map<char, const unsigned char*> data;
        for (const char c : before) stack.push_back(element(c));
        for (size_t i = 0; i < before.size(); ++i) data[before[i]] = stack[i].data();
        for (const char c : after) expected.push_back(element(c));
        BOOST_CHECK_EQUAL(Eval(stack, script), SCRIPT_ERR_OK);
        BOOST_CHECK_MESSAGE(stack == expected, before << " to " << after);
        for (size_t i = 0; i < std::min(stack.size(), after.size()); ++i) BOOST_CHECK(stack[i].data() == data[after[i]]); // not copied
    }
}

BOOST_AUTO_TEST_CASE(large_elements_order)
{
    const auto eval{[](const CScript& script, Stack stack, script_verify_flags flags = CONSENSUS) { return Eval(stack, script, flags); }};
    const valtype bignum(5);

    // Before numbers are decoded, and the other checks of an opcode
    BOOST_CHECK_EQUAL(eval(CScript() << OP_IF, {VALID}), SCRIPT_ERR_PUSH_SIZE);     // TAPSCRIPT_MINIMALIF
    BOOST_CHECK_EQUAL(eval(CScript() << OP_ADD, {VALID, bignum}), SCRIPT_ERR_PUSH_SIZE);
    BOOST_CHECK_EQUAL(eval(CScript() << OP_ADD, {bignum, VALID}), SCRIPT_ERR_PUSH_SIZE);
    BOOST_CHECK_EQUAL(eval(CScript() << OP_ADD, {bignum, {}}), SCRIPT_ERR_SCRIPTNUM);
    BOOST_CHECK_EQUAL(eval(CScript() << OP_WITHIN, {bignum, {}, VALID}), SCRIPT_ERR_PUSH_SIZE);
    BOOST_CHECK_EQUAL(eval(CScript() << OP_CHECKSIG, {VALID, {}}), SCRIPT_ERR_PUSH_SIZE); // TAPSCRIPT_EMPTY_PUBKEY
    BOOST_CHECK_EQUAL(eval(CScript() << OP_CHECKSIGADD, {VALID, bignum, {}}), SCRIPT_ERR_PUSH_SIZE);
    BOOST_CHECK_EQUAL(eval(CScript() << OP_CHECKSIGADD, {{}, bignum, VALID}), SCRIPT_ERR_PUSH_SIZE);
    BOOST_CHECK_EQUAL(eval(CScript() << OP_CHECKLOCKTIMEVERIFY, {VALID}), SCRIPT_ERR_PUSH_SIZE);

    // OP_PICK and OP_ROLL: n, its range, then the element
    for (const opcodetype opcode : {OP_PICK, OP_ROLL}) {
        const ScriptError reached{opcode == OP_PICK ? SCRIPT_ERR_PUSH_SIZE : SCRIPT_ERR_OK};
        BOOST_CHECK_EQUAL(eval(CScript() << opcode, {}), SCRIPT_ERR_INVALID_STACK_OPERATION);
        BOOST_CHECK_EQUAL(eval(CScript() << opcode, {VALID}), SCRIPT_ERR_INVALID_STACK_OPERATION);
        BOOST_CHECK_EQUAL(eval(CScript() << opcode, {VALID, VALID}), SCRIPT_ERR_PUSH_SIZE);
        BOOST_CHECK_EQUAL(eval(CScript() << opcode, {VALID, bignum}), SCRIPT_ERR_SCRIPTNUM);
        BOOST_CHECK_EQUAL(eval(CScript() << opcode, {VALID, ONE}), SCRIPT_ERR_INVALID_STACK_OPERATION);
        BOOST_CHECK_EQUAL(eval(CScript() << opcode, {VALID, {0x81}}), SCRIPT_ERR_INVALID_STACK_OPERATION);
        BOOST_CHECK_EQUAL(eval(CScript() << opcode, {VALID, {}}), reached);
        BOOST_CHECK_EQUAL(eval(CScript() << opcode, {VALID, {}, ONE}), reached);
        BOOST_CHECK_EQUAL(eval(CScript() << opcode, {VALID, {}, {}}), SCRIPT_ERR_OK);
    }

    // Where they are not in force, they read nothing
    BOOST_CHECK_EQUAL(eval(CScript() << OP_CHECKLOCKTIMEVERIFY, {VALID}, CONSENSUS & ~SCRIPT_VERIFY_CHECKLOCKTIMEVERIFY), SCRIPT_ERR_OK);
    BOOST_CHECK_EQUAL(eval(CScript() << OP_CHECKSEQUENCEVERIFY, {VALID}, CONSENSUS & ~SCRIPT_VERIFY_CHECKSEQUENCEVERIFY), SCRIPT_ERR_OK);
    BOOST_CHECK_EQUAL(eval(CScript() << OP_CHECKSEQUENCEVERIFY, {VALID}), SCRIPT_ERR_PUSH_SIZE);
}

BOOST_AUTO_TEST_CASE(not_in_tapscript)
{
    // Bare, in P2SH and in P2WSH, the opcodes are disabled, even in branches that are not executed.
    for (const opcodetype opcode : {OP_CHECKSIGSLHDSA, OP_CHECKSIGADDSLHDSA}) {
        for (const bool executed : {false, true}) {
            const CScript script{CScript() << (executed ? OP_1 : OP_0) << OP_IF << opcode << OP_ENDIF << OP_1};
            const valtype bytes(script.begin(), script.end());
            BOOST_CHECK_EQUAL((Spend{.spk = script, .witness = Stack{}}).Run(), SCRIPT_ERR_DISABLED_OPCODE);
            BOOST_CHECK_EQUAL((Spend{.spk = CScript() << OP_HASH160 << ToByteVector(CScriptID{script}) << OP_EQUAL, .witness = Stack{}, .script_sig = CScript() << bytes}).Run(), SCRIPT_ERR_DISABLED_OPCODE);
            uint256 hash;
            CSHA256().Write(bytes.data(), bytes.size()).Finalize(hash.begin());
            BOOST_CHECK_EQUAL((Spend{.spk = CScript() << OP_0 << ToByteVector(hash), .witness = Stack{bytes}}).Run(), SCRIPT_ERR_DISABLED_OPCODE);
            BOOST_CHECK_EQUAL((Spend{.spk = CScript() << OP_0 << ToByteVector(hash), .witness = Stack{VALID, bytes}}).Run(), SCRIPT_ERR_PUSH_SIZE);
        }
    }
}

BOOST_AUTO_TEST_CASE(message)
{
    // The message of the specification, field by field
    for (const bool p2tr : {false, true}) {
        for (const uint8_t hash_type : {0x00, 0x01, 0x02, 0x03, 0x81, 0x82, 0x83}) {
            for (const bool with_annex : {false, true}) {
                for (const bool separator : {false, true}) {
                    Spend spend{.stack = {hash_type ? WithHashType(VALID, hash_type) : VALID}, .p2tr = p2tr};
                    if (with_annex) spend.annex = valtype(300, ANNEX_TAG);
                    spend.script = CScript() << OP_0 << OP_IF << OP_CODESEPARATOR << OP_ENDIF;
                    if (separator) spend.script << OP_CODESEPARATOR;
                    spend.script << KEY << OP_CHECKSIGSLHDSA << OP_CODESEPARATOR;
                    std::vector<Verified> verified;
                    BOOST_CHECK_EQUAL(spend.Run(&verified), SCRIPT_ERR_OK);
                    BOOST_REQUIRE_EQUAL(verified.size(), 1U);

                    const CMutableTransaction tx{spend.Tx()};
                    const std::vector<CTxOut> spent{spend.SpentOutputs()};
                    const bool anyone{(hash_type & 0x80) != 0};
                    HashWriter msg{TaggedHash("TapSighash")};
                    HashWriter prevouts, amounts, scripts, sequences, outputs, annex, single;
                    msg << uint8_t{0} << hash_type << tx.version << tx.nLockTime;
                    if (!anyone) {
                        for (size_t i = 0; i < tx.vin.size(); ++i) {
                            prevouts << tx.vin[i].prevout;
                            amounts << spent[i].nValue;
                            scripts << spent[i].scriptPubKey;
                            sequences << tx.vin[i].nSequence;
                        }
                        msg << prevouts.GetSHA256() << amounts.GetSHA256() << scripts.GetSHA256() << sequences.GetSHA256();
                    }
                    if ((hash_type & 3) < 2) {
                        for (const CTxOut& output : tx.vout) outputs << output;
                        msg << outputs.GetSHA256();
                    }
                    msg << uint8_t(with_annex ? 3 : 2);
                    if (anyone) {
                        msg << tx.vin[spend.in].prevout << spent[spend.in].nValue << spent[spend.in].scriptPubKey << tx.vin[spend.in].nSequence;
                    } else {
                        msg << uint32_t{spend.in};
                    }
                    if (with_annex) msg << (annex << *spend.annex).GetSHA256();
                    if ((hash_type & 3) == 3) msg << (single << tx.vout[spend.in]).GetSHA256();
                    msg << spend.LeafHash() << uint8_t{2} << uint32_t{separator ? 4U : 0xffffffffU};
                    BOOST_CHECK_EQUAL(verified[0].sighash, msg.GetSHA256());

                    // The key version makes it differ from that of a Schnorr signature in the same place.
                    const CTransaction final_tx{tx};
                    PrecomputedTransactionData txdata;
                    txdata.Init(final_tx, spend.SpentOutputs());
                    ScriptExecutionData execdata;
                    execdata.m_annex_init = true;
                    execdata.m_annex_present = with_annex;
                    if (with_annex) execdata.m_annex_hash = (HashWriter{} << *spend.annex).GetSHA256();
                    execdata.m_tapleaf_hash_init = true;
                    execdata.m_tapleaf_hash = spend.LeafHash();
                    execdata.m_codeseparator_pos_init = true;
                    execdata.m_codeseparator_pos = separator ? 4 : 0xffffffff;
                    uint256 schnorr, slhdsa;
                    BOOST_CHECK(SignatureHashSchnorr(schnorr, execdata, final_tx, spend.in, hash_type, SigVersion::TAPSCRIPT, txdata, MissingDataBehavior::FAIL));
                    BOOST_CHECK(SignatureHashSchnorr(slhdsa, execdata, final_tx, spend.in, hash_type, SigVersion::TAPSCRIPT, txdata, MissingDataBehavior::FAIL, TAPSCRIPT_KEY_VERSION_SLHDSA));
                    BOOST_CHECK(schnorr != slhdsa);
                    BOOST_CHECK_EQUAL(slhdsa, verified[0].sighash);
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(bip340_in_p2mr)
{
    // The other signature opcodes work as in P2TR, with the message of BIP 342
    const CKey key{GenerateRandomKey()};
    Spend spend{.script = CScript() << ToByteVector(XOnlyPubKey{key.GetPubKey()}) << OP_CHECKSIG};
    const CTransaction tx{spend.Tx()};
    PrecomputedTransactionData txdata;
    txdata.Init(tx, spend.SpentOutputs());
    ScriptExecutionData execdata;
    execdata.m_annex_init = true;
    execdata.m_annex_present = false;
    execdata.m_tapleaf_hash_init = true;
    execdata.m_tapleaf_hash = spend.LeafHash();
    execdata.m_codeseparator_pos_init = true;
    execdata.m_codeseparator_pos = 0xffffffff;
    uint256 sighash;
    BOOST_REQUIRE(SignatureHashSchnorr(sighash, execdata, tx, spend.in, SIGHASH_DEFAULT, SigVersion::TAPSCRIPT, txdata, MissingDataBehavior::FAIL));
    valtype sig(64);
    BOOST_REQUIRE(key.SignSchnorr(sighash, sig, nullptr, uint256::ONE));
    spend.stack = {sig};
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
    spend.flags &= ~SCRIPT_VERIFY_SLHDSA;
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_OK);
    spend.stack[0][0] ^= 1;
    BOOST_CHECK_EQUAL(spend.Run(), SCRIPT_ERR_SCHNORR_SIG);
}

BOOST_AUTO_TEST_CASE(names)
{
    // In scripts that are not tapscript they are what they were.
    BOOST_CHECK_EQUAL(GetOpName(OP_CHECKSIGSLHDSA), "OP_SUBSTR");
    BOOST_CHECK_EQUAL(GetOpName(OP_CHECKSIGADDSLHDSA), "OP_LEFT");
    BOOST_CHECK(ParseScript("SUBSTR OP_SUBSTR LEFT OP_LEFT") == CScript() << OP_SUBSTR << OP_SUBSTR << OP_LEFT << OP_LEFT);
    if (HAVE_SLHDSA) BOOST_CHECK(ParseScript("CHECKSIGSLHDSA OP_CHECKSIGADDSLHDSA") == CScript() << OP_CHECKSIGSLHDSA << OP_CHECKSIGADDSLHDSA);

    const CScript p2mr{Spend{.script = CScript() << OP_TRUE}.ScriptPubKey()};
    BOOST_CHECK(p2mr.IsPayToMerkleRoot());
    BOOST_CHECK(!p2mr.IsPayToTaproot());
    BOOST_CHECK(!(CScript() << OP_2 << valtype(31)).IsPayToMerkleRoot());
    BOOST_CHECK(!(CScript() << OP_1 << valtype(32)).IsPayToMerkleRoot());
    BOOST_CHECK(!(CScript(p2mr) << OP_NOP).IsPayToMerkleRoot());
    for (int error = SCRIPT_ERR_SLHDSA_SIG_SIZE; error <= SCRIPT_ERR_SLHDSA_SIG; ++error) {
        BOOST_CHECK(ScriptErrorString(static_cast<ScriptError>(error)) != "unknown error");
    }
}

BOOST_AUTO_TEST_CASE(missing_data)
{
    // Without the spent outputs, nothing is signed or verified, as for Schnorr signatures.
    const Spend spend{.stack = {VALID}, .script = CheckSig()};
    const CTransaction tx{spend.Tx()};
    ScriptError error;
    BOOST_CHECK(!VerifyScript(CScript(), spend.ScriptPubKey(), &tx.vin[1].scriptWitness, CONSENSUS, TransactionSignatureChecker{&tx, 1, 6 * COIN, MissingDataBehavior::FAIL}, &error));
    const PrecomputedTransactionData txdata{tx};
    BOOST_CHECK(!VerifyScript(CScript(), spend.ScriptPubKey(), &tx.vin[1].scriptWitness, CONSENSUS, TransactionSignatureChecker{&tx, 1, 6 * COIN, txdata, MissingDataBehavior::FAIL}, &error));
    // A check that a checker does not implement fails.
    BOOST_CHECK(!VerifyScript(CScript(), spend.ScriptPubKey(), &tx.vin[1].scriptWitness, CONSENSUS, BaseSignatureChecker{}, &error));

    // One that forwards, forwards these signatures too.
    PrecomputedTransactionData complete;
    complete.Init(tx, spend.SpentOutputs());
    const MockChecker mock{tx, 1, complete, nullptr};
    BOOST_CHECK_EQUAL(spend.Verify(tx, DeferringSignatureChecker{mock}), SCRIPT_ERR_OK);
    const Spend invalid{.stack = {INVALID}, .script = CheckSig()};
    const CTransaction invalid_tx{invalid.Tx()};
    const MockChecker invalid_mock{invalid_tx, 1, complete, nullptr};
    BOOST_CHECK_EQUAL(invalid.Verify(invalid_tx, DeferringSignatureChecker{invalid_mock}), SCRIPT_ERR_SLHDSA_SIG);
}

BOOST_AUTO_TEST_CASE(signature_cache)
{
    SignatureCache cache{1 << 20};
    const Spend spend{.stack = {WithHashType(INVALID, 1)}, .script = CheckSig()};
    const CTransaction tx{spend.Tx()};
    PrecomputedTransactionData txdata;
    txdata.Init(tx, spend.SpentOutputs());
    std::vector<Verified> verified;
    spend.Run(&verified);
    const uint256 sighash{verified.at(0).sighash};

    // The three kinds of entries have domains of their own.
    const valtype sig(64, 1);
    uint256 ecdsa, schnorr, slhdsa, entry;
    cache.ComputeEntrySchnorr(schnorr, sighash, sig, XOnlyPubKey{KEY});
    cache.ComputeEntrySLHDSA(slhdsa, sighash, sig, SLHDSAPubKey{KEY});
    CPubKey compressed{ParseHex("02" + std::string(62, 'a') + "00")};
    cache.ComputeEntryECDSA(ecdsa, sighash, valtype(63, 1), compressed);
    BOOST_CHECK(schnorr != slhdsa && ecdsa != slhdsa && ecdsa != schnorr);
    // Every part counts.
    cache.ComputeEntrySLHDSA(entry, sighash, INVALID, SLHDSAPubKey{KEY});
    uint256 other;
    cache.ComputeEntrySLHDSA(other, sighash, VALID, SLHDSAPubKey{KEY});
    BOOST_CHECK(entry != other);
    valtype last{INVALID};
    last.back() ^= 1;
    cache.ComputeEntrySLHDSA(other, sighash, last, SLHDSAPubKey{KEY});
    BOOST_CHECK(entry != other);
    cache.ComputeEntrySLHDSA(other, uint256::ONE, INVALID, SLHDSAPubKey{KEY});
    BOOST_CHECK(entry != other);
    cache.ComputeEntrySLHDSA(other, sighash, INVALID, SLHDSAPubKey{valtype(32, 1)});
    BOOST_CHECK(entry != other);
    std::set<uint256> entries{entry};
    for (const unsigned char set : {24, 40}) {
        valtype key{set};
        key.insert(key.end(), KEY.begin(), KEY.end());
        cache.ComputeEntrySLHDSA(other, sighash, INVALID, SLHDSAPubKey{key});
        BOOST_CHECK(entries.insert(other).second);
    }

    // A signature that does not verify is not stored.
    const auto run{[&](bool store, std::vector<SLHDSACheck>* deferred) {
        return spend.Verify(tx, CachingTransactionSignatureChecker{&tx, spend.in, 6 * COIN, store, cache, txdata, /*slhdsa_verifier=*/nullptr, deferred});
    }};
    BOOST_CHECK_EQUAL(run(/*store=*/true, nullptr), SCRIPT_ERR_SLHDSA_SIG);
    BOOST_CHECK(!cache.Get(entry, /*erase=*/false));

    // Deferred, it is taken for valid, not stored, and left to the caller, whatever store is.
    for (const bool store : {false, true}) {
        std::vector<SLHDSACheck> deferred;
        BOOST_CHECK_EQUAL(run(store, &deferred), SCRIPT_ERR_OK);
        BOOST_CHECK(!cache.Get(entry, /*erase=*/false));
        BOOST_REQUIRE_EQUAL(deferred.size(), 1U);
        BOOST_CHECK(deferred[0].pubkey == SLHDSAPubKey{KEY});
        BOOST_CHECK_EQUAL(deferred[0].sighash, sighash);
        BOOST_CHECK(deferred[0].signature == INVALID);
        BOOST_CHECK_EQUAL(deferred[0].opcode_pos, 1U);
        BOOST_CHECK(!deferred[0].Verify());
    }

    // A signature in the cache is neither verified again nor deferred.
    cache.Set(entry);
    std::vector<SLHDSACheck> deferred;
    BOOST_CHECK_EQUAL(run(/*store=*/true, &deferred), SCRIPT_ERR_OK);
    BOOST_CHECK(deferred.empty());
    BOOST_CHECK_EQUAL(run(/*store=*/true, nullptr), SCRIPT_ERR_OK);
}

BOOST_AUTO_TEST_CASE(deferred_is_moved)
{
    // The signature goes from the stack into the list without a copy, through the opcodes that move.
    SignatureCache cache{1 << 20};
    const Spend spend{.script = CScript() << OP_TOALTSTACK << OP_FROMALTSTACK << OP_SWAP << OP_CHECKSIGSLHDSA};
    const CTransaction tx{spend.Tx()};
    PrecomputedTransactionData txdata;
    txdata.Init(tx, spend.SpentOutputs());
    std::vector<SLHDSACheck> deferred;
    const CachingTransactionSignatureChecker checker{&tx, spend.in, 6 * COIN, /*storeIn=*/false, cache, txdata, /*slhdsa_verifier=*/nullptr, &deferred};
    ScriptExecutionData execdata;
    execdata.m_annex_init = execdata.m_tapleaf_hash_init = execdata.m_validation_weight_left_init = true;
    execdata.m_annex_present = false;
    execdata.m_validation_weight_left = 8000;
    for (const bool hash_type : {false, true}) {
        deferred.clear();
        Stack stack{KEY, hash_type ? WithHashType(VALID, 1) : VALID};
        const unsigned char* const data{stack[1].data()};
        ScriptError error;
        BOOST_CHECK(EvalScript(stack, spend.script, CONSENSUS, checker, SigVersion::TAPSCRIPT, execdata, &error));
        BOOST_REQUIRE_EQUAL(deferred.size(), 1U);
        BOOST_CHECK(deferred[0].signature.data() == data);
        BOOST_CHECK_EQUAL(deferred[0].signature.size(), SIG_SIZE);
        BOOST_CHECK_EQUAL(deferred[0].opcode_pos, 3U);
    }
    static_assert(!std::is_copy_constructible_v<SLHDSACheck> && !std::is_copy_assignable_v<SLHDSACheck>);
    static_assert(std::is_nothrow_move_constructible_v<SLHDSACheck>); // or a growing list would need copies
}

#ifdef ENABLE_SLHDSA
namespace {
/** A key pair of the library, and signatures with it. */
class Signer
{
    std::unique_ptr<slhc_context, decltype(&slhc_context_destroy)> m_context{nullptr, slhc_context_destroy};
    std::array<unsigned char, SLHC_SECRET_KEY_SIZE> m_secret;

public:
    valtype pubkey = valtype(SLHC_PUBLIC_KEY_SIZE);

    explicit Signer(uint8_t seed_byte)
    {
        slhc_context_options options = SLHC_CONTEXT_OPTIONS_INIT;
        options.backend = "cpu";
        m_context.reset(slhc_context_create(&options));
        BOOST_REQUIRE(m_context);
        const std::array<unsigned char, SLHC_SEED_SIZE> seed{seed_byte};
        BOOST_REQUIRE_EQUAL(slhc_slhdsa_keygen(m_context.get(), SLHC_SET_128S, seed.data(), m_secret.data(), pubkey.data(), nullptr, nullptr), SLHC_OK);
    }

    valtype Sign(const uint256& message) const
    {
        valtype sig(SLHC_SIGNATURE_SIZE);
        BOOST_REQUIRE_EQUAL(slhc_slhdsa_sign(m_context.get(), SLHC_SET_128S, m_secret.data(), {message.begin(), message.size()}, {nullptr, 0}, nullptr, sig.data(), nullptr, nullptr), SLHC_OK);
        return sig;
    }
};
} // namespace

BOOST_AUTO_TEST_CASE(real_signatures)
{
    const Signer signer{1};
    SignatureCache cache{1 << 20};
    for (const bool p2tr : {false, true}) {
        for (const uint8_t hash_type : {0x00, 0x83}) {
            Spend spend{.script = CheckSig(signer.pubkey), .p2tr = p2tr};
            // The message does not depend on the signature, so that one of the mock tells it.
            std::vector<Verified> verified;
            spend.stack = {hash_type ? WithHashType(VALID, hash_type) : VALID};
            BOOST_CHECK_EQUAL(spend.Run(&verified), SCRIPT_ERR_OK);
            const valtype sig{signer.Sign(verified.at(0).sighash)};
            spend.stack = {hash_type ? WithHashType(sig, hash_type) : sig};

            const auto run{[&](const Spend& s, bool store, std::vector<SLHDSACheck>* deferred) {
                const CTransaction tx{s.Tx()};
                PrecomputedTransactionData txdata;
                txdata.Init(tx, s.SpentOutputs());
                const ScriptError plain{s.Verify(tx, TransactionSignatureChecker{&tx, s.in, 6 * COIN, txdata, MissingDataBehavior::ASSERT_FAIL})};
                const ScriptError cached{s.Verify(tx, CachingTransactionSignatureChecker{&tx, s.in, 6 * COIN, store, cache, txdata, /*slhdsa_verifier=*/nullptr, deferred})};
                if (!deferred) BOOST_CHECK_EQUAL(plain, cached);
                return cached;
            }};
            uint256 entry;
            cache.ComputeEntrySLHDSA(entry, verified[0].sighash, sig, SLHDSAPubKey{signer.pubkey});

            std::vector<SLHDSACheck> deferred;
            BOOST_CHECK_EQUAL(run(spend, /*store=*/false, &deferred), SCRIPT_ERR_OK);
            BOOST_REQUIRE_EQUAL(deferred.size(), 1U);
            BOOST_CHECK(deferred[0].Verify());
            BOOST_CHECK_EQUAL(run(spend, /*store=*/false, nullptr), SCRIPT_ERR_OK);
            BOOST_CHECK(!cache.Get(entry, /*erase=*/false));
            BOOST_CHECK_EQUAL(run(spend, /*store=*/true, nullptr), SCRIPT_ERR_OK);
            BOOST_CHECK(cache.Get(entry, /*erase=*/false));
            deferred.clear();
            BOOST_CHECK_EQUAL(run(spend, /*store=*/false, &deferred), SCRIPT_ERR_OK); // known, and now erasable
            BOOST_CHECK(deferred.empty());

            // In each part of the signature, in the message and in the key
            for (const size_t pos : {0, 16, 3000, 7855}) {
                Spend changed{spend};
                changed.stack[0][pos] ^= 0x10;
                BOOST_CHECK_EQUAL(run(changed, /*store=*/true, nullptr), SCRIPT_ERR_SLHDSA_SIG);
            }
            Spend changed{spend};
            changed.in = 0;
            BOOST_CHECK_EQUAL(run(changed, /*store=*/true, nullptr), SCRIPT_ERR_SLHDSA_SIG);
            changed = spend;
            changed.script = CheckSig(Signer{2}.pubkey);
            BOOST_CHECK_EQUAL(run(changed, /*store=*/true, nullptr), SCRIPT_ERR_SLHDSA_SIG);
            changed = spend;
            changed.annex = valtype{ANNEX_TAG};
            BOOST_CHECK_EQUAL(run(changed, /*store=*/true, nullptr), SCRIPT_ERR_SLHDSA_SIG);
        }
    }
    // Sizes, below the script
    const uint256 message{7};
    valtype sig{signer.Sign(message)};
    const SLHDSAPubKey pubkey{signer.pubkey};
    BOOST_CHECK(pubkey.VerifySLHDSA(message, sig));
    BOOST_CHECK(!pubkey.VerifySLHDSA(uint256{8}, sig));
    BOOST_CHECK(!pubkey.VerifySLHDSA(message, std::span{sig}.first(7855)));
    sig.push_back(0);
    BOOST_CHECK(!pubkey.VerifySLHDSA(message, sig));
    BOOST_CHECK(!pubkey.VerifySLHDSA(message, {}));
}

BOOST_AUTO_TEST_CASE(real_signatures_of_other_sets)
{
    for (const int set : {SLHC_SET_128_24, SLHC_SET_128_Q40}) {
        const std::array<unsigned char, SLHC_SEED_SIZE> seed{1};
        const std::unique_ptr<slhc_experiment_signer, decltype(&slhc_experiment_signer_destroy)> signer{slhc_experiment_signer_create(set, seed.data()), slhc_experiment_signer_destroy};
        BOOST_REQUIRE(signer);
        valtype key(33, set);
        BOOST_REQUIRE_EQUAL(slhc_experiment_public_key(signer.get(), 0, key.data() + 1), SLHC_OK);
        const SLHDSAPubKey pubkey{key};
        Spend spend{.stack = {valtype(pubkey.SignatureSize(), 1)}, .script = CheckSig(key), .flags = CONSENSUS | SCRIPT_VERIFY_SLHDSA_SETS};
        std::vector<Verified> verified;
        BOOST_CHECK_EQUAL(spend.Run(&verified), SCRIPT_ERR_OK);
        const uint256& message{verified.at(0).sighash};
        valtype& sig{spend.stack[0]};
        BOOST_REQUIRE_EQUAL(slhc_experiment_sign(signer.get(), 0, {message.begin(), message.size()}, {nullptr, 0}, sig.data()), SLHC_OK);

        SignatureCache cache{1 << 20};
        const auto run{[&](std::vector<SLHDSACheck>* deferred) {
            const CTransaction tx{spend.Tx()};
            PrecomputedTransactionData txdata;
            txdata.Init(tx, spend.SpentOutputs());
            return spend.Verify(tx, CachingTransactionSignatureChecker{&tx, spend.in, 6 * COIN, /*storeIn=*/!deferred, cache, txdata, /*slhdsa_verifier=*/nullptr, deferred});
        }};
        for (const bool valid : {false, true}) {
            sig.back() ^= !valid;
            std::vector<SLHDSACheck> deferred;
            BOOST_CHECK_EQUAL(run(&deferred), SCRIPT_ERR_OK);
            BOOST_REQUIRE_EQUAL(deferred.size(), 1U);
            BOOST_CHECK_EQUAL(deferred[0].Verify(), valid);
            BOOST_CHECK_EQUAL(run(nullptr), valid ? SCRIPT_ERR_OK : SCRIPT_ERR_SLHDSA_SIG);
            uint256 entry;
            cache.ComputeEntrySLHDSA(entry, message, sig, pubkey);
            BOOST_CHECK_EQUAL(cache.Get(entry, /*erase=*/false), valid);
            sig.back() ^= !valid;
        }
        BOOST_CHECK(!SLHDSAPubKey{std::span{key}.subspan(1)}.VerifySLHDSA(message, sig)); // as a key of 128s
    }
}
#endif

BOOST_AUTO_TEST_SUITE_END()
