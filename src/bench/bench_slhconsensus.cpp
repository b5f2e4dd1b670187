// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

/** bench_slhconsensus: SLH-DSA-SHA2-128s on the CPU, beside the signatures that Bitcoin has and other people's SLH-DSA.
 *
 *      bench_slhconsensus --benchmark_filter='verify/.*' --benchmark_out=verify.json
 *
 *  The options are Google Benchmark's. contrib/bench/bench.py run runs it; doc/performance.md says what is measured. */

#include <bench/clocks.h>
#include <bench/corpus.h>
#include <bench/devices.h>
#include <bench/paired.h>
#include <bench/peers.h>
#include <bench/register.h>

#include <pqc/cpu/engines.h>
#include <pqc/cpu/lane_signer.h>
#include <pqc/top_tree_cache.h>
#include <pqc/verifier.h>
#include <util/threadpool.h>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

using namespace slhc;
using namespace slhc::slhdsa;
using namespace slhc::bench;

namespace {

/** The peers are made once, when the first benchmark wants them. */
Peer& Bip340()
{
    static const auto peer{MakeBip340Peer()};
    return *peer;
}

std::vector<Peer*> WithOpenSsl(std::unique_ptr<Peer> (*make)(), std::vector<Peer*> peers = {})
{
    static std::vector<std::unique_ptr<Peer>> s_made;
    if (auto peer{make()}) {
        peers.push_back(peer.get());
        s_made.push_back(std::move(peer));
    }
    return peers;
}

Verifier MakeVerifier(const CpuEngine& engine, unsigned threads)
{
    return Verifier{Backends{.cpu = engine.Create()}, std::make_shared<ThreadPool>(threads), std::make_shared<Logger>()};
}

/** Verify a slice of the corpus, from the message to the verdicts. */
void VerifySlice(Verifier& verifier, size_t batch, size_t call)
{
    const Corpus& corpus{Corpus::Get()};
    const auto checks{corpus.Slice(batch, call)};
    std::vector<Verdict> verdicts(checks.size());
    if (!verifier.VerifyMany(checks, verdicts) || !corpus.Right(checks, verdicts)) throw std::logic_error{"wrong verdicts"};
}

/** Batches of one size on one core. */
void VerifyBatches(benchmark::State& state, const CpuEngine& engine, size_t batch)
{
    Verifier verifier{MakeVerifier(engine, 1)};
    const size_t calls{batch < 64 ? 64 / batch : 1}; // with small batches, long enough for a coarse clock
    size_t call{0};
    VerifySlice(verifier, batch, call);
    RunPaired(state, calls * batch, [&] {
        for (size_t i{0}; i < calls; ++i) VerifySlice(verifier, batch, ++call);
    }, WithOpenSsl(MakeOpenSslVerifyPeer, {&Bip340()}));
}

/** Batches of a parameter set on one core: arbitrary signatures, all of them different, which take as long as valid ones do on average. */
void VerifySetBatches(benchmark::State& state, const CpuEngine& engine, const ParameterSetEntry& entry, size_t batch)
{
    constexpr size_t DISTINCT{1024};
    struct Arbitrary {
        PublicKey public_key;
        std::array<uint8_t, 32> message;
        std::vector<uint8_t> signature;
    };
    std::mt19937_64 random{1};
    std::vector<Arbitrary> all(DISTINCT);
    std::vector<CheckView> checks;
    for (Arbitrary& one : all) {
        one.signature.resize(entry.params.SignatureSize());
        FillRandom(one.public_key, random);
        FillRandom(one.message, random);
        FillRandom(one.signature, random);
        checks.push_back({one.public_key.data(), *MessagePieces::Pure(one.message, {}), one.signature, entry.set});
    }
    Verifier verifier{MakeVerifier(engine, 1)};
    const size_t calls{batch < 64 ? 64 / batch : 1};
    size_t next{0};
    std::vector<Verdict> verdicts(batch);
    const auto verify{[&] {
        if (!verifier.VerifyMany(std::span{checks}.subspan(next, batch), verdicts)) throw std::logic_error{"interrupted"};
        if (std::ranges::count(verdicts, Verdict::INVALID) != static_cast<std::ptrdiff_t>(batch)) throw std::logic_error{"wrong verdicts"};
        next = (next + batch) % DISTINCT;
    }};
    verify();
    RunPaired(state, calls * batch, [&] {
        for (size_t i{0}; i < calls; ++i) verify();
    }, {&Bip340()});
}

/** A comparison of n threads with one, on batches large enough for all of them, each verified by both in turns.
 *      us           wall time of one signature with n threads
 *      one_us       the same with one
 *      scaling      speed by wall-clock time, n threads over one thread, over n: 1 is perfect
 *      cpu_scaling  CPU time of a signature, one thread over n threads: the loss by sharing, without idle time */
void VerifyOnThreads(benchmark::State& state, const CpuEngine& engine, unsigned threads)
{
    Verifier one{MakeVerifier(engine, 1)}, several{MakeVerifier(engine, threads)};
    const size_t batch{512 * threads};
    struct Times { double wall{0}, cpu{0}; };
    Times alone, together;
    size_t call{0};
    const auto time{[&](Verifier& verifier, Times& times) {
        const double wall{WallTime()}, cpu{ProcessCpuTime()};
        VerifySlice(verifier, batch, call);
        times.cpu += ProcessCpuTime() - cpu;
        times.wall += WallTime() - wall;
        return WallTime() - wall;
    }};
    for (Verifier* const verifier : {&several, &one}) VerifySlice(*verifier, batch, call); // caches warm, threads started
    for (auto _ : state) {
        state.SetIterationTime(time(several, together));
        time(one, alone);
        ++call;
    }
    const double per_us{1e6 / static_cast<double>(batch * call)};
    state.counters["us"] = per_us * together.wall;
    state.counters["one_us"] = per_us * alone.wall;
    state.counters["scaling"] = alone.wall / together.wall / threads;
    state.counters["cpu_scaling"] = alone.cpu / together.cpu;
}

/** @param[in] cache  has the top trees of as many keys as take turns; null: nothing is remembered, and every key is another */
void SignMessages(benchmark::State& state, const CpuEngine& engine, TopTreeCache* cache)
{
    constexpr size_t CACHED_KEYS{4};
    const Corpus& corpus{Corpus::Get()}; // made before anything is timed
    ThreadPool pool{1};
    size_t next{0};
    const auto sign{[&] {
        const Corpus::Entry& entry{corpus.At(cache ? next++ % CACHED_KEYS : next++)};
        Signature signature;
        const auto message{*MessagePieces::Pure(entry.message, {})};
        const std::span<const uint8_t, N> pk_seed{entry.secret_key.data() + 2 * N, N};
        if (const auto kernels{engine.Kernels()}) {
            if (!lanes::Sign(*kernels, pool, ParameterSet::SHA2_128S, message, entry.secret_key, pk_seed, signature, cache)) {
                throw std::logic_error{"interrupted"};
            }
        } else {
            slh_sign_internal(message, entry.secret_key, pk_seed, signature);
        }
        if (signature != entry.signature) throw std::logic_error{"wrong signature"};
    }};
    for (size_t i{0}; cache && i < CACHED_KEYS; ++i) sign();
    RunPaired(state, 1, sign, WithOpenSsl(MakeOpenSslSignPeer));
}

void MakeKeys(benchmark::State& state, const CpuEngine& engine)
{
    const Corpus& corpus{Corpus::Get()}; // made before anything is timed
    ThreadPool pool{1};
    size_t next{0};
    RunPaired(state, 1, [&] {
        const Corpus::Entry& entry{corpus.At(next++)};
        SecretKey sk;
        PublicKey pk;
        const auto seed{std::span{entry.secret_key}.first<KEYGEN_SEED_SIZE>()};
        if (const auto kernels{engine.Kernels()}) {
            (void)lanes::GenerateKey(*kernels, pool, ParameterSet::SHA2_128S, seed, sk, pk);
        } else {
            slh_keygen_internal(seed, sk, pk);
        }
        if (pk != entry.public_key) throw std::logic_error{"wrong key"};
    }, WithOpenSsl(MakeOpenSslKeygenPeer));
}

void RunPeer(benchmark::State& state, const std::shared_ptr<Peer>& peer)
{
    peer->Run();
    for (auto _ : state) {
        const double begin{ThreadCpuTime()};
        for (int i{0}; i < 4; ++i) peer->Run();
        state.SetIterationTime(ThreadCpuTime() - begin);
    }
    state.SetItemsProcessed(4 * state.iterations());
}

#if defined(__x86_64__) || defined(__aarch64__)
void MeasureClock(benchmark::State& state)
{
    double best{0};
    for ([[maybe_unused]] auto _ : state) {
        const double seconds{TimeAdditions()};
        state.SetIterationTime(seconds);
        best = std::max(best, 1e-9 * ADDITIONS / seconds);
    }
    state.counters["ghz"] = best;
}
#endif

void RegisterAll()
{
    for (const CpuEngine& engine : CpuEngines().All()) {
        if (!engine.IsOffered()) continue;
        const std::string isa{engine.Isa()};
        for (size_t batch{1}; batch <= Corpus::SIZE; batch *= 2) {
            Register("verify/" + isa + "/batch:" + std::to_string(batch),
                     [&engine, batch](benchmark::State& s) { VerifyBatches(s, engine, batch); });
        }
        for (const ParameterSetEntry& entry : PARAMETER_SETS) {
            if (IsForTests(entry.set)) continue;
            for (const size_t batch : {1, 8, 64, 512}) {
                Register("verify/" + isa + "/set:" + std::string{entry.name} + "/batch:" + std::to_string(batch),
                         [&engine, &entry, batch](benchmark::State& s) { VerifySetBatches(s, engine, entry, batch); });
            }
        }
        for (unsigned threads{2}; threads <= UsableCores() && 512 * threads <= Corpus::SIZE; threads *= 2) {
            Register("verify/" + isa + "/threads:" + std::to_string(threads),
                     [&engine, threads](benchmark::State& s) { VerifyOnThreads(s, engine, threads); });
        }
        Register("sign/" + isa, [&engine](benchmark::State& s) { SignMessages(s, engine, nullptr); });
        if (engine.Kernels()) { // the scalar code has no cache
            Register("sign/" + isa + "/cached", [&engine](benchmark::State& s) {
                TopTreeCache cache{4};
                SignMessages(s, engine, &cache);
            });
        }
        Register("keygen/" + isa, [&engine](benchmark::State& s) { MakeKeys(s, engine); });
    }
    for (const auto make : {MakeBip340Peer, MakeEcdsaPeer}) {
        const std::shared_ptr<Peer> peer{make()};
        Register("peer/" + peer->Name() + "/verify", [peer](benchmark::State& s) { RunPeer(s, peer); });
    }
#if defined(__x86_64__) || defined(__aarch64__)
    Register("clock", MeasureClock);
#endif
}

} // namespace

int main(int argc, char** argv)
{
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::AddCustomContext("compiler", SLHC_BENCH_COMPILER);
    benchmark::AddCustomContext("libsecp256k1", SLHC_BENCH_SECP256K1_VERSION);
    benchmark::AddCustomContext("openssl", OpenSslVersionText());
    RegisterAll();
    RegisterDevices();
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}
