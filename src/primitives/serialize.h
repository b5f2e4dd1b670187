// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PRIMITIVES_SERIALIZE_H
#define SLHCONSENSUS_PRIMITIVES_SERIALIZE_H

#include <crypto/endian.h>
#include <crypto/sha256.h>
#include <primitives/uint256.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/** Bitcoin's wire format, both ways. Data is written to anything with a write(span) method. It is read from memory with every bound
 *  checked, and errors name the place. */
namespace slhc {

/** The largest number of bytes or elements that a compact size may announce. */
inline constexpr uint64_t MAX_COMPACT_SIZE{0x02000000};

/** Serialized data that cannot be read. what() is one line: what is wrong, the byte, and the field there, e.g.
 *  "non-canonical compact size at byte 41 (input count)". */
class ParseError : public std::runtime_error
{
public:
    ParseError(std::string_view problem, size_t offset, std::string_view field);

    [[nodiscard]] size_t Offset() const noexcept { return m_offset; }
    [[nodiscard]] const std::string& Field() const noexcept { return m_field; }

private:
    size_t m_offset;
    std::string m_field;
};

/** Reads from memory that it doesn't own. Every method throws ParseError rather than read beyond the end. The
 *  name of the field is for the error alone. */
class SpanReader
{
public:
    explicit SpanReader(std::span<const uint8_t> data) noexcept : m_data{data} {}

    [[nodiscard]] uint8_t ReadU8(std::string_view field);
    [[nodiscard]] uint32_t ReadU32(std::string_view field);
    [[nodiscard]] uint64_t ReadU64(std::string_view field);
    [[nodiscard]] uint256 ReadUint256(std::string_view field);

    /** A compact size in its shortest form and at most MAX_COMPACT_SIZE. */
    [[nodiscard]] uint64_t ReadCompactSize(std::string_view field);

    /** The number of elements that follow, each of at least min_size bytes, and no more than fit: so memory is allocated in proportion to
     *  the input, whatever the input says. */
    [[nodiscard]] size_t ReadCount(size_t min_size, std::string_view field);

    /** The next size bytes; valid as long as the reader's memory. */
    [[nodiscard]] std::span<const uint8_t> ReadBytes(size_t size, std::string_view field);

    /** A compact size and that many bytes. */
    [[nodiscard]] std::span<const uint8_t> ReadVarBytes(std::string_view field);

    /** As long as it lives, errors say which element of a list is being read: "transaction 2, input 3: scriptSig". */
    class Item
    {
    public:
        Item(SpanReader& reader, std::string_view kind, size_t index) noexcept
            : m_reader{reader}, m_outer{reader.m_item}, m_kind{kind}, m_index{index} { reader.m_item = this; }
        ~Item() { m_reader.m_item = m_outer; }
        Item(const Item&) = delete;
        Item& operator=(const Item&) = delete;

        [[nodiscard]] std::string Path() const;

    private:
        SpanReader& m_reader;
        const Item* const m_outer;
        const std::string_view m_kind;
        const size_t m_index;
    };

    [[nodiscard]] size_t Offset() const noexcept { return m_offset; }
    [[nodiscard]] size_t Remaining() const noexcept { return m_data.size() - m_offset; }

    /** @throws ParseError if anything is left to read */
    void ExpectEnd(std::string_view what) const;

    [[noreturn]] void Fail(std::string_view problem, size_t offset, std::string_view field) const;

private:
    std::span<const uint8_t> m_data;
    size_t m_offset{0};
    const Item* m_item{nullptr};
};

/** A destination of serialized bytes. */
template <typename S>
concept ByteSink = requires(S& sink, std::span<const uint8_t> bytes) { sink.write(bytes); };

/** Appends to a vector that it doesn't own. */
class VectorWriter
{
public:
    explicit VectorWriter(std::vector<uint8_t>& out) noexcept : m_out{out} {}
    void write(std::span<const uint8_t> bytes) { m_out.insert(m_out.end(), bytes.begin(), bytes.end()); }

private:
    std::vector<uint8_t>& m_out;
};

/** Counts, and keeps nothing. */
class SizeComputer
{
public:
    void write(std::span<const uint8_t> bytes) noexcept { m_size += bytes.size(); }
    [[nodiscard]] size_t Size() const noexcept { return m_size; }

private:
    size_t m_size{0};
};

/** Hashes what is written. A copy continues from where the original stands. */
class HashWriter
{
public:
    HashWriter() = default;
    explicit HashWriter(const CSHA256& midstate) noexcept : m_hasher{midstate} {}

    void write(std::span<const uint8_t> bytes) noexcept { m_hasher.Write(bytes.data(), bytes.size()); }

    /** SHA-256 of everything written; ends this object's use. */
    [[nodiscard]] uint256 GetSHA256() noexcept;
    /** SHA-256 of the SHA-256 of everything written; ends this object's use. */
    [[nodiscard]] uint256 GetHash() noexcept;

private:
    CSHA256 m_hasher;
};

template <ByteSink S>
void WriteU8(S& sink, uint8_t value)
{
    sink.write(std::span{&value, 1});
}

template <ByteSink S>
void WriteU32(S& sink, uint32_t value)
{
    std::array<uint8_t, 4> bytes;
    WriteLE32(bytes.data(), value);
    sink.write(bytes);
}

template <ByteSink S>
void WriteU64(S& sink, uint64_t value)
{
    std::array<uint8_t, 8> bytes;
    WriteLE64(bytes.data(), value);
    sink.write(bytes);
}

/** The shortest of the four forms: one byte below 253, else a marker and 2, 4 or 8 bytes. */
template <ByteSink S>
void WriteCompactSize(S& sink, uint64_t size)
{
    std::array<uint8_t, 9> bytes;
    WriteLE64(bytes.data() + 1, size);
    if (size < 253) {
        WriteU8(sink, static_cast<uint8_t>(size));
    } else if (size <= 0xffff) {
        bytes[0] = 253;
        sink.write(std::span{bytes}.first(3));
    } else if (size <= 0xffffffff) {
        bytes[0] = 254;
        sink.write(std::span{bytes}.first(5));
    } else {
        bytes[0] = 255;
        sink.write(bytes);
    }
}

/** The number of bytes that WriteCompactSize writes. */
[[nodiscard]] constexpr size_t GetSizeOfCompactSize(uint64_t size) noexcept
{
    return size < 253 ? 1 : size <= 0xffff ? 3 : size <= 0xffffffff ? 5 : 9;
}

/** A compact size and the bytes. */
template <ByteSink S>
void WriteVarBytes(S& sink, std::span<const uint8_t> bytes)
{
    WriteCompactSize(sink, bytes.size());
    sink.write(bytes);
}

} // namespace slhc

#endif // SLHCONSENSUS_PRIMITIVES_SERIALIZE_H
