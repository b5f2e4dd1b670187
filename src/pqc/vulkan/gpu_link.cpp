// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/device/link.h>
#include <pqc/vulkan/device.h>
#include <pqc/vulkan/open.h>
#include <pqc/vulkan/pipeline.h>
#include <util/static_program.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <new>
#include <optional>
#include <vector>

namespace slhc::slhdsa::vulkan {

namespace {

/** Memory of the device or of the CPU with a buffer that fills it, mapped if the CPU can see it. */
class Memory
{
public:
    Memory(const Device& device, size_t size, vk::BufferUsageFlags usage, vk::MemoryPropertyFlags required,
           vk::MemoryPropertyFlags preferred)
        : m_buffer{device.handle, vk::BufferCreateInfo{{}, size, usage}}
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
constexpr vk::BufferUsageFlags STORAGE{vk::BufferUsageFlagBits::eStorageBuffer};
constexpr vk::BufferUsageFlags SOURCE{vk::BufferUsageFlagBits::eTransferSrc};
constexpr vk::BufferUsageFlags TARGET{vk::BufferUsageFlagBits::eTransferDst};

/** What one slot owns. Where the memory is not unified, entries and roots have a copy in the device's own. */
struct Slot {
    Slot(const Device& device, const vk::raii::CommandPool& pool, vk::DescriptorSet set, size_t capacity)
        : unified{device.HasUnifiedMemory()}
        , entries{device, capacity * sizeof(DeviceEntry), unified ? STORAGE : SOURCE, HOST,
                  unified ? vk::MemoryPropertyFlagBits::eDeviceLocal : vk::MemoryPropertyFlags{}}
        , roots{device, capacity * sizeof(Root), unified ? STORAGE : TARGET, HOST, vk::MemoryPropertyFlagBits::eHostCached}
        , descriptors{set}
        , commands{std::move(
              vk::raii::CommandBuffers{device.handle, vk::CommandBufferAllocateInfo{*pool, vk::CommandBufferLevel::ePrimary, 1}}.front())}
        , done{device.handle, vk::FenceCreateInfo{}}
    {
        if (!unified) {
            device_entries.emplace(device, capacity * sizeof(DeviceEntry), STORAGE | TARGET, vk::MemoryPropertyFlags{},
                                   vk::MemoryPropertyFlagBits::eDeviceLocal);
            device_roots.emplace(device, capacity * sizeof(Root), STORAGE | SOURCE, vk::MemoryPropertyFlags{},
                                 vk::MemoryPropertyFlagBits::eDeviceLocal);
        }
        const vk::DescriptorBufferInfo in{(unified ? entries : *device_entries).Buffer(), 0, VK_WHOLE_SIZE};
        const vk::DescriptorBufferInfo out{(unified ? roots : *device_roots).Buffer(), 0, VK_WHOLE_SIZE};
        device.handle.updateDescriptorSets({
            vk::WriteDescriptorSet{descriptors, 0, 0, vk::DescriptorType::eStorageBuffer, {}, in},
            vk::WriteDescriptorSet{descriptors, 1, 0, vk::DescriptorType::eStorageBuffer, {}, out},
        }, {});
    }

    void Record(const Pipeline& pipeline, const Shape& shape, size_t count)
    {
        using Stage = vk::PipelineStageFlagBits;
        using Access = vk::AccessFlagBits;
        const Pipeline::PushConstants constants{static_cast<uint32_t>(count), shape.PerGroup(count)};
        commands.begin({vk::CommandBufferUsageFlagBits::eOneTimeSubmit});
        if (!unified) {
            commands.copyBuffer(entries.Buffer(), device_entries->Buffer(), vk::BufferCopy{0, 0, count * sizeof(DeviceEntry)});
            commands.pipelineBarrier(Stage::eTransfer, Stage::eComputeShader, {},
                                     vk::MemoryBarrier{Access::eTransferWrite, Access::eShaderRead}, {}, {});
        }
        commands.bindPipeline(vk::PipelineBindPoint::eCompute, *pipeline.handle);
        commands.bindDescriptorSets(vk::PipelineBindPoint::eCompute, *pipeline.layout, 0, descriptors, {});
        commands.pushConstants<Pipeline::PushConstants>(*pipeline.layout, vk::ShaderStageFlagBits::eCompute, 0, constants);
        commands.dispatch((constants.count + constants.per_group - 1) / constants.per_group, 1, 1);
        if (!unified) {
            commands.pipelineBarrier(Stage::eComputeShader, Stage::eTransfer, {},
                                     vk::MemoryBarrier{Access::eShaderWrite, Access::eTransferRead}, {}, {});
            commands.copyBuffer(device_roots->Buffer(), roots.Buffer(), vk::BufferCopy{0, 0, count * sizeof(Root)});
        }
        commands.pipelineBarrier(unified ? Stage::eComputeShader : Stage::eTransfer, Stage::eHost, {},
                                 vk::MemoryBarrier{unified ? Access::eShaderWrite : Access::eTransferWrite, Access::eHostRead}, {}, {});
        commands.end();
    }

    const bool unified;
    Memory entries;
    Memory roots;
    std::optional<Memory> device_entries;
    std::optional<Memory> device_roots;
    vk::DescriptorSet descriptors; //!< freed with its pool
    vk::raii::CommandBuffer commands;
    vk::raii::Fence done;
};

constexpr uint32_t N_SLOTS{2}; //!< one is filled while the other is computed

vk::raii::DescriptorPool CreateDescriptorPool(const Device& device)
{
    const vk::DescriptorPoolSize size{vk::DescriptorType::eStorageBuffer, 2 * N_SLOTS};
    return {device.handle, vk::DescriptorPoolCreateInfo{{}, N_SLOTS, size}};
}

size_t ChooseCapacity(const Device& device, size_t wanted)
{
    const vk::PhysicalDeviceLimits& limits{device.properties.limits};
    if (wanted == 0) wanted = device.type == vk::PhysicalDeviceType::eCpu ? 1024 : 4096;
    return std::max<size_t>(1, std::min({wanted, limits.maxStorageBufferRange / sizeof(DeviceEntry),
                                         size_t{limits.maxComputeWorkGroupCount[0]}}));
}

/** Everything in the order in which it must be made; destroyed in reverse. */
struct Gpu {
    Gpu(std::string_view which, const OpenOptions& options)
        : on_message{options.on_validation_message},
          instance{on_message ? &on_message : nullptr},
          candidate{ChooseDevice(instance, which)},
          device{candidate, options.as_gpu},
          shape{Shape::For(device)},
          pipeline{device, shape, options.cache_dir},
          command_pool{device.handle, vk::CommandPoolCreateInfo{vk::CommandPoolCreateFlagBits::eResetCommandBuffer, device.queue_family}},
          descriptor_pool{CreateDescriptorPool(device)},
          capacity{ChooseCapacity(device, options.capacity)}
    {
        const std::array<vk::DescriptorSetLayout, N_SLOTS> layouts{*pipeline.set_layout, *pipeline.set_layout};
        const std::vector<vk::DescriptorSet> sets{
            (*device.handle)
                .allocateDescriptorSets(vk::DescriptorSetAllocateInfo{*descriptor_pool, layouts}, *device.handle.getDispatcher())};
        for (const vk::DescriptorSet set : sets) slots.emplace_back(device, command_pool, set, capacity);
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

    const Instance::OnMessage on_message;
    const Instance instance;
    const Instance::Candidate candidate;
    const Device device;
    const Shape shape;
    const Pipeline pipeline;
    const vk::raii::CommandPool command_pool;
    const vk::raii::DescriptorPool descriptor_pool;
    const size_t capacity;
    std::vector<Slot> slots;
    Gpu* next_kept{nullptr}; //!< see KeepForever
};

/** Run something that throws what Vulkan-Hpp throws. */
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

/** Keep a device until the process ends: it may still write to its memory, and its driver may not come back from
 *  being told to let go. */
void KeepForever(std::unique_ptr<Gpu> gpu) noexcept
{
    // A list that is never destroyed, so that tools which look for leaks see what is meant to stay.
    static std::atomic<Gpu*> s_kept{nullptr};
    Gpu* const kept{gpu.release()};
    kept->next_kept = s_kept.load();
    while (!s_kept.compare_exchange_weak(kept->next_kept, kept)) {}
}

class GpuLink final : public DeviceLink
{
public:
    explicit GpuLink(std::unique_ptr<Gpu> gpu) : m_gpu{std::move(gpu)} {}
    ~GpuLink() override
    {
        if (m_abandoned) KeepForever(std::move(m_gpu));
    }
    GpuLink(const GpuLink&) = delete;
    GpuLink& operator=(const GpuLink&) = delete;

    size_t Slots() const noexcept override { return m_gpu->slots.size(); }
    size_t Capacity() const noexcept override { return m_gpu->capacity; }
    size_t FullLayout() const noexcept override { return std::min(m_gpu->shape.FullLayout(), m_gpu->capacity); }
    bool OnCpu() const noexcept override { return m_gpu->candidate.type == vk::PhysicalDeviceType::eCpu; }
    std::span<DeviceEntry> Entries(size_t slot) noexcept override
    {
        return {static_cast<DeviceEntry*>(m_gpu->slots[slot].entries.Mapped()), m_gpu->capacity};
    }
    std::span<const Root> Roots(size_t slot) noexcept override
    {
        return {static_cast<const Root*>(m_gpu->slots[slot].roots.Mapped()), m_gpu->capacity};
    }

    LinkStatus Submit(size_t slot, size_t count) noexcept override
    {
        return Guard([&] {
            Slot& s{m_gpu->slots[slot]};
            m_gpu->device.handle.resetFences(*s.done);
            s.Record(m_gpu->pipeline, m_gpu->shape, count);
            m_gpu->device.queue.submit(vk::SubmitInfo{{}, {}, *s.commands}, *s.done);
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

    void ForgetCache() noexcept override { m_gpu->pipeline.ForgetCache(); }
    void Abandon() noexcept override { m_abandoned = true; }

private:
    std::unique_ptr<Gpu> m_gpu;
    bool m_abandoned{false};
};

/** Run something, and turn what it throws into an error. @throws std::bad_alloc */
template <typename Call>
auto Attempt(std::string& error, Call&& call) -> decltype(call())
{
    error.clear();
    try {
        if (IsStaticProgram()) throw std::runtime_error{"a static program cannot load drivers"};
        return call();
    } catch (const std::bad_alloc&) {
        throw; // says nothing about the device
    } catch (const std::exception& e) {
        error = std::string{"vulkan: "} + e.what();
        std::replace(error.begin(), error.end(), '\n', ' ');
        return {};
    }
}

} // namespace

bool HasLoader(std::string& error)
{
    return Attempt(error, [] {
        if (!vk::DynamicLoader{}.success()) throw std::runtime_error{"this machine has no Vulkan loader (libvulkan.so.1)"};
        return true;
    });
}

std::vector<DeviceDescription> ListDevices(std::string& error)
{
    return Attempt(error, [&] {
        std::vector<DeviceDescription> descriptions;
        for (Instance::Candidate& candidate : Instance{nullptr}.Candidates()) descriptions.push_back(std::move(candidate.description));
        if (descriptions.empty()) throw std::runtime_error{"no device supports compute with Vulkan 1.1"};
        return descriptions;
    });
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
        auto gpu{std::make_unique<Gpu>(which, options)};
        opened = gpu->candidate.description;
        return std::make_unique<GpuLink>(std::move(gpu));
    });
}

} // namespace slhc::slhdsa::vulkan
