// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_BENCH_DEVICES_H
#define SLHCONSENSUS_BENCH_DEVICES_H

namespace slhc::bench {

/** Register the benchmarks of every device of this machine, e.g. "vulkan:0/batch:508". None where there is none. */
void RegisterDevices();

} // namespace slhc::bench

#endif // SLHCONSENSUS_BENCH_DEVICES_H
