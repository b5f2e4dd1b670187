// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/compressions.h>

#include <crypto/ripemd160.h>
#include <crypto/sha1.h>
#include <crypto/sha256.h>

#include <atomic>
#include <cstddef>

namespace {

std::atomic<uint64_t> g_sha256{0};
std::atomic<uint64_t> g_sha1{0};
std::atomic<uint64_t> g_ripemd160{0};

} // namespace

// The names that the linker gives: calls of Transform(...) become calls of __wrap_<its name>, and __real_ is Transform. CMakeLists.txt
// defines SLHC_TRANSFORM_<hash> as its name.
#define COUNT_CALLS(hash) COUNT_CALLS_OF(hash, SLHC_TRANSFORM_##hash)
#define COUNT_CALLS_OF(hash, name) COUNT_CALLS_OF_NAME(hash, name)
#define COUNT_CALLS_OF_NAME(hash, name)                                                                            \
    extern "C" void __real_##name(slhc::hash::State& state, const uint8_t* blocks, size_t n_blocks) noexcept;     \
    extern "C" void __wrap_##name(slhc::hash::State& state, const uint8_t* blocks, size_t n_blocks) noexcept;     \
    extern "C" void __wrap_##name(slhc::hash::State& state, const uint8_t* blocks, size_t n_blocks) noexcept      \
    {                                                                                                              \
        g_##hash.fetch_add(n_blocks, std::memory_order_relaxed);                                                   \
        __real_##name(state, blocks, n_blocks);                                                                    \
    }

COUNT_CALLS(sha256)
COUNT_CALLS(sha1)
COUNT_CALLS(ripemd160)

namespace slhc::test {

Compressions CountedCompressions() noexcept
{
    return {.sha256 = g_sha256.load(), .sha1 = g_sha1.load(), .ripemd160 = g_ripemd160.load()};
}

} // namespace slhc::test
