// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/vulkan/gpu.h>

#include <pqc/vulkan/device.h>
#include <pqc/vulkan/pipeline.h>
#include <pqc/vulkan/shape.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace slhc::slhdsa::vulkan {

static_assert(std::endian::native == std::endian::little,
              "a Vulkan device has the host's byte order, and the shader reads little-endian words");

namespace {

constexpr vk::ExternalMemoryHandleTypeFlagBits HOST_POINTER{vk::ExternalMemoryHandleTypeFlagBits::eHostAllocationEXT};

/** Memory of the device or of the CPU with a buffer that fills it, mapped if the CPU can see it. */
class Memory
{
public:
    /** @param[in] families  of the queues that use it at the same time, if more than one
     *  @param[in] host      memory of this process to use instead of new memory, or null */
    Memory(const Device& device, size_t size, vk::BufferUsageFlags usage, vk::MemoryPropertyFlags required,
           vk::MemoryPropertyFlags preferred, std::span<const uint32_t> families = {}, void* host = nullptr)
        : m_buffer{nullptr}, m_memory{nullptr}
    {
        const vk::ExternalMemoryBufferCreateInfo external{HOST_POINTER};
        const vk::BufferCreateInfo info{{},
                                        size,
                                        usage,
                                        families.empty() ? vk::SharingMode::eExclusive : vk::SharingMode::eConcurrent,
                                        static_cast<uint32_t>(families.size()),
                                        families.data(),
                                        host ? &external : nullptr};
        m_buffer = {device.handle, info};
        const vk::MemoryRequirements needs{m_buffer.getMemoryRequirements()};
        const vk::ImportMemoryHostPointerInfoEXT import{HOST_POINTER, host};
        uint32_t allowed{needs.memoryTypeBits};
        if (host) allowed &= device.handle.getMemoryHostPointerPropertiesEXT(HOST_POINTER, host).memoryTypeBits;
        const vk::MemoryAllocateInfo allocation{host ? SlotLayout::RoundUp(needs.size) : needs.size,
                                                device.FindMemoryType(allowed, required, preferred), host ? &import : nullptr};
        m_memory = {device.handle, allocation};
        m_buffer.bindMemory(*m_memory, 0);
        if (host) {
            m_mapped = host;
        } else if (required & vk::MemoryPropertyFlagBits::eHostVisible) {
            m_mapped = m_memory.mapMemory(0, VK_WHOLE_SIZE);
        }
    }

    [[nodiscard]] vk::Buffer Buffer() const { return *m_buffer; }
    [[nodiscard]] void* Mapped() const { return m_mapped; }

private:
    vk::raii::Buffer m_buffer;
    vk::raii::DeviceMemory m_memory;
    void* m_mapped{nullptr};
};

constexpr vk::MemoryPropertyFlags HOST{vk::MemoryPropertyFlagBits::eHostVisible | vk::MemoryPropertyFlagBits::eHostCoherent};
constexpr vk::MemoryPropertyFlags LOCAL{vk::MemoryPropertyFlagBits::eDeviceLocal};
constexpr vk::BufferUsageFlags STORAGE{vk::BufferUsageFlagBits::eStorageBuffer};

vk::raii::CommandBuffer AllocateCommands(const Device& device, const vk::raii::CommandPool& pool)
{
    const vk::CommandBufferAllocateInfo one{*pool, vk::CommandBufferLevel::ePrimary, 1};
    return std::move(vk::raii::CommandBuffers{device.handle, one}.front());
}

/** Copies a slot's entries to the device's own memory, in a queue of its own: only the slot's computation waits for it, and it waits for no
 *  other slot. */
class Upload
{
public:
    Upload(const Device& device, const vk::raii::CommandPool& pool, size_t size)
        : m_memory{device, size, STORAGE | vk::BufferUsageFlagBits::eTransferDst, {}, LOCAL, Families(device)}
        , m_commands{AllocateCommands(device, pool)}
        , m_uploaded{device.handle, vk::SemaphoreCreateInfo{}}
        , m_done{device.handle, vk::FenceCreateInfo{vk::FenceCreateFlagBits::eSignaled}}
    {
    }

    [[nodiscard]] vk::Buffer Target() const { return m_memory.Buffer(); }
    [[nodiscard]] vk::Semaphore Uploaded() const { return *m_uploaded; }

    void Submit(const Device& device, vk::Buffer source, size_t size) const
    {
        // When the computation is done, so is the copy that it waited for, but its fence may be a moment behind.
        (void)device.handle.waitForFences(*m_done, VK_TRUE, UINT64_MAX);
        device.handle.resetFences(*m_done);
        m_commands.begin({vk::CommandBufferUsageFlagBits::eOneTimeSubmit});
        m_commands.copyBuffer(source, Target(), vk::BufferCopy{0, 0, size});
        m_commands.end();
        device.upload_queue.submit(vk::SubmitInfo{{}, {}, *m_commands, *m_uploaded}, *m_done);
    }

private:
    static std::vector<uint32_t> Families(const Device& device)
    {
        if (device.upload_place.family == device.compute_place.family) return {};
        return {device.compute_place.family, device.upload_place.family};
    }

    Memory m_memory;
    vk::raii::CommandBuffer m_commands;
    vk::raii::Semaphore m_uploaded; //!< from the copy to the computation, and unsignaled again by that
    vk::raii::Fence m_done;         //!< in case the computation is refused
};

struct CommandPools {
    explicit CommandPools(const Device& device)
        : compute{device.handle, vk::CommandPoolCreateInfo{RESET, device.compute_place.family}}
        , upload{device.handle, vk::CommandPoolCreateInfo{RESET, device.upload_place.family}}
    {
    }
    static constexpr vk::CommandPoolCreateFlagBits RESET{vk::CommandPoolCreateFlagBits::eResetCommandBuffer};
    const vk::raii::CommandPool compute;
    const vk::raii::CommandPool upload;
};

/** The objects of one slot. The library fills the entries in the shared memory, where the device reads them or copies them from, if its
 *  driver can do that; otherwise they are copied to memory of the driver's first. The roots are few: the device writes them to its own
 *  memory, and they are copied from there. */
struct Slot {
    /** @param[in] shared  the slot's part of the shared memory */
    Slot(const Device& device, const CommandPools& pools, vk::DescriptorSet set, size_t capacity, uint8_t* shared)
        : layout{capacity}
        , shared_entries{shared}
        , shared_roots{shared + layout.roots_at}
        , entries{device, layout.entries_size,
                  device.HasUnifiedMemory() ? STORAGE : vk::BufferUsageFlags{vk::BufferUsageFlagBits::eTransferSrc}, HOST,
                  device.HasUnifiedMemory() ? LOCAL : vk::MemoryPropertyFlags{}, {}, device.CanImport(shared) ? shared : nullptr}
        , roots{device, capacity * sizeof(Root), STORAGE, HOST, vk::MemoryPropertyFlagBits::eHostCached}
        , descriptors{set}
        , commands{AllocateCommands(device, pools.compute)}
        , done{device.handle, vk::FenceCreateInfo{}}
    {
        if (!device.HasUnifiedMemory()) upload.emplace(device, pools.upload, layout.entries_size);
        const vk::DescriptorBufferInfo in{upload ? upload->Target() : entries.Buffer(), 0, VK_WHOLE_SIZE};
        const vk::DescriptorBufferInfo out{roots.Buffer(), 0, VK_WHOLE_SIZE};
        device.handle.updateDescriptorSets({
            vk::WriteDescriptorSet{descriptors, 0, 0, vk::DescriptorType::eStorageBuffer, {}, in},
            vk::WriteDescriptorSet{descriptors, 1, 0, vk::DescriptorType::eStorageBuffer, {}, out},
        }, {});
    }

    /** @param[in] size  of all entries, in bytes */
    void Submit(const Device& device, const Pipeline& pipeline, const Shape& shape, size_t n, size_t size)
    {
        if (entries.Mapped() != shared_entries) std::memcpy(entries.Mapped(), shared_entries, size);
        count = n;
        device.handle.resetFences(*done);
        Record(pipeline, shape);
        if (!upload) {
            device.compute_queue.submit(vk::SubmitInfo{{}, {}, *commands}, *done);
            return;
        }
        upload->Submit(device, entries.Buffer(), size);
        const vk::Semaphore uploaded{upload->Uploaded()};
        constexpr vk::PipelineStageFlags READS{vk::PipelineStageFlagBits::eComputeShader};
        device.compute_queue.submit(vk::SubmitInfo{uploaded, READS, *commands}, *done);
    }

    void Collect(const Device& device) const
    {
        (void)device.handle.waitForFences(*done, VK_TRUE, UINT64_MAX);
        std::memcpy(shared_roots, roots.Mapped(), count * sizeof(Root));
    }

    void Record(const Pipeline& pipeline, const Shape& shape) const
    {
        const Pipeline::PushConstants constants{static_cast<uint32_t>(count), shape.PerGroup(count)};
        commands.begin({vk::CommandBufferUsageFlagBits::eOneTimeSubmit});
        commands.bindPipeline(vk::PipelineBindPoint::eCompute, *pipeline.handle);
        commands.bindDescriptorSets(vk::PipelineBindPoint::eCompute, *pipeline.layout, 0, descriptors, {});
        commands.pushConstants<Pipeline::PushConstants>(*pipeline.layout, vk::ShaderStageFlagBits::eCompute, 0, constants);
        commands.dispatch((constants.count + constants.per_group - 1) / constants.per_group, 1, 1);
        commands.pipelineBarrier(vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eHost, {},
                                 vk::MemoryBarrier{vk::AccessFlagBits::eShaderWrite, vk::AccessFlagBits::eHostRead}, {}, {});
        commands.end();
    }

    const SlotLayout layout;
    uint8_t* const shared_entries;
    uint8_t* const shared_roots;
    Memory entries;
    Memory roots;
    std::optional<Upload> upload; //!< where the memory is not unified
    vk::DescriptorSet descriptors; //!< freed with its pool
    vk::raii::CommandBuffer commands;
    vk::raii::Fence done;
    size_t count{0}; //!< entries at work
};

constexpr uint32_t N_SLOTS{4}; //!< one is filled and one is uploaded while others are computed

vk::raii::DescriptorPool CreateDescriptorPool(const Device& device)
{
    const vk::DescriptorPoolSize size{vk::DescriptorType::eStorageBuffer, 2 * N_SLOTS};
    return {device.handle, vk::DescriptorPoolCreateInfo{{}, N_SLOTS, size}};
}

/** A parameter set that the device is ready for. */
struct Prepared {
    Prepared(const Device& device, const Params& params_in, const std::string& cache_dir)
        : params{params_in}, shape{Shape::For(device.Traits(), params)}, pipeline{device, shape, params, cache_dir}
    {
    }
    const Params params;
    const Shape shape;
    const Pipeline pipeline;
};

} // namespace

/** The loader, and what it has told. */
struct Gpu::Drivers {
    explicit Drivers(OnMessage on_message_in)
        : on_message{std::move(on_message_in)}, instance{on_message ? &on_message : nullptr}, candidates{instance.Candidates()}
    {
    }
    const OnMessage on_message;
    const Instance instance;
    const std::vector<Instance::Candidate> candidates;
};

/** Everything of the opened device, in the order in which it must be made. */
struct Gpu::Opened {
    Opened(const Instance::Candidate& candidate, uint32_t flags, size_t wanted, std::string cache_dir_in)
        : device{candidate, flags}
        , on_cpu{candidate.type == vk::PhysicalDeviceType::eCpu}
        , cache_dir{std::move(cache_dir_in)}
        , command_pools{device}
        , descriptor_pool{CreateDescriptorPool(device)}
        , capacity{ChooseCapacity(device.Traits(), wanted)}
    {
        (void)Of(ParameterSet::SHA2_128S);
    }

    /** Compiles the shader for the set if that was not done yet. */
    const Prepared& Of(ParameterSet set)
    {
        std::unique_ptr<Prepared>& of_set{prepared[IndexOf(set)]};
        if (!of_set) of_set = std::make_unique<Prepared>(device, ParamsOf(set), cache_dir);
        return *of_set;
    }

    const Device device;
    const bool on_cpu;
    const std::string cache_dir;
    std::array<std::unique_ptr<Prepared>, PARAMETER_SETS.size()> prepared{}; //!< by their places in the list
    const CommandPools command_pools;
    const vk::raii::DescriptorPool descriptor_pool;
    const size_t capacity;
    std::vector<Slot> slots;
};

Gpu::Gpu() = default;
Gpu::~Gpu() = default;

LinkStatus Gpu::StatusOf(const std::exception& e) noexcept
{
    if (dynamic_cast<const vk::DeviceLostError*>(&e)) return LinkStatus::LOST;
    if (dynamic_cast<const vk::OutOfDeviceMemoryError*>(&e) || dynamic_cast<const vk::OutOfHostMemoryError*>(&e)) {
        return LinkStatus::OUT_OF_MEMORY;
    }
    return LinkStatus::ERROR;
}

std::vector<DeviceDescription> Gpu::List(OnMessage on_message)
{
    m_drivers = std::make_unique<Drivers>(std::move(on_message));
    std::vector<DeviceDescription> descriptions;
    for (const Instance::Candidate& candidate : m_drivers->candidates) descriptions.push_back(candidate.description);
    if (descriptions.empty()) throw NoDevices{"no device supports compute with Vulkan 1.1"};
    return descriptions;
}

DeviceReply Gpu::Open(uint32_t index, uint32_t flags, size_t capacity, const std::string& cache_dir)
{
    const auto& candidates{m_drivers->candidates};
    const auto found{std::ranges::find_if(candidates, [&](const auto& candidate) { return candidate.description.index == index; })};
    if (found == candidates.end()) throw std::runtime_error{"this machine has no device " + std::to_string(index)};
    m_opened = std::make_unique<Opened>(*found, flags, capacity, cache_dir);
    return {.kind = DeviceReply::Kind::OPENED, .slots = N_SLOTS, .on_cpu = m_opened->on_cpu, .capacity = m_opened->capacity};
}

void Gpu::UseMemory(uint8_t* memory)
{
    Opened& opened{*m_opened};
    std::array<vk::DescriptorSetLayout, N_SLOTS> layouts;
    layouts.fill(*opened.Of(ParameterSet::SHA2_128S).pipeline.set_layout);
    const vk::raii::Device& device{opened.device.handle};
    const vk::DescriptorSetAllocateInfo info{*opened.descriptor_pool, layouts};
    const std::vector<vk::DescriptorSet> sets{(*device).allocateDescriptorSets(info, *device.getDispatcher())};
    opened.slots.reserve(N_SLOTS);
    for (size_t i = 0; i < N_SLOTS; ++i) {
        opened.slots.emplace_back(opened.device, opened.command_pools, sets[i], opened.capacity,
                                  memory + i * SlotLayout{opened.capacity}.stride);
    }
}

DeviceReply Gpu::Prepare(ParameterSet set)
{
    const Shape& shape{m_opened->Of(set).shape};
    const size_t capacity{SlotLayout::CapacityFor(ParamsOf(set), m_opened->capacity)};
    return {.kind = DeviceReply::Kind::PREPARED, .capacity = capacity, .full_layout = std::min(shape.FullLayout(), capacity),
            .least_chunk = std::min(shape.least_chunk, capacity)};
}

void Gpu::Submit(size_t slot, ParameterSet set, size_t count)
{
    const Prepared& of_set{m_opened->Of(set)};
    m_opened->slots.at(slot).Submit(m_opened->device, of_set.pipeline, of_set.shape, count, count * DeviceEntry::Size(of_set.params));
}

void Gpu::Collect(size_t slot) { m_opened->slots.at(slot).Collect(m_opened->device); }

void Gpu::ForgetCache() noexcept
{
    for (const std::unique_ptr<Prepared>& of_set : m_opened->prepared) {
        if (of_set) of_set->pipeline.ForgetCache();
    }
}

} // namespace slhc::slhdsa::vulkan
