// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <primitives/serialize.h>

namespace slhc {

ParseError::ParseError(std::string_view problem, size_t offset, std::string_view field)
    : std::runtime_error{std::string{problem} + " at byte " + std::to_string(offset) + " (" + std::string{field} + ")"}
    , m_offset{offset}
    , m_field{field}
{
}

void SpanReader::Fail(std::string_view problem, size_t offset, std::string_view field) const
{
    if (!m_item) throw ParseError{problem, offset, field};
    throw ParseError{problem, offset, m_item->Path() + ": " + std::string{field}};
}

std::string SpanReader::Item::Path() const
{
    return (m_outer ? m_outer->Path() + ", " : "") + std::string{m_kind} + " " + std::to_string(m_index);
}

std::span<const uint8_t> SpanReader::ReadBytes(size_t size, std::string_view field)
{
    if (size > Remaining()) {
        Fail("data ends too early, " + std::to_string(size) + " bytes wanted and " + std::to_string(Remaining()) + " left,", m_offset,
             field);
    }
    const auto bytes{m_data.subspan(m_offset, size)};
    m_offset += size;
    return bytes;
}

uint8_t SpanReader::ReadU8(std::string_view field) { return ReadBytes(1, field)[0]; }

uint32_t SpanReader::ReadU32(std::string_view field) { return ReadLE32(ReadBytes(4, field).data()); }

uint64_t SpanReader::ReadU64(std::string_view field) { return ReadLE64(ReadBytes(8, field).data()); }

uint256 SpanReader::ReadUint256(std::string_view field)
{
    return uint256{ReadBytes(uint256::SIZE, field).first<uint256::SIZE>()};
}

uint64_t SpanReader::ReadCompactSize(std::string_view field)
{
    const size_t start{m_offset};
    const uint8_t marker{ReadU8(field)};
    uint64_t size{marker};
    if (marker == 253) {
        const auto bytes{ReadBytes(2, field)};
        size = bytes[0] | uint64_t{bytes[1]} << 8;
    } else if (marker == 254) {
        size = ReadU32(field);
    } else if (marker == 255) {
        size = ReadU64(field);
    }
    if (m_offset - start != GetSizeOfCompactSize(size)) Fail("non-canonical compact size", start, field);
    if (size > MAX_COMPACT_SIZE) Fail("size " + std::to_string(size) + " too large", start, field);
    return size;
}

size_t SpanReader::ReadCount(size_t min_size, std::string_view field)
{
    const size_t start{m_offset};
    const uint64_t count{ReadCompactSize(field)};
    if (count > Remaining() / min_size) {
        Fail("data ends too early, " + std::to_string(count) + " elements announced and " + std::to_string(Remaining()) + " bytes left,",
             start, field);
    }
    return count;
}

std::span<const uint8_t> SpanReader::ReadVarBytes(std::string_view field)
{
    const uint64_t size{ReadCompactSize(field)};
    return ReadBytes(size, field);
}

void SpanReader::ExpectEnd(std::string_view what) const
{
    if (Remaining() > 0) throw ParseError{std::to_string(Remaining()) + " trailing bytes", m_offset, "after the " + std::string{what}};
}

uint256 HashWriter::GetSHA256() noexcept
{
    uint256 hash;
    m_hasher.Finalize(hash.data());
    return hash;
}

uint256 HashWriter::GetHash() noexcept
{
    uint256 hash{GetSHA256()};
    m_hasher.Reset().Write(hash.data(), hash.size()).Finalize(hash.data());
    return hash;
}

} // namespace slhc
