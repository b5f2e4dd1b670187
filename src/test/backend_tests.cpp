// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/allocations.h>
#include <test/batch_fixture.h>
#include <test/preconditions.h>

#include <crypto/endian.h>
#include <pqc/backends.h>
#include <pqc/device/devices.h>
#include <pqc/cpu/engines.h>
#include <pqc/device/entry.h>
#include <pqc/judge.h>
#include <pqc/sample_jobs.h>
#include <pqc/slhdsa/encoding.h>
#include <pqc/slhdsa/hash_functions.h>
#include <pqc/verifier.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <new>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <test/numbers_128s.h>
#include <thread>
#include <utility>
#include <vector>

using namespace slhc;
using namespace slhc::slhdsa;
using namespace slhc::slhdsa::test;

namespace {

const DeviceOptions NO_OPTIONS{.logger = std::make_shared<Logger>(), .cache_dir = {}};

/** A verifier with an honest CPU and a device, and a set of fake signatures for it. */
struct DeviceSetup {
    std::shared_ptr<FakeBackend> cpu{std::make_shared<FakeBackend>()};
    std::shared_ptr<FakeBackend> device{std::make_shared<FakeBackend>()};
    std::vector<std::string> log;
    std::mutex log_mutex;
    std::shared_ptr<Verifier> verifier;
    std::vector<SignatureCheck> entries;
    std::vector<CheckView> checks;

    explicit DeviceSetup(size_t n, std::set<size_t> bad = {}, Verifier::DeviceShare share = {}, unsigned threads = 2)
    {
        device->is_device = true;
        verifier = std::make_shared<Verifier>(Backends{.cpu = cpu, .devices = {device}, .device_only = true},
                                              std::make_shared<ThreadPool>(threads),
                                              std::make_shared<Logger>(LogLevel::DEBUG, [this](LogLevel, std::string_view line) {
                                                  const std::lock_guard lock{log_mutex};
                                                  log.emplace_back(line);
                                              }),
                                              std::move(share));
        for (size_t i = 0; i < n; ++i) entries.push_back(FakeEntry(TicketAt(i), !bad.contains(i)));
        for (const SignatureCheck& entry : entries) checks.push_back(entry.View());
    }

    /** Verify all, and check that every verdict is right. */
    void VerifyExpecting(const std::set<size_t>& bad)
    {
        std::vector<Verdict> verdicts(checks.size());
        BOOST_CHECK(verifier->VerifyMany(checks, verdicts));
        CheckVerdicts(verdicts, bad);
    }

    /** The part of VerifyExpecting that the test's own thread must do, since Boost.Test's checks are not for others. */
    static void CheckVerdicts(std::span<const Verdict> verdicts, const std::set<size_t>& bad)
    {
        for (size_t i = 0; i < verdicts.size(); ++i) {
            if (verdicts[i] != (bad.contains(i) ? Verdict::INVALID : Verdict::VALID)) BOOST_ERROR("wrong verdict for entry " << i);
        }
    }

    /** Give an entry a signature of the wrong size. */
    void CutSignature(size_t i)
    {
        entries[i].signature.pop_back();
        checks[i] = entries[i].View();
    }

    /** Interrupt the pool when the CPU is asked for the first time; that call is done all the same. */
    void InterruptOnCpu()
    {
        cpu->compute = [this](std::span<const RootJob> jobs, std::span<Root> roots) {
            verifier->Pool().Interrupt();
            return FakeBackend::Honest(jobs, roots);
        };
    }

    BackendStatistics DeviceStatistics() const { return verifier->Statistics().at(1); }
};

/** The time at which the last of some threads ends, each of which takes the next chunk as soon as it is free.
 *  @param[in] slowness  the time of each thread for a job
 *  @return the end, in times of a job */
size_t EndOfLastThread(const std::vector<Chunk>& chunks, const std::vector<size_t>& slowness)
{
    std::vector<size_t> ends(slowness.size());
    for (const Chunk& chunk : chunks) {
        const auto first{std::ranges::min_element(ends)};
        *first += chunk.size * slowness[static_cast<size_t>(first - ends.begin())];
    }
    return *std::ranges::max_element(ends);
}

} // namespace

BOOST_AUTO_TEST_SUITE(backend_tests)

BOOST_AUTO_TEST_CASE(chunks_cover_a_batch_and_feed_every_thread)
{
    for (const unsigned threads : {1U, 2U, 3U, 16U}) {
        for (const size_t preferred : {size_t{0}, size_t{1}, size_t{7}, size_t{64}}) {
            for (size_t n = 0; n <= 300; ++n) {
                const auto all{CutChunks(n, threads, preferred)};
                BOOST_REQUIRE_EQUAL(all.empty(), n == 0);
                size_t next{0};
                for (const auto& [begin, size] : all) {
                    BOOST_REQUIRE_EQUAL(begin, next);
                    BOOST_REQUIRE_GT(size, 0U);
                    BOOST_REQUIRE_LE(size, std::max<size_t>(preferred, 1));
                    next = begin + size;
                }
                BOOST_REQUIRE_EQUAL(next, n);
                BOOST_REQUIRE_LE(EndOfLastThread(all, std::vector<size_t>(threads, 1)), (n + threads - 1) / threads);
            }
        }
    }
    const auto sizes{[](size_t n, unsigned threads, size_t preferred) {
        std::vector<size_t> all;
        for (const Chunk& chunk : CutChunks(n, threads, preferred)) all.push_back(chunk.size);
        return all;
    }};
    using Sizes = std::vector<size_t>;
    // One thread: equal chunks.
    BOOST_CHECK((sizes(130, 1, 64) == Sizes{44, 43, 43}));
    BOOST_CHECK((sizes(5, 0, 64) == Sizes{5}));
    // Several: two thirds of what is left in each round, as long as each thread has two of the least chunks.
    BOOST_CHECK((sizes(508, 2, 128) == Sizes{128, 128, 84, 84, 28, 28, 14, 14}));
    BOOST_CHECK((sizes(100, 2, 32) == Sizes{32, 32, 12, 12, 4, 4, 2, 2}));
    BOOST_CHECK((sizes(24, 2, 32) == Sizes{8, 8, 2, 2, 2, 2}));
    BOOST_CHECK((sizes(6, 2, 30) == Sizes{2, 2, 1, 1}));
    BOOST_CHECK((sizes(6, 2, 8) == Sizes{2, 2, 1, 1}));
    BOOST_CHECK((sizes(4, 2, 30) == Sizes{1, 1, 1, 1}));
}

/** A block's signatures, with one thread at half the speed of the others, which take over. */
BOOST_AUTO_TEST_CASE(chunks_even_out_a_slow_thread)
{
    for (const unsigned threads : {2U, 4U, 6U, 8U, 12U, 16U}) {
        std::vector<size_t> slowness(threads, 1);
        slowness[0] = 2;
        const double equal_share{508 / (threads - 0.5)};
        // Left to itself, it would take twice as long as the others.
        BOOST_CHECK_LE(EndOfLastThread(CutChunks(508, threads, 128), slowness), 1.45 * equal_share);
    }
}

BOOST_AUTO_TEST_CASE(judge_prepares_as_the_oracle)
{
    const Signed& real{RealSignatures()[1]};
    const auto portable{CreatePortableEngine()};
    const auto verify{[&](const std::optional<MessagePieces>& message, const PublicKey& pk, const Signature& sig) {
        const RootJob job{PrepareRootJob({pk.data(), *message, sig})};
        BOOST_CHECK_LT(job.idx_leaf, 1U << H_PRIME);
        BOOST_CHECK_LT(job.idx_tree, uint64_t{1} << (H - H_PRIME));
        Root root;
        BOOST_CHECK(portable->ComputeRoots({&job, 1}, {&root, 1}) == BackendStatus::OK);
        return RootMatches(root, pk.data());
    }};
    BOOST_CHECK(verify(MessagePieces::Pure(real.message, {}), real.public_key, real.signature));
    // The internal interface over M' put together by hand is the same signature.
    std::vector<uint8_t> m_prime{0x00, 0x00};
    m_prime.insert(m_prime.end(), real.message.begin(), real.message.end());
    BOOST_CHECK(verify(MessagePieces::Internal(m_prime), real.public_key, real.signature));
    BOOST_CHECK(!verify(MessagePieces::Internal(real.message), real.public_key, real.signature));
    BOOST_CHECK(!verify(MessagePieces::Pure(real.message, std::array<uint8_t, 1>{}), real.public_key, real.signature));

    // Every byte of the key, and single bits all over the signature.
    for (size_t i = 0; i < PUBLIC_KEY_SIZE; i += 5) {
        PublicKey pk{real.public_key};
        pk[i] ^= 1;
        BOOST_CHECK(!verify(MessagePieces::Pure(real.message, {}), pk, real.signature));
    }
    for (size_t i = 0; i < SIGNATURE_SIZE; i += 397) {
        Signature sig{real.signature};
        sig[i] ^= static_cast<uint8_t>(1 << (i % 8));
        BOOST_CHECK(!verify(MessagePieces::Pure(real.message, {}), real.public_key, sig));
    }
}

#ifdef __linux__ // which has devices
/** The offset of each part of an entry and the order of its bytes are the same on every processor. */
BOOST_AUTO_TEST_CASE(an_entry_is_laid_out_as_the_shader_reads_it)
{
    const SampleJobs sample{1};
    const RootJob& job{sample.Jobs()[0]};
    Root mask;
    for (size_t i{0}; i < N; ++i) mask[i] = static_cast<uint8_t>(0x5c + i);
    std::vector<uint8_t> bytes(DeviceEntry::Size(PARAMS_128S));
    FillEntry(bytes, job, mask);
    for (size_t i{0}; i < bytes.size(); ++i) bytes[i] ^= mask[i % N];
    const sha256::State midstate{HashContext{NodeView{job.pk_seed, N}}.SeedState()};
    for (size_t i{0}; i < midstate.size(); ++i) BOOST_CHECK_EQUAL(ReadLE32(&bytes[4 * i]), midstate[i]);
    for (size_t i{0}; i < N; ++i) BOOST_CHECK_EQUAL(bytes[32 + i], 0);
    BOOST_CHECK_EQUAL(ReadLE32(&bytes[48]), job.idx_tree >> 32);
    BOOST_CHECK_EQUAL(ReadLE32(&bytes[52]), job.idx_tree & 0xffffffff);
    BOOST_CHECK_EQUAL(ReadLE32(&bytes[56]), job.idx_leaf);
    BOOST_CHECK_EQUAL(ReadLE32(&bytes[60]), 0U);
    const std::array<uint32_t, K> indexes{base_2b<A, K>(job.md)};
    for (size_t i{0}; i < K; ++i) BOOST_CHECK_EQUAL(ReadLE32(&bytes[64 + 4 * i]), indexes[i]);
    for (size_t i{120}; i < 128; ++i) BOOST_CHECK_EQUAL(bytes[i], 0);
    BOOST_CHECK_EQUAL_COLLECTIONS(bytes.begin() + 128, bytes.end(), job.signature + N, job.signature + SIGNATURE_SIZE);
}
#endif

BOOST_AUTO_TEST_CASE(every_cpu_engine_verifies)
{
    BOOST_REQUIRE(!CpuEngines().All().empty());
    BOOST_CHECK(CpuEngines().All().back().Isa() == "portable");
    BOOST_CHECK(CpuEngines().All().back().IsOffered());
    const auto& real{RealSignatures()};
    for (const CpuEngine& engine : CpuEngines().All()) {
        if (!engine.IsOffered()) {
            BOOST_TEST_MESSAGE("SKIPPED: the engine " << engine.Isa() << ": " << engine.WhyNot());
            continue;
        }
        const auto backend{engine.Create()};
        BOOST_CHECK(backend->Name() == engine.Name());
        BOOST_CHECK_GE(backend->PreferredJobs(), 1U);
        for (size_t n = 0; n <= 20; ++n) {
            std::vector<RootJob> jobs;
            for (size_t i = 0; i < n; ++i) {
                const Signed& s{real[i % real.size()]};
                jobs.push_back(PrepareRootJob({s.public_key.data(), *MessagePieces::Pure(s.message, {}), s.signature}));
            }
            std::vector<Root> roots(n);
            BOOST_CHECK(backend->ComputeRoots(jobs, roots) == BackendStatus::OK);
            for (size_t i = 0; i < n; ++i) BOOST_CHECK(RootMatches(roots[i], real[i % real.size()].public_key.data()));
        }
    }
}

BOOST_AUTO_TEST_CASE(a_name_selects_its_backends_or_is_refused)
{
    std::string error;
    for (const char* name : {"auto", "cpu", "cpu:portable"}) {
        const auto backends{SelectBackends(name, NO_OPTIONS, error)};
        BOOST_REQUIRE_MESSAGE(backends, error);
        BOOST_CHECK(backends->cpu);
        BOOST_CHECK(!backends->device_only);
        if (std::string{name} != "auto") BOOST_CHECK(backends->devices.empty());
    }
    BOOST_CHECK(SelectBackends("cpu:portable", NO_OPTIONS, error)->cpu->Name() == "cpu:portable");

    const std::string longest(5000, 'x');
    for (const std::string& bad : {std::string{}, std::string{"CPU"}, std::string{"cpu:"}, std::string{"cpu:avx3"}, std::string{"cpux"},
                                   std::string{"cpu portable"}, std::string{"auto "}, std::string{"gpu"}, std::string{":0"}, longest}) {
        error.clear();
        BOOST_CHECK_MESSAGE(!SelectBackends(bad, NO_OPTIONS, error), "accepted '" << bad << "'");
        BOOST_CHECK_MESSAGE(error.starts_with("unknown backend '" + bad.substr(0, 40) + "'; "), error); // names the thing
        BOOST_CHECK(error.find("cpu:portable") != std::string::npos);                                   // and what there is instead
        BOOST_CHECK(error.find('\n') == std::string::npos);
        BOOST_CHECK_LT(error.size(), 250U);
    }
    for (const CpuEngine& engine : CpuEngines().All()) {
        const auto backends{SelectBackends(engine.Name(), NO_OPTIONS, error)};
        BOOST_CHECK_EQUAL(backends.has_value(), engine.IsOffered());
        if (!backends) BOOST_CHECK_EQUAL(error, "backend '" + std::string{engine.Name()} + "': " + std::string{engine.WhyNot()});
    }
    const std::string vulkan{VULKAN};
    for (const char* bad : {"x", "0", "/0", ";0", ":", " :0", ":auto"}) {
        BOOST_CHECK(!SelectBackends(vulkan + bad, NO_OPTIONS, error));
        BOOST_CHECK_MESSAGE(error.starts_with("unknown backend '" + vulkan + bad + "'; "), error);
        BOOST_CHECK_MESSAGE(error.ends_with(", vulkan[:index|:name|:all]"), error);
    }
    // Where there is a device, auto takes one.
    if (SelectBackends(VULKAN, NO_OPTIONS, error)) {
        const auto backends{SelectBackends("auto", NO_OPTIONS, error)};
        BOOST_REQUIRE(backends);
        BOOST_REQUIRE_EQUAL(backends->devices.size(), 1U);
        BOOST_CHECK_EQUAL(backends->devices[0]->Name(), VULKAN);
    }
    // A name of the right form, but no device.
    for (const char* absent : {":x", ":999"}) {
        BOOST_CHECK(!SelectBackends(vulkan + absent, NO_OPTIONS, error));
        BOOST_CHECK_MESSAGE(error.starts_with("vulkan: "), error);
    }

    const auto infos{ListBackends(NO_OPTIONS)};
    const auto engines{CpuEngines().All()};
    BOOST_REQUIRE_GE(infos.size(), engines.size());
    for (const BackendInfo& info : infos) BOOST_CHECK(!info.name.empty() && !info.description.empty());
    for (size_t i{0}; i < engines.size(); ++i) { // they come first
        const CpuEngine& engine{engines[i]};
        BOOST_CHECK_EQUAL(infos[i].name, engine.Name());
        BOOST_CHECK_EQUAL(infos[i].available, engine.IsOffered());
        BOOST_CHECK(infos[i].description.ends_with(engine.IsOffered() ? engine.How() : engine.WhyNot()));
    }
    size_t i{engines.size()};
    bool is_fault{false};
    for (const DeviceDescription& device : ListDeviceBackends(NO_OPTIONS, error, is_fault)) {
        BOOST_REQUIRE_LT(i, infos.size());
        BOOST_CHECK_EQUAL(infos[i].name, vulkan + ":" + std::to_string(device.index));
        BOOST_CHECK_EQUAL(infos[i].description, Describe(device));
        BOOST_CHECK(infos[i++].available);
    }
    if (!error.empty()) { // why there is none
        BOOST_REQUIRE_LT(i, infos.size());
        BOOST_CHECK(infos[i].name == VULKAN && !infos[i].available && infos[i].description.ends_with(error));
        BOOST_CHECK_EQUAL(infos[i++].fault, is_fault ? error : "");
    }
    BOOST_CHECK_EQUAL(i, infos.size());
}

BOOST_AUTO_TEST_CASE(a_device_that_is_right_decides)
{
    for (const size_t n : {0, 1, 2, 63, 64, 65, 200}) {
        DeviceSetup setup{n};
        setup.VerifyExpecting({});
        BOOST_CHECK_EQUAL(setup.device->jobs.load(), n);
        BOOST_CHECK_EQUAL(setup.cpu->jobs.load(), 0U); // nothing was doubtful
        BOOST_CHECK(!setup.DeviceStatistics().retired);
    }
}

BOOST_AUTO_TEST_CASE(invalid_signatures_do_not_retire_a_device)
{
    const std::set<size_t> bad{0, 7, 64, 99};
    DeviceSetup setup{100, bad};
    for (int round = 0; round < 3; ++round) setup.VerifyExpecting(bad);
    BOOST_CHECK_EQUAL(setup.device->calls.load(), 3U);
    BOOST_CHECK_EQUAL(setup.cpu->jobs.load(), 3U * bad.size()); // the CPU confirmed each refusal
    const auto statistics{setup.DeviceStatistics()};
    BOOST_CHECK(!statistics.retired && statistics.wrong_roots == 0 && statistics.failed_calls == 0);
    BOOST_CHECK_EQUAL(statistics.calls, 3U);
    BOOST_CHECK_EQUAL(statistics.jobs, 300U);
    BOOST_CHECK(setup.log.empty());
}

BOOST_AUTO_TEST_CASE(faulty_device_costs_time_and_never_a_verdict)
{
    struct Fault {
        const char* what;
        FakeBackend::Compute compute;
        uint64_t wrong;
        uint64_t failed;
    };
    const std::set<size_t> bad{3, 40};
    const std::vector<Fault> faults{
        {"all roots zero",
         [](std::span<const RootJob>, std::span<Root> roots) {
             for (Root& root : roots) root.fill(0);
             return BackendStatus::OK;
         },
         100, 0},
        {"one root wrong",
         [](std::span<const RootJob> jobs, std::span<Root> roots) {
             (void)FakeBackend::Honest(jobs, roots);
             roots[77][5] ^= 1;
             return BackendStatus::OK;
         },
         1, 0},
        {"a refusal for the wrong reason",
         [](std::span<const RootJob> jobs, std::span<Root> roots) {
             (void)FakeBackend::Honest(jobs, roots);
             roots[3].fill(0xff);
             return BackendStatus::OK;
         },
         1, 0},
        {"one root wrong, and an invalid signature that seems to lead to PK.root",
         [](std::span<const RootJob> jobs, std::span<Root> roots) {
             (void)FakeBackend::Honest(jobs, roots);
             std::copy_n(jobs[40].pk_seed + N, N, roots[40].begin());
             roots[77][5] ^= 1;
             return BackendStatus::OK;
         },
         2, 0},
        {"results of the entry before",
         [](std::span<const RootJob> jobs, std::span<Root> roots) {
             for (size_t i = 0; i < jobs.size(); ++i) roots[i] = FakeRoot(jobs[(i + jobs.size() - 1) % jobs.size()]);
             return BackendStatus::OK;
         },
         100, 0},
        {"call failed", [](std::span<const RootJob>, std::span<Root>) { return BackendStatus::FAILED; }, 0, 1},
        {"call failed with right roots in place",
         [](std::span<const RootJob> jobs, std::span<Root> roots) {
             (void)FakeBackend::Honest(jobs, roots);
             return BackendStatus::FAILED;
         },
         0, 1},
        {"out of memory", [](std::span<const RootJob>, std::span<Root>) -> BackendStatus { throw std::bad_alloc{}; }, 0, 1},
    };
    for (const Fault& fault : faults) {
        BOOST_TEST_CONTEXT(fault.what)
        {
            DeviceSetup setup{100, bad};
            setup.device->compute = fault.compute;
            setup.VerifyExpecting(bad);
            auto statistics{setup.DeviceStatistics()};
            BOOST_CHECK(statistics.retired && !statistics.ready);
            BOOST_CHECK_EQUAL(statistics.wrong_roots, fault.wrong);
            BOOST_CHECK_EQUAL(statistics.failed_calls, fault.failed);
            BOOST_REQUIRE(!setup.log.empty());
            BOOST_CHECK(setup.log.back().find("fake:device is retired") != std::string::npos);
            // A retired device stays retired, even if it would behave now.
            setup.device->compute = FakeBackend::Honest;
            setup.VerifyExpecting(bad);
            BOOST_CHECK_EQUAL(setup.device->calls.load(), 1U);
        }
    }
}

/** The device is found to be wrong, and then the memory ends: the call fails, but the finding counts. */
BOOST_AUTO_TEST_CASE(no_memory_while_a_wrong_device_is_judged, *boost::unit_test::precondition(slhc::test::CanForbidAllocations))
{
    DeviceSetup setup{100, {}, {}, 1};
    setup.device->compute = [](std::span<const RootJob>, std::span<Root> roots) {
        for (Root& root : roots) root.fill(0);
        return BackendStatus::OK;
    };
    setup.cpu->compute = [&](std::span<const RootJob> jobs, std::span<Root> roots) {
        if (setup.cpu->calls == 2) slhc::test::FailOneAllocationAfter(0); // in the chunk after this one
        return FakeBackend::Honest(jobs, roots);
    };
    std::vector<Verdict> verdicts(setup.checks.size());
    BOOST_CHECK_THROW((void)setup.verifier->VerifyMany(setup.checks, verdicts), std::bad_alloc);
    BOOST_CHECK(slhc::test::StopFailingAllocations());
    BOOST_CHECK_EQUAL(setup.cpu->calls.load(), 2U);
    const auto statistics{setup.DeviceStatistics()};
    BOOST_CHECK(statistics.retired && setup.device->retired);
    BOOST_CHECK_EQUAL(statistics.wrong_roots, 2 * setup.cpu->preferred);
    BOOST_REQUIRE_EQUAL(setup.log.size(), 1U);
    BOOST_CHECK_MESSAGE(setup.log[0].starts_with("fake:device is retired: 16 of 100 roots were wrong"), setup.log[0]);
    setup.VerifyExpecting({});
    BOOST_CHECK_EQUAL(setup.device->calls.load(), 1U);
}

/** Another call is at work on the device, which is no fault. */
BOOST_AUTO_TEST_CASE(a_busy_device_leaves_its_work_to_the_cpu)
{
    const std::set<size_t> bad{3, 40};
    DeviceSetup setup{100, bad};
    setup.device->compute = [](std::span<const RootJob>, std::span<Root>) { return BackendStatus::BUSY; };
    setup.VerifyExpecting(bad);
    BOOST_CHECK(!setup.DeviceStatistics().retired);
    BOOST_CHECK_EQUAL(setup.DeviceStatistics().calls, 0U);
    BOOST_CHECK_EQUAL(setup.DeviceStatistics().failed_calls, 0U);
    BOOST_CHECK_EQUAL(setup.cpu->jobs.load(), 100U);
    setup.device->compute = FakeBackend::Honest;
    setup.VerifyExpecting(bad);
    BOOST_CHECK_EQUAL(setup.DeviceStatistics().calls, 1U);
}

BOOST_AUTO_TEST_CASE(verdicts_do_not_depend_on_the_share_of_the_device)
{
    const std::set<size_t> bad{0, 31, 32, 99};
    for (const size_t share : {0, 1, 32, 99, 100, 1000}) {
        DeviceSetup setup{100, bad, [share](size_t) { return share; }};
        setup.VerifyExpecting(bad);
        BOOST_CHECK_EQUAL(setup.device->jobs.load(), std::min<size_t>(share, 100));
    }
    // A device that nobody named gets nothing as long as no pace is known.
    const DeviceSetup made{10};
    Verifier verifier{{.cpu = made.cpu, .devices = {made.device}}, std::make_shared<ThreadPool>(2), std::make_shared<Logger>()};
    std::vector<Verdict> verdicts(made.checks.size());
    BOOST_CHECK(verifier.VerifyMany(made.checks, verdicts));
    BOOST_CHECK_EQUAL(made.device->jobs.load(), 0U);
    BOOST_CHECK_EQUAL(made.cpu->jobs.load(), 10U);
    // Faults on both sides at once are survived, too.
    DeviceSetup setup{100, bad, [](size_t) { return size_t{50}; }};
    setup.device->compute = [](std::span<const RootJob>, std::span<Root>) { return BackendStatus::FAILED; };
    setup.VerifyExpecting(bad);
}

BOOST_AUTO_TEST_CASE(device_that_warms_up_is_not_waited_for)
{
    DeviceSetup setup{10};
    setup.device->ready = false;
    setup.VerifyExpecting({});
    BOOST_CHECK_EQUAL(setup.device->calls.load(), 0U);
    BOOST_CHECK(!setup.DeviceStatistics().ready && !setup.DeviceStatistics().retired);
    setup.device->ready = true;
    setup.VerifyExpecting({});
    BOOST_CHECK_EQUAL(setup.device->calls.load(), 1U);
    // An eager check never goes to a device.
    BOOST_CHECK(setup.verifier->VerifyNow(setup.checks[0]));
    BOOST_CHECK_EQUAL(setup.device->calls.load(), 1U);
}

/** Wherever the memory ends, every verdict given is right. */
BOOST_AUTO_TEST_CASE(no_memory_leaves_no_wrong_verdict, *boost::unit_test::precondition(slhc::test::CanForbidAllocations))
{
    const std::set<size_t> bad{3, 17};
    DeviceSetup setup{20, bad, [](size_t n) { return n / 2; }, 1};
    setup.CutSignature(5);
    const auto is_invalid{[&](size_t i) { return i == 5 || bad.contains(i); }};
    size_t failures{0};
    bool done{false};
    for (size_t allowed{0}; !done; ++allowed) {
        std::vector<Verdict> verdicts(setup.checks.size());
        slhc::test::FailOneAllocationAfter(allowed);
        try {
            (void)setup.verifier->VerifyMany(setup.checks, verdicts);
        } catch (const std::bad_alloc&) {
            ++failures;
        }
        done = !slhc::test::StopFailingAllocations();
        for (size_t i{0}; i < verdicts.size(); ++i) {
            const Verdict right{is_invalid(i) ? Verdict::INVALID : Verdict::VALID};
            BOOST_CHECK_MESSAGE(verdicts[i] == right || (!done && verdicts[i] == Verdict::NONE), i << " after " << allowed);
        }
    }
    BOOST_CHECK_GT(failures, 0U);
}

/** Not all signatures that a device refused are verified again: it may have been wrong there, so those that it accepted have no verdict
 *  either. */
BOOST_AUTO_TEST_CASE(interrupted_while_a_device_is_judged)
{
    const std::set<size_t> bad{1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23};
    for (const bool wrong : {false, true}) {
        DeviceSetup setup{40, bad, {}, 1};
        setup.device->compute = [&](std::span<const RootJob> jobs, std::span<Root> roots) {
            (void)FakeBackend::Honest(jobs, roots);
            if (wrong) roots[3].fill(0xff);
            return BackendStatus::OK;
        };
        setup.InterruptOnCpu();
        std::vector<Verdict> verdicts(setup.checks.size());
        BOOST_CHECK(!setup.verifier->VerifyMany(setup.checks, verdicts));
        BOOST_CHECK_EQUAL(setup.cpu->calls.load(), 1U);
        BOOST_CHECK_EQUAL(setup.cpu->jobs.load(), bad.size() / 2);
        for (size_t i{0}; i < verdicts.size(); ++i) {
            const bool reached{bad.contains(i) && i <= 11};
            BOOST_CHECK_MESSAGE(verdicts[i] == (reached ? Verdict::INVALID : Verdict::NONE), i);
        }
        BOOST_CHECK_EQUAL(setup.DeviceStatistics().retired, wrong);
        BOOST_CHECK_EQUAL(setup.DeviceStatistics().wrong_roots, wrong ? 1U : 0U);
    }
    // Nor is the batch complete if the device accepted nothing and the CPU verified only some.
    DeviceSetup setup{40, {}, {}, 1};
    setup.device->compute = [](std::span<const RootJob>, std::span<Root> roots) {
        std::ranges::fill(roots, Root{});
        return BackendStatus::OK;
    };
    setup.InterruptOnCpu();
    std::vector<Verdict> verdicts(setup.checks.size());
    BOOST_CHECK(!setup.verifier->VerifyMany(setup.checks, verdicts));
    BOOST_CHECK(verdicts.front() == Verdict::VALID && verdicts.back() == Verdict::NONE);
}

/** An interrupted pool verifies nothing, and old verdicts do not stay; a signature of the wrong size is still INVALID. */
BOOST_AUTO_TEST_CASE(interrupted_before)
{
    for (const bool device : {false, true}) {
        for (const bool all_sized : {false, true}) {
            DeviceSetup setup{40, {}, [device](size_t n) { return device ? n : 0; }};
            if (!all_sized) setup.CutSignature(5);
            setup.verifier->Pool().Interrupt();
            std::vector<Verdict> verdicts(setup.checks.size(), Verdict::VALID);
            BOOST_CHECK(!setup.verifier->VerifyMany(setup.checks, verdicts));
            for (size_t i{0}; i < verdicts.size(); ++i) {
                BOOST_CHECK_MESSAGE(verdicts[i] == (i == 5 && !all_sized ? Verdict::INVALID : Verdict::NONE), i);
            }
            BOOST_CHECK_EQUAL(setup.device->calls + setup.cpu->calls, 0U);
        }
    }
}

/** A device's results are not believed after another call has found that it is wrong. */
BOOST_AUTO_TEST_CASE(retired_by_another_call)
{
    const std::set<size_t> bad{4};
    DeviceSetup setup{10, bad};
    std::atomic<size_t> begun{0};
    const auto wait_until{[](const auto& condition) {
        for (int ms{0}; !condition() && ms < 60'000; ++ms) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }};
    setup.device->compute = [&](std::span<const RootJob> jobs, std::span<Root> roots) {
        (void)FakeBackend::Honest(jobs, roots);
        if (++begun == 1) {
            wait_until([&] { return begun == 2; });
            roots[0].fill(0xff);
        } else {
            wait_until([&] { return setup.device->retired.load(); });
            // As memory has it from an earlier call, of valid signatures by these keys
            for (size_t i{0}; i < jobs.size(); ++i) std::copy_n(jobs[i].pk_seed + N, N, roots[i].begin());
        }
        return BackendStatus::OK;
    };
    std::vector<Verdict> of_first(setup.checks.size());
    bool first_done{false};
    std::thread first{[&] { first_done = setup.verifier->VerifyMany(setup.checks, of_first); }};
    wait_until([&] { return begun == 1; });
    setup.VerifyExpecting(bad);
    first.join();
    BOOST_CHECK(first_done);
    DeviceSetup::CheckVerdicts(of_first, bad);
    BOOST_CHECK_EQUAL(setup.device->calls.load(), 2U);
    BOOST_CHECK_EQUAL(setup.cpu->jobs.load(), 2 * setup.checks.size());
}

/** A device that another call retires after the work has been shared out gets none of it, and counts no call. */
BOOST_AUTO_TEST_CASE(retired_before_it_is_called)
{
    DeviceSetup setup{10};
    bool asked{false};
    setup.device->when_asked = [&] {
        if (!std::exchange(asked, true)) setup.VerifyExpecting({});
    };
    setup.device->compute = [](std::span<const RootJob>, std::span<Root>) { return BackendStatus::FAILED; };
    setup.VerifyExpecting({});
    BOOST_CHECK_EQUAL(setup.device->calls.load(), 1U);
    BOOST_CHECK_EQUAL(setup.DeviceStatistics().failed_calls, 1U);
}

/** The log has the reason, but not another call's view of the device after that. */
BOOST_AUTO_TEST_CASE(called_while_it_is_retired)
{
    DeviceSetup setup{10};
    setup.device->compute = [](std::span<const RootJob>, std::span<Root> roots) {
        std::ranges::fill(roots, Root{});
        return BackendStatus::OK;
    };
    setup.device->when_retired = [&] {
        setup.device->compute = [](std::span<const RootJob>, std::span<Root>) { return BackendStatus::FAILED; };
        setup.VerifyExpecting({});
    };
    setup.VerifyExpecting({});
    BOOST_REQUIRE_EQUAL(setup.log.size(), 1U);
    BOOST_CHECK(setup.log.front().find("10 of 10 roots were wrong") != std::string::npos);
    BOOST_CHECK_EQUAL(setup.DeviceStatistics().failed_calls, 0U);
}

/** Two calls that see a device fail at once log it once; afterwards its share is no longer asked for. */
BOOST_AUTO_TEST_CASE(a_device_is_retired_once)
{
    std::atomic<size_t> asked{0}, inside{0};
    DeviceSetup setup{10, {}, [&](size_t n) {
        ++asked;
        return n;
    }};
    setup.device->compute = [&](std::span<const RootJob>, std::span<Root>) {
        ++inside;
        for (int ms{0}; inside < 2 && ms < 60'000; ++ms) std::this_thread::sleep_for(std::chrono::milliseconds{1});
        return BackendStatus::FAILED;
    };
    std::thread other{[&] {
        std::vector<Verdict> verdicts(setup.checks.size());
        (void)!setup.verifier->VerifyMany(setup.checks, verdicts);
    }};
    setup.VerifyExpecting({});
    other.join();
    const auto says_so{[](const std::string& line) { return line.find("is retired") != std::string::npos; }};
    BOOST_CHECK_EQUAL(std::ranges::count_if(setup.log, says_so), 1);
    BOOST_CHECK_EQUAL(asked, 2U);
    setup.VerifyExpecting({});
    BOOST_CHECK_EQUAL(asked, 2U);
}

/** Interrupted work tells nothing about its time. */
BOOST_AUTO_TEST_CASE(paces_are_learned_from_complete_parts)
{
    const DeviceSetup made{40};
    for (const bool interrupt : {false, true}) {
        auto pool{std::make_shared<ThreadPool>(1)};
        auto cpu{std::make_shared<FakeBackend>()};
        cpu->compute = [&](std::span<const RootJob> jobs, std::span<Root> roots) {
            if (interrupt) pool->Interrupt();
            return FakeBackend::Honest(jobs, roots);
        };
        Verifier verifier{{.cpu = cpu}, pool, std::make_shared<Logger>()};
        std::vector<Verdict> verdicts(made.checks.size());
        BOOST_CHECK_EQUAL(verifier.VerifyMany(made.checks, verdicts), !interrupt);
        BOOST_CHECK_EQUAL(verifier.CpuPace().has_value(), !interrupt);
    }
}

/** Nothing is written beyond the verdicts that were asked for. */
BOOST_AUTO_TEST_CASE(only_verdicts_are_written)
{
    DeviceSetup setup{4};
    for (const size_t i : {1, 3}) setup.CutSignature(i);
    std::vector<Verdict> verdicts(4, Verdict::VALID);
    BOOST_CHECK(setup.verifier->VerifyMany(std::span{setup.checks}.first(3), std::span{verdicts}.first(3)));
    BOOST_CHECK((verdicts == std::vector{Verdict::VALID, Verdict::INVALID, Verdict::VALID, Verdict::VALID}));
}

BOOST_AUTO_TEST_CASE(failing_cpu_engine_falls_back_to_portable)
{
    const auto& real{RealSignatures()};
    auto cpu{std::make_shared<FakeBackend>()};
    cpu->compute = [](std::span<const RootJob>, std::span<Root>) -> BackendStatus { throw std::runtime_error{"no luck"}; };
    std::string log;
    Verifier verifier{{.cpu = cpu}, std::make_shared<ThreadPool>(2),
                      std::make_shared<Logger>(LogLevel::WARNING, [&](LogLevel, std::string_view line) { log.append(line).append("\n"); })};
    SignatureCheck entry{EntryOf(real[0], TicketAt(0))};
    BOOST_CHECK(verifier.VerifyNow(entry.View()));
    BOOST_CHECK_EQUAL(log, "fake:cpu: no luck\nfake:cpu failed; the portable code takes over for this call\n");
    entry.signature[100] ^= 1;
    BOOST_CHECK(!verifier.VerifyNow(entry.View()));
    BOOST_CHECK_EQUAL(verifier.Statistics()[0].failed_calls, 2U);
}

BOOST_AUTO_TEST_CASE(every_engine_verifies_now)
{
    const Signed& real{RealSignatures()[2]};
    auto bad{real.signature};
    bad[7855] ^= 0x80;
    std::string error;
    for (const CpuEngine& engine : CpuEngines().All()) {
        if (!engine.IsOffered()) continue;
        const Verifier verifier{*SelectBackends(engine.Name(), NO_OPTIONS, error), std::make_shared<ThreadPool>(1),
                                std::make_shared<Logger>()};
        const auto verifies{[&](std::span<const uint8_t> message, std::span<const uint8_t> signature) {
            return verifier.VerifyNow({real.public_key.data(), *MessagePieces::Pure(message, {}), signature});
        }};
        BOOST_CHECK(verifies(real.message, real.signature));
        BOOST_CHECK(!verifies(real.message, bad));
        BOOST_CHECK(!verifies(std::span{real.message}.first(31), real.signature));
        BOOST_CHECK_EQUAL(verifier.Statistics()[0].jobs, 3U);
        // No engine sees a signature of another size.
        BOOST_CHECK(!verifies(real.message, std::span{real.signature}.first(SIGNATURE_SIZE - 1)));
        BOOST_CHECK(!verifies(real.message, {}));
        BOOST_CHECK_EQUAL(verifier.Statistics()[0].jobs, 3U);
    }
}

BOOST_AUTO_TEST_SUITE_END()
