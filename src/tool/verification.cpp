// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/verification.h>

#include <pqc/batch.h>
#include <script/check_origin.h>
#include <script/script.h>
#include <script/script_check.h>
#include <tool/output.h>
#include <tool/process_verifier.h>
#include <util/counted.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <numeric>

namespace slhc::tool {
namespace {

class Stopwatch
{
public:
    double Microseconds() const
    {
        return std::chrono::duration<double, std::micro>{std::chrono::steady_clock::now() - m_begin}.count();
    }

private:
    const std::chrono::steady_clock::time_point m_begin{std::chrono::steady_clock::now()};
};

/** Take the verdicts of a batch over to the inputs whose signatures it held. The tag is the transaction's number. */
void ApplyBatch(const slhdsa::Batch& batch, std::vector<TxVerdict>& transactions)
{
    for (const auto& [ticket, verdict] : batch.Verdicts()) {
        const CheckOrigin origin{CheckOrigin::FromTicket(ticket)};
        InputVerdict& input{transactions.at(origin.tag).inputs.at(origin.input)};
        // Of several signatures of one input, the first one counts.
        if (verdict != slhdsa::Verdict::VALID && input.Valid()) input.failure = SLHDSAFailure(origin);
    }
}

std::string Milliseconds(double milliseconds)
{
    std::array<char, 32> text;
    std::snprintf(text.data(), text.size(), "%.2f ms", milliseconds);
    return text.data();
}

/** "leaf script" and the like; empty if no script is to blame. */
std::string ScriptName(ScriptRole script)
{
    switch (script) {
    case ScriptRole::NONE: break;
    case ScriptRole::SCRIPT_SIG: return "scriptSig";
    case ScriptRole::SCRIPT_PUB_KEY: return "scriptPubKey";
    case ScriptRole::REDEEM_SCRIPT: return "redeem script";
    case ScriptRole::WITNESS_SCRIPT: return "witness script";
    case ScriptRole::LEAF_SCRIPT: return "leaf script";
    }
    return "";
}

/** The name of the opcode that failed, as its script has it: tapscript's names in a leaf. */
std::string OpcodeName(const ScriptFailure& failure, script_verify_flags flags)
{
    return failure.script == ScriptRole::LEAF_SCRIPT ? GetTapscriptOpName(failure.opcode, flags) : GetOpName(failure.opcode);
}

} // namespace

void AddFailure(Json& json, const ScriptFailure& failure, script_verify_flags flags)
{
    json["error"] = ScriptErrorName(failure.error);
    if (const auto script{ScriptName(failure.script)}; !script.empty()) json["script"] = script;
    if (failure.opcode_pos == NO_OPCODE) return;
    json["opcode_pos"] = failure.opcode_pos;
    json["instruction"] = OpcodeName(failure, flags);
}

std::string DescribeFailure(const ScriptFailure& failure, script_verify_flags flags)
{
    std::string text{ScriptErrorName(failure.error)};
    if (failure.opcode_pos != NO_OPCODE) {
        text += " at instruction " + std::to_string(failure.opcode_pos) + " (" + OpcodeName(failure, flags) + ")";
    }
    if (const auto script{ScriptName(failure.script)}; !script.empty()) text += " of the " + script;
    return text;
}

bool TxVerdict::Valid() const
{
    return std::ranges::all_of(inputs, &InputVerdict::Valid);
}

bool VerificationResult::Valid() const
{
    return std::ranges::all_of(transactions, &TxVerdict::Valid);
}

size_t VerificationResult::InputCount() const
{
    return std::accumulate(transactions.begin(), transactions.end(), size_t{0},
                           [](size_t sum, const TxVerdict& tx) { return sum + tx.inputs.size(); });
}

VerificationResult VerifySpends(std::span<const SpendFile> spends, bool batched)
{
    const auto& verifier{ProcessVerifier()};
    slhdsa::Batch batch{verifier};
    VerificationResult result;
    result.batched = batched;

    const Stopwatch scripts;
    for (size_t i = 0; i < spends.size(); ++i) {
        const auto& [name, description, tx, spent_outputs, flags]{spends[i]};
        TxVerdict verdict{name, tx->GetHash().GetHex(), flags, {}};
        const PrecomputedTransactionData txdata{*tx, std::vector<CTxOut>{spent_outputs}};
        for (unsigned n_in = 0; n_in < tx->vin.size(); ++n_in) {
            const Stopwatch one;
            CScriptCheck check{*tx, n_in, flags, txdata, *verifier, {}, i};
            std::vector<slhdsa::SignatureCheck> staged;
            // Deferred is not valid yet: the batch below has the last word.
            (void)(batched ? check.RunDeferring(staged) : check.VerifyNow());
            (void)batch.Add(std::move(staged)); // which is open
            verdict.inputs.push_back({check.Failure(), one.Microseconds()});
        }
        result.transactions.push_back(std::move(verdict));
    }
    result.script_milliseconds = scripts.Microseconds() / 1000;

    if (batched) {
        result.signatures = batch.Size();
        const Stopwatch verifying;
        const auto said{batch.Verify()};
        result.batch_milliseconds = verifying.Microseconds() / 1000;
        if (said != slhdsa::BatchResult::VALID) ApplyBatch(batch, result.transactions);
    }
    return result;
}

Json VerificationJson(const VerificationResult& result)
{
    Json transactions = Json::array();
    for (const auto& tx : result.transactions) {
        Json inputs = Json::array();
        for (size_t i = 0; i < tx.inputs.size(); ++i) {
            const auto& verdict{tx.inputs[i]};
            Json input = {{"input", i}, {"valid", verdict.Valid()}};
            if (!verdict.Valid()) AddFailure(input, verdict.failure, tx.flags);
            input["microseconds"] = verdict.microseconds;
            inputs.push_back(std::move(input));
        }
        transactions.push_back({{"file", tx.name},
                                {"txid", tx.txid},
                                {"flags", FormatFlags(tx.flags)},
                                {"valid", tx.Valid()},
                                {"inputs", std::move(inputs)}});
    }
    Json json = {{"valid", result.Valid()},
                 {"mode", result.batched ? "batch" : "eager"},
                 {"transactions", std::move(transactions)},
                 {"script_milliseconds", result.script_milliseconds}};
    if (result.batched) {
        json["signatures"] = result.signatures;
        json["batch_milliseconds"] = result.batch_milliseconds;
    }
    return json;
}

void PrintVerification(const VerificationResult& result)
{
    for (const auto& tx : result.transactions) {
        PrintLine(Printable(tx.name) + ": " + (tx.Valid() ? "valid" : "invalid") + " (txid " + tx.txid + ")");
        if (const std::string rules{RulesNote(tx.flags)}; !rules.empty()) PrintLine("  " + rules);
        for (size_t i = 0; i < tx.inputs.size(); ++i) {
            const auto& input{tx.inputs[i]};
            const std::string said{input.Valid() ? "valid" : "invalid: " + DescribeFailure(input.failure, tx.flags)};
            PrintLine("  input " + std::to_string(i) + ": " + said + ", " + Milliseconds(input.microseconds / 1000));
        }
    }
    std::string summary{Counted(result.transactions.size(), "transaction") + ", " + Counted(result.InputCount(), "input") + ": " +
                        (result.Valid() ? "all valid" : "not all valid") + "; " +
                        (result.batched ? "scripts " : "scripts and signatures ") + Milliseconds(result.script_milliseconds)};
    if (result.batched) {
        summary += ", batch of " + Counted(result.signatures, "SLH-DSA signature") + " " + Milliseconds(result.batch_milliseconds);
    }
    PrintLine(summary);
}

ExitStatus RefuseInvalid(const VerificationResult& result, bool json, const std::string& remedy)
{
    if (json) {
        Json refusal = VerificationJson(result);
        refusal["written"] = false;
        PrintJson(refusal);
    } else {
        PrintVerification(result);
        PrintLine("Not written: the transaction is not valid" + (remedy.empty() ? "" : " (" + remedy + ")") + ".");
    }
    return EXIT_INVALID;
}

} // namespace slhc::tool
