// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/child_process.h>
#include <test/preconditions.h>
#include <test/saved_variable.h>

#include <util/abandonable_thread.h>
#include <util/environment.h>
#include <util/hex.h>
#include <util/static_program.h>

#include <boost/test/unit_test.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace slhc;
using slhc::test::InChildProcess;
using std::chrono::milliseconds;

namespace {

/** Report at the process's exit, like a driver's static objects that are destroyed after the wait for abandoned threads. */
void SayAtExit(int (*status)())
{
    static int (*s_status)(){nullptr};
    s_status = status;
    std::atexit([] { _exit(s_status()); });
}

} // namespace

BOOST_AUTO_TEST_SUITE(util_tests)

BOOST_AUTO_TEST_CASE(hex)
{
    BOOST_CHECK_EQUAL(HexStr({}), "");
    const std::vector<uint8_t> bytes{0x00, 0x0f, 0xf0, 0xab};
    BOOST_CHECK_EQUAL(HexStr(bytes), "000ff0ab");
    BOOST_CHECK(TryParseHex("000FF0aB") == bytes);
    BOOST_CHECK(TryParseHex("") == std::vector<uint8_t>{});
    for (const char* bad : {"0", "000", "0g", "g0", " 00", "0 ", "0x00", "00\n"}) {
        BOOST_CHECK_MESSAGE(!TryParseHex(bad), "accepted '" << bad << "'");
    }
    for (const char* digits : {"", "0", "00aF9"}) BOOST_CHECK(HasOnlyHexDigits(digits));
    for (const char* others : {"0g", " 00", "0x00", "00\n"}) BOOST_CHECK(!HasOnlyHexDigits(others));
}

BOOST_AUTO_TEST_CASE(empty_variable_is_not_set)
{
    constexpr const char* NAME{"SLHC_TEST_VARIABLE"};
    BOOST_CHECK(!GetEnvironment(NAME));
    {
        const slhc::test::SavedVariable variable{NAME, ""};
        BOOST_CHECK(!GetEnvironment(NAME));
    }
    const slhc::test::SavedVariable variable{NAME, " "};
    BOOST_REQUIRE(GetEnvironment(NAME));
    BOOST_CHECK_EQUAL(GetEnvironment(NAME), " ");
}

/** A process that is stopped for longer than the limit loses little of it. */
BOOST_AUTO_TEST_CASE(a_stopped_process_loses_no_patience, *boost::unit_test::precondition(slhc::test::CanFollowForks))
{
    constexpr milliseconds LIMIT{4'000};
    std::array<int, 2> begun{}, go_on{};
    BOOST_REQUIRE(pipe(begun.data()) == 0 && pipe(go_on.data()) == 0);
    const pid_t child{fork()};
    BOOST_REQUIRE(child >= 0);
    if (child == 0) {
        alarm(60);
        const auto answer{RunWithin(LIMIT, [&] {
            char c{0};
            const bool told{write(begun[1], &c, 1) == 1 && read(go_on[0], &c, 1) == 1};
            std::this_thread::sleep_for(milliseconds{100}); // whoever waits is the first to go on
            return told;
        })};
        _exit(answer && *answer ? 0 : 1);
    }
    char c{0};
    BOOST_CHECK_EQUAL(read(begun[0], &c, 1), 1);
    BOOST_CHECK_EQUAL(kill(child, SIGSTOP), 0);
    int status{0};
    BOOST_CHECK_EQUAL(waitpid(child, &status, WUNTRACED), child);
    BOOST_CHECK(WIFSTOPPED(status));
    std::this_thread::sleep_for(LIMIT);
    BOOST_CHECK_EQUAL(write(go_on[1], &c, 1), 1);
    BOOST_CHECK_EQUAL(kill(child, SIGCONT), 0);
    BOOST_CHECK_EQUAL(waitpid(child, &status, 0), child);
    BOOST_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    for (const int end : {begun[0], begun[1], go_on[0], go_on[1]}) close(end);
}

/** A thread's end comes after that of a driver's thread_local objects. */
BOOST_AUTO_TEST_CASE(thread_local_objects_are_waited_for)
{
    static std::atomic<bool> s_gone{false};
    struct Slow {
        bool used{false};
        ~Slow()
        {
            std::this_thread::sleep_for(milliseconds{100});
            s_gone = used;
        }
    };
    AbandonableThread thread{[] {
        thread_local Slow slow;
        slow.used = true;
    }};
    BOOST_CHECK(thread.EndsWithin(std::chrono::minutes{1}));
    BOOST_CHECK(s_gone);
    thread.Join();
}

/** An abandoned thread ends, and its thread_local objects too, while static objects still exist. */
BOOST_AUTO_TEST_CASE(exit_waits_for_abandoned_threads, *boost::unit_test::precondition(slhc::test::CanFollowForks))
{
    static std::atomic<bool> s_exits{false}, s_ended{false};
    BOOST_CHECK_EQUAL(InChildProcess([]() -> std::string {
        SayAtExit([] { return s_ended ? 0 : 7; });
        struct AtThreadExit {
            bool armed{false};
            ~AtThreadExit()
            {
                std::this_thread::sleep_for(milliseconds{100});
                s_ended = armed;
            }
        };
        AbandonableThread thread{[] {
            thread_local AtThreadExit at_thread_exit;
            at_thread_exit.armed = true;
            s_exits.wait(false);
        }};
        if (thread.EndsWithin(milliseconds{1})) return "has ended";
        thread.Abandon();
        if (AbandonableThread::CountAbandoned() != 1) return "is not counted";
        std::atexit([] { s_exits = true, s_exits.notify_all(); });
        std::exit(1);
    }), "");
}

/** Nothing is left to wait for when they have ended. */
BOOST_AUTO_TEST_CASE(abandoned_threads_are_counted_until_they_end, *boost::unit_test::precondition(slhc::test::CanFollowForks))
{
    static std::array<std::atomic<bool>, 2> s_may_end{};
    BOOST_CHECK_EQUAL(InChildProcess([]() -> std::string {
        const auto wait_below{[](uint32_t n) {
            while (AbandonableThread::CountAbandoned() >= n) std::this_thread::sleep_for(milliseconds{1});
            return AbandonableThread::CountAbandoned();
        }};
        for (uint32_t i{0}; i < 2; ++i) {
            AbandonableThread thread{[i] { s_may_end[i].wait(false); }};
            if (thread.EndsWithin(milliseconds{1})) return "has ended";
            thread.Abandon();
            if (AbandonableThread::CountAbandoned() != i + 1) return "is not counted";
        }
        AbandonableThread another{[] {}};
        if (!another.EndsWithin(std::chrono::minutes{1})) return "has not ended";
        another.Join();
        if (AbandonableThread::CountAbandoned() != 2) return "one that was not left alone counts";
        for (uint32_t left{2}; left > 0; --left) {
            s_may_end[left - 1] = true;
            s_may_end[left - 1].notify_all();
            if (wait_below(left) != left - 1) return "more than one has ended";
        }
        return "";
    }), "");
}

BOOST_AUTO_TEST_CASE(what_a_call_throws_is_thrown)
{
    BOOST_CHECK_EXCEPTION((void)RunWithin(std::chrono::minutes{1}, []() -> int { throw std::runtime_error{"of the call"}; }),
                          std::runtime_error, [](const std::runtime_error& e) { return std::string{e.what()} == "of the call"; });
}

/** But one that never ends does not keep the process. */
BOOST_AUTO_TEST_CASE(exit_does_not_wait_for_ever, *boost::unit_test::precondition(slhc::test::CanFollowForks))
{
    BOOST_CHECK_EQUAL(InChildProcess([]() -> std::string {
        SayAtExit([] { return static_cast<int>(AbandonableThread::CountAbandoned()); });
        for (int i{0}; i < 3; ++i) {
            AbandonableThread thread{[] {
                while (true) pause();
            }};
            if (thread.EndsWithin(milliseconds{i == 0 ? 700 : 1})) return "has ended";
            thread.Abandon();
        }
        std::exit(0);
    }), "ended with 3");
}

BOOST_AUTO_TEST_CASE(static_program)
{
    BOOST_CHECK(!IsStaticProgram()); // check_static.sh has programs that are
}

BOOST_AUTO_TEST_SUITE_END()
