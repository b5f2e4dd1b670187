// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_CORE_CORE_BLOCK_H
#define SLHCONSENSUS_TEST_CORE_CORE_BLOCK_H

#include <test/core/oracle_loader.h>
#include <test/util/block_builder.h>

#include <vector>

namespace slhc::test {

/** The transactions of a block, without its coinbase, as Bitcoin Core has them. */
class CoreBlock
{
public:
    /** @throws std::logic_error if Core does not take a transaction */
    CoreBlock(const core_oracle& oracle, const BlockWithSpent& b);

    /** True if all scripts succeed by MANDATORY_SCRIPT_VERIFY_FLAGS, as far as Core knows them.
     *  @param[in] check  in the place of libsecp256k1; null: none */
    [[nodiscard]] bool Verify(const core_oracle& oracle, core_oracle_check check = nullptr) const;

private:
    std::vector<CoreTx> m_txs;
};

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_CORE_CORE_BLOCK_H
