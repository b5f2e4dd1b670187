// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/backends.h>
#include <pqc/top_tree_cache.h>
#include <tool/bench.h>
#include <tool/device_check.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

using namespace slhc;
using namespace slhc::slhdsa;
using namespace slhc::tool;

namespace {

/** Backends of a machine, of which the first and the second compute nothing. */
std::vector<BackendInfo> Known()
{
    return {{"cpu:wrong", "CPU engine, not offered: its chains are wrong", false, "its chains are wrong"},
            {"cpu:foreign", "CPU engine, not offered: this machine lacks the instructions", false, {}},
            {"cpu:portable", "CPU engine: scalar code", true, {}},
            {"vulkan", "the driver does not answer", false, "the driver does not answer"}};
}

} // namespace

BOOST_AUTO_TEST_SUITE(tool_device_tests)

BOOST_AUTO_TEST_CASE(a_check_reports_faults_that_are_known)
{
    const auto findings{CheckDevices(Known())};
    BOOST_REQUIRE_EQUAL(findings.size(), 4U);
    const std::string faults[]{"its chains are wrong", "", "", "the driver does not answer"};
    for (size_t i{0}; i < findings.size(); ++i) {
        BOOST_CHECK_EQUAL(findings[i].backend.name, Known()[i].name);
        BOOST_CHECK_EQUAL(findings[i].backend.fault, faults[i]);
        BOOST_CHECK_EQUAL(findings[i].one_us && findings[i].block_us && findings[i].opened_ms, Known()[i].available);
    }
}

BOOST_AUTO_TEST_CASE(a_check_reports_what_cannot_be_used)
{
    const auto findings{CheckDevices({{"cpu:missing", "CPU engine: none", true, {}}})};
    BOOST_REQUIRE_EQUAL(findings.size(), 1U);
    BOOST_CHECK(findings[0].backend.fault.starts_with("unknown backend 'cpu:missing'"));
    BOOST_CHECK(!findings[0].one_us);
}

BOOST_AUTO_TEST_CASE(a_benchmark_has_rows_for_faults)
{
    std::vector<std::string> shown;
    const auto show{[&](const BenchRow& row) { shown.push_back(row.backend + " " + std::to_string(row.batch) + " " + row.fault); }};
    const auto report{RunBench({.backends = {}, .batches = {1, 2}, .seconds = 1e-6}, Known(), show)};
    const std::string expected[]{"cpu:wrong 1 its chains are wrong",
                                 "cpu:wrong 2 its chains are wrong",
                                 "cpu:portable 1 ",
                                 "cpu:portable 2 ",
                                 "vulkan 1 the driver does not answer",
                                 "vulkan 2 the driver does not answer"};
    BOOST_REQUIRE_GT(shown.size(), std::size(expected));
    for (size_t i{0}; i < std::size(expected); ++i) BOOST_CHECK_EQUAL(shown[i], expected[i]);
    BOOST_CHECK_EQUAL(report.rows.size(), shown.size());
    BOOST_CHECK_EQUAL(report.rows.back().what, "keygen");
}

BOOST_AUTO_TEST_CASE(a_benchmark_of_another_set)
{
    const std::vector<BackendInfo> portable{{"cpu:portable", "", true, {}}};
    for (const ParameterSet set : {ParameterSet::SHA2_128_24, ParameterSet::SHA2_128_Q40}) {
        const auto report{RunBench({.backends = {}, .batches = {2}, .seconds = 1e-6, .set = set}, portable, [](const BenchRow&) {})};
        BOOST_CHECK(std::ranges::all_of(report.rows, [](const BenchRow& row) { return row.fault.empty(); }));
        // A key of 128-24 takes seconds.
        BOOST_CHECK_EQUAL(report.rows.back().what, set == ParameterSet::SHA2_128_24 ? "verify" : "keygen");
    }
}

/** Else the time of a signature would depend on how many are verified at once. */
BOOST_AUTO_TEST_CASE(a_benchmark_signs_with_keys_that_are_not_cached)
{
    for (const size_t batch : {size_t{1}, MAX_TOP_TREES, MAX_TOP_TREES + 1, size_t{64}}) {
        const size_t samples{CountSamples({.backends = {}, .batches = {1, batch}, .seconds = 1})};
        BOOST_CHECK_GT(samples, MAX_TOP_TREES);
        BOOST_CHECK_GE(samples, batch);
        BOOST_CHECK_LE(samples, std::max(batch, MAX_TOP_TREES + 1));
    }
}

BOOST_AUTO_TEST_SUITE_END()
