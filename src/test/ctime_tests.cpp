// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Key generation and signing neither branch on secrets nor use them as addresses. Under valgrind's memcheck,
// memory that is marked as undefined spreads through computation, and a jump or an address that depends on it is
// an error: so SK.seed and SK.prf are marked, and parts of the signature are unmarked where they are computed (pqc/slhdsa/declassify.h).
// The errors are counted here, so the program also shows that it would have noticed.
//
// valgrind knows AVX2, but neither AVX-512 nor the SHA instructions. The engines made of those run here as plain C++
// (emulated/immintrin.h): the same code, except that functions stand in for single instructions.
//
// Exit status: 0 passed, 1 failed, 77 not run under valgrind.

#include <crypto/sha256.h>
#include <crypto/sha256_constants.h>
#include <pqc/cpu/engines.h>
#include <pqc/cpu/hash_layout.h>
#include <pqc/cpu/known_answers.h>
#include <pqc/signer.h>
#include <pqc/slhdsa/declassify.h>
#include <pqc/slhdsa/slhdsa.h>
#include <pqc/top_tree_cache.h>
#include <test/emulated/engines.h>
#include <test/numbers_128s.h>
#include <util/threadpool.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#endif

using namespace slhc;
using namespace slhc::slhdsa;

namespace {

constexpr int SKIPPED{77};

#ifdef RUNNING_ON_VALGRIND

constexpr size_t SECRET_SIZE{2 * N}; //!< SK.seed || SK.prf, the beginning of a seed and of a secret key

void MarkPublic(const void* data, size_t size) { (void)VALGRIND_MAKE_MEM_DEFINED(data, size); }
void MarkSecret(const void* data, size_t size) { (void)VALGRIND_MAKE_MEM_UNDEFINED(data, size); }
bool IsPublic(const void* data, size_t size) { return VALGRIND_CHECK_MEM_IS_DEFINED(data, size) == 0; }

/** True if every byte of a node has secret bits. */
bool IsSecret(const uint8_t* data)
{
    std::array<uint8_t, N> bits{};
    return VALGRIND_GET_VBITS(data, bits.data(), N) == 1 && std::ranges::count(bits, 0) == 0;
}

bool g_failed{false};

void Check(bool ok, const std::string& what)
{
    std::printf("%s: %s\n", ok ? "ok" : "FAILED", what.c_str());
    if (!ok) g_failed = true;
}

/** True if memcheck reports nothing while f runs. */
template <typename Function>
bool Quiet(Function f)
{
    const unsigned long before{VALGRIND_COUNT_ERRORS};
    f();
    return VALGRIND_COUNT_ERRORS == before;
}

/** Two things that no signer may do: memcheck has to see both. */
__attribute__((noinline)) void BranchOn(const volatile uint8_t& secret)
{
    if (secret == 0x17) std::puts("a call, so that no compiler makes this a conditional move");
}

__attribute__((noinline)) uint32_t LookUp(const volatile uint8_t& secret)
{
    const volatile uint32_t* table{sha256::K};
    return table[secret % 64];
}

std::array<uint8_t, KEYGEN_SEED_SIZE> Seed()
{
    std::array<uint8_t, KEYGEN_SEED_SIZE> seed;
    for (size_t i{0}; i < seed.size(); ++i) seed[i] = static_cast<uint8_t>(i + 1);
    return seed;
}

/** Both operations that take secrets, by one implementation of them. */
template <typename KeyGen, typename Sign>
void CheckSigner(const std::string& name, KeyGen keygen, Sign sign)
{
    std::array<uint8_t, KEYGEN_SEED_SIZE> seed{Seed()};
    SecretKey sk;
    PublicKey pk;
    MarkSecret(seed.data(), SECRET_SIZE);
    Check(Quiet([&] { keygen(seed, sk, pk); }), name + " key generation");
    Check(IsPublic(pk.data(), pk.size()), name + " key generation: nothing of the public key counts as secret");

    const std::array<uint8_t, 32> message{0xab};
    const std::array<uint8_t, N> addrnd{0xcd};
    Signature sig;
    MarkSecret(sk.data(), SECRET_SIZE);
    bool done{false};
    Check(Quiet([&] { done = sign(message, sk, addrnd.data(), sig); }) && done, name + " signing");
    Check(IsPublic(sig.data(), sig.size()), name + " signing: nothing of the signature counts as secret");
    MarkPublic(sk.data(), SECRET_SIZE);
    Check(slh_verify(message, sig, {}, pk), name + " signing: the signature verifies");
}

/** True if a kernel is quiet about n secret values, and its results are secret.
 *  @param[in] run  f(in, out): run the kernel on n * stride bytes each */
template <typename Run>
bool IsQuietKernel(size_t n, size_t stride, Run run)
{
    std::vector<uint8_t> in(n * stride), out(n * stride);
    for (size_t i{0}; i < in.size(); ++i) in[i] = static_cast<uint8_t>(i * 37);
    MarkSecret(in.data(), in.size());
    const bool quiet{Quiet([&] { run(in.data(), out.data()); })};
    bool secret{true};
    for (size_t i{0}; i < n; ++i) secret = secret && IsSecret(&out[i * stride]);
    MarkPublic(in.data(), in.size());
    MarkPublic(out.data(), out.size());
    return quiet && secret;
}

/** The kernels of one engine with secrets wherever the signer has them. The code around them is the same for every engine. */
void CheckKernels(const std::string& name, const lanes::Kernels& kernels)
{
    using namespace slhc::slhdsa::lanes;
    Check(FindWrongKernel(kernels).empty(), name + ": the kernels compute what the scalar code computes");

    const std::array<uint8_t, N> pk_seed{0x5e};
    const HashContext hash{pk_seed};
    const BlockPrefix prefix{MakeBlockPrefix(hash.SeedState(), ADRS{})};
    constexpr size_t MOST{3 * MAX_LANES + 1};
    const std::array<uint8_t, COMPRESSED_ADRS_SIZE> address{ADRS{}.Compressed()};
    bool chains{true}, paths{true}, messages{true}, wots_keys{true};
    // Every size of group, with lanes left over and without.
    const size_t lanes{kernels.lanes};
    for (const size_t n : {size_t{1}, size_t{2}, size_t{3}, lanes + 1, 2 * lanes, 3 * lanes - 1, 3 * lanes + 1}) {
        std::vector<ChainItem> steps;
        for (size_t i{0}; i < n; ++i) {
            steps.push_back({.key = static_cast<uint16_t>(i),
                             .chain = 0,
                             .begin = static_cast<uint8_t>(i % 2),
                             .end = static_cast<uint8_t>(2 + i % 3)});
        }
        chains = chains && IsQuietKernel(n, N, [&](const uint8_t* in, uint8_t* out) {
            std::vector<ChainKey> keys;
            for (size_t i{0}; i < n; ++i) keys.push_back({&prefix, in + i * N, out + i * N});
            kernels.chains(keys.data(), steps.data(), n);
        });
        for (const PathShape& shape : {PathShape{.leaf = true, .first = 0, .last = 0}, PathShape{.leaf = true, .first = 0, .last = 3},
                                       PathShape{.leaf = false, .first = 2, .last = 3}}) {
            constexpr size_t STRIDE{4 * N}; // a node, and up to three siblings
            paths = paths && IsQuietKernel(n, STRIDE, [&](const uint8_t* in, uint8_t* out) {
                std::array<PathItem, MOST> items;
                for (size_t i{0}; i < n; ++i) {
                    items[i] = {&prefix, in + i * STRIDE, in + i * STRIDE + N, out + i * STRIDE, static_cast<uint32_t>(i * 5)};
                }
                kernels.paths(items.data(), n, shape);
            });
        }
        constexpr size_t BLOCKS{2};
        messages = messages && IsQuietKernel(n, BLOCKS * 64, [&](const uint8_t* in, uint8_t* out) {
            std::array<MessageItem, MOST> items;
            for (size_t i{0}; i < n; ++i) items[i] = {hash.SeedState().data(), in + i * BLOCKS * 64, out + i * BLOCKS * 64};
            kernels.messages(items.data(), n, BLOCKS);
        });
        if (kernels.keys == nullptr) continue;
        constexpr KeyShape SHAPE{.chains = 4, .steps = 2}; // values across the end of a block
        wots_keys = wots_keys && IsQuietKernel(n, N, [&](const uint8_t* in, uint8_t* out) {
            std::array<KeyItem, MOST> items;
            for (size_t i{0}; i < n; ++i) items[i] = {&prefix, &prefix, address.data(), hash.SeedState().data(), in + i * N, out + i * N};
            kernels.keys(items.data(), n, SHAPE);
        });
    }
    for (const FoldedKernel& folded : {kernels.folded, kernels.folded_side_by_side}) {
        if (folded.chains == nullptr) continue;
        for (const size_t n : {size_t{1}, folded.lanes + 1, FOLDED_ROWS * folded.lanes}) {
            chains = chains && IsQuietKernel(n, N, [&](const uint8_t* in, uint8_t* out) {
                std::vector<ChainKey> keys;
                std::vector<ChainItem> steps; // the longest first
                for (size_t i{0}; i < n; ++i) {
                    keys.push_back({&prefix, in + i * N, out + i * N});
                    const auto end{static_cast<uint8_t>(W - 1 - i * (W - 2) / n)};
                    steps.push_back({.key = static_cast<uint16_t>(i), .chain = 0, .begin = 0, .end = end});
                }
                folded.chains(keys.data(), steps.data(), n);
            });
        }
    }
    Check(chains, name + " chains");
    Check(paths, name + " paths");
    Check(messages, name + " messages");
    if (kernels.keys) Check(wots_keys, name + " WOTS+ keys");
}

int Run()
{
    g_declassify_hook = &MarkPublic;

    volatile uint8_t secret{42};
    volatile uint32_t sink{0};
    MarkSecret(const_cast<const uint8_t*>(&secret), 1);
    Check(!Quiet([&] { BranchOn(secret); }), "a branch on a secret is noticed");
    Check(!Quiet([&] { sink = LookUp(secret); }), "a table look-up by a secret is noticed");

    CheckSigner("scalar", &slh_keygen_internal<PARAMS_128S>, [](auto& message, auto& sk, const uint8_t* addrnd, Signature& sig) {
        return slh_sign(message, {}, sk, addrnd, sig);
    });
    // The users' functions, with the best engine whose instructions memcheck knows.
    ThreadPool pool{1};
    TopTreeCache top_trees{1};
    const std::string best{CpuEngines().Best().Name()};
#ifdef SLHC_ENABLE_AVX2
    if (__builtin_cpu_supports("avx2")) Check(best == "cpu:avx2", "memcheck knows no better engine than cpu:avx2");
#endif
    const auto keygen{[&](std::span<const uint8_t, KEYGEN_SEED_SIZE> seed, SecretKey& sk, PublicKey& pk) {
        Check(GenerateKey(pool, ParameterSet::SHA2_128S, seed, sk, pk), "a pool that nobody interrupts");
    }};
    CheckSigner(best, keygen, [&](auto& message, auto& sk, const uint8_t* addrnd, Signature& sig) {
        const auto sign{[&] { return Sign(pool, ParameterSet::SHA2_128S, message, {}, sk, addrnd, sig, &top_trees); }};
        return sign() && sign(); // once to make the top tree, and once to find it
    });
    for (const lanes::EmulatedEngine& engine : lanes::EMULATED_ENGINES) {
        CheckKernels(std::string{engine.isa} + " (emulated)", engine.kernels);
    }
    return g_failed ? 1 : 0;
}

#endif

} // namespace

int main()
{
#ifdef RUNNING_ON_VALGRIND
    if (RUNNING_ON_VALGRIND) return Run();
    std::puts("SKIPPED: ctime_tests runs under valgrind alone");
#else
    std::puts("SKIPPED: built without valgrind's headers");
#endif
    return SKIPPED;
}
