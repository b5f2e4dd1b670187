// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_SCRIPT_VERIFY_FLAGS_H
#define SLHCONSENSUS_SCRIPT_VERIFY_FLAGS_H

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slhc {

/** The rules that can apply. The value is the bit's position: 0 to 20 are Bitcoin Core's, 21 to 23 ours. Each flag only adds rules: an
 *  input that is valid with it is valid without it, except that P2MR, SLHDSA and SLHDSA_SETS take inputs out of reach of DISCOURAGE flags.
 *  The list is verify_flags.def. */
enum class script_verify_flag_name : uint8_t {
#define SLHC_VERIFY_FLAG(name, use) SCRIPT_VERIFY_##name,
#define SLHC_OWN_VERIFY_FLAG(name, use) SCRIPT_VERIFY_##name,
#include <script/verify_flags.def>

    SCRIPT_VERIFY_END_MARKER, //!< the number of flags
};
using enum script_verify_flag_name;

inline constexpr int MAX_SCRIPT_VERIFY_FLAGS_BITS{static_cast<int>(SCRIPT_VERIFY_END_MARKER)};

/** A set of flags. */
class script_verify_flags
{
public:
    using value_type = uint64_t;

    constexpr script_verify_flags() noexcept = default;
    constexpr script_verify_flags(script_verify_flag_name flag) noexcept : m_value{value_type{1} << static_cast<uint8_t>(flag)} {}

    [[nodiscard]] static constexpr script_verify_flags from_int(value_type value) noexcept
    {
        script_verify_flags flags;
        flags.m_value = value;
        return flags;
    }
    [[nodiscard]] constexpr value_type as_int() const noexcept { return m_value; }

    constexpr explicit operator bool() const noexcept { return m_value != 0; }
    constexpr auto operator<=>(const script_verify_flags&) const noexcept = default;

    constexpr script_verify_flags operator~() const noexcept { return from_int(~m_value); }
    friend constexpr script_verify_flags operator|(script_verify_flags a, script_verify_flags b) noexcept
    {
        return from_int(a.m_value | b.m_value);
    }
    friend constexpr script_verify_flags operator&(script_verify_flags a, script_verify_flags b) noexcept
    {
        return from_int(a.m_value & b.m_value);
    }
    constexpr script_verify_flags& operator|=(script_verify_flags other) noexcept { return *this = *this | other; }
    constexpr script_verify_flags& operator&=(script_verify_flags other) noexcept { return *this = *this & other; }

private:
    value_type m_value{0};
};

constexpr script_verify_flags operator|(script_verify_flag_name a, script_verify_flag_name b) noexcept
{
    return script_verify_flags{a} | b;
}
constexpr script_verify_flags operator~(script_verify_flag_name flag) noexcept { return ~script_verify_flags{flag}; }

inline constexpr script_verify_flags SCRIPT_VERIFY_NONE{};
inline constexpr script_verify_flags::value_type MAX_SCRIPT_VERIFY_FLAGS{
    (script_verify_flags::value_type{1} << MAX_SCRIPT_VERIFY_FLAGS_BITS) - 1};

/** The purpose of a set of rules; see verify_flags.def. */
enum class ScriptFlagUse : uint8_t { CONSENSUS, STANDARD, OPTIONAL, EXPERIMENTAL };

/** The flags that verify_flags.def lists for a use. */
[[nodiscard]] constexpr script_verify_flags ScriptFlagsFor(ScriptFlagUse wanted) noexcept
{
    using enum ScriptFlagUse;
    script_verify_flags flags;
#define SLHC_VERIFY_FLAG(name, use) if (wanted == use) flags |= SCRIPT_VERIFY_##name;
#define SLHC_OWN_VERIFY_FLAG(name, use) if (wanted == use) flags |= SCRIPT_VERIFY_##name;
#include <script/verify_flags.def>
    return flags;
}

/** The rules for valid transactions where everything is active. */
inline constexpr script_verify_flags MANDATORY_SCRIPT_VERIFY_FLAGS{ScriptFlagsFor(ScriptFlagUse::CONSENSUS)};

/** The further rules for standard transactions: everything that is reserved for soft forks is discouraged. */
inline constexpr script_verify_flags STANDARD_SCRIPT_VERIFY_FLAGS{MANDATORY_SCRIPT_VERIFY_FLAGS | ScriptFlagsFor(ScriptFlagUse::STANDARD)};

/** The fault of a set of flags, in one line; nothing if VerifyScript can be called with it. Faults are unknown bits, WITNESS without P2SH,
 *  and CLEANSTACK without P2SH and WITNESS: with the latter two, setting one more flag could make an invalid input valid, and Bitcoin Core
 *  asserts against them. */
[[nodiscard]] std::optional<std::string> CheckFlags(script_verify_flags flags);

/** True if CheckFlags finds no fault. */
[[nodiscard]] bool ValidFlags(script_verify_flags flags) noexcept;

/** The flag's name without the prefix, e.g. "P2SH". */
[[nodiscard]] std::string_view ScriptFlagName(script_verify_flag_name flag) noexcept;

/** The flag of that name (without the prefix); nothing if there is none. */
[[nodiscard]] std::optional<script_verify_flag_name> ScriptFlagFromName(std::string_view name) noexcept;

/** The names of all flags set, in order of their positions; unknown bits as one number, "0x800000". */
[[nodiscard]] std::vector<std::string> GetScriptFlagNames(script_verify_flags flags);

/** Parse names separated by commas ("P2SH,WITNESS"); "NONE" or an empty text means no flag.
 *  @param[out] error  one line naming the unknown flag, if the result is nothing */
[[nodiscard]] std::optional<script_verify_flags> ParseScriptFlags(std::string_view names, std::string& error);

} // namespace slhc

#endif // SLHCONSENSUS_SCRIPT_VERIFY_FLAGS_H
