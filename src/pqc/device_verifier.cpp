// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/device_verifier.h>

#include <pqc/judge.h>

#include <utility>
#include <vector>

namespace slhc::slhdsa {

DeviceVerifier::DeviceVerifier(std::shared_ptr<RootDevice> device, CpuVerifier& cpu, std::shared_ptr<const Logger> logger)
    : m_device{std::move(device), logger}, m_cpu{cpu}, m_logger{std::move(logger)}
{
}

bool DeviceVerifier::Verify(std::span<const CheckView> checks, std::span<Verdict> verdicts)
{
    constexpr size_t HASHED_AT_A_TIME{64};
    std::vector<RootJob> jobs(checks.size());
    const bool prepared{m_cpu.RunInChunks(checks.size(), HASHED_AT_A_TIME, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) jobs[i] = PrepareRootJob(checks[i]);
    })};
    if (!prepared) return false;
    if (IsRetired()) return m_cpu.Verify(checks, verdicts); // by another call meanwhile

    std::vector<Root> roots(checks.size());
    switch (m_device.Compute(jobs, roots)) {
    case BackendStatus::OK: return Judge(checks, jobs, roots, verdicts);
    case BackendStatus::FAILED: Retire([] { return std::string{"a call failed"}; }); break;
    case BackendStatus::REOPENS:
    case BackendStatus::BUSY: break;
    }
    return m_cpu.Verify(checks, verdicts);
}

/** Judge the device's roots. A root that is not PK.root is a claim that only the CPU can confirm. One that is PK.root proves itself, unless
 *  the device turns out to be wrong, in this call or meanwhile in another: then none of its roots is believed. */
bool DeviceVerifier::Judge(std::span<const CheckView> checks, std::span<const RootJob> jobs, std::span<const Root> roots,
                           std::span<Verdict> verdicts)
{
    std::vector<size_t> matching, differing;
    for (size_t i = 0; i < checks.size(); ++i) (RootMatches(roots[i], checks[i].public_key) ? matching : differing).push_back(i);

    std::atomic<uint64_t> wrong{0};
    const auto repeat{[&](std::span<const size_t> indexes) { return Repeat(indexes, checks, jobs, roots, verdicts, wrong); }};
    const auto retire_if_wrong{[&] {
        if (wrong == 0) return;
        Retire([&] { return std::to_string(wrong) + " of " + std::to_string(checks.size()) + " roots were wrong"; });
    }};
    bool done{false};
    try {
        done = repeat(differing);
    } catch (...) {
        retire_if_wrong(); // a wrong root found by one thread counts, though another ran out of memory
        throw;
    }
    retire_if_wrong();
    if (IsRetired()) return done && repeat(matching);
    if (!done) return false;
    for (const size_t i : matching) verdicts[i] = Verdict::VALID;
    return true;
}

/** Give some checks their verdicts on the CPU.
 *  @param[in] indexes  of these checks
 *  @param[in] roots    the device's
 *  @param[out] wrong   raised for each root that the CPU computes differently, even if this throws */
bool DeviceVerifier::Repeat(std::span<const size_t> indexes, std::span<const CheckView> checks, std::span<const RootJob> jobs,
                            std::span<const Root> roots, std::span<Verdict> verdicts, std::atomic<uint64_t>& wrong)
{
    return m_cpu.RunInChunks(indexes.size(), 0, [&](size_t begin, size_t end) {
        std::vector<RootJob> some;
        some.reserve(end - begin);
        for (size_t k = begin; k < end; ++k) some.push_back(jobs[indexes[k]]);
        std::vector<Root> right(some.size());
        m_cpu.ComputeRoots(some, right);
        for (size_t k = begin; k < end; ++k) {
            const size_t i{indexes[k]};
            const Root& root{right[k - begin]};
            verdicts[i] = RootMatches(root, checks[i].public_key) ? Verdict::VALID : Verdict::INVALID;
            if (root == roots[i]) continue;
            ++wrong;
            ++m_wrong_roots;
        }
    });
}

void DeviceVerifier::Retire(const std::function<std::string()>& reason)
{
    if (!Device().Retire()) return;
    m_logger->Log(LogLevel::WARNING, [&] {
        return std::string{Device().Name()} + " is retired: " + reason() + "; the CPU repeats its work, and it gets no more";
    });
}

} // namespace slhc::slhdsa
