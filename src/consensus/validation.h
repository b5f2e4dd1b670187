// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_CONSENSUS_VALIDATION_H
#define SLHCONSENSUS_CONSENSUS_VALIDATION_H

#include <primitives/block.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace slhc {

/** The verdict of a check that can fail for many reasons: valid until Invalid() is called. */
class ValidationState
{
public:
    /** Record why it is invalid; the first reason stays.
     *  @param[in] reject_reason  Bitcoin Core's short name of the reason, e.g. "bad-txnmrklroot"
     *  @param[in] detail         what and where, for people
     *  @return false, so that a check can end with `return state.Invalid(...)` */
    bool Invalid(std::string reject_reason, std::string detail = {})
    {
        if (IsValid()) {
            m_reject_reason = std::move(reject_reason);
            m_detail = std::move(detail);
        }
        return false;
    }

    [[nodiscard]] bool IsValid() const noexcept { return m_reject_reason.empty(); }
    /** Empty if valid. */
    [[nodiscard]] const std::string& GetRejectReason() const noexcept { return m_reject_reason; }
    /** May be empty. */
    [[nodiscard]] const std::string& GetDetail() const noexcept { return m_detail; }
    /** One line: "valid", or the reason and the detail. */
    [[nodiscard]] std::string ToString() const;

private:
    std::string m_reject_reason;
    std::string m_detail;
};

/** The meaning of a block's rejection for its header: Bitcoin Core's results of these names. */
enum class BlockValidationResult {
    UNSET,     //!< not rejected
    CONSENSUS, //!< every block with this header is invalid
    MUTATED,   //!< the transactions or witnesses may not be those that the header commits to: the block with this header
               //!< may be valid, and its header must not be marked as invalid
};

/** The verdict on a block. Every reason comes with its meaning for the header. */
class BlockValidationState : public ValidationState
{
public:
    /** Like ValidationState::Invalid. */
    bool Invalid(BlockValidationResult result, std::string reject_reason, std::string detail = {})
    {
        if (IsValid()) m_result = result;
        return ValidationState::Invalid(std::move(reject_reason), std::move(detail));
    }

    [[nodiscard]] BlockValidationResult GetResult() const noexcept { return m_result; }

private:
    BlockValidationResult m_result{BlockValidationResult::UNSET};
};

/** Weight units (BIP 141): three times the size without witnesses plus the size with them. */
[[nodiscard]] int64_t GetBlockWeight(const CBlock& block);

/** The coinbase output that commits to the witnesses (BIP 141): the last whose script begins with OP_RETURN, a
 *  push of 36 bytes and the four bytes aa21a9ed. Nothing if there is none, or no transaction. */
[[nodiscard]] std::optional<size_t> GetWitnessCommitmentIndex(const CBlock& block);

/** In that script, the 32 bytes of the commitment begin here; a shorter script commits to nothing. */
inline constexpr size_t WITNESS_COMMITMENT_OFFSET{6};
inline constexpr size_t MINIMUM_WITNESS_COMMITMENT{WITNESS_COMMITMENT_OFFSET + 32};

} // namespace slhc

#endif // SLHCONSENSUS_CONSENSUS_VALIDATION_H
