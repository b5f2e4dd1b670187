// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/allocations.h>
#include <test/preconditions.h>
#include <test/signals.h>

#include <util/log.h>
#include <util/thread.h>
#include <util/threadpool.h>

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <latch>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <signal.h>


using namespace slhc;

BOOST_AUTO_TEST_SUITE(threadpool_tests)

BOOST_AUTO_TEST_CASE(every_chunk_once)
{
    for (const unsigned threads : {1U, 2U, 3U, 8U}) {
        ThreadPool pool{threads};
        BOOST_CHECK_EQUAL(pool.Threads(), threads);
        for (size_t n = 0; n <= 65; ++n) {
            std::vector<std::atomic<int>> runs(n);
            BOOST_CHECK(pool.Run(n, [&](size_t i) { ++runs.at(i); }));
            for (size_t i = 0; i < n; ++i) BOOST_CHECK_EQUAL(runs[i].load(), 1);
        }
    }
}

BOOST_AUTO_TEST_CASE(thread_count)
{
    BOOST_CHECK_GE(UsableCores(), 1U);
    BOOST_CHECK_EQUAL(ThreadPool{0}.Threads(), UsableCores());
    BOOST_CHECK_EQUAL(ThreadPool{ThreadPool::MAX_THREADS + 1}.Threads(), ThreadPool::MAX_THREADS);
}

BOOST_AUTO_TEST_CASE(caller_and_workers_run_together)
{
    // Each chunk waits for all the others: the job ends only if each of the three threads runs one of them.
    ThreadPool pool{3};
    std::latch all{3};
    std::mutex mutex;
    std::set<std::thread::id> ids;
    BOOST_CHECK(pool.Run(3, [&](size_t) {
        {
            const std::lock_guard lock{mutex};
            ids.insert(std::this_thread::get_id());
        }
        all.arrive_and_wait();
    }));
    BOOST_CHECK_EQUAL(ids.size(), 3U);
    BOOST_CHECK(ids.contains(std::this_thread::get_id()));
}

BOOST_AUTO_TEST_CASE(one_thread_means_the_caller)
{
    ThreadPool pool{1};
    bool elsewhere{false};
    const std::thread::id caller{std::this_thread::get_id()};
    BOOST_CHECK(pool.Run(10, [&](size_t) { elsewhere |= std::this_thread::get_id() != caller; }));
    BOOST_CHECK(!elsewhere);
}

BOOST_AUTO_TEST_CASE(workers_block_signals)
{
    ThreadPool pool{2};
    std::latch both{2};
    std::atomic<int> open{0};
    BOOST_CHECK(pool.Run(2, [&](size_t) {
        both.arrive_and_wait();
        if (!slhc::test::BlocksSentSignals()) ++open;
    }));
    BOOST_CHECK_EQUAL(open.load(), 1); // the caller alone
}

BOOST_AUTO_TEST_CASE(started_threads_block_signals)
{
    bool in_thread{false};
    StartThread([&] { in_thread = slhc::test::BlocksSentSignals(); }).join();
    BOOST_CHECK(in_thread);
    BOOST_CHECK(StartTask([] { return slhc::test::BlocksSentSignals(); }).get());
    BOOST_CHECK(!slhc::test::BlocksSentSignals());
}

/** A caller may have blocked even its own faults, in order to fetch them with sigwait(). */
BOOST_AUTO_TEST_CASE(starting_a_thread_unblocks_nothing)
{
    sigset_t fault, before, pending;
    sigemptyset(&fault);
    sigaddset(&fault, SIGSYS);
    BOOST_REQUIRE_EQUAL(pthread_sigmask(SIG_BLOCK, &fault, &before), 0);
    BOOST_REQUIRE_EQUAL(pthread_kill(pthread_self(), SIGSYS), 0); // ends the program, if it arrives
    StartThread([] {}).join();
    BOOST_CHECK_EQUAL(sigpending(&pending), 0);
    BOOST_CHECK_EQUAL(sigismember(&pending, SIGSYS), 1);
    int fetched{0};
    BOOST_CHECK_EQUAL(sigwait(&fault, &fetched), 0);
    BOOST_CHECK_EQUAL(pthread_sigmask(SIG_SETMASK, &before, nullptr), 0);
}

/** No thread for lack of memory: the pool does without, and the caller's signals are as they were. */
BOOST_AUTO_TEST_CASE(no_memory_for_workers, *boost::unit_test::precondition(slhc::test::CanForbidAllocations))
{
    const std::function<void(size_t)> nothing{[](size_t) {}};
    // With one allocation more each time, until everything that a pool allocates at its start is reached.
    for (size_t allowed = 0; allowed < 16; ++allowed) {
        ThreadPool pool{4};
        bool done{false};
        slhc::test::ForbidAllocationsAfter(allowed);
        try {
            done = pool.Run(16, nothing);
        } catch (const std::bad_alloc&) {
            done = true; // the job itself found no place in the queue
        }
        slhc::test::AllowAllocations();
        BOOST_CHECK(done);
        BOOST_CHECK(!slhc::test::BlocksSentSignals());
        BOOST_CHECK(pool.Run(16, nothing));
    }
}

BOOST_AUTO_TEST_CASE(concurrent_callers)
{
    ThreadPool pool{3};
    std::atomic<size_t> sum{0};
    std::vector<std::thread> callers;
    for (int c = 0; c < 4; ++c) {
        callers.emplace_back([&] {
            for (int round = 0; round < 50; ++round) {
                if (!pool.Run(7, [&](size_t i) { sum += i + 1; })) sum += 1000000;
            }
        });
    }
    for (std::thread& caller : callers) caller.join();
    BOOST_CHECK_EQUAL(sum.load(), 4U * 50U * 28U);
}

BOOST_AUTO_TEST_CASE(nested)
{
    ThreadPool pool{2};
    std::atomic<size_t> calls{0};
    BOOST_CHECK(pool.Run(4, [&](size_t) {
        if (!pool.Run(4, [&](size_t) { ++calls; })) calls += 1000;
    }));
    BOOST_CHECK_EQUAL(calls.load(), 16U);
}

BOOST_AUTO_TEST_CASE(exceptions)
{
    for (const unsigned threads : {1U, 2U, 4U}) {
        ThreadPool pool{threads};
        std::atomic<size_t> running{0};
        const auto bad{[&](size_t i) {
            ++running;
            if (i == 5) {
                --running;
                throw std::runtime_error{"chunk 5"};
            }
            --running;
        }};
        BOOST_CHECK_EXCEPTION((void)pool.Run(100, bad), std::runtime_error,
                              [&](const std::runtime_error& e) { return std::string{e.what()} == "chunk 5"; });
        BOOST_CHECK_EQUAL(running.load(), 0U); // nothing runs on behind a caller that has its exception
        BOOST_CHECK_THROW((void)pool.Run(100, [](size_t) { throw std::bad_alloc{}; }), std::bad_alloc);
        size_t ok{0};
        BOOST_CHECK(pool.Run(1, [&](size_t) { ++ok; })); // and the pool goes on
        BOOST_CHECK_EQUAL(ok, 1U);
    }
}

BOOST_AUTO_TEST_CASE(interruption)
{
    for (const unsigned threads : {1U, 3U}) {
        ThreadPool pool{threads};
        std::atomic<size_t> calls{0};
        BOOST_CHECK(!pool.Run(1000, [&](size_t) {
            const size_t call{++calls};
            if (call == 10) pool.Interrupt();
            // Those that began in between: a busy machine may leave this thread without a processor before it interrupts.
            while (call > 10 && !pool.Interrupted()) std::this_thread::yield();
        }));
        BOOST_CHECK_LT(calls.load(), 10U + threads);
        BOOST_CHECK(pool.Interrupted());
        BOOST_CHECK(!pool.Run(1, [&](size_t) { BOOST_ERROR("a chunk began after the interruption"); }));
        BOOST_CHECK(pool.Run(0, [](size_t) {})); // nothing was left out
    }
    ThreadPool pool{2};
    // All chunks ran before the interruption could stop one: the job is complete.
    BOOST_CHECK(pool.Run(1, [&](size_t) { pool.Interrupt(); }));
}

namespace {

/** Steps that a test gives. */
struct Steps final : ThreadPool::Source {
    std::atomic<int> left{0};
    std::atomic<int> taken{0};
    std::function<void()> step{[] {}};

    bool HasStep() const noexcept override { return left > 0; }
    void TakeStep() noexcept override
    {
        if (left.fetch_sub(1) <= 0) {
            ++left;
            return;
        }
        step();
        ++taken;
    }
};

} // namespace

BOOST_AUTO_TEST_CASE(workers_take_steps_that_nobody_waits_for)
{
    ThreadPool pool{3};
    Steps steps;
    std::atomic<int> in_caller{0};
    steps.step = [&, caller = std::this_thread::get_id()] { in_caller += std::this_thread::get_id() == caller ? 1 : 0; };
    pool.Attach(steps);
    steps.left = 1000;
    pool.Wake();
    for (int i = 0; i < 2000 && steps.taken < 1000; ++i) std::this_thread::sleep_for(std::chrono::milliseconds{10});
    BOOST_CHECK_EQUAL(steps.taken, 1000);
    BOOST_CHECK_EQUAL(in_caller, 0);
    pool.Detach(steps);
    steps.left = 1;
    pool.Wake();
    BOOST_CHECK(pool.Run(100, [](size_t) {}));
    BOOST_CHECK_EQUAL(steps.taken, 1000);
}

BOOST_AUTO_TEST_CASE(steps_may_run_jobs_and_the_pool_helps)
{
    ThreadPool pool{3};
    Steps steps;
    std::atomic<int> chunks{0};
    steps.step = [&] { (void)pool.Run(10, [&](size_t) { ++chunks; }); };
    pool.Attach(steps);
    for (int round = 1; round <= 50; ++round) {
        steps.left += 4;
        pool.Wake();
        std::atomic<int> own{0};
        BOOST_CHECK(pool.Run(20, [&](size_t) { ++own; }));
        BOOST_CHECK_EQUAL(own, 20);
    }
    for (int i = 0; i < 2000 && steps.taken < 200; ++i) std::this_thread::sleep_for(std::chrono::milliseconds{10});
    pool.Detach(steps);
    BOOST_CHECK_EQUAL(chunks, 2000);
}

BOOST_AUTO_TEST_CASE(detaching_waits_for_the_worker_inside)
{
    ThreadPool pool{2};
    Steps steps;
    std::latch inside{1}, go{1};
    steps.step = [&] {
        inside.count_down();
        go.wait();
    };
    pool.Attach(steps);
    steps.left = 1;
    pool.Wake();
    inside.wait();
    std::atomic<int> taken_when_detached{-1};
    {
        std::jthread other{[&] {
            pool.Detach(steps);
            taken_when_detached = steps.taken.load();
        }};
        std::this_thread::sleep_for(std::chrono::milliseconds{20});
        BOOST_CHECK_EQUAL(taken_when_detached, -1);
        go.count_down();
    }
    BOOST_CHECK_EQUAL(taken_when_detached, 1);
}

BOOST_AUTO_TEST_CASE(no_step_after_an_interruption)
{
    ThreadPool pool{2};
    Steps steps;
    pool.Attach(steps);
    pool.Interrupt();
    steps.left = 1;
    pool.Wake();
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
    BOOST_CHECK_EQUAL(steps.taken, 0);
    pool.Detach(steps);
}

BOOST_AUTO_TEST_CASE(logging)
{
    std::vector<std::string> lines;
    const Logger logger{LogLevel::INFO, [&](LogLevel level, std::string_view message) {
        lines.push_back(std::string{LogLevelName(level)} + ":" + std::string{message});
        if (message == "throw") throw std::runtime_error{"sink"};
    }};
    logger.Log(LogLevel::DEBUG, "no");
    logger.Log(LogLevel::INFO, "one");
    logger.Log(LogLevel::ERROR, "throw");
    logger.Log(LogLevel::WARNING, "three");
    BOOST_CHECK((lines == std::vector<std::string>{"info:one", "error:throw", "warning:three"}));
    Logger{}.Log(LogLevel::ERROR, "nobody listens");
    BOOST_CHECK(!Logger{}.WillLog(LogLevel::ERROR));

    // A message that nobody reads is not composed, and one that cannot be composed is dropped.
    lines.clear();
    logger.Log(LogLevel::DEBUG, [&]() -> std::string { lines.emplace_back("composed"); return {}; });
    logger.Log(LogLevel::INFO, []() -> std::string { throw std::bad_alloc{}; });
    logger.Log(LogLevel::INFO, [] { return std::string{"two"}; });
    BOOST_CHECK((lines == std::vector<std::string>{"info:two"}));

    for (const LogLevel level : {LogLevel::DEBUG, LogLevel::INFO, LogLevel::WARNING, LogLevel::ERROR}) {
        BOOST_CHECK(ParseLogLevel(LogLevelName(level)) == level);
    }
    for (const char* bad : {"", "INFO", "info ", "inf", "trace"}) BOOST_CHECK(!ParseLogLevel(bad));
}

BOOST_AUTO_TEST_SUITE_END()
