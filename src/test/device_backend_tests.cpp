// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/allocations.h>
#include <test/child_process.h>
#include <test/device_fixture.h>
#include <test/device_links.h>
#include <test/engine_fixture.h>
#include <test/forbid_threads.h>
#include <test/preconditions.h>
#include <test/random_source.h>
#include <test/signals.h>

#include <pqc/device/root_computer.h>
#include <pqc/judge.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <future>
#include <new>
#include <random>
#include <span>
#include <string>
#include <vector>

using namespace slhc;
using namespace slhc::slhdsa;
using namespace slhc::slhdsa::test;
using slhc::test::InChildProcess;

namespace {

std::unique_ptr<DeviceLink> MakeSoftwareLink() { return std::make_unique<SoftwareLink>(7); }

/** Generous limits for a busy machine: no device is late unless a test makes it so. */
DeviceBackend::Options OptionsFor(LogRecord& log)
{
    return {.logger = log.MakeLogger(), .least_limit = Scene::PATIENCE, .least_limit_on_cpu = Scene::PATIENCE, .reopenings = 0};
}

} // namespace

BOOST_AUTO_TEST_SUITE(device_backend_tests)

BOOST_AUTO_TEST_CASE(faults_at_work)
{
    for (const Fault fault : ALL_FAULTS) {
        BOOST_TEST_CONTEXT(FaultName(fault))
        CheckFaultAtWork(fault, fault == Fault::HANG ? [] { return std::unique_ptr<DeviceLink>{std::make_unique<SoftwareLink>(64)}; }
                                                     : MakeSoftwareLink);
    }
}

BOOST_AUTO_TEST_CASE(faults_at_start)
{
    for (const Fault fault : ALL_FAULTS) {
        BOOST_TEST_CONTEXT(FaultName(fault)) CheckFaultAtStart(fault, MakeSoftwareLink);
    }
}

/** An interruption is no fault of the device, but ends its use: it may still be at work. */
BOOST_AUTO_TEST_CASE(interrupted)
{
    LogRecord log;
    const auto pool{std::make_shared<ThreadPool>(1)};
    DeviceBackend::Options options{OptionsFor(log)};
    options.pool = pool;
    DeviceBackend backend{"vulkan:interrupted", [](Stop, std::string&) { return MakeSoftwareLink(); }, options};
    BOOST_REQUIRE(backend.WaitUntilOpened());
    std::mt19937_64 random{slhc::test::Seed(7)};
    const RandomJobs all{40, random};
    std::vector<Root> roots(all.jobs.size());
    BOOST_CHECK(backend.ComputeRoots(all.jobs, roots) == BackendStatus::OK);
    pool->Interrupt();
    BOOST_CHECK(backend.ComputeRoots(all.jobs, roots) == BackendStatus::BUSY);
    BOOST_CHECK(backend.State() == DeviceState::RETIRED);
    BOOST_CHECK(backend.PrepareSet(ParameterSet::SHA2_128F) == SetState::UNUSABLE);
    BOOST_CHECK(!log.HasWarning(""));
}

/** Known answers are computed in every layout that is used for work later. */
BOOST_AUTO_TEST_CASE(wrong_when_crowded)
{
    const auto check_refused{[](const CrowdedLink& made) {
        LogRecord log;
        DeviceBackend backend{"vulkan:crowded", [&](Stop, std::string&) { return std::make_unique<CrowdedLink>(made); }, OptionsFor(log)};
        BOOST_CHECK(!backend.WaitUntilOpened());
        BOOST_CHECK(backend.State() == DeviceState::RETIRED);
        BOOST_CHECK(log.HasWarning("its known answers are wrong"));
        BOOST_CHECK(*made.forgot); // a compiled shader on disk may be what is wrong
    }};
    check_refused({40, 40});
    check_refused({17, 17, 0, 3}); // all known answers together, if that is more than a full layout
    for (size_t value{0}; value < 8; ++value) check_refused({1, 1, value}); // one wrong root, too large or too small
}

/** A device's examination before it gets any work: one known answer, and all of them; then, three times each, the batches that time it. */
BOOST_AUTO_TEST_CASE(examination)
{
    LogRecord log;
    const auto record{std::make_shared<std::string>()};
    const auto open{[&](Stop, std::string& about) {
        about = "for the record";
        return std::make_unique<RecordingLink>(64, 64, record);
    }};
    DeviceBackend backend{"vulkan:examined", open, OptionsFor(log)};
    BOOST_REQUIRE(backend.WaitUntilOpened());
    const std::string wait{"wait 0\n"}, one{"submit 0: 1\n" + wait}, three{"submit 0: 3\n" + wait};
    const std::string known{one + "submit 0: 17\n" + wait};
    BOOST_CHECK_EQUAL(*record, known + one + one + one + three + three + three);
    BOOST_CHECK(log.HasLine("info: vulkan:examined: for the record: ready ("));
}

/** The pace is the measured one, corrected by the times of calls: a quarter of the way each time on a logarithmic scale, each call counting
 *  as at most four times too slow or too fast, and not beyond LearnedPace::MAX_DRIFT. */
BOOST_AUTO_TEST_CASE(pace)
{
    using std::chrono::milliseconds;
    LogRecord log;
    std::mt19937_64 random{slhc::test::Seed(5)};
    const RandomJobs all{60, random};
    std::vector<Root> roots(all.jobs.size());
    const auto delay{std::make_shared<SlowLink::Delay>(milliseconds{20})};
    DeviceBackend::Options options{OptionsFor(log)};
    options.opens_at_once = false;
    DeviceBackend backend{"vulkan:slow", [&](Stop, std::string&) { return std::make_unique<SlowLink>(delay); }, options};
    const auto compute{[&](size_t n) { return backend.ComputeRoots(std::span{all.jobs}.first(n), std::span{roots}.first(n)); }};
    BOOST_CHECK(!backend.MeasuredPace());
    BOOST_CHECK(compute(1) == BackendStatus::BUSY);
    backend.Open();
    BOOST_REQUIRE(backend.WaitUntilOpened());
    BOOST_CHECK(backend.Limits().For(ParameterSet::SHA2_128S, 1) >= DeviceBackend::SLACK * milliseconds{20} * 7 / 8);

    // Three take hardly longer than one, so an eighth of that is taken for theirs.
    const Pace first{backend.MeasuredPace().value()};
    constexpr double COMPRESSIONS{PARAMS_128S.VerifyCompressions()}; // of a signature
    BOOST_CHECK_GE(first.each_ns * COMPRESSIONS, 20e6 / 8 / 3);
    BOOST_CHECK_GE(first.call_ns + first.each_ns * COMPRESSIONS, 20e6);
    const auto drift{[&] {
        const Pace now{backend.MeasuredPace().value()};
        BOOST_CHECK_CLOSE(now.call_ns / first.call_ns, now.each_ns / first.each_ns, 1e-6);
        return now.call_ns / first.call_ns;
    }};
    BOOST_CHECK(compute(0) == BackendStatus::OK);
    BOOST_CHECK_EQUAL(drift(), 1.0);
    const auto start{std::chrono::steady_clock::now()};
    BOOST_CHECK(compute(60) == BackendStatus::OK);
    const std::chrono::duration<double, std::nano> took{std::chrono::steady_clock::now() - start};
    const double as_expected{drift()};
    const double measured{first.call_ns + 60 * COMPRESSIONS * first.each_ns};
    BOOST_CHECK_CLOSE(as_expected, std::pow(std::clamp(took.count() / measured, 0.25, 4.0), 0.25), 10.0);
    *delay = milliseconds{200};
    BOOST_CHECK(compute(1) == BackendStatus::OK);
    const double step{drift() / as_expected}; // the square root of 2, less what was forgiven meanwhile
    BOOST_CHECK(step > 1.2 && step < 1.42);
    *delay = milliseconds{0};
    const double slower{drift()};
    for (int i{0}; i < 10; ++i) { // the gain of each depends on the load on the machine
        const double before{drift()};
        BOOST_CHECK(compute(1) == BackendStatus::OK);
        BOOST_CHECK_GT(drift(), before * 0.7);
    }
    BOOST_CHECK_LT(drift(), slower);

    backend.Retire();
    BOOST_CHECK(!backend.MeasuredPace());
    BOOST_CHECK(compute(1) == BackendStatus::FAILED);
    BOOST_CHECK(compute(0) == BackendStatus::OK);
}

BOOST_AUTO_TEST_CASE(pace_drifts_only_so_far)
{
    using std::chrono::milliseconds;
    LogRecord log;
    std::mt19937_64 random{slhc::test::Seed(6)};
    const RandomJobs one{1, random};
    std::vector<Root> roots(1);
    const auto delay{std::make_shared<SlowLink::Delay>(milliseconds{1})};
    DeviceBackend backend{"vulkan:slower", [&](Stop, std::string&) { return std::make_unique<SlowLink>(delay); }, OptionsFor(log)};
    BOOST_REQUIRE(backend.WaitUntilOpened());
    const double first{backend.MeasuredPace().value().each_ns};
    *delay = milliseconds{600}; // many times the first pace, also on a machine that is busy with other things
    for (int i{0}; i < 12; ++i) BOOST_REQUIRE(backend.ComputeRoots(one.jobs, roots) == BackendStatus::OK);
    const double drift{backend.MeasuredPace().value().each_ns / first};
    BOOST_CHECK(drift > LearnedPace::MAX_DRIFT / 2 && drift <= LearnedPace::MAX_DRIFT + 1e-9);
}

/** A backend gives up its device by itself, whatever its caller does. */
BOOST_AUTO_TEST_CASE(unusable_after_a_fault)
{
    Scene scene{MakeSoftwareLink};
    BOOST_REQUIRE(scene.opened);
    scene.control->fault = Fault::DRIVER_ERROR;
    std::mt19937_64 random{slhc::test::Seed(8)};
    const RandomJobs all{2, random};
    std::vector<Root> roots(2);
    BOOST_CHECK(scene.backend->ComputeRoots(all.jobs, roots) == BackendStatus::FAILED);
    BOOST_CHECK(scene.backend->State() == DeviceState::RETIRED);
    BOOST_CHECK(scene.log.HasWarning("vulkan:faulty: error after a call for 2 signatures"));
}

/** A device that fails in a call is opened again, and examined as at first, a few times. */
BOOST_AUTO_TEST_CASE(opened_again_after_a_fault)
{
    LogRecord log;
    const auto control{std::make_shared<FaultControl>()};
    std::atomic<int> opened{0};
    DeviceBackend::Options options{OptionsFor(log)};
    options.reopenings = 2;
    const auto backend{std::make_shared<DeviceBackend>("vulkan:again", [&](Stop, std::string&) {
        ++opened;
        control->fault = Fault::NONE;
        return std::make_unique<FaultyLink>(MakeSoftwareLink(), control); }, options)};
    BOOST_REQUIRE(backend->WaitUntilOpened());
    BOOST_CHECK(backend->WaitUntilPrepared(ParameterSet::TINY));
    Verifier verifier{{.cpu = CreatePortableEngine(), .devices = {backend}, .device_only = true}, std::make_shared<ThreadPool>(2),
                      log.MakeLogger()};
    const MixedChecks mixed{5};
    std::vector<Verdict> verdicts(mixed.checks.size());
    const auto verify{[&](Fault fault) {
        control->fault = fault;
        BOOST_CHECK(verifier.VerifyMany(mixed.checks, verdicts));
        BOOST_CHECK(verdicts == mixed.expected);
        return verifier.Statistics().at(1);
    }};
    for (int round = 1; round <= 2; ++round) {
        const BackendStatistics failed{verify(Fault::LOST_ON_WAIT)};
        BOOST_CHECK_EQUAL(failed.failed_calls, static_cast<uint64_t>(round));
        BOOST_CHECK(!failed.retired);
        BOOST_REQUIRE(backend->WaitUntilOpened());
        BOOST_CHECK_EQUAL(opened, 1 + round);
        BOOST_CHECK(backend->PrepareSet(ParameterSet::TINY) != SetState::READY); // which it must show again
        BOOST_CHECK(backend->WaitUntilPrepared(ParameterSet::TINY));
        BOOST_CHECK_EQUAL(verify(Fault::NONE).jobs, 10U * static_cast<uint64_t>(round));
    }
    BOOST_CHECK(log.HasWarning("vulkan:again: lost after a call for 5 signatures; the CPU repeats its work, and the device is opened "
                               "again"));
    BOOST_CHECK(verify(Fault::LOST_ON_WAIT).retired);
    BOOST_CHECK(log.HasWarning("vulkan:again is retired: a call failed; the CPU repeats its work, and it gets no more"));
    BOOST_CHECK_EQUAL(verify(Fault::NONE).jobs, 25U);
    BOOST_CHECK_EQUAL(opened, 3);

}

/** A call that ends in the middle leaves nothing behind that could be trusted. */
BOOST_AUTO_TEST_CASE(no_memory_at_work, *boost::unit_test::precondition(slhc::test::CanForbidAllocations))
{
    LogRecord log;
    DeviceBackend backend{"vulkan:poor", [](Stop, std::string&) { return MakeSoftwareLink(); }, OptionsFor(log)};
    BOOST_REQUIRE(backend.WaitUntilOpened());
    std::mt19937_64 random{slhc::test::Seed(7)};
    const RandomJobs all{2, random};
    std::vector<Root> roots(2);
    bool thrown{false};
    slhc::test::ForbidAllocations();
    try {
        (void)backend.ComputeRoots(all.jobs, roots);
    } catch (const std::bad_alloc&) {
        thrown = true;
    }
    slhc::test::AllowAllocations();
    BOOST_CHECK(thrown);
    BOOST_CHECK(backend.State() == DeviceState::RETIRED);
}

/** No driver is loaded for a backend that is destroyed at once: it opens nothing, or a device that is no longer needed. */
BOOST_AUTO_TEST_CASE(destroyed_at_once)
{
    for (int i{0}; i < 20; ++i) {
        LogRecord log;
        std::atomic<size_t> opened{0};
        {
            const DeviceBackend backend{"vulkan:brief", [&opened](Stop, std::string& about) {
                ++opened;
                about = "a device";
                return MakeSoftwareLink(); }, OptionsFor(log)};
        }
        BOOST_CHECK_LE(opened, 1U);
        BOOST_CHECK_LE(log.Lines(), 1U);
        BOOST_CHECK(!log.HasWarning(""));
    }
}

/** Nothing opens, or opening throws: a driver that is gone, memory that is not there. */
BOOST_AUTO_TEST_CASE(nothing_to_open)
{
    LogRecord log;
    const DeviceBackend::OpenLink none{[](Stop, std::string& about) { about = "no device"; return std::unique_ptr<DeviceLink>{}; }};
    const DeviceBackend::OpenLink fails{[](Stop, std::string&) -> std::unique_ptr<DeviceLink> { throw std::bad_alloc{}; }};
    for (const auto& open : {none, fails}) {
        const auto backend{std::make_shared<DeviceBackend>("vulkan:none", open, OptionsFor(log))};
        BOOST_CHECK(!backend->WaitUntilOpened());
        BOOST_CHECK(backend->State() != DeviceState::READY);
        const MixedChecks mixed{5};
        std::vector<Verdict> verdicts(5);
        Verifier verifier{{.cpu = CreatePortableEngine(), .devices = {backend}, .device_only = true},
                          std::make_shared<ThreadPool>(1),
                          std::make_shared<Logger>()};
        BOOST_CHECK(verifier.VerifyMany(mixed.checks, verdicts));
        BOOST_CHECK(verdicts == mixed.expected);
        BOOST_CHECK_EQUAL(verifier.Statistics().at(1).jobs, 0U);
    }
    BOOST_CHECK(log.HasWarning("bad_alloc"));
}

/** No driver is loaded before there is work for it. */
BOOST_AUTO_TEST_CASE(opens_when_it_is_told_to)
{
    LogRecord log;
    std::atomic<size_t> opened{0};
    DeviceBackend::Options options{OptionsFor(log)};
    options.opens_at_once = false;
    const DeviceBackend::OpenLink open{[&opened](Stop, std::string&) {
        ++opened;
        return MakeSoftwareLink();
    }};
    {
        const DeviceBackend never{"vulkan:never", open, options};
        BOOST_CHECK(never.State() != DeviceState::READY && never.State() != DeviceState::RETIRED);
    }
    DeviceBackend backend{"vulkan:later", open, options};
    BOOST_CHECK_EQUAL(opened, 0U);
    backend.Open();
    backend.Open();
    BOOST_CHECK(backend.WaitUntilOpened());
    BOOST_CHECK_EQUAL(opened, 1U);
}

/** While the device opens, which may take a while, the CPU verifies. */
BOOST_AUTO_TEST_CASE(opening_takes_its_time)
{
    LogRecord log;
    std::mutex gate;
    std::unique_lock closed{gate};
    const auto backend{std::make_shared<DeviceBackend>("vulkan:slow", [&gate](Stop, std::string&) {
        const std::lock_guard wait{gate};
        return MakeSoftwareLink(); }, OptionsFor(log))};
    const MixedChecks mixed{5};
    Verifier verifier{{.cpu = CreatePortableEngine(), .devices = {backend}, .device_only = true},
                      std::make_shared<ThreadPool>(1),
                      std::make_shared<Logger>()};
    for (const uint64_t device_jobs : {0, 5}) {
        std::vector<Verdict> verdicts(5);
        BOOST_CHECK(verifier.VerifyMany(mixed.checks, verdicts));
        BOOST_CHECK(verdicts == mixed.expected);
        BOOST_CHECK_EQUAL(verifier.Statistics().at(1).jobs, device_jobs);
        if (device_jobs == 0) {
            closed.unlock();
            BOOST_CHECK(backend->WaitUntilOpened());
        }
    }
}

/** All that opening takes has one limit, however little each answer takes of it. */
BOOST_AUTO_TEST_CASE(opening_has_one_limit)
{
    using std::chrono::milliseconds;
    class SteadyLink final : public WrappedLink
    {
    public:
        LinkStatus Wait(size_t, std::chrono::nanoseconds limit) noexcept override
        {
            const std::chrono::nanoseconds takes{milliseconds{80}};
            std::this_thread::sleep_for(std::min(takes, limit));
            return limit < takes ? LinkStatus::LATE : LinkStatus::OK;
        }
    };
    LogRecord log;
    DeviceBackend::Options options{OptionsFor(log)};
    options.opening_limit = milliseconds{200};
    DeviceBackend backend{"vulkan:steady", [](Stop, std::string&) { return std::make_unique<SteadyLink>(); }, options};
    BOOST_CHECK(!backend.WaitUntilOpened());
    BOOST_CHECK_MESSAGE(log.HasWarning(" is not used: late"), log.All());
}

/** The same from the signature to its verdict. */
BOOST_AUTO_TEST_CASE(stale_parts_change_no_verdict)
{
    const MixedChecks mixed{1};
    for (const size_t quad : {DeviceEntry::ValuesAt(PARAMS_128S) / N, size_t{200}, QUADS - 1}) {
        Scene scene{[] { return std::make_unique<SoftwareLink>(1); }};
        BOOST_REQUIRE(scene.opened);
        BOOST_CHECK(scene.VerdictsAreRight(mixed));
        Signature signature;
        std::copy_n(mixed.checks[0].signature.data(), SIGNATURE_SIZE, signature.begin());
        signature[N + quad * N - DeviceEntry::ValuesAt(PARAMS_128S)] ^= 1;
        const CheckView invalid{mixed.checks[0].public_key, mixed.checks[0].message, signature};
        scene.control->kept.set(quad);
        scene.control->fault = Fault::STALE_PART;
        Verdict verdict{};
        BOOST_CHECK(scene.verifier->VerifyMany({&invalid, 1}, {&verdict, 1}) && verdict == Verdict::INVALID);
        BOOST_CHECK(scene.Device().retired);
    }
}

BOOST_AUTO_TEST_CASE(several_threads)
{
    LogRecord log;
    const auto backend{std::make_shared<DeviceBackend>(
        "vulkan:shared", [](Stop, std::string&) { return MakeSoftwareLink(); }, OptionsFor(log))};
    BOOST_REQUIRE(backend->WaitUntilOpened());
    std::mt19937_64 random{slhc::test::Seed(3)};
    const RandomJobs all{16, random};
    const auto expected{RootsOf(*CreatePortableEngine(), all.jobs)};
    std::vector<std::thread> threads;
    std::atomic<int> right{0}, busy{0};
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            std::vector<Root> roots(all.jobs.size());
            const BackendStatus status{backend->ComputeRoots(all.jobs, roots)};
            if (status == BackendStatus::BUSY) ++busy;
            if (status == BackendStatus::OK && roots == expected) ++right;
        });
    }
    for (std::thread& thread : threads) thread.join();
    BOOST_CHECK_GE(right, 1);
    BOOST_CHECK_EQUAL(right + busy, 4);
}

/** While one caller's work is on the device, another caller learns so at once and uses the CPU. */
BOOST_AUTO_TEST_CASE(nobody_waits_for_anothers_device)
{
    DriverGate gate;
    const MixedChecks mixed{5};
    Scene scene{[&] { return std::make_unique<GatedLink>(nullptr, &gate); }};
    BOOST_REQUIRE(scene.opened);
    gate.Close();
    bool first_is_right{false};
    std::thread first{[&] { first_is_right = scene.VerdictsAreRight(mixed); }};
    gate.WaitUntilReached();
    // A thread that asks the device itself, as two do that found it idle at the same moment ...
    std::vector<RootJob> jobs;
    for (const CheckView& check : mixed.checks) jobs.push_back(PrepareRootJob(check));
    std::vector<Root> roots(jobs.size());
    BOOST_CHECK(scene.backend->ComputeRoots(jobs, roots) == BackendStatus::BUSY);
    BOOST_CHECK(scene.backend->State() != DeviceState::READY && scene.backend->State() != DeviceState::RETIRED);
    // ... and one that has signatures to verify.
    BOOST_CHECK(scene.VerdictsAreRight(mixed));
    BOOST_CHECK_EQUAL(scene.Device().calls, 0U);
    gate.Open();
    first.join();
    BOOST_CHECK(first_is_right);
    BOOST_CHECK_EQUAL(scene.Device().calls, 1U);
    BOOST_CHECK_EQUAL(scene.Device().failed_calls, 0U);
    BOOST_CHECK(scene.Device().ready && !scene.Device().retired);
}

/** A device that was retired for its results need not be kept until the backend goes. */
BOOST_AUTO_TEST_CASE(a_retired_device_is_released)
{
    DriverGate gate;
    LogRecord log;
    DeviceBackend backend{
        "vulkan:retired", [&](Stop, std::string&) { return std::make_unique<GatedLink>(nullptr, &gate); }, OptionsFor(log)};
    BOOST_REQUIRE(backend.WaitUntilOpened());
    BOOST_CHECK(!gate.IsGone());
    backend.Retire();
    gate.WaitUntilGone();

    std::mt19937_64 random{slhc::test::Seed(9)};
    const RandomJobs all{2, random};
    std::vector<Root> roots(2);
    BOOST_CHECK(backend.ComputeRoots(all.jobs, roots) == BackendStatus::FAILED);
    backend.Retire(); // nothing is left to do
    BOOST_CHECK(backend.State() == DeviceState::RETIRED);
}

/** A call that is under way gets its roots first. */
BOOST_AUTO_TEST_CASE(a_device_retired_in_a_call_is_released_after_it)
{
    DriverGate gate;
    LogRecord log;
    DeviceBackend backend{
        "vulkan:retired", [&](Stop, std::string&) { return std::make_unique<GatedLink>(nullptr, &gate); }, OptionsFor(log)};
    BOOST_REQUIRE(backend.WaitUntilOpened());
    gate.Close();
    std::mt19937_64 random{slhc::test::Seed(10)};
    const RandomJobs all{5, random};
    const auto expected{RootsOf(*CreatePortableEngine(), all.jobs)};
    std::vector<Root> roots(5);
    BackendStatus status{BackendStatus::FAILED};
    std::thread call{[&] { status = backend.ComputeRoots(all.jobs, roots); }};
    gate.WaitUntilReached();
    backend.Retire();
    BOOST_CHECK(backend.State() == DeviceState::RETIRED); // for others, who would believe its roots
    BOOST_CHECK(backend.PrepareSet(ParameterSet::SHA2_128S) == SetState::UNUSABLE);
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
    BOOST_CHECK(!gate.IsGone());
    gate.Open();
    call.join();
    BOOST_CHECK(status == BackendStatus::OK);
    BOOST_CHECK(roots == expected);
    gate.WaitUntilGone();
}

/** A device that cannot be made ready for another set goes on with those that it has, by a new process if it must, and is not asked for
 *  that set again; one that is wrong about it gets no more work of any. */
BOOST_AUTO_TEST_CASE(a_set_that_fails)
{
    class BadSetLink final : public WrappedLink
    {
    public:
        explicit BadSetLink(LinkStatus answer) : m_answer{answer} {}
        LinkStatus Prepare(ParameterSet set, std::chrono::nanoseconds) noexcept override
        {
            return set == ParameterSet::SHA2_128F ? m_answer : LinkStatus::OK;
        }
        LinkStatus Submit(size_t slot, ParameterSet set, size_t count) noexcept override
        {
            if (set == ParameterSet::SHA2_128F) Entries(slot)[DeviceEntry::ValuesAt(ParamsOf(set))] ^= 1;
            return WrappedLink::Submit(slot, set, count);
        }

    private:
        const LinkStatus m_answer;
    };

    for (const LinkStatus answer : {LinkStatus::OK, LinkStatus::UNSUPPORTED, LinkStatus::LOST, LinkStatus::LATE}) {
        LogRecord log;
        int opened{0};
        const auto open{[&](Stop, std::string&) {
            ++opened;
            return std::make_unique<BadSetLink>(answer);
        }};
        DeviceBackend::Options options{OptionsFor(log)};
        options.reopenings = 1;
        DeviceBackend device{"vulkan:bad", open, options};
        BOOST_REQUIRE(device.WaitUntilOpened());
        BOOST_CHECK(device.PrepareSet(ParameterSet::SHA2_128S) == SetState::READY);
        BOOST_CHECK(device.WaitUntilPrepared(ParameterSet::TINY));
        BOOST_CHECK(!device.WaitUntilPrepared(ParameterSet::SHA2_128F));
        BOOST_CHECK(log.HasLine("info: vulkan:bad: tiny: ready"));
        if (answer == LinkStatus::OK) {
            BOOST_CHECK(device.State() == DeviceState::RETIRED);
            BOOST_CHECK(log.HasWarning("128f: not used any more: its known answers are wrong"));
            continue;
        }
        BOOST_CHECK(log.HasWarning("128f: not used: " + std::string{LinkStatusName(answer)}));
        BOOST_CHECK(device.WaitUntilOpened());
        const size_t lines{log.Lines()};
        BOOST_CHECK(device.PrepareSet(ParameterSet::SHA2_128F) != SetState::READY && device.State() == DeviceState::READY);
        BOOST_CHECK(device.PrepareSet(ParameterSet::SHA2_128S) == SetState::READY);
        BOOST_CHECK_EQUAL(log.Lines(), lines);
        BOOST_CHECK_EQUAL(opened, answer == LinkStatus::UNSUPPORTED ? 1 : 2);
    }
}

/** A device that is retired while it is being made ready for a set is released all the same. */
BOOST_AUTO_TEST_CASE(retired_while_a_set_is_prepared)
{
    class SlowSetLink final : public WrappedLink
    {
    public:
        explicit SlowSetLink(DriverGate& gate) : m_gate{gate} {}
        ~SlowSetLink() override { m_gate.LinkIsGone(); }
        SlowSetLink(const SlowSetLink&) = delete;
        SlowSetLink& operator=(const SlowSetLink&) = delete;
        LinkStatus Prepare(ParameterSet, std::chrono::nanoseconds) noexcept override
        {
            m_gate.Pass();
            return LinkStatus::OK;
        }

    private:
        DriverGate& m_gate;
    };

    DriverGate gate;
    LogRecord log;
    DeviceBackend device{"vulkan:slow", [&](Stop, std::string&) { return std::make_unique<SlowSetLink>(gate); }, OptionsFor(log)};
    BOOST_REQUIRE(device.WaitUntilOpened());
    gate.Close();
    BOOST_CHECK(device.PrepareSet(ParameterSet::TINY) != SetState::READY);
    gate.WaitUntilReached();
    BOOST_CHECK(device.State() != DeviceState::READY);
    device.Retire();
    BOOST_CHECK(device.State() == DeviceState::RETIRED);
    gate.Open();
    gate.WaitUntilGone();
}

/** A process that is lost in a call while it is made ready for a set may be lost because of that: the next one is not asked for the set. */
BOOST_AUTO_TEST_CASE(lost_while_a_set_is_prepared)
{
    struct Control {
        std::promise<void> started{};
        std::atomic<bool> lost{false};
    };
    class LosingLink final : public WrappedLink
    {
    public:
        explicit LosingLink(Control& control) : m_control{control} {}
        LinkStatus StartPreparing(ParameterSet) noexcept override
        {
            m_control.started.set_value();
            return LinkStatus::OK;
        }
        bool IsAnswered() const noexcept override { return false; }
        LinkStatus Wait(size_t slot, std::chrono::nanoseconds limit) noexcept override
        {
            return m_control.lost ? LinkStatus::LOST : WrappedLink::Wait(slot, limit);
        }

    private:
        Control& m_control;
    };

    Control control;
    LogRecord log;
    DeviceBackend::Options options{OptionsFor(log)};
    options.reopenings = 1;
    const auto open{[&](Stop, std::string&) {
        control.lost = false;
        return std::make_unique<LosingLink>(control);
    }};
    DeviceBackend device{"vulkan:losing", open, options};
    BOOST_REQUIRE(device.WaitUntilOpened());
    BOOST_CHECK(device.PrepareSet(ParameterSet::TINY) == SetState::PREPARING);
    control.started.get_future().wait();
    control.lost = true;
    std::mt19937_64 random{slhc::test::Seed(11)};
    const RandomJobs all{2, random};
    std::vector<Root> roots(2);
    BOOST_CHECK(device.ComputeRoots(all.jobs, roots) == BackendStatus::REOPENS);
    BOOST_REQUIRE(device.WaitUntilOpened());
    BOOST_CHECK(device.PrepareSet(ParameterSet::TINY) == SetState::UNUSABLE);
    BOOST_CHECK(log.HasWarning("vulkan:losing: tiny: not used: the process was lost"));
    BOOST_CHECK(device.ComputeRoots(all.jobs, roots) == BackendStatus::OK);
}

/** The limit is a multiple of what the pace says, never less than a device may take to wake up, nor much more than the CPU takes. */
BOOST_AUTO_TEST_CASE(limits_follow_what_was_measured)
{
    using std::chrono::milliseconds;
    constexpr ParameterSet SET{ParameterSet::SHA2_128S};
    constexpr double COMPRESSIONS{PARAMS_128S.VerifyCompressions()};
    const TimeLimits limits{
        .least = milliseconds{50}, .allowed = {.call_ns = 10e6, .each_ns = 1e6 / COMPRESSIONS}, .cpu_ns = 1e5 / COMPRESSIONS};
    const auto in_ms{[&](size_t n) { return std::chrono::round<milliseconds>(limits.For(SET, n)).count(); }};
    BOOST_CHECK_EQUAL(in_ms(1), 50);
    BOOST_CHECK_EQUAL(in_ms(40), 50);
    BOOST_CHECK_EQUAL(in_ms(50), 60);
    BOOST_CHECK_EQUAL(in_ms(508), 518);
    BOOST_CHECK_EQUAL(in_ms(10'000), 3'000 + 1'000); // three seconds more than the CPU takes
    BOOST_CHECK_EQUAL(in_ms(10'000'000), 3'000 + 1'000'000);
    BOOST_CHECK(TimeLimits{.least = std::chrono::nanoseconds{1}}.For(SET, 10) == std::chrono::nanoseconds{1});

    LogRecord log;
    const auto slow{std::make_unique<DeviceBackend>(
        "vulkan:slow", [](Stop, std::string&) { return std::make_unique<SlowLink>(milliseconds{4}); },
        DeviceBackend::Options{.logger = log.MakeLogger()})};
    BOOST_REQUIRE(slow->WaitUntilOpened());
    BOOST_CHECK(slow->Limits().For(SET, 3) >= DeviceBackend::SLACK * milliseconds{4});
    BOOST_CHECK_GT(slow->Limits().cpu_ns, 1); // no processor hashes a block sooner
    BOOST_CHECK(slow->Limits().least == milliseconds{50});
    BOOST_CHECK_GE(DeviceBackend::SLACK, 10);
    const DeviceBackend::Options options;
    const auto on_cpu{std::make_unique<DeviceBackend>(
        "vulkan:cpu", [](Stop, std::string&) { return std::make_unique<SlowLink>(milliseconds{0}, true); },
        DeviceBackend::Options{.logger = log.MakeLogger()})};
    BOOST_REQUIRE(on_cpu->WaitUntilOpened());
    BOOST_CHECK(on_cpu->Limits().least == options.least_limit_on_cpu);
    BOOST_CHECK(options.least_limit_on_cpu > options.least_limit);
}

/** From some point on nothing can be allocated in the thread, a message neither: it ends as after any other fault. */
BOOST_AUTO_TEST_CASE(no_memory_while_opening, *boost::unit_test::precondition(slhc::test::CanForbidAllocations))
{
    LogRecord log;
    const std::vector<DeviceBackend::OpenLink> opens{
        [](Stop, std::string&) -> std::unique_ptr<DeviceLink> {
            slhc::test::ForbidAllocations();
            throw std::bad_alloc{};
        },
        [](Stop, std::string& about) {
            about = "a device that is not there, which takes some words to say";
            slhc::test::ForbidAllocations();
            return std::unique_ptr<DeviceLink>{};
        },
        [](Stop, std::string& about) {
            about = "a device that is there, which takes some words to say";
            auto link{MakeSoftwareLink()};
            slhc::test::ForbidAllocations();
            return link;
        },
    };
    for (const auto& open : opens) {
        DeviceBackend backend{"vulkan:poor", open, OptionsFor(log)};
        BOOST_CHECK(!backend.WaitUntilOpened());
        BOOST_CHECK(backend.State() == DeviceState::RETIRED);
    }
    // Wherever in opening the memory ends.
    for (size_t allowed = 0; allowed < 40; ++allowed) {
        DeviceBackend backend{"vulkan:poor", [allowed](Stop, std::string& about) {
            about = "a device that is there, which takes some words to say";
            auto link{MakeSoftwareLink()};
            slhc::test::ForbidAllocationsAfter(allowed);
            return link; }, OptionsFor(log)};
        (void)backend.WaitUntilOpened();
    }
}

/** Signals belong to the program: the thread takes none. */
BOOST_AUTO_TEST_CASE(thread_blocks_signals)
{
    LogRecord log;
    bool while_opening{false};
    DeviceBackend backend{"vulkan:signals", [&](Stop, std::string&) {
        while_opening = slhc::test::BlocksSentSignals();
        return MakeSoftwareLink(); }, OptionsFor(log)};
    BOOST_REQUIRE(backend.WaitUntilOpened());
    BOOST_CHECK(while_opening);
}

BOOST_AUTO_TEST_CASE(no_thread_to_open_it_in, *boost::unit_test::precondition(slhc::test::CanForbidThreads))
{
    BOOST_CHECK_EQUAL(InChildProcess([]() -> std::string {
        if (!slhc::test::ForbidThreads()) return "threads cannot be forbidden";
        LogRecord log;
        const DeviceBackend backend{"vulkan:threadless", [](Stop, std::string&) { return MakeSoftwareLink(); }, OptionsFor(log)};
        if (backend.State() != DeviceState::RETIRED) return "waits for its thread";
        return log.HasWarning("vulkan:threadless: no thread to open the device in") ? "unusable, and says so" : "says nothing";
    }), "unusable, and says so");
}

/** Its opening fails when nobody wants it any more. */
BOOST_AUTO_TEST_CASE(destroyed_while_opening_fails)
{
    LogRecord log;
    DriverGate gate;
    gate.Close();
    const auto open{[&](Stop, std::string& about) -> std::unique_ptr<DeviceLink> {
        gate.Pass();
        about = "no device after all";
        return nullptr;
    }};
    auto backend{std::make_unique<DeviceBackend>("vulkan:absent", open, OptionsFor(log))};
    gate.WaitUntilReached();
    std::thread destroys{[&] { backend.reset(); }};
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
    gate.Open();
    destroys.join();
    BOOST_CHECK(!log.HasWarning("")); // it is no fault
    BOOST_CHECK(log.HasLine("info: vulkan:absent: no longer needed ("));
}

BOOST_AUTO_TEST_SUITE_END()
