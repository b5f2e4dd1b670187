// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_CORE_CHOICES_H
#define SLHCONSENSUS_TEST_CORE_CHOICES_H

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <span>
#include <vector>

namespace slhc::test {

/** The source of a test case generator's decisions: a seed, or the bytes of a fuzzer. Generators must end whatever the answers are, also if
 *  all of them are zero. */
class Choices
{
public:
    virtual ~Choices() = default;

    /** A number of n_bytes bytes, 1 to 8. */
    virtual uint64_t Take(unsigned n_bytes) = 0;

    /** 0 <= result < bound. @pre bound > 0 */
    uint64_t Below(uint64_t bound)
    {
        if (bound == 1) return 0;
        const unsigned n_bytes{bound <= 0x100 ? 1U : bound <= 0x10000 ? 2U : bound <= 0x100000000 ? 4U : 8U};
        return Take(n_bytes) % bound;
    }
    /** low <= result <= high. */
    int64_t Between(int64_t low, int64_t high) { return low + static_cast<int64_t>(Below(static_cast<uint64_t>(high - low) + 1)); }
    /** True once in n. Zeros mean no, so that an empty input makes something plain. */
    bool OneIn(uint64_t n) { return Below(n) == n - 1; }
    bool Bool() { return Below(2) != 0; }

    std::vector<uint8_t> Bytes(size_t n)
    {
        std::vector<uint8_t> bytes(n);
        for (size_t i{0}; i < n; i += 8) {
            const unsigned part{static_cast<unsigned>(std::min<size_t>(8, n - i))};
            const uint64_t value{Take(part)};
            for (unsigned j{0}; j < part; ++j) bytes[i + j] = static_cast<uint8_t>(value >> (8 * j));
        }
        return bytes;
    }

    template <typename T>
    T Pick(std::initializer_list<T> values) { return values.begin()[Below(values.size())]; }
    template <typename Range>
    const auto& PickFrom(const Range& range) { return std::begin(range)[static_cast<std::ptrdiff_t>(Below(std::size(range)))]; }

    /** A size that is often where a limit is. */
    size_t SomeSize(std::initializer_list<size_t> edges, size_t max)
    {
        return OneIn(3) ? Pick(edges) : static_cast<size_t>(Below(OneIn(4) ? max + 1 : std::min<size_t>(max, 40) + 1));
    }
};

/** Choices that a seed determines (xoshiro256**, seeded through SplitMix64). */
class SeededChoices final : public Choices
{
    std::array<uint64_t, 4> m_state;

public:
    explicit SeededChoices(uint64_t seed)
    {
        for (uint64_t& word : m_state) {
            seed += 0x9e3779b97f4a7c15;
            uint64_t z{seed};
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
            z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
            word = z ^ (z >> 31);
        }
    }

    uint64_t Take(unsigned n_bytes) override
    {
        const uint64_t result{std::rotl(m_state[1] * 5, 7) * 9};
        const uint64_t t{m_state[1] << 17};
        m_state[2] ^= m_state[0];
        m_state[3] ^= m_state[1];
        m_state[1] ^= m_state[2];
        m_state[0] ^= m_state[3];
        m_state[2] ^= t;
        m_state[3] = std::rotl(m_state[3], 45);
        return result >> (64 - 8 * n_bytes);
    }
};

/** Choices that a fuzzer makes; zeros once its bytes are used up. */
class FuzzedChoices final : public Choices
{
    std::span<const uint8_t> m_left;

public:
    explicit FuzzedChoices(std::span<const uint8_t> bytes) : m_left{bytes} {}

    uint64_t Take(unsigned n_bytes) override
    {
        uint64_t value{0};
        const size_t n{std::min<size_t>(n_bytes, m_left.size())};
        for (size_t i{0}; i < n; ++i) value |= uint64_t{m_left[i]} << (8 * i);
        m_left = m_left.subspan(n);
        return value;
    }

    [[nodiscard]] bool Empty() const { return m_left.empty(); }
    [[nodiscard]] std::span<const uint8_t> Left() const { return m_left; }
};

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_CORE_CHOICES_H
