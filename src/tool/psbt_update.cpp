// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/hash_type.h>
#include <tool/input.h>
#include <tool/psbt_file.h>
#include <tool/psbt_signer.h>
#include <tool/psbt_verbs.h>
#include <tool/psbt_view.h>
#include <tool/spender.h>
#include <tool/tree.h>
#include <tool/witness_plan.h>
#include <wallet/psbt_signatures.h>

#include <array>
#include <optional>
#include <utility>

namespace slhc::tool {
namespace {

using wallet::PartiallySignedTransaction;
using wallet::PSBTScope;

/** The inputs that an option names, or all that spend an output of this script. */
std::vector<size_t> InputsFor(const PSBTOptions& options, const PartiallySignedTransaction& psbt,
                              const std::optional<CScript>& script_pubkey)
{
    const size_t count{psbt.Inputs().size()};
    if (!options.input.empty()) {
        return {Within("--input", [&] { return ParseIndex(options.input, count, "input"); })};
    }
    std::vector<size_t> inputs;
    for (size_t i = 0; i < count; ++i) {
        const auto spent{psbt.SpentOutput(i)};
        if (!script_pubkey || (spent && spent->scriptPubKey == *script_pubkey)) inputs.push_back(i);
    }
    if (!inputs.empty()) return inputs;
    if (!script_pubkey) throw InputError{"the PSBT has no inputs"};
    throw InputError{"--tree", "no input is known to spend an output with this tree (--input and --amount say which does)"};
}

/** The leaf that --leaf says, or all that a PSBT can be signed for. */
std::vector<size_t> LeavesFor(const PSBTOptions& options, const ScriptTree& tree)
{
    const auto& leaves{tree.Leaves()};
    if (!options.leaf.empty()) return {Within("--leaf", [&] { return ParseIndex(options.leaf, leaves.size(), "leaf"); })};
    std::vector<size_t> usable;
    for (size_t i = 0; i < leaves.size(); ++i) {
        if (leaves[i].version == TAPROOT_LEAF_TAPSCRIPT && wallet::ReadLeafRecipe(leaves[i].script).Usable()) usable.push_back(i);
    }
    if (usable.empty()) throw InputError{"--tree", "has no leaf that slhtool knows how to satisfy (--leaf says which is meant)"};
    return usable;
}

void AddTree(const PSBTOptions& options, PartiallySignedTransaction& psbt)
{
    const ScriptTree tree{Within("--tree", [&] { return TreeArgument(options.tree); })};
    wallet::InternalKey internal_key;
    if (!options.internal_key.empty()) internal_key = Within("--internal-key", [&] { return ParseInternalKey(options.internal_key); });
    const CScript script_pubkey{wallet::TreeScriptPubKey(tree, internal_key)};
    if (!options.output.empty()) {
        const size_t n_out{Within("--output", [&] { return ParseIndex(options.output, psbt.Outputs().size(), "output"); })};
        wallet::AddOutputTree(psbt, n_out, tree, internal_key);
        return;
    }
    const bool by_amount{!options.amount.empty()};
    if (by_amount && options.input.empty()) throw InputError{"--amount", "needs --input: whose amount is it?"};
    const auto inputs{InputsFor(options, psbt, script_pubkey)};
    const auto leaves{LeavesFor(options, tree)};
    for (const size_t n_in : inputs) {
        if (by_amount) wallet::SetSpentOutput(psbt, n_in, {Within("--amount", [&] { return ParseAmount(options.amount); }), script_pubkey});
        wallet::AddLeaves(psbt, n_in, tree, leaves, internal_key);
    }
}

void AddPreviousTx(PartiallySignedTransaction& psbt, const std::string& argument)
{
    const auto bytes{HexArgument("--previous-tx", argument)};
    const CTransaction tx{Within("--previous-tx", [&] { return ParseTx(bytes); })};
    bool found{false};
    for (size_t i = 0; i < psbt.Inputs().size(); ++i) {
        if (psbt.Outpoint(i).hash != tx.GetHash()) continue;
        psbt.Set(PSBTScope::INPUT, i, wallet::PSBTKey(wallet::PSBT_IN_NON_WITNESS_UTXO), bytes);
        found = true;
    }
    if (!found) throw InputError{"--previous-tx", "no input spends an output of " + tx.GetHash().GetHex()};
}

/** Where a leaf asks for it: of an input that is named, or of any. */
void AddPreimage(const PSBTOptions& options, PartiallySignedTransaction& psbt, const std::vector<uint8_t>& preimage)
{
    bool added{false};
    std::string why;
    for (const size_t n_in : InputsFor(options, psbt, {})) {
        try {
            wallet::AddPreimage(psbt, n_in, preimage);
            added = true;
        } catch (const wallet::PSBTError& e) {
            if (why.empty()) why = e.what();
        }
    }
    if (!added) throw InputError{"--preimage", why};
}

/** Once it is known what all inputs spend, every signature can be judged. */
void DropTheRest(PartiallySignedTransaction& psbt, std::vector<wallet::PSBTWrongField>& dropped)
{
    for (size_t i = 0; i < psbt.Inputs().size(); ++i) {
        if (psbt.SpentOutput(i)) continue;
        throw InputError{"--drop-invalid", "what input " + std::to_string(i) + " spends is not known, so no signature can be verified"};
    }
    const auto more{wallet::DropWrongFields(psbt)};
    dropped.insert(dropped.end(), more.begin(), more.end());
}

/** @throws InputError for an option that says something about another one, which is absent */
void RefuseUselessOptions(const PSBTOptions& options)
{
    using Named = std::pair<const char*, const std::string*>;
    for (const auto& [name, value] : {Named{"--leaf", &options.leaf}, Named{"--output", &options.output},
                                      Named{"--amount", &options.amount}, Named{"--internal-key", &options.internal_key}}) {
        if (options.tree.empty() && !value->empty()) throw InputError{name, "needs --tree"};
    }
    if (!options.input.empty() && options.tree.empty() && options.preimages.empty() && options.sighash.empty()) {
        throw InputError{"--input", "needs --tree, --preimage or --sighash"};
    }
    for (const auto& [name, value] : {Named{"--leaf", &options.leaf}, Named{"--amount", &options.amount}}) {
        if (!options.output.empty() && !value->empty()) throw InputError{name, "is about an input, and cannot be combined with --output"};
    }
}

} // namespace

ExitStatus CreatePSBT(const PSBTOptions& options)
{
    const SpendSpec spec{options.spend.Spec()};
    const SpendPlan plan{PlanSpend(spec, Signers::OTHERS)};
    if (!options.allow_burn) CheckBurn(plan.tx.vout, spec.rest);
    if (!options.any_fee) CheckFee(plan);
    if (!options.nonstandard) CheckRelay(plan.tx.vout, plan.weight);
    const auto psbt{MakePSBT(spec, plan, options.version == "2" ? 2 : 0)};
    WritePlannedPSBT(psbt, options.out, options.json, PlanJson(spec, plan));
    return EXIT_VALID;
}

ExitStatus UpdatePSBT(const PSBTOptions& options)
{
    RefuseUselessOptions(options);
    auto psbt{PSBTArgument(options.psbt)};
    std::vector<wallet::PSBTWrongField> dropped;
    WithPSBT([&] {
        if (!options.convert_to.empty()) psbt = psbt.Convert(options.convert_to == "2" ? 2 : 0);
        for (const auto& tx : options.previous_txs) AddPreviousTx(psbt, tx);
        if (options.drop_invalid) dropped = wallet::DropWrongFields(psbt); // a wrong tree would be in the way
        if (!options.tree.empty()) AddTree(options, psbt);
        for (const auto& preimage : options.preimages) AddPreimage(options, psbt, HexArgument("--preimage", preimage));
        if (!options.sighash.empty()) {
            const std::array<uint8_t, 4> value{Within("--sighash", [&] { return ParseHashType(options.sighash); })}; // little-endian
            for (const size_t n_in : InputsFor(options, psbt, {})) {
                psbt.Set(PSBTScope::INPUT, n_in, wallet::PSBTKey(wallet::PSBT_IN_SIGHASH_TYPE), value);
            }
        }
        if (options.drop_invalid) DropTheRest(psbt, dropped);
    });
    Json summary = PSBTJson(psbt, ParseNetwork(options.network));
    if (options.drop_invalid) summary["dropped"] = WrongFieldsJson(dropped);
    if (!options.json) {
        for (const auto& wrong : dropped) PrintNote("dropped: " + Describe(wrong));
        PrintWarnings(summary["warnings"]);
    }
    WritePSBT(psbt, options.out, options.json, summary);
    return EXIT_VALID;
}

} // namespace slhc::tool
