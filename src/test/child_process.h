// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_CHILD_PROCESS_H
#define SLHCONSENSUS_TEST_CHILD_PROCESS_H

#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace slhc::test {

/** Run f, which returns a line, in a forked child that ends without destructors, exit handlers or a leak check.
 *  @param[in] limit  a child that takes longer hangs, and is killed
 *  @return f's return value or exception; or how the child ended instead */
template <typename F>
[[nodiscard]] std::string InChildProcess(F&& f, std::chrono::milliseconds limit = std::chrono::seconds{60})
{
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) throw std::runtime_error{"pipe"};
    const pid_t child{fork()};
    if (child < 0) throw std::runtime_error{"fork"};
    if (child == 0) {
#ifdef __linux__
        prctl(PR_SET_PDEATHSIG, SIGKILL); // a child that hangs would hold its parent's output open
#endif
        std::string said;
        try {
            said = f();
        } catch (const std::exception& e) {
            said = std::string{"threw: "} + e.what();
        }
        const bool written{write(ends[1], said.data(), said.size()) == static_cast<ssize_t>(said.size())};
        _exit(written ? 0 : 1);
    }
    close(ends[1]);
    std::string said;
    const auto end{std::chrono::steady_clock::now() + limit};
    bool hangs{false};
    while (true) {
        const auto left{std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count()};
        pollfd waited{.fd = ends[0], .events = POLLIN, .revents = 0};
        if (left <= 0 || poll(&waited, 1, static_cast<int>(left)) == 0) {
            hangs = true;
            break;
        }
        std::array<char, 256> buffer{};
        const ssize_t n{read(ends[0], buffer.data(), buffer.size())};
        if (n <= 0) break;
        said.append(buffer.data(), static_cast<size_t>(n));
    }
    close(ends[0]);
    if (hangs) kill(child, SIGKILL);
    int status{0};
    waitpid(child, &status, 0);
    if (hangs) return "hangs";
    if (WIFSIGNALED(status)) return "ended by signal " + std::to_string(WTERMSIG(status));
    if (WEXITSTATUS(status) != 0) return "ended with " + std::to_string(WEXITSTATUS(status));
    return said;
}

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_CHILD_PROCESS_H
