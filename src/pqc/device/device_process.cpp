// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/device/device_process.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace slhc::slhdsa {

const std::string_view DEVICE_GREETING{"slhgpu " SLHC_VERSION ", messages 2"};

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
std::array<Descriptor, 2> MakeSocketPair()
{
    std::array<int, 2> ends;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) throw DeviceError{"no socket: " + ErrorText(errno)};
    return {Descriptor{ends[0]}, Descriptor{ends[1]}};
}

/** A descriptor of a process, which stays that process's when its number is another's (Linux 5.4 for all that follows). */
Descriptor OpenProcess(pid_t id) { return Descriptor{static_cast<int>(syscall(SYS_pidfd_open, id, 0))}; }

/** The same for a child of this process. None if it has ended and somebody else has waited for it: its number may be another's then.
 *  @param[out] error  0, or why it cannot be told */
Descriptor OpenChild(pid_t id, int& error)
{
    Descriptor child{OpenProcess(id)};
    siginfo_t info;
    const bool is_ours{child && waitid(P_PIDFD, static_cast<id_t>(child.Get()), &info, WEXITED | WNOHANG | WNOWAIT) == 0};
    error = is_ours || errno == ECHILD || errno == ESRCH ? 0 : errno;
    return is_ours ? std::move(child) : Descriptor{};
}

/** A copy that no descriptor of the new program replaces. */
Descriptor AboveDevice(const Descriptor& fd) { return Descriptor{fcntl(fd.Get(), F_DUPFD_CLOEXEC, DEVICE_PARENT + 1)}; }

/** Start a program with the socket as DEVICE_SOCKET and the parent's process as DEVICE_PARENT.
 *  @return 0, or the error */
int Spawn(const std::string& program, const Descriptor& socket_end, const Descriptor& this_process, pid_t& id)
{
    const Descriptor socket{AboveDevice(socket_end)}, parent{AboveDevice(this_process)};
    if (!socket || !parent) return errno;
    std::string name{program}; // first, since it may throw
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    // What a driver prints goes where this process's errors go.
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, socket.Get(), DEVICE_SOCKET);
    posix_spawn_file_actions_adddup2(&actions, parent.Get(), DEVICE_PARENT);
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

/** Why a program that nobody has named is not started; null: it is. */
const char* WhyNotToStart(const std::string& folder, const std::string& path)
{
    for (const std::string& checked : {folder, path}) {
        struct stat info;
        const bool is_known{stat(checked.c_str(), &info) == 0 && (info.st_uid == geteuid() || info.st_uid == 0)};
        // With a umask of 002, where each user but root has a group of the same number.
        const bool is_own_group{info.st_uid != 0 && info.st_uid == geteuid() && info.st_gid == getegid() && info.st_gid == info.st_uid};
        const auto others{static_cast<mode_t>(is_own_group ? S_IWOTH : S_IWOTH | S_IWGRP)};
        if (!is_known || (info.st_mode & others) != 0) return "is not used, since somebody else may change it";
    }
    return access(path.c_str(), X_OK) == 0 ? nullptr : "is not used, since it may not be executed";
}

} // namespace

std::string FindDeviceProgram(const std::string& named)
{
    if (!named.empty()) return named;
    const std::string own{OwnFile()};
    if (own.empty()) throw NoDevices{"there is no program slhgpu: without /proc, its folder is not known"};
    const std::string folder{own.substr(0, own.rfind('/') + 1)};
    std::string refused;
    for (const std::string& place : {folder, folder + "../libexec/", folder + "../../libexec/", std::string{SLHC_LIBEXECDIR "/"}}) {
        const std::string path{place + "slhgpu"};
        if (access(path.c_str(), F_OK) != 0) continue;
        const char* const why_not{WhyNotToStart(place, path)};
        if (!why_not) return path;
        if (refused.empty()) refused = "; " + path + " " + why_not;
    }
    throw NoDevices{"there is no program slhgpu: looked for " + folder + "slhgpu, in ../libexec and ../../libexec from there, and in " +
                    SLHC_LIBEXECDIR + refused};
}

DeviceProcess::DeviceProcess(const std::string& program, std::stop_token stop, std::chrono::nanoseconds& left)
    : m_program{program}, m_stop{std::move(stop)}
{
    const auto check{[&](int error) {
        if (error != 0) throw DeviceError{"cannot start " + program + ": " + ErrorText(error)};
    }};
    const Descriptor parent{OpenProcess(getpid())};
    check(parent ? 0 : errno); // nor can the child be watched, then
    {
        auto [own, other]{MakeSocketPair()};
        m_socket = std::move(own);
        check(Spawn(program, other, parent, m_id));
    }
    int error{0};
    m_process = OpenChild(m_id, error);
    check(error);
    try {
        std::string greeting;
        (void)Expect(DeviceReply::Kind::GREETING, greeting, left);
        if (greeting != DEVICE_GREETING) {
            throw DeviceError{program + " is '" + OneLine(greeting.substr(0, 40)) + "', but this library needs '" +
                              std::string{DEVICE_GREETING} + "'"};
        }
    } catch (...) {
        End();
        throw;
    }
}

DeviceProcess::~DeviceProcess() { End(); }

/** Kill the process and wait for its end. */
void DeviceProcess::End() noexcept
{
    m_socket = {};
    Kill();
    if (!m_process) return;
    // It ends at once where there is a processor for it. If the kernel is busy in its name, init inherits it one day.
    pollfd process{.fd = m_process.Get(), .events = POLLIN, .revents = 0};
    const auto end{Clock::now() + std::chrono::seconds{20}};
    while (poll(&process, 1, LOOK.count()) <= 0 && Clock::now() < end) {
    }
    siginfo_t info;
    (void)waitid(P_PIDFD, static_cast<id_t>(m_process.Get()), &info, WEXITED | WNOHANG); // fails where somebody else has waited
}

void DeviceProcess::Kill() noexcept
{
    if (m_process) (void)syscall(SYS_pidfd_send_signal, m_process.Get(), SIGKILL, nullptr, 0);
}

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
    const ssize_t size{sendmsg(m_socket.Get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT)};
    if (size == static_cast<ssize_t>(sizeof(head) + text.size())) return LinkStatus::OK;
    return size < 0 && (errno == EPIPE || errno == ECONNRESET) ? LinkStatus::LOST : LinkStatus::ERROR;
}

LinkStatus DeviceProcess::Read(DeviceReply& reply, std::string& text) noexcept
{
    std::array<char, sizeof(DeviceReply) + MAX_MESSAGE_TEXT> message;
    const ssize_t size{recv(m_socket.Get(), message.data(), message.size(), MSG_DONTWAIT | MSG_TRUNC)};
    if (size == 0 || (size < 0 && errno == ECONNRESET)) return LinkStatus::LOST;
    if (size < static_cast<ssize_t>(sizeof(reply)) || size > static_cast<ssize_t>(message.size())) return LinkStatus::ERROR;
    std::memcpy(&reply, message.data(), sizeof(reply));
    if (reply.status < LinkStatus::OK || reply.status > LinkStatus::ERROR) return LinkStatus::ERROR;
    try {
        text.assign(message.data() + sizeof(reply), static_cast<size_t>(size) - sizeof(reply));
    } catch (const std::exception&) {
        return LinkStatus::OUT_OF_MEMORY;
    }
    return LinkStatus::OK;
}

LinkStatus DeviceProcess::Receive(DeviceReply& reply, std::string& text, std::chrono::nanoseconds& left) noexcept
{
    const std::chrono::nanoseconds look{std::clamp<std::chrono::nanoseconds>(left / 10, std::chrono::nanoseconds{1}, LOOK)};
    for (;;) {
        pollfd poll_for{.fd = m_socket.Get(), .events = POLLIN, .revents = 0};
        const timespec time{.tv_sec = 0, .tv_nsec = look.count()};
        const auto begin{Clock::now()};
        const bool said{ppoll(&poll_for, 1, &time, nullptr) > 0};
        left -= std::min<std::chrono::nanoseconds>(Clock::now() - begin, look);
        if (said) {
            const LinkStatus status{Read(reply, text)};
            if (status != LinkStatus::OK || reply.kind != DeviceReply::Kind::SAYS) return status;
            if (!on_validation_message) return LinkStatus::ERROR;
            on_validation_message(text);
            continue;
        }
        if (m_stop.stop_requested()) return LinkStatus::INTERRUPTED;
        if (left <= std::chrono::nanoseconds::zero()) return LinkStatus::LATE;
    }
}

DeviceReply DeviceProcess::Expect(DeviceReply::Kind kind, std::string& text, std::chrono::nanoseconds& left)
{
    DeviceReply reply;
    LinkStatus status{Receive(reply, text, left)};
    if (status == LinkStatus::OK && reply.kind != kind) status = LinkStatus::ERROR;
    switch (status) {
    case LinkStatus::OK: return reply;
    case LinkStatus::LATE: throw DeviceError{m_program + " does not answer"};
    case LinkStatus::LOST: throw DeviceError{m_program + " has ended"};
    case LinkStatus::INTERRUPTED: throw DeviceError{"no longer needed"};
    default: throw DeviceError{m_program + " says something that this library does not understand"};
    }
}

DeviceReply DeviceProcess::Ask(const DeviceRequest& request, DeviceReply::Kind kind, std::string& text, std::chrono::nanoseconds& left,
                               std::string_view request_text, int fd)
{
    if (Send(request, request_text, fd) != LinkStatus::OK) throw DeviceError{m_program + " has ended"};
    return Expect(kind, text, left);
}

} // namespace slhc::slhdsa
