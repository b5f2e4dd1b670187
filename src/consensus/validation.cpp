// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <consensus/validation.h>

#include <consensus/consensus.h>
#include <primitives/transaction.h>

#include <algorithm>
#include <array>

namespace slhc {

std::string ValidationState::ToString() const
{
    if (IsValid()) return "valid";
    return m_detail.empty() ? m_reject_reason : m_reject_reason + ": " + m_detail;
}

int64_t GetBlockWeight(const CBlock& block)
{
    return static_cast<int64_t>(GetSerializeSize(block, TxFormat::WITHOUT_WITNESS)) * (WITNESS_SCALE_FACTOR - 1) +
           static_cast<int64_t>(GetSerializeSize(block, TxFormat::WITH_WITNESS));
}

std::optional<size_t> GetWitnessCommitmentIndex(const CBlock& block)
{
    static constexpr std::array<uint8_t, WITNESS_COMMITMENT_OFFSET> PREFIX{OP_RETURN, 0x24, 0xaa, 0x21, 0xa9, 0xed};
    if (block.vtx.empty()) return std::nullopt;
    const auto& vout{block.vtx[0]->vout};
    for (size_t i = vout.size(); i-- > 0;) {
        const CScript& script{vout[i].scriptPubKey};
        if (script.size() >= MINIMUM_WITNESS_COMMITMENT && std::equal(PREFIX.begin(), PREFIX.end(), script.begin())) return i;
    }
    return std::nullopt;
}

} // namespace slhc
