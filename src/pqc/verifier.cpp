// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/verifier.h>

#include <pqc/judge.h>
#include <util/check.h>
#include <util/thread.h>

#include <algorithm>
#include <future>
#include <system_error>
#include <utility>

namespace slhc::slhdsa {

namespace {

/** True if a signature has its set's size. Any other is invalid, and no backend sees it. */
bool HasSignatureSize(const CheckView& check) { return check.signature.size() == ParamsOf(check.set).SignatureSize(); }

/** True if all checks can go to a backend in one call. */
bool AreAlike(std::span<const CheckView> checks)
{
    return std::ranges::all_of(checks, [&](const CheckView& check) { return check.set == checks.front().set && HasSignatureSize(check); });
}

/** Give every check its verdict, by calls of `verify` for checks that are alike.
 *  @param[in] verify  f(checks, verdicts); false: interrupted
 *  @return false if a call was interrupted */
bool ForEachSet(std::span<const CheckView> checks, std::span<Verdict> verdicts,
                const std::function<bool(std::span<const CheckView>, std::span<Verdict>)>& verify)
{
    if (checks.empty()) return true;
    if (AreAlike(checks)) return verify(checks, verdicts);
    bool complete{true};
    for (const ParameterSetEntry& entry : PARAMETER_SETS) {
        std::vector<CheckView> its_checks;
        std::vector<size_t> places;
        for (size_t i = 0; i < checks.size(); ++i) {
            if (checks[i].set != entry.set) continue;
            if (!HasSignatureSize(checks[i])) {
                verdicts[i] = Verdict::INVALID;
                continue;
            }
            its_checks.push_back(checks[i]);
            places.push_back(i);
        }
        if (its_checks.empty()) continue;
        std::vector<Verdict> its_verdicts(its_checks.size(), Verdict::NONE);
        complete &= verify(its_checks, its_verdicts);
        for (size_t i = 0; i < places.size(); ++i) verdicts[places[i]] = its_verdicts[i];
    }
    return complete;
}

} // namespace

Verifier::Verifier(Backends backends, std::shared_ptr<ThreadPool> pool, std::shared_ptr<const Logger> logger, DeviceShare share)
    : m_pool{std::move(pool)}
    , m_device_only{backends.device_only}
    , m_cpu{std::move(backends.cpu), m_pool, logger}
    , m_sharer{backends.devices, m_device_only, std::move(share)}
{
    for (auto& device : backends.devices) m_devices.emplace_back(std::move(device), m_cpu, logger);
}

bool Verifier::VerifyNow(const CheckView& check) const
{
    if (!HasSignatureSize(check)) return false;
    const RootJob job{PrepareRootJob(check)};
    Root root;
    m_cpu.ComputeRoots({&job, 1}, {&root, 1});
    return RootMatches(root, check.public_key);
}

void Verifier::VerifyHere(std::span<const CheckView> checks, std::span<Verdict> verdicts) const
{
    const CpuVerifier::Busy busy{m_cpu};
    ForEachSet(checks, verdicts, [this](std::span<const CheckView> alike, std::span<Verdict> their_verdicts) {
        m_cpu.VerifyHere(alike, their_verdicts);
        return true;
    });
}

bool Verifier::VerifyMany(std::span<const CheckView> checks, std::span<Verdict> verdicts)
{
    assert(checks.size() == verdicts.size());
    std::fill(verdicts.begin(), verdicts.end(), Verdict::NONE);
    return ForEachSet(checks, verdicts, [this](std::span<const CheckView> alike, std::span<Verdict> their_verdicts) {
        return VerifyAlike(alike, their_verdicts);
    });
}

/** @pre the checks are alike, at least one, and no verdict is known */
bool Verifier::VerifyAlike(std::span<const CheckView> checks, std::span<Verdict> verdicts)
{
    const std::vector<size_t> parts{m_sharer.ShareOut(checks.size(), checks.front().set, m_cpu.MeasuredPace())};
    // Threads of their own wait for devices, so that all threads of the pool have the CPU's share to work on.
    std::vector<std::future<bool>> others;
    others.reserve(parts.size());
    bool done{true};
    size_t begin{0};
    for (size_t i = 0; i < parts.size(); ++i) {
        if (parts[i] == 0) continue;
        const auto its_checks{checks.subspan(begin, parts[i])};
        const auto its_verdicts{verdicts.subspan(begin, parts[i])};
        begin += parts[i];
        if (begin == checks.size()) { // nothing is left for this thread to do meanwhile
            done &= m_devices[i].Verify(its_checks, its_verdicts);
            break;
        }
        try {
            others.push_back(StartTask([this, i, its_checks, its_verdicts] { return m_devices[i].Verify(its_checks, its_verdicts); }));
        } catch (const std::system_error&) {
            done &= m_cpu.Verify(its_checks, its_verdicts);
        }
    }
    if (begin < checks.size()) done &= m_cpu.Verify(checks.subspan(begin), verdicts.subspan(begin));
    for (std::future<bool>& other : others) done &= other.get();
    return done;
}

std::vector<BackendStatistics> Verifier::Statistics() const
{
    const auto& engine{m_cpu.Engine()};
    std::vector<BackendStatistics> all{{
        .name = std::string{engine.Get().Name()},
        .is_device = false,
        .ready = true,
        .retired = false,
        .state = std::string{DeviceStateName(DeviceState::READY)},
        .process = {},
        .calls = engine.Calls(),
        .jobs = engine.Jobs(),
        .failed_calls = engine.FailedCalls(),
        .wrong_roots = 0,
    }};
    for (const DeviceVerifier& device : m_devices) {
        const DeviceState state{device.Device().State()};
        all.push_back({
            .name = std::string{device.Device().Name()},
            .is_device = true,
            .ready = state == DeviceState::READY,
            .retired = state == DeviceState::RETIRED,
            .state = std::string{DeviceStateName(state)},
            .process = device.Device().Process(),
            .calls = device.Counted().Calls(),
            .jobs = device.Counted().Jobs(),
            .failed_calls = device.Counted().FailedCalls(),
            .wrong_roots = device.WrongRoots(),
        });
    }
    return all;
}

} // namespace slhc::slhdsa
