// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/process_verifier.h>

#include <pqc/capi/context.h>
#include <tool/error.h>
#include <util/environment.h>

namespace slhc::tool {
namespace {

std::shared_ptr<slhdsa::Verifier> g_verifier;

} // namespace

std::shared_ptr<slhdsa::Verifier> MakeVerifier(const std::string& named, const char* backend, unsigned threads)
{
    slhc_context_options options SLHC_CONTEXT_OPTIONS_INIT;
    options.backend = backend;
    options.threads = threads;
    try {
        return capi::MakeState(options)->verifier;
    } catch (const capi::ApiError& e) {
        throw e.Code() == SLHC_ERR_BACKEND ? InputError{named, e.what()} : InputError{e.what()};
    }
}

const std::shared_ptr<slhdsa::Verifier>& ProcessVerifier()
{
    if (!g_verifier) g_verifier = MakeVerifier("SLHC_BACKEND", GetEnvironment("SLHC_BACKEND") ? nullptr : "cpu", 0);
    return g_verifier;
}

void DestroyProcessVerifier()
{
    g_verifier.reset();
}

} // namespace slhc::tool
