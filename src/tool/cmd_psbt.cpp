// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <crypto/endian.h>
#include <primitives/serialize.h>
#include <tool/commands.h>
#include <tool/decode.h>
#include <tool/input.h>
#include <tool/keys.h>
#include <tool/network.h>
#include <tool/output.h>
#include <tool/output_file.h>
#include <tool/psbt_file.h>
#include <tool/psbt_view.h>
#include <tool/spend_file.h>
#include <tool/spender.h>
#include <tool/tree.h>
#include <util/base64.h>
#include <util/hex.h>
#include <wallet/psbt_combiner.h>
#include <wallet/psbt_finalizer.h>
#include <wallet/psbt_updater.h>

#include <nlohmann/json.hpp>

#include <array>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace slhc::tool {
namespace {

using wallet::PartiallySignedTransaction;
using wallet::PSBTScope;

struct PSBTOptions {
    SpendOptions spend;
    std::vector<std::string> psbts, keys, previous_txs, preimages;
    std::string psbt, version{"0"}, network{NetworkName(Network::REGTEST)}, sighash, tree, internal_key, input, output, leaf, amount;
    OutputFile out;
    bool json{false};
    std::function<ExitStatus()> verb;
};

std::array<uint8_t, 4> LE32(uint32_t value)
{
    std::array<uint8_t, 4> bytes;
    WriteLE32(bytes.data(), value);
    return bytes;
}

/** Print a PSBT in base64, or write it to a file. @param[in] summary  what else --json has to say */
void WritePSBT(const PartiallySignedTransaction& psbt, const PSBTOptions& options, const Json& summary = Json::object())
{
    const std::string text{EncodeBase64(psbt.Serialize())};
    if (!options.out.empty()) WriteTextFile(options.out, text + "\n");
    if (options.json) {
        Json whole = options.out.empty() ? Json{{"psbt", text}} : Json{{"file", options.out.path}};
        whole.update(summary);
        PrintJson(whole);
    } else if (options.out.empty()) {
        PrintLine(text);
    }
}

std::optional<size_t> InputOption(const PSBTOptions& options, const PartiallySignedTransaction& psbt)
{
    if (options.input.empty()) return std::nullopt;
    return Within("--input", [&] { return ParseIndex(options.input, psbt.Inputs().size(), "input"); });
}

/** Say of an input what the plan of a spend says. */
void AddPlanned(PartiallySignedTransaction& psbt, size_t n_in, const SpendSpec& spec, const SpendPlan& plan)
{
    const SpendInput& input{spec.inputs[n_in]};
    if (!input.annex.empty()) throw InputError{"a PSBT has no place for an annex"};
    if (input.witness) throw InputError{"a PSBT has no place for a witness given by hand"};
    const size_t leaf{plan.inputs[n_in].leaf};
    const auto set{[&](uint64_t type, std::span<const uint8_t> value) {
        psbt.Set(PSBTScope::INPUT, n_in, wallet::PSBTKey(type), value);
    }};
    WithPSBT([&] {
        wallet::SetSpentOutput(psbt, n_in, plan.spent_outputs[n_in]);
        wallet::AddLeaves(psbt, n_in, input.tree, std::array{leaf}, input.internal_key);
        for (const auto& preimage : input.preimages) (void)wallet::AddPreimage(psbt, n_in, preimage);
        if (input.hash_type != SIGHASH_DEFAULT) set(wallet::PSBT_IN_SIGHASH_TYPE, LE32(input.hash_type));
        const auto required{RequiredLockTimes(plan.inputs[n_in].lock_times).lock_time};
        if (psbt.Version() == 0 || spec.lock_time || !required) return;
        const bool height{*required < LOCKTIME_THRESHOLD};
        set(height ? wallet::PSBT_IN_REQUIRED_HEIGHT_LOCKTIME : wallet::PSBT_IN_REQUIRED_TIME_LOCKTIME, LE32(*required));
    });
}

ExitStatus Create(const PSBTOptions& options)
{
    const SpendSpec spec{options.spend.Spec()};
    const SpendPlan plan{PlanSpend(spec, Signers::OTHERS)};
    PartiallySignedTransaction psbt{plan.tx, options.version == "2" ? uint32_t{2} : uint32_t{0}};
    for (size_t i = 0; i < spec.inputs.size(); ++i) {
        Within("input " + std::to_string(i), [&] { AddPlanned(psbt, i, spec, plan); });
    }
    WritePSBT(psbt, options, PlanJson(spec, plan));
    return EXIT_VALID;
}

/** The inputs that --input names, or all that spend an output of this script, or all. */
std::vector<size_t> InputsFor(const PSBTOptions& options, const PartiallySignedTransaction& psbt,
                              const std::optional<CScript>& script_pubkey)
{
    if (const auto input{InputOption(options, psbt)}) return {*input};
    std::vector<size_t> inputs;
    for (size_t i = 0; i < psbt.Inputs().size(); ++i) {
        const auto spent{psbt.SpentOutput(i)};
        if (!script_pubkey || (spent && spent->scriptPubKey == *script_pubkey)) inputs.push_back(i);
    }
    return inputs;
}

void AddTree(const PSBTOptions& options, PartiallySignedTransaction& psbt)
{
    const ScriptTree tree{Within("--tree", [&] { return TreeArgument(options.tree); })};
    wallet::InternalKey internal_key;
    if (!options.internal_key.empty()) internal_key = Within("--internal-key", [&] { return ParseInternalKey(options.internal_key); });
    if (!options.output.empty()) {
        const size_t n_out{Within("--output", [&] { return ParseIndex(options.output, psbt.Outputs().size(), "output"); })};
        wallet::AddOutputTree(psbt, n_out, tree, internal_key);
        return;
    }
    const CScript script_pubkey{wallet::TreeScriptPubKey(tree, internal_key)};
    const auto inputs{InputsFor(options, psbt, script_pubkey)};
    if (inputs.empty()) {
        throw InputError{"--tree", "no input is known to spend an output with this tree (--input and --amount say which does)"};
    }
    std::vector<size_t> leaves(tree.Leaves().size());
    std::iota(leaves.begin(), leaves.end(), size_t{0});
    if (!options.leaf.empty()) leaves = {Within("--leaf", [&] { return ParseIndex(options.leaf, leaves.size(), "leaf"); })};
    if (!options.amount.empty()) {
        if (options.input.empty()) throw InputError{"--amount", "needs --input: whose amount is it?"};
        const CAmount amount{Within("--amount", [&] { return ParseAmount(options.amount); })};
        wallet::SetSpentOutput(psbt, inputs[0], {amount, script_pubkey});
    }
    for (const size_t n_in : inputs) wallet::AddLeaves(psbt, n_in, tree, leaves, internal_key);
}

void AddPreviousTx(PartiallySignedTransaction& psbt, const std::string& argument)
{
    const auto bytes{HexArgument("--previous-tx", argument)};
    const auto tx{Within("--previous-tx", [&] { return ParseTx(bytes); })};
    bool found{false};
    for (size_t i = 0; i < psbt.Inputs().size(); ++i) {
        if (psbt.Outpoint(i).hash != tx->GetHash()) continue;
        psbt.Set(PSBTScope::INPUT, i, wallet::PSBTKey(wallet::PSBT_IN_NON_WITNESS_UTXO), bytes);
        found = true;
    }
    if (!found) throw InputError{"--previous-tx", "no input spends an output of " + tx->GetHash().GetHex()};
}

void AddPreimage(const PSBTOptions& options, PartiallySignedTransaction& psbt, const std::string& argument)
{
    const auto preimage{HexArgument("--preimage", argument)};
    bool added{false};
    for (const size_t n_in : InputsFor(options, psbt, {})) added |= wallet::AddPreimage(psbt, n_in, preimage);
    if (!added) throw InputError{"--preimage", "no leaf in the PSBT asks for it"};
}

ExitStatus Update(const PSBTOptions& options)
{
    using Named = std::pair<const char*, const std::string*>;
    for (const auto& [name, value] : {Named{"--leaf", &options.leaf}, Named{"--output", &options.output},
                                      Named{"--amount", &options.amount}, Named{"--internal-key", &options.internal_key}}) {
        if (options.tree.empty() && !value->empty()) throw InputError{name, "needs --tree"};
    }
    auto psbt{PSBTArgument(options.psbt)};
    WithPSBT([&] {
        for (const auto& tx : options.previous_txs) AddPreviousTx(psbt, tx);
        if (!options.tree.empty()) AddTree(options, psbt);
        for (const auto& preimage : options.preimages) AddPreimage(options, psbt, preimage);
        if (options.sighash.empty()) return;
        const uint8_t hash_type{Within("--sighash", [&] { return ParseHashType(options.sighash); })};
        for (const size_t n_in : InputsFor(options, psbt, {})) {
            psbt.Set(PSBTScope::INPUT, n_in, wallet::PSBTKey(wallet::PSBT_IN_SIGHASH_TYPE), LE32(hash_type));
        }
    });
    WritePSBT(psbt, options);
    return EXIT_VALID;
}

ExitStatus Sign(const PSBTOptions& options)
{
    auto psbt{PSBTArgument(options.psbt)};
    const auto pairs{ReadKeys(options.keys)};
    const auto inputs{InputsFor(options, psbt, {})};
    std::optional<uint64_t> leaf;
    if (!options.leaf.empty()) leaf = Within("--leaf", [&] { return ParseNumber(options.leaf, SIZE_MAX); });
    std::optional<uint8_t> hash_type;
    if (!options.sighash.empty()) hash_type = Within("--sighash", [&] { return ParseHashType(options.sighash); });
    Json added = Json::array(), not_signed = Json::array();
    const auto sign{[&](const wallet::PSBTVerifier& verifier, const KeyPair& pair, size_t n_in) {
        const wallet::LeafKey key{pair.Element(), pair.type};
        for (const auto& each : wallet::SignaturesToMake(psbt, n_in, verifier, key, hash_type)) {
            if (leaf && each.leaf != *leaf) continue;
            wallet::AddSignature(psbt, n_in, each.leaf_hash, key, SignHash(pair, each.hash, each.hash_type));
            added.push_back({{"input", n_in},
                             {"leaf", each.leaf},
                             {"leaf_hash", HexStr(each.leaf_hash.Bytes())},
                             {"type", KeyTypeName(key.type, key.public_key)},
                             {"public_key", HexStr(key.public_key)},
                             {"sighash", HashTypeName(each.hash_type)}});
        }
    }};
    WithPSBT([&] {
        const wallet::PSBTVerifier verifier{psbt};
        for (const auto& pair : pairs) {
            for (const size_t n_in : inputs) {
                try {
                    sign(verifier, *pair, n_in);
                } catch (const wallet::PSBTError& e) {
                    not_signed.push_back(e.what());
                }
            }
        }
    });
    if (added.empty() && !not_signed.empty()) throw InputError{not_signed[0].get<std::string>()};
    if (added.empty()) {
        throw InputError{"--key", "none of these keys can add a signature: no leaf in the PSBT that the transaction can spend asks for "
                                  "one, or it is there (psbt show says what each leaf lacks)"};
    }
    WritePSBT(psbt, options, {{"added", added}, {"not_signed", not_signed}});
    return EXIT_VALID;
}

ExitStatus Combine(const PSBTOptions& options)
{
    std::vector<PartiallySignedTransaction> psbts;
    for (const auto& argument : options.psbts) psbts.push_back(PSBTArgument(argument));
    WritePSBT(WithPSBT([&] { return wallet::CombinePSBTs(psbts); }), options);
    return EXIT_VALID;
}

ExitStatus Finalize(const PSBTOptions& options)
{
    auto psbt{PSBTArgument(options.psbt)};
    Json missing = Json::array();
    WithPSBT([&] {
        const wallet::PSBTVerifier verifier{psbt};
        for (size_t i = 0; i < psbt.Inputs().size(); ++i) {
            const std::string lacks{wallet::FinalizeInput(psbt, i, verifier)};
            if (!lacks.empty()) missing.push_back({{"input", i}, {"missing", lacks}});
        }
        if (missing.empty()) (void)wallet::ExtractTransaction(psbt); // which is valid
    });
    if (missing.empty()) {
        WritePSBT(psbt, options, {{"complete", true}});
        return EXIT_VALID;
    }
    if (options.json) PrintJson({{"complete", false}, {"inputs", missing}});
    for (const auto& input : options.json ? Json::array() : missing) {
        PrintLine("input " + input["input"].dump() + " " + input["missing"].get<std::string>());
    }
    return EXIT_INVALID;
}

ExitStatus Extract(const PSBTOptions& options)
{
    const auto psbt{PSBTArgument(options.psbt)};
    SpendFile file;
    WithPSBT([&] {
        file.tx = std::make_shared<const CTransaction>(wallet::ExtractTransaction(psbt));
        file.flags = RulesFor(*file.tx);
        for (size_t i = 0; i < psbt.Inputs().size(); ++i) file.spent_outputs.push_back(wallet::KnownSpentOutput(psbt, i));
    });
    if (!options.out.empty()) WriteTextFile(options.out, SpendFileJson(file).dump(2) + "\n");
    if (options.json) {
        PrintJson(SpendFileJson(file));
    } else if (options.out.empty()) {
        PrintLine(HexStr(SerializeToVector(*file.tx)));
    }
    return EXIT_VALID;
}

ExitStatus Show(const PSBTOptions& options)
{
    const Json view = PSBTJson(PSBTArgument(options.psbt), ParseNetwork(options.network));
    options.json ? PrintJson(view) : Print(RenderText(view));
    return EXIT_VALID;
}

CommandParser DeclareVerb(CommandParser& parser, const std::shared_ptr<PSBTOptions>& options, const std::string& name,
                          const std::string& summary, ExitStatus (*verb)(const PSBTOptions&))
{
    CommandParser sub{parser.AddCommand(name, summary)};
    sub.OnSelected([options = options.get(), verb] { options->verb = [options, verb] { return verb(*options); }; });
    AddJsonFlag(sub, options->json);
    return sub;
}

void AddPSBT(CommandParser& sub, PSBTOptions& options)
{
    sub.Add("PSBT", options.psbt, "The PSBT: base64, hex, @FILE containing one of these or its bytes, or - for standard input").Required();
}

void AddOutput(CommandParser& sub, PSBTOptions& options, const std::string& description)
{
    sub.Add("--out FILE", options.out.path, description);
    AddForceFlag(sub, options.out.force);
}

} // namespace

Action DeclarePSBT(CommandParser& parser)
{
    auto options{std::make_shared<PSBTOptions>()};
    const std::string write_psbt{"Write the PSBT to this file, in base64, instead of printing it"};

    CommandParser create{DeclareVerb(parser, options, "create", "A PSBT that spends coins of known trees", Create)};
    options->spend.Declare(create, OptionsFor::PSBT);
    create.AddChoice("--psbt-version", options->version, {"0", "2"}, "BIP 174 or BIP 370, which Bitcoin Core does not read before 32");
    AddOutput(create, *options, write_psbt);
    create.Explain(SpecHelp(OptionsFor::PSBT));

    CommandParser update{DeclareVerb(parser, options, "update", "Add trees, previous transactions, preimages, a hash type", Update)};
    AddPSBT(update, *options);
    update.Add("--tree TREE", options->tree, "The tree of the coins that are spent, for every input that spends such a coin");
    update.Add("--internal-key KEY", options->internal_key, "With --tree: the outputs are P2TR with this internal key, not P2MR");
    update.Add("--leaf N", options->leaf, "With --tree: only this leaf, counted from 0");
    update.Add("--input N", options->input, "Only this input, counted from 0");
    update.Add("--amount SATOSHIS", options->amount, "With --tree and --input: the coin's amount, where the PSBT does not say it");
    update.Add("--output N", options->output, "With --tree: it is the tree of this output");
    update.Add("--previous-tx HEX", options->previous_txs, "A transaction that has a coin being spent, in hex or @FILE");
    update.Add("--preimage HEX", options->preimages, "Preimage in hex, for sha256(H)");
    update.Add("--sighash TYPE", options->sighash, "The hash type that signers are asked for");
    AddOutput(update, *options, write_psbt);

    CommandParser sign{DeclareVerb(parser, options, "sign", "Sign every leaf that asks for one of the keys", Sign)};
    AddPSBT(sign, *options);
    sign.Add("--key FILE", options->keys, "Secret key file").Required();
    sign.Add("--leaf N", options->leaf, "Only this leaf, as psbt show counts those in the PSBT, from 0");
    sign.Add("--input N", options->input, "Only this input, counted from 0");
    sign.Add("--sighash TYPE", options->sighash, "Sign with this hash type (default: what the PSBT asks for, or DEFAULT)");
    AddOutput(sign, *options, write_psbt);

    CommandParser combine{DeclareVerb(parser, options, "combine", "Combine the PSBTs of several signers", Combine)};
    combine.Add("PSBT", options->psbts, "PSBTs of one transaction: base64, hex, @FILE or -").Required();
    AddOutput(combine, *options, write_psbt);

    CommandParser finalize{
        DeclareVerb(parser, options, "finalize", "Make the witnesses; exit status 1 if something is missing", Finalize)};
    AddPSBT(finalize, *options);
    AddOutput(finalize, *options, write_psbt);

    CommandParser extract{DeclareVerb(parser, options, "extract", "Verify the transaction and print it in hex", Extract)};
    AddPSBT(extract, *options);
    AddOutput(extract, *options, "Write it to this file as slhtool spend does: JSON, with what it spends");

    CommandParser show{DeclareVerb(parser, options, "show", "Show what a PSBT says, and what it lacks", Show)};
    AddPSBT(show, *options);
    AddNetworkOption(show, options->network, "The network of the addresses");

    parser.RequireCommand();
    parser.Explain("A PSBT (BIP 174, 370, 371) carries a transaction from one signer to the next. Inputs that spend a leaf of a P2MR\n"
                   "(P2TSH) or P2TR output are signed and finalized; others, and every field that slhtool does not know, pass through.\n"
                   "SLH-DSA signatures are in a proprietary field, which doc/psbt.md describes.");
    parser.AddExamples(
        {{"two of three sign", "slhtool psbt create --outpoint $TXID:0 --amount 100000 --tree @vault.tree --to bcrt1z... --out vault.psbt"},
         {"each of them, wherever they are", "slhtool psbt sign @vault.psbt --key a.key --out a.psbt"},
         {"and one of them puts it together", "slhtool psbt combine @a.psbt @c.psbt --out both.psbt"},
         {"the transaction", "slhtool psbt finalize @both.psbt | slhtool psbt extract -"},
         {"with a node that selects the coins",
          "bitcoin-cli createpsbt ... | slhtool psbt update - --tree @vault.tree --input 0 --amount 100000 --out vault.psbt"}});
    return [options] {
        CheckOutputFile(options->out);
        return options->verb();
    };
}

} // namespace slhc::tool
