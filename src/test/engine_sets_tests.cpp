// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Every engine, the signer and the verifier with every parameter set, against the scalar code. Tiny sets are gone through whole.

#include <pqc/cpu/engines.h>
#include <pqc/device/device_backend.h>
#include <pqc/sample_jobs.h>
#include <pqc/signer.h>
#include <pqc/slhdsa/slhdsa.h>
#include <pqc/verifier.h>
#include <test/device_fixture.h>
#include <test/engine_fixture.h>
#include <test/random_source.h>
#include <test/util/peak_memory.h>
#include <util/threadpool.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

using namespace slhc;
using namespace slhc::slhdsa;
using slhc::slhdsa::test::EveryDigest;
using slhc::slhdsa::test::RandomJobs;
using slhc::slhdsa::test::RootsOf;

namespace {

struct Key {
    SecretKey sk;
    PublicKey pk;

    explicit Key(ParameterSet set)
    {
        std::array<uint8_t, KEYGEN_SEED_SIZE> seed;
        for (size_t i{0}; i < seed.size(); ++i) seed[i] = static_cast<uint8_t>(5 * i + 3);
        slh_keygen_internal(set, seed, sk, pk);
    }
};

std::vector<uint8_t> Signed(ParameterSet set, const SecretKey& sk, std::span<const uint8_t> message)
{
    std::vector<uint8_t> sig(ParamsOf(set).SignatureSize());
    BOOST_REQUIRE(slh_sign(set, message, {}, sk, nullptr, sig));
    return sig;
}

/** Call f(entry) for each set. */
template <typename F>
void ForEachSet(F f)
{
    for (const ParameterSetEntry& entry : PARAMETER_SETS) {
        BOOST_TEST_CONTEXT("set " << entry.name) f(entry);
    }
}

/** Call f(engine) for each engine of this machine but the scalar code. */
template <typename F>
void ForEachEngine(F f)
{
    for (const CpuEngine& engine : CpuEngines().All()) {
        if (!engine.IsOffered() || !engine.Kernels()) continue;
        BOOST_TEST_CONTEXT(engine.Name()) f(engine);
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(engine_sets_tests)

BOOST_AUTO_TEST_CASE(arbitrary_jobs)
{
    std::mt19937_64 random{slhc::test::Seed(60)};
    ForEachSet([&](const ParameterSetEntry& entry) {
        const RandomJobs all{150, random, entry.set};
        const auto expected{RootsOf(*CreatePortableEngine(), all.jobs)};
        ForEachEngine([&](const CpuEngine& engine) {
            const auto backend{engine.Create()};
            for (const size_t n : {1, 2, 3, 5, 8, 16, 17, 33, 150}) {
                const auto roots{RootsOf(*backend, std::span{all.jobs}.first(n))};
                BOOST_CHECK_MESSAGE(std::equal(roots.begin(), roots.end(), expected.begin()), n << " jobs");
            }
        });
    });
}

BOOST_AUTO_TEST_CASE(every_digest)
{
    std::mt19937_64 random{slhc::test::Seed(61)};
    ForEachSet([&](const ParameterSetEntry& entry) {
        if (!IsForTests(entry.set)) return;
        const RandomJobs all{EveryDigest(entry, random)};
        const auto expected{RootsOf(*CreatePortableEngine(), all.jobs)};
        ForEachEngine([&](const CpuEngine& engine) { BOOST_CHECK(RootsOf(*engine.Create(), all.jobs) == expected); });
    });
}

BOOST_AUTO_TEST_CASE(every_bit_of_a_signature)
{
    constexpr std::array<uint8_t, 3> MESSAGE{1, 2, 3};
    ForEachSet([&](const ParameterSetEntry& entry) {
        if (!IsForTests(entry.set)) return;
        const Key key{entry.set};
        const std::vector<uint8_t> sig{Signed(entry.set, key.sk, MESSAGE)};
        // The first one is as it was made. Another R may serve as well: R is left to slhdsa_sets_tests.
        std::deque<std::vector<uint8_t>> changed{sig};
        for (size_t bit{8 * N}; bit < 8 * sig.size(); ++bit) {
            if (entry.params.w() == 256 && bit % 8 != bit / 8 % 8) continue; // long chains: one bit of a byte
            changed.push_back(sig);
            changed.back()[bit / 8] ^= static_cast<uint8_t>(1U << bit % 8);
        }
        std::vector<CheckView> checks;
        for (const auto& one : changed) checks.push_back({key.pk.data(), *MessagePieces::Pure(MESSAGE, {}), one, entry.set});
        ForEachEngine([&](const CpuEngine& engine) {
            Verifier verifier{Backends{.cpu = engine.Create()}, std::make_shared<ThreadPool>(2), std::make_shared<Logger>()};
            std::vector<Verdict> verdicts(checks.size());
            BOOST_REQUIRE(verifier.VerifyMany(checks, verdicts));
            BOOST_CHECK(verdicts.front() == Verdict::VALID);
            BOOST_CHECK_EQUAL(std::ranges::count(verdicts, Verdict::INVALID), static_cast<std::ptrdiff_t>(checks.size() - 1));
        });
    });
}

/** Every set but 128-24, whose key takes 2^22 one-time keys: large_tree_tests has it. */
BOOST_AUTO_TEST_CASE(keys_and_signatures)
{
    constexpr std::array<uint8_t, 4> MESSAGE{7, 7, 7, 7};
    ThreadPool pool{1}; // so that every step is in this thread
    ForEachSet([&](const ParameterSetEntry& entry) {
        if (entry.set == ParameterSet::SHA2_128_24) return;
        const Key expected{entry.set};
        const std::vector<uint8_t> expected_sig{Signed(entry.set, expected.sk, MESSAGE)};
        const auto pieces{*MessagePieces::Pure(MESSAGE, {})};
        const auto seed{std::span{expected.sk}.first<KEYGEN_SEED_SIZE>()};
        ForEachEngine([&](const CpuEngine& engine) {
            SecretKey sk;
            PublicKey pk;
            TopTreeCache cache{1};
            std::vector<std::pair<size_t, size_t>> steps;
            const auto progress{[&](size_t done, size_t total) { steps.emplace_back(done, total); }};
            BOOST_REQUIRE(lanes::GenerateKey(*engine.Kernels(), pool, entry.set, seed, sk, pk, &cache, progress));
            BOOST_CHECK(sk == expected.sk && pk == expected.pk);
            BOOST_CHECK_EQUAL(cache.Size(), 1U);
            std::vector<uint8_t> sig(expected_sig.size());
            const auto addrnd{std::span{pk}.first<N>()};
            for (TopTreeCache* const top_tree : {static_cast<TopTreeCache*>(nullptr), &cache}) {
                std::ranges::fill(sig, uint8_t{0});
                BOOST_REQUIRE(lanes::Sign(*engine.Kernels(), pool, entry.set, pieces, sk, addrnd, sig, top_tree, progress));
                BOOST_CHECK(sig == expected_sig);
            }
            BOOST_CHECK(!steps.empty() && steps.back().first == steps.back().second);
            for (const auto& [done, total] : steps) BOOST_CHECK(done > 0 && done <= total);
        });
    });
}

/** A batch with signatures of all sets, valid and not, and of sizes that no set has. */
BOOST_AUTO_TEST_CASE(mixed_batch)
{
    std::deque<Key> keys;
    std::deque<std::vector<uint8_t>> sigs;
    std::vector<CheckView> checks;
    std::vector<Verdict> expected;
    constexpr std::array<uint8_t, 1> MESSAGE{9};
    ForEachSet([&](const ParameterSetEntry& entry) {
        if (entry.set == ParameterSet::SHA2_128_24) return;
        const Key& key{keys.emplace_back(entry.set)};
        const std::vector<uint8_t> sig{Signed(entry.set, key.sk, MESSAGE)};
        for (int i{0}; i < 7; ++i) {
            std::vector<uint8_t>& one{sigs.emplace_back(sig)};
            if (i % 3 == 1) one[N + static_cast<size_t>(i) * 40] ^= 1;
            if (i == 5) one.pop_back();
            checks.push_back({key.pk.data(), *MessagePieces::Pure(MESSAGE, {}), one, entry.set});
            expected.push_back(i % 3 == 1 || i == 5 ? Verdict::INVALID : Verdict::VALID);
            // The same by another set: its size is wrong, or it is another scheme.
            const ParameterSet other{entry.set == ParameterSet::TINY ? ParameterSet::TINY_W4 : ParameterSet::TINY};
            checks.push_back({key.pk.data(), *MessagePieces::Pure(MESSAGE, {}), one, other});
            expected.push_back(Verdict::INVALID);
        }
    });
    for (size_t i{0}; i < checks.size(); ++i) {
        const size_t j{i * 61 % checks.size()};
        std::swap(checks[i], checks[j]);
        std::swap(expected[i], expected[j]);
    }
    Verifier verifier{Backends{.cpu = CpuEngines().Best().Create()}, std::make_shared<ThreadPool>(2), std::make_shared<Logger>()};
    std::vector<Verdict> verdicts(checks.size());
    BOOST_CHECK(verifier.VerifyMany(checks, verdicts));
    BOOST_CHECK(verdicts == expected);
    std::ranges::fill(verdicts, Verdict::NONE);
    verifier.VerifyHere(checks, verdicts);
    BOOST_CHECK(verdicts == expected);
    for (size_t i{0}; i < checks.size(); ++i) BOOST_CHECK_EQUAL(verifier.VerifyNow(checks[i]), expected[i] == Verdict::VALID);
}

#ifdef __linux__ // which has devices
/** A device made of the scalar code reads entries of every set; it is made ready for a set when it is asked for. */
BOOST_AUTO_TEST_CASE(entries_for_a_device)
{
    std::mt19937_64 random{slhc::test::Seed(62)};
    using slhdsa::test::SoftwareLink;
    DeviceBackend device{"vulkan:software", [](const std::stop_token&, std::string&) { return std::make_unique<SoftwareLink>(7); },
                         {.logger = std::make_shared<const Logger>()}};
    BOOST_REQUIRE(device.WaitUntilOpened());
    ForEachSet([&](const ParameterSetEntry& entry) {
        BOOST_REQUIRE(device.WaitUntilPrepared(entry.set));
        const RandomJobs all{20, random, entry.set};
        std::vector<Root> roots(all.jobs.size());
        BOOST_REQUIRE(device.ComputeRoots(all.jobs, roots) == BackendStatus::OK);
        BOOST_CHECK(roots == RootsOf(*CreatePortableEngine(), all.jobs));
    });
}
#endif

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(large_tree_tests)

/** A key and a signature of 128-24, in seconds: 2^22 one-time keys, then 6 * 2^24 FORS leaves; and in 64 MiB beside the kept top tree. */
BOOST_AUTO_TEST_CASE(limited_signatures)
{
    constexpr ParameterSet SET{ParameterSet::SHA2_128_24};
    const auto& kernels{CpuEngines().Best().Kernels()};
    if (!kernels) {
        BOOST_TEST_MESSAGE("SKIPPED: limited_signatures: this machine has the scalar code alone");
        return;
    }
    ThreadPool pool{0};
    std::array<uint8_t, KEYGEN_SEED_SIZE> seed;
    for (size_t i{0}; i < seed.size(); ++i) seed[i] = static_cast<uint8_t>(i);
    SecretKey sk;
    PublicKey pk;
    TopTreeCache cache{1};
    const size_t memory_bound{slhc::test::PeakMemory() + TopTreeSize(SET) + (size_t{64} << 20)};
    BOOST_REQUIRE(GenerateKey(pool, SET, seed, sk, pk, &cache));
    constexpr std::array<uint8_t, 5> MESSAGE{1, 2, 3, 4, 5};
    std::vector<uint8_t> sig(ParamsOf(SET).SignatureSize());
    BOOST_REQUIRE(Sign(pool, SET, MESSAGE, {}, sk, nullptr, sig, &cache)); // verified by the scalar code
    BOOST_CHECK_LE(slhc::test::PeakMemory(), memory_bound);
    for (const CpuEngine& engine : CpuEngines().All()) {
        if (!engine.IsOffered()) continue;
        Verifier verifier{Backends{.cpu = engine.Create()}, std::make_shared<ThreadPool>(1), std::make_shared<Logger>()};
        CheckView check{pk.data(), *MessagePieces::Pure(MESSAGE, {}), sig, SET};
        BOOST_CHECK_MESSAGE(verifier.VerifyNow(check), engine.Name());
        std::vector<uint8_t> changed{sig};
        changed[2'000] ^= 1;
        check.signature = changed;
        BOOST_CHECK_MESSAGE(!verifier.VerifyNow(check), engine.Name());
    }
}

BOOST_AUTO_TEST_SUITE_END()
