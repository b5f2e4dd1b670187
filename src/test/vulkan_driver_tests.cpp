// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/faulty_driver.h>
#include <test/temp_dir.h>
#include <test/vulkan_fixture.h>

#include <pqc/backends.h>
#include <pqc/device/device_backend.h>
#include <pqc/vulkan/open.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

/** Faults of a driver, made by the layer in fault_layer/ between the loader and a real driver: everything above it, the shader too, is as
 *  users run it. */

using namespace slhc;
using namespace slhc::slhdsa;
using namespace slhc::slhdsa::vulkan;
using namespace slhc::slhdsa::vulkan::test;
using slhc::test::TempDir;

namespace {

bool WaitUntilOpened(const Backends& backends)
{
    return dynamic_cast<DeviceBackend&>(*backends.devices.front()).WaitUntilOpened();
}

/** A fault in a device at work: the verdicts are right all the same, and it gets no more work. */
void CheckFault(const std::string& fault, bool call_fails)
{
    FaultyDriver driver;
    std::string error;
    const auto backends{driver.Select(error)};
    BOOST_REQUIRE_MESSAGE(backends, error);
    BOOST_REQUIRE(WaitUntilOpened(*backends));
    Verifier verifier{*backends, std::make_shared<ThreadPool>(2), driver.log.MakeLogger()};
    // Valid ones first, which lie in the device's memory when their invalid successors are verified.
    const MixedChecks mixed{40};
    std::vector<Verdict> verdicts(mixed.checks.size());
    BOOST_CHECK(verifier.VerifyMany(mixed.original, verdicts));
    BOOST_CHECK(verdicts == std::vector<Verdict>(verdicts.size(), Verdict::VALID));
    BOOST_CHECK_EQUAL(verifier.Statistics().at(1).jobs, verdicts.size());

    driver.Break(fault);
    for (int i = 0; i < 2; ++i) {
        BOOST_CHECK(verifier.VerifyMany(mixed.checks, verdicts));
        BOOST_CHECK(verdicts == mixed.expected);
    }
    const BackendStatistics device{verifier.Statistics().at(1)};
    BOOST_CHECK(device.retired);
    BOOST_CHECK_EQUAL(device.calls, 2U);
    BOOST_CHECK_EQUAL(device.failed_calls, call_fails ? 1U : 0U);
    BOOST_CHECK_EQUAL(device.wrong_roots, call_fails ? 0U : mixed.checks.size());
}

std::string ReadFile(const std::filesystem::path& path)
{
    std::ifstream in{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

} // namespace

BOOST_AUTO_TEST_SUITE(vulkan_driver_tests, *boost::unit_test::precondition(HasDevice))

BOOST_AUTO_TEST_CASE(faults_at_work)
{
    for (const char* fault : {"lost", "late", "memory", "stuck"}) {
        BOOST_TEST_CONTEXT(fault) CheckFault(fault, true);
    }
    for (const char* fault : {"stale", "tail"}) {
        BOOST_TEST_CONTEXT(fault) CheckFault(fault, false);
    }
}

/** A device that failed keeps its memory while it may write to it, and no longer. */
BOOST_AUTO_TEST_CASE(failed_devices_are_freed_once_idle)
{
    const auto fail{[](const char* fault) {
        FaultyDriver driver;
        std::string error;
        auto backends{driver.Select(error)};
        BOOST_REQUIRE_MESSAGE(backends, error);
        BOOST_REQUIRE(WaitUntilOpened(*backends));
        driver.Break(fault);
        const MixedChecks mixed{3};
        std::vector<Verdict> verdicts(mixed.checks.size());
        Verifier verifier{*backends, std::make_shared<ThreadPool>(1), driver.log.MakeLogger()};
        BOOST_CHECK(verifier.VerifyMany(mixed.checks, verdicts));
        BOOST_CHECK(verdicts == mixed.expected);
        BOOST_CHECK_EQUAL(verifier.Statistics().at(1).failed_calls, 1U);
    }};
    // Work ends, and a thread lets go of its device, in their own time.
    const auto opens_alone{[](std::chrono::milliseconds limit) {
        FaultyDriver driver;
        driver.Break("one");
        const auto end{std::chrono::steady_clock::now() + limit};
        do {
            std::string error;
            const auto backends{driver.Select(error)};
            BOOST_REQUIRE_MESSAGE(backends, error);
            if (WaitUntilOpened(*backends)) return true;
        } while (std::chrono::steady_clock::now() < end);
        return false;
    }};
    for (const char* fault : {"late", "memory", "lost"}) {
        fail(fault);
        BOOST_CHECK_MESSAGE(opens_alone(Scene::PATIENCE), fault);
    }
    // An upload was accepted, and then the computation that waits for it was refused.
    {
        const FaultyDriver driver;
        std::string error;
        DeviceDescription description;
        const OpenOptions options{.cache_dir = {}, .capacity = 1, .as_gpu = true, .on_validation_message = {}};
        const auto link{OpenDevice(DeviceToTest(), options, description, error)};
        BOOST_REQUIRE_MESSAGE(link, error);
        driver.Break("second");
        BOOST_CHECK(link->Submit(0, ParameterSet::SHA2_128S, 1) == LinkStatus::OUT_OF_MEMORY);
        link->Abandon();
    }
    BOOST_CHECK_MESSAGE(opens_alone(std::chrono::seconds{10}), "second");
    fail("never");
    BOOST_CHECK(!opens_alone(std::chrono::milliseconds{300}));
}

/** A driver that does not return from listing its devices is reported in time. */
BOOST_AUTO_TEST_CASE(driver_does_not_list_devices)
{
    FaultyDriver driver;
    driver.Break("list");
    constexpr std::chrono::milliseconds LIMIT{100};
    std::string error;
    BOOST_CHECK(!driver.Select(error, {}, LIMIT));
    BOOST_CHECK_MESSAGE(error.starts_with("vulkan: ") && error.find("does not return") != std::string::npos, error);
    const auto infos{ListBackends(LIMIT)};
    BOOST_REQUIRE(!infos.empty());
    BOOST_CHECK_EQUAL(infos.back().name, "vulkan");
    BOOST_CHECK(!infos.back().available && infos.back().description.find("does not return") != std::string::npos);
    driver.Mend();
    BOOST_CHECK_MESSAGE(driver.Select(error), error);
}

/** The compiled code of an earlier run is refused, and compiled again. */
BOOST_AUTO_TEST_CASE(refused_pipeline_cache)
{
    const TempDir dir;
    FaultyDriver driver;
    const auto works{[&] {
        std::string error;
        const auto backends{driver.Select(error, dir.Path())};
        BOOST_REQUIRE_MESSAGE(backends, error);
        return WaitUntilOpened(*backends);
    }};
    BOOST_REQUIRE(works());
    std::vector<std::filesystem::path> files;
    for (const auto& file : std::filesystem::directory_iterator{dir.Path()}) files.push_back(file.path());
    BOOST_REQUIRE_EQUAL(files.size(), 1U);
    driver.Break("blob");
    BOOST_CHECK(works());
    BOOST_CHECK(driver.HasRefused());
    BOOST_CHECK(!ReadFile(files[0]).empty()); // and kept, if it is new
}

/** A device that is wrong from the start may be so because of code that an earlier run compiled: the next run compiles anew. */
BOOST_AUTO_TEST_CASE(wrong_at_start)
{
    const TempDir dir;
    FaultyDriver driver;
    driver.Break("stale");
    std::string error;
    const auto backends{driver.Select(error, dir.Path())};
    BOOST_REQUIRE_MESSAGE(backends, error);
    BOOST_CHECK(!WaitUntilOpened(*backends));
    BOOST_CHECK(driver.log.HasWarning("its known answers are wrong"));
    BOOST_CHECK(std::filesystem::is_empty(dir.Path()));
}

BOOST_AUTO_TEST_SUITE_END()
