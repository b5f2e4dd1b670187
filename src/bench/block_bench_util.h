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
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

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

/** The time of one call. */
[[nodiscard]] ClockTimes Measure(const std::function<void()>& f);

/** The most memory that the process has had resident at a time, in bytes: since ResetPeakMemory() where the system can
 *  reset it (Linux), else since the process began. */
[[nodiscard]] size_t PeakMemory();
/** @return the memory that is resident now, in bytes, as PeakMemory() starts with */
size_t ResetPeakMemory();

/** Run f in a child process and return what it returns. The calling process must have a single thread.
 *  @throws std::runtime_error if the child fails, with the text of what f throws */
[[nodiscard]] std::string InChildProcess(const std::function<std::string()>& f);

/** The processor, how many cores this process may use, the compiler, and the version of libsecp256k1. */
[[nodiscard]] std::string DescribeMachine();

/** A backend that this machine does not have, or that does not start. */
class NoBackend : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

/** The backends of a verifier: the CPU engine, then devices. */
using BackendList = std::vector<slhdsa::BackendStatistics>;

/** A device that was asked for must have worked to the end: the CPU does the work of one that is retired, or opened again.
 *  @throws std::runtime_error if a call failed */
void RequireDevices(std::string_view asked, const BackendList& backends);

/** The names of the backends that batches go to: the devices that were asked for, or else the CPU engine. With "auto", devices are among
 *  them only if they got work. */
[[nodiscard]] std::string WorkingBackends(std::string_view asked, const BackendList& backends);

/** A verifier whose devices take work: they open on a thread of their own, and until then a figure would be the CPU's.
 *  @throws NoBackend if there is none, or it does not open in time */
[[nodiscard]] std::shared_ptr<slhdsa::Verifier> OpenVerifier(const std::string& backend, unsigned threads);

/** The names of the backends that will do the work, before it begins, once it is known that they can. @throws NoBackend if there is none */
[[nodiscard]] std::string DescribeBackends(const std::string& backend);

/** All scripts and signatures of a valid block. @throws std::logic_error if it is not */
void VerifyBlock(const test::BlockWithSpent& b, const std::shared_ptr<slhdsa::Verifier>& verifier, SignatureTiming timing);

/** The fastest way to make keys and signatures on this machine. */
[[nodiscard]] test::SLHDSAFunctions FastSLHDSA();

} // namespace slhc::bench

#endif // SLHCONSENSUS_BENCH_BLOCK_BENCH_UTIL_H
