// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/vulkan/loader_use.h>

#include <util/owner_process.h>

#include <atomic>
#include <cstdint>

namespace slhc::slhdsa::vulkan {

namespace {

//! How many threads are loading or unloading drivers, and in its upper half the process they are in.
constinit std::atomic<uint64_t> s_loader_uses{0};
constexpr uint64_t PROCESS_MASK{0xffffffff00000000};

} // namespace

LoaderUse::~LoaderUse()
{
    if (m_begun) s_loader_uses.fetch_sub(1);
}

bool LoaderUse::Begin() noexcept
{
    const uint64_t own{uint64_t{ProcessMark()} << 32};
    uint64_t seen{s_loader_uses}, next{0};
    do {
        const bool here{(seen & PROCESS_MASK) == own};
        if (!here && (seen & ~PROCESS_MASK) != 0) return false;
        next = (here ? seen : own) + 1;
    } while (!s_loader_uses.compare_exchange_weak(seen, next));
    return m_begun = true;
}

} // namespace slhc::slhdsa::vulkan
