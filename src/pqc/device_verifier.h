// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_DEVICE_VERIFIER_H
#define SLHCONSENSUS_PQC_DEVICE_VERIFIER_H

#include <pqc/check.h>
#include <pqc/counted_backend.h>
#include <pqc/cpu_verifier.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace slhc::slhdsa {

/** Verifies signatures with a device, which proposes roots, and the CPU, which judges them (verifier.h). All checks of a call are alike. */
class DeviceVerifier
{
public:
    /** @param[in] cpu  outlives this */
    DeviceVerifier(std::shared_ptr<RootDevice> device, CpuVerifier& cpu, std::shared_ptr<const Logger> logger);

    /** Give every check its verdict; the CPU does what the device has not done. @return false if the pool was interrupted */
    [[nodiscard]] bool Verify(std::span<const CheckView> checks, std::span<Verdict> verdicts);

    [[nodiscard]] RootDevice& Device() const { return m_device.Get(); }
    [[nodiscard]] const CountedBackend<RootDevice>& Counted() const { return m_device; }
    /** Roots for which the CPU has computed another value. */
    [[nodiscard]] uint64_t WrongRoots() const noexcept { return m_wrong_roots; }

private:
    bool IsRetired() const { return Device().State() == DeviceState::RETIRED; }
    bool Judge(std::span<const CheckView> checks, std::span<const RootJob> jobs, std::span<const Root> roots, std::span<Verdict> verdicts);
    bool Repeat(std::span<const size_t> indexes, std::span<const CheckView> checks, std::span<const RootJob> jobs,
                std::span<const Root> roots, std::span<Verdict> verdicts, std::atomic<uint64_t>& wrong);
    void Retire(const std::function<std::string()>& reason);

    CountedBackend<RootDevice> m_device;
    CpuVerifier& m_cpu;
    const std::shared_ptr<const Logger> m_logger;
    std::atomic<uint64_t> m_wrong_roots{0};
};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_DEVICE_VERIFIER_H
