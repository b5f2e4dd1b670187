// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Key generation and signing neither branch on secrets nor use them as addresses. Under valgrind's memcheck,
// memory that is marked as undefined spreads through computation, and a jump or an address that depends on it is
// an error: so SK.seed and SK.prf are marked, and what is part of the signature is unmarked where it is computed
// (pqc/declassify.h). The errors are counted here, so the program also shows that it would have noticed.
//
// Exit status: 0 passed, 1 failed, 77 not run under valgrind.

#include <crypto/sha256.h>
#include <pqc/declassify.h>
#include <pqc/slhdsa.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string_view>

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

void Check(bool ok, std::string_view what)
{
    std::printf("%s: %.*s\n", ok ? "ok" : "FAILED", static_cast<int>(what.size()), what.data());
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

int Run()
{
    g_declassify_hook = &MarkPublic;

    volatile uint8_t secret{42};
    volatile uint32_t sink{0};
    MarkSecret(const_cast<const uint8_t*>(&secret), 1);
    Check(!Quiet([&] { BranchOn(secret); }), "a branch on a secret is noticed");
    Check(!Quiet([&] { sink = LookUp(secret); }), "a table look-up by a secret is noticed");

    std::array<uint8_t, KEYGEN_SEED_SIZE> seed;
    for (size_t i{0}; i < seed.size(); ++i) seed[i] = static_cast<uint8_t>(i + 1);
    SecretKey sk;
    PublicKey pk;
    MarkSecret(seed.data(), SECRET_SIZE);
    Check(Quiet([&] { slh_keygen_internal(seed, sk, pk); }), "slh_keygen_internal");
    Check(IsPublic(pk.data(), pk.size()), "the public key does not count as secret");

    const std::array<uint8_t, 32> message{0xab};
    const std::array<uint8_t, N> addrnd{0xcd};
    Signature sig;
    MarkSecret(sk.data(), SECRET_SIZE);
    bool signed_ok{false};
    Check(Quiet([&] { signed_ok = slh_sign(message, {}, sk, addrnd.data(), sig); }), "slh_sign, hedged");
    Check(signed_ok && IsPublic(sig.data(), sig.size()), "nothing of the signature counts as secret");
    MarkPublic(sk.data(), SECRET_SIZE);
    Check(slh_verify(message, sig, {}, pk), "the signature verifies");

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
