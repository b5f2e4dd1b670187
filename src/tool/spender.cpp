// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/spender.h>

#include <script/sighash.h>
#include <script/taptree.h>
#include <tool/asm.h>
#include <tool/error.h>
#include <tool/output.h>
#include <util/check.h>
#include <util/counted.h>
#include <util/hex.h>
#include <wallet/leaf_expression.h>
#include <wallet/psbt_updater.h>

#include <nlohmann/json.hpp>

#include <cmath>
#include <set>
#include <tuple>
#include <utility>

namespace slhc::tool {
namespace {

/** "1 satoshi", "2 satoshis". */
std::string FormatSatoshis(CAmount amount)
{
    return Counted(amount, "satoshi");
}

/** Satoshis per virtual byte, to two decimals. */
double FeeRate(CAmount fee, int64_t virtual_size)
{
    return std::round(100.0 * static_cast<double>(fee) / static_cast<double>(virtual_size)) / 100;
}

/** The address of an output in JSON, or its script in hex. */
std::string DescribeScript(const Json& output)
{
    if (output.contains("address")) return output["address"].get<std::string>();
    const std::string script = output["script_pubkey"].get<std::string>();
    return script.empty() ? "(empty script)" : script;
}

/** "412 (103 virtual bytes)". */
std::string DescribeWeight(const Json& of)
{
    return of["weight"].dump() + " (" + of["vsize"].dump() + " virtual bytes)";
}

/** Fee at a rate for a size, rounded up. */
CAmount FeeAt(int64_t rate, int64_t virtual_size)
{
    return (rate * virtual_size + FEE_RATE_UNIT - 1) / FEE_RATE_UNIT;
}

/** @throws InputError for more than there can ever be */
CAmount Sum(const std::vector<CTxOut>& outputs)
{
    CAmount sum{0};
    for (const auto& output : outputs) {
        sum += output.nValue; // two amounts in range do not overflow
        if (!MoneyRange(sum)) throw InputError{"inputs or outputs of more than 21,000,000 bitcoin"};
    }
    return sum;
}

/** The whole witness of an input. @param[in] sign  gives a signature, with its hash type */
template <typename Sign>
std::vector<std::vector<uint8_t>> BuildWitness(const SpendInput& input, const SpendPlan::Input& planned, Sign&& sign)
{
    const auto& leaf{input.tree.Leaves()[planned.leaf]};
    std::vector<std::vector<uint8_t>> stack;
    for (const auto& element : planned.elements) stack.push_back(element.key || element.signer ? sign(element) : element.bytes);
    stack.emplace_back(leaf.script.begin(), leaf.script.end());
    stack.push_back(wallet::TreeControlBlock(input.tree, leaf, input.internal_key));
    if (!input.annex.empty()) stack.push_back(input.annex);
    return stack;
}

/** The data that an input's signatures commit to beside the transaction. */
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
    Signer(const SpendSpec& spec, const SpendPlan& plan) : m_spec{spec}, m_plan{plan}, m_hasher{spec, plan} {}

    std::vector<std::vector<uint8_t>> Witness(uint32_t n_in) const
    {
        const SpendInput& input{m_spec.inputs[n_in]};
        const SpendPlan::Input& planned{m_plan.inputs[n_in]};
        return BuildWitness(input, planned, [&](const WitnessElement& element) { return Sign(n_in, element); });
    }

private:
    std::vector<uint8_t> Sign(uint32_t n_in, const WitnessElement& element) const
    {
        assert(element.key); // with Signers::HERE nobody else signs
        const uint8_t hash_type{HashType(m_spec.inputs[n_in], element)};
        const KeyVersion key_version{wallet::KeyVersionOf(element.key->type, element.key->Element())};
        const uint256 hash{m_hasher.Hash(n_in, key_version, hash_type, element.codeseparator_pos)};
        return element.key->experiment ? SignHashForExperiment(*element.key, hash, hash_type) : SignHash(*element.key, hash, hash_type);
    }

    const SpendSpec& m_spec;
    const SpendPlan& m_plan;
    const SpendSignatureHasher m_hasher;
};

void CheckSpec(const SpendSpec& spec)
{
    if (spec.inputs.empty()) throw InputError{"inputs", "none"};
    if (spec.outputs.empty()) throw InputError{"outputs", "none"};
    std::set<std::pair<std::string, uint32_t>> coins;
    for (size_t i = 0; i < spec.inputs.size(); ++i) {
        const auto& [outpoint, annex]{std::tie(spec.inputs[i].outpoint, spec.inputs[i].annex)};
        if (!annex.empty() && annex[0] != ANNEX_TAG) throw InputError{"input " + std::to_string(i), "annex: does not begin with 50"};
        if (!coins.emplace(outpoint.hash.GetHex(), outpoint.n).second) {
            throw InputError{"input " + std::to_string(i), "spends the same coin as an earlier input"};
        }
    }
}

/** The signature by a key that an input was given, with its hash type. */
std::optional<std::vector<uint8_t>> FindGivenSignature(const SpendInput& input, const wallet::LeafKey& key)
{
    for (const auto& given : input.signatures) {
        if (given.public_key != key.public_key) continue;
        const size_t size{SignatureSize(key.type, key.public_key)};
        if (given.signature.size() != size && given.signature.size() != size + 1) {
            throw InputError{"the signature by " + HexStr(key.public_key) + " has " + Counted(given.signature.size(), "byte") +
                             ", not " + wallet::DescribeSignatureSize(key.type, key.public_key) + ", or one more with a hash type"};
        }
        auto signature{given.signature};
        if (signature.size() == size && input.hash_type != SIGHASH_DEFAULT) signature.push_back(input.hash_type);
        return signature;
    }
    return std::nullopt;
}

/** Why a leaf cannot be spent with the nSequence and the nLockTime that a spec gives explicitly; empty if it can. */
std::string GivenLockTimeProblem(const SpendSpec& spec, const SpendInput& input, const LockTimes& required)
{
    CMutableTransaction tx;
    tx.version = spec.version;
    tx.nLockTime = spec.lock_time.value_or(required.lock_time.value_or(0));
    tx.vin.emplace_back(input.outpoint, CScript{}, input.sequence.value_or(required.sequence.value_or(CTxIn::MAX_SEQUENCE_NONFINAL)));
    return wallet::LockTimeProblem(required, tx, 0);
}

/** The leaf that is spent and its initial stack: if there is a choice, one that the lock times allow. */
SpendPlan::Input PlanInput(const SpendSpec& spec, const SpendInput& input, Signers signers)
{
    const auto& leaves{input.tree.Leaves()};
    if (input.leaf && *input.leaf >= leaves.size()) {
        throw InputError{"leaf", std::to_string(*input.leaf) + ", but the tree has " + std::to_string(leaves.size()) + " leaves"};
    }
    if (input.witness) {
        const size_t leaf{input.leaf.value_or(0)};
        return {leaf, *input.witness, wallet::ReadLockTimes(leaves[leaf].script)};
    }
    const LeafMeans means{input.keys, input.preimages, [&](const wallet::LeafKey& key) { return FindGivenSignature(input, key); },
                          signers == Signers::OTHERS};
    std::string why;
    std::optional<SpendPlan::Input> too_early;
    for (size_t i{input.leaf.value_or(0)}; i < (input.leaf ? *input.leaf + 1 : leaves.size()); ++i) {
        try {
            SpendPlan::Input planned{i, PlanWitness(leaves[i].script, means), wallet::ReadLockTimes(leaves[i].script)};
            const bool is_tapscript{leaves[i].version == TAPROOT_LEAF_TAPSCRIPT};
            if (!is_tapscript || GivenLockTimeProblem(spec, input, planned.lock_times).empty()) return planned;
            if (!too_early) too_early = std::move(planned);
        } catch (const InputError& e) {
            why += (why.empty() ? "leaf " : "; leaf ") + std::to_string(i) + ": " + e.what();
        }
    }
    if (too_early) return *std::move(too_early);
    throw InputError{why};
}

/** The weight that the transaction will have: the key says how large a signature is. */
int64_t PlannedWeight(const SpendSpec& spec, const SpendPlan& plan)
{
    CMutableTransaction tx{plan.tx};
    for (size_t i = 0; i < tx.vin.size(); ++i) {
        tx.vin[i].scriptWitness.stack = BuildWitness(spec.inputs[i], plan.inputs[i], [&](const WitnessElement& element) {
            const size_t size{element.key ? SignatureSize(element.key->type, element.key->Element()) :
                                            SignatureSize(element.signer->type, element.signer->public_key)};
            return std::vector<uint8_t>(size + (HashType(spec.inputs[i], element) == SIGHASH_DEFAULT ? 0 : 1));
        });
    }
    return GetTransactionWeight(CTransaction{tx});
}

/** The fee, and the amount of the output that gets the rest. */
void SetFee(const SpendSpec& spec, SpendPlan& plan)
{
    const CAmount in{Sum(plan.spent_outputs)}, out{Sum(plan.tx.vout)};
    if (!spec.rest) {
        if (out > in) throw InputError{"outputs", FormatSatoshis(out) + ", but the inputs have " + std::to_string(in)};
        plan.fee = in - out;
        return;
    }
    plan.fee = spec.fee ? *spec.fee : FeeAt(spec.fee_rate, plan.VirtualSize());
    CTxOut& output{plan.tx.vout[*spec.rest]};
    output.nValue = in - out - plan.fee;
    if (output.nValue >= 0) return;
    throw InputError{"outputs", "the inputs have " + FormatSatoshis(in) + "; the other outputs (" + std::to_string(out) +
                                    ") and the fee (" + std::to_string(plan.fee) + ") take more"};
}

} // namespace

int64_t SpendPlan::VirtualSize() const
{
    return (weight + WITNESS_SCALE_FACTOR - 1) / WITNESS_SCALE_FACTOR;
}

LockTimes RequiredLockTimes(LockTimes lock_times)
{
    if (!lock_times.never.empty()) throw InputError{lock_times.never};
    return lock_times;
}

uint32_t LaterLockTime(uint32_t a, uint32_t b)
{
    const auto later{wallet::LaterLockTime(a, b)};
    if (!later) throw InputError{"requires a block height and a time, and no nLockTime can express both"};
    return *later;
}

SpendPlan PlanSpend(const SpendSpec& spec, Signers signers)
{
    CheckSpec(spec);
    SpendPlan plan{};
    std::optional<uint32_t> lock_time;
    for (size_t i = 0; i < spec.inputs.size(); ++i) {
        const SpendInput& input{spec.inputs[i]};
        Within("input " + std::to_string(i), [&] {
            plan.inputs.push_back(PlanInput(spec, input, signers));
            // Lock times that are given explicitly are taken as it is, so that it can be wrong on purpose.
            const bool all_given{input.sequence && spec.lock_time};
            const LockTimes required{all_given ? LockTimes{} : RequiredLockTimes(plan.inputs.back().lock_times)};
            if (required.lock_time && !spec.lock_time) {
                lock_time = lock_time ? LaterLockTime(*lock_time, *required.lock_time) : required.lock_time;
            }
            plan.tx.vin.emplace_back(input.outpoint, CScript{},
                                     input.sequence.value_or(required.sequence.value_or(CTxIn::MAX_SEQUENCE_NONFINAL)));
        });
        plan.spent_outputs.emplace_back(input.amount, wallet::TreeScriptPubKey(input.tree, input.internal_key));
    }
    plan.tx.version = spec.version;
    plan.tx.nLockTime = spec.lock_time.value_or(lock_time.value_or(0));
    plan.tx.vout = spec.outputs;
    if (spec.rest) plan.tx.vout[*spec.rest].nValue = 0;
    plan.weight = PlannedWeight(spec, plan);
    SetFee(spec, plan);
    return plan;
}

SpendSignatureHasher::SpendSignatureHasher(const SpendSpec& spec, const SpendPlan& plan)
    : m_spec{spec},
      m_plan{plan},
      m_txdata{plan.tx, std::vector<CTxOut>{plan.spent_outputs}, /*force=*/true}
{
}

uint256 SpendSignatureHasher::Hash(uint32_t n_in, KeyVersion key_version, uint8_t hash_type, uint32_t codeseparator_pos) const
{
    const SpendInput& input{m_spec.inputs[n_in]};
    ScriptExecutionData data{ExecutionData(input, input.tree.Leaves()[m_plan.inputs[n_in].leaf], codeseparator_pos)};
    const auto hash{SignatureHashSchnorr(data, m_plan.tx, n_in, hash_type, SigVersion::TAPSCRIPT, m_txdata, key_version)};
    if (!hash) throw InputError{"hash type SINGLE, but there is no output " + std::to_string(n_in)};
    return *hash;
}

uint8_t HashType(const SpendInput& input, const WitnessElement& element)
{
    return element.hash_type.value_or(input.hash_type);
}

Json PlanJson(const SpendSpec& spec, const SpendPlan& plan)
{
    Json json = {{"txid", plan.tx.GetHash().GetHex()}, {"version", plan.tx.version}, {"locktime", plan.tx.nLockTime}};
    json["inputs"] = Json::array();
    for (size_t i = 0; i < plan.inputs.size(); ++i) {
        const CTxIn& txin{plan.tx.vin[i]};
        const auto& leaf{spec.inputs[i].tree.Leaves()[plan.inputs[i].leaf]};
        Json input = {{"txid", txin.prevout.hash.GetHex()},
                      {"vout", txin.prevout.n},
                      {"amount", spec.inputs[i].amount},
                      {"leaf", plan.inputs[i].leaf},
                      {"leaf_script", FormatScript(leaf.script)},
                      {"leaf_hash", HexStr(leaf.hash.Bytes())},
                      {"leaf_script_hex", HexStr(leaf.script)},
                      {"sighash", HashTypeName(spec.inputs[i].hash_type)},
                      {"sequence", txin.nSequence}};
        json["inputs"].push_back(std::move(input));
    }
    json["outputs"] = Json::array();
    for (const auto& txout : plan.tx.vout) {
        Json output = {{"amount", txout.nValue}, {"script_pubkey", HexStr(txout.scriptPubKey)}};
        if (const auto program{WitnessProgram::FromScriptPubKey(txout.scriptPubKey)}) {
            output["address"] = EncodeAddress(spec.network, *program);
        }
        json["outputs"].push_back(std::move(output));
    }
    json["weight"] = plan.weight;
    json["vsize"] = plan.VirtualSize();
    json["fee"] = plan.fee;
    json["feerate"] = FeeRate(plan.fee, plan.VirtualSize());
    return json;
}

void PrintPlan(const Json& plan)
{
    const auto text{[](const Json& json) { return json.is_string() ? json.get<std::string>() : json.dump(); }};
    std::vector<std::pair<std::string, std::string>> rows{{"txid", plan["txid"]}};
    for (size_t i = 0; i < plan["inputs"].size(); ++i) {
        const Json& input{plan["inputs"][i]};
        rows.emplace_back("input " + std::to_string(i),
                          FormatSatoshis(input["amount"]) + " of " + text(input["txid"]) + ":" + text(input["vout"]));
        rows.emplace_back("  leaf " + text(input["leaf"]), input["leaf_script"]);
        if (input["sighash"] != HashTypeName(SIGHASH_DEFAULT)) rows.emplace_back("  hash type", input["sighash"]);
    }
    for (size_t i = 0; i < plan["outputs"].size(); ++i) {
        const Json& output{plan["outputs"][i]};
        rows.emplace_back("output " + std::to_string(i), FormatSatoshis(output["amount"]) + " to " + DescribeScript(output));
    }
    rows.emplace_back("weight", DescribeWeight(plan));
    rows.emplace_back("fee", FormatSatoshis(plan["fee"]) + " (" + text(plan["feerate"]) + " per virtual byte)");
    PrintTable(rows);
}

SpendFile SignSpend(const SpendSpec& spec, const SpendPlan& plan)
{
    const Signer signer{spec, plan};
    CMutableTransaction tx{plan.tx};
    for (uint32_t i = 0; i < tx.vin.size(); ++i) {
        tx.vin[i].scriptWitness.stack = Within("input " + std::to_string(i), [&] { return signer.Witness(i); });
    }
    SpendFile file;
    file.description = spec.description;
    file.spent_outputs = plan.spent_outputs;
    file.tx = std::make_shared<const CTransaction>(std::move(tx));
    file.flags = spec.flags.value_or(RulesFor(*file.tx));
    return file;
}

} // namespace slhc::tool
