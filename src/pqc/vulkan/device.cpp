// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/vulkan/device.h>

#include <pqc/vulkan/device_type.h>
#include <pqc/vulkan/memory_type.h>
#include <pqc/vulkan/queue_place.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace slhc::slhdsa::vulkan {

namespace {

constexpr const char* VALIDATION_LAYER{"VK_LAYER_KHRONOS_validation"};
constexpr const char* PORTABILITY_SUBSET{"VK_KHR_portability_subset"};

template <typename Properties>
bool HasExtension(const std::vector<Properties>& extensions, const char* name)
{
    return std::any_of(extensions.begin(), extensions.end(), [name](const auto& e) { return std::strcmp(e.extensionName, name) == 0; });
}

VKAPI_ATTR VkBool32 VKAPI_CALL HandMessageOn(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                             const VkDebugUtilsMessengerCallbackDataEXT* data, void* user)
{
    (*static_cast<const Instance::OnMessage*>(user))(data->pMessage);
    return VK_FALSE;
}

vk::DebugUtilsMessengerCreateInfoEXT MessengerInfo(const Instance::OnMessage* on_message)
{
    // C's structure, since versions of Vulkan-Hpp differ in the type of a callback.
    return VkDebugUtilsMessengerCreateInfoEXT{
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .pNext = nullptr,
        .flags = 0,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
        .pfnUserCallback = HandMessageOn,
        .pUserData = const_cast<Instance::OnMessage*>(on_message),
    };
}

/** None if the layer is missing. */
std::vector<vk::ExtensionProperties> LayerExtensions(const vk::raii::Context& context, const std::string& layer)
{
    try {
        return context.enumerateInstanceExtensionProperties(layer);
    } catch (const vk::LayerNotPresentError&) {
        return {}; // creating the instance then fails for the same reason
    }
}

/** @throws NoDevices if there is no driver */
vk::raii::Instance CreateInstance(const vk::raii::Context& context, const Instance::OnMessage* on_message)
{
    // A loader of version 1.0 lacks the function that says so, and Vulkan-Hpp calls it all the same.
    const bool says_version{context.getDispatcher()->vkEnumerateInstanceVersion != nullptr};
    if (!says_version || context.enumerateInstanceVersion() < VK_API_VERSION_1_1) {
        throw std::runtime_error{"the Vulkan loader is older than 1.1"};
    }
    const vk::ApplicationInfo application{"slhconsensus", 1, "slhconsensus", 1, VK_API_VERSION_1_1};
    vk::InstanceCreateInfo info{{}, &application};
    std::vector<const char*> layers;
    std::vector<const char*> extensions;
    const auto available{context.enumerateInstanceExtensionProperties()};
    if (HasExtension(available, VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME)) {
        extensions.push_back(VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME);
        info.flags |= vk::InstanceCreateFlagBits::eEnumeratePortabilityKHR;
    }
    vk::DebugUtilsMessengerCreateInfoEXT messenger;
    constexpr vk::ValidationFeatureEnableEXT SYNCHRONIZATION{vk::ValidationFeatureEnableEXT::eSynchronizationValidation};
    const vk::ValidationFeaturesEXT features{SYNCHRONIZATION};
    if (on_message) {
        layers.push_back(VALIDATION_LAYER);
        extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
        messenger = MessengerInfo(on_message);
        info.pNext = &messenger; // for messages while the instance is made and destroyed
        if (HasExtension(LayerExtensions(context, VALIDATION_LAYER), VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME)) {
            extensions.push_back(VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME);
            messenger.pNext = &features; // synchronization is not checked otherwise
        }
    }
    info.setPEnabledLayerNames(layers);
    info.setPEnabledExtensionNames(extensions);
    try {
        return {context, info};
    } catch (const vk::IncompatibleDriverError&) {
        throw NoDevices{"no Vulkan driver is installed"}; // the error of a loader without drivers, as its own version is known to be right
    }
}

std::string VersionString(uint32_t version)
{
    return std::to_string(VK_API_VERSION_MAJOR(version)) + "." + std::to_string(VK_API_VERSION_MINOR(version)) + "." +
           std::to_string(VK_API_VERSION_PATCH(version));
}

std::vector<VkQueueFamilyProperties> QueueFamilies(const vk::raii::PhysicalDevice& device)
{
    const auto properties{device.getQueueFamilyProperties()};
    return {properties.begin(), properties.end()};
}

vk::raii::Device CreateDevice(const Instance::Candidate& candidate, const QueuePlace& compute, const QueuePlace& upload)
{
    std::vector<const char*> extensions;
    const auto available{candidate.handle.enumerateDeviceExtensionProperties()};
    for (const char* const wanted : {PORTABILITY_SUBSET, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME}) {
        if (HasExtension(available, wanted)) extensions.push_back(wanted);
    }
    constexpr std::array<float, 2> PRIORITIES{1, 1};
    std::vector<vk::DeviceQueueCreateInfo> queues;
    if (upload.family == compute.family) {
        queues.push_back({{}, compute.family, upload.index + 1, PRIORITIES.data()});
    } else {
        for (const uint32_t family : {compute.family, upload.family}) queues.push_back({{}, family, 1, PRIORITIES.data()});
    }
    return {candidate.handle, vk::DeviceCreateInfo{{}, queues, {}, extensions}};
}

uint32_t SubgroupSize(const vk::raii::PhysicalDevice& device)
{
    return device.getProperties2<vk::PhysicalDeviceProperties2, vk::PhysicalDeviceSubgroupProperties>()
        .get<vk::PhysicalDeviceSubgroupProperties>()
        .subgroupSize;
}

/** A driver's name and version. */
std::string DriverName(const vk::raii::PhysicalDevice& device, const vk::PhysicalDeviceProperties& properties)
{
    std::string name{"Vulkan " + VersionString(properties.apiVersion) + ", driver version " + VersionString(properties.driverVersion)};
    if (!HasExtension(device.enumerateDeviceExtensionProperties(), VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME)) return name;
    const auto driver{device.getProperties2<vk::PhysicalDeviceProperties2, vk::PhysicalDeviceDriverProperties>()
                          .get<vk::PhysicalDeviceDriverProperties>()};
    for (const char* const part : {driver.driverName.data(), driver.driverInfo.data()}) {
        if (*part != '\0') name.append(", ").append(part);
    }
    return name;
}

/** The alignment of memory of this process that the driver can use; 0: it cannot use any. */
size_t ImportAlignment(const vk::raii::PhysicalDevice& device)
{
    if (!HasExtension(device.enumerateDeviceExtensionProperties(), VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME)) return 0;
    return device.getProperties2<vk::PhysicalDeviceProperties2, vk::PhysicalDeviceExternalMemoryHostPropertiesEXT>()
        .get<vk::PhysicalDeviceExternalMemoryHostPropertiesEXT>()
        .minImportedHostPointerAlignment;
}

vk::raii::Context OpenLoader()
{
    try {
        return vk::raii::Context{};
    } catch (const std::runtime_error&) {
        throw NoDevices{"this machine has no Vulkan loader (libvulkan.so.1)"}; // Vulkan-Hpp's words name nothing
    }
}

} // namespace

Instance::Instance(const OnMessage* on_message)
    : m_context{OpenLoader()}, m_instance{CreateInstance(m_context, on_message)}, m_messenger{nullptr}
{
    if (on_message) m_messenger = {m_instance, MessengerInfo(on_message)};
}

std::vector<Instance::Candidate> Instance::Candidates() const
{
    std::vector<Candidate> candidates;
    vk::raii::PhysicalDevices devices{m_instance};
    for (uint32_t i = 0; i < devices.size(); ++i) {
        const vk::PhysicalDeviceProperties properties{devices[i].getProperties()};
        const auto family{ChooseComputeFamily(QueueFamilies(devices[i]))};
        if (properties.apiVersion < VK_API_VERSION_1_1 || !family) continue;
        candidates.push_back({
            .description = {
                .index = i,
                .type = std::string{DeviceTypeName(static_cast<VkPhysicalDeviceType>(properties.deviceType))},
                .name = std::string{properties.deviceName.data()},
                .driver = DriverName(devices[i], properties),
            },
            .handle = std::move(devices[i]),
            .type = properties.deviceType,
            .queue_family = *family,
        });
    }
    return candidates;
}

Device::Device(const Instance::Candidate& candidate, uint32_t flags)
    : physical{candidate.handle},
      type{flags & DeviceRequest::AS_GPU ? vk::PhysicalDeviceType::eDiscreteGpu : candidate.type},
      compute_place{.family = candidate.queue_family, .index = 0},
      upload_place{ChooseUploadQueue(QueueFamilies(candidate.handle), candidate.queue_family)},
      properties{physical.getProperties()},
      subgroup_size{SubgroupSize(physical)},
      is_llvmpipe{IsLlvmpipe(static_cast<VkPhysicalDeviceType>(type), candidate.description.name)},
      import_alignment{flags & DeviceRequest::NO_IMPORT ? 0 : ImportAlignment(physical)},
      handle{CreateDevice(candidate, compute_place, upload_place)},
      compute_queue{handle.getQueue(compute_place.family, compute_place.index)},
      upload_queue{handle.getQueue(upload_place.family, upload_place.index)}
{
}

DeviceTraits Device::Traits() const
{
    return {.type = static_cast<VkPhysicalDeviceType>(type),
            .limits = properties.limits,
            .subgroup_size = subgroup_size,
            .is_llvmpipe = is_llvmpipe};
}

uint32_t Device::FindMemoryType(uint32_t allowed, vk::MemoryPropertyFlags required, vk::MemoryPropertyFlags preferred) const
{
    const vk::PhysicalDeviceMemoryProperties memory{physical.getMemoryProperties()};
    const auto found{ChooseMemoryType(static_cast<const VkPhysicalDeviceMemoryProperties&>(memory), allowed,
                                      static_cast<VkMemoryPropertyFlags>(required), static_cast<VkMemoryPropertyFlags>(preferred))};
    if (!found) throw std::runtime_error{"no suitable memory type"};
    return *found;
}

bool Device::HasUnifiedMemory() const
{
    const vk::PhysicalDeviceMemoryProperties memory{physical.getMemoryProperties()};
    return vulkan::HasUnifiedMemory(memory, static_cast<VkPhysicalDeviceType>(type));
}

} // namespace slhc::slhdsa::vulkan
