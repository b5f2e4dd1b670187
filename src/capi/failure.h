// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_CAPI_FAILURE_H
#define SLHCONSENSUS_CAPI_FAILURE_H

#include <script/script_run.h>
#include <slhconsensus.h>

#include <cstdint>

namespace slhc::capi {

/** A failure as the C API reports it. */
[[nodiscard]] slhc_failure ToC(uint64_t tag, uint32_t input, const ScriptFailure& failure) noexcept;

} // namespace slhc::capi

#endif // SLHCONSENSUS_CAPI_FAILURE_H
