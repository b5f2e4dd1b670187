// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <slhdsa/batch.h>

#include <slhdsa/check.h>
#include <slhdsa/verifier.h>
#include <util/log.h>
#include <util/time.h>

#include <slhdsa.h>

#include <chrono>
#include <cstdint>

void SLHDSABatch::Deleter::operator()(slhc_batch* batch) const { slhc_batch_destroy(batch); }

// The library's threads begin with the signatures while the block's scripts run.
SLHDSABatch::SLHDSABatch(const SLHDSAVerifier& verifier) : m_verifier{verifier}, m_batch{slhc_batch_create(verifier.Context(), SLHC_BATCH_AHEAD)} {}

SLHDSABatch::~SLHDSABatch() = default;

bool SLHDSABatch::Add(std::vector<SLHDSACheck>&& checks, const Input& input)
{
    for (const SLHDSACheck& check : checks) {
        const uint64_t tag[3]{input.tx_index, input.n_in, check.opcode_pos};
        const int added{m_batch ? slhc_batch_add(m_batch.get(), check.pubkey.Set(), check.pubkey.data(), check.sighash.begin(),
                                                 {check.signature.data(), check.signature.size()}, tag)
                                : SLHC_ERROR};
        if (added != SLHC_DEFERRED && !m_verifier.Verify(check.pubkey, check.sighash, check.signature)) return false;
    }
    return true;
}

SLHDSABatch::Result SLHDSABatch::Verify(Input& failure)
{
    if (!m_batch) return Result::VALID; // Add() has verified everything

    SLHDSAStatistics& statistics{m_verifier.Statistics()};
    const auto start{SteadyClock::now()};
    uint64_t tag[3]{};
    // Whatever its size is said to be: the size is for people, the verdict decides.
    const int verdict{slhc_batch_verify(m_batch.get(), tag)};
    const auto duration{SteadyClock::now() - start};

    if (verdict != SLHC_VALID && verdict != SLHC_INVALID) {
        ++statistics.no_verdicts;
        slhc_error error SLHC_ERROR_INIT;
        LogError("slhdsa: no verdict on %u signatures: %s", Size(), slhc_last_error(&error) == SLHC_OK ? error.message : "unknown error");
        return Result::FAILED;
    }
    if (Size() > 0) {
        const uint64_t us(Ticks<std::chrono::microseconds>(duration));
        ++statistics.batches;
        statistics.batch_signatures += Size();
        statistics.batch_us += us;
        statistics.last_batch_signatures = Size();
        statistics.last_batch_us = us;
        if (verdict == SLHC_INVALID) ++statistics.batches_invalid;
        LogDebug(BCLog::SLHDSA, "Verified %u signatures, finished %.2fms after the scripts: %s", Size(), Ticks<MillisecondsDouble>(duration),
                 verdict == SLHC_VALID ? "valid" : "invalid");
    }
    if (verdict == SLHC_VALID) return Result::VALID;
    failure = {.tx_index = static_cast<size_t>(tag[0]), .n_in = static_cast<unsigned int>(tag[1])};
    return Result::INVALID;
}

size_t SLHDSABatch::Size() const { return slhc_batch_size(m_batch.get()); }
