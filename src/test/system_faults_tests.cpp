// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <slhconsensus.h>
#include <util/fork_safe_static.h>

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
 *  middle of everything, many callers at once, forks at any time. Verdicts are right all the same. */
BOOST_AUTO_TEST_SUITE(system_faults_tests)

namespace {

using ContextPtr = std::unique_ptr<slhc_context, decltype(&slhc_context_destroy)>;
using BatchPtr = std::unique_ptr<slhc_batch, decltype(&slhc_batch_destroy)>;

slhc_bytes View(const auto& bytes) { return {bytes.data(), bytes.size()}; }

/** What is verified: one signature, as it is and spoiled. */
struct Signed {
    std::array<unsigned char, SLHC_SECRET_KEY_SIZE> secret_key{};
    std::array<unsigned char, SLHC_PUBLIC_KEY_SIZE> public_key{};
    std::array<unsigned char, 32> message{7};
    std::array<unsigned char, SLHC_SIGNATURE_SIZE> valid{}, invalid{};

    Signed()
    {
        const std::array<unsigned char, SLHC_SEED_SIZE> seed{1, 2, 3};
        BOOST_REQUIRE_EQUAL(slhc_slhdsa_keygen(seed.data(), secret_key.data(), public_key.data()), SLHC_OK);
        slhc_context_options options SLHC_CONTEXT_OPTIONS_INIT;
        options.backend = "cpu";
        options.threads = 1; // no thread may exist when a child is made
        const ContextPtr context{slhc_context_create(&options, nullptr), slhc_context_destroy};
        BOOST_REQUIRE_EQUAL(slhc_slhdsa_sign(context.get(), secret_key.data(), View(message), {}, nullptr, valid.data()), SLHC_OK);
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
    return {slhc_context_create(&options, nullptr), slhc_context_destroy};
}

std::string LastError()
{
    slhc_error error SLHC_ERROR_INIT;
    (void)slhc_last_error(&error);
    return error.message;
}

/** Verify n signatures, of which every third is invalid. @return what is wrong; empty: nothing */
std::string Verify(const slhc_context* context, size_t n)
{
    const Signed& s{Signed::Get()};
    std::vector<slhc_verify_job> jobs(n);
    for (size_t i{0}; i < n; ++i) {
        jobs[i] = {sizeof(slhc_verify_job), s.public_key.data(), View(s.message), {}, i % 3 == 2 ? View(s.invalid) : View(s.valid)};
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
    // Drivers are asked on a thread: without one, a device cannot be had, and that is said.
    const std::string said{InChildProcess([]() -> std::string {
        if (!ForbidThreads()) return "threads cannot be forbidden";
        const ContextPtr context{Create("vulkan", 8)};
        if (context != nullptr) return "a context";
        slhc_error error SLHC_ERROR_INIT;
        (void)slhc_last_error(&error);
        return error.code == SLHC_ERR_BACKEND ? error.message : "code " + std::to_string(error.code) + ": " + error.message;
    })};
    const auto says{[&](const std::string& why) { return said.starts_with("slhc_context_create: " + why); }};
    const bool none_here{says("vulkan: this machine has no Vulkan loader") || says("unknown backend 'vulkan'")};
    BOOST_CHECK_MESSAGE(none_here || says("vulkan: no thread to ask the drivers in"), said);
    BOOST_CHECK_EQUAL(InChildProcess([]() -> std::string {
        if (!ForbidThreads()) return "threads cannot be forbidden";
        size_t total{0};
        if (slhc_list_backends(nullptr, 0, &total) == SLHC_ERROR) return LastError();
        return total > 0 ? "" : "no backends";
    }), "");
}

/** Threads that were there are there no more for the second context. */
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
    const std::string full{InChildProcess([&]() -> std::string {
        signal(SIGXFSZ, SIG_IGN);
        const rlimit none{.rlim_cur = 0, .rlim_max = 0};
        if (setrlimit(RLIMIT_FSIZE, &none) != 0) return "no limit";
        return verify(dir.Path());
    })};
    BOOST_CHECK_EQUAL(full, "");
    BOOST_CHECK(std::filesystem::is_empty(dir.Path()));
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

/** As many batches at once as nobody has blocks for. */
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
        for (size_t i{0}; i < BATCHES; ++i) batches.emplace_back(slhc_batch_create(context.get()), slhc_batch_destroy);
        all_callers([&](size_t n) {
            bool added{true};
            for (size_t i{0}; i < CHECKS; ++i) {
                slhc_failure origin SLHC_FAILURE_INIT;
                origin.tag = i;
                const auto& signature{is_invalid(n) && i == 1 ? s.invalid : s.valid};
                added &= slhc_batch_add(batches[n].get(), s.public_key.data(), s.message.data(), View(signature), &origin) == SLHC_DEFERRED;
            }
            return added;
        });
        all_callers([&](size_t n) {
            slhc_failure failure SLHC_FAILURE_INIT;
            const int verdict{slhc_batch_verify(batches[n].get(), &failure)};
            return is_invalid(n) ? verdict == SLHC_INVALID && failure.tag == 1 : verdict == SLHC_VALID;
        });
    }};
    const size_t bytes{MostBytes(verify_all)};
    BOOST_CHECK_EQUAL(wrong, 0U);
    BOOST_TEST_MESSAGE(BATCHES << " batches of " << CHECKS << " signatures: " << bytes / 1024 << " KiB");
    if (!SLHC_THREAD_SANITIZER) BOOST_CHECK_LT(bytes, BATCHES * CHECKS * 2 * SLHC_SIGNATURE_SIZE);
}

/** A child that was forked while another thread made a static object makes its own, and does not wait. */
BOOST_AUTO_TEST_CASE(fork_while_a_static_object_is_made, *boost::unit_test::precondition(CanFollowForks))
{
    static constinit slhc::ForkSafeStatic<std::string> s_text;
    std::string said{"not asked"};
    const std::string& text{s_text.Get([&] {
        said = InChildProcess([] { return s_text.Get([] { return std::string{"the child's"}; }); }, std::chrono::seconds{20});
        return std::string{"the first"};
    })};
    BOOST_CHECK_EQUAL(said, "the child's");
    BOOST_CHECK_EQUAL(text, "the first");
    BOOST_CHECK_EQUAL(&s_text.Get([] { return std::string{"another"}; }), &text);

    // Of two that are made at the same time, everybody gets the first.
    static constinit slhc::ForkSafeStatic<int> s_number;
    const int* inner{nullptr};
    const int& outer{s_number.Get([&] {
        inner = &s_number.Get([] { return 1; });
        return 2;
    })};
    BOOST_CHECK_EQUAL(&outer, inner);
    BOOST_CHECK_EQUAL(outer, 1);
}

/** Whatever the other threads of the parent were doing inside the library, a child that makes its own context works. */
BOOST_AUTO_TEST_CASE(fork_at_any_time, *boost::unit_test::precondition(CanForkBusyThreads))
{
    const Signed& s{Signed::Get()};
    std::atomic<bool> stop{false};
    std::atomic<size_t> rounds{0}, wrong{0};
    const ContextPtr shared{Create("auto", 3)};
    BOOST_REQUIRE(shared != nullptr);
    std::vector<std::thread> busy;
    const auto again{[&](auto work) {
        busy.emplace_back([&, work] {
            while (!stop) {
                if (!work()) ++wrong;
                ++rounds;
            }
        });
    }};
    again([&] { return Verify(shared.get(), 50).empty(); });
    again([&] { return Verify(Create("cpu", 2).get(), 5).empty(); });
    again([&] {
        const BatchPtr batch{slhc_batch_create(shared.get()), slhc_batch_destroy};
        slhc_failure origin SLHC_FAILURE_INIT;
        if (slhc_batch_add(batch.get(), s.public_key.data(), s.message.data(), View(s.valid), &origin) != SLHC_DEFERRED) return false;
        return slhc_batch_verify(batch.get(), nullptr) == SLHC_VALID;
    });
    for (int i{0}; i < 30; ++i) {
        std::this_thread::sleep_for(std::chrono::microseconds{100 + 377 * (i % 10)});
        const std::string said{InChildProcess([] { return Verify(Create("cpu", 2).get(), 9); }, std::chrono::seconds{20})};
        BOOST_CHECK_EQUAL(said, "");
        if (!said.empty()) break;
    }
    stop = true;
    for (std::thread& thread : busy) thread.join();
    BOOST_CHECK_EQUAL(wrong, 0U);
    BOOST_CHECK_GT(rounds, 0U);
}

/** Workers take the lock of a batch that is verified ahead whenever they like, so a child of that moment only gets rid of it. */
BOOST_AUTO_TEST_CASE(a_batch_verified_ahead_in_a_child, *boost::unit_test::precondition(CanForkBusyThreads))
{
    const Signed& s{Signed::Get()};
    const ContextPtr context{Create("cpu", 3)};
    BOOST_REQUIRE(context != nullptr);
    slhc_failure origin SLHC_FAILURE_INIT;
    const auto add{[&](slhc_batch* batch) {
        return slhc_batch_add(batch, s.public_key.data(), s.message.data(), View(s.valid), &origin) == SLHC_DEFERRED;
    }};
    for (int i{0}; i < 20; ++i) {
        BatchPtr batch{slhc_batch_create(context.get()), slhc_batch_destroy};
        BOOST_REQUIRE_EQUAL(slhc_batch_verify_ahead(batch.get()), SLHC_OK);
        for (int j{0}; j < 100; ++j) BOOST_REQUIRE(add(batch.get()));
        BOOST_REQUIRE_EQUAL(InChildProcess([&]() -> std::string {
            slhc_error error SLHC_ERROR_INIT;
            if (add(batch.get()) || slhc_batch_size(batch.get()) != 0 || slhc_batch_clear(batch.get()) != SLHC_ERROR) return "it is used";
            if (slhc_batch_verify(batch.get(), nullptr) != SLHC_ERROR) return "it has a verdict";
            if (slhc_last_error(&error) != SLHC_OK || error.code != SLHC_ERR_STATE) return "another error";
            if (slhc_batch_verdict(batch.get(), 0, nullptr) != SLHC_ERROR) return "it answers";
            if (slhc_batch_verify_ahead(batch.get()) != SLHC_ERROR) return "it is verified ahead";
            slhc_batch_destroy(batch.release());
            const BatchPtr own{slhc_batch_create(context.get()), slhc_batch_destroy};
            if (slhc_batch_verify_ahead(own.get()) != SLHC_OK) return LastError(); // there are no workers
            for (int j{0}; j < 10; ++j) {
                if (!add(own.get())) return LastError();
            }
            return slhc_batch_verify(own.get(), nullptr) == SLHC_VALID ? "" : "another verdict";
        }, std::chrono::seconds{60}), "");
        BOOST_REQUIRE_EQUAL(slhc_batch_verify(batch.get(), nullptr), SLHC_VALID);
    }
}

/** A child gets rid of a batch that other threads of the parent were waiting for; of its own ones, it waits for the verdict. */
BOOST_AUTO_TEST_CASE(batches_in_a_child, *boost::unit_test::precondition(CanForkBusyThreads))
{
    const Signed& s{Signed::Get()};
    const auto add{[&](slhc_batch* batch, size_t n) {
        slhc_failure origin SLHC_FAILURE_INIT;
        for (size_t i{0}; i < n; ++i) {
            if (slhc_batch_add(batch, s.public_key.data(), s.message.data(), View(s.invalid), &origin) != SLHC_DEFERRED) return false;
        }
        return true;
    }};
    const ContextPtr context{Create("cpu:portable", 1)};
    BOOST_REQUIRE(context != nullptr);
    slhc_batch* const batch{slhc_batch_create(context.get())};
    BOOST_REQUIRE(add(batch, 2000));
    std::vector<std::thread> callers;
    for (int i{0}; i < 3; ++i) callers.emplace_back([&] { (void)!slhc_batch_verify(batch, nullptr); });
    while (add(batch, 1)) std::this_thread::sleep_for(std::chrono::milliseconds{1}); // until one is at it; the others wait
    BOOST_CHECK_EQUAL(InChildProcess([&]() -> std::string {
        if (slhc_batch_verdict(batch, 0, nullptr) != SLHC_DEFERRED) return "a check that nobody verifies has a verdict";
        const int verdict{slhc_batch_verify(batch, nullptr)};
        slhc_batch_destroy(batch);
        // In the parent's context, a batch of the child's own, for two threads at once
        const BatchPtr own{slhc_batch_create(context.get()), slhc_batch_destroy};
        if (!add(own.get(), 200)) return LastError();
        int first{SLHC_ERROR}, second{SLHC_ERROR};
        std::thread caller{[&] { first = slhc_batch_verify(own.get(), nullptr); }};
        second = slhc_batch_verify(own.get(), nullptr);
        caller.join();
        if (first != SLHC_INVALID || second != SLHC_INVALID) return "two threads of the child do not get the same verdict";
        return verdict == SLHC_ERROR ? "" : "a batch that nobody verifies has a verdict";
    }, std::chrono::seconds{60}), "");
    (void)slhc_context_interrupt(context.get());
    for (std::thread& caller : callers) caller.join();
    slhc_batch_destroy(batch);
}

BOOST_AUTO_TEST_SUITE_END()
