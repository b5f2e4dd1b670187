// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/child_process.h>
#include <test/engine_fixture.h>
#include <test/faulty_driver.h>
#include <test/preconditions.h>
#include <test/random_source.h>
#include <test/saved_variable.h>
#include <test/temp_dir.h>
#include <test/vulkan_fixture.h>

#include <pqc/backends.h>
#include <pqc/device/root_computer.h>
#include <pqc/judge.h>
#include <pqc/vulkan/family.h>
#include <pqc/vulkan/open.h>

#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace slhc;
using namespace slhc::slhdsa;
using namespace slhc::slhdsa::vulkan;
using namespace slhc::slhdsa::vulkan::test;
using slhc::slhdsa::test::EveryDigest;
using slhc::slhdsa::test::RandomJobs;
using slhc::slhdsa::test::RootsOf;
using slhc::test::SavedVariable;
using slhc::test::TempDir;

namespace {

/** True if the Khronos validation layer is installed. */
boost::test_tools::assertion_result HasValidationLayer(boost::unit_test::test_unit_id)
{
    static const bool installed{[] {
        std::string error;
        DeviceDescription description;
        return OpenDevice(DeviceToTest(),
                          {.cache_dir = {}, .capacity = 1, .as_gpu = false, .on_validation_message = [](const std::string&) {}},
                          description, error) != nullptr;
    }()};
    boost::test_tools::assertion_result result{installed};
    result.message() << "there is no validation layer (Debian: vulkan-validationlayers)";
    return result;
}

constexpr ParameterSet SET{ParameterSet::SHA2_128S};

/** A device with the Khronos validation layer, if installed: each of its messages fails the test. */
class ValidatedDevice
{
public:
    explicit ValidatedDevice(size_t capacity, const std::string& cache_dir = {}, bool as_gpu = false)
    {
        OpenOptions options{.cache_dir = cache_dir, .capacity = capacity, .as_gpu = as_gpu, .on_validation_message = {}};
        if (HasValidationLayer({})) {
            options.on_validation_message = [](const std::string& message) { BOOST_ERROR("validation: " << message); };
        }
        std::string error;
        link = OpenDevice(DeviceToTest(), options, description, error);
        BOOST_REQUIRE_MESSAGE(link, error);
    }
    std::unique_ptr<DeviceLink> link;
    DeviceDescription description;
};

std::unique_ptr<DeviceLink> MakeRealLink()
{
    DeviceDescription description;
    std::string error;
    auto link{
        OpenDevice(DeviceToTest(), {.cache_dir = {}, .capacity = 7, .as_gpu = false, .on_validation_message = {}}, description, error)};
    BOOST_REQUIRE_MESSAGE(link, error);
    return link;
}

/** The files that are loaded as code. */
std::set<std::string> LoadedObjects()
{
    std::set<std::string> names;
    const auto add{[](dl_phdr_info* info, size_t, void* data) {
        static_cast<std::set<std::string>*>(data)->insert(info->dlpi_name);
        return 0;
    }};
    (void)dl_iterate_phdr(add, &names);
    return names;
}

} // namespace

BOOST_AUTO_TEST_SUITE(vulkan_tests, *boost::unit_test::precondition(HasDevice))

/** A driver stays loaded when its device is closed: some cannot be loaded many times. */
BOOST_AUTO_TEST_CASE(drivers_stay_loaded)
{
    std::set<std::string> while_open;
    {
        const auto link{MakeRealLink()};
        while_open = LoadedObjects();
    }
    const std::set<std::string> after{LoadedObjects()};
    for (const std::string& name : while_open) BOOST_CHECK_MESSAGE(after.contains(name), name << " was unloaded");
}

/** A child inherits the drivers that its parent has used, and opens the device again. */
BOOST_AUTO_TEST_CASE(forked_child_opens_again, *boost::unit_test::precondition(slhc::test::CanFollowForks))
{
    std::mt19937_64 random{slhc::test::Seed(3)};
    const RandomJobs all{3, random};
    const auto expected{RootsOf(*CreatePortableEngine(), all.jobs)};
    (void)MakeRealLink();
    BOOST_CHECK_EQUAL(slhc::test::InChildProcess([&]() -> std::string {
                          DeviceDescription description;
                          std::string error;
                          auto link{OpenDevice(DeviceToTest(), {}, description, error)};
                          if (!link) return error;
                          std::vector<Root> roots(all.jobs.size());
                          const LinkStatus status{RootComputer{std::move(link), NO_HURRY}.Compute(all.jobs, roots)};
                          return status != LinkStatus::OK ? std::string{LinkStatusName(status)} : roots == expected ? "right" : "wrong";
                      }),
                      "right");
}

/** Every count up to two past the second chunk, on one device in a row: shows an index that is right in the first chunk and wrong in the
 *  next, and anything that a dispatch leaves behind for the next one. */
BOOST_AUTO_TEST_CASE(chunk_edges)
{
    std::mt19937_64 random{slhc::test::Seed(4)};
    const RandomJobs all{44, random};
    const auto expected{RootsOf(*CreatePortableEngine(), all.jobs)};
    for (const auto& [capacity, as_gpu] : std::vector<std::pair<size_t, bool>>{{1, false}, {21, false}, {21, true}}) {
        RootComputer verifier{ValidatedDevice{capacity, {}, as_gpu}.link, NO_HURRY};
        for (size_t n = 0; n <= all.jobs.size(); ++n) {
            std::vector<Root> roots(n);
            BOOST_REQUIRE(verifier.Compute(std::span{all.jobs}.first(n), roots) == LinkStatus::OK);
            BOOST_CHECK_MESSAGE(std::equal(roots.begin(), roots.end(), expected.begin()),
                                n << " jobs, capacity " << capacity << (as_gpu ? ", as a GPU" : ""));
        }
    }
}

/** Chunks that are filled and uploaded while others are computed, on one device in a row. */
BOOST_AUTO_TEST_CASE(chunks_overlap)
{
    const MixedChecks mixed{64};
    std::vector<RootJob> jobs;
    for (const CheckView& check : mixed.checks) jobs.push_back(PrepareRootJob(check));
    const auto expected{RootsOf(*CreatePortableEngine(), jobs)};
    ThreadPool pool{2};
    for (const bool as_gpu : {false, true}) {
        RootComputer verifier{ValidatedDevice{7, {}, as_gpu}.link, NO_HURRY}; // ten chunks for a few slots
        for (uint64_t call = 1; call <= 3; ++call) {
            std::vector<Root> roots(jobs.size());
            BOOST_REQUIRE(verifier.Compute(jobs, roots, &pool) == LinkStatus::OK);
            BOOST_CHECK(roots == expected);
            BOOST_CHECK_EQUAL(verifier.Counts().chunks, 10 * call);
            BOOST_CHECK_EQUAL(verifier.Counts().overlapping, 9 * call);
        }
    }
}

/** Full workgroups, the last one with fewer signatures, laid out as on this device and as on a GPU; and there with a few, and in two
 *  chunks. */
BOOST_AUTO_TEST_CASE(full_workgroups)
{
    std::mt19937_64 random{slhc::test::Seed(8)};
    for (const bool as_gpu : {false, true}) {
        RootComputer verifier{ValidatedDevice{0, {}, as_gpu}.link, NO_HURRY};
        BOOST_REQUIRE_LE(verifier.FullLayout(SET), verifier.Capacity(SET));
        std::vector<size_t> sizes{verifier.FullLayout(SET)};
        if (as_gpu) sizes.insert(sizes.end(), {700, 2500, verifier.Capacity(SET) + 1});
        const RandomJobs all{*std::ranges::max_element(sizes), random};
        const auto expected{RootsOf(*CreatePortableEngine(), all.jobs)};
        for (const size_t n : sizes) {
            std::vector<Root> roots(n);
            BOOST_REQUIRE(verifier.Compute(std::span{all.jobs}.first(n), roots) == LinkStatus::OK);
            BOOST_CHECK_MESSAGE(std::equal(roots.begin(), roots.end(), expected.begin()), n << " jobs" << (as_gpu ? ", as a GPU" : ""));
        }
    }
}

/** Every parameter set on one device in turn; tiny ones with every digest. */
BOOST_AUTO_TEST_CASE(every_set)
{
    std::mt19937_64 random{slhc::test::Seed(25)};
    for (const bool as_gpu : {false, true}) {
        ValidatedDevice device{300, {}, as_gpu};
        const std::shared_ptr<DeviceLink> link{std::move(device.link)};
        RootComputer computer{link, NO_HURRY};
        for (const ParameterSetEntry& entry : PARAMETER_SETS) {
            BOOST_TEST_CONTEXT("set " << entry.name << (as_gpu ? ", as a GPU" : ""))
            {
                BOOST_REQUIRE(link->Prepare(entry.set) == LinkStatus::OK);
                const RandomJobs all{IsForTests(entry.set) ? EveryDigest(entry, random) : RandomJobs{67, random, entry.set}};
                const auto expected{RootsOf(*CreatePortableEngine(), all.jobs)};
                for (const size_t n : {size_t{1}, size_t{2}, all.jobs.size()}) {
                    std::vector<Root> roots(n);
                    BOOST_REQUIRE(computer.Compute(std::span{all.jobs}.first(n), roots) == LinkStatus::OK);
                    BOOST_CHECK_MESSAGE(std::equal(roots.begin(), roots.end(), expected.begin()), n << " jobs");
                }
            }
        }
    }
}

/** Chains of every length at once, none at all, and all of the longest: messages of one repeated byte. */
BOOST_AUTO_TEST_CASE(extreme_jobs)
{
    std::mt19937_64 random{slhc::test::Seed(5)};
    RandomJobs all{40, random};
    for (size_t i = 0; i < all.jobs.size(); ++i) {
        if (i % 4 == 0) std::ranges::fill(all.signatures[i], static_cast<uint8_t>(i));
        if (i % 4 == 1) all.jobs[i].md.fill(static_cast<uint8_t>(i % 8 == 1 ? 0x00 : 0xff));
        if (i % 4 == 2) all.jobs[i].idx_tree = uint64_t{1} << (i % 54);
    }
    for (const bool as_gpu : {false, true}) {
        RootComputer verifier{ValidatedDevice{0, {}, as_gpu}.link, NO_HURRY};
        std::vector<Root> roots(all.jobs.size());
        BOOST_REQUIRE(verifier.Compute(all.jobs, roots) == LinkStatus::OK);
        BOOST_CHECK(roots == RootsOf(*CreatePortableEngine(), all.jobs));
    }
}

/** From the name to the verdict. */
BOOST_AUTO_TEST_CASE(verdicts)
{
    const TempDir dir;
    std::string error;
    const auto backends{SelectBackends("vulkan" + (DeviceToTest().empty() ? "" : ":" + DeviceToTest()),
                                       {.logger = std::make_shared<Logger>(), .cache_dir = dir.Path()}, error)};
    BOOST_REQUIRE_MESSAGE(backends, error);
    BOOST_CHECK(backends->device_only);
    BOOST_REQUIRE(std::dynamic_pointer_cast<DeviceBackend>(backends->devices.front())->WaitUntilOpened());
    Verifier verifier{*backends, std::make_shared<ThreadPool>(2), std::make_shared<Logger>()};
    for (const size_t n : {0, 1, 2, 16, 17, 100}) {
        const MixedChecks mixed{n};
        std::vector<Verdict> found(n);
        BOOST_CHECK(verifier.VerifyMany(mixed.checks, found));
        BOOST_CHECK_MESSAGE(found == mixed.expected, n << " checks");
    }
    const BackendStatistics device{verifier.Statistics().at(1)};
    BOOST_CHECK_EQUAL(device.jobs, 136U);
    BOOST_CHECK_EQUAL(device.wrong_roots, 0U);
    BOOST_CHECK(device.ready && !device.retired);
}

/** A batch that the CPU and the device share, by an explicit choice and by their paces. */
BOOST_AUTO_TEST_CASE(split_with_the_cpu)
{
    std::string error;
    auto backends{SelectBackends("vulkan" + (DeviceToTest().empty() ? "" : ":" + DeviceToTest()),
                                 {.logger = std::make_shared<Logger>(), .cache_dir = {}}, error)};
    BOOST_REQUIRE_MESSAGE(backends, error);
    BOOST_REQUIRE(std::dynamic_pointer_cast<DeviceBackend>(backends->devices.front())->WaitUntilOpened());
    backends->device_only = false;
    const auto pool{std::make_shared<ThreadPool>(2)};
    const auto logger{std::make_shared<const Logger>()};
    const MixedChecks mixed{150};
    for (const Verifier::DeviceShare& share :
         {Verifier::DeviceShare{[](size_t n) { return n / 3; }}, Verifier::DeviceShare{[](size_t n) { return n - 1; }},
          Verifier::DeviceShare{}}) {
        Verifier verifier{*backends, pool, logger, share};
        std::vector<Verdict> found(mixed.checks.size());
        for (int round{0}; round < 3; ++round) { // without a share, the first one measures the CPU
            BOOST_CHECK(verifier.VerifyMany(mixed.checks, found));
            BOOST_CHECK(found == mixed.expected);
            if (share) BOOST_CHECK_EQUAL(verifier.Statistics().at(1).jobs, (1 + round) * share(mixed.checks.size()));
        }
        BOOST_CHECK_EQUAL(verifier.Statistics().at(1).wrong_roots, 0U);
    }
}

BOOST_AUTO_TEST_CASE(faults_at_work)
{
    for (const Fault fault : {Fault::ALL_ROOTS_WRONG, Fault::PREVIOUS_RESULTS, Fault::STALE_INPUT, Fault::STALE_HEAD, Fault::STALE_TAIL,
                              Fault::STALE_BUT_MASK, Fault::LOST_ON_WAIT}) {
        BOOST_TEST_CONTEXT(FaultName(fault)) CheckFaultAtWork(fault, MakeRealLink);
    }
}

BOOST_AUTO_TEST_CASE(choice)
{
    std::string error{"what was wrong before"};
    const std::vector<DeviceDescription> devices{ListDevices(error)};
    BOOST_CHECK_EQUAL(error, "");
    DeviceDescription found;
    for (const DeviceDescription& device : devices) {
        BOOST_CHECK(FindDevice(std::to_string(device.index), found, error) && found.index == device.index);
        BOOST_CHECK(FindDevice(device.name, found, error) && found.name == device.name);
        BOOST_CHECK_MESSAGE(device.driver.starts_with("Vulkan 1."), device.driver);
        const bool named{!device.name.starts_with("llvmpipe") || device.driver.find(", llvmpipe, Mesa ") != std::string::npos};
        BOOST_CHECK_MESSAGE(named, device.driver);
        // Numbers in a name: long ones are found, unless there are so many devices, and neither short ones nor parts of them
        constexpr const char* DIGITS{"0123456789"};
        for (size_t begin{device.name.find_first_of(DIGITS)}; begin != std::string::npos;) {
            const size_t end{std::min(device.name.find_first_not_of(DIGITS, begin), device.name.size())};
            const std::string number{device.name.substr(begin, end - begin)};
            BOOST_TEST_CONTEXT(number)
            {
                const bool is_found{FindDevice(number, found, error)};
                if (std::stoul(number) >= devices.size()) BOOST_CHECK_EQUAL(is_found, number.size() >= 3);
                if (number.size() >= 4) BOOST_CHECK(!FindDevice(number.substr(1), found, error));
            }
            begin = device.name.find_first_of(DIGITS, end);
        }
    }
    BOOST_CHECK(FindDevice("", found, error));
    const bool only_cpu{std::all_of(devices.begin(), devices.end(), [](const auto& d) { return d.type == "cpu"; })};
    BOOST_CHECK_EQUAL(FindDevice("auto", found, error), !only_cpu);
    for (const char* which : {"999", "no such name", "-1", "0x0", "99999999999999999999"}) {
        BOOST_CHECK(!FindDevice(which, found, error));
        BOOST_CHECK_MESSAGE(error.find(which) != std::string::npos && error.find('\n') == std::string::npos, error);
    }
    BOOST_CHECK(!SelectBackends("vulkan:999", {.logger = std::make_shared<Logger>(), .cache_dir = {}}, error));
    BOOST_CHECK_MESSAGE(error.starts_with("vulkan: ") && error.find("999") != std::string::npos, error);
}

/** Whatever the content of the pipeline cache's file, or its place, the device works. */
BOOST_AUTO_TEST_CASE(pipeline_cache)
{
    const TempDir dir;
    std::mt19937_64 random{slhc::test::Seed(6)};
    const RandomJobs all{3, random};
    const auto expected{RootsOf(*CreatePortableEngine(), all.jobs)};
    const auto works{[&](const std::string& cache_dir) {
        RootComputer verifier{ValidatedDevice{0, cache_dir}.link, NO_HURRY};
        std::vector<Root> roots(all.jobs.size());
        return verifier.Compute(all.jobs, roots) == LinkStatus::OK && roots == expected;
    }};
    BOOST_CHECK(works(dir.Path()));
    std::vector<std::filesystem::path> files;
    for (const auto& file : std::filesystem::directory_iterator{dir.Path()}) files.push_back(file.path());
    BOOST_REQUIRE_EQUAL(files.size(), 1U);
    BOOST_CHECK(std::filesystem::status(files[0]).permissions() ==
                (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));

    std::ifstream in{files[0], std::ios::binary};
    const std::string good{std::istreambuf_iterator<char>{in}, {}};
    const auto yesterday{std::filesystem::last_write_time(files[0]) - std::chrono::hours{24}};
    std::filesystem::last_write_time(files[0], yesterday);
    BOOST_CHECK(works(dir.Path())); // from the file
    BOOST_CHECK(std::filesystem::last_write_time(files[0]) == yesterday); // which is not written again
    for (const std::string& bad :
         {std::string{}, good.substr(0, good.size() / 2), std::string(good.size(), '\xff'), good + good, "foreign" + good}) {
        std::ofstream{files[0], std::ios::binary | std::ios::trunc} << bad;
        BOOST_CHECK(works(dir.Path()));
        std::ifstream again{files[0], std::ios::binary};
        BOOST_CHECK((std::string{std::istreambuf_iterator<char>{again}, {}}) == good); // and is whole again
    }
    BOOST_CHECK(works(dir.Path() + "/not/there"));
    BOOST_CHECK(works(files[0].string())); // not a directory
}

/** The driver is there when its device is listed, and gone when it is to be opened. */
BOOST_AUTO_TEST_CASE(driver_disappears)
{
    // Newer loaders heed the second more than the first.
    const SavedVariable icd{"VK_ICD_FILENAMES", "/nonexistent/icd.json"};
    const SavedVariable driver{"VK_DRIVER_FILES", "/nonexistent/icd.json"};
    std::string error;
    DeviceDescription description;
    BOOST_CHECK(!OpenDevice("", {}, description, error));
    constexpr std::string_view WHY{"vulkan: no Vulkan driver is installed"};
    BOOST_CHECK_EQUAL(error, WHY);
    BOOST_CHECK(ListDevices(error).empty());
    BOOST_CHECK_EQUAL(error, WHY);
    std::string fault{"of an earlier call"};
    BOOST_CHECK(ListVulkanDevices(LISTING_LIMIT, fault).empty());
    BOOST_CHECK_EQUAL(fault, ""); // a loader alone is no fault
    LogRecord log;
    DeviceBackend backend{"vulkan:0", [](std::string& about) {
        DeviceDescription ignored;
        return OpenDevice("0", {}, ignored, about); }, {.logger = log.MakeLogger()}};
    BOOST_CHECK(!backend.WaitUntilOpened());
    BOOST_CHECK(!backend.IsReady());
}

BOOST_AUTO_TEST_SUITE_END()

/** Apart, so that ctest says by name where nothing was validated. */
BOOST_AUTO_TEST_SUITE(vulkan_validation_tests,
                      *boost::unit_test::precondition(HasDevice) * boost::unit_test::precondition(HasValidationLayer))

BOOST_AUTO_TEST_CASE(from_start_to_end)
{
    std::mt19937_64 random{slhc::test::Seed(9)};
    const RandomJobs all{5, random};
    for (const bool as_gpu : {false, true}) {
        ValidatedDevice device{2, {}, as_gpu};
        BOOST_CHECK_EQUAL(device.link->OnCpu(), device.description.type == "cpu");
        RootComputer verifier{std::move(device.link), NO_HURRY};
        std::vector<Root> roots(all.jobs.size());
        BOOST_REQUIRE(verifier.Compute(all.jobs, roots) == LinkStatus::OK);
        BOOST_CHECK(roots == RootsOf(*CreatePortableEngine(), all.jobs));
    }
}

/** A device that is released while it works is waited for, and nothing that it uses is freed before. */
BOOST_AUTO_TEST_CASE(let_go_at_work)
{
    for (const bool as_gpu : {false, true}) {
        const ValidatedDevice device{64, {}, as_gpu};
        BOOST_CHECK(device.link->Submit(0, SET, device.link->Capacity(SET)) == LinkStatus::OK);
    }
}

/** Silence elsewhere means something: mistakes are reported, and so are unordered accesses. */
BOOST_AUTO_TEST_CASE(mistakes_are_reported)
{
    for (const auto& mistake : {std::pair{"fence", "VUID-vkQueueSubmit-fence"}, {"twice", "SYNC-HAZARD-WRITE-AFTER-WRITE"}}) {
        BOOST_TEST_CONTEXT(mistake.first)
        {
            const FaultyDriver driver;
            std::vector<std::string> messages;
            const auto keep{[&](const std::string& message) { messages.push_back(message); }};
            std::string error;
            DeviceDescription description;
            const OpenOptions options{.cache_dir = {}, .capacity = 1, .as_gpu = true, .on_validation_message = keep};
            const auto link{OpenDevice(DeviceToTest(), options, description, error)};
            BOOST_REQUIRE_MESSAGE(link, error);
            driver.Break(mistake.first);
            BOOST_CHECK(messages.empty());
            BOOST_CHECK(link->Submit(0, SET, 1) == LinkStatus::OK);
            BOOST_CHECK(link->Wait(0, Scene::PATIENCE) == LinkStatus::OK);
            const auto is_expected{[&](const std::string& message) { return message.find(mistake.second) != std::string::npos; }};
            BOOST_CHECK(std::ranges::any_of(messages, is_expected));
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
