// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#define BOOST_TEST_MODULE slhconsensus
#include <test/boost_test_main.h>

#include <test/random_source.h>

#include <boost/test/results_collector.hpp>
#include <boost/test/tree/observer.hpp>

#include <iostream>

namespace {

/** Gives each test case its randomness, and tells the seed if it fails. */
class Seeder : public boost::unit_test::test_observer
{
public:
    void test_unit_start(const boost::unit_test::test_unit& unit) override { slhc::test::SeedRandomSource(unit.full_name()); }
    void test_unit_finish(const boost::unit_test::test_unit& unit, unsigned long) override
    {
        const auto& results{boost::unit_test::results_collector.results(unit.p_id)};
        if (unit.p_type == boost::unit_test::TUT_CASE && !results.passed() && !results.p_skipped) {
            std::cerr << unit.full_name() << " failed with SLHC_TEST_SEED=" << slhc::test::GlobalSeed() << '\n';
        }
    }
    int priority() override { return 4; } // after results_collector
};

struct Seeding {
    Seeding() { boost::unit_test::framework::register_observer(m_seeder); }
    ~Seeding() { boost::unit_test::framework::deregister_observer(m_seeder); }
    Seeding(const Seeding&) = delete;
    Seeding& operator=(const Seeding&) = delete;

    Seeder m_seeder;
};

BOOST_TEST_GLOBAL_CONFIGURATION(Seeding);

} // namespace
