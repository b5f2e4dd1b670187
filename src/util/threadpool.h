// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_UTIL_THREADPOOL_H
#define SLHCONSENSUS_UTIL_THREADPOOL_H

#include <cstddef>
#include <functional>
#include <memory>

namespace slhc {

/** The number of hardware threads that this process may use (its affinity mask counts), at least 1. */
[[nodiscard]] unsigned UsableCores() noexcept;

/** A fixed number of threads that work through the chunks of a job together with the calling thread.
 *
 *  - A pool of n threads has n - 1 workers: the caller is the n-th. With n = 1 everything runs in the caller.
 *  - Workers start with the first job that has work for them, and block all signals but a thread's own faults.
 *  - Any number of threads may call Run() at the same time, also from within a chunk: each caller works on
 *    its own job, so it advances whatever the workers do. No lock is held while a chunk runs.
 *  - Workers that no job needs take steps of the attached sources: work that nobody waits for in Run() yet.
 *  - If the system refuses worker threads, the pool does without them. */
class ThreadPool
{
public:
    /** The largest number of threads; more are reduced to it. */
    static constexpr unsigned MAX_THREADS{256};

    /** @param[in] threads  including the caller; 0 for UsableCores() */
    explicit ThreadPool(unsigned threads);
    /** Waits for the chunks that are running. @pre no thread is in Run() */
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    /** The largest number of threads that work on a job, its caller included. */
    [[nodiscard]] unsigned Threads() const noexcept { return m_threads; }

    /** Work for idle workers, in steps, for as long as it is attached. */
    class Source
    {
    public:
        virtual ~Source() = default;
        /** True if there may be a step to take. Called under the pool's lock, so it must neither take a lock nor wait. */
        [[nodiscard]] virtual bool HasStep() const noexcept = 0;
        /** Take one step, if there still is one. Called without a lock, by several workers at once; may call Run(). */
        virtual void TakeStep() noexcept = 0;
    };

    /** Let workers take a source's steps. With a single thread, there is no worker to do so.
     *  @throws std::bad_alloc */
    void Attach(Source& source);
    /** Take no more of its steps; returns when no worker is in one. */
    void Detach(Source& source) noexcept;
    /** Call this when a source has a new step. */
    void Wake() noexcept;

    /** Call chunk(i) once for each i below n_chunks, in any order and on any of the pool's threads, and return
     *  when all calls have returned. Chunks are taken one by one, so the later ones even out the earlier.
     *  If a call throws, chunks that have not begun are not run, and the first exception is rethrown here.
     *  @return false if Interrupt() came first and some chunk was not run */
    [[nodiscard]] bool Run(size_t n_chunks, const std::function<void(size_t)>& chunk);

    /** From now on no chunk begins; running ones end, and every Run() returns. For shutdown: there is no way back. */
    void Interrupt() noexcept;
    [[nodiscard]] bool Interrupted() const noexcept;

private:
    struct Attached;
    struct Job;
    struct Shared;
    bool RunInline(size_t n_chunks, const std::function<void(size_t)>& chunk) const;

    const unsigned m_threads;
    std::unique_ptr<Shared> m_shared;
};

} // namespace slhc

#endif // SLHCONSENSUS_UTIL_THREADPOOL_H
