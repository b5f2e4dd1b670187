// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/failure.h>

#include <script/script.h>

namespace slhc::tool {

std::optional<std::string> ScriptName(int script)
{
    switch (script) {
    case SLHC_SCRIPT_SIG: return "scriptSig";
    case SLHC_SCRIPT_PUBKEY: return "scriptPubKey";
    case SLHC_SCRIPT_REDEEM: return "redeem script";
    case SLHC_SCRIPT_WITNESS: return "witness script";
    case SLHC_SCRIPT_LEAF: return "leaf script";
    }
    return std::nullopt;
}

std::string OpcodeName(const slhc_failure& failure, script_verify_flags flags)
{
    const auto opcode{static_cast<opcodetype>(failure.opcode)};
    return failure.script == SLHC_SCRIPT_LEAF ? GetTapscriptOpName(opcode, flags) : GetOpName(opcode);
}

} // namespace slhc::tool
