// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_BENCH_MEDIAN_H
#define SLHCONSENSUS_BENCH_MEDIAN_H

#include <algorithm>
#include <cstddef>
#include <vector>

namespace slhc::bench {

/** The value in the middle, or the mean of the two in the middle. @pre there is a value */
inline double Median(std::vector<double> values)
{
    std::ranges::sort(values);
    const size_t half{values.size() / 2};
    return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

} // namespace slhc::bench

#endif // SLHCONSENSUS_BENCH_MEDIAN_H
