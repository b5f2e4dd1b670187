// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <bench/block_file.h>

#include <primitives/serialize.h>
#include <primitives/transaction.h>

#include <array>
#include <limits>
#include <span>
#include <stdexcept>
#include <string_view>

namespace slhc::bench {

namespace {

constexpr std::string_view MAGIC{"SLHCBLK1"};
constexpr size_t NUMBER_SIZE{4};

void WriteBytes(std::ofstream& file, std::span<const uint8_t> bytes)
{
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

uint32_t ReadU32(std::span<const uint8_t, NUMBER_SIZE> bytes)
{
    return bytes[0] | uint32_t{bytes[1]} << 8 | uint32_t{bytes[2]} << 16 | uint32_t{bytes[3]} << 24;
}

} // namespace

BlockFileWriter::BlockFileWriter(const std::string& path) : m_path{path}, m_file{path, std::ios::binary | std::ios::trunc}
{
    m_file << MAGIC;
    if (!m_file) throw std::runtime_error{m_path + ": cannot be written"};
}

void BlockFileWriter::Add(const test::BlockWithSpent& block)
{
    const auto raw{SerializeToVector(block.block)};
    std::vector<uint8_t> outputs;
    VectorWriter writer{outputs};
    for (const CTxOut& output : block.spent_outputs) {
        WriteU32(writer, static_cast<uint32_t>(GetSerializeSize(output)));
        Serialize(writer, output);
    }
    if (outputs.size() > std::numeric_limits<uint32_t>::max()) {
        throw std::runtime_error{m_path + ": a block spends too much for this format"};
    }
    std::vector<uint8_t> sizes;
    VectorWriter sizes_writer{sizes};
    WriteU32(sizes_writer, static_cast<uint32_t>(raw.size()));
    WriteU32(sizes_writer, static_cast<uint32_t>(outputs.size()));
    for (const auto& part : {sizes, raw, outputs}) WriteBytes(m_file, part);
}

void BlockFileWriter::Close()
{
    m_file.close();
    if (!m_file) throw std::runtime_error{m_path + ": could not be written to its end"};
}

BlockFileReader::BlockFileReader(const std::string& path) : m_path{path}, m_file{path, std::ios::binary | std::ios::ate}
{
    if (!m_file) throw std::runtime_error{m_path + ": cannot be read"};
    m_size = static_cast<uint64_t>(m_file.tellg());
    m_file.seekg(0);
    std::array<char, MAGIC.size()> magic{};
    m_file.read(magic.data(), magic.size());
    if (!m_file || std::string_view{magic.data(), magic.size()} != MAGIC) throw std::runtime_error{m_path + ": not a file of blocks"};
    if (AtEnd()) throw std::runtime_error{m_path + ": holds no block"};
}

void BlockFileReader::Fail(const std::string& what) const
{
    throw std::runtime_error{m_path + ": block " + std::to_string(m_index) + ": " + what};
}

bool BlockFileReader::AtEnd() { return static_cast<uint64_t>(m_file.tellg()) == m_size; }

void BlockFileReader::ReadBytes(std::vector<uint8_t>& bytes, size_t size)
{
    if (m_size - static_cast<uint64_t>(m_file.tellg()) < size) Fail("the file ends within it");
    bytes.resize(size);
    m_file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
    if (!m_file) Fail("cannot be read");
}

uint32_t BlockFileReader::ReadNumber()
{
    std::vector<uint8_t> bytes;
    ReadBytes(bytes, NUMBER_SIZE);
    return ReadU32(std::span<const uint8_t>{bytes}.first<NUMBER_SIZE>());
}

void BlockFileReader::Next(Block& block)
{
    if (AtEnd()) Rewind();
    const size_t raw_size{ReadNumber()}, outputs_size{ReadNumber()};
    ReadBytes(block.raw, raw_size);
    ReadBytes(block.outputs, outputs_size);
    block.spent.clear();
    for (std::span<const uint8_t> rest{block.outputs}; !rest.empty();) {
        if (rest.size() < NUMBER_SIZE) Fail("the sizes of spent outputs do not add up");
        const size_t size{ReadU32(rest.first<NUMBER_SIZE>())};
        rest = rest.subspan(NUMBER_SIZE);
        if (rest.size() < size) Fail("the sizes of spent outputs do not add up");
        block.spent.push_back({rest.data(), size});
        rest = rest.subspan(size);
    }
    ++m_index;
}

void BlockFileReader::Rewind()
{
    m_file.seekg(static_cast<std::streamoff>(MAGIC.size()));
    m_index = 0;
}

size_t BlockFileReader::CountBlocks()
{
    Rewind();
    Block block;
    do {
        Next(block);
    } while (!AtEnd());
    const size_t count{m_index};
    Rewind();
    return count;
}

} // namespace slhc::bench
