// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/commands.h>
#include <tool/output.h>
#include <tool/output_file.h>
#include <tool/psbt_verbs.h>

#include <memory>
#include <string>

namespace slhc::tool {
namespace {

/** What the verbs share. */
CommandParser DeclareVerb(CommandParser& parser, const std::shared_ptr<PSBTOptions>& options, const std::string& name,
                          const std::string& summary, ExitStatus (*verb)(const PSBTOptions&))
{
    CommandParser sub{parser.AddCommand(name, summary)};
    sub.OnSelected([options = options.get(), verb] { options->verb = [options, verb] { return verb(*options); }; });
    return sub;
}

void AddPSBT(CommandParser& sub, PSBTOptions& options)
{
    sub.Add("PSBT", options.psbt, "The PSBT: base64, hex, @FILE containing one of these or its bytes, or - for standard input").Required();
}

void AddOutput(CommandParser& sub, PSBTOptions& options, bool network = true)
{
    sub.Add("--out FILE", options.out.path, "Write the PSBT to this file, in base64, instead of printing it");
    AddForceFlag(sub, options.out.force);
    if (network) AddNetworkOption(sub, options.network, "The network of addresses that are shown");
    AddJsonFlag(sub, options.json);
}

void DeclareCreate(CommandParser& parser, const std::shared_ptr<PSBTOptions>& options)
{
    CommandParser sub{DeclareVerb(parser, options, "create", "A PSBT that spends coins of known trees", CreatePSBT)};
    sub.Explain("Takes a SPEC file or options as slhtool spend does; keys, a witness given by hand and an annex have no place in a\n"
                 "PSBT. Which coins are spent is your choice or the node's (createpsbt, then psbt update): nothing is selected here.");
    options->spend.Declare(sub, OptionsFor::PSBT);
    sub.AddChoice("--psbt-version", options->version, {"0", "2"}, "BIP 174 or BIP 370, which Bitcoin Core does not read before 32");
    sub.AddFlag("--any-fee", options->any_fee, "Accept a fee below 1 satoshi per virtual byte, or of more than a quarter of the coins");
    AddNonstandardFlag(sub, options->nonstandard);
    AddBurnFlag(sub, options->allow_burn);
    AddOutput(sub, *options, /*network=*/false);
    sub.Explain(SPEC_HELP);
}

void DeclareUpdate(CommandParser& parser, const std::shared_ptr<PSBTOptions>& options)
{
    CommandParser sub{DeclareVerb(parser, options, "update", "Add trees, previous transactions, preimages, a hash type", UpdatePSBT)};
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
    sub.AddFlag("--drop-invalid", options->drop_invalid,
                "Remove signatures and final witnesses that are not valid for the transaction, and leaves that its coins do not have");
    sub.AddChoice("--psbt-version", options->convert_to, {"0", "2"}, "Convert to this version");
    AddOutput(sub, *options);
}

void DeclareSign(CommandParser& parser, const std::shared_ptr<PSBTOptions>& options)
{
    CommandParser sub{DeclareVerb(parser, options, "sign", "Show what is to be signed, ask, and sign", SignPSBT)};
    sub.Explain("Signs every leaf in the PSBT that asks for one of the keys and that the transaction can spend. What is signed is shown\n"
                 "first: amounts, scripts, outputs, fee; you confirm it at the terminal or with --yes. With --json nobody is asked,\n"
                 "and the answer says what was signed. Existing signatures must be valid: an invalid one means that somebody\n"
                 "changed the transaction or the signature. A new signature replaces an invalid one by the same key.\n"
                 "A signature commits to amounts and scripts of the coins: if the PSBT states them wrongly, it is invalid.");
    AddPSBT(sub, *options);
    sub.Add("--key FILE", options->keys, "Secret key file");
    sub.Add("--signature KEY=SIGNATURE", options->signatures,
            "Add a signature that was made elsewhere: public key and signature in hex, each also as @FILE; refused unless it is valid");
    sub.Add("--leaf LEAF", options->leaf,
            "Only this leaf: its hash, or its number among those in the PSBT, as psbt show prints it; in the tree it may have another");
    sub.Add("--input N", options->input, "Only this input, counted from 0");
    sub.Add("--sighash TYPE", options->sighash,
            "Sign with this hash type; one other than DEFAULT or ALL that the PSBT or a signature has is refused unless it is named here");
    sub.AddFlag("--despite-invalid", options->despite_invalid, "Sign although a signature in the PSBT is not valid");
    sub.AddFlag("--any-fee", options->any_fee,
                "Accept a fee below 1 satoshi per virtual byte, or above a quarter of the coins");
    AddNonstandardFlag(sub, options->nonstandard);
    AddBurnFlag(sub, options->allow_burn);
    sub.AddFlag("--yes", options->yes, "Do not ask");
    AddOutput(sub, *options);
}

} // namespace

Action DeclarePSBT(CommandParser& parser)
{
    auto options{std::make_shared<PSBTOptions>()};
    parser.Explain("A PSBT (BIP 174, 370, 371) carries a transaction from one signer to the next. Inputs that spend a leaf of a P2MR\n"
                    "(P2TSH) or P2TR output are signed and finalized; others, and every field that slhtool does not know, pass through.\n"
                    "SLH-DSA signatures are in a proprietary field, which doc/psbt.md describes.");
    DeclareCreate(parser, options);
    DeclareUpdate(parser, options);
    DeclareSign(parser, options);

    CommandParser combine{DeclareVerb(parser, options, "combine", "Combine the PSBTs of several signers", CombinePSBT)};
    combine.Explain("Of two signatures by one key for one leaf, the first valid one stays.");
    combine.Add("PSBT", options->psbts, "PSBTs of one transaction: base64, hex, @FILE or -").Required();
    combine.AddFlag("--unchecked", options->unchecked, "Keep signatures that are not valid");
    AddOutput(combine, *options);

    CommandParser finalize{DeclareVerb(parser, options, "finalize", "Make the witnesses, if nothing is missing", FinalizePSBT)};
    finalize.Explain("Uses the signatures that are valid, and the first leaf for which they suffice and whose lock times the transaction\n"
                      "meets. Exit status 0: complete and valid, 1: not (nothing is written).");
    AddPSBT(finalize, *options);
    AddNonstandardFlag(finalize, options->nonstandard);
    AddBurnFlag(finalize, options->allow_burn);
    AddOutput(finalize, *options);

    CommandParser extract{DeclareVerb(parser, options, "extract", "Print the signed transaction in hex", ExtractPSBT)};
    AddPSBT(extract, *options);
    extract.Add("--out FILE", options->out.path, "Write it to this file as slhtool spend does: JSON, with what it spends");
    AddForceFlag(extract, options->out.force);
    extract.AddFlag("--unchecked", options->unchecked, "Do not verify it; for a PSBT that does not say what its inputs spend");
    AddJsonFlag(extract, options->json);

    CommandParser show{DeclareVerb(parser, options, "show", "Show what a PSBT says, and what it lacks", ShowPSBT)};
    AddPSBT(show, *options);
    AddNetworkOption(show, options->network, "The network of the addresses");
    AddJsonFlag(show, options->json);

    parser.RequireCommand();
    parser.AddExamples(
        {{"two of three sign", "slhtool psbt create --outpoint $TXID:0 --amount 100000 --tree @vault.tree --to bcrt1z... --out vault.psbt"},
         {"each of them, wherever they are", "slhtool psbt sign @vault.psbt --key a.key --out a.psbt"},
         {"and one of them puts it together", "slhtool psbt combine @a.psbt @c.psbt --out both.psbt"},
         {"the transaction", "slhtool psbt finalize @both.psbt --out final.psbt; slhtool psbt extract @final.psbt"},
         {"with a node that selects the coins",
          "bitcoin-cli createpsbt ... | slhtool psbt update - --tree @vault.tree --input 0 --amount 100000 --out vault.psbt"}});
    return [options] {
        CheckOutputFile(options->out);
        return options->verb();
    };
}

} // namespace slhc::tool
