// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/allocations.h>
#include <test/batch_fixture.h>
#include <test/fake_verification.h>
#include <test/preconditions.h>
#include <test/util/verifier.h>

#include <pqc/backends.h>
#include <pqc/batch.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

using namespace slhc;
using namespace slhc::slhdsa;
using namespace slhc::slhdsa::test;

namespace {

/** The number of checks that a worker takes at a time. */
constexpr size_t GROUP{Verifier::JOBS_AHEAD};

void AddFakes(Batch& batch, size_t begin, size_t end, size_t bad = SIZE_MAX)
{
    for (size_t i = begin; i < end; ++i) BOOST_REQUIRE(batch.Add(FakeEntry(TicketAt(i), i != bad)));
}

/** Start threads first, so that a test does not fail to start them for lack of memory. */
void StartWorker(Batch& batch, const FakeBackend& cpu)
{
    batch.VerifyAhead();
    AddFakes(batch, 0, GROUP);
    WaitFor([&] { return cpu.jobs == GROUP; });
}

size_t CountVerdicts(const Batch& batch, Verdict verdict)
{
    const auto verdicts{batch.Verdicts()};
    return static_cast<size_t>(std::ranges::count(verdicts, verdict, &BatchVerdict::verdict));
}

} // namespace

/** Checks that workers verify while the batch is open. */
BOOST_AUTO_TEST_SUITE(batch_ahead_tests)

BOOST_AUTO_TEST_CASE(every_size_and_every_bad_position)
{
    for (size_t n = 0; n <= 3 * GROUP + 1; ++n) {
        for (size_t bad = 0; bad <= n; ++bad) { // bad == n: none
            const auto cpu{std::make_shared<FakeBackend>()};
            Batch batch{MakeFakeVerifier(cpu, 3)};
            BOOST_CHECK(!batch.VerifiesAhead());
            AddFakes(batch, 0, n / 2, bad);
            batch.VerifyAhead(); // of those that are there already, too
            BOOST_CHECK(batch.VerifiesAhead());
            AddFakes(batch, n / 2, n, bad);
            std::optional<Ticket> failure;
            const BatchResult result{batch.Verify(&failure)};
            BOOST_CHECK(result == (bad == n ? BatchResult::VALID : BatchResult::INVALID));
            BOOST_CHECK(bad == n ? !failure : failure == TicketAt(bad));
            const auto verdicts{batch.Verdicts()};
            BOOST_REQUIRE_EQUAL(verdicts.size(), n);
            for (size_t i = 0; i < n; ++i) {
                if (verdicts[i].ticket != TicketAt(i) || verdicts[i].verdict != (i == bad ? Verdict::INVALID : Verdict::VALID)) {
                    BOOST_ERROR("size " << n << ", bad entry " << bad << ": wrong verdict for entry " << i);
                }
            }
            BOOST_CHECK_EQUAL(cpu->jobs, n); // once each
        }
    }
}

BOOST_AUTO_TEST_CASE(full_groups_are_verified_before_anyone_asks)
{
    const auto cpu{std::make_shared<FakeBackend>()};
    Batch batch{MakeFakeVerifier(cpu, 2)};
    batch.VerifyAhead();
    batch.VerifyAhead(); // once is enough
    AddFakes(batch, 0, GROUP - 1, 3);
    std::this_thread::sleep_for(std::chrono::milliseconds{20}); // time to take too few
    BOOST_CHECK_EQUAL(cpu->jobs, 0U);
    AddFakes(batch, GROUP - 1, GROUP);
    WaitFor([&] { return cpu->jobs == GROUP; });
    BOOST_CHECK_EQUAL(cpu->calls, 1U); // all lanes at once
    std::vector<SignatureCheck> many;
    for (size_t i = GROUP; i < 4 * GROUP + 3; ++i) many.push_back(FakeEntry(TicketAt(i), true));
    BOOST_REQUIRE(batch.Add(std::move(many)));
    WaitFor([&] { return cpu->jobs == 4 * GROUP; });
    // Nothing of it is to be seen.
    BOOST_CHECK(batch.IsOpen());
    BOOST_CHECK(!batch.FirstFailure());
    BOOST_CHECK_EQUAL(CountVerdicts(batch, Verdict::NONE), 4 * GROUP + 3);
    batch.ForEachVerdict([](const SignatureCheck&, Verdict) { BOOST_ERROR("a verdict before Verify()"); });

    BOOST_CHECK(batch.Verify() == BatchResult::INVALID);
    BOOST_CHECK(batch.FirstFailure() == TicketAt(3));
    BOOST_CHECK_EQUAL(CountVerdicts(batch, Verdict::VALID), 4 * GROUP + 2);
    BOOST_CHECK_EQUAL(cpu->jobs, 4 * GROUP + 3);
}

/** Checks need not wait for another one to be added. */
BOOST_AUTO_TEST_CASE(what_is_there_already_is_verified_ahead)
{
    const auto cpu{std::make_shared<FakeBackend>()};
    Batch batch{MakeFakeVerifier(cpu, 2)};
    AddFakes(batch, 0, 2 * GROUP + 1);
    std::this_thread::sleep_for(std::chrono::milliseconds{20}); // time to begin too early
    BOOST_CHECK_EQUAL(cpu->jobs, 0U);
    batch.VerifyAhead();
    WaitFor([&] { return cpu->jobs == 2 * GROUP; });
}

BOOST_AUTO_TEST_CASE(the_batch_stays_usable_while_workers_are_at_it)
{
    const auto cpu{std::make_shared<FakeBackend>()};
    StandStill still{*cpu};
    Batch batch{MakeFakeVerifier(cpu, 2)};
    batch.VerifyAhead();
    AddFakes(batch, 0, GROUP, 5);
    still.begun.wait();
    // No lock is held, and the checks that a worker looks at stay where they are.
    AddFakes(batch, GROUP, 40 * GROUP, 5);
    BOOST_CHECK(batch.IsOpen());
    BOOST_CHECK_EQUAL(batch.Size(), 40 * GROUP);
    BOOST_CHECK_EQUAL(CountVerdicts(batch, Verdict::NONE), 40 * GROUP);
    Verification verifying{batch};
    WaitFor([&] { return !batch.IsOpen(); });
    BOOST_CHECK(!batch.Add(FakeEntry(TicketAt(0), true)));
    std::this_thread::sleep_for(std::chrono::milliseconds{20}); // time to answer too early
    BOOST_CHECK(!verifying.answered);
    still.go_on.count_down();
    verifying.thread.join();
    BOOST_CHECK(verifying.result == BatchResult::INVALID);
    BOOST_CHECK(batch.FirstFailure() == TicketAt(5));
    BOOST_CHECK_EQUAL(CountVerdicts(batch, Verdict::VALID), 40 * GROUP - 1);
    BOOST_CHECK_EQUAL(cpu->jobs, 40 * GROUP);
}

/** Also for a batch that is verified while a worker has the last group. */
BOOST_AUTO_TEST_CASE(a_verdict_waits_for_the_last_worker)
{
    const auto cpu{std::make_shared<FakeBackend>()};
    StandStill still{*cpu};
    Batch batch{MakeFakeVerifier(cpu, 2)};
    batch.VerifyAhead();
    AddFakes(batch, 0, GROUP, 7);
    still.begun.wait();
    Verification verifying{batch}; // nothing is left to do for this thread
    std::this_thread::sleep_for(std::chrono::milliseconds{20}); // time to answer too early
    BOOST_CHECK(!verifying.answered);
    still.go_on.count_down();
    verifying.thread.join();
    BOOST_CHECK(verifying.result == BatchResult::INVALID);
    BOOST_CHECK_EQUAL(cpu->jobs, GROUP);
}

BOOST_AUTO_TEST_CASE(destroying_waits_for_workers)
{
    const auto cpu{std::make_shared<FakeBackend>()};
    StandStill still{*cpu};
    auto batch{std::make_unique<Batch>(MakeFakeVerifier(cpu, 2))};
    batch->VerifyAhead();
    AddFakes(*batch, 0, GROUP);
    still.begun.wait();
    std::atomic<bool> done{false};
    std::thread ending{[&] {
        batch.reset();
        done = true;
    }};
    std::this_thread::sleep_for(std::chrono::milliseconds{20}); // time to end too early
    BOOST_CHECK(!done);
    still.go_on.count_down();
    ending.join();
    BOOST_CHECK_EQUAL(cpu->jobs, GROUP);
}

/** The CPU's pace is learned from batches that have all of it, and not from empty ones. */
BOOST_AUTO_TEST_CASE(the_pace_is_not_misled)
{
    const auto cpu{std::make_shared<FakeBackend>()}, device{std::make_shared<FakeBackend>()};
    device->is_device = true;
    std::atomic<size_t> asked{0};
    const auto verifier{std::make_shared<Verifier>(Backends{.cpu = cpu, .devices = {device}}, std::make_shared<ThreadPool>(2),
                                                   std::make_shared<Logger>(), [&](size_t) {
                                                       ++asked;
                                                       return size_t{0};
                                                   })};
    constexpr size_t ENOUGH{LEAST_TELLING};
    {
        Batch batch{verifier};
        batch.VerifyAhead();
        AddFakes(batch, 0, GROUP);
        WaitFor([&] { return cpu->jobs == GROUP; });
        BOOST_CHECK(batch.Verify() == BatchResult::VALID); // nothing was left
        BOOST_CHECK_EQUAL(asked, 0U);
        BOOST_CHECK(!verifier->CpuPace());
    }
    Gate gate;
    cpu->compute = gate.Compute();
    {
        Batch batch{verifier}, other{verifier};
        batch.VerifyAhead();
        AddFakes(batch, 0, GROUP);
        gate.reached.wait();
        AddFakes(other, 0, ENOUGH);
        BOOST_CHECK(other.Verify() == BatchResult::VALID); // while a worker is at another batch
        BOOST_CHECK_EQUAL(asked, 1U);
        BOOST_CHECK(!verifier->CpuPace());
        gate.open.count_down();
    }
    Batch other{verifier};
    AddFakes(other, 0, ENOUGH);
    BOOST_CHECK(other.Verify() == BatchResult::VALID);
    BOOST_CHECK_EQUAL(asked, 2U);
    BOOST_CHECK(verifier->CpuPace());
}

/** A worker without memory leaves its checks to Verify(): whichever of its allocations fails, verdicts are right. */
BOOST_AUTO_TEST_CASE(workers_without_memory, *boost::unit_test::precondition(slhc::test::CanForbidAllocations))
{
    size_t failures{0}, taken{0};
    for (const size_t bad : {size_t{SIZE_MAX}, GROUP + 2}) {
        for (size_t n = 0; n < 12; ++n) {
            const auto cpu{std::make_shared<FakeBackend>()};
            Batch batch{MakeFakeVerifier(cpu, 2)};
            StartWorker(batch, *cpu); // and make room for as many checks again
            AddFakes(batch, GROUP, 2 * GROUP - 1, bad);
            SignatureCheck last{FakeEntry(TicketAt(2 * GROUP - 1), true)};
            slhc::test::FailOneAllocationAfter(n);
            bool added{false};
            try {
                added = batch.Add(std::move(last));
            } catch (const std::bad_alloc&) { // nothing was added
            }
            for (int i = 0; i < 20 && cpu->jobs != 2 * GROUP; ++i) std::this_thread::sleep_for(std::chrono::milliseconds{5});
            const bool failed{slhc::test::StopFailingAllocations()};
            if (failed && !added) continue;
            failures += failed;
            taken += cpu->jobs == 2 * GROUP;
            BOOST_CHECK(!failed || cpu->jobs == GROUP); // it is not tried again and again
            BOOST_REQUIRE(added);
            BOOST_CHECK(batch.Verify() == (bad == SIZE_MAX ? BatchResult::VALID : BatchResult::INVALID));
            BOOST_CHECK_EQUAL(CountVerdicts(batch, Verdict::VALID), 2 * GROUP - (bad == SIZE_MAX ? 0 : 1));
        }
    }
    BOOST_CHECK_GE(failures, 8U); // of twice: three vectors, the verdicts, the jobs, the roots
    BOOST_CHECK_GT(taken, 0U);    // and where none failed, a worker was there
}

/** Also with the first checks of a batch; and if Verify() is interrupted at those left to it, there is no verdict. */
BOOST_AUTO_TEST_CASE(the_first_group_without_memory, *boost::unit_test::precondition(slhc::test::CanForbidAllocations))
{
    size_t failures{0};
    for (const bool interrupt : {false, true}) {
        for (size_t n = 0; n < 8; ++n) {
            const auto cpu{std::make_shared<FakeBackend>()};
            const auto verifier{MakeFakeVerifier(cpu, 2)};
            Batch first{verifier}, batch{verifier};
            StartWorker(first, *cpu);
            batch.VerifyAhead();
            AddFakes(batch, 0, GROUP - 1);
            SignatureCheck last{FakeEntry(TicketAt(GROUP - 1), true)};
            slhc::test::FailOneAllocationAfter(n);
            bool added{false};
            try {
                added = batch.Add(std::move(last));
            } catch (const std::bad_alloc&) { // nothing was added
            }
            for (int i = 0; i < 20 && cpu->jobs != 2 * GROUP; ++i) std::this_thread::sleep_for(std::chrono::milliseconds{5});
            const bool failed{slhc::test::StopFailingAllocations()};
            if (failed && !added) continue;
            BOOST_REQUIRE(added);
            if (!failed) continue;
            ++failures;
            if (interrupt) verifier->Pool().Interrupt();
            BOOST_CHECK(batch.Verify() == (interrupt ? BatchResult::INTERRUPTED : BatchResult::VALID));
            BOOST_CHECK_EQUAL(batch.IsOpen(), interrupt);
        }
    }
    BOOST_CHECK_GE(failures, 8U);
}

BOOST_AUTO_TEST_CASE(beginning_without_memory, *boost::unit_test::precondition(slhc::test::CanForbidAllocations))
{
    const auto cpu{std::make_shared<FakeBackend>()};
    const auto verifier{MakeFakeVerifier(cpu, 2)};
    Batch first{verifier}, batch{verifier};
    StartWorker(first, *cpu);
    AddFakes(batch, 0, GROUP, 2);
    size_t n{0};
    for (bool refused{true}; refused; ++n) {
        slhc::test::ForbidAllocationsAfter(n);
        try {
            batch.VerifyAhead();
            refused = false;
        } catch (const std::bad_alloc&) {
        }
        slhc::test::AllowAllocations();
        BOOST_CHECK_EQUAL(batch.VerifiesAhead(), !refused);
    }
    BOOST_CHECK_GE(n, 2U); // once without
    WaitFor([&] { return cpu->jobs == 2 * GROUP; });
    BOOST_CHECK(batch.Verify() == BatchResult::INVALID);
}

/** Workers go on where Verify() fails and reopens the batch. */
BOOST_AUTO_TEST_CASE(workers_go_on_after_a_failed_verification, *boost::unit_test::precondition(slhc::test::CanForbidAllocations))
{
    const auto cpu{std::make_shared<FakeBackend>()};
    Gate gate;
    cpu->compute = gate.Compute();
    Batch batch{MakeFakeVerifier(cpu, 2)};
    batch.VerifyAhead();
    AddFakes(batch, 0, 3 * GROUP);
    gate.reached.wait();
    slhc::test::ForbidAllocationsAfter(0);
    bool refused{false};
    try {
        (void)batch.Verify();
    } catch (const std::bad_alloc&) {
        refused = true;
    }
    slhc::test::AllowAllocations();
    BOOST_CHECK(refused);
    BOOST_CHECK(batch.IsOpen());
    gate.open.count_down();
    WaitFor([&] { return cpu->jobs == 3 * GROUP; });
    BOOST_CHECK(batch.Verify() == BatchResult::VALID);
}

BOOST_AUTO_TEST_CASE(an_interruption_leaves_the_batch_open)
{
    const auto cpu{std::make_shared<FakeBackend>()};
    const auto verifier{MakeFakeVerifier(cpu, 2)};
    Batch batch{verifier};
    batch.VerifyAhead();
    AddFakes(batch, 0, GROUP);
    WaitFor([&] { return cpu->jobs == GROUP; });
    verifier->Pool().Interrupt();
    AddFakes(batch, GROUP, 3 * GROUP);
    BOOST_CHECK(batch.Verify() == BatchResult::INTERRUPTED);
    BOOST_CHECK(batch.IsOpen());
    BOOST_CHECK_EQUAL(CountVerdicts(batch, Verdict::NONE), 3 * GROUP);
    BOOST_CHECK_EQUAL(cpu->jobs, GROUP);
}

BOOST_AUTO_TEST_CASE(nothing_is_ahead_without_workers_or_of_devices)
{
    const auto cpu{std::make_shared<FakeBackend>()};
    Batch alone{MakeFakeVerifier(cpu, 1)};
    alone.VerifyAhead();
    BOOST_CHECK(!alone.VerifiesAhead());

    const auto device{std::make_shared<FakeBackend>()};
    device->is_device = true;
    Batch on_device{std::make_shared<Verifier>(Backends{.cpu = cpu, .devices = {device}, .device_only = true},
                                               std::make_shared<ThreadPool>(2), std::make_shared<Logger>())};
    on_device.VerifyAhead();
    BOOST_CHECK(!on_device.VerifiesAhead());
    AddFakes(on_device, 0, 5 * GROUP);
    BOOST_CHECK(on_device.Verify() == BatchResult::VALID);
    BOOST_CHECK_EQUAL(device->jobs, 5 * GROUP);
    BOOST_CHECK_EQUAL(cpu->jobs, 0U);
}

/** With a device that shares the work, the CPU begins alone. */
BOOST_AUTO_TEST_CASE(a_device_gets_its_share_of_the_rest)
{
    const auto cpu{std::make_shared<FakeBackend>()}, device{std::make_shared<FakeBackend>()};
    device->is_device = true;
    Batch batch{std::make_shared<Verifier>(Backends{.cpu = cpu, .devices = {device}}, std::make_shared<ThreadPool>(2),
                                           std::make_shared<Logger>(), [](size_t n) { return n; })};
    batch.VerifyAhead();
    AddFakes(batch, 0, GROUP);
    WaitFor([&] { return cpu->jobs == GROUP; });
    AddFakes(batch, GROUP, GROUP + 5, GROUP + 1);
    BOOST_CHECK(batch.Verify() == BatchResult::INVALID);
    BOOST_CHECK(batch.FirstFailure() == TicketAt(GROUP + 1));
    BOOST_CHECK_EQUAL(device->jobs, 5U);
}

BOOST_AUTO_TEST_CASE(wrong_signature_sizes_are_invalid)
{
    const auto cpu{std::make_shared<FakeBackend>()};
    Batch batch{MakeFakeVerifier(cpu, 2)};
    batch.VerifyAhead();
    std::vector<SignatureCheck> checks;
    size_t computed{0};
    for (size_t i = 0; i < GROUP; ++i) {
        checks.push_back(FakeEntry(TicketAt(i), true));
        if (i % 3 == 1) {
            checks.back().signature.resize(SIGNATURE_SIZE + (i % 2 == 0 ? 1 : -1));
        } else {
            ++computed;
        }
    }
    BOOST_REQUIRE(batch.Add(std::move(checks)));
    WaitFor([&] { return cpu->jobs == computed; });
    BOOST_CHECK(batch.Verify() == BatchResult::INVALID);
    BOOST_CHECK(batch.FirstFailure() == TicketAt(1));
    const auto verdicts{batch.Verdicts()};
    for (size_t i = 0; i < GROUP; ++i) BOOST_CHECK(verdicts[i].verdict == (i % 3 == 1 ? Verdict::INVALID : Verdict::VALID));
}

/** Adders and workers at once, then several threads that ask, with real signatures. */
BOOST_AUTO_TEST_CASE(many_threads)
{
    const auto& real{RealSignatures()};
    const auto verifier{slhc::test::MakeVerifier("cpu", 3)};
    for (size_t round = 0; round < 4; ++round) {
        constexpr size_t ADDERS{3}, EACH{70};
        Batch batch{verifier};
        batch.VerifyAhead();
        std::atomic<bool> refused{false};
        std::vector<std::thread> adders;
        for (size_t t = 0; t < ADDERS; ++t) {
            adders.emplace_back([&, t] {
                for (size_t i = 0; i < EACH; ++i) {
                    SignatureCheck check{EntryOf(real[i % real.size()], TicketAt(t, static_cast<uint32_t>(i)))};
                    if (round == t && i == 11 * round) check.signature[i * 97 % SIGNATURE_SIZE] ^= 1;
                    if (!batch.Add(std::move(check))) refused = true;
                }
            });
        }
        for (std::thread& adder : adders) adder.join();
        BOOST_CHECK(!refused);
        std::vector<std::thread> asking;
        std::atomic<size_t> wrong{0};
        for (int i = 0; i < 2; ++i) {
            asking.emplace_back([&] {
                std::optional<Ticket> failure;
                const BatchResult result{batch.Verify(&failure)};
                if (round < ADDERS ? result != BatchResult::INVALID || failure != TicketAt(round, static_cast<uint32_t>(11 * round))
                                   : result != BatchResult::VALID) {
                    ++wrong;
                }
            });
        }
        for (std::thread& thread : asking) thread.join();
        BOOST_CHECK_EQUAL(wrong, 0U);
        BOOST_CHECK_EQUAL(CountVerdicts(batch, Verdict::VALID), ADDERS * EACH - (round < ADDERS ? 1 : 0));
    }
}

BOOST_AUTO_TEST_SUITE_END()
