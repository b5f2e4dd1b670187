// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <util/threadpool.h>

#include <util/thread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include <sched.h>

namespace slhc {

unsigned UsableCores() noexcept
{
#ifdef __linux__
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) == 0) {
        if (const int count{CPU_COUNT(&set)}; count > 0) return static_cast<unsigned>(count);
    }
#endif
    return std::max(1U, std::thread::hardware_concurrency());
}

/** One call of Run(). It lives on its caller's stack: the caller leaves only when no worker holds it. */
struct ThreadPool::Job {
    const std::function<void(size_t)>& chunk;
    const size_t n_chunks;
    std::atomic<size_t> next{0};       //!< first chunk that nobody has taken; beyond n_chunks when a call threw
    std::atomic<size_t> done{0};       //!< chunks whose call returned
    size_t workers{0};                 //!< workers inside this job; guarded by Shared::mutex
    std::exception_ptr exception;      //!< first exception of a chunk; guarded by Shared::mutex
};

/** A source, and the number of workers inside a step of it. */
struct ThreadPool::Attached {
    Source* source;
    size_t workers{0};
    bool leaving{false}; //!< it is being detached: no worker goes in
};

/** The state that workers and callers share. */
struct ThreadPool::Shared {
    std::mutex mutex;
    std::condition_variable work;      //!< a job or a step came, or the pool ends
    std::condition_variable idle;      //!< a worker left a job or a step
    std::deque<Job*> jobs;             //!< jobs that may have chunks nobody has taken
    std::list<Attached> sources;
    std::vector<std::thread> workers;
    bool started{false};
    bool stop{false};
    std::atomic<bool> interrupted{false};

    void Start(unsigned n_workers);
    void Work();
    void Help(std::unique_lock<std::mutex>& lock);
    Attached* FindStep();
    void Participate(Job& job);
};

/** Take chunks of job until none is left. */
void ThreadPool::Shared::Participate(Job& job)
{
    while (!interrupted.load(std::memory_order_relaxed)) {
        const size_t i{job.next.fetch_add(1, std::memory_order_relaxed)};
        if (i >= job.n_chunks) return;
        try {
            job.chunk(i);
        } catch (...) {
            job.next.store(job.n_chunks, std::memory_order_relaxed);
            const std::lock_guard lock{mutex};
            if (!job.exception) job.exception = std::current_exception();
            return;
        }
        job.done.fetch_add(1, std::memory_order_relaxed);
    }
}

/** Take chunks of the first job until none is left. @pre the lock is held, and there is a job */
void ThreadPool::Shared::Help(std::unique_lock<std::mutex>& lock)
{
    Job& job{*jobs.front()};
    ++job.workers;
    lock.unlock();
    Participate(job);
    lock.lock();
    // If nothing is left to take in this job, no other worker needs to look at it.
    if (interrupted || job.next >= job.n_chunks) std::erase(jobs, &job);
    if (--job.workers == 0) idle.notify_all();
}

/** @return nothing if no source has a step. @pre mutex is held */
ThreadPool::Attached* ThreadPool::Shared::FindStep()
{
    if (interrupted) return nullptr;
    const auto found{
        std::ranges::find_if(sources, [](const Attached& attached) { return !attached.leaving && attached.source->HasStep(); })};
    return found == sources.end() ? nullptr : &*found;
}

void ThreadPool::Shared::Work()
{
    std::unique_lock lock{mutex};
    while (true) {
        Attached* attached{nullptr};
        work.wait(lock, [&] { return stop || !jobs.empty() || (attached = FindStep()) != nullptr; });
        if (stop) return;
        if (!jobs.empty()) {
            // Somebody waits for this; a step can wait.
            Help(lock);
            continue;
        }
        ++attached->workers;
        lock.unlock();
        attached->source->TakeStep();
        lock.lock();
        if (--attached->workers == 0) idle.notify_all();
    }
}

/** @pre mutex is held */
void ThreadPool::Shared::Start(unsigned n_workers)
{
    started = true;
    try {
        workers.reserve(n_workers);
        while (workers.size() < n_workers) workers.push_back(StartThread([this] { Work(); }));
    } catch (const std::exception&) {
        // Only as many as the system grants.
    }
}

ThreadPool::ThreadPool(unsigned threads)
    : m_threads{std::clamp(threads == 0 ? UsableCores() : threads, 1U, MAX_THREADS)},
      m_shared{std::make_unique<Shared>()}
{
}

ThreadPool::~ThreadPool()
{
    {
        const std::lock_guard lock{m_shared->mutex};
        m_shared->stop = true;
    }
    m_shared->work.notify_all();
    for (std::thread& worker : m_shared->workers) worker.join();
}

void ThreadPool::Interrupt() noexcept { m_shared->interrupted.store(true); }

bool ThreadPool::Interrupted() const noexcept { return m_shared->interrupted.load(); }

void ThreadPool::Attach(Source& source)
{
    const std::lock_guard lock{m_shared->mutex};
    m_shared->sources.push_back({.source = &source});
}

void ThreadPool::Detach(Source& source) noexcept
{
    std::unique_lock lock{m_shared->mutex};
    const auto found{std::ranges::find(m_shared->sources, &source, &Attached::source)};
    if (found == m_shared->sources.end()) return;
    found->leaving = true;
    m_shared->idle.wait(lock, [&] { return found->workers == 0; });
    m_shared->sources.erase(found);
}

void ThreadPool::Wake() noexcept
{
    {
        const std::lock_guard lock{m_shared->mutex};
        if (!m_shared->started && m_threads > 1) m_shared->Start(m_threads - 1);
    }
    m_shared->work.notify_all();
}

bool ThreadPool::RunInline(size_t n_chunks, const std::function<void(size_t)>& chunk) const
{
    for (size_t i = 0; i < n_chunks; ++i) {
        if (Interrupted()) return false;
        chunk(i);
    }
    return true;
}

bool ThreadPool::Run(size_t n_chunks, const std::function<void(size_t)>& chunk)
{
    if (n_chunks <= 1 || m_threads == 1) return RunInline(n_chunks, chunk);

    Shared& shared{*m_shared};
    Job job{.chunk = chunk, .n_chunks = n_chunks, .exception = nullptr};
    {
        const std::lock_guard lock{shared.mutex};
        if (!shared.started) shared.Start(m_threads - 1);
        shared.jobs.push_back(&job);
    }
    // The caller takes a chunk itself, so at most n_chunks - 1 workers are of use.
    if (n_chunks > 2) {
        shared.work.notify_all();
    } else {
        shared.work.notify_one();
    }
    shared.Participate(job);
    {
        std::unique_lock lock{shared.mutex};
        std::erase(shared.jobs, &job);
        shared.idle.wait(lock, [&] { return job.workers == 0; });
    }
    if (job.exception) std::rethrow_exception(job.exception);
    return job.done.load(std::memory_order_relaxed) == n_chunks;
}

} // namespace slhc
