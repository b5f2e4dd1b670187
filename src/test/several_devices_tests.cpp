// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/batch_fixture.h>
#include <test/child_process.h>
#include <test/device_fixture.h>
#include <test/engine_fixture.h>
#include <test/forbid_threads.h>
#include <test/random_source.h>

#include <pqc/pace.h>
#include <pqc/verifier.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace slhc;
using namespace slhc::slhdsa;
using namespace slhc::slhdsa::test;

namespace {

double LastEnd(std::span<const Pace> paces, std::span<const size_t> parts)
{
    double last{0};
    for (size_t i = 0; i < paces.size(); ++i) last = std::max(last, paces[i].For(parts[i]));
    return last;
}

/** An honest CPU, and devices, each of which takes as many units for a signature as its place in the list. */
struct Setup {
    std::shared_ptr<FakeBackend> cpu{std::make_shared<FakeBackend>()};
    std::vector<std::shared_ptr<FakeBackend>> devices;
    std::vector<SignatureCheck> entries;
    std::vector<CheckView> checks;
    std::unique_ptr<Verifier> verifier;

    static bool Valid(size_t i) { return i % 7 != 3; }

    Setup(size_t n, const std::vector<double>& each_ns)
    {
        for (const double ns : each_ns) {
            devices.push_back(std::make_shared<FakeBackend>());
            devices.back()->is_device = true;
            devices.back()->pace = Pace{.each_ns = ns};
        }
        for (size_t i = 0; i < n; ++i) entries.push_back(FakeEntry(TicketAt(i), Valid(i)));
        for (const SignatureCheck& entry : entries) checks.push_back(entry.View());
        verifier = std::make_unique<Verifier>(Backends{.cpu = cpu, .devices = {devices.begin(), devices.end()}, .device_only = true},
                                              std::make_shared<ThreadPool>(2), std::make_shared<Logger>());
    }

    void VerifyAll() const
    {
        std::vector<Verdict> verdicts(checks.size());
        BOOST_REQUIRE(verifier->VerifyMany(checks, verdicts));
        for (size_t i = 0; i < verdicts.size(); ++i) BOOST_REQUIRE(verdicts[i] == (Valid(i) ? Verdict::VALID : Verdict::INVALID));
    }

    /** The jobs that each device has received since the last call. */
    std::vector<size_t> NewJobs()
    {
        std::vector<size_t> jobs;
        for (const auto& device : devices) jobs.push_back(device->jobs.exchange(0));
        return jobs;
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(several_devices_tests)

BOOST_AUTO_TEST_CASE(shares)
{
    using Parts = std::vector<size_t>;
    constexpr Pace QUICK{.call_ns = 1'000, .each_ns = 1}, SLOW{.call_ns = 0, .each_ns = 10};
    BOOST_CHECK(ShareOut(0, std::array{QUICK, SLOW}) == (Parts{0, 0}));
    BOOST_CHECK(ShareOut(5, std::array{QUICK}) == Parts{5});
    BOOST_CHECK(ShareOut(50, std::array{QUICK, SLOW}) == (Parts{0, 50})); // 500 before the other one begins
    BOOST_CHECK(ShareOut(1'200, std::array{QUICK, SLOW}) == (Parts{1'000, 200}));
    BOOST_CHECK(ShareOut(100, std::array{Pace{0, 1}, Pace{0, 3}}) == (Parts{75, 25}));
    BOOST_CHECK(ShareOut(3, std::array{Pace{}, Pace{}, Pace{}}) == (Parts{1, 1, 1}));
    BOOST_CHECK(ShareOut(4, std::array{Pace{}, Pace{}, Pace{}}) == (Parts{2, 1, 1})); // among equals, the first
    // So many that they would take very long one by one, with the same result.
    BOOST_CHECK(ShareOut(4'000'000'000, std::array{Pace{0, 1}, Pace{0, 3}}) == (Parts{3'000'000'000, 1'000'000'000}));
    BOOST_CHECK(ShareOut(4'000'000'000, std::array{Pace{7e9, 1}, Pace{0, 10}}) == (Parts{3'000'000'000, 1'000'000'000}));
}

/** Against all ways to cut a few signatures. */
BOOST_AUTO_TEST_CASE(no_better_share)
{
    std::mt19937_64 random{slhc::test::Seed(21)};
    const auto below{[&](uint64_t n) { return static_cast<double>(random() % n); }};
    for (int round = 0; round < 300; ++round) {
        std::array<Pace, 3> paces;
        for (Pace& pace : paces) pace = {.call_ns = below(200), .each_ns = 1 + below(50)};
        const auto n{static_cast<size_t>(random() % 20)};
        const std::vector<size_t> parts{ShareOut(n, paces)};
        BOOST_REQUIRE_EQUAL(std::accumulate(parts.begin(), parts.end(), size_t{0}), n);
        double best{LastEnd(paces, std::array<size_t, 3>{n, 0, 0})};
        for (size_t a = 0; a <= n; ++a) {
            for (size_t b = 0; a + b <= n; ++b) best = std::min(best, LastEnd(paces, std::array<size_t, 3>{a, b, n - a - b}));
        }
        BOOST_CHECK_LE(LastEnd(paces, parts), best * (1 + 1e-9));
    }
    // And many.
    for (int round = 0; round < 100; ++round) {
        std::vector<Pace> paces(1 + random() % 8);
        for (Pace& pace : paces) pace = {.call_ns = below(1'000'000), .each_ns = 0.001 + below(5'000)};
        const auto n{static_cast<size_t>(random() % 100'000)};
        const std::vector<size_t> parts{ShareOut(n, paces)};
        BOOST_REQUIRE_EQUAL(std::accumulate(parts.begin(), parts.end(), size_t{0}), n);
    }
}

/** One unfinished part makes the whole call incomplete. */
BOOST_AUTO_TEST_CASE(interrupted_on_one_device)
{
    Setup setup{2, {1, 1}};
    setup.devices[0]->compute = [&](std::span<const RootJob>, std::span<Root>) {
        for (int ms{0}; setup.devices[1]->calls == 0 && ms < Scene::PATIENCE.count(); ++ms) {
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
        }
        setup.verifier->Pool().Interrupt();
        return BackendStatus::FAILED;
    };
    std::vector<Verdict> verdicts(setup.checks.size());
    BOOST_CHECK(!setup.verifier->VerifyMany(setup.checks, verdicts));
    BOOST_CHECK(verdicts[0] == Verdict::NONE && verdicts[1] == Verdict::VALID);
}

BOOST_AUTO_TEST_CASE(each_takes_its_share)
{
    Setup setup{120, {1, 2, 6}};
    setup.VerifyAll();
    BOOST_CHECK((setup.NewJobs() == std::vector<size_t>{72, 36, 12}));
    for (const size_t i : {1, 2, 3}) {
        const BackendStatistics device{setup.verifier->Statistics().at(i)};
        BOOST_CHECK(device.is_device && device.ready && !device.retired);
        BOOST_CHECK_EQUAL(device.calls, 1U);
    }
    // One that opens, or serves another call, is left out ...
    setup.devices[0]->ready = false;
    setup.VerifyAll();
    BOOST_CHECK((setup.NewJobs() == std::vector<size_t>{0, 90, 30}));
    // ... as is one that has no pace any more, whatever it said just now ...
    setup.devices[0]->ready = true;
    const auto pace{std::exchange(setup.devices[0]->pace, std::nullopt)};
    setup.VerifyAll();
    BOOST_CHECK((setup.NewJobs() == std::vector<size_t>{0, 90, 30}));
    // ... and if it turns out only now that it does, the CPU does its part.
    setup.devices[0]->pace = pace;
    setup.devices[0]->compute = [](std::span<const RootJob>, std::span<Root>) { return BackendStatus::BUSY; };
    const size_t on_cpu{setup.cpu->jobs};
    setup.VerifyAll();
    BOOST_CHECK((setup.NewJobs() == std::vector<size_t>{72, 36, 12}));
    BOOST_CHECK_GE(setup.cpu->jobs - on_cpu, 72U);
    BOOST_CHECK(!setup.verifier->Statistics().at(1).retired);
    for (const auto& device : setup.devices) device->ready = false;
    setup.VerifyAll();
    BOOST_CHECK((setup.NewJobs() == std::vector<size_t>{0, 0, 0}));
}

/** None waits for another to end: here each one ends only when all have begun. */
BOOST_AUTO_TEST_CASE(all_work_at_the_same_time)
{
    Setup setup{30, {1, 1, 1}};
    std::atomic<size_t> begun{0};
    std::atomic<bool> in_vain{false};
    for (const auto& device : setup.devices) {
        device->compute = [&](std::span<const RootJob> jobs, std::span<Root> roots) {
            ++begun;
            const auto end{std::chrono::steady_clock::now() + Scene::PATIENCE};
            while (begun < 3 && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds{1});
            if (begun < 3) in_vain = true;
            return FakeBackend::Honest(jobs, roots);
        };
    }
    setup.VerifyAll();
    BOOST_CHECK(!in_vain);
}

/** A device that fails or is wrong loses its own work, and no other device does. */
BOOST_AUTO_TEST_CASE(one_retires_and_others_go_on)
{
    const std::vector<FakeBackend::Compute> faults{
        [](std::span<const RootJob>, std::span<Root>) { return BackendStatus::FAILED; },
        [](std::span<const RootJob>, std::span<Root>) -> BackendStatus { throw std::bad_alloc{}; },
        [](std::span<const RootJob> jobs, std::span<Root> roots) {
            (void)FakeBackend::Honest(jobs, roots);
            roots.back()[5] ^= 1;
            return BackendStatus::OK;
        },
        [](std::span<const RootJob> jobs, std::span<Root> roots) {
            for (size_t i = 0; i < jobs.size(); ++i) std::copy_n(jobs[i].pk_seed + N, N, roots[i].begin()); // everything is valid ...
            roots.back()[5] ^= 1;                                                                              // ... but for one
            return BackendStatus::OK;
        },
    };
    for (const FakeBackend::Compute& fault : faults) {
        for (const size_t faulty : {0, 1, 2}) {
            Setup setup{90, {1, 1, 1}};
            setup.devices[faulty]->compute = fault;
            setup.VerifyAll();
            BOOST_CHECK((setup.NewJobs() == std::vector<size_t>{30, 30, 30}));
            for (size_t i = 0; i < 3; ++i) {
                BOOST_CHECK_EQUAL(setup.verifier->Statistics().at(1 + i).retired, i == faulty);
                BOOST_CHECK_EQUAL(setup.devices[i]->retired, i == faulty);
                const BackendStatistics device{setup.verifier->Statistics().at(1 + i)};
                BOOST_CHECK_EQUAL(device.failed_calls + device.wrong_roots > 0, i == faulty);
            }
            setup.devices[faulty]->compute = FakeBackend::Honest;
            const size_t on_cpu{setup.cpu->jobs};
            setup.VerifyAll();
            std::vector<size_t> expected{45, 45, 45};
            expected[faulty] = 0;
            BOOST_CHECK(setup.NewJobs() == expected);
            BOOST_CHECK_EQUAL(setup.cpu->jobs - on_cpu, 13U); // the invalid ones
        }
    }
}

BOOST_AUTO_TEST_CASE(the_cpu_takes_over_from_the_last)
{
    Setup setup{50, {1, 1}};
    const FakeBackend::Compute fails{[](std::span<const RootJob>, std::span<Root>) { return BackendStatus::FAILED; }};
    for (const auto& device : setup.devices) device->compute = fails;
    for (int i = 0; i < 2; ++i) setup.VerifyAll();
    BOOST_CHECK_EQUAL(setup.cpu->jobs, 100U);
    BOOST_CHECK((setup.NewJobs() == std::vector<size_t>{25, 25}));
}

/** The system has no thread that would wait for a device: the CPU takes its part. */
BOOST_AUTO_TEST_CASE(no_thread_to_wait, *boost::unit_test::precondition(slhc::test::CanForbidThreads))
{
    BOOST_CHECK_EQUAL(slhc::test::InChildProcess([]() -> std::string {
        const Setup setup{300, {1, 1}};
        if (!slhc::test::ForbidThreads()) return "threads cannot be forbidden";
        std::vector<Verdict> verdicts(setup.checks.size());
        if (!setup.verifier->VerifyMany(setup.checks, verdicts)) return "interrupted";
        for (size_t i = 0; i < verdicts.size(); ++i) {
            if (verdicts[i] != (Setup::Valid(i) ? Verdict::VALID : Verdict::INVALID)) return "verdict " + std::to_string(i) + " is wrong";
        }
        return std::to_string(setup.devices[0]->jobs) + " and " + std::to_string(setup.devices[1]->jobs);
    }), "0 and 150");
}

BOOST_AUTO_TEST_SUITE_END()
