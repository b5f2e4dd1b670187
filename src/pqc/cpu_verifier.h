// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_CPU_VERIFIER_H
#define SLHCONSENSUS_PQC_CPU_VERIFIER_H

#include <pqc/check.h>
#include <pqc/counted_backend.h>
#include <util/threadpool.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace slhc::slhdsa {

/** A range of jobs. */
struct Chunk {
    size_t begin;
    size_t size;
};

/** Cut n jobs into chunks for a number of threads, none of more than `preferred` jobs: large ones first, smaller ones
 *  towards the end, so that threads finish together, equally fast ones with ⌈n / threads⌉ jobs at most.
 *  @return the chunks in order; together they cover all n jobs */
[[nodiscard]] std::vector<Chunk> CutChunks(size_t n, unsigned threads, size_t preferred);

/** Verifies signatures on the CPU, whose verdict is final. All checks of a call are alike: of one set, with signatures of its size. */
class CpuVerifier
{
public:
    CpuVerifier(std::shared_ptr<RootBackend> engine, std::shared_ptr<ThreadPool> pool, std::shared_ptr<const Logger> logger);

    /** In the calling thread. @throws std::bad_alloc */
    void VerifyHere(std::span<const CheckView> checks, std::span<Verdict> verdicts);

    /** On all threads of the pool. @return false if it was interrupted */
    [[nodiscard]] bool Verify(std::span<const CheckView> checks, std::span<Verdict> verdicts);

    /** In the calling thread. If the engine fails, the portable code takes over, which cannot. */
    void ComputeRoots(std::span<const RootJob> jobs, std::span<Root> roots);

    /** Call f(begin, end) for ranges that cover n jobs, of `preferred` at most, on all threads.
     *  @param[in] preferred  0: as the engine has it
     *  @return false if the pool was interrupted */
    [[nodiscard]] bool RunInChunks(size_t n, size_t preferred, const std::function<void(size_t begin, size_t end)>& f) const;

    /** While there is one, a thread verifies for itself, so that the pace of all threads is not learned. */
    class Busy
    {
    public:
        explicit Busy(CpuVerifier& cpu) : m_count{cpu.m_busy} { ++m_count; }
        ~Busy() { --m_count; }
        Busy(const Busy&) = delete;
        Busy& operator=(const Busy&) = delete;

    private:
        std::atomic<size_t>& m_count;
    };

    /** That of all threads, in compressions, once there was a batch that tells it. */
    [[nodiscard]] std::optional<Pace> MeasuredPace() const { return m_pace.Get(); }
    [[nodiscard]] const CountedBackend<RootBackend>& Engine() const { return m_engine; }

private:
    CountedBackend<RootBackend> m_engine;
    const std::unique_ptr<RootBackend> m_portable; //!< in case the engine fails
    const std::shared_ptr<ThreadPool> m_pool;
    const std::shared_ptr<const Logger> m_logger;
    LearnedPace m_pace;
    std::atomic<size_t> m_busy{0};
};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_CPU_VERIFIER_H
