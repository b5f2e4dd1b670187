// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/random_source.h>

#include <atomic>

namespace {

std::atomic<slhc::test::RandomSource> g_source{nullptr};

} // namespace

namespace slhc::test {

void SetRandomSource(RandomSource source) noexcept { g_source = source; }

} // namespace slhc::test

// The linker puts this in front of the system's (--wrap).
extern "C" ssize_t __real_getrandom(void* buffer, size_t size, unsigned flags);
extern "C" ssize_t __wrap_getrandom(void* buffer, size_t size, unsigned flags);
extern "C" ssize_t __wrap_getrandom(void* buffer, size_t size, unsigned flags)
{
    const auto source{g_source.load()};
    return source ? source(buffer, size) : __real_getrandom(buffer, size, flags);
}
