// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <primitives/serialize.h>
#include <slhconsensus.h>
#include <tool/commands.h>
#include <tool/input.h>
#include <tool/keys.h>
#include <tool/output.h>
#include <tool/psbt_file.h>
#include <tool/psbt_signer.h>
#include <tool/psbt_view.h>
#include <tool/signature_check.h>
#include <tool/spend_options.h>
#include <tool/spender.h>
#include <tool/terminal.h>
#include <tool/tree.h>
#include <tool/verification.h>
#include <tool/witness_plan.h>
#include <util/hex.h>
#include <wallet/psbt_roles.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace slhc::tool {
namespace {

using wallet::PartiallySignedTransaction;
using wallet::PSBTScope;

struct Options {
    SpendOptions spend;
    std::vector<std::string> psbts, keys, signatures, previous_txs, preimages;
    std::string psbt, out, version{"0"}, convert_to, network{NetworkName(Network::REGTEST)}, sighash, tree, internal_key, input, output,
        leaf, amount;
    bool yes{false}, any_fee{false}, unchecked{false}, json{false};
    std::function<ExitStatus()> verb;
};

/** The fee and the size that are shown must be what somebody means, where they are known. */
void CheckFeeOf(const PartiallySignedTransaction& psbt)
{
    WithPSBT([&] {
        const auto fee{wallet::Fee(psbt)};
        if (!fee) throw InputError{"fee", "unknown: not every spent output is"};
        CAmount spent{*fee};
        for (const auto& txout : psbt.UnsignedTx().vout) spent += txout.nValue;
        const auto estimate{wallet::EstimateWeight(psbt)};
        // Where the size is not known, a fee is only too high.
        CheckFee(*fee, estimate ? estimate->VirtualSize() : 1, spent);
    });
}

ExitStatus Create(const Options& options)
{
    const SpendSpec spec{options.spend.Spec()};
    const SpendPlan plan{PlanSpend(spec, Signers::OTHERS)};
    if (!options.any_fee) CheckFee(plan);
    const auto psbt{MakePSBT(spec, plan, options.version == "2" ? 2 : 0)};
    if (!options.out.empty() && !options.json) PrintPlan(PlanJson(spec, plan));
    WritePSBT(psbt, options.out, options.json, PlanJson(spec, plan));
    return EXIT_VALID;
}

/** The inputs that an option names, or all that spend an output of this script. */
std::vector<size_t> InputsFor(const Options& options, const PartiallySignedTransaction& psbt, const std::optional<CScript>& script_pubkey)
{
    const size_t count{psbt.Inputs().size()};
    if (!options.input.empty()) {
        if (count == 0) throw InputError{"--input", "the PSBT has no inputs"};
        return {static_cast<size_t>(Within("--input", [&] { return ParseNumber(options.input, count - 1); }))};
    }
    std::vector<size_t> inputs;
    for (size_t i = 0; i < count; ++i) {
        const auto spent{psbt.SpentOutput(i)};
        if (!script_pubkey || (spent && spent->scriptPubKey == *script_pubkey)) inputs.push_back(i);
    }
    if (inputs.empty())
        throw InputError{"--tree", "no input is known to spend an output with this tree (--input and --amount say which does)"};
    return inputs;
}

/** The leaf that --leaf says, or all that a PSBT can be signed for. */
std::vector<size_t> LeavesFor(const Options& options, const ScriptTree& tree)
{
    const auto& leaves{tree.Leaves()};
    if (!options.leaf.empty()) return {static_cast<size_t>(Within("--leaf", [&] { return ParseNumber(options.leaf, leaves.size() - 1); }))};
    std::vector<size_t> usable;
    for (size_t i = 0; i < leaves.size(); ++i) {
        if (leaves[i].version == TAPROOT_LEAF_TAPSCRIPT && wallet::ReadLeafRecipe(leaves[i].script).Usable()) usable.push_back(i);
    }
    if (usable.empty()) throw InputError{"--tree", "has no leaf that slhtool knows how to satisfy (--leaf says which is meant)"};
    return usable;
}

void AddTree(const Options& options, PartiallySignedTransaction& psbt)
{
    const ScriptTree tree{Within("--tree", [&] { return TreeArgument(options.tree); })};
    wallet::InternalKey internal_key;
    if (!options.internal_key.empty()) internal_key = Within("--internal-key", [&] { return ParseInternalKey(options.internal_key); });
    const CScript script_pubkey{wallet::TreeScriptPubKey(tree, internal_key)};
    if (!options.output.empty()) {
        wallet::AddOutputTree(psbt, Within("--output", [&] { return ParseNumber(options.output, 0xffffffff); }), tree, internal_key);
        return;
    }
    const bool by_amount{!options.amount.empty()};
    if (by_amount && options.input.empty()) throw InputError{"--amount", "needs --input: whose amount is it?"};
    for (const size_t n_in : InputsFor(options, psbt, script_pubkey)) {
        if (by_amount) wallet::SetSpentOutput(psbt, n_in, {Within("--amount", [&] { return ParseAmount(options.amount); }), script_pubkey});
        for (const size_t leaf : LeavesFor(options, tree)) wallet::AddLeaf(psbt, n_in, tree, leaf, internal_key);
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

ExitStatus Update(const Options& options)
{
    auto psbt{PSBTArgument(options.psbt)};
    WithPSBT([&] {
        if (!options.convert_to.empty()) psbt = psbt.Convert(options.convert_to == "2" ? 2 : 0);
        for (const auto& tx : options.previous_txs) AddPreviousTx(psbt, tx);
        for (const auto& [name, value] :
             {std::pair{"--leaf", &options.leaf}, {"--output", &options.output}, {"--amount", &options.amount}}) {
            if (options.tree.empty() && !value->empty()) throw InputError{name, "needs --tree"};
        }
        if (!options.tree.empty()) AddTree(options, psbt);
        for (const auto& preimage : options.preimages) {
            for (const size_t n_in : InputsFor(options, psbt, {})) wallet::AddPreimage(psbt, n_in, HexArgument("--preimage", preimage));
        }
        if (!options.sighash.empty()) {
            const std::array<uint8_t, 4> value{Within("--sighash", [&] { return ParseHashType(options.sighash); })}; // little-endian
            for (const size_t n_in : InputsFor(options, psbt, {})) {
                psbt.Set(PSBTScope::INPUT, n_in, wallet::PSBTKey(wallet::PSBT_IN_SIGHASH_TYPE), value);
            }
        }
    });
    const Json summary = PSBTJson(psbt, ParseNetwork(options.network));
    WritePSBT(psbt, options.out, options.json, summary);
    return EXIT_VALID;
}

/** Give each signature its hash type: DEFAULT, or what --sighash says. Anything else that a PSBT asks for would be signed by mistake. */
void SetHashTypes(const Options& options, const PartiallySignedTransaction& psbt, std::vector<PSBTSignature>& signatures)
{
    const uint8_t wanted{options.sighash.empty() ? uint8_t{SIGHASH_DEFAULT} :
                                                   Within("--sighash", [&] { return ParseHashType(options.sighash); })};
    for (auto& signature : signatures) {
        const bool asks{PartiallySignedTransaction::Find(psbt.Inputs()[signature.n_in], wallet::PSBT_IN_SIGHASH_TYPE).has_value()};
        if (asks && signature.hash_type != wanted) {
            throw InputError{"input " + std::to_string(signature.n_in), "the PSBT asks for hash type " + HashTypeName(signature.hash_type) +
                                                                            ", not " + HashTypeName(wanted) + " (--sighash '" +
                                                                            HashTypeName(signature.hash_type) + "' signs so)"};
        }
        signature.hash_type = wanted;
    }
}

ExitStatus Sign(const Options& options)
{
    auto psbt{PSBTArgument(options.psbt)};
    if (options.keys.empty() && options.signatures.empty()) throw InputError{"--key", "is missing: nobody signs"};
    const auto keys{ReadKeys(options.keys)};
    const auto given{ParseGivenSignatures(options.signatures)};
    Json view = PSBTJson(psbt, ParseNetwork(options.network));
    auto signatures{SignableBy(psbt, keys)};
    if (signatures.empty() && !keys.empty()) {
        throw InputError{"--key", "none of these keys can add a signature: no leaf in the PSBT asks for one, or it is there"};
    }
    SetHashTypes(options, psbt, signatures);
    if (!options.any_fee) CheckFeeOf(psbt);
    for (const auto& signature : given) AddGivenSignature(psbt, signature);

    if (!signatures.empty()) {
        if (!options.json) {
            std::FILE* const out{options.out.empty() ? stderr : stdout};
            PrintPSBT(view, out);
            std::vector<std::pair<std::string, std::string>> rows;
            for (const auto& signature : signatures) {
                rows.emplace_back("sign input " + std::to_string(signature.n_in),
                                  "with " + HexStr(signature.key.public_key) + ", hash type " + HashTypeName(signature.hash_type));
            }
            PrintTable(rows, out);
            std::fflush(out);
            if (!options.yes && !Confirm("Sign?")) throw InputError{"not signed"};
        }
        WithPSBT([&] {
            const wallet::PSBTSignatureHasher hasher{psbt};
            for (const auto& [n_in, leaf_hash, key, hash_type, pair] : signatures) {
                const auto hash{hasher.Hash(n_in, leaf_hash, key.type, hash_type)};
                wallet::AddSignature(psbt, n_in, leaf_hash, key, SignHash(*pair, hash, hash_type));
            }
        });
    }
    Json summary = PSBTJson(psbt, ParseNetwork(options.network));
    summary["added"] = SignaturesJson(signatures);
    WritePSBT(psbt, options.out, options.json, summary);
    return EXIT_VALID;
}

ExitStatus Combine(const Options& options)
{
    std::vector<PartiallySignedTransaction> psbts;
    for (size_t n = 0; n < options.psbts.size(); ++n) {
        psbts.push_back(PSBTArgument(options.psbts[n]));
        if (!options.unchecked) Within("PSBT " + std::to_string(n), [&] { CheckAllSignatures(psbts.back()); });
    }
    const auto combined{WithPSBT([&] { return wallet::CombinePSBTs(psbts); })};
    WritePSBT(combined, options.out, options.json, PSBTJson(combined, ParseNetwork(options.network)));
    return EXIT_VALID;
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

/** Say why there is nothing to write. */
ExitStatus RefuseInvalid(const VerificationResult& result, const Options& options)
{
    if (options.json) {
        Json json = VerificationJson(result);
        json["written"] = false;
        PrintJson(json);
    } else {
        PrintVerification(result);
        PrintLine("Not written: the transaction is not valid.");
    }
    return EXIT_INVALID;
}

ExitStatus Finalize(const Options& options)
{
    auto psbt{PSBTArgument(options.psbt)};
    if (!options.unchecked) CheckAllSignatures(psbt);
    Json missing = Json::array();
    for (size_t i = 0; i < psbt.Inputs().size(); ++i) {
        const auto why{WithPSBT([&] { return wallet::FinalizeInput(psbt, i); })};
        if (!why.empty()) missing.push_back({{"input", i}, {"missing", why}});
    }
    if (!missing.empty()) {
        if (options.json) {
            PrintJson({{"complete", false}, {"inputs", missing}});
        } else {
            for (const auto& input : missing) PrintLine("input " + input["input"].dump() + " " + input["missing"].get<std::string>());
        }
        return EXIT_INVALID;
    }
    if (!options.unchecked) {
        const SpendFile file{Extracted(psbt)};
        const auto result{VerifySpends(std::span{&file, 1}, /*batched=*/false)};
        if (!result.Valid()) return RefuseInvalid(result, options);
    }
    Json summary = {{"complete", true}};
    summary.update(PSBTJson(psbt, ParseNetwork(options.network)));
    WritePSBT(psbt, options.out, options.json, summary);
    return EXIT_VALID;
}

ExitStatus Extract(const Options& options)
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
    if (!result.Valid()) return RefuseInvalid(result, options);
    if (!options.out.empty()) WriteTextFile(options.out, SpendFileJson(file).dump(2) + "\n");
    if (options.json) {
        PrintJson(SpendFileJson(file));
    } else if (options.out.empty()) {
        PrintLine(HexStr(file.raw_tx));
    }
    return EXIT_VALID;
}

ExitStatus Show(const Options& options)
{
    const Json view = PSBTJson(PSBTArgument(options.psbt), ParseNetwork(options.network));
    options.json ? PrintJson(view) : PrintPSBT(view, stdout);
    return EXIT_VALID;
}

/** What the verbs share. */
CommandParser DeclareVerb(CommandParser& parser, const std::shared_ptr<Options>& options, const std::string& name,
                          const std::string& summary, ExitStatus (*verb)(const Options&))
{
    CommandParser sub{parser.AddCommand(name, summary)};
    sub.OnSelected([options = options.get(), verb] { options->verb = [options, verb] { return verb(*options); }; });
    return sub;
}

void AddPSBT(CommandParser& sub, Options& options)
{
    sub.Add("PSBT", options.psbt, "The PSBT: base64, hex, @FILE containing one of these or its bytes, or - for standard input").Required();
}

void AddOutput(CommandParser& sub, Options& options, bool network = true)
{
    sub.Add("--out FILE", options.out, "Write the PSBT to this file, in base64, instead of printing it");
    if (network)
        sub.AddChoice("--network", options.network, {"regtest", "signet", "testnet", "mainnet"}, "The network of addresses that are shown");
    AddJsonFlag(sub, options.json);
}

void DeclareCreate(CommandParser& parser, const std::shared_ptr<Options>& options)
{
    CommandParser sub{DeclareVerb(parser, options, "create", "A PSBT that spends coins of known trees", Create)};
    sub.Describe("Takes the same SPEC file or options as slhtool spend, without keys. Which coins are spent is your choice or the\n"
                 "node's (createpsbt, then psbt update): nothing is selected here.");
    options->spend.Declare(sub, OptionsFor::CREATE);
    sub.AddChoice("--psbt-version", options->version, {"0", "2"}, "BIP 174 or BIP 370, which Bitcoin Core does not read before 32");
    sub.AddFlag("--any-fee", options->any_fee, "Accept a fee below 1 satoshi per virtual byte, or of more than a quarter of the coins");
    AddOutput(sub, *options, /*network=*/false);
    sub.Explain(SPEC_HELP);
}

void DeclareUpdate(CommandParser& parser, const std::shared_ptr<Options>& options)
{
    CommandParser sub{DeclareVerb(parser, options, "update", "Add trees, previous transactions, preimages, a hash type", Update)};
    AddPSBT(sub, *options);
    sub.Add("--tree TREE", options->tree,
            "The tree of the coins that are spent, for every input that spends such a coin (or of an output, with --output)");
    sub.Add("--internal-key KEY", options->internal_key, "With --tree: the outputs are P2TR with this internal key, not P2MR");
    sub.Add("--leaf N", options->leaf, "With --tree: only this leaf, counted from 0 (default: all that can be signed for)");
    sub.Add("--input N", options->input, "Only this input, counted from 0");
    sub.Add("--amount SATOSHIS", options->amount, "With --tree and --input: the coin's amount, where the PSBT does not say what is spent");
    sub.Add("--output N", options->output, "With --tree: the tree of this output, so that signers recognize the change");
    sub.Add("--previous-tx HEX", options->previous_txs, "A transaction that has a coin being spent, in hex or @FILE");
    sub.Add("--preimage HEX", options->preimages, "Preimage in hex, for sha256(H)");
    sub.Add("--sighash TYPE", options->sighash, "The hash type that signers are asked for");
    sub.AddChoice("--psbt-version", options->convert_to, {"0", "2"}, "Convert to this version");
    AddOutput(sub, *options);
}

void DeclareSign(CommandParser& parser, const std::shared_ptr<Options>& options)
{
    CommandParser sub{DeclareVerb(parser, options, "sign", "Show what is to be signed, ask, and sign", Sign)};
    sub.Describe("Signs every leaf in the PSBT that asks for one of the keys. What is signed is shown first: amounts, outputs, fee; a\n"
                 "person at the terminal must agree, or --yes. With --json nobody is asked, and the answer says what was signed.\n"
                 "A signature commits to the amounts and scripts of all coins: where the PSBT lies about them, it is worth nothing.");
    AddPSBT(sub, *options);
    sub.Add("--key FILE", options->keys, "Secret key file");
    sub.Add("--signature KEY=SIGNATURE", options->signatures,
            "Add a signature that was made elsewhere: public key and signature in hex, each also as @FILE; refused unless it is valid");
    sub.Add("--sighash TYPE", options->sighash, "Sign with this hash type; a PSBT that asks for another than DEFAULT is refused without");
    sub.AddFlag("--any-fee", options->any_fee,
                "Accept a fee below 1 satoshi per virtual byte, of more than a quarter of the coins, or unknown");
    sub.AddFlag("--yes", options->yes, "Do not ask");
    AddOutput(sub, *options);
}

} // namespace

Action DeclarePSBT(CommandParser& parser)
{
    auto options{std::make_shared<Options>()};
    parser.Describe("A PSBT (BIP 174, 370, 371) carries a transaction from one signer to the next. Inputs that spend a leaf of a P2MR\n"
                    "(P2TSH) or P2TR output are signed and finalized; others, and every field that slhtool does not know, pass through.\n"
                    "SLH-DSA signatures are in a proprietary field, which doc/psbt.md describes.");
    DeclareCreate(parser, options);
    DeclareUpdate(parser, options);
    DeclareSign(parser, options);

    CommandParser combine{DeclareVerb(parser, options, "combine", "Put together what several signers did", Combine)};
    combine.Add("PSBT", options->psbts, "PSBTs of one transaction: base64, hex, @FILE or -").Required();
    combine.AddFlag("--unchecked", options->unchecked, "Do not verify their signatures");
    AddOutput(combine, *options);

    CommandParser finalize{DeclareVerb(parser, options, "finalize", "Make the witnesses, if nothing is missing", Finalize)};
    finalize.Describe("Exit status 0: complete and valid, 1: not (nothing is written).");
    AddPSBT(finalize, *options);
    finalize.AddFlag("--unchecked", options->unchecked, "Verify neither signatures nor the transaction");
    AddOutput(finalize, *options);

    CommandParser extract{DeclareVerb(parser, options, "extract", "Print the signed transaction in hex", Extract)};
    AddPSBT(extract, *options);
    extract.Add("--out FILE", options->out, "Write it to this file as slhtool spend does: JSON, with what it spends");
    extract.AddFlag("--unchecked", options->unchecked, "Do not verify it; for a PSBT that does not say what its inputs spend");
    AddJsonFlag(extract, options->json);

    CommandParser show{DeclareVerb(parser, options, "show", "Show what a PSBT says, and what it lacks", Show)};
    AddPSBT(show, *options);
    show.AddChoice("--network", options->network, {"regtest", "signet", "testnet", "mainnet"}, "The network of the addresses");
    AddJsonFlag(show, options->json);

    parser.RequireCommand();
    parser.AddExamples(
        {{"two of three sign", "slhtool psbt create --outpoint $TXID:0 --amount 100000 --tree @vault.tree --to bcrt1z... --out vault.psbt"},
         {"each of them, wherever they are", "slhtool psbt sign @vault.psbt --key a.key --out a.psbt"},
         {"and whoever puts it together", "slhtool psbt combine @a.psbt @c.psbt --out both.psbt"},
         {"the transaction", "slhtool psbt finalize @both.psbt --out final.psbt; slhtool psbt extract @final.psbt"},
         {"with a node that selects the coins",
          "bitcoin-cli createpsbt ... | slhtool psbt update - --tree @vault.tree --input 0 --amount 100000 --out vault.psbt"}});
    return [options] { return options->verb(); };
}

} // namespace slhc::tool
