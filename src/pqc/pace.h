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

/** The speed of backends, and the shares of a batch that follow from it. */
namespace slhc::slhdsa {

/** The approximate time of a call for n units of work: call_ns + n * each_ns. A backend's pace is one for SHA-256 compressions
 *  (Params::VerifyCompressions), whatever set they are for. */
struct Pace {
    double call_ns{0};
    double each_ns{1}; //!< above 0

    [[nodiscard]] double For(size_t n) const { return n == 0 ? 0 : call_ns + each_ns * static_cast<double>(n); }
};

/** The pace of a backend: a first measurement, corrected by later calls alone, since the load on the machine changes. Safe to use from
 *  several threads. */
class LearnedPace
{
public:
    using Clock = std::chrono::steady_clock;

    /** However slow or fast calls are, the pace stays within this factor of the first measurement. */
    static constexpr double MAX_DRIFT{8};
    /** A backend that was slow gets less work, and so less chance to show that it has recovered: without calls, half of its loss (on a
     *  logarithmic scale) is forgiven after this time. */
    static constexpr std::chrono::seconds FORGIVEN_AFTER{10};

    /** Set the measurement, for the first time or again. */
    void Measured(const Pace& pace);

    /** Learn from a call for n > 0 compressions. Any single call may be an outlier, so it counts as at most four times too slow or too
     *  fast, and the pace goes a quarter of the way (on a logarithmic scale). The first call is the measurement if there was none. */
    void Learn(size_t n, std::chrono::nanoseconds took, Clock::time_point now = Clock::now());

    /** Nothing before the first measurement. */
    [[nodiscard]] std::optional<Pace> Get(Clock::time_point now = Clock::now()) const;

private:
    double DriftLocked(Clock::time_point now) const;

    mutable std::mutex m_mutex;
    std::optional<Pace> m_measured;
    double m_drift{1}; //!< at m_learned
    Clock::time_point m_learned{};
};

/** Cut n signatures of a set into a part for each backend, so that all of them end at about the same time, as early as possible: one that
 *  is too slow for so few gets none.
 *  @param[in] paces  for these signatures; at least one
 *  @return a part for each, n in all */
[[nodiscard]] std::vector<size_t> ShareOut(size_t n, std::span<const Pace> paces);

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_PACE_H
