// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/spender.h>

#include <script/p2mr.h>
#include <script/sighash.h>
#include <slhconsensus.h>
#include <tool/error.h>
#include <tool/input.h>
#include <tool/tree.h>
#include <util/random.h>

#include <crypto/sha256.h>

#include <numeric>
#include <utility>

namespace slhc::tool {
namespace {

/** What an input's signatures commit to beside the transaction. */
ScriptExecutionData ExecutionData(const SpendInput& input, const ScriptTree::Leaf& leaf, uint32_t codeseparator_pos)
{
    ScriptExecutionData data;
    data.m_tapleaf_hash = leaf.hash;
    data.m_codeseparator_pos = codeseparator_pos;
    data.m_annex_init = true;
    if (!input.annex.empty()) data.m_annex_hash = ComputeAnnexHash(input.annex);
    return data;
}

class Signer
{
public:
    Signer(const SpendSpec& spec, const CMutableTransaction& tx, const PrecomputedTransactionData& txdata)
        : m_spec{spec}, m_tx{tx}, m_txdata{txdata} {}

    std::vector<std::vector<uint8_t>> Witness(uint32_t n_in) const
    {
        const SpendInput& input{m_spec.inputs[n_in]};
        const auto& [leaf, elements]{Plan(input)};
        std::vector<std::vector<uint8_t>> stack;
        for (const auto& element : elements) stack.push_back(element.key ? Sign(n_in, *leaf, element) : element.bytes);
        stack.emplace_back(leaf->script.begin(), leaf->script.end());
        stack.push_back(leaf->P2MRControlBlock());
        if (!input.annex.empty()) stack.push_back(input.annex);
        return stack;
    }

private:
    /** The leaf that is spent and its initial stack. */
    static std::pair<const ScriptTree::Leaf*, std::vector<WitnessElement>> Plan(const SpendInput& input)
    {
        const auto& leaves{input.tree.Leaves()};
        if (input.leaf && *input.leaf >= leaves.size()) {
            throw InputError{"leaf", std::to_string(*input.leaf) + " of a tree with " + std::to_string(leaves.size()) + " leaves"};
        }
        if (input.witness) return {&leaves[input.leaf.value_or(0)], *input.witness};
        std::string why;
        for (size_t i{input.leaf.value_or(0)}; i < (input.leaf ? *input.leaf + 1 : leaves.size()); ++i) {
            try {
                return {&leaves[i], PlanWitness(leaves[i].script, input.keys, input.preimages)};
            } catch (const InputError& e) {
                why += (why.empty() ? "leaf " : "; leaf ") + std::to_string(i) + ": " + e.what();
            }
        }
        throw InputError{why};
    }

    std::vector<uint8_t> Sign(uint32_t n_in, const ScriptTree::Leaf& leaf, const WitnessElement& element) const
    {
        const SpendInput& input{m_spec.inputs[n_in]};
        const uint8_t hash_type{element.hash_type.value_or(input.hash_type)};
        const KeyVersion version{element.key->type == KeyType::SLHDSA ? KeyVersion::SLHDSA : KeyVersion::BIP340};
        ScriptExecutionData data{ExecutionData(input, leaf, element.codeseparator_pos)};
        const auto hash{SignatureHashSchnorr(data, m_tx, n_in, hash_type, SigVersion::TAPSCRIPT, m_txdata, version)};
        if (!hash) throw InputError{"hash type SINGLE, but there is no output " + std::to_string(n_in)};
        SecretBytes random(SigningRandomSize(element.key->type));
        GetStrongRandBytes(random);
        auto signature{SignMessage(*element.key, hash->Bytes(), {}, random)};
        if (hash_type != SIGHASH_DEFAULT) signature.push_back(hash_type);
        return signature;
    }

    const SpendSpec& m_spec;
    const CMutableTransaction& m_tx;
    const PrecomputedTransactionData& m_txdata;
};

SpendInput InputFromJson(const JsonValue& json)
{
    json.OnlyMembers({"txid", "vout", "amount", "tree", "leaf", "keys", "preimages", "witness", "sighash", "annex", "sequence"});
    const JsonValue txid_json{json.At("txid")};
    const auto txid{uint256::FromHex(txid_json.String())};
    if (!txid) txid_json.Fail("not 64 hex digits");
    const JsonValue tree{json.At("tree")};
    SpendInput input{
        .outpoint = {*txid, static_cast<uint32_t>(json.At("vout").Number(0xfffffffe))},
        .amount = static_cast<CAmount>(json.At("amount").Number(MAX_MONEY)),
        .tree = tree.Within([&] { return TreeArgument(tree.String()); }),
        .leaf = {},
        .keys = {},
        .preimages = {},
        .witness = {},
        .annex = {},
    };
    if (const auto leaf{json.Find("leaf")}) input.leaf = leaf->Number(input.tree.Leaves().size() - 1);
    if (const auto keys{json.Find("keys")}) {
        for (const auto& key : keys->Elements()) {
            input.keys.push_back(key.Within([&] { return std::make_shared<const KeyPair>(ReadKeyFile(key.String())); }));
        }
    }
    if (const auto preimages{json.Find("preimages")}) {
        for (const auto& preimage : preimages->Elements()) input.preimages.push_back(preimage.Hex());
    }
    if (const auto witness{json.Find("witness")}) {
        input.witness.emplace();
        for (const auto& element : witness->Elements()) {
            input.witness->push_back(element.Within([&] { return ParseWitnessElement(element.String()); }));
        }
    }
    if (const auto sighash{json.Find("sighash")}) input.hash_type = sighash->Within([&] { return ParseHashType(sighash->String()); });
    if (const auto annex{json.Find("annex")}) input.annex = annex->Hex();
    if (const auto sequence{json.Find("sequence")}) input.sequence = static_cast<uint32_t>(sequence->Number(0xffffffff));
    return input;
}

SpendSpec SpecFromJson(const JsonValue& json)
{
    json.OnlyMembers({"version", "locktime", "inputs", "outputs", "flags", "description"});
    SpendSpec spec;
    spec.flags = SLHC_VERIFY_CONSENSUS;
    if (const auto version{json.Find("version")}) spec.version = static_cast<uint32_t>(version->Number(0xffffffff));
    if (const auto lock_time{json.Find("locktime")}) spec.lock_time = static_cast<uint32_t>(lock_time->Number(0xffffffff));
    for (const auto& input : json.At("inputs").Elements()) spec.inputs.push_back(InputFromJson(input));
    for (const auto& output : json.At("outputs").Elements()) spec.outputs.push_back(TxOutFromJson(output));
    if (const auto flags{json.Find("flags")}) spec.flags = flags->Within([&] { return ParseFlags(flags->String()); });
    if (const auto description{json.Find("description")}) spec.description = description->String();
    return spec;
}

void CheckSpec(const SpendSpec& spec)
{
    if (spec.inputs.empty()) throw InputError{"inputs", "none"};
    if (spec.outputs.empty()) throw InputError{"outputs", "none"};
    CAmount in{0}, out{0};
    for (const auto& input : spec.inputs) in += input.amount;
    for (const auto& output : spec.outputs) out += output.nValue;
    if (out > in) throw InputError{"outputs", std::to_string(out) + " satoshis, and the inputs have " + std::to_string(in)};
    for (size_t i = 0; i < spec.inputs.size(); ++i) {
        const auto& annex{spec.inputs[i].annex};
        if (!annex.empty() && annex[0] != ANNEX_TAG) throw InputError{"input " + std::to_string(i), "annex: does not begin with 50"};
    }
}

} // namespace

SpendSpec ReadSpendSpec(const std::string& path)
{
    const std::string text{ReadFile(path)};
    return Within(path == "-" ? "standard input" : path, [&] {
        const Json json = ParseJson(text);
        return SpecFromJson(JsonValue{json});
    });
}

SpendFile BuildSpend(const SpendSpec& spec, Progress* progress)
{
    CheckSpec(spec);
    CMutableTransaction tx;
    tx.version = spec.version;
    tx.nLockTime = spec.lock_time;
    tx.vout = spec.outputs;
    SpendFile file;
    file.flags = spec.flags;
    file.description = spec.description;
    for (const auto& input : spec.inputs) {
        tx.vin.emplace_back(input.outpoint, CScript{}, input.sequence);
        file.spent_outputs.emplace_back(input.amount, P2MRScriptPubKey(input.tree.Root()));
    }
    const PrecomputedTransactionData txdata{tx, std::vector<CTxOut>{file.spent_outputs}, /*force=*/true};
    const Signer signer{spec, tx, txdata};
    std::vector<std::vector<std::vector<uint8_t>>> witnesses;
    for (uint32_t i = 0; i < tx.vin.size(); ++i) {
        witnesses.push_back(Within("input " + std::to_string(i), [&] { return signer.Witness(i); }));
        if (progress) progress->Done(i + 1);
    }
    for (size_t i = 0; i < witnesses.size(); ++i) tx.vin[i].scriptWitness.stack = std::move(witnesses[i]);
    file.raw_tx = SerializeToVector(tx);
    return file;
}

} // namespace slhc::tool
