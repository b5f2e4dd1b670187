// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/child_process.h>
#include <test/device_fixture.h>
#include <test/preconditions.h>
#include <test/saved_variable.h>
#include <test/temp_dir.h>

#include <pqc/backends.h>
#include <pqc/device/device_backend.h>
#include <pqc/device/device_process.h>
#include <pqc/device/devices.h>
#include <pqc/device/process_link.h>
#include <slhconsensus.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/** A device in a process of its own: fake_gpu.cpp, which fails on request. */

using namespace slhc;
using namespace slhc::slhdsa;
using namespace slhc::slhdsa::test;
using slhc::test::InChildProcess;
using slhc::test::SavedVariable;
using slhc::test::TempDir;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds PATIENCE{Scene::PATIENCE};

/** Tells the program what to do wrong. */
class FaultFile
{
public:
    void Want(const std::string& fault) const { std::ofstream{m_path} << fault; }

private:
    const TempDir m_dir;
    const std::string m_path{m_dir.Path() + "/fault"};
    const SavedVariable m_variable{"SLHC_FAKE_GPU_FAULT", m_path.c_str()};
};

size_t OpenDescriptors()
{
    const std::filesystem::directory_iterator all{"/proc/self/fd"};
    return static_cast<size_t>(std::distance(begin(all), end(all)));
}

DeviceOptions OptionsFor(LogRecord& log) { return {.logger = log.MakeLogger(), .program = SLHC_FAKE_GPU}; }

/** A device behind a verifier, with time enough for a busy machine, unless a test waits for its end. */
struct ProcessScene {
    explicit ProcessScene(milliseconds limit = PATIENCE, const std::string& which = "0")
    {
        backend = std::make_shared<DeviceBackend>(
            "vulkan:fake",
            [which](Stop stop, std::string& about) {
                DeviceDescription opened;
                auto link{OpenDevice(which, {.program = SLHC_FAKE_GPU}, stop, opened)};
                about = Describe(opened);
                return link;
            },
            DeviceBackend::Options{.logger = log.MakeLogger(), .least_limit = limit, .least_limit_on_cpu = limit});
        verifier = std::make_unique<Verifier>(Backends{.cpu = CreatePortableEngine(), .devices = {backend}, .device_only = true},
                                              std::make_shared<ThreadPool>(2), log.MakeLogger());
    }

    [[nodiscard]] bool VerdictsAreRight(const MixedChecks& mixed) const
    {
        std::vector<Verdict> verdicts(mixed.checks.size());
        return verifier->VerifyMany(mixed.checks, verdicts) && verdicts == mixed.expected;
    }

    [[nodiscard]] BackendStatistics Device() const { return verifier->Statistics().at(1); }

    /** Its process is killed, and nobody has waited for it yet. */
    void LoseProcess() const
    {
        const auto id{static_cast<pid_t>(Device().process.id)};
        BOOST_REQUIRE(id > 0 && kill(id, SIGKILL) == 0);
    }

    LogRecord log;
    std::shared_ptr<DeviceBackend> backend;
    std::unique_ptr<Verifier> verifier;
};

/** Wait for something that another thread does. */
template <typename F>
bool Becomes(bool value, F&& f)
{
    const auto end{std::chrono::steady_clock::now() + PATIENCE};
    while (f() != value && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(milliseconds{1});
    return f() == value;
}

} // namespace

BOOST_AUTO_TEST_SUITE(device_process_tests)

/** From the name to the verdicts; and nothing is left afterwards. */
BOOST_AUTO_TEST_CASE(verdicts)
{
    const size_t descriptors{OpenDescriptors()};
    int64_t id{0};
    {
        const MixedChecks mixed{150}; // more than a slot holds
        ProcessScene scene;
        BOOST_REQUIRE(scene.backend->WaitUntilOpened());
        BOOST_CHECK(scene.log.HasLine("info: vulkan:fake: Fake 4090 (discrete, 1.0): ready ("));
        for (int i = 0; i < 3; ++i) BOOST_CHECK(scene.VerdictsAreRight(mixed));
        const BackendStatistics device{scene.Device()};
        BOOST_CHECK_EQUAL(device.jobs, 450U);
        BOOST_CHECK_EQUAL(device.wrong_roots + device.failed_calls, 0U);
        BOOST_CHECK_EQUAL(device.state, "ready");
        id = device.process.id;
        BOOST_CHECK_GT(id, 0);
        BOOST_CHECK_EQUAL(getpgid(static_cast<pid_t>(id)), id); // a terminal's Ctrl-C does not reach it
        BOOST_CHECK(scene.backend->WaitUntilPrepared(ParameterSet::SHA2_128F));
    }
    BOOST_CHECK_EQUAL(kill(static_cast<pid_t>(id), 0), -1);
    BOOST_CHECK_EQUAL(OpenDescriptors(), descriptors);
}

/** Whatever becomes of the process in the middle of a batch: the CPU gives the verdicts, one line is logged, and a new process does the
 *  next batch. */
BOOST_AUTO_TEST_CASE(faults_at_work)
{
    const size_t descriptors{OpenDescriptors()};
    const MixedChecks mixed{23};
    for (const std::string& fault : {std::string{"is_killed"}, {"crashes"}, {"ends"}, {"stops"}, {"late"}, {"refused"}, {"out_of_memory"},
                                     {"short_reply"}, {"long_reply"}, {"other_reply"}, {"no_such_reply"}, {"no_such_slot"}, {"idle_slot"},
                                     {"no_such_status"}, {"chatters"}}) {
        BOOST_TEST_CONTEXT(fault)
        {
            const FaultFile file;
            const bool takes_long{fault == "stops" || fault == "late"};
            ProcessScene scene{takes_long ? milliseconds{500} : PATIENCE};
            BOOST_REQUIRE(scene.backend->WaitUntilOpened());
            const int64_t first{scene.Device().process.id};
            const size_t lines{scene.log.Lines()};
            file.Want(fault);
            const auto start{std::chrono::steady_clock::now()};
            BOOST_CHECK(scene.VerdictsAreRight(mixed));
            const auto took{std::chrono::steady_clock::now() - start};
            if (takes_long) BOOST_CHECK(took >= milliseconds{500}); // the limit
            BOOST_CHECK(took < PATIENCE);
            const BackendStatistics failed{scene.Device()};
            BOOST_CHECK_EQUAL(failed.failed_calls, 1U);
            BOOST_CHECK_EQUAL(failed.wrong_roots, 0U);
            BOOST_CHECK(scene.log.HasWarning("after a call for 23 signatures; the CPU repeats its work, and the device is opened again"));
            BOOST_REQUIRE(scene.backend->WaitUntilOpened());
            BOOST_CHECK_EQUAL(scene.log.Lines(), lines + 2); // the fault, and the device that is ready again
            BOOST_CHECK(scene.VerdictsAreRight(mixed));
            BOOST_CHECK_EQUAL(scene.Device().jobs, 2 * mixed.checks.size());
            BOOST_CHECK_NE(scene.Device().process.id, first);
            BOOST_CHECK(Ends(first));
        }
    }
    BOOST_CHECK_EQUAL(OpenDescriptors(), descriptors);
}

/** A device whose process ends between calls is not called ready, nor is its process named; it is opened again, so many times as after a
 *  fault in a call. */
BOOST_AUTO_TEST_CASE(ends_between_calls)
{
    const MixedChecks mixed{5};
    const ProcessScene scene;
    for (int i = 0; i < 3; ++i) {
        BOOST_REQUIRE(scene.backend->WaitUntilOpened());
        const int64_t id{scene.Device().process.id};
        scene.LoseProcess();
        BOOST_CHECK(Becomes(true, [&] { return scene.Device().process.id != id; }));
    }
    BOOST_REQUIRE(scene.backend->WaitUntilOpened());
    BOOST_CHECK(scene.VerdictsAreRight(mixed) && scene.Device().jobs == 5 && scene.Device().failed_calls == 0);
    scene.LoseProcess();
    BOOST_CHECK(Becomes(false, [&] { return scene.Device().ready; }));
    BOOST_CHECK_EQUAL(scene.Device().state, "retired");
    BOOST_CHECK_EQUAL(scene.Device().process.id, 0);
    BOOST_CHECK(scene.VerdictsAreRight(mixed));
}

/** Where children's ends are ignored, a process's number is another's some time later, who is left alone. */
BOOST_AUTO_TEST_CASE(number_given_away, *boost::unit_test::precondition(slhc::test::CanFollowForks))
{
    const std::string said{InChildProcess([]() -> std::string {
        (void)signal(SIGCHLD, SIG_IGN);
        pid_t other{0};
        {
            std::chrono::nanoseconds left{PATIENCE};
            const DeviceProcess process{SLHC_FAKE_GPU, {}, left};
            pid_t id{process.Id()};
            (void)kill(id, SIGKILL);
            if (!Becomes(true, [&] { return kill(id, 0) != 0; })) return "does not end";
            clone_args next{};
            next.exit_signal = SIGCHLD;
            next.set_tid = reinterpret_cast<uintptr_t>(&id);
            next.set_tid_size = 1;
            other = static_cast<pid_t>(syscall(SYS_clone3, &next, sizeof(next)));
            if (other == 0) {
                for (;;) pause();
            }
            if (other < 0) return "cannot choose a number";
        }
        const bool lives{kill(other, 0) == 0};
        (void)kill(other, SIGKILL);
        return lives ? "lives" : "killed";
    })};
    if (said == "cannot choose a number") {
        BOOST_TEST_MESSAGE("this user cannot choose a process's number");
    } else {
        BOOST_CHECK_EQUAL(said, "lives");
    }
}

/** A program that was started with its standard input and output closed, whose next descriptors have these numbers. */
BOOST_AUTO_TEST_CASE(without_standard_descriptors, *boost::unit_test::precondition(slhc::test::CanFollowForks))
{
    BOOST_CHECK_EQUAL(InChildProcess([]() -> std::string {
        (void)close(STDIN_FILENO);
        (void)close(STDOUT_FILENO);
        return ListDevices({.program = SLHC_FAKE_GPU}).front().name;
    }), "Fake 4090");
}

/** slhc_context_interrupt() ends the wait for a device, and finds no fault in it. */
BOOST_AUTO_TEST_CASE(context_interrupted)
{
    const FaultFile file;
    slhc_context_options options = SLHC_CONTEXT_OPTIONS_INIT;
    options.backend = "vulkan:0";
    options.threads = 2;
    options.device_program = SLHC_FAKE_GPU;
    slhc_context* const context{slhc_context_create(&options)};
    BOOST_REQUIRE(context != nullptr);
    const auto device{[&] {
        slhc_backend_statistics statistics = SLHC_BACKEND_STATISTICS_INIT;
        BOOST_REQUIRE_EQUAL(slhc_context_backend_statistics(context, 1, &statistics), SLHC_OK);
        return statistics;
    }};
    const auto is{[&](const std::string& state) { return device().state == state; }};
    BOOST_REQUIRE(Becomes(true, [&] { return is("ready"); }));
    file.Want("late");
    std::vector<slhc_verify_job> jobs(300, slhc_verify_job SLHC_VERIFY_JOB_INIT); // for which the limit is seconds
    const Signed& of_all{RealSignatures().front()};
    for (slhc_verify_job& job : jobs) {
        job.public_key = of_all.public_key.data();
        job.message = {of_all.message.data(), of_all.message.size()};
        job.signature = {of_all.signature.data(), of_all.signature.size()};
    }
    std::thread other{[&] {
        BOOST_CHECK(Becomes(true, [&] { return is("busy"); }));
        BOOST_CHECK_EQUAL(slhc_context_interrupt(context), SLHC_OK);
    }};
    std::vector<int> verdicts(jobs.size());
    const int result{slhc_slhdsa_verify_many(context, jobs.data(), jobs.size(), verdicts.data())};
    other.join(); // before Boost.Test, which takes one thread at a time
    BOOST_CHECK_EQUAL(result, SLHC_ERROR);
    BOOST_CHECK(is("retired"));
    BOOST_CHECK_EQUAL(device().failed_calls, 0U);
    slhc_context_destroy(context);
}

/** Wrong roots are the device's, whichever process computes them: it is not opened again. */
BOOST_AUTO_TEST_CASE(wrong_roots)
{
    const FaultFile file;
    const MixedChecks mixed{5};
    const ProcessScene scene;
    BOOST_REQUIRE(scene.backend->WaitUntilOpened());
    const int64_t id{scene.Device().process.id};
    file.Want("wrong");
    BOOST_CHECK(scene.VerdictsAreRight(mixed));
    BOOST_CHECK(scene.Device().retired && scene.Device().wrong_roots > 0);
    BOOST_CHECK_EQUAL(scene.Device().state, "retired");
    BOOST_CHECK(Ends(id));
}

/** One that cannot be opened, for whatever reason, gets no work, and one line says why. */
BOOST_AUTO_TEST_CASE(faults_at_start)
{
    const MixedChecks mixed{5};
    for (const auto& [fault, line] : std::vector<std::pair<std::string, std::string>>{
             {"ends_at_once", "warning: vulkan:fake: not used: " SLHC_FAKE_GPU " has ended"},
             {"says_garbage", "warning: vulkan:fake: not used: " SLHC_FAKE_GPU " says something that this library does not understand"},
             {"other_version", "warning: vulkan:fake: not used: " SLHC_FAKE_GPU " is 'slhgpu 99.0', but this library needs 'slhgpu "},
             {"no_devices", "warning: vulkan:fake: not used: there are none today"},
             {"unheard_of", "warning: vulkan:fake: not used: this machine has no device '0'"},
             {"broken_driver", "warning: vulkan:fake: not used: a driver is broken,?[31m and says so"},
             {"does_not_open", "warning: vulkan:fake: not used: the shader does not compile"},
             {"huge", "warning: vulkan:fake: not used: its program wants a memory of no sensible size"},
             {"nothing_fits", "warning: vulkan:fake: not used: its program wants a memory of no sensible size"},
             {"no_slots", "warning: vulkan:fake: not used: its program wants a memory of no sensible size"},
             {"five_slots", "warning: vulkan:fake: not used: its program wants a memory of no sensible size"},
             {"talks", "warning: vulkan:fake: not used: two?lines, " + std::string(149, '!') + "... ("},
             {"does_not_open_at_length", "warning: vulkan:fake: not used: the shader?" + std::string(149, '!') + "... ("},
             {"too_many", "warning: vulkan:fake: not used: its program says something that this library does not understand"},
             {"wrong", "warning: vulkan:fake: Fake 4090 (discrete, 1.0) is not used: its known answers are wrong"},
             {"crashes", "warning: vulkan:fake: Fake 4090 (discrete, 1.0) is not used: lost"},
         }) {
        BOOST_TEST_CONTEXT(fault)
        {
            const FaultFile file;
            file.Want(fault);
            const ProcessScene scene;
            BOOST_CHECK(!scene.backend->WaitUntilOpened());
            BOOST_CHECK_MESSAGE(scene.log.HasLine(line), scene.log.All());
            BOOST_CHECK_EQUAL(scene.log.Lines(), 1U);
            BOOST_CHECK(scene.VerdictsAreRight(mixed));
            BOOST_CHECK_EQUAL(scene.Device().jobs, 0U);
            BOOST_CHECK_EQUAL(scene.Device().process.id, 0);
            BOOST_CHECK_EQUAL(waitpid(-1, nullptr, WNOHANG), -1); // nor is there a child that nobody has waited for
        }
    }
}

/** A program or a driver that says nothing is waited for as long as the limit says, and no longer. */
BOOST_AUTO_TEST_CASE(silence)
{
    // The last one: greeting and list have the limit together.
    for (const char* fault : {"says_nothing", "silent_driver", "hesitates_twice"}) {
        const FaultFile file;
        file.Want(fault);
        LogRecord log;
        DeviceOptions options{OptionsFor(log)};
        options.listing_limit = milliseconds{300};
        std::string error;
        const auto start{std::chrono::steady_clock::now()};
        BOOST_CHECK(OpenDeviceBackends("", options, error).empty());
        BOOST_CHECK_EQUAL(error, "vulkan: " SLHC_FAKE_GPU " does not answer");
        const auto took{std::chrono::steady_clock::now() - start};
        BOOST_CHECK(took >= options.listing_limit);
        bool is_fault{false};
        BOOST_CHECK(ListDeviceBackends(options, error, is_fault).empty() && is_fault);
        // Nobody who closes a device waits so long.
        options.listing_limit = PATIENCE;
        const auto unnamed{OpenDeviceBackends("auto", options, error)};
        BOOST_REQUIRE_EQUAL(unnamed.size(), 1U);
        unnamed[0]->Open();
        std::this_thread::sleep_for(milliseconds{20});
    }
}

/** A set that the driver cannot do costs the device only that set. */
BOOST_AUTO_TEST_CASE(only_128s)
{
    const FaultFile file;
    const MixedChecks mixed{5};
    const ProcessScene scene;
    BOOST_REQUIRE(scene.backend->WaitUntilOpened());
    file.Want("only_128s");
    const int64_t id{scene.Device().process.id};
    BOOST_CHECK(!scene.backend->WaitUntilPrepared(ParameterSet::SHA2_128F));
    BOOST_CHECK_MESSAGE(scene.log.HasWarning("128f: not used: not supported"), scene.log.All());
    BOOST_CHECK(scene.VerdictsAreRight(mixed) && scene.Device().jobs == 5);
    BOOST_CHECK(scene.Device().ready && scene.Device().process.id == id);
}

/** While its driver compiles for another set, a device goes on with those that it has. */
BOOST_AUTO_TEST_CASE(compiles_beside_work)
{
    const FaultFile file;
    const MixedChecks mixed{5};
    const ProcessScene scene;
    BOOST_REQUIRE(scene.backend->WaitUntilOpened());
    file.Want("compiles");
    for (uint64_t calls = 1; calls <= 50; ++calls) {
        BOOST_CHECK(scene.backend->PrepareSet(ParameterSet::SHA2_128F) == SetState::PREPARING);
        BOOST_CHECK(scene.VerdictsAreRight(mixed));
        BOOST_CHECK_EQUAL(scene.Device().jobs, 5 * calls);
    }
    file.Want("");
    BOOST_CHECK(scene.backend->WaitUntilPrepared(ParameterSet::SHA2_128F));
    BOOST_CHECK(scene.VerdictsAreRight(mixed) && scene.Device().jobs == 255);
}

/** However many devices the program names, each index gets one process, and no machine has more than sixteen. */
BOOST_AUTO_TEST_CASE(many_devices)
{
    for (const auto& [fault, n] : {std::pair{"one_for_all", 1U}, {"a_hundred", 16U}}) {
        const FaultFile file;
        file.Want(fault);
        LogRecord log;
        std::string error;
        BOOST_CHECK_EQUAL(OpenDeviceBackends("all", OptionsFor(log), error).size(), n);
    }
}

/** Nor does a device's name break a list or a log. */
BOOST_AUTO_TEST_CASE(long_name)
{
    const FaultFile file;
    file.Want("long_name");
    LogRecord log;
    BOOST_CHECK_EQUAL(ListBackends(OptionsFor(log)).back().description, "?[31m" + std::string(155, 'F') + "... (discrete, 1.0)");
}

/** What an administrator sees. */
BOOST_AUTO_TEST_CASE(no_program)
{
    const TempDir dir;
    LogRecord log;
    DeviceOptions options{OptionsFor(log)};
    const auto error_with{[&](const std::string& program) {
        options.program = program;
        std::string error;
        BOOST_CHECK(!SelectBackends("vulkan", options, error));
        return error;
    }};
    BOOST_CHECK_EQUAL(error_with("/none/slhgpu"), "vulkan: cannot start /none/slhgpu: No such file or directory");
    BOOST_CHECK_EQUAL(error_with(dir.Path()), "vulkan: cannot start " + dir.Path() + ": Permission denied");
    const std::string file{dir.Path() + "/slhgpu"};
    std::ofstream{file} << "#!/bin/sh\n";
    BOOST_CHECK_EQUAL(error_with(file), "vulkan: cannot start " + file + ": Permission denied");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    BOOST_CHECK_EQUAL(error_with(file), "vulkan: " + file + " has ended");
    std::filesystem::permissions(dir.Path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    if (geteuid() != 0) BOOST_CHECK_EQUAL(error_with(file), "vulkan: cannot start " + file + ": Permission denied"); // root may
    std::filesystem::permissions(dir.Path(), std::filesystem::perms::owner_all);
    options.program = "/none/slhgpu";
    const auto infos{ListBackends(options)};
    BOOST_CHECK(infos.back().name == "vulkan" && !infos.back().available && infos.back().fault.starts_with("cannot start /none/slhgpu"));
}

/** Two contexts, and all devices of one: each has a process of its own, and loses no other. */
BOOST_AUTO_TEST_CASE(several)
{
    const MixedChecks mixed{300}; // so many that each device has a share
    LogRecord log;
    std::string error;
    const auto open{[&] {
        auto backends{SelectBackends("vulkan:all", OptionsFor(log), error)};
        BOOST_REQUIRE_MESSAGE(backends, error);
        BOOST_REQUIRE_EQUAL(backends->devices.size(), 2U); // the third one is a CPU
        for (const auto& device : backends->devices) BOOST_REQUIRE(dynamic_cast<DeviceBackend&>(*device).WaitUntilOpened());
        return std::make_unique<Verifier>(*backends, std::make_shared<ThreadPool>(2), log.MakeLogger());
    }};
    const auto one{open()};
    auto other{open()};
    std::vector<int64_t> ids;
    for (const auto* verifier : {one.get(), other.get()}) {
        for (const size_t i : {1, 2}) ids.push_back(verifier->Statistics().at(i).process.id);
    }
    std::ranges::sort(ids);
    BOOST_CHECK(ids.front() > 0 && std::ranges::adjacent_find(ids) == ids.end());
    std::vector<Verdict> verdicts(mixed.checks.size());
    const auto verify{[&](Verifier& verifier) {
        BOOST_CHECK(verifier.VerifyMany(mixed.checks, verdicts));
        BOOST_CHECK(verdicts == mixed.expected);
    }};
    verify(*one);
    pid_t pid{0}; // of nobody while a device that was late is opened again; to kill() that is all of us
    BOOST_REQUIRE(Becomes(true, [&] { return (pid = static_cast<pid_t>(one->Statistics().at(1).process.id)) > 0; }));
    BOOST_CHECK(kill(pid, SIGKILL) == 0 && Ends(pid));
    BOOST_CHECK(Becomes(true, [&] { return log.HasWarning("vulkan:0: its process has ended between calls; the device is opened again"); }));
    verify(*one);
    other.reset();
    verify(*one);
}

/** A forked child has no part in its parent's device, and can have its own. */
BOOST_AUTO_TEST_CASE(forked, *boost::unit_test::precondition(slhc::test::CanFollowForks))
{
    const MixedChecks mixed{5};
    auto scene{std::make_unique<ProcessScene>()};
    BOOST_REQUIRE(scene->backend->WaitUntilOpened());
    const int64_t id{scene->Device().process.id};
    BOOST_CHECK_EQUAL(InChildProcess([&]() -> std::string {
        const ProcessScene own;
        if (!own.backend->WaitUntilOpened()) return "does not open";
        return own.VerdictsAreRight(mixed) && own.Device().jobs == 5 ? "right" : "wrong";
    }), "right");
    BOOST_CHECK(scene->VerdictsAreRight(mixed) && scene->Device().jobs == 5 && scene->Device().process.id == id);
}

/** It ends with the process that started it, however that ends and although a child of that has its socket, too; and holds none of its
 *  descriptors until then. */
BOOST_AUTO_TEST_CASE(orphaned, *boost::unit_test::precondition(slhc::test::CanFollowForks))
{
    std::array<int, 2> ends{}, heir{};
    BOOST_REQUIRE_EQUAL(pipe(heir.data()), 0);
    BOOST_REQUIRE_EQUAL(pipe(ends.data()), 0); // which a new program inherits
    const std::string said{InChildProcess([&]() -> std::string {
        const FaultFile file;
        const ProcessScene scene;
        if (!scene.backend->WaitUntilOpened()) return "does not open";
        file.Want("late"); // busy: it does not read its socket
        std::thread{[&] { (void)scene.VerdictsAreRight(MixedChecks{5}); }}.detach();
        std::this_thread::sleep_for(milliseconds{100});
        const std::string id{std::to_string(scene.Device().process.id)};
        if (write(ends[1], id.data(), id.size()) < 0) return "cannot say it";
        if (fork() == 0) {
            for (int fd = 0; fd < 1'000; ++fd) { // but sockets
                struct stat about{};
                if (fd != heir[0] && fstat(fd, &about) == 0 && !S_ISSOCK(about.st_mode)) (void)close(fd);
            }
            char c{0};
            _exit(static_cast<int>(read(heir[0], &c, 1))); // up to the end of this test
        }
        _exit(0); // without destructors
    })};
    BOOST_CHECK_EQUAL(said, "");
    close(ends[1]);
    std::string id;
    char c{0};
    while (read(ends[0], &c, 1) == 1) id += c; // up to the end, which comes when nobody has the other end any more
    close(ends[0]);
    BOOST_REQUIRE(!id.empty());
    BOOST_CHECK(Ends(std::stoll(id)));
    close(heir[0]);
    close(heir[1]);
}

/** A process that is stopped together with its device's, as a machine that pauses does it, finds the time that it had left. */
BOOST_AUTO_TEST_CASE(stopped_and_continued, *boost::unit_test::precondition(slhc::test::CanFollowForks))
{
    const FaultFile file;
    file.Want("hesitates"); // for half a second of its time
    BOOST_CHECK_EQUAL(InChildProcess([]() -> std::string {
        constexpr milliseconds LIMIT{2'000};
        std::chrono::nanoseconds left{PATIENCE};
        DeviceProcess process{SLHC_FAKE_GPU, {}, left};
        left = LIMIT;
        const pid_t self{getpid()};
        if (fork() == 0) {
            std::this_thread::sleep_for(milliseconds{100});
            for (const int signal : {SIGSTOP, SIGCONT}) {
                (void)kill(process.Id(), signal);
                (void)kill(self, signal);
                if (signal == SIGSTOP) std::this_thread::sleep_for(LIMIT);
            }
            _exit(0);
        }
        std::string text;
        (void)process.Ask({.kind = DeviceRequest::Kind::LIST}, DeviceReply::Kind::DEVICES, text, left);
        return "in time";
    }), "in time");
}

BOOST_AUTO_TEST_CASE(a_thousand_times)
{
    const size_t descriptors{OpenDescriptors()};
    int64_t last{0};
    for (int i = 0; i < 1'000; ++i) {
        std::stop_source stop;
        std::chrono::nanoseconds left{PATIENCE};
        const DeviceProcess process{SLHC_FAKE_GPU, stop.get_token(), left};
        last = process.Id();
    }
    BOOST_CHECK(Ends(last));
    BOOST_CHECK_EQUAL(OpenDescriptors(), descriptors);
}

BOOST_AUTO_TEST_SUITE_END()
