// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/commands.h>
#include <tool/debug_json.h>
#include <tool/input.h>
#include <tool/keys.h>
#include <tool/output.h>
#include <tool/output_file.h>
#include <tool/spend_file.h>
#include <tool/trace.h>
#include <util/counted.h>
#include <util/hex.h>

#include <nlohmann/json.hpp>

#include <memory>

namespace slhc::tool {
namespace {

struct Options {
    std::string file, input{"0"}, flags, shown{std::to_string(DEFAULT_SHOWN)};
    OutputFile html;
    bool json{false};
};

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

void PrintText(const Json& json, const Trace& trace, script_verify_flags flags)
{
    PrintTable({{"transaction", json["txid"]},
                {"input", json["input"].dump()},
                {"spends",
                 json["type"].get<std::string>() + (json["type"] == "p2mr" ? " (P2TSH) " : " ") +
                     json["script_pubkey"].get<std::string>()},
                {"flags", json["flags"]}});
    if (const auto tree{json.find(json["type"].get<std::string>())}; tree != json.end()) {
        for (const auto& [name, value] : tree->items()) {
            if (!value.is_structured()) PrintLine("  " + name + ": " + (value.is_string() ? value.get<std::string>() : value.dump()));
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
                          : "invalid: " + std::string{ScriptErrorName(trace.failure.error)} + " (" +
                                std::string{ScriptErrorString(trace.failure.error)} + ")");
    if (json.contains("rule")) PrintLine("rule: " + json["rule"]["name"].get<std::string>());
}

ExitStatus Debug(const Options& options)
{
    CheckOutputFile(options.html);
    SpendFile spend{ReadSpendFile(options.file)};
    if (!options.flags.empty()) spend.flags = ParseFlagsOption(options.flags);
    const size_t inputs{spend.spent_outputs.size()};
    const auto n_in{static_cast<unsigned>(Within("--input", [&] { return ParseNumber(options.input, 0xffffffff); }))};
    if (n_in >= inputs) {
        throw InputError{"--input", std::to_string(n_in) + ", but the transaction has " + Counted(inputs, "input")};
    }
    const Trace trace{Tracer{spend}.TraceInput(n_in, Within("--stack", [&] { return ParseNumber(options.shown, 1000); }))};
    const Json json = DebugJson(spend, n_in, trace);
    if (!options.html.empty()) WriteTextFile(options.html, DebugPage(json));
    if (options.json) {
        PrintJson(json);
    } else if (!options.html.empty()) {
        PrintTable({{"file", Printable(options.html.path)},
                    {"verdict", trace.valid ? "valid" : "invalid: " + json["error"].get<std::string>()}});
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
        "instructions, the first ones and the last one are shown. For P2MR (P2TSH) and P2TR inputs, the control block and\n"
        "where it leads come first. A transaction too heavy for any block is refused. Exit status 0: valid, 1: invalid.");
    parser.Add("FILE", options->file, "JSON with tx and spent_outputs, as slhtool spend writes it; - for standard input").Required();
    parser.Add("--input N", options->input, "Which input, counted from 0");
    parser.Add("--flags FLAGS", options->flags, "Rules, as in slhtool verify-tx, instead of those in the file");
    parser.Add("--stack N", options->shown,
               "How many stack elements to show of each instruction, up to 1000; of those beyond " + std::to_string(DEFAULT_SHOWN) +
                   ", at most " + std::to_string(MAX_EXTRA_ELEMENTS) + " in all, not counting the last instruction");
    parser.Add("--html FILE", options->html.path, "Write it as a page for a browser, and print the verdict alone");
    AddForceFlag(parser, options->html.force);
    AddJsonFlag(parser, options->json);
    parser.AddExamples({{"why does this spend fail?", "slhtool debug demo-output/tampered.json --input 2"},
                        {"the same in a browser", "slhtool debug demo-output/tampered.json --input 2 --html tampered.html"}});
    return [options] { return Debug(*options); };
}

} // namespace slhc::tool
