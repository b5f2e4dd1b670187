// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/lock_time.h>

#include <primitives/transaction.h>
#include <script/script.h>
#include <tool/error.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

namespace slhc::tool {
namespace {

constexpr uint32_t TYPE_FLAG{CTxIn::SEQUENCE_LOCKTIME_TYPE_FLAG};
constexpr uint32_t MASK{CTxIn::SEQUENCE_LOCKTIME_MASK};
//! A block's time has 32 bits and must lie behind a transaction's nLockTime: with all ones it never will.
constexpr uint32_t MAX_LOCK_TIME{0xfffffffe};
constexpr int SECONDS_PER_UNIT{512};
constexpr size_t MAX_LOCK_TIME_SIZE{5}; //!< of a script's number

/** The number that an instruction pushes, if it is one that a lock time's opcode can read. */
std::optional<int64_t> PushedNumber(opcodetype opcode, std::span<const uint8_t> data)
{
    if (opcode >= OP_1 && opcode <= OP_16) return CScript::DecodeOP_N(opcode);
    if (opcode > OP_PUSHDATA4) return std::nullopt;
    try {
        return CScriptNum{data, /*require_minimal=*/false, MAX_LOCK_TIME_SIZE}.GetInt64();
    } catch (const scriptnum_error&) {
        return std::nullopt;
    }
}

/** "1 block", "10 units of 512 s". */
std::string AmountText(uint64_t sequence)
{
    const uint64_t amount{sequence & MASK};
    const std::string plural{amount == 1 ? "" : "s"};
    if ((sequence & TYPE_FLAG) == 0) return std::to_string(amount) + " block" + plural;
    return std::to_string(amount) + " unit" + plural + " of " + std::to_string(SECONDS_PER_UNIT) + " s";
}

uint32_t LaterSequence(uint32_t a, uint32_t b)
{
    if ((a & TYPE_FLAG) != (b & TYPE_FLAG)) {
        throw InputError{"requires an age in blocks and one in time, and no nSequence can express both"};
    }
    return std::max(a, b);
}

} // namespace

void CheckAfter(uint64_t n)
{
    if (n >= 1 && n <= MAX_LOCK_TIME) return;
    throw InputError{"after(" + std::to_string(n) + "): " + (n == 0 ? "would not wait at all" : "would wait forever") +
                     "; it takes a height, 1 to " + std::to_string(LOCKTIME_THRESHOLD - 1) + ", or a time in seconds since 1970, " +
                     std::to_string(LOCKTIME_THRESHOLD) + " to " + std::to_string(MAX_LOCK_TIME)};
}

void CheckOlder(uint64_t n)
{
    const bool waits{(n & MASK) != 0 && (n & CTxIn::SEQUENCE_LOCKTIME_DISABLE_FLAG) == 0};
    const bool only_known_bits{(n & ~uint64_t{MASK | TYPE_FLAG}) == 0};
    if (waits && only_known_bits) return;
    throw InputError{"older(" + std::to_string(n) + "): under BIP 68 this is " + (waits ? AmountText(n) : "no wait at all") +
                     "; it takes 1 to " + std::to_string(MASK) + " blocks, or a time: " + std::to_string(TYPE_FLAG) + " plus 1 to " +
                     std::to_string(MASK) + " units of " + std::to_string(SECONDS_PER_UNIT) + " s"};
}

std::string DescribeSequence(uint32_t sequence)
{
    if ((sequence & CTxIn::SEQUENCE_LOCKTIME_DISABLE_FLAG) != 0 || (sequence & MASK) == 0) return "";
    if ((sequence & TYPE_FLAG) == 0) return AmountText(sequence);
    constexpr double SECONDS_PER_HOUR{3600}, HOURS_PER_DAY{24}, DAYS_FROM{48};
    const double hours{(sequence & MASK) * SECONDS_PER_UNIT / SECONDS_PER_HOUR};
    std::array<char, 40> duration;
    std::snprintf(duration.data(), duration.size(), hours < DAYS_FROM ? "%.1f h" : "%.1f days",
                  hours < DAYS_FROM ? hours : hours / HOURS_PER_DAY);
    return AmountText(sequence) + " (" + duration.data() + ")";
}

std::string DescribeLockTime(uint32_t lock_time)
{
    if (lock_time < LOCKTIME_THRESHOLD) return "height " + std::to_string(lock_time);
    const std::time_t time{lock_time};
    std::tm utc{};
    std::array<char, 40> date;
    if (!gmtime_r(&time, &utc) || std::strftime(date.data(), date.size(), "%Y-%m-%d %H:%M:%S UTC", &utc) == 0) {
        return "time " + std::to_string(lock_time);
    }
    return "time " + std::to_string(lock_time) + " (" + date.data() + ")";
}

LockTimes RequiredLockTimes(const CScript& leaf_script)
{
    LockTimes required;
    std::optional<int64_t> number; // that the instruction before has pushed
    size_t branches{0};
    opcodetype opcode;
    std::span<const uint8_t> data;
    for (auto pc{leaf_script.begin()}; leaf_script.GetOp(pc, opcode, data);) {
        if (opcode == OP_IF || opcode == OP_NOTIF) ++branches;
        if (opcode == OP_ENDIF && branches > 0) --branches;
        if (branches == 0 && number && *number >= 0) {
            if (opcode == OP_CHECKLOCKTIMEVERIFY && *number <= MAX_LOCK_TIME) {
                const auto lock_time{static_cast<uint32_t>(*number)};
                required.lock_time = required.lock_time ? LaterLockTime(*required.lock_time, lock_time) : lock_time;
            }
            if (opcode == OP_CHECKSEQUENCEVERIFY && (*number & CTxIn::SEQUENCE_LOCKTIME_DISABLE_FLAG) == 0) {
                const auto sequence{static_cast<uint32_t>(*number & (TYPE_FLAG | MASK))};
                required.sequence = required.sequence ? LaterSequence(*required.sequence, sequence) : sequence;
            }
        }
        // The opcodes leave their operand where it is.
        if (opcode != OP_CHECKLOCKTIMEVERIFY && opcode != OP_CHECKSEQUENCEVERIFY) number = PushedNumber(opcode, data);
    }
    return required;
}

uint32_t LaterLockTime(uint32_t a, uint32_t b)
{
    if ((a < LOCKTIME_THRESHOLD) != (b < LOCKTIME_THRESHOLD)) {
        throw InputError{"requires a block height and a time, and no nLockTime can express both"};
    }
    return std::max(a, b);
}

} // namespace slhc::tool
