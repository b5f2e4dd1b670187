// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Key generation and signing neither branch on secrets nor use them as addresses. Under valgrind's memcheck,
// memory that is marked as undefined spreads through computation, and a jump or an address that depends on it is
// an error: so SK.seed and SK.prf are marked, and what is part of the signature is unmarked where it is computed
// (pqc/slhdsa/declassify.h). The errors are counted here, so the program also shows that it would have noticed.
//
// Exit status: 0 passed, 1 failed, 77 not run under valgrind.

#include <crypto/sha256.h>
#include <pqc/signer.h>
#include <pqc/slhdsa/declassify.h>
#include <pqc/slhdsa/slhdsa.h>
#include <util/threadpool.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

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

bool g_failed{false};

void Check(bool ok, const std::string& what)
{
    std::printf("%s: %s\n", ok ? "ok" : "FAILED", what.c_str());
    if (!ok) g_failed = true;
}

/** Whether memcheck reports nothing while f runs. */
template <typename Function>
bool Quiet(Function f)
{
    const unsigned long before{VALGRIND_COUNT_ERRORS};
    f();
    return VALGRIND_COUNT_ERRORS == before;
}

/** What no signer may do: memcheck has to see both. */
__attribute__((noinline)) void BranchOn(const volatile uint8_t& secret)
{
    if (secret == 0x17) std::puts("a call, so that no compiler makes this a conditional move");
}

__attribute__((noinline)) uint32_t LookUp(const volatile uint8_t& secret)
{
    const volatile uint32_t* table{sha256::K.data()};
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

int Run()
{
    g_declassify_hook = &MarkPublic;

    volatile uint8_t secret{42};
    volatile uint32_t sink{0};
    MarkSecret(const_cast<const uint8_t*>(&secret), 1);
    Check(!Quiet([&] { BranchOn(secret); }), "a branch on a secret is noticed");
    Check(!Quiet([&] { sink = LookUp(secret); }), "a table look-up by a secret is noticed");

    CheckSigner("scalar", &slh_keygen_internal, [](auto& message, auto& sk, const uint8_t* addrnd, Signature& sig) {
        return slh_sign(message, {}, sk, addrnd, sig);
    });
    // Of the lane engines, the best one that memcheck knows the instructions of.
    ThreadPool pool{1};
    CheckSigner("fastest", &GenerateKey, [&](auto& message, auto& sk, const uint8_t* addrnd, Signature& sig) {
        return Sign(pool, message, {}, sk, addrnd, sig);
    });
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
