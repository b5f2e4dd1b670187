// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/device/device_process.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace slhc::slhdsa {

const std::string_view DEVICE_GREETING{"slhgpu " SLHC_VERSION ", messages 1"};

namespace {

using Clock = std::chrono::steady_clock;

/** How soon a request to stop is noticed. */
constexpr std::chrono::milliseconds LOOK{20};

std::string ErrorText(int error) { return std::generic_category().message(error); }

/** The file that this code was loaded from: the shared library, or the program that contains it. Empty if that cannot be told. */
std::string OwnFile()
{
    std::ifstream maps{"/proc/self/maps"};
    const auto here{reinterpret_cast<uintptr_t>(&OwnFile)};
    for (std::string line; std::getline(maps, line);) {
        uintptr_t begin{0}, end{0};
        if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR, &begin, &end) != 2 || here < begin || here >= end) continue;
        const size_t path{line.find('/')};
        return path == std::string::npos ? std::string{} : line.substr(path);
    }
    return {};
}

/** A socket's two ends, which other programs that this process starts do not get. */
std::array<int, 2> MakeSocketPair()
{
    std::array<int, 2> ends;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) throw DeviceError{"no socket: " + ErrorText(errno)};
    return ends;
}

/** Start a program with the socket as DEVICE_SOCKET.
 *  @return 0, or the error */
int Spawn(const std::string& program, int socket, pid_t& id)
{
    std::string name{program}; // first, since it may throw
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    // What a driver prints goes where this process's errors go.
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, socket, DEVICE_SOCKET);
    // A group of its own: Ctrl-C at a terminal is for this process, which then ends the other one.
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes, 0);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    std::array<char*, 2> arguments{name.data(), nullptr};
    const int error{posix_spawn(&id, program.c_str(), &actions, &attributes, arguments.data(), environ)};
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

} // namespace

std::string FindDeviceProgram(const std::string& named)
{
    if (!named.empty()) return named;
    const std::string own{OwnFile()};
    if (own.empty()) throw NoDevices{"there is no program slhgpu: without /proc, its folder is not known"};
    const std::string folder{own.substr(0, own.rfind('/') + 1)};
    for (const char* const place : {"", "../libexec/", "../../libexec/"}) {
        const std::string path{folder + place + "slhgpu"};
        if (access(path.c_str(), F_OK) == 0) return path;
    }
    throw NoDevices{"there is no program slhgpu: looked for " + folder + "slhgpu, and in ../libexec and ../../libexec from there"};
}

DeviceProcess::DeviceProcess(const std::string& program, std::stop_token stop, std::chrono::nanoseconds limit)
    : m_program{program}, m_stop{std::move(stop)}
{
    const auto [own, other]{MakeSocketPair()};
    m_socket = own;
    const int error{Spawn(program, other, m_id)};
    if (error != 0) m_id = 0;
    (void)close(other);
    try {
        if (error != 0) throw DeviceError{"cannot start " + program + ": " + ErrorText(error)};
        std::string greeting;
        (void)Expect(DeviceReply::Kind::GREETING, greeting, limit);
        if (greeting != DEVICE_GREETING) {
            throw DeviceError{program + " is '" + greeting.substr(0, 40) + "', but this library needs '" + std::string{DEVICE_GREETING} +
                              "'"};
        }
    } catch (...) {
        End();
        throw;
    }
}

DeviceProcess::~DeviceProcess() { End(); }

/** Kill the process, if there is one, and wait for its end. */
void DeviceProcess::End() noexcept
{
    (void)close(m_socket);
    if (m_id == 0) return;
    Kill();
    // It ends at once where there is a processor for it. If the kernel is busy in its name, init inherits it one day.
    const auto end{Clock::now() + std::chrono::seconds{20}};
    std::chrono::microseconds pause{50};
    while (waitpid(m_id, nullptr, WNOHANG) == 0 && Clock::now() < end) {
        std::this_thread::sleep_for(pause);
        pause = std::min<std::chrono::microseconds>(2 * pause, LOOK);
    }
}

void DeviceProcess::Kill() noexcept { (void)kill(m_id, SIGKILL); }

LinkStatus DeviceProcess::Send(const DeviceRequest& request, std::string_view text, int fd) noexcept
{
    DeviceRequest head{request};
    std::array<iovec, 2> parts{iovec{&head, sizeof(head)}, iovec{const_cast<char*>(text.data()), text.size()}};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(fd))> control{};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    if (fd >= 0) {
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        cmsghdr* const rights{CMSG_FIRSTHDR(&message)};
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(sizeof(fd));
        std::memcpy(CMSG_DATA(rights), &fd, sizeof(fd));
    }
    const ssize_t size{sendmsg(m_socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT)};
    if (size == static_cast<ssize_t>(sizeof(head) + text.size())) return LinkStatus::OK;
    return size < 0 && (errno == EPIPE || errno == ECONNRESET) ? LinkStatus::LOST : LinkStatus::ERROR;
}

LinkStatus DeviceProcess::Read(DeviceReply& reply, std::string& text) noexcept
{
    std::array<char, sizeof(DeviceReply) + MAX_MESSAGE_TEXT> message;
    const ssize_t size{recv(m_socket, message.data(), message.size(), MSG_DONTWAIT | MSG_TRUNC)};
    if (size == 0 || (size < 0 && errno == ECONNRESET)) return LinkStatus::LOST;
    if (size < static_cast<ssize_t>(sizeof(reply)) || size > static_cast<ssize_t>(message.size())) return LinkStatus::ERROR;
    std::memcpy(&reply, message.data(), sizeof(reply));
    if (reply.status < LinkStatus::OK || reply.status > LinkStatus::ERROR) return LinkStatus::ERROR;
    try {
        text.assign(message.data() + sizeof(reply), static_cast<size_t>(size) - sizeof(reply));
    } catch (const std::exception&) {
        return LinkStatus::OUT_OF_MEMORY;
    }
    for (char& c : text) {
        if (c != '\n' && c != '\t' && !std::isprint(static_cast<unsigned char>(c))) c = '?';
    }
    return LinkStatus::OK;
}

LinkStatus DeviceProcess::Receive(DeviceReply& reply, std::string& text, std::chrono::nanoseconds limit) noexcept
{
    const std::chrono::nanoseconds look{std::clamp<std::chrono::nanoseconds>(limit / 10, std::chrono::nanoseconds{1}, LOOK)};
    for (std::chrono::nanoseconds left{limit};;) {
        pollfd poll_for{.fd = m_socket, .events = POLLIN, .revents = 0};
        const timespec time{.tv_sec = 0, .tv_nsec = look.count()};
        const auto begin{Clock::now()};
        if (ppoll(&poll_for, 1, &time, nullptr) > 0) {
            const LinkStatus status{Read(reply, text)};
            if (status != LinkStatus::OK || reply.kind != DeviceReply::Kind::SAYS) return status;
            if (!on_validation_message) return LinkStatus::ERROR;
            on_validation_message(text);
            continue;
        }
        if (m_stop.stop_requested()) return LinkStatus::INTERRUPTED;
        left -= std::min<std::chrono::nanoseconds>(Clock::now() - begin, look);
        if (left <= std::chrono::nanoseconds::zero()) return LinkStatus::LATE;
    }
}

DeviceReply DeviceProcess::Expect(DeviceReply::Kind kind, std::string& text, std::chrono::nanoseconds limit)
{
    DeviceReply reply;
    LinkStatus status{Receive(reply, text, limit)};
    if (status == LinkStatus::OK && reply.kind != kind) status = LinkStatus::ERROR;
    switch (status) {
    case LinkStatus::OK: return reply;
    case LinkStatus::LATE: throw DeviceError{m_program + " does not answer"};
    case LinkStatus::LOST: throw DeviceError{m_program + " has ended"};
    case LinkStatus::INTERRUPTED: throw DeviceError{"no longer needed"};
    default: throw DeviceError{m_program + " says something that this library does not understand"};
    }
}

DeviceReply DeviceProcess::Ask(const DeviceRequest& request, DeviceReply::Kind kind, std::string& text, std::chrono::nanoseconds limit,
                               std::string_view request_text, int fd)
{
    if (Send(request, request_text, fd) != LinkStatus::OK) throw DeviceError{m_program + " has ended"};
    return Expect(kind, text, limit);
}

} // namespace slhc::slhdsa
