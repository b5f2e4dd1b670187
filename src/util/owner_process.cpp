// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <util/owner_process.h>

#include <atomic>

#include <pthread.h>
#include <unistd.h>

namespace slhc {

namespace {

//! How often the processes before this one, back to the first that loaded the library, were forked.
constinit std::atomic<uint32_t> g_generation{0};

// A child that is made by clone() alone runs no such handler; it has the process ID only.
[[maybe_unused]] const int g_registered{pthread_atfork(nullptr, nullptr, [] { g_generation.fetch_add(1, std::memory_order_relaxed); })};

} // namespace

uint32_t ProcessMark() noexcept
{
    constexpr int PID_BITS{22}; // of Linux, at most
    return static_cast<uint32_t>(getpid()) ^ (g_generation.load(std::memory_order_relaxed) << PID_BITS);
}

} // namespace slhc
