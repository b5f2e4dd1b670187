// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_LOCK_TIME_H
#define SLHCONSENSUS_TOOL_LOCK_TIME_H

#include <primitives/script.h>

#include <cstdint>
#include <optional>
#include <string>

/** Lock times (BIP 65, BIP 68, BIP 112): which make sense, and what a leaf demands of the transaction that spends it. */
namespace slhc::tool {

/** @throws InputError if a coin cannot be told to wait for this: after(n) takes a height, 1 to 499999999, or a time in
 *          seconds since 1970, 500000000 to 4294967294 */
void CheckAfter(uint64_t n);

/** @throws InputError if a coin cannot be told to be this old: older(n) takes 1 to 65535 blocks, or 4194304 + 1 to
 *          65535 units of 512 seconds. BIP 68 looks at no other bits, so that 65536 would be no wait at all, and 70000
 *          one of 4464 blocks */
void CheckOlder(uint64_t n);

/** "144 blocks" or "10 units of 512 s (1.4 h)": an nSequence as BIP 68 reads it; empty if it is no lock time. */
std::string DescribeSequence(uint32_t sequence);
/** "height 500000" or "time 1700000000 (2023-11-14 22:13:20 UTC)". */
std::string DescribeLockTime(uint32_t lock_time);

/** The least that the fields of a transaction must have. */
struct LockTimes {
    std::optional<uint32_t> sequence;  //!< of the input
    std::optional<uint32_t> lock_time; //!< of the transaction
};

/** What a leaf demands whatever its conditions do: of lock times in a branch of an OP_IF nothing is said.
 *  @throws InputError if it demands what no transaction can have: both a number of blocks and a time */
LockTimes RequiredLockTimes(const CScript& leaf_script);

/** The lock time that satisfies both.
 *  @throws InputError if one is a height and the other a time */
uint32_t LaterLockTime(uint32_t a, uint32_t b);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_LOCK_TIME_H
