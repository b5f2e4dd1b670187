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
#include <tool/spender.h>
#include <tool/verification.h>
#include <util/hex.h>
#include <wallet/psbt_combiner.h>
#include <wallet/psbt_finalizer.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace slhc::tool {
namespace {

using wallet::PartiallySignedTransaction;
using wallet::PSBTScope;

const wallet::PSBTMap& MapOf(const PartiallySignedTransaction& psbt, PSBTScope scope, size_t index)
{
    if (scope == PSBTScope::GLOBAL) return psbt.Global();
    return (scope == PSBTScope::INPUT ? psbt.Inputs() : psbt.Outputs())[index];
}

bool Has(std::span<const wallet::PSBTWrongField> all, const wallet::PSBTWrongField& wrong)
{
    return std::ranges::any_of(all, [&](const auto& other) {
        return other.scope == wrong.scope && other.index == wrong.index && other.field == wrong.field;
    });
}

std::optional<std::span<const uint8_t>> Sequence(const PartiallySignedTransaction& psbt, size_t n_in)
{
    return PartiallySignedTransaction::Find(psbt.Inputs()[n_in], wallet::PSBT_IN_SEQUENCE);
}

/** The inputs for which another PSBT has a sequence number and this one, of version 2, does not. Nothing else that is signed may be in one
 *  of two PSBTs alone, if what is spent is known: CombinePSBTs refuses required lock times that change the transaction's. */
std::vector<size_t> SequencesOnlyIn(const PartiallySignedTransaction& other, const PartiallySignedTransaction& psbt)
{
    std::vector<size_t> inputs;
    for (size_t i = 0; i < other.Inputs().size(); ++i) {
        if (Sequence(other, i) && !Sequence(psbt, i)) inputs.push_back(i);
    }
    return inputs;
}

/** The input of which another PSBT has a sequence number that makes a field of a good one wrong, since it changes what is signed; nothing
 *  if there is none. */
std::optional<size_t> CulpritIn(const PartiallySignedTransaction& other, const PartiallySignedTransaction& good,
                                const wallet::PSBTWrongField& wrong)
{
    const auto inputs{SequencesOnlyIn(other, good)};
    const auto key{wallet::PSBTKey(wallet::PSBT_IN_SEQUENCE)};
    const auto wrong_with{[&](size_t count) { // the first ones of them
        auto changed{good};
        for (const size_t i : std::span{inputs}.first(count)) changed.Set(PSBTScope::INPUT, i, key, *Sequence(other, i));
        return Has(wallet::WrongFields(changed), wrong);
    }};
    if (!wrong_with(inputs.size())) return std::nullopt;
    size_t without{0}, with{inputs.size()}; // right with so many of them, wrong with so many: one between them makes the difference
    while (with - without > 1) {
        const size_t middle{(without + with) / 2};
        (wrong_with(middle) ? with : without) = middle;
    }
    return inputs[without];
}

PartiallySignedTransaction Combined(std::span<const PartiallySignedTransaction> psbts)
{
    return WithPSBT([&] {
        try {
            return wallet::CombinePSBTs(psbts);
        } catch (const wallet::PSBTVersionError& e) {
            throw InputError{std::string{e.what()} + " (psbt update --psbt-version)"};
        }
    });
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
    // Whether it was right before is known only if what is spent is.
    if (WithPSBT([&] { return wallet::PSBTVerifier::Make(from) && !Has(wallet::WrongFields(from), wrong); })) {
        for (const auto& other : parts) {
            const auto culprit{WithPSBT([&] { return CulpritIn(other, from, wrong); })};
            if (!culprit) continue;
            throw InputError{name(other), PartiallySignedTransaction::Place(PSBTScope::INPUT, *culprit) +
                                              ": PSBT_IN_SEQUENCE changes what was signed: with it, " + Describe(wrong) +
                                              ", which comes from " + name(from) + " and is valid there (--unchecked keeps both)"};
        }
    }
    throw InputError{name(from), Describe(wrong) + " (psbt update --drop-invalid removes it from that PSBT, --unchecked keeps it)"};
}

/** The signed transaction with what it spends, as verify-tx reads it.
 *  @throws InputError if it can never be valid, has no inputs or no outputs, or what it spends is not known */
SpendFile Extracted(const PartiallySignedTransaction& psbt)
{
    return WithPSBT([&] {
        for (const std::string& why : {wallet::WhyIncomplete(psbt), wallet::NeverValid(psbt)}) {
            if (!why.empty()) throw InputError{why};
        }
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
    const auto combined{Combined(psbts)};
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
    const SpendFile file{Extracted(psbt)};
    const auto result{VerifySpends(std::span{&file, 1}, /*batched=*/false)};
    if (!result.Valid()) return RefuseInvalid(result, options.json);
    WithPSBT([&] {
        const CTransaction tx{wallet::ExtractTransaction(psbt)};
        if (!options.allow_burn) CheckBurn(tx.vout);
        if (!options.nonstandard) CheckRelay(tx.vout, GetTransactionWeight(tx));
    });
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
