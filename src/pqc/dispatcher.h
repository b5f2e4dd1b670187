// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_DISPATCHER_H
#define SLHCONSENSUS_PQC_DISPATCHER_H

#include <pqc/backends.h>
#include <pqc/cost_model.h>
#include <pqc/verifier.h>
#include <util/log.h>
#include <util/threadpool.h>

#include <memory>
#include <optional>
#include <string>

namespace slhc::slhdsa {

/** Learns what CPU and device take for batches of some sizes, once the device is ready, in a thread of its own; or
 *  remembers it from a file. Until then the device gets no work. */
class Dispatcher
{
public:
    /** @param[in] backends   with a device
     *  @param[in] cache_dir  where the measurement is kept between runs; empty: nowhere */
    Dispatcher(Backends backends, std::shared_ptr<ThreadPool> pool, std::shared_ptr<const Logger> logger, std::string cache_dir);
    ~Dispatcher();
    Dispatcher(const Dispatcher&) = delete;
    Dispatcher& operator=(const Dispatcher&) = delete;

    /** See Verifier::DeviceShare. */
    [[nodiscard]] size_t DeviceShare(size_t n) const;

    /** Wait until there is a model or it is known that there will be none. */
    std::optional<CostModel> WaitForModel();

private:
    class Learner;

    const long m_pid; //!< the process that the thread lives in
    std::unique_ptr<Learner> m_learner;
};

/** The share for a context with these backends: none where there is no choice to make, i.e. no device, or one that
 *  was asked for by name. */
[[nodiscard]] Verifier::DeviceShare MakeDeviceShare(const Backends& backends, std::shared_ptr<ThreadPool> pool, std::shared_ptr<const Logger> logger, const std::string& cache_dir);

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_DISPATCHER_H
