// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <slhconsensus.h>

#include <capi/signature_cache.h>
#include <script/script_error.h>
#include <test/util/block_builder.h>
#include <test/util/spends.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

using namespace slhc;
using namespace slhc::test;

BOOST_AUTO_TEST_SUITE(capi_block_tests)

namespace {

using ContextPtr = std::unique_ptr<slhc_context, decltype(&slhc_context_destroy)>;

using CachePtr = std::unique_ptr<slhc_signature_cache, decltype(&slhc_signature_cache_destroy)>;

ContextPtr MakeContext(unsigned threads = 2)
{
    slhc_context_options options SLHC_CONTEXT_OPTIONS_INIT;
    options.backend = "cpu";
    options.threads = threads;
    return {slhc_context_create(&options), slhc_context_destroy};
}

slhc_bytes View(const std::vector<uint8_t>& bytes) { return {bytes.data(), bytes.size()}; }

/** A block as the C API takes it. */
struct SerializedBlock {
    std::vector<uint8_t> raw;
    std::vector<std::vector<uint8_t>> spent;

    explicit SerializedBlock(const BlockWithSpent& b) : raw{SerializeToVector(b.block)}
    {
        for (const CTxOut& output : b.spent_outputs) spent.push_back(SerializeToVector(output));
    }

    int Verify(const ContextPtr& context, slhc_failure* failure = nullptr, uint64_t flags = SLHC_VERIFY_CONSENSUS,
               slhc_signature_cache* cache = nullptr, int cache_mode = 0) const
    {
        std::vector<slhc_bytes> views;
        for (const auto& bytes : spent) views.push_back(View(bytes));
        return slhc_verify_block_scripts(context.get(), View(raw), views.data(), views.size(), flags, cache, cache_mode, failure);
    }
};

/** Two transactions of three inputs each; the middle one has an SLH-DSA signature. */
const BlockWithSpent& Block()
{
    static const BlockWithSpent block{[] {
        RealSigner signer;
        BlockBuilder builder;
        for (size_t i = 0; i < 2; ++i) {
            SignedSpend spend{SpendKinds({SpendKind::P2TR_KEY_PATH, SpendKind::P2MR_SLHDSA, SpendKind::P2MR_SCHNORR}, signer, 10 * i)};
            builder.Add(std::move(spend.tx), std::move(spend.spent));
        }
        return std::move(builder).Finish();
    }()};
    return block;
}

/** The block with an element of a witness changed. */
SerializedBlock Damaged(size_t tx_index, size_t input, const std::function<void(std::vector<std::vector<uint8_t>>&)>& change)
{
    BlockWithSpent b{Block()};
    CMutableTransaction tx{*b.block.vtx.at(tx_index)};
    change(tx.vin.at(input).scriptWitness.stack);
    b.block.vtx[tx_index] = std::make_shared<const CTransaction>(std::move(tx));
    return SerializedBlock{b};
}

void CheckError(int code, const std::string& part)
{
    slhc_error error SLHC_ERROR_INIT;
    BOOST_REQUIRE_EQUAL(slhc_last_error(&error), SLHC_OK);
    BOOST_CHECK_EQUAL(error.code, code);
    BOOST_CHECK_MESSAGE(std::string{error.message}.find(part) != std::string::npos,
                        "'" << error.message << "' does not name '" << part << "'");
}

} // namespace

BOOST_AUTO_TEST_CASE(verdicts_do_not_depend_on_the_number_of_threads)
{
    for (const unsigned threads : {1U, 3U}) {
        const auto context{MakeContext(threads)};
        BOOST_REQUIRE(context);
        slhc_failure failure SLHC_FAILURE_INIT;
        failure.tag = 77;
        BOOST_CHECK_EQUAL(SerializedBlock{Block()}.Verify(context, &failure), SLHC_VALID);
        BOOST_CHECK_EQUAL(failure.tag, 77U);
        BOOST_CHECK_EQUAL(SerializedBlock{BlockBuilder{}.Finish()}.Verify(context), SLHC_VALID);

        const auto check_failure{[&](const SerializedBlock& block, uint64_t tx_index, uint32_t input, uint32_t opcode_pos, int error) {
            slhc_failure found SLHC_FAILURE_INIT;
            BOOST_CHECK_EQUAL(block.Verify(context), SLHC_INVALID); // failure is nullable
            BOOST_REQUIRE_EQUAL(block.Verify(context, &found), SLHC_INVALID);
            BOOST_CHECK_EQUAL(found.tag, tx_index);
            BOOST_CHECK_EQUAL(found.input, input);
            BOOST_CHECK_EQUAL(found.opcode_pos, opcode_pos);
            BOOST_CHECK_EQUAL(slhc_script_error_string(found.script_error), std::string{ScriptErrorName(static_cast<ScriptError>(error))});
        }};
        check_failure(Damaged(2, 1, [](auto& stack) { stack[0][7000] ^= 1; }), 2, 1, 1, SCRIPT_ERR_SLHDSA_SIG);
        check_failure(Damaged(1, 1, [](auto& stack) { stack[0].clear(); }), 1, 1, SLHC_NO_OPCODE, SCRIPT_ERR_EVAL_FALSE);
        check_failure(Damaged(1, 1, [](auto& stack) { stack[0].push_back(4); }), 1, 1, 1, SCRIPT_ERR_SLHDSA_SIG_HASHTYPE);
        check_failure(Damaged(1, 2, [](auto& stack) { stack[0][3] ^= 1; }), 1, 2, 1, SCRIPT_ERR_SCHNORR_SIG);
        check_failure(Damaged(2, 0, [](auto& stack) { stack.clear(); }), 2, 0, SLHC_NO_OPCODE, SCRIPT_ERR_WITNESS_PROGRAM_WITNESS_EMPTY);
        check_failure(Damaged(2, 2, [](auto& stack) { stack.back()[5] ^= 1; }), 2, 2, SLHC_NO_OPCODE, SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
    }
}

BOOST_AUTO_TEST_CASE(flags_decide)
{
    // Without P2MR the outputs are unknown programs, which anyone may spend.
    const auto context{MakeContext()};
    const SerializedBlock bad{Damaged(2, 1, [](auto& stack) { stack[0][7000] ^= 1; })};
    BOOST_CHECK_EQUAL(bad.Verify(context, nullptr, SLHC_VERIFY_CONSENSUS & ~(SLHC_VERIFY_P2MR | SLHC_VERIFY_SLHDSA)),
                      SLHC_VALID);
    BOOST_CHECK_EQUAL(bad.Verify(context), SLHC_INVALID);
}

BOOST_AUTO_TEST_CASE(cache_modes)
{
    const auto context{MakeContext()};
    const SerializedBlock block{Block()};
    const CachePtr cache{slhc_signature_cache_create(0), slhc_signature_cache_destroy};
    BOOST_REQUIRE(cache);
    const auto hits_of{[&](int cache_mode) {
        const uint64_t before{cache->cache.GetStats().hits};
        BOOST_CHECK_EQUAL(block.Verify(context, nullptr, SLHC_VERIFY_CONSENSUS, cache.get(), cache_mode), SLHC_VALID);
        return cache->cache.GetStats().hits - before;
    }};
    constexpr uint64_t all{6}; // two of SLH-DSA, four of BIP 340
    BOOST_CHECK_EQUAL(hits_of(SLHC_CACHE_ERASE_ON_HIT), 0U);
    BOOST_CHECK_EQUAL(hits_of(SLHC_CACHE_STORE), 0U);
    BOOST_CHECK_EQUAL(hits_of(SLHC_CACHE_STORE), all);
    // It may be overwritten, and is found until another entry takes its place.
    for (int round = 0; round < 2; ++round) BOOST_CHECK_EQUAL(hits_of(SLHC_CACHE_ERASE_ON_HIT), all);
}

BOOST_AUTO_TEST_CASE(usage_and_data_errors)
{
    const auto context{MakeContext(1)};
    const CachePtr cache{slhc_signature_cache_create(1 << 12), slhc_signature_cache_destroy};
    const SerializedBlock block{Block()};
    std::vector<slhc_bytes> views;
    for (const auto& bytes : block.spent) views.push_back(View(bytes));
    const auto verify{[&](slhc_bytes raw, size_t n_spent, uint64_t flags = SLHC_VERIFY_CONSENSUS, int mode = SLHC_CACHE_STORE,
                          slhc_failure* failure = nullptr) {
        return slhc_verify_block_scripts(context.get(), raw, views.data(), n_spent, flags, cache.get(), mode, failure);
    }};
    BOOST_CHECK_EQUAL(verify(View(block.raw), views.size()), SLHC_VALID);

    BOOST_CHECK_EQUAL(slhc_verify_block_scripts(nullptr, View(block.raw), views.data(), views.size(), 0, nullptr, 0, nullptr), SLHC_ERROR);
    CheckError(SLHC_ERR_ARGUMENT, "context");
    BOOST_CHECK_EQUAL(slhc_verify_block_scripts(context.get(), View(block.raw), nullptr, views.size(), 0, nullptr, 0, nullptr), SLHC_ERROR);
    CheckError(SLHC_ERR_ARGUMENT, "spent_outputs");
    BOOST_CHECK_EQUAL(verify({nullptr, 100}, views.size()), SLHC_ERROR);
    CheckError(SLHC_ERR_ARGUMENT, "raw_block");
    for (const size_t n : {size_t{0}, views.size() - 1}) {
        BOOST_CHECK_EQUAL(verify(View(block.raw), n), SLHC_ERROR);
        CheckError(SLHC_ERR_ARGUMENT, "n_spent is " + std::to_string(n) + ", but the block without its coinbase has 6 inputs");
    }
    BOOST_CHECK_EQUAL(verify(View(block.raw), views.size(), SLHC_VERIFY_WITNESS), SLHC_ERROR);
    CheckError(SLHC_ERR_ARGUMENT, "flags");
    for (const int mode : {-1, 3}) {
        BOOST_CHECK_EQUAL(verify(View(block.raw), views.size(), SLHC_VERIFY_CONSENSUS, mode), SLHC_ERROR);
        CheckError(SLHC_ERR_ARGUMENT, "cache_mode " + std::to_string(mode));
    }
    slhc_failure small{};
    small.struct_size = sizeof(small) - 1;
    BOOST_CHECK_EQUAL(verify(View(block.raw), views.size(), SLHC_VERIFY_CONSENSUS, SLHC_CACHE_STORE, &small), SLHC_ERROR);
    CheckError(SLHC_ERR_ARGUMENT, "failure");

    // Every way to cut the block short, and a byte too much.
    for (size_t size = 0; size < block.raw.size(); size += size < 400 ? 1 : 997) {
        BOOST_CHECK_EQUAL(verify({block.raw.data(), size}, views.size()), SLHC_ERROR);
        CheckError(SLHC_ERR_DATA, "at byte");
    }
    auto longer{block.raw};
    longer.push_back(0);
    BOOST_CHECK_EQUAL(verify(View(longer), views.size()), SLHC_ERROR);
    CheckError(SLHC_ERR_DATA, "byte");
    views[4].size -= 1;
    BOOST_CHECK_EQUAL(verify(View(block.raw), views.size()), SLHC_ERROR);
    CheckError(SLHC_ERR_DATA, "spent_outputs[4]");
}

BOOST_AUTO_TEST_CASE(an_interrupted_context_gives_no_verdict)
{
    const auto context{MakeContext()};
    BOOST_REQUIRE_EQUAL(slhc_context_interrupt(context.get()), SLHC_OK);
    BOOST_CHECK_EQUAL(SerializedBlock{Block()}.Verify(context), SLHC_ERROR);
    CheckError(SLHC_ERR_INTERRUPTED, "interrupted");
}

BOOST_AUTO_TEST_SUITE_END()
