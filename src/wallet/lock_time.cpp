// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <wallet/lock_time.h>

#include <script/script.h>
#include <script/verify_flags.h>
#include <util/counted.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <span>
#include <utility>

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
    if (auto never{LockTimeNeverMet(push, data, check)}; !never.empty()) {
        required.never = std::move(never);
        return;
    }
    const int64_t number{*PushedNumber(push, data)};
    if (check == OP_CHECKLOCKTIMEVERIFY) {
        AddLockTime(required, static_cast<uint32_t>(number));
    } else if ((number & CTxIn::SEQUENCE_LOCKTIME_DISABLE_FLAG) == 0) {
        AddSequence(required, static_cast<uint32_t>(number & (TYPE_FLAG | MASK)));
    }
}

/** Whether some input leaves nLockTime on. */
bool HeedsLockTime(const CMutableTransaction& tx)
{
    return std::ranges::any_of(tx.vin, [](const CTxIn& txin) { return txin.nSequence != CTxIn::SEQUENCE_FINAL; });
}

/** Whether BIP 68 gives nSequence a meaning. */
bool HeedsSequence(const CMutableTransaction& tx)
{
    constexpr uint32_t MIN_VERSION{2};
    return tx.version >= MIN_VERSION;
}

std::string SequenceText(uint32_t sequence)
{
    const std::string text{DescribeSequence(sequence)};
    return text.empty() ? "no age" : text;
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

std::string LockTimeNeverMet(opcodetype push, std::span<const uint8_t> data, opcodetype check)
{
    const std::string of{GetOpName(check) + " of "};
    const auto number{PushedNumber(push, data)};
    if (!number) return of + "what is not a number of up to 5 bytes: nobody can ever spend it";
    if (*number < 0) return of + "a negative number: nobody can ever spend it";
    if (check == OP_CHECKLOCKTIMEVERIFY && *number > MAX_LOCK_TIME) {
        return of + std::to_string(*number) + ", which no block reaches: nobody can ever spend it";
    }
    return "";
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
    // Not with time_t, which ends in 2038 where it has 32 bits.
    const std::chrono::sys_seconds time{std::chrono::seconds{lock_time}};
    const auto day{std::chrono::floor<std::chrono::days>(time)};
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss clock{time - day};
    std::array<char, 40> text;
    std::snprintf(text.data(), text.size(), "%04d-%02u-%02u %02d:%02d:%02d UTC", int{date.year()}, unsigned{date.month()},
                  unsigned{date.day()}, static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                  static_cast<int>(clock.seconds().count()));
    return "time " + std::to_string(lock_time) + " (" + text.data() + ")";
}

std::string DescribeWait(const CMutableTransaction& tx)
{
    return tx.nLockTime == 0 || !HeedsLockTime(tx) ? "" : DescribeLockTime(tx.nLockTime);
}

std::string DescribeAge(const CMutableTransaction& tx, size_t n_in)
{
    return HeedsSequence(tx) ? DescribeSequence(tx.vin[n_in].nSequence) : "";
}

std::vector<std::string> LockTimesWithoutEffect(const CMutableTransaction& tx)
{
    std::vector<std::string> found;
    if (tx.nLockTime != 0 && !HeedsLockTime(tx)) {
        found.push_back("nLockTime " + std::to_string(tx.nLockTime) + " has no effect: every input is final (nSequence 4294967295)");
    }
    if (HeedsSequence(tx)) return found;
    for (size_t i = 0; i < tx.vin.size(); ++i) {
        if (DescribeSequence(tx.vin[i].nSequence).empty()) continue;
        found.push_back("input " + std::to_string(i) + ": nSequence " + std::to_string(tx.vin[i].nSequence) +
                        " requires no age: the transaction has version " + std::to_string(tx.version) + ", and BIP 68 needs 2 or later");
    }
    return found;
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

std::string LockTimeProblem(const CScript& leaf_script, const CMutableTransaction& tx, size_t n_in)
{
    const LockTimes required{ReadLockTimes(leaf_script)};
    if (!required.never.empty()) return required.never;
    const uint32_t sequence{tx.vin[n_in].nSequence};
    if (required.lock_time) {
        if (LaterLockTime(*required.lock_time, tx.nLockTime) != tx.nLockTime) {
            return "needs nLockTime " + std::to_string(*required.lock_time) + " or later (" + DescribeLockTime(*required.lock_time) +
                   "), but the transaction has " + std::to_string(tx.nLockTime);
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
