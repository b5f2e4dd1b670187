// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <crypto/sha256.h>

#include <crypto/cpu_features.h>
#include <crypto/endian.h>
#include <crypto/sha256_constants.h>

#include <atomic>
#include <bit>
#include <utility>

namespace slhc {
namespace sha256 {
namespace {

constexpr uint32_t Ch(uint32_t x, uint32_t y, uint32_t z) { return z ^ (x & (y ^ z)); }
constexpr uint32_t Maj(uint32_t x, uint32_t y, uint32_t z) { return (x & y) | (z & (x | y)); }
constexpr uint32_t Sigma0(uint32_t x) { return std::rotr(x, 2) ^ std::rotr(x, 13) ^ std::rotr(x, 22); }
constexpr uint32_t Sigma1(uint32_t x) { return std::rotr(x, 6) ^ std::rotr(x, 11) ^ std::rotr(x, 25); }
constexpr uint32_t sigma0(uint32_t x) { return std::rotr(x, 7) ^ std::rotr(x, 18) ^ (x >> 3); }
constexpr uint32_t sigma1(uint32_t x) { return std::rotr(x, 17) ^ std::rotr(x, 19) ^ (x >> 10); }

/** The eight working variables, renamed instead of moved: round t has its `a` at v[-t mod 8]. */
template <size_t T>
inline void Round(State& v, uint32_t kw)
{
    constexpr auto at{[](size_t letter) { return (letter + 64 - T) % 8; }};
    uint32_t& d{v[at(3)]};
    uint32_t& h{v[at(7)]};
    const uint32_t t1{h + Sigma1(v[at(4)]) + Ch(v[at(4)], v[at(5)], v[at(6)]) + kw};
    d += t1;
    h = t1 + Sigma0(v[at(0)]) + Maj(v[at(0)], v[at(1)], v[at(2)]);
}

/** Word t + 16 of the message schedule takes the place of word t. */
template <size_t T>
inline void Extend(std::array<uint32_t, 16>& w)
{
    w[T] += sigma1(w[(T + 14) % 16]) + w[(T + 9) % 16] + sigma0(w[(T + 1) % 16]);
}

template <size_t... T>
inline void SixteenRounds(State& v, const std::array<uint32_t, 16>& w, const uint32_t* k, std::index_sequence<T...>)
{
    (Round<T>(v, k[T] + w[T]), ...);
}

template <size_t... T>
inline void ExtendAll(std::array<uint32_t, 16>& w, std::index_sequence<T...>)
{
    (Extend<T>(w), ...);
}

} // namespace

void TransformPortable(State& state, const uint8_t* blocks, size_t n_blocks) noexcept
{
    constexpr std::make_index_sequence<16> all;
    for (; n_blocks > 0; --n_blocks, blocks += 64) {
        std::array<uint32_t, 16> w;
        for (size_t i{0}; i < 16; ++i) {
            w[i] = ReadBE32(blocks + 4 * i);
        }
        State v{state};
        SixteenRounds(v, w, &K[0], all);
        for (size_t t{16}; t < 64; t += 16) {
            ExtendAll(w, all);
            SixteenRounds(v, w, &K[t], all);
        }
        for (size_t i{0}; i < 8; ++i) {
            state[i] += v[i];
        }
    }
}

std::vector<Implementation> AvailableImplementations()
{
    std::vector<Implementation> found;
#ifdef SLHC_ENABLE_X86_SHANI
    if (cpu::Has(cpu::SHA_NI | cpu::SSE41)) found.push_back({"x86_shani", &TransformX86ShaNi});
#endif
    found.push_back({"portable", &TransformPortable});
    return found;
}

bool IsRight(TransformFunction transform) noexcept
{
    std::array<uint8_t, 3 * 64> blocks;
    for (size_t i{0}; i < blocks.size(); ++i) blocks[i] = static_cast<uint8_t>(i * i + 37 * i);
    State expected{INITIAL}, got{INITIAL};
    for (const size_t n_blocks : {size_t{1}, size_t{3}, size_t{0}, size_t{2}}) {
        TransformPortable(expected, blocks.data(), n_blocks);
        transform(got, blocks.data(), n_blocks);
    }
    return got == expected;
}

namespace {

Implementation Best() noexcept
{
#ifdef SLHC_ENABLE_X86_SHANI
    if (cpu::Has(cpu::SHA_NI | cpu::SSE41) && IsRight(&TransformX86ShaNi)) return {"x86_shani", &TransformX86ShaNi};
#endif
    return {"portable", &TransformPortable};
}

void ChooseAndTransform(State& state, const uint8_t* blocks, size_t n_blocks) noexcept;

//! Constant-initialized, so that hashing works in static constructors too; the first use replaces it.
std::atomic<TransformFunction> g_transform{&ChooseAndTransform};

void ChooseAndTransform(State& state, const uint8_t* blocks, size_t n_blocks) noexcept
{
    SelectImplementation();
    Transform(state, blocks, n_blocks);
}

} // namespace

std::string_view SelectImplementation() noexcept
{
    const Implementation best{Best()};
    g_transform.store(best.transform, std::memory_order_relaxed);
    return best.name;
}

void Transform(State& state, const uint8_t* blocks, size_t n_blocks) noexcept
{
    g_transform.load(std::memory_order_relaxed)(state, blocks, n_blocks);
}

} // namespace sha256

void CSHA256::WriteLength(uint8_t* end, uint64_t n_bits) noexcept { WriteBE64(end - 8, n_bits); }

void CSHA256::WriteState(const sha256::State& state, uint8_t* out) noexcept
{
    for (size_t i{0}; i < state.size(); ++i) {
        WriteBE32(out + 4 * i, state[i]);
    }
}

} // namespace slhc
