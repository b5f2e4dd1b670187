// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/debug_json.h>

#include <page_text.h>
#include <script/address.h>
#include <script/interpreter.h>
#include <script/p2mr.h>
#include <script/pubkey.h>
#include <tool/asm.h>
#include <tool/deciding_rule.h>
#include <tool/keys.h>
#include <tool/verification.h>
#include <util/check.h>
#include <util/counted.h>
#include <util/hex.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace slhc::tool {
namespace {

//! Beyond these, a list is cut short: inputs and outputs, elements of a witness, signatures with their message and parts.
constexpr size_t MAX_LISTED{100}, MAX_ELEMENTS{1010}, MAX_SIGNATURES{16};
constexpr size_t MAX_SHOWN_SCRIPT{200};

std::string TypeOf(const CScript& script_pubkey)
{
    const auto program{WitnessProgram::FromScriptPubKey(script_pubkey)};
    return std::string{program ? program->TypeName() : "other"};
}

Json OutputJson(const CTxOut& output)
{
    const CScript& script{output.scriptPubKey};
    return {{"amount", output.nValue}, {"type", TypeOf(script)}, {"script", FormatScript(script, MAX_SHOWN_SCRIPT)}};
}

Json TransactionJson(const SpendFile& spend)
{
    const CTransaction& tx{*spend.tx};
    Json json = {{"version", tx.version},          {"locktime", tx.nLockTime},       {"weight", GetTransactionWeight(tx)},
                 {"input_count", tx.vin.size()},   {"output_count", tx.vout.size()}, {"inputs", Json::array()},
                 {"outputs", Json::array()}};
    for (size_t i{0}; i < std::min(tx.vin.size(), MAX_LISTED); ++i) {
        json["inputs"].push_back(OutputJson(spend.spent_outputs[i]));
        json["inputs"].back()["outpoint"] = tx.vin[i].prevout.hash.GetHex() + ":" + std::to_string(tx.vin[i].prevout.n);
        json["inputs"].back()["sequence"] = tx.vin[i].nSequence;
    }
    for (size_t i{0}; i < std::min(tx.vout.size(), MAX_LISTED); ++i) json["outputs"].push_back(OutputJson(tx.vout[i]));
    return json;
}

/** Its elements, each with its size and, as far as its place or its size tell, what it is. */
Json WitnessJson(const CScriptWitness& witness, const std::string& type)
{
    const auto& stack{witness.stack};
    const bool tree{type == "p2mr" || type == "p2tr"};
    const size_t annex{tree && HasAnnex(witness) ? size_t{1} : 0}, left{stack.size() - annex};
    const auto kind{[&](size_t i) -> std::string {
        if (i == left) return "annex";
        if (tree && left >= 2 && i + 1 == left) return "control block";
        if ((tree && left >= 2 && i + 2 == left) || (type == "p2wsh" && i + 1 == left)) return tree ? "leaf script" : "witness script";
        if (stack[i].size() == wallet::SCHNORR_SIGNATURE_SIZE || stack[i].size() == wallet::SCHNORR_SIGNATURE_SIZE + 1) {
            return "Schnorr signature";
        }
        return wallet::SetOfSignature(stack[i].size()) ? "SLH-DSA signature" : "element";
    }};
    Json json = {{"size", GetSerializeSize(witness)}, {"count", stack.size()}, {"elements", Json::array()}};
    for (size_t i{stack.size() > MAX_ELEMENTS ? stack.size() - MAX_ELEMENTS : 0}; i < stack.size(); ++i) {
        json["elements"].push_back({{"index", i}, {"kind", kind(i)}, {"size", stack[i].size()}, {"bytes", ShowElement(stack[i])}});
    }
    return json;
}

/** The way from a leaf to the root, which it returns. */
uint256 AddPath(Json& json, const ScriptPath& script_path, size_t base)
{
    const uint8_t leaf_version{static_cast<uint8_t>(script_path.control[0] & TAPROOT_LEAF_MASK)};
    const auto path{script_path.control.subspan(base)};
    uint256 hash{ComputeTapleafHash(leaf_version, script_path.script)};
    json["low_bit"] = script_path.control[0] & 1;
    json["leaf_version"] = "0x" + HexStr(std::array{leaf_version});
    json["path_length"] = path.size() / TAPROOT_CONTROL_NODE_SIZE;
    json["leaf_hash"] = HexStr(hash.Bytes());
    json["path"] = Json::array();
    for (size_t at{0}; at < path.size(); at += TAPROOT_CONTROL_NODE_SIZE) {
        const auto sibling{path.subspan(at).first<TAPROOT_CONTROL_NODE_SIZE>()};
        hash = ComputeTapbranchHash(hash.Bytes(), sibling);
        json["path"].push_back({{"sibling", HexStr(sibling)}, {"hash", HexStr(hash.Bytes())}});
    }
    json["computed_root"] = HexStr(hash.Bytes());
    return hash;
}

/** The root with the leaf version of tapscript instead of the one that the control block has. */
uint256 RootAsTapscript(const ScriptPath& script_path, size_t base)
{
    return ComputeTapPathRoot(script_path.control.subspan(base), ComputeTapleafHash(TAPROOT_LEAF_TAPSCRIPT, script_path.script));
}

/** The parts of a P2MR input that are read before its script runs: the first things that go wrong. The trace has what comes later. */
Json P2MRJson(const CScriptWitness& witness, const CScript& script_pubkey, const Trace& trace)
{
    std::span<const std::vector<uint8_t>> stack{witness.stack};
    Json json = {{"witness_elements", stack.size()}};
    const bool annex{HasAnnex(witness)};
    if (annex) {
        json["annex_size"] = stack.back().size();
        stack = stack.first(stack.size() - 1);
    }
    if (stack.size() < 2) {
        json["note"] = annex ? "only an annex and one element: there is no leaf script and control block"
                             : "fewer than two elements: there is no leaf script and control block";
        return json;
    }
    json["control_block_size"] = stack.back().size();
    const auto path{FindScriptPath(witness, /*p2mr=*/true)};
    if (!path) {
        json["note"] = "the control block does not have 1 + 32*m bytes with m at most 128";
        return json;
    }
    const bool root_matches{script_pubkey == P2MRScriptPubKey(AddPath(json, *path, P2MR_CONTROL_BASE_SIZE))};
    json["root_matches"] = root_matches;
    json["fits_as_tapscript"] = !root_matches && script_pubkey == P2MRScriptPubKey(RootAsTapscript(*path, P2MR_CONTROL_BASE_SIZE));
    if (json["low_bit"] == 0) {
        json["note"] = "the low bit of the control block's first byte must be 1";
    } else if (root_matches && json["path_length"] == 0) {
        const std::string note{"no path: under BIP 360 this succeeds without running the script"};
        if (trace.valid) json["note"] = note;
        if (trace.failure.error == SCRIPT_ERR_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM) {
            json["note"] = note + ", but DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM, which is policy and no rule of consensus, refuses it";
        }
    }
    return json;
}

/** The same of a P2TR input that spends a leaf, on to the output's key; null if it spends none. */
Json P2TRJson(const CScriptWitness& witness, const CScript& script_pubkey)
{
    const auto path{FindScriptPath(witness, /*p2mr=*/false)};
    if (!path) return nullptr;
    const XOnlyPubKey internal{path->control.subspan<1, 32>()};
    Json json = {{"internal_key", HexStr(internal.Bytes())}};
    const uint256 root{AddPath(json, *path, TAPROOT_CONTROL_BASE_SIZE)};
    const auto matches{[&](const auto& tweaked) {
        return tweaked && HexStr(script_pubkey) == "5120" + HexStr(tweaked->first.Bytes()) && tweaked->second == (json["low_bit"] == 1);
    }};
    if (const auto tweaked{internal.CreateTapTweak(&root)}) {
        json["computed_key"] = HexStr(tweaked->first.Bytes());
        json["computed_parity"] = int{tweaked->second};
        json["key_matches"] = matches(tweaked);
        const uint256 as_tapscript{RootAsTapscript(*path, TAPROOT_CONTROL_BASE_SIZE)};
        json["fits_as_tapscript"] = !matches(tweaked) && matches(internal.CreateTapTweak(&as_tapscript));
    } else {
        json["note"] = "the internal key is not the x coordinate of a point";
    }
    return json;
}

Json CheckJson(const SignatureCheck& check, script_verify_flags flags, bool with_parts)
{
    Json json = {{"public_key", HexStr(check.public_key)}, {"size", check.signature.size()}};
    if (check.hash_type) json["hash_type"] = HashTypeName(*check.hash_type);
    if (check.hash) json["hash"] = HexStr(check.hash->Bytes());
    if (const std::string note{KeyNote(check, flags)}; !note.empty()) json["note"] = note;
    if (!with_parts || !check.hash) return json;
    json["message"] = Json::array();
    for (const auto& [field, bytes] : check.message) json["message"].push_back({{"field", field}, {"bytes", HexStr(bytes)}});
    if (const auto set{check.type == KeyType::SLHDSA ? wallet::SetOfKey(check.public_key) : std::nullopt}) {
        json["anatomy"] = SignatureAnatomy(*set, std::span{check.signature}.first(SignatureSize(check.type, check.public_key)), *check.hash,
                                           std::span{check.public_key}.last<ANY_PUBLIC_KEY_SIZE>());
    }
    return json;
}

Json StepJson(const TraceStep& step, script_verify_flags flags, bool with_parts)
{
    Json json = {{"position", step.position},           {"byte", step.byte_offset},      {"instruction", step.instruction},
                 {"executed", step.executed},           {"stack_size", step.stack_size}, {"stack", step.stack},
                 {"altstack_size", step.altstack_size}, {"altstack", step.altstack}};
    if (step.budget) json["budget"] = *step.budget;
    if (step.check) json["signature"] = CheckJson(*step.check, flags, with_parts);
    return json;
}

Json ScriptJson(const TracedScript& script, size_t index, script_verify_flags flags)
{
    size_t signatures{0};
    Json steps = Json::array();
    for (const auto& step : script.steps) {
        if (step.check) ++signatures;
        steps.push_back(StepJson(step, flags, signatures <= MAX_SIGNATURES || &step == &script.steps.back()));
    }
    Json json = {{"kind", ScriptName(script, index)},
                 {"script", script.script},
                 {"steps", std::move(steps)},
                 {"steps_left_out", script.skipped},
                 {"error", ScriptErrorName(script.error)},
                 {"final_stack", script.result}};
    if (!script.hint.empty()) json["hint"] = script.hint;
    return json;
}

/** Nothing in it ends an element of HTML. */
std::string ForHtml(const std::string& json)
{
    std::string escaped;
    for (const char c : json) c == '<' ? escaped += "\\u003c" : escaped += c;
    return escaped;
}

} // namespace

std::string_view ScriptName(const TracedScript& script, size_t index)
{
    switch (script.version) {
    case SigVersion::BASE: return index == 0 ? "scriptSig" : index == 1 ? "scriptPubKey" : "redeem script";
    case SigVersion::WITNESS_V0: return "witness script";
    case SigVersion::TAPROOT: return "key path";
    case SigVersion::TAPSCRIPT: return "leaf script (tapscript)";
    }
    return "";
}

std::string KeyNote(const SignatureCheck& check, script_verify_flags flags)
{
    if (!check.public_key.empty() && !wallet::IsKey(check.type, check.public_key)) {
        return "a key of " + Counted(check.public_key.size(), "byte") + ", which is of an unknown type: no signature is checked";
    }
    const auto set{check.type == KeyType::SLHDSA ? wallet::SetOfKey(check.public_key) : std::nullopt};
    if (!set || *set == slhdsa::ParameterSet::SHA2_128S) return "";
    const std::string of{"a key of " + std::string{slhdsa::ParameterSetName(*set)}};
    return flags & SCRIPT_VERIFY_SLHDSA_SETS ? of : of + ", which is of an unknown type without the flag SLHDSA_SETS: any signature counts";
}

Json DebugJson(const SpendFile& spend, unsigned n_in, const Trace& trace)
{
    const CScript& script_pubkey{spend.spent_outputs[n_in].scriptPubKey};
    const CScriptWitness& witness{spend.tx->vin[n_in].scriptWitness};
    const std::string type{TypeOf(script_pubkey)};
    Json json = {{"txid", spend.tx->GetHash().GetHex()},
                 {"input", n_in},
                 {"flags", FormatFlags(spend.flags)},
                 {"script_pubkey", HexStr(script_pubkey)},
                 {"type", type}};
    if (!spend.description.empty()) json["description"] = spend.description;
    if (type == "p2mr") json["p2mr"] = P2MRJson(witness, script_pubkey, trace);
    if (type == "p2tr") {
        if (Json path = P2TRJson(witness, script_pubkey); !path.is_null()) json["p2tr"] = std::move(path);
    }
    json["transaction"] = TransactionJson(spend);
    json["witness"] = WitnessJson(witness, type);
    if (trace.key_path) json["key_path"] = CheckJson(*trace.key_path, spend.flags, true);
    json["scripts"] = Json::array();
    for (size_t i{0}; i < trace.scripts.size(); ++i) json["scripts"].push_back(ScriptJson(trace.scripts[i], i, spend.flags));
    json["valid"] = trace.valid;
    AddFailure(json, trace.failure, spend.flags);
    json["meaning"] = ScriptErrorString(trace.failure.error);
    if (const auto rule{DecidingRule(spend, n_in, trace)}) {
        json["rule"] = {{"name", rule->name}, {"page", rule->page}, {"section", rule->section}, {"text", rule->text}};
    }
    return json;
}

std::string DebugPage(const Json& json)
{
    std::string page;
    std::string_view left{PAGE_TEXT};
    const auto put{[&](std::string_view mark, const std::string& text) {
        const size_t at{left.find(mark)};
        assert(at != left.npos);
        page.append(left.substr(0, at)).append(text);
        left.remove_prefix(at + mark.size());
    }};
    put("@TITLE@", "Input " + json["input"].dump() + " of " + json["txid"].get<std::string>());
    put("@BODY@", "");
    put("@DATA@", ForHtml(json.dump(-1, ' ', false, Json::error_handler_t::replace)));
    return page.append(left);
}

} // namespace slhc::tool
