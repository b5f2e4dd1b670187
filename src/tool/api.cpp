// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/api.h>

#include <tool/error.h>
#include <util/environment.h>

#include <string>
#include <string_view>

namespace slhc::tool {
namespace {

ContextPtr g_context;

/** What the last error says, without the function's name: nobody at a command line has called it. Messages about variables name the
 *  variable instead. */
std::string Message(const slhc_error& error)
{
    const std::string_view message{error.message};
    const size_t colon{message.find(": ")};
    return std::string{message.starts_with("slhc_") && colon != message.npos ? message.substr(colon + 2) : message};
}

} // namespace

void ThrowApiError()
{
    slhc_error error = SLHC_ERROR_INIT;
    slhc_last_error(&error);
    throw InputError{Message(error)};
}

int Checked(int result)
{
    if (result == SLHC_ERROR) ThrowApiError();
    return result;
}

ContextPtr MakeContext(const slhc_context_options& options, const std::string& named)
{
    if (ContextPtr context{slhc_context_create(&options, nullptr)}) return context;
    slhc_error error = SLHC_ERROR_INIT;
    slhc_last_error(&error);
    throw error.code == SLHC_ERR_BACKEND ? InputError{named, Message(error)} : InputError{Message(error)};
}

const slhc_context* Context()
{
    if (!g_context) {
        slhc_context_options options = SLHC_CONTEXT_OPTIONS_INIT;
        if (!GetEnvironment("SLHC_BACKEND")) options.backend = "cpu";
        options.signature_cache_bytes = SLHC_NO_SIGNATURE_CACHE;
        g_context = MakeContext(options, "SLHC_BACKEND");
    }
    return g_context.get();
}

void DestroyContext()
{
    g_context.reset();
}

BatchPtr MakeBatch(const slhc_context* context)
{
    BatchPtr batch{slhc_batch_create(context)};
    if (!batch) ThrowApiError();
    return batch;
}

} // namespace slhc::tool
