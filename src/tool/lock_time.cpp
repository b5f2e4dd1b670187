// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/lock_time.h>

#include <primitives/transaction.h>
#include <script/script.h>
#include <tool/error.h>

#include <algorithm>

namespace slhc::tool {
namespace {

using wallet::MAX_LOCK_TIME;

constexpr uint32_t TYPE_FLAG{CTxIn::SEQUENCE_LOCKTIME_TYPE_FLAG};
constexpr uint32_t MASK{CTxIn::SEQUENCE_LOCKTIME_MASK};
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
    if (const std::string problem{wallet::AfterProblem(n)}; !problem.empty()) throw InputError{problem};
}

void CheckOlder(uint64_t n)
{
    if (const std::string problem{wallet::OlderProblem(n)}; !problem.empty()) throw InputError{problem};
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
