// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_UTIL_WORST_BLOCKS_H
#define SLHCONSENSUS_TEST_UTIL_WORST_BLOCKS_H

#include <consensus/consensus.h>
#include <test/util/block_builder.h>
#include <test/util/spends.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/** Blocks that are expensive to verify: ordinary full ones, and the most expensive that anyone could think of. Tests
 *  count what verification does for them; benchmarks take the time, also beside Bitcoin Core's interpreter. */
namespace slhc::test {

/** The rules that a block makes use of. */
enum class BlockRules {
    TODAY,  //!< Bitcoin Core's: P2TR where there is a leaf, elements of up to 520 bytes, and in the place of an SLH-DSA
            //!< signature whatever else the same bytes buy
    MODULE, //!< SCRIPT_VERIFY_P2MR and SCRIPT_VERIFY_SLHDSA as well
};

struct BlockRequest {
    Signer& signer;
    BlockRules rules{BlockRules::MODULE};
    int64_t weight{MAX_BLOCK_WEIGHT}; //!< what the block may have
};

struct WorstBlock {
    std::string name; //!< no spaces
    std::string what; //!< one line
    std::function<BlockWithSpent(const BlockRequest&)> make;
    //! The weight for measurements: full, unless that would take minutes, for Bitcoin Core too.
    int64_t weight{MAX_BLOCK_WEIGHT};
    //! The least weight with which it still has its property; also for tests that count costs that grow with the weight.
    int64_t least_weight{12'000};
    //! Its scripts need SLH-DSA signatures, not just their weight (BlockRules::MODULE).
    bool has_slhdsa{false};
};

/** All of them. The first is an ordinary block to compare the others with: as many Schnorr key path spends as fit. */
[[nodiscard]] const std::vector<WorstBlock>& WorstBlocks();

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_UTIL_WORST_BLOCKS_H
