// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_PACE_H
#define SLHCONSENSUS_PQC_PACE_H

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

/** How fast a backend is, and who gets how much of a batch. */
namespace slhc::slhdsa {

/** The time of a call, about: call_ns + n * each_ns for n signatures. */
struct Pace {
    double call_ns{0};
    double each_ns{1}; //!< above 0

    [[nodiscard]] double For(size_t n) const { return n == 0 ? 0 : call_ns + each_ns * static_cast<double>(n); }
};

/** The pace of a backend: what was measured at first, corrected by later calls, since the load on the machine changes. Safe to use from
 *  several threads. */
class LearnedPace
{
public:
    using Clock = std::chrono::steady_clock;

    /** However slow or fast calls are, the pace stays within this factor of what was measured at first. */
    static constexpr double MAX_DRIFT{8};
    /** A backend that was slow gets less work, and so less chance to show that it is not any more: without calls, half of what it has lost
     *  (as ratios go) is forgiven after this time. */
    static constexpr std::chrono::seconds FORGIVEN_AFTER{10};

    /** Set what was measured; for the first time, or anew. */
    void Measured(const Pace& pace);

    /** Learn from a call for n > 0 signatures. Any single call may be an outlier: the pace goes a quarter of the way, as ratios go, to what
     *  is within a factor of four. The first call is the measurement where there was none. */
    void Learn(size_t n, std::chrono::nanoseconds took, Clock::time_point now = Clock::now());

    /** Nothing if nothing was measured. */
    [[nodiscard]] std::optional<Pace> Get(Clock::time_point now = Clock::now()) const;

private:
    double DriftLocked(Clock::time_point now) const;

    mutable std::mutex m_mutex;
    std::optional<Pace> m_measured;
    double m_drift{1}; //!< at m_learned
    Clock::time_point m_learned{};
};

/** Cut n signatures into a part for each backend, so that all of them end at about the same time, as early as possible: one that is too
 *  slow for so few gets none.
 *  @param[in] paces  at least one
 *  @return a part for each, n in all */
[[nodiscard]] std::vector<size_t> ShareOut(size_t n, std::span<const Pace> paces);

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_PACE_H
