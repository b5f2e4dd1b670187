// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_BENCH_BLOCK_FILE_H
#define SLHCONSENSUS_BENCH_BLOCK_FILE_H

#include <slhconsensus.h>
#include <test/util/block_builder.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

/** Files of blocks with the outputs that they spend: a node's block and undo files in one.
 *
 *  A file begins with the 8 bytes "SLHCBLK1". Then, for each block (numbers have 4 bytes, the lowest first):
 *
 *      size of the block
 *      size of all that follows the block
 *      the block, serialized with witnesses
 *      for each output that it spends, in its order: size of the output, the serialized CTxOut */
namespace slhc::bench {

class BlockFileWriter
{
public:
    /** @throws std::runtime_error if the file cannot be made */
    explicit BlockFileWriter(const std::string& path);

    void Add(const test::BlockWithSpent& block);

    /** Write what is left. @throws std::runtime_error if something could not be written */
    void Close();

private:
    std::string m_path;
    std::ofstream m_file;
};

class BlockFileReader
{
public:
    /** A block as the C API takes it. */
    struct Block {
        std::vector<uint8_t> raw;
        std::vector<uint8_t> outputs;     //!< with their sizes, as in the file
        std::vector<slhc_bytes> spent;    //!< views of these
        [[nodiscard]] slhc_bytes Raw() const { return {raw.data(), raw.size()}; }
    };

    /** @throws std::runtime_error if it is not such a file, or holds no block */
    explicit BlockFileReader(const std::string& path);

    /** Read the next block; the first follows the last. The memory that `block` has is used again.
     *  @throws std::runtime_error if the file ends within the block, or its sizes contradict each other */
    void Next(Block& block);

    /** Begin with the first block again. */
    void Rewind();

    [[nodiscard]] size_t CountBlocks();

private:
    [[noreturn]] void Fail(const std::string& what) const;
    [[nodiscard]] uint32_t ReadNumber();
    void ReadBytes(std::vector<uint8_t>& bytes, size_t size);
    [[nodiscard]] bool AtEnd();

    std::string m_path;
    std::ifstream m_file;
    uint64_t m_size;
    size_t m_index{0}; //!< of the next block
};

} // namespace slhc::bench

#endif // SLHCONSENSUS_BENCH_BLOCK_FILE_H
