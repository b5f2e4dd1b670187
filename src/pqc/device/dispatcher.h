// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_DEVICE_DISPATCHER_H
#define SLHCONSENSUS_PQC_DEVICE_DISPATCHER_H

#include <pqc/backends.h>
#include <pqc/device/cost_model.h>
#include <pqc/verifier.h>
#include <util/log.h>
#include <util/threadpool.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace slhc::slhdsa {

/** Has the device opened when the first batch comes that it might help with; a process that verifies a few signatures pays nothing for it.
 *  Measures how long CPU and device take for batches of some sizes, once the device is ready, in its own thread; or reads this from a file,
 *  if that is recent and applies to this processor, engine, device and driver. Until then the device gets no work. Afterwards, the
 *  dispatcher learns from how long batches take. */
class Dispatcher
{
public:
    /** The time of day, for the age of a file. */
    using Today = std::chrono::sys_seconds (*)();
    [[nodiscard]] static std::chrono::sys_seconds SystemTime();

    /** Older measurements are repeated: the machine may have been busy. */
    static constexpr std::chrono::hours MAX_AGE{24};
    /** A batch of this size has the device opened: smaller ones never go there. */
    static constexpr size_t BATCH_TO_OPEN_FOR{CostModel::LEAST_TELLING};
    /** Of this many batches that go to only one side, one goes to both: see CostModel::TrialShare. */
    static constexpr size_t BATCHES_FOR_A_TRIAL{16};

    /** @param[in] backends   with one device
     *  @param[in] cache_dir  where the measurement is kept between runs; empty: not kept */
    Dispatcher(Backends backends, std::shared_ptr<ThreadPool> pool, std::shared_ptr<const Logger> logger, std::string cache_dir,
               Today today = SystemTime);
    ~Dispatcher();
    Dispatcher(const Dispatcher&) = delete;
    Dispatcher& operator=(const Dispatcher&) = delete;

    /** See Verifier::DeviceShare. */
    [[nodiscard]] size_t DeviceShare(size_t n);
    /** See Verifier::Observer. */
    void Observe(CostModel::Side side, size_t n, std::chrono::nanoseconds time);

    /** Open the device if it is not open, and wait until there is a model or it is known that there will be none. */
    std::optional<CostModel> WaitForModel();

private:
    class Learner;

    std::unique_ptr<Learner> m_learner;
};

/** What a verifier needs to share batches between CPU and device. */
struct Sharing {
    Verifier::DeviceShare device_share;
    Verifier::Observer observer;
};

/** For a context with these backends: nothing if there is no choice to make, i.e. no device, or one that was asked for by name. */
[[nodiscard]] Sharing MakeSharing(const Backends& backends, std::shared_ptr<ThreadPool> pool, std::shared_ptr<const Logger> logger,
                                  const std::string& cache_dir);

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_DEVICE_DISPATCHER_H
