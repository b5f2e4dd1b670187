// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <consensus/block_check.h>
#include <consensus/block_scripts.h>
#include <consensus/consensus.h>
#include <consensus/validation.h>
#include <primitives/block.h>
#include <tool/commands.h>
#include <tool/input.h>
#include <tool/output.h>
#include <tool/process_verifier.h>
#include <tool/spend_file.h>
#include <tool/verification.h>
#include <util/check.h>
#include <util/counted.h>

#include <nlohmann/json.hpp>

#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace slhc::tool {
namespace {

struct TxOptions {
    std::vector<std::string> files, spent;
    std::string tx, flags;
    bool batch{false}, json{false};
};

/** The spend that --tx and --spent describe. */
SpendFile SpendFromOptions(const TxOptions& options)
{
    SpendFile file;
    file.name = "--tx";
    file.tx = Within("--tx", [raw_tx = HexArgument("--tx", options.tx)] { return ParseTx(raw_tx); });
    const size_t inputs{file.tx->vin.size()};
    if (options.spent.size() != inputs) {
        throw InputError{"--spent",
                         "given " + Counted(options.spent.size(), "time") + ", but the transaction has " + Counted(inputs, "input")};
    }
    for (size_t i = 0; i < inputs; ++i) {
        file.spent_outputs.push_back(Within("--spent " + std::to_string(i), [&] { return ParseSpentOutput(options.spent[i]); }));
    }
    CheckSpendFile(file);
    return file;
}

std::vector<SpendFile> Spends(const TxOptions& options)
{
    if (options.files.empty() == options.tx.empty()) throw InputError{"give either FILE or --tx"};
    if (options.tx.empty() && !options.spent.empty()) throw InputError{"--spent needs --tx; a FILE has its own spent_outputs"};
    std::vector<SpendFile> spends;
    for (const auto& path : options.files) spends.push_back(ReadSpendFile(path));
    if (!options.tx.empty()) spends.push_back(SpendFromOptions(options));
    if (!options.flags.empty()) {
        const auto flags{ParseFlagsOption(options.flags)};
        for (auto& spend : spends) spend.flags = flags;
    }
    return spends;
}

ExitStatus VerifyTx(const TxOptions& options)
{
    const auto spends{Spends(options)};
    const auto result{VerifySpends(spends, options.batch)};
    options.json ? PrintJson(VerificationJson(result)) : PrintVerification(result);
    return result.Valid() ? EXIT_VALID : EXIT_INVALID;
}

struct BlockOptions {
    std::vector<std::string> spent;
    std::string file, block, flags;
    bool scripts_only{false}, json{false};
};

/** A block with all that verifying it takes. */
struct BlockFile {
    std::vector<uint8_t> raw;
    std::vector<CTxOut> spent_outputs; //!< in the order of the block
    script_verify_flags flags{MANDATORY_SCRIPT_VERIFY_FLAGS};
};

struct Verdict {
    BlockValidationState reject;               //!< why the block is refused before any script is run, if it is
    std::optional<BlockScriptFailure> failure; //!< the first input whose scripts fail
    double milliseconds{0};                    //!< for scripts and signatures

    bool Valid() const { return reject.IsValid() && !failure; }
    bool Mutated() const { return reject.GetResult() == BlockValidationResult::MUTATED; } //!< the block with this header may be valid
};

CBlock ParseRaw(std::span<const uint8_t> raw)
{
    try {
        return ParseBlock(raw);
    } catch (const ParseError& e) {
        throw InputError{"block", e.what()};
    }
}

/** {"amount", "script_pubkey" or "address"}, or the serialized output in hex. */
CTxOut SpentFromJson(const JsonValue& value)
{
    if (!value.IsString()) return TxOutFromJson(value);
    const auto bytes{value.Hex()};
    try {
        return ParseTxOut(bytes);
    } catch (const ParseError& e) {
        value.Fail(e.what());
    }
}

BlockFile BlockFromJson(const JsonValue& json)
{
    json.OnlyMembers({"block", "spent_outputs", "flags", "description"});
    BlockFile file;
    file.raw = json.At("block").Hex();
    for (const auto& output : json.At("spent_outputs").Elements()) file.spent_outputs.push_back(SpentFromJson(output));
    if (const auto flags{json.Find("flags")}) file.flags = flags->Parse(ParseFlags);
    return file;
}

BlockFile ReadBlockFile(const BlockOptions& options)
{
    if (options.file.empty() == options.block.empty()) throw InputError{"give either FILE or --block"};
    BlockFile file;
    if (!options.file.empty()) {
        if (!options.spent.empty()) throw InputError{"--spent needs --block; a FILE has its own spent_outputs"};
        const std::string text{ReadFile(options.file)};
        file = Within(FileName(options.file), [&] {
            return BlockFromJson(JsonDocument{text}.Top());
        });
    } else {
        file.raw = HexArgument("--block", options.block);
        for (size_t i = 0; i < options.spent.size(); ++i) {
            file.spent_outputs.push_back(Within("--spent " + std::to_string(i), [&] { return ParseSpentOutput(options.spent[i]); }));
        }
    }
    if (!options.flags.empty()) file.flags = ParseFlagsOption(options.flags);
    return file;
}

void CheckCount(const CBlock& block, const BlockFile& file, const BlockOptions& options)
{
    const size_t inputs{CountBlockInputs(block)};
    if (file.spent_outputs.size() == inputs) return;
    throw InputError{options.file.empty() ? "--spent" : "spent_outputs",
                     Counted(file.spent_outputs.size(), "output") + ", but the block has " + Counted(inputs, "input") +
                         " besides the coinbase's"};
}

/** @throws InputError if the block creates an output that the file says otherwise */
bool Check(const CBlock& block, const BlockFile& file, BlockValidationState& reject)
{
    try {
        return CheckBlockStructure(block, file.flags, reject) && CheckBlockInputs(block, file.spent_outputs, file.flags, reject);
    } catch (const std::invalid_argument& e) {
        throw InputError{e.what()};
    }
}

void RunScripts(const CBlock& block, const BlockFile& file, const std::shared_ptr<slhdsa::Verifier>& verifier, Verdict& verdict)
{
    const auto begin{std::chrono::steady_clock::now()};
    const auto result{VerifyBlockScripts(block, file.spent_outputs, file.flags, verifier)};
    verdict.milliseconds = std::chrono::duration<double, std::milli>{std::chrono::steady_clock::now() - begin}.count();
    assert(result.status != BlockScriptStatus::INTERRUPTED); // nobody interrupts
    verdict.failure = result.failure;
}

Json ToJson(const CBlock& block, script_verify_flags flags, const Verdict& verdict)
{
    Json json = {{"valid", verdict.Valid()},
                 {"block", block.GetHash().GetHex()},
                 {"flags", FormatFlags(flags)},
                 {"transactions", block.vtx.size()},
                 {"inputs", CountBlockInputs(block)},
                 {"weight", GetBlockWeight(block)}};
    if (!verdict.reject.IsValid()) {
        json["reject_reason"] = verdict.reject.GetRejectReason();
        json["detail"] = verdict.reject.GetDetail();
        json["mutated"] = verdict.Mutated();
        return json;
    }
    if (verdict.failure) {
        json["transaction"] = verdict.failure->tx_index;
        json["txid"] = block.vtx[verdict.failure->tx_index]->GetHash().GetHex();
        json["input"] = verdict.failure->input;
        AddFailure(json, verdict.failure->where, flags);
    }
    json["script_milliseconds"] = verdict.milliseconds;
    return json;
}

std::string Describe(const CBlock& block, const Verdict& verdict, script_verify_flags flags)
{
    if (verdict.Valid()) return "valid";
    if (const auto& failure{verdict.failure}) {
        return "invalid: transaction " + std::to_string(failure->tx_index) + " (" + block.vtx[failure->tx_index]->GetHash().GetHex() +
               "), input " + std::to_string(failure->input) + ": " + DescribeFailure(failure->where, flags);
    }
    const std::string& detail{verdict.reject.GetDetail()};
    return "invalid: " + verdict.reject.GetRejectReason() + (detail.empty() ? "" : " (" + detail + ")") +
           (verdict.Mutated() ? "; mutated: the block with this header may be valid" : "");
}

void Print(const CBlock& block, script_verify_flags flags, const Verdict& verdict)
{
    PrintLine("block " + block.GetHash().GetHex() + ": " + Counted(block.vtx.size(), "transaction") + ", " +
              Counted(CountBlockInputs(block), "input") + " besides the coinbase's, " + Counted(GetBlockWeight(block), "weight unit"));
    if (verdict.reject.IsValid()) {
        std::array<char, 64> text;
        std::snprintf(text.data(), text.size(), "scripts and signatures: %.2f ms", verdict.milliseconds);
        PrintLine(text.data());
    }
    if (const std::string rules{RulesNote(flags)}; !rules.empty()) PrintLine(rules);
    PrintLine(Describe(block, verdict, flags));
}

ExitStatus VerifyBlock(const BlockOptions& options)
{
    const BlockFile file{ReadBlockFile(options)};
    const auto in_file{[&](auto&& f) { return options.file.empty() ? f() : Within(FileName(options.file), f); }};
    const CBlock block{in_file([&] { return ParseRaw(file.raw); })};
    in_file([&] {
        if (options.scripts_only) CheckWeight("the block", GetBlockWeight(block)); // else it is invalid before its scripts run
        CheckCount(block, file, options);
    });
    const auto& verifier{ProcessVerifier()};
    Verdict verdict;
    if (options.scripts_only || in_file([&] { return Check(block, file, verdict.reject); })) RunScripts(block, file, verifier, verdict);
    options.json ? PrintJson(ToJson(block, file.flags, verdict)) : Print(block, file.flags, verdict);
    return verdict.Valid() ? EXIT_VALID : EXIT_INVALID;
}

} // namespace

Action DeclareVerifyTx(CommandParser& parser)
{
    auto options{std::make_shared<TxOptions>()};
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
               "Rules: consensus (default), consensus,SLHDSA_SETS (with keys of other parameter sets), standard (the script flags of "
               "relay policy; its limits on annexes and on the sizes of "
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

Action DeclareVerifyBlock(CommandParser& parser)
{
    auto options{std::make_shared<BlockOptions>()};
    parser.Explain(
        "Verifies a block as far as possible without the chain, given the outputs that it spends: merkle root, witness\n"
        "commitment, sizes, amounts and costs, then the scripts of every input, with one batch for all SLH-DSA\n"
        "signatures. Says why it is invalid, as Bitcoin Core's reject reason or script error, and where. Not checked:\n"
        "proof of work, times, heights, the subsidy. Exit status 0: valid, 1: invalid.");
    parser.Add("FILE", options->file, "JSON with block and spent_outputs; - for standard input");
    parser.Add("--block HEX", options->block, "Instead of FILE: a block in hex, @FILE or -");
    parser.Add("--spent AMOUNT:SCRIPT", options->spent,
               "With --block: a spent output AMOUNT:SCRIPT, the script in hex, one for each input, in the order of the block");
    parser.Add("--flags FLAGS", options->flags,
               "Rules: consensus (default), consensus,SLHDSA_SETS (with keys of other parameter sets), standard (the script flags of "
               "relay policy, which do not hold for blocks), or Bitcoin Core's "
               "names, e.g. P2SH,WITNESS,TAPROOT,P2MR,SLHDSA (P2MR is BIP 360, once P2TSH); instead of those in the file");
    parser.AddFlag("--scripts-only", options->scripts_only,
                   "Verify only scripts and signatures; a block that weighs more than " + std::to_string(MAX_BLOCK_WEIGHT) + " is refused");
    AddJsonFlag(parser, options->json);
    parser.Explain(
        "A FILE:\n"
        "  {\"block\": HEX, \"spent_outputs\": [{\"amount\": 100000, \"script_pubkey\": HEX}], \"flags\": \"consensus\"}\n"
        "with one spent output for each input of each transaction but the coinbase, in the order of the block; \"address\"\n"
        "may replace \"script_pubkey\", and the serialized output in hex the whole object.");
    parser.AddExamples({{"verify a block", "slhtool verify-block block.json"},
                        {"its scripts alone, as JSON", "slhtool verify-block --scripts-only --json block.json"}});
    return [options] { return VerifyBlock(*options); };
}

} // namespace slhc::tool
