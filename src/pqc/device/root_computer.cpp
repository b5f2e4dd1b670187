// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/device/root_computer.h>

#include <util/check.h>
#include <util/random.h>

#include <algorithm>

namespace slhc::slhdsa {

std::string_view LinkStatusName(LinkStatus status) noexcept
{
    switch (status) {
    case LinkStatus::OK: return "ok";
    case LinkStatus::LATE: return "late";
    case LinkStatus::LOST: return "lost";
    case LinkStatus::OUT_OF_MEMORY: return "out of memory";
    case LinkStatus::ERROR: return "error";
    }
    return "unknown";
}

std::chrono::nanoseconds TimeLimits::For(size_t entries, size_t full_layout) const noexcept
{
    const size_t rounds{(entries + full_layout - 1) / full_layout};
    return std::max(least, round * static_cast<int64_t>(rounds));
}

RootComputer::RootComputer(std::shared_ptr<DeviceLink> link, const TimeLimits& limits)
    : m_link{std::move(link)}, m_limits{limits}, m_flights(m_link->Slots())
{
}

LinkStatus RootComputer::Launch(size_t slot, size_t begin, std::span<const RootJob> jobs)
{
    Flight& flight{m_flights[slot]};
    flight.masks.resize(jobs.size());
    GetStrongRandBytes({flight.masks.front().data(), sizeof(Root) * jobs.size()});
    const std::span<DeviceEntry> entries{m_link->Entries(slot)};
    for (size_t i = 0; i < jobs.size(); ++i) FillEntry(entries[i], jobs[i], flight.masks[i]);
    flight.begin = begin;
    flight.count = jobs.size();
    return m_link->Submit(slot, jobs.size());
}

LinkStatus RootComputer::Land(size_t slot, std::span<Root> roots)
{
    Flight& flight{m_flights[slot]};
    if (flight.count == 0) return LinkStatus::OK;
    const LinkStatus status{m_link->Wait(slot, m_limits.For(flight.count, m_link->FullLayout()))};
    if (status != LinkStatus::OK) return status;
    const std::span<const Root> masked{m_link->Roots(slot)};
    for (size_t i = 0; i < flight.count; ++i) {
        for (size_t j = 0; j < N; ++j) roots[flight.begin + i][j] = masked[i][j] ^ flight.masks[i][j];
    }
    flight.count = 0;
    return LinkStatus::OK;
}

LinkStatus RootComputer::ComputeChunks(std::span<const RootJob> jobs, std::span<Root> roots)
{
    const size_t n_chunks{(jobs.size() + m_link->Capacity() - 1) / m_link->Capacity()};
    const auto begin{[&](size_t chunk) { return jobs.size() / n_chunks * chunk + std::min(chunk, jobs.size() % n_chunks); }};
    for (size_t chunk = 0; chunk < n_chunks; ++chunk) {
        const size_t slot{chunk % m_flights.size()};
        if (const LinkStatus status{Land(slot, roots)}; status != LinkStatus::OK) return status;
        if (const LinkStatus status{Launch(slot, begin(chunk), jobs.subspan(begin(chunk), begin(chunk + 1) - begin(chunk)))};
            status != LinkStatus::OK) {
            return status;
        }
    }
    for (size_t i = 0; i < m_flights.size(); ++i) {
        // In the order of submission, so that each wait is as long as its own chunk at most.
        if (const LinkStatus status{Land((n_chunks + i) % m_flights.size(), roots)}; status != LinkStatus::OK) return status;
    }
    return LinkStatus::OK;
}

LinkStatus RootComputer::Compute(std::span<const RootJob> jobs, std::span<Root> roots)
{
    assert(jobs.size() == roots.size());
    if (m_status != LinkStatus::OK || jobs.empty()) return m_status;
    try {
        m_status = ComputeChunks(jobs, roots);
    } catch (...) {
        m_status = LinkStatus::ERROR;
        m_link->Abandon();
        throw;
    }
    if (m_status != LinkStatus::OK) m_link->Abandon();
    return m_status;
}

} // namespace slhc::slhdsa
