// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Every flag is a soft fork: an input that is valid with it is valid without it. The exception is that P2MR, SLHDSA and SLHDSA_SETS
// may not be removed while a DISCOURAGE flag is set, since they take inputs out of those flags' reach. Checked on generated
// spends of every kind, P2MR and the SLH-DSA opcodes among them.

#include <test/core/module_side.h>
#include <test/core/rounds.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <mutex>

using namespace slhc;
using namespace slhc::test;

namespace {

constexpr uint64_t DEFAULT_CASES{60'000};

class Property
{
public:
    explicit Property(const RoundOptions& options) : m_options{options} {}

    bool Round(uint64_t round)
    {
        bool good{true};
        VisitRound(m_options.seed, round, Scope::ALL, {}, [&](const Spend& spend, const SLHDSAScheme& slhdsa, Choices& choices) {
            if (good) good = CheckSpend(spend, slhdsa, choices, round);
        });
        return good;
    }

    std::array<std::atomic<uint64_t>, SCRIPT_ERR_ERROR_COUNT> m_errors{};
    std::atomic<uint64_t> m_removals{0};
    std::atomic<uint64_t> m_concerned{0};

private:
    const RoundOptions m_options;
    std::mutex m_print;

    bool CheckSpend(const Spend& spend, const SLHDSAScheme& slhdsa, Choices& choices, uint64_t round)
    {
        const ModuleTx tx{spend};
        const script_verify_flags flags{SomeFlags(choices) | SomeOwnFlags(choices)};
        const Verdict verdict{tx.Verify(spend.n_in, flags, slhdsa)};
        ++m_errors[static_cast<size_t>(verdict.error)];
        if (verdict.valid != (verdict.error == SCRIPT_ERR_OK)) {
            return Fail(spend, flags, flags, round, "verdict and error contradict each other");
        }
        if (!verdict.valid) return true;
        if (ConcernsModule(spend)) ++m_concerned;
        for (int bit{0}; bit < MAX_SCRIPT_VERIFY_FLAGS_BITS; ++bit) {
            const script_verify_flags flag{static_cast<script_verify_flag_name>(bit)};
            if (!(flags & flag)) continue;
            if ((flag & OWN_FLAGS) && (flags & DISCOURAGE_FLAGS)) continue;
            const script_verify_flags fewer{WithoutUngrounded(flags & ~flag)};
            if (!tx.Verify(spend.n_in, fewer, slhdsa).valid) {
                return Fail(spend, flags, fewer, round, "valid with more flags, invalid with fewer");
            }
            ++m_removals;
        }
        return true;
    }

    bool Fail(const Spend& spend, script_verify_flags more, script_verify_flags fewer, uint64_t round, const char* what)
    {
        const std::lock_guard lock{m_print};
        std::printf("NO SOFT FORK (--seed %llu --round %llu): %s\nmore:  %s\nfewer: %s\n", static_cast<unsigned long long>(m_options.seed),
                    static_cast<unsigned long long>(round), what, SpendToJson(spend, more).c_str(), SpendToJson(spend, fewer).c_str());
        return false;
    }
};

} // namespace

int main(int argc, char** argv)
{
    const RoundOptions options{ParseRoundOptions(argc, argv, DEFAULT_CASES)};
    Property property{options};
    const uint64_t n_rounds{(options.cases + SPENDS_PER_ROUND - 1) / SPENDS_PER_ROUND};
    const bool good{options.only_round ? property.Round(*options.only_round)
                                       : ForEachRound(n_rounds, options.threads, [&](uint64_t round) { return property.Round(round); })};
    std::printf("seed %llu: %llu valid spends that concern P2MR or the SLH-DSA opcodes, %llu flags removed without harm; script errors of "
                "all spends:\n",
                static_cast<unsigned long long>(options.seed), static_cast<unsigned long long>(property.m_concerned.load()),
                static_cast<unsigned long long>(property.m_removals.load()));
    bool all_reached{true};
    for (int error{0}; error < SCRIPT_ERR_ERROR_COUNT; ++error) {
        const uint64_t count{property.m_errors[static_cast<size_t>(error)]};
        std::printf("%-50s %12llu\n", std::string{ScriptErrorName(static_cast<ScriptError>(error))}.c_str(),
                    static_cast<unsigned long long>(count));
        if (count == 0 && error != SCRIPT_ERR_UNKNOWN_ERROR) all_reached = false;
    }
    if (good && options.cases >= DEFAULT_CASES && !options.only_round) {
        // A generator that no longer reaches all of the rules proves less than it seems to.
        if (!all_reached) {
            std::printf("some script error was never reached\n");
            return 1;
        }
        if (property.m_concerned == 0 || property.m_removals == 0) {
            std::printf("no valid spend that concerns P2MR or the SLH-DSA opcodes, or no flag that could be removed\n");
            return 1;
        }
    }
    return good ? 0 : 1;
}
