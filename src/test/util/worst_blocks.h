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

/** Which rules a block makes use of. */
enum class BlockRules {
    TODAY,  //!< what Bitcoin Core judges: P2TR where there is a leaf, elements of up to 520 bytes, and for what an SLH-DSA
            //!< signature costs whatever else the same bytes buy
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
    //! What to measure it with: full, unless that would take minutes, for Bitcoin Core too.
    int64_t weight{MAX_BLOCK_WEIGHT};
    //! What it fits in, and is still what it says; also for tests that count what grows with the weight.
    int64_t least_weight{12'000};
    //! Its scripts need SLH-DSA signatures, not just their weight (BlockRules::MODULE).
    bool has_slhdsa{false};
};

/** All of them. The first is an ordinary block to compare the others with: as many Schnorr key path spends as fit. */
[[nodiscard]] const std::vector<WorstBlock>& WorstBlocks();

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_UTIL_WORST_BLOCKS_H
