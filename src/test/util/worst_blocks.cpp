// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/util/worst_blocks.h>

#include <test/util/worst_block_parts.h>

namespace slhc::test {

const std::vector<WorstBlock>& WorstBlocks()
{
    static const auto all{[] {
        std::vector<WorstBlock> blocks;
        AddSignatureBlocks(blocks);
        AddHashBlocks(blocks);
        AddScriptBlocks(blocks);
        AddInputBlocks(blocks);
        AddBlocksBeforeTaproot(blocks);
        return blocks;
    }()};
    return all;
}

} // namespace slhc::test
