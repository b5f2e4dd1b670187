// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_API_H
#define SLHCONSENSUS_TOOL_API_H

#include <slhconsensus.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

/** The C API with owners and exceptions: the tool verifies through what everybody else can call. */
namespace slhc::tool {

struct ApiDeleter {
    void operator()(slhc_context* context) const { slhc_context_destroy(context); }
    void operator()(slhc_tx* tx) const { slhc_tx_destroy(tx); }
    void operator()(slhc_batch* batch) const { slhc_batch_destroy(batch); }
};
using ContextPtr = std::unique_ptr<slhc_context, ApiDeleter>;
using TxPtr = std::unique_ptr<slhc_tx, ApiDeleter>;
using BatchPtr = std::unique_ptr<slhc_batch, ApiDeleter>;

/** A context. @param[in] named  what the backend was named by, for errors
 *  @throws InputError if the options or the variables that complete them make no sense here */
ContextPtr MakeContext(const slhc_context_options& options, const std::string& named);

/** The context of this process, as SLHC_BACKEND, SLHC_THREADS and the other variables have it. Without SLHC_BACKEND
 *  it is on the CPU: no device starts in the time that a command takes. Without a signature cache, so that
 *  whatever is timed does its work.
 *  @throws InputError if they make no sense here */
const slhc_context* Context();

/** Destroy it if there is one. To be called before main() ends: a device's driver may not survive the destructors of
 *  static objects, which run afterwards. */
void DestroyContext();

BatchPtr MakeBatch(const slhc_context* context);

inline slhc_bytes View(std::span<const uint8_t> bytes) { return {bytes.data(), bytes.size()}; }

/** The last error of this thread as an InputError. */
[[noreturn]] void ThrowApiError();

/** result itself, unless it is SLHC_ERROR: then ThrowApiError(). */
int Checked(int result);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_API_H
