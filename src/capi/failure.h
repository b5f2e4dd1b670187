// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_CAPI_FAILURE_H
#define SLHCONSENSUS_CAPI_FAILURE_H

#include <script/check_origin.h>
#include <script/script_run.h>
#include <slhconsensus.h>

namespace slhc::capi {

/** A failure as the C API reports it.
 *  @param[in] origin  of the tag, txid and input; the failed opcode's place is in failure */
[[nodiscard]] slhc_failure ToC(const CheckOrigin& origin, const ScriptFailure& failure) noexcept;

/** Keep this failure for slhc_last_failure() in this thread. */
void RecordFailure(const slhc_failure& failure) noexcept;

} // namespace slhc::capi

#endif // SLHCONSENSUS_CAPI_FAILURE_H
