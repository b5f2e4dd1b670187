// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/device/process_link.h>

#include <util/descriptor.h>

#include <array>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>

namespace slhc::slhdsa {

namespace {

/** Memory that this process and another one map, of a size that neither can change. */
class SharedMemory
{
public:
    /** @throws DeviceError */
    explicit SharedMemory(size_t size) : m_size{size}, m_fd{memfd_create("slhconsensus", MFD_CLOEXEC | MFD_ALLOW_SEALING)}
    {
        const auto check{[&](bool done, int error) {
            if (done) return;
            throw DeviceError{"no shared memory of " + std::to_string(m_size) + " bytes: " + std::generic_category().message(error)};
        }};
        check(static_cast<bool>(m_fd), errno);
        // Taken now, so that nobody finds out later, by a signal, that there is no more.
        const int error{posix_fallocate(m_fd.Get(), 0, static_cast<off_t>(size))};
        check(error == 0, error);
        check(fcntl(m_fd.Get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0, errno);
        void* const mapped{mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, m_fd.Get(), 0)};
        check(mapped != MAP_FAILED, errno);
        m_data = static_cast<uint8_t*>(mapped);
    }
    ~SharedMemory() { (void)munmap(m_data, m_size); }
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;

    [[nodiscard]] uint8_t* Data() const { return m_data; }
    [[nodiscard]] const Descriptor& File() const { return m_fd; }

private:
    const size_t m_size;
    const Descriptor m_fd;
    uint8_t* m_data{nullptr};
};

/** The program with its list of devices. */
struct Started {
    std::unique_ptr<DeviceProcess> process;
    std::vector<DeviceDescription> devices;
};

Started Start(const ProcessOptions& options, const std::stop_token& stop)
{
    const std::string program{FindDeviceProgram(options.program)};
    std::chrono::nanoseconds left{options.listing_limit};
    auto process{std::make_unique<DeviceProcess>(program, stop, left)};
    process->on_validation_message = options.on_validation_message;
    std::string text;
    const DeviceReply reply{process->Ask({.kind = DeviceRequest::Kind::LIST,
                                          .flags = options.on_validation_message ? DeviceRequest::VALIDATE : 0},
                                         DeviceReply::Kind::DEVICES, text, left)};
    if (reply.status != LinkStatus::OK) {
        if (reply.is_fault) throw DeviceError{OneLine(text)};
        throw NoDevices{OneLine(text)};
    }
    return {std::move(process), ParseDevices(text)};
}

class ProcessLink final : public DeviceLink
{
public:
    ProcessLink(std::unique_ptr<DeviceProcess> process, uint32_t index, const ProcessOptions& options)
        : m_process{std::move(process)}
    {
        std::string text;
        std::chrono::nanoseconds left{options.opening_limit};
        const DeviceReply opened{m_process->Ask({.kind = DeviceRequest::Kind::OPEN, .index = index, .flags = options.flags,
                                                 .count = options.capacity},
                                                DeviceReply::Kind::OPENED, text, left, options.cache_dir)};
        if (opened.status != LinkStatus::OK) throw DeviceError{OneLine(text)};
        if (opened.slots < 1 || opened.slots > SlotLayout::MAX_SLOTS || opened.capacity < 1 || opened.capacity > SlotLayout::MAX_CAPACITY) {
            throw DeviceError{"its program wants a memory of no sensible size"};
        }
        m_on_cpu = opened.on_cpu != 0;
        m_capacity = opened.capacity;
        m_slots.resize(opened.slots);
        m_memory.emplace(m_slots.size() * Layout().stride);
        const DeviceReply ready{m_process->Ask({.kind = DeviceRequest::Kind::MEMORY}, DeviceReply::Kind::PREPARED, text, left,
                                               {}, m_memory->File().Get())};
        if (ready.status != LinkStatus::OK || !Take(ParameterSet::SHA2_128S, ready)) {
            throw DeviceError{text.empty() ? "its program says something that this library does not understand" : OneLine(text)};
        }
    }

    size_t Slots() const noexcept override { return m_slots.size(); }
    size_t Capacity(ParameterSet set) const noexcept override { return Of(set).capacity; }
    size_t FullLayout(ParameterSet set) const noexcept override { return Of(set).full_layout; }
    size_t LeastChunk(ParameterSet set) const noexcept override { return Of(set).least_chunk; }
    bool OnCpu() const noexcept override { return m_on_cpu; }
    DriverProcess Process() const override { return {.program = m_process->Program(), .id = m_process->Id()}; }
    int ProcessDescriptor() const noexcept override { return m_process->ProcessDescriptor(); }
    std::span<uint8_t> Entries(size_t slot) noexcept override { return {SlotAt(slot), Layout().entries_size}; }
    std::span<const Root> Roots(size_t slot) noexcept override
    {
        return {reinterpret_cast<const Root*>(SlotAt(slot) + Layout().roots_at), m_capacity};
    }

    LinkStatus StartPreparing(ParameterSet set) noexcept override
    {
        return m_process->Send({.kind = DeviceRequest::Kind::PREPARE, .set = set});
    }
    bool IsAnswered() const noexcept override { return m_answer.has_value(); }
    int AnswerDescriptor() const noexcept override { return m_process->SocketDescriptor(); }

    LinkStatus Prepare(ParameterSet set, std::chrono::nanoseconds limit) noexcept override
    {
        DeviceReply reply;
        if (m_answer) {
            reply = *std::exchange(m_answer, std::nullopt);
        } else if (const LinkStatus status{m_process->Receive(reply, m_text, limit)}; status != LinkStatus::OK) {
            return status;
        }
        if (reply.kind != DeviceReply::Kind::PREPARED) return LinkStatus::ERROR;
        if (reply.status == LinkStatus::LOST) return LinkStatus::LOST;
        if (reply.status != LinkStatus::OK) return LinkStatus::UNSUPPORTED;
        return Take(set, reply) ? LinkStatus::OK : LinkStatus::ERROR;
    }

    LinkStatus Submit(size_t slot, ParameterSet set, size_t count) noexcept override
    {
        m_slots[slot] = {.at_work = true, .status = LinkStatus::OK};
        return m_process->Send({.kind = DeviceRequest::Kind::SUBMIT, .index = static_cast<uint32_t>(slot), .set = set, .count = count});
    }

    LinkStatus Wait(size_t slot, std::chrono::nanoseconds limit) noexcept override
    {
        while (m_slots[slot].at_work) {
            DeviceReply reply;
            if (const LinkStatus status{m_process->Receive(reply, m_text, limit)}; status != LinkStatus::OK) return status;
            if (reply.kind == DeviceReply::Kind::PREPARED && !m_answer) {
                m_answer = reply;
                continue;
            }
            if (reply.kind != DeviceReply::Kind::DONE || reply.slot >= m_slots.size()) return LinkStatus::ERROR;
            if (!std::exchange(m_slots[reply.slot], {.at_work = false, .status = reply.status}).at_work) return LinkStatus::ERROR;
        }
        return m_slots[slot].status;
    }

    void ForgetCache() noexcept override { (void)m_process->Send({.kind = DeviceRequest::Kind::FORGET_CACHE}); }
    void Abandon() noexcept override { m_process->Kill(); }

private:
    struct Slot {
        bool at_work{false};
        LinkStatus status{LinkStatus::OK}; //!< of the work that was done last
    };
    struct SetTraits {
        size_t capacity{1}, full_layout{1}, least_chunk{1};
    };

    /** Keep what the device says of a set. @return false if it makes no sense */
    bool Take(ParameterSet set, const DeviceReply& reply) noexcept
    {
        const size_t room{SlotLayout::CapacityFor(ParamsOf(set), m_capacity)};
        const auto in_range{[](uint64_t n, uint64_t most) { return n >= 1 && n <= most; }};
        if (!in_range(reply.capacity, room)) return false;
        if (!in_range(reply.full_layout, reply.capacity) || !in_range(reply.least_chunk, reply.capacity)) return false;
        m_sets[IndexOf(set)] = {.capacity = reply.capacity, .full_layout = reply.full_layout, .least_chunk = reply.least_chunk};
        return true;
    }

    [[nodiscard]] SlotLayout Layout() const noexcept { return SlotLayout{m_capacity}; }
    [[nodiscard]] uint8_t* SlotAt(size_t slot) const noexcept { return m_memory->Data() + slot * Layout().stride; }
    [[nodiscard]] const SetTraits& Of(ParameterSet set) const noexcept { return m_sets[IndexOf(set)]; }

    const std::unique_ptr<DeviceProcess> m_process;
    bool m_on_cpu{false};
    size_t m_capacity{0};
    std::array<SetTraits, PARAMETER_SETS.size()> m_sets{}; //!< by their places in the list
    std::vector<Slot> m_slots;
    std::optional<DeviceReply> m_answer; //!< to StartPreparing(), received while a slot was waited for
    std::optional<SharedMemory> m_memory;
    std::string m_text; //!< of the last reply
};

} // namespace

std::vector<DeviceDescription> ListDevices(const ProcessOptions& options) { return Start(options, {}).devices; }

std::unique_ptr<DeviceLink> OpenDevice(std::string_view which, const ProcessOptions& options, const std::stop_token& stop,
                                       DeviceDescription& opened)
{
    Started started{Start(options, stop)};
    opened = ChooseDevice(started.devices, which);
    return std::make_unique<ProcessLink>(std::move(started.process), opened.index, options);
}

} // namespace slhc::slhdsa
