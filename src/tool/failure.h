// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_FAILURE_H
#define SLHCONSENSUS_TOOL_FAILURE_H

#include <script/verify_flags.h>
#include <slhconsensus.h>

#include <optional>
#include <string>

/** The place of a failure, for people. */
namespace slhc::tool {

/** "leaf script" and the like. @param[in] script  one of SLHC_SCRIPT_*; nothing for SLHC_SCRIPT_NONE */
std::optional<std::string> ScriptName(int script);

/** The name of the opcode that failed, as its script has it: tapscript's names in a leaf. */
std::string OpcodeName(const slhc_failure& failure, script_verify_flags flags);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_FAILURE_H
