// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/device/share_out.h>

#include <util/check.h>

#include <algorithm>
#include <numeric>

namespace slhc::slhdsa {

namespace {

/** When all end who work together, if each signature can be cut up. */
double CommonEnd(size_t n, std::span<const Pace> paces)
{
    std::vector<Pace> by_call(paces.begin(), paces.end());
    std::ranges::sort(by_call, {}, &Pace::call_ns);
    double signatures{static_cast<double>(n)}, per_ns{0}, end{0};
    for (const Pace& pace : by_call) {
        // Without a device that has not even begun when the others end.
        if (per_ns > 0 && pace.call_ns >= end) break;
        signatures += pace.call_ns / pace.each_ns;
        per_ns += 1 / pace.each_ns;
        end = signatures / per_ns;
    }
    return end;
}

} // namespace

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
    // What is left of the fractions, one by one to whichever ends first with one more.
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
