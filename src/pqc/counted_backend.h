// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_COUNTED_BACKEND_H
#define SLHCONSENSUS_PQC_COUNTED_BACKEND_H

#include <pqc/backend.h>
#include <util/log.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace slhc::slhdsa {

/** A backend whose calls are counted, and whose exceptions are failures.
 *  @tparam Backend  RootBackend or RootDevice */
template <typename Backend>
class CountedBackend
{
public:
    CountedBackend(std::shared_ptr<Backend> backend, std::shared_ptr<const Logger> logger)
        : m_backend{std::move(backend)}, m_logger{std::move(logger)}
    {
    }

    [[nodiscard]] Backend& Get() const noexcept { return *m_backend; }
    [[nodiscard]] uint64_t Calls() const noexcept { return m_calls; }
    [[nodiscard]] uint64_t Jobs() const noexcept { return m_jobs; }
    [[nodiscard]] uint64_t FailedCalls() const noexcept { return m_failed_calls; }

    /** See RootBackend::ComputeRoots. */
    [[nodiscard]] BackendStatus Compute(std::span<const RootJob> jobs, std::span<Root> roots)
    {
        BackendStatus status{BackendStatus::FAILED};
        try {
            status = m_backend->ComputeRoots(jobs, roots);
        } catch (const std::exception& e) {
            m_logger->Log(LogLevel::WARNING, [&] { return std::string{m_backend->Name()} + ": " + e.what(); });
        }
        if (status == BackendStatus::BUSY) return status;
        ++m_calls;
        m_jobs += jobs.size();
        if (status != BackendStatus::OK) ++m_failed_calls;
        return status;
    }

private:
    const std::shared_ptr<Backend> m_backend;
    const std::shared_ptr<const Logger> m_logger;
    std::atomic<uint64_t> m_calls{0}, m_jobs{0}, m_failed_calls{0};
};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_COUNTED_BACKEND_H
