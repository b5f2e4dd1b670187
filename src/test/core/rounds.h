// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_CORE_ROUNDS_H
#define SLHCONSENSUS_TEST_CORE_ROUNDS_H

#include <script/verify_flags.h>
#include <test/core/choices.h>
#include <test/core/plan_maker.h>
#include <test/core/slhdsa_scheme.h>
#include <test/core/spend.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/** Cases by the million: rounds, each a family of related spends, spread over threads. Round n of a seed is the same
 *  whatever the number of threads. */
namespace slhc::test {

/** Called for each spend of a round, with the scheme of its SLH-DSA signatures. */
using SpendVisitor = std::function<void(const Spend& spend, const SLHDSAScheme& slhdsa, Choices& choices)>;

/** Spends with which rounds may begin instead of a plan. */
struct KnownSpends {
    std::vector<Spend> core;   //!< without SLH-DSA signatures
    std::vector<Spend> module; //!< with real ones
};

/** Spends that one round tries. */
inline constexpr size_t SPENDS_PER_ROUND{12};

/** A plan, or one of the given spends; as it is, then changed in several ways: before signing, after signing, byte by
 *  byte. SPENDS_PER_ROUND of them. In one plan of REAL_SLHDSA_EVERY, SLH-DSA signatures are real. */
inline constexpr uint64_t REAL_SLHDSA_EVERY{8};
void VisitRound(uint64_t seed, uint64_t round, Scope scope, const KnownSpends& known, const SpendVisitor& visit);

/** The command line options of a test of this kind. */
struct RoundOptions {
    uint64_t seed{1};
    uint64_t cases;
    unsigned threads;
    std::optional<uint64_t> only_round; //!< to examine one that failed
};

/** An option that a test has beside those of all. */
struct ExtraOption {
    std::string name;
    std::string value; //!< what --help calls it; empty: the option has none
    std::string meaning;
    std::function<bool(const std::string& value)> take; //!< returns false if it does not understand the value
};

/** --seed N, --cases N, --threads N, --round N, and others. --help prints them and exits with status 0. For anything else, prints the
 *  error and exits with status 2. */
RoundOptions ParseRoundOptions(int argc, char** argv, uint64_t default_cases, const std::vector<ExtraOption>& extra = {});

/** Call run(round) for rounds 0 to n_rounds - 1 from several threads, in order as they become free, until one returns
 *  false. @return true if none did */
bool ForEachRound(uint64_t n_rounds, unsigned threads, const std::function<bool(uint64_t round)>& run);

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_CORE_ROUNDS_H
