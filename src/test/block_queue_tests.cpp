// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <consensus/block_queue.h>

#include <test/allocations.h>
#include <test/compressions.h>
#include <test/damaged_blocks.h>
#include <test/fake_verification.h>
#include <test/preconditions.h>
#include <test/random_source.h>
#include <test/util/block_builder.h>
#include <test/util/spends.h>

#include <boost/test/unit_test.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
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
using slhdsa::test::Gate;
using slhdsa::test::WaitFor;

BOOST_AUTO_TEST_SUITE(block_queue_tests)

namespace {

using Transactions = std::vector<std::vector<Damage>>;

QueuedBlock Queued(const BlockWithSpent& b, uint64_t tag = 0, SignatureCacheUse cache = {})
{
    return {.block = b.block, .spent_outputs = b.spent_outputs, .flags = FLAGS, .cache = cache, .tag = tag, .bytes = 100};
}

void MustAdd(BlockQueue& queue, const BlockWithSpent& b, uint64_t tag = 0, SignatureCacheUse cache = {})
{
    BOOST_REQUIRE(queue.Add(Queued(b, tag, cache)) == BlockQueue::AddStatus::ADDED);
}

BlockQueue::Verdict MustGet(BlockQueue& queue)
{
    std::optional<BlockQueue::Verdict> verdict;
    BOOST_REQUIRE(queue.Next(verdict) == BlockQueue::NextStatus::VERDICT);
    return *verdict;
}

void CheckVerdict(BlockQueue& queue, uint64_t tag, const std::optional<BlockScriptFailure>& expected, const std::string& what)
{
    const BlockQueue::Verdict verdict{MustGet(queue)};
    BOOST_CHECK_EQUAL(verdict.tag, tag);
    BOOST_CHECK_MESSAGE(verdict.result.status == (expected ? BlockScriptStatus::INVALID : BlockScriptStatus::VALID),
                        what << ": wrong verdict on block " << tag);
    BOOST_REQUIRE_EQUAL(verdict.result.failure.has_value(), expected.has_value());
    if (!expected) return;
    BOOST_CHECK_MESSAGE(*verdict.result.failure == *expected, what << ": " << *verdict.result.failure << " instead of " << *expected);
}

Transactions RandomTransactions(std::mt19937& rng, unsigned rarity)
{
    Transactions transactions(rng() % 5);
    for (auto& tx : transactions) tx = RandomDamages(rng, 1 + rng() % 3, rarity);
    return transactions;
}

constexpr size_t SLOW_INPUTS{40}, SLOW_HASHES{20'000};

/** A block whose scripts take long: each input hashes the same 32 bytes again and again, with two compressions each time. */
BlockWithSpent MakeSlowBlock()
{
    CScript hashes;
    for (size_t i{0}; i < SLOW_HASHES; ++i) hashes << OP_HASH256;
    const LeafSpend leaf{LeafSpend::P2MR(hashes)};
    CMutableTransaction tx{MakeSpend(SLOW_INPUTS)};
    for (auto& input : tx.vin) input.scriptWitness = leaf.Witness({std::vector<uint8_t>(32)});
    BlockBuilder builder;
    builder.Add(tx, MakeSpent(std::vector<CScript>(SLOW_INPUTS, leaf.script_pub_key)));
    return std::move(builder).Finish();
}

} // namespace

BOOST_AUTO_TEST_CASE(an_invalid_block_at_each_place)
{
    const std::vector<Damage> damages{{.first_signature = true}, {.second_signature = true}, {.script = true}, {.control = true}};
    const BlockWithSpent good{MakeBlock(FakeSigner(), {{{}, {}}, {{}}})};
    for (const Damage& damage : damages) {
        const Transactions transactions{{{}}, {{}, damage}, {{}}};
        const BlockWithSpent bad{MakeBlock(FakeSigner(), transactions)};
        const auto expected{ExpectedFailure(bad, transactions)};
        for (const unsigned threads : {1U, 3U}) {
            for (const size_t place : {size_t{0}, size_t{2}, size_t{4}}) {
                FakeVerifier fake{threads};
                BlockQueue queue{fake.verifier};
                for (size_t i = 0; i < 5; ++i) MustAdd(queue, i == place ? bad : good, 100 + i);
                BOOST_CHECK_EQUAL(queue.Size(), 5U);
                for (size_t i = 0; i < 5; ++i) CheckVerdict(queue, 100 + i, i == place ? expected : std::nullopt, "one of five");
                BOOST_CHECK_EQUAL(queue.Size(), 0U);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(random_blocks_have_the_verdicts_of_single_calls)
{
    std::mt19937 rng{slhc::test::Seed(20261122)};
    size_t n_valid{0}, n_invalid{0};
    for (int round = 0; round < 150; ++round) {
        const unsigned threads{1 + static_cast<unsigned>(rng() % 5)};
        FakeVerifier fake{threads}, alone{1};
        BlockQueue queue{fake.verifier, {.blocks = 1 + rng() % 6, .signatures = 1 + rng() % 40}};
        std::vector<BlockWithSpent> blocks;
        std::vector<std::optional<BlockScriptFailure>> expected;
        const unsigned rarity{round % 2 == 0 ? 15U : 150U};
        for (size_t i = 0; i < 12; ++i) {
            const Transactions transactions{RandomTransactions(rng, rarity)};
            blocks.push_back(MakeBlock(FakeSigner(), transactions));
            expected.push_back(ExpectedFailure(blocks.back(), transactions));
            ++(expected.back() ? n_invalid : n_valid);
            const BlockWithSpent& b{blocks.back()};
            BOOST_CHECK(VerifyBlockScripts(b.block, b.spent_outputs, FLAGS, alone.verifier).failure == expected.back());
        }
        size_t added{0}, asked{0};
        while (asked < blocks.size()) {
            const bool can_add{added < blocks.size() && !queue.IsFull()};
            if (can_add && (queue.Size() == 0 || rng() % 3 != 0)) {
                MustAdd(queue, blocks[added], added);
                ++added;
                continue;
            }
            if (rng() % 4 == 0) { // a single call in between, on the same threads
                const auto i{static_cast<size_t>(rng() % blocks.size())};
                BOOST_CHECK(VerifyBlockScripts(blocks[i].block, blocks[i].spent_outputs, FLAGS, fake.verifier).failure == expected[i]);
            }
            CheckVerdict(queue, asked, expected[asked], "round " + std::to_string(round));
            ++asked;
        }
    }
    BOOST_CHECK_GT(n_valid, 300U);
    BOOST_CHECK_GT(n_invalid, 300U);
}

BOOST_AUTO_TEST_CASE(signatures_of_several_blocks_are_one_batch)
{
    const BlockWithSpent b{MakeBlock(FakeSigner(), {{{}}})}; // two signatures
    const auto calls_for{[&](size_t signatures) {
        FakeVerifier fake{1};
        BlockQueue queue{fake.verifier, {.signatures = signatures}};
        for (size_t i = 0; i < 4; ++i) MustAdd(queue, b, i);
        for (size_t i = 0; i < 4; ++i) {
            const BlockScriptResult result{MustGet(queue).result};
            BOOST_CHECK_EQUAL(result.inputs, 1U);
            BOOST_CHECK_EQUAL(result.slhdsa_verified, 2U);
        }
        BOOST_CHECK_EQUAL(fake.cpu->jobs, 8U);
        return fake.cpu->calls.load();
    }};
    BOOST_CHECK_EQUAL(calls_for(1), 4U);
    BOOST_CHECK_EQUAL(calls_for(2), 4U);
    BOOST_CHECK_EQUAL(calls_for(3), 2U);
    BOOST_CHECK_EQUAL(calls_for(4), 2U);
    BOOST_CHECK_EQUAL(calls_for(0), 1U);

    // By default a batch of one thread waits for 1024.
    const BlockWithSpent half{MakeBlock(FakeSigner(), {std::vector<Damage>(256)})};
    FakeVerifier fake{1};
    BlockQueue queue{fake.verifier};
    for (size_t i = 0; i < 3; ++i) MustAdd(queue, half, i);
    CheckVerdict(queue, 0, std::nullopt, "half of a batch");
    BOOST_CHECK_EQUAL(fake.cpu->jobs, 1024U);
}

/** Memory that a block needs no longer is freed before the block's turn. */
BOOST_AUTO_TEST_CASE(memory_is_freed_as_blocks_are_done, *boost::unit_test::precondition(CanForbidAllocations))
{
    const auto make_signed{[] { return MakeBlock(FakeSigner(), {std::vector<Damage>(30)}); }};
    const auto make_large{[] { // too large to run
        const CScript large{CScript{} << std::vector<uint8_t>(30 * 2 * slhdsa::SIGNATURE_SIZE)};
        CMutableTransaction tx{MakeSpend(1)};
        tx.vout[0].scriptPubKey = large;
        BlockBuilder builder;
        builder.Add(std::move(tx), {CTxOut{1, large}});
        return std::move(builder).Finish();
    }};
    for (const std::function<BlockWithSpent()>& make_second : {std::function<BlockWithSpent()>{make_signed}, {make_large}}) {
        constexpr size_t LARGE{30 * 2 * slhdsa::SIGNATURE_SIZE};
        FakeVerifier fake{1};
        BlockQueue queue{fake.verifier};
        const size_t empty{BytesInUse()};
        MustAdd(queue, make_signed(), 1);
        MustAdd(queue, make_second(), 2);
        BOOST_CHECK_GT(BytesInUse(), empty + 2 * LARGE);
        (void)MustGet(queue);
        BOOST_CHECK_LT(BytesInUse(), empty + LARGE / 2); // the first is gone, and what made the second large
        BOOST_CHECK_EQUAL(queue.Size(), 1U);
    }
}

BOOST_AUTO_TEST_CASE(a_device_gets_the_signatures_of_several_blocks_and_changes_nothing)
{
    const Transactions transactions{{{}, {.second_signature = true}}};
    const BlockWithSpent good{MakeBlock(FakeSigner(), {{{}, {}}})}, bad{MakeBlock(FakeSigner(), transactions)};
    for (const int kind : {0, 1, 2}) {
        auto device{std::make_shared<FakeBackend>()};
        device->is_device = true;
        device->compute = [kind](std::span<const slhdsa::RootJob> jobs, std::span<slhdsa::Root> roots) {
            if (kind == 1) return slhdsa::BackendStatus::FAILED;
            (void)FakeBackend::Honest(jobs, roots);
            if (kind == 2) roots.back().fill(0xaa);
            return slhdsa::BackendStatus::OK;
        };
        FakeVerifier fake{1, device};
        BlockQueue queue{fake.verifier};
        for (const auto* b : {&good, &bad, &good}) MustAdd(queue, *b);
        CheckVerdict(queue, 0, std::nullopt, "before it");
        CheckVerdict(queue, 0, ExpectedFailure(bad, transactions), "with a device");
        CheckVerdict(queue, 0, std::nullopt, "after it");
        BOOST_CHECK_EQUAL(device->calls, 1U);
        BOOST_CHECK_EQUAL(device->largest, 12U);
    }
}

BOOST_AUTO_TEST_CASE(work_goes_on_between_calls)
{
    const BlockWithSpent b{MakeBlock(FakeSigner(), {{{}, {}}})}; // four signatures
    FakeVerifier fake{2};
    BlockQueue queue{fake.verifier, {.signatures = 8}};
    for (size_t i = 0; i < 6; ++i) MustAdd(queue, b, i);
    WaitFor([&] { return fake.cpu->jobs == 24; });
    for (size_t i = 0; i < 6; ++i) CheckVerdict(queue, i, std::nullopt, "verified ahead");
    BOOST_CHECK_EQUAL(fake.cpu->jobs, 24U);
}

BOOST_AUTO_TEST_CASE(limits)
{
    const BlockWithSpent b{MakeBlock(FakeSigner(), {{{}}})};
    FakeVerifier fake{2};
    {
        BlockQueue queue{fake.verifier, {.blocks = 2}};
        BOOST_CHECK(!queue.IsFull());
        for (size_t i = 0; i < 2; ++i) MustAdd(queue, b, i);
        for (size_t i = 2; i < 5; ++i) {
            BOOST_CHECK(queue.IsFull());
            QueuedBlock refused{Queued(b, i)};
            BOOST_CHECK(queue.Add(std::move(refused)) == BlockQueue::AddStatus::FULL);
            BOOST_CHECK_EQUAL(refused.block.vtx.size(), 2U); // not moved from
            BOOST_CHECK_EQUAL(queue.Size(), 2U);
            CheckVerdict(queue, i - 2, std::nullopt, "of two");
            BOOST_CHECK(!queue.IsFull());
            MustAdd(queue, b, i);
        }
    }
    // There is always room for one block, and with the least limits for no more.
    for (const BlockQueueLimits& least :
         {BlockQueueLimits{.blocks = 0}, BlockQueueLimits{.blocks = 1}, BlockQueueLimits{.bytes = 0}, BlockQueueLimits{.bytes = 1}}) {
        BlockQueue queue{fake.verifier, least};
        BOOST_CHECK(!queue.IsFull());
        QueuedBlock small{Queued(b)};
        small.bytes = 1;
        BOOST_CHECK(queue.Add(std::move(small)) == BlockQueue::AddStatus::ADDED);
        BOOST_CHECK(queue.IsFull());
        CheckVerdict(queue, 0, std::nullopt, "of one");
    }
    {
        BlockQueue queue{fake.verifier};
        for (size_t i = 0; i < 32; ++i) {
            BOOST_CHECK(!queue.IsFull());
            MustAdd(queue, b, i);
        }
        BOOST_CHECK(queue.IsFull());
        BOOST_CHECK(queue.Clear());
        QueuedBlock large{Queued(b)};
        large.bytes = (size_t{256} << 20) - 1;
        BOOST_CHECK(queue.Add(std::move(large)) == BlockQueue::AddStatus::ADDED);
        BOOST_CHECK(!queue.IsFull());
        MustAdd(queue, b);
        BOOST_CHECK(queue.IsFull());
        BOOST_CHECK(QueuedBlock{}.tag == 0 && QueuedBlock{}.bytes == 0);
    }
    BlockQueue queue{fake.verifier, {.bytes = 150}}; // blocks of 100
    MustAdd(queue, b);
    MustAdd(queue, b);
    BOOST_CHECK(queue.IsFull());
    BOOST_CHECK(queue.Add(Queued(b)) == BlockQueue::AddStatus::FULL);
    (void)MustGet(queue);
    QueuedBlock large{Queued(b, 9)};
    large.bytes = 10'000;
    BOOST_CHECK(queue.Add(std::move(large)) == BlockQueue::AddStatus::ADDED);
    (void)MustGet(queue);
    BOOST_CHECK(queue.IsFull());
    CheckVerdict(queue, 9, std::nullopt, "a large one");
    BOOST_CHECK(!queue.IsFull());
}

BOOST_AUTO_TEST_CASE(empty_queues_and_blocks_without_inputs)
{
    FakeVerifier fake{2};
    BlockQueue queue{fake.verifier};
    std::optional<BlockQueue::Verdict> verdict;
    BOOST_CHECK(queue.Next(verdict) == BlockQueue::NextStatus::EMPTY);
    BOOST_CHECK(!verdict);
    BOOST_CHECK(queue.Clear());
    MustAdd(queue, {});
    MustAdd(queue, BlockBuilder{}.Finish(), 1);
    CheckVerdict(queue, 0, std::nullopt, "nothing");
    CheckVerdict(queue, 1, std::nullopt, "a coinbase");
    BOOST_CHECK(queue.Next(verdict) == BlockQueue::NextStatus::EMPTY);
}

BOOST_AUTO_TEST_CASE(bad_arguments_add_nothing)
{
    FakeVerifier fake{1};
    BlockQueue queue{fake.verifier};
    const BlockWithSpent b{MakeBlock(FakeSigner(), {{{}}})};
    QueuedBlock poor{Queued(b)}, strange{Queued(b)};
    poor.spent_outputs.clear();
    strange.flags = SCRIPT_VERIFY_WITNESS;
    BOOST_CHECK_THROW((void)queue.Add(std::move(poor)), std::invalid_argument);
    BOOST_CHECK_THROW((void)queue.Add(std::move(strange)), std::invalid_argument);
    BOOST_CHECK_EQUAL(queue.Size(), 0U);
}

BOOST_AUTO_TEST_CASE(an_interruption_leaves_what_has_no_verdict)
{
    const BlockWithSpent b{MakeBlock(FakeSigner(), {{{}}})};
    for (const unsigned threads : {1U, 2U}) {
        FakeVerifier fake{threads};
        BlockQueue queue{fake.verifier};
        for (size_t i = 0; i < 3; ++i) MustAdd(queue, b, i);
        CheckVerdict(queue, 0, std::nullopt, "before");
        fake.pool->Interrupt();
        MustAdd(queue, b, 3);
        std::optional<BlockQueue::Verdict> verdict;
        size_t valid{0};
        // Blocks that were verified with the first have a verdict already.
        for (size_t i = 1; i < 4; ++i) {
            BOOST_REQUIRE(queue.Next(verdict) == BlockQueue::NextStatus::VERDICT);
            if (verdict->result.status == BlockScriptStatus::INTERRUPTED) break;
            BOOST_CHECK_EQUAL(verdict->tag, i);
            BOOST_CHECK(verdict->result.status == BlockScriptStatus::VALID);
            ++valid;
        }
        if (threads == 1) BOOST_CHECK_EQUAL(valid, 2U);
        BOOST_CHECK_EQUAL(queue.Size(), 3 - valid);
        BOOST_REQUIRE(queue.Next(verdict) == BlockQueue::NextStatus::VERDICT);
        BOOST_CHECK(verdict->result.status == BlockScriptStatus::INTERRUPTED);
        BOOST_CHECK(queue.Clear());
        BOOST_CHECK_EQUAL(queue.Size(), 0U);
    }
}

BOOST_AUTO_TEST_CASE(an_interruption_in_the_middle_of_a_batch)
{
    const BlockWithSpent b{MakeBlock(FakeSigner(), {std::vector<Damage>(20)})};
    for (const unsigned threads : {1U, 2U}) {
        FakeVerifier fake{threads};
        fake.cpu->compute = [&](std::span<const slhdsa::RootJob> jobs, std::span<slhdsa::Root> roots) {
            fake.pool->Interrupt();
            return FakeBackend::Honest(jobs, roots);
        };
        BlockQueue queue{fake.verifier};
        MustAdd(queue, b);
        MustAdd(queue, b);
        BOOST_CHECK(MustGet(queue).result.status == BlockScriptStatus::INTERRUPTED);
        BOOST_CHECK(MustGet(queue).result.status == BlockScriptStatus::INTERRUPTED);
        BOOST_CHECK_EQUAL(queue.Size(), 2U);
        BOOST_CHECK_LT(fake.cpu->jobs, 80U);
    }
}

/** With one thread, and with a worker that runs ahead. */
BOOST_AUTO_TEST_CASE(a_cleared_queue_is_as_new)
{
    const BlockWithSpent b{MakeBlock(FakeSigner(), {{{}}})}; // two signatures
    const Transactions transactions{{{.first_signature = true}}};
    const BlockWithSpent bad{MakeBlock(FakeSigner(), transactions)};
    for (const unsigned threads : {1U, 2U}) {
        FakeVerifier fake{threads};
        SignatureCache cache;
        BlockQueue queue{fake.verifier, {.bytes = 101}}; // blocks of 100
        MustAdd(queue, b, 1, {.cache = &cache, .mode = SignatureCacheMode::STORE});
        if (threads > 1) { // these staged checks must not be verified with the next
            WaitFor([&] { return cache.GetStats().misses == 2; });
            std::this_thread::sleep_for(std::chrono::milliseconds{10});
        }
        BOOST_REQUIRE(queue.Clear());
        MustAdd(queue, bad, 2);
        BOOST_CHECK(!queue.IsFull());
        CheckVerdict(queue, 2, ExpectedFailure(bad, transactions), "after clearing");
        BOOST_CHECK_EQUAL(fake.cpu->jobs, 2U);
    }
}

/** Next() waits for a worker that runs the first block's scripts. */
BOOST_AUTO_TEST_CASE(asking_while_scripts_run)
{
    const BlockWithSpent slow{MakeSlowBlock()};
    FakeVerifier fake{2};
    BlockQueue queue{fake.verifier};
    const uint64_t before{CountedCompressions().sha256};
    MustAdd(queue, slow, 1);
    while (CountedCompressions().sha256 - before < SLOW_HASHES / 10) std::this_thread::yield();
    CheckVerdict(queue, 1, std::nullopt, "run by a worker");
}

/** Next() waits for a worker that verifies the signatures of the first block, and does not do it again. */
BOOST_AUTO_TEST_CASE(asking_while_signatures_are_verified)
{
    const BlockWithSpent b{MakeBlock(FakeSigner(), {{{}}})}; // two signatures
    FakeVerifier fake{2};
    Gate gate;
    fake.cpu->compute = gate.Compute();
    BlockQueue queue{fake.verifier, {.signatures = 1}};
    MustAdd(queue, b, 1);
    gate.reached.wait();
    {
        std::jthread opener{[&] {
            std::this_thread::sleep_for(std::chrono::milliseconds{20});
            gate.open.count_down();
        }};
        CheckVerdict(queue, 1, std::nullopt, "verified by a worker");
    }
    BOOST_CHECK_EQUAL(fake.cpu->jobs, 2U);
}

/** The scripts of a block are abandoned. */
BOOST_AUTO_TEST_CASE(destroying_while_scripts_run)
{
    const BlockWithSpent slow{MakeSlowBlock()};
    const auto compressions{[] { return CountedCompressions().sha256; }};
    bool given_up{false};
    // On a busy machine the scripts may end before the queue is destroyed, but not each time.
    for (int round{0}; round < 20 && !given_up; ++round) {
        const FakeVerifier fake{2};
        const uint64_t before{compressions()};
        {
            BlockQueue queue{fake.verifier};
            MustAdd(queue, slow, 1);
            while (compressions() - before < SLOW_HASHES / 10) std::this_thread::yield();
        }
        given_up = compressions() - before < 2 * SLOW_HASHES * SLOW_INPUTS;
    }
    BOOST_CHECK(given_up);
}

BOOST_AUTO_TEST_CASE(clearing_and_interrupting_while_scripts_run)
{
    const BlockWithSpent slow{MakeSlowBlock()}, b{MakeBlock(FakeSigner(), {{{}}})};
    FakeVerifier fake{2};
    BlockQueue queue{fake.verifier};
    for (uint64_t i = 0; i < 4; ++i) MustAdd(queue, slow, i);
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
    BOOST_CHECK(queue.Clear());
    MustAdd(queue, b, 7);
    CheckVerdict(queue, 7, std::nullopt, "after clearing");
    for (uint64_t i = 0; i < 4; ++i) MustAdd(queue, slow, i);
    std::jthread interrupter{[&] {
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
        fake.pool->Interrupt();
    }};
    std::optional<BlockQueue::Verdict> verdict;
    while (queue.Next(verdict) == BlockQueue::NextStatus::VERDICT && verdict->result.status == BlockScriptStatus::VALID) {}
    BOOST_REQUIRE(verdict);
    BOOST_CHECK(verdict->result.status == BlockScriptStatus::INTERRUPTED);
}

/** The k-th allocation fails, in any thread: a call throws, or some thread does the work again, and nothing is lost. */
BOOST_AUTO_TEST_CASE(failing_allocations, *boost::unit_test::precondition(CanForbidAllocations))
{
    const Transactions transactions{{{}}, {{.second_signature = true}}};
    const BlockWithSpent good{MakeBlock(FakeSigner(), {{{}}})}, bad{MakeBlock(FakeSigner(), transactions)};
    const auto expected{ExpectedFailure(bad, transactions)};
    const BlockWithSpent* const blocks[]{&good, &bad, &good};
    for (const unsigned threads : {1U, 2U}) {
        size_t thrown{0};
        bool failed{true};
        for (size_t k{0}; failed; ++k) {
            FakeVerifier fake{threads};
            BlockQueue queue{fake.verifier, {.signatures = 5}};
            const auto despite_failure{[&](auto call) {
                while (true) {
                    const size_t size{queue.Size()};
                    try {
                        return call();
                    } catch (const std::bad_alloc&) {
                        ++thrown;
                        BOOST_REQUIRE_EQUAL(queue.Size(), size);
                    }
                }
            }};
            std::array<std::optional<BlockQueue::Verdict>, 3> verdicts;
            FailOneAllocationAfter(k);
            for (uint64_t i{0}; i < 3; ++i) (void)despite_failure([&] { return queue.Add(Queued(*blocks[i], i)); });
            for (auto& verdict : verdicts) (void)despite_failure([&] { return queue.Next(verdict); });
            failed = StopFailingAllocations();
            for (uint64_t i{0}; i < 3; ++i) {
                BOOST_REQUIRE(verdicts[i]);
                BOOST_REQUIRE_EQUAL(verdicts[i]->tag, i);
                BOOST_REQUIRE(verdicts[i]->result.failure == (i == 1 ? expected : std::nullopt));
            }
        }
        BOOST_CHECK_GT(thrown, 10U);
    }
}

/** Without workers, only the asking thread can meet a failure. */
BOOST_AUTO_TEST_CASE(each_failure_in_the_asking_thread_is_told, *boost::unit_test::precondition(CanForbidAllocations))
{
    const BlockWithSpent b{MakeBlock(FakeSigner(), {{{}}})};
    bool failed{true};
    size_t k{0};
    for (; failed; ++k) {
        FakeVerifier fake{1};
        BlockQueue queue{fake.verifier};
        MustAdd(queue, b);
        std::optional<BlockQueue::Verdict> verdict;
        bool thrown{false};
        FailOneAllocationAfter(k);
        try {
            (void)queue.Next(verdict);
        } catch (const std::bad_alloc&) {
            thrown = true;
        }
        failed = StopFailingAllocations();
        BOOST_CHECK_EQUAL(thrown, failed);
        BOOST_CHECK_EQUAL(queue.Size(), thrown ? 1U : 0U);
    }
    BOOST_CHECK_GT(k, 10U);
}

BOOST_AUTO_TEST_CASE(clearing_and_destroying_in_the_middle)
{
    const BlockWithSpent b{MakeBlock(FakeSigner(), {{{}, {}}})};
    const Transactions transactions{{{.first_signature = true}}};
    const BlockWithSpent bad{MakeBlock(FakeSigner(), transactions)};
    for (const bool destroy : {false, true}) {
        FakeVerifier fake{2};
        Gate gate;
        fake.cpu->compute = gate.Compute();
        std::optional<BlockQueue> queue{std::in_place, fake.verifier, BlockQueueLimits{.signatures = 1}};
        for (size_t i = 0; i < 5; ++i) MustAdd(*queue, b, i);
        gate.reached.wait(); // a worker verifies
        std::atomic<bool> gone{false};
        {
            std::jthread other{[&] {
                if (destroy) {
                    queue.reset();
                    gone = true;
                } else {
                    gone = queue->Clear();
                }
            }};
            std::this_thread::sleep_for(std::chrono::milliseconds{20});
            BOOST_CHECK(!gone);
            gate.open.count_down();
        }
        BOOST_CHECK(gone);
        if (destroy) continue;
        BOOST_CHECK_EQUAL(queue->Size(), 0U);
        BOOST_CHECK_LE(fake.cpu->jobs, 4U);
        // As new.
        MustAdd(*queue, bad, 7);
        MustAdd(*queue, b, 8);
        CheckVerdict(*queue, 7, ExpectedFailure(bad, transactions), "after clearing");
        CheckVerdict(*queue, 8, std::nullopt, "after clearing");
    }
    // At any moment.
    for (int round = 0; round < 200; ++round) {
        FakeVerifier fake{3};
        BlockQueue queue{fake.verifier, {.signatures = 1 + static_cast<size_t>(round) % 9}};
        for (size_t i = 0; i < 4; ++i) MustAdd(queue, b, i);
        for (int i = 0; i < round; ++i) std::this_thread::yield();
        if (round % 3 == 0) (void)MustGet(queue);
        if (round % 2 == 0) BOOST_CHECK(queue.Clear());
    }
}

BOOST_AUTO_TEST_CASE(one_thread_asks_at_a_time)
{
    const BlockWithSpent b{MakeBlock(FakeSigner(), {{{}}})};
    FakeVerifier fake{1};
    Gate gate;
    fake.cpu->compute = gate.Compute();
    BlockQueue queue{fake.verifier};
    MustAdd(queue, b, 1);
    std::optional<BlockQueue::Verdict> slow;
    {
        std::jthread asker{[&] { (void)queue.Next(slow); }};
        gate.reached.wait();
        std::optional<BlockQueue::Verdict> verdict;
        BOOST_CHECK(queue.Next(verdict) == BlockQueue::NextStatus::BUSY);
        BOOST_CHECK(!queue.Clear());
        MustAdd(queue, b, 2); // this does not wait
        BOOST_CHECK_EQUAL(queue.Size(), 2U);
        gate.open.count_down();
    }
    BOOST_REQUIRE(slow);
    BOOST_CHECK_EQUAL(slow->tag, 1U);
    BOOST_CHECK(slow->result.status == BlockScriptStatus::VALID);
    CheckVerdict(queue, 2, std::nullopt, "added meanwhile");
}

BOOST_AUTO_TEST_CASE(several_threads_add_while_one_asks)
{
    const Transactions transactions{{{}, {}}, {{.second_signature = true}}};
    const BlockWithSpent good{MakeBlock(FakeSigner(), {{{}, {}}, {{}}})}, bad{MakeBlock(FakeSigner(), transactions)};
    const auto expected{ExpectedFailure(bad, transactions)};
    constexpr uint64_t each{60};
    FakeVerifier fake{3};
    BlockQueue queue{fake.verifier, {.blocks = 7, .signatures = 20}};
    std::vector<std::jthread> adders;
    for (uint64_t t = 0; t < 3; ++t) {
        adders.emplace_back([&, t] {
            for (uint64_t i = 0; i < each; ++i) {
                while (queue.Add(Queued(i % 5 == 4 ? bad : good, 1000 * t + i)) == BlockQueue::AddStatus::FULL) std::this_thread::yield();
            }
        });
    }
    std::vector<uint64_t> next(3, 0); // of each thread, in its order
    for (size_t asked = 0; asked < 3 * each;) {
        std::optional<BlockQueue::Verdict> verdict;
        if (queue.Next(verdict) == BlockQueue::NextStatus::EMPTY) {
            std::this_thread::yield();
            continue;
        }
        BOOST_REQUIRE(verdict);
        const uint64_t t{verdict->tag / 1000}, i{verdict->tag % 1000};
        BOOST_REQUIRE_EQUAL(i, next.at(t)++);
        BOOST_CHECK(verdict->result.failure == (i % 5 == 4 ? expected : std::nullopt));
        ++asked;
    }
    BOOST_CHECK_EQUAL(queue.Size(), 0U);
}

BOOST_AUTO_TEST_CASE(several_queues_on_one_pool)
{
    const Transactions transactions{{{}, {.script = true}}};
    const BlockWithSpent good{MakeBlock(FakeSigner(), {{{}, {}}, {{}}})}, bad{MakeBlock(FakeSigner(), transactions)};
    const auto expected{ExpectedFailure(bad, transactions)};
    FakeVerifier fake{3};
    std::atomic<int> wrong{0};
    {
        std::vector<std::jthread> threads;
        for (unsigned t = 0; t < 3; ++t) {
            threads.emplace_back([&] {
                for (int round = 0; round < 15; ++round) {
                    BlockQueue queue{fake.verifier, {.signatures = 10}};
                    for (size_t i = 0; i < 6; ++i) {
                        if (queue.Add(Queued(i == 3 ? bad : good, i)) != BlockQueue::AddStatus::ADDED) ++wrong;
                    }
                    for (size_t i = 0; i < 6; ++i) {
                        std::optional<BlockQueue::Verdict> verdict;
                        if (queue.Next(verdict) != BlockQueue::NextStatus::VERDICT || verdict->tag != i ||
                            verdict->result.failure != (i == 3 ? expected : std::nullopt)) {
                            ++wrong;
                        }
                    }
                }
            });
        }
    }
    BOOST_CHECK_EQUAL(wrong, 0);
}

BOOST_AUTO_TEST_CASE(cache_is_asked_and_filled)
{
    const Transactions transactions{{{}, {.first_signature = true}}, {{}}};
    const BlockWithSpent good{MakeBlock(FakeSigner(), {{{}, {}}, {{}}})}, bad{MakeBlock(FakeSigner(), transactions)};
    for (const unsigned threads : {1U, 3U}) {
        FakeVerifier fake{threads};
        SignatureCache cache;
        BlockQueue queue{fake.verifier};
        const auto verified{[&](const BlockWithSpent& b, SignatureCacheMode mode) {
            MustAdd(queue, b, 0, {.cache = &cache, .mode = mode});
            return MustGet(queue).result.slhdsa_verified;
        }};
        BOOST_CHECK_EQUAL(verified(good, SignatureCacheMode::NONE), 6U);
        BOOST_CHECK_EQUAL(cache.GetStats().inserted, 0U);
        BOOST_CHECK_EQUAL(verified(good, SignatureCacheMode::STORE), 6U);
        BOOST_CHECK_EQUAL(cache.GetStats().inserted, 6U);
        BOOST_CHECK_EQUAL(verified(good, SignatureCacheMode::ERASE_ON_HIT), 0U);
        // Of a block with an invalid signature, the valid ones are stored and no other.
        BOOST_CHECK_EQUAL(verified(bad, SignatureCacheMode::STORE), 6U);
        BOOST_CHECK_EQUAL(cache.GetStats().inserted, 11U);
        MustAdd(queue, bad, 5, {.cache = &cache, .mode = SignatureCacheMode::STORE});
        CheckVerdict(queue, 5, ExpectedFailure(bad, transactions), "known but for one");
    }
}

BOOST_AUTO_TEST_CASE(blocks_in_one_batch_use_the_cache_as_each_says)
{
    const BlockWithSpent b{MakeBlock(FakeSigner(), {{{}, {}}, {{}}})};
    FakeVerifier fake{1};
    SignatureCache first, second;
    BlockQueue queue{fake.verifier};
    MustAdd(queue, b, 0, {.cache = &first, .mode = SignatureCacheMode::NONE});
    MustAdd(queue, b, 1, {.cache = &second, .mode = SignatureCacheMode::STORE});
    MustAdd(queue, b, 2, {.cache = &first, .mode = SignatureCacheMode::ERASE_ON_HIT});
    for (uint64_t i = 0; i < 3; ++i) CheckVerdict(queue, i, std::nullopt, "with a cache of its own");
    BOOST_CHECK_EQUAL(fake.cpu->jobs, 18U);
    BOOST_CHECK_EQUAL(first.GetStats().inserted, 0U);
    BOOST_CHECK_EQUAL(second.GetStats().inserted, 6U);
}

BOOST_AUTO_TEST_SUITE_END()
