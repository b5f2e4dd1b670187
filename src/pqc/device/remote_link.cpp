// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/device/remote_link.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace slhc::slhdsa {

namespace {

/** The time to wait for the driver before the thread looks for something else to do. */
constexpr std::chrono::milliseconds LOOK_UP{1};

} // namespace

RemoteLink::RemoteLink(std::shared_ptr<DeviceLink> link) : m_link{std::move(link)}, m_slots(m_link->Slots()) {}

std::optional<size_t> RemoteLink::Oldest(Phase phase) const noexcept
{
    std::optional<size_t> oldest;
    for (size_t i = 0; i < m_slots.size(); ++i) {
        if (m_slots[i].phase == phase && (!oldest || m_slots[i].turn < m_slots[*oldest].turn)) oldest = i;
    }
    return oldest;
}

/** True if the thread should wait in the driver for the work in progress. Until somebody needs its result, another Submit() may come, which
 *  must not wait for it. */
bool RemoteLink::MustWait() const noexcept
{
    // The caller of Wait() may not have noticed yet that its slot is done.
    const auto needed{[](const Slot& slot) { return slot.awaited && slot.phase != Phase::DONE; }};
    return m_closed || std::any_of(m_slots.begin(), m_slots.end(), needed);
}

void RemoteLink::Serve() noexcept
{
    std::unique_lock lock{m_mutex};
    while (!m_abandoned) {
        if (m_task) {
            const auto task{std::exchange(m_task, nullptr)};
            lock.unlock();
            task(m_link);
            lock.lock();
            continue;
        }
        const auto asked{Oldest(Phase::ASKED)};
        const auto next{asked ? asked : MustWait() ? Oldest(Phase::AT_WORK) : std::nullopt};
        if (!next) {
            if (m_closed) break;
            m_asked.wait(lock);
            continue;
        }
        Slot& slot{m_slots[*next]};
        LinkStatus status{m_fault};
        if (status == LinkStatus::OK) {
            lock.unlock();
            status = asked ? m_link->Submit(*next, slot.set, slot.count) : m_link->Wait(*next, LOOK_UP);
            lock.lock();
        }
        if (asked && status == LinkStatus::OK) {
            slot.phase = Phase::AT_WORK;
        } else if (asked || status != LinkStatus::LATE) { // Wait() knows when it is too late for the slot
            m_fault = slot.status = status;
            slot.phase = Phase::DONE;
            m_done.notify_all();
        } else {
            ++slot.not_done;
            if (slot.overdue) m_done.notify_all();
        }
    }
    const bool abandoned{m_abandoned};
    const std::shared_ptr<DeviceLink> link{std::move(m_link)};
    // A driver may hang here too, and Close() may be called meanwhile.
    lock.unlock();
    if (abandoned) link->Abandon();
}

void RemoteLink::Close() noexcept
{
    const std::lock_guard lock{m_mutex};
    m_closed = true;
    m_asked.notify_all();
}

LinkStatus RemoteLink::Submit(size_t slot, ParameterSet set, size_t count) noexcept
{
    const std::lock_guard lock{m_mutex};
    m_slots[slot] = {.phase = Phase::ASKED, .turn = m_next_turn++, .set = set, .count = count};
    m_asked.notify_all();
    return LinkStatus::OK;
}

void RemoteLink::Do(std::function<void(const std::shared_ptr<DeviceLink>&)> task)
{
    const std::lock_guard lock{m_mutex};
    m_task = std::move(task);
    m_asked.notify_all();
}

LinkStatus RemoteLink::Wait(size_t slot, std::chrono::nanoseconds limit) noexcept
{
    std::unique_lock lock{m_mutex};
    Slot& s{m_slots[slot]};
    s.awaited = true;
    m_asked.notify_all();
    const auto done{[&] { return s.phase == Phase::DONE; }};
    s.overdue = !m_done.wait_for(lock, limit, done);
    if (s.overdue) {
        // The process may have stood still (stopped, throttled, its machine paused) while the device finished, and this thread may be the
        // first to go on. So the driver's word counts, unless it was asked before the time was up; and work that was not even submitted has
        // just begun.
        const bool at_work{s.phase == Phase::AT_WORK};
        const uint64_t before{s.not_done};
        m_done.wait_for(lock, limit, [&] { return done() || (at_work && s.not_done >= before + 2); });
    }
    s.awaited = s.overdue = false;
    return done() ? s.status : LinkStatus::LATE;
}

void RemoteLink::Abandon() noexcept
{
    const std::lock_guard lock{m_mutex};
    m_abandoned = true;
    m_asked.notify_all();
}

} // namespace slhc::slhdsa
