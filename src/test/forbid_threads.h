// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_FORBID_THREADS_H
#define SLHCONSENSUS_TEST_FORBID_THREADS_H

#include <test/child_process.h>
#include <test/preconditions.h>

#include <boost/test/unit_test.hpp>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>
#include <thread>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

namespace slhc::test {

/** From now on the system refuses to start threads in this process, as it does at its limits. For good: call it in a child.
 *  @return true if it does */
[[nodiscard]] inline bool ForbidThreads()
{
    constexpr auto ARGUMENT{static_cast<uint32_t>(offsetof(seccomp_data, args))}; // the lower half, on little-endian machines
    // The C library falls back from clone3, whose flags a filter cannot see, to clone.
    const std::array<sock_filter, 8> program{{
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offsetof(seccomp_data, nr))),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 2, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
    }};
    const sock_fprog filter{.len = static_cast<unsigned short>(program.size()), .filter = const_cast<sock_filter*>(program.data())};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) return false;
    try {
        std::thread{[] {}}.join();
        return false;
    } catch (const std::system_error&) {
        return true;
    }
}

/** Precondition of tests in whose child threads are forbidden: qemu gives a program that it emulates no filters for system calls. */
inline boost::test_tools::assertion_result CanForbidThreads(boost::unit_test::test_unit_id id)
{
    if (const auto follows{CanFollowForks(id)}; !follows) return follows;
    static const bool can{InChildProcess([] { return std::string{ForbidThreads() ? "yes" : "no"}; }) == "yes"};
    boost::test_tools::assertion_result result{can};
    result.message() << "a process cannot forbid itself threads here";
    return result;
}

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_FORBID_THREADS_H
