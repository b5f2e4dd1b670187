// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/device_fixture.h>
#include <test/engine_fixture.h>
#include <test/preconditions.h>
#include <test/random_source.h>
#include <test/saved_variable.h>
#include <test/temp_dir.h>

#include <pqc/backends.h>
#include <pqc/device/devices.h>
#include <pqc/device/process_link.h>
#include <pqc/device/root_computer.h>
#include <pqc/judge.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <signal.h>

using namespace slhc;
using namespace slhc::slhdsa;
using namespace slhc::slhdsa::test;
using slhc::slhdsa::test::EveryDigest;
using slhc::test::SavedVariable;
using slhc::test::TempDir;

namespace {

/** True if the Khronos validation layer is installed. */
boost::test_tools::assertion_result HasValidationLayer(boost::unit_test::test_unit_id)
{
    static const bool installed{[] {
        try {
            DeviceDescription description;
            const ProcessOptions options{.capacity = 1, .on_validation_message = [](const std::string&) {}};
            return OpenDevice(DeviceToTest(), options, {}, description) != nullptr;
        } catch (const std::exception&) {
            return false;
        }
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
    explicit ValidatedDevice(size_t capacity, const std::string& cache_dir = {}, uint32_t flags = 0)
    {
        ProcessOptions options{.cache_dir = cache_dir, .capacity = capacity, .flags = flags};
        if (HasValidationLayer({})) {
            options.on_validation_message = [](const std::string& message) { BOOST_ERROR("validation: " << message); };
        }
        link = OpenDevice(DeviceToTest(), options, {}, description);
    }
    std::unique_ptr<DeviceLink> link;
    DeviceDescription description;
};

std::unique_ptr<DeviceLink> MakeRealLink()
{
    DeviceDescription description;
    return OpenDevice(DeviceToTest(), {.capacity = 7}, {}, description);
}

/** The ways in which a device gets entries: where it reads them, copied by the device, and the same without use of the shared memory. */
constexpr std::array WAYS{uint32_t{0}, DeviceRequest::AS_GPU, DeviceRequest::NO_IMPORT, DeviceRequest::AS_GPU | DeviceRequest::NO_IMPORT};

} // namespace

BOOST_AUTO_TEST_SUITE(vulkan_tests, *boost::unit_test::precondition(HasDevice))

/** Every count up to two past the second chunk, on one device in a row: shows an index that is right in the first chunk and wrong in the
 *  next, and anything that a dispatch leaves behind for the next one. */
BOOST_AUTO_TEST_CASE(chunk_edges)
{
    std::mt19937_64 random{slhc::test::Seed(4)};
    const RandomJobs all{44, random};
    const auto expected{RootsOf(*CreatePortableEngine(), all.jobs)};
    for (const auto& [capacity, way] :
         std::vector<std::pair<size_t, uint32_t>>{{1, 0}, {21, WAYS[0]}, {21, WAYS[1]}, {21, WAYS[2]}, {21, WAYS[3]}}) {
        RootComputer verifier{ValidatedDevice{capacity, {}, way}.link, NO_HURRY};
        for (size_t n = 0; n <= all.jobs.size(); ++n) {
            std::vector<Root> roots(n);
            BOOST_REQUIRE(verifier.Compute(std::span{all.jobs}.first(n), roots) == LinkStatus::OK);
            BOOST_CHECK_MESSAGE(std::equal(roots.begin(), roots.end(), expected.begin()),
                                n << " jobs, capacity " << capacity << ", flags " << way);
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
    for (const uint32_t way : WAYS) {
        RootComputer verifier{ValidatedDevice{7, {}, way}.link, NO_HURRY}; // ten chunks for a few slots
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
        RootComputer verifier{ValidatedDevice{0, {}, as_gpu ? DeviceRequest::AS_GPU : 0}.link, NO_HURRY};
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
        ValidatedDevice device{300, {}, as_gpu ? DeviceRequest::AS_GPU : 0};
        const std::shared_ptr<DeviceLink> link{std::move(device.link)};
        RootComputer computer{link, NO_HURRY};
        for (const ParameterSetEntry& entry : PARAMETER_SETS) {
            BOOST_TEST_CONTEXT("set " << entry.name << (as_gpu ? ", as a GPU" : ""))
            {
                BOOST_REQUIRE(link->StartPreparing(entry.set) == LinkStatus::OK);
                BOOST_REQUIRE(link->Prepare(entry.set, NO_HURRY.least) == LinkStatus::OK);
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
        RootComputer verifier{ValidatedDevice{0, {}, as_gpu ? DeviceRequest::AS_GPU : 0}.link, NO_HURRY};
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
    const std::vector<DeviceDescription> devices{ListDevices({})};
    std::string error;
    DeviceDescription found;
    const auto find{[&](std::string_view which) {
        try {
            found = ChooseDevice(devices, which);
            return true;
        } catch (const NoDevices& e) {
            error = e.what();
            return false;
        }
    }};
    for (const DeviceDescription& device : devices) {
        BOOST_CHECK(find(std::to_string(device.index)) && found.index == device.index);
        BOOST_CHECK(find(device.name) && found.name == device.name);
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
                const bool is_found{find(number)};
                if (std::stoul(number) >= devices.size()) BOOST_CHECK_EQUAL(is_found, number.size() >= 3);
                if (number.size() >= 4) BOOST_CHECK(!find(number.substr(1)));
            }
            begin = device.name.find_first_of(DIGITS, end);
        }
    }
    BOOST_CHECK(find(""));
    const bool only_cpu{std::all_of(devices.begin(), devices.end(), [](const auto& d) { return d.type == "cpu"; })};
    BOOST_CHECK_EQUAL(find("auto"), !only_cpu);
    for (const char* which : {"999", "no such name", "-1", "0x0", "99999999999999999999"}) {
        BOOST_CHECK(!find(which));
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

/** The process is killed, crashes or stops, before a batch or in the middle of it: every verdict is right, and the next process works. */
BOOST_AUTO_TEST_CASE(signals)
{
    const MixedChecks mixed{300};
    const auto pool{std::make_shared<ThreadPool>(2)};
    for (const int signal : {SIGKILL, SIGSEGV, SIGSTOP}) {
        LogRecord log;
        const auto backend{std::make_shared<DeviceBackend>(
            "vulkan:struck",
            [](Stop, std::string&) { return ValidatedDevice{0}.link; },
            DeviceBackend::Options{.logger = log.MakeLogger(), .pool = pool, .least_limit_on_cpu = std::chrono::seconds{2}})};
        Verifier verifier{{.cpu = CpuEngines().Best().Create(), .devices = {backend}, .device_only = true}, pool, log.MakeLogger()};
        const auto verify{[&] {
            BOOST_REQUIRE(backend->WaitUntilOpened());
            std::vector<Verdict> verdicts(mixed.checks.size());
            const auto start{std::chrono::steady_clock::now()};
            BOOST_CHECK(verifier.VerifyMany(mixed.checks, verdicts));
            BOOST_CHECK(verdicts == mixed.expected);
            return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start).count();
        }};
        std::set<int64_t> processes;
        const auto strike{[&] { // a sanitizer takes its time to end a program
            const int64_t id{backend->Process().id};
            processes.insert(id);
            return id > 0 && kill(static_cast<pid_t>(id), signal) == 0 && Ends(id);
        }};
        const auto undisturbed{verify()};
        BOOST_CHECK(strike());
        const auto before{verify()};
        BOOST_REQUIRE(backend->WaitUntilOpened());
        std::thread other{[&] {
            std::this_thread::sleep_for(std::chrono::milliseconds{5});
            (void)strike(); // at work, unless this machine is busy with other things
        }};
        const auto at_work{verify()};
        other.join();
        (void)verify();
        (void)verify();
        BOOST_REQUIRE(backend->WaitUntilOpened());
        processes.insert(backend->Process().id);
        BOOST_CHECK_EQUAL(processes.size(), 3U); // whether a call found it out, or it was noticed between calls
        BOOST_CHECK(!verifier.Statistics().at(1).retired);
        BOOST_TEST_MESSAGE("signal " << signal << ": " << undisturbed << " ms undisturbed, " << before << " and " << at_work << " ms");
    }
}

/** No driver is no fault. */
BOOST_AUTO_TEST_CASE(no_driver)
{
    // Newer loaders heed the second more than the first.
    const SavedVariable icd{"VK_ICD_FILENAMES", "/nonexistent/icd.json"};
    const SavedVariable driver{"VK_DRIVER_FILES", "/nonexistent/icd.json"};
    constexpr std::string_view WHY{"no Vulkan driver is installed"};
    LogRecord log;
    std::string error;
    bool is_fault{true};
    BOOST_CHECK(ListDeviceBackends({.logger = log.MakeLogger()}, error, is_fault).empty());
    BOOST_CHECK_EQUAL(error, WHY);
    BOOST_CHECK(!is_fault);
    BOOST_CHECK(OpenDeviceBackends("0", {.logger = log.MakeLogger()}, error).empty());
    BOOST_CHECK_EQUAL(error, "vulkan: " + std::string{WHY});
    const auto unnamed{OpenDeviceBackends("auto", {.logger = log.MakeLogger()}, error)};
    BOOST_REQUIRE_EQUAL(unnamed.size(), 1U);
    unnamed[0]->Open();
    BOOST_CHECK(!dynamic_cast<DeviceBackend&>(*unnamed[0]).WaitUntilOpened());
    BOOST_CHECK(log.HasLine("info: vulkan: no Vulkan driver is installed (") && !log.HasWarning(""));
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
        ValidatedDevice device{2, {}, as_gpu ? DeviceRequest::AS_GPU : 0};
        BOOST_CHECK_EQUAL(device.link->OnCpu(), device.description.type == "cpu");
        RootComputer verifier{std::move(device.link), NO_HURRY};
        std::vector<Root> roots(all.jobs.size());
        BOOST_REQUIRE(verifier.Compute(all.jobs, roots) == LinkStatus::OK);
        BOOST_CHECK(roots == RootsOf(*CreatePortableEngine(), all.jobs));
    }
}

/** Silence elsewhere means something: mistakes are reported. */
BOOST_AUTO_TEST_CASE(mistakes_are_reported)
{
    std::vector<std::string> messages;
    DeviceDescription description;
    const auto link{OpenDevice(DeviceToTest(),
                               {.capacity = 64, .on_validation_message = [&](const std::string& message) { messages.push_back(message); }},
                               {}, description)};
    BOOST_CHECK(messages.empty());
    for (int i = 0; i < 2; ++i) BOOST_CHECK(link->Submit(0, SET, link->Capacity(SET)) == LinkStatus::OK); // the second one while it works
    BOOST_CHECK(link->Wait(0, Scene::PATIENCE) == LinkStatus::OK);
    const auto is_expected{[](const std::string& message) { return message.find("VUID-vkResetFences") != std::string::npos; }};
    BOOST_CHECK(std::ranges::any_of(messages, is_expected));
}

BOOST_AUTO_TEST_SUITE_END()
