// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <consensus/block_scripts.h>

#include <consensus/block_check.h>
#include <pqc/backends.h>
#include <script/interpreter.h>
#include <script/observer.h>
#include <test/damaged_blocks.h>
#include <test/random_source.h>
#include <test/util/block_builder.h>
#include <test/util/spends.h>

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <new>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace slhc;
using namespace slhc::test;
using slhdsa::test::FakeBackend;

BOOST_AUTO_TEST_SUITE(block_scripts_tests)

namespace {

/** The block is valid, or fails as expected, at any time of verification and with any number of threads. */
void CheckEveryWay(const BlockWithSpent& b, const std::optional<BlockScriptFailure>& expected, const std::string& what)
{
    for (const SignatureTiming timing : {SignatureTiming::EAGER, SignatureTiming::DEFERRED}) {
        for (const unsigned threads : {1U, 2U, 5U}) {
            FakeVerifier fake{threads};
            const BlockScriptResult result{VerifyBlockScripts(b.block, b.spent_outputs, FLAGS, fake.verifier, {.timing = timing})};
            const std::string how{what + (timing == SignatureTiming::EAGER ? ", eager, " : ", deferred, ") + std::to_string(threads) +
                                  " threads"};
            BOOST_CHECK_MESSAGE(result.status == (expected ? BlockScriptStatus::INVALID : BlockScriptStatus::VALID),
                                how << ": wrong verdict");
            BOOST_REQUIRE_EQUAL(result.failure.has_value(), expected.has_value());
            if (expected) BOOST_CHECK_MESSAGE(*result.failure == *expected, how << ": " << *result.failure << " instead of " << *expected);
        }
    }
}

/** The block with another bit in the first element of that input's witness. */
CBlock WithDamagedWitness(const CBlock& block, size_t tx_index, uint32_t n_in)
{
    CBlock damaged{block};
    CMutableTransaction tx{*damaged.vtx[tx_index]};
    tx.vin[n_in].scriptWitness.stack[0][40] ^= 4;
    damaged.vtx[tx_index] = std::make_shared<const CTransaction>(std::move(tx));
    return damaged;
}

bool CacheHas(SignatureCache& cache, const BlockWithSpent& b, size_t tx_index, uint32_t n_in, bool first, Signer& signer, size_t key = 1)
{
    const CMutableTransaction tx{*b.block.vtx[tx_index]};
    size_t offset{n_in};
    for (size_t i = 1; i < tx_index; ++i) offset += b.block.vtx[i]->vin.size();
    const LeafSpend leaf{LeafSpend::P2MR(TwoChecks(signer, key))};
    const auto spent_begin{b.spent_outputs.begin() + static_cast<std::ptrdiff_t>(offset - n_in)};
    const PrecomputedTransactionData txdata{tx, {spent_begin, spent_begin + static_cast<std::ptrdiff_t>(tx.vin.size())}, /*force=*/true};
    const auto& signature{tx.vin[n_in].scriptWitness.stack[first ? 2 : 1]};
    if (signature.size() != slhdsa::SIGNATURE_SIZE) return false;
    const uint256 message{leaf.Message(tx, n_in, txdata, SIGHASH_DEFAULT, KeyVersion::SLHDSA)};
    return cache.Contains({SignatureScheme::SLHDSA, signer.SLHDSAKey(key), message.Bytes(), signature}, /*erase=*/false);
}

} // namespace

BOOST_AUTO_TEST_CASE(real_signatures_of_all_kinds)
{
    RealSigner signer;
    const std::vector<SpendKind> kinds{SpendKind::P2WPKH, SpendKind::P2TR_KEY_PATH, SpendKind::P2TR_SCRIPT_PATH, SpendKind::P2MR_SCHNORR,
                                       SpendKind::P2MR_SLHDSA};
    BlockBuilder builder;
    for (size_t i = 0; i < 2; ++i) {
        SignedSpend spend{SpendKinds(kinds, signer, 10 * i)};
        builder.Add(std::move(spend.tx), std::move(spend.spent));
    }
    const BlockWithSpent b{std::move(builder).Finish()};
    BlockValidationState state;
    BOOST_CHECK_MESSAGE(CheckBlockStructure(b.block, FLAGS, state), state.ToString());
    BOOST_CHECK_MESSAGE(CheckBlockInputs(b.block, b.spent_outputs, FLAGS, state), state.ToString());

    std::string error;
    const auto backends{slhdsa::SelectBackends("cpu", {.logger = std::make_shared<Logger>(), .cache_dir = {}}, error)};
    BOOST_REQUIRE_MESSAGE(backends, error);
    const auto verifier{std::make_shared<slhdsa::Verifier>(*backends, std::make_shared<ThreadPool>(2), std::make_shared<Logger>())};
    for (const SignatureTiming timing : {SignatureTiming::EAGER, SignatureTiming::DEFERRED}) {
        const BlockScriptResult result{VerifyBlockScripts(b.block, b.spent_outputs, FLAGS, verifier, {.timing = timing})};
        BOOST_CHECK(result.status == BlockScriptStatus::VALID);
        BOOST_CHECK(!result.failure);
        BOOST_CHECK_EQUAL(result.inputs, 10U);
        BOOST_CHECK_EQUAL(result.slhdsa_verified, 2U);

        // One bit of any witness is enough to fail at that input.
        for (uint32_t n = 0; n < kinds.size(); ++n) {
            const CBlock damaged{WithDamagedWitness(b.block, 2, n)};
            const BlockScriptResult bad{VerifyBlockScripts(damaged, b.spent_outputs, FLAGS, verifier, {.timing = timing})};
            BOOST_CHECK(bad.status == BlockScriptStatus::INVALID);
            BOOST_REQUIRE(bad.failure);
            BOOST_CHECK_EQUAL(bad.failure->tx_index, 2U);
            BOOST_CHECK_EQUAL(bad.failure->input, n);
            if (kinds[n] == SpendKind::P2MR_SLHDSA) {
                BOOST_CHECK_EQUAL(bad.failure->where.error, SCRIPT_ERR_SLHDSA_SIG);
                BOOST_CHECK_EQUAL(bad.failure->where.opcode_pos, 1U);
            }
        }
    }
}

/** Threads then take several transactions at a time: none is left out, and the right one fails. */
BOOST_AUTO_TEST_CASE(blocks_of_many_transactions)
{
    RealSigner signer;
    for (const size_t n_tx : {33, 64, 150}) {
        BlockBuilder builder;
        for (size_t i{0}; i < n_tx; ++i) {
            SignedSpend spend{SpendKinds({SpendKind::P2WPKH, SpendKind::P2TR_KEY_PATH}, signer, i % 4)};
            builder.Add(std::move(spend.tx), std::move(spend.spent));
        }
        const BlockWithSpent b{std::move(builder).Finish()};
        CheckEveryWay(b, std::nullopt, std::to_string(n_tx) + " transactions");
        for (const size_t tx_index : {size_t{1}, size_t{2}, size_t{31}, size_t{32}, n_tx / 2, n_tx - 1, n_tx}) {
            const CBlock damaged{WithDamagedWitness(b.block, tx_index, 1)};
            for (const unsigned threads : {1U, 2U, 5U}) {
                FakeVerifier fake{threads};
                const BlockScriptResult result{VerifyBlockScripts(damaged, b.spent_outputs, FLAGS, fake.verifier)};
                BOOST_CHECK(result.status == BlockScriptStatus::INVALID);
                BOOST_REQUIRE(result.failure);
                BOOST_CHECK_EQUAL(result.failure->tx_index, tx_index);
                BOOST_CHECK_EQUAL(result.failure->input, 1U);
                BOOST_CHECK_EQUAL(result.failure->where.error, SCRIPT_ERR_SCHNORR_SIG);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(empty_blocks)
{
    FakeVerifier fake{2};
    BOOST_CHECK(VerifyBlockScripts(CBlock{}, {}, FLAGS, fake.verifier).status == BlockScriptStatus::VALID);
    const BlockWithSpent b{BlockBuilder{}.Finish()};
    BOOST_CHECK(VerifyBlockScripts(b.block, {}, FLAGS, fake.verifier).status == BlockScriptStatus::VALID);
    BOOST_CHECK_EQUAL(fake.cpu->jobs, 0U);
}

BOOST_AUTO_TEST_CASE(bad_arguments)
{
    FakeVerifier fake{1};
    const BlockWithSpent b{MakeBlock(FakeSigner(), {{{}, {}}})};
    const auto too_few{std::span{b.spent_outputs}.first(1)};
    BOOST_CHECK_EXCEPTION((void)VerifyBlockScripts(b.block, too_few, FLAGS, fake.verifier), std::invalid_argument, [](const auto& e) {
        return std::string{e.what()} == "the block has 2 inputs besides the coinbase's, but 1 spent outputs were given";
    });
    auto too_many{b.spent_outputs};
    too_many.emplace_back();
    BOOST_CHECK_THROW((void)VerifyBlockScripts(b.block, too_many, FLAGS, fake.verifier), std::invalid_argument);
    BOOST_CHECK_THROW((void)VerifyBlockScripts(b.block, b.spent_outputs, SCRIPT_VERIFY_WITNESS, fake.verifier), std::invalid_argument);
    BOOST_CHECK_THROW((void)VerifyBlockScripts(b.block, b.spent_outputs, script_verify_flags::from_int(uint64_t{1} << 40), fake.verifier),
                      std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(each_damage_by_itself_and_with_another)
{
    const std::vector<Damage> damages{{},
                                      {.first_signature = true},
                                      {.second_signature = true},
                                      {.script = true},
                                      {.signature_size = true},
                                      {.control = true},
                                      {.first_signature = true, .script = true},
                                      {.second_signature = true, .script = true},
                                      {.first_signature = true, .signature_size = true},
                                      {.first_signature = true, .second_signature = true, .script = true}};
    for (const Damage& a : damages) {
        for (const Damage& c : damages) {
            const std::vector<std::vector<Damage>> transactions{{{}, a}, {{}}, {c, {}}};
            const BlockWithSpent b{MakeBlock(FakeSigner(), transactions)};
            CheckEveryWay(b, ExpectedFailure(transactions), "damaged");
        }
    }
}

BOOST_AUTO_TEST_CASE(random_damage_same_failure_every_way)
{
    std::mt19937 rng{slhc::test::Seed(20261120)};
    size_t n_valid{0}, n_invalid{0};
    for (int round = 0; round < 250; ++round) {
        const unsigned rarity{round % 2 == 0 ? 12U : 200U};
        std::vector<std::vector<Damage>> transactions(1 + rng() % 8);
        for (auto& tx : transactions) tx = RandomDamages(rng, 1 + rng() % 4, rarity);
        const BlockWithSpent b{MakeBlock(FakeSigner(), transactions)};
        const auto expected{ExpectedFailure(transactions)};
        ++(expected ? n_invalid : n_valid);
        CheckEveryWay(b, expected, "round " + std::to_string(round));
    }
    BOOST_CHECK_GT(n_valid, 30U);
    BOOST_CHECK_GT(n_invalid, 100U);
}

BOOST_AUTO_TEST_CASE(a_later_failure_that_is_known_earlier_does_not_win)
{
    // Two threads: one is held up at input 0 until the other has found input 4 to fail. Input 1 comes after that, in
    // time, and before it in the block.
    std::vector<Damage> damages(200);
    damages[1].script = true;
    damages[4].first_signature = true;
    const BlockWithSpent b{MakeBlock(FakeSigner(), {damages})};
    const auto expected{ExpectedFailure({damages})};
    const slhdsa::PublicKey key{FakeSigner().SLHDSAKey(1)};

    FakeVerifier fake{2};
    std::promise<void> found;
    const std::shared_future<void> was_found{found.get_future()};
    std::atomic<bool> told{false};
    fake.cpu->compute = [&](std::span<const slhdsa::RootJob> jobs, std::span<slhdsa::Root> roots) {
        const bool damaged{jobs[0].signature[3] != key[slhdsa::N + 3]};
        if (damaged && !told.exchange(true)) found.set_value();
        if (!damaged && was_found.wait_for(std::chrono::seconds{20}) == std::future_status::ready) {
            std::this_thread::sleep_for(std::chrono::milliseconds{20}); // until the verdict is noted
        }
        return FakeBackend::Honest(jobs, roots);
    };
    const BlockScriptResult result{VerifyBlockScripts(b.block, b.spent_outputs, FLAGS, fake.verifier, {.timing = SignatureTiming::EAGER})};
    BOOST_CHECK(told);
    BOOST_REQUIRE(result.failure);
    BOOST_CHECK_MESSAGE(*result.failure == *expected, *result.failure << " instead of " << *expected);
}

BOOST_AUTO_TEST_CASE(signatures_of_failed_scripts_and_later_inputs_do_not_join_the_batch)
{
    FakeVerifier fake{1};
    const auto batch_of{[&](const std::vector<std::vector<Damage>>& transactions) {
        const BlockWithSpent b{MakeBlock(FakeSigner(), transactions)};
        const BlockScriptResult result{VerifyBlockScripts(b.block, b.spent_outputs, FLAGS, fake.verifier)};
        return result.slhdsa_verified;
    }};
    BOOST_CHECK_EQUAL(batch_of({{{}, {}}, {{}}}), 6U);
    // The failing input's two signatures are verified to learn what failed; those after it are not looked at.
    BOOST_CHECK_EQUAL(batch_of({{{}, {.script = true}}, {{}}}), 4U);
    // An invalid signature does not stop scripts after it, so here everything is verified.
    BOOST_CHECK_EQUAL(batch_of({{{.first_signature = true}, {}}, {{}}}), 6U);
}

BOOST_AUTO_TEST_CASE(a_device_that_lies_changes_nothing)
{
    const std::vector<std::vector<Damage>> transactions{{{}, {}}, {{}, {.second_signature = true}}, {{.script = true}}};
    const BlockWithSpent good{MakeBlock(FakeSigner(), {{{}, {}}, {{}}})};
    const BlockWithSpent bad{MakeBlock(FakeSigner(), transactions)};
    for (const int kind : {0, 1, 2}) {
        const auto make_device{[kind] {
            auto device{std::make_shared<FakeBackend>()};
            device->is_device = true;
            device->compute = [kind](std::span<const slhdsa::RootJob> jobs, std::span<slhdsa::Root> roots) {
                if (kind == 0) return slhdsa::BackendStatus::FAILED;
                if (kind == 1) throw std::runtime_error{"lost"};
                for (size_t i = 0; i < jobs.size(); ++i) roots[i].fill(0xaa);
                return slhdsa::BackendStatus::OK;
            };
            return device;
        }};
        FakeVerifier fake{2, make_device()};
        BOOST_CHECK(VerifyBlockScripts(good.block, good.spent_outputs, FLAGS, fake.verifier).status == BlockScriptStatus::VALID);
        FakeVerifier again{2, make_device()};
        const BlockScriptResult result{VerifyBlockScripts(bad.block, bad.spent_outputs, FLAGS, again.verifier)};
        BOOST_CHECK(result.status == BlockScriptStatus::INVALID);
        BOOST_CHECK(result.failure == ExpectedFailure(transactions));
    }
}

BOOST_AUTO_TEST_CASE(cache_is_asked_and_filled)
{
    const BlockWithSpent b{MakeBlock(FakeSigner(), {{{}, {}}, {{}}})};
    for (const SignatureTiming timing : {SignatureTiming::EAGER, SignatureTiming::DEFERRED}) {
        FakeVerifier fake{2};
        SignatureCache cache;
        const auto verify{[&](SignatureCacheMode mode) {
            const BlockScriptResult result{VerifyBlockScripts(b.block, b.spent_outputs, FLAGS, fake.verifier,
                                                              {.timing = timing, .cache = {.cache = &cache, .mode = mode}})};
            BOOST_CHECK(result.status == BlockScriptStatus::VALID);
            return result.slhdsa_verified;
        }};
        BOOST_CHECK_EQUAL(verify(SignatureCacheMode::NONE), 6U);
        BOOST_CHECK_EQUAL(verify(SignatureCacheMode::ERASE_ON_HIT), 6U);
        BOOST_CHECK_EQUAL(cache.GetStats().inserted, 0U);
        BOOST_CHECK_EQUAL(verify(SignatureCacheMode::STORE), 6U);
        BOOST_CHECK_EQUAL(cache.GetStats().inserted, 6U);
        BOOST_CHECK_EQUAL(verify(SignatureCacheMode::STORE), 0U);
        BOOST_CHECK_EQUAL(verify(SignatureCacheMode::NONE), 6U);
        BOOST_CHECK_EQUAL(verify(SignatureCacheMode::ASK), 0U);
        for (int block = 0; block < 2; ++block) BOOST_CHECK_EQUAL(verify(SignatureCacheMode::ERASE_ON_HIT), 0U);
        BOOST_CHECK_EQUAL(cache.GetStats().inserted, 6U);
    }
}

BOOST_AUTO_TEST_CASE(a_block_that_fails_takes_nothing_from_the_next)
{
    // As from the mempool: all signatures are known. The first block has a script that fails after them.
    const BlockWithSpent good{MakeBlock(FakeSigner(), {{{}, {}}, {{}}})};
    BlockWithSpent bad{good};
    BlockBuilder builder;
    AddTransaction(builder, FakeSigner(), {{.control = true}});
    const BlockWithSpent other{std::move(builder).Finish()};
    bad.block.vtx.push_back(other.block.vtx[1]);
    bad.spent_outputs.push_back(other.spent_outputs[0]);

    FakeVerifier fake{2};
    SignatureCache cache;
    const auto verify{[&](const BlockWithSpent& b, SignatureCacheMode mode) {
        return VerifyBlockScripts(b.block, b.spent_outputs, FLAGS, fake.verifier, {.cache = {.cache = &cache, .mode = mode}});
    }};
    BOOST_CHECK_EQUAL(verify(good, SignatureCacheMode::STORE).slhdsa_verified, 6U);
    BOOST_CHECK(verify(bad, SignatureCacheMode::ERASE_ON_HIT).status == BlockScriptStatus::INVALID);
    const BlockScriptResult next{verify(good, SignatureCacheMode::ERASE_ON_HIT)};
    BOOST_CHECK(next.status == BlockScriptStatus::VALID);
    BOOST_CHECK_EQUAL(next.slhdsa_verified, 0U);
}

BOOST_AUTO_TEST_CASE(cache_holds_true_verdicts_alone)
{
    // Whatever fails, and wherever, the cache has signatures that verify and no others: neither invalid ones nor those that the check did
    // not come to.
    const std::vector<std::vector<std::vector<Damage>>> blocks{
        {{{}, {.first_signature = true}}, {{}}},
        {{{}, {.second_signature = true}}, {{}}},
        {{{.first_signature = true, .second_signature = true}}, {{}}},
        {{{.second_signature = true, .script = true}}, {{}}},
        {{{.first_signature = true, .script = true}, {}}, {{.script = true}}},
        {{{.first_signature = true, .signature_size = true}}, {{}}},
        {{{.script = true}}, {{.first_signature = true}}},
        {{{.first_signature = true, .control = true}}, {{}}},
    };
    for (const auto& transactions : blocks) {
        const BlockWithSpent b{MakeBlock(FakeSigner(), transactions)};
        for (const SignatureTiming timing : {SignatureTiming::EAGER, SignatureTiming::DEFERRED}) {
            for (const unsigned threads : {1U, 4U}) {
                FakeVerifier fake{threads};
                SignatureCache cache;
                for (int round = 0; round < 2; ++round) { // the first round's entries must not change the second's answer
                    const BlockScriptResult result{
                        VerifyBlockScripts(b.block, b.spent_outputs, FLAGS, fake.verifier,
                                           {.timing = timing, .cache = {.cache = &cache, .mode = SignatureCacheMode::STORE}})};
                    BOOST_CHECK(result.status == BlockScriptStatus::INVALID);
                    BOOST_CHECK(result.failure == ExpectedFailure(transactions));
                }
                size_t found{0};
                for (size_t i = 0; i < transactions.size(); ++i) {
                    for (uint32_t n = 0; n < transactions[i].size(); ++n) {
                        const Damage& damage{transactions[i][n]};
                        for (const bool first : {true, false}) {
                            const bool has{CacheHas(cache, b, i + 1, n, first, FakeSigner())};
                            found += has;
                            if (first ? damage.first_signature : damage.second_signature) {
                                BOOST_CHECK_MESSAGE(!has, "an invalid signature is in the cache");
                            }
                        }
                    }
                }
                BOOST_CHECK_EQUAL(cache.GetStats().inserted, found);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(an_aborted_batch_leaves_nothing_in_the_cache)
{
    // The pool is interrupted while the batch is verified: after some signatures, or before any.
    const BlockWithSpent b{MakeBlock(FakeSigner(), {std::vector<Damage>(20), std::vector<Damage>(20)})};
    for (const unsigned threads : {1U, 2U}) {
        for (const size_t calls : {size_t{0}, size_t{1}, size_t{2}}) {
            FakeVerifier fake{threads};
            fake.cpu->compute = [&](std::span<const slhdsa::RootJob> jobs, std::span<slhdsa::Root> roots) {
                if (fake.cpu->calls > calls) fake.pool->Interrupt();
                return FakeBackend::Honest(jobs, roots);
            };
            if (calls == 0) fake.pool->Interrupt();
            SignatureCache cache;
            const BlockScriptResult result{VerifyBlockScripts(b.block, b.spent_outputs, FLAGS, fake.verifier,
                                                              {.cache = {.cache = &cache, .mode = SignatureCacheMode::STORE}})};
            BOOST_CHECK(result.status == BlockScriptStatus::INTERRUPTED);
            BOOST_CHECK(!result.failure);
            BOOST_CHECK_LT(fake.cpu->jobs, 80U);
            if (calls == 0) BOOST_CHECK_EQUAL(result.inputs, 0U);
            // Verified signatures may be there; nothing else.
            BOOST_CHECK_EQUAL(cache.GetStats().inserted, result.slhdsa_verified);
            BOOST_CHECK_LE(cache.GetStats().inserted, fake.cpu->jobs);
        }
    }
}

/** Such as lack of memory: there is neither a verdict nor anything in the cache. */
BOOST_AUTO_TEST_CASE(an_exception_in_the_batch_concludes_nothing)
{
    const BlockWithSpent b{MakeBlock(FakeSigner(), {std::vector<Damage>(6)})};
    const auto cpu{std::make_shared<slhdsa::test::FakeBackend>()};
    const auto device{std::make_shared<slhdsa::test::FakeBackend>()};
    device->is_device = true;
    bool fail{true};
    const auto device_share{[&](size_t) -> size_t {
        if (fail) throw std::bad_alloc{};
        return 0;
    }};
    const auto verifier{std::make_shared<slhdsa::Verifier>(slhdsa::Backends{.cpu = cpu, .devices = {device}},
                                                           std::make_shared<ThreadPool>(2), std::make_shared<Logger>(), device_share)};
    SignatureCache cache;
    const BlockScriptOptions options{.cache = {.cache = &cache, .mode = SignatureCacheMode::STORE}};
    BOOST_CHECK_THROW((void)VerifyBlockScripts(b.block, b.spent_outputs, FLAGS, verifier, options), std::bad_alloc);
    BOOST_CHECK_EQUAL(cache.GetStats().inserted, 0U);
    fail = false;
    BOOST_CHECK(VerifyBlockScripts(b.block, b.spent_outputs, FLAGS, verifier, options).status == BlockScriptStatus::VALID);
    BOOST_CHECK_GT(cache.GetStats().inserted, 0U);
}

BOOST_AUTO_TEST_CASE(the_portable_code_stands_in_for_the_engine)
{
    const BlockWithSpent b{MakeBlock(FakeSigner(), {std::vector<Damage>(6)})};
    FakeVerifier fake{2};
    SignatureCache cache;
    fake.cpu->compute = [](std::span<const slhdsa::RootJob>, std::span<slhdsa::Root>) { return slhdsa::BackendStatus::FAILED; };
    // The portable code is not a fake: it finds all of these invalid.
    const BlockScriptResult result{VerifyBlockScripts(b.block, b.spent_outputs, FLAGS, fake.verifier,
                                                      {.cache = {.cache = &cache, .mode = SignatureCacheMode::STORE}})};
    BOOST_CHECK(result.status == BlockScriptStatus::INVALID);
    BOOST_CHECK_EQUAL(cache.GetStats().inserted, 0U);
}

BOOST_AUTO_TEST_CASE(several_blocks_at_once_share_pool_and_cache)
{
    const std::vector<std::vector<Damage>> transactions{{{}, {}}, {{}, {.second_signature = true}}, {{.script = true}}};
    const BlockWithSpent good{MakeBlock(FakeSigner(), {{{}, {}}, {{}, {}, {}}, {{}}})};
    const BlockWithSpent bad{MakeBlock(FakeSigner(), transactions)};
    const auto expected{ExpectedFailure(transactions)};
    FakeVerifier fake{3};
    SignatureCache cache{3000};
    std::atomic<int> wrong{0};
    {
        std::vector<std::jthread> threads;
        for (unsigned t = 0; t < 3; ++t) {
            threads.emplace_back([&, t] {
                for (unsigned round = 0; round < 30; ++round) {
                    const BlockScriptOptions options{.timing = (round + t) % 2 == 0 ? SignatureTiming::EAGER : SignatureTiming::DEFERRED,
                                                     .cache = {.cache = &cache,
                                                               .mode = round % 3 == 0 ? SignatureCacheMode::ERASE_ON_HIT
                                                                                      : SignatureCacheMode::STORE}};
                    if (VerifyBlockScripts(good.block, good.spent_outputs, FLAGS, fake.verifier, options).status !=
                        BlockScriptStatus::VALID) {
                        ++wrong;
                    }
                    if (VerifyBlockScripts(bad.block, bad.spent_outputs, FLAGS, fake.verifier, options).failure != expected) ++wrong;
                }
            });
        }
    }
    BOOST_CHECK_EQUAL(wrong, 0);
}

BOOST_AUTO_TEST_SUITE_END()
