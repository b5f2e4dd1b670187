// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/allocations.h>
#include <test/batch_fixture.h>

#include <pqc/cpu/engines.h>
#include <pqc/cpu/lane_signer.h>
#include <pqc/signer.h>
#include <pqc/slhdsa/declassify.h>
#include <slhdsa.h>
#include <test/numbers_128s.h>
#include <util/cleanse.h>
#include <util/threadpool.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <optional>
#include <vector>

/** Signing leaves none of its secrets behind, whether it ends well or not. */

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
        return lanes::Sign(kernels, pool, ParameterSet::SHA2_128S, *MessagePieces::Pure(real.message, {}), sk, PkSeed(), sig);
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

/** A signature that was begun but is never published: the FORS values that it would have revealed stay secret. */
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

/** The scalar code is interrupted when the signature is made. */
BOOST_AUTO_TEST_CASE(interrupted_scalar_signing)
{
    const Known known;
    ThreadPool pool{1};
    g_interrupted = &pool;
    g_declassify_hook = [](const void*, size_t) { g_interrupted->Interrupt(); };
    Signature sig{};
    const auto pieces{*MessagePieces::Pure(known.real.message, {})};
    BOOST_CHECK(!Sign(nullptr, pool, ParameterSet::SHA2_128S, pieces, known.sk, known.PkSeed(), sig, nullptr));
    g_declassify_hook = nullptr;
    BOOST_CHECK(sig == Signature{});
}

/** A secret key whose parts do not belong together. */
BOOST_AUTO_TEST_CASE(wrong_public_half)
{
    SecretKey sk{Known{}.sk};
    sk.back() ^= 1;
    slhc_context_options options = SLHC_CONTEXT_OPTIONS_INIT;
    options.backend = "cpu";
    slhc_context* const context{slhc_context_create(&options)};
    Signature sig{};
    const slhc_bytes nothing{nullptr, 0};
    const int result{slhc_slhdsa_sign(context, SLHC_SET_128S, sk.data(), nothing, nothing, nullptr, sig.data(), nullptr, nullptr)};
    BOOST_CHECK_EQUAL(result, SLHC_ERROR);
    slhc_error error = SLHC_ERROR_INIT;
    BOOST_CHECK_EQUAL(slhc_last_error(&error), SLHC_OK);
    BOOST_CHECK_EQUAL(error.code, SLHC_ERR_INTERNAL);
    BOOST_CHECK(sig == Signature{});
    slhc_context_destroy(context);
}

/** The scalar code's, too. */
BOOST_AUTO_TEST_CASE(wrong_public_half_without_an_engine)
{
    const Known known;
    SecretKey sk{known.sk};
    sk.back() ^= 1;
    ThreadPool pool{1};
    Signature sig{};
    const auto pieces{*MessagePieces::Pure(known.real.message, {})};
    BOOST_CHECK_THROW((void)Sign(nullptr, pool, ParameterSet::SHA2_128S, pieces, sk, known.PkSeed(), sig, nullptr), FaultySignature);
    BOOST_CHECK(sig == Signature{});
}

BOOST_AUTO_TEST_SUITE_END()
