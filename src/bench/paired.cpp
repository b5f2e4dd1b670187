// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <bench/paired.h>

namespace slhc::bench {
namespace {

/** Time, and the operations done in it. */
struct Tally {
    double seconds{0};
    size_t operations{0};

    [[nodiscard]] double Microseconds() const { return 1e6 * seconds / static_cast<double>(operations); }
};

} // namespace

void RunPaired(benchmark::State& state, size_t operations, const std::function<void()>& ours, const std::vector<Peer*>& peers)
{
    constexpr double PEER_SHARE{0.25};
    Tally us;
    std::vector<Tally> them(peers.size());
    for (auto _ : state) {
        const double begin{ThreadCpuTime()};
        ours();
        const double end{ThreadCpuTime()};
        state.SetIterationTime(end - begin);
        us.seconds += end - begin;
        us.operations += operations;
        for (size_t i{0}; i < peers.size(); ++i) {
            const double peer_begin{ThreadCpuTime()};
            double spent{0};
            while (them[i].seconds + spent < PEER_SHARE * us.seconds) {
                // Enough of them to take longer than reading the clock.
                for (int n{0}; n < 4; ++n) {
                    peers[i]->Run();
                    ++them[i].operations;
                    if (them[i].operations == 1) break; // it may be slow
                }
                spent = ThreadCpuTime() - peer_begin;
            }
            them[i].seconds += spent;
        }
    }
    state.counters["us"] = us.Microseconds();
    for (size_t i{0}; i < peers.size(); ++i) {
        if (them[i].operations == 0) continue;
        state.counters[peers[i]->Name() + "_us"] = them[i].Microseconds();
        state.counters["x_" + peers[i]->Name()] = them[i].Microseconds() / us.Microseconds();
    }
}

} // namespace slhc::bench
