// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/core/rounds.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <thread>

namespace slhc::test {

namespace {

void VisitKnown(Choices& choices, const std::vector<Spend>& spends, const SpendVisitor& visit)
{
    const Spend& known{choices.PickFrom(spends)};
    visit(known, RealSLHDSA(), choices);
    for (size_t i{1}; i < SPENDS_PER_ROUND; ++i) {
        Spend spend{known};
        for (size_t n{choices.Below(3) + 1}; n > 0; --n) MutateSpend(spend, choices);
        visit(spend, RealSLHDSA(), choices);
    }
}

void VisitPlan(Choices& choices, Scope scope, const SpendVisitor& visit)
{
    const Plan unsigned_plan{MakePlan(choices, scope)};
    Plan plan{unsigned_plan};
    const bool real{scope == Scope::ALL && choices.OneIn(REAL_SLHDSA_EVERY)};
    const SLHDSAScheme& slhdsa{real ? RealSLHDSA() : QuickSLHDSA()};
    const Spend good{plan.BuildSigned(choices, slhdsa)};
    visit(good, slhdsa, choices);
    const auto changed{[&](Plan copy) {
        for (size_t n{choices.Below(2) + 1}; n > 0; --n) MutatePlan(copy, choices);
        return copy;
    }};
    for (size_t i{1}; i < SPENDS_PER_ROUND; ++i) {
        // A real signature takes longer to make than all the rest.
        switch (real && !choices.OneIn(8) ? 1 + choices.Below(2) : choices.Below(3)) {
        case 0: visit(changed(unsigned_plan).BuildSigned(choices, slhdsa), slhdsa, choices); break;
        case 1: visit(changed(plan).Build(), slhdsa, choices); break;
        default: {
            Spend spend{good};
            for (size_t n{choices.Below(3) + 1}; n > 0; --n) MutateSpend(spend, choices);
            visit(spend, slhdsa, choices);
        }
        }
    }
}

} // namespace

void VisitRound(uint64_t seed, uint64_t round, Scope scope, const KnownSpends& known, const SpendVisitor& visit)
{
    SeededChoices choices{seed * 0x100000001b3 + round};
    if (!known.core.empty() && choices.OneIn(8)) {
        VisitKnown(choices, known.core, visit);
    } else if (!known.module.empty() && choices.OneIn(8)) {
        VisitKnown(choices, known.module, visit);
    } else {
        VisitPlan(choices, scope, visit);
    }
}

RoundOptions ParseRoundOptions(int argc, char** argv, uint64_t default_cases, const std::vector<ExtraOption>& extra)
{
    RoundOptions options{.seed = 1, .cases = default_cases, .threads = std::max(1U, std::thread::hardware_concurrency()), .only_round = {}};
    const auto number{[](uint64_t& to, uint64_t least, uint64_t most) {
        return [&to, least, most](const std::string& text) {
            const char* const text_end{text.data() + text.size()};
            const auto [end, error]{std::from_chars(text.data(), text_end, to)};
            return error == std::errc{} && end == text_end && to >= least && to <= most;
        };
    }};
    uint64_t threads{options.threads}, round{0};
    constexpr uint64_t ANY{std::numeric_limits<uint64_t>::max()};
    std::vector<ExtraOption> known{
        {"--seed", "N", "round n of a seed is the same in every run (default: 1)", number(options.seed, 0, ANY)},
        {"--cases", "N", "(default: " + std::to_string(default_cases) + ")", number(options.cases, 0, ANY)},
        {"--threads", "N", "(default: one for each core)", number(threads, 1, 1024)},
        {"--round", "N", "only that round", [&](const std::string& text) {
             options.only_round = round;
             return number(*options.only_round, 0, ANY)(text);
         }},
    };
    known.insert(known.end(), extra.begin(), extra.end());
    const auto fail{[&](const std::string& problem) {
        std::fprintf(stderr, "%s: %s (see --help)\n", argv[0], problem.c_str());
        std::exit(2);
    }};
    for (int i{1}; i < argc; ++i) {
        const std::string name{argv[i]};
        if (name == "--help" || name == "-h") {
            std::printf("usage: %s [OPTION]...\n", argv[0]);
            for (const ExtraOption& option : known) {
                std::printf("  %-22s %s\n", (option.name + " " + option.value).c_str(), option.meaning.c_str());
            }
            std::exit(0);
        }
        const auto option{std::ranges::find(known, name, &ExtraOption::name)};
        if (option == known.end()) fail("unknown option: " + name);
        std::string value;
        if (!option->value.empty()) {
            if (++i == argc) fail(name + " needs a value");
            value = argv[i];
        }
        if (!option->take(value)) fail(name + ": not understood, or out of range: " + value);
    }
    options.threads = static_cast<unsigned>(threads);
    return options;
}

bool ForEachRound(uint64_t n_rounds, unsigned threads, const std::function<bool(uint64_t round)>& run)
{
    std::atomic<uint64_t> next{0};
    std::atomic<bool> good{true};
    const auto work{[&] {
        while (good) {
            const uint64_t round{next++};
            if (round >= n_rounds) return;
            if (!run(round)) good = false;
        }
    }};
    std::vector<std::thread> others;
    for (unsigned i{1}; i < threads; ++i) others.emplace_back(work);
    work();
    for (std::thread& thread : others) thread.join();
    return good;
}

} // namespace slhc::test
