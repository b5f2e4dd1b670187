// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_SAMPLE_JOBS_H
#define SLHCONSENSUS_PQC_SAMPLE_JOBS_H

#include <pqc/backend.h>

#include <cstdint>
#include <span>
#include <vector>

namespace slhc::slhdsa {

/** Jobs to try out a backend: arbitrary bytes, the same in every run. Computing a root does not need a valid signature, and costs the same
 *  without one. */
class SampleJobs
{
public:
    explicit SampleJobs(size_t n, ParameterSet set = ParameterSet::SHA2_128S);
    SampleJobs(const SampleJobs&) = delete;
    SampleJobs& operator=(const SampleJobs&) = delete;

    [[nodiscard]] std::span<const RootJob> Jobs() const noexcept { return m_jobs; }

private:
    std::vector<std::vector<uint8_t>> m_bytes; //!< PK.seed || signature
    std::vector<RootJob> m_jobs;
};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_SAMPLE_JOBS_H
