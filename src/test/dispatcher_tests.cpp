// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/allocations.h>
#include <test/batch_fixture.h>
#include <test/child_process.h>
#include <test/forbid_threads.h>
#include <test/forged_cache_file.h>
#include <test/preconditions.h>
#include <test/signals.h>
#include <test/temp_dir.h>

#include <pqc/device/cost_model.h>
#include <pqc/device/dispatcher.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cfloat>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <mutex>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace slhc;
using namespace slhc::slhdsa;
using namespace slhc::slhdsa::test;
using slhc::test::ForgeCacheFile;
using slhc::test::InChildProcess;
using slhc::test::TempDir;

namespace {

/** 10 a signature on the CPU; 1000 and 1 a signature on the device. */
CostModel LargeBatchesOnDevice(bool may_split)
{
    return {{{1, 10, 1'001}, {100, 1'000, 1'100}, {1'000, 10'000, 2'000}}, may_split};
}

/** The same, but 2000 on the device. */
CostModel LargestBatchesOnDevice(bool may_split)
{
    return {{{1, 10, 2'001}, {100, 1'000, 2'100}, {1'000, 10'000, 3'000}}, may_split};
}

std::shared_ptr<FakeBackend> BackendTaking(std::chrono::microseconds a_job, bool is_device)
{
    auto backend{std::make_shared<FakeBackend>()};
    backend->is_device = is_device;
    backend->preferred = 64;
    backend->compute = [a_job](std::span<const RootJob> jobs, std::span<Root> roots) {
        std::this_thread::sleep_for(a_job * jobs.size());
        return FakeBackend::Honest(jobs, roots);
    };
    return backend;
}

std::chrono::sys_seconds FirstOfMarch() { return std::chrono::sys_days{std::chrono::year{2026} / 3 / 1}; }

struct Setup {
    // A hundred times apart, so that it shows on the busiest machine.
    std::shared_ptr<FakeBackend> cpu{BackendTaking(std::chrono::microseconds{200}, false)};
    std::shared_ptr<FakeBackend> device{BackendTaking(std::chrono::microseconds{2}, true)};
    std::shared_ptr<ThreadPool> pool{std::make_shared<ThreadPool>(1)};

    std::unique_ptr<Dispatcher> Make(const std::string& cache_dir, Dispatcher::Today today = Dispatcher::SystemTime) const
    {
        return std::make_unique<Dispatcher>(Backends{.cpu = cpu, .devices = {device}}, pool, std::make_shared<Logger>(), cache_dir, today);
    }
};

/** A precondition: which of two equal times is less does not depend on how many digits each has kept, as it does with x87. */
boost::test_tools::assertion_result ComparesWhatItStores(boost::unit_test::test_unit_id)
{
    boost::test_tools::assertion_result result{FLT_EVAL_METHOD == 0};
    result.message() << "numbers have more digits in registers than in memory";
    return result;
}

} // namespace

BOOST_AUTO_TEST_SUITE(dispatcher_tests)

BOOST_AUTO_TEST_CASE(model_chooses_the_faster)
{
    const CostModel model{LargeBatchesOnDevice(false)};
    BOOST_CHECK_EQUAL(model.DeviceShare(0), 0U);
    BOOST_CHECK_EQUAL(model.DeviceShare(1), 0U);
    BOOST_CHECK_EQUAL(model.DeviceShare(100), 0U); // 1000 against 1100
    BOOST_CHECK_EQUAL(model.DeviceShare(111), 0U); // 1110 against 1111: not worth it
    BOOST_CHECK_EQUAL(model.DeviceShare(200), 200U);
    BOOST_CHECK_EQUAL(model.DeviceShare(1'000), 1'000U);
    BOOST_CHECK_EQUAL(model.DeviceShare(1'000'000), 1'000'000U);
}

BOOST_AUTO_TEST_CASE(model_between_and_beyond_samples)
{
    const CostModel model{LargeBatchesOnDevice(false)};
    BOOST_CHECK_CLOSE(model.CpuTime(550), 5'500.0, 1e-6);
    BOOST_CHECK_CLOSE(model.DeviceTime(550), 1'550.0, 1e-6);
    BOOST_CHECK_CLOSE(model.DeviceTime(2'000), 4'000.0, 1e-6);
    BOOST_CHECK_EQUAL(model.CpuTime(0), 0.0);
    const CostModel bent{{{1, 10, 1}, {2, 30, 2}, {4, 40, 8}}, false};
    BOOST_CHECK_EQUAL(bent.CpuTime(3), 35.0);
    BOOST_CHECK_EQUAL(bent.DeviceTime(3), 5.0);
    const CostModel from_eight{{{8, 80, 16}, {9, 85, 18}}, false};
    for (size_t n{1}; n <= 8; ++n) {
        BOOST_CHECK_EQUAL(from_eight.CpuTime(n), 80.0);
        BOOST_CHECK_EQUAL(from_eight.DeviceTime(n), 16.0);
    }
    BOOST_CHECK_EQUAL(from_eight.CpuTime(9), 85.0);
    BOOST_CHECK_EQUAL(from_eight.DeviceTime(18), 36.0);
}

BOOST_AUTO_TEST_CASE(what_is_worthwhile)
{
    for (const bool may_split : {false, true}) {
        BOOST_CHECK_EQUAL(CostModel({{16, 100, 95}}, may_split).DeviceShare(16), 0U);
        BOOST_CHECK_EQUAL(CostModel({{16, 100, 94}}, may_split).DeviceShare(16), 16U);
    }
    // 32 take 100 on either side, and half of them with the other half together: 95, and 94.
    BOOST_CHECK_EQUAL(CostModel({{16, 95, 95}, {32, 100, 100}}, true).DeviceShare(32), 0U);
    BOOST_CHECK_EQUAL(CostModel({{16, 94, 94}, {32, 100, 100}}, true).DeviceShare(32), 16U);
    BOOST_CHECK_EQUAL(CostModel({{16, 94, 94}, {32, 100, 100}}, false).DeviceShare(32), 0U);
}

/** On random models, whose times go up and down, against every share of the grid. */
BOOST_AUTO_TEST_CASE(splits_are_the_best_of_64, *boost::unit_test::precondition(ComparesWhatItStores))
{
    std::mt19937 rng{64};
    const auto random{[&](size_t limit) { return size_t{1} + rng() % limit; }};
    for (int round{0}; round < 200; ++round) {
        std::vector<CostModel::Sample> samples;
        for (size_t n{random(4)}; n < 400; n += random(100)) samples.push_back({n, random(20), random(20)});
        const CostModel model{samples, true};
        for (size_t n{0}; n < 450; n += random(10)) {
            const auto time{[&](size_t device) { return std::max(model.DeviceTime(device), model.CpuTime(n - device)); }};
            size_t best{0};
            for (size_t i{0}; i <= 64; ++i) {
                if (time(n * i / 64) < time(best)) best = n * i / 64;
            }
            BOOST_REQUIRE_EQUAL(model.SplitShare(n), best);
            const double cpu{model.CpuTime(n)}, device{model.DeviceTime(n)};
            const size_t alone{device < cpu * CostModel::WORTHWHILE && n >= CostModel::LEAST_TELLING ? n : 0};
            const bool together{time(best) < std::min(cpu, device) * CostModel::WORTHWHILE && best >= CostModel::LEAST_TELLING};
            BOOST_REQUIRE_EQUAL(model.DeviceShare(n), together ? best : alone);
        }
    }
}

BOOST_AUTO_TEST_CASE(model_splits)
{
    const CostModel model{LargeBatchesOnDevice(true)};
    for (const size_t n : {0, 1, 8, 100}) BOOST_CHECK_EQUAL(model.DeviceShare(n), 0U);
    for (const size_t n : {500, 1'000, 10'007}) {
        const size_t share{model.DeviceShare(n)};
        BOOST_CHECK(share > 0 && share < n);
        const double together{std::max(model.DeviceTime(share), model.CpuTime(n - share))};
        BOOST_CHECK_LT(together, model.DeviceTime(n));
        BOOST_CHECK_LT(together, model.CpuTime(n));
        // No other share is much better.
        for (size_t other = 0; other <= n; other += n / 100) {
            BOOST_CHECK_GE(std::max(model.DeviceTime(other), model.CpuTime(n - other)), together * 0.8);
        }
    }
    // A device that is a hundred times slower is not worth splitting for.
    const CostModel slow{{{1, 10, 1'000}, {1'000, 10'000, 1'000'000}}, true};
    BOOST_CHECK_EQUAL(slow.DeviceShare(1'000), 0U);
}

/** A side that was measured on a busy machine, and is five times as fast as it looked, or as slow: what batches take
 *  tells in the end, and no single one does. */
BOOST_AUTO_TEST_CASE(model_learns_from_batches)
{
    using enum CostModel::Side;
    CostModel model{{{1, 1'000, 2'000}, {100, 100'000, 20'000}}, false};
    BOOST_CHECK_EQUAL(model.DeviceShare(100), 100U);
    CostModel disturbed{model};
    disturbed.Observe(CPU, 100, 1);
    disturbed.Observe(DEVICE, 100, 1'000'000'000'000);
    BOOST_CHECK_EQUAL(disturbed.DeviceShare(100), 100U);

    CostModel cpu_was_busy{model};
    int calls{0};
    for (; cpu_was_busy.DeviceShare(100) != 0 && calls < 100; ++calls) cpu_was_busy.Observe(CPU, 100, 10'000);
    BOOST_CHECK(calls >= 3 && calls <= 10);
    for (int i{0}; i < 50; ++i) cpu_was_busy.Observe(CPU, 100, 10'000);
    BOOST_CHECK_CLOSE(cpu_was_busy.CpuTime(100), 10'000.0, 1.0);
    BOOST_CHECK_CLOSE(cpu_was_busy.CpuTime(1), 100.0, 2.0); // the same machine, the same load
    BOOST_CHECK_EQUAL(cpu_was_busy.DeviceTime(100), 20'000.0);

    CostModel device_is_busy{model};
    for (calls = 0; device_is_busy.DeviceShare(100) != 0 && calls < 100; ++calls) device_is_busy.Observe(DEVICE, 50, 250'000);
    BOOST_CHECK(calls >= 3 && calls <= 15);
    BOOST_CHECK_EQUAL(device_is_busy.CpuTime(100), 100'000.0);

    // A quarter of the way, for the whole side: a power of 1/4 of the ratio, which counts as 4 if it is more, and as 1/4 if it is less.
    const auto observed{[](CostModel::Side side, size_t n, uint64_t ns) {
        CostModel learning{{{1, 1'000, 2'000}, {100, 100'000, 20'000}}, false};
        learning.Observe(side, n, ns);
        const std::string text{learning.Serialize()};
        return text.substr(text.find("split 0\n") + 8);
    }};
    BOOST_CHECK_EQUAL(observed(CPU, 100, 146'410), "1 1100 2000\n100 110000 20000\n");   // 1.1^4
    BOOST_CHECK_EQUAL(observed(DEVICE, 100, 48'020), "1 1000 2490\n100 100000 24896\n"); // 2.401^(1/4) = 1.24480
    BOOST_CHECK_EQUAL(observed(CPU, 100, 1'600'000), "1 1414 2000\n100 141421 20000\n");
    BOOST_CHECK_EQUAL(observed(CPU, CostModel::LEAST_TELLING, 1), "1 707 2000\n100 70711 20000\n");
    BOOST_CHECK_EQUAL(observed(CPU, CostModel::LEAST_TELLING - 1, 1), observed(DEVICE, 100, 20'000)); // says nothing
    BOOST_CHECK_EQUAL(observed(CPU, 0, 5), observed(DEVICE, 100, 20'000));
    BOOST_CHECK_EQUAL(observed(CPU, 100, 0), observed(DEVICE, 100, 20'000));
    CostModel largest{{{1, 1, 999'999'999'999'999}}, false};
    largest.Observe(DEVICE, 100, UINT64_MAX);
    largest.Observe(CPU, 100'000, 1);
    BOOST_CHECK(largest == CostModel({{1, 1, 1'000'000'000'000'000}}, false));

    // Whatever is observed, a model stays one that can be read back.
    CostModel extreme{model};
    for (int i{0}; i < 200; ++i) {
        extreme.Observe(CPU, 16 + i % 7, 1);
        extreme.Observe(DEVICE, 100'000, UINT64_MAX);
        extreme.Observe(DEVICE, 0, 5);
        extreme.Observe(CPU, 50, 0);
    }
    BOOST_CHECK(CostModel::Parse(extreme.Serialize()) == extreme);
}

/** Signatures that are verified one by one take three times as long as in a row, since the caches are cold each time: that says nothing
 *  about the batches for which there is a choice. */
BOOST_AUTO_TEST_CASE(single_signatures_tell_nothing)
{
    using enum CostModel::Side;
    CostModel model{{{1, 60'000, 601'000}, {64, 330'000, 664'000}}, false};
    BOOST_CHECK_EQUAL(model.DeviceShare(64), 0U);
    const CostModel before{model};
    for (int i{0}; i < 40; ++i) model.Observe(CPU, 1, 180'000);
    BOOST_CHECK_EQUAL(model.DeviceShare(64), 0U);
    BOOST_CHECK(model == before);
    // Whereas if batches take so long, the device is worth it.
    for (int i{0}; i < 40; ++i) model.Observe(CPU, 64, 3 * 330'000);
    BOOST_CHECK_EQUAL(model.DeviceShare(64), 64U);
}

/** Nor does a device get so few, though it be faster: nobody would notice if it became slow. */
BOOST_AUTO_TEST_CASE(device_gets_none_that_tell_nothing)
{
    for (const bool may_split : {false, true}) {
        // One thread of portable code, and a large GPU.
        const CostModel model{{{1, 350'000, 468'000}, {8, 2'800'000, 523'000}, {64, 22'400'000, 655'000}}, may_split};
        for (size_t n{0}; n < CostModel::LEAST_TELLING; ++n) {
            BOOST_CHECK_EQUAL(model.DeviceShare(n), 0U);
            BOOST_CHECK_EQUAL(model.TrialShare(n), 0U);
        }
        BOOST_CHECK_EQUAL(model.DeviceShare(CostModel::LEAST_TELLING), CostModel::LEAST_TELLING);
    }
    // As a part of a batch neither.
    const CostModel even{{{1, 1, 1}, {100, 100, 100}}, true};
    BOOST_CHECK_EQUAL(even.SplitShare(31), 15U);
    BOOST_CHECK_EQUAL(even.DeviceShare(31), 0U);
    BOOST_CHECK_EQUAL(even.DeviceShare(32), 16U);
}

/** Whoever names a device has no model, and gets one signature verified there. */
BOOST_AUTO_TEST_CASE(named_device_gets_every_batch)
{
    const Setup setup;
    const Backends backends{.cpu = setup.cpu, .devices = {setup.device}, .device_only = true};
    const auto logger{std::make_shared<Logger>()};
    const Sharing sharing{MakeSharing(backends, setup.pool, logger, {})};
    Verifier verifier{backends, setup.pool, logger, sharing.device_share, sharing.observer};
    const SignatureCheck entry{FakeEntry(OriginAt(0), true)};
    const CheckView check{entry.View()};
    Verdict verdict{};
    BOOST_REQUIRE(verifier.VerifyMany({&check, 1}, {&verdict, 1}));
    BOOST_CHECK(verdict == Verdict::VALID);
    BOOST_CHECK_EQUAL(setup.device->jobs, 1U);
}

/** The idle side gets something to show what it takes, if that holds nobody up by what the model knows. */
BOOST_AUTO_TEST_CASE(trial_shares)
{
    const CostModel model{LargeBatchesOnDevice(false)};
    BOOST_CHECK_EQUAL(model.TrialShare(1'000), 1'000U - 125);                  // 1250 for the CPU beside 2000
    BOOST_CHECK_EQUAL(model.TrialShare(100), 0U);                              // the device takes 1001 for one
    const CostModel slower_device{LargestBatchesOnDevice(false)};
    BOOST_CHECK_EQUAL(slower_device.TrialShare(208), 26U);                     // 2026, and the CPU 2080 for all
    BOOST_CHECK_EQUAL(slower_device.TrialShare(200), 0U);                      // 2025, and the CPU 2000
    const CostModel slow_cpu{{{1, 100, 1}, {1'000, 100'000, 1'000}, {4'000, 400'000, 4'000}}, false};
    BOOST_CHECK_EQUAL(slow_cpu.TrialShare(4'000), 4'000U - 31);                // 500, 250, 125, 62, 31: 3100 beside 4000
    BOOST_CHECK_EQUAL(slow_cpu.TrialShare(1'600), 1'600U);                     // 200, 100, 50, 25: 2500 beside 1600
    // As long is not longer: 1600 beside 1600, both as measured.
    const CostModel as_slow_cpu{{{1, 100, 1}, {16, 1'600, 16}, {1'024, 102'400, 1'600}}, false};
    BOOST_CHECK_EQUAL(as_slow_cpu.TrialShare(1'024), 1'024U - 16);
    const CostModel slow_device{{{1, 1, 100}, {16, 16, 1'600}, {1'024, 1'600, 102'400}}, false};
    BOOST_CHECK_EQUAL(slow_device.TrialShare(1'024), 16U);
    BOOST_CHECK_EQUAL(slow_device.TrialShare(1'023), 0U);                      // 15 would tell nothing
    // Nor would fewer of a small batch, however quick the idle side is.
    const CostModel quick{{{1, 1, 1}, {16, 16, 15}, {128, 200, 100}}, false};
    BOOST_CHECK_EQUAL(quick.TrialShare(128), 128U - 16);
    BOOST_CHECK_EQUAL(quick.TrialShare(127), 127U);
    const CostModel splits{LargeBatchesOnDevice(true)};
    BOOST_CHECK_EQUAL(splits.TrialShare(1'000), splits.DeviceShare(1'000));    // both work anyway
    for (const size_t n : {16, 64, 508, 5'000}) {
        const size_t share{slow_cpu.TrialShare(n)};
        BOOST_CHECK_LE(std::max(slow_cpu.DeviceTime(share), slow_cpu.CpuTime(n - share)), slow_cpu.DeviceTime(n));
    }
}

BOOST_AUTO_TEST_CASE(model_as_text)
{
    for (const bool split : {false, true}) {
        const CostModel model{LargeBatchesOnDevice(split)};
        BOOST_CHECK(CostModel::Parse(model.Serialize()) == model);
        CostModel allowed{LargeBatchesOnDevice(!split)};
        allowed.AllowSplit(split);
        BOOST_CHECK(allowed == model);
    }
    const std::string head{"slhconsensus dispatch 1\n"};
    BOOST_CHECK(CostModel::Parse(head + "split 0\n1 2 3\n"));
    for (const std::string& bad :
         {std::string{}, head, head + "split 0\n", head + "split 2\n1 2 3\n", head + "1 2 3\n", head + "split 0\n1 2\n",
          head + "split 0\n1 2 3 4\n", head + "split 0\n0 2 3\n", head + "split 0\n1 0 3\n", head + "split 0\n1 2 0\n",
          head + "split 0\n2 2 3\n2 2 3\n", head + "split 0\n2 2 3\n1 2 3\n", head + "split 0\n1 -2 3\n",
          head + "split 0\n1 2 99999999999999999999\n", head + "split 0\n1 2 3\n\n", head + "split 0\n1  2 3\n",
          head + "split 0\n1x2 3\n", head + "split 0\n1-2 3\n", head + "split 0\n1 2\t3\n", head + "split 0\n\n1 2 3\n",
          head + "split 0\n1 2 x\n", head + "split 0\n99999999999999999999 2 3\n", head + "\n1 2 3\n",
          head + "split /\n1 2 3\n", std::string{"other\nsplit 0\n1 2 3\n"}, std::string{"title\nsplit 0\n1 2 3\n"}}) {
        BOOST_CHECK_MESSAGE(!CostModel::Parse(bad), bad);
    }
    // The last line may lack its end, and what comes after the text is not of it.
    const std::string longer{head + "split 1\n1 2 34"};
    BOOST_CHECK(CostModel::Parse(std::string_view{longer}.substr(0, longer.size() - 1)) == CostModel({{1, 2, 3}}, true));
    std::string many{head + "split 0\n"};
    for (int i = 1; i <= 64; ++i) many += std::to_string(i) + " 1 1\n";
    BOOST_CHECK(CostModel::Parse(many));
    BOOST_CHECK(!CostModel::Parse(many + "65 1 1\n"));
}

BOOST_AUTO_TEST_CASE(learns_and_remembers)
{
    const TempDir dir;
    Setup setup;
    {
        const auto dispatcher{setup.Make(dir.Path())};
        const auto model{dispatcher->WaitForModel()};
        BOOST_REQUIRE(model);
        BOOST_CHECK_GT(setup.device->calls, 0U);
        BOOST_CHECK_GT(dispatcher->DeviceShare(512), 256U);
    }
    {
        // From the file: nothing is measured.
        const size_t calls{setup.device->calls + setup.cpu->calls};
        const auto dispatcher{setup.Make(dir.Path())};
        BOOST_REQUIRE(dispatcher->WaitForModel());
        BOOST_CHECK_EQUAL(setup.device->calls + setup.cpu->calls, calls);
        BOOST_CHECK_GT(dispatcher->DeviceShare(512), 256U);
    }
    {
        // Another number of threads is another machine.
        const size_t calls{setup.device->calls};
        setup.pool = std::make_shared<ThreadPool>(2);
        const auto dispatcher{setup.Make(dir.Path())};
        BOOST_REQUIRE(dispatcher->WaitForModel());
        BOOST_CHECK_GT(setup.device->calls, calls);
    }
    {
        // A damaged file is measured anew.
        for (const auto& file : std::filesystem::directory_iterator{dir.Path()}) std::ofstream{file.path(), std::ios::app} << "x";
        const size_t calls{setup.device->calls};
        const auto dispatcher{setup.Make(dir.Path())};
        BOOST_REQUIRE(dispatcher->WaitForModel());
        BOOST_CHECK_GT(setup.device->calls, calls);
    }
}

/** As long as each size is quick, all of them, three times on each side; and together, if that may be worth it. */
BOOST_AUTO_TEST_CASE(sizes_that_are_measured)
{
    constexpr size_t EACH{3 * (1 + 8 + 64 + 256 + 1024 + 4096)};
    size_t jobs{0};
    const auto all{[&] { return jobs == 2 * EACH || jobs == 2 * EACH + 3 * 4096; }};
    for (int attempt{0}; attempt < 5 && !all(); ++attempt) { // a busy machine may make a size take too long
        Setup setup;
        setup.cpu->compute = setup.device->compute = [](std::span<const RootJob>, std::span<Root> roots) {
            std::ranges::fill(roots, Root{}); // on an emulated processor different ones take too long
            return BackendStatus::OK;
        };
        BOOST_REQUIRE(setup.Make({})->WaitForModel());
        jobs = setup.cpu->jobs + setup.device->jobs;
    }
    BOOST_CHECK_MESSAGE(all(), jobs);
}

/** What nobody but this version writes is measured anew, whatever it says. */
BOOST_AUTO_TEST_CASE(forged_files)
{
    const TempDir dir;
    const std::string path{dir.Path() + "/dispatch"};
    Setup setup;
    setup.cpu->compute = setup.device->compute = FakeBackend::Honest;
    const auto measures{[&](const std::string& content) {
        (void)ForgeCacheFile(path, {reinterpret_cast<const uint8_t*>(content.data()), content.size()});
        const size_t calls{setup.device->calls};
        BOOST_REQUIRE(setup.Make(dir.Path(), FirstOfMarch)->WaitForModel());
        return setup.device->calls > calls;
    }};
    BOOST_REQUIRE(setup.Make(dir.Path(), FirstOfMarch)->WaitForModel());
    const std::string model{CostModel{{{1, 2, 3}}, false}.Serialize()};
    BOOST_CHECK(!measures("measured 1772323200\n" + model));
    for (const std::string& bad :
         {std::string{}, std::string{"measured 1772323200"}, "measured 1772323200\n" + model + "x", "measured 1772323200x\n" + model,
          "measured x\n" + model, "measured \n" + model, "measured 99999999999999999999\n" + model, "measured  1772323200\n" + model,
          "measured -9223372036854775808\n" + model, "Measured 1772323200\n" + model, "1772323200\n" + model, model}) {
        BOOST_CHECK_MESSAGE(measures(bad), bad);
    }
}

/** Every 16th batch that one side does alone goes to both. */
BOOST_AUTO_TEST_CASE(trials)
{
    const TempDir dir;
    const std::string path{dir.Path() + "/dispatch"};
    Setup setup;
    setup.cpu->compute = setup.device->compute = FakeBackend::Honest;
    BOOST_REQUIRE(setup.Make(dir.Path(), FirstOfMarch)->WaitForModel());
    for (const bool may_split : {false, true}) {
        const CostModel model{LargestBatchesOnDevice(may_split)};
        const std::string content{"measured 1772323200\n" + model.Serialize()};
        (void)ForgeCacheFile(path, {reinterpret_cast<const uint8_t*>(content.data()), content.size()});
        struct stat written;
        BOOST_REQUIRE_EQUAL(stat(path.c_str(), &written), 0);
        {
            const auto dispatcher{setup.Make(dir.Path(), FirstOfMarch)};
            BOOST_CHECK(dispatcher->WaitForModel() == model);
            const size_t split{model.DeviceShare(1'000)};
            BOOST_CHECK_EQUAL(split < 1'000, may_split);
            for (size_t i{1}; i <= 3 * Dispatcher::BATCHES_FOR_A_TRIAL; ++i) {
                const bool trial{i % Dispatcher::BATCHES_FOR_A_TRIAL == 0};
                if (may_split) BOOST_CHECK_EQUAL(dispatcher->DeviceShare(1'000), split); // to both in any case
                if (may_split || i % 2 == 0) {
                    BOOST_CHECK_EQUAL(dispatcher->DeviceShare(208), trial ? 26U : 0U);
                } else {
                    BOOST_CHECK_EQUAL(dispatcher->DeviceShare(1'000), 1'000U);
                }
            }
        }
        struct stat left;
        BOOST_REQUIRE_EQUAL(stat(path.c_str(), &left), 0);
        BOOST_CHECK_EQUAL(left.st_ino, written.st_ino); // as nothing was learned, nothing was written
    }
    const auto dispatcher{setup.Make(dir.Path(), FirstOfMarch)};
    CostModel expected{*dispatcher->WaitForModel()};
    expected.Observe(CostModel::Side::CPU, 512, 1);
    dispatcher->Observe(CostModel::Side::CPU, 512, std::chrono::nanoseconds{0}); // a clock that stands still
    BOOST_CHECK(dispatcher->WaitForModel() == expected);
}

/** A batch that is too small for a trial does not take the place of one: the next batch is tried. */
BOOST_AUTO_TEST_CASE(trials_are_put_off)
{
    const TempDir dir;
    Setup setup;
    setup.cpu->compute = setup.device->compute = FakeBackend::Honest;
    BOOST_REQUIRE(setup.Make(dir.Path(), FirstOfMarch)->WaitForModel());
    const std::string content{"measured 1772323200\n" + LargeBatchesOnDevice(false).Serialize()};
    (void)ForgeCacheFile(dir.Path() + "/dispatch", {reinterpret_cast<const uint8_t*>(content.data()), content.size()});
    const auto dispatcher{setup.Make(dir.Path(), FirstOfMarch)};
    BOOST_REQUIRE(dispatcher->WaitForModel());
    for (int round{0}; round < 3; ++round) {
        for (size_t i{1}; i < Dispatcher::BATCHES_FOR_A_TRIAL + 3; ++i) BOOST_CHECK_EQUAL(dispatcher->DeviceShare(1), 0U);
        BOOST_CHECK_EQUAL(dispatcher->DeviceShare(508), 508U - 63);
        BOOST_CHECK_EQUAL(dispatcher->DeviceShare(508), 508U);
    }
    // In turns, the large ones come first, so that every 16th batch is a small one.
    size_t trials{0};
    for (size_t i{1}; i < 2 * Dispatcher::BATCHES_FOR_A_TRIAL; ++i) {
        if (dispatcher->DeviceShare(508) != 508) ++trials;
        BOOST_CHECK_EQUAL(dispatcher->DeviceShare(1), 0U);
    }
    BOOST_CHECK_GE(trials, 3U);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_measured)
{
    const auto log_of{[](const Setup& setup) {
        std::string log;
        const auto logger{std::make_shared<Logger>(LogLevel::WARNING, [&](LogLevel, std::string_view line) { log += line; })};
        {
            Dispatcher dispatcher{Backends{.cpu = setup.cpu, .devices = {setup.device}}, setup.pool, logger, std::string{}};
            BOOST_CHECK(!dispatcher.WaitForModel());
        }
        return log;
    }};
    const auto returns{[](BackendStatus status) { return [status](std::span<const RootJob>, std::span<Root>) { return status; }; }};
    Setup failing_cpu, busy, failing, failing_together, interrupted, unusable;
    failing_cpu.cpu->compute = returns(BackendStatus::FAILED);
    BOOST_CHECK_EQUAL(log_of(failing_cpu), "fake:device gets no work: the CPU engine failed while it was measured");
    busy.device->compute = returns(BackendStatus::BUSY);
    BOOST_CHECK_EQUAL(log_of(busy), "fake:device gets no work: the device was busy while it was measured");
    failing.device->compute = returns(BackendStatus::FAILED);
    BOOST_CHECK_EQUAL(log_of(failing), "fake:device gets no work: the device failed while it was measured");
    // With a part of the largest batch, while the CPU has the rest
    failing_together.cpu = BackendTaking(std::chrono::milliseconds{2}, false);
    failing_together.device = BackendTaking(std::chrono::milliseconds{2}, true);
    size_t most{0};
    failing_together.device->compute = [&, works = failing_together.device->compute](std::span<const RootJob> jobs, std::span<Root> roots) {
        if (jobs.size() < most) return BackendStatus::FAILED;
        most = jobs.size();
        return works(jobs, roots);
    };
    BOOST_CHECK_EQUAL(log_of(failing_together), "fake:device gets no work: the device failed while it was measured");
    interrupted.pool->Interrupt();
    BOOST_CHECK_EQUAL(log_of(interrupted), "fake:device gets no work: interrupted while it was measured");
    unusable.device->ready = false;
    unusable.device->retired = true;
    BOOST_CHECK_EQUAL(log_of(unusable), ""); // the device itself has said why
}

BOOST_AUTO_TEST_CASE(no_thread_to_measure_in, *boost::unit_test::precondition(slhc::test::CanForbidThreads))
{
    const Setup setup; // a pool without threads
    BOOST_CHECK_EQUAL(InChildProcess([&]() -> std::string {
        if (!slhc::test::ForbidThreads()) return "threads cannot be forbidden";
        const auto dispatcher{setup.Make({})};
        return dispatcher->WaitForModel() ? "measured" : "the CPU does everything";
    }), "the CPU does everything");
}

/** What was measured on a busy day is not kept for ever: a file has an age. */
BOOST_AUTO_TEST_CASE(files_grow_old)
{
    static std::chrono::sys_seconds s_today;
    const Dispatcher::Today today{[] { return s_today; }};
    const std::chrono::sys_seconds begin{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1}};
    const TempDir dir;
    const Setup setup;
    const auto measures{[&](std::chrono::sys_seconds now) {
        s_today = now;
        const size_t calls{setup.device->calls};
        BOOST_REQUIRE(setup.Make(dir.Path(), today)->WaitForModel());
        return setup.device->calls > calls;
    }};
    BOOST_CHECK(measures(begin));
    BOOST_CHECK(!measures(begin));
    BOOST_CHECK(!measures(begin + Dispatcher::MAX_AGE));
    BOOST_CHECK(measures(begin + Dispatcher::MAX_AGE + std::chrono::seconds{1})); // and begins a new day
    BOOST_CHECK(!measures(begin + 2 * Dispatcher::MAX_AGE));
    BOOST_CHECK(measures(begin)); // a file from the future
    constexpr std::chrono::sys_seconds epoch{};
    BOOST_CHECK(measures(epoch));
    BOOST_CHECK(!measures(epoch));
    const std::string before{"measured -1\n" + CostModel{{{1, 2, 3}}, false}.Serialize()};
    (void)ForgeCacheFile(dir.Path() + "/dispatch", {reinterpret_cast<const uint8_t*>(before.data()), before.size()});
    BOOST_CHECK(measures(epoch));
}

/** What batches took is learned from, and the next process knows it; the file gets no younger by that. */
BOOST_AUTO_TEST_CASE(batches_correct_what_was_measured)
{
    static std::chrono::sys_seconds s_today;
    const Dispatcher::Today today{[] { return s_today; }};
    s_today = std::chrono::sys_days{std::chrono::year{2026} / 3 / 1};
    const TempDir dir;
    const Setup setup;
    {
        const auto dispatcher{setup.Make(dir.Path(), today)};
        BOOST_REQUIRE(dispatcher->WaitForModel());
        BOOST_CHECK_EQUAL(dispatcher->DeviceShare(512), 512U);
        // It was the other way round.
        for (int i{0}; i < 100; ++i) {
            dispatcher->Observe(CostModel::Side::CPU, 512, std::chrono::microseconds{100});
            dispatcher->Observe(CostModel::Side::DEVICE, 512, std::chrono::milliseconds{100});
        }
        BOOST_CHECK_EQUAL(dispatcher->DeviceShare(512), 0U);
    }
    s_today += Dispatcher::MAX_AGE;
    const size_t calls{setup.device->calls};
    {
        const auto dispatcher{setup.Make(dir.Path(), today)};
        BOOST_REQUIRE(dispatcher->WaitForModel());
        BOOST_CHECK_EQUAL(setup.device->calls, calls);
        BOOST_CHECK_EQUAL(dispatcher->DeviceShare(512), 0U);
        dispatcher->Observe(CostModel::Side::CPU, 512, std::chrono::microseconds{100});
    }
    s_today += std::chrono::seconds{1};
    BOOST_REQUIRE(setup.Make(dir.Path(), today)->WaitForModel());
    BOOST_CHECK_GT(setup.device->calls, calls);
}

/** Where files may not grow, what was learned is lost, and nothing else: no signal ends the process. */
BOOST_AUTO_TEST_CASE(no_room_for_what_was_learned, *boost::unit_test::precondition(slhc::test::CanFollowForks))
{
    const TempDir dir;
    BOOST_CHECK_EQUAL(InChildProcess([&]() -> std::string {
                          signal(SIGXFSZ, SIG_DFL);
                          const rlimit none{.rlim_cur = 0, .rlim_max = 0};
                          if (setrlimit(RLIMIT_FSIZE, &none) != 0) return "no limit";
                          const Setup setup;
                          const auto dispatcher{setup.Make(dir.Path())};
                          if (!dispatcher->WaitForModel()) return "no model";
                          dispatcher->Observe(CostModel::Side::CPU, 512, std::chrono::microseconds{100});
                          return "";
                      }),
                      "");
    BOOST_CHECK(std::filesystem::is_empty(dir.Path()));
}

/** A verifier tells what it sees, and now and then gives both sides something to do. */
BOOST_AUTO_TEST_CASE(verifier_teaches_the_dispatcher)
{
    const Setup setup;
    const auto dispatcher{std::shared_ptr<Dispatcher>{setup.Make({})}};
    const auto before{dispatcher->WaitForModel()};
    BOOST_REQUIRE(before);
    std::array<std::atomic<size_t>, 2> told{};
    std::atomic<bool> timeless{false};
    Verifier verifier{{.cpu = setup.cpu, .devices = {setup.device}}, setup.pool, std::make_shared<Logger>(),
                      [&](size_t n) { return dispatcher->DeviceShare(n); },
                      [&](CostModel::Side side, size_t n, std::chrono::nanoseconds time) {
                          if (time <= std::chrono::nanoseconds{0}) timeless = true; // called from two threads at once
                          told[side == CostModel::Side::DEVICE] += n;
                          dispatcher->Observe(side, n, time);
                      }};
    const SignatureCheck entry{FakeEntry(OriginAt(0), true)};
    const std::vector<CheckView> checks(8'000, entry.View()); // 16 ms on the device
    std::vector<Verdict> verdicts(checks.size());
    const size_t jobs[]{setup.cpu->jobs, setup.device->jobs};
    for (size_t i{0}; i < Dispatcher::BATCHES_FOR_A_TRIAL; ++i) {
        BOOST_REQUIRE(verifier.VerifyMany(checks, verdicts));
        BOOST_CHECK(std::ranges::all_of(verdicts, [](Verdict v) { return v == Verdict::VALID; }));
    }
    BOOST_CHECK_EQUAL(told[0], setup.cpu->jobs - jobs[0]);
    BOOST_CHECK_EQUAL(told[1], setup.device->jobs - jobs[1]);
    BOOST_CHECK(told[0] > 0 && told[0] < 8'000);
    BOOST_CHECK(!timeless);
    BOOST_CHECK(!(dispatcher->WaitForModel() == before));

    // A device that fails has no time.
    setup.device->compute = [](std::span<const RootJob>, std::span<Root>) { return BackendStatus::FAILED; };
    const size_t told_of_device{told[1]};
    BOOST_REQUIRE(verifier.VerifyMany(checks, verdicts));
    BOOST_CHECK_EQUAL(told[1], told_of_device);
}

BOOST_AUTO_TEST_CASE(slow_device_gets_nothing)
{
    Setup setup;
    setup.device = BackendTaking(std::chrono::milliseconds{150}, true); // longer than a calibration goes on
    setup.cpu->compute = FakeBackend::Honest;
    std::string log;
    {
        const auto logger{std::make_shared<Logger>(LogLevel::INFO, [&](LogLevel, std::string_view line) { log += line; })};
        Dispatcher dispatcher{Backends{.cpu = setup.cpu, .devices = {setup.device}}, setup.pool, logger, std::string{}};
        BOOST_REQUIRE(dispatcher.WaitForModel());
        for (const size_t n : {1, 8, 64, 512}) BOOST_CHECK_EQUAL(dispatcher.DeviceShare(n), 0U);
    }
    BOOST_CHECK_EQUAL(setup.device->calls, 1U);
    BOOST_CHECK_EQUAL(log, "fake:device gets 0 of 16, 0 of 64, 0 of 508, 0 of 4096 signatures");
}

/** Two sides that are equally fast are faster together, unless they use the same core. */
BOOST_AUTO_TEST_CASE(both_sides_together_are_measured)
{
    for (const bool same_core : {false, true}) {
        std::mutex core;
        const auto slow{[&](std::span<const RootJob> jobs, std::span<Root> roots) {
            std::unique_lock lock{core, std::defer_lock};
            if (same_core) lock.lock();
            std::this_thread::sleep_for(std::chrono::milliseconds{2} * jobs.size());
            return FakeBackend::Honest(jobs, roots);
        }};
        Setup setup;
        setup.cpu->compute = setup.device->compute = slow;
        const auto dispatcher{setup.Make({})};
        const std::optional<CostModel> model{dispatcher->WaitForModel()};
        BOOST_REQUIRE(model);
        const size_t share{model->DeviceShare(64)};
        BOOST_CHECK_EQUAL(share > 0 && share < 64, !same_core);
    }
}

BOOST_AUTO_TEST_CASE(destroyed_while_measuring)
{
    const TempDir dir;
    Setup setup;
    std::promise<void> begun;
    std::atomic<int> calls{0};
    setup.cpu->compute = FakeBackend::Honest;
    setup.device->compute = [&](std::span<const RootJob> jobs, std::span<Root> roots) {
        if (++calls == 1) begun.set_value();
        std::this_thread::sleep_for(std::chrono::milliseconds{30});
        return FakeBackend::Honest(jobs, roots);
    };
    auto dispatcher{setup.Make(dir.Path())};
    BOOST_CHECK_EQUAL(dispatcher->DeviceShare(512), 0U);
    begun.get_future().wait();
    dispatcher.reset();
    BOOST_CHECK_LT(calls, 18); // six sizes, three times each
    BOOST_CHECK(std::filesystem::is_empty(dir.Path()));
}

/** A device that fails or is wrong while it is measured is never used, and nothing of it is remembered. */
BOOST_AUTO_TEST_CASE(faulty_device_gets_nothing)
{
    const FakeBackend::Compute fails{[](std::span<const RootJob>, std::span<Root>) { return BackendStatus::FAILED; }};
    const FakeBackend::Compute throws{[](std::span<const RootJob>, std::span<Root>) -> BackendStatus { throw std::bad_alloc{}; }};
    const FakeBackend::Compute wrong{[](std::span<const RootJob> jobs, std::span<Root> roots) {
        const BackendStatus status{FakeBackend::Honest(jobs, roots)};
        roots.back()[3] ^= 1;
        return status;
    }};
    for (const auto& [compute, was_wrong] :
         std::vector<std::pair<FakeBackend::Compute, bool>>{{fails, false}, {throws, false}, {wrong, true}}) {
        const TempDir dir;
        Setup setup;
        setup.device->compute = compute;
        const auto dispatcher{setup.Make(dir.Path())};
        BOOST_CHECK(!dispatcher->WaitForModel());
        BOOST_CHECK_EQUAL(dispatcher->DeviceShare(4'096), 0U);
        BOOST_CHECK(std::filesystem::is_empty(dir.Path()));
        // That it failed a device knows itself, that it was wrong it does not.
        BOOST_CHECK_EQUAL(setup.device->retired, was_wrong);
    }
}

/** What a verifier asks before any device is ready is what opens the one that nobody named. */
BOOST_AUTO_TEST_CASE(first_large_batch_opens_the_device)
{
    Setup setup;
    setup.device->ready = false;
    const Backends backends{.cpu = setup.cpu, .devices = {setup.device}};
    const auto logger{std::make_shared<Logger>()};
    const Sharing sharing{MakeSharing(backends, setup.pool, logger, {})};
    Verifier verifier{backends, setup.pool, logger, sharing.device_share, sharing.observer};
    const SignatureCheck entry{FakeEntry(OriginAt(0), true)};
    const std::vector<CheckView> checks(Dispatcher::BATCH_TO_OPEN_FOR, entry.View());
    std::vector<Verdict> verdicts(checks.size());
    BOOST_REQUIRE(verifier.VerifyMany(std::span{checks}.first(checks.size() - 1), std::span{verdicts}.first(checks.size() - 1)));
    BOOST_CHECK_EQUAL(setup.device->opened, 0U);
    BOOST_REQUIRE(verifier.VerifyMany(checks, verdicts));
    BOOST_CHECK_EQUAL(setup.device->opened, 1U);
    BOOST_CHECK(std::ranges::all_of(verdicts, [](Verdict v) { return v == Verdict::VALID; }));
}

/** Nothing is opened for signatures that the CPU is done with at once. */
BOOST_AUTO_TEST_CASE(small_batches_open_no_device)
{
    Setup setup;
    const auto dispatcher{setup.Make({})};
    for (size_t n{0}; n < Dispatcher::BATCH_TO_OPEN_FOR; ++n) BOOST_CHECK_EQUAL(dispatcher->DeviceShare(n), 0U);
    BOOST_CHECK_EQUAL(setup.device->opened, 0U);
    BOOST_CHECK_EQUAL(setup.device->calls, 0U);
    (void)dispatcher->DeviceShare(Dispatcher::BATCH_TO_OPEN_FOR);
    BOOST_CHECK_EQUAL(setup.device->opened, 1U);
    const Setup other;
    (void)other.Make({})->DeviceShare(Dispatcher::BATCH_TO_OPEN_FOR + 1);
    BOOST_CHECK_EQUAL(other.device->opened, 1U);
    BOOST_REQUIRE(dispatcher->WaitForModel());
    (void)dispatcher->DeviceShare(512);
    BOOST_CHECK_EQUAL(setup.device->opened, 1U);
}

/** Destroying a dispatcher does not wait for a device that never gets ready. */
BOOST_AUTO_TEST_CASE(device_never_ready)
{
    Setup setup;
    setup.device->ready = false;
    const auto dispatcher{setup.Make({})};
    BOOST_CHECK_EQUAL(dispatcher->DeviceShare(4'096), 0U);
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
    BOOST_CHECK_EQUAL(dispatcher->DeviceShare(4'096), 0U);
    BOOST_CHECK_EQUAL(setup.device->calls, 0U);
}

/** From there on nothing can be allocated, a message neither: the thread ends as after any other fault. */
BOOST_AUTO_TEST_CASE(no_memory_while_measured, *boost::unit_test::precondition(slhc::test::CanForbidAllocations))
{
    Setup setup;
    setup.device->compute = [](std::span<const RootJob>, std::span<Root>) -> BackendStatus {
        slhc::test::ForbidAllocations(); // in the dispatcher's thread
        throw std::bad_alloc{};
    };
    const auto dispatcher{std::make_unique<Dispatcher>(Backends{.cpu = setup.cpu, .devices = {setup.device}}, setup.pool,
                                                       std::make_shared<Logger>(LogLevel::DEBUG, [](LogLevel, std::string_view) {}),
                                                       std::string{})};
    BOOST_CHECK(!dispatcher->WaitForModel());
    BOOST_CHECK_EQUAL(dispatcher->DeviceShare(4'096), 0U);
}

/** Neither the thread that measures, nor those that wait for a device, take signals of the program. */
BOOST_AUTO_TEST_CASE(threads_block_signals)
{
    Setup setup;
    std::atomic<size_t> calls{0}, open{0};
    setup.device->compute = [&](std::span<const RootJob> jobs, std::span<Root> roots) {
        ++calls;
        if (!slhc::test::BlocksSentSignals()) ++open;
        return FakeBackend::Honest(jobs, roots);
    };
    BOOST_REQUIRE(setup.Make({})->WaitForModel());
    const size_t measured{calls};
    BOOST_CHECK_GT(measured, 0U);
    Verifier verifier{{.cpu = setup.cpu, .devices = {setup.device}}, setup.pool, std::make_shared<Logger>(),
                      [](size_t n) { return n / 2; }};
    const SignatureCheck entry{FakeEntry(OriginAt(0), true)};
    const std::vector<CheckView> checks(4, entry.View());
    std::vector<Verdict> verdicts(4);
    BOOST_CHECK(verifier.VerifyMany(checks, verdicts));
    BOOST_CHECK_EQUAL(calls, measured + 1);
    BOOST_CHECK_EQUAL(open, 0U);
}

BOOST_AUTO_TEST_CASE(where_there_is_no_choice)
{
    Setup setup;
    const auto logger{std::make_shared<const Logger>()};
    const auto is_choice{[&](const Backends& backends) {
        const Sharing sharing{MakeSharing(backends, setup.pool, logger, {})};
        BOOST_CHECK_EQUAL(static_cast<bool>(sharing.device_share), static_cast<bool>(sharing.observer));
        return static_cast<bool>(sharing.device_share);
    }};
    BOOST_CHECK(!is_choice({.cpu = setup.cpu}));
    BOOST_CHECK(!is_choice({.cpu = setup.cpu, .devices = {setup.device}, .device_only = true}));
    BOOST_CHECK(is_choice({.cpu = setup.cpu, .devices = {setup.device}}));
}

/** The verdicts of a batch that is split are as right as of one that is not. */
BOOST_AUTO_TEST_CASE(split_batch)
{
    Setup setup;
    std::vector<Verifier::DeviceShare> shares{[](size_t n) { return n / 3; }, [](size_t n) { return n; }, [](size_t) { return size_t{0}; }};
    for (const auto& share : shares) {
        Verifier verifier{{.cpu = setup.cpu, .devices = {setup.device}}, setup.pool, std::make_shared<Logger>(), share};
        std::vector<SignatureCheck> entries;
        for (uint64_t i = 0; i < 50; ++i) entries.push_back(FakeEntry(OriginAt(i), i % 5 != 2));
        std::vector<CheckView> checks;
        for (const SignatureCheck& entry : entries) checks.push_back(entry.View());
        std::vector<Verdict> verdicts(checks.size());
        BOOST_REQUIRE(verifier.VerifyMany(checks, verdicts));
        for (size_t i = 0; i < verdicts.size(); ++i) BOOST_CHECK(verdicts[i] == (i % 5 != 2 ? Verdict::VALID : Verdict::INVALID));
        BOOST_CHECK_EQUAL(verifier.Statistics().at(1).jobs, share(50));
    }
}

BOOST_AUTO_TEST_SUITE_END()
