// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_SCRIPT_OPCODE_INFO_H
#define SLHCONSENSUS_SCRIPT_OPCODE_INFO_H

#include <primitives/opcodes.h> // IWYU pragma: export
#include <script/verify_flags.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/** The properties of opcodes that are known without running them. */
namespace slhc {

/** An opcode's use of an operand, which decides whether the operand may be a large element. */
enum class OperandUse : uint8_t {
    READ,      //!< copied, or its bytes are read: a large element fails the script
    MOVED,     //!< moved to another place, or dropped
    LEFT,      //!< stays, or shifts as others come and go; its length may be read
    SIGNATURE, //!< consumed as the signature by an SLH-DSA opcode
};

namespace detail {

/** One opcode's line of opcodes.def. */
struct OpcodeInfo {
    bool disabled{false};
    bool slhdsa{false};
    uint8_t n_operands{0};
    std::array<OperandUse, 6> operands{};
};

constexpr OpcodeInfo Taking(std::same_as<OperandUse> auto... uses)
{
    OpcodeInfo info;
    info.n_operands = sizeof...(uses);
    info.operands = {uses...};
    return info;
}

constexpr OpcodeInfo InTapscript(OpcodeInfo info)
{
    info.disabled = true; // elsewhere
    info.slhdsa = true;
    return info;
}

constexpr std::array<OpcodeInfo, 256> MakeOpcodeTable()
{
    using enum OperandUse;
    std::array<OpcodeInfo, 256> table{};
#define SLHC_OPCODE(name, byte, operands) table[byte] = Taking operands;
#define SLHC_DISABLED_OPCODE(name, byte) table[byte].disabled = true;
#include <primitives/opcodes.def>
    // After the disabled ones, whose bytes they reuse
#define SLHC_SLHDSA_OPCODE(name, byte, operands) table[byte] = InTapscript(Taking operands);
#include <primitives/opcodes.def>
    return table;
}

inline constexpr std::array<OpcodeInfo, 256> OPCODE_TABLE{MakeOpcodeTable()};

} // namespace detail

/** The operands of an opcode, deepest first: the least that it needs on the stack. Their number is consensus, since EvalScript compares the
 *  depth of the stack with it in every kind of script. Their use in tapscript is for tests: ScriptStack itself refuses to read large
 *  elements, whoever calls it. Empty for opcodes that never execute in tapscript;
 *  OP_FROMALTSTACK's operand is not on the stack. */
[[nodiscard]] constexpr std::span<const OperandUse> GetOperands(opcodetype opcode) noexcept
{
    const auto& info{detail::OPCODE_TABLE[opcode]};
    return std::span{info.operands}.first(info.n_operands);
}

/** OP_SUBSTR, OP_LEFT and the thirteen others that fail a script by their mere presence (CVE-2010-5137). */
[[nodiscard]] constexpr bool IsDisabledOpcode(opcodetype opcode) noexcept { return detail::OPCODE_TABLE[opcode].disabled; }

/** OP_CHECKSIGSLHDSA or OP_CHECKSIGADDSLHDSA, assuming tapscript with SCRIPT_VERIFY_SLHDSA set. */
[[nodiscard]] constexpr bool IsSLHDSAOpcode(opcodetype opcode) noexcept { return detail::OPCODE_TABLE[opcode].slhdsa; }

/** BIP 342's OP_SUCCESSx; with SCRIPT_VERIFY_SLHDSA, without 127 and 128. */
[[nodiscard]] bool IsOpSuccess(opcodetype opcode, script_verify_flags flags) noexcept;

/** The name of an opcode in legacy and version 0 scripts, e.g. "OP_CHECKSIG", but also "OP_0", "OP_1NEGATE" and "OP_16"; "OP_PUSHBYTES_20"
 *  for a direct push; "OP_UNKNOWN". */
[[nodiscard]] std::string GetOpName(opcodetype opcode);

/** Its name in tapscript: also "OP_CHECKSIGSLHDSA", "OP_CHECKSIGADDSLHDSA" and "OP_SUCCESS80". */
[[nodiscard]] std::string GetTapscriptOpName(opcodetype opcode, script_verify_flags flags);

/** Other names of opcodes, e.g. "OP_TRUE" for OP_1, "OP_CSV" and "OP_NOP3" for OP_CHECKSEQUENCEVERIFY. */
[[nodiscard]] std::vector<std::pair<std::string_view, opcodetype>> GetOpcodeAliases();

} // namespace slhc

#endif // SLHCONSENSUS_SCRIPT_OPCODE_INFO_H
