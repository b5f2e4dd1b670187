// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_UTIL_WORST_BLOCK_PARTS_H
#define SLHCONSENSUS_TEST_UTIL_WORST_BLOCK_PARTS_H

#include <script/script.h>
#include <test/util/worst_blocks.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

/** The common parts of worst_blocks_*.cpp; for no other code. */
namespace slhc::test {

using Elements = std::vector<std::vector<uint8_t>>;

template <typename Bytes>
std::vector<uint8_t> ToVector(const Bytes& bytes)
{
    return {bytes.begin(), bytes.end()};
}

[[nodiscard]] Elements EqualElements(size_t n, size_t size);
/** Weight units of elements in a witness, with their lengths. */
[[nodiscard]] int64_t ElementsWeight(const Elements& elements);

[[nodiscard]] CScript Ops(std::initializer_list<opcodetype> opcodes);
void Append(CScript& script, const CScript& more);
void Repeat(CScript& script, int64_t n, const CScript& piece);
/** Append OP_DROPs that take n elements off, two at a time. */
void DropElements(CScript& script, size_t n);
/** Append opcodes that do nothing until the script has so many bytes. */
void Pad(CScript& script, int64_t size);

/** Bytes that an element may have: those of a signature where the rules know it. */
[[nodiscard]] size_t LargestElement(BlockRules rules);
/** A branch that is not taken, with the opcode in it that lets elements of a leaf be that large. */
[[nodiscard]] CScript AllowLargestElement(BlockRules rules);

/** A leaf behind the output type of the rules: P2MR, or P2TR with the leaf one level deeper or alone, so that the control blocks have the
 *  same size. */
[[nodiscard]] LeafSpend MakeLeaf(BlockRules rules, CScript script, size_t depth = 1);

/** A block with one transaction with one input that spends a leaf. */
class OneInputBlock
{
public:
    /** @param[in] output_size  bytes of the script of the transaction's output */
    explicit OneInputBlock(const BlockRequest& request, size_t output_size = 1);

    /** Weight units for the script and the elements, the lengths of the elements among them. */
    [[nodiscard]] int64_t Room() const noexcept { return m_room; }

    using MakeElements = std::function<Elements(const std::function<uint256(uint8_t hash_type, KeyVersion)>& message)>;

    /** @param[in] make_elements  the initial stack; it may ask for the hashes to sign */
    [[nodiscard]] BlockWithSpent Finish(CScript script, const MakeElements& make_elements) &&;

private:
    BlockRequest m_request;
    CMutableTransaction m_tx;
    int64_t m_room;
};

/** A leaf that repeats the same opcodes from its beginning to its end. */
struct Loop {
    Elements elements; //!< the initial stack
    CScript before;
    CScript body;      //!< leaves the stack as high as it was, and its elements as they were or alike
    CScript after{};
    size_t height;     //!< elements on the stack when the loop is over, which are dropped
};
[[nodiscard]] BlockWithSpent MakeLoop(const BlockRequest& request, const Loop& loop);

/** As many copies as fit of a transaction with one input, each spending an output of its own. */
[[nodiscard]] BlockWithSpent FillWithTransactions(const BlockRequest& request, CMutableTransaction tx, const CScript& script_pub_key);
/** One transaction with as many inputs as fit, all alike. */
[[nodiscard]] BlockWithSpent FillWithInputs(const BlockRequest& request, const CTxIn& txin, const CScript& script_pub_key);

// Each adds its blocks, in the order that WorstBlocks() has them.
void AddSignatureBlocks(std::vector<WorstBlock>& blocks);
void AddHashBlocks(std::vector<WorstBlock>& blocks);
void AddScriptBlocks(std::vector<WorstBlock>& blocks);
void AddInputBlocks(std::vector<WorstBlock>& blocks);
void AddBlocksBeforeTaproot(std::vector<WorstBlock>& blocks);

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_UTIL_WORST_BLOCK_PARTS_H
