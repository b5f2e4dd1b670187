// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/allocations.h>
#include <test/device_fixture.h>
#include <test/device_links.h>
#include <test/engine_fixture.h>
#include <test/preconditions.h>
#include <test/random_source.h>

#include <pqc/device/root_computer.h>
#include <pqc/judge.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <new>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

/** The way from signatures to the slots of a device. */

using namespace slhc;
using namespace slhc::slhdsa;
using namespace slhc::slhdsa::test;

BOOST_AUTO_TEST_SUITE(root_computer_tests)

BOOST_AUTO_TEST_CASE(chunk_edges)
{
    std::mt19937_64 random{slhc::test::Seed(1)};
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

/** Each chunk is filled and submitted before the wait for the one before it; and a batch is cut so that there is one, but not smaller than
 *  the device likes. */
BOOST_AUTO_TEST_CASE(chunks_overlap)
{
    std::mt19937_64 random{slhc::test::Seed(13)};
    const RandomJobs all{13, random};
    const auto expected{RootsOf(*CreatePortableEngine(), all.jobs)};
    struct Cut {
        size_t n, capacity, least_chunk;
        const char* record;
        uint64_t chunks, overlapping;
        size_t slots{2};
    };
    for (const Cut& cut : {Cut{13, 5, 5, "submit 0: 5\nsubmit 1: 4\nwait 0\nsubmit 0: 4\nwait 1\nwait 0\n", 3, 2},
                           Cut{13, 13, 6, "submit 0: 7\nsubmit 1: 6\nwait 0\nwait 1\n", 2, 1},
                           Cut{13, 13, 1, "submit 0: 7\nsubmit 1: 6\nwait 0\nwait 1\n", 2, 1}, // no more than there are slots
                           Cut{13, 13, 7, "submit 0: 13\nwait 0\n", 1, 0},
                           Cut{2, 13, 3, "submit 0: 2\nwait 0\n", 1, 0},
                           Cut{5, 1, 1, "submit 0: 1\nsubmit 1: 1\nsubmit 2: 1\nsubmit 3: 1\nwait 0\nsubmit 0: 1\n"
                                        "wait 1\nwait 2\nwait 3\nwait 0\n", 5, 4, 4}}) {
        const auto record{std::make_shared<std::string>()};
        RootComputer verifier{std::make_unique<RecordingLink>(cut.capacity, cut.least_chunk, record, cut.slots), NO_HURRY};
        std::vector<Root> roots(cut.n);
        BOOST_REQUIRE(verifier.Compute(std::span{all.jobs}.first(cut.n), roots) == LinkStatus::OK);
        BOOST_CHECK(std::equal(roots.begin(), roots.end(), expected.begin()));
        BOOST_CHECK_EQUAL(*record, cut.record);
        BOOST_CHECK_EQUAL(verifier.Counts().chunks, cut.chunks);
        BOOST_CHECK_EQUAL(verifier.Counts().overlapping, cut.overlapping);
        BOOST_CHECK_EQUAL(verifier.Counts().entries, cut.n);
    }
}

/** All threads fill entries: the results are the same, and each thread takes its part. */
BOOST_AUTO_TEST_CASE(all_threads_fill)
{
    std::mt19937_64 random{slhc::test::Seed(15)};
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
    BOOST_CHECK_LE(verifier.Counts().filled_by_workers, verifier.Counts().entries);
    BOOST_CHECK_EQUAL(verifier.Counts().entries, calls * all.jobs.size());

    // A few are not worth waking anybody.
    RootComputer alone{std::make_unique<SoftwareLink>(all.jobs.size()), NO_HURRY};
    for (int i = 0; i < 20; ++i) {
        BOOST_REQUIRE(alone.Compute(std::span{all.jobs}.first(RootComputer::PIECE), std::span{roots}.first(RootComputer::PIECE), &pool) ==
                      LinkStatus::OK);
    }
    BOOST_CHECK_EQUAL(alone.Counts().filled_by_workers, 0U);

}

/** An interrupted pool ends a call between chunks, and all use of the device. */
BOOST_AUTO_TEST_CASE(interrupted_between_chunks)
{
    std::mt19937_64 random{slhc::test::Seed(33)};
    const RandomJobs all{40, random};
    const auto expected{RootsOf(*CreatePortableEngine(), all.jobs)};
    for (const size_t when : {size_t{0}, size_t{1}, size_t{2}, size_t{6}}) {
        ThreadPool pool{1};
        const auto submitted{std::make_shared<size_t>(0)};
        RootComputer computer{std::make_unique<InterruptingLink>(pool, when, submitted), NO_HURRY};
        if (when == 0) pool.Interrupt();
        std::vector<Root> roots(all.jobs.size());
        // The last chunk is under way when the call could still be interrupted: it is complete.
        BOOST_CHECK(computer.Compute(all.jobs, roots, &pool) == (when == 6 ? LinkStatus::OK : LinkStatus::INTERRUPTED));
        BOOST_CHECK_EQUAL(*submitted, when);
        if (when == 6) BOOST_CHECK(roots == expected);
        BOOST_CHECK(computer.Compute(all.jobs, roots) == (when == 6 ? LinkStatus::OK : LinkStatus::INTERRUPTED));
        BOOST_CHECK_EQUAL(*submitted, when == 6 ? 12 : when);
    }
}

/** An interruption ends the wait for a chunk, too, and what the device is doing. */
BOOST_AUTO_TEST_CASE(interrupted_in_a_chunk)
{
    std::mt19937_64 random{slhc::test::Seed(34)};
    const RandomJobs all{6, random};
    ThreadPool pool{1};
    const auto control{std::make_shared<FaultControl>()};
    control->fault = Fault::HANG;
    RootComputer computer{std::make_unique<FaultyLink>(std::make_unique<SoftwareLink>(6), control), NO_HURRY};
    std::vector<Root> roots(all.jobs.size());
    std::thread other{[&] {
        std::this_thread::sleep_for(std::chrono::milliseconds{20});
        pool.Interrupt();
    }};
    const auto start{std::chrono::steady_clock::now()};
    BOOST_CHECK(computer.Compute(all.jobs, roots, &pool) == LinkStatus::INTERRUPTED);
    other.join();
    BOOST_CHECK(std::chrono::steady_clock::now() - start < NO_HURRY.least / 2);
    BOOST_CHECK(control->abandoned);
}

/** No mask is used twice, and neither PK.root nor any other part of a check is visible in uploads. */
BOOST_AUTO_TEST_CASE(uploads)
{
    const MixedChecks mixed{9};
    std::vector<RootJob> jobs;
    for (const CheckView& check : mixed.checks) jobs.push_back(PrepareRootJob(check));
    const auto seen{std::make_shared<WatchingLink::Seen>()};
    RootComputer verifier{std::make_unique<WatchingLink>(4, seen),
                          {.least = std::chrono::microseconds{1}, .allowed = {.call_ns = 0, .each_ns = 4'000}}};
    std::vector<Root> roots(jobs.size());
    for (int i = 0; i < 3; ++i) BOOST_REQUIRE(verifier.Compute(jobs, roots) == LinkStatus::OK);
    BOOST_CHECK_EQUAL(seen->masks.size(), 27U);
    BOOST_CHECK_EQUAL((std::set<Root>{seen->masks.begin(), seen->masks.end()}.size()), 27U);
    for (const Entry& entry : seen->entries) {
        for (const CheckView& check : mixed.checks) {
            BOOST_CHECK(!memmem(&entry, sizeof(entry), check.public_key + N, N));
            bool seen_in_clear{false};
            for (size_t i = 0; i < SIGNATURE_SIZE; i += N) {
                seen_in_clear |= memmem(&entry, sizeof(entry), check.signature.data() + i, N) != nullptr;
            }
            BOOST_CHECK(!seen_in_clear);
        }
    }
    // A call's three chunks of three share the time for nine: less than the 0.1 s after which a wait looks around.
    for (size_t i = 0; i < seen->limits.size(); ++i) {
        if (i % 3 == 0) {
            BOOST_CHECK(seen->limits[i] == std::chrono::nanoseconds{36'000 * PARAMS_128S.VerifyCompressions()});
        } else {
            BOOST_CHECK(seen->limits[i] < seen->limits[i - 1]);
        }
    }
}

/** Whatever part of an upload does not arrive, so that the device reads the old content: it is noise. A valid signature is verified, then
 *  in its place one that differs from it in a part of its entry, the part that stays. */
BOOST_AUTO_TEST_CASE(stale_parts_are_noise)
{
    constexpr size_t HEAD{DeviceEntry::ValuesAt(PARAMS_128S) / N};
    const MixedChecks mixed{1};
    const CheckView& valid{mixed.checks[0]};
    const RootJob valid_job{PrepareRootJob(valid)};
    std::mt19937_64 random{slhc::test::Seed(12)};
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
    // The difference is in the head: the place in the hypertree, and the leaves of FORS.
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

/** After a fault every call gets the same answer, and the device is not called again. */
BOOST_AUTO_TEST_CASE(no_second_chance)
{
    std::mt19937_64 random{slhc::test::Seed(2)};
    const RandomJobs all{3, random};
    const auto control{std::make_shared<FaultControl>()};
    RootComputer verifier{std::make_unique<FaultyLink>(std::make_unique<SoftwareLink>(7), control), NO_HURRY};
    std::vector<Root> roots(3);
    control->fault = Fault::LOST_ON_WAIT;
    BOOST_CHECK(verifier.Compute(all.jobs, roots) == LinkStatus::LOST);
    control->fault = Fault::NONE;
    BOOST_CHECK(verifier.Compute(all.jobs, roots) == LinkStatus::LOST);
    BOOST_CHECK_EQUAL(control->submits, 1U);
    BOOST_CHECK(control->abandoned);
}

/** Whichever chunk is late, the batch is late, and no more chunks are submitted. */
BOOST_AUTO_TEST_CASE(one_late_chunk)
{
    std::mt19937_64 random{slhc::test::Seed(18)};
    const RandomJobs all{5, random};
    for (size_t late{0}; late < 5; ++late) {
        const auto control{std::make_shared<FaultControl>()};
        RootComputer verifier{std::make_unique<FaultyLink>(std::make_unique<LateFromLink>(1, late), control),
                              {.least = std::chrono::milliseconds{20}}};
        std::vector<Root> roots(all.jobs.size());
        BOOST_CHECK(verifier.Compute(all.jobs, roots) == LinkStatus::LATE);
        BOOST_CHECK_EQUAL(control->submits, std::min<size_t>(2 + late, 5)); // there are two slots
    }
}

/** Nothing is written beyond the roots that were asked for. */
BOOST_AUTO_TEST_CASE(only_roots_are_written)
{
    std::mt19937_64 random{slhc::test::Seed(20)};
    const RandomJobs all{3, random};
    RootComputer verifier{std::make_unique<SoftwareLink>(3), NO_HURRY};
    for (int round{0}; round < 3; ++round) { // a byte too many has the right value now and then
        std::array<Root, 4> roots{};
        BOOST_CHECK(verifier.Compute(all.jobs, std::span{roots}.first(3)) == LinkStatus::OK);
        BOOST_CHECK(roots[3] == Root{});
    }
}

/** A call that ends with an exception is a fault: chunks before it may still be at work. */
BOOST_AUTO_TEST_CASE(no_memory_for_masks, *boost::unit_test::precondition(slhc::test::CanForbidAllocations))
{
    std::mt19937_64 random{slhc::test::Seed(19)};
    const RandomJobs all{2, random};
    for (const size_t allowed : {0, 1}) { // those of the first chunk, and of the second
        const auto control{std::make_shared<FaultControl>()};
        RootComputer verifier{std::make_unique<FaultyLink>(std::make_unique<SoftwareLink>(1), control), NO_HURRY};
        std::vector<Root> roots(2);
        bool thrown{false};
        slhc::test::ForbidAllocationsAfter(allowed);
        try {
            (void)verifier.Compute(all.jobs, roots);
        } catch (const std::bad_alloc&) {
            thrown = true;
        }
        slhc::test::AllowAllocations();
        BOOST_REQUIRE(thrown);
        BOOST_CHECK(control->abandoned);
        BOOST_CHECK(verifier.Compute(all.jobs, roots) == LinkStatus::ERROR);
        BOOST_CHECK_EQUAL(control->submits, allowed);
    }
}

BOOST_AUTO_TEST_CASE(names_of_results)
{
    for (const auto& [status, name] : {std::pair{LinkStatus::OK, "ok"}, {LinkStatus::LATE, "late"}, {LinkStatus::LOST, "lost"},
                                       {LinkStatus::OUT_OF_MEMORY, "out of memory"}, {LinkStatus::ERROR, "error"},
                                       {LinkStatus::INTERRUPTED, "interrupted"}, {LinkStatus::UNSUPPORTED, "not supported"}}) {
        BOOST_CHECK_EQUAL(LinkStatusName(status), name);
    }
}

BOOST_AUTO_TEST_SUITE_END()
