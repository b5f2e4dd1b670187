// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <wallet/descriptor_checksum.h>

#include <util/check.h>

#include <array>
#include <cstdint>

namespace slhc::wallet {
namespace {

//! Three groups of 32: a character stands for its place in its group, and three characters share a symbol that names their groups.
constexpr std::string_view INPUT_CHARSET{"0123456789()[],'/*abcdefgh@:$%{}"
                                         "IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~"
                                         "ijklmnopqrstuvwxyzABCDEFGH`#\"\\ "};
constexpr std::string_view CHECKSUM_CHARSET{"qpzry9x8gf2tvdw0s3jn54khce6mua7l"};
constexpr std::array<uint64_t, 5> GENERATOR{0xf5dee51989, 0xa9fdca3312, 0x1bab10e32d, 0x3706b1677a, 0x644d626ffd};
constexpr int SYMBOL_BITS{5};
constexpr int CHARACTERS_PER_GROUP_SYMBOL{3};
constexpr unsigned GROUPS{3};

/** The remainder of a polynomial over GF(32), eight symbols. */
class PolyMod
{
public:
    void Add(uint64_t symbol)
    {
        constexpr int TOP_SHIFT{SYMBOL_BITS * (DESCRIPTOR_CHECKSUM_SIZE - 1)};
        const uint64_t top{m_remainder >> TOP_SHIFT};
        m_remainder = (m_remainder & ((uint64_t{1} << TOP_SHIFT) - 1)) << SYMBOL_BITS ^ symbol;
        for (size_t i = 0; i < GENERATOR.size(); ++i) {
            if ((top >> i & 1) != 0) m_remainder ^= GENERATOR[i];
        }
    }
    [[nodiscard]] uint64_t Remainder() const { return m_remainder; }

private:
    uint64_t m_remainder{1};
};

} // namespace

size_t FindInvalidDescriptorCharacter(std::string_view descriptor) noexcept
{
    return descriptor.find_first_not_of(INPUT_CHARSET);
}

std::string DescriptorChecksum(std::string_view descriptor)
{
    PolyMod poly;
    uint64_t groups{0};
    int in_group{0};
    for (const char c : descriptor) {
        const size_t value{INPUT_CHARSET.find(c)};
        assert(value != INPUT_CHARSET.npos);
        poly.Add(value % (1u << SYMBOL_BITS));
        groups = groups * GROUPS + (value >> SYMBOL_BITS);
        if (++in_group == CHARACTERS_PER_GROUP_SYMBOL) {
            poly.Add(groups);
            groups = 0;
            in_group = 0;
        }
    }
    if (in_group > 0) poly.Add(groups);
    for (size_t i = 0; i < DESCRIPTOR_CHECKSUM_SIZE; ++i) poly.Add(0);

    const uint64_t checksum{poly.Remainder() ^ 1};
    std::string text;
    for (size_t i = DESCRIPTOR_CHECKSUM_SIZE; i-- > 0;) text += CHECKSUM_CHARSET[checksum >> SYMBOL_BITS * i & 31];
    return text;
}

std::string_view WithoutDescriptorChecksum(std::string_view text)
{
    if (const size_t invalid{FindInvalidDescriptorCharacter(text)}; invalid != text.npos) {
        throw DescriptorError{invalid, "a character that no descriptor has"};
    }
    const size_t hash{text.find('#')};
    const std::string_view payload{text.substr(0, hash)};
    if (hash == text.npos) return payload;
    const std::string_view checksum{text.substr(hash + 1)};
    if (const size_t second{checksum.find('#')}; second != checksum.npos) throw DescriptorError{hash + 1 + second, "a second '#'"};
    if (checksum.size() != DESCRIPTOR_CHECKSUM_SIZE) {
        throw DescriptorError{hash + 1, "a checksum of " + std::to_string(checksum.size()) + " characters, not " +
                                            std::to_string(DESCRIPTOR_CHECKSUM_SIZE)};
    }
    if (const std::string expected{DescriptorChecksum(payload)}; checksum != expected) {
        throw DescriptorError{hash + 1, "the checksum is '" + std::string{checksum} + "', but that of the text before it is '" + expected +
                                            "': one of the two was changed"};
    }
    return payload;
}

} // namespace slhc::wallet
