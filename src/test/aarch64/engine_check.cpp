// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

/** The engines of a machine without Boost.Test: a program that an emulator runs. Exit status 0
 *  if an engine other than the scalar code was there and agreed with it everywhere. */

#include <pqc/cpu/engines.h>
#include <pqc/cpu/lane_signer.h>
#include <pqc/slhdsa/slhdsa.h>
#include <test/numbers_128s.h>

#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

using namespace slhc;
using namespace slhc::slhdsa;

namespace {

std::mt19937_64 g_random{1};
int g_failures{0};

void Expect(bool condition, const char* what, size_t n)
{
    if (condition) return;
    ++g_failures;
    std::printf("FAILED: %s, %zu\n", what, n);
}

void FillRandom(std::span<uint8_t> bytes)
{
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(g_random());
}

void CheckRoots(RootBackend& engine, RootBackend& portable)
{
    for (const size_t n : {0, 1, 2, 3, 4, 5, 7, 9, 16, 17, 130}) {
        std::vector<std::array<uint8_t, N>> seeds(n);
        std::vector<Signature> signatures(n);
        std::vector<RootJob> jobs(n);
        for (size_t i{0}; i < n; ++i) {
            FillRandom(seeds[i]);
            FillRandom(signatures[i]);
            FillRandom(jobs[i].md);
            jobs[i].pk_seed = seeds[i].data();
            jobs[i].signature = signatures[i].data();
            jobs[i].idx_leaf = g_random() % (1U << H_PRIME);
            jobs[i].idx_tree = g_random() >> (64 - (H - H_PRIME));
        }
        std::vector<Root> roots(n), expected(n);
        Expect(engine.ComputeRoots(jobs, roots) == BackendStatus::OK, "status of a batch", n);
        Expect(portable.ComputeRoots(jobs, expected) == BackendStatus::OK, "status of the scalar code", n);
        Expect(roots == expected, "roots of a batch", n);
    }
}

void CheckSigning(const lanes::KernelSplitter& kernels)
{
    std::array<uint8_t, KEYGEN_SEED_SIZE> seed;
    FillRandom(seed);
    SecretKey sk, expected_sk;
    PublicKey pk, expected_pk;
    ThreadPool pool{2};
    Expect(lanes::GenerateKey(kernels, pool, ParameterSet::SHA2_128S, seed, sk, pk), "key generation", 0);
    slh_keygen_internal(seed, expected_sk, expected_pk);
    Expect(sk == expected_sk && pk == expected_pk, "key", 0);

    const std::array<uint8_t, 3> message{1, 2, 3};
    const std::array<uint8_t, N> addrnd{};
    Signature sig;
    Expect(lanes::Sign(kernels, pool, ParameterSet::SHA2_128S, *MessagePieces::Pure(message, {}), sk, addrnd, sig), "signing", 0);
    Expect(slh_verify(message, sig, {}, pk), "signature", 0);
}

} // namespace

int main()
{
    size_t checked{0};
    const auto portable{CreatePortableEngine()};
    for (const CpuEngine& engine : CpuEngines().All()) {
        if (engine.Isa() == "portable" || !engine.IsOffered()) continue;
        CheckRoots(*engine.Create(), *portable);
        CheckSigning(*engine.Kernels());
        std::printf("checked %.*s\n", static_cast<int>(engine.Isa().size()), engine.Isa().data());
        ++checked;
    }
    Expect(checked > 0, "no engine but the portable one", checked);
    return g_failures == 0 ? 0 : 1;
}
