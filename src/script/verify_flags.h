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

/** Which rules apply. The value is the bit's position: 0 to 20 are Bitcoin Core's, 21 and 22 ours. Each flag only
 *  adds rules: what is valid with it is valid without it, but that P2MR and SLHDSA take inputs out of the reach of
 *  the DISCOURAGE flags. */
enum class script_verify_flag_name : uint8_t {
    SCRIPT_VERIFY_P2SH,                                  //!< BIP 16
    SCRIPT_VERIFY_STRICTENC,                             //!< strict DER, defined hash types and key formats (policy)
    SCRIPT_VERIFY_DERSIG,                                //!< strict DER signatures, BIP 66
    SCRIPT_VERIFY_LOW_S,                                 //!< S at most half the order (policy)
    SCRIPT_VERIFY_NULLDUMMY,                             //!< CHECKMULTISIG's extra element is empty, BIP 147
    SCRIPT_VERIFY_SIGPUSHONLY,                           //!< scriptSig has pushes alone
    SCRIPT_VERIFY_MINIMALDATA,                           //!< shortest pushes and numbers (policy)
    SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_NOPS,            //!< executed NOP1, NOP4 to NOP10 fail (policy)
    SCRIPT_VERIFY_CLEANSTACK,                            //!< one element is left; needs P2SH and WITNESS (policy)
    SCRIPT_VERIFY_CHECKLOCKTIMEVERIFY,                   //!< BIP 65
    SCRIPT_VERIFY_CHECKSEQUENCEVERIFY,                   //!< BIP 112
    SCRIPT_VERIFY_WITNESS,                               //!< BIP 141 and 143; needs P2SH
    SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM, //!< unknown witness programs fail (policy)
    SCRIPT_VERIFY_MINIMALIF,                             //!< version 0: IF's argument is empty or 0x01 (policy)
    SCRIPT_VERIFY_NULLFAIL,                              //!< a failed ECDSA check had an empty signature (policy)
    SCRIPT_VERIFY_WITNESS_PUBKEYTYPE,                    //!< version 0: compressed keys (policy)
    SCRIPT_VERIFY_CONST_SCRIPTCODE,                      //!< legacy: no OP_CODESEPARATOR, no signature in scriptCode (policy)
    SCRIPT_VERIFY_TAPROOT,                               //!< BIP 341 and 342
    SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION, //!< unknown leaf versions fail (policy)
    SCRIPT_VERIFY_DISCOURAGE_OP_SUCCESS,                 //!< OP_SUCCESSx fails (policy)
    SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_PUBKEYTYPE,      //!< tapscript: unknown key types fail (policy)
    SCRIPT_VERIFY_P2MR,                                  //!< BIP 360: witness version 2, 32 bytes (P2MR, once P2TSH)
    SCRIPT_VERIFY_SLHDSA,                                //!< OP_CHECKSIGSLHDSA and OP_CHECKSIGADDSLHDSA in tapscript

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
    friend constexpr script_verify_flags operator|(script_verify_flags a, script_verify_flags b) noexcept { return from_int(a.m_value | b.m_value); }
    friend constexpr script_verify_flags operator&(script_verify_flags a, script_verify_flags b) noexcept { return from_int(a.m_value & b.m_value); }
    constexpr script_verify_flags& operator|=(script_verify_flags other) noexcept { return *this = *this | other; }
    constexpr script_verify_flags& operator&=(script_verify_flags other) noexcept { return *this = *this & other; }

private:
    value_type m_value{0};
};

constexpr script_verify_flags operator|(script_verify_flag_name a, script_verify_flag_name b) noexcept { return script_verify_flags{a} | b; }
constexpr script_verify_flags operator~(script_verify_flag_name flag) noexcept { return ~script_verify_flags{flag}; }

inline constexpr script_verify_flags SCRIPT_VERIFY_NONE{};
inline constexpr script_verify_flags::value_type MAX_SCRIPT_VERIFY_FLAGS{(script_verify_flags::value_type{1} << MAX_SCRIPT_VERIFY_FLAGS_BITS) - 1};

/** What is wrong with a set of flags, in one line; nothing if VerifyScript can be called with it. Wrong are unknown
 *  bits, WITNESS without P2SH, and CLEANSTACK without P2SH and WITNESS: with those, setting one more flag could
 *  make an invalid input valid, and Bitcoin Core asserts. */
[[nodiscard]] std::optional<std::string> CheckFlags(script_verify_flags flags);

/** Whether CheckFlags has nothing to say. */
[[nodiscard]] bool ValidFlags(script_verify_flags flags) noexcept;

/** The flag's name without the prefix, e.g. "P2SH". */
[[nodiscard]] std::string_view ScriptFlagName(script_verify_flag_name flag) noexcept;

/** The flag of that name (without the prefix); nothing if there is none. */
[[nodiscard]] std::optional<script_verify_flag_name> ScriptFlagFromName(std::string_view name) noexcept;

/** The names of all flags set, in order of their positions; unknown bits as one number, "0x800000". */
[[nodiscard]] std::vector<std::string> GetScriptFlagNames(script_verify_flags flags);

/** Names separated by commas ("P2SH,WITNESS"), "NONE" or nothing for none.
 *  @param[out] error  one line naming the unknown flag, if the result is nothing */
[[nodiscard]] std::optional<script_verify_flags> ParseScriptFlags(std::string_view names, std::string& error);

} // namespace slhc

#endif // SLHCONSENSUS_SCRIPT_VERIFY_FLAGS_H
