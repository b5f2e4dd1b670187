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

constexpr uint256 SIBLING{0x77}; //!< of each leaf
constexpr size_t SIG_SIZE{SLHDSAPubKey::SIGNATURE_SIZE};

const valtype KEY(32, 0xab);      //!< an SLH-DSA public key
const valtype VALID(SIG_SIZE, 1); //!< what MockChecker takes for a valid signature
const valtype INVALID(SIG_SIZE, 2);

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

/** The spend of a leaf, in a transaction with more inputs and outputs. What the rules are is in the vectors of the specification
 * (p2mr_vectors_tests); here is what a spend cannot show: caches, deferral, memory. */
struct Spend {
    Stack stack{}; //!< initial stack
    CScript script{};
    bool p2tr{false};
    script_verify_flags flags{CONSENSUS};
    unsigned int in{1};

    uint256 LeafHash() const { return ComputeTapleafHash(TAPROOT_LEAF_TAPSCRIPT, script); }

    uint256 Root() const { return ComputeTapbranchHash(LeafHash(), SIBLING); }

    CScript ScriptPubKey() const
    {
        const uint256 root{Root()};
        if (!p2tr) return CScript() << OP_2 << valtype{root.begin(), root.end()};
        const XOnlyPubKey key{XOnlyPubKey::NUMS_H.CreateTapTweak(&root)->first};
        return CScript() << OP_1 << valtype{key.begin(), key.end()};
    }

    valtype ControlBlock() const
    {
        valtype control;
        if (p2tr) {
            const uint256 root{Root()};
            control.push_back(TAPROOT_LEAF_TAPSCRIPT | (XOnlyPubKey::NUMS_H.CreateTapTweak(&root)->second ? 1 : 0));
            control.insert(control.end(), XOnlyPubKey::NUMS_H.begin(), XOnlyPubKey::NUMS_H.end());
        } else {
            control.push_back(TAPROOT_LEAF_TAPSCRIPT | 1);
        }
        control.insert(control.end(), SIBLING.begin(), SIBLING.end());
        return control;
    }

    Stack Witness() const
    {
        Stack result{stack};
        result.emplace_back(script.begin(), script.end());
        result.push_back(ControlBlock());
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
        for (size_t i = 0; i < 2; ++i) tx.vout.emplace_back(COIN, CScript() << OP_TRUE << static_cast<int64_t>(i));
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
} // namespace

BOOST_FIXTURE_TEST_SUITE(p2mr_tests, BasicTestingSetup)

namespace {
ScriptError Eval(Stack& stack, const CScript& script)
{
    ScriptError error;
    ScriptExecutionData execdata;
    execdata.m_validation_weight_left = 1000;
    execdata.m_validation_weight_left_init = true;
    EvalScript(stack, script, CONSENSUS, BaseSignatureChecker{}, SigVersion::TAPSCRIPT, execdata, &error);
    return error;
}
} // namespace

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

            const auto run{[&](bool store, std::vector<SLHDSACheck>* deferred) {
                const CTransaction tx{spend.Tx()};
                PrecomputedTransactionData txdata;
                txdata.Init(tx, spend.SpentOutputs());
                const ScriptError plain{spend.Verify(tx, TransactionSignatureChecker{&tx, spend.in, 6 * COIN, txdata, MissingDataBehavior::ASSERT_FAIL})};
                const ScriptError cached{spend.Verify(tx, CachingTransactionSignatureChecker{&tx, spend.in, 6 * COIN, store, cache, txdata, /*slhdsa_verifier=*/nullptr, deferred})};
                if (!deferred) BOOST_CHECK_EQUAL(plain, cached);
                return cached;
            }};
            uint256 entry;
            cache.ComputeEntrySLHDSA(entry, verified[0].sighash, sig, SLHDSAPubKey{signer.pubkey});

            std::vector<SLHDSACheck> deferred;
            BOOST_CHECK_EQUAL(run(/*store=*/false, &deferred), SCRIPT_ERR_OK);
            BOOST_REQUIRE_EQUAL(deferred.size(), 1U);
            BOOST_CHECK(deferred[0].Verify());
            BOOST_CHECK_EQUAL(run(/*store=*/false, nullptr), SCRIPT_ERR_OK);
            BOOST_CHECK(!cache.Get(entry, /*erase=*/false));
            BOOST_CHECK_EQUAL(run(/*store=*/true, nullptr), SCRIPT_ERR_OK);
            BOOST_CHECK(cache.Get(entry, /*erase=*/false));
            deferred.clear();
            BOOST_CHECK_EQUAL(run(/*store=*/false, &deferred), SCRIPT_ERR_OK); // known, and now erasable
            BOOST_CHECK(deferred.empty());
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
