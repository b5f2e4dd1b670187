// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_BENCH_BLOCK_BENCH_UTIL_H
#define SLHCONSENSUS_BENCH_BLOCK_BENCH_UTIL_H

#include <consensus/block_scripts.h>
#include <pqc/verifier.h>
#include <test/util/block_builder.h>
#include <test/util/spends.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <string>

/** Clocks, memory and processes, for benchmarks that take longer than Google Benchmark likes. */
namespace slhc::bench {

/** Seconds. */
struct ClockTimes {
    double wall{std::numeric_limits<double>::infinity()};
    double cpu{std::numeric_limits<double>::infinity()}; //!< of all threads of the process

    void KeepLeast(const ClockTimes& other)
    {
        wall = std::min(wall, other.wall);
        cpu = std::min(cpu, other.cpu);
    }
};

/** What one call takes. */
[[nodiscard]] ClockTimes Measure(const std::function<void()>& f);

/** The most memory that the process has had resident at a time, in bytes: since ResetPeakMemory() where the system can
 *  reset it (Linux), else since the process began. */
[[nodiscard]] size_t PeakMemory();
/** @return the memory that is resident now, in bytes, as PeakMemory() starts with */
size_t ResetPeakMemory();

/** Run f in a child process and return what it returns. The calling process must have a single thread.
 *  @throws std::runtime_error if the child fails; what f throws goes to standard error */
[[nodiscard]] std::string InChildProcess(const std::function<std::string()>& f);

/** The processor, how many cores this process may use, and the compiler. */
[[nodiscard]] std::string DescribeMachine();

/** All scripts and signatures of a valid block. @throws std::logic_error if it is not */
void VerifyBlock(const test::BlockWithSpent& b, const std::shared_ptr<slhdsa::Verifier>& verifier, SignatureTiming timing);

/** The fastest way to make keys and signatures that there is here. */
[[nodiscard]] test::SLHDSAFunctions FastSLHDSA();

} // namespace slhc::bench

#endif // SLHCONSENSUS_BENCH_BLOCK_BENCH_UTIL_H
