// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/allocations.h>
#include <test/batch_fixture.h>

#include <pqc/cpu/engines.h>
#include <pqc/cpu/lane_signer.h>
#include <pqc/signer.h>
#include <pqc/slhdsa/declassify.h>
#include <util/cleanse.h>
#include <util/threadpool.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <optional>
#include <vector>

/** What signing leaves behind of its secrets: nothing, whether it ends well or not. */

using namespace slhc;
using namespace slhc::slhdsa;
using namespace slhc::slhdsa::test;

namespace {

constexpr size_t FORS_PART{(1 + A) * N}; //!< a value and its path: the value is secret until the signature is published

/** A key, and its deterministic signature of a message. */
struct Known {
    Known()
    {
        std::array<uint8_t, KEYGEN_SEED_SIZE> seed;
        for (size_t j{0}; j < seed.size(); ++j) seed[j] = static_cast<uint8_t>(j); // as in batch_fixture.h
        PublicKey pk;
        slh_keygen_internal(seed, sk, pk);
    }
    const Signed& real{RealSignatures()[0]};
    SecretKey sk;

    [[nodiscard]] bool Sign(const lanes::KernelSplitter& kernels, ThreadPool& pool, Signature& sig) const
    {
        return lanes::Sign(kernels, pool, *MessagePieces::Pure(real.message, {}), sk, PkSeed(), sig);
    }
    [[nodiscard]] std::span<const uint8_t, N> PkSeed() const { return std::span{sk}.subspan<2 * N, N>(); }
};

const Signature* g_signature{nullptr};
size_t g_left_behind{0};

/** Count the blocks that are freed with a FORS value of the signature in them. */
class FreedMemory
{
public:
    explicit FreedMemory(const Signature& signature)
    {
        g_signature = &signature;
        g_left_behind = 0;
        slhc::test::SetOnFree([](const void* block, size_t size) {
            for (size_t i{0}; i < K; ++i) {
                if (memmem(block, size, g_signature->data() + N + i * FORS_PART, N)) ++g_left_behind;
            }
        });
    }
    ~FreedMemory() { slhc::test::SetOnFree(nullptr); }
    FreedMemory(const FreedMemory&) = delete;
    FreedMemory& operator=(const FreedMemory&) = delete;

    [[nodiscard]] size_t LeftBehind() const { return g_left_behind; }
};

ThreadPool* g_interrupted{nullptr};

/** Every engine that signs. */
std::vector<lanes::KernelSplitter> Signers()
{
    std::vector<lanes::KernelSplitter> signers;
    for (const CpuEngine& engine : CpuEngines().All()) {
        if (engine.IsOffered() && engine.Kernels()) signers.push_back(*engine.Kernels());
    }
    if (signers.empty()) BOOST_TEST_MESSAGE("SKIPPED: this machine has no engine that signs");
    return signers;
}

#if defined(__x86_64__)

struct Registers {
    alignas(64) std::array<std::array<uint8_t, 64>, 16> upper; //!< zmm16 to zmm31
};

__attribute__((target("avx512f"), noinline)) void StoreRegisters(Registers& out)
{
    __asm__ __volatile__(
        "vmovdqu64 %%zmm16, (%0)\n\tvmovdqu64 %%zmm17, 64(%0)\n\tvmovdqu64 %%zmm18, 128(%0)\n\tvmovdqu64 %%zmm19, 192(%0)\n\t"
        "vmovdqu64 %%zmm20, 256(%0)\n\tvmovdqu64 %%zmm21, 320(%0)\n\tvmovdqu64 %%zmm22, 384(%0)\n\tvmovdqu64 %%zmm23, 448(%0)\n\t"
        "vmovdqu64 %%zmm24, 512(%0)\n\tvmovdqu64 %%zmm25, 576(%0)\n\tvmovdqu64 %%zmm26, 640(%0)\n\tvmovdqu64 %%zmm27, 704(%0)\n\t"
        "vmovdqu64 %%zmm28, 768(%0)\n\tvmovdqu64 %%zmm29, 832(%0)\n\tvmovdqu64 %%zmm30, 896(%0)\n\tvmovdqu64 %%zmm31, 960(%0)"
        :
        : "r"(out.upper.data())
        : "memory");
}

__attribute__((target("avx512f"), noinline)) void FillRegisters(const Registers& in)
{
    __asm__ __volatile__(
        "vmovdqu64 (%0), %%zmm16\n\tvmovdqu64 64(%0), %%zmm17\n\tvmovdqu64 128(%0), %%zmm18\n\tvmovdqu64 192(%0), %%zmm19\n\t"
        "vmovdqu64 256(%0), %%zmm20\n\tvmovdqu64 320(%0), %%zmm21\n\tvmovdqu64 384(%0), %%zmm22\n\tvmovdqu64 448(%0), %%zmm23\n\t"
        "vmovdqu64 512(%0), %%zmm24\n\tvmovdqu64 576(%0), %%zmm25\n\tvmovdqu64 640(%0), %%zmm26\n\tvmovdqu64 704(%0), %%zmm27\n\t"
        "vmovdqu64 768(%0), %%zmm28\n\tvmovdqu64 832(%0), %%zmm29\n\tvmovdqu64 896(%0), %%zmm30\n\tvmovdqu64 960(%0), %%zmm31"
        :
        : "r"(in.upper.data())
        : "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29",
          "xmm30", "xmm31");
}

boost::test_tools::assertion_result HasAvx512(boost::unit_test::test_unit_id)
{
    boost::test_tools::assertion_result result{__builtin_cpu_supports("avx512f") != 0};
    result.message() << "this machine has no AVX-512";
    return result;
}

#endif

} // namespace

BOOST_AUTO_TEST_SUITE(signing_secrets_tests)

BOOST_AUTO_TEST_CASE(wiped_values)
{
    alignas(Wiped<std::array<uint8_t, 16>>) std::array<uint8_t, sizeof(Wiped<std::array<uint8_t, 16>>)> memory;
    auto* const secret{new (memory.data()) Wiped<std::array<uint8_t, 16>>};
    BOOST_CHECK((**secret == std::array<uint8_t, 16>{}));
    (*secret)->fill(0xaa);
    secret->~Wiped();
    BOOST_CHECK(std::ranges::count(memory, 0) == static_cast<std::ptrdiff_t>(memory.size()));
}

/** A signature that was begun and is never published: the FORS values that it would have given away stay secret. */
BOOST_AUTO_TEST_CASE(interrupted_signing_leaves_nothing)
{
    const Known known;
    for (const lanes::KernelSplitter& kernels : Signers()) {
        ThreadPool pool{1};
        g_interrupted = &pool;
        g_declassify_hook = [](const void*, size_t size) {
            if (size == FORS_PART) g_interrupted->Interrupt(); // the first tree of FORS is done
        };
        Signature sig{};
        const FreedMemory freed{known.real.signature};
        BOOST_CHECK(!known.Sign(kernels, pool, sig));
        g_declassify_hook = nullptr;
        BOOST_CHECK(sig == Signature{});
        BOOST_CHECK_EQUAL(freed.LeftBehind(), 0U);
    }
}

/** The same where memory ends in the midst of it. */
BOOST_AUTO_TEST_CASE(failed_signing_leaves_nothing)
{
    const Known known;
    for (const lanes::KernelSplitter& kernels : Signers()) {
        ThreadPool pool{1};
        Signature sig{};
        const FreedMemory freed{known.real.signature};
        size_t failures{0};
        for (size_t allowed{0}; sig == Signature{}; allowed += 60) {
            slhc::test::ForbidAllocationsAfter(allowed);
            try {
                (void)known.Sign(kernels, pool, sig);
            } catch (const std::bad_alloc&) {
                ++failures;
            }
            slhc::test::AllowAllocations();
        }
        BOOST_CHECK(sig == known.real.signature);
        BOOST_CHECK_GT(failures, 10U);
        BOOST_CHECK_EQUAL(freed.LeftBehind(), 0U);
    }
}

/** The scalar code ends with the signature that it is at, the first or the second one. */
BOOST_AUTO_TEST_CASE(interrupted_scalar_signing)
{
    static int s_begun, s_interrupted_in;
    const Known known;
    for (s_interrupted_in = 1; s_interrupted_in <= 2; ++s_interrupted_in) {
        ThreadPool pool{1};
        g_interrupted = &pool;
        s_begun = 0;
        g_declassify_hook = [](const void*, size_t size) {
            if (size == N && ++s_begun == s_interrupted_in) g_interrupted->Interrupt(); // R, with which each begins
        };
        Signature sig{};
        BOOST_CHECK(!Sign(nullptr, pool, *MessagePieces::Pure(known.real.message, {}), known.sk, known.PkSeed(), sig, nullptr));
        g_declassify_hook = nullptr;
        BOOST_CHECK_EQUAL(s_begun, s_interrupted_in);
        BOOST_CHECK(sig == Signature{});
    }
}

#if defined(__x86_64__)

BOOST_AUTO_TEST_CASE(registers_are_wiped, *boost::unit_test::precondition(HasAvx512))
{
    Registers registers;
    for (auto& bytes : registers.upper) bytes.fill(0xaa);
    FillRegisters(registers);
    CleanseVectorRegisters();
    StoreRegisters(registers);
    for (const auto& bytes : registers.upper) BOOST_CHECK((bytes == std::array<uint8_t, 64>{}));
}

/** What is copied last, the signature, may pass through them; nothing else is left. */
BOOST_AUTO_TEST_CASE(registers_after_signing, *boost::unit_test::precondition(HasAvx512))
{
    const Known known;
    for (const lanes::KernelSplitter& kernels : Signers()) {
        ThreadPool pool{1};
        Signature sig;
        Registers registers;
        const bool is_signed{known.Sign(kernels, pool, sig)};
        StoreRegisters(registers); // before anything else may use them
        BOOST_REQUIRE(is_signed);
        size_t left{0};
        for (const auto& bytes : registers.upper) {
            for (size_t i{0}; i < bytes.size(); i += N) {
                const bool zero{std::all_of(&bytes[i], &bytes[i] + N, [](uint8_t b) { return b == 0; })};
                if (!zero && !memmem(sig.data(), sig.size(), &bytes[i], N)) ++left;
            }
        }
        BOOST_CHECK_EQUAL(left, 0U);
    }
}

#endif

BOOST_AUTO_TEST_SUITE_END()
