// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/vulkan/device_server.h>
#include <test/device_entry.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

/** A stand-in for slhgpu: scalar code instead of a driver. It fails as the file says that SLHC_FAKE_GPU_FAULT names, if it is there. */
namespace {

using namespace slhc::slhdsa;

/** The fault that is wanted now; empty: none. */
std::string Wanted()
{
    std::string fault;
    if (const char* const path{std::getenv("SLHC_FAKE_GPU_FAULT")}) std::ifstream{path} >> fault;
    return fault;
}

/** The same for a fault at work, which then happens once: not to the process that comes next. */
std::string TakeWanted()
{
    const std::string fault{Wanted()};
    if (!fault.empty() && fault != "compiles") (void)std::remove(std::getenv("SLHC_FAKE_GPU_FAULT"));
    return fault;
}

void SendBytes(const void* data, size_t size) { (void)send(DEVICE_SOCKET, data, size, MSG_NOSIGNAL); }

void SendReply(const DeviceReply& reply) { SendBytes(&reply, sizeof(reply)); }

class FakeGpu
{
public:
    using OnMessage = std::function<void(const std::string&)>;

    std::vector<DeviceDescription> List(const OnMessage&)
    {
        const std::string fault{Wanted()};
        if (fault == "no_devices") throw NoDevices{"there are none today"};
        if (fault == "broken_driver") throw std::runtime_error{"a driver is broken,\x1b[31m and says so"};
        if (fault == "hesitates_twice") std::this_thread::sleep_for(std::chrono::milliseconds{250});
        if (fault == "one_for_all" || fault == "a_hundred") {
            std::vector<DeviceDescription> many;
            for (uint32_t i = 0; i < 100; ++i) {
                many.push_back({.index = fault == "a_hundred" ? i : 1, .type = "discrete", .name = "Fake", .driver = "4.0"});
            }
            return many;
        }
        if (fault == "talks") throw std::runtime_error{"two\nlines, " + std::string(10'000, '!')};
        if (fault == "long_name") return {{.index = 0, .type = "discrete", .name = "\x1b[31m" + std::string(10'000, 'F'), .driver = "1.0"}};
        for (int i = 0; i < 50 && fault == "hesitates"; ++i) std::this_thread::sleep_for(std::chrono::milliseconds{10});
        if (fault == "silent_driver") std::this_thread::sleep_for(std::chrono::hours{1});
        return {{.index = 0, .type = fault == "unheard_of" ? "quantum" : "discrete", .name = "Fake 4090", .driver = "1.0"},
                {.index = 1, .type = "integrated", .name = "Fake", .driver = "2.0"},
                {.index = 2, .type = "cpu", .name = "Fakepipe", .driver = "3.0"}};
    }

    DeviceReply Open(uint32_t index, uint32_t, size_t, const std::string&)
    {
        const std::string fault{Wanted()};
        if (fault == "does_not_open_at_length") throw std::runtime_error{"the shader\n" + std::string(10'000, '!')};
        if (fault == "does_not_open") throw std::runtime_error{"the shader does not compile"};
        const uint64_t capacity{fault == "huge" ? SlotLayout::MAX_CAPACITY + 1 : fault == "nothing_fits" ? 0 : CAPACITY};
        const uint32_t slots{fault == "no_slots" ? 0 : fault == "five_slots" ? 5 : SLOTS};
        return {.kind = DeviceReply::Kind::OPENED, .slots = slots, .on_cpu = index == 2, .capacity = capacity};
    }

    void UseMemory(uint8_t* memory) { m_memory = memory; }

    DeviceReply Prepare(ParameterSet set)
    {
        if (Wanted() == "only_128s" && set != ParameterSet::SHA2_128S) throw std::runtime_error{"the shader does not compile"};
        while (Wanted() == "compiles" && set != ParameterSet::SHA2_128S) std::this_thread::sleep_for(std::chrono::milliseconds{1});
        const size_t capacity{SlotLayout::CapacityFor(ParamsOf(set), CAPACITY)};
        return {.kind = DeviceReply::Kind::PREPARED, .capacity = Wanted() == "too_many" ? capacity + 1 : capacity, .full_layout = 3,
                .least_chunk = capacity};
    }

    void Submit(size_t slot, ParameterSet set, size_t count)
    {
        if (Wanted() == "refused") {
            (void)TakeWanted();
            throw std::runtime_error{"not now"};
        }
        m_work[slot] = {set, count};
    }

    void Collect(size_t slot)
    {
        const SlotLayout layout{CAPACITY};
        uint8_t* const begin{m_memory + slot * layout.stride};
        const auto [set, count]{m_work[slot]};
        const size_t size{DeviceEntry::Size(ParamsOf(set))};
        for (size_t i = 0; i < count; ++i) {
            const Root root{MaskedRoot(set, {begin + i * size, size})};
            std::memcpy(begin + layout.roots_at + i * sizeof(root), &root, sizeof(root));
        }
        Fail(TakeWanted(), begin + layout.roots_at, slot);
    }

    void ForgetCache() {}
    static LinkStatus StatusOf(const std::exception&) { return LinkStatus::ERROR; }

private:
    static constexpr uint32_t SLOTS{4};
    static constexpr size_t CAPACITY{64};
    struct Work {
        ParameterSet set{};
        size_t count{0};
    };

    static void Fail(const std::string& fault, uint8_t* roots, size_t slot)
    {
        const DeviceReply done{.kind = DeviceReply::Kind::DONE, .slot = static_cast<uint32_t>(slot)};
        if (fault == "wrong") *roots ^= 1;
        if (fault == "late") std::this_thread::sleep_for(std::chrono::hours{1});
        if (fault == "stops") (void)raise(SIGSTOP);
        if (fault == "crashes") {
            (void)signal(SIGSEGV, SIG_DFL);
            (void)raise(SIGSEGV);
        }
        if (fault == "is_killed") (void)raise(SIGKILL);
        if (fault == "ends") _exit(EXIT_SUCCESS);
        if (fault == "out_of_memory") throw std::bad_alloc{};
        if (fault == "short_reply") SendBytes("?", 1);
        constexpr size_t TOO_LONG{sizeof(DeviceReply) + MAX_MESSAGE_TEXT + 1};
        if (fault == "long_reply") SendBytes(std::string(TOO_LONG, '?').data(), TOO_LONG);
        if (fault == "other_reply") SendReply({.kind = DeviceReply::Kind::OPENED});
        if (fault == "no_such_reply") SendReply({.kind = DeviceReply::Kind{77}});
        if (fault == "no_such_slot") SendReply({.kind = DeviceReply::Kind::DONE, .slot = 4'000'000'000});
        if (fault == "idle_slot") SendReply({.kind = DeviceReply::Kind::DONE, .slot = (done.slot + 3) % SLOTS});
        if (fault == "no_such_status") SendReply({.kind = DeviceReply::Kind::DONE, .status = LinkStatus{55}, .slot = done.slot});
        if (fault == "chatters") SendReply({.kind = DeviceReply::Kind::SAYS});
    }

    uint8_t* m_memory{nullptr};
    std::array<Work, SLOTS> m_work;
};

} // namespace

int main()
{
    const std::string fault{Wanted()};
    if (fault == "ends_at_once") return EXIT_SUCCESS;
    if (fault == "hesitates_twice") std::this_thread::sleep_for(std::chrono::milliseconds{200});
    if (fault == "says_nothing") std::this_thread::sleep_for(std::chrono::hours{1});
    if (fault == "other_version") {
        std::vector<uint8_t> greeting(sizeof(DeviceReply));
        for (const char c : std::string_view{"slhgpu 99.0"}) greeting.push_back(static_cast<uint8_t>(c));
        SendBytes(greeting.data(), greeting.size());
        std::this_thread::sleep_for(std::chrono::hours{1});
    }
    if (fault == "says_garbage") SendBytes("hello, world", 12);
    static DeviceServer<FakeGpu> server;
    server.Run();
}
