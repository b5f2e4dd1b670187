// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/core/core_block.h>

#include <primitives/serialize.h>
#include <test/core/spend.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

namespace slhc::test {

CoreBlock::CoreBlock(const core_oracle& oracle, const BlockWithSpent& b)
{
    ForEachSpender(b, [&](const CTransaction& tx, std::span<const CTxOut> spent) {
        std::vector<uint8_t> outputs;
        VectorWriter writer{outputs};
        for (const CTxOut& output : spent) Serialize(writer, output);
        const auto raw{SerializeToVector(tx)};
        m_txs.emplace_back(oracle.tx_create(raw.data(), raw.size(), outputs.data(), outputs.size()), CoreTxDeleter{&oracle});
        if (!m_txs.back()) throw std::logic_error{"Bitcoin Core does not take a transaction"};
    });
}

bool CoreBlock::Verify(const core_oracle& oracle, core_oracle_check check) const
{
    return std::ranges::all_of(m_txs, [&](const CoreTx& tx) {
        return oracle.verify_tx(tx.get(), (MANDATORY_SCRIPT_VERIFY_FLAGS & CORE_FLAGS).as_int(), check, nullptr) == 1;
    });
}

} // namespace slhc::test
