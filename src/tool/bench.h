// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_BENCH_H
#define SLHCONSENSUS_TOOL_BENCH_H

#include <pqc/backends.h>
#include <pqc/slhdsa/params.h>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

/** A short benchmark of this machine, next to libsecp256k1. bench_slhconsensus has more peers and finer
 *  measurements. */
namespace slhc::tool {

struct BenchOptions {
    std::vector<std::string> backends; //!< as SLHC_BACKEND names them; empty: all that are known
    std::vector<size_t> batches;       //!< how many signatures are verified in one call, each at least 1
    double seconds;                    //!< time to spend on each row, above 0
    slhdsa::ParameterSet set{slhdsa::ParameterSet::SHA2_128S};
};

/** The machine and the peer for which the figures hold. */
struct BenchSetup {
    std::string machine;
    unsigned processors;
    std::string compiler, denominator;
};

/** One thing measured. */
struct BenchRow {
    std::string what;      //!< "verify"; "sign" and "keygen", unless a key takes seconds
    std::string backend;
    unsigned threads{1};
    size_t batch{1};
    bool cpu_time{true};   //!< of the one thread that works; else wall-clock time
    double us{0};          //!< for one signature or key
    double bip340_us{0};   //!< for one BIP 340 verification, run in between on one thread, in its CPU time
    std::string fault;     //!< why there are no figures; empty: there are

    /** How many times as fast as a BIP 340 verification. */
    double Ratio() const { return bip340_us / us; }
};

struct BenchReport {
    std::vector<BenchRow> rows;
    double bip340_us; //!< over all rows
};

BenchSetup GetBenchSetup();

/** How many keys, messages and signatures there are. They take turns, and are so many that no key signs again while its top tree
 *  is cached. */
size_t CountSamples(const BenchOptions& options);

/** Run it, with CountSamples(options) keys, messages and signatures, all of which differ.
 *  @param[in] known   what this machine has; those with a fault get rows that say so
 *  @param[in] on_row  called with each row as soon as it is measured
 *  @throws InputError for a backend that is not available */
BenchReport RunBench(const BenchOptions& options, std::span<const slhdsa::BackendInfo> known,
                     const std::function<void(const BenchRow&)>& on_row);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_BENCH_H
