// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/allocations.h>
#include <test/engine_fixture.h>
#include <test/preconditions.h>
#include <test/signals.h>
#include <test/vulkan_fixture.h>

#include <pqc/device/root_computer.h>
#include <pqc/judge.h>
#include <pqc/vulkan/memory_type.h>
#include <pqc/vulkan/queue_place.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <future>
#include <set>
#include <stdexcept>

#include <sys/wait.h>
#include <unistd.h>

using namespace slhc;
using namespace slhc::slhdsa;
using namespace slhc::slhdsa::vulkan;
using namespace slhc::slhdsa::vulkan::test;
using slhc::slhdsa::test::RandomJobs;
using slhc::slhdsa::test::RootsOf;

namespace {

std::unique_ptr<DeviceLink> MakeSoftwareLink() { return std::make_unique<SoftwareLink>(7); }

/** With all the time that a busy machine may take: no device is late unless a test has it so. */
DeviceBackend::Options OptionsFor(LogRecord& log)
{
    return {.logger = log.MakeLogger(), .least_limit = Scene::PATIENCE, .least_limit_on_cpu = Scene::PATIENCE};
}

/** Looks at what is uploaded. */
class WatchingLink final : public DeviceLink
{
public:
    struct Seen {
        std::vector<Root> masks;
        std::vector<DeviceEntry> entries;
        std::vector<std::chrono::nanoseconds> limits;
    };
    WatchingLink(size_t capacity, std::shared_ptr<Seen> seen) : m_inner{capacity}, m_seen{std::move(seen)} {}
    size_t Slots() const noexcept override { return m_inner.Slots(); }
    size_t Capacity() const noexcept override { return m_inner.Capacity(); }
    size_t FullLayout() const noexcept override { return m_inner.FullLayout(); }
    std::span<DeviceEntry> Entries(size_t slot) noexcept override { return m_inner.Entries(slot); }
    std::span<const Root> Roots(size_t slot) noexcept override { return m_inner.Roots(slot); }
    LinkStatus Submit(size_t slot, size_t count, size_t in_all) noexcept override
    {
        for (const DeviceEntry& entry : m_inner.Entries(slot).first(count)) {
            m_seen->masks.push_back(entry.head.mask);
            m_seen->entries.push_back(entry);
        }
        return m_inner.Submit(slot, count, in_all);
    }
    LinkStatus Wait(size_t slot, std::chrono::nanoseconds limit) noexcept override
    {
        m_seen->limits.push_back(limit);
        return m_inner.Wait(slot, limit);
    }
    void Abandon() noexcept override {}

private:
    SoftwareLink m_inner;
    const std::shared_ptr<Seen> m_seen;
};

/** Right for few entries, wrong as soon as a workgroup takes as many as it can. */
class CrowdedLink final : public DeviceLink
{
public:
    size_t Slots() const noexcept override { return m_inner.Slots(); }
    size_t Capacity() const noexcept override { return m_inner.Capacity(); }
    size_t FullLayout() const noexcept override { return 40; }
    std::span<DeviceEntry> Entries(size_t slot) noexcept override { return m_inner.Entries(slot); }
    std::span<const Root> Roots(size_t slot) noexcept override { return m_inner.Roots(slot); }
    LinkStatus Submit(size_t slot, size_t count, size_t in_all) noexcept override
    {
        if (count >= FullLayout()) m_inner.Entries(slot)[count - 1].values[0] ^= 1;
        return m_inner.Submit(slot, count, in_all);
    }
    LinkStatus Wait(size_t slot, std::chrono::nanoseconds limit) noexcept override { return m_inner.Wait(slot, limit); }
    void Abandon() noexcept override {}

private:
    SoftwareLink m_inner{64};
};

/** Writes down what it is asked for; cuts batches into smaller chunks than its slots hold. */
class RecordingLink final : public DeviceLink
{
public:
    RecordingLink(size_t capacity, size_t least_chunk, std::shared_ptr<std::string> record)
        : m_inner{capacity}, m_least_chunk{least_chunk}, m_record{std::move(record)}
    {
    }
    size_t Slots() const noexcept override { return m_inner.Slots(); }
    size_t Capacity() const noexcept override { return m_inner.Capacity(); }
    size_t FullLayout() const noexcept override { return m_inner.FullLayout(); }
    size_t LeastChunk() const noexcept override { return m_least_chunk; }
    std::span<DeviceEntry> Entries(size_t slot) noexcept override { return m_inner.Entries(slot); }
    std::span<const Root> Roots(size_t slot) noexcept override { return m_inner.Roots(slot); }
    LinkStatus Submit(size_t slot, size_t count, size_t in_all) noexcept override
    {
        *m_record += "submit " + std::to_string(slot) + ": " + std::to_string(count) + " of " + std::to_string(in_all) + "\n";
        return m_inner.Submit(slot, count, in_all);
    }
    LinkStatus Wait(size_t slot, std::chrono::nanoseconds limit) noexcept override
    {
        *m_record += "wait " + std::to_string(slot) + "\n";
        return m_inner.Wait(slot, limit);
    }
    void Abandon() noexcept override {}

private:
    SoftwareLink m_inner;
    const size_t m_least_chunk;
    const std::shared_ptr<std::string> m_record;
};

/** Takes its time to answer, on the cores of the CPU or beside them. */
class SlowLink final : public DeviceLink
{
public:
    explicit SlowLink(std::chrono::milliseconds delay, bool on_cpu = false) : m_delay{delay}, m_on_cpu{on_cpu} {}
    size_t Slots() const noexcept override { return m_inner.Slots(); }
    size_t Capacity() const noexcept override { return m_inner.Capacity(); }
    size_t FullLayout() const noexcept override { return m_inner.FullLayout(); }
    bool OnCpu() const noexcept override { return m_on_cpu; }
    std::span<DeviceEntry> Entries(size_t slot) noexcept override { return m_inner.Entries(slot); }
    std::span<const Root> Roots(size_t slot) noexcept override { return m_inner.Roots(slot); }
    LinkStatus Submit(size_t slot, size_t count, size_t in_all) noexcept override { return m_inner.Submit(slot, count, in_all); }
    LinkStatus Wait(size_t slot, std::chrono::nanoseconds limit) noexcept override
    {
        std::this_thread::sleep_for(m_delay);
        return m_inner.Wait(slot, limit);
    }
    void Abandon() noexcept override {}

private:
    const std::chrono::milliseconds m_delay;
    const bool m_on_cpu;
    SoftwareLink m_inner{7};
};

/** Where a driver is held up, for as long as a test likes. */
class Gate
{
public:
    void Close() { Set(m_closed, true); }
    void Open() { Set(m_closed, false); }
    void WaitUntilReached() { WaitFor(m_reached); }
    void WaitUntilGone() { WaitFor(m_gone); }

    void Pass()
    {
        std::unique_lock lock{m_mutex};
        if (!m_closed) return;
        m_reached = true;
        m_changed.notify_all();
        m_changed.wait(lock, [&] { return !m_closed; });
    }
    void LinkIsGone() { Set(m_gone, true); }

private:
    void Set(bool& which, bool value)
    {
        const std::lock_guard lock{m_mutex};
        which = value;
        m_changed.notify_all();
    }
    void WaitFor(const bool& which)
    {
        std::unique_lock lock{m_mutex};
        m_changed.wait(lock, [&] { return which; });
    }

    std::mutex m_mutex;
    std::condition_variable m_changed;
    bool m_closed{false}, m_reached{false}, m_gone{false};
};

/** A driver that passes a gate, where there is one. */
class GatedLink final : public DeviceLink
{
public:
    GatedLink(Gate* on_submit, Gate* on_wait) : m_on_submit{on_submit}, m_on_wait{on_wait} {}
    ~GatedLink() override { (m_on_submit ? m_on_submit : m_on_wait)->LinkIsGone(); }
    GatedLink(const GatedLink&) = delete;
    GatedLink& operator=(const GatedLink&) = delete;
    size_t Slots() const noexcept override { return m_inner.Slots(); }
    size_t Capacity() const noexcept override { return m_inner.Capacity(); }
    size_t FullLayout() const noexcept override { return m_inner.FullLayout(); }
    std::span<DeviceEntry> Entries(size_t slot) noexcept override { return m_inner.Entries(slot); }
    std::span<const Root> Roots(size_t slot) noexcept override { return m_inner.Roots(slot); }
    LinkStatus Submit(size_t slot, size_t count, size_t in_all) noexcept override
    {
        if (m_on_submit) m_on_submit->Pass();
        return m_inner.Submit(slot, count, in_all);
    }
    LinkStatus Wait(size_t slot, std::chrono::nanoseconds limit) noexcept override
    {
        if (m_on_wait) m_on_wait->Pass();
        return m_inner.Wait(slot, limit);
    }
    void Abandon() noexcept override {}

private:
    Gate* const m_on_submit;
    Gate* const m_on_wait;
    SoftwareLink m_inner{7};
};

} // namespace

BOOST_AUTO_TEST_SUITE(vulkan_fault_tests)

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

/** Known answers are asked for in every layout that work is done in later. */
BOOST_AUTO_TEST_CASE(wrong_when_crowded)
{
    LogRecord log;
    DeviceBackend backend{"vulkan:crowded", [](std::string&) { return std::make_unique<CrowdedLink>(); }, OptionsFor(log)};
    BOOST_CHECK(!backend.WaitUntilOpened());
    BOOST_CHECK(log.HasWarning("its known answers are wrong"));
}

/** A driver that never comes back from opening a device holds nobody up, and says nothing after the end. */
BOOST_AUTO_TEST_CASE(opening_never_ends)
{
    // Not std::promise's set_value_at_thread_exit: the thread sanitizer does not see how that one synchronizes.
    static std::atomic<bool> ended{false};
    struct AtThreadExit {
        bool armed{false};
        ~AtThreadExit()
        {
            if (!armed) return;
            ended = true;
            ended.notify_all();
        }
    };

    LogRecord log;
    DeviceBackend::Options options{OptionsFor(log)};
    options.close_limit = std::chrono::milliseconds{30};
    std::promise<void> end;
    const auto start{std::chrono::steady_clock::now()};
    {
        const DeviceBackend backend{"vulkan:hanging", [&](std::string&) {
            // Long enough for the test to fail if it is waited for.
            (void)end.get_future().wait_for(std::chrono::seconds{60});
            thread_local AtThreadExit at_thread_exit;
            at_thread_exit.armed = true;
            return MakeSoftwareLink(); }, std::move(options)};
        BOOST_CHECK(!backend.IsReady() && !backend.IsUnusable());
    }
    BOOST_CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds{50});
    BOOST_CHECK(log.HasWarning("does not return"));
    end.set_value();
    ended.wait(false);
    BOOST_CHECK(!log.HasWarning("ready"));
    BOOST_CHECK_EQUAL(log.Lines(), 1U);
}

/** The first one that fits best, and none that a device must be made for. */
BOOST_AUTO_TEST_CASE(memory_types)
{
    constexpr VkMemoryPropertyFlags LOCAL{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT},
        VISIBLE{VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT}, CACHED{VK_MEMORY_PROPERTY_HOST_CACHED_BIT};
    VkPhysicalDeviceMemoryProperties memory{};
    for (const VkMemoryPropertyFlags flags :
         {LOCAL | VK_MEMORY_PROPERTY_PROTECTED_BIT, VISIBLE | CACHED | VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD,
          LOCAL | VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD, LOCAL, LOCAL, VISIBLE, VISIBLE | CACHED, LOCAL | VISIBLE}) {
        memory.memoryTypes[memory.memoryTypeCount++].propertyFlags = flags;
    }
    BOOST_CHECK(ChooseMemoryType(memory, ~0U, 0, LOCAL) == 3U);
    BOOST_CHECK(ChooseMemoryType(memory, ~0U, VISIBLE, 0) == 5U);
    BOOST_CHECK(ChooseMemoryType(memory, ~0U, VISIBLE, CACHED) == 6U);
    BOOST_CHECK(ChooseMemoryType(memory, ~0U, VISIBLE, LOCAL) == 7U);
    BOOST_CHECK(ChooseMemoryType(memory, 1U << 4, 0, LOCAL) == 4U);
    BOOST_CHECK(ChooseMemoryType(memory, 1U << 5, 0, LOCAL) == 5U);
    BOOST_CHECK(!ChooseMemoryType(memory, 1U << 4, VISIBLE, 0));
    BOOST_CHECK(!ChooseMemoryType(memory, 1U | 1U << 1 | 1U << 2, 0, LOCAL));
    BOOST_CHECK(!ChooseMemoryType({}, ~0U, 0, 0));
}

/** A queue for transfers alone, or else a second one that computes, or else the same one. */
BOOST_AUTO_TEST_CASE(upload_queues)
{
    constexpr VkQueueFlags TRANSFER{VK_QUEUE_TRANSFER_BIT}, COMPUTE{VK_QUEUE_COMPUTE_BIT | TRANSFER},
        GRAPHICS{VK_QUEUE_GRAPHICS_BIT | COMPUTE}, VIDEO{VK_QUEUE_VIDEO_DECODE_BIT_KHR | TRANSFER};
    const auto choose{[](std::initializer_list<std::pair<VkQueueFlags, uint32_t>> all, uint32_t compute) {
        std::vector<VkQueueFamilyProperties> families;
        for (const auto& [flags, count] : all) {
            families.push_back({.queueFlags = flags, .queueCount = count, .timestampValidBits = 0, .minImageTransferGranularity = {}});
        }
        return ChooseUploadQueue(families, compute);
    }};
    BOOST_CHECK((choose({{GRAPHICS, 16}, {VIDEO, 2}, {COMPUTE, 8}, {TRANSFER | VK_QUEUE_SPARSE_BINDING_BIT, 2}}, 2) == QueuePlace{3, 0}));
    BOOST_CHECK((choose({{GRAPHICS, 16}, {TRANSFER, 0}, {COMPUTE, 8}, {VIDEO, 1}}, 2) == QueuePlace{2, 1}));
    BOOST_CHECK((choose({{GRAPHICS, 1}, {COMPUTE, 1}}, 1) == QueuePlace{1, 0}));
    BOOST_CHECK((choose({{GRAPHICS, 1}}, 0) == QueuePlace{0, 0}));
}

/** Nothing opens, or opening throws: a driver that is gone, memory that is not there. */
BOOST_AUTO_TEST_CASE(nothing_to_open)
{
    LogRecord log;
    const DeviceBackend::OpenLink none{[](std::string& about) { about = "no device"; return std::unique_ptr<DeviceLink>{}; }};
    const DeviceBackend::OpenLink fails{[](std::string&) -> std::unique_ptr<DeviceLink> { throw std::bad_alloc{}; }};
    for (const auto& open : {none, fails}) {
        const auto backend{std::make_shared<DeviceBackend>("vulkan:none", open, OptionsFor(log))};
        BOOST_CHECK(!backend->WaitUntilOpened());
        BOOST_CHECK(!backend->IsReady());
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
    const DeviceBackend::OpenLink open{[&opened](std::string&) {
        ++opened;
        return MakeSoftwareLink();
    }};
    {
        const DeviceBackend never{"vulkan:never", open, options};
        BOOST_CHECK(!never.IsReady() && !never.IsUnusable());
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
    const auto backend{std::make_shared<DeviceBackend>("vulkan:slow", [&gate](std::string&) {
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

BOOST_AUTO_TEST_CASE(chunk_edges)
{
    std::mt19937_64 random{1};
    const RandomJobs all{13, random};
    const auto expected{RootsOf(*CreatePortableEngine(), all.jobs)};
    for (const size_t capacity : {1, 4, 5, 13, 14}) {
        RootComputer verifier{std::make_unique<SoftwareLink>(capacity), NO_HURRY};
        for (size_t n = 0; n <= all.jobs.size(); ++n) {
            std::vector<Root> roots(n);
            BOOST_REQUIRE(verifier.Compute(std::span{all.jobs}.first(n), roots) == LinkStatus::OK);
            BOOST_CHECK_MESSAGE(std::equal(roots.begin(), roots.end(), expected.begin()), n << " jobs, capacity " << capacity);
        }
    }
}

/** Each chunk is filled and submitted before the one before it is waited for; and a batch is cut so that there is one before it, but not
 *  smaller than the device likes. */
BOOST_AUTO_TEST_CASE(chunks_overlap)
{
    std::mt19937_64 random{13};
    const RandomJobs all{13, random};
    const auto expected{RootsOf(*CreatePortableEngine(), all.jobs)};
    struct Cut {
        size_t n, capacity, least_chunk;
        const char* record;
        uint64_t chunks, overlapping;
    };
    for (const Cut& cut : {Cut{13, 5, 5, "submit 0: 5 of 13\nsubmit 1: 4 of 13\nwait 0\nsubmit 0: 4 of 13\nwait 1\nwait 0\n", 3, 2},
                           Cut{13, 13, 6, "submit 0: 7 of 13\nsubmit 1: 6 of 13\nwait 0\nwait 1\n", 2, 1},
                           Cut{13, 13, 1, "submit 0: 7 of 13\nsubmit 1: 6 of 13\nwait 0\nwait 1\n", 2, 1}, // no more than there are slots
                           Cut{13, 13, 7, "submit 0: 13 of 13\nwait 0\n", 1, 0},
                           Cut{2, 13, 3, "submit 0: 2 of 2\nwait 0\n", 1, 0}}) {
        const auto record{std::make_shared<std::string>()};
        RootComputer verifier{std::make_unique<RecordingLink>(cut.capacity, cut.least_chunk, record), NO_HURRY};
        std::vector<Root> roots(cut.n);
        BOOST_REQUIRE(verifier.Compute(std::span{all.jobs}.first(cut.n), roots) == LinkStatus::OK);
        BOOST_CHECK(std::equal(roots.begin(), roots.end(), expected.begin()));
        BOOST_CHECK_EQUAL(*record, cut.record);
        BOOST_CHECK_EQUAL(verifier.Counts().chunks, cut.chunks);
        BOOST_CHECK_EQUAL(verifier.Counts().overlapping, cut.overlapping);
        BOOST_CHECK_EQUAL(verifier.Counts().entries, cut.n);
    }
}

/** Through the thread of a driver, too: as long as nobody needs a result, that thread waits for none and takes the next chunk. */
BOOST_AUTO_TEST_CASE(driver_does_not_wait_for_what_nobody_needs)
{
    Gate gate;
    gate.Close();
    const auto control{std::make_shared<FaultControl>()};
    RemoteLink remote{std::make_shared<FaultyLink>(std::make_unique<GatedLink>(nullptr, &gate), control)};
    std::thread driver{[&] { remote.Serve(); }};
    std::mt19937_64 random{14};
    const RandomJobs all{1, random};
    for (const size_t slot : {0, 1}) {
        FillEntry(remote.Entries(slot)[0], all.jobs[0], Root{});
        BOOST_CHECK(remote.Submit(slot, 1, 1) == LinkStatus::OK);
        // Once in the driver's Wait(), which does not return here, the thread would submit nothing more.
        for (int ms = 0; control->submits <= slot && ms < Scene::PATIENCE.count(); ++ms) {
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
        }
        BOOST_REQUIRE_EQUAL(control->submits, slot + 1);
    }
    gate.Open();
    for (const size_t slot : {0, 1}) {
        BOOST_CHECK(remote.Wait(slot, Scene::PATIENCE) == LinkStatus::OK);
        BOOST_CHECK(remote.Roots(slot)[0] == RootsOf(*CreatePortableEngine(), all.jobs)[0]);
    }
    remote.Close();
    driver.join();
}

/** All threads fill entries: the results are the same, and each thread that comes takes its part. */
BOOST_AUTO_TEST_CASE(all_threads_fill)
{
    std::mt19937_64 random{15};
    const RandomJobs all{5 * RootComputer::PIECE + 1, random};
    const auto expected{RootsOf(*CreatePortableEngine(), all.jobs)};
    ThreadPool pool{3};
    RootComputer verifier{std::make_unique<SoftwareLink>(all.jobs.size()), NO_HURRY};
    std::vector<Root> roots(all.jobs.size());
    uint64_t calls{0};
    // A worker comes when the system lets it.
    while (verifier.Counts().filled_by_workers == 0 && calls < 1'000) {
        BOOST_REQUIRE(verifier.Compute(all.jobs, roots, &pool) == LinkStatus::OK);
        BOOST_REQUIRE(roots == expected);
        ++calls;
    }
    BOOST_CHECK_GT(verifier.Counts().filled_by_workers, 0U);
    BOOST_CHECK_EQUAL(verifier.Counts().entries, calls * all.jobs.size());

    // A few are not worth waking anybody.
    RootComputer alone{std::make_unique<SoftwareLink>(all.jobs.size()), NO_HURRY};
    for (int i = 0; i < 20; ++i) {
        BOOST_REQUIRE(alone.Compute(std::span{all.jobs}.first(RootComputer::PIECE), std::span{roots}.first(RootComputer::PIECE), &pool) ==
                      LinkStatus::OK);
    }
    BOOST_CHECK_EQUAL(alone.Counts().filled_by_workers, 0U);

    // What an interrupted pool leaves out, the caller does.
    pool.Interrupt();
    RootComputer interrupted{std::make_unique<SoftwareLink>(all.jobs.size()), NO_HURRY};
    BOOST_REQUIRE(interrupted.Compute(all.jobs, roots, &pool) == LinkStatus::OK);
    BOOST_CHECK(roots == expected);
}

/** Whatever part of an upload does not arrive, so that what the one before left there is used: it is noise. A valid
 *  signature is verified, then in its place one that differs from it in a part of its entry, which is the part that stays. */
BOOST_AUTO_TEST_CASE(stale_parts_are_noise)
{
    constexpr size_t HEAD{sizeof(DeviceEntryHead) / N};
    const MixedChecks mixed{1};
    const CheckView& valid{mixed.checks[0]};
    const RootJob valid_job{PrepareRootJob(valid)};
    std::mt19937_64 random{12};
    const RandomJobs others{1, random};

    const auto control{std::make_shared<FaultControl>()};
    RootComputer verifier{std::make_unique<FaultyLink>(std::make_unique<SoftwareLink>(1), control), NO_HURRY};
    const auto root_of{[&](const RootJob& job) {
        Root root;
        BOOST_REQUIRE(verifier.Compute({&job, 1}, {&root, 1}) == LinkStatus::OK);
        return root;
    }};
    const auto check{[&](const RootJob& invalid, const std::string& kept) {
        control->fault = Fault::NONE;
        BOOST_REQUIRE(RootMatches(root_of(valid_job), valid.public_key));
        control->fault = Fault::STALE_PART;
        BOOST_CHECK_MESSAGE(!RootMatches(root_of(invalid), valid.public_key), "kept: " << kept);
    }};

    // Each quad of the signature alone.
    for (size_t quad = HEAD; quad < QUADS; ++quad) {
        Signature signature;
        std::copy_n(valid.signature.data(), SIGNATURE_SIZE, signature.begin());
        signature[N + (quad - HEAD) * N + quad % N] ^= 1;
        RootJob invalid{valid_job};
        invalid.signature = signature.data();
        control->kept.reset();
        control->kept.set(quad);
        check(invalid, "quad " + std::to_string(quad));
    }
    // Everything in front of a quad or from it on, but for the mask; of an entry that has nothing of the valid one.
    for (const bool tail : {false, true}) {
        for (size_t quad = 0; quad <= QUADS; quad += quad < HEAD ? 1 : 35) {
            control->kept.reset();
            for (size_t i = 0; i < QUADS; ++i) control->kept[i] = i != MASK_QUAD && (i >= quad) == tail;
            check(others.jobs[0], (tail ? "from quad " : "before quad ") + std::to_string(quad));
        }
    }
    // What differs is in the head: the place in the hypertree, and the leaves of FORS.
    RootJob elsewhere{valid_job};
    elsewhere.idx_tree ^= 1;
    elsewhere.idx_leaf ^= 1;
    control->kept.reset();
    control->kept.set(MASK_QUAD + 1);
    check(elsewhere, "the place");
    RootJob other_leaves{valid_job};
    for (uint8_t& byte : other_leaves.md) byte ^= 0xff;
    control->kept.reset();
    control->kept.set(MASK_QUAD + 2);
    control->kept.set(MASK_QUAD + 3);
    check(other_leaves, "the leaves");
    RootJob other_seed{valid_job};
    other_seed.pk_seed = others.jobs[0].pk_seed;
    control->kept.reset();
    control->kept.set(0);
    control->kept.set(1);
    check(other_seed, "the seed's state");
}

/** The same from the signature to its verdict. */
BOOST_AUTO_TEST_CASE(stale_parts_change_no_verdict)
{
    const MixedChecks mixed{1};
    for (const size_t quad : {sizeof(DeviceEntryHead) / N, size_t{200}, QUADS - 1}) {
        Scene scene{[] { return std::make_unique<SoftwareLink>(1); }};
        BOOST_REQUIRE(scene.opened);
        BOOST_CHECK(scene.VerdictsAreRight(mixed));
        Signature signature;
        std::copy_n(mixed.checks[0].signature.data(), SIGNATURE_SIZE, signature.begin());
        signature[N + quad * N - sizeof(DeviceEntryHead)] ^= 1;
        const CheckView invalid{mixed.checks[0].public_key, mixed.checks[0].message, signature};
        scene.control->kept.set(quad);
        scene.control->fault = Fault::STALE_PART;
        Verdict verdict{};
        BOOST_CHECK(scene.verifier->VerifyMany({&invalid, 1}, {&verdict, 1}) && verdict == Verdict::INVALID);
        BOOST_CHECK(scene.Device().retired);
    }
}

/** No mask is used twice, and neither PK.root nor anything else of a check is to be seen in what is uploaded. */
BOOST_AUTO_TEST_CASE(uploads)
{
    const MixedChecks mixed{9};
    std::vector<RootJob> jobs;
    for (const CheckView& check : mixed.checks) jobs.push_back(PrepareRootJob(check));
    const auto seen{std::make_shared<WatchingLink::Seen>()};
    RootComputer verifier{std::make_unique<WatchingLink>(4, seen),
                          {.least = std::chrono::microseconds{7}, .round = std::chrono::microseconds{11}}};
    std::vector<Root> roots(jobs.size());
    for (int i = 0; i < 3; ++i) BOOST_REQUIRE(verifier.Compute(jobs, roots) == LinkStatus::OK);
    BOOST_CHECK_EQUAL(seen->masks.size(), 27U);
    BOOST_CHECK_EQUAL((std::set<Root>{seen->masks.begin(), seen->masks.end()}.size()), 27U);
    for (const DeviceEntry& entry : seen->entries) {
        for (const CheckView& check : mixed.checks) {
            BOOST_CHECK(!memmem(&entry, sizeof(entry), check.public_key + N, N));
            bool seen_in_clear{false};
            for (size_t i = 0; i < SIGNATURE_SIZE; i += N) {
                seen_in_clear |= memmem(&entry, sizeof(entry), check.signature.data() + i, N) != nullptr;
            }
            BOOST_CHECK(!seen_in_clear);
        }
    }
    // Three chunks of three, which is a round; two chunks are at work at the same time.
    for (size_t i = 0; i < seen->limits.size(); ++i) BOOST_CHECK(seen->limits[i] == std::chrono::microseconds{i % 3 == 2 ? 11 : 22});
}

/** After a fault every call gets the same answer, and the device is left alone. */
BOOST_AUTO_TEST_CASE(no_second_chance)
{
    std::mt19937_64 random{2};
    const RandomJobs all{3, random};
    const auto control{std::make_shared<FaultControl>()};
    RootComputer verifier{std::make_unique<FaultyLink>(MakeSoftwareLink(), control), NO_HURRY};
    std::vector<Root> roots(3);
    control->fault = Fault::LOST_ON_WAIT;
    BOOST_CHECK(verifier.Compute(all.jobs, roots) == LinkStatus::LOST);
    control->fault = Fault::NONE;
    BOOST_CHECK(verifier.Compute(all.jobs, roots) == LinkStatus::LOST);
    BOOST_CHECK_EQUAL(control->submits, 1U);
    BOOST_CHECK(control->abandoned);
}

BOOST_AUTO_TEST_CASE(several_threads)
{
    LogRecord log;
    const auto backend{std::make_shared<DeviceBackend>("vulkan:shared", [](std::string&) { return MakeSoftwareLink(); }, OptionsFor(log))};
    BOOST_REQUIRE(backend->WaitUntilOpened());
    std::mt19937_64 random{3};
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

/** One caller's work is under way on the device: another one is told so at once, and uses the CPU. */
BOOST_AUTO_TEST_CASE(nobody_waits_for_anothers_device)
{
    Gate gate;
    const MixedChecks mixed{5};
    Scene scene{[&] { return std::make_unique<GatedLink>(nullptr, &gate); }};
    BOOST_REQUIRE(scene.opened);
    gate.Close();
    bool first_is_right{false};
    std::thread first{[&] { first_is_right = scene.VerdictsAreRight(mixed); }};
    gate.WaitUntilReached();
    // Whoever asks the device itself, as two threads do that found it idle at the same moment ...
    std::vector<RootJob> jobs;
    for (const CheckView& check : mixed.checks) jobs.push_back(PrepareRootJob(check));
    std::vector<Root> roots(jobs.size());
    BOOST_CHECK(scene.backend->ComputeRoots(jobs, roots) == BackendStatus::BUSY);
    BOOST_CHECK(!scene.backend->IsReady() && !scene.backend->IsUnusable());
    BOOST_CHECK(!scene.backend->Identity().empty());
    // ... and whoever has signatures to verify.
    BOOST_CHECK(scene.VerdictsAreRight(mixed));
    BOOST_CHECK_EQUAL(scene.Device().calls, 0U);
    gate.Open();
    first.join();
    BOOST_CHECK(first_is_right);
    BOOST_CHECK_EQUAL(scene.Device().calls, 1U);
    BOOST_CHECK_EQUAL(scene.Device().failed_calls, 0U);
    BOOST_CHECK(scene.Device().ready && !scene.Device().retired);
}

/** A driver that does not come back costs its caller the limit and nothing more, wherever it is stuck, and it is left alone
 *  when its backend goes. */
BOOST_AUTO_TEST_CASE(driver_never_comes_back)
{
    const MixedChecks mixed{5};
    for (const bool on_submit : {false, true}) {
        Gate gate;
        {
            Scene scene{[&] {
                            return on_submit ? std::make_unique<GatedLink>(&gate, nullptr) : std::make_unique<GatedLink>(nullptr, &gate);
                        },
                        std::chrono::milliseconds{500}};
            BOOST_REQUIRE(scene.opened);
            gate.Close();
            BOOST_CHECK(scene.VerdictsAreRight(mixed)); // while the gate is closed
            BOOST_CHECK_EQUAL(scene.Device().failed_calls, 1U);
            BOOST_CHECK(scene.Device().retired && scene.log.HasWarning("vulkan:faulty: late"));
            scene.verifier.reset();
            scene.backend.reset();
            BOOST_CHECK(scene.log.HasWarning("does not return"));
        }
        gate.Open();
        gate.WaitUntilGone();
    }
}

/** For each round of full workgroups so long as was measured, and some times longer; and never less than a device may take to wake up. */
BOOST_AUTO_TEST_CASE(limits_follow_what_was_measured)
{
    using std::chrono::milliseconds;
    const TimeLimits limits{.least = milliseconds{50}, .round = milliseconds{20}};
    BOOST_CHECK(limits.For(1, 31) == milliseconds{50});
    BOOST_CHECK(limits.For(62, 31) == milliseconds{50});
    BOOST_CHECK(limits.For(63, 31) == milliseconds{60});
    BOOST_CHECK(limits.For(508, 31) == milliseconds{340});

    LogRecord log;
    const auto slow{std::make_unique<DeviceBackend>(
        "vulkan:slow", [](std::string&) { return std::make_unique<SlowLink>(milliseconds{4}); },
        DeviceBackend::Options{.logger = log.MakeLogger()})};
    BOOST_REQUIRE(slow->WaitUntilOpened());
    BOOST_CHECK(slow->Limits().round >= DeviceBackend::SLACK * milliseconds{4});
    BOOST_CHECK(slow->Limits().least == milliseconds{50});
    BOOST_CHECK_GE(DeviceBackend::SLACK, 10);
    const DeviceBackend::Options options;
    const auto on_cpu{std::make_unique<DeviceBackend>(
        "vulkan:cpu", [](std::string&) { return std::make_unique<SlowLink>(milliseconds{0}, true); },
        DeviceBackend::Options{.logger = log.MakeLogger()})};
    BOOST_REQUIRE(on_cpu->WaitUntilOpened());
    BOOST_CHECK(on_cpu->Limits().least == options.least_limit_on_cpu);
}

/** From some point on nothing can be allocated in the thread, a message neither: it ends as after any other fault. */
BOOST_AUTO_TEST_CASE(no_memory_while_opening, *boost::unit_test::precondition(slhc::test::CanForbidAllocations))
{
    LogRecord log;
    const std::vector<DeviceBackend::OpenLink> opens{
        [](std::string&) -> std::unique_ptr<DeviceLink> {
            slhc::test::ForbidAllocations();
            throw std::bad_alloc{};
        },
        [](std::string& about) {
            about = "a device that is not there, which takes some words to say";
            slhc::test::ForbidAllocations();
            return std::unique_ptr<DeviceLink>{};
        },
        [](std::string& about) {
            about = "a device that is there, which takes some words to say";
            auto link{MakeSoftwareLink()};
            slhc::test::ForbidAllocations();
            return link;
        },
    };
    for (const auto& open : opens) {
        DeviceBackend backend{"vulkan:poor", open, OptionsFor(log)};
        BOOST_CHECK(!backend.WaitUntilOpened());
        BOOST_CHECK(backend.IsUnusable());
    }
    // Wherever in opening the memory ends.
    for (size_t allowed = 0; allowed < 40; ++allowed) {
        DeviceBackend backend{"vulkan:poor", [allowed](std::string& about) {
            about = "a device that is there, which takes some words to say";
            auto link{MakeSoftwareLink()};
            slhc::test::ForbidAllocationsAfter(allowed);
            return link; }, OptionsFor(log)};
        (void)backend.WaitUntilOpened();
    }
}

/** Signals belong to the program: neither the thread nor what a driver starts in it takes them. */
BOOST_AUTO_TEST_CASE(thread_blocks_signals)
{
    const auto control{std::make_shared<FaultControl>()};
    LogRecord log;
    bool while_opening{false};
    DeviceBackend backend{"vulkan:signals", [&](std::string&) {
        while_opening = slhc::test::BlocksAllSignals();
        return std::make_unique<FaultyLink>(MakeSoftwareLink(), control); }, OptionsFor(log)};
    BOOST_REQUIRE(backend.WaitUntilOpened());
    std::mt19937_64 random{11};
    const RandomJobs all{1, random};
    std::vector<Root> roots(1);
    BOOST_CHECK(backend.ComputeRoots(all.jobs, roots) == BackendStatus::OK);
    BOOST_CHECK(while_opening);
    BOOST_CHECK(!control->takes_signals);
}

/** A device does not come across a fork: the child neither uses it nor waits for its thread. */
BOOST_AUTO_TEST_CASE(forked_child, *boost::unit_test::precondition(slhc::test::CanFollowForks))
{
    LogRecord log;
    auto backend{std::make_unique<DeviceBackend>("vulkan:parent", [](std::string&) { return MakeSoftwareLink(); }, OptionsFor(log))};
    BOOST_REQUIRE(backend->WaitUntilOpened());
    std::mt19937_64 random{7};
    const RandomJobs all{2, random};
    std::vector<Root> roots(2);
    const pid_t child{fork()};
    BOOST_REQUIRE(child >= 0);
    if (child == 0) {
        alarm(30);
        const bool refused{!backend->IsReady() && backend->ComputeRoots(all.jobs, roots) == BackendStatus::FAILED};
        backend.reset();
        _exit(refused ? 0 : 1);
    }
    int status{0};
    BOOST_CHECK_EQUAL(waitpid(child, &status, 0), child);
    BOOST_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    BOOST_CHECK(backend->ComputeRoots(all.jobs, roots) == BackendStatus::OK);
}

/** Nor does one whose device still opens: the child neither waits for it nor for those who wait in the parent. */
BOOST_AUTO_TEST_CASE(forked_child_while_opening, *boost::unit_test::precondition(slhc::test::CanFollowForks))
{
    LogRecord log;
    Gate gate;
    gate.Close();
    auto backend{std::make_unique<DeviceBackend>("vulkan:parent", [&](std::string&) {
        gate.Pass();
        return MakeSoftwareLink(); }, OptionsFor(log))};
    std::thread waits{[&] { (void)backend->WaitUntilOpened(); }};
    gate.WaitUntilReached();
    std::this_thread::sleep_for(std::chrono::milliseconds{20}); // so that the other thread waits, too
    const pid_t child{fork()};
    BOOST_REQUIRE(child >= 0);
    if (child == 0) {
        alarm(30);
        const bool idle{!backend->IsReady()};
        backend.reset();
        _exit(idle ? 0 : 1);
    }
    int status{0};
    BOOST_CHECK_EQUAL(waitpid(child, &status, 0), child);
    BOOST_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    gate.Open();
    waits.join();
    BOOST_CHECK(backend->IsReady());
}

BOOST_AUTO_TEST_SUITE_END()
