// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/core/core_block.h>

#include <primitives/serialize.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace slhc::test {

CoreBlock::CoreBlock(const core_oracle& oracle, const BlockWithSpent& b)
{
    auto spent{b.spent_outputs.begin()};
    for (size_t i = 1; i < b.block.vtx.size(); ++i) {
        const CTransaction& tx{*b.block.vtx[i]};
        std::vector<uint8_t> outputs;
        VectorWriter writer{outputs};
        for (size_t n = 0; n < tx.vin.size(); ++n) Serialize(writer, *spent++);
        const auto raw{SerializeToVector(tx)};
        m_txs.emplace_back(oracle.tx_create(raw.data(), raw.size(), outputs.data(), outputs.size()), CoreTxDeleter{&oracle});
        if (!m_txs.back()) throw std::logic_error{"Bitcoin Core does not take a transaction"};
    }
}

bool CoreBlock::Verify(const core_oracle& oracle, core_oracle_check check) const
{
    return std::ranges::all_of(m_txs, [&](const CoreTx& tx) {
        return oracle.verify_tx(tx.get(), (MANDATORY_SCRIPT_VERIFY_FLAGS & CORE_FLAGS).as_int(), check, nullptr) == 1;
    });
}

} // namespace slhc::test
