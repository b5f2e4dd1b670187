// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <slhdsa.h>

#include <test/allocations.h>
#include <test/child_process.h>
#include <test/forbid_threads.h>
#include <test/preconditions.h>
#include <test/sanitizer.h>
#include <test/temp_dir.h>

#include <boost/test/unit_test.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

using namespace slhc::test;

/** A system on a bad day, as users of the C API meet it: no threads to be had, no room or no right to write, signals in the
 *  middle of everything, many callers at once. Verdicts are right all the same. */
BOOST_AUTO_TEST_SUITE(system_faults_tests)

namespace {

using ContextPtr = std::unique_ptr<slhc_context, decltype(&slhc_context_destroy)>;
using BatchPtr = std::unique_ptr<slhc_batch, decltype(&slhc_batch_destroy)>;

slhc_bytes View(const auto& bytes) { return {bytes.data(), bytes.size()}; }

/** The subject of verification: one signature, valid and spoilt. */
struct Signed {
    std::array<unsigned char, SLHC_SECRET_KEY_SIZE> secret_key{};
    std::array<unsigned char, SLHC_PUBLIC_KEY_SIZE> public_key{};
    std::array<unsigned char, 32> message{7};
    std::array<unsigned char, SLHC_SIGNATURE_SIZE> valid{}, invalid{};

    Signed()
    {
        const std::array<unsigned char, SLHC_SEED_SIZE> seed{1, 2, 3};
        slhc_context_options options SLHC_CONTEXT_OPTIONS_INIT;
        options.backend = "cpu";
        options.threads = 1; // no thread may exist when a child is made
        const ContextPtr context{slhc_context_create(&options), slhc_context_destroy};
        const int made{slhc_slhdsa_keygen(context.get(), SLHC_SET_128S, seed.data(), secret_key.data(), public_key.data(), nullptr,
                                          nullptr)};
        BOOST_REQUIRE_EQUAL(made, SLHC_OK);
        const int is_signed{slhc_slhdsa_sign(context.get(), SLHC_SET_128S, secret_key.data(), View(message), {}, nullptr, valid.data(),
                                             nullptr, nullptr)};
        BOOST_REQUIRE_EQUAL(is_signed, SLHC_OK);
        invalid = valid;
        invalid.back() ^= 1;
    }
    static const Signed& Get()
    {
        static const Signed made;
        return made;
    }
};

ContextPtr Create(const char* backend, unsigned threads, const std::string& cache_dir = {})
{
    slhc_context_options options SLHC_CONTEXT_OPTIONS_INIT;
    options.backend = backend;
    options.threads = threads;
    if (!cache_dir.empty()) options.cache_dir = cache_dir.c_str();
    options.log = [](void*, int, const char*, size_t) {};
    return {slhc_context_create(&options), slhc_context_destroy};
}

std::string LastError()
{
    slhc_error error SLHC_ERROR_INIT;
    (void)slhc_last_error(&error);
    return error.message;
}

/** Verify n signatures, every third of which is invalid. @return the fault; empty: none */
std::string Verify(const slhc_context* context, size_t n)
{
    const Signed& s{Signed::Get()};
    std::vector<slhc_verify_job> jobs(n);
    for (size_t i{0}; i < n; ++i) {
        const slhc_bytes signature{i % 3 == 2 ? View(s.invalid) : View(s.valid)};
        jobs[i] = {sizeof(slhc_verify_job), SLHC_SET_128S, s.public_key.data(), View(s.message), {}, signature};
    }
    std::vector<int> verdicts(n);
    const int all{slhc_slhdsa_verify_many(context, jobs.data(), n, verdicts.data())};
    if (all == SLHC_ERROR) return "error: " + LastError();
    if (all != (n > 2 ? SLHC_INVALID : SLHC_VALID)) return "the verdict on all is wrong";
    for (size_t i{0}; i < n; ++i) {
        if (verdicts[i] != (i % 3 == 2 ? SLHC_INVALID : SLHC_VALID)) return "verdict " + std::to_string(i) + " is wrong";
    }
    return {};
}

constexpr std::string_view NO_DEVICE{"no device"};

/** Wait for the device, and verify with it. @return what is wrong */
std::string VerifyOnDevice(const slhc_context* context)
{
    for (int i{0}; i < 3000; ++i) {
        slhc_backend_statistics device SLHC_BACKEND_STATISTICS_INIT;
        if (slhc_context_backend_statistics(context, 1, &device) != SLHC_OK) return "there is no second backend";
        if (device.retired) return "the device was retired";
        if (device.ready) break;
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    if (std::string wrong{Verify(context, 40)}; !wrong.empty()) return wrong;
    slhc_backend_statistics device SLHC_BACKEND_STATISTICS_INIT;
    (void)slhc_context_backend_statistics(context, 1, &device);
    return device.signatures == 0 ? "the device got nothing" : device.wrong_roots > 0 || device.retired ? "the device was wrong" : "";
}

} // namespace

BOOST_AUTO_TEST_CASE(no_threads, *boost::unit_test::precondition(CanForbidThreads))
{
    Signed::Get();
    for (const char* backend : {"cpu", "auto"}) {
        BOOST_CHECK_EQUAL(InChildProcess([backend]() -> std::string {
            if (!ForbidThreads()) return "threads cannot be forbidden";
            const ContextPtr context{Create(backend, 8)};
            if (context == nullptr) return "no context: " + LastError();
            return Verify(context.get(), 100);
        }), "");
    }
    // A device is opened in a thread: without one, the CPU does its work.
    const std::string said{InChildProcess([]() -> std::string {
        if (!ForbidThreads()) return "threads cannot be forbidden";
        const ContextPtr context{Create("vulkan", 8)};
        return context == nullptr ? LastError() : Verify(context.get(), 100);
    })};
    BOOST_CHECK_MESSAGE(said.empty() || said.find("vulkan: ") != std::string::npos, said); // there may be none
    BOOST_CHECK_EQUAL(InChildProcess([]() -> std::string {
        if (!ForbidThreads()) return "threads cannot be forbidden";
        size_t total{0};
        if (slhc_list_backends(nullptr, 0, &total) == SLHC_ERROR) return LastError();
        return total > 0 ? "" : "no backends";
    }), "");
}

/** The second context gets no threads any more. */
BOOST_AUTO_TEST_CASE(threads_run_out, *boost::unit_test::precondition(CanForbidThreads))
{
    Signed::Get();
    BOOST_CHECK_EQUAL(InChildProcess([]() -> std::string {
        const ContextPtr first{Create("cpu", 4)};
        if (std::string wrong{Verify(first.get(), 100)}; !wrong.empty()) return wrong;
        if (!ForbidThreads()) return "threads cannot be forbidden";
        const ContextPtr second{Create("cpu", 4)};
        if (second == nullptr) return "no context: " + LastError();
        if (std::string wrong{Verify(second.get(), 100)}; !wrong.empty()) return wrong;
        return Verify(first.get(), 100);
    }), "");
}

/** Where nothing can be written, a device works, and opens as it does without a cache. */
BOOST_AUTO_TEST_CASE(no_room_for_caches, *boost::unit_test::precondition(CanFollowForks))
{
    Signed::Get();
    const TempDir dir;
    const auto verify{[](const std::string& cache_dir) -> std::string {
        const ContextPtr context{Create("vulkan", 2, cache_dir)};
        if (context == nullptr) return std::string{NO_DEVICE};
        return VerifyOnDevice(context.get());
    }};
    if (InChildProcess([&] { return verify(""); }) == NO_DEVICE) {
        BOOST_TEST_MESSAGE("SKIPPED: no_room_for_caches: there is no Vulkan device");
        return;
    }
    // A directory that can be read, and one that is missing, where not even root may create anything
    BOOST_CHECK_EQUAL(InChildProcess([&] { return verify("/proc"); }), "");
    BOOST_CHECK_EQUAL(InChildProcess([&] { return verify("/proc/slhconsensus"); }), "");
    // A file where the directory should be
    BOOST_CHECK_EQUAL(InChildProcess([&] { return verify("/etc/passwd"); }), "");
    // And a directory that can be written to is written to: the cases above test something.
    BOOST_CHECK_EQUAL(InChildProcess([&] { return verify(dir.Path()); }), "");
    BOOST_CHECK(!std::filesystem::is_empty(dir.Path()));
}

namespace {
std::atomic<size_t> g_signals{0};
std::atomic<size_t> g_signals_elsewhere{0};
pthread_t g_test_thread;
} // namespace

/** Signals reach the application's threads alone, whose calls they interrupt and change nothing about. */
BOOST_AUTO_TEST_CASE(signals_in_the_middle)
{
    g_test_thread = pthread_self();
    struct sigaction action{}, before{};
    action.sa_handler = [](int) {
        ++g_signals;
        if (!pthread_equal(pthread_self(), g_test_thread)) ++g_signals_elsewhere;
    };
    sigaction(SIGALRM, &action, &before); // without SA_RESTART: system calls end with EINTR
    const itimerval often{.it_interval = {.tv_sec = 0, .tv_usec = 300}, .it_value = {.tv_sec = 0, .tv_usec = 300}};
    const itimerval never{};
    setitimer(ITIMER_REAL, &often, nullptr);
    std::string wrong;
    for (const char* backend : {"cpu", "auto"}) {
        const ContextPtr context{Create(backend, 4)};
        for (int i{0}; i < 5 && wrong.empty(); ++i) wrong = context != nullptr ? Verify(context.get(), 100) : LastError();
    }
    setitimer(ITIMER_REAL, &never, nullptr);
    sigaction(SIGALRM, &before, nullptr);
    BOOST_CHECK_EQUAL(wrong, "");
    BOOST_CHECK_GT(g_signals, 0U);
    BOOST_CHECK_EQUAL(g_signals_elsewhere, 0U);
}

/** More batches at once than anybody has blocks for. */
BOOST_AUTO_TEST_CASE(a_thousand_batches_at_once)
{
    constexpr size_t BATCHES{1000}, CHECKS{3}, CALLERS{8};
    const auto is_invalid{[](size_t i) { return i % 7 == 3; }};
    const Signed& s{Signed::Get()};
    const ContextPtr context{Create("cpu", 4)};
    BOOST_REQUIRE(context != nullptr);
    std::vector<BatchPtr> batches;
    std::atomic<size_t> next{0}, wrong{0};
    const auto all_callers{[&](auto&& each) {
        next = 0;
        std::vector<std::thread> callers;
        for (size_t i{0}; i < CALLERS; ++i) {
            callers.emplace_back([&] {
                for (size_t n{next++}; n < BATCHES; n = next++) {
                    if (!each(n)) ++wrong;
                }
            });
        }
        for (std::thread& caller : callers) caller.join();
    }};
    const auto verify_all{[&] {
        for (size_t i{0}; i < BATCHES; ++i) batches.emplace_back(slhc_batch_create(context.get(), 0), slhc_batch_destroy);
        all_callers([&](size_t n) {
            bool added{true};
            for (size_t i{0}; i < CHECKS; ++i) {
                const std::array<uint64_t, 3> tag{i};
                const auto& signature{is_invalid(n) && i == 1 ? s.invalid : s.valid};
                const int result{slhc_batch_add(batches[n].get(), SLHC_SET_128S, s.public_key.data(), s.message.data(), View(signature),
                                                tag.data())};
                added &= result == SLHC_DEFERRED;
            }
            return added;
        });
        all_callers([&](size_t n) {
            std::array<uint64_t, 3> tag{};
            const int verdict{slhc_batch_verify(batches[n].get(), tag.data())};
            return is_invalid(n) ? verdict == SLHC_INVALID && tag[0] == 1 : verdict == SLHC_VALID;
        });
    }};
    const size_t bytes{MostBytes(verify_all)};
    BOOST_CHECK_EQUAL(wrong, 0U);
    BOOST_TEST_MESSAGE(BATCHES << " batches of " << CHECKS << " signatures: " << bytes / 1024 << " KiB");
    if (!SLHC_THREAD_SANITIZER) BOOST_CHECK_LT(bytes, BATCHES * CHECKS * 2 * SLHC_SIGNATURE_SIZE);
}

BOOST_AUTO_TEST_SUITE_END()
