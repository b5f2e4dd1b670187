// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

/** A Vulkan layer that makes a device fail when it is told to: VK_INSTANCE_LAYERS=VK_LAYER_SLHC_fault puts it between a
 *  program and its driver, and the file that SLHC_FAULT_FILE names chooses the fault from the moment it exists:
 *
 *  lost     waiting for a dispatch reports that the device is lost
 *  late     waiting for a dispatch ends without it being done
 *  memory   a dispatch is refused for lack of memory
 *  second   a dispatch that waits for its upload is refused for lack of memory; the upload is not
 *  never    a dispatch is accepted, but never done
 *  stale    a dispatch is reported as done, but nothing was computed, and old results are in its place
 *  tail     the second half of each entry does not reach the device, which sees what it had there before
 *  stuck    the call that starts a dispatch does not return
 *  list     the call that lists the devices does not return
 *  blob     the compiled code of an earlier run is refused, and an empty file of the same name with .refused behind it records that
 *  one      a device is refused while there is another one
 *  mixed    the first device claims to be a discrete GPU
 *  old      each device claims to know Vulkan 1.0 only
 *  fence    a dispatch's fence is used once more while the device has it, which is a mistake
 *  twice    data is copied to the device twice, and nothing orders the copies, which is a mistake
 *
 *  Calls that do not return do so once the file is gone. Without the file, everything reaches the driver unchanged. */

#include <pqc/device/entry.h>

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

struct InstanceCalls {
    PFN_vkGetInstanceProcAddr get_proc{};
    PFN_vkDestroyInstance destroy{};
    PFN_vkEnumeratePhysicalDevices enumerate{};
    PFN_vkGetPhysicalDeviceProperties properties{};
    VkPhysicalDevice first{}; //!< of those that were listed
};

struct DeviceCalls {
    PFN_vkGetDeviceProcAddr get_proc{};
    PFN_vkDestroyDevice destroy{};
    PFN_vkQueueSubmit submit{};
    PFN_vkWaitForFences wait{};
    PFN_vkCreatePipelineCache create_cache{};
    PFN_vkAllocateMemory allocate{};
    PFN_vkFreeMemory free{};
    PFN_vkMapMemory map{};
    PFN_vkCmdCopyBuffer copy{};
};

/** Memory that the CPU writes to. */
struct Mapping {
    size_t size{0};
    uint8_t* data{nullptr};
    std::vector<uint8_t> before; //!< its content at the dispatch before
};

std::mutex g_mutex;
std::map<void*, InstanceCalls> g_instances;
std::map<void*, DeviceCalls> g_devices;
std::map<VkDeviceMemory, Mapping> g_mappings;

/** The loader's first word in each object, the same for an instance and its physical devices, and for a device and its
 *  queues. */
template <typename Handle>
void* Key(Handle handle)
{
    return *reinterpret_cast<void**>(handle);
}

template <typename Calls, typename Handle>
Calls Find(const std::map<void*, Calls>& calls, Handle handle)
{
    const std::lock_guard lock{g_mutex};
    return calls.at(Key(handle));
}

std::string CurrentFault()
{
    const char* const path{std::getenv("SLHC_FAULT_FILE")};
    std::string fault;
    if (path) std::ifstream{path} >> fault;
    return fault;
}

void WaitWhile(const char* fault)
{
    while (CurrentFault() == fault) std::this_thread::sleep_for(std::chrono::milliseconds{5});
}

/** Restore the old second half of each new entry, if so told; and keep the present content. An entry that has its old mask is not new.
 *  Copying all of them each time would take longer than verifying them. */
void ChangeEntries(bool tails_stay)
{
    constexpr size_t SIZE{slhc::slhdsa::DeviceEntry::Size(slhc::slhdsa::PARAMS_128S)};
    constexpr size_t LEAST_ENTRIES{100}; // smaller memory holds roots
    constexpr size_t MASK_AT{offsetof(slhc::slhdsa::DeviceEntryHead, mask)};
    const std::lock_guard lock{g_mutex};
    for (auto& [memory, mapping] : g_mappings) {
        if (!mapping.data || mapping.size < LEAST_ENTRIES * SIZE) continue;
        if (mapping.before.empty()) mapping.before.assign(mapping.data, mapping.data + mapping.size);
        for (size_t begin = 0; begin + SIZE <= mapping.size; begin += SIZE) {
            uint8_t* const entry{mapping.data + begin};
            uint8_t* const before{mapping.before.data() + begin};
            if (std::memcmp(entry + MASK_AT, before + MASK_AT, sizeof(slhc::slhdsa::Root)) == 0) continue;
            constexpr size_t TAIL_AT{SIZE - SIZE / 2};
            if (tails_stay) std::memcpy(entry + TAIL_AT, before + TAIL_AT, SIZE - TAIL_AT);
            std::memcpy(before, entry, SIZE);
        }
    }
}

/** The link for this layer in what the loader chained to the information a create function was given. */
template <typename LinkInfo, VkStructureType TYPE, typename Info>
LinkInfo* FindLink(const Info* info)
{
    auto* link{static_cast<LinkInfo*>(const_cast<void*>(info->pNext))};
    while (link && (link->sType != TYPE || link->function != VK_LAYER_LINK_INFO)) {
        link = static_cast<LinkInfo*>(const_cast<void*>(link->pNext));
    }
    return link;
}

VkResult VKAPI_CALL CreateInstance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator, VkInstance* instance)
{
    auto* const link{FindLink<VkLayerInstanceCreateInfo, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO>(info)};
    if (!link) return VK_ERROR_INITIALIZATION_FAILED;
    const auto get_proc{link->u.pLayerInfo->pfnNextGetInstanceProcAddr};
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const auto create{reinterpret_cast<PFN_vkCreateInstance>(get_proc(VK_NULL_HANDLE, "vkCreateInstance"))};
    const VkResult result{create(info, allocator, instance)};
    if (result != VK_SUCCESS) return result;
    const auto next{[&](const char* name) { return get_proc(*instance, name); }};
    const std::lock_guard lock{g_mutex};
    g_instances[Key(*instance)] = {
        .get_proc = get_proc,
        .destroy = reinterpret_cast<PFN_vkDestroyInstance>(next("vkDestroyInstance")),
        .enumerate = reinterpret_cast<PFN_vkEnumeratePhysicalDevices>(next("vkEnumeratePhysicalDevices")),
        .properties = reinterpret_cast<PFN_vkGetPhysicalDeviceProperties>(next("vkGetPhysicalDeviceProperties")),
    };
    return VK_SUCCESS;
}

void VKAPI_CALL DestroyInstance(VkInstance instance, const VkAllocationCallbacks* allocator)
{
    if (!instance) return;
    void* const key{Key(instance)};
    Find(g_instances, instance).destroy(instance, allocator);
    const std::lock_guard lock{g_mutex};
    g_instances.erase(key);
}

VkResult VKAPI_CALL CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo* info, const VkAllocationCallbacks* allocator,
                                 VkDevice* device)
{
    auto* const link{FindLink<VkLayerDeviceCreateInfo, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO>(info)};
    if (!link) return VK_ERROR_INITIALIZATION_FAILED;
    if (CurrentFault() == "one") {
        const std::lock_guard lock{g_mutex};
        if (!g_devices.empty()) return VK_ERROR_TOO_MANY_OBJECTS;
    }
    const auto get_instance_proc{link->u.pLayerInfo->pfnNextGetInstanceProcAddr};
    const auto get_proc{link->u.pLayerInfo->pfnNextGetDeviceProcAddr};
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const auto create{reinterpret_cast<PFN_vkCreateDevice>(get_instance_proc(VK_NULL_HANDLE, "vkCreateDevice"))};
    const VkResult result{create(physical, info, allocator, device)};
    if (result != VK_SUCCESS) return result;
    const auto next{[&](const char* name) { return get_proc(*device, name); }};
    const std::lock_guard lock{g_mutex};
    g_devices[Key(*device)] = {get_proc, reinterpret_cast<PFN_vkDestroyDevice>(next("vkDestroyDevice")),
                               reinterpret_cast<PFN_vkQueueSubmit>(next("vkQueueSubmit")),
                               reinterpret_cast<PFN_vkWaitForFences>(next("vkWaitForFences")),
                               reinterpret_cast<PFN_vkCreatePipelineCache>(next("vkCreatePipelineCache")),
                               reinterpret_cast<PFN_vkAllocateMemory>(next("vkAllocateMemory")),
                               reinterpret_cast<PFN_vkFreeMemory>(next("vkFreeMemory")),
                               reinterpret_cast<PFN_vkMapMemory>(next("vkMapMemory")),
                               reinterpret_cast<PFN_vkCmdCopyBuffer>(next("vkCmdCopyBuffer"))};
    return VK_SUCCESS;
}

void VKAPI_CALL DestroyDevice(VkDevice device, const VkAllocationCallbacks* allocator)
{
    if (!device) return;
    void* const key{Key(device)};
    Find(g_devices, device).destroy(device, allocator);
    const std::lock_guard lock{g_mutex};
    g_devices.erase(key);
}

VkResult VKAPI_CALL QueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo* submits, VkFence fence)
{
    const std::string fault{CurrentFault()};
    if (fault == "memory") return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    if (fault == "second" && count > 0 && submits->waitSemaphoreCount > 0) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    if (fault == "never") return VK_SUCCESS;
    if (fault == "stale") count = 0;
    WaitWhile("stuck");
    ChangeEntries(fault == "tail");
    const auto submit{Find(g_devices, queue).submit};
    const VkResult result{submit(queue, count, submits, fence)};
    if (fault == "fence" && result == VK_SUCCESS) return submit(queue, 0, nullptr, fence);
    return result;
}

void VKAPI_CALL CmdCopyBuffer(VkCommandBuffer commands, VkBuffer from, VkBuffer to, uint32_t count, const VkBufferCopy* regions)
{
    const auto copy{Find(g_devices, commands).copy};
    copy(commands, from, to, count, regions);
    if (CurrentFault() == "twice") copy(commands, from, to, count, regions);
}

VkResult VKAPI_CALL WaitForFences(VkDevice device, uint32_t count, const VkFence* fences, VkBool32 all, uint64_t timeout)
{
    const std::string fault{CurrentFault()};
    const VkResult result{Find(g_devices, device).wait(device, count, fences, all, timeout)};
    if (fault == "lost") return VK_ERROR_DEVICE_LOST;
    if (fault == "late") return VK_TIMEOUT;
    return result;
}

VkResult VKAPI_CALL EnumeratePhysicalDevices(VkInstance instance, uint32_t* count, VkPhysicalDevice* devices)
{
    WaitWhile("list");
    const VkResult result{Find(g_instances, instance).enumerate(instance, count, devices)};
    const std::lock_guard lock{g_mutex};
    if (result == VK_SUCCESS && devices && *count > 0) g_instances.at(Key(instance)).first = devices[0];
    return result;
}

void VKAPI_CALL GetPhysicalDeviceProperties(VkPhysicalDevice device, VkPhysicalDeviceProperties* properties)
{
    const InstanceCalls calls{Find(g_instances, device)};
    calls.properties(device, properties);
    const std::string fault{CurrentFault()};
    if (fault == "mixed" && device == calls.first) properties->deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    if (fault == "old") properties->apiVersion = VK_API_VERSION_1_0;
}

VkResult VKAPI_CALL CreatePipelineCache(VkDevice device, const VkPipelineCacheCreateInfo* info, const VkAllocationCallbacks* allocator,
                                        VkPipelineCache* cache)
{
    if (info->initialDataSize > 0 && CurrentFault() == "blob") {
        std::ofstream{std::string{std::getenv("SLHC_FAULT_FILE")} + ".refused"}.flush();
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    return Find(g_devices, device).create_cache(device, info, allocator, cache);
}

VkResult VKAPI_CALL AllocateMemory(VkDevice device, const VkMemoryAllocateInfo* info, const VkAllocationCallbacks* allocator,
                                   VkDeviceMemory* memory)
{
    const VkResult result{Find(g_devices, device).allocate(device, info, allocator, memory)};
    if (result != VK_SUCCESS) return result;
    const std::lock_guard lock{g_mutex};
    g_mappings[*memory].size = info->allocationSize;
    return VK_SUCCESS;
}

void VKAPI_CALL FreeMemory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks* allocator)
{
    {
        const std::lock_guard lock{g_mutex};
        g_mappings.erase(memory);
    }
    Find(g_devices, device).free(device, memory, allocator);
}

VkResult VKAPI_CALL MapMemory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size, VkMemoryMapFlags flags,
                              void** data)
{
    const VkResult result{Find(g_devices, device).map(device, memory, offset, size, flags, data)};
    if (result != VK_SUCCESS || offset != 0) return result;
    const std::lock_guard lock{g_mutex};
    g_mappings[memory].data = static_cast<uint8_t*>(*data);
    return VK_SUCCESS;
}

PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(VkInstance instance, const char* name);
PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice device, const char* name);

PFN_vkVoidFunction OwnFunction(const char* name)
{
    const struct {
        const char* name;
        PFN_vkVoidFunction function;
    } functions[]{
        {"vkGetInstanceProcAddr", reinterpret_cast<PFN_vkVoidFunction>(GetInstanceProcAddr)},
        {"vkGetDeviceProcAddr", reinterpret_cast<PFN_vkVoidFunction>(GetDeviceProcAddr)},
        {"vkCreateInstance", reinterpret_cast<PFN_vkVoidFunction>(CreateInstance)},
        {"vkDestroyInstance", reinterpret_cast<PFN_vkVoidFunction>(DestroyInstance)},
        {"vkCreateDevice", reinterpret_cast<PFN_vkVoidFunction>(CreateDevice)},
        {"vkDestroyDevice", reinterpret_cast<PFN_vkVoidFunction>(DestroyDevice)},
        {"vkQueueSubmit", reinterpret_cast<PFN_vkVoidFunction>(QueueSubmit)},
        {"vkWaitForFences", reinterpret_cast<PFN_vkVoidFunction>(WaitForFences)},
        {"vkEnumeratePhysicalDevices", reinterpret_cast<PFN_vkVoidFunction>(EnumeratePhysicalDevices)},
        {"vkGetPhysicalDeviceProperties", reinterpret_cast<PFN_vkVoidFunction>(GetPhysicalDeviceProperties)},
        {"vkCreatePipelineCache", reinterpret_cast<PFN_vkVoidFunction>(CreatePipelineCache)},
        {"vkAllocateMemory", reinterpret_cast<PFN_vkVoidFunction>(AllocateMemory)},
        {"vkFreeMemory", reinterpret_cast<PFN_vkVoidFunction>(FreeMemory)},
        {"vkMapMemory", reinterpret_cast<PFN_vkVoidFunction>(MapMemory)},
        {"vkCmdCopyBuffer", reinterpret_cast<PFN_vkVoidFunction>(CmdCopyBuffer)},
    };
    for (const auto& own : functions) {
        if (std::strcmp(own.name, name) == 0) return own.function;
    }
    return nullptr;
}

PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(VkInstance instance, const char* name)
{
    if (const auto own{OwnFunction(name)}) return own;
    return instance ? Find(g_instances, instance).get_proc(instance, name) : nullptr;
}

PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice device, const char* name)
{
    if (const auto own{OwnFunction(name)}) return own;
    return Find(g_devices, device).get_proc(device, name);
}

} // namespace

extern "C" __attribute__((visibility("default"))) VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* interface)
{
    if (interface->loaderLayerInterfaceVersion > 2) interface->loaderLayerInterfaceVersion = 2;
    interface->pfnGetInstanceProcAddr = GetInstanceProcAddr;
    interface->pfnGetDeviceProcAddr = GetDeviceProcAddr;
    interface->pfnGetPhysicalDeviceProcAddr = nullptr;
    return VK_SUCCESS;
}
