// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/pace.h>

#include <util/check.h>

#include <algorithm>
#include <cmath>

namespace slhc::slhdsa {

namespace {

/** The time at which all of them end together, if signatures could be cut up. */
double CommonEnd(size_t n, std::span<const Pace> paces)
{
    std::vector<Pace> by_call(paces.begin(), paces.end());
    std::ranges::sort(by_call, {}, &Pace::call_ns);
    double signatures{static_cast<double>(n)}, per_ns{0}, end{0};
    for (const Pace& pace : by_call) {
        // Leave out a backend that has not even begun when the others end.
        if (per_ns > 0 && pace.call_ns >= end) break;
        signatures += pace.call_ns / pace.each_ns;
        per_ns += 1 / pace.each_ns;
        end = signatures / per_ns;
    }
    return end;
}

} // namespace

void LearnedPace::Measured(const Pace& pace)
{
    const std::lock_guard lock{m_mutex};
    m_measured = pace;
    m_drift = 1;
}

/** @pre m_mutex is held */
double LearnedPace::DriftLocked(Clock::time_point now) const
{
    if (m_drift <= 1) return m_drift;
    const std::chrono::duration<double> since{now - m_learned};
    return std::pow(m_drift, std::exp2(-std::max(since.count(), 0.0) / std::chrono::duration<double>{FORGIVEN_AFTER}.count()));
}

void LearnedPace::Learn(size_t n, std::chrono::nanoseconds took, Clock::time_point now)
{
    const std::lock_guard lock{m_mutex};
    const double ns{std::max(static_cast<double>(took.count()), 1.0)};
    if (!m_measured) {
        m_measured = Pace{.call_ns = 0, .each_ns = ns / static_cast<double>(n)};
        return;
    }
    const double drift{DriftLocked(now)};
    const double step{std::pow(std::clamp(ns / (drift * m_measured->For(n)), 0.25, 4.0), 0.25)};
    m_drift = std::clamp(drift * step, 1 / MAX_DRIFT, MAX_DRIFT);
    m_learned = now;
}

std::optional<Pace> LearnedPace::Get(Clock::time_point now) const
{
    const std::lock_guard lock{m_mutex};
    if (!m_measured) return std::nullopt;
    const double drift{DriftLocked(now)};
    return Pace{.call_ns = drift * m_measured->call_ns, .each_ns = drift * m_measured->each_ns};
}

std::vector<size_t> ShareOut(size_t n, std::span<const Pace> paces)
{
    assert(!paces.empty() && std::ranges::all_of(paces, [](const Pace& p) { return p.call_ns >= 0 && p.each_ns > 0; }));
    std::vector<size_t> parts;
    const double end{CommonEnd(n, paces)};
    size_t rest{n};
    for (const Pace& pace : paces) {
        const double whole{std::max(0.0, (end - pace.call_ns) / pace.each_ns)};
        parts.push_back(std::min(rest, static_cast<size_t>(std::min(whole, static_cast<double>(n)))));
        rest -= parts.back();
    }
    // The signatures that rounding left over go one by one to whichever ends first with one more.
    for (; rest > 0; --rest) {
        const auto with_one_more{[&](size_t i) { return paces[i].call_ns + paces[i].each_ns * static_cast<double>(parts[i] + 1); }};
        size_t best{0};
        for (size_t i = 1; i < paces.size(); ++i) {
            if (with_one_more(i) < with_one_more(best)) best = i;
        }
        ++parts[best];
    }
    return parts;
}

} // namespace slhc::slhdsa
