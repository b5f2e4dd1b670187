// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/allocations.h>

#include <test/sanitizer.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>

#ifdef __APPLE__
#include <malloc/malloc.h>
#else
#include <malloc.h>
#endif

namespace {

constexpr size_t NO_LIMIT{std::numeric_limits<size_t>::max()};

thread_local size_t g_allowed{NO_LIMIT};
thread_local bool g_failed{false};
thread_local size_t g_allocated_bytes{0};
/** The number of allocations, in any thread, that succeed before the one that fails; below zero: it has failed, or none does. */
constexpr int64_t NONE_FAILS{std::numeric_limits<int64_t>::min() / 2};
std::atomic<int64_t> g_until_failure{NONE_FAILS};
std::atomic<slhc::test::OnFree> g_on_free{nullptr};
std::atomic<size_t> g_bytes{0};
std::atomic<size_t> g_most_bytes{0};

} // namespace

namespace slhc::test {

void ForbidAllocations() noexcept { g_allowed = 0; }
void AllowAllocations() noexcept { g_allowed = NO_LIMIT; }
void ForbidAllocationsAfter(size_t count) noexcept
{
    g_allowed = count;
    g_failed = false;
}
bool HasAllocationFailed() noexcept { return g_failed; }
void FailOneAllocationAfter(size_t count) noexcept { g_until_failure = static_cast<int64_t>(count); }
bool StopFailingAllocations() noexcept
{
    const int64_t left{g_until_failure.exchange(NONE_FAILS)};
    return left < 0;
}
size_t AllocatedBytes() noexcept { return g_allocated_bytes; }
void SetOnFree(OnFree on_free) noexcept { g_on_free = on_free; }
size_t BytesInUse() noexcept { return g_bytes; }
size_t MostBytesInUse() noexcept { return g_most_bytes; }
void ResetMostBytesInUse() noexcept { g_most_bytes = g_bytes.load(); }

} // namespace slhc::test

#if !SLHC_THREAD_SANITIZER // whose own operators cannot be replaced: test/sanitizer.h

namespace {

size_t UsableSize(void* block)
{
#ifdef __APPLE__
    return malloc_size(block);
#else
    return malloc_usable_size(block);
#endif
}

void* Allocate(size_t size, size_t alignment)
{
    if (g_allowed != NO_LIMIT) {
        if (g_allowed == 0) {
            g_failed = true;
            throw std::bad_alloc{};
        }
        --g_allowed;
    }
    if (g_until_failure.load(std::memory_order_relaxed) != NONE_FAILS && g_until_failure.fetch_sub(1) == 0) throw std::bad_alloc{};
    g_allocated_bytes += size;
    // aligned_alloc takes multiples of the alignment alone.
    void* const block{alignment <= alignof(std::max_align_t)
                          ? std::malloc(size == 0 ? 1 : size)
                          : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment)};
    if (block == nullptr) throw std::bad_alloc{};
    const size_t usable{UsableSize(block)};
    const size_t bytes{g_bytes.fetch_add(usable) + usable};
    for (size_t most{g_most_bytes}; bytes > most && !g_most_bytes.compare_exchange_weak(most, bytes);) {}
    return block;
}

void Free(void* block) noexcept
{
    if (block == nullptr) return;
    const size_t usable{UsableSize(block)};
    if (const auto on_free{g_on_free.load()}) on_free(block, usable);
    g_bytes -= usable;
    std::free(block);
}

void* TryAllocate(size_t size, size_t alignment) noexcept
{
    try {
        return Allocate(size, alignment);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

} // namespace

// The array forms of the standard library call these, but not those of the address sanitizer, which finds it out if a block
// of its own is freed here.
void* operator new(size_t size, const std::nothrow_t&) noexcept { return TryAllocate(size, alignof(std::max_align_t)); }
void* operator new[](size_t size) { return Allocate(size, alignof(std::max_align_t)); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return TryAllocate(size, alignof(std::max_align_t)); }
void operator delete[](void* block) noexcept { Free(block); }
void operator delete[](void* block, size_t) noexcept { Free(block); }
void* operator new(size_t size) { return Allocate(size, alignof(std::max_align_t)); }
void* operator new(size_t size, std::align_val_t alignment) { return Allocate(size, static_cast<size_t>(alignment)); }
void operator delete(void* block) noexcept { Free(block); }
void operator delete(void* block, size_t) noexcept { Free(block); }
void operator delete(void* block, std::align_val_t) noexcept { Free(block); }
void operator delete(void* block, size_t, std::align_val_t) noexcept { Free(block); }

#endif // !SLHC_THREAD_SANITIZER
