// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/deciding_rule.h>

#include <bip_text.h>
#include <parameter_sets_text.h>
#include <script/address.h>
#include <script/p2mr.h>
#include <script/script.h>
#include <util/check.h>

#include <algorithm>

namespace slhc::tool {
namespace {

bool IsFailedSignature(ScriptError error)
{
    return error == SCRIPT_ERR_SLHDSA_SIG || error == SCRIPT_ERR_SLHDSA_SIG_SIZE || error == SCRIPT_ERR_SLHDSA_SIG_HASHTYPE;
}

/** At one of the two opcodes */
std::string_view RuleOfOpcode(ScriptError error, const TraceStep& step)
{
    const bool of_set{step.check && step.check->key_version == KeyVersion::SLHDSA_SETS};
    const bool adds{step.instruction == "OP_CHECKSIGADDSLHDSA"};
    switch (error) {
    case SCRIPT_ERR_INVALID_STACK_OPERATION: return "opcode-depth";
    case SCRIPT_ERR_SCRIPTNUM: return "opcode-num";
    case SCRIPT_ERR_PUSH_SIZE: return adds && step.sizes[1] > MAX_SCRIPT_ELEMENT_SIZE ? "opcode-num" : "opcode-key-large";
    case SCRIPT_ERR_TAPSCRIPT_EMPTY_PUBKEY: return "opcode-key-empty";
    case SCRIPT_ERR_DISCOURAGE_UPGRADABLE_PUBKEYTYPE: return "policy-pubkey";
    case SCRIPT_ERR_SLHDSA_SIG_SIZE: return of_set ? "sets-sig-size" : "opcode-sig-size";
    case SCRIPT_ERR_SLHDSA_SIG_HASHTYPE: return "opcode-hashtype";
    case SCRIPT_ERR_SLHDSA_SIG: return of_set ? "sets-verify" : "opcode-verify";
    default: return "";
    }
}

/** In a tapscript. */
std::string_view RuleOfLeaf(const Trace& trace, bool p2mr)
{
    const auto& [error, role, position, opcode]{trace.failure};
    const std::string_view others{p2mr ? "p2mr-execute" : "scope-tapscript"};
    const bool has_run{!trace.scripts.empty() && trace.scripts.back().version == SigVersion::TAPSCRIPT};
    if (!has_run) {
        switch (error) {
        case SCRIPT_ERR_BAD_OPCODE: return "scan-decode";
        case SCRIPT_ERR_DISCOURAGE_OP_SUCCESS: return "policy-success";
        case SCRIPT_ERR_STACK_SIZE: return "limit-count";
        default: return "limit-element";
        }
    }
    if (error == SCRIPT_ERR_STACK_SIZE) return "limit-stack";
    if (error == SCRIPT_ERR_TAPSCRIPT_VALIDATION_WEIGHT) return "opcode-budget";
    if (position == NO_OPCODE) return error == SCRIPT_ERR_UNBALANCED_CONDITIONAL ? others : "large-result";
    const TraceStep& step{trace.scripts.back().steps.back()};
    if (IsSLHDSAOpcode(opcode) || IsFailedSignature(error)) {
        const std::string_view rule{RuleOfOpcode(error, step)};
        return rule.empty() ? others : rule;
    }
    const bool picks{opcode == OP_PICK || opcode == OP_ROLL};
    switch (error) {
    case SCRIPT_ERR_INVALID_STACK_OPERATION: return picks ? "large-pick-roll" : others;
    case SCRIPT_ERR_PUSH_SIZE:
        if (picks && step.sizes[0] <= MAX_SCRIPT_ELEMENT_SIZE) return "large-pick-roll";
        return opcode <= OP_PUSHDATA4 ? "limit-push" : "large-operands";
    case SCRIPT_ERR_MINIMALDATA: return "policy-minimaldata";
    default: return others;
    }
}

/** Of a P2MR output, before its leaf is looked at. */
std::string_view RuleOfP2MR(const ScriptFailure& failure, const CScriptWitness& witness)
{
    switch (failure.error) {
    case SCRIPT_ERR_WITNESS_PROGRAM_WITNESS_EMPTY: return "p2mr-count";
    case SCRIPT_ERR_TAPROOT_WRONG_CONTROL_SIZE: return "p2mr-control";
    case SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH: {
        const auto path{FindScriptPath(witness, /*p2mr=*/true)};
        return path && !(path->control[0] & P2MR_CONTROL_BIT) ? "p2mr-control" : "p2mr-root";
    }
    case SCRIPT_ERR_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM: return "policy-depth-zero";
    case SCRIPT_ERR_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION: return "policy-leaf-version";
    default: return "p2mr-outer";
    }
}

/** Why no script decided about a valid input. */
std::string_view RuleOfSuccess(const WitnessProgram& program, const CScriptWitness& witness, script_verify_flags flags, const Trace& trace)
{
    const std::string_view type{program.TypeName()};
    if (program.version == P2MR_WITNESS_VERSION && type != "p2mr") return "scope-p2mr";
    if (type == "p2mr" && !(flags & SCRIPT_VERIFY_P2MR)) return "flag-p2mr";
    const auto path{type == "p2mr" || (type == "p2tr" && (flags & SCRIPT_VERIFY_TAPROOT)) ? FindScriptPath(witness, type == "p2mr")
                                                                                          : std::nullopt};
    if (!path) return "";
    if (type == "p2mr" && path->control.size() == P2MR_CONTROL_BASE_SIZE) return "p2mr-depth-zero";
    if ((path->control[0] & TAPROOT_LEAF_MASK) != TAPROOT_LEAF_TAPSCRIPT) return "scope-leaf-version";
    return trace.scripts.back().version != SigVersion::TAPSCRIPT ? "scan-success" : "";
}

std::string_view RuleName(const SpendFile& spend, unsigned n_in, const Trace& trace)
{
    const ScriptFailure& failure{trace.failure};
    const CScriptWitness& witness{spend.tx->vin[n_in].scriptWitness};
    const auto program{WitnessProgram::FromScriptPubKey(spend.spent_outputs[n_in].scriptPubKey)};
    const bool has_witness{spend.flags & SCRIPT_VERIFY_WITNESS};
    if (trace.valid) return program && has_witness ? RuleOfSuccess(*program, witness, spend.flags, trace) : "";

    const bool p2mr{program && has_witness && (spend.flags & SCRIPT_VERIFY_P2MR) && program->TypeName() == "p2mr"};
    const bool p2tr{program && has_witness && (spend.flags & SCRIPT_VERIFY_TAPROOT) && program->TypeName() == "p2tr"};
    if (failure.error == SCRIPT_ERR_SCRIPTNUM && (spend.flags & SCRIPT_VERIFY_MINIMALDATA)) {
        SpendFile without{spend};
        without.flags &= ~SCRIPT_VERIFY_MINIMALDATA;
        if (Tracer{without}.TraceInput(n_in, 0).failure != failure) return "policy-minimaldata";
    }
    if (failure.script == ScriptRole::LEAF_SCRIPT) return RuleOfLeaf(trace, p2mr);
    if (IsSLHDSAOpcode(failure.opcode)) return "scope-legacy";
    if (failure.script == ScriptRole::WITNESS_SCRIPT && failure.error == SCRIPT_ERR_PUSH_SIZE && failure.opcode_pos == NO_OPCODE) {
        return "limit-element";
    }
    if (p2mr) return RuleOfP2MR(failure, witness);
    switch (failure.error) {
    case SCRIPT_ERR_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM: return "policy-unknown-program";
    case SCRIPT_ERR_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION: return "policy-leaf-version";
    default: return p2tr ? "scope-tapscript" : "";
    }
}

/** The rest of the line after mark, and the heading above it. */
std::optional<Rule> FindIn(std::string_view page, const std::string& mark, std::string_view heading)
{
    const size_t at{page.find(mark)};
    if (at == page.npos) return std::nullopt;
    const size_t title{page.rfind("\n" + std::string{heading}, at)};
    std::string_view section{page.substr(title + 1, page.find('\n', title + 1) - title - 1)};
    section.remove_prefix(std::min(section.find_first_not_of(heading), section.size()));
    section = section.substr(0, section.find(heading[0]));
    // A rule's text ends with its line, or in Markdown, where lines are short, with the next rule or paragraph.
    const size_t begin{at + mark.size()};
    size_t end{heading[0] == '=' ? page.find('\n', begin) : std::min(page.find("\n- ", begin), page.find("\n\n", begin))};
    // A list that belongs to it comes after an empty line.
    if (page.substr(0, end).ends_with(':') && page.substr(end).starts_with("\n\n* ")) end = page.find("\n\n", end + 1);
    return Rule{{}, {}, std::string{section}, std::string{page.substr(begin, end - begin)}};
}

} // namespace

Rule FindRule(std::string_view name)
{
    auto rule{FindIn(BIP_TEXT, "'''" + std::string{name} + "'''. ", "==")};
    const bool in_bip{rule.has_value()};
    if (!rule) rule = FindIn(PARAMETER_SETS_TEXT, "- **" + std::string{name} + "**. ", "## ");
    assert(rule);
    rule->name = name;
    rule->page = in_bip ? "bip-slhdsa-tapscript.mediawiki" : "parameter-sets.md";
    return *rule;
}

std::optional<Rule> DecidingRule(const SpendFile& spend, unsigned n_in, const Trace& trace)
{
    const std::string_view name{RuleName(spend, n_in, trace)};
    return name.empty() ? std::nullopt : std::optional{FindRule(name)};
}

} // namespace slhc::tool
