// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_ALLOCATIONS_H
#define SLHCONSENSUS_TEST_ALLOCATIONS_H

#include <cstddef>

/** Control over the test program's operator new and delete (allocations.cpp). */
namespace slhc::test {

/** From now on every operator new in the calling thread throws std::bad_alloc, until it ends or AllowAllocations(). */
void ForbidAllocations() noexcept;
void AllowAllocations() noexcept;

/** Let `count` calls of operator new in the calling thread succeed, and then forbid them. */
void ForbidAllocationsAfter(size_t count) noexcept;
/** True if one failed since then in the calling thread. */
[[nodiscard]] bool HasAllocationFailed() noexcept;

/** The call of operator new after `count` others, in any thread, throws std::bad_alloc; those after it succeed. */
void FailOneAllocationAfter(size_t count) noexcept;
/** End what FailOneAllocationAfter() began. @return true if one has failed */
bool StopFailingAllocations() noexcept;

/** The bytes that the calling thread has requested from operator new since the program began. */
[[nodiscard]] size_t AllocatedBytes() noexcept;

/** Called with each block that operator delete gets, in any thread, before it is freed; null: nothing is called. */
using OnFree = void (*)(const void* block, size_t size);
void SetOnFree(OnFree on_free) noexcept;

/** The most bytes that a call has from operator new at any time, in all threads, beyond those at its beginning. */
template <typename F>
size_t MostBytes(F&& call);

/** For MostBytes: the bytes that operator new gave and operator delete did not get back, and the most of them so far. */
[[nodiscard]] size_t BytesInUse() noexcept;
[[nodiscard]] size_t MostBytesInUse() noexcept;
/** Reset the most to the bytes in use now. */
void ResetMostBytesInUse() noexcept;

template <typename F>
size_t MostBytes(F&& call)
{
    const size_t before{BytesInUse()};
    ResetMostBytesInUse();
    call();
    return MostBytesInUse() - before;
}

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_ALLOCATIONS_H
