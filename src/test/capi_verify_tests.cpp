// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <slhconsensus.h>

#include <capi/signature_cache.h>
#include <primitives/block.h>
#include <primitives/transaction.h>
#include <script/script_error.h>
#include <script/sighash.h>
#include <script/verify_flags.h>
#include <test/util/spends.h>

#include <boost/test/unit_test.hpp>

#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace slhc;

namespace {

using ContextPtr = std::unique_ptr<slhc_context, decltype(&slhc_context_destroy)>;
using BatchPtr = std::unique_ptr<slhc_batch, decltype(&slhc_batch_destroy)>;
using TxPtr = std::unique_ptr<slhc_tx, decltype(&slhc_tx_destroy)>;
using ByteVector = std::vector<uint8_t>;

constexpr uint64_t FLAGS{SLHC_VERIFY_CONSENSUS};

/** The inputs of the transaction below, by what their leaf scripts do. */
enum Input : unsigned {
    SINGLE,   //!< <pk0> OP_CHECKSIGSLHDSA
    TWO,      //!< <pk0> OP_CHECKSIGSLHDSA <pk1> OP_CHECKSIGADDSLHDSA 2 OP_NUMEQUAL
    NO_SIG,   //!< OP_1
    FAILING,  //!< <pk0> OP_CHECKSIGSLHDSA OP_VERIFY OP_RETURN
    N_INPUTS,
};

using Tag = std::array<uint64_t, 3>;

slhc_bytes View(const ByteVector& bytes) { return {bytes.data(), bytes.size()}; }

/** A transaction with one P2MR input for each of these leaf scripts, and its spent outputs. */
struct Spend {
    CMutableTransaction tx;
    std::vector<CTxOut> spent;

    [[nodiscard]] TxPtr ToC() const
    {
        const ByteVector raw{SerializeToVector(tx)};
        std::vector<ByteVector> outputs;
        std::vector<slhc_bytes> views;
        for (const CTxOut& output : spent) outputs.push_back(SerializeToVector(output));
        for (const ByteVector& output : outputs) views.push_back(View(output));
        return {slhc_tx_create(View(raw), views.data(), views.size()), slhc_tx_destroy};
    }

    /** The same with a spoilt signature for the first check of an input. */
    [[nodiscard]] Spend Tampered(Input input) const
    {
        Spend spoilt{*this};
        auto& stack{spoilt.tx.vin[input].scriptWitness.stack};
        stack[stack.size() - 3][5000] ^= 1;
        return spoilt;
    }
};

/** Made once: the scalar code signs slowly. */
const Spend& SignedSpend()
{
    static const Spend spend{[] {
        test::RealSigner signer;
        const auto pk0{signer.SLHDSAKey(0)}, pk1{signer.SLHDSAKey(1)};
        std::array<test::LeafSpend, N_INPUTS> leaves;
        leaves[SINGLE] = test::LeafSpend::P2MR(CScript{} << pk0 << OP_CHECKSIGSLHDSA);
        leaves[TWO] = test::LeafSpend::P2MR(CScript{} << pk0 << OP_CHECKSIGSLHDSA << pk1 << OP_CHECKSIGADDSLHDSA << OP_2 << OP_NUMEQUAL);
        leaves[NO_SIG] = test::LeafSpend::P2MR(CScript{} << OP_1);
        leaves[FAILING] = test::LeafSpend::P2MR(CScript{} << pk0 << OP_CHECKSIGSLHDSA << OP_VERIFY << OP_RETURN);
        Spend made{.tx = test::MakeSpend(N_INPUTS), .spent = {}};
        for (const auto& leaf : leaves) made.spent.emplace_back(1000, leaf.script_pub_key);

        const PrecomputedTransactionData txdata{made.tx, std::vector<CTxOut>{made.spent}, /*force=*/true};
        const auto sign{[&](Input input, size_t key) {
            return signer.SignSLHDSA(key, leaves[input].Message(made.tx, input, txdata, SIGHASH_DEFAULT, KeyVersion::SLHDSA));
        }};
        const std::array<std::vector<ByteVector>, N_INPUTS> elements{{
            {sign(SINGLE, 0)}, {sign(TWO, 1), sign(TWO, 0)}, {}, {sign(FAILING, 0)}
        }};
        for (unsigned i = 0; i < N_INPUTS; ++i) made.tx.vin[i].scriptWitness = leaves[i].Witness(elements[i]);
        return made;
    }()};
    return spend;
}

using CachePtr = std::unique_ptr<slhc_signature_cache, decltype(&slhc_signature_cache_destroy)>;

CachePtr MakeCache() { return {slhc_signature_cache_create(0), slhc_signature_cache_destroy}; }

ContextPtr MakeContext(const char* backend = "cpu")
{
    slhc_context_options options SLHC_CONTEXT_OPTIONS_INIT;
    options.backend = backend;
    options.threads = 2;
    return {slhc_context_create(&options), slhc_context_destroy};
}

BatchPtr MakeBatch(const ContextPtr& context) { return {slhc_batch_create(context.get(), 0), slhc_batch_destroy}; }

std::string ErrorName(int script_error) { return slhc_script_error_string(script_error); }

void CheckError(int code, std::initializer_list<const char*> names)
{
    slhc_error error SLHC_ERROR_INIT;
    BOOST_REQUIRE_EQUAL(slhc_last_error(&error), SLHC_OK);
    BOOST_CHECK_EQUAL(error.code, code);
    for (const char* name : names) {
        BOOST_CHECK_MESSAGE(std::strstr(error.message, name) != nullptr, "'" << error.message << "' does not name " << name);
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(capi_verify_tests)

BOOST_AUTO_TEST_CASE(eager_and_deferred)
{
    const auto tx{SignedSpend().ToC()};
    BOOST_REQUIRE(tx);

    for (const char* backend : {"cpu:portable", "cpu"}) {
        const auto context{MakeContext(backend)};
        const auto batch{MakeBatch(context)};
        for (unsigned i = 0; i < N_INPUTS; ++i) {
            slhc_failure now SLHC_FAILURE_INIT, later SLHC_FAILURE_INIT;
            const int eager{slhc_verify_input(context.get(), tx.get(), i, FLAGS, nullptr, nullptr, 6, &now)};
            BOOST_CHECK_EQUAL(eager, i == FAILING ? SLHC_INVALID : SLHC_VALID);
            const int deferred{slhc_verify_input(context.get(), tx.get(), i, FLAGS, nullptr, batch.get(), 7, &later)};
            // Deferred only where there is something to defer.
            BOOST_CHECK_EQUAL(deferred, i == FAILING ? SLHC_INVALID : i == NO_SIG ? SLHC_VALID : SLHC_DEFERRED);
            for (const slhc_failure& failure : {now, later}) {
                BOOST_CHECK_EQUAL(ErrorName(failure.script_error), i == FAILING ? "SCRIPT_ERR_OP_RETURN" : "SCRIPT_ERR_OK");
                BOOST_CHECK_EQUAL(failure.input, i == FAILING ? i : 0U);
            }
            if (i == FAILING) BOOST_CHECK(now.tag == 6 && later.tag == 7);
        }
        BOOST_CHECK_EQUAL(slhc_batch_size(batch.get()), 3U); // what FAILING had staged did not join
        BOOST_CHECK_EQUAL(slhc_batch_verify(batch.get(), nullptr), SLHC_VALID);

        slhc_failure failure SLHC_FAILURE_INIT;
        BOOST_CHECK_EQUAL(slhc_verify_input(context.get(), tx.get(), NO_SIG, FLAGS, nullptr, batch.get(), 7, &failure), SLHC_ERROR);
        CheckError(SLHC_ERR_STATE, {"slhc_verify_input", "has been verified"});
        BOOST_CHECK_EQUAL(failure.script_error, 0);
    }
}

BOOST_AUTO_TEST_CASE(invalid_signatures)
{
    const auto context{MakeContext()};
    slhc_failure failure SLHC_FAILURE_INIT;
    {
        const auto tx{SignedSpend().Tampered(TWO).ToC()};
        BOOST_CHECK_EQUAL(slhc_verify_input(context.get(), tx.get(), TWO, FLAGS, nullptr, nullptr, 0, &failure), SLHC_INVALID);
        BOOST_CHECK_EQUAL(failure.input, TWO);
        BOOST_CHECK_EQUAL(ErrorName(failure.script_error), "SCRIPT_ERR_SLHDSA_SIG");
        BOOST_CHECK_EQUAL(failure.script, SLHC_SCRIPT_LEAF);
        BOOST_CHECK_EQUAL(failure.opcode_pos, 1U);
        BOOST_CHECK_EQUAL(failure.opcode, 0x7f);
        const auto batch{MakeBatch(context)};
        BOOST_CHECK_EQUAL(slhc_verify_input(context.get(), tx.get(), TWO, FLAGS, nullptr, batch.get(), 1000, &failure), SLHC_DEFERRED);
        BOOST_CHECK_EQUAL(slhc_verify_input(context.get(), tx.get(), SINGLE, FLAGS, nullptr, batch.get(), 1000, &failure), SLHC_DEFERRED);
        Tag tag{};
        BOOST_CHECK_EQUAL(slhc_batch_verify(batch.get(), tag.data()), SLHC_INVALID);
        BOOST_CHECK((tag == Tag{1000, TWO, 1 << 8 | 0x7f}));
        BOOST_CHECK_EQUAL(slhc_batch_verdict(batch.get(), 0, nullptr), SLHC_INVALID);
        BOOST_CHECK_EQUAL(slhc_batch_verdict(batch.get(), 1, nullptr), SLHC_VALID);
        BOOST_CHECK_EQUAL(slhc_batch_verdict(batch.get(), 2, nullptr), SLHC_VALID);
    }
    // An invalid signature comes before the script's own failure, deferred as eager; and nothing joins the batch.
    const auto tx{SignedSpend().Tampered(FAILING).ToC()};
    const auto batch{MakeBatch(context)};
    for (slhc_batch* to : {static_cast<slhc_batch*>(nullptr), batch.get()}) {
        BOOST_CHECK_EQUAL(slhc_verify_input(context.get(), tx.get(), FAILING, FLAGS, nullptr, to, 0, &failure), SLHC_INVALID);
        BOOST_CHECK_EQUAL(ErrorName(failure.script_error), "SCRIPT_ERR_SLHDSA_SIG");
    }
    BOOST_CHECK_EQUAL(slhc_batch_size(batch.get()), 0U);
}

BOOST_AUTO_TEST_CASE(verify_flags)
{
    const auto context{MakeContext()};
    const auto tx{SignedSpend().Tampered(SINGLE).ToC()};
    const auto verify{[&](uint64_t flags) {
        return slhc_verify_input(context.get(), tx.get(), SINGLE, flags, nullptr, nullptr, 0, nullptr);
    }};
    BOOST_CHECK_EQUAL(verify(FLAGS), SLHC_INVALID);
    // Without their flags, the opcodes are OP_SUCCESSx and the output is anyone's.
    BOOST_CHECK_EQUAL(verify(FLAGS & ~SLHC_VERIFY_SLHDSA), SLHC_VALID);
    BOOST_CHECK_EQUAL(verify(FLAGS & ~SLHC_VERIFY_P2MR), SLHC_VALID);
    BOOST_CHECK_EQUAL(verify(SLHC_VERIFY_NONE), SLHC_VALID);
    for (const uint64_t bad :
         {uint64_t{MAX_SCRIPT_VERIFY_FLAGS + 1}, UINT64_C(1) << 63, FLAGS | UINT64_C(1) << 40, uint64_t{SLHC_VERIFY_WITNESS},
          uint64_t{SLHC_VERIFY_CLEANSTACK}, uint64_t{SLHC_VERIFY_CLEANSTACK | SLHC_VERIFY_P2SH}}) {
        BOOST_CHECK_EQUAL(verify(bad), SLHC_ERROR);
        CheckError(SLHC_ERR_ARGUMENT, {"flags"});
    }
}

BOOST_AUTO_TEST_CASE(usage_errors)
{
    const auto context{MakeContext()};
    const auto tx{SignedSpend().ToC()};
    const auto refused{[](int result, std::initializer_list<const char*> names) {
        BOOST_CHECK_EQUAL(result, SLHC_ERROR);
        CheckError(SLHC_ERR_ARGUMENT, names);
    }};
    refused(slhc_verify_input(nullptr, tx.get(), 0, FLAGS, nullptr, nullptr, 0, nullptr), {"slhc_verify_input", "context is NULL"});
    refused(slhc_verify_input(context.get(), nullptr, 0, FLAGS, nullptr, nullptr, 0, nullptr), {"tx is NULL"});
    refused(slhc_verify_input(context.get(), tx.get(), N_INPUTS, FLAGS, nullptr, nullptr, 0, nullptr), {"n_in is 4"});
    refused(slhc_verify_input(context.get(), tx.get(), UINT_MAX, FLAGS, nullptr, nullptr, 0, nullptr), {"n_in"});
    BOOST_CHECK_EQUAL(slhc_verify_input(context.get(), tx.get(), 0, FLAGS, nullptr, nullptr, 0, nullptr), SLHC_VALID);
    slhc_failure small SLHC_FAILURE_INIT;
    small.struct_size = 8;
    refused(slhc_verify_input(context.get(), tx.get(), 0, FLAGS, nullptr, nullptr, 0, &small), {"failure", "struct_size"});
    slhc_tx_destroy(nullptr);
}

BOOST_AUTO_TEST_CASE(malformed_transactions)
{
    const Spend& spend{SignedSpend()};
    const auto create{[&](const ByteVector& raw, const std::vector<ByteVector>& outputs) {
        std::vector<slhc_bytes> views;
        for (const ByteVector& output : outputs) views.push_back(View(output));
        return TxPtr{slhc_tx_create(View(raw), views.data(), views.size()), slhc_tx_destroy};
    }};
    const ByteVector raw{SerializeToVector(spend.tx)};
    std::vector<ByteVector> outputs;
    for (const CTxOut& output : spend.spent) outputs.push_back(SerializeToVector(output));
    BOOST_REQUIRE(create(raw, outputs));

    // Every truncation, in steps that meet every field outside the large elements.
    for (size_t size = 0; size < raw.size(); size += size < 400 ? 1 : 613) {
        BOOST_CHECK(!create({raw.begin(), raw.begin() + static_cast<ptrdiff_t>(size)}, outputs));
        CheckError(SLHC_ERR_DATA, {"slhc_tx_create: "});
    }
    ByteVector trailing{raw};
    trailing.push_back(0);
    BOOST_CHECK(!create(trailing, outputs));
    CheckError(SLHC_ERR_DATA, {});

    auto fewer{outputs};
    fewer.pop_back();
    BOOST_CHECK(!create(raw, fewer));
    CheckError(SLHC_ERR_ARGUMENT, {"n_spent is 3"});
    auto more{outputs};
    more.push_back(outputs[0]);
    BOOST_CHECK(!create(raw, more));
    for (const size_t cut : {size_t{0}, size_t{7}, outputs[2].size() - 1}) {
        auto cut_short{outputs};
        cut_short[2].resize(cut);
        BOOST_CHECK(!create(raw, cut_short));
        CheckError(SLHC_ERR_DATA, {"spent_outputs[2]"});
    }
    auto longer{outputs};
    longer[1].push_back(0);
    BOOST_CHECK(!create(raw, longer));
    CheckError(SLHC_ERR_DATA, {"spent_outputs[1]"});

    BOOST_CHECK(!slhc_tx_create({nullptr, 10}, nullptr, 0));
    CheckError(SLHC_ERR_ARGUMENT, {});
    BOOST_CHECK(!slhc_tx_create(View(raw), nullptr, N_INPUTS));
    CheckError(SLHC_ERR_ARGUMENT, {});
    const std::vector<slhc_bytes> holes(N_INPUTS, slhc_bytes{nullptr, 9});
    BOOST_CHECK(!slhc_tx_create(View(raw), holes.data(), holes.size()));
    CheckError(SLHC_ERR_ARGUMENT, {"spent_outputs[0]"});
}

BOOST_AUTO_TEST_CASE(signature_cache)
{
    const auto context{MakeContext()};
    const auto cache{MakeCache()};
    const auto tx{SignedSpend().ToC()};
    const auto bad{SignedSpend().Tampered(TWO).ToC()};
    const auto hits{[&] { return cache->cache.GetStats().hits; }};
    const auto verify{[&](const TxPtr& which, unsigned input, const BatchPtr& batch) {
        return slhc_verify_input(context.get(), which.get(), input, FLAGS, cache.get(), batch.get(), 0, nullptr);
    }};
    const BatchPtr none{nullptr, slhc_batch_destroy};
    const auto first{MakeBatch(context)}, batch{MakeBatch(context)};

    // Signatures that a batch has verified are not stored.
    BOOST_CHECK_EQUAL(verify(tx, SINGLE, first), SLHC_DEFERRED);
    BOOST_CHECK_EQUAL(slhc_batch_verify(first.get(), nullptr), SLHC_VALID);
    BOOST_CHECK_EQUAL(verify(tx, SINGLE, batch), SLHC_DEFERRED);
    BOOST_CHECK_EQUAL(hits(), 0U);

    // Those that were verified at once are, and then there is nothing to defer.
    BOOST_CHECK_EQUAL(verify(tx, SINGLE, none), SLHC_VALID);
    BOOST_CHECK_EQUAL(hits(), 0U);
    BOOST_CHECK_EQUAL(verify(tx, SINGLE, none), SLHC_VALID);
    BOOST_CHECK_EQUAL(hits(), 1U);
    BOOST_CHECK_EQUAL(verify(tx, SINGLE, batch), SLHC_VALID);
    BOOST_CHECK_EQUAL(hits(), 2U);

    // A false verdict is never stored: the first signature consumed is invalid, and stays so.
    for (int round = 0; round < 3; ++round) BOOST_CHECK_EQUAL(verify(bad, TWO, none), SLHC_INVALID);
    BOOST_CHECK_EQUAL(hits(), 2U);
}

BOOST_AUTO_TEST_CASE(destroy_order_is_free)
{
    auto context{MakeContext()};
    const auto batch{MakeBatch(context)};
    auto tx{SignedSpend().Tampered(SINGLE).ToC()};
    BOOST_CHECK_EQUAL(slhc_verify_input(context.get(), tx.get(), SINGLE, FLAGS, nullptr, batch.get(), 5, nullptr), SLHC_DEFERRED);
    tx.reset();
    context.reset();
    Tag tag{};
    BOOST_CHECK_EQUAL(slhc_batch_verify(batch.get(), tag.data()), SLHC_INVALID);
    BOOST_CHECK_EQUAL(tag[0], 5U);
}

BOOST_AUTO_TEST_CASE(many_threads_one_batch)
{
    const auto context{MakeContext()};
    const auto cache{MakeCache()};
    const auto batch{MakeBatch(context)};
    const auto good{SignedSpend().ToC()};
    const auto bad{SignedSpend().Tampered(TWO).ToC()};
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (uint64_t t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            for (uint64_t i = 0; i < 5; ++i) {
                const uint64_t tag{t * 5 + i};
                const slhc_tx* tx{tag == 7 || tag == 13 ? bad.get() : good.get()};
                if (slhc_verify_input(context.get(), tx, TWO, FLAGS, cache.get(), batch.get(), tag, nullptr) != SLHC_DEFERRED) ++wrong;
                if (slhc_verify_input(context.get(), tx, NO_SIG, FLAGS, cache.get(), batch.get(), tag, nullptr) != SLHC_VALID) ++wrong;
                if (slhc_verify_input(context.get(), tx, FAILING, FLAGS, cache.get(), batch.get(), tag, nullptr) != SLHC_INVALID) ++wrong;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    BOOST_CHECK_EQUAL(wrong.load(), 0);
    BOOST_CHECK_EQUAL(slhc_batch_size(batch.get()), 40U);
    Tag tag{};
    BOOST_CHECK_EQUAL(slhc_batch_verify(batch.get(), tag.data()), SLHC_INVALID);
    BOOST_CHECK_EQUAL(tag[0], 7U);
}

BOOST_AUTO_TEST_CASE(blocks)
{
    const auto context{MakeContext()};
    const auto cache{MakeCache()};
    Spend good{SignedSpend()};
    good.tx.vin.pop_back(); // FAILING
    good.spent.pop_back();
    BOOST_REQUIRE_EQUAL(good.tx.vin.size(), FAILING);

    const auto block_of{[](const std::vector<CMutableTransaction>& spends) {
        CBlock block;
        CMutableTransaction coinbase;
        coinbase.vin.emplace_back(COutPoint{}, CScript{} << OP_1 << OP_1);
        coinbase.vout.emplace_back(50, CScript{} << OP_1);
        block.vtx.push_back(std::make_shared<const CTransaction>(coinbase));
        for (const auto& tx : spends) block.vtx.push_back(std::make_shared<const CTransaction>(tx));
        return SerializeToVector(block);
    }};
    const auto verify{[&](const ByteVector& raw, const std::vector<CTxOut>& spent, slhc_failure* failure, int cache_mode = SLHC_CACHE_STORE,
                          uint64_t flags = FLAGS) {
        std::vector<ByteVector> outputs;
        std::vector<slhc_bytes> views;
        for (const CTxOut& output : spent)
            outputs.push_back(SerializeToVector(output));
        for (const ByteVector& output : outputs)
            views.push_back(View(output));
        return slhc_verify_block_scripts(context.get(), View(raw), views.data(), views.size(), flags, cache.get(), cache_mode, failure);
    }};
    slhc_failure failure SLHC_FAILURE_INIT;
    BOOST_CHECK_EQUAL(verify(block_of({}), {}, &failure), SLHC_VALID); // a coinbase alone
    BOOST_CHECK_EQUAL(failure.tag, 0U);

    // With an input less, the signatures are over another message.
    const ByteVector raw{block_of({good.tx})};
    BOOST_CHECK_EQUAL(verify(raw, good.spent, nullptr), SLHC_INVALID);
    BOOST_CHECK_EQUAL(verify(raw, good.spent, &failure), SLHC_INVALID);
    BOOST_CHECK_EQUAL(failure.tag, 1U);
    BOOST_CHECK_EQUAL(failure.input, SINGLE);
    BOOST_CHECK_EQUAL(failure.opcode_pos, 1U);
    BOOST_CHECK_EQUAL(ErrorName(failure.script_error), "SCRIPT_ERR_SLHDSA_SIG");
    // All signatures are right: the last input fails by its own script.
    const ByteVector whole{block_of({SignedSpend().tx})};
    for (const int cache_mode : {SLHC_CACHE_STORE, SLHC_CACHE_ERASE_ON_HIT}) {
        BOOST_CHECK_EQUAL(verify(whole, SignedSpend().spent, &failure, cache_mode), SLHC_INVALID);
        BOOST_CHECK_EQUAL(failure.input, FAILING);
        BOOST_CHECK_EQUAL(ErrorName(failure.script_error), "SCRIPT_ERR_OP_RETURN");
    }
    BOOST_CHECK_EQUAL(verify(whole, SignedSpend().spent, &failure, SLHC_CACHE_STORE, FLAGS & ~SLHC_VERIFY_SLHDSA), SLHC_VALID);

    const auto refused{[](int result, int code, const char* name) {
        BOOST_CHECK_EQUAL(result, SLHC_ERROR);
        CheckError(code, {"slhc_verify_block_scripts", name});
    }};
    refused(slhc_verify_block_scripts(nullptr, View(raw), nullptr, 0, FLAGS, nullptr, 0, nullptr), SLHC_ERR_ARGUMENT, "context");
    refused(verify(raw, {}, nullptr), SLHC_ERR_ARGUMENT, "n_spent is 0");
    refused(verify(raw, SignedSpend().spent, nullptr), SLHC_ERR_ARGUMENT, "n_spent is 4");
    refused(verify(raw, good.spent, nullptr, 3), SLHC_ERR_ARGUMENT, "cache_mode 3");
    refused(verify(raw, good.spent, nullptr, SLHC_CACHE_STORE, UINT64_C(1) << 30), SLHC_ERR_ARGUMENT, "flags");
    refused(verify({}, {}, nullptr), SLHC_ERR_DATA, "byte 0");
    refused(verify({raw.begin(), raw.end() - 1}, good.spent, nullptr), SLHC_ERR_DATA, "transaction 1");
    slhc_failure small SLHC_FAILURE_INIT;
    small.struct_size = 8;
    refused(verify(raw, good.spent, &small), SLHC_ERR_ARGUMENT, "struct_size");
}

BOOST_AUTO_TEST_CASE(leaf_scan)
{
    const auto scan{[](const ByteVector& script) {
        unsigned found{99};
        BOOST_CHECK_EQUAL(slhc_scan_leaf(View(script), &found), SLHC_OK);
        return found;
    }};
    BOOST_CHECK_EQUAL(scan({}), 0U);
    BOOST_CHECK_EQUAL(scan({0x51}), 0U);
    BOOST_CHECK_EQUAL(scan({0x7f}), SLHC_LEAF_SLHDSA);
    BOOST_CHECK_EQUAL(scan({0x80}), SLHC_LEAF_SLHDSA);
    BOOST_CHECK_EQUAL(scan({0x50}), SLHC_LEAF_OP_SUCCESS);
    BOOST_CHECK_EQUAL(scan({0x7f, 0x50}), SLHC_LEAF_SLHDSA | SLHC_LEAF_OP_SUCCESS);
    BOOST_CHECK_EQUAL(scan({0x4b}), SLHC_LEAF_UNDECODABLE);
    BOOST_CHECK_EQUAL(scan({0x80, 0x4c}), SLHC_LEAF_SLHDSA | SLHC_LEAF_UNDECODABLE);
    BOOST_CHECK_EQUAL(scan({0x50, 0x4b}), SLHC_LEAF_OP_SUCCESS);
    BOOST_CHECK_EQUAL(scan({0x01, 0x7f}), 0U); // as data it is no opcode
    unsigned found{99};
    BOOST_CHECK_EQUAL(slhc_scan_leaf({nullptr, 1}, &found), SLHC_ERROR);
    BOOST_CHECK_EQUAL(slhc_scan_leaf({nullptr, 0}, nullptr), SLHC_ERROR);
}

BOOST_AUTO_TEST_CASE(script_error_names)
{
    for (int error = 0; error < SCRIPT_ERR_ERROR_COUNT; ++error) {
        BOOST_CHECK(ScriptErrorFromName(slhc_script_error_string(error)) == static_cast<ScriptError>(error));
    }
    for (const int none : {-1, static_cast<int>(SCRIPT_ERR_ERROR_COUNT), INT_MAX, INT_MIN}) {
        BOOST_CHECK_EQUAL(slhc_script_error_string(none), "SCRIPT_ERR_UNKNOWN_ERROR");
    }
}

BOOST_AUTO_TEST_SUITE_END()
