// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <primitives/serialize.h>
#include <slhconsensus.h>
#include <tool/hash_type.h>
#include <tool/input.h>
#include <tool/output.h>
#include <tool/psbt_file.h>
#include <tool/psbt_signer.h>
#include <tool/psbt_verbs.h>
#include <tool/psbt_view.h>
#include <tool/spend_file.h>
#include <tool/verification.h>
#include <util/hex.h>
#include <wallet/psbt_combiner.h>
#include <wallet/psbt_finalizer.h>

#include <algorithm>
#include <span>
#include <utility>

namespace slhc::tool {
namespace {

using wallet::PartiallySignedTransaction;

const wallet::PSBTMap& MapOf(const PartiallySignedTransaction& psbt, wallet::PSBTScope scope, size_t index)
{
    if (scope == wallet::PSBTScope::GLOBAL) return psbt.Global();
    return (scope == wallet::PSBTScope::INPUT ? psbt.Inputs() : psbt.Outputs())[index];
}

bool Has(std::span<const wallet::PSBTWrongField> all, const wallet::PSBTWrongField& wrong)
{
    return std::ranges::any_of(all, [&](const auto& other) {
        return other.scope == wrong.scope && other.index == wrong.index && other.field == wrong.field;
    });
}

/** The field of another PSBT that makes a field of a good one wrong, since it changes what is signed; empty if none does. */
std::string CulpritIn(const PartiallySignedTransaction& other, const PartiallySignedTransaction& good, const wallet::PSBTWrongField& wrong)
{
    using wallet::PSBTScope;
    std::string culprit;
    const auto look{[&](PSBTScope scope, size_t index) {
        for (const auto& [key, value] : MapOf(other, scope, index)) {
            const auto parts{wallet::PSBTKeyParts::Parse(key)};
            if (!culprit.empty() || MapOf(good, scope, index).contains(key) || !wallet::IsKnownPSBTField(scope, parts)) continue;
            auto changed{good};
            changed.Set(scope, index, key, value);
            const bool same{changed.UnsignedTx().GetHash() == good.UnsignedTx().GetHash()};
            const bool utxo{parts.type == wallet::PSBT_IN_WITNESS_UTXO || parts.type == wallet::PSBT_IN_NON_WITNESS_UTXO};
            const bool spent{scope == PSBTScope::INPUT && !parts.slhdsa && utxo};
            if ((same && !spent) || !Has(wallet::WrongFields(changed), wrong)) continue;
            culprit = (scope == PSBTScope::GLOBAL ? "" : PartiallySignedTransaction::Place(scope, index) + ": ") +
                      wallet::PSBTFieldName(scope, parts);
        }
    }};
    look(PSBTScope::GLOBAL, 0);
    for (size_t i = 0; i < other.Inputs().size(); ++i) look(PSBTScope::INPUT, i);
    return culprit;
}

/** @throws InputError for a field that should not be there, naming the PSBT that it comes from, or the one that makes it wrong */
void RefuseWrongFields(std::span<const PartiallySignedTransaction> parts, const PartiallySignedTransaction& combined)
{
    const auto all{WithPSBT([&] { return wallet::WrongFields(combined); })};
    if (all.empty()) return;
    const auto& wrong{all[0]};
    const auto has{[&](const auto& part) { return MapOf(part, wrong.scope, wrong.index).contains(wrong.field); }};
    const auto name{[&](const auto& part) { return "PSBT " + std::to_string(&part - parts.data()); }};
    const auto& from{*std::ranges::find_if(parts, has)};
    if (!WithPSBT([&] { return Has(wallet::WrongFields(from), wrong); })) {
        for (const auto& other : parts) {
            const std::string culprit{WithPSBT([&] { return CulpritIn(other, from, wrong); })};
            if (culprit.empty()) continue;
            throw InputError{name(other), culprit + " changes what was signed: with it, " + Describe(wrong) + ", which comes from " +
                                              name(from) + " and is valid there (--unchecked keeps both)"};
        }
    }
    throw InputError{name(from), Describe(wrong) + " (psbt update --drop-invalid removes it from that PSBT, --unchecked keeps it)"};
}

/** The signed transaction with what it spends, as verify-tx reads it. */
SpendFile Extracted(const PartiallySignedTransaction& psbt)
{
    return WithPSBT([&] {
        SpendFile file;
        file.name = "the transaction";
        file.flags = SLHC_VERIFY_CONSENSUS;
        file.raw_tx = SerializeToVector(wallet::ExtractTransaction(psbt));
        for (size_t i = 0; i < psbt.Inputs().size(); ++i) {
            auto spent{psbt.SpentOutput(i)};
            if (!spent) throw InputError{"input " + std::to_string(i), "what it spends is not known, so it cannot be verified"};
            file.spent_outputs.push_back(*std::move(spent));
        }
        return file;
    });
}

/** Make every input final. @return what the others lack; `left_out` gets what was not used */
Json FinalizeInputs(PartiallySignedTransaction& psbt, std::vector<wallet::PSBTWrongField>& left_out)
{
    Json missing = Json::array();
    WithPSBT([&] {
        const wallet::PSBTVerifier verifier{psbt};
        for (size_t i = 0; i < psbt.Inputs().size(); ++i) {
            auto result{wallet::FinalizeInput(psbt, i, verifier)};
            std::ranges::move(result.left_out, std::back_inserter(left_out));
            if (!result.missing.empty()) missing.push_back({{"input", i}, {"missing", result.missing}});
        }
    });
    return missing;
}

} // namespace

ExitStatus CombinePSBT(const PSBTOptions& options)
{
    std::vector<PartiallySignedTransaction> psbts;
    for (const auto& argument : options.psbts) psbts.push_back(PSBTArgument(argument));
    const auto combined{WithPSBT([&] { return wallet::CombinePSBTs(psbts); })};
    if (!options.unchecked) RefuseWrongFields(psbts, combined);
    const Json summary = PSBTJson(combined, ParseNetwork(options.network));
    if (!options.json) PrintWarnings(summary["warnings"]);
    WritePSBT(combined, options.out, options.json, summary);
    return EXIT_VALID;
}

ExitStatus FinalizePSBT(const PSBTOptions& options)
{
    auto psbt{PSBTArgument(options.psbt)};
    std::vector<wallet::PSBTWrongField> left_out;
    const Json missing = FinalizeInputs(psbt, left_out);
    if (!missing.empty()) {
        if (options.json) {
            PrintJson({{"complete", false}, {"inputs", missing}, {"left_out", WrongFieldsJson(left_out)}});
        } else {
            for (const auto& input : missing) PrintLine("input " + input["input"].dump() + " " + input["missing"].get<std::string>());
        }
        return EXIT_INVALID;
    }
    if (const std::string never{WithPSBT([&] { return wallet::NeverValid(psbt); })}; !never.empty()) throw InputError{never};
    const SpendFile file{Extracted(psbt)};
    const auto result{VerifySpends(std::span{&file, 1}, /*batched=*/false)};
    if (!result.Valid()) return RefuseInvalid(result, options.json);
    if (!options.json) {
        for (const auto& wrong : left_out) PrintNote("not used: " + Describe(wrong));
    }
    Json summary = {{"complete", true}, {"left_out", WrongFieldsJson(left_out)}};
    summary.update(PSBTJson(psbt, ParseNetwork(options.network)));
    WritePSBT(psbt, options.out, options.json, summary);
    return EXIT_VALID;
}

ExitStatus ExtractPSBT(const PSBTOptions& options)
{
    const auto psbt{PSBTArgument(options.psbt)};
    if (options.unchecked) {
        const auto tx{WithPSBT([&] { return wallet::ExtractTransaction(psbt); })};
        if (options.json || !options.out.empty()) throw InputError{"--unchecked", "prints the transaction alone: not with --json or --out"};
        PrintLine(HexStr(SerializeToVector(tx)));
        return EXIT_VALID;
    }
    const SpendFile file{Extracted(psbt)};
    const auto result{VerifySpends(std::span{&file, 1}, /*batched=*/false)};
    if (!result.Valid()) return RefuseInvalid(result, options.json);
    if (!options.out.empty()) WriteTextFile(options.out, SpendFileJson(file).dump(2) + "\n");
    if (options.json) {
        PrintJson(SpendFileJson(file));
    } else if (options.out.empty()) {
        PrintLine(HexStr(file.raw_tx));
    }
    return EXIT_VALID;
}

ExitStatus ShowPSBT(const PSBTOptions& options)
{
    const Json view = PSBTJson(PSBTArgument(options.psbt), ParseNetwork(options.network));
    options.json ? PrintJson(view) : PrintPSBT(view, stdout);
    return EXIT_VALID;
}

} // namespace slhc::tool
