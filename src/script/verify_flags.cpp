// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/verify_flags.h>

#include <array>
#include <cstdio>

namespace slhc {

namespace {

constexpr std::array<std::string_view, MAX_SCRIPT_VERIFY_FLAGS_BITS> NAMES{
#define SLHC_VERIFY_FLAG(name, use) #name,
#define SLHC_OWN_VERIFY_FLAG(name, use) #name,
#include <script/verify_flags.def>
};
static_assert(static_cast<int>(SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_PUBKEYTYPE) == 20);
static_assert(static_cast<int>(SCRIPT_VERIFY_P2MR) == 21);
static_assert(static_cast<int>(SCRIPT_VERIFY_SLHDSA) == 22);
static_assert(static_cast<int>(SCRIPT_VERIFY_SLHDSA_SETS) == 23);

std::string UnknownBits(script_verify_flags flags)
{
    char text[19];
    std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(flags.as_int() & ~MAX_SCRIPT_VERIFY_FLAGS));
    return text;
}

/** A name in a form that an error can repeat: not too long, in printable characters. */
std::string Printable(std::string_view name)
{
    constexpr size_t LIMIT{60};
    std::string text{name.substr(0, LIMIT)};
    for (char& c : text) {
        if (c < ' ' || c > '~') c = '?';
    }
    return name.size() > LIMIT ? text + "..." : text;
}

} // namespace

bool ValidFlags(script_verify_flags flags) noexcept
{
    if (flags.as_int() & ~MAX_SCRIPT_VERIFY_FLAGS) return false;
    if ((flags & SCRIPT_VERIFY_WITNESS) && !(flags & SCRIPT_VERIFY_P2SH)) return false;
    if ((flags & SCRIPT_VERIFY_CLEANSTACK) && !(flags & SCRIPT_VERIFY_WITNESS)) return false;
    return true;
}

std::optional<std::string> CheckFlags(script_verify_flags flags)
{
    if (ValidFlags(flags)) return std::nullopt;
    if (flags.as_int() & ~MAX_SCRIPT_VERIFY_FLAGS) return "unknown script verification flags " + UnknownBits(flags);
    if (flags & SCRIPT_VERIFY_CLEANSTACK) return "script verification flag CLEANSTACK needs P2SH and WITNESS";
    return "script verification flag WITNESS needs P2SH";
}

std::string_view ScriptFlagName(script_verify_flag_name flag) noexcept
{
    const auto position{static_cast<size_t>(flag)};
    return position < NAMES.size() ? NAMES[position] : "UNKNOWN";
}

std::optional<script_verify_flag_name> ScriptFlagFromName(std::string_view name) noexcept
{
    for (size_t position{0}; position < NAMES.size(); ++position) {
        if (NAMES[position] == name) return static_cast<script_verify_flag_name>(position);
    }
    return std::nullopt;
}

std::vector<std::string> GetScriptFlagNames(script_verify_flags flags)
{
    std::vector<std::string> names;
    for (size_t position{0}; position < NAMES.size(); ++position) {
        if (flags & static_cast<script_verify_flag_name>(position)) names.emplace_back(NAMES[position]);
    }
    if (flags.as_int() & ~MAX_SCRIPT_VERIFY_FLAGS) names.push_back(UnknownBits(flags));
    return names;
}

std::optional<script_verify_flags> ParseScriptFlags(std::string_view names, std::string& error)
{
    script_verify_flags flags;
    if (names.empty() || names == "NONE") return flags;
    while (true) {
        const size_t comma{names.find(',')};
        const std::string_view name{names.substr(0, comma)};
        const auto flag{ScriptFlagFromName(name)};
        if (!flag) {
            error = "unknown script verification flag '" + Printable(name) + "'";
            return std::nullopt;
        }
        flags |= *flag;
        if (comma == std::string_view::npos) return flags;
        names.remove_prefix(comma + 1);
    }
}

} // namespace slhc
