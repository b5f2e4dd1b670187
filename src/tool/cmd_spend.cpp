// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <slhconsensus.h>
#include <tool/api.h>
#include <tool/commands.h>
#include <tool/input.h>
#include <tool/output.h>
#include <tool/spender.h>
#include <tool/terminal.h>
#include <tool/tree.h>
#include <tool/verification.h>
#include <util/hex.h>

#include <memory>
#include <utility>

namespace slhc::tool {
namespace {

struct Options {
    std::string spec, outpoint, amount, tree, leaf, sighash{"DEFAULT"}, annex, lock_time, sequence, fee, fee_rate,
        network{NetworkName(Network::REGTEST)}, flags{"consensus"}, out;
    std::vector<std::string> keys, preimages, witness, to;
    bool unchecked{false}, any_fee{false}, dry_run{false}, hex{false}, json{false};
};

COutPoint ParseOutpoint(const std::string& text)
{
    const size_t colon{text.find(':')};
    if (colon == text.npos) throw InputError{Quote(text) + " is not TXID:INDEX"};
    const auto txid{uint256::FromHex(text.substr(0, colon))};
    if (!txid) throw InputError{"the transaction id is not 64 hex digits"};
    return {*txid, static_cast<uint32_t>(ParseNumber(text.substr(colon + 1), 0xfffffffe))};
}

/** ADDRESS=AMOUNT; an address alone gets what is left. */
void AddOutputs(SpendSpec& spec, const std::vector<std::string>& outputs)
{
    for (const auto& to : outputs) {
        const size_t equals{to.find('=')};
        CTxOut output{0, PayToAddress(to.substr(0, equals), spec.network)};
        if (equals != to.npos) {
            output.nValue = ParseAmount(to.substr(equals + 1));
        } else if (spec.rest) {
            throw InputError{Quote(to) + ": a second address without an amount"};
        } else {
            spec.rest = spec.outputs.size();
        }
        spec.outputs.push_back(std::move(output));
    }
}

void SetFee(SpendSpec& spec, const Options& options)
{
    if (options.fee.empty() && options.fee_rate.empty()) return;
    const char* const given{options.fee.empty() ? "--feerate" : "--fee"};
    if (!options.fee.empty() && !options.fee_rate.empty()) throw InputError{given, "cannot be combined with --feerate"};
    if (!spec.rest) throw InputError{given, "every output has an amount, so the fee is what is left; leave one amount out"};
    Within(given, [&] {
        if (options.fee.empty()) {
            spec.fee_rate = ParseFeeRate(options.fee_rate);
        } else {
            spec.fee = ParseAmount(options.fee);
        }
    });
}

SpendSpec SpecFromOptions(const Options& options)
{
    for (const auto& [name, value] :
         {std::pair{"--outpoint", &options.outpoint}, {"--amount", &options.amount}, {"--tree", &options.tree}}) {
        if (value->empty()) throw InputError{name, "is missing (or give a SPEC file)"};
    }
    if (options.to.empty()) throw InputError{"--to", "is missing"};
    SpendInput input{
        .outpoint = Within("--outpoint", [&] { return ParseOutpoint(options.outpoint); }),
        .amount = Within("--amount", [&] { return ParseAmount(options.amount); }),
        .tree = Within("--tree", [&] { return TreeArgument(options.tree); }),
        .leaf = {},
        .keys = {},
        .preimages = {},
        .witness = {},
        .annex = options.annex.empty() ? std::vector<uint8_t>{} : HexArgument("--annex", options.annex),
        .sequence = {},
    };
    if (!options.leaf.empty()) input.leaf = Within("--leaf", [&] { return ParseNumber(options.leaf, input.tree.Leaves().size() - 1); });
    for (const auto& key : options.keys) {
        input.keys.push_back(std::make_shared<const KeyPair>(Within("--key", [&] { return ReadKeyFile(key); })));
    }
    for (const auto& preimage : options.preimages) input.preimages.push_back(HexArgument("--preimage", preimage));
    if (!options.witness.empty()) {
        input.witness.emplace();
        for (const auto& element : options.witness) {
            input.witness->push_back(Within("--witness", [&] { return ParseWitnessElement(element); }));
        }
    }
    input.hash_type = Within("--sighash", [&] { return ParseHashType(options.sighash); });
    if (!options.sequence.empty()) {
        input.sequence = static_cast<uint32_t>(Within("--sequence", [&] { return ParseNumber(options.sequence, 0xffffffff); }));
    }
    SpendSpec spec;
    if (!options.lock_time.empty()) {
        spec.lock_time = static_cast<uint32_t>(Within("--locktime", [&] { return ParseNumber(options.lock_time, 0xffffffff); }));
    }
    spec.network = ParseNetwork(options.network);
    Within("--to", [&] { AddOutputs(spec, options.to); });
    SetFee(spec, options);
    spec.flags = Within("--flags", [&] { return ParseFlags(options.flags); });
    spec.inputs.push_back(std::move(input));
    return spec;
}

/** Say why there is nothing to write. */
ExitStatus Refuse(const VerificationResult& result, const Options& options)
{
    if (options.json) {
        Json json = VerificationJson(result);
        json["written"] = false;
        PrintJson(json);
    } else {
        PrintVerification(result);
        PrintLine("Not written: the transaction is not valid (--unchecked writes it anyway).");
    }
    return EXIT_INVALID;
}

void PrintSummary(Json plan, const Options& options)
{
    if (options.json) {
        if (!options.out.empty()) plan["file"] = options.out;
        PrintJson(plan);
    } else {
        if (!options.out.empty()) PrintTable({{"file", Printable(options.out)}});
        PrintPlan(plan);
    }
}

ExitStatus Spend(const Options& options)
{
    if (options.hex && options.json) throw InputError{"--hex", "cannot be combined with --json"};
    if (options.dry_run && (options.hex || !options.out.empty())) throw InputError{"--dry-run", "cannot be combined with --hex or --out"};
    const SpendSpec spec{options.spec.empty() ? SpecFromOptions(options) : ReadSpendSpec(options.spec)};
    const SpendPlan plan{PlanSpend(spec)};
    if (options.dry_run) PrintSummary(PlanJson(spec, plan), options);
    if (!options.any_fee) CheckFee(plan);
    if (options.dry_run) return EXIT_VALID;

    ShowStep(!options.json && spec.inputs.size() > 1, "signing " + std::to_string(spec.inputs.size()) + " inputs");
    SpendFile file{SignSpend(spec, plan)};
    file.name = options.out.empty() ? "the transaction" : options.out;
    if (!options.unchecked) {
        const auto result{VerifySpends(std::span{&file, 1}, /*batched=*/false)};
        if (!result.Valid()) return Refuse(result, options);
    }
    const Json json = SpendFileJson(file);
    if (!options.out.empty()) WriteTextFile(options.out, json.dump(2) + "\n");
    if (options.hex) {
        PrintLine(HexStr(file.raw_tx));
    } else if (options.out.empty()) {
        PrintJson(json);
    } else {
        PrintSummary(PlanJson(spec, plan), options);
    }
    return EXIT_VALID;
}

} // namespace

Action DeclareSpend(CommandParser& parser)
{
    auto options{std::make_shared<Options>()};
    parser.Describe(
        "Builds a transaction, signs it with each input's keys, verifies it, and prints it as JSON, with the outputs that\n"
        "it spends, as verify-tx and debug read it. Options describe one input, a SPEC file several.");
    parser.Add("SPEC", options->spec, "JSON file that says what to build, see below");
    CommandParser one{parser.AddGroup("One input, instead of SPEC")};
    one.Add("--outpoint TXID:N", options->outpoint, "The coin: TXID:INDEX");
    one.Add("--amount SATOSHIS", options->amount, "Its amount in satoshis");
    one.Add("--tree TREE", options->tree, "Its tree {A,{B,C}}, @FILE containing it, or @FILE from slhtool address --json");
    one.Add("--leaf N", options->leaf, "The leaf to spend, counted from 0 (default: the first that the keys can spend)");
    one.Add("--key FILE", options->keys, "Secret key file");
    one.Add("--preimage HEX", options->preimages, "Preimage in hex, for sha256(H)");
    one.Add("--witness ELEMENT", options->witness,
            "The leaf's initial stack given by hand, top last: <HEX>, sig(KEYFILE), sig(KEYFILE,HASHTYPE) or "
            "sig(KEYFILE,HASHTYPE,CODESEPARATOR), one for each element");
    one.Add("--sighash TYPE", options->sighash, "Hash type: DEFAULT, ALL, NONE or SINGLE, the last three also with |ANYONECANPAY");
    one.Add("--annex HEX", options->annex, "Annex in hex; its first byte is 50");
    one.Add("--sequence N", options->sequence, "nSequence (default: what the leaf's older() requires, else 4294967294)");
    one.Add("--locktime N", options->lock_time, "nLockTime (default: what the leaf's after() requires, else 0)");
    one.Add("--to ADDRESS=SATOSHIS", options->to,
            "ADDRESS=SATOSHIS, one for each output; one ADDRESS without an amount gets what the others and the fee leave");
    one.Add("--feerate RATE", options->fee_rate,
            "Fee in satoshis per virtual byte, if an ADDRESS gets what is left (default: " +
                std::to_string(DEFAULT_FEE_RATE / FEE_RATE_UNIT) + ")");
    one.Add("--fee SATOSHIS", options->fee, "Fee in satoshis, instead of --feerate");
    one.AddChoice("--network", options->network, {"regtest", "signet", "testnet", "mainnet"},
                  "The network of the addresses; those of other networks are refused");
    one.Add("--flags FLAGS", options->flags,
            "Rules to verify by: consensus, standard, or Bitcoin Core's names, e.g. P2SH,WITNESS,TAPROOT,P2MR,SLHDSA (P2MR: once P2TSH)");
    parser.Add(
        "--out FILE", options->out,
        "Write the transaction to this file and print a summary; without it, the transaction itself is printed; it is JSON either way");
    parser.AddFlag("--hex", options->hex,
                   "Print only the transaction, in hex, as sendrawtransaction takes it; with --out, instead of the summary");
    parser.AddFlag("--dry-run", options->dry_run, "Sign nothing: print inputs, outputs, lock times, size and fee");
    parser.AddFlag("--any-fee", options->any_fee, "Accept a fee below 1 satoshi per virtual byte, or of more than a quarter of the coins");
    parser.AddFlag("--unchecked", options->unchecked, "Write the transaction even if it is invalid");
    AddJsonFlag(parser, options->json);
    AddColorOption(parser);
    parser.Explain(
        "A SPEC file:\n"
        "  {\"version\": 2, \"locktime\": 0, \"flags\": \"consensus\", \"network\": \"regtest\", \"feerate\": 2,\n"
        "   \"inputs\": [{\"txid\": HEX, \"vout\": 0, \"amount\": 100000, \"tree\": \"@alice.tree\", \"leaf\": 0,\n"
        "               \"keys\": [\"alice.key\"], \"preimages\": [HEX], \"sighash\": \"ALL\", \"annex\": HEX,\n"
        "               \"sequence\": 4294967294, \"witness\": [\"sig(alice.key)\", \"<00ff>\"]}],\n"
        "   \"outputs\": [{\"address\": \"bcrt1z...\", \"amount\": 50000}, {\"script_pubkey\": HEX}]}\n"
        "An input must have txid, vout, amount and tree. One output may lack an amount: it gets what the others\n"
        "and the fee (\"feerate\", or \"fee\" in satoshis) leave.\n"
        "\n"
        "A signature commits to the amount and the script of every coin: a transaction with a wrong --amount or --tree is\n"
        "valid here but not to a node.");
    parser.AddExamples(
        {{"spend a coin with the key of its leaf",
          "slhtool spend --outpoint $TXID:0 --amount 100000 --tree @alice.tree --key alice.key --to bcrt1z... --out spend.json"},
         {"the size and the fee, before anything is signed", "slhtool spend --outpoint $TXID:0 --amount 100000 --tree @alice.tree --key "
                                                             "alice.key --to bcrt1z...=50000 --to bcrt1q... --feerate 5 --dry-run"},
         {"send it", "slhtool spend --outpoint $TXID:0 --amount 100000 --tree @alice.tree --key alice.key --to bcrt1z... --hex | "
                     "bitcoin-cli -regtest -stdin sendrawtransaction"},
         {"two of three",
          "slhtool spend --outpoint $TXID:1 --amount 100000 --tree @vault.tree --key a.key --key c.key --to bcrt1z... --out spend.json"},
         {"a transaction with several inputs", "slhtool spend spec.json --out spend.json"}});
    return [options, one] {
        if (!options->spec.empty()) {
            for (const auto& name : one.Given()) throw InputError{name, "cannot be combined with a SPEC file"};
        }
        return Spend(*options);
    };
}

} // namespace slhc::tool
