// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_VULKAN_DEVICE_SERVER_H
#define SLHCONSENSUS_PQC_VULKAN_DEVICE_SERVER_H

#include <pqc/device/device_choice.h>
#include <pqc/device/protocol.h>

#include <array>
#include <climits>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

namespace slhc::slhdsa {

/** The program's side of the conversation.
 *  @tparam Gpu  vulkan::Gpu, or a test's stand-in for it */
template <typename Gpu>
class DeviceServer
{
public:
    /** Serve the library until it closes its end of the socket or its process ends: then this one ends, whatever the driver is doing. */
    [[noreturn]] void Run()
    {
        // Other descriptors of the process that started this one, e.g. a port that it listens on, must not stay open when that one ends.
        (void)close_range(DEVICE_PARENT + 1, UINT_MAX, 0);
        Send({.kind = DeviceReply::Kind::GREETING}, DEVICE_GREETING);
        try {
            std::thread{[this] { Serve(); }}.detach();
            std::thread{[this] { Collect(); }}.detach();
        } catch (const std::exception&) {
            _exit(EXIT_FAILURE); // no threads here
        }
        for (;;) {
            std::array<pollfd, 2> ends{pollfd{.fd = DEVICE_SOCKET, .events = POLLRDHUP, .revents = 0},
                                       pollfd{.fd = DEVICE_PARENT, .events = POLLIN, .revents = 0}};
            if (poll(ends.data(), ends.size(), -1) > 0) _exit(EXIT_SUCCESS);
        }
    }

private:
    struct Received {
        DeviceRequest request;
        std::string text;
        int fd{-1};
    };

    static void Send(const DeviceReply& reply, std::string_view text = {})
    {
        DeviceReply head{reply};
        text = text.substr(0, MAX_MESSAGE_TEXT);
        std::array<iovec, 2> parts{iovec{&head, sizeof(head)}, iovec{const_cast<char*>(text.data()), text.size()}};
        msghdr message{};
        message.msg_iov = parts.data();
        message.msg_iovlen = parts.size();
        (void)sendmsg(DEVICE_SOCKET, &message, MSG_NOSIGNAL);
    }

    /** @throws std::runtime_error if the library is gone, or says something else than a request */
    static Received Receive()
    {
        Received received;
        std::array<char, MAX_MESSAGE_TEXT> text;
        std::array<iovec, 2> parts{iovec{&received.request, sizeof(received.request)}, iovec{text.data(), text.size()}};
        alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control;
        msghdr message{};
        message.msg_iov = parts.data();
        message.msg_iovlen = parts.size();
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        const ssize_t size{recvmsg(DEVICE_SOCKET, &message, MSG_CMSG_CLOEXEC)};
        if (size < static_cast<ssize_t>(sizeof(received.request))) throw std::runtime_error{"the library is gone"};
        received.text.assign(text.data(), static_cast<size_t>(size) - sizeof(received.request));
        const cmsghdr* const rights{CMSG_FIRSTHDR(&message)};
        if (rights && rights->cmsg_type == SCM_RIGHTS) std::memcpy(&received.fd, CMSG_DATA(rights), sizeof(received.fd));
        return received;
    }

    /** Do something, and say how it went. */
    template <typename Call>
    static void Answer(const DeviceReply& to_fill, Call&& call)
    {
        DeviceReply reply{to_fill};
        std::string text;
        const auto fail{[&](LinkStatus status, bool is_fault) { // whatever the call has done to the reply (gcc 12 builds a result in it)
            reply = to_fill;
            reply.status = status;
            reply.is_fault = is_fault;
        }};
        try {
            call(reply, text);
        } catch (const NoDevices& e) {
            fail(LinkStatus::ERROR, false);
            text = e.what();
        } catch (const std::bad_alloc&) {
            fail(LinkStatus::OUT_OF_MEMORY, false);
            text = "out of memory";
        } catch (const std::exception& e) {
            fail(Gpu::StatusOf(e), true);
            text = e.what();
        }
        Send(reply, text);
    }

    void Serve()
    {
        try {
            for (;;) Handle(Receive());
        } catch (const std::exception&) {
            _exit(EXIT_FAILURE);
        }
    }

    void Handle(const Received& received)
    {
        using Kind = DeviceRequest::Kind;
        using Reply = DeviceReply::Kind;
        const DeviceRequest& request{received.request};
        switch (request.kind) {
        case Kind::LIST:
            Answer({.kind = Reply::DEVICES}, [&](DeviceReply&, std::string& text) {
                typename Gpu::OnMessage on_message;
                if (request.flags & DeviceRequest::VALIDATE) {
                    on_message = [](const std::string& message) { Send({.kind = Reply::SAYS}, message); };
                }
                text = FormatDevices(m_gpu.List(on_message));
            });
            break;
        case Kind::OPEN:
            Answer({.kind = Reply::OPENED}, [&](DeviceReply& reply, std::string&) {
                reply = m_gpu.Open(request.index, request.flags, request.count, received.text);
                m_size = reply.slots * SlotLayout{reply.capacity}.stride;
            });
            break;
        case Kind::MEMORY:
            Answer({.kind = Reply::PREPARED}, [&](DeviceReply& reply, std::string&) {
                void* const memory{mmap(nullptr, m_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, received.fd, 0)};
                if (memory == MAP_FAILED) throw std::bad_alloc{};
                m_gpu.UseMemory(static_cast<uint8_t*>(memory));
                reply = m_gpu.Prepare(ParameterSet::SHA2_128S);
            });
            break;
        case Kind::PREPARE: {
            const auto prepare{[this, set = request.set] {
                Answer({.kind = Reply::PREPARED}, [&](DeviceReply& reply, std::string&) { reply = m_gpu.Prepare(set); });
            }};
            std::thread{prepare}.detach(); // compiling takes long, and other sets go on
            break;
        }
        case Kind::SUBMIT:
            try {
                m_gpu.Submit(request.index, request.set, request.count);
                const std::lock_guard lock{m_mutex};
                m_at_work.push_back(request.index);
                m_changed.notify_one();
            } catch (const std::exception&) {
                Answer({.kind = Reply::DONE, .slot = request.index}, [](DeviceReply&, std::string&) { throw; });
            }
            break;
        case Kind::FORGET_CACHE: m_gpu.ForgetCache(); break;
        }
    }

    /** Wait for the slots that are at work, in their order. */
    void Collect()
    {
        for (;;) {
            std::unique_lock lock{m_mutex};
            m_changed.wait(lock, [this] { return !m_at_work.empty(); });
            const uint32_t slot{m_at_work.front()};
            m_at_work.pop_front();
            lock.unlock();
            Answer({.kind = DeviceReply::Kind::DONE, .slot = slot}, [&](DeviceReply&, std::string&) { m_gpu.Collect(slot); });
        }
    }

    Gpu m_gpu;
    size_t m_size{0}; //!< of the shared memory
    std::mutex m_mutex; //!< guards what follows
    std::condition_variable m_changed;
    std::deque<uint32_t> m_at_work;
};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_VULKAN_DEVICE_SERVER_H
