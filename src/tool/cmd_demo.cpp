// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/address.h>
#include <script/p2mr.h>
#include <tool/commands.h>
#include <tool/demo.h>
#include <tool/input.h>
#include <tool/output.h>
#include <tool/tree.h>
#include <tool/verification.h>
#include <util/counted.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <memory>

namespace slhc::tool {
namespace {

constexpr uint64_t MAX_TRANSACTIONS{5000};

struct Options {
    std::string folder{"demo-output"}, transactions{"16"};
    bool json{false};
};

/** With two decimals. */
std::string Number(double value)
{
    std::array<char, 32> text;
    std::snprintf(text.data(), text.size(), "%.2f", value);
    return text.data();
}

std::string Ms(double milliseconds) { return Number(milliseconds) + " ms"; }

struct Outcome {
    double making_seconds;
    VerificationResult eager, batch, tampered_eager, tampered_batch;

    const InputVerdict& Bad(const DemoSet& demo) const { return tampered_batch.transactions[0].inputs[demo.tampered_input]; }

    /** Good spends are valid, the tampered one is rejected for the right reason, both ways say the same. */
    bool AsExpected(const DemoSet& demo) const
    {
        const auto rejected{[&](const VerificationResult& result) {
            const auto& inputs{result.transactions[0].inputs};
            for (unsigned i = 0; i < inputs.size(); ++i) {
                if (inputs[i].valid != (i != demo.tampered_input)) return false;
            }
            return inputs[demo.tampered_input].error == "SCRIPT_ERR_SLHDSA_SIG";
        }};
        return eager.Valid() && batch.Valid() && rejected(tampered_eager) && rejected(tampered_batch);
    }
};

Json AddressesJson(const DemoSet& demo)
{
    Json json = Json::object();
    for (const auto& [name, text] : demo.trees) {
        const auto program{WitnessProgram::FromScriptPubKey(P2MRScriptPubKey(ParseTree(text).Root()))};
        json[name] = EncodeAddress(Network::REGTEST, *program);
    }
    return json;
}

std::string AllValid(const VerificationResult& result)
{
    return result.Valid() ? "all valid" : "NOT ALL VALID";
}

void PrintSummary(const DemoSet& demo, const Outcome& outcome, const Options& options)
{
    PrintLine("Keys      alice, bob, carol: SLH-DSA-SHA2-128s; dave: Schnorr (BIP 340)");
    const Json addresses = AddressesJson(demo);
    for (const auto& [name, address] : addresses.items()) {
        PrintLine((name == demo.trees[0].first ? "P2MR      " : "          ") + name + std::string(8 - name.size(), ' ') +
                  address.get<std::string>());
    }
    PrintLine("Spends    " + Counted(outcome.eager.transactions.size(), "transaction") + ", " +
              Counted(outcome.eager.InputCount(), "input") + ", " + Counted(outcome.batch.signatures, "SLH-DSA signature") +
              ": single, Schnorr, 2-of-3, hybrid (made in " + Number(outcome.making_seconds) + " s)");
    PrintLine("Eager     " + AllValid(outcome.eager) + " in " + Ms(outcome.eager.script_milliseconds));
    PrintLine("Batch     " + AllValid(outcome.batch) + " in " + Ms(outcome.batch.script_milliseconds + outcome.batch.batch_milliseconds) +
              " (scripts " + Ms(outcome.batch.script_milliseconds) + ", signatures together " + Ms(outcome.batch.batch_milliseconds) + ")");
    const InputVerdict& bad{outcome.Bad(demo)};
    PrintLine("Tampered  " + (bad.valid ? "NOT REJECTED"
                                        : "rejected, eagerly and in a batch: input " + std::to_string(demo.tampered_input) + ", " +
                                              bad.error + " at instruction " + std::to_string(bad.opcode_pos.value_or(0)) + " (" +
                                              bad.instruction.value_or("") + ")"));
    PrintLine("Files     in " + Printable(options.folder) + "; to run on them again:");
    PrintLine("            slhtool verify-tx --batch " + Printable(options.folder) + "/spends/*.json");
    PrintLine("            slhtool verify-tx " + Printable(demo.tampered.name));
    PrintLine("            slhtool debug " + Printable(demo.tampered.name) + " --input " + std::to_string(demo.tampered_input));
    if (!outcome.AsExpected(demo)) PrintLine("This is not the expected result: please report it.");
}

Json SummaryJson(const DemoSet& demo, const Outcome& outcome, const Options& options)
{
    return {{"folder", options.folder},
            {"addresses", AddressesJson(demo)},
            {"transactions", outcome.eager.transactions.size()},
            {"inputs", outcome.eager.InputCount()},
            {"slhdsa_signatures", outcome.batch.signatures},
            {"making_seconds", outcome.making_seconds},
            {"eager", {{"valid", outcome.eager.Valid()}, {"milliseconds", outcome.eager.script_milliseconds}}},
            {"batch",
             {{"valid", outcome.batch.Valid()},
              {"script_milliseconds", outcome.batch.script_milliseconds},
              {"batch_milliseconds", outcome.batch.batch_milliseconds}}},
            {"tampered", VerificationJson(outcome.tampered_batch)["transactions"][0]},
            {"as_expected", outcome.AsExpected(demo)}};
}

DemoSet MakeAndVerify(size_t transactions, const Options& options, Outcome& outcome)
{
    const auto begin{std::chrono::steady_clock::now()};
    DemoSet demo{MakeDemo(transactions)};
    outcome.making_seconds = std::chrono::duration<double>{std::chrono::steady_clock::now() - begin}.count();
    WriteDemo(demo, options.folder);

    outcome.eager = VerifySpends(demo.spends, /*batched=*/false);
    outcome.batch = VerifySpends(demo.spends, /*batched=*/true);
    outcome.tampered_eager = VerifySpends(std::span{&demo.tampered, 1}, /*batched=*/false);
    outcome.tampered_batch = VerifySpends(std::span{&demo.tampered, 1}, /*batched=*/true);
    return demo;
}

ExitStatus Demo(const Options& options)
{
    const auto count{Within("--transactions", [&] { return ParseNumber(options.transactions, MAX_TRANSACTIONS); })};
    if (count == 0) throw InputError{"--transactions", "0 is too few"};
    CheckDemoFolder(options.folder);
    Outcome outcome{};
    const DemoSet demo{MakeAndVerify(count, options, outcome)};
    options.json ? PrintJson(SummaryJson(demo, outcome, options)) : PrintSummary(demo, outcome, options);
    return outcome.AsExpected(demo) ? EXIT_VALID : EXIT_INVALID;
}

} // namespace

Action DeclareDemo(CommandParser& parser)
{
    auto options{std::make_shared<Options>()};
    parser.Explain(
        "Makes keys, coins on P2MR (P2TSH) outputs, and transactions that spend them with SLH-DSA, Schnorr, 2-of-3 SLH-DSA\n"
        "and hybrid leaves; verifies them one by one and as a batch; changes one bit of a signature and shows how that is\n"
        "rejected. Everything stays on disk until the next demo in the same folder, which replaces it. The coins are made up:\n"
        "no network, no node.");
    parser.Add("--dir FOLDER", options->folder, "Where files go; must be empty, absent or from an earlier demo, which is replaced");
    parser.Add("--transactions N", options->transactions, "How many transactions, up to " + std::to_string(MAX_TRANSACTIONS));
    AddJsonFlag(parser, options->json);
    parser.AddExamples({{"a larger batch", "slhtool demo --transactions 512 --dir /tmp/demo"}});
    return [options] { return Demo(*options); };
}

} // namespace slhc::tool
