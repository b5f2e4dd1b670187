// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <util/abandonable_thread.h>

namespace slhc {

bool AbandonableThread::EndsWithin(std::chrono::milliseconds limit)
{
    // Of a stop, however long, one part is lost.
    constexpr int PARTS{10};
    std::unique_lock lock{m_end->mutex};
    for (int i{0}; i < PARTS; ++i) {
        if (m_end->changed.wait_for(lock, std::chrono::nanoseconds{limit} / PARTS, [this] { return m_end->reached; })) return true;
    }
    return false;
}

void AbandonableThread::End::Reach() noexcept
{
    const std::lock_guard lock{mutex};
    reached = true;
    changed.notify_all();
}

} // namespace slhc
