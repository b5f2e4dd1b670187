// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/random_source.h>

#include <atomic>
#include <cstdlib>

namespace {

std::atomic<slhc::test::RandomSource> g_source{nullptr};
std::atomic<uint64_t> g_state{0};

/** Step and output of SplitMix64. */
constexpr uint64_t STEP{0x9e3779b97f4a7c15};
uint64_t Mix(uint64_t state)
{
    state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
    state = (state ^ (state >> 27)) * 0x94d049bb133111eb;
    return state ^ (state >> 31);
}

} // namespace

namespace slhc::test {

uint64_t GlobalSeed()
{
    static const uint64_t seed{[] {
        const char* const text{std::getenv("SLHC_TEST_SEED")};
        return text ? std::strtoull(text, nullptr, 10) : uint64_t{1};
    }()};
    return seed;
}

uint32_t Seed(uint32_t number) { return static_cast<uint32_t>(Mix(GlobalSeed() * STEP + number)); }

void SeedRandomSource(std::string_view name)
{
    uint64_t state{Mix(GlobalSeed())};
    for (const char c : name) state = Mix(state + static_cast<unsigned char>(c));
    g_state = state;
}

void SetRandomSource(RandomSource source) noexcept { g_source = source; }

} // namespace slhc::test

namespace {
ssize_t FromSource(void* buffer, size_t size)
{
    if (const auto source{g_source.load()}) return source(buffer, size);
    for (size_t i{0}; i < size; ++i) static_cast<unsigned char*>(buffer)[i] = static_cast<unsigned char>(Mix(g_state += STEP));
    return static_cast<ssize_t>(size);
}
} // namespace

#ifdef __APPLE__
// The program's own is found before the system's.
extern "C" int getentropy(void* buffer, size_t size) { return FromSource(buffer, size) == static_cast<ssize_t>(size) ? 0 : -1; }
#else
// The linker puts this in front of the system's (--wrap).
extern "C" ssize_t __wrap_getrandom(void* buffer, size_t size, unsigned flags);
extern "C" ssize_t __wrap_getrandom(void* buffer, size_t size, unsigned) { return FromSource(buffer, size); }
#endif
