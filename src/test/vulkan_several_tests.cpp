// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/child_process.h>
#include <test/device_fixture.h>
#include <test/forbid_threads.h>
#include <test/saved_variable.h>
#include <test/temp_dir.h>

#include <pqc/backends.h>
#include <pqc/device/device_backend.h>
#include <pqc/device/devices.h>
#include <pqc/device/process_link.h>
#include <pqc/verifier.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

/** vulkan:all, on drivers as they are: the loader is told of each driver twice, so that a machine with one device has two. */

using namespace slhc;
using namespace slhc::slhdsa;
using namespace slhc::slhdsa::test;
using slhc::test::CanForbidThreads;
using slhc::test::ForbidThreads;
using slhc::test::InChildProcess;
using slhc::test::SavedVariable;
using slhc::test::TempDir;

namespace {

/** While it lives, each driver of the system is there twice. */
class EachDriverTwice
{
public:
    EachDriverTwice() = default;

private:
    /** Copies of the manifests that name drivers: the loader takes one that it sees twice only once. */
    static std::string Manifests(const std::string& dir)
    {
        std::string all;
        for (const char* folder : {"/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d"}) {
            std::error_code ignored;
            for (const auto& file : std::filesystem::directory_iterator{folder, ignored}) {
                if (file.path().extension() != ".json") continue;
                for (const char* copy : {"1-", "2-"}) {
                    const std::string path{dir + "/" + copy + file.path().filename().string()};
                    if (std::filesystem::copy_file(file.path(), path, ignored)) all += (all.empty() ? "" : ":") + path;
                }
            }
        }
        return all;
    }

    const TempDir m_dir;
    const std::string m_manifests{Manifests(m_dir.Path())};
    // Newer loaders heed the second more than the first.
    const SavedVariable m_icd{"VK_ICD_FILENAMES", m_manifests.c_str()};
    const SavedVariable m_drivers{"VK_DRIVER_FILES", m_manifests.c_str()};
};

boost::test_tools::assertion_result HasTwoDevices(boost::unit_test::test_unit_id)
{
    const EachDriverTwice twice;
    std::string error;
    bool is_fault{false};
    boost::test_tools::assertion_result result{ListDeviceBackends({.logger = std::make_shared<Logger>()}, error, is_fault).size() >= 2};
    result.message() << "there are fewer than two Vulkan devices: " << error;
    return result;
}

DeviceBackend& AsDevice(const std::shared_ptr<RootBackend>& backend) { return dynamic_cast<DeviceBackend&>(*backend); }

} // namespace

BOOST_AUTO_TEST_SUITE(vulkan_several_tests, *boost::unit_test::precondition(HasTwoDevices))

/** From the name to the verdicts, of batches that are shared out. */
BOOST_AUTO_TEST_CASE(all_devices)
{
    const EachDriverTwice twice;
    std::string error;
    const auto pool{std::make_shared<ThreadPool>(2)};
    const auto backends{
        SelectBackends("vulkan:all", {.logger = std::make_shared<Logger>(), .cache_dir = {}, .pool = pool}, error)};
    BOOST_REQUIRE_MESSAGE(backends, error);
    BOOST_CHECK(backends->device_only);

    // All that are listed, but no CPU beside a GPU.
    std::vector<std::string> expected;
    const std::vector<DeviceDescription> listed{ListDevices({})};
    const bool has_gpu{std::ranges::any_of(listed, [](const auto& device) { return device.type != "cpu"; })};
    for (const DeviceDescription& device : listed) {
        if (!has_gpu || device.type != "cpu") expected.push_back("vulkan:" + std::to_string(device.index));
    }
    std::vector<std::string> names;
    for (const auto& device : backends->devices) names.emplace_back(device->Name());
    BOOST_CHECK_EQUAL_COLLECTIONS(names.begin(), names.end(), expected.begin(), expected.end());

    for (const auto& device : backends->devices) BOOST_REQUIRE(AsDevice(device).WaitUntilOpened());
    Verifier verifier{*backends, pool, std::make_shared<Logger>()};
    uint64_t in_all{0};
    // The last batch is so large that each device gets a part, whatever kept the machine busy when they were measured.
    for (const size_t n : {1, 2, 3, 50, 1003}) {
        const MixedChecks mixed{n};
        std::vector<Verdict> verdicts(n);
        BOOST_CHECK(verifier.VerifyMany(mixed.checks, verdicts));
        BOOST_CHECK_MESSAGE(verdicts == mixed.expected, n << " checks");
        in_all += n;
    }
    uint64_t jobs{0};
    const std::vector<BackendStatistics> statistics{verifier.Statistics()};
    for (size_t i = 1; i < statistics.size(); ++i) {
        const BackendStatistics& device{statistics[i]};
        BOOST_TEST_MESSAGE(device.name << ": " << device.jobs << " of " << in_all);
        BOOST_CHECK(device.jobs > 0 && !device.retired);
        BOOST_CHECK_EQUAL(device.wrong_roots, 0U);
        jobs += device.jobs;
    }
    BOOST_CHECK_EQUAL(jobs, in_all);
}

/** Opening a device takes a thread. A device that nobody named needs none before there is a batch for it. */
BOOST_AUTO_TEST_CASE(unnamed_devices_wait, *boost::unit_test::precondition(CanForbidThreads))
{
    BOOST_CHECK_EQUAL(InChildProcess([]() -> std::string {
        if (!ForbidThreads()) return "threads cannot be forbidden";
        std::string error;
        const auto backends{SelectBackends("auto", {.logger = std::make_shared<Logger>(), .cache_dir = {}}, error)};
        if (!backends || backends->devices.size() != 1) return "there is no device: " + error;
        return (backends->devices[0]->State() == DeviceState::RETIRED) ? "opened at once" : "waits";
    }), "waits");
}

BOOST_AUTO_TEST_SUITE_END()
