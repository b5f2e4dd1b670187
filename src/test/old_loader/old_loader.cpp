// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

/** What a Vulkan loader of version 1.0 has: everything that can be called without an instance, but not vkEnumerateInstanceVersion, which
 *  came with 1.1. It finds no driver, and counts in SLHC_TEST_LOADED how often it was loaded. */

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

[[gnu::constructor]] void CountLoad()
{
    const char* const before{std::getenv("SLHC_TEST_LOADED")};
    char count[12];
    std::snprintf(count, sizeof(count), "%d", before ? std::atoi(before) + 1 : 1);
    setenv("SLHC_TEST_LOADED", count, 1);
}

VkResult VKAPI_CALL CreateInstance(const VkInstanceCreateInfo*, const VkAllocationCallbacks*, VkInstance*)
{
    return VK_ERROR_INCOMPATIBLE_DRIVER;
}

VkResult VKAPI_CALL EnumerateExtensions(const char*, uint32_t* count, VkExtensionProperties*)
{
    *count = 0;
    return VK_SUCCESS;
}

VkResult VKAPI_CALL EnumerateLayers(uint32_t* count, VkLayerProperties*)
{
    *count = 0;
    return VK_SUCCESS;
}

} // namespace

extern "C" __attribute__((visibility("default"))) PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance, const char* name)
{
    const struct {
        const char* name;
        PFN_vkVoidFunction function;
    } functions[]{
        {"vkCreateInstance", reinterpret_cast<PFN_vkVoidFunction>(CreateInstance)},
        {"vkEnumerateInstanceExtensionProperties", reinterpret_cast<PFN_vkVoidFunction>(EnumerateExtensions)},
        {"vkEnumerateInstanceLayerProperties", reinterpret_cast<PFN_vkVoidFunction>(EnumerateLayers)},
    };
    for (const auto& own : functions) {
        if (std::strcmp(own.name, name) == 0) return own.function;
    }
    return nullptr;
}
