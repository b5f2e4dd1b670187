// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/batch_fixture.h>
#include <test/emulated/engines.h>
#include <test/engine_fixture.h>

#include <pqc/cpu/known_answers.h>
#include <pqc/cpu/lane_engine.h>
#include <pqc/cpu/lane_signer.h>

#include <boost/test/unit_test.hpp>

#include <random>

/** The engines for x86 as plain C++ (emulated/immintrin.h), which is how ctime_tests looks at AVX-512 and SHA instructions:
 *  they compute what the scalar code computes, on every machine. */

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
    std::mt19937_64 random{20};
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
        GenerateKey(engine.Splitter(), seed, sk, pk);
        BOOST_TEST_CONTEXT(engine.isa) BOOST_CHECK(pk == RealSignatures()[0].public_key);
    }
}

BOOST_AUTO_TEST_SUITE_END()
