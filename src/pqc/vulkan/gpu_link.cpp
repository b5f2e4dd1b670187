// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/device/device_link.h>
#include <pqc/vulkan/device.h>
#include <pqc/vulkan/open.h>
#include <pqc/vulkan/pipeline.h>
#include <pqc/vulkan/shape.h>
#include <util/static_program.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace slhc::slhdsa::vulkan {

static_assert(std::endian::native == std::endian::little,
              "a Vulkan device has the host's byte order, and the shader reads little-endian words");

namespace {

/** Memory of the device or of the CPU with a buffer that fills it, mapped if the CPU can see it. */
class Memory
{
public:
    /** @param[in] families  of the queues that use it at the same time, if more than one */
    Memory(const Device& device, size_t size, vk::BufferUsageFlags usage, vk::MemoryPropertyFlags required,
           vk::MemoryPropertyFlags preferred, std::span<const uint32_t> families = {})
        : m_buffer{device.handle, vk::BufferCreateInfo{{},
                                                       size,
                                                       usage,
                                                       families.empty() ? vk::SharingMode::eExclusive : vk::SharingMode::eConcurrent,
                                                       static_cast<uint32_t>(families.size()),
                                                       families.data()}}
        , m_memory{nullptr}
    {
        const vk::MemoryRequirements needs{m_buffer.getMemoryRequirements()};
        m_memory = {device.handle, vk::MemoryAllocateInfo{needs.size, device.FindMemoryType(needs.memoryTypeBits, required, preferred)}};
        m_buffer.bindMemory(*m_memory, 0);
        if (required & vk::MemoryPropertyFlagBits::eHostVisible) m_mapped = m_memory.mapMemory(0, VK_WHOLE_SIZE);
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

    /** True if no submitted work is in progress. @throws vk::SystemError */
    [[nodiscard]] bool IsIdle() const { return m_done.getStatus() == vk::Result::eSuccess; }

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

/** The bytes of a slot with room for that many entries of 128s, and for one at least of any other set. */
size_t EntriesSize(size_t capacity)
{
    size_t size{capacity * DeviceEntry::Size(PARAMS_128S)};
    for (const ParameterSetEntry& entry : PARAMETER_SETS) size = std::max(size, DeviceEntry::Size(entry.params));
    return size;
}

enum class Work { NONE, UPLOAD, COMPUTATION };

/** The objects of one slot. The CPU fills the entries where the device reads them, or where they are copied from. The roots are small, so
 *  that the device always writes them where the CPU reads them. */
struct Slot {
    Slot(const Device& device, const CommandPools& pools, vk::DescriptorSet set, size_t capacity)
        : entries{device, EntriesSize(capacity),
                  device.HasUnifiedMemory() ? STORAGE : vk::BufferUsageFlags{vk::BufferUsageFlagBits::eTransferSrc}, HOST,
                  device.HasUnifiedMemory() ? LOCAL : vk::MemoryPropertyFlags{}}
        , roots{device, capacity * sizeof(Root), STORAGE, HOST, vk::MemoryPropertyFlagBits::eHostCached}
        , descriptors{set}
        , commands{AllocateCommands(device, pools.compute)}
        , done{device.handle, vk::FenceCreateInfo{}}
    {
        if (!device.HasUnifiedMemory()) upload.emplace(device, pools.upload, EntriesSize(capacity));
        const vk::DescriptorBufferInfo in{upload ? upload->Target() : entries.Buffer(), 0, VK_WHOLE_SIZE};
        const vk::DescriptorBufferInfo out{roots.Buffer(), 0, VK_WHOLE_SIZE};
        device.handle.updateDescriptorSets({
            vk::WriteDescriptorSet{descriptors, 0, 0, vk::DescriptorType::eStorageBuffer, {}, in},
            vk::WriteDescriptorSet{descriptors, 1, 0, vk::DescriptorType::eStorageBuffer, {}, out},
        }, {});
    }

    /** @param[in] size  of all entries, in bytes */
    void Submit(const Device& device, const Pipeline& pipeline, const Shape& shape, size_t count, size_t size)
    {
        device.handle.resetFences(*done);
        at_work = Work::NONE;
        Record(pipeline, shape, count);
        if (!upload) {
            device.compute_queue.submit(vk::SubmitInfo{{}, {}, *commands}, *done);
            at_work = Work::COMPUTATION;
            return;
        }
        upload->Submit(device, entries.Buffer(), size);
        at_work = Work::UPLOAD;
        const vk::Semaphore uploaded{upload->Uploaded()};
        constexpr vk::PipelineStageFlags READS{vk::PipelineStageFlagBits::eComputeShader};
        device.compute_queue.submit(vk::SubmitInfo{uploaded, READS, *commands}, *done);
        at_work = Work::COMPUTATION;
    }

    /** @throws vk::SystemError */
    [[nodiscard]] bool IsIdle() const
    {
        switch (at_work) {
        case Work::NONE: return true;
        case Work::UPLOAD: return upload->IsIdle();
        case Work::COMPUTATION: return done.getStatus() == vk::Result::eSuccess;
        }
        return false;
    }

    void Record(const Pipeline& pipeline, const Shape& shape, size_t count) const
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

    Memory entries;
    Memory roots;
    std::optional<Upload> upload; //!< where the memory is not unified
    vk::DescriptorSet descriptors; //!< freed with its pool
    vk::raii::CommandBuffer commands;
    vk::raii::Fence done;
    Work at_work{Work::NONE}; //!< the last that the device accepted
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

/** Everything in the order in which it must be made; destroyed in reverse. */
struct Gpu {
    Gpu(std::string_view which, const OpenOptions& options)
        : on_message{options.on_validation_message},
          instance{on_message ? &on_message : nullptr},
          candidate{ChooseDevice(instance, which)},
          device{candidate, options.as_gpu},
          cache_dir{options.cache_dir},
          prepared{Prepare128s()},
          command_pools{device},
          descriptor_pool{CreateDescriptorPool(device)},
          capacity{ChooseCapacity(device.Traits(), options.capacity)}
    {
        std::array<vk::DescriptorSetLayout, N_SLOTS> layouts;
        layouts.fill(*prepared[IndexOf(ParameterSet::SHA2_128S)]->pipeline.set_layout);
        const std::vector<vk::DescriptorSet> sets{
            (*device.handle)
                .allocateDescriptorSets(vk::DescriptorSetAllocateInfo{*descriptor_pool, layouts}, *device.handle.getDispatcher())};
        for (const vk::DescriptorSet set : sets) slots.emplace_back(device, command_pools, set, capacity);
    }

    ~Gpu()
    {
        try {
            device.handle.waitIdle();
        } catch (const vk::SystemError&) {
            // Lost: then nothing runs there any more.
        }
    }
    Gpu(const Gpu&) = delete;
    Gpu& operator=(const Gpu&) = delete;

    [[nodiscard]] std::unique_ptr<Prepared> Prepare(ParameterSet set) const
    {
        return std::make_unique<Prepared>(device, ParamsOf(set), cache_dir);
    }

    /** True if the device does no work, and never will again without being told to. */
    [[nodiscard]] bool IsIdle() const noexcept
    {
        try {
            return std::all_of(slots.begin(), slots.end(), [](const Slot& slot) { return slot.IsIdle(); });
        } catch (const vk::DeviceLostError&) {
            return true;
        } catch (const std::exception&) {
            return false;
        }
    }

    const Instance::OnMessage on_message;
    const Instance instance;
    const Instance::Candidate candidate;
    const Device device;
    const std::string cache_dir;
    using PreparedSets = std::array<std::unique_ptr<Prepared>, PARAMETER_SETS.size()>; //!< by their places in the list
    PreparedSets prepared;
    const CommandPools command_pools;
    const vk::raii::DescriptorPool descriptor_pool;
    const size_t capacity;
    std::vector<Slot> slots;
    Gpu* next_kept{nullptr}; //!< see KeptGpus

private:
    [[nodiscard]] PreparedSets Prepare128s() const
    {
        PreparedSets sets;
        sets[IndexOf(ParameterSet::SHA2_128S)] = Prepare(ParameterSet::SHA2_128S);
        return sets;
    }
};

/** Run something that throws like Vulkan-Hpp. */
template <typename Call>
LinkStatus Guard(Call&& call) noexcept
{
    try {
        return call();
    } catch (const vk::DeviceLostError&) {
        return LinkStatus::LOST;
    } catch (const vk::OutOfDeviceMemoryError&) {
        return LinkStatus::OUT_OF_MEMORY;
    } catch (const vk::OutOfHostMemoryError&) {
        return LinkStatus::OUT_OF_MEMORY;
    } catch (const std::bad_alloc&) {
        return LinkStatus::OUT_OF_MEMORY;
    } catch (const std::exception&) {
        return LinkStatus::ERROR;
    }
}

/** Devices that were released while they may have been at work: such a device may still write to its memory, and its driver may not return
 *  from a call that frees it. Each is kept until its work is done, forever if it never is. Thread-safe. */
class KeptGpus
{
public:
    static void Keep(std::unique_ptr<Gpu> gpu) noexcept { Push(gpu.release()); }

    /** Destroy those whose work is done. */
    static void FreeIdle() noexcept
    {
        // All of them are taken off the list first: a driver that does not answer holds up only this thread.
        for (Gpu* next{s_first.exchange(nullptr)}; next;) {
            Gpu* const gpu{std::exchange(next, next->next_kept)};
            if (gpu->IsIdle()) {
                delete gpu;
            } else {
                Push(gpu);
            }
        }
    }

private:
    static void Push(Gpu* gpu) noexcept
    {
        gpu->next_kept = s_first.load();
        while (!s_first.compare_exchange_weak(gpu->next_kept, gpu)) {}
    }

    // Never destroyed, so that leak checkers see what is meant to stay.
    static inline std::atomic<Gpu*> s_first{nullptr};
};

class GpuLink final : public DeviceLink
{
public:
    explicit GpuLink(std::unique_ptr<Gpu> gpu) : m_gpu{std::move(gpu)} {}
    ~GpuLink() override
    {
        if (m_abandoned) KeptGpus::Keep(std::move(m_gpu));
    }
    GpuLink(const GpuLink&) = delete;
    GpuLink& operator=(const GpuLink&) = delete;

    size_t Slots() const noexcept override { return m_gpu->slots.size(); }
    size_t Capacity(ParameterSet set) const noexcept override
    {
        return std::min(EntriesSize(m_gpu->capacity) / DeviceEntry::Size(ParamsOf(set)), m_gpu->capacity);
    }
    size_t FullLayout(ParameterSet set) const noexcept override { return std::min(Of(set).shape.FullLayout(), Capacity(set)); }
    size_t LeastChunk(ParameterSet set) const noexcept override { return std::min(Of(set).shape.least_chunk, Capacity(set)); }
    bool OnCpu() const noexcept override { return m_gpu->candidate.type == vk::PhysicalDeviceType::eCpu; }
    std::span<uint8_t> Entries(size_t slot) noexcept override
    {
        return {static_cast<uint8_t*>(m_gpu->slots[slot].entries.Mapped()), EntriesSize(m_gpu->capacity)};
    }
    std::span<const Root> Roots(size_t slot) noexcept override
    {
        return {static_cast<const Root*>(m_gpu->slots[slot].roots.Mapped()), m_gpu->capacity};
    }

    LinkStatus Prepare(ParameterSet set) noexcept override
    {
        return Guard([&] {
            std::unique_ptr<Prepared>& prepared{m_gpu->prepared[IndexOf(set)]};
            if (!prepared) prepared = m_gpu->Prepare(set);
            return LinkStatus::OK;
        });
    }

    LinkStatus Submit(size_t slot, ParameterSet set, size_t count) noexcept override
    {
        return Guard([&] {
            const Prepared& of_set{Of(set)};
            m_gpu->slots[slot].Submit(m_gpu->device, of_set.pipeline, of_set.shape, count, count * DeviceEntry::Size(of_set.params));
            return LinkStatus::OK;
        });
    }

    LinkStatus Wait(size_t slot, std::chrono::nanoseconds limit) noexcept override
    {
        return Guard([&] {
            const vk::Result result{
                m_gpu->device.handle.waitForFences(*m_gpu->slots[slot].done, VK_TRUE, static_cast<uint64_t>(limit.count()))};
            return result == vk::Result::eTimeout ? LinkStatus::LATE : LinkStatus::OK;
        });
    }

    void ForgetCache() noexcept override
    {
        for (const std::unique_ptr<Prepared>& of_set : m_gpu->prepared) {
            if (of_set) of_set->pipeline.ForgetCache();
        }
    }
    void Abandon() noexcept override { m_abandoned = true; }

private:
    const Prepared& Of(ParameterSet set) const noexcept { return *m_gpu->prepared[IndexOf(set)]; }

    std::unique_ptr<Gpu> m_gpu;
    bool m_abandoned{false};
};

/** Run something, and turn an exception into an error. @throws std::bad_alloc */
template <typename Call>
auto Attempt(std::string& error, Call&& call, bool* is_fault = nullptr) -> decltype(call())
{
    error.clear();
    if (is_fault) *is_fault = false;
    try {
        if (IsStaticProgram()) throw NoDevices{"a static program cannot load drivers"};
        return call();
    } catch (const std::bad_alloc&) {
        throw; // says nothing about the device
    } catch (const std::exception& e) {
        if (is_fault) *is_fault = dynamic_cast<const NoDevices*>(&e) == nullptr;
        error = std::string{"vulkan: "} + e.what();
        std::replace(error.begin(), error.end(), '\n', ' ');
        return {};
    }
}

} // namespace

bool HasLoader(std::string& error)
{
    // A loader that was found is assumed to stay; one that was missing may yet be installed.
    static constinit std::atomic<bool> s_has_loader{false};
    return Attempt(error, [] {
        if (s_has_loader) return true;
        (void)OpenLoader();
        return s_has_loader = true;
    });
}

std::vector<DeviceDescription> ListDevices(std::string& error, bool* is_fault)
{
    const auto list{[] {
        std::vector<DeviceDescription> descriptions;
        for (Instance::Candidate& candidate : Instance{nullptr}.Candidates()) descriptions.push_back(std::move(candidate.description));
        if (descriptions.empty()) throw NoDevices{"no device supports compute with Vulkan 1.1"};
        return descriptions;
    }};
    return Attempt(error, list, is_fault);
}

bool FindDevice(std::string_view which, DeviceDescription& found, std::string& error)
{
    return Attempt(error, [&] {
        const Instance instance{nullptr};
        found = ChooseDevice(instance, which).description;
        return true;
    });
}

std::unique_ptr<DeviceLink> OpenDevice(std::string_view which, const OpenOptions& options, DeviceDescription& opened, std::string& error)
{
    return Attempt(error, [&]() -> std::unique_ptr<DeviceLink> {
        KeptGpus::FreeIdle();
        auto gpu{std::make_unique<Gpu>(which, options)};
        opened = gpu->candidate.description;
        return std::make_unique<GpuLink>(std::move(gpu));
    });
}

} // namespace slhc::slhdsa::vulkan
