// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_DECIDING_RULE_H
#define SLHCONSENSUS_TOOL_DECIDING_RULE_H

#include <tool/spend_file.h>
#include <tool/trace.h>

#include <optional>
#include <string>
#include <string_view>

namespace slhc::tool {

/** A rule of doc/bip/bip-slhdsa-tapscript.mediawiki, or of doc/bip/parameter-sets.md. */
struct Rule {
    std::string_view name; //!< "opcode-verify"
    std::string page;      //!< the file's name
    std::string section;   //!< that it stands in
    std::string text;      //!< as it is written there
};

/** @pre there is a rule of this name */
Rule FindRule(std::string_view name);

/** The rule by which an input failed, or succeeded before its scripts ended. Nothing if it has passed all rules, or if a rule decided that
 *  is Bitcoin Core's and that the BIP does not mention. */
std::optional<Rule> DecidingRule(const SpendFile& spend, unsigned n_in, const Trace& trace);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_DECIDING_RULE_H
