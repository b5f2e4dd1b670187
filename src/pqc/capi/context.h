// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_CAPI_CONTEXT_H
#define SLHCONSENSUS_PQC_CAPI_CONTEXT_H

#include <pqc/batch.h>
#include <pqc/capi/error.h>
#include <pqc/top_tree_cache.h>
#include <pqc/verifier.h>
#include <slhdsa.h>
#include <util/log.h>
#include <util/threadpool.h>

#include <memory>
#include <string>
#include <utility>

#include <unistd.h>

/** The implementation of the C API's contexts and batches. */
namespace slhc::capi {

/** Devices' options as the environment has them. @param[in] logger never null */
[[nodiscard]] slhdsa::DeviceOptions DeviceOptionsOfEnvironment(std::shared_ptr<const Logger> logger);

/** The state that a context shares with the batches made from it. */
struct ContextState {
    std::shared_ptr<const Logger> logger;
    std::shared_ptr<ThreadPool> pool;
    std::shared_ptr<slhdsa::Verifier> verifier;
    const pid_t process{getpid()}; //!< where the threads and devices are

    /** True if this process is a child that got the object through fork(). */
    [[nodiscard]] bool IsInherited() const noexcept { return getpid() != process; }
};

/** The state of a new context. @throws ApiError if the options or the variables that complete them make no sense here */
[[nodiscard]] std::shared_ptr<ContextState> MakeState(const slhc_context_options& options);

} // namespace slhc::capi

struct slhc_context {
    std::shared_ptr<slhc::capi::ContextState> state;
    //! Of the keys used last. Not in the state, which batches keep.
    std::unique_ptr<slhc::slhdsa::TopTreeCache> top_trees{std::make_unique<slhc::slhdsa::TopTreeCache>(slhc::slhdsa::MAX_TOP_TREES)};
};

struct slhc_batch {
    std::shared_ptr<slhc::capi::ContextState> state;
    slhc::slhdsa::Batch batch;

    slhc_batch(std::shared_ptr<slhc::capi::ContextState> state_in, std::shared_ptr<slhc::slhdsa::Verifier> verifier)
        : state{std::move(state_in)}, batch{std::move(verifier)}
    {
    }
};

namespace slhc::capi {

/** The context or batch behind a pointer argument.
 *  @throws ApiError if it is null, or was made before a fork() of this process */
template <typename T>
T& RequiredOwn(T* pointer, const char* name)
{
    T& found{Required(pointer, name)};
    if (found.state->IsInherited()) {
        throw ApiError{SLHC_ERR_STATE,
                       std::string{"the "} + name + " was made before a fork() of this process, which needs a context of its own"};
    }
    return found;
}

/** Destroy a context or batch. In a forked child, the threads that this would wait for do not exist, so a parent's object is not
 *  destroyed. */
template <typename T>
void DestroyOwn(T* pointer)
{
    if (pointer != nullptr && !pointer->state->IsInherited()) delete pointer;
}

} // namespace slhc::capi

#endif // SLHCONSENSUS_PQC_CAPI_CONTEXT_H
