// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/core/rounds.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>
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

void VisitPlan(Choices& choices, Scope scope, const SignatureProbe& probe, const SpendVisitor& visit)
{
    const Plan unsigned_plan{MakePlan(choices, scope)};
    Plan plan{unsigned_plan};
    const bool real{scope == Scope::ALL && choices.OneIn(REAL_SLHDSA_EVERY)};
    const SLHDSAScheme& slhdsa{real ? RealSLHDSA() : QuickSLHDSA()};
    const Spend good{plan.BuildSigned(probe, choices, slhdsa)};
    visit(good, slhdsa, choices);
    const auto changed{[&](Plan copy) {
        for (size_t n{choices.Below(2) + 1}; n > 0; --n) MutatePlan(copy, choices);
        return copy;
    }};
    for (size_t i{1}; i < SPENDS_PER_ROUND; ++i) {
        // A real signature takes longer to make than all the rest.
        switch (real && !choices.OneIn(8) ? 1 + choices.Below(2) : choices.Below(3)) {
        case 0: visit(changed(unsigned_plan).BuildSigned(probe, choices, slhdsa), slhdsa, choices); break;
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

void VisitRound(uint64_t seed, uint64_t round, Scope scope, const SignatureProbe& probe, const KnownSpends& known,
                const SpendVisitor& visit)
{
    SeededChoices choices{seed * 0x100000001b3 + round};
    if (!known.core.empty() && choices.OneIn(8)) {
        VisitKnown(choices, known.core, visit);
    } else if (!known.module.empty() && choices.OneIn(8)) {
        VisitKnown(choices, known.module, visit);
    } else {
        VisitPlan(choices, scope, probe, visit);
    }
}

RoundOptions ParseRoundOptions(int argc, char** argv, uint64_t default_cases)
{
    RoundOptions options{.seed = 1, .cases = default_cases, .threads = std::max(1U, std::thread::hardware_concurrency()), .only_round = {}};
    const auto usage{[&](const std::string& problem) {
        std::fprintf(stderr, "%s: %s\nusage: %s [--seed N] [--cases N] [--threads N] [--round N]\n", argv[0], problem.c_str(), argv[0]);
        std::exit(2);
    }};
    for (int i{1}; i < argc; i += 2) {
        const std::string_view name{argv[i]};
        if (i + 1 == argc) usage(std::string{name} + " needs a number");
        const std::string_view text{argv[i + 1]};
        uint64_t value{0};
        const auto [end, error]{std::from_chars(text.data(), text.data() + text.size(), value)};
        if (error != std::errc{} || end != text.data() + text.size()) usage("no number: " + std::string{text});
        if (name == "--seed") {
            options.seed = value;
        } else if (name == "--cases") {
            options.cases = value;
        } else if (name == "--threads" && value > 0 && value <= 1024) {
            options.threads = static_cast<unsigned>(value);
        } else if (name == "--round") {
            options.only_round = value;
        } else {
            usage("unknown option or value out of range: " + std::string{name});
        }
    }
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
