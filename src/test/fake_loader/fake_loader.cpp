// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

/** A Vulkan loader with drivers that no test machine has. Their devices have limits of 0, so that none is used. These
 *  variables are read anew at each call:
 *
 *  SLHC_FAKE_LOADER   the version that it is of:
 *                       old   1.0, without vkEnumerateInstanceVersion, which came with 1.1; no driver
 *                       1.0   says that it is of the last 1.0; no driver
 *                       none  1.1, but no driver is installed
 *                       1.1   has the devices below
 *  SLHC_FAKE_OFFERS   words for further offers: "portability", the extension without which no device is listed that is not quite Vulkan;
 *                     "layer", the validation layer; "features", that layer's extension
 *
 *  It counts in SLHC_FAKE_LOADED how often it was loaded, and writes requests to SLHC_FAKE_ASKED: the latest instance, then the objects
 *  made with it. */

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

std::string Variable(const char* name)
{
    const char* const value{std::getenv(name)};
    return value ? value : "";
}

void AddToAsked(const std::string& more)
{
    setenv("SLHC_FAKE_ASKED", (Variable("SLHC_FAKE_ASKED") + more).c_str(), 1);
}

[[gnu::constructor]] void CountLoad()
{
    setenv("SLHC_FAKE_LOADED", std::to_string(std::atoi(Variable("SLHC_FAKE_LOADED").c_str()) + 1).c_str(), 1);
}

bool Offers(std::string_view what)
{
    return Variable("SLHC_FAKE_OFFERS").find(what) != std::string::npos;
}

struct FakeDevice {
    const char* name;
    VkPhysicalDeviceType type;
    uint32_t api_version;
    std::vector<const char*> extensions;
    std::vector<VkQueueFamilyProperties> families;
    const char* driver_name{""};
    const char* driver_info{""};
};

constexpr VkQueueFamilyProperties Family(VkQueueFlags flags, uint32_t count)
{
    return {.queueFlags = flags, .queueCount = count, .timestampValidBits = 0, .minImageTransferGranularity = {1, 1, 1}};
}

constexpr uint32_t DRIVER_VERSION{VK_MAKE_API_VERSION(0, 4, 5, 6)};
constexpr uint32_t SUBGROUP_SIZE{64};
constexpr const char* PORTABILITY_ENUMERATION{"VK_KHR_portability_enumeration"};
constexpr const char* PORTABILITY_SUBSET{"VK_KHR_portability_subset"};
constexpr const char* DRIVER_PROPERTIES{"VK_KHR_driver_properties"};
constexpr const char* VALIDATION_LAYER{"VK_LAYER_KHRONOS_validation"};

std::vector<FakeDevice> g_devices{
    {.name = "Three Families",
     .type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
     .api_version = VK_MAKE_API_VERSION(0, 1, 3, 7),
     .extensions = {"VK_EXT_another", DRIVER_PROPERTIES},
     .families = {Family(VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT, 16),
                  Family(VK_QUEUE_COMPUTE_BIT, 8),
                  Family(VK_QUEUE_TRANSFER_BIT, 2)},
     .driver_name = "fake"},
    {.name = "Two Queues",
     .type = VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU,
     .api_version = VK_API_VERSION_1_1,
     .extensions = {DRIVER_PROPERTIES},
     .families = {Family(VK_QUEUE_COMPUTE_BIT, 2)},
     .driver_info = "\xc3\x89poque"}, // begins with a byte that is negative as a char
    {.name = "Uploads First",
     .type = VK_PHYSICAL_DEVICE_TYPE_OTHER,
     .api_version = VK_API_VERSION_1_1,
     .extensions = {},
     .families = {Family(VK_QUEUE_TRANSFER_BIT, 1), Family(VK_QUEUE_COMPUTE_BIT, 1)},
     .driver_name = "not to be asked for without its extension"},
    {.name = "Too Old",
     .type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
     .api_version = VK_MAKE_API_VERSION(0, 1, 0, 255),
     .extensions = {},
     .families = {Family(VK_QUEUE_COMPUTE_BIT, 1)}},
    {.name = "Only Draws",
     .type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
     .api_version = VK_API_VERSION_1_1,
     .extensions = {},
     .families = {Family(VK_QUEUE_GRAPHICS_BIT, 1)}},
    // The last: not listed unless asked for
    {.name = "Not Quite Vulkan",
     .type = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
     .api_version = VK_API_VERSION_1_1,
     .extensions = {PORTABILITY_SUBSET},
     .families = {Family(VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT, 1)}},
};

bool g_lists_portability{false}; //!< the latest instance does

/** Vulkan's way to hand out a list: its length, or as much as there is room for. */
template <typename T>
VkResult HandOut(std::span<const T> all, uint32_t* count, T* out)
{
    const auto available{static_cast<uint32_t>(all.size())};
    if (out) std::copy_n(all.begin(), std::min(*count, available), out);
    const bool has_room{!out || *count >= available};
    if (has_room) *count = available;
    return has_room ? VK_SUCCESS : VK_INCOMPLETE;
}

VkResult HandOutExtensions(std::span<const char* const> names, uint32_t* count, VkExtensionProperties* out)
{
    std::vector<VkExtensionProperties> all(names.size());
    for (size_t i = 0; i < names.size(); ++i) std::strncpy(all[i].extensionName, names[i], VK_MAX_EXTENSION_NAME_SIZE - 1);
    return HandOut<VkExtensionProperties>(all, count, out);
}

std::string Words(const char* const* words, uint32_t count)
{
    std::string all;
    for (uint32_t i = 0; i < count; ++i) all.append(" ").append(words[i]);
    return all;
}

std::string VersionString(uint32_t version)
{
    return std::to_string(VK_API_VERSION_MAJOR(version)) + "." + std::to_string(VK_API_VERSION_MINOR(version));
}

VkResult VKAPI_CALL EnumerateVersion(uint32_t* version)
{
    *version = Variable("SLHC_FAKE_LOADER") == "1.0" ? VK_MAKE_API_VERSION(0, 1, 0, 255) : VK_API_VERSION_1_1;
    return VK_SUCCESS;
}

VkResult VKAPI_CALL EnumerateExtensions(const char* layer, uint32_t* count, VkExtensionProperties* out)
{
    std::vector<const char*> names;
    if (layer) {
        if (std::strcmp(layer, VALIDATION_LAYER) != 0 || !Offers("layer")) return VK_ERROR_LAYER_NOT_PRESENT;
        if (Offers("features")) names.push_back("VK_EXT_validation_features");
    } else {
        names.push_back("VK_EXT_debug_utils");
        if (Offers("portability")) names.push_back(PORTABILITY_ENUMERATION);
    }
    return HandOutExtensions(names, count, out);
}

VkResult VKAPI_CALL EnumerateLayers(uint32_t* count, VkLayerProperties*)
{
    *count = 0;
    return VK_SUCCESS;
}

std::string Describe(const VkDebugUtilsMessengerCreateInfoEXT& info)
{
    return "; messages " + std::to_string(info.messageSeverity) + " " + std::to_string(info.messageType);
}

VkResult VKAPI_CALL CreateInstance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks*, VkInstance* instance)
{
    const VkApplicationInfo& application{*info->pApplicationInfo};
    std::string asked{std::string{application.pApplicationName} + " " + std::to_string(application.applicationVersion) + ", " +
                      application.pEngineName + " " + std::to_string(application.engineVersion) + ", Vulkan " +
                      VersionString(application.apiVersion) + "; flags " + std::to_string(info->flags) + "; layers" +
                      Words(info->ppEnabledLayerNames, info->enabledLayerCount) + "; extensions" +
                      Words(info->ppEnabledExtensionNames, info->enabledExtensionCount)};
    for (auto* next{static_cast<const VkBaseInStructure*>(info->pNext)}; next; next = next->pNext) {
        if (next->sType == VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT) {
            const auto& messenger{reinterpret_cast<const VkDebugUtilsMessengerCreateInfoEXT&>(*next)};
            asked += Describe(messenger);
            VkDebugUtilsMessengerCallbackDataEXT data{};
            data.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT;
            data.pMessage = "an instance is made";
            if (messenger.pfnUserCallback(VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT, VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
                                          &data, messenger.pUserData) != VK_FALSE) {
                asked += "; the message ends the call";
            }
        } else if (next->sType == VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT) {
            const auto& features{reinterpret_cast<const VkValidationFeaturesEXT&>(*next)};
            asked += "; validation features";
            for (uint32_t i = 0; i < features.enabledValidationFeatureCount; ++i) {
                asked += " " + std::to_string(features.pEnabledValidationFeatures[i]);
            }
        }
    }
    setenv("SLHC_FAKE_ASKED", asked.c_str(), 1);
    if (info->enabledLayerCount > 0 && !Offers("layer")) return VK_ERROR_LAYER_NOT_PRESENT;
    if (Variable("SLHC_FAKE_LOADER") != "1.1") return VK_ERROR_INCOMPATIBLE_DRIVER;
    g_lists_portability = info->flags & VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
    *instance = reinterpret_cast<VkInstance>(&g_devices);
    return VK_SUCCESS;
}

void VKAPI_CALL DestroyInstance(VkInstance, const VkAllocationCallbacks*) {}

VkResult VKAPI_CALL CreateMessenger(VkInstance, const VkDebugUtilsMessengerCreateInfoEXT* info, const VkAllocationCallbacks*,
                                    VkDebugUtilsMessengerEXT* messenger)
{
    AddToAsked("; messenger" + Describe(*info));
    *messenger = reinterpret_cast<VkDebugUtilsMessengerEXT>(&g_devices);
    return VK_SUCCESS;
}

void VKAPI_CALL DestroyMessenger(VkInstance, VkDebugUtilsMessengerEXT, const VkAllocationCallbacks*) {}

VkResult VKAPI_CALL EnumeratePhysicalDevices(VkInstance, uint32_t* count, VkPhysicalDevice* out)
{
    std::vector<VkPhysicalDevice> all;
    for (FakeDevice& device : g_devices) all.push_back(reinterpret_cast<VkPhysicalDevice>(&device));
    if (!g_lists_portability) all.pop_back();
    return HandOut<VkPhysicalDevice>(all, count, out);
}

const FakeDevice& DeviceOf(VkPhysicalDevice handle)
{
    return *reinterpret_cast<const FakeDevice*>(handle);
}

void VKAPI_CALL GetProperties(VkPhysicalDevice handle, VkPhysicalDeviceProperties* properties)
{
    const FakeDevice& device{DeviceOf(handle)};
    *properties = {};
    properties->apiVersion = device.api_version;
    properties->driverVersion = DRIVER_VERSION;
    properties->deviceType = device.type;
    std::strncpy(properties->deviceName, device.name, VK_MAX_PHYSICAL_DEVICE_NAME_SIZE - 1);
}

void VKAPI_CALL GetProperties2(VkPhysicalDevice handle, VkPhysicalDeviceProperties2* properties)
{
    GetProperties(handle, &properties->properties);
    for (auto* next{static_cast<VkBaseOutStructure*>(properties->pNext)}; next; next = next->pNext) {
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES) {
            reinterpret_cast<VkPhysicalDeviceSubgroupProperties&>(*next).subgroupSize = SUBGROUP_SIZE;
        } else if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES) {
            auto& driver{reinterpret_cast<VkPhysicalDeviceDriverProperties&>(*next)};
            std::strncpy(driver.driverName, DeviceOf(handle).driver_name, VK_MAX_DRIVER_NAME_SIZE - 1);
            std::strncpy(driver.driverInfo, DeviceOf(handle).driver_info, VK_MAX_DRIVER_INFO_SIZE - 1);
        }
    }
}

void VKAPI_CALL GetQueueFamilies(VkPhysicalDevice handle, uint32_t* count, VkQueueFamilyProperties* out)
{
    (void)HandOut<VkQueueFamilyProperties>(DeviceOf(handle).families, count, out);
}

VkResult VKAPI_CALL EnumerateDeviceExtensions(VkPhysicalDevice handle, const char*, uint32_t* count, VkExtensionProperties* out)
{
    return HandOutExtensions(DeviceOf(handle).extensions, count, out);
}

VkResult VKAPI_CALL CreateDevice(VkPhysicalDevice handle, const VkDeviceCreateInfo* info, const VkAllocationCallbacks*, VkDevice* device)
{
    std::string asked{std::string{" | "} + DeviceOf(handle).name + "; extensions" +
                      Words(info->ppEnabledExtensionNames, info->enabledExtensionCount)};
    for (uint32_t i = 0; i < info->queueCreateInfoCount; ++i) {
        const VkDeviceQueueCreateInfo& queues{info->pQueueCreateInfos[i]};
        asked += "; family " + std::to_string(queues.queueFamilyIndex);
        for (uint32_t j = 0; j < queues.queueCount; ++j) asked += queues.pQueuePriorities[j] == 1 ? " 1" : " other";
    }
    AddToAsked(asked);
    *device = reinterpret_cast<VkDevice>(handle);
    return VK_SUCCESS;
}

void VKAPI_CALL DestroyDevice(VkDevice, const VkAllocationCallbacks*) {}

void VKAPI_CALL GetQueue(VkDevice, uint32_t family, uint32_t index, VkQueue* queue)
{
    AddToAsked("; queue " + std::to_string(family) + " " + std::to_string(index));
    *queue = reinterpret_cast<VkQueue>(&g_devices);
}

template <size_t SIZE>
PFN_vkVoidFunction Find(const std::pair<const char*, PFN_vkVoidFunction> (&functions)[SIZE], const char* name)
{
    for (const auto& [own, function] : functions) {
        if (std::strcmp(own, name) == 0) return function;
    }
    return nullptr;
}

PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice, const char* name)
{
    const std::pair<const char*, PFN_vkVoidFunction> functions[]{
        {"vkGetDeviceProcAddr", reinterpret_cast<PFN_vkVoidFunction>(GetDeviceProcAddr)},
        {"vkDestroyDevice", reinterpret_cast<PFN_vkVoidFunction>(DestroyDevice)},
        {"vkGetDeviceQueue", reinterpret_cast<PFN_vkVoidFunction>(GetQueue)},
    };
    return Find(functions, name);
}

PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(VkInstance, const char* name)
{
    const std::pair<const char*, PFN_vkVoidFunction> functions[]{
        {"vkGetInstanceProcAddr", reinterpret_cast<PFN_vkVoidFunction>(GetInstanceProcAddr)},
        {"vkGetDeviceProcAddr", reinterpret_cast<PFN_vkVoidFunction>(GetDeviceProcAddr)},
        {"vkEnumerateInstanceVersion", reinterpret_cast<PFN_vkVoidFunction>(EnumerateVersion)},
        {"vkEnumerateInstanceExtensionProperties", reinterpret_cast<PFN_vkVoidFunction>(EnumerateExtensions)},
        {"vkEnumerateInstanceLayerProperties", reinterpret_cast<PFN_vkVoidFunction>(EnumerateLayers)},
        {"vkCreateInstance", reinterpret_cast<PFN_vkVoidFunction>(CreateInstance)},
        {"vkDestroyInstance", reinterpret_cast<PFN_vkVoidFunction>(DestroyInstance)},
        {"vkCreateDebugUtilsMessengerEXT", reinterpret_cast<PFN_vkVoidFunction>(CreateMessenger)},
        {"vkDestroyDebugUtilsMessengerEXT", reinterpret_cast<PFN_vkVoidFunction>(DestroyMessenger)},
        {"vkEnumeratePhysicalDevices", reinterpret_cast<PFN_vkVoidFunction>(EnumeratePhysicalDevices)},
        {"vkGetPhysicalDeviceProperties", reinterpret_cast<PFN_vkVoidFunction>(GetProperties)},
        {"vkGetPhysicalDeviceProperties2", reinterpret_cast<PFN_vkVoidFunction>(GetProperties2)},
        {"vkGetPhysicalDeviceQueueFamilyProperties", reinterpret_cast<PFN_vkVoidFunction>(GetQueueFamilies)},
        {"vkEnumerateDeviceExtensionProperties", reinterpret_cast<PFN_vkVoidFunction>(EnumerateDeviceExtensions)},
        {"vkCreateDevice", reinterpret_cast<PFN_vkVoidFunction>(CreateDevice)},
    };
    if (std::string_view{name} == "vkEnumerateInstanceVersion" && Variable("SLHC_FAKE_LOADER") == "old") return nullptr;
    return Find(functions, name);
}

} // namespace

extern "C" __attribute__((visibility("default"))) PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance, const char* name)
{
    return GetInstanceProcAddr(instance, name);
}
