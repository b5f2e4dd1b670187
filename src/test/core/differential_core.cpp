// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// This project's VerifyScript against Bitcoin Core's own with the rules of contrib/bitcoin-core in it: the same verdict and
// the same script error for every case, with SLH-DSA signatures verified at once, deferred, and cached. Core as it is takes
// part too: it must give the same verdict if no flag of this module is set, and accept all valid inputs if one is.
// Also: transactions parse alike, identifiers and signature operation counts agree.

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
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <set>
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
constexpr uint64_t DEFAULT_CASES{200'000};
/** The one error that no script reaches. */
constexpr int UNREACHABLE_ERROR{SCRIPT_ERR_UNKNOWN_ERROR};

/** Kinds of outputs, by what an outsider sees. */
constexpr const char* OUTPUT_NAMES[]{"bare",           "P2SH",
                                     "P2WPKH",         "P2WSH",
                                     "P2SH-P2WPKH",    "P2SH-P2WSH",
                                     "P2TR key path",  "P2TR script path",
                                     "P2TR script path with an SLH-DSA opcode",
                                     "P2MR",           "P2MR with an SLH-DSA opcode",
                                     "P2A",            "other witness program"};

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
    if (script.IsPayToTaproot()) {
        if (input.scriptWitness.stack.size() <= 2) return 6;
        return HasSLHDSALeaf(spend) ? 8 : 7;
    }
    if (script.IsPayToMerkleRoot()) return HasSLHDSALeaf(spend) ? 10 : 9;
    return script.IsPayToAnchor() ? 11 : 12;
}

/** Differences that do not end a run. */
struct Differences {
    bool keep_going{false};
    std::set<std::string> expected; //!< "CORE,MODULE": names of script errors, or * for any

    /** The expectation that a kind of difference meets; null if there is none. */
    [[nodiscard]] const std::string* Meets(const std::string& kind) const
    {
        const size_t comma{kind.find(',')};
        if (comma == std::string::npos) return nullptr;
        for (const std::string& pair : {kind, kind.substr(0, comma) + ",*", "*" + kind.substr(comma)}) {
            if (const auto found{expected.find(pair)}; found != expected.end()) return &*found;
        }
        return nullptr;
    }
};

std::string ErrorName(const Verdict& verdict) { return std::string{ScriptErrorName(static_cast<ScriptError>(verdict.error))}; }

/** "CORE,MODULE" with SCRIPT_ERR_ before either, which may be left out; nothing if one is neither a script error's name nor *. */
std::optional<std::string> ParseExpected(const std::string& text)
{
    const size_t comma{text.find(',')};
    if (comma == std::string::npos) return {};
    std::string core, module;
    for (int error{0}; error < SCRIPT_ERR_ERROR_COUNT; ++error) {
        const std::string name{ScriptErrorName(static_cast<ScriptError>(error))};
        const auto is{[&](const std::string& given) { return given == name || "SCRIPT_ERR_" + given == name; }};
        if (is(text.substr(0, comma))) core = name;
        if (is(text.substr(comma + 1))) module = name;
    }
    if (text.starts_with("*,")) core = "*";
    if (text.substr(comma) == ",*") module = "*";
    if (core.empty() || module.empty() || core == module) return {};
    return core + "," + module;
}

class Comparison
{
public:
    Comparison(const CoreOracles& oracles, const RoundOptions& options, Differences differences, KnownSpends known_spends)
        : m_oracles{oracles}, m_options{options}, m_differences{std::move(differences)},
          m_known_spends{std::move(known_spends)} {}

    /** @return whether to go on */
    bool Round(uint64_t round)
    {
        bool good{true};
        VisitRound(m_options.seed, round, Scope::ALL, m_known_spends,
                   [&](const Spend& spend, const SLHDSAScheme& slhdsa, Choices& choices) {
                       if (good) good = CompareSpend(spend, slhdsa, choices, round);
                   });
        return good;
    }

    /** A line for each kind of difference.
     *  @return true if all that were expected occurred, and no others */
    bool PrintDifferences() const
    {
        bool good{true};
        std::set<std::string> occurred;
        for (const auto& [what, count] : m_counts) {
            const std::string* const expected{m_differences.Meets(what)};
            if (expected) occurred.insert(*expected);
            good = good && expected;
            std::printf("%12llu %s: %s\n", static_cast<unsigned long long>(count), expected ? "expected" : "DISAGREEMENT", what.c_str());
        }
        for (const std::string& what : m_differences.expected) {
            if (occurred.contains(what)) continue;
            good = false;
            std::printf("%12d never occurred: %s\n", 0, what.c_str());
        }
        return good;
    }

    void PrintHistogram() const
    {
        std::printf("%-50s %12s\n", "script error", "cases");
        for (int error{0}; m_oracles.with_rules.script_error_name(error); ++error) {
            std::printf("%-50s %12llu\n", m_oracles.with_rules.script_error_name(error),
                        static_cast<unsigned long long>(m_errors[static_cast<size_t>(error)].load()));
        }
        std::printf("\n%-50s %12s %12s\n", "spent output", "valid", "invalid");
        for (size_t i{0}; i < std::size(OUTPUT_NAMES); ++i) {
            std::printf("%-50s %12llu %12llu\n", OUTPUT_NAMES[i], static_cast<unsigned long long>(m_outputs[i][1].load()),
                        static_cast<unsigned long long>(m_outputs[i][0].load()));
        }
        std::printf("\n%-50s %12llu\n", "(with real SLH-DSA signatures)", static_cast<unsigned long long>(m_real.load()));
        std::printf("%-50s %12llu\n", "(with neither P2MR nor SLHDSA set: also by Core of today)",
                    static_cast<unsigned long long>(m_without_own.load()));
        std::printf("%-50s %12llu\n", "(transactions changed at random: parsed alike)", static_cast<unsigned long long>(m_parsed.load()));
    }

    /** Script errors that no case ended in, and kinds of cases that did not occur. */
    [[nodiscard]] std::string Unreached() const
    {
        std::string names;
        const auto add{[&](const std::string& name) { names += (names.empty() ? "" : ", ") + name; }};
        for (int error{0}; m_oracles.with_rules.script_error_name(error); ++error) {
            if (error != UNREACHABLE_ERROR && m_errors[static_cast<size_t>(error)] == 0) add(m_oracles.with_rules.script_error_name(error));
        }
        for (size_t i{0}; i < std::size(OUTPUT_NAMES); ++i) {
            for (const size_t valid : {0, 1}) {
                if (m_outputs[i][valid] == 0) add((valid ? "valid spends: " : "invalid spends: ") + std::string{OUTPUT_NAMES[i]});
            }
        }
        if (m_real == 0) add("real SLH-DSA signatures");
        if (m_without_own == 0) add("neither P2MR nor SLHDSA set");
        if (m_parsed == 0) add("changed transactions");
        if (m_known_spends.core.empty()) add("Bitcoin Core's test data");
        if (m_known_spends.module.empty()) add("the BIP text's vectors");
        return names;
    }

    [[nodiscard]] uint64_t Cases() const
    {
        uint64_t sum{0};
        for (const auto& count : m_errors) sum += count;
        return sum;
    }

private:
    const CoreOracles m_oracles;
    const RoundOptions m_options;
    const Differences m_differences;
    const KnownSpends m_known_spends;
    std::array<std::atomic<uint64_t>, SCRIPT_ERR_ERROR_COUNT> m_errors{};
    std::array<std::array<std::atomic<uint64_t>, 2>, std::size(OUTPUT_NAMES)> m_outputs{};
    std::atomic<uint64_t> m_real{0};
    std::atomic<uint64_t> m_without_own{0};
    std::atomic<uint64_t> m_parsed{0};
    std::mutex m_mutex;
    std::map<std::string, uint64_t> m_counts; //!< of each kind of difference

    /** @return whether to go on. The first difference of a kind is printed. */
    bool Differ(const Spend& spend, script_verify_flags flags, uint64_t round, const std::string& kind, const std::string& what)
    {
        const std::lock_guard lock{m_mutex};
        const bool expected{m_differences.Meets(kind) != nullptr};
        if (m_counts[kind]++ > 0 || expected) return m_differences.keep_going || expected;
        std::printf("DISAGREEMENT (--seed %llu --round %llu): %s\n%s\n", static_cast<unsigned long long>(m_options.seed),
                    static_cast<unsigned long long>(round), what.c_str(), SpendToJson(spend, flags).c_str());
        return m_differences.keep_going;
    }

    bool CompareSpend(const Spend& spend, const SLHDSAScheme& slhdsa, Choices& choices, uint64_t round)
    {
        const SpendComparison comparison{m_oracles, slhdsa, spend};
        const size_t output{OutputIndex(spend)};
        for (size_t i{0}; i < FLAG_SETS; ++i) {
            const script_verify_flags flags{SomeFlags(choices) | SomeOwnFlags(choices)};
            Verdict expected, module;
            if (const auto what{comparison.CompareVerdict(flags, expected, module)}; !what.empty()) {
                const std::string kind{module != expected ? ErrorName(expected) + "," + ErrorName(module) : what};
                if (!Differ(spend, flags, round, kind, what)) return false;
            }
            ++m_errors[static_cast<size_t>(expected.error)];
            ++m_outputs[output][expected.valid];
            if (&slhdsa == &RealSLHDSA() && HasSLHDSALeaf(spend)) ++m_real;
            if (!(flags & OWN_FLAGS)) ++m_without_own;
        }
        if (const auto what{comparison.CompareCounts()}; !what.empty() && !Differ(spend, {}, round, "counts", what)) return false;

        std::vector<uint8_t> raw{SerializeToVector(spend.tx)};
        if (choices.Bool()) MutateBytes(raw, choices);
        if (const auto what{CompareParsing(m_oracles.today, raw)}; !what.empty() && !Differ(spend, {}, round, "parsing", what)) {
            return false;
        }
        ++m_parsed;
        return true;
    }
};

} // namespace

int main(int argc, char** argv)
{
    Differences differences;
    std::string spends;
    const RoundOptions options{ParseRoundOptions(argc, argv, DEFAULT_CASES, {
        {"--keep-going", "", "do not stop at a disagreement: count each pair of errors, and print the first spend of each",
         [&](const std::string&) { return differences.keep_going = true; }},
        {"--expect", "CORE,MODULE", "a difference that is meant: Core's error, and this library's (OK: none, *: any); may be repeated",
         [&](const std::string& text) {
             const auto expected{ParseExpected(text)};
             if (expected) differences.expected.insert(*expected);
             return expected.has_value();
         }},
        {"--spends", "FILE", "begin with these spends (as slhtool reads them, or an array) instead of the BIP text's vectors",
         [&](const std::string& text) { return !(spends = text).empty(); }},
    })};
    OracleError error;
    const CoreOracles* const oracles{LoadCoreOracles(error)};
    if (!oracles) {
        std::printf("differential_core: %s\n", error.Line().c_str());
        return error.ExitStatus();
    }
    KnownSpends known_spends{.core = ReadCoreSpends(SLHC_CORE_TEST_DATA_DIR), .module = {}};
    try {
        known_spends.module = spends.empty() ? ReadBIPSpends(SLHC_BIP_VECTORS_DIR) : ReadSpendFile(spends);
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "differential_core: %s\n", problem.what());
        return 2;
    }
    std::printf("seed %llu, %u threads, %zu inputs from Bitcoin Core's test data and %zu from the %s to start from\n",
                static_cast<unsigned long long>(options.seed), options.threads, known_spends.core.size(), known_spends.module.size(),
                spends.empty() ? "BIP text's" : "given file");
    const bool expects{!differences.expected.empty()};
    Comparison comparison{*oracles, options, std::move(differences), std::move(known_spends)};
    const auto start{std::chrono::steady_clock::now()};
    const uint64_t n_rounds{(options.cases + CASES_PER_ROUND - 1) / CASES_PER_ROUND};
    if (options.only_round) {
        comparison.Round(*options.only_round);
    } else {
        ForEachRound(n_rounds, options.threads, [&](uint64_t round) { return comparison.Round(round); });
    }
    const double seconds{std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
    comparison.PrintHistogram();
    std::printf("\n");
    const bool good{comparison.PrintDifferences()};
    std::printf("%llu cases in %.1f s, %s\n", static_cast<unsigned long long>(comparison.Cases()), seconds,
                !expects ? (good ? "no disagreement" : "DISAGREEMENT") : (good ? "as expected" : "NOT AS EXPECTED"));
    if (good && options.cases >= DEFAULT_CASES && !options.only_round) {
        // A generator that no longer reaches all of the rules proves less than it seems to.
        if (const std::string names{comparison.Unreached()}; !names.empty()) {
            std::printf("never occurred: %s\n", names.c_str());
            return 1;
        }
    }
    return good ? 0 : 1;
}
