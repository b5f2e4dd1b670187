// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/address.h>
#include <slhconsensus.h>
#include <tool/api.h>
#include <tool/commands.h>
#include <tool/input.h>
#include <tool/output.h>
#include <tool/spender.h>
#include <tool/tree.h>
#include <tool/verification.h>
#include <util/hex.h>

#include <memory>
#include <numeric>

namespace slhc::tool {
namespace {

constexpr CAmount DEFAULT_FEE{1000};

struct Options {
    std::string spec, outpoint, amount, tree, leaf, sighash{"DEFAULT"}, annex, lock_time{"0"}, sequence, fee{std::to_string(DEFAULT_FEE)}, flags{"consensus"}, out;
    std::vector<std::string> keys, preimages, witness, to;
    bool unchecked{false}, json{false};
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
std::vector<CTxOut> ParseOutputs(const Options& options, CAmount available)
{
    std::vector<CTxOut> outputs;
    CTxOut* rest{nullptr};
    outputs.reserve(options.to.size());
    CAmount spent{0};
    for (const auto& to : options.to) {
        const size_t equals{to.find('=')};
        std::string error;
        const auto address{DecodeAddress(to.substr(0, equals), error)};
        if (!address) throw InputError{Quote(to.substr(0, equals)) + ": " + error};
        outputs.emplace_back(0, CScript{address->program.ScriptPubKey()});
        if (equals != to.npos) {
            outputs.back().nValue = ParseAmount(to.substr(equals + 1));
            spent += outputs.back().nValue;
        } else if (rest) {
            throw InputError{Quote(to) + ": a second address without an amount"};
        } else {
            rest = &outputs.back();
        }
    }
    if (rest) {
        rest->nValue = available - spent - Within("--fee", [&] { return ParseAmount(options.fee); });
        if (rest->nValue < 0) throw InputError{"nothing is left of " + std::to_string(available) + " satoshis for the address without an amount"};
    }
    return outputs;
}

SpendSpec SpecFromOptions(const Options& options)
{
    for (const auto& [name, value] : {std::pair{"--outpoint", &options.outpoint}, {"--amount", &options.amount}, {"--tree", &options.tree}}) {
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
    };
    if (!options.leaf.empty()) input.leaf = Within("--leaf", [&] { return ParseNumber(options.leaf, input.tree.Leaves().size() - 1); });
    for (const auto& key : options.keys) input.keys.push_back(std::make_shared<const KeyPair>(Within("--key", [&] { return ReadKeyFile(key); })));
    for (const auto& preimage : options.preimages) input.preimages.push_back(HexArgument("--preimage", preimage));
    if (!options.witness.empty()) {
        input.witness.emplace();
        for (const auto& element : options.witness) input.witness->push_back(Within("--witness", [&] { return ParseWitnessElement(element); }));
    }
    input.hash_type = Within("--sighash", [&] { return ParseHashType(options.sighash); });
    if (!options.sequence.empty()) input.sequence = static_cast<uint32_t>(Within("--sequence", [&] { return ParseNumber(options.sequence, 0xffffffff); }));
    SpendSpec spec;
    spec.lock_time = static_cast<uint32_t>(Within("--locktime", [&] { return ParseNumber(options.lock_time, 0xffffffff); }));
    spec.outputs = Within("--to", [&] { return ParseOutputs(options, input.amount); });
    spec.flags = Within("--flags", [&] { return ParseFlags(options.flags); });
    spec.inputs.push_back(std::move(input));
    return spec;
}

SpendFile Build(const Options& options)
{
    const SpendSpec spec{options.spec.empty() ? SpecFromOptions(options) : ReadSpendSpec(options.spec)};
    Progress progress{!options.json, "signing inputs", spec.inputs.size()};
    return BuildSpend(spec, &progress);
}

ExitStatus Spend(const Options& options)
{
    SpendFile file{Build(options)};
    file.name = options.out.empty() ? "the transaction" : options.out;
    if (!options.unchecked) {
        const auto result{VerifySpends(std::span{&file, 1}, /*batched=*/false)};
        if (!result.Valid()) {
            if (options.json) {
                Json json = VerificationJson(result);
                json["written"] = false;
                PrintJson(json);
            } else {
                PrintVerification(result);
                PrintLine("Not written: the transaction is not valid (--unchecked writes it all the same).");
            }
            return EXIT_INVALID;
        }
    }
    const Json json = SpendFileJson(file);
    if (options.out.empty()) {
        PrintJson(json);
        return EXIT_VALID;
    }
    WriteTextFile(options.out, json.dump(2) + "\n");
    const CTransaction tx{ParseTx(file.raw_tx)};
    CAmount fee{0};
    for (const auto& output : file.spent_outputs) fee += output.nValue;
    for (const auto& output : tx.vout) fee -= output.nValue;
    if (options.json) {
        PrintJson({{"file", options.out}, {"txid", json["txid"]}, {"weight", json["weight"]}, {"fee", fee}});
    } else {
        PrintTable({{"file", Printable(options.out)}, {"txid", json["txid"]}, {"weight", json["weight"].dump()}, {"fee", std::to_string(fee)}});
    }
    return EXIT_VALID;
}

} // namespace

Action DeclareSpend(CommandParser& parser)
{
    auto options{std::make_shared<Options>()};
    parser.Describe(
        "Builds a transaction, signs it with each input's keys, verifies it, and prints it with the outputs that it\n"
        "spends as JSON: what verify-tx and debug read. One input by options, or several by a SPEC file.");
    parser.Add("SPEC", options->spec, "JSON file that says what to build, see below");
    CommandParser one{parser.AddGroup("One input, instead of SPEC")};
    one.Add("--outpoint TXID:N", options->outpoint, "The coin: TXID:INDEX");
    one.Add("--amount SATOSHIS", options->amount, "Its amount in satoshis");
    one.Add("--tree TREE", options->tree, "Its tree {A,{B,C}}, or @FILE with that, or @FILE from slhtool address --json");
    one.Add("--leaf N", options->leaf, "The leaf to spend, counted from 0 (default: the first that the keys can spend)");
    one.Add("--key FILE", options->keys, "Secret key file");
    one.Add("--preimage HEX", options->preimages, "Preimage in hex, for sha256(H)");
    one.Add("--witness ELEMENT", options->witness, "The leaf's initial stack by hand, its top last: <HEX>, sig(KEYFILE), sig(KEYFILE,HASHTYPE) or sig(KEYFILE,HASHTYPE,CODESEPARATOR), one for each element");
    one.Add("--sighash TYPE", options->sighash, "Hash type: DEFAULT, ALL, NONE, SINGLE, the last three also with |ANYONECANPAY");
    one.Add("--annex HEX", options->annex, "Annex in hex, its first byte 50");
    one.Add("--sequence N", options->sequence, "nSequence (default: 4294967294)");
    one.Add("--locktime N", options->lock_time, "nLockTime");
    one.Add("--to ADDRESS=SATOSHIS", options->to, "ADDRESS=SATOSHIS, one for each output; one ADDRESS alone gets what is left but --fee");
    one.Add("--fee SATOSHIS", options->fee, "Fee in satoshis, if an address gets what is left");
    one.Add("--flags FLAGS", options->flags, "Rules to verify by: consensus, standard, or Bitcoin Core's names, e.g. P2SH,WITNESS,TAPROOT,P2MR,SLHDSA (P2MR: once P2TSH)");
    parser.Add("--out FILE", options->out, "Write the transaction to this file and print a summary; without it the transaction itself is printed, JSON either way");
    parser.AddFlag("--unchecked", options->unchecked, "Write the transaction even if it is not valid");
    AddJsonFlag(parser, options->json);
    AddColorOption(parser);
    parser.Explain(
        "A SPEC file:\n"
        "  {\"version\": 2, \"locktime\": 0, \"flags\": \"consensus\",\n"
        "   \"inputs\": [{\"txid\": HEX, \"vout\": 0, \"amount\": 100000, \"tree\": \"@alice.tree\", \"leaf\": 0,\n"
        "               \"keys\": [\"alice.key\"], \"preimages\": [HEX], \"sighash\": \"ALL\", \"annex\": HEX,\n"
        "               \"sequence\": 4294967294, \"witness\": [\"sig(alice.key)\", \"<00ff>\"]}],\n"
        "   \"outputs\": [{\"address\": \"bcrt1z...\", \"amount\": 99000}, {\"script_pubkey\": HEX, \"amount\": 0}]}\n"
        "Of an input, txid, vout, amount and tree must be there.");
    parser.AddExamples({{"spend a coin with the key of its leaf", "slhtool spend --outpoint $TXID:0 --amount 100000 --tree @alice.tree --key alice.key --to bcrt1z...=99000 --out spend.json"},
                        {"two of three", "slhtool spend --outpoint $TXID:1 --amount 100000 --tree @vault.tree --key a.key --key c.key --to bcrt1z... --out spend.json"},
                        {"a transaction with several inputs", "slhtool spend spec.json --out spend.json"}});
    return [options, one] {
        if (!options->spec.empty()) {
            for (const auto& name : one.Given()) throw InputError{name, "does not go with a SPEC file"};
        }
        return Spend(*options);
    };
}

} // namespace slhc::tool
