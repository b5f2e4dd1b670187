// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/batch_fixture.h>
#include <test/emulated/engines.h>
#include <test/engine_fixture.h>
#include <test/random_source.h>

#include <crypto/cpu_features.h>
#include <pqc/cpu/kernels.h>
#include <pqc/cpu/known_answers.h>
#include <pqc/cpu/lane_engine.h>
#include <pqc/cpu/lane_signer.h>

#include <boost/test/unit_test.hpp>

#include <array>
#include <random>

/** The engines for x86 as plain C++ (emulated/immintrin.h), the form in which ctime_tests examines AVX-512 and SHA instructions: they agree
 *  with the scalar code on every machine. */

using namespace slhc;
using namespace slhc::slhdsa;
using namespace slhc::slhdsa::lanes;
using namespace slhc::slhdsa::test;

BOOST_AUTO_TEST_SUITE(emulated_engine_tests)

BOOST_AUTO_TEST_CASE(kernels)
{
    for (const EmulatedEngine& engine : EMULATED_ENGINES) {
        BOOST_TEST_CONTEXT(engine.isa) BOOST_CHECK_EQUAL(FindWrongKernel(engine.kernels), "");
    }
}

BOOST_AUTO_TEST_CASE(roots)
{
    std::mt19937_64 random{slhc::test::Seed(20)};
    for (const size_t n : {size_t{1}, size_t{2}, size_t{7}}) {
        const RandomJobs sample{n, random};
        const auto expected{RootsOf(*CreatePortableEngine(), sample.jobs)};
        for (const EmulatedEngine& engine : EMULATED_ENGINES) {
            BOOST_TEST_CONTEXT(engine.isa) BOOST_CHECK(RootsOf(*CreateLaneEngine(engine.isa, engine.Splitter()), sample.jobs) == expected);
        }
    }
}

BOOST_AUTO_TEST_CASE(keys)
{
    std::array<uint8_t, KEYGEN_SEED_SIZE> seed;
    for (size_t j{0}; j < seed.size(); ++j) seed[j] = static_cast<uint8_t>(j); // as in batch_fixture.h
    for (const EmulatedEngine& engine : EMULATED_ENGINES) {
        SecretKey sk;
        PublicKey pk;
        ThreadPool pool{1};
        BOOST_CHECK(GenerateKey(engine.Splitter(), pool, ParameterSet::SHA2_128S, seed, sk, pk));
        BOOST_TEST_CONTEXT(engine.isa) BOOST_CHECK(pk == RealSignatures()[0].public_key);
    }
}

#ifdef SLHC_ENABLE_AVX512SHA
boost::test_tools::assertion_result HasAvx512Sha(boost::unit_test::test_unit_id)
{
    return slhc::cpu::Has(slhc::cpu::AVX512 | slhc::cpu::SHA_NI | slhc::cpu::SSE41);
}

/** A step whose instructions place_step.py has placed agrees with the compiler's ChainGroup::Step(), whatever the prefixes, lengths and
 *  groups are. */
BOOST_AUTO_TEST_CASE(placed_step, *boost::unit_test::precondition(HasAvx512Sha))
{
    constexpr size_t KEYS{3}, CHAINS{40};
    std::mt19937 random{slhc::test::Seed(21)};
    std::array<BlockPrefix, KEYS> prefixes;
    for (BlockPrefix& prefix : prefixes) {
        for (uint32_t& x : prefix.state) x = random();
        for (uint32_t& x : prefix.midstate) x = random();
        for (uint32_t& x : prefix.schedule) x = random();
    }
    std::array<uint8_t, 16 * CHAINS> in, expected, out;
    for (size_t n{0}; n <= CHAINS; ++n) {
        std::array<ChainItem, CHAINS> items;
        for (uint8_t& byte : in) byte = static_cast<uint8_t>(random());
        for (size_t i{0}; i < n; ++i) {
            items[i] = {static_cast<uint16_t>(random() % KEYS), static_cast<uint8_t>(i), static_cast<uint8_t>(random() % 16),
                        static_cast<uint8_t>(random() % 16)};
        }
        const auto results_of{[&](decltype(Kernels::chains) kernel, std::array<uint8_t, 16 * CHAINS>& results) {
            results.fill(0);
            std::array<ChainKey, KEYS> keys;
            for (size_t k{0}; k < KEYS; ++k) keys[k] = {&prefixes[k], in.data(), results.data()};
            kernel(keys.data(), items.data(), n);
        }};
        BOOST_TEST_CONTEXT(n << " chains")
        {
            results_of(g_emulated_avx512sha_kernels.chains, expected);
            results_of(g_avx512sha_kernels.chains, out);
            BOOST_CHECK(out == expected);
            results_of(g_emulated_avx512sha_kernels.folded_side_by_side.chains, expected);
            results_of(g_avx512sha_kernels.folded_side_by_side.chains, out);
            BOOST_CHECK(out == expected);
        }
    }
}
#endif

BOOST_AUTO_TEST_SUITE_END()
