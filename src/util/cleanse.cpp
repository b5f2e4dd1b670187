// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <util/cleanse.h>

#include <array>
#include <cstdint>
#include <cstring>

namespace slhc {

void memory_cleanse(void* data, size_t size) noexcept
{
    if (size == 0) return;
    std::memset(data, 0, size);
    // An empty statement that might read the memory: the compiler has to believe that the zeros matter.
    __asm__ __volatile__("" : : "r"(data) : "memory");
}

__attribute__((noinline)) void CleanseAfterCalls() noexcept
{
    std::array<uint8_t, 32 * 1024> frame;
    memory_cleanse(frame.data(), frame.size());
}

} // namespace slhc
