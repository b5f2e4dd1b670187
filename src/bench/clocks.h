// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_BENCH_CLOCKS_H
#define SLHCONSENSUS_BENCH_CLOCKS_H

#include <cstdint>
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

constexpr int ADDITIONS{1'000'000};

/** Seconds for so many additions that wait for each other, one a cycle; 0 where that is not known. A virtual machine reports a nominal
 *  clock, and these show the core's. */
inline double TimeAdditions()
{
#if defined(__x86_64__) || defined(__aarch64__)
    uint64_t sum{1};
    const double begin{ThreadCpuTime()};
    for (int i{0}; i < ADDITIONS; i += 10) {
#if defined(__x86_64__)
        asm volatile(".rept 10\n add %0, %0\n .endr" : "+r"(sum));
#else
        asm volatile(".rept 10\n add %0, %0, %0\n .endr" : "+r"(sum));
#endif
    }
    return ThreadCpuTime() - begin;
#else
    return 0;
#endif
}

} // namespace slhc::bench

#endif // SLHCONSENSUS_BENCH_CLOCKS_H
