// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/cpu_verifier.h>

#include <pqc/batch_sharer.h>
#include <pqc/cpu/engines.h>
#include <pqc/judge.h>

#include <algorithm>
#include <chrono>
#include <string>

namespace slhc::slhdsa {

std::vector<Chunk> CutChunks(size_t n, unsigned threads, size_t preferred)
{
    std::vector<Chunk> chunks;
    preferred = std::max<size_t>(preferred, 1);
    size_t begin{0};
    const auto cut_evenly{[&](size_t total, size_t n_chunks) {
        for (size_t i{0}; i < n_chunks; ++i) {
            const size_t size{total / n_chunks + (i < total % n_chunks ? 1 : 0)};
            chunks.push_back({begin, size});
            begin += size;
        }
    }};
    if (threads <= 1) {
        cut_evenly(n, (n + preferred - 1) / preferred); // nothing to even out
        return chunks;
    }
    // Rounds of equal chunks, one for each thread, so that equally fast threads end together; each round takes two thirds of what is
    // left, so that a slower one holds up the others little. The last chunks leave some lanes of a backend empty, but few
    // signatures are in them.
    const size_t least{std::max<size_t>(preferred / 16, 1)};
    const auto rest{[&] { return n - begin; }};
    while (rest() >= 2 * least * threads || rest() > preferred * threads) {
        const size_t share{rest() / threads};
        const size_t size{std::clamp<size_t>(share * 2 / 3, 1, preferred)};
        cut_evenly(size * threads, threads);
    }
    cut_evenly(rest(), std::min<size_t>(rest(), threads));
    return chunks;
}

CpuVerifier::CpuVerifier(std::shared_ptr<RootBackend> engine, std::shared_ptr<ThreadPool> pool, std::shared_ptr<const Logger> logger)
    : m_engine{std::move(engine), logger}, m_portable{CreatePortableEngine()}, m_pool{std::move(pool)}, m_logger{std::move(logger)}
{
}

void CpuVerifier::ComputeRoots(std::span<const RootJob> jobs, std::span<Root> roots)
{
    if (m_engine.Compute(jobs, roots) == BackendStatus::OK) return;
    m_logger->Log(LogLevel::WARNING,
                  [&] { return std::string{m_engine.Get().Name()} + " failed; the portable code takes over for this call"; });
    // Scalar code on the stack: it has no way to fail.
    (void)m_portable->ComputeRoots(jobs, roots);
}

void CpuVerifier::VerifyHere(std::span<const CheckView> checks, std::span<Verdict> verdicts)
{
    std::vector<RootJob> jobs;
    jobs.reserve(checks.size());
    for (const CheckView& check : checks) jobs.push_back(PrepareRootJob(check));
    std::vector<Root> roots(checks.size());
    ComputeRoots(jobs, roots);
    for (size_t i = 0; i < checks.size(); ++i) {
        verdicts[i] = RootMatches(roots[i], checks[i].public_key) ? Verdict::VALID : Verdict::INVALID;
    }
}

bool CpuVerifier::RunInChunks(size_t n, size_t preferred, const std::function<void(size_t begin, size_t end)>& f) const
{
    const std::vector<Chunk> chunks{CutChunks(n, m_pool->Threads(), preferred != 0 ? preferred : m_engine.Get().PreferredJobs())};
    return m_pool->Run(chunks.size(), [&](size_t i) { f(chunks[i].begin, chunks[i].begin + chunks[i].size); });
}

bool CpuVerifier::Verify(std::span<const CheckView> checks, std::span<Verdict> verdicts)
{
    const bool alone{m_busy == 0};
    const auto begin_time{std::chrono::steady_clock::now()};
    const bool done{RunInChunks(checks.size(), 0, [&](size_t begin, size_t end) {
        VerifyHere(checks.subspan(begin, end - begin), verdicts.subspan(begin, end - begin));
    })};
    if (done && alone && checks.size() >= LEAST_TELLING) {
        m_pace.Learn(checks.size() * ParamsOf(checks.front().set).VerifyCompressions(), std::chrono::steady_clock::now() - begin_time);
    }
    return done;
}

} // namespace slhc::slhdsa
