// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_LOCK_TIME_H
#define SLHCONSENSUS_TOOL_LOCK_TIME_H

#include <primitives/script.h>
#include <wallet/lock_time.h>

#include <cstdint>

/** Lock times (BIP 65, BIP 68, BIP 112): which make sense, and what a leaf demands of the transaction that spends it. */
namespace slhc::tool {

/** @throws InputError with wallet::AfterProblem(n) if there is one */
void CheckAfter(uint64_t n);

/** @throws InputError with wallet::OlderProblem(n) if there is one */
void CheckOlder(uint64_t n);

using wallet::LockTimes;

/** What a leaf demands whatever its conditions do: of lock times in a branch of an OP_IF nothing is said.
 *  @throws InputError if it demands what no transaction can have, such as both a number of blocks and a time, or a negative number */
LockTimes RequiredLockTimes(const CScript& leaf_script);

/** The lock time that satisfies both.
 *  @throws InputError if one is a height and the other a time */
uint32_t LaterLockTime(uint32_t a, uint32_t b);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_LOCK_TIME_H
