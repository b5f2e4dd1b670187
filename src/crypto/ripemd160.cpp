// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <crypto/ripemd160.h>

#include <crypto/endian.h>

#include <bit>
#include <utility>

namespace slhc {
namespace ripemd160 {
namespace {

/** One of the two lines of eighty steps that run side by side over a block. */
struct Line {
    std::array<uint8_t, 80> word;     //!< which message word each step adds
    std::array<uint8_t, 80> rotation; //!< by how many bits each step rotates
    std::array<uint32_t, 5> constant; //!< added in each sixteen steps
    std::array<uint8_t, 5> function;  //!< which Boolean function each sixteen steps use
};

constexpr Line LEFT{
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
     7, 4, 13, 1, 10, 6, 15, 3, 12, 0, 9, 5, 2, 14, 11, 8,
     3, 10, 14, 4, 9, 15, 8, 1, 2, 7, 0, 6, 13, 11, 5, 12,
     1, 9, 11, 10, 0, 8, 12, 4, 13, 3, 7, 15, 14, 5, 6, 2,
     4, 0, 5, 9, 7, 12, 2, 10, 14, 1, 3, 8, 11, 6, 15, 13},
    {11, 14, 15, 12, 5, 8, 7, 9, 11, 13, 14, 15, 6, 7, 9, 8,
     7, 6, 8, 13, 11, 9, 7, 15, 7, 12, 15, 9, 11, 7, 13, 12,
     11, 13, 6, 7, 14, 9, 13, 15, 14, 8, 13, 6, 5, 12, 7, 5,
     11, 12, 14, 15, 14, 15, 9, 8, 9, 14, 5, 6, 8, 6, 5, 12,
     9, 15, 5, 11, 6, 8, 13, 12, 5, 12, 13, 14, 11, 8, 5, 6},
    {0x00000000, 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xa953fd4e},
    {1, 2, 3, 4, 5},
};

constexpr Line RIGHT{
    {5, 14, 7, 0, 9, 2, 11, 4, 13, 6, 15, 8, 1, 10, 3, 12,
     6, 11, 3, 7, 0, 13, 5, 10, 14, 15, 8, 12, 4, 9, 1, 2,
     15, 5, 1, 3, 7, 14, 6, 9, 11, 8, 12, 2, 10, 0, 4, 13,
     8, 6, 4, 1, 3, 11, 15, 0, 5, 12, 2, 13, 9, 7, 10, 14,
     12, 15, 10, 4, 1, 5, 8, 7, 6, 2, 13, 14, 0, 3, 9, 11},
    {8, 9, 9, 11, 13, 15, 15, 5, 7, 7, 8, 11, 14, 14, 12, 6,
     9, 13, 15, 7, 12, 8, 9, 11, 7, 7, 12, 7, 6, 15, 13, 11,
     9, 7, 15, 11, 8, 6, 6, 14, 12, 13, 5, 14, 13, 13, 7, 5,
     15, 5, 8, 11, 14, 14, 6, 14, 6, 9, 12, 9, 12, 5, 15, 8,
     8, 5, 12, 9, 12, 5, 14, 6, 8, 13, 6, 5, 15, 13, 11, 11},
    {0x50a28be6, 0x5c4dd124, 0x6d703ef3, 0x7a6d76e9, 0x00000000},
    {5, 4, 3, 2, 1},
};

/** The part of a step's Boolean function f(x, y, z) that is known without x, and the rest, which is added to it: f4, where
 *  z chooses x or y, is x & z added to y & ~z. The step before has just computed x, and the time of a block is that of the operations
 *  between one x and the next. */
template <int FUNCTION>
constexpr uint32_t MixWithoutX(uint32_t y, uint32_t z)
{
    return FUNCTION == 4 ? y & ~z : 0;
}

template <int FUNCTION>
constexpr uint32_t MixWithX(uint32_t x, uint32_t y, uint32_t z)
{
    if constexpr (FUNCTION == 1) return x ^ (y ^ z);
    if constexpr (FUNCTION == 2) return z ^ (x & (y ^ z)); // x chooses y or z
    if constexpr (FUNCTION == 3) return (x | ~y) ^ z;
    if constexpr (FUNCTION == 4) return x & z;
    if constexpr (FUNCTION == 5) return x ^ (y | ~z);
}

/** Have the sum so far computed as it stands: compilers move terms, the constant above all, behind those that wait for x. */
inline void AddedUp(uint32_t& sum) { __asm__("" : "+r"(sum)); }

/** Step T of a line. The five working variables are renamed instead of moved: step T has its `a` at v[-T mod 5]. */
template <const Line& LINE, size_t T>
inline void Step(State& v, const uint8_t* block)
{
    constexpr auto at{[](size_t letter) { return (letter + 80 - T) % 5; }};
    constexpr size_t sixteen{T / 16};
    constexpr int function{LINE.function[sixteen]};
    uint32_t& a{v[at(0)]};
    const uint32_t b{v[at(1)]};
    uint32_t& c{v[at(2)]};
    const uint32_t d{v[at(3)]};
    const uint32_t e{v[at(4)]};
    uint32_t sum{a + ReadLE32(block + 4 * LINE.word[T]) + LINE.constant[sixteen] + MixWithoutX<function>(c, d)};
    AddedUp(sum);
    sum += MixWithX<function>(b, c, d);
    a = std::rotl(sum, LINE.rotation[T]) + e;
    c = std::rotl(c, 10);
}

/** Both lines, a step of one and a step of the other: neither waits for the other, so a processor runs them at once. */
template <size_t... T>
inline void EightySteps(State& left, State& right, const uint8_t* block, std::index_sequence<T...>)
{
    ((Step<LEFT, T>(left, block), Step<RIGHT, T>(right, block)), ...);
}

/** Not inlined into the loop over blocks, whose variables would take registers that the steps need. */
[[gnu::noinline]] void TransformBlock(State& state, const uint8_t* block) noexcept
{
    State left{state};
    State right{state};
    EightySteps(left, right, block, std::make_index_sequence<80>{});
    const State before{state};
    for (size_t i{0}; i < 5; ++i) {
        state[i] = before[(i + 1) % 5] + left[(i + 2) % 5] + right[(i + 3) % 5];
    }
}

} // namespace

void Transform(State& state, const uint8_t* blocks, size_t n_blocks) noexcept
{
    for (; n_blocks > 0; --n_blocks, blocks += 64) TransformBlock(state, blocks);
}

} // namespace ripemd160

void CRIPEMD160::WriteLength(uint8_t* end, uint64_t n_bits) noexcept { WriteLE64(end - 8, n_bits); }

void CRIPEMD160::WriteState(const ripemd160::State& state, uint8_t* out) noexcept
{
    for (size_t i{0}; i < state.size(); ++i) {
        WriteLE32(out + 4 * i, state[i]);
    }
}

} // namespace slhc
