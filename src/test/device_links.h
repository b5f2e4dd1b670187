// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_DEVICE_LINKS_H
#define SLHCONSENSUS_TEST_DEVICE_LINKS_H

#include <pqc/device/device_link.h>
#include <test/device_fixture.h>
#include <util/threadpool.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

/** Devices made of scalar code, each special in one respect. */
namespace slhc::slhdsa::test {

/** Passes everything on. */
class WrappedLink : public DeviceLink
{
public:
    explicit WrappedLink(size_t capacity = 7, size_t slots = 2) : m_inner{capacity, slots} {}
    size_t Slots() const noexcept override { return m_inner.Slots(); }
    LinkStatus Prepare(ParameterSet set, std::chrono::nanoseconds limit) noexcept override { return m_inner.Prepare(set, limit); }
    size_t Capacity(ParameterSet set) const noexcept override { return m_inner.Capacity(set); }
    size_t FullLayout(ParameterSet set) const noexcept override { return m_inner.FullLayout(set); }
    std::span<uint8_t> Entries(size_t slot) noexcept override { return m_inner.Entries(slot); }
    std::span<const Root> Roots(size_t slot) noexcept override { return m_inner.Roots(slot); }
    LinkStatus Submit(size_t slot, ParameterSet set, size_t count) noexcept override { return m_inner.Submit(slot, set, count); }
    LinkStatus Wait(size_t slot, std::chrono::nanoseconds limit) noexcept override { return m_inner.Wait(slot, limit); }
    void Abandon() noexcept override { m_inner.Abandon(); }

private:
    SoftwareLink m_inner;
};

/** Watches uploads. */
class WatchingLink final : public WrappedLink
{
public:
    struct Seen {
        std::vector<Root> masks;
        std::vector<Entry> entries;
        std::vector<std::chrono::nanoseconds> limits;
    };
    WatchingLink(size_t capacity, std::shared_ptr<Seen> seen) : WrappedLink{capacity}, m_seen{std::move(seen)} {}
    LinkStatus Submit(size_t slot, ParameterSet set, size_t count) noexcept override
    {
        for (const Entry& entry : EntriesOf(Entries(slot)).first(count)) {
            m_seen->masks.push_back(entry.head.mask);
            m_seen->entries.push_back(entry);
        }
        return WrappedLink::Submit(slot, set, count);
    }
    LinkStatus Wait(size_t slot, std::chrono::nanoseconds limit) noexcept override
    {
        m_seen->limits.push_back(limit);
        return WrappedLink::Wait(slot, limit);
    }

private:
    const std::shared_ptr<Seen> m_seen;
};

/** Wrong about one entry of each batch of certain sizes. */
class CrowdedLink final : public WrappedLink
{
public:
    /** @param[in] from   entries of the smallest batch that it is wrong about
     *  @param[in] to     and of the largest
     *  @param[in] value  which of an entry's values it gets wrong
     *  @param[in] full_layout  see DeviceLink */
    CrowdedLink(size_t from, size_t to, size_t value = 0, size_t full_layout = 40)
        : WrappedLink{64}, m_from{from}, m_to{to}, m_value{value}, m_full_layout{full_layout}
    {
    }
    /** Set by ForgetCache(), of copies too. */
    const std::shared_ptr<std::atomic<bool>> forgot{std::make_shared<std::atomic<bool>>(false)};
    void ForgetCache() noexcept override { *forgot = true; }
    size_t FullLayout(ParameterSet) const noexcept override { return m_full_layout; }
    LinkStatus Submit(size_t slot, ParameterSet set, size_t count) noexcept override
    {
        if (count >= m_from && count <= m_to) EntriesOf(Entries(slot))[count - 1].values[m_value] ^= 1;
        return WrappedLink::Submit(slot, set, count);
    }

private:
    const size_t m_from, m_to, m_value, m_full_layout;
};

/** Records calls; cuts batches into smaller chunks than its slots hold. */
class RecordingLink final : public WrappedLink
{
public:
    RecordingLink(size_t capacity, size_t least_chunk, std::shared_ptr<std::string> record, size_t slots = 2)
        : WrappedLink{capacity, slots}, m_least_chunk{least_chunk}, m_record{std::move(record)}
    {
    }
    size_t LeastChunk(ParameterSet) const noexcept override { return m_least_chunk; }
    LinkStatus Submit(size_t slot, ParameterSet set, size_t count) noexcept override
    {
        *m_record += "submit " + std::to_string(slot) + ": " + std::to_string(count) + "\n";
        return WrappedLink::Submit(slot, set, count);
    }
    LinkStatus Wait(size_t slot, std::chrono::nanoseconds limit) noexcept override
    {
        *m_record += "wait " + std::to_string(slot) + "\n";
        return WrappedLink::Wait(slot, limit);
    }

private:
    const size_t m_least_chunk;
    const std::shared_ptr<std::string> m_record;
};

/** Answers after a delay, on the cores of the CPU or beside them. */
class SlowLink final : public WrappedLink
{
public:
    using Delay = std::atomic<std::chrono::milliseconds>;
    explicit SlowLink(std::chrono::milliseconds delay, bool on_cpu = false) : SlowLink{std::make_shared<Delay>(delay), on_cpu} {}
    explicit SlowLink(std::shared_ptr<const Delay> delay, bool on_cpu = false)
        : WrappedLink{64}, m_delay{std::move(delay)}, m_on_cpu{on_cpu}
    {
    }
    bool OnCpu() const noexcept override { return m_on_cpu; }
    LinkStatus Wait(size_t slot, std::chrono::nanoseconds limit) noexcept override
    {
        std::this_thread::sleep_for(m_delay->load());
        return WrappedLink::Wait(slot, limit);
    }

private:
    const std::shared_ptr<const Delay> m_delay;
    const bool m_on_cpu;
};

/** Interrupts a pool in one call of Submit(). */
class InterruptingLink final : public WrappedLink
{
public:
    /** @param[in] when       the number of that call, from 1
     *  @param[in] submitted  counts calls of Submit() */
    InterruptingLink(ThreadPool& pool, size_t when, std::shared_ptr<size_t> submitted)
        : m_pool{pool}, m_when{when}, m_submitted{std::move(submitted)}
    {
    }
    LinkStatus Submit(size_t slot, ParameterSet set, size_t count) noexcept override
    {
        if (++*m_submitted == m_when) m_pool.Interrupt();
        return WrappedLink::Submit(slot, set, count);
    }

private:
    ThreadPool& m_pool;
    const size_t m_when;
    const std::shared_ptr<size_t> m_submitted;
};

/** From one Wait() on, all are late. */
class LateFromLink final : public WrappedLink
{
public:
    /** @param[in] late  that one, from 0 */
    LateFromLink(size_t capacity, size_t late) : WrappedLink{capacity}, m_left{late} {}
    LinkStatus Wait(size_t slot, std::chrono::nanoseconds limit) noexcept override
    {
        if (m_left == 0) {
            std::this_thread::sleep_for(limit);
            return LinkStatus::LATE;
        }
        --m_left;
        return WrappedLink::Wait(slot, limit);
    }

private:
    size_t m_left; //!< calls of Wait() before that one
};

/** A gate that holds up a driver for as long as a test likes. */
class DriverGate
{
public:
    void Close() { Set(m_closed, true); }
    void Open() { Set(m_closed, false); }
    void WaitUntilReached() { WaitFor(m_reached); }
    void WaitUntilGone() { WaitFor(m_gone); }
    [[nodiscard]] bool IsGone()
    {
        const std::lock_guard lock{m_mutex};
        return m_gone;
    }

    void Pass()
    {
        std::unique_lock lock{m_mutex};
        if (!m_closed) return;
        m_reached = true;
        m_changed.notify_all();
        m_changed.wait(lock, [&] { return !m_closed; });
    }
    void LinkIsGone() { Set(m_gone, true); }

private:
    void Set(bool& which, bool value)
    {
        const std::lock_guard lock{m_mutex};
        which = value;
        m_changed.notify_all();
    }
    void WaitFor(const bool& which)
    {
        std::unique_lock lock{m_mutex};
        m_changed.wait(lock, [&] { return which; });
    }

    std::mutex m_mutex;
    std::condition_variable m_changed;
    bool m_closed{false}, m_reached{false}, m_gone{false};
};

/** A driver that passes a gate, where there is one. */
class GatedLink final : public WrappedLink
{
public:
    GatedLink(DriverGate* on_submit, DriverGate* on_wait) : m_on_submit{on_submit}, m_on_wait{on_wait} {}
    ~GatedLink() override { (m_on_submit ? m_on_submit : m_on_wait)->LinkIsGone(); }
    GatedLink(const GatedLink&) = delete;
    GatedLink& operator=(const GatedLink&) = delete;
    LinkStatus Submit(size_t slot, ParameterSet set, size_t count) noexcept override
    {
        if (m_on_submit) m_on_submit->Pass();
        return WrappedLink::Submit(slot, set, count);
    }
    LinkStatus Wait(size_t slot, std::chrono::nanoseconds limit) noexcept override
    {
        if (m_on_wait) m_on_wait->Pass();
        return WrappedLink::Wait(slot, limit);
    }

private:
    DriverGate* const m_on_submit;
    DriverGate* const m_on_wait;
};

} // namespace slhc::slhdsa::test

#endif // SLHCONSENSUS_TEST_DEVICE_LINKS_H
