// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_BENCH_CORPUS_H
#define SLHCONSENSUS_BENCH_CORPUS_H

#include <pqc/check.h>
#include <pqc/slhdsa/slhdsa.h>

#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace slhc::bench {

void FillRandom(std::span<uint8_t> bytes, std::mt19937_64& random);

/** Inputs for benchmarks: every key, message and signature is different from all others. */
class Corpus
{
public:
    /** As many as the largest batch. */
    static constexpr size_t SIZE{4096};

    /** The one corpus, made at its first use. The first ValidCount() signatures are valid. The others are random
     *  bytes, whose verification is the same work: nothing is skipped, and the digits are as random as a hash. */
    static const Corpus& Get();

    /** The number of valid ones: the environment variable SLHC_BENCH_SIGNATURES, 512 unless it is set. */
    [[nodiscard]] size_t ValidCount() const { return m_valid; }

    /** n checks from a place that moves with every call, so that no call finds its inputs in a cache because the last one had them. They
     *  begin with valid ones if there are enough of them. */
    [[nodiscard]] std::span<const slhdsa::CheckView> Slice(size_t n, size_t call) const;

    /** True if these verdicts are right for the slice. */
    [[nodiscard]] bool Right(std::span<const slhdsa::CheckView> slice, std::span<const slhdsa::Verdict> verdicts) const;

    struct Entry {
        slhdsa::SecretKey secret_key; //!< of valid ones
        slhdsa::PublicKey public_key;
        std::array<uint8_t, 32> message;
        slhdsa::Signature signature;
    };
    [[nodiscard]] const Entry& At(size_t i) const { return m_entries[i % m_valid]; } //!< a valid one
    [[nodiscard]] std::span<const Entry> Entries() const { return m_entries; }       //!< all, valid ones first

private:
    Corpus();

    size_t m_valid;
    std::vector<Entry> m_entries;
    std::vector<slhdsa::CheckView> m_checks;
};

} // namespace slhc::bench

#endif // SLHCONSENSUS_BENCH_CORPUS_H
