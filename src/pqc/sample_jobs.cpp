// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/sample_jobs.h>

#include <algorithm>
#include <cstring>

namespace slhc::slhdsa {

namespace {

/** SplitMix64: good enough to make every job another one. */
class Generator
{
public:
    uint64_t Next() noexcept
    {
        uint64_t z{m_state += 0x9e3779b97f4a7c15};
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

    void Fill(std::span<uint8_t> bytes) noexcept
    {
        for (size_t i = 0; i < bytes.size(); i += sizeof(uint64_t)) {
            const uint64_t x{Next()};
            std::memcpy(bytes.data() + i, &x, std::min(sizeof(x), bytes.size() - i));
        }
    }

private:
    uint64_t m_state{0x534c482d44534121};
};

} // namespace

SampleJobs::SampleJobs(size_t n, ParameterSet set) : m_bytes(n), m_jobs(n)
{
    const Params p{ParamsOf(set)};
    const auto low_bits{[](uint64_t x, size_t bits) { return bits < 64 ? x & ((uint64_t{1} << bits) - 1) : x; }};
    Generator generator;
    for (size_t i = 0; i < n; ++i) {
        m_bytes[i].resize(N + p.SignatureSize());
        generator.Fill(m_bytes[i]);
        RootJob& job{m_jobs[i]};
        job.pk_seed = m_bytes[i].data();
        job.signature = m_bytes[i].data() + N;
        generator.Fill(std::span{job.md}.first(p.MdSize()));
        job.set = set;
        job.idx_leaf = static_cast<uint32_t>(low_bits(generator.Next(), p.h_prime()));
        job.idx_tree = low_bits(generator.Next(), p.h - p.h_prime());
    }
}

} // namespace slhc::slhdsa
