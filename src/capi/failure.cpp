// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <capi/failure.h>

namespace slhc::capi {

static_assert(SLHC_NO_OPCODE == NO_OPCODE);
static_assert(SLHC_SCRIPT_NONE == static_cast<int>(ScriptRole::NONE));
static_assert(SLHC_SCRIPT_SIG == static_cast<int>(ScriptRole::SCRIPT_SIG));
static_assert(SLHC_SCRIPT_PUBKEY == static_cast<int>(ScriptRole::SCRIPT_PUB_KEY));
static_assert(SLHC_SCRIPT_REDEEM == static_cast<int>(ScriptRole::REDEEM_SCRIPT));
static_assert(SLHC_SCRIPT_WITNESS == static_cast<int>(ScriptRole::WITNESS_SCRIPT));
static_assert(SLHC_SCRIPT_LEAF == static_cast<int>(ScriptRole::LEAF_SCRIPT));

slhc_failure ToC(uint64_t tag, uint32_t input, const ScriptFailure& failure) noexcept
{
    slhc_failure out SLHC_FAILURE_INIT;
    out.tag = tag;
    out.input = input;
    out.opcode_pos = failure.opcode_pos;
    out.script_error = failure.error;
    out.script = static_cast<int>(failure.script);
    out.opcode = failure.opcode;
    return out;
}

} // namespace slhc::capi
