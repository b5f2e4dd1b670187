// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/psbt_view.h>

#include <script/opcode_info.h>
#include <script/sighash.h>
#include <script/taptree.h>
#include <script/verify_flags.h>
#include <tool/asm.h>
#include <tool/keys.h>
#include <tool/psbt_file.h>
#include <tool/tree.h>
#include <util/hex.h>
#include <wallet/descriptor.h>
#include <wallet/psbt_finalizer.h>
#include <wallet/tap_tree.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace slhc::tool {
namespace {

using wallet::PartiallySignedTransaction;

Json OutputJson(const CTxOut& output, Network network)
{
    Json json = {{"amount", output.nValue}, {"script_pubkey", HexStr(output.scriptPubKey)}};
    if (const auto program{WitnessProgram::FromScriptPubKey(output.scriptPubKey)}) json["address"] = EncodeAddress(network, *program);
    return json;
}

void AddProblem(Json& json, const std::string& problem)
{
    if (problem.empty()) return;
    json["problem"] = json.contains("problem") ? json["problem"].get<std::string>() + "; " + problem : problem;
}

/** True if a leaf needs no signature and no preimage, as far as it is understood: what is left to later rules needs nothing. */
bool AnyoneCanSpend(const ScriptTree::Leaf& leaf)
{
    if (leaf.version != TAPROOT_LEAF_TAPSCRIPT) return true;
    // In place of keys of unknown type, for which any signature does. No script has its own hash in it.
    const std::span<const uint8_t> anyones_key{leaf.hash.Bytes()};
    CScript script;
    size_t push_begin{0};
    opcodetype opcode;
    std::span<const uint8_t> data, pushed;
    auto read{leaf.script.begin()};
    for (auto pc{read}; leaf.script.GetOp(pc, opcode, data); read = pc, pushed = data) {
        if (IsOpSuccess(opcode, SCRIPT_VERIFY_SLHDSA)) return true;
        const auto type{wallet::CheckedKeyType(opcode)};
        if (type && !pushed.empty() && !wallet::IsKey(*type, pushed)) {
            script.resize(push_begin);
            script << anyones_key;
        }
        push_begin = script.size();
        script.insert(script.end(), read, pc);
    }
    if (read != leaf.script.end()) return false; // cannot be decoded
    const auto by_anyone{[&](const wallet::LeafKey& key) {
        return std::ranges::equal(key.public_key, anyones_key) ? std::optional{std::vector<uint8_t>{1}} : std::nullopt;
    }};
    const auto nothing{[](const auto&) -> std::optional<std::vector<uint8_t>> { return std::nullopt; }};
    const auto recipe{wallet::ReadLeafRecipe(script)};
    return recipe.unknown.empty() && wallet::SatisfyLeaf(recipe, by_anyone, nothing).Complete();
}

/** The tree of an output, if it is that. */
void AddTree(Json& json, const PartiallySignedTransaction& psbt, size_t n_out)
{
    const auto bytes{PartiallySignedTransaction::Find(psbt.Outputs()[n_out], wallet::PSBT_OUT_TAP_TREE)};
    if (!bytes) return;
    try {
        const ScriptTree tree{wallet::ParseTapTree(*bytes)};
        const std::string problem{wallet::OutputTreeProblem(psbt, n_out, tree)};
        if (!problem.empty()) return AddProblem(json, problem);
        json["tree"] = FormatTree(tree);
        const auto& leaves{tree.Leaves()};
        if (leaves.size() == 1 && psbt.Output(n_out).scriptPubKey.IsPayToMerkleRoot()) {
            AddProblem(json, std::string{wallet::SINGLE_LEAF_PROBLEM});
        }
        for (size_t i = 0; i < leaves.size(); ++i) {
            if (AnyoneCanSpend(leaves[i])) AddProblem(json, "anyone can spend leaf " + std::to_string(i));
        }
    } catch (const ParseError& e) {
        AddProblem(json, std::string{"PSBT_OUT_TAP_TREE: "} + e.what());
    }
}

/** @param[in] verifier  null if some spent output is not known, so that no signature can be verified */
Json LeafJson(const PartiallySignedTransaction& psbt, size_t n_in, const wallet::PSBTLeaf& leaf, const wallet::PSBTVerifier* verifier)
{
    Json json = {{"leaf_hash", HexStr(leaf.hash.Bytes())}, {"script", HexStr(leaf.script)}, {"asm", FormatScript(leaf.script)}};
    if (!leaf.problem.empty()) {
        json["problem"] = leaf.problem;
        return json;
    }
    json["signatures"] = Json::array();
    for (const auto& key : wallet::KeysOf(wallet::ReadLeafRecipe(leaf.script))) {
        const auto signature{wallet::GetSignature(psbt, n_in, leaf.hash, key)};
        Json of_key = {{"type", KeyTypeName(key.type, key.public_key)},
                       {"public_key", HexStr(key.public_key)},
                       {"signed", signature.has_value()}};
        if (signature) {
            of_key["sighash"] = HashTypeName(wallet::SignatureHashType(key, *signature));
            if (verifier) of_key["valid"] = verifier->SignatureError(n_in, leaf.hash, key, *signature).empty();
        }
        json["signatures"].push_back(std::move(of_key));
    }
    if (!verifier) return json;
    const auto progress{wallet::LeafProgress(psbt, n_in, leaf, *verifier)};
    if (!progress.Complete()) json["missing"] = progress.missing;
    return json;
}

Json InputJson(const PartiallySignedTransaction& psbt, size_t n_in, const CTxIn& txin, Network network,
               const wallet::PSBTVerifier* verifier)
{
    Json json = {{"txid", txin.prevout.hash.GetHex()}, {"vout", txin.prevout.n}, {"sequence", txin.nSequence}};
    if (const auto spent{psbt.SpentOutput(n_in)}) json.update(OutputJson(*spent, network));
    if (const auto asked{PartiallySignedTransaction::Find(psbt.Inputs()[n_in], wallet::PSBT_IN_SIGHASH_TYPE)}) {
        const uint32_t type{ReadLE32(asked->data())};
        json["sighash"] = type <= UINT8_MAX ? Json(HashTypeName(static_cast<uint8_t>(type))) : Json(type);
        AddProblem(json, wallet::HashTypeProblem(type, n_in, psbt.Outputs().size()));
    }
    AddProblem(json, wallet::InputTreeProblem(psbt, n_in));
    json["final"] = wallet::IsFinal(psbt, n_in);
    json["leaves"] = Json::array();
    for (const auto& leaf : wallet::Leaves(psbt, n_in)) json["leaves"].push_back(LeafJson(psbt, n_in, leaf, verifier));
    return json;
}

} // namespace

Json PSBTJson(const PartiallySignedTransaction& psbt, Network network)
{
    return WithPSBT([&] {
        const CMutableTransaction tx{psbt.UnsignedTx()};
        const auto verifier{wallet::PSBTVerifier::Make(psbt)};
        Json json = {{"psbt_version", psbt.Version()},
                     {"txid", tx.GetHash().GetHex()},
                     {"version", tx.version},
                     {"locktime", tx.nLockTime},
                     {"inputs", Json::array()},
                     {"outputs", Json::array()}};
        for (size_t i = 0; i < tx.vin.size(); ++i) {
            json["inputs"].push_back(InputJson(psbt, i, tx.vin[i], network, verifier ? &*verifier : nullptr));
        }
        for (size_t i = 0; i < tx.vout.size(); ++i) {
            Json output = OutputJson(tx.vout[i], network);
            AddTree(output, psbt, i);
            json["outputs"].push_back(std::move(output));
        }
        try {
            if (const auto fee{wallet::Fee(psbt)}) json["fee"] = *fee;
        } catch (const wallet::PSBTError& e) {
            json["problem"] = e.what();
        }
        return json;
    });
}

} // namespace slhc::tool
