// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_BENCH_H
#define SLHCONSENSUS_TOOL_BENCH_H

#include <tool/terminal.h>

#include <cstddef>
#include <string>
#include <vector>

/** A short benchmark for whoever wants to know what their machine can do: through the C API, next to libsecp256k1. For
 *  tables and other peers there is bench_slhconsensus. */
namespace slhc::tool {

struct BenchOptions {
    std::vector<std::string> backends; //!< as SLHC_BACKEND names them; empty: every one that is available
    std::vector<size_t> batches;       //!< how many signatures are verified in one call, each at least 1
    double seconds;                    //!< time to spend on each row, above 0
};

/** One thing measured. */
struct BenchRow {
    std::string what;      //!< "verify", "sign", "keygen"
    std::string backend;
    unsigned threads{1};
    size_t batch{1};
    bool cpu_time{true};   //!< of the one thread that works; else time on the wall
    double us{0};          //!< for one signature or key
    double bip340_us{0};   //!< for one BIP 340 verification, run in between on one thread, in its CPU time
    std::string fault;     //!< why there are no figures; empty: there are

    /** How many times as fast as a BIP 340 verification. */
    double Ratio() const { return bip340_us / us; }
};

struct BenchReport {
    std::string machine, compiler, denominator;
    unsigned processors{0};
    double bip340_us{0}; //!< over all rows
    std::vector<BenchRow> rows;
};

/** Run it: every key, message and signature is different from all others.
 *  @throws InputError for a backend that is not there */
BenchReport RunBench(const BenchOptions& options, Progress& progress);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_BENCH_H
