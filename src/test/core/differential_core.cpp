// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// This project's VerifyScript against Bitcoin Core's own: the same verdict and the same script error for every case.
// Also: transactions parse alike, identifiers and signature operation counts agree, and SCRIPT_VERIFY_P2MR and
// SCRIPT_VERIFY_SLHDSA change nothing for inputs that have nothing to do with them.

#include <script/interpreter.h>
#include <test/core/compare.h>
#include <test/core/core_vectors.h>
#include <test/core/module_side.h>
#include <test/core/oracle_loader.h>
#include <test/core/plan_maker.h>
#include <test/core/rounds.h>
#include <test/core/spend.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace slhc;
using namespace slhc::test;

namespace {

/** Sets of flags tried on each spend. */
constexpr size_t FLAG_SETS{2};
constexpr uint64_t CASES_PER_ROUND{SPENDS_PER_ROUND * FLAG_SETS};
constexpr uint64_t DEFAULT_CASES{1'000'000};
/** Of Bitcoin Core's errors, the one that no script reaches. */
constexpr int UNREACHABLE_ERROR{SCRIPT_ERR_UNKNOWN_ERROR};

/** Kinds of outputs, by what an outsider sees. */
constexpr const char* OUTPUT_NAMES[]{"bare",       "P2SH",          "P2WPKH",           "P2WSH", "P2SH-P2WPKH",
                                     "P2SH-P2WSH", "P2TR key path", "P2TR script path", "P2A",   "other witness program"};

size_t OutputIndex(const Spend& spend)
{
    const CTxIn& input{spend.tx.vin[spend.n_in]};
    const CScript& script{spend.spent[spend.n_in].scriptPubKey};
    int version;
    std::span<const uint8_t> program;
    if (script.IsPayToScriptHash()) {
        if (input.scriptSig.size() == 23) return 4;
        return input.scriptSig.size() == 35 ? 5 : 1;
    }
    if (!script.IsWitnessProgram(version, program)) return 0;
    if (version == 0 && program.size() == WITNESS_V0_KEYHASH_SIZE) return 2;
    if (version == 0 && program.size() == WITNESS_V0_SCRIPTHASH_SIZE) return 3;
    if (script.IsPayToTaproot()) return input.scriptWitness.stack.size() > 2 ? 7 : 6;
    return script.IsPayToAnchor() ? 8 : 9;
}

class Comparison
{
public:
    Comparison(const core_oracle& oracle, const RoundOptions& options, std::vector<Spend> known_spends)
        : m_oracle{oracle}, m_probe{oracle}, m_options{options}, m_known_spends{std::move(known_spends)} {}

    bool Round(uint64_t round)
    {
        bool good{true};
        VisitRound(m_options.seed, round, Scope::CORE, m_probe, m_known_spends, [&](const Spend& spend, Choices& choices) {
            if (good) good = CompareSpend(spend, choices, round);
        });
        return good;
    }

    void PrintHistogram() const
    {
        std::printf("%-50s %12s\n", "script error", "cases");
        for (int error{0}; m_oracle.script_error_name(error); ++error) {
            std::printf("%-50s %12llu\n", m_oracle.script_error_name(error),
                        static_cast<unsigned long long>(m_errors[static_cast<size_t>(error)].load()));
        }
        std::printf("\n%-50s %12s %12s\n", "spent output", "valid", "invalid");
        for (size_t i{0}; i < std::size(OUTPUT_NAMES); ++i) {
            std::printf("%-50s %12llu %12llu\n", OUTPUT_NAMES[i], static_cast<unsigned long long>(m_outputs[i][1].load()),
                        static_cast<unsigned long long>(m_outputs[i][0].load()));
        }
        std::printf("\n%-50s %12llu\n", "(also with P2MR and SLHDSA set: no difference)",
                    static_cast<unsigned long long>(m_with_ours.load()));
        std::printf("%-50s %12llu\n", "(transactions changed at random: parsed alike)", static_cast<unsigned long long>(m_parsed.load()));
    }

    /** Errors that no case ended in. */
    [[nodiscard]] std::string Unreached() const
    {
        std::string names;
        for (int error{0}; m_oracle.script_error_name(error); ++error) {
            if (error != UNREACHABLE_ERROR && m_errors[static_cast<size_t>(error)] == 0) {
                names += std::string{names.empty() ? "" : ", "} + m_oracle.script_error_name(error);
            }
        }
        return names;
    }

    [[nodiscard]] uint64_t Cases() const
    {
        uint64_t sum{0};
        for (const auto& count : m_errors) sum += count;
        return sum;
    }

private:
    const core_oracle& m_oracle;
    const CoreProbe m_probe;
    const RoundOptions m_options;
    const std::vector<Spend> m_known_spends;
    std::array<std::atomic<uint64_t>, SCRIPT_ERR_ERROR_COUNT> m_errors{};
    std::array<std::array<std::atomic<uint64_t>, 2>, std::size(OUTPUT_NAMES)> m_outputs{};
    std::atomic<uint64_t> m_with_ours{0};
    std::atomic<uint64_t> m_parsed{0};
    std::mutex m_print;

    bool Fail(const Spend& spend, script_verify_flags flags, uint64_t round, const std::string& what)
    {
        const std::lock_guard lock{m_print};
        std::printf("DISAGREEMENT (--seed %llu --round %llu): %s\n%s\n", static_cast<unsigned long long>(m_options.seed),
                    static_cast<unsigned long long>(round), what.c_str(), SpendToJson(spend, flags).c_str());
        return false;
    }

    bool CompareSpend(const Spend& spend, Choices& choices, uint64_t round)
    {
        const SpendComparison comparison{m_oracle, spend};
        for (size_t i{0}; i < FLAG_SETS; ++i) {
            const script_verify_flags flags{SomeFlags(choices)};
            Verdict expected;
            if (const auto what{comparison.CompareVerdict(flags, expected)}; !what.empty()) return Fail(spend, flags, round, what);
            ++m_errors[static_cast<size_t>(expected.error)];
            ++m_outputs[OutputIndex(spend)][expected.valid];
            if (i > 0 || ConcernsModule(spend)) continue;
            if (const auto what{comparison.CompareVerdict(flags | SCRIPT_VERIFY_P2MR | SCRIPT_VERIFY_SLHDSA, expected)}; !what.empty()) {
                return Fail(spend, flags, round, what);
            }
            ++m_with_ours;
        }
        if (const auto what{comparison.CompareCounts()}; !what.empty()) return Fail(spend, {}, round, what);

        std::vector<uint8_t> raw{SerializeToVector(spend.tx)};
        if (choices.Bool()) MutateBytes(raw, choices);
        if (const auto what{CompareParsing(m_oracle, raw)}; !what.empty()) return Fail(spend, {}, round, what);
        ++m_parsed;
        return true;
    }
};

} // namespace

int main(int argc, char** argv)
{
    const RoundOptions options{ParseRoundOptions(argc, argv, DEFAULT_CASES)};
    std::string error;
    const core_oracle* const oracle{LoadCoreOracle(CoreOraclePath(), error)};
    if (!oracle) {
        std::printf("differential_core: skipped: %s\n", error.c_str());
        return EXIT_SKIPPED;
    }
    std::vector<Spend> known_spends{ReadCoreSpends(SLHC_CORE_TEST_DATA_DIR)};
    std::printf("seed %llu, %u threads, %zu inputs from Bitcoin Core's test data to start from\n",
                static_cast<unsigned long long>(options.seed), options.threads, known_spends.size());
    Comparison comparison{*oracle, options, std::move(known_spends)};
    const auto start{std::chrono::steady_clock::now()};
    const uint64_t n_rounds{(options.cases + CASES_PER_ROUND - 1) / CASES_PER_ROUND};
    const bool good{options.only_round ? comparison.Round(*options.only_round)
                                       : ForEachRound(n_rounds, options.threads, [&](uint64_t round) { return comparison.Round(round); })};
    const double seconds{std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
    comparison.PrintHistogram();
    std::printf("%llu cases in %.1f s, %s\n", static_cast<unsigned long long>(comparison.Cases()), seconds,
                good ? "no disagreement" : "DISAGREEMENT");
    if (good && options.cases >= DEFAULT_CASES && !options.only_round) {
        // A generator that stops reaching part of the rules proves less than it seems to.
        if (const std::string names{comparison.Unreached()}; !names.empty()) {
            std::printf("no case ended in: %s\n", names.c_str());
            return 1;
        }
    }
    return good ? 0 : 1;
}
