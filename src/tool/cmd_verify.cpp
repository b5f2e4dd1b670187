// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <consensus/block_check.h>
#include <consensus/consensus.h>
#include <consensus/validation.h>
#include <primitives/block.h>
#include <script/address.h>
#include <tool/api.h>
#include <tool/commands.h>
#include <tool/input.h>
#include <tool/output.h>
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
#include <string>
#include <vector>

namespace slhc::tool {
namespace {

struct TxOptions {
    std::vector<std::string> files, spent;
    std::string tx, flags;
    bool batch{false}, json{false};
};

/** What --tx and --spent say. */
SpendFile SpendFromOptions(const TxOptions& options)
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

std::vector<SpendFile> Spends(const TxOptions& options)
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
    std::vector<std::vector<uint8_t>> spent_outputs; //!< serialized, in the order of the block
    uint64_t flags{SLHC_VERIFY_CONSENSUS};
};

/** Why a block is refused before any script is run. */
struct Reject {
    std::string reason, detail;
    bool mutated; //!< the block with this header may be valid
};

struct Verdict {
    std::optional<Reject> reject;
    std::optional<slhc_failure> failure; //!< the first input whose scripts fail
    double milliseconds{0};              //!< for scripts and signatures

    bool Valid() const { return !reject && !failure; }
};

CBlock ParseBlockOf(const BlockFile& file)
{
    try {
        return ParseBlock(file.raw);
    } catch (const ParseError& e) {
        throw InputError{"block", e.what()};
    }
}

/** {"amount", "script_pubkey" or "address"}, or the serialized output in hex. */
std::vector<uint8_t> SpentFromJson(const JsonValue& value)
{
    if (!value.IsString()) return SerializeToVector(TxOutFromJson(value));
    auto bytes{value.Hex()};
    try {
        (void)ParseTxOut(bytes);
    } catch (const ParseError& e) {
        value.Fail(e.what());
    }
    return bytes;
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
            file.spent_outputs.push_back(
                Within("--spent " + std::to_string(i), [&] { return SerializeToVector(ParseSpentOutput(options.spent[i])); }));
        }
    }
    if (!options.flags.empty()) file.flags = ParseFlagsOption(options.flags);
    return file;
}

/** @throws InputError in this command's words: the C API's would be about its parameters */
void CheckCount(const CBlock& block, const BlockFile& file, const BlockOptions& options)
{
    const size_t inputs{CountBlockInputs(block)};
    if (file.spent_outputs.size() == inputs) return;
    throw InputError{options.file.empty() ? "--spent" : "spent_outputs",
                     Counted(file.spent_outputs.size(), "output") + ", but the block has " + Counted(inputs, "input") +
                         " besides the coinbase's"};
}

/** What slhc_check_block() would say of a block that is too heavy. It would parse it once more: 16 MB of small elements then take 400 MB
 *  twice. */
Reject CheckHeavy(const CBlock& block, script_verify_flags flags)
{
    BlockValidationState state;
    const bool valid{CheckBlockStructure(block, flags, state)};
    assert(!valid);
    return {state.GetRejectReason(), state.GetDetail(), state.GetResult() == BlockValidationResult::MUTATED};
}

Verdict Verify(const slhc_context* context, const BlockFile& file, const BlockOptions& options)
{
    std::vector<slhc_bytes> spent;
    for (const auto& output : file.spent_outputs) spent.push_back(View(output));

    Verdict verdict;
    if (!options.scripts_only) {
        slhc_reject reject SLHC_REJECT_INIT;
        if (Checked(slhc_check_block(View(file.raw), spent.data(), spent.size(), file.flags, &reject)) == SLHC_INVALID) {
            verdict.reject = Reject{reject.reason, reject.detail, reject.result == SLHC_BLOCK_MUTATED};
            return verdict;
        }
    }
    slhc_failure failure SLHC_FAILURE_INIT;
    const auto begin{std::chrono::steady_clock::now()};
    const int said{
        Checked(slhc_verify_block_scripts(context, View(file.raw), spent.data(), spent.size(), file.flags, SLHC_CACHE_NONE, &failure))};
    verdict.milliseconds = std::chrono::duration<double, std::milli>{std::chrono::steady_clock::now() - begin}.count();
    if (said == SLHC_INVALID) verdict.failure = failure;
    return verdict;
}

uint256 Txid(const slhc_failure& failure) { return uint256{std::span<const uint8_t, 32>{failure.txid}}; }

Json ToJson(const CBlock& block, script_verify_flags flags, const Verdict& verdict)
{
    Json json = {{"valid", verdict.Valid()},
                 {"block", block.GetHash().GetHex()},
                 {"flags", FormatFlags(flags.as_int())},
                 {"transactions", block.vtx.size()},
                 {"inputs", CountBlockInputs(block)},
                 {"weight", GetBlockWeight(block)}};
    if (verdict.reject) {
        json["reject_reason"] = verdict.reject->reason;
        json["detail"] = verdict.reject->detail;
        json["mutated"] = verdict.reject->mutated;
        return json;
    }
    if (verdict.failure) {
        json["transaction"] = verdict.failure->tag;
        json["txid"] = Txid(*verdict.failure).GetHex();
        json["input"] = verdict.failure->input;
        json["error"] = slhc_script_error_string(verdict.failure->script_error);
        if (const auto script{ScriptName(verdict.failure->script)}) json["script"] = *script;
        if (verdict.failure->opcode_pos != SLHC_NO_OPCODE) {
            json["opcode_pos"] = verdict.failure->opcode_pos;
            json["instruction"] = OpcodeName(*verdict.failure, flags);
        }
    }
    json["script_milliseconds"] = verdict.milliseconds;
    return json;
}

std::string Describe(const Verdict& verdict, script_verify_flags flags)
{
    if (verdict.reject) {
        const auto& [reason, detail, mutated]{*verdict.reject};
        return "invalid: " + reason + (detail.empty() ? "" : " (" + detail + ")") +
               (mutated ? "; mutated: the block with this header may be valid" : "");
    }
    if (!verdict.failure) return "valid";
    const slhc_failure& failure{*verdict.failure};
    std::string text{"invalid: transaction " + std::to_string(failure.tag) + " (" + Txid(failure).GetHex() + "), input " +
                     std::to_string(failure.input) + ": " + slhc_script_error_string(failure.script_error)};
    if (failure.opcode_pos != SLHC_NO_OPCODE) {
        text += " at instruction " + std::to_string(failure.opcode_pos) + " (" + OpcodeName(failure, flags) + ")";
    }
    if (const auto script{ScriptName(failure.script)}) text += " of the " + *script;
    return text;
}

void Print(const CBlock& block, script_verify_flags flags, const Verdict& verdict)
{
    PrintLine("block " + block.GetHash().GetHex() + ": " + Counted(block.vtx.size(), "transaction") + ", " +
              Counted(CountBlockInputs(block), "input") + " besides the coinbase's, " + Counted(GetBlockWeight(block), "weight unit"));
    if (!verdict.reject) {
        std::array<char, 64> text;
        std::snprintf(text.data(), text.size(), "scripts and signatures: %.2f ms", verdict.milliseconds);
        PrintLine(text.data());
    }
    if (const std::string rules{RulesNote(flags.as_int())}; !rules.empty()) PrintLine(rules);
    PrintLine(Describe(verdict, flags));
}

ExitStatus VerifyBlock(const BlockOptions& options)
{
    const BlockFile file{ReadBlockFile(options)};
    const auto in_file{[&](auto&& f) { return options.file.empty() ? f() : Within(FileName(options.file), f); }};
    const CBlock block{in_file([&] { return ParseBlockOf(file); })};
    const int64_t weight{GetBlockWeight(block)};
    in_file([&] {
        if (options.scripts_only) CheckWeight("the block", weight); // else it is invalid before its scripts run
        CheckCount(block, file, options);
    });
    const auto flags{script_verify_flags::from_int(file.flags)};
    const slhc_context* const context{Context()};
    Verdict verdict;
    if (weight > MAX_BLOCK_WEIGHT) {
        verdict.reject = CheckHeavy(block, flags);
    } else {
        verdict = in_file([&] { return Verify(context, file, options); });
    }
    options.json ? PrintJson(ToJson(block, flags, verdict)) : Print(block, flags, verdict);
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
               "Rules: consensus (default), standard (the script flags of relay policy, which do not hold for blocks), or Bitcoin Core's "
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
