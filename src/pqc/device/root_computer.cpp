// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/device/root_computer.h>

#include <util/check.h>
#include <util/random.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <thread>

namespace slhc::slhdsa {

std::string_view LinkStatusName(LinkStatus status) noexcept
{
    switch (status) {
    case LinkStatus::OK: return "ok";
    case LinkStatus::LATE: return "late";
    case LinkStatus::LOST: return "lost";
    case LinkStatus::OUT_OF_MEMORY: return "out of memory";
    case LinkStatus::ERROR: return "error";
    case LinkStatus::INTERRUPTED: return "interrupted";
    case LinkStatus::UNSUPPORTED: return "not supported";
    }
    return "unknown";
}

std::chrono::nanoseconds TimeLimits::For(ParameterSet set, size_t entries) const noexcept
{
    const size_t work{entries * ParamsOf(set).VerifyCompressions()};
    const double most{static_cast<double>(std::chrono::nanoseconds{PATIENCE}.count()) + cpu_ns * static_cast<double>(work)};
    return std::max(least, std::chrono::nanoseconds{static_cast<int64_t>(std::min(allowed.For(work), most))});
}

RootComputer::RootComputer(std::shared_ptr<DeviceLink> link, const TimeLimits& limits)
    : m_link{std::move(link)}, m_limits{limits}, m_flights(m_link->Slots())
{
}

RootCounts RootComputer::Counts() const noexcept
{
    return {.chunks = m_chunks, .overlapping = m_overlapping, .entries = m_entries, .filled_by_workers = m_filled_by_workers};
}

/** The number of entries that are submitted and not waited for. */
size_t RootComputer::InFlight() const
{
    return std::accumulate(m_flights.begin(), m_flights.end(), size_t{0}, [](size_t sum, const Flight& f) { return sum + f.count; });
}

/** Write the entries of jobs and their masks, on all threads. */
void RootComputer::Fill(std::span<uint8_t> entries, std::span<const RootJob> jobs, std::span<Root> masks, ThreadPool* pool)
{
    const auto caller{std::this_thread::get_id()};
    const size_t entry_size{DeviceEntry::Size(ParamsOf(jobs.front().set))};
    const auto fill{[&](size_t begin, size_t end) {
        const size_t n{end - begin};
        GetStrongRandBytes({masks[begin].data(), sizeof(Root) * n});
        for (size_t i = begin; i < end; ++i) FillEntry(entries.subspan(entry_size * i, entry_size), jobs[i], masks[i]);
        m_entries += n;
        if (std::this_thread::get_id() != caller) m_filled_by_workers += n;
    }};
    const size_t n_pieces{(jobs.size() + PIECE - 1) / PIECE};
    const auto fill_piece{[&](size_t i) { fill(PIECE * i, std::min(PIECE * (i + 1), jobs.size())); }};
    // An interrupted pool leaves some pieces out: the caller, who cannot leave a slot half filled, does all of them.
    if (!pool || !pool->Run(n_pieces, fill_piece)) fill(0, jobs.size());
}

LinkStatus RootComputer::Launch(size_t slot, size_t begin, std::span<const RootJob> jobs, ThreadPool* pool)
{
    Flight& flight{m_flights[slot]};
    flight.masks.resize(jobs.size());
    Fill(m_link->Entries(slot), jobs, flight.masks, pool);
    ++m_chunks;
    if (InFlight() > 0) ++m_overlapping;
    flight.begin = begin;
    flight.count = jobs.size();
    return m_link->Submit(slot, jobs.front().set, jobs.size());
}

/** Wait for a slot, and see soon that the pool is interrupted.
 *  @param[in,out] left  the call's time for waits, less what this took */
LinkStatus RootComputer::Wait(size_t slot, std::chrono::nanoseconds& left, const ThreadPool* pool)
{
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::nanoseconds LOOK{std::chrono::milliseconds{100}};
    for (;;) {
        const auto look{std::clamp(left, std::chrono::nanoseconds{1}, LOOK)};
        const auto begin{Clock::now()};
        const LinkStatus status{m_link->Wait(slot, look)};
        left -= std::min<std::chrono::nanoseconds>(Clock::now() - begin, look);
        if (status != LinkStatus::LATE) return status;
        if (pool && pool->Interrupted()) return LinkStatus::INTERRUPTED;
        if (left <= std::chrono::nanoseconds::zero()) return LinkStatus::LATE;
    }
}

LinkStatus RootComputer::Land(size_t slot, std::span<Root> roots, std::chrono::nanoseconds& left, const ThreadPool* pool)
{
    Flight& flight{m_flights[slot]};
    if (flight.count == 0) return LinkStatus::OK;
    const LinkStatus status{Wait(slot, left, pool)};
    if (status != LinkStatus::OK) return status;
    const std::span<const Root> masked{m_link->Roots(slot)};
    for (size_t i = 0; i < flight.count; ++i) {
        for (size_t j = 0; j < N; ++j) roots[flight.begin + i][j] = masked[i][j] ^ flight.masks[i][j];
    }
    flight.count = 0;
    return LinkStatus::OK;
}

/** The number of chunks that keeps all slots in use, unless that makes chunks smaller than the device likes; none is larger than a slot. */
size_t RootComputer::ChunksFor(ParameterSet set, size_t n) const
{
    const size_t capacity{m_link->Capacity(set)};
    const size_t needed{(n + capacity - 1) / capacity};
    return std::max(needed, std::min(m_link->Slots(), n / m_link->LeastChunk(set)));
}

LinkStatus RootComputer::ComputeChunks(std::span<const RootJob> jobs, std::span<Root> roots, ThreadPool* pool)
{
    const size_t n_chunks{ChunksFor(jobs.front().set, jobs.size())};
    const auto begin{[&](size_t chunk) { return jobs.size() / n_chunks * chunk + std::min(chunk, jobs.size() % n_chunks); }};
    std::chrono::nanoseconds left{m_limits.For(jobs.front().set, jobs.size())};
    size_t chunk{0};
    for (; chunk < n_chunks && !(pool && pool->Interrupted()); ++chunk) {
        const size_t slot{chunk % m_flights.size()};
        if (const LinkStatus status{Land(slot, roots, left, pool)}; status != LinkStatus::OK) return status;
        const auto part{jobs.subspan(begin(chunk), begin(chunk + 1) - begin(chunk))};
        if (const LinkStatus status{Launch(slot, begin(chunk), part, pool)}; status != LinkStatus::OK) return status;
    }
    if (chunk < n_chunks) return LinkStatus::INTERRUPTED;
    for (size_t i = 0; i < m_flights.size(); ++i) {
        if (const LinkStatus status{Land((chunk + i) % m_flights.size(), roots, left, pool)}; status != LinkStatus::OK) return status;
    }
    return LinkStatus::OK;
}

LinkStatus RootComputer::Compute(std::span<const RootJob> jobs, std::span<Root> roots, ThreadPool* pool)
{
    assert(jobs.size() == roots.size());
    if (m_status != LinkStatus::OK || jobs.empty()) return m_status;
    try {
        m_status = ComputeChunks(jobs, roots, pool);
    } catch (...) {
        m_status = LinkStatus::ERROR;
        m_link->Abandon();
        throw;
    }
    if (m_status != LinkStatus::OK) m_link->Abandon();
    return m_status;
}

} // namespace slhc::slhdsa
