// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/device_fixture.h>
#include <test/engine_fixture.h>
#include <test/random_source.h>

#include <pqc/device/root_computer.h>
#include <pqc/device/process_link.h>

#include <boost/test/unit_test.hpp>

using namespace slhc::slhdsa;
using namespace slhc::slhdsa::test;

BOOST_AUTO_TEST_SUITE(vulkan_oracle_tests, *boost::unit_test::precondition(HasDevice))

/** The device against the scalar code, on the 100,000 signatures that the CPU engines are tested with. */
BOOST_AUTO_TEST_CASE(roots_100000)
{
    constexpr size_t CASES{100'000};
    std::mt19937_64 random{slhc::test::Seed(10)};
    DeviceDescription description;
    constexpr ParameterSet SET{ParameterSet::SHA2_128S};
    RootComputer verifier{OpenDevice(DeviceToTest(), {}, {}, description), NO_HURRY};
    const auto portable{CreatePortableEngine()};
    for (size_t done{0}; done < CASES;) {
        // First more than fits at once, in workgroups that are full.
        const size_t n{done == 0 ? verifier.Capacity(SET) + verifier.FullLayout(SET) : static_cast<size_t>(1 + random() % 400)};
        RandomJobs random_jobs{n, random};
        std::vector<Root> roots(random_jobs.jobs.size());
        BOOST_REQUIRE(verifier.Compute(random_jobs.jobs, roots) == LinkStatus::OK);
        BOOST_REQUIRE_MESSAGE(roots == RootsOf(*portable, random_jobs.jobs), description.name << " after " << done);
        done += random_jobs.jobs.size();
    }
}

BOOST_AUTO_TEST_SUITE_END()
