// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/device/device_choice.h>
#include <pqc/device/entry.h>
#include <pqc/vulkan/device_type.h>
#include <pqc/vulkan/memory_type.h>
#include <pqc/vulkan/pipeline_file.h>
#include <pqc/vulkan/queue_place.h>
#include <pqc/vulkan/shape.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/** Choices by the properties of a device: functions without a device, since the machine's own has few of these properties. */

using namespace slhc::slhdsa;
using namespace slhc::slhdsa::vulkan;

namespace {

constexpr VkQueueFlags TRANSFER{VK_QUEUE_TRANSFER_BIT}, COMPUTE{VK_QUEUE_COMPUTE_BIT | TRANSFER}, GRAPHICS{VK_QUEUE_GRAPHICS_BIT | COMPUTE},
    VIDEO{VK_QUEUE_VIDEO_DECODE_BIT_KHR | TRANSFER};
using QueueCounts = std::initializer_list<std::pair<VkQueueFlags, uint32_t>>;

std::vector<VkQueueFamilyProperties> Families(QueueCounts all)
{
    std::vector<VkQueueFamilyProperties> families;
    for (const auto& [flags, count] : all) {
        families.push_back({.queueFlags = flags, .queueCount = count, .timestampValidBits = 0, .minImageTransferGranularity = {}});
    }
    return families;
}

/** A GPU that the shader fits just so. */
DeviceTraits SomeGpu()
{
    DeviceTraits gpu{.type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, .limits = {}, .subgroup_size = 64, .is_llvmpipe = false};
    gpu.limits.maxComputeWorkGroupInvocations = 256;
    gpu.limits.maxComputeWorkGroupSize[0] = 256;
    gpu.limits.maxComputeWorkGroupCount[0] = 65'535;
    gpu.limits.maxComputeSharedMemorySize = 26'560;
    gpu.limits.maxStorageBufferRange = 1U << 27;
    return gpu;
}

} // namespace

BOOST_AUTO_TEST_SUITE(vulkan_choice_tests)

/** Workgroups are as large as a device allows: by all of their invocations, by those along the axis that is used, by shared memory. */
BOOST_AUTO_TEST_CASE(workgroups)
{
    const auto layout{[](const DeviceTraits& device) { return Shape::For(device, PARAMS_128S).layout; }};
    BOOST_CHECK((layout(SomeGpu()) == Layout{.invocations = 256, .max_signatures = 32, .one_subgroup = false}));
    for (const uint32_t most : {128U, 255U, 256U, 1024U}) {
        DeviceTraits in_all{SomeGpu()}, along{SomeGpu()};
        in_all.limits.maxComputeWorkGroupInvocations = most;
        along.limits.maxComputeWorkGroupSize[0] = most;
        for (const DeviceTraits& device : {in_all, along}) BOOST_CHECK_EQUAL(layout(device).invocations, std::min(most, 256U));
    }
    DeviceTraits device{SomeGpu()};
    device.limits.maxComputeWorkGroupInvocations = device.limits.maxComputeWorkGroupSize[0] = 1024;
    BOOST_CHECK_EQUAL(layout(device).invocations, 256U);
    constexpr uint32_t ALWAYS_THERE{16'384}; // in Vulkan
    const std::vector<std::pair<uint32_t, uint32_t>> rooms{{1 << 20, 32},     {26'560, 32},          {26'559, 31}, {ALWAYS_THERE, 19},
                                                           {64 + 2 * 828, 2}, {64 + 2 * 828 - 1, 1}, {63, 1},      {0, 1}};
    for (const auto& [shared_memory, signatures] : rooms) {
        device.limits.maxComputeSharedMemorySize = shared_memory;
        BOOST_CHECK_EQUAL(layout(device).max_signatures, signatures);
    }
    device = SomeGpu();
    device.subgroup_size = 8;
    device.is_llvmpipe = true;
    BOOST_CHECK((layout(device) == Layout{.invocations = 8, .max_signatures = 16, .one_subgroup = true}));
    BOOST_CHECK_GE(Shape::For(device, PARAMS_128S).groups, 1U);
}

/** A driver may report any value, even 0, from which a layout would be computed all the same. */
BOOST_AUTO_TEST_CASE(limits_below_vulkans_minimum)
{
    const auto refusal{[](const DeviceTraits& device) -> std::string {
        try {
            (void)Shape::For(device, PARAMS_128S);
            return "";
        } catch (const std::runtime_error& e) {
            return e.what();
        }
    }};
    DeviceTraits llvmpipe{SomeGpu()};
    llvmpipe.is_llvmpipe = true;
    llvmpipe.subgroup_size = 8;
    for (const DeviceTraits& whole : {SomeGpu(), llvmpipe}) {
        for (const uint32_t most : {0U, 1U, 127U, 128U}) {
            DeviceTraits in_all{whole}, along{whole};
            in_all.limits.maxComputeWorkGroupInvocations = most;
            along.limits.maxComputeWorkGroupSize[0] = most;
            for (const DeviceTraits& device : {in_all, along}) {
                BOOST_CHECK_EQUAL(refusal(device), most < 128 ? "the device's limits on workgroups are below Vulkan's minimum" : "");
            }
        }
    }
    // A subgroup of llvmpipe is a workgroup.
    for (const uint32_t size : {0U, 1U, 256U, 257U, UINT32_MAX}) {
        llvmpipe.subgroup_size = size;
        BOOST_CHECK_EQUAL(refusal(llvmpipe), size < 1 || size > 256 ? "the device's subgroups do not fit its workgroups" : "");
    }
}

/** As few signatures to a workgroup as keep the device busy, and no more than it takes, however many there are. */
BOOST_AUTO_TEST_CASE(signatures_of_a_workgroup)
{
    const Shape shape{Shape::For(SomeGpu(), PARAMS_128S)};
    BOOST_CHECK_EQUAL(shape.groups, 128U);
    BOOST_CHECK_EQUAL(shape.least_chunk, 4096U);
    BOOST_CHECK_EQUAL(shape.FullLayout(), 128U * 31 + 1);
    const std::vector<std::pair<size_t, uint32_t>> expected{
        {0, 1}, {1, 1}, {128, 1}, {129, 2}, {128 * 31, 31}, {128 * 31 + 1, 32}, {4096, 32}, // in one round, and in two:
        {4097, 17}, {5000, 20}, {8192, 32}, {8193, 22}, {SIZE_MAX - 1, 32}, {SIZE_MAX, 32}};
    for (const auto& [n, signatures] : expected) BOOST_CHECK_EQUAL(shape.PerGroup(n), signatures);
    for (const VkPhysicalDeviceType type :
         {VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU, VK_PHYSICAL_DEVICE_TYPE_OTHER, VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU}) {
        DeviceTraits other{SomeGpu()};
        other.type = type;
        BOOST_CHECK_EQUAL(Shape::For(other, PARAMS_128S).groups, 32U);
    }
    DeviceTraits less_memory{SomeGpu()};
    less_memory.limits.maxComputeSharedMemorySize = 16'384;
    const Shape small{Shape::For(less_memory, PARAMS_128S)};
    BOOST_CHECK_EQUAL(small.least_chunk, 128U * 19);
    BOOST_CHECK_EQUAL(small.PerGroup(SIZE_MAX), 19U);
}

/** A slot has no more room than a buffer and a dispatch may have. */
BOOST_AUTO_TEST_CASE(capacities)
{
    DeviceTraits device{SomeGpu()};
    BOOST_CHECK_EQUAL(ChooseCapacity(device, 0), 4096U);
    BOOST_CHECK_EQUAL(ChooseCapacity(device, 7), 7U);
    BOOST_CHECK_EQUAL(ChooseCapacity(device, SIZE_MAX), (size_t{1} << 27) / DeviceEntry::Size(PARAMS_128S));
    device.limits.maxStorageBufferRange = 10 * DeviceEntry::Size(PARAMS_128S) - 1;
    BOOST_CHECK_EQUAL(ChooseCapacity(device, 0), 9U);
    device.limits.maxComputeWorkGroupCount[0] = 5; // each entry may need a workgroup
    BOOST_CHECK_EQUAL(ChooseCapacity(device, 0), 5U);
    device.limits.maxStorageBufferRange = 1;
    BOOST_CHECK_EQUAL(ChooseCapacity(device, 0), 1U);
    device = SomeGpu();
    device.type = VK_PHYSICAL_DEVICE_TYPE_CPU;
    BOOST_CHECK_EQUAL(ChooseCapacity(device, 0), 1024U);
}

/** Code that was compiled for another driver, another shape or another shader has another key. */
BOOST_AUTO_TEST_CASE(pipeline_files)
{
    const auto locate{[](auto&& change) {
        VkPhysicalDeviceProperties device{};
        device.vendorID = 1;
        device.deviceID = 2;
        Shape shape{Shape::For(SomeGpu(), PARAMS_128S)};
        std::vector<uint32_t> shader{0x07230203, 5};
        change(device, shape, shader);
        return LocatePipelineCache(device, shape, PARAMS_128S, shader, "/cache");
    }};
    const PipelineCacheFile usual{locate([](auto&, auto&, auto&) {})};
    BOOST_CHECK_EQUAL(usual.path, "/cache/vulkan-1-2-63-7-12-14-4.pipeline");
    const PipelineCacheFile other_vendor{locate([](auto& device, auto&, auto&) { device.vendorID = 3; })},
        other_device{locate([](auto& device, auto&, auto&) { device.deviceID = 3; })};
    BOOST_CHECK_EQUAL(other_vendor.path, "/cache/vulkan-3-2-63-7-12-14-4.pipeline");
    BOOST_CHECK_EQUAL(other_device.path, "/cache/vulkan-1-3-63-7-12-14-4.pipeline");
    const std::vector<PipelineCacheFile> same_device{
        locate([](auto& device, auto&, auto&) { ++device.driverVersion; }),
        locate([](auto& device, auto&, auto&) { ++device.apiVersion; }),
        locate([](auto& device, auto&, auto&) { ++device.pipelineCacheUUID[VK_UUID_SIZE - 1]; }),
        locate([](auto&, Shape& shape, auto&) { ++shape.layout.invocations; }),
        locate([](auto&, Shape& shape, auto&) { ++shape.layout.max_signatures; }),
        locate([](auto&, Shape& shape, auto&) { shape.layout.one_subgroup = true; }),
        locate([](auto&, auto&, auto& shader) { ++shader[1]; }),
        locate([](auto&, auto&, auto& shader) { shader.push_back(0); }),
    };
    std::set<std::string> keys{usual.key, other_vendor.key, other_device.key};
    for (const PipelineCacheFile& file : same_device) {
        BOOST_CHECK_EQUAL(file.path, usual.path);
        keys.insert(file.key);
    }
    BOOST_CHECK_EQUAL(keys.size(), 3 + same_device.size());
}

/** The first one that fits best, and none that a device must be made for. */
BOOST_AUTO_TEST_CASE(memory_types)
{
    constexpr VkMemoryPropertyFlags LOCAL{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT},
        VISIBLE{VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT}, CACHED{VK_MEMORY_PROPERTY_HOST_CACHED_BIT};
    VkPhysicalDeviceMemoryProperties memory{};
    for (const VkMemoryPropertyFlags flags :
         {LOCAL | VK_MEMORY_PROPERTY_PROTECTED_BIT, VISIBLE | CACHED | VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD,
          LOCAL | VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD, LOCAL, LOCAL, VISIBLE, VISIBLE | CACHED, LOCAL | VISIBLE}) {
        memory.memoryTypes[memory.memoryTypeCount++].propertyFlags = flags;
    }
    BOOST_CHECK(ChooseMemoryType(memory, ~0U, 0, LOCAL) == 3U);
    BOOST_CHECK(ChooseMemoryType(memory, ~0U, VISIBLE, 0) == 5U);
    BOOST_CHECK(ChooseMemoryType(memory, ~0U, VISIBLE, CACHED) == 6U);
    BOOST_CHECK(ChooseMemoryType(memory, ~0U, VISIBLE, LOCAL) == 7U);
    BOOST_CHECK(ChooseMemoryType(memory, 1U << 4, 0, LOCAL) == 4U);
    BOOST_CHECK(ChooseMemoryType(memory, 1U << 5, 0, LOCAL) == 5U);
    BOOST_CHECK(ChooseMemoryType(memory, 1U << 3 | 1U << 4, 0, LOCAL) == 3U);
    BOOST_CHECK(!ChooseMemoryType(memory, 1U << 4, VISIBLE, 0));
    BOOST_CHECK(!ChooseMemoryType(memory, 1U << 8, 0, 0)); // beyond the last
    BOOST_CHECK(!ChooseMemoryType(memory, 1U | 1U << 1 | 1U << 2, 0, LOCAL));
    BOOST_CHECK(!ChooseMemoryType({}, ~0U, 0, 0));
}

BOOST_AUTO_TEST_CASE(unified_memory)
{
    for (const uint32_t heaps : {0U, 1U, 2U, 3U}) {
        const VkPhysicalDeviceMemoryProperties memory{.memoryTypeCount = 0, .memoryTypes = {}, .memoryHeapCount = heaps, .memoryHeaps = {}};
        BOOST_CHECK(HasUnifiedMemory(memory, VK_PHYSICAL_DEVICE_TYPE_CPU));
        BOOST_CHECK_EQUAL(HasUnifiedMemory(memory, VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU), heaps == 1);
        for (const auto type : {VK_PHYSICAL_DEVICE_TYPE_OTHER, VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU}) {
            BOOST_CHECK(!HasUnifiedMemory(memory, type));
        }
    }
}

/** A family that computes and does not draw, or else the first that computes. */
BOOST_AUTO_TEST_CASE(compute_queues)
{
    const auto choose{[](QueueCounts all) { return ChooseComputeFamily(Families(all)); }};
    BOOST_CHECK(choose({{GRAPHICS, 16}, {TRANSFER, 2}, {COMPUTE, 8}, {COMPUTE, 1}}) == 2U);
    BOOST_CHECK(choose({{GRAPHICS, 16}, {COMPUTE, 0}, {GRAPHICS, 1}}) == 0U);
    BOOST_CHECK(choose({{TRANSFER, 1}, {GRAPHICS, 0}, {GRAPHICS, 1}}) == 2U);
    BOOST_CHECK(choose({{COMPUTE, 1}}) == 0U);
    BOOST_CHECK(!choose({{TRANSFER, 1}, {VIDEO, 1}, {COMPUTE, 0}}));
    BOOST_CHECK(!choose({}));
}

BOOST_AUTO_TEST_CASE(devices_by_index_and_name)
{
    // As the loader counts them; those that cannot run the verifier are left out.
    const std::vector<DeviceDescription> devices{{0, "cpu", "llvmpipe (LLVM 15.0.6, 256 bits)", "1"},
                                                 {2, "integrated", "Example Arc 780M Graphics", "2"},
                                                 {3, "discrete", "Example RTX 40900", ""},
                                                 {5, "discrete", "Example 320 RTX 4090", "4"}};
    const auto chosen{[&](std::string_view which) { return ChooseDevice(devices, which).index; }};
    const auto refused{[](const std::vector<DeviceDescription>& among, std::string_view which) -> std::string {
        try {
            return "chosen: " + ChooseDevice(among, which).name;
        } catch (const NoDevices& e) {
            return e.what();
        }
    }};
    // The best one: the first of the best type
    BOOST_CHECK_EQUAL(chosen(""), 3U);
    BOOST_CHECK_EQUAL(chosen("auto"), 3U);
    for (const uint32_t index : {0U, 2U, 3U, 5U}) BOOST_CHECK_EQUAL(chosen(std::to_string(index)), index);
    BOOST_CHECK_EQUAL(chosen("05"), 5U);
    // A part of a name, of the best device that has it
    BOOST_CHECK_EQUAL(chosen("llvmpipe"), 0U);
    BOOST_CHECK_EQUAL(chosen("Graphics"), 2U);
    BOOST_CHECK_EQUAL(chosen("Example"), 3U);
    BOOST_CHECK_EQUAL(chosen("RTX 4090"), 3U);
    BOOST_CHECK_EQUAL(chosen(" 4090"), 3U);
    // A number in a name, as a whole
    BOOST_CHECK_EQUAL(chosen("4090"), 5U);
    BOOST_CHECK_EQUAL(chosen("320"), 5U);
    BOOST_CHECK_EQUAL(chosen("40900"), 3U);
    BOOST_CHECK_EQUAL(chosen("780"), 2U);
    BOOST_CHECK_EQUAL(chosen("256"), 0U);
    for (const char* which : {"1", "4", "6", "15", "78", "409", "090", "0900", "5x", "-1", "+5", "autos", "rtx", "Example 4090"}) {
        BOOST_CHECK_EQUAL(refused(devices, which), "this machine has no device '" + std::string{which} + "'");
    }
    BOOST_CHECK_EQUAL(refused(devices, "99999999999999999999"), "this machine has no device '99999999999999999999'");
    BOOST_CHECK_EQUAL(refused(devices, std::string(40, 'x') + "y"), "this machine has no device '" + std::string(40, 'x') + "'");
    // A CPU only if it is asked for
    const std::vector<DeviceDescription> cpu{devices.front()};
    BOOST_CHECK_EQUAL(ChooseDevice(cpu, "").index, 0U);
    BOOST_CHECK_EQUAL(refused(cpu, "auto"), "no device other than the CPU");
    for (const char* which : {"", "auto", "0"}) BOOST_CHECK_EQUAL(refused({}, which), "no device supports compute with Vulkan 1.1");
}

/** As one program tells the other; what makes no sense is left out. */
BOOST_AUTO_TEST_CASE(device_lines)
{
    const std::vector<DeviceDescription> devices{{0, "discrete", "A GPU", "driver 1"}, {7, "cpu", "", ""}};
    const std::string lines{FormatDevices(devices)};
    for (const char* more : {"", "x\tcpu\tname\tdriver\n", "1\tquantum\tname\tdriver\n", "\n\n", "3\n", "\t\t\t\t\t\n"}) {
        const auto parsed{ParseDevices(more + lines + std::string{more})};
        BOOST_REQUIRE_EQUAL(parsed.size(), devices.size());
        for (size_t i = 0; i < devices.size(); ++i) {
            BOOST_CHECK_EQUAL(parsed[i].index, devices[i].index);
            BOOST_CHECK_EQUAL(Describe(parsed[i]), Describe(devices[i]));
        }
    }
    for (const char* none : {"", "\n", "nonsense"}) BOOST_CHECK_THROW((void)ParseDevices(none), NoDevices);
}

/** A CPU comes last, as it is one that the engines use already. */
BOOST_AUTO_TEST_CASE(device_types)
{
    std::vector<DeviceDescription> devices;
    for (const auto& [type, name] : std::initializer_list<std::pair<VkPhysicalDeviceType, std::string_view>>{
             {VK_PHYSICAL_DEVICE_TYPE_CPU, "cpu"},
             {VK_PHYSICAL_DEVICE_TYPE_OTHER, "other"},
             {VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU, "virtual"},
             {VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU, "integrated"},
             {VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, "discrete"}}) {
        BOOST_CHECK_EQUAL(DeviceTypeName(type), name);
        devices.push_back({.index = 0, .type = std::string{name}, .name = {}, .driver = {}});
        BOOST_CHECK_EQUAL(ChooseDevice(devices, "").type, name); // better than those before it
    }
}

BOOST_AUTO_TEST_CASE(llvmpipe)
{
    BOOST_CHECK(IsLlvmpipe(VK_PHYSICAL_DEVICE_TYPE_CPU, "llvmpipe (LLVM 15.0.6, 256 bits)"));
    BOOST_CHECK(!IsLlvmpipe(VK_PHYSICAL_DEVICE_TYPE_CPU, "SwiftShader Device"));
    BOOST_CHECK(!IsLlvmpipe(VK_PHYSICAL_DEVICE_TYPE_CPU, "not llvmpipe"));
    BOOST_CHECK(!IsLlvmpipe(VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, "llvmpipe"));
    BOOST_CHECK(!IsLlvmpipe(static_cast<VkPhysicalDeviceType>(VK_PHYSICAL_DEVICE_TYPE_CPU + 1), "llvmpipe")); // one that is not known yet
}

/** A queue for transfers alone, or else a second one that computes, or else the same one. */
BOOST_AUTO_TEST_CASE(upload_queues)
{
    const auto choose{[](QueueCounts all, uint32_t compute) { return ChooseUploadQueue(Families(all), compute); }};
    BOOST_CHECK((choose({{GRAPHICS, 16}, {VIDEO, 2}, {COMPUTE, 8}, {TRANSFER | VK_QUEUE_SPARSE_BINDING_BIT, 2}}, 2) == QueuePlace{3, 0}));
    BOOST_CHECK((choose({{GRAPHICS, 16}, {TRANSFER, 0}, {COMPUTE, 8}, {VIDEO, 1}}, 2) == QueuePlace{2, 1}));
    BOOST_CHECK((choose({{GRAPHICS, 1}, {COMPUTE, 1}}, 1) == QueuePlace{1, 0}));
    BOOST_CHECK((choose({{GRAPHICS, 1}}, 0) == QueuePlace{0, 0}));
    BOOST_CHECK((choose({{TRANSFER, 1}, {COMPUTE, 1}}, 1) == QueuePlace{0, 0}));
    BOOST_CHECK((choose({{COMPUTE, 2}}, 0) == QueuePlace{0, 1}));
    // Neither one that transfers nothing nor one that draws, too
    BOOST_CHECK((choose({{VK_QUEUE_SPARSE_BINDING_BIT, 1}, {VK_QUEUE_GRAPHICS_BIT | TRANSFER, 1}, {COMPUTE, 1}}, 2) == QueuePlace{2, 0}));
}

BOOST_AUTO_TEST_SUITE_END()
