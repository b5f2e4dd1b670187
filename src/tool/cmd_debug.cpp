// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/address.h>
#include <script/p2mr.h>
#include <tool/commands.h>
#include <tool/input.h>
#include <tool/keys.h>
#include <tool/output.h>
#include <tool/spend_file.h>
#include <tool/trace.h>
#include <util/counted.h>
#include <util/hex.h>

#include <nlohmann/json.hpp>

#include <array>
#include <memory>

namespace slhc::tool {
namespace {

struct Options {
    std::string file, input{"0"}, flags, shown{std::to_string(DEFAULT_SHOWN)};
    bool json{false};
};

/** The name of a script; legacy ones run in a fixed order. */
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

/** The parts of a P2MR input that are read before its script runs: the first things that go wrong. The trace has what comes later. */
Json P2MRJson(const CScriptWitness& witness, const CScript& script_pubkey, const Trace& trace)
{
    std::span<const std::vector<uint8_t>> stack{witness.stack};
    Json json = {{"witness_elements", stack.size()}};
    const bool annex{stack.size() >= 2 && !stack.back().empty() && stack.back()[0] == ANNEX_TAG};
    if (annex) {
        json["annex_size"] = stack.back().size();
        stack = stack.first(stack.size() - 1);
    }
    if (stack.size() < 2) {
        json["note"] = annex ? "only an annex and one element: there is no leaf script and control block"
                             : "fewer than two elements: there is no leaf script and control block";
        return json;
    }
    const auto& control{stack.back()};
    const auto block{P2MRControlBlock::Parse(control)};
    json["control_block_size"] = control.size();
    if (!block) {
        json["note"] = "the control block does not have 1 + 32*m bytes with m at most 128";
        return json;
    }
    const auto& script{stack[stack.size() - 2]};
    const uint256 root{ComputeTapPathRoot(block->path, ComputeTapleafHash(block->leaf_version, script))};
    json["low_bit"] = block->control_bit ? 1 : 0;
    json["leaf_version"] = "0x" + HexStr(std::array{block->leaf_version});
    json["path_length"] = block->PathLength();
    json["computed_root"] = HexStr(root.Bytes());
    const bool root_matches{P2MRScriptPubKey(root) == script_pubkey};
    json["root_matches"] = root_matches;
    if (!block->control_bit) {
        json["note"] = "the low bit of the control block's first byte must be 1";
    } else if (root_matches && block->PathLength() == 0) {
        const std::string note{"no path: under BIP 360 this succeeds without running the script"};
        if (trace.valid) json["note"] = note;
        if (trace.error == SCRIPT_ERR_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM) {
            json["note"] = note + ", but DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM, which is policy and no rule of consensus, refuses it";
        }
    }
    return json;
}

/** What there is to say about the key of a check; empty if it is one of 128s or Schnorr. */
std::string KeyNote(const SignatureCheck& check, script_verify_flags flags)
{
    const auto set{check.type == KeyType::SLHDSA ? wallet::SetOfKey(check.public_key) : std::nullopt};
    if (!set || *set == slhdsa::ParameterSet::SHA2_128S) return "";
    const std::string of{"a key of " + std::string{slhdsa::ParameterSetName(*set)}};
    return flags & SCRIPT_VERIFY_SLHDSA_SETS ? of : of + ", which is of an unknown type without the flag SLHDSA_SETS: any signature counts";
}

Json StepJson(const TraceStep& step, script_verify_flags flags)
{
    Json json = {{"position", step.position},           {"byte", step.byte_offset},      {"instruction", step.instruction},
                 {"executed", step.executed},           {"stack_size", step.stack_size}, {"stack", step.stack},
                 {"altstack_size", step.altstack_size}, {"altstack", step.altstack}};
    if (step.budget) json["budget"] = *step.budget;
    if (step.check) {
        json["signature"] = {{"public_key", HexStr(step.check->public_key)}, {"size", step.check->signature.size()}};
        if (step.check->hash_type) json["signature"]["hash_type"] = HashTypeName(*step.check->hash_type);
        if (step.check->hash) json["signature"]["hash"] = HexStr(step.check->hash->Bytes());
        if (const std::string note{KeyNote(*step.check, flags)}; !note.empty()) json["signature"]["note"] = note;
    }
    return json;
}

/** The input that is to run. */
Json InputJson(const SpendFile& spend, unsigned n_in, const Trace& trace)
{
    const CScript& script_pubkey{spend.spent_outputs[n_in].scriptPubKey};
    const auto program{WitnessProgram::FromScriptPubKey(script_pubkey)};
    Json json = {{"txid", spend.tx->GetHash().GetHex()},
                 {"input", n_in},
                 {"flags", FormatFlags(spend.flags)},
                 {"script_pubkey", HexStr(script_pubkey)},
                 {"type", program ? program->TypeName() : "other"}};
    if (program && program->TypeName() == "p2mr") json["p2mr"] = P2MRJson(spend.tx->vin[n_in].scriptWitness, script_pubkey, trace);
    return json;
}

void AddTrace(Json& json, const Trace& trace, script_verify_flags flags)
{
    json["scripts"] = Json::array();
    for (size_t i = 0; i < trace.scripts.size(); ++i) {
        const auto& script{trace.scripts[i]};
        Json steps = Json::array();
        for (const auto& step : script.steps) steps.push_back(StepJson(step, flags));
        json["scripts"].push_back({{"kind", ScriptName(script, i)},
                                   {"script", script.script},
                                   {"steps", std::move(steps)},
                                   {"steps_left_out", script.skipped},
                                   {"error", ScriptErrorName(script.error)},
                                   {"final_stack", script.result}});
        if (!script.hint.empty()) json["scripts"].back()["hint"] = script.hint;
    }
    json["valid"] = trace.valid;
    json["error"] = ScriptErrorName(trace.error);
    json["meaning"] = ScriptErrorString(trace.error);
}

/** Top last, as the BIPs and --witness have it; what is not shown is counted. */
std::string StackText(const std::vector<std::string>& stack, size_t size)
{
    std::string text;
    if (size > stack.size()) text = "(" + std::to_string(size - stack.size()) + " more)";
    for (const auto& element : stack) text += (text.empty() ? "" : " ") + element;
    return text.empty() ? "(empty)" : text;
}

void PrintStep(const TraceStep& step, script_verify_flags flags)
{
    std::string line{"  " + std::to_string(step.position) + "  " + step.instruction};
    if (!step.executed) line += "  (not executed: in a branch not taken)";
    if (step.budget) line += "  [budget " + std::to_string(*step.budget) + "]";
    PrintLine(line);
    if (!step.executed) return;
    PrintLine("       stack, top last: " + StackText(step.stack, step.stack_size));
    if (step.altstack_size > 0) PrintLine("       altstack, top last: " + StackText(step.altstack, step.altstack_size));
    if (step.check) {
        if (const std::string note{KeyNote(*step.check, flags)}; !note.empty()) PrintLine("       " + note);
    }
    if (step.check && step.check->hash) {
        PrintLine("       signature hash (" + HashTypeName(*step.check->hash_type) + "): " + HexStr(step.check->hash->Bytes()));
    }
}

void PrintText(const Json& input, const Trace& trace, script_verify_flags flags)
{
    PrintTable({{"transaction", input["txid"]},
                {"input", input["input"].dump()},
                {"spends",
                 input["type"].get<std::string>() + (input["type"] == "p2mr" ? " (P2TSH) " : " ") +
                     input["script_pubkey"].get<std::string>()},
                {"flags", input["flags"]}});
    if (input.contains("p2mr")) {
        for (const auto& [name, value] : input["p2mr"].items()) {
            PrintLine("  " + name + ": " + (value.is_string() ? value.get<std::string>() : value.dump()));
        }
    }
    if (trace.scripts.empty()) PrintLine("No script was executed.");
    for (size_t i = 0; i < trace.scripts.size(); ++i) {
        const auto& script{trace.scripts[i]};
        if (i == 0 && script.script.empty() && script.error == SCRIPT_ERR_OK) continue; // an empty scriptSig says nothing
        PrintLine("");
        PrintLine(std::string{ScriptName(script, i)} + ": " + (script.script.empty() ? "(empty)" : script.script));
        for (const auto& step : script.steps) {
            if (&step == &script.steps.back() && script.skipped > 0) {
                PrintLine("  ... " + std::to_string(script.skipped) + " instructions left out ...");
            }
            PrintStep(step, flags);
        }
        if (script.error == SCRIPT_ERR_OK) {
            PrintLine("  end: stack, top last: " + StackText(script.result, script.result.size()));
        } else {
            PrintLine("  failed here: " + std::string{ScriptErrorName(script.error)});
            if (!script.hint.empty()) PrintLine("  about this signature: " + script.hint);
        }
    }
    PrintLine("");
    PrintLine(trace.valid ? "valid"
                          : "invalid: " + std::string{ScriptErrorName(trace.error)} + " (" +
                                std::string{ScriptErrorString(trace.error)} + ")");
}

ExitStatus Debug(const Options& options)
{
    SpendFile spend{ReadSpendFile(options.file)};
    if (!options.flags.empty()) spend.flags = ParseFlagsOption(options.flags);
    const size_t inputs{spend.spent_outputs.size()};
    const auto n_in{static_cast<unsigned>(Within("--input", [&] { return ParseNumber(options.input, 0xffffffff); }))};
    if (n_in >= inputs) {
        throw InputError{"--input", std::to_string(n_in) + ", but the transaction has " + Counted(inputs, "input")};
    }
    const Trace trace{Tracer{spend}.TraceInput(n_in, Within("--stack", [&] { return ParseNumber(options.shown, 1000); }))};
    Json json = InputJson(spend, n_in, trace);
    if (options.json) {
        AddTrace(json, trace, spend.flags);
        PrintJson(json);
    } else {
        PrintText(json, trace, spend.flags);
    }
    return trace.valid ? EXIT_VALID : EXIT_INVALID;
}

} // namespace

Action DeclareDebug(CommandParser& parser)
{
    auto options{std::make_shared<Options>()};
    parser.Explain(
        "Runs one input of a transaction and shows each instruction with the stack before it (top last, as in\n"
        "slhtool spend --witness), the alternative stack, the remaining validation budget and, in tapscript, the hash that\n"
        "a signature must sign; then the verdict. If a signature fails, it says under which other key of the script, for\n"
        "which hash type or how else it would verify. Large elements are abbreviated; of a script with more than " +
        std::to_string(MAX_STEPS) + "\n"
        "instructions, the first ones and the last one are shown. For P2MR (P2TSH) inputs, the control block and the root\n"
        "that it leads to come first. A transaction too heavy for any block is refused. Exit status 0: valid, 1: invalid.");
    parser.Add("FILE", options->file, "JSON with tx and spent_outputs, as slhtool spend writes it; - for standard input").Required();
    parser.Add("--input N", options->input, "Which input, counted from 0");
    parser.Add("--flags FLAGS", options->flags, "Rules, as in slhtool verify-tx, instead of those in the file");
    parser.Add("--stack N", options->shown,
               "How many stack elements to show of each instruction, up to 1000; of those beyond " + std::to_string(DEFAULT_SHOWN) +
                   ", at most " + std::to_string(MAX_EXTRA_ELEMENTS) + " in all, not counting the last instruction");
    AddJsonFlag(parser, options->json);
    parser.AddExamples({{"why does this spend fail?", "slhtool debug demo-output/tampered.json --input 2"}});
    return [options] { return Debug(*options); };
}

} // namespace slhc::tool
