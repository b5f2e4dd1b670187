// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_BENCH_REGISTER_H
#define SLHCONSENSUS_BENCH_REGISTER_H

#include <benchmark/benchmark.h>

#include <exception>
#include <string>

namespace slhc::bench {

/** Register the benchmark `run(state)`, which reports its time itself. A fault ends that benchmark with its reason. */
template <class Run>
void Register(const std::string& name, Run run)
{
    benchmark::RegisterBenchmark(name.c_str(), [run](benchmark::State& state) {
        try {
            run(state);
        } catch (const std::exception& e) {
            state.SkipWithError(e.what());
        }
    })->UseManualTime()->Unit(benchmark::kMicrosecond);
}

} // namespace slhc::bench

#endif // SLHCONSENSUS_BENCH_REGISTER_H
