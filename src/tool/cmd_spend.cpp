// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/commands.h>
#include <tool/input.h>
#include <tool/keys.h>
#include <tool/output.h>
#include <tool/output_file.h>
#include <tool/spender.h>
#include <tool/verification.h>
#include <util/hex.h>
#include <wallet/leaf_recipe.h>

#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <set>

namespace slhc::tool {
namespace {

struct SpendCommandOptions {
    SpendOptions spend;
    OutputFile out;
    bool unchecked{false}, dry_run{false}, hex{false}, json{false};
};

void PrintSummary(Json plan, const SpendCommandOptions& options)
{
    if (options.json) {
        if (!options.out.empty()) plan["file"] = options.out.path;
        PrintJson(plan);
    } else {
        if (!options.out.empty()) PrintTable({{"file", Printable(options.out.path)}});
        PrintPlan(plan);
    }
}

ExitStatus Spend(const SpendCommandOptions& options)
{
    if (options.hex && options.json) throw InputError{"--hex", "cannot be combined with --json"};
    if (options.dry_run && (options.hex || !options.out.empty())) throw InputError{"--dry-run", "cannot be combined with --hex or --out"};
    CheckOutputFile(options.out);
    const SpendSpec spec{options.spend.Spec()};
    const SpendPlan plan{PlanSpend(spec)};
    if (options.dry_run) {
        PrintSummary(PlanJson(spec, plan), options);
        return EXIT_VALID;
    }

    SpendFile file{SignSpend(spec, plan)};
    file.name = options.out.empty() ? "the transaction" : options.out.path;
    // Each signature by a secret key was verified when it was made. This is about what the spec says of the rest: witnesses and signatures
    // from elsewhere, lock times, the flags; and about keys for experiments.
    if (!options.unchecked) {
        const auto result{VerifySpends(std::span{&file, 1}, /*batched=*/false)};
        if (!result.Valid()) return RefuseInvalid(result, options.json, "--unchecked writes it anyway");
    }
    if (!options.out.empty()) WriteTextFile(options.out, SpendFileJson(file).dump(2) + "\n");
    if (options.hex) {
        PrintLine(HexStr(SerializeToVector(*file.tx)));
    } else if (options.out.empty()) {
        PrintJson(SpendFileJson(file));
    } else {
        PrintSummary(PlanJson(spec, plan), options);
    }
    return EXIT_VALID;
}

struct SighashOptions {
    SpendOptions spend;
    std::string input;
    bool json{false};
};

/** A hash for each key that a leaf asks for. */
Json InputJson(const SpendSpec& spec, const SpendPlan& plan, const SpendSignatureHasher& hasher, uint32_t n_in)
{
    const SpendInput& input{spec.inputs[n_in]};
    // Its signatures have hash types and positions of their own.
    if (input.witness) throw InputError{"slhtool sighash computes no hash for a witness given by hand"};
    const auto& leaf{input.tree.Leaves()[plan.inputs[n_in].leaf]};
    Json json = {{"input", n_in},
                 {"leaf", plan.inputs[n_in].leaf},
                 {"leaf_hash", HexStr(leaf.hash.Bytes())},
                 {"sighash", HashTypeName(input.hash_type)},
                 {"signers", Json::array()}};
    std::set<wallet::LeafKey> keys;
    for (const auto& condition : wallet::ReadLeafRecipe(leaf.script).conditions) {
        if (const auto* const signatures{std::get_if<wallet::LeafSignatures>(&condition)}) {
            keys.insert(signatures->keys.begin(), signatures->keys.end());
        }
    }
    for (const auto& key : keys) {
        const KeyVersion key_version{wallet::KeyVersionOf(key.type, key.public_key)};
        json["signers"].push_back({{"type", KeyTypeName(key.type, key.public_key)},
                                   {"public_key", HexStr(key.public_key)},
                                   {"hash", HexStr(hasher.Hash(n_in, key_version, input.hash_type).Bytes())}});
    }
    return json;
}

ExitStatus Sighash(const SighashOptions& options)
{
    const SpendSpec spec{options.spend.Spec()};
    const SpendPlan plan{PlanSpend(spec, Signers::OTHERS)};
    const SpendSignatureHasher hasher{spec, plan};
    Json json = PlanJson(spec, plan);
    json["hashes"] = Json::array();
    std::optional<size_t> only;
    if (!options.input.empty()) only = Within("--input", [&] { return ParseIndex(options.input, spec.inputs.size(), "input"); });
    for (uint32_t i = 0; i < spec.inputs.size(); ++i) {
        if (only && i != *only) continue;
        json["hashes"].push_back(Within("input " + std::to_string(i), [&] { return InputJson(spec, plan, hasher, i); }));
    }
    if (options.json) {
        PrintJson(json);
        return EXIT_VALID;
    }
    PrintPlan(json);
    for (const auto& input : json["hashes"]) {
        PrintLine("");
        PrintLine("input " + input["input"].dump() + ", leaf " + input["leaf"].dump() + ", hash type " +
                  input["sighash"].get<std::string>());
        for (const auto& signer : input["signers"]) {
            PrintTable({{signer["type"].get<std::string>(), signer["public_key"].get<std::string>()},
                        {"  signs", signer["hash"].get<std::string>()}});
        }
    }
    return EXIT_VALID;
}

} // namespace

Action DeclareSpend(CommandParser& parser)
{
    auto options{std::make_shared<SpendCommandOptions>()};
    parser.Explain("Builds a transaction, signs it with each input's keys, verifies it, and prints it as JSON, with the outputs that\n"
                   "it spends, as verify-tx and debug read it. Options describe one input, a SPEC file several.");
    options->spend.Declare(parser, OptionsFor::SPEND);
    parser.Add(
        "--out FILE", options->out.path,
        "Write the transaction to this file and print a summary; without it, the transaction itself is printed; it is JSON either way");
    AddForceFlag(parser, options->out.force);
    parser.AddFlag("--hex", options->hex,
                   "Print only the transaction, in hex, as sendrawtransaction takes it; with --out, instead of the summary");
    parser.AddFlag("--dry-run", options->dry_run, "Sign nothing: print inputs, outputs, lock times, size and fee");
    parser.AddFlag("--unchecked", options->unchecked, "Write the transaction even if it is invalid");
    AddJsonFlag(parser, options->json);
    parser.Explain(SpecHelp(OptionsFor::SPEND) +
                   "\n\nA signature commits to the amount and the script of its coin: a transaction with a wrong --amount or --tree is\n"
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
    return [options] { return Spend(*options); };
}

Action DeclareSighash(CommandParser& parser)
{
    auto options{std::make_shared<SighashOptions>()};
    parser.Explain("Prints what each signer of an input signs, for those who sign elsewhere: 32 bytes, which slhtool sign --message\n"
                   "takes. The hash depends on the type of the key. It is that of a spend with the same options or the same SPEC file:\n"
                   "--signature gives the signatures back to slhtool spend. Before you sign, compare the outputs and the fee.");
    options->spend.Declare(parser, OptionsFor::SIGHASH);
    parser.Add("--input N", options->input, "Only this input, counted from 0");
    AddJsonFlag(parser, options->json);
    parser.Explain(SpecHelp(OptionsFor::SIGHASH));
    parser.AddExamples({{"what there is to sign", "slhtool sighash spec.json"},
                        {"sign it where the key is", "slhtool sign --key alice.key --message $HASH --out alice.sig"},
                        {"the transaction, with a key that is here",
                         "slhtool spend spec.json --key bob.key --signature @alice.pub=@alice.sig --out spend.json"}});
    return [options] { return Sighash(*options); };
}

} // namespace slhc::tool
