// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/hash_type.h>
#include <tool/input.h>
#include <tool/output.h>
#include <tool/psbt_file.h>
#include <tool/psbt_signer.h>
#include <tool/psbt_verbs.h>
#include <tool/psbt_view.h>
#include <tool/signature_check.h>
#include <tool/spender.h>
#include <tool/terminal.h>
#include <tool/witness_plan.h>
#include <util/hex.h>
#include <wallet/psbt_finalizer.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace slhc::tool {
namespace {

using wallet::PartiallySignedTransaction;

/** Outputs, size and fee must be what somebody means, where they are known. */
void CheckAmounts(const PSBTOptions& options, const PartiallySignedTransaction& psbt)
{
    WithPSBT([&] {
        for (const std::string& why : {wallet::NeverValid(psbt), OpenOutput(psbt)}) {
            if (!why.empty()) throw InputError{"not signed", why};
        }
        const auto verifier{wallet::PSBTVerifier::Make(psbt)};
        const auto estimate{wallet::EstimateWeight(psbt, verifier ? &*verifier : nullptr)};
        const CMutableTransaction tx{psbt.UnsignedTx()};
        // Of several leaves the smallest may be the one that is spent.
        const bool known{estimate && estimate->exact};
        if (!options.allow_burn) CheckBurn(tx.vout);
        if (!options.nonstandard) CheckRelay(tx.vout, known ? estimate->weight : GetTransactionWeight(CTransaction{tx}));
        if (options.any_fee) return;
        const auto fee{wallet::Fee(psbt)};
        if (!fee) throw InputError{"fee", "unknown: not every spent output is"};
        CAmount spent{*fee};
        for (const auto& txout : tx.vout) spent += txout.nValue;
        const auto least_size{static_cast<int64_t>(GetSerializeSize(tx))}; // without any scriptSig or witness
        CheckFee(*fee, estimate ? estimate->VirtualSize() : least_size, spent);
    });
}

/** A signature that is no longer valid is the sign of a transaction that was changed behind the back of the first signer. */
void CheckOtherSignatures(const PSBTOptions& options, const PartiallySignedTransaction& psbt)
{
    if (options.despite_invalid) return;
    const auto all{WithPSBT([&] { return wallet::WrongFields(psbt); })};
    const auto wrong{std::ranges::find(all, wallet::PSBTScope::INPUT, &wallet::PSBTWrongField::scope)};
    if (wrong == all.end()) return; // what is wrong with an output is shown, and no signature depends on it
    throw InputError{Describe(*wrong) + ". Somebody damaged the PSBT, or changed what is paid after a signature was made: look at it " +
                     "(psbt show). psbt update --drop-invalid removes this field, --despite-invalid signs all the same"};
}

/** Give each signature its hash type: what --sighash says, or DEFAULT, or ALL for a PSBT that asks for it, which commits to as much. */
void SetHashTypes(const std::set<uint8_t>& named, const PartiallySignedTransaction& psbt, std::vector<PSBTSignature>& signatures)
{
    for (auto& signature : signatures) {
        const uint8_t requested{signature.hash_type};
        const bool asks{PartiallySignedTransaction::Find(psbt.Inputs()[signature.n_in], wallet::PSBT_IN_SIGHASH_TYPE).has_value()};
        RequireNamed(signature.n_in, "the PSBT asks for", requested, named);
        const uint8_t unnamed{requested == SIGHASH_ALL ? uint8_t{SIGHASH_ALL} : uint8_t{SIGHASH_DEFAULT}};
        const uint8_t wanted{named.empty() ? unnamed : *named.begin()};
        if (asks && requested != wanted) {
            throw InputError{"input " + std::to_string(signature.n_in),
                             "the PSBT asks for hash type " + HashTypeName(requested) + ", not " + HashTypeName(wanted)};
        }
        signature.hash_type = wanted;
    }
}

/** What computes the hashes of these signatures. Whatever has none is found here, before anybody is asked; nothing if there are none.
 *  @throws InputError */
std::optional<wallet::PSBTSignatureHasher> HasherFor(const PartiallySignedTransaction& psbt, std::span<const PSBTSignature> signatures)
{
    if (signatures.empty()) return std::nullopt; // those that were made elsewhere have been verified
    return WithPSBT([&] {
        std::optional<wallet::PSBTSignatureHasher> hasher{psbt};
        for (const auto& each : signatures) (void)hasher->Hash(each.n_in, each.leaf_hash, each.key.type, each.hash_type);
        return hasher;
    });
}

/** @throws InputError if it does not arrive: nothing is signed that nobody could see */
void PrintOrRefuse(const Json& view, const std::vector<std::pair<std::string, std::string>>& signatures, std::FILE* out)
{
    PrintPSBT(view, out);
    PrintTable(signatures, out);
    if (std::fflush(out) != 0 || std::ferror(out) != 0) throw InputError{"not signed", "what is to be signed cannot be shown"};
}

/** Show what will be signed, and ask. The question comes on the terminal: there it is shown, too, if the output goes elsewhere. */
void ShowAndAsk(const PSBTOptions& options, const Json& view, const Signable& signable)
{
    std::FILE* const out{options.out.empty() ? stderr : stdout};
    std::set<std::string> warnings;
    for (const auto& warning : view["warnings"]) warnings.insert(warning.get<std::string>());
    std::vector<std::pair<std::string, std::string>> rows;
    for (const auto& signature : signable.signatures) {
        rows.emplace_back("sign input " + std::to_string(signature.n_in),
                          "leaf " + std::to_string(signature.leaf) + " with " + HexStr(signature.key.public_key) + ", hash type " +
                              HashTypeName(signature.hash_type));
        const std::string warning{HashTypeWarning(signature.n_in, signature.hash_type)};
        if (!warning.empty() && warnings.insert(warning).second) rows.emplace_back("WARNING", warning);
    }
    for (const auto& skipped : signable.skipped) rows.emplace_back("not signed", skipped);
    PrintOrRefuse(view, rows, out);
    if (options.yes) return;
    const Terminal terminal;
    if (!Terminal::Shows(out)) PrintOrRefuse(view, rows, terminal.Stream());
    if (!terminal.Confirm("Sign?")) throw InputError{"not signed"};
}

SignWhat WhatToSign(const PSBTOptions& options, const PartiallySignedTransaction& psbt)
{
    SignWhat what{.input = {}, .leaf = options.leaf};
    if (options.input.empty()) return what;
    what.input = Within("--input", [&] { return ParseIndex(options.input, psbt.Inputs().size(), "input"); });
    return what;
}

[[noreturn]] void NothingToSign(const PSBTOptions& options, const Signable& signable)
{
    std::string why{"none of these keys can add a signature: no leaf in the PSBT asks for one, or it is there"};
    if (!options.leaf.empty() || !options.input.empty()) why += ", or --leaf and --input mean another leaf";
    for (const auto& skipped : signable.skipped) why += "; " + skipped;
    throw InputError{"--key", why};
}

} // namespace

ExitStatus SignPSBT(const PSBTOptions& options)
{
    auto psbt{PSBTArgument(options.psbt)};
    if (options.keys.empty() && options.signatures.empty()) throw InputError{"give --key or --signature"};
    const auto keys{ReadKeys(options.keys)};
    const auto given{ParseGivenSignatures(options.signatures)};
    const auto named{options.sighash.empty() ? std::set<uint8_t>{} : ParseHashTypes({options.sighash})};
    CheckOtherSignatures(options, psbt);
    auto signable{SignableBy(psbt, keys, WhatToSign(options, psbt))};
    if (signable.signatures.empty() && !keys.empty()) NothingToSign(options, signable);
    SetHashTypes(named, psbt, signable.signatures);
    CheckAmounts(options, psbt);
    for (const auto& signature : given) AddGivenSignature(psbt, signature, named);

    const auto hasher{HasherFor(psbt, signable.signatures)};

    std::set<wallet::LeafKey> own;
    for (const auto& key : keys) own.insert({key->public_key, key->type});
    const Json view = PSBTJson(psbt, ParseNetwork(options.network), own);
    if (signable.signatures.empty()) {
        if (!options.json) PrintWarnings(view["warnings"]);
    } else {
        if (!options.json) ShowAndAsk(options, view, signable);
        WithPSBT([&] { MakeSignatures(psbt, *hasher, signable.signatures); });
    }
    Json summary = PSBTJson(psbt, ParseNetwork(options.network), own);
    summary["added"] = SignaturesJson(signable.signatures);
    summary["not_signed"] = signable.skipped;
    WritePSBT(psbt, options.out, options.json, summary);
    return EXIT_VALID;
}

} // namespace slhc::tool
