// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/backends.h>
#include <tool/device_check.h>

#include <boost/test/unit_test.hpp>

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

BOOST_AUTO_TEST_SUITE_END()
