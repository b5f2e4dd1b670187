// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <capi/failure.h>
#include <capi/input.h>
#include <capi/signature_cache.h>
#include <consensus/block_check.h>
#include <consensus/block_scripts.h>
#include <pqc/capi/context.h>
#include <pqc/capi/error.h>
#include <primitives/block.h>

#include <string>

using namespace slhc;
using namespace slhc::capi;

namespace slhc::capi {

namespace {

SignatureCacheMode ReadCacheMode(int cache_mode)
{
    switch (cache_mode) {
    case SLHC_CACHE_STORE: return SignatureCacheMode::STORE;
    case SLHC_CACHE_ERASE_ON_HIT: return SignatureCacheMode::ERASE_ON_HIT;
    }
    ThrowArgument("cache_mode " + std::to_string(cache_mode) + " is not one of SLHC_CACHE_*");
}

} // namespace

} // namespace slhc::capi

int slhc_verify_block_scripts(const slhc_context* context, slhc_bytes raw_block, const slhc_bytes* spent_outputs, size_t n_spent,
                              uint64_t flags, slhc_signature_cache* cache, int cache_mode, slhc_failure* failure)
{
    return GuardedParse<int>(__func__, SLHC_ERROR, [&]() -> int {
        const ContextState& state{*RequiredOwn(context, "context").state};
        if (failure != nullptr) CheckStructSize(*failure, "failure");
        const script_verify_flags read_flags{ReadFlags(flags)};
        SignatureCacheUse use;
        if (cache != nullptr) use = {.cache = CacheOf(cache), .mode = ReadCacheMode(cache_mode)};
        const CBlock block{ParseBlock(Bytes(raw_block, "raw_block.data"))};
        const auto spent{ReadSpentOutputs(spent_outputs, n_spent, CountBlockInputs(block), "the block without its coinbase")};
        const BlockScriptResult result{VerifyBlockScripts(block, spent, read_flags, state.verifier, {.cache = use})};
        switch (result.status) {
        case BlockScriptStatus::VALID: return SLHC_VALID;
        case BlockScriptStatus::INVALID:
            if (failure != nullptr) *failure = ToC(result.failure->tx_index, result.failure->input, result.failure->where);
            return SLHC_INVALID;
        case BlockScriptStatus::INTERRUPTED: break;
        }
        throw ApiError{SLHC_ERR_INTERRUPTED, "the context was interrupted"};
    });
}
