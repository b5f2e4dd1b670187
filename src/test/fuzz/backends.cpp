// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Every CPU engine of this machine against the scalar code: roots of arbitrary bytes, in calls of every size.

#include <pqc/cpu/engines.h>
#include <pqc/judge.h>
#include <test/core/choices.h>
#include <test/fuzz/fuzz.h>
#include <test/numbers_128s.h>

#include <algorithm>
#include <memory>
#include <vector>

using namespace slhc;
using namespace slhc::slhdsa;
using slhc::test::Require;

namespace {

struct Case {
    std::array<uint8_t, PUBLIC_KEY_SIZE> public_key;
    std::array<uint8_t, 32> message;
    std::vector<uint8_t> signature;
};

/** A few bytes of the fuzzer's decide 7856: repeated patterns in some places, streams from a seed in others. */
Case SomeCase(test::Choices& choices)
{
    Case result;
    const auto key{choices.Bytes(PUBLIC_KEY_SIZE)};
    const auto message{choices.Bytes(32)};
    std::copy(key.begin(), key.end(), result.public_key.begin());
    std::copy(message.begin(), message.end(), result.message.begin());
    if (choices.Bool()) {
        result.signature = test::SeededChoices{choices.Take(8)}.Bytes(SIGNATURE_SIZE);
    } else {
        const auto pattern{choices.Bytes(choices.Below(32) + 1)};
        for (size_t i{0}; i < SIGNATURE_SIZE; ++i) result.signature.push_back(pattern[i % pattern.size()]);
    }
    return result;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    struct Engine {
        std::string_view isa;
        std::unique_ptr<RootBackend> backend;
    };
    static const auto engines{[] {
        std::vector<Engine> result;
        for (const CpuEngine& engine : CpuEngines().All()) {
            // The scalar code would be compared with itself.
            if (engine.IsOffered() && engine.Isa() != "portable") result.push_back({engine.Isa(), engine.Create()});
        }
        return result;
    }()};
    static const auto scalar{CreatePortableEngine()};

    test::FuzzedChoices choices{{data, size}};
    std::vector<Case> cases;
    for (size_t n{choices.SomeSize({0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33}, 20)}; n > 0; --n) cases.push_back(SomeCase(choices));
    std::vector<RootJob> jobs;
    for (const Case& one : cases) {
        RootJob job{PrepareRootJob(
            {.public_key = one.public_key.data(), .message = MessagePieces::Internal(one.message), .signature = one.signature})};
        // Digests by choice too: every index and every length of a chain can be had.
        if (choices.Bool()) {
            const auto md{choices.Bytes(FORS_DIGEST_SIZE)};
            std::copy(md.begin(), md.end(), job.md.begin());
            job.idx_leaf = static_cast<uint32_t>(choices.Below(1u << H_PRIME));
            job.idx_tree = choices.Take(8) & ((uint64_t{1} << (H - H_PRIME)) - 1);
        }
        jobs.push_back(job);
    }
    std::vector<Root> expected(jobs.size());
    Require(scalar->ComputeRoots(jobs, expected) == BackendStatus::OK, "the scalar code does not fail");
    for (const Engine& engine : engines) {
        std::vector<Root> roots(jobs.size());
        Require(engine.backend->ComputeRoots(jobs, roots) == BackendStatus::OK, "a CPU engine does not fail");
        Require(roots == expected, "cpu:" + std::string{engine.isa} + " computes the scalar code's roots");
    }
    return 0;
}
