// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_BENCH_PAIRED_H
#define SLHCONSENSUS_BENCH_PAIRED_H

#include <bench/clocks.h>
#include <bench/peers.h>

#include <benchmark/benchmark.h>

#include <functional>
#include <vector>

namespace slhc::bench {

/** Run the loop of a benchmark with peers in between: after each iteration of ours each peer works until it has had a quarter of the time
 *  of all iterations so far. That is at least one operation in a run, after the first iteration; a slow peer may use up its quarter for
 *  many iterations. So other load on the machine hits both, and the ratio holds on a machine that is shared. The counters are CPU times of
 *  this thread:
 *      us            one of our operations, in microseconds
 *      <peer>_us     one of the peer's
 *      x_<peer>      the factor by which ours is faster than the peer
 *  @param[in] operations  of ours in one call of `ours` */
void RunPaired(benchmark::State& state, size_t operations, const std::function<void()>& ours, const std::vector<Peer*>& peers);

} // namespace slhc::bench

#endif // SLHCONSENSUS_BENCH_PAIRED_H
