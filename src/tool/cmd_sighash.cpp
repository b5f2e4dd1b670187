// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/commands.h>
#include <tool/hash_type.h>
#include <tool/input.h>
#include <tool/keys.h>
#include <tool/output.h>
#include <tool/spend_options.h>
#include <tool/spender.h>
#include <util/hex.h>
#include <wallet/leaf_recipe.h>

#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <set>
#include <utility>

namespace slhc::tool {
namespace {

struct Options {
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
        json["signers"].push_back({{"type", KeyTypeName(key.type)},
                                   {"public_key", HexStr(key.public_key)},
                                   {"hash", HexStr(hasher.Hash(n_in, key.type, input.hash_type).Bytes())}});
    }
    return json;
}

ExitStatus Sighash(const Options& options)
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

Action DeclareSighash(CommandParser& parser)
{
    auto options{std::make_shared<Options>()};
    parser.Explain("Prints what each signer of an input signs, for those who sign elsewhere: 32 bytes, which slhtool sign --message\n"
                    "takes. The hash depends on the type of the key. It is that of a spend with the same options or the same SPEC file:\n"
                    "--signature gives the signatures back to slhtool spend. Before you sign, compare the outputs and the fee.");
    options->spend.Declare(parser, OptionsFor::SIGHASH);
    parser.Add("--input N", options->input, "Only this input, counted from 0");
    AddJsonFlag(parser, options->json);
    parser.Explain(SPEC_HELP);
    parser.AddExamples({{"what there is to sign", "slhtool sighash spec.json"},
                        {"sign it where the key is", "slhtool sign --key alice.key --message $HASH --out alice.sig"},
                        {"the transaction, with a key that is here",
                         "slhtool spend spec.json --key bob.key --signature @alice.pub=@alice.sig --out spend.json"}});
    return [options] { return Sighash(*options); };
}

} // namespace slhc::tool
