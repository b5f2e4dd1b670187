// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/backends.h>
#include <pqc/vulkan/family.h>
#include <pqc/vulkan/open.h>
#include <test/saved_variable.h>

#include <boost/test/unit_test.hpp>

#include <dlfcn.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/** Loaders that do not lead to a driver, or to drivers that are not on this machine (fake_loader.cpp). A process finds its loader once, by
 *  the LD_LIBRARY_PATH of its start, so each case is a process of its own, which ctest starts. */

using namespace slhc;
using namespace slhc::slhdsa;
using slhc::test::SavedVariable;

namespace {

std::string Variable(const char* name)
{
    const char* const value{std::getenv(name)};
    return value ? value : "";
}

/** Precondition of a case: ctest prepared the loader for it, and this program finds it: the dynamic linker of a cross compiler may look in
 *  folders of its own first. */
auto FindsLoader(std::string_view which)
{
    return boost::unit_test::precondition([which](boost::unit_test::test_unit_id) {
        void* const library{dlopen("libvulkan.so", RTLD_LAZY | RTLD_LOCAL)};
        const std::string_view found{!library ? "none" : Variable("SLHC_FAKE_LOADED").empty() ? "real" : "fake"};
        if (library) dlclose(library);
        boost::test_tools::assertion_result result{Variable("SLHC_TEST_LOADER") == which && found == which};
        result.message() << "another Vulkan loader is found than the test's: " << found;
        return result;
    });
}

/** No way finds a device, and each gives the reason. */
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

BOOST_AUTO_TEST_CASE(older_than_1_1, *FindsLoader("fake"))
{
    std::string error;
    BOOST_CHECK_MESSAGE(vulkan::HasLoader(error), error);
    const std::string once{Variable("SLHC_FAKE_LOADED")};
    BOOST_CHECK_MESSAGE(vulkan::HasLoader(error), error);
    BOOST_CHECK_EQUAL(Variable("SLHC_FAKE_LOADED"), once); // which is known by now
    for (const char* const version : {"old", "1.0"}) {
        const SavedVariable loader{"SLHC_FAKE_LOADER", version};
        CheckNoDevice("vulkan: the Vulkan loader is older than 1.1");
        std::string fault;
        BOOST_CHECK(vulkan::ListVulkanDevices(LISTING_LIMIT, fault).empty());
        BOOST_CHECK_EQUAL(fault, "the Vulkan loader is older than 1.1");
        BOOST_CHECK_EQUAL(ListBackends().back().description, fault);
        BOOST_CHECK_EQUAL(ListBackends().back().fault, fault);
        BOOST_CHECK_EQUAL(Variable("SLHC_FAKE_ASKED"), ""); // no instance
    }
}

BOOST_AUTO_TEST_CASE(no_driver, *FindsLoader("fake"))
{
    const SavedVariable loader{"SLHC_FAKE_LOADER", "none"};
    CheckNoDevice("vulkan: no Vulkan driver is installed");
    std::string fault{"of an earlier call"};
    BOOST_CHECK(vulkan::ListVulkanDevices(LISTING_LIMIT, fault).empty());
    BOOST_CHECK_EQUAL(fault, "");
}

/** Descriptions of devices, and requests to their drivers. */
BOOST_AUTO_TEST_CASE(devices, *FindsLoader("fake"))
{
    const SavedVariable loader{"SLHC_FAKE_LOADER", "1.1"};
    const SavedVariable offers{"SLHC_FAKE_OFFERS", ""};
    const std::vector<std::string> usual{"0: Three Families (discrete, Vulkan 1.3.7, driver version 4.5.6, fake)",
                                         "1: Two Queues (virtual, Vulkan 1.1.0, driver version 4.5.6, \xc3\x89poque)",
                                         "2: Uploads First (other, Vulkan 1.1.0, driver version 4.5.6)"};
    const std::string instance{"slhconsensus 1, slhconsensus 1, Vulkan 1.1; flags 0; layers; extensions"};
    std::string fault;
    BOOST_TEST(vulkan::ListVulkanDevices(LISTING_LIMIT, fault) == usual, boost::test_tools::per_element());
    BOOST_CHECK_EQUAL(fault, "");
    BOOST_CHECK_EQUAL(Variable("SLHC_FAKE_ASKED"), instance);

    const auto open{[](const char* which) {
        std::string error;
        vulkan::DeviceDescription description;
        BOOST_CHECK(!vulkan::OpenDevice(which, {}, description, error));
        BOOST_CHECK_MESSAGE(error.find("below Vulkan's minimum") != error.npos, error);
        return Variable("SLHC_FAKE_ASKED");
    }};
    BOOST_CHECK_EQUAL(open("0"), instance + " | Three Families; extensions; family 1 1; family 2 1; queue 1 0; queue 2 0");
    BOOST_CHECK_EQUAL(open("1"), instance + " | Two Queues; extensions; family 0 1 1; queue 0 0; queue 0 1");
    BOOST_CHECK_EQUAL(open("2"), instance + " | Uploads First; extensions; family 1 1; family 0 1; queue 1 0; queue 0 0");

    // A driver that is not quite Vulkan, such as those over Apple's Metal, is listed only if the portability extension is requested.
    setenv("SLHC_FAKE_OFFERS", "portability", 1);
    const std::string portable{"slhconsensus 1, slhconsensus 1, Vulkan 1.1; flags 1; layers; extensions VK_KHR_portability_enumeration"};
    std::vector<std::string> all{usual};
    all.emplace_back("5: Not Quite Vulkan (integrated, Vulkan 1.1.0, driver version 4.5.6)");
    BOOST_TEST(vulkan::ListVulkanDevices(LISTING_LIMIT, fault) == all, boost::test_tools::per_element());
    BOOST_CHECK_EQUAL(Variable("SLHC_FAKE_ASKED"), portable);
    BOOST_CHECK_EQUAL(open("5"), portable + " | Not Quite Vulkan; extensions VK_KHR_portability_subset; family 0 1; queue 0 0; queue 0 0");
}

/** Requests to the validation layer: warnings and errors, about mistakes and about speed. */
BOOST_AUTO_TEST_CASE(validation, *FindsLoader("fake"))
{
    const SavedVariable loader{"SLHC_FAKE_LOADER", "1.1"};
    const SavedVariable offers{"SLHC_FAKE_OFFERS", ""};
    std::vector<std::string> messages;
    const auto open{[&](const std::string& why) {
        std::string error;
        vulkan::DeviceDescription description;
        const auto keep{[&](const std::string& message) { messages.push_back(message); }};
        BOOST_CHECK(!vulkan::OpenDevice("1", {.cache_dir = {}, .capacity = 0, .as_gpu = false, .on_validation_message = keep}, description,
                                        error));
        BOOST_CHECK_MESSAGE(error.find(why) != error.npos, error);
        return Variable("SLHC_FAKE_ASKED");
    }};
    const std::string asked{"slhconsensus 1, slhconsensus 1, Vulkan 1.1; flags 0; layers VK_LAYER_KHRONOS_validation"
                            "; extensions VK_EXT_debug_utils"};
    const std::string about{" 4352 6"}; // VK_DEBUG_UTILS_MESSAGE_SEVERITY_* and ..._TYPE_*
    const std::string device{" | Two Queues; extensions; family 0 1 1; queue 0 0; queue 0 1"};
    BOOST_CHECK_EQUAL(open("ErrorLayerNotPresent"), asked + "; messages" + about);
    setenv("SLHC_FAKE_OFFERS", "layer", 1);
    BOOST_CHECK_EQUAL(open("below Vulkan's minimum"), asked + "; messages" + about + "; messenger; messages" + about + device);
    setenv("SLHC_FAKE_OFFERS", "layer, features", 1);
    BOOST_CHECK_EQUAL(open("below Vulkan's minimum"), asked + " VK_EXT_validation_features; messages" + about +
                                                             "; validation features 4; messenger; messages" + about + device);
    BOOST_TEST(messages == std::vector<std::string>(3, "an instance is made"), boost::test_tools::per_element());
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
