// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_CAPI_CONTEXT_H
#define SLHCONSENSUS_CAPI_CONTEXT_H

#include <capi/error.h>
#include <pqc/batch.h>
#include <pqc/top_tree_cache.h>
#include <pqc/verifier.h>
#include <script/sigcache.h>
#include <slhconsensus.h>
#include <util/log.h>
#include <util/owner_process.h>
#include <util/threadpool.h>

#include <memory>

/** The implementation of the C API's contexts and batches. */
namespace slhc::capi {

/** Of how many keys a context keeps the top trees. */
inline constexpr size_t MAX_TOP_TREES{8};

/** What a context and the batches made from it share. */
struct ContextState {
    std::shared_ptr<const Logger> logger;
    std::shared_ptr<ThreadPool> pool;
    std::shared_ptr<slhdsa::Verifier> verifier;
    std::unique_ptr<SignatureCache> signature_cache; //!< null: none

    /** Null if there is none, or in a child that got the context through fork(): a thread of the parent, of a queue perhaps, may have
     *  held one of its locks. */
    [[nodiscard]] SignatureCache* UsableSignatureCache() const { return pool->ForkedSince() ? nullptr : signature_cache.get(); }
};

} // namespace slhc::capi

struct slhc_context {
    std::shared_ptr<slhc::capi::ContextState> state;
    //! Of the keys used last. Not in the state, which batches and queues keep.
    std::unique_ptr<slhc::slhdsa::TopTreeCache> top_trees{std::make_unique<slhc::slhdsa::TopTreeCache>(slhc::capi::MAX_TOP_TREES)};
};

struct slhc_batch {
    std::shared_ptr<slhc::capi::ContextState> state;
    slhc::slhdsa::Batch batch;
    slhc::OwnerProcess owner{};
};

namespace slhc::capi {

/** The checks of a batch, const if it is.
 *  @throws ApiError if it is null, or if workers of a parent of this process may have held its lock */
template <typename CBatch>
[[nodiscard]] auto& RequiredBatch(CBatch* batch)
{
    auto& found{Required(batch, "batch")};
    if (found.batch.VerifiesAhead() && found.owner.ForkedSince()) {
        throw ApiError{SLHC_ERR_STATE, "the batch was created before a fork() of this process"};
    }
    return found.batch;
}

} // namespace slhc::capi

#endif // SLHCONSENSUS_CAPI_CONTEXT_H
