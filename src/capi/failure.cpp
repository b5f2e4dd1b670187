// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <capi/failure.h>

#include <capi/error.h>

#include <algorithm>

using namespace slhc;
using namespace slhc::capi;

namespace slhc::capi {

static_assert(SLHC_NO_OPCODE == NO_OPCODE);
static_assert(SLHC_SCRIPT_NONE == static_cast<int>(ScriptRole::NONE));
static_assert(SLHC_SCRIPT_SIG == static_cast<int>(ScriptRole::SCRIPT_SIG));
static_assert(SLHC_SCRIPT_PUBKEY == static_cast<int>(ScriptRole::SCRIPT_PUB_KEY));
static_assert(SLHC_SCRIPT_REDEEM == static_cast<int>(ScriptRole::REDEEM_SCRIPT));
static_assert(SLHC_SCRIPT_WITNESS == static_cast<int>(ScriptRole::WITNESS_SCRIPT));
static_assert(SLHC_SCRIPT_LEAF == static_cast<int>(ScriptRole::LEAF_SCRIPT));

namespace {

/** Of the calling thread; SCRIPT_ERR_OK if there was none yet. */
thread_local slhc_failure g_last_failure SLHC_FAILURE_INIT;

} // namespace

slhc_failure ToC(const CheckOrigin& origin, const ScriptFailure& failure) noexcept
{
    slhc_failure out SLHC_FAILURE_INIT;
    out.tag = origin.tag;
    std::copy(origin.txid.begin(), origin.txid.end(), out.txid);
    out.input = origin.input;
    out.opcode_pos = failure.opcode_pos;
    out.script_error = failure.error;
    out.script = static_cast<int>(failure.script);
    out.opcode = failure.opcode;
    return out;
}

void RecordFailure(const slhc_failure& failure) noexcept { g_last_failure = failure; }

} // namespace slhc::capi

int slhc_last_failure(slhc_failure* failure)
{
    return Guarded<int>(__func__, SLHC_ERROR, nullptr, [&] {
        slhc_failure& out{Required(failure, "failure")};
        CheckStructSize(out, "failure");
        if (g_last_failure.script_error == SCRIPT_ERR_OK) throw ApiError{SLHC_ERR_STATE, "no input has failed in this thread"};
        WriteStruct(out, g_last_failure, "failure");
        return SLHC_OK;
    });
}
