// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_BATCH_FIXTURE_H
#define SLHCONSENSUS_TEST_BATCH_FIXTURE_H

#include <pqc/batch.h>
#include <pqc/slhdsa/slhdsa.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

namespace slhc::slhdsa::test {

/** A key, a message and a pure signature with an empty context, each different from all others of its kind. */
struct Signed {
    PublicKey public_key;
    std::array<uint8_t, 32> message;
    Signature signature;
};

/** Real signatures, made once for the whole run; few, as the scalar code signs slowly. */
inline const std::vector<Signed>& RealSignatures()
{
    static const std::vector<Signed> signatures{[] {
        std::vector<Signed> made(3);
        for (size_t i = 0; i < made.size(); ++i) {
            std::array<uint8_t, KEYGEN_SEED_SIZE> seed;
            for (size_t j = 0; j < seed.size(); ++j) seed[j] = static_cast<uint8_t>(17 * i + j);
            SecretKey sk;
            slh_keygen_internal(seed, sk, made[i].public_key);
            for (size_t j = 0; j < 32; ++j) made[i].message[j] = static_cast<uint8_t>(101 * i + 3 * j);
            if (!slh_sign(made[i].message, {}, sk, nullptr, made[i].signature)) throw std::logic_error{"slh_sign"};
        }
        return made;
    }()};
    return signatures;
}

inline Ticket TicketAt(uint64_t first, uint64_t second = 0, uint64_t third = 0)
{
    return {first, second, third};
}

inline SignatureCheck EntryOf(const Signed& s, const Ticket& ticket)
{
    return SignatureCheck{ticket, s.public_key, s.message, {s.signature.begin(), s.signature.end()}};
}

/** A stand-in for real hashing, for tests of everything around it: a signature leads to the root that its first 16 bytes spell. So one is
 *  "valid" under every key that has these bytes as PK.root. */
inline Root FakeRoot(const RootJob& job)
{
    Root root;
    std::copy_n(job.signature, root.size(), root.begin());
    return root;
}

inline SignatureCheck FakeEntry(const Ticket& ticket, bool valid)
{
    PublicKey pk{};
    for (size_t i = 0; i < pk.size(); ++i) pk[i] = static_cast<uint8_t>(ticket[0] * 31 + ticket[1] * 7 + i);
    std::vector<uint8_t> signature(SIGNATURE_SIZE);
    std::copy_n(pk.begin() + N, N, signature.begin());
    if (!valid) signature[ticket[0] % N] ^= 1;
    return SignatureCheck{ticket, pk, {}, std::move(signature)};
}

/** A backend whose behaviour a test chooses. */
class FakeBackend final : public RootDevice
{
public:
    using Compute = std::function<BackendStatus(std::span<const RootJob>, std::span<Root>)>;

    bool is_device{false};
    std::atomic<bool> ready{true};
    std::atomic<bool> retired{false};
    std::atomic<size_t> opened{0};
    std::function<void()> when_asked{}; //!< whether it is ready
    std::function<void()> when_retired{};
    size_t preferred{8};
    std::optional<Pace> pace{Pace{}};
    std::atomic<size_t> calls{0};
    std::atomic<size_t> jobs{0};
    std::atomic<size_t> largest{0};
    Compute compute{Honest};

    static BackendStatus Honest(std::span<const RootJob> job_list, std::span<Root> roots)
    {
        for (size_t i = 0; i < job_list.size(); ++i) roots[i] = FakeRoot(job_list[i]);
        return BackendStatus::OK;
    }

    std::string_view Name() const noexcept override { return is_device ? "fake:device" : "fake:cpu"; }
    size_t PreferredJobs() const noexcept override { return preferred; }
    DeviceState State() const noexcept override
    {
        if (retired) return DeviceState::RETIRED;
        if (when_asked) when_asked();
        return ready ? DeviceState::READY : DeviceState::OPENING;
    }
    SetState PrepareSet(ParameterSet) noexcept override { return SetState::READY; }
    bool Retire() noexcept override
    {
        const bool first{!retired.exchange(true)};
        if (first && when_retired) when_retired();
        return first;
    }
    std::optional<Pace> MeasuredPace() const noexcept override { return pace; }
    void Open() noexcept override { ++opened; }
    BackendStatus ComputeRoots(std::span<const RootJob> job_list, std::span<Root> roots) override
    {
        if (roots.size() != job_list.size()) throw std::logic_error{"a root for each job is asked for"};
        ++calls;
        jobs += job_list.size();
        size_t seen{largest};
        while (seen < job_list.size() && !largest.compare_exchange_weak(seen, job_list.size())) {}
        return compute(job_list, roots);
    }
};

} // namespace slhc::slhdsa::test

#endif // SLHCONSENSUS_TEST_BATCH_FIXTURE_H
