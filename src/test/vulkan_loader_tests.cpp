// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/backends.h>
#include <pqc/vulkan/family.h>
#include <pqc/vulkan/open.h>

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

/** Loaders that do not lead to a driver. A process finds its loader once, by what LD_LIBRARY_PATH was when it began, so each case is a
 *  process of its own, which ctest starts. */

using namespace slhc;
using namespace slhc::slhdsa;

namespace {

/** Precondition of a case: it is the one that ctest found the loader for. */
auto FindsLoader(std::string_view which)
{
    return boost::unit_test::precondition([which](boost::unit_test::test_unit_id) {
        const char* const found{std::getenv("SLHC_TEST_LOADER")};
        boost::test_tools::assertion_result result{found && found == which};
        result.message() << "the loader is the system's: ctest has another one found";
        return result;
    });
}

/** Nothing is found by any way there is, and each says why. */
void CheckNoDevice(const std::string& why)
{
    std::string error;
    BOOST_CHECK(vulkan::ListDevices(error).empty());
    BOOST_CHECK_EQUAL(error, why);
    vulkan::DeviceDescription description;
    BOOST_CHECK(!vulkan::FindDevice("", description, error));
    BOOST_CHECK_EQUAL(error, why);
    BOOST_CHECK(!vulkan::OpenDevice("", {}, description, error));
    BOOST_CHECK_EQUAL(error, why);
    BOOST_CHECK(!SelectBackends("vulkan", {.logger = std::make_shared<Logger>(), .cache_dir = {}}, error));
    BOOST_CHECK_EQUAL(error, why);
}

} // namespace

BOOST_AUTO_TEST_SUITE(vulkan_loader_tests)

BOOST_AUTO_TEST_CASE(older_than_1_1, *FindsLoader("old"))
{
    const auto loaded{[] { return std::string{std::getenv("SLHC_TEST_LOADED")}; }};
    std::string error;
    BOOST_CHECK_MESSAGE(vulkan::HasLoader(error), error);
    const std::string once{loaded()};
    BOOST_CHECK_MESSAGE(vulkan::HasLoader(error), error);
    BOOST_CHECK_EQUAL(loaded(), once); // which is known by now
    CheckNoDevice("vulkan: the Vulkan loader is older than 1.1");
    std::string fault;
    BOOST_CHECK(vulkan::ListVulkanDevices(LISTING_LIMIT, fault).empty());
    BOOST_CHECK_EQUAL(fault, "the Vulkan loader is older than 1.1");
    BOOST_CHECK_EQUAL(ListBackends().back().description, fault);
}

BOOST_AUTO_TEST_CASE(none, *FindsLoader("none"))
{
    std::string error;
    for (int i{0}; i < 2; ++i) {
        BOOST_CHECK(!vulkan::HasLoader(error));
        BOOST_CHECK_EQUAL(error, "vulkan: this machine has no Vulkan loader (libvulkan.so.1)");
    }
    CheckNoDevice(error);
    std::string fault{"of an earlier call"};
    BOOST_CHECK(vulkan::ListVulkanDevices(LISTING_LIMIT, fault).empty());
    BOOST_CHECK_EQUAL(fault, ""); // to have none is no fault
}

BOOST_AUTO_TEST_SUITE_END()
