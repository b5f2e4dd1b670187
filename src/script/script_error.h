// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_SCRIPT_SCRIPT_ERROR_H
#define SLHCONSENSUS_SCRIPT_SCRIPT_ERROR_H

#include <optional>
#include <string_view>

namespace slhc {

/** The reasons why scripts fail. 0 to 54 are Bitcoin Core's, in its order; those of SLH-DSA follow. The list is script_errors.def. */
enum ScriptError : int {
#define SLHC_SCRIPT_ERROR(name, text) name,
#define SLHC_OWN_SCRIPT_ERROR(name, text) name,
#include <script/script_errors.def>

    SCRIPT_ERR_ERROR_COUNT,
};

static_assert(SCRIPT_ERR_OK == 0 && SCRIPT_ERR_SIG_FINDANDDELETE == 54);

/** A sentence for people. */
[[nodiscard]] std::string_view ScriptErrorString(ScriptError error) noexcept;

/** The enumerator's name, e.g. "SCRIPT_ERR_EVAL_FALSE"; "SCRIPT_ERR_UNKNOWN_ERROR" for an undefined number. */
[[nodiscard]] std::string_view ScriptErrorName(ScriptError error) noexcept;

/** The error of that name, with or without "SCRIPT_ERR_"; nothing if there is none. */
[[nodiscard]] std::optional<ScriptError> ScriptErrorFromName(std::string_view name) noexcept;

} // namespace slhc

#endif // SLHCONSENSUS_SCRIPT_SCRIPT_ERROR_H
