// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// The cost of C API calls, counted instead of timed: verifications on the curve, and memory. A program of its own,
// since it puts itself between the library and libsecp256k1 (the linker's --wrap).

#define BOOST_TEST_MODULE cost_tests
#include <slhconsensus.h>

#include <capi/tx.h>
#include <consensus/consensus.h>
#include <crypto/hash.h>
#include <script/script.h>
#include <script/script_error.h>
#include <script/stack.h>
#include <test/allocations.h>
#include <test/boost_test_main.h>
#include <test/preconditions.h>
#include <test/util/block_builder.h>
#include <test/util/spends.h>

#include <secp256k1.h>
#include <secp256k1_schnorrsig.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

using namespace slhc;
using namespace slhc::test;

namespace {
std::atomic<size_t> g_curve_verifications{0};
} // namespace

extern "C" {
int __real_secp256k1_schnorrsig_verify(const secp256k1_context*, const unsigned char*, const unsigned char*, size_t,
                                       const secp256k1_xonly_pubkey*);
int __wrap_secp256k1_schnorrsig_verify(const secp256k1_context* ctx, const unsigned char* sig, const unsigned char* msg, size_t size,
                                       const secp256k1_xonly_pubkey* key)
{
    ++g_curve_verifications;
    return __real_secp256k1_schnorrsig_verify(ctx, sig, msg, size, key);
}

int __real_secp256k1_ecdsa_verify(const secp256k1_context*, const secp256k1_ecdsa_signature*, const unsigned char*,
                                  const secp256k1_pubkey*);
int __wrap_secp256k1_ecdsa_verify(const secp256k1_context* ctx, const secp256k1_ecdsa_signature* sig, const unsigned char* hash,
                                  const secp256k1_pubkey* key)
{
    ++g_curve_verifications;
    return __real_secp256k1_ecdsa_verify(ctx, sig, hash, key);
}
}

namespace {

using ContextPtr = std::unique_ptr<slhc_context, decltype(&slhc_context_destroy)>;
using TxPtr = std::unique_ptr<slhc_tx, decltype(&slhc_tx_destroy)>;
using BatchPtr = std::unique_ptr<slhc_batch, decltype(&slhc_batch_destroy)>;

constexpr uint64_t FLAGS{SLHC_VERIFY_CONSENSUS};

slhc_bytes View(const std::vector<uint8_t>& bytes) { return {bytes.data(), bytes.size()}; }

/** Serialized outputs, and views of them. */
struct Outputs {
    std::vector<std::vector<uint8_t>> bytes;
    std::vector<slhc_bytes> views;

    explicit Outputs(const std::vector<CTxOut>& outputs)
    {
        for (const CTxOut& output : outputs) bytes.push_back(SerializeToVector(output));
        for (const auto& output : bytes) views.push_back(View(output));
    }
};

using CachePtr = std::unique_ptr<slhc_signature_cache, decltype(&slhc_signature_cache_destroy)>;

CachePtr MakeCache() { return {slhc_signature_cache_create(0), slhc_signature_cache_destroy}; }

ContextPtr MakeContext()
{
    slhc_context_options options SLHC_CONTEXT_OPTIONS_INIT;
    options.backend = "cpu";
    options.threads = 2;
    return {slhc_context_create(&options), slhc_context_destroy};
}

TxPtr MakeTx(const SignedSpend& spend)
{
    const auto raw{SerializeToVector(spend.tx)};
    const Outputs spent{spend.spent};
    return {slhc_tx_create(View(raw), spent.views.data(), spent.views.size()), slhc_tx_destroy};
}

/** One input of each kind that has a signature over the curve. */
const std::vector<SpendKind> CURVE_KINDS{SpendKind::P2WPKH, SpendKind::P2TR_KEY_PATH, SpendKind::P2TR_SCRIPT_PATH, SpendKind::P2MR_SCHNORR};

SignedSpend CurveSpend()
{
    RealSigner signer;
    return SpendKinds(CURVE_KINDS, signer, 1);
}

/** Verify all inputs. @return the number of verifications over the curve */
size_t Verifications(const ContextPtr& context, const CachePtr& cache, const TxPtr& tx, slhc_batch* batch, int expected)
{
    const size_t before{g_curve_verifications};
    for (unsigned i = 0; i < tx->tx.vin.size(); ++i) {
        BOOST_CHECK_EQUAL(slhc_verify_input(context.get(), tx.get(), i, FLAGS, cache.get(), batch, 0, nullptr), expected);
    }
    return g_curve_verifications - before;
}

} // namespace

BOOST_AUTO_TEST_SUITE(curve)

BOOST_AUTO_TEST_CASE(a_valid_signature_is_verified_once)
{
    const auto context{MakeContext()};
    const auto cache{MakeCache()};
    const auto tx{MakeTx(CurveSpend())};
    const BatchPtr batch{slhc_batch_create(context.get(), 0), slhc_batch_destroy};
    // A batch asks the cache and stores nothing.
    BOOST_CHECK_EQUAL(Verifications(context, cache, tx, batch.get(), SLHC_VALID), CURVE_KINDS.size());
    BOOST_CHECK_EQUAL(Verifications(context, cache, tx, batch.get(), SLHC_VALID), CURVE_KINDS.size());
    // Signatures that are verified at once are remembered, for a batch as well.
    BOOST_CHECK_EQUAL(Verifications(context, cache, tx, nullptr, SLHC_VALID), CURVE_KINDS.size());
    BOOST_CHECK_EQUAL(Verifications(context, cache, tx, nullptr, SLHC_VALID), 0U);
    BOOST_CHECK_EQUAL(Verifications(context, cache, tx, batch.get(), SLHC_VALID), 0U);

    const CachePtr none{nullptr, slhc_signature_cache_destroy};
    for (int i = 0; i < 2; ++i) BOOST_CHECK_EQUAL(Verifications(context, none, tx, nullptr, SLHC_VALID), CURVE_KINDS.size());
}

BOOST_AUTO_TEST_CASE(an_invalid_signature_is_verified_each_time)
{
    const auto context{MakeContext()};
    const auto cache{MakeCache()};
    SignedSpend spend{CurveSpend()};
    BOOST_CHECK_EQUAL(Verifications(context, cache, MakeTx(spend), nullptr, SLHC_VALID), CURVE_KINDS.size());
    // A bit of s, which leaves the encoding as it was
    for (auto& txin : spend.tx.vin) txin.scriptWitness.stack[0][60] ^= 1;
    const auto spoilt{MakeTx(spend)};
    for (int i = 0; i < 3; ++i) BOOST_CHECK_EQUAL(Verifications(context, cache, spoilt, nullptr, SLHC_INVALID), CURVE_KINDS.size());
}

BOOST_AUTO_TEST_CASE(a_valid_signature_under_a_script_that_fails_is_remembered)
{
    // The script is run again and fails again; its signature does not have to be paid for twice.
    RealSigner signer;
    SignedSpend spend{MakeSpend(1), {}};
    const auto key{signer.SchnorrKey(1)};
    const LeafSpend leaf{LeafSpend::P2MR(CScript{} << std::vector<uint8_t>{key.begin(), key.end()} << OP_CHECKSIGVERIFY << OP_0)};
    spend.spent = MakeSpent({leaf.script_pub_key});
    const PrecomputedTransactionData txdata{spend.tx, std::vector<CTxOut>{spend.spent}, /*force=*/true};
    spend.tx.vin[0].scriptWitness =
        leaf.Witness({signer.SignSchnorr(1, leaf.Message(spend.tx, 0, txdata, SIGHASH_DEFAULT, KeyVersion::BIP340))});
    const auto context{MakeContext()};
    const auto cache{MakeCache()};
    const auto tx{MakeTx(spend)};
    BOOST_CHECK_EQUAL(Verifications(context, cache, tx, nullptr, SLHC_INVALID), 1U);
    BOOST_CHECK_EQUAL(Verifications(context, cache, tx, nullptr, SLHC_INVALID), 0U);
}

BOOST_AUTO_TEST_CASE(blocks_use_the_cache_as_their_mode_says)
{
    SignedSpend spend{CurveSpend()};
    const auto tx{MakeTx(spend)};
    BlockBuilder builder;
    builder.Add(spend.tx, spend.spent);
    const BlockWithSpent block{std::move(builder).Finish()};
    const auto raw{SerializeToVector(block.block)};
    const Outputs spent{block.spent_outputs};
    const auto context{MakeContext()};
    const auto verifications{[&](const CachePtr& cache, int cache_mode) {
        const size_t before{g_curve_verifications};
        BOOST_CHECK_EQUAL(slhc_verify_block_scripts(context.get(), View(raw), spent.views.data(), spent.views.size(), FLAGS, cache.get(),
                                                    cache_mode, nullptr),
                          SLHC_VALID);
        return g_curve_verifications - before;
    }};
    const size_t all{CURVE_KINDS.size()};
    {
        const auto cache{MakeCache()};
        for (int i = 0; i < 2; ++i) BOOST_CHECK_EQUAL(verifications(cache, SLHC_CACHE_ERASE_ON_HIT), all); // stores nothing
        BOOST_CHECK_EQUAL(verifications(cache, SLHC_CACHE_STORE), all);
        BOOST_CHECK_EQUAL(verifications(cache, SLHC_CACHE_STORE), 0U);
    }
    {
        // From the mempool into a block that fails, or is only proposed, and then into another one
        const auto cache{MakeCache()};
        BOOST_CHECK_EQUAL(Verifications(context, cache, tx, nullptr, SLHC_VALID), all);
        for (int i = 0; i < 3; ++i) BOOST_CHECK_EQUAL(verifications(cache, SLHC_CACHE_ERASE_ON_HIT), 0U);
    }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(memory, *boost::unit_test::precondition(CanForbidAllocations))

namespace {

/** About as much as a transaction, and a block, holds. */
constexpr size_t WITNESS_SIZE{MAX_BLOCK_WEIGHT - 10'000};

/** Memory that does not grow with the data: a short script, the text of an error. */
constexpr size_t LITTLE{16 * 1024};

/** As many elements of a size as a witness has room for. */
std::vector<std::vector<uint8_t>> Elements(size_t element_size)
{
    const size_t serialized_size{element_size + GetSizeOfCompactSize(element_size)};
    return std::vector<std::vector<uint8_t>>(WITNESS_SIZE / serialized_size, std::vector<uint8_t>(element_size, 1));
}

/** A witness that fills a transaction, and the result of running it. */
struct WitnessCase {
    const char* name;
    CScript script_pub_key;
    CScriptWitness witness;
    ScriptError expected;
    size_t most_bytes; //!< in use while it runs

    [[nodiscard]] SignedSpend Spend() const
    {
        SignedSpend spend{MakeSpend(1), MakeSpent({script_pub_key})};
        spend.tx.vin[0].scriptWitness = witness;
        return spend;
    }
};

WitnessCase LeafCase(const char* name, const LeafSpend& leaf, size_t element_size, ScriptError expected, size_t most_bytes = LITTLE)
{
    return {name, leaf.script_pub_key, leaf.Witness(Elements(element_size)), expected, most_bytes};
}

void CheckWitnessCase(const slhc_context* context, const WitnessCase& test)
{
    BOOST_TEST_CONTEXT(test.name << ", " << test.witness.stack.size() << " elements, the first of " << test.witness.stack[0].size()
                                 << " bytes")
    {
        const auto tx{MakeTx(test.Spend())};
        BOOST_REQUIRE(tx);
        const int expected{test.expected == SCRIPT_ERR_OK ? SLHC_VALID : SLHC_INVALID};
        int result{SLHC_ERROR};
        slhc_failure failure SLHC_FAILURE_INIT;
        BOOST_CHECK_LE(MostBytes([&] { result = slhc_verify_input(context, tx.get(), 0, FLAGS, nullptr, nullptr, 0, &failure); }),
                       test.most_bytes);
        BOOST_CHECK_EQUAL(result, expected);
        BOOST_CHECK_EQUAL(failure.script_error, test.expected);
    }
}

} // namespace

BOOST_AUTO_TEST_CASE(what_is_counted)
{
    const auto between{[](size_t bytes, size_t low) { return bytes >= low && bytes <= low + 100; }};
    std::unique_ptr<char[]> kept;
    BOOST_CHECK_EQUAL(MostBytes([] {}), 0U);
    const auto allocate{[&](size_t bytes) {
        kept = std::make_unique<char[]>(bytes);
        static_cast<volatile char&>(kept[0]) = 1; // a compiler may leave out an allocation that nobody uses
    }};
    BOOST_CHECK(between(MostBytes([&] {
        allocate(3000);
        kept.reset();
        allocate(1000);
    }), 3000));
    BOOST_CHECK(between(MostBytes([&] { allocate(1000); }), 1000)); // beside the one before
    BOOST_CHECK_EQUAL(MostBytes([&] { kept.reset(); }), 0U);
}

BOOST_AUTO_TEST_CASE(a_transaction_is_not_copied)
{
    // Small elements take more than their bytes, once: a vector each.
    for (const size_t element_size : {size_t{0}, size_t{1}, size_t{100}, slhdsa::SIGNATURE_SIZE, size_t{1'000'000}}) {
        const SignedSpend spend{LeafCase("", LeafSpend::P2MR(CScript{} << OP_1), element_size, SCRIPT_ERR_OK).Spend()};
        const auto raw{SerializeToVector(spend.tx)};
        const Outputs spent{spend.spent};
        TxPtr tx{nullptr, slhc_tx_destroy};
        const size_t parsed{MostBytes([&] { (void)ParseTransaction(raw); })};
        const size_t made{MostBytes([&] { tx.reset(slhc_tx_create(View(raw), spent.views.data(), spent.views.size())); })};
        BOOST_REQUIRE(tx);
        BOOST_CHECK_MESSAGE(made <= parsed + LITTLE, "elements of " << element_size << ": " << made << " bytes for a transaction of "
                                                                    << raw.size() << " bytes, which are " << parsed << " when read");
    }
}

BOOST_AUTO_TEST_CASE(spent_outputs_are_not_copied)
{
    const SignedSpend spend{MakeSpend(20'000), MakeSpent(std::vector<CScript>(20'000, CScript{} << std::vector<uint8_t>(200)))};
    const auto raw{SerializeToVector(spend.tx)};
    const Outputs spent{spend.spent};
    size_t serialized_size{raw.size()};
    for (const auto& output : spent.bytes) serialized_size += output.size();
    TxPtr tx{nullptr, slhc_tx_destroy};
    const size_t made{MostBytes([&] { tx.reset(slhc_tx_create(View(raw), spent.views.data(), spent.views.size())); })};
    BOOST_REQUIRE(tx);
    BOOST_CHECK_LE(made, 2 * serialized_size);
}

BOOST_AUTO_TEST_CASE(a_witness_is_not_copied_before_its_limits_are_checked)
{
    const auto context{MakeContext()};
    const auto check{[&](const WitnessCase& test) { CheckWitnessCase(context.get(), test); }};
    const CScript plain{CScript{} << OP_1};
    const CScript op_success{CScript{} << OP_RESERVED};
    const CScript unknown_version{CScript{} << OP_16 << std::vector<uint8_t>(32, 1)};
    for (const size_t element_size : {size_t{0}, size_t{1}, size_t{500}}) {
        check(LeafCase("P2MR", LeafSpend::P2MR(plain), element_size, SCRIPT_ERR_STACK_SIZE));
        check(LeafCase("P2TR", LeafSpend::P2TR(plain), element_size, SCRIPT_ERR_STACK_SIZE));
        check(LeafCase("P2MR, OP_SUCCESS", LeafSpend::P2MR(op_success), element_size, SCRIPT_ERR_OK));
        check(LeafCase("P2TR, OP_SUCCESS", LeafSpend::P2TR(op_success), element_size, SCRIPT_ERR_OK));
        check({"unknown version", unknown_version, {Elements(element_size)}, SCRIPT_ERR_OK, LITTLE});
    }
    check(LeafCase("P2MR, large elements", LeafSpend::P2MR(plain), slhdsa::SIGNATURE_SIZE, SCRIPT_ERR_PUSH_SIZE));
    CScriptWitness witness{LeafSpend::P2MR(plain).Witness({})};
    witness.stack.emplace_back(WITNESS_SIZE, ANNEX_TAG);
    check({"P2MR, annex", LeafSpend::P2MR(plain).script_pub_key, std::move(witness), SCRIPT_ERR_OK, LITTLE});
}

BOOST_AUTO_TEST_CASE(a_witness_that_is_run_is_copied_once)
{
    const auto context{MakeContext()};
    const auto check{[&](const WitnessCase& test) { CheckWitnessCase(context.get(), test); }};
    const CScript fails{CScript{} << OP_RETURN << OP_CHECKSIGSLHDSA};
    check(
        LeafCase("P2MR, large elements", LeafSpend::P2MR(fails), slhdsa::SIGNATURE_SIZE, SCRIPT_ERR_OP_RETURN, WITNESS_SIZE + 3 * LITTLE));
    CScript long_script{CScript{} << OP_RESERVED};
    long_script.resize(WITNESS_SIZE, OP_NOP);
    const LeafSpend leaf{LeafSpend::P2MR(long_script)};
    check({"P2MR, long script", leaf.script_pub_key, leaf.Witness({}), SCRIPT_ERR_OK, WITNESS_SIZE + LITTLE});

    // Version 0 limits the sizes of elements before the script runs, and how many they are only after its first opcode.
    const CScript script{CScript{} << OP_3DUP};
    const CScript p2wsh{CScript{} << OP_0 << std::span<const uint8_t>{Sha256(script)}};
    for (const size_t element_size : {size_t{0}, size_t{1}, size_t{500}}) {
        CScriptWitness stack{Elements(element_size)};
        const size_t copy{MostBytes([&] { const ScriptStack stack_of_all{stack.stack}; })};
        stack.stack.emplace_back(script.begin(), script.end());
        check({"P2WSH", p2wsh, std::move(stack), SCRIPT_ERR_STACK_SIZE, copy + LITTLE});
    }
    CScriptWitness large{Elements(MAX_SCRIPT_ELEMENT_SIZE + 1)};
    large.stack.emplace_back(script.begin(), script.end());
    check({"P2WSH, large elements", p2wsh, std::move(large), SCRIPT_ERR_PUSH_SIZE, LITTLE});
}

BOOST_AUTO_TEST_CASE(a_block_is_kept_once_and_its_deferred_signatures_once)
{
    FillerSigner signer;
    BlockBuilder builder;
    const std::vector<SpendKind> kinds(20, SpendKind::P2MR_SLHDSA);
    for (size_t i = 0; i < 24; ++i) {
        SignedSpend spend{SpendKinds(kinds, signer, 100 * i)};
        builder.Add(std::move(spend.tx), std::move(spend.spent));
    }
    const BlockWithSpent block{std::move(builder).Finish()};
    const auto raw{SerializeToVector(block.block)};
    BOOST_REQUIRE_GT(raw.size(), 3'800'000U);
    const Outputs spent{block.spent_outputs};
    const auto context{MakeContext()};
    int result{SLHC_ERROR};
    BOOST_CHECK_LE(MostBytes([&] {
        result = slhc_verify_block_scripts(context.get(), View(raw), spent.views.data(), spent.views.size(), FLAGS, nullptr, 0, nullptr);
    }), 3 * raw.size());
    BOOST_CHECK_EQUAL(result, SLHC_INVALID);
}

BOOST_AUTO_TEST_SUITE_END()
