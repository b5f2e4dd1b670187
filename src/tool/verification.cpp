// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/verification.h>

#include <script/script.h>
#include <tool/output.h>
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

TxPtr MakeTx(const SpendFile& spend)
{
    std::vector<std::vector<uint8_t>> outputs;
    outputs.reserve(spend.spent_outputs.size());
    for (const auto& output : spend.spent_outputs) outputs.push_back(SerializeToVector(output));
    std::vector<slhc_bytes> views;
    views.reserve(outputs.size());
    for (const auto& output : outputs) views.push_back(View(output));
    TxPtr tx{slhc_tx_create(View(spend.raw_tx), views.data(), views.size(), nullptr)};
    if (!tx) ThrowApiError();
    return tx;
}

/** An input that failed here. */
void SetFailure(InputVerdict& verdict, const slhc_failure& failure, script_verify_flags flags)
{
    verdict.valid = false;
    verdict.error = slhc_script_error_string(failure.script_error);
    verdict.script = ScriptName(failure.script);
    if (failure.opcode_pos == SLHC_NO_OPCODE) return;
    verdict.opcode_pos = failure.opcode_pos;
    verdict.instruction = OpcodeName(failure, flags);
}

/** Take the verdicts of the batch over to the inputs whose signatures it held. The tag is the transaction's number. */
void ApplyBatch(const slhc_batch* batch, std::span<const SpendFile> spends, std::vector<TxVerdict>& transactions)
{
    for (size_t i = 0; i < slhc_batch_size(batch); ++i) {
        slhc_failure origin = SLHC_FAILURE_INIT;
        if (Checked(slhc_batch_verdict(batch, i, &origin)) == SLHC_VALID) continue;
        InputVerdict& verdict{transactions.at(origin.tag).inputs.at(origin.input)};
        if (!verdict.valid) continue; // an earlier signature of the same input
        SetFailure(verdict, origin, script_verify_flags::from_int(spends[origin.tag].flags));
    }
}

std::string Milliseconds(double milliseconds)
{
    std::array<char, 32> text;
    std::snprintf(text.data(), text.size(), "%.2f ms", milliseconds);
    return text.data();
}

std::string Describe(const InputVerdict& verdict)
{
    if (verdict.valid) return "valid";
    std::string text{"invalid: " + verdict.error};
    if (verdict.opcode_pos) text += " at instruction " + std::to_string(*verdict.opcode_pos) + " (" + *verdict.instruction + ")";
    if (verdict.script) text += " of the " + *verdict.script;
    return text;
}

} // namespace

std::optional<std::string> ScriptName(int script)
{
    switch (script) {
    case SLHC_SCRIPT_SIG: return "scriptSig";
    case SLHC_SCRIPT_PUBKEY: return "scriptPubKey";
    case SLHC_SCRIPT_REDEEM: return "redeem script";
    case SLHC_SCRIPT_WITNESS: return "witness script";
    case SLHC_SCRIPT_LEAF: return "leaf script";
    }
    return std::nullopt;
}

std::string OpcodeName(const slhc_failure& failure, script_verify_flags flags)
{
    const auto opcode{static_cast<opcodetype>(failure.opcode)};
    return failure.script == SLHC_SCRIPT_LEAF ? GetTapscriptOpName(opcode, flags) : GetOpName(opcode);
}

bool TxVerdict::Valid() const
{
    return std::ranges::all_of(inputs, &InputVerdict::valid);
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
    std::vector<TxPtr> txs;
    for (const auto& spend : spends) txs.push_back(Within(spend.name, [&] { return MakeTx(spend); }));
    const slhc_context* context{Context()};
    VerificationResult result;
    result.batched = batched;
    const BatchPtr batch{batched ? MakeBatch(context) : nullptr};

    const Stopwatch scripts;
    for (size_t i = 0; i < spends.size(); ++i) {
        TxVerdict verdict{spends[i].name, ParseTx(spends[i].raw_tx).GetHash().GetHex(), spends[i].flags, {}};
        for (unsigned n_in = 0; n_in < slhc_tx_input_count(txs[i].get()); ++n_in) {
            const Stopwatch one;
            const int said{Checked(slhc_verify_input(context, txs[i].get(), n_in, spends[i].flags, batch.get(), i, nullptr))};
            // Deferred is not valid yet: the batch below has the last word.
            InputVerdict& input{verdict.inputs.emplace_back()};
            input.microseconds = one.Microseconds();
            if (said != SLHC_INVALID) continue;
            slhc_failure failure = SLHC_FAILURE_INIT;
            Checked(slhc_last_failure(&failure));
            SetFailure(input, failure, script_verify_flags::from_int(spends[i].flags));
        }
        result.transactions.push_back(std::move(verdict));
    }
    result.script_milliseconds = scripts.Microseconds() / 1000;

    if (batched) {
        result.signatures = slhc_batch_size(batch.get());
        const Stopwatch verifying;
        const int said{Checked(slhc_batch_verify(batch.get(), nullptr))};
        result.batch_milliseconds = verifying.Microseconds() / 1000;
        if (said == SLHC_INVALID) ApplyBatch(batch.get(), spends, result.transactions);
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
            Json input = {{"input", i}, {"valid", verdict.valid}};
            if (!verdict.valid) input["error"] = verdict.error;
            if (verdict.script) input["script"] = *verdict.script;
            if (verdict.opcode_pos) {
                input["opcode_pos"] = *verdict.opcode_pos;
                input["instruction"] = *verdict.instruction;
            }
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
            PrintLine("  input " + std::to_string(i) + ": " + Describe(tx.inputs[i]) + ", " +
                      Milliseconds(tx.inputs[i].microseconds / 1000));
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
