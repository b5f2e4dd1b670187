// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <util/abandonable_thread.h>

#include <atomic>
#include <cstdlib>
#include <utility>

namespace slhc {

namespace {

//! The number of threads that were abandoned and have not ended.
constinit std::atomic<uint32_t> s_abandoned{0};

constexpr std::chrono::milliseconds STEP{10};
//! The number of steps that exit() waits, whatever the number of threads. One that hangs forever must not keep the process from ending.
constinit std::atomic<int> s_patience{500};

void WaitAtExit() noexcept
{
    while (AbandonableThread::CountAbandoned() > 0 && s_patience.fetch_sub(1) > 0) std::this_thread::sleep_for(STEP);
}

} // namespace

/** Of a thread that was started for an AbandonableThread. */
struct AbandonableThread::End::Reacher {
    constexpr Reacher() noexcept = default;
    ~Reacher()
    {
        if (end) end->Reach();
    }
    Reacher(const Reacher&) = delete;
    Reacher& operator=(const Reacher&) = delete;

    std::shared_ptr<End> end{};
};

constinit thread_local AbandonableThread::End::Reacher AbandonableThread::End::t_reacher;

bool AbandonableThread::EndsWithin(std::chrono::milliseconds limit)
{
    // A stop of the process, however long, costs one part.
    constexpr int PARTS{10};
    std::unique_lock lock{m_end->mutex};
    for (int i{0}; i < PARTS; ++i) {
        if (m_end->changed.wait_for(lock, std::chrono::nanoseconds{limit} / PARTS, [this] { return m_end->reached; })) return true;
    }
    return false;
}

void AbandonableThread::Abandon() noexcept
{
    {
        const std::lock_guard lock{m_end->mutex};
        m_end->abandoned = true;
        if (!m_end->reached) ++s_abandoned;
    }
    m_thread.detach();
    // Handlers run in reverse order, so it is registered each time, to run before those of all drivers loaded so far.
    (void)std::atexit(WaitAtExit);
}

void AbandonableThread::End::ReachLast(std::shared_ptr<End> end) noexcept
{
    t_reacher.end = std::move(end); // its destructor is registered by this first use
}

void AbandonableThread::End::Reach() noexcept
{
    const std::lock_guard lock{mutex};
    reached = true;
    if (abandoned) --s_abandoned;
    changed.notify_all();
}

uint32_t AbandonableThread::CountAbandoned() noexcept { return s_abandoned; }

} // namespace slhc
