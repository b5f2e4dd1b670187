// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <bench/corpus.h>

#include <pqc/signer.h>
#include <util/threadpool.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>

using namespace slhc::slhdsa;

namespace slhc::bench {

void FillRandom(std::span<uint8_t> bytes, std::mt19937_64& random)
{
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
}

namespace {

size_t ValidCountFromEnvironment()
{
    const char* const text{std::getenv("SLHC_BENCH_SIGNATURES")};
    if (!text) return 512;
    char* end{nullptr};
    const unsigned long n{std::strtoul(text, &end, 10)};
    if (*text == '\0' || *end != '\0' || n < 1 || n > Corpus::SIZE) {
        throw std::invalid_argument{"SLHC_BENCH_SIGNATURES is not a number from 1 to " + std::to_string(Corpus::SIZE)};
    }
    return n;
}

} // namespace

const Corpus& Corpus::Get()
{
    static const Corpus s_corpus;
    return s_corpus;
}

Corpus::Corpus() : m_valid{ValidCountFromEnvironment()}, m_entries(SIZE)
{
    std::fprintf(stderr, "Making %zu keys and signatures ...\n", m_valid);
    ThreadPool pool{0};
    (void)pool.Run(SIZE, [&](size_t i) {
        std::mt19937_64 random{i};
        Entry& entry{m_entries[i]};
        FillRandom(entry.message, random);
        if (i < m_valid) {
            ThreadPool here{1};
            std::array<uint8_t, KEYGEN_SEED_SIZE> seed;
            FillRandom(seed, random);
            if (!GenerateKey(here, ParameterSet::SHA2_128S, seed, entry.secret_key, entry.public_key) ||
                !Sign(here, ParameterSet::SHA2_128S, entry.message, {}, entry.secret_key, nullptr, entry.signature)) {
                throw std::logic_error{"signing failed"};
            }
        } else {
            FillRandom(entry.public_key, random);
            FillRandom(entry.signature, random);
        }
    });
    for (const Entry& entry : m_entries) {
        m_checks.push_back({entry.public_key.data(), *MessagePieces::Pure(entry.message, {}), entry.signature, ParameterSet::SHA2_128S});
    }
}

std::span<const CheckView> Corpus::Slice(size_t n, size_t call) const
{
    if (n > m_valid) return std::span{m_checks}.first(std::min(n, SIZE));
    return std::span{m_checks}.subspan(call * n % (m_valid - n + 1), n);
}

bool Corpus::Right(std::span<const CheckView> slice, std::span<const Verdict> verdicts) const
{
    const size_t first{static_cast<size_t>(slice.data() - m_checks.data())};
    for (size_t i{0}; i < verdicts.size(); ++i) {
        if (verdicts[i] != (first + i < m_valid ? Verdict::VALID : Verdict::INVALID)) return false;
    }
    return true;
}

} // namespace slhc::bench
