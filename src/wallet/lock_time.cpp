// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <wallet/lock_time.h>

#include <primitives/transaction.h>
#include <script/script.h>

#include <array>
#include <cstdio>
#include <ctime>

namespace slhc::wallet {
namespace {

constexpr uint32_t TYPE_FLAG{CTxIn::SEQUENCE_LOCKTIME_TYPE_FLAG};
constexpr uint32_t MASK{CTxIn::SEQUENCE_LOCKTIME_MASK};
constexpr int SECONDS_PER_UNIT{512};

/** "1 block", "10 units of 512 s". */
std::string AmountText(uint64_t sequence)
{
    const uint64_t amount{sequence & MASK};
    const std::string plural{amount == 1 ? "" : "s"};
    if ((sequence & TYPE_FLAG) == 0) return std::to_string(amount) + " block" + plural;
    return std::to_string(amount) + " unit" + plural + " of " + std::to_string(SECONDS_PER_UNIT) + " s";
}

} // namespace

std::string AfterProblem(uint64_t n)
{
    if (n >= 1 && n <= MAX_LOCK_TIME) return "";
    return "after(" + std::to_string(n) + "): " + (n == 0 ? "would not wait at all" : "would wait forever") +
           "; it takes a height, 1 to " + std::to_string(LOCKTIME_THRESHOLD - 1) + ", or a time in seconds since 1970, " +
           std::to_string(LOCKTIME_THRESHOLD) + " to " + std::to_string(MAX_LOCK_TIME);
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

} // namespace slhc::wallet
