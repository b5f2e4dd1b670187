// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_ENGINE_FIXTURE_H
#define SLHCONSENSUS_TEST_ENGINE_FIXTURE_H

#include <pqc/backend.h>
#include <pqc/cpu/engines.h>
#include <pqc/cpu/kernels.h>

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/** Jobs for engines, and the scalar code's results. A signature need not be valid to have a root, so
 *  random bytes are as good a case as any, and cheap to make. */
namespace slhc::slhdsa::test {

/** The engines that this machine is offered, but for the scalar code that they are compared with. */
inline std::vector<std::unique_ptr<RootBackend>> EnginesUnderTest()
{
    std::vector<std::unique_ptr<RootBackend>> engines;
    for (const CpuEngine& engine : CpuEngines().All()) {
        if (engine.Isa() == "portable") continue;
        if (engine.IsOffered()) {
            engines.push_back(engine.Create());
        } else if (engine.WasWrong()) {
            BOOST_ERROR("the engine " << engine.Isa() << ": " << engine.WhyNot());
        } else {
            BOOST_TEST_MESSAGE("SKIPPED: the engine " << engine.Isa() << ": " << engine.WhyNot());
        }
    }
    return engines;
}

/** The loops of one engine, without the schedule around them. */
struct NamedKernels {
    std::string name;
    const lanes::Kernels& kernels;
};

[[maybe_unused]] inline bool IsUnderTest(std::string_view isa)
{
    const CpuEngine* const engine{CpuEngines().Find(isa)};
    if (engine == nullptr) return false;
    const bool runs{engine->IsOffered() || engine->WasWrong()};
    if (!runs) BOOST_TEST_MESSAGE("SKIPPED: the engine " << isa << ": " << engine->WhyNot());
    return runs;
}

inline std::vector<NamedKernels> KernelsUnderTest()
{
    std::vector<NamedKernels> found;
#ifdef SLHC_ENABLE_AVX512
    if (IsUnderTest("avx512")) found.push_back({"avx512", lanes::g_avx512_kernels});
#endif
#ifdef SLHC_ENABLE_AVX512SHA
    if (IsUnderTest("avx512sha")) found.push_back({"avx512sha", lanes::g_avx512sha_kernels});
#endif
#ifdef SLHC_ENABLE_AVX2
    if (IsUnderTest("avx2")) found.push_back({"avx2", lanes::g_avx2_kernels});
#endif
#ifdef SLHC_ENABLE_SHANI
    if (IsUnderTest("shani")) found.push_back({"shani", lanes::g_shani_kernels});
#endif
#ifdef SLHC_ENABLE_ARMV8
    if (IsUnderTest("armv8")) found.push_back({"armv8", lanes::g_armv8_kernels});
#endif
    return found;
}

inline void FillRandom(std::span<uint8_t> bytes, std::mt19937_64& random)
{
    while (!bytes.empty()) {
        const uint64_t x{random()};
        const size_t n{std::min(bytes.size(), sizeof(x))};
        std::memcpy(bytes.data(), &x, n);
        bytes = bytes.subspan(n);
    }
}

/** n jobs and the data that they point to. */
struct RandomJobs {
    std::vector<std::array<uint8_t, N>> seeds;
    std::vector<std::vector<uint8_t>> signatures;
    std::vector<RootJob> jobs;

    RandomJobs(size_t n, std::mt19937_64& random, ParameterSet set = ParameterSet::SHA2_128S) : seeds(n), signatures(n), jobs(n)
    {
        const Params p{ParamsOf(set)};
        for (size_t i{0}; i < n; ++i) {
            FillRandom(seeds[i], random);
            signatures[i].resize(p.SignatureSize());
            FillRandom(signatures[i], random);
            RootJob& job{jobs[i]};
            job.pk_seed = seeds[i].data();
            job.signature = signatures[i].data();
            FillRandom(std::span{job.md}.first(p.MdSize()), random);
            job.set = set;
            job.idx_leaf = static_cast<uint32_t>(PickIndex(random, p.h_prime()));
            job.idx_tree = PickIndex(random, p.h - p.h_prime());
        }
    }
    RandomJobs(const RandomJobs&) = delete;
    RandomJobs& operator=(const RandomJobs&) = delete;
    RandomJobs(RandomJobs&&) = default;
    RandomJobs& operator=(RandomJobs&&) = default;
    ~RandomJobs() = default;

private:
    /** Any index of so many bits; the first and the last more often than chance would have it. */
    static uint64_t PickIndex(std::mt19937_64& random, size_t bits)
    {
        const uint64_t mask{bits < 64 ? (uint64_t{1} << bits) - 1 : ~uint64_t{0}};
        switch (random() % 16) {
        case 0: return 0;
        case 1: return mask;
        default: return random() & mask;
        }
    }
};

/** Jobs of a tiny set for every digest: all FORS indexes, trees and leaves. The nodes are arbitrary. */
inline RandomJobs EveryDigest(const ParameterSetEntry& entry, std::mt19937_64& random)
{
    const Params p{entry.params};
    const size_t bits{p.k * p.a};
    RandomJobs all{size_t{1} << (bits + p.h), random, entry.set};
    for (size_t i{0}; i < all.jobs.size(); ++i) {
        RootJob& job{all.jobs[i]};
        job.md = {};
        const uint64_t md{(i & ((size_t{1} << bits) - 1)) << (8 * p.MdSize() - bits)};
        for (size_t byte{0}; byte < p.MdSize(); ++byte) job.md[byte] = static_cast<uint8_t>(md >> (8 * (p.MdSize() - 1 - byte)));
        job.idx_leaf = static_cast<uint32_t>(i >> bits & ((size_t{1} << p.h_prime()) - 1));
        job.idx_tree = i >> (bits + p.h_prime());
    }
    return all;
}

inline std::vector<Root> RootsOf(RootBackend& engine, std::span<const RootJob> jobs)
{
    std::vector<Root> roots(jobs.size());
    BOOST_REQUIRE(engine.ComputeRoots(jobs, roots) == BackendStatus::OK);
    return roots;
}

} // namespace slhc::slhdsa::test

#endif // SLHCONSENSUS_TEST_ENGINE_FIXTURE_H
