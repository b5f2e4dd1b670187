// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_WALLET_LOCK_TIME_H
#define SLHCONSENSUS_WALLET_LOCK_TIME_H

#include <primitives/script.h>
#include <primitives/transaction.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

/** Lock times (BIP 65, BIP 68, BIP 112): which make sense, and what a leaf demands. */
namespace slhc::wallet {

//! A block's time has 32 bits and must lie behind a transaction's nLockTime: with all ones it never will.
inline constexpr uint32_t MAX_LOCK_TIME{0xfffffffe};

/** Why a coin cannot be told to wait for this; empty if it can: after(n) takes a height, 1 to 499999999, or a time in seconds since 1970,
 *  500000000 to max. */
std::string AfterProblem(uint64_t n, uint32_t max = MAX_LOCK_TIME);

/** Why a coin cannot be told to be this old; empty if it can: older(n) takes 1 to 65535 blocks, or 4194304 + 1 to 65535 units of
 *  512 seconds. BIP 68 looks at no other bits, so that 65536 would be no wait at all, and 70000 one of 4464 blocks. */
std::string OlderProblem(uint64_t n);

/** The least that the fields of a transaction must have. */
struct LockTimes {
    std::optional<uint32_t> sequence;  //!< of the input
    std::optional<uint32_t> lock_time; //!< of the transaction
    std::string never;                 //!< why no transaction can ever have what is demanded; empty: one can
};

/** The lock times that a leaf demands whatever its conditions do: of lock times in a branch of an OP_IF nothing is said. One that has an
 *  OP_SUCCESSx demands nothing. */
[[nodiscard]] LockTimes ReadLockTimes(const CScript& leaf_script);

/** The lock time that satisfies both; nothing if one is a height and the other a time. */
[[nodiscard]] std::optional<uint32_t> LaterLockTime(uint32_t a, uint32_t b);

/** Why an input of a transaction cannot spend a leaf with its nSequence, nLockTime and version; empty if these are what it demands.
 *  @pre n_in < tx.vin.size() */
[[nodiscard]] std::string LockTimeProblem(const LockTimes& required, const CMutableTransaction& tx, size_t n_in);

} // namespace slhc::wallet

#endif // SLHCONSENSUS_WALLET_LOCK_TIME_H
