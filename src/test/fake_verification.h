// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_FAKE_VERIFICATION_H
#define SLHCONSENSUS_TEST_FAKE_VERIFICATION_H

#include <pqc/backends.h>
#include <pqc/verifier.h>
#include <test/batch_fixture.h>
#include <util/log.h>
#include <util/threadpool.h>

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <latch>
#include <memory>
#include <span>
#include <thread>
#include <utility>

/** Verifications that a test can hold up, and wait for. */
namespace slhc::slhdsa::test {

inline std::shared_ptr<Verifier> MakeFakeVerifier(std::shared_ptr<FakeBackend> cpu, unsigned threads)
{
    return std::make_shared<Verifier>(Backends{.cpu = std::move(cpu)}, std::make_shared<ThreadPool>(threads),
                                      std::make_shared<Logger>());
}

/** A verification that stands still once it has begun, until it may go on. */
struct StandStill {
    std::latch begun{1}, go_on{1};
    std::atomic<bool> first{true};

    explicit StandStill(FakeBackend& cpu)
    {
        cpu.compute = [this](std::span<const RootJob> jobs, std::span<Root> roots) {
            if (first.exchange(false)) begun.count_down();
            go_on.wait();
            return FakeBackend::Honest(jobs, roots);
        };
    }
};

/** A backend that holds up its first caller until it is told to go on. */
struct Gate {
    std::latch reached{1};
    std::latch open{1};
    std::atomic<bool> first{true};

    FakeBackend::Compute Compute()
    {
        return [this](std::span<const RootJob> jobs, std::span<Root> roots) {
            if (first.exchange(false)) {
                reached.count_down();
                open.wait();
            }
            return FakeBackend::Honest(jobs, roots);
        };
    }
};

/** A thread that verifies a batch. */
struct Verification {
    std::atomic<bool> answered{false};
    BatchResult result{};
    std::thread thread;

    explicit Verification(Batch& batch)
        : thread{[this, &batch] {
              result = batch.Verify();
              answered = true;
          }}
    {
    }
};

/** Wait for what other threads do. */
inline void WaitFor(const std::function<bool()>& done)
{
    for (int i = 0; i < 2000 && !done(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds{10});
    BOOST_REQUIRE(done());
}

} // namespace slhc::slhdsa::test

#endif // SLHCONSENSUS_TEST_FAKE_VERIFICATION_H
