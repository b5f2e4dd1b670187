// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/api.h>

#include <tool/error.h>

namespace slhc::tool {

void ThrowApiError()
{
    slhc_error error = SLHC_ERROR_INIT;
    slhc_last_error(&error);
    throw InputError{error.message};
}

int Checked(int result)
{
    if (result == SLHC_ERROR) ThrowApiError();
    return result;
}

const slhc_context* Context()
{
    static const ContextPtr context{[] {
        slhc_context_options options = SLHC_CONTEXT_OPTIONS_INIT;
        options.signature_cache_bytes = SLHC_NO_SIGNATURE_CACHE;
        slhc_context* made{slhc_context_create(&options, nullptr)};
        if (!made) ThrowApiError();
        return made;
    }()};
    return context.get();
}

BatchPtr MakeBatch(const slhc_context* context)
{
    BatchPtr batch{slhc_batch_create(context)};
    if (!batch) ThrowApiError();
    return batch;
}

} // namespace slhc::tool
