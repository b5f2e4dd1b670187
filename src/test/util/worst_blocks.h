// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_UTIL_WORST_BLOCKS_H
#define SLHCONSENSUS_TEST_UTIL_WORST_BLOCKS_H

#include <test/util/block_builder.h>
#include <test/util/spends.h>

#include <string_view>
#include <vector>

/** Full blocks, of MAX_BLOCK_WEIGHT or just below: ordinary ones, and the most expensive that the rules allow.
 *  Tests count what they ask of the verifier, the benchmark takes the time. */
namespace slhc::test {

struct WorstBlock {
    std::string_view name; //!< no spaces
    std::string_view what; //!< one line
    BlockWithSpent (*make)(Signer& signer);
    //! Its scripts need SLH-DSA signatures, not just their weight.
    bool has_slhdsa;
};

/** All of them. The first is the one to compare the others with: as many Schnorr key path spends as fit. */
[[nodiscard]] const std::vector<WorstBlock>& WorstBlocks();

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_UTIL_WORST_BLOCKS_H
