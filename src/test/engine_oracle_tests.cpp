// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/engine_fixture.h>
#include <test/random_source.h>

using namespace slhc::slhdsa;
using namespace slhc::slhdsa::test;

BOOST_AUTO_TEST_SUITE(engine_oracle_tests)

/** Every engine against the scalar code on 100,000 signatures of random bytes, in batches of any size. */
BOOST_AUTO_TEST_CASE(roots_100000)
{
    constexpr size_t CASES{100'000};
    std::mt19937_64 random{slhc::test::Seed(10)};
    const auto portable{CreatePortableEngine()};
    const auto engines{EnginesUnderTest()};
    for (size_t done{0}; done < CASES;) {
        RandomJobs random_jobs{static_cast<size_t>(1 + random() % 400), random};
        const auto expected{RootsOf(*portable, random_jobs.jobs)};
        for (const auto& engine : engines) {
            BOOST_REQUIRE_MESSAGE(RootsOf(*engine, random_jobs.jobs) == expected, engine->Name() << " after " << done);
        }
        done += random_jobs.jobs.size();
    }
}

BOOST_AUTO_TEST_SUITE_END()
