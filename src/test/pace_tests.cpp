// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/batch_fixture.h>

#include <pqc/pace.h>
#include <pqc/verifier.h>

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cmath>
#include <memory>
#include <span>
#include <thread>
#include <vector>

using namespace slhc;
using namespace slhc::slhdsa;
using namespace slhc::slhdsa::test;
using std::chrono::nanoseconds;

namespace {

/** A CPU that takes its time for a signature, a device that nobody named, and signatures, every seventh of which is invalid. */
struct Setup {
    std::shared_ptr<FakeBackend> cpu{std::make_shared<FakeBackend>()};
    std::shared_ptr<FakeBackend> device{std::make_shared<FakeBackend>()};
    std::vector<SignatureCheck> entries;
    std::vector<CheckView> checks;
    std::unique_ptr<Verifier> verifier;

    static bool Valid(size_t i) { return i % 7 != 3; }

    explicit Setup(const Pace& pace, size_t n = 64, std::chrono::microseconds cpu_each = std::chrono::milliseconds{1})
    {
        device->is_device = true;
        device->pace = pace;
        cpu->compute = [cpu_each](std::span<const RootJob> jobs, std::span<Root> roots) {
            std::this_thread::sleep_for(cpu_each * jobs.size());
            return FakeBackend::Honest(jobs, roots);
        };
        for (size_t i = 0; i < n; ++i) entries.push_back(FakeEntry(TicketAt(i), Valid(i)));
        for (const SignatureCheck& entry : entries) checks.push_back(entry.View());
        verifier = std::make_unique<Verifier>(Backends{.cpu = cpu, .devices = {device}}, std::make_shared<ThreadPool>(1),
                                              std::make_shared<Logger>());
    }

    /** The device's share of the first n. */
    size_t Verify(size_t n)
    {
        device->jobs = 0;
        std::vector<Verdict> verdicts(n);
        BOOST_REQUIRE(verifier->VerifyMany(std::span{checks}.first(n), verdicts));
        for (size_t i = 0; i < n; ++i) BOOST_REQUIRE(verdicts[i] == (Valid(i) ? Verdict::VALID : Verdict::INVALID));
        return device->jobs;
    }
};

constexpr double COMPRESSIONS{PARAMS_128S.VerifyCompressions()}; //!< of a signature
constexpr Pace QUICK{.call_ns = 1'000, .each_ns = 1'000 / COMPRESSIONS};

} // namespace

BOOST_AUTO_TEST_SUITE(pace_tests)

BOOST_AUTO_TEST_CASE(time_of_a_call)
{
    constexpr Pace PACE{.call_ns = 100, .each_ns = 3};
    BOOST_CHECK_EQUAL(PACE.For(0), 0.0);
    BOOST_CHECK_EQUAL(PACE.For(1), 103.0);
    BOOST_CHECK_EQUAL(PACE.For(50), 250.0);
}

BOOST_AUTO_TEST_CASE(calls_correct_what_was_measured)
{
    const LearnedPace::Clock::time_point now{std::chrono::hours{1}};
    LearnedPace pace;
    BOOST_CHECK(!pace.Get(now));
    pace.Measured({.call_ns = 100, .each_ns = 10});
    const auto drift{[&] {
        const Pace got{pace.Get(now).value()};
        BOOST_CHECK_CLOSE(got.call_ns / 100, got.each_ns / 10, 1e-9);
        return got.each_ns / 10;
    }};
    pace.Learn(10, nanoseconds{200}, now); // as expected
    BOOST_CHECK_CLOSE(drift(), 1.0, 1e-9);
    pace.Learn(10, nanoseconds{400}, now); // a quarter of the way
    BOOST_CHECK_CLOSE(drift(), std::pow(2, 0.25), 1e-9);
    const double before{drift()};
    pace.Learn(10, nanoseconds{1'000'000'000}, now); // an outlier
    BOOST_CHECK_CLOSE(drift() / before, std::sqrt(2), 1e-9);
    for (int i{0}; i < 100; ++i) pace.Learn(10, nanoseconds{1'000'000'000}, now);
    BOOST_CHECK_CLOSE(drift(), LearnedPace::MAX_DRIFT, 1e-9);
    for (int i{0}; i < 100; ++i) pace.Learn(10, nanoseconds{0}, now); // a clock that stands still
    BOOST_CHECK_CLOSE(drift(), 1 / LearnedPace::MAX_DRIFT, 1e-9);
    pace.Measured({.call_ns = 100, .each_ns = 10});
    BOOST_CHECK_CLOSE(drift(), 1.0, 1e-9);
}

BOOST_AUTO_TEST_CASE(the_first_call_measures)
{
    LearnedPace pace;
    pace.Learn(20, nanoseconds{1'000});
    BOOST_CHECK_EQUAL(pace.Get().value().call_ns, 0.0);
    BOOST_CHECK_EQUAL(pace.Get().value().each_ns, 50.0);
}

/** Only slowness is forgiven: a slow backend may get no more work that would show that it has recovered. */
BOOST_AUTO_TEST_CASE(slowness_is_forgiven)
{
    const LearnedPace::Clock::time_point now{std::chrono::hours{1}}, later{now + LearnedPace::FORGIVEN_AFTER};
    for (const bool slower : {true, false}) {
        LearnedPace pace;
        pace.Measured({.call_ns = 0, .each_ns = 10});
        for (int i{0}; i < 100; ++i) pace.Learn(1, nanoseconds{slower ? 40 : 3}, now);
        const double at_once{pace.Get(now).value().each_ns / 10}, after{pace.Get(later).value().each_ns / 10};
        BOOST_CHECK_CLOSE(at_once, slower ? 4.0 : 0.3, 1);
        BOOST_CHECK_CLOSE(after, slower ? std::sqrt(at_once) : at_once, 1e-9);
    }
}

/** The CPU's pace is that of the first batch of 16 or more; from then on the device gets its share. */
BOOST_AUTO_TEST_CASE(a_device_gets_what_it_makes_faster)
{
    Setup setup{QUICK};
    BOOST_CHECK_EQUAL(setup.Verify(LEAST_TELLING - 1), 0U);
    BOOST_CHECK_EQUAL(setup.device->opened, 0U);
    BOOST_CHECK(!setup.verifier->CpuPace());
    BOOST_CHECK_EQUAL(setup.Verify(LEAST_TELLING), 0U);
    BOOST_CHECK_GT(setup.device->opened, 0U);
    BOOST_CHECK_GE(setup.verifier->CpuPace().value().each_ns * COMPRESSIONS, 1e6);
    BOOST_CHECK_GE(setup.Verify(64), 60U);
    BOOST_CHECK_EQUAL(setup.Verify(LEAST_TELLING - 1), 0U);
    setup.device->ready = false;
    BOOST_CHECK_EQUAL(setup.Verify(64), 0U);
}

BOOST_AUTO_TEST_CASE(a_device_that_helps_little_gets_nothing)
{
    const auto gets{[](size_t n, const Pace& pace) {
        Setup setup{pace, n, std::chrono::microseconds{50}};
        (void)setup.Verify(LEAST_TELLING);
        const double each{setup.verifier->CpuPace().value().each_ns};
        // Again, now that the CPU's pace is known
        setup.device->pace = Pace{.call_ns = pace.call_ns * each * COMPRESSIONS, .each_ns = pace.each_ns * each};
        return setup.Verify(n);
    }};
    BOOST_CHECK_EQUAL(gets(64, {.call_ns = 0, .each_ns = 1}), 32U);
    BOOST_CHECK_EQUAL(gets(64, {.call_ns = 0, .each_ns = 1'000}), 0U);
    BOOST_CHECK_EQUAL(gets(64, {.call_ns = 100, .each_ns = 1}), 0U);
    BOOST_CHECK_EQUAL(gets(64, {.call_ns = 0, .each_ns = 4}), 0U); // 12 or 13, too few for a share
    // The device begins late and would end with 17, after 96 % of the CPU's time; or with 25, after 94 %.
    BOOST_CHECK_EQUAL(gets(400, {.call_ns = 383, .each_ns = 0.01}), 0U);
    BOOST_CHECK_GE(gets(400, {.call_ns = 375, .each_ns = 0.01}), 20U);
}

BOOST_AUTO_TEST_CASE(a_named_device_gets_every_batch)
{
    Setup setup{QUICK};
    Verifier verifier{{.cpu = setup.cpu, .devices = {setup.device}, .device_only = true}, std::make_shared<ThreadPool>(1),
                      std::make_shared<Logger>()};
    Verdict verdict{};
    BOOST_REQUIRE(verifier.VerifyMany({setup.checks.data(), 1}, {&verdict, 1}));
    BOOST_CHECK(verdict == Verdict::VALID);
    BOOST_CHECK_EQUAL(setup.device->jobs, 1U);
}

/** The verdicts of a batch that is split are as right as of one that is not. */
BOOST_AUTO_TEST_CASE(split_batch)
{
    const Setup setup{QUICK};
    const std::vector<Verifier::DeviceShare> shares{[](size_t n) { return n / 3; }, [](size_t n) { return n; },
                                                    [](size_t) { return size_t{0}; }};
    for (const auto& share : shares) {
        Verifier verifier{{.cpu = setup.cpu, .devices = {setup.device}}, std::make_shared<ThreadPool>(1), std::make_shared<Logger>(),
                          share};
        std::vector<Verdict> verdicts(setup.checks.size());
        BOOST_REQUIRE(verifier.VerifyMany(setup.checks, verdicts));
        for (size_t i = 0; i < verdicts.size(); ++i) BOOST_CHECK(verdicts[i] == (Setup::Valid(i) ? Verdict::VALID : Verdict::INVALID));
        BOOST_CHECK_EQUAL(verifier.Statistics().at(1).jobs, share(setup.checks.size()));
    }
}

BOOST_AUTO_TEST_SUITE_END()
