// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Counts the work of verification, signing and key generation, for work_baseline.py, which compares it with a committed baseline:
//
//     work_counts compressions   the scalar code's compressions, as "<what> <blocks>" lines
//     work_counts instructions   under callgrind: dumps with the name "<engine> <what>"
//
// Keys and messages are fixed, so every run does the same. Exit status: 0 done, 1 a wrong verdict, signature or key, 2 bad usage,
// 77 without valgrind's headers.

#include <pqc/backends.h>
#include <pqc/check.h>
#include <pqc/cpu/engines.h>
#include <pqc/cpu/lane_signer.h>
#include <pqc/slhdsa/slhdsa.h>
#include <pqc/verifier.h>
#include <test/compressions.h>
#include <util/log.h>
#include <util/threadpool.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#define HAVE_CALLGRIND
#endif

using namespace slhc;
using namespace slhc::slhdsa;

namespace {

constexpr size_t BATCH{16};

struct Signed {
    std::array<uint8_t, KEYGEN_SEED_SIZE> seed;
    SecretKey sk;
    PublicKey pk;
    std::array<uint8_t, 32> message;
    Signature signature;

    [[nodiscard]] std::span<const uint8_t, N> PkSeed() const { return std::span<const uint8_t, N>{sk.data() + 2 * N, N}; }
    [[nodiscard]] MessagePieces Message() const { return *MessagePieces::Pure(message, {}); }
};

Signed Made(uint8_t number)
{
    Signed s{};
    for (size_t i{0}; i < s.seed.size(); ++i) s.seed[i] = static_cast<uint8_t>(number * 48 + i);
    s.message.fill(number);
    return s;
}

void Demand(bool right, const char* what)
{
    if (!right) throw std::runtime_error{std::string{what} + ": the result is wrong"};
}

/** The scalar code, whose every hash goes through sha256::Transform. */
void PrintCompressions()
{
    uint64_t before{0};
    const auto print{[&](const char* what) {
        std::printf("%s %llu\n", what, static_cast<unsigned long long>(test::CountedCompressions().sha256 - before));
        before = test::CountedCompressions().sha256;
    }};
    Signed s{Made(0)};
    before = test::CountedCompressions().sha256;
    slh_keygen_internal(s.seed, s.sk, s.pk);
    print("keygen");
    slh_sign_internal(s.Message(), s.sk, s.PkSeed(), s.signature);
    print("sign");
    Demand(slh_verify_internal(s.Message(), s.signature, s.pk), "verify");
    print("verify");
}

#ifdef HAVE_CALLGRIND
template <typename F>
void Count(const std::string& name, F&& work)
{
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_ZERO_STATS;
    work();
    CALLGRIND_DUMP_STATS_AT(name.c_str());
    CALLGRIND_STOP_INSTRUMENTATION;
}

void CountInstructions(const CpuEngine& engine)
{
    const auto kernels{engine.Kernels()};
    const std::string isa{engine.Isa()};
    ThreadPool pool{1};
    std::vector<Signed> made;
    for (uint8_t i{0}; i < BATCH; ++i) {
        Signed& s{made.emplace_back(Made(i))};
        constexpr ParameterSet SET{ParameterSet::SHA2_128S};
        const auto keygen{[&] { Demand(lanes::GenerateKey(*kernels, pool, SET, s.seed, s.sk, s.pk), "keygen"); }};
        const auto sign{[&] { Demand(lanes::Sign(*kernels, pool, SET, s.Message(), s.sk, s.PkSeed(), s.signature), "sign"); }};
        if (i == 0) {
            Count(isa + " keygen", keygen);
            Count(isa + " sign", sign);
        } else {
            keygen();
            sign();
        }
    }
    std::vector<CheckView> checks;
    for (const Signed& s : made) checks.push_back({.public_key = s.pk.data(), .message = s.Message(), .signature = s.signature});
    Verifier verifier{Backends{.cpu = engine.Create()}, std::make_shared<ThreadPool>(1), std::make_shared<Logger>()};
    for (const size_t n : {size_t{1}, BATCH}) {
        std::vector<Verdict> verdicts(n);
        Count(isa + " verify-" + std::to_string(n), [&] { Demand(verifier.VerifyMany(std::span{checks}.first(n), verdicts), "verify"); });
        Demand(std::ranges::all_of(verdicts, [](Verdict v) { return v == Verdict::VALID; }), "verify");
    }
}
#endif

} // namespace

int main(int argc, char** argv)
{
    const std::string_view mode{argc == 2 ? argv[1] : ""};
    try {
        if (mode == "compressions") {
            PrintCompressions();
        } else if (mode == "instructions") {
#ifdef HAVE_CALLGRIND
            for (const CpuEngine& engine : CpuEngines().All()) {
                // Those whose instructions valgrind knows.
                if (engine.IsOffered() && engine.Kernels() && engine.Isa() == "avx2") CountInstructions(engine);
            }
#else
            std::printf("skipped: this build had no valgrind/callgrind.h\n");
            return 77;
#endif
        } else {
            std::fprintf(stderr, "usage: work_counts compressions|instructions\n");
            return 2;
        }
    } catch (const std::exception& e) {
        std::fprintf(stderr, "work_counts: %s\n", e.what());
        return 1;
    }
    return 0;
}
