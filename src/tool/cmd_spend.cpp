// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <slhconsensus.h>
#include <tool/api.h>
#include <tool/commands.h>
#include <tool/hash_type.h>
#include <tool/output.h>
#include <tool/output_file.h>
#include <tool/spend_options.h>
#include <tool/spender.h>
#include <tool/verification.h>
#include <util/hex.h>

#include <nlohmann/json.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace slhc::tool {
namespace {

struct Options {
    SpendOptions spend;
    OutputFile out;
    bool unchecked{false}, any_fee{false}, nonstandard{false}, allow_burn{false}, dry_run{false}, hex{false}, json{false};
};

void PrintSummary(Json plan, const Options& options)
{
    if (options.json) {
        if (!options.out.empty()) plan["file"] = options.out.path;
        PrintJson(plan);
    } else {
        if (!options.out.empty()) PrintTable({{"file", Printable(options.out.path)}});
        PrintPlan(plan);
    }
}

ExitStatus Spend(const Options& options)
{
    if (options.hex && options.json) throw InputError{"--hex", "cannot be combined with --json"};
    if (options.dry_run && (options.hex || !options.out.empty())) throw InputError{"--dry-run", "cannot be combined with --hex or --out"};
    CheckOutputFile(options.out);
    const SpendSpec spec{options.spend.Spec()};
    const SpendPlan plan{PlanSpend(spec)};
    // People see the plan that is refused, too; a program gets nothing on standard output with an error.
    if (options.dry_run && !options.json) PrintSummary(PlanJson(spec, plan), options);
    if (!options.allow_burn) CheckBurn(plan.tx.vout, spec.rest);
    if (!options.any_fee) CheckFee(plan);
    if (!options.nonstandard) CheckRelay(plan.tx.vout, plan.weight);
    if (options.dry_run && options.json) PrintSummary(PlanJson(spec, plan), options);
    if (options.dry_run) return EXIT_VALID;

    SpendFile file{SignSpend(spec, plan)};
    file.name = options.out.empty() ? "the transaction" : options.out.path;
    if (!options.unchecked) {
        const auto result{VerifySpends(std::span{&file, 1}, /*batched=*/false)};
        if (!result.Valid()) return RefuseInvalid(result, options.json, "--unchecked writes it anyway");
    }
    const Json json = SpendFileJson(file);
    if (options.hex || options.out.empty()) PrintWarnings(PlanJson(spec, plan)["warnings"]);
    if (!options.out.empty()) WriteTextFile(options.out, json.dump(2) + "\n");
    if (options.hex) {
        PrintLine(HexStr(file.raw_tx));
    } else if (options.out.empty()) {
        PrintJson(json);
    } else {
        PrintSummary(PlanJson(spec, plan), options);
    }
    return EXIT_VALID;
}

} // namespace

Action DeclareSpend(CommandParser& parser)
{
    auto options{std::make_shared<Options>()};
    parser.Explain("Builds a transaction, signs it with each input's keys, verifies it, and prints it as JSON, with the outputs that\n"
                    "it spends, as verify-tx and debug read it. Options describe one input, a SPEC file several.");
    options->spend.Declare(parser, OptionsFor::SPEND);
    parser.Add(
        "--out FILE", options->out.path,
        "Write the transaction to this file and print a summary; without it, the transaction itself is printed; it is JSON either way");
    AddForceFlag(parser, options->out.force);
    parser.AddFlag("--hex", options->hex,
                   "Print only the transaction, in hex, as sendrawtransaction takes it; with --out, instead of the summary");
    parser.AddFlag("--dry-run", options->dry_run, "Sign nothing: print inputs, outputs, lock times, size and fee");
    parser.AddFlag("--any-fee", options->any_fee, "Accept a fee below 1 satoshi per virtual byte, or of more than a quarter of the coins");
    AddNonstandardFlag(parser, options->nonstandard);
    AddBurnFlag(parser, options->allow_burn);
    parser.AddFlag("--unchecked", options->unchecked, "Write the transaction even if it is invalid");
    AddJsonFlag(parser, options->json);
    parser.Explain(std::string{SPEC_HELP} +
                   "A signature commits to the amount and the script of its coin: a transaction with a wrong --amount or --tree is\n"
                   "valid here but not to a node.");
    parser.AddExamples(
        {{"spend a coin with the key of its leaf",
          "slhtool spend --outpoint $TXID:0 --amount 100000 --tree @alice.tree --key alice.key --to bcrt1z... --out spend.json"},
         {"the size and the fee, before anything is signed", "slhtool spend --outpoint $TXID:0 --amount 100000 --tree @alice.tree --key "
                                                             "alice.key --to bcrt1z...=50000 --to bcrt1q... --feerate 5 --dry-run"},
         {"send it", "slhtool spend --outpoint $TXID:0 --amount 100000 --tree @alice.tree --key alice.key --to bcrt1z... --hex | "
                     "bitcoin-cli -regtest -stdin sendrawtransaction"},
         {"two of three",
          "slhtool spend --outpoint $TXID:1 --amount 100000 --tree @vault.tree --key a.key --key c.key --to bcrt1z... --out spend.json"},
         {"a transaction with several inputs", "slhtool spend spec.json --out spend.json"}});
    return [options] { return Spend(*options); };
}

} // namespace slhc::tool
