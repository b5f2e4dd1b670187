// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_BENCH_CLOCKS_H
#define SLHCONSENSUS_BENCH_CLOCKS_H

#include <time.h>

namespace slhc::bench {

inline double ReadClock(clockid_t clock)
{
    timespec t;
    clock_gettime(clock, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/** CPU time of the calling thread, in seconds. */
inline double ThreadCpuTime() { return ReadClock(CLOCK_THREAD_CPUTIME_ID); }
/** CPU time of all threads of this process, in seconds. */
inline double ProcessCpuTime() { return ReadClock(CLOCK_PROCESS_CPUTIME_ID); }
/** Wall-clock time, in seconds. */
inline double WallTime() { return ReadClock(CLOCK_MONOTONIC); }

} // namespace slhc::bench

#endif // SLHCONSENSUS_BENCH_CLOCKS_H
