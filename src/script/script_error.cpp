// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/script_error.h>

#include <array>
#include <cstddef>

namespace slhc {

namespace {

constexpr std::string_view PREFIX{"SCRIPT_ERR_"};

struct Entry {
    std::string_view name;
    std::string_view text;
};

constexpr std::array<Entry, SCRIPT_ERR_ERROR_COUNT> ENTRIES{{
#define SLHC_SCRIPT_ERROR(name, text) {#name, text},
#define SLHC_OWN_SCRIPT_ERROR(name, text) {#name, text},
#include <script/script_errors.def>
}};

const Entry& Find(ScriptError error) noexcept
{
    const bool known{error >= 0 && error < SCRIPT_ERR_ERROR_COUNT};
    return ENTRIES[known ? error : SCRIPT_ERR_UNKNOWN_ERROR];
}

} // namespace

std::string_view ScriptErrorString(ScriptError error) noexcept { return Find(error).text; }

std::string_view ScriptErrorName(ScriptError error) noexcept { return Find(error).name; }

std::optional<ScriptError> ScriptErrorFromName(std::string_view name) noexcept
{
    if (name.starts_with(PREFIX)) name.remove_prefix(PREFIX.size());
    for (size_t error{0}; error < ENTRIES.size(); ++error) {
        if (ENTRIES[error].name.substr(PREFIX.size()) == name) return static_cast<ScriptError>(error);
    }
    return std::nullopt;
}

} // namespace slhc
