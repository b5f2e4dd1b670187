// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_DEBUG_JSON_H
#define SLHCONSENSUS_TOOL_DEBUG_JSON_H

#include <tool/json.h>
#include <tool/spend_file.h>
#include <tool/trace.h>

#include <string>
#include <string_view>

namespace slhc::tool {

/** The name of a script; legacy ones run in a fixed order. */
std::string_view ScriptName(const TracedScript& script, size_t index);

/** What there is to say about the key of a check; empty if it is one of 128s or Schnorr. */
std::string KeyNote(const SignatureCheck& check, script_verify_flags flags);

/** All that slhtool debug says of an input: what it spends, its transaction and witness, its way through the tree, each step, each
 *  signature, the verdict and the rule that decided. Large things are abbreviated. */
Json DebugJson(const SpendFile& spend, unsigned n_in, const Trace& trace);

/** The same as a page that needs nothing else. */
std::string DebugPage(const Json& json);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_DEBUG_JSON_H
