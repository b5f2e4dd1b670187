// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <wallet/lock_time.h>

#include <script/script.h>
#include <script/verify_flags.h>
#include <util/counted.h>

#include <algorithm>
#include <span>

namespace slhc::wallet {
namespace {

constexpr uint32_t TYPE_FLAG{CTxIn::SEQUENCE_LOCKTIME_TYPE_FLAG};
constexpr uint32_t MASK{CTxIn::SEQUENCE_LOCKTIME_MASK};
constexpr int SECONDS_PER_UNIT{512};
constexpr size_t MAX_LOCK_TIME_SIZE{5}; //!< of a script's number

/** "1 block", "10 units of 512 s". */
std::string AmountText(uint64_t sequence)
{
    const uint64_t amount{sequence & MASK};
    if ((sequence & TYPE_FLAG) == 0) return Counted(amount, "block");
    return Counted(amount, "unit") + " of " + std::to_string(SECONDS_PER_UNIT) + " s";
}

/** The number that an instruction pushes, if it is one that a lock time's opcode can read. */
std::optional<int64_t> PushedNumber(opcodetype opcode, std::span<const uint8_t> data)
{
    if (opcode == OP_1NEGATE) return -1;
    if (opcode >= OP_1 && opcode <= OP_16) return CScript::DecodeOP_N(opcode);
    if (opcode > OP_PUSHDATA4) return std::nullopt;
    try {
        return CScriptNum{data, /*require_minimal=*/false, MAX_LOCK_TIME_SIZE}.GetInt64();
    } catch (const scriptnum_error&) {
        return std::nullopt;
    }
}

/** Take one more lock time of a leaf into account. */
void AddLockTime(LockTimes& required, uint32_t lock_time)
{
    const auto later{LaterLockTime(required.lock_time.value_or(lock_time), lock_time)};
    if (!later) required.never = "requires a block height and a time, and no nLockTime can express both";
    required.lock_time = later.value_or(lock_time);
}
void AddSequence(LockTimes& required, uint32_t sequence)
{
    const uint32_t before{required.sequence.value_or(sequence)};
    if ((before & TYPE_FLAG) != (sequence & TYPE_FLAG)) {
        required.never = "requires an age in blocks and one in time, and no nSequence can express both";
    }
    required.sequence = std::max(before, sequence);
}

/** Take the operand of a leaf's opcode into account: what is pushed right before it. */
void AddOperand(LockTimes& required, opcodetype push, std::span<const uint8_t> data, opcodetype check)
{
    const auto number{PushedNumber(push, data)};
    if (!number || *number < 0 || (check == OP_CHECKLOCKTIMEVERIFY && *number > MAX_LOCK_TIME)) {
        required.never = GetOpName(check) + " of " + (number ? std::to_string(*number) : "what is not a number of up to 5 bytes") +
                         ", which no transaction meets";
    } else if (check == OP_CHECKLOCKTIMEVERIFY) {
        AddLockTime(required, static_cast<uint32_t>(*number));
    } else if ((*number & CTxIn::SEQUENCE_LOCKTIME_DISABLE_FLAG) == 0) {
        AddSequence(required, static_cast<uint32_t>(*number & (TYPE_FLAG | MASK)));
    }
}

/** True if BIP 68 gives nSequence a meaning. */
bool HeedsSequence(const CMutableTransaction& tx)
{
    constexpr uint32_t MIN_VERSION{2};
    return tx.version >= MIN_VERSION;
}

std::string SequenceText(uint32_t sequence)
{
    const bool none{(sequence & CTxIn::SEQUENCE_LOCKTIME_DISABLE_FLAG) != 0 || (sequence & MASK) == 0};
    return none ? "no age" : AmountText(sequence);
}

} // namespace

std::string AfterProblem(uint64_t n, uint32_t max)
{
    if (n >= 1 && n <= max) return "";
    return "after(" + std::to_string(n) + "): " + (n == 0 ? "would not wait at all" : "would wait forever") +
           "; it takes a height, 1 to " + std::to_string(LOCKTIME_THRESHOLD - 1) + ", or a time in seconds since 1970, " +
           std::to_string(LOCKTIME_THRESHOLD) + " to " + std::to_string(max);
}

std::string OlderProblem(uint64_t n)
{
    const bool waits{(n & MASK) != 0 && (n & CTxIn::SEQUENCE_LOCKTIME_DISABLE_FLAG) == 0};
    const bool only_known_bits{(n & ~uint64_t{MASK | TYPE_FLAG}) == 0};
    if (waits && only_known_bits) return "";
    return "older(" + std::to_string(n) + "): under BIP 68 this is " + (waits ? AmountText(n) : "no wait at all") +
           "; it takes 1 to " + std::to_string(MASK) + " blocks, or a time: " + std::to_string(TYPE_FLAG) + " plus 1 to " +
           std::to_string(MASK) + " units of " + std::to_string(SECONDS_PER_UNIT) + " s";
}

LockTimes ReadLockTimes(const CScript& leaf_script)
{
    LockTimes required;
    struct Push {
        opcodetype opcode;
        std::span<const uint8_t> data;
    };
    std::optional<Push> push; // the instruction before, if it is one
    size_t branches{0};
    opcodetype opcode;
    std::span<const uint8_t> data;
    for (auto pc{leaf_script.begin()}; leaf_script.GetOp(pc, opcode, data);) {
        // With it a script succeeds whatever stands before it, and even if what follows cannot be decoded.
        if (IsOpSuccess(opcode, SCRIPT_VERIFY_SLHDSA)) return {};
        if (opcode == OP_IF || opcode == OP_NOTIF) ++branches;
        if (opcode == OP_ENDIF && branches > 0) --branches;
        if (opcode == OP_CHECKLOCKTIMEVERIFY || opcode == OP_CHECKSEQUENCEVERIFY) {
            if (branches == 0 && push) AddOperand(required, push->opcode, push->data, opcode);
            continue; // the operand stays where it is
        }
        push = opcode <= OP_16 ? std::optional{Push{opcode, data}} : std::nullopt;
    }
    return required;
}

std::optional<uint32_t> LaterLockTime(uint32_t a, uint32_t b)
{
    if ((a < LOCKTIME_THRESHOLD) != (b < LOCKTIME_THRESHOLD)) return std::nullopt;
    return std::max(a, b);
}

std::string LockTimeProblem(const LockTimes& required, const CMutableTransaction& tx, size_t n_in)
{
    if (!required.never.empty()) return required.never;
    const uint32_t sequence{tx.vin[n_in].nSequence};
    if (required.lock_time) {
        if (LaterLockTime(*required.lock_time, tx.nLockTime) != tx.nLockTime) {
            return "needs nLockTime " + std::to_string(*required.lock_time) + " or later, but the transaction has " +
                   std::to_string(tx.nLockTime);
        }
        if (sequence == CTxIn::SEQUENCE_FINAL) return "needs a lock time, but the input's nSequence 4294967295 turns them off";
    }
    if (required.sequence) {
        const bool enabled{HeedsSequence(tx) && (sequence & CTxIn::SEQUENCE_LOCKTIME_DISABLE_FLAG) == 0};
        const bool same_type{(sequence & TYPE_FLAG) == (*required.sequence & TYPE_FLAG)};
        if (!enabled || !same_type || (sequence & MASK) < (*required.sequence & MASK)) {
            return "needs an age of " + SequenceText(*required.sequence) + ", but the input's nSequence " + std::to_string(sequence) +
                   (HeedsSequence(tx) ? "" : " in a transaction of version " + std::to_string(tx.version)) + " means " +
                   (enabled ? SequenceText(sequence) : "none");
        }
    }
    return "";
}

} // namespace slhc::wallet
