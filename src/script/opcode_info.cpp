// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/opcode_info.h>

namespace slhc {

bool IsOpSuccess(opcodetype opcode, script_verify_flags flags) noexcept
{
    if (IsSLHDSAOpcode(opcode) && (flags & SCRIPT_VERIFY_SLHDSA)) return false; // flag-opcodes
    // BIP 342's list
    return opcode == 80 || opcode == 98 || (opcode >= 126 && opcode <= 129) || (opcode >= 131 && opcode <= 134) ||
           (opcode >= 137 && opcode <= 138) || (opcode >= 141 && opcode <= 142) || (opcode >= 149 && opcode <= 153) ||
           (opcode >= 187 && opcode <= 254);
}

std::string GetOpName(opcodetype opcode)
{
    switch (opcode) {
#define SLHC_OPCODE(name, byte, operands) case name: return #name;
#define SLHC_DISABLED_OPCODE(name, byte) case name: return #name;
#include <primitives/opcodes.def>
    default: break;
    }
    return opcode < OP_PUSHDATA1 ? "OP_PUSHBYTES_" + std::to_string(opcode) : "OP_UNKNOWN";
}

std::string GetTapscriptOpName(opcodetype opcode, script_verify_flags flags)
{
    if (IsOpSuccess(opcode, flags)) return "OP_SUCCESS" + std::to_string(opcode);
    switch (opcode) {
#define SLHC_SLHDSA_OPCODE(name, byte, operands) case name: return #name;
#include <primitives/opcodes.def>
    default: return GetOpName(opcode);
    }
}

std::vector<std::pair<std::string_view, opcodetype>> GetOpcodeAliases()
{
    return {
#define SLHC_OPCODE_ALIAS(alias, name) {#alias, name},
#include <primitives/opcodes.def>
    };
}

} // namespace slhc
