// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/batch_fixture.h>
#include <test/fake_verification.h>
#include <test/random_source.h>
#include <test/sleepers.h>
#include <test/util/verifier.h>

#include <pqc/backends.h>
#include <pqc/batch.h>

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <latch>
#include <new>
#include <numeric>
#include <optional>
#include <random>
#include <thread>
#include <type_traits>

using namespace slhc;
using namespace slhc::slhdsa;
using namespace slhc::slhdsa::test;

namespace {

std::shared_ptr<Verifier> RealVerifier(const char* backend, unsigned threads)
{
    return slhc::test::MakeVerifier(backend, threads);
}

} // namespace

static_assert(!std::is_copy_constructible_v<SignatureCheck> && std::is_nothrow_move_constructible_v<SignatureCheck>,
              "a signature joins the batch by moving, and moving cannot fail");

BOOST_AUTO_TEST_SUITE(batch_tests)

BOOST_AUTO_TEST_CASE(every_size_and_every_bad_position)
{
    // Sizes on both sides of every chunk limit, for one thread and for several.
    for (const unsigned threads : {1U, 3U}) {
        for (size_t n = 0; n <= 65; ++n) {
            for (size_t bad = 0; bad <= n; ++bad) { // bad == n: none
                auto cpu{std::make_shared<FakeBackend>()};
                Batch batch{MakeFakeVerifier(cpu, threads)};
                for (size_t i = 0; i < n; ++i) BOOST_REQUIRE(batch.Add(FakeEntry(TicketAt(i), i != bad)));
                const BatchResult result{batch.Verify()};
                if ((result == BatchResult::VALID) != (bad == n)) BOOST_ERROR("size " << n << ", bad entry " << bad);
                const auto verdicts{batch.Verdicts()};
                BOOST_REQUIRE_EQUAL(verdicts.size(), n);
                for (size_t i = 0; i < n; ++i) {
                    if (verdicts[i].ticket != TicketAt(i) || verdicts[i].verdict != (i == bad ? Verdict::INVALID : Verdict::VALID)) {
                        BOOST_ERROR("size " << n << ", bad entry " << bad << ": wrong verdict for entry " << i);
                    }
                }
                const auto failure{batch.FirstFailure()};
                BOOST_CHECK(bad == n ? !failure : failure && *failure == TicketAt(bad));
                if (cpu->jobs != n || cpu->largest > cpu->preferred) BOOST_ERROR("size " << n << ": chunks of " << cpu->largest);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(real_signatures_eager_and_deferred)
{
    const auto& real{RealSignatures()};
    for (const char* backend : {"cpu:portable", "cpu"}) {
        const auto verifier{RealVerifier(backend, 2)};
        for (size_t n = 0; n <= 65; n += n < 10 ? 1 : 11) {
            Batch batch{verifier};
            std::vector<bool> eager;
            for (size_t i = 0; i < n; ++i) {
                SignatureCheck entry{EntryOf(real[i % real.size()], TicketAt(i))};
                // Each third entry is spoilt at a place of its own: signature, message, PK.seed, PK.root.
                if (i % 3 == n % 3) {
                    switch (i % 4) {
                    case 0: entry.signature[(i * 1231) % SIGNATURE_SIZE] ^= 1; break;
                    case 1: entry.message[i % 32] ^= 0x80; break;
                    case 2: entry.public_key[i % N] ^= 1; break;
                    case 3: entry.public_key[N + i % N] ^= 1; break;
                    }
                }
                eager.push_back(verifier->VerifyNow(entry.View()));
                BOOST_CHECK_EQUAL(eager.back(), slh_verify(entry.message, entry.signature, {}, entry.public_key));
                BOOST_CHECK_EQUAL(eager.back(), i % 3 != n % 3);
                BOOST_REQUIRE(batch.Add(std::move(entry)));
            }
            const bool all_valid{std::find(eager.begin(), eager.end(), false) == eager.end()};
            BOOST_CHECK(batch.Verify() == (all_valid ? BatchResult::VALID : BatchResult::INVALID));
            const auto verdicts{batch.Verdicts()};
            BOOST_REQUIRE_EQUAL(verdicts.size(), n);
            for (size_t i = 0; i < n; ++i) BOOST_CHECK_EQUAL(verdicts[i].verdict == Verdict::VALID, eager[i]);
        }
    }
}

BOOST_AUTO_TEST_CASE(tickets_compare_in_order)
{
    const std::vector<Ticket> ascending{TicketAt(0), TicketAt(0, 0, 1), TicketAt(0, 0, 9), TicketAt(0, 1, 0), TicketAt(0, 1, 2),
                                        TicketAt(1, 0, 0), TicketAt(1, 0, 3), TicketAt(2, 7, 1)};
    for (size_t i = 0; i < ascending.size(); ++i) {
        for (size_t j = 0; j < ascending.size(); ++j) {
            BOOST_CHECK_EQUAL(ascending[i] < ascending[j], i < j);
            BOOST_CHECK_EQUAL(ascending[i] == ascending[j], i == j);
        }
    }
    BOOST_CHECK(Ticket{} == TicketAt(0, 0, 0));
}

BOOST_AUTO_TEST_CASE(lowest_ticket_is_reported)
{
    // Whatever the order of addition, the failure is the lowest ticket.
    std::vector<Ticket> bad{TicketAt(3, 1, 5), TicketAt(3, 1, 6), TicketAt(3, 2, 0), TicketAt(4, 0, 0)};
    std::vector<Ticket> good{TicketAt(0, 0, 0), TicketAt(3, 0, 9), TicketAt(3, 1, 4), TicketAt(5, 0, 0)};
    std::mt19937 rng{slhc::test::Seed(7)};
    for (size_t first = 0; first < bad.size(); ++first) {
        for (int round = 0; round < 20; ++round) {
            Batch batch{MakeFakeVerifier(std::make_shared<FakeBackend>(), 2)};
            std::vector<SignatureCheck> entries;
            for (const auto& ticket : good) entries.push_back(FakeEntry(ticket, true));
            for (size_t i = first; i < bad.size(); ++i) entries.push_back(FakeEntry(bad[i], false));
            std::shuffle(entries.begin(), entries.end(), rng);
            BOOST_REQUIRE(batch.Add(std::move(entries)));
            BOOST_CHECK(entries.empty());
            BOOST_CHECK(batch.Verify() == BatchResult::INVALID);
            BOOST_CHECK(batch.FirstFailure() == bad[first]);
        }
    }
}

BOOST_AUTO_TEST_CASE(verdicts_come_in_the_order_of_addition)
{
    Batch batch{MakeFakeVerifier(std::make_shared<FakeBackend>(), 2)};
    BOOST_REQUIRE(batch.Add(FakeEntry(TicketAt(3), false)));
    BOOST_REQUIRE(batch.Add(FakeEntry(TicketAt(1, 0, 9), true)));
    BOOST_REQUIRE(batch.Add(FakeEntry(TicketAt(2, 1, 0), true)));
    batch.ForEachVerdict([](const SignatureCheck&, Verdict) { BOOST_ERROR("a verdict before Verify()"); });
    BOOST_CHECK(batch.Verify() == BatchResult::INVALID);
    std::vector<Ticket> tickets;
    batch.ForEachVerdict([&](const SignatureCheck& check, Verdict verdict) {
        tickets.push_back(check.ticket);
        BOOST_CHECK(verdict == (check.ticket == TicketAt(3) ? Verdict::INVALID : Verdict::VALID));
    });
    BOOST_CHECK((tickets == std::vector<Ticket>{TicketAt(3), TicketAt(1, 0, 9), TicketAt(2, 1, 0)}));
}

BOOST_AUTO_TEST_CASE(wrong_signature_sizes_are_invalid)
{
    for (const size_t size : {size_t{0}, N, SIGNATURE_SIZE - 1, SIGNATURE_SIZE + 1}) {
        const Signed& real{RealSignatures()[0]};
        Batch batch{RealVerifier("cpu:portable", 1)};
        BOOST_REQUIRE(batch.Add(EntryOf(real, TicketAt(1))));
        SignatureCheck entry{EntryOf(real, TicketAt(2))};
        entry.signature.resize(size);
        BOOST_REQUIRE(batch.Add(std::move(entry)));
        BOOST_CHECK(batch.Verify() == BatchResult::INVALID);
        BOOST_CHECK(batch.FirstFailure() == TicketAt(2));
        BOOST_CHECK(batch.Verdicts()[0].verdict == Verdict::VALID);
    }
}

BOOST_AUTO_TEST_CASE(verified_is_closed)
{
    auto cpu{std::make_shared<FakeBackend>()};
    Batch batch{MakeFakeVerifier(cpu, 2)};
    BOOST_CHECK(batch.IsOpen());
    BOOST_REQUIRE(batch.Add(FakeEntry(TicketAt(1), true)));
    BOOST_REQUIRE(batch.Add(FakeEntry(TicketAt(2), false)));
    BOOST_CHECK(batch.Verdicts()[0].verdict == Verdict::NONE);
    BOOST_CHECK(!batch.FirstFailure());
    for (int round = 0; round < 3; ++round) {
        BOOST_CHECK(batch.Verify() == BatchResult::INVALID);
        BOOST_CHECK(batch.FirstFailure() == TicketAt(2));
    }
    BOOST_CHECK_EQUAL(cpu->jobs.load(), 2U); // the answer was computed once

    BOOST_CHECK(!batch.IsOpen());
    SignatureCheck late{FakeEntry(TicketAt(0), false)};
    BOOST_CHECK(!batch.Add(std::move(late)));
    BOOST_CHECK_EQUAL(late.signature.size(), SIGNATURE_SIZE); // a refused entry keeps its data
    std::vector<SignatureCheck> several;
    several.push_back(std::move(late));
    BOOST_CHECK(!batch.Add(std::move(several)));
    BOOST_CHECK_EQUAL(several.size(), 1U);
    BOOST_CHECK_EQUAL(batch.Size(), 2U);

    Batch empty{MakeFakeVerifier(cpu, 2)};
    BOOST_CHECK(empty.Verify() == BatchResult::VALID);
    BOOST_CHECK(!empty.Add(FakeEntry(TicketAt(1), true)));
}

BOOST_AUTO_TEST_CASE(a_batch_refuses_changes_while_it_verifies)
{
    const auto cpu{std::make_shared<FakeBackend>()};
    StandStill still{*cpu};
    Batch batch{MakeFakeVerifier(cpu, 2)};
    for (size_t i = 0; i < 40; ++i) BOOST_REQUIRE(batch.Add(FakeEntry(TicketAt(i), i != 33)));
    std::atomic<BatchResult> result{BatchResult::VALID}, second{BatchResult::VALID};
    std::thread verifying{[&] { result = batch.Verify(); }};
    still.begun.wait();
    // No lock is held: each of these returns while the verification stands still.
    BOOST_CHECK(!batch.Add(FakeEntry(TicketAt(50), true)));
    BOOST_CHECK(!batch.IsOpen());
    BOOST_CHECK_EQUAL(batch.Size(), 40U);
    BOOST_CHECK(!batch.FirstFailure());
    // These wait for the verdicts.
    constexpr int N_WAITING{4};
    std::latch about_to_wait{N_WAITING};
    std::atomic<int> n_answered{0};
    std::vector<BatchVerdict> verdicts;
    std::optional<BatchVerdict> one_verdict;
    size_t n_shown{0};
    std::vector<std::thread> waiting;
    const auto wait_for{[&](auto ask) {
        waiting.emplace_back([&, ask] {
            about_to_wait.count_down();
            ask();
            ++n_answered;
        });
    }};
    wait_for([&] { second = batch.Verify(); });
    wait_for([&] { verdicts = batch.Verdicts(); });
    wait_for([&] { one_verdict = batch.VerdictAt(33); });
    wait_for([&] { batch.ForEachVerdict([&](const SignatureCheck&, Verdict) { ++n_shown; }); });
    about_to_wait.wait();
    std::this_thread::sleep_for(std::chrono::milliseconds{20}); // time to answer too early
    BOOST_CHECK_EQUAL(n_answered, 0);
    still.go_on.count_down();
    verifying.join();
    for (std::thread& thread : waiting) thread.join();
    BOOST_CHECK(result == BatchResult::INVALID);
    BOOST_CHECK(second == BatchResult::INVALID);
    BOOST_REQUIRE_EQUAL(verdicts.size(), 40U);
    for (size_t i = 0; i < verdicts.size(); ++i) BOOST_CHECK(verdicts[i].verdict == (i == 33 ? Verdict::INVALID : Verdict::VALID));
    BOOST_REQUIRE(one_verdict);
    BOOST_CHECK(one_verdict->verdict == Verdict::INVALID);
    BOOST_CHECK_EQUAL(n_shown, 40U);
    BOOST_CHECK(batch.FirstFailure() == TicketAt(33));
    BOOST_CHECK_EQUAL(cpu->jobs.load(), 40U);
}

/** When a verification comes to no verdict, one of the waiting threads tries again, and the others wait for it. */
BOOST_AUTO_TEST_CASE(one_thread_tries_again)
{
    constexpr int WAITING{4};
    const auto cpu{std::make_shared<FakeBackend>()}, device{std::make_shared<FakeBackend>()};
    device->is_device = true;
    std::latch begun{1}, go_on{1};
    slhc::test::Sleepers sleepers{WAITING};
    std::atomic<bool> fail{true};
    const auto share{[&](size_t) -> size_t {
        if (!fail.exchange(false)) return 0;
        begun.count_down();
        go_on.wait();
        throw std::bad_alloc{};
    }};
    Batch batch{std::make_shared<Verifier>(Backends{.cpu = cpu, .devices = {device}}, std::make_shared<ThreadPool>(1),
                                           std::make_shared<Logger>(), share)};
    for (size_t i = 0; i < 4; ++i) BOOST_REQUIRE(batch.Add(FakeEntry(TicketAt(i), i != 2)));
    bool thrown{false};
    std::thread failing{[&] {
        try {
            (void)batch.Verify();
        } catch (const std::bad_alloc&) {
            thrown = true;
        }
    }};
    begun.wait();
    std::atomic<int> invalid{0};
    std::vector<std::thread> waiting;
    for (int i{0}; i < WAITING; ++i) {
        waiting.emplace_back([&] {
            sleepers.Enter();
            if (batch.Verify() == BatchResult::INVALID) ++invalid;
        });
    }
    sleepers.WaitUntilAsleep();
    go_on.count_down();
    failing.join();
    for (std::thread& thread : waiting) thread.join();
    BOOST_CHECK(thrown);
    BOOST_CHECK_EQUAL(invalid, WAITING);
    BOOST_CHECK_EQUAL(cpu->jobs.load(), 4U); // once each
}

BOOST_AUTO_TEST_CASE(adding_from_several_threads)
{
    auto cpu{std::make_shared<FakeBackend>()};
    Batch batch{MakeFakeVerifier(cpu, 3)};
    std::atomic<bool> refused{false};
    std::vector<std::thread> threads;
    for (uint64_t t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            for (uint32_t i = 0; i < 50; ++i) {
                if (i % 10 == 9) {
                    std::vector<SignatureCheck> entries;
                    for (uint32_t j = 0; j < 3; ++j) entries.push_back(FakeEntry(TicketAt(t, i, j), true));
                    if (!batch.Add(std::move(entries))) refused = true;
                } else if (!batch.Add(FakeEntry(TicketAt(t, i), t != 2 || i != 17))) {
                    refused = true;
                }
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    BOOST_CHECK(!refused);
    BOOST_CHECK_EQUAL(batch.Size(), 4U * (45U + 15U));
    BOOST_CHECK(batch.Verify() == BatchResult::INVALID);
    BOOST_CHECK(batch.FirstFailure() == TicketAt(2, 17));
    const auto verdicts{batch.Verdicts()};
    BOOST_CHECK_EQUAL(std::count_if(verdicts.begin(), verdicts.end(), [](const auto& v) { return v.verdict == Verdict::VALID; }), 239);
}

BOOST_AUTO_TEST_CASE(interrupted_says_nothing)
{
    auto cpu{std::make_shared<FakeBackend>()};
    const auto verifier{MakeFakeVerifier(cpu, 2)};
    Batch batch{verifier};
    cpu->compute = [&](std::span<const RootJob> jobs, std::span<Root> roots) {
        verifier->Pool().Interrupt();
        return FakeBackend::Honest(jobs, roots);
    };
    for (size_t i = 0; i < 100; ++i) BOOST_REQUIRE(batch.Add(FakeEntry(TicketAt(i), i != 0)));
    BOOST_CHECK(batch.Verify() == BatchResult::INTERRUPTED);
    BOOST_CHECK(!batch.FirstFailure());
    for (const BatchVerdict& v : batch.Verdicts()) BOOST_CHECK(v.verdict == Verdict::NONE);
    BOOST_CHECK(batch.IsOpen());
}

BOOST_AUTO_TEST_CASE(exception_leaves_the_batch_as_it_was)
{
    auto cpu{std::make_shared<FakeBackend>()};
    std::string error;
    bool fail{true};
    // The share function of a verifier may throw for lack of memory, like anything in a verification.
    auto device{std::make_shared<FakeBackend>()};
    device->is_device = true;
    const auto verifier{std::make_shared<Verifier>(Backends{.cpu = cpu, .devices = {device}}, std::make_shared<ThreadPool>(2),
                                                   std::make_shared<Logger>(), [&](size_t) -> size_t {
                                                       if (fail) throw std::bad_alloc{};
                                                       return 0;
                                                   })};
    Batch batch{verifier};
    BOOST_REQUIRE(batch.Add(FakeEntry(TicketAt(1), true)));
    BOOST_CHECK_THROW((void)batch.Verify(), std::bad_alloc);
    BOOST_REQUIRE(batch.Add(FakeEntry(TicketAt(2), true)));
    fail = false;
    BOOST_CHECK(batch.Verify() == BatchResult::VALID);
    BOOST_CHECK_EQUAL(batch.Size(), 2U);
}

BOOST_AUTO_TEST_SUITE_END()
