// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#define BOOST_TEST_MODULE block_bench_util_tests

#include <test/boost_test_main.h>

#include <bench/block_bench_util.h>
#include <bench/median.h>
#include <test/batch_fixture.h>

#include <pqc/verifier.h>
#include <util/log.h>
#include <util/threadpool.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

using namespace slhc;
using namespace slhc::bench;
using namespace slhc::slhdsa;
using namespace slhc::slhdsa::test;
using std::chrono::milliseconds;

namespace {

/** An honest CPU and a device that does as it is told, asked for by name. */
struct Setup {
    std::shared_ptr<FakeBackend> cpu{std::make_shared<FakeBackend>()}, device{std::make_shared<FakeBackend>()};
    std::unique_ptr<Verifier> verifier;

    explicit Setup(bool by_name = true)
    {
        device->is_device = true;
        verifier = std::make_unique<Verifier>(Backends{.cpu = cpu, .devices = {device}, .device_only = by_name},
                                              std::make_shared<ThreadPool>(1), std::make_shared<Logger>());
    }

    void VerifyOne() const
    {
        const SignatureCheck entry{FakeEntry(OriginAt(1), true)};
        const CheckView check{entry.View()};
        Verdict verdict{};
        BOOST_REQUIRE(verifier->VerifyMany({&check, 1}, {&verdict, 1}));
        BOOST_REQUIRE(verdict == Verdict::VALID);
    }
    void Wait(milliseconds limit = std::chrono::minutes{1}) const
    {
        WaitForDevices("vulkan", [this] { return verifier->Statistics(); }, limit);
    }
};

auto Says(const std::string& text)
{
    return [text](const std::exception& e) { return e.what() == text; };
}

} // namespace

/** What is measured after the wait is the device's work: nobody else has any. */
BOOST_AUTO_TEST_CASE(devices_are_waited_for)
{
    const Setup setup;
    setup.device->ready = false;
    int asked{0};
    setup.device->when_asked = [&] { setup.device->ready = ++asked >= 3; };
    setup.Wait();
    BOOST_CHECK_EQUAL(asked, 3);
    setup.VerifyOne();
    BOOST_CHECK_EQUAL(setup.device->jobs, 1U);
    BOOST_CHECK_EQUAL(setup.cpu->jobs, 0U);
}

BOOST_AUTO_TEST_CASE(devices_that_do_not_open)
{
    const Setup late, failed;
    late.device->ready = false;
    BOOST_CHECK_EXCEPTION(late.Wait(milliseconds{0}), NoBackend, Says("fake:device does not open in time"));
    failed.device->ready = false;
    failed.device->retired = true;
    BOOST_CHECK_EXCEPTION(failed.Wait(), NoBackend, Says("fake:device does not open"));
    // Nobody waits for what was not asked for.
    for (const char* const asked : {"auto", "cpu", "cpu:portable"}) {
        WaitForDevices(asked, [&] { return late.verifier->Statistics(); });
        RequireDevices(asked, failed.verifier->Statistics());
    }
    BOOST_CHECK_THROW((void)OpenVerifier("cpu:none", 1), NoBackend);
    BOOST_CHECK_EQUAL(OpenVerifier("cpu:portable", 1)->Statistics().at(0).name, "cpu:portable");
}

/** Verdicts stay right when a device fails, so only this tells that the CPU was measured. */
BOOST_AUTO_TEST_CASE(devices_that_fail_at_work)
{
    const Setup setup;
    setup.VerifyOne();
    RequireDevices("vulkan", setup.verifier->Statistics());
    setup.device->compute = [](auto, auto) { return BackendStatus::FAILED; };
    setup.VerifyOne();
    BOOST_CHECK_EXCEPTION(RequireDevices("vulkan", setup.verifier->Statistics()), std::runtime_error,
                          Says("fake:device failed while it was measured: the CPU did the rest of its work"));
}

BOOST_AUTO_TEST_CASE(who_does_the_work)
{
    const Setup setup;
    setup.VerifyOne();
    BOOST_CHECK_EQUAL(WorkingBackends("vulkan:0", setup.verifier->Statistics()), "fake:device");
    BOOST_CHECK_EQUAL(WorkingBackends("auto", setup.verifier->Statistics()), "fake:cpu and fake:device");
    const Setup chosen{false};
    chosen.VerifyOne();
    BOOST_CHECK_EQUAL(WorkingBackends("auto", chosen.verifier->Statistics()), "fake:cpu");
    BOOST_CHECK_EQUAL(DescribeBackends("cpu:portable"), "cpu:portable");
    BOOST_CHECK_THROW((void)DescribeBackends("cpu:none"), std::runtime_error);
}

BOOST_AUTO_TEST_CASE(child_processes)
{
    BOOST_CHECK_EQUAL(InChildProcess([] { return std::string(1'000'000, 'x'); }).size(), 1'000'000U);
    BOOST_CHECK_EXCEPTION((void)InChildProcess([]() -> std::string { throw std::logic_error{"why"}; }), std::runtime_error, Says("why"));
    BOOST_CHECK_EXCEPTION((void)InChildProcess([]() -> std::string { _exit(7); }), std::runtime_error,
                          Says("the measuring process failed"));
}

BOOST_AUTO_TEST_CASE(medians)
{
    BOOST_CHECK_EQUAL(Median({3}), 3);
    BOOST_CHECK_EQUAL(Median({9, 1, 4}), 4);
    BOOST_CHECK_EQUAL(Median({9, 1, 4, 5}), 4.5);
}
