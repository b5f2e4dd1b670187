// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/process_id.h>

#include <atomic>

namespace {

std::atomic<pid_t> g_id{0};

} // namespace

namespace slhc::test {

void SetProcessId(pid_t id) noexcept { g_id = id; }

} // namespace slhc::test

// The linker puts this in front of the system's (--wrap).
extern "C" pid_t __real_getpid();
extern "C" pid_t __wrap_getpid();
extern "C" pid_t __wrap_getpid()
{
    const pid_t id{g_id.load()};
    return id != 0 ? id : __real_getpid();
}
