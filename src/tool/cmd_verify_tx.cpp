// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/address.h>
#include <tool/api.h>
#include <tool/commands.h>
#include <tool/input.h>
#include <tool/output.h>
#include <tool/spend_file.h>
#include <tool/verification.h>
#include <util/counted.h>

#include <memory>

namespace slhc::tool {
namespace {

struct Options {
    std::vector<std::string> files, spent;
    std::string tx, flags;
    bool batch{false}, json{false};
};

/** What --tx and --spent say. */
SpendFile SpendFromOptions(const Options& options)
{
    SpendFile file;
    file.name = "--tx";
    file.raw_tx = HexArgument("--tx", options.tx);
    const size_t inputs{Within("--tx", [&] { return ParseTx(file.raw_tx); }).vin.size()};
    if (options.spent.size() != inputs) {
        throw InputError{"--spent",
                         "given " + Counted(options.spent.size(), "time") + ", but the transaction has " + Counted(inputs, "input")};
    }
    for (size_t i = 0; i < inputs; ++i) {
        file.spent_outputs.push_back(Within("--spent " + std::to_string(i), [&] { return ParseSpentOutput(options.spent[i]); }));
    }
    file.flags = ParseFlags("consensus");
    CheckSpendFile(file);
    return file;
}

std::vector<SpendFile> Spends(const Options& options)
{
    if (options.files.empty() == options.tx.empty()) throw InputError{"give either FILE or --tx"};
    if (options.tx.empty() && !options.spent.empty()) throw InputError{"--spent needs --tx; a FILE has its own spent_outputs"};
    std::vector<SpendFile> spends;
    for (const auto& path : options.files) spends.push_back(ReadSpendFile(path));
    if (!options.tx.empty()) spends.push_back(SpendFromOptions(options));
    if (!options.flags.empty()) {
        const uint64_t flags{ParseFlagsOption(options.flags)};
        for (auto& spend : spends) spend.flags = flags;
    }
    return spends;
}

ExitStatus VerifyTx(const Options& options)
{
    const auto spends{Spends(options)};
    const auto result{VerifySpends(spends, options.batch)};
    options.json ? PrintJson(VerificationJson(result)) : PrintVerification(result);
    return result.Valid() ? EXIT_VALID : EXIT_INVALID;
}

} // namespace

Action DeclareVerifyTx(CommandParser& parser)
{
    auto options{std::make_shared<Options>()};
    parser.Explain(
        "Verifies every input of each transaction against the output that it spends, and says whether it is valid or why\n"
        "not: the script error under Bitcoin Core's name, and the instruction. The amounts of outputs and inputs are not\n"
        "compared. A transaction too heavy for any block is refused. With --batch, the SLH-DSA signatures of all files\n"
        "are verified together after the scripts. Exit status 0: all valid, 1: not all valid.");
    parser.Add("FILE", options->files, "JSON with tx and spent_outputs, as slhtool spend writes it; - for standard input");
    parser.Add("--tx HEX", options->tx, "Instead of FILE: a transaction in hex, @FILE or -");
    parser.Add("--spent AMOUNT:SCRIPT", options->spent,
               "With --tx: a spent output AMOUNT:SCRIPT, the script in hex, one for each input, in order");
    parser.Add("--flags FLAGS", options->flags,
               "Rules: consensus (default), standard (the script flags of relay policy; its limits on annexes and on the sizes of "
               "elements are not checked), or Bitcoin Core's names, e.g. P2SH,WITNESS,TAPROOT,P2MR,SLHDSA (P2MR is BIP 360, once P2TSH); "
               "instead of those in the files");
    parser.AddFlag("--batch", options->batch, "Defer SLH-DSA signatures and verify them together");
    AddJsonFlag(parser, options->json);
    parser.Explain(
        "A FILE:\n"
        "  {\"tx\": HEX, \"spent_outputs\": [{\"amount\": 100000, \"script_pubkey\": HEX}], \"flags\": \"consensus\"}\n"
        "with one spent output for each input, in order; \"address\" may replace \"script_pubkey\".");
    parser.AddExamples({{"verify one transaction", "slhtool verify-tx spend.json"},
                        {"verify many in one batch", "slhtool verify-tx --batch demo-output/spends/*.json"}});
    return [options] { return VerifyTx(*options); };
}

} // namespace slhc::tool
