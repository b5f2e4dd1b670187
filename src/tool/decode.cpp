// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/decode.h>

#include <script/address.h>
#include <script/interpreter.h>
#include <script/opcode_info.h>
#include <script/p2mr.h>
#include <script/script.h>
#include <tool/asm.h>
#include <tool/error.h>
#include <tool/network.h>
#include <tool/spend_file.h>
#include <tool/trace.h>
#include <util/counted.h>
#include <util/hex.h>
#include <wallet/key_type.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace slhc::tool {
namespace {

//! Beyond these, a list and the text of a script are cut short.
constexpr size_t MAX_LISTED{2000};
constexpr size_t MAX_SHOWN_SCRIPT{100'000};
//! No transaction and no script of a valid block is larger.
constexpr size_t MAX_SIZE{4'000'000};

/** The parts that may still be listed and spelled out. The lists of a transaction have lists in turn: limits of each alone would let four
 *  megabytes become hundreds. */
struct Budget {
    size_t witness_elements{20'000};
    size_t script_text{10'000'000};
};

void CheckSize(size_t size)
{
    if (size > MAX_SIZE) throw InputError{std::to_string(size) + " bytes, more than a block can hold (" + std::to_string(MAX_SIZE) + ")"};
}

/** json[name] is the first elements of a list, up to max; how many more there are is json[name + "_left_out"]. */
template <typename List, typename F>
void AddList(Json& json, const std::string& name, const List& list, size_t max, F&& to_json)
{
    const size_t listed{std::min(max, list.size())};
    Json elements = Json::array();
    for (size_t i = 0; i < listed; ++i) elements.push_back(to_json(list[i]));
    json[name] = std::move(elements);
    if (list.size() > listed) json[name + "_left_out"] = list.size() - listed;
}

std::string ShowScript(const CScript& script, Budget& budget)
{
    std::string text{FormatScript(script, std::min(MAX_SHOWN_SCRIPT, budget.script_text))};
    budget.script_text -= std::min(text.size(), budget.script_text);
    return text;
}

Json AddressesJson(const WitnessProgram& program)
{
    Json json = Json::object();
    for (const Network network : LISTED_NETWORKS) json[std::string{NetworkName(network)}] = EncodeAddress(network, program);
    return json;
}

Json ScriptPubKeyJson(const CScript& script, Budget& budget)
{
    Json json = {{"script_pubkey", HexStr(script)}, {"asm", ShowScript(script, budget)}};
    if (const auto program{WitnessProgram::FromScriptPubKey(script)}) {
        json["type"] = program->TypeName();
        json["addresses"] = AddressesJson(*program);
    }
    return json;
}

const char* OutcomeText(TapscriptScan::Outcome outcome)
{
    switch (outcome) {
    case TapscriptScan::Outcome::EXECUTE: return "is executed";
    case TapscriptScan::Outcome::OP_SUCCESS: return "succeeds at once: it contains an OP_SUCCESSx";
    case TapscriptScan::Outcome::UNDECODABLE: return "fails: an instruction cannot be decoded";
    }
    return "";
}

std::string HexByte(uint8_t byte) { return "0x" + HexStr(std::array{byte}); }

/** @throws ParseError */
CScriptWitness ParseWitness(std::span<const uint8_t> bytes)
{
    SpanReader reader{bytes};
    CScriptWitness witness;
    const size_t count{reader.ReadCount(1, "number of elements")};
    for (size_t i = 0; i < count; ++i) {
        const auto element{reader.ReadVarBytes("element " + std::to_string(i))};
        witness.stack.emplace_back(element.begin(), element.end());
    }
    reader.ExpectEnd("witness");
    return witness;
}

/** " (128-24)"; of 128s nothing. */
std::string OtherSet(slhdsa::ParameterSet set)
{
    return set == slhdsa::ParameterSet::SHA2_128S ? "" : " (" + std::string{slhdsa::ParameterSetName(set)} + ")";
}

Json ElementJson(std::span<const uint8_t> bytes)
{
    Json json = {{"size", bytes.size()}, {"hex", HexStr(bytes)}};
    if (const auto set{wallet::SetOfSignature(bytes.size())}) json["may_be"] = "SLH-DSA signature" + OtherSet(*set);
    if (bytes.size() == 64 || bytes.size() == 65) json["may_be"] = "Schnorr signature";
    return json;
}

Json WitnessJson(const CScriptWitness& witness, Budget& budget)
{
    Json json = {{"size", GetSerializeSize(witness)}};
    AddList(json, "elements", witness.stack, std::min(MAX_LISTED, budget.witness_elements),
            [](const auto& element) { return ElementJson(element); });
    budget.witness_elements -= json["elements"].size();
    const bool annex{HasAnnex(witness)};
    if (annex) json["annex"] = HexStr(witness.stack.back());
    const size_t left{witness.stack.size() - annex};
    if (left < 2) return json;
    const auto& control{witness.stack[left - 1]};
    const CScript script{witness.stack[left - 2].begin(), witness.stack[left - 2].end()};
    if (!ValidControlSize(control.size(), P2MR_CONTROL_BASE_SIZE)) return json;
    json["as_script_path"] = {{"control_block", DecodeControlBlock(control, &script)},
                              {"leaf_script", ShowScript(script, budget)},
                              {"initial_stack_elements", left - 2}};
    return json;
}

} // namespace

Json DecodeScript(std::span<const uint8_t> bytes)
{
    CheckSize(bytes.size());
    const CScript script{bytes};
    const TapscriptScan scan{ScanTapscript(script, SCRIPT_VERIFY_SLHDSA)};
    Json instructions = Json::array();
    auto pc{script.begin()};
    while (pc != script.end()) {
        const auto begin{pc};
        opcodetype opcode;
        std::span<const uint8_t> data;
        const bool decoded{script.GetOp(pc, opcode, data)};
        Json instruction = {{"byte", begin - script.begin()}};
        instruction["instruction"] = decoded ? FormatInstruction(opcode, data) : "cut off: " + ShowElement(std::span{begin, script.end()});
        opcodetype next;
        const auto set{decoded ? wallet::SetOfKey(data) : std::nullopt};
        if (auto after{pc}; set && *set != slhdsa::ParameterSet::SHA2_128S && script.GetOp(after, next) && IsSLHDSAOpcode(next)) {
            instruction["note"] = "a key of " + std::string{slhdsa::ParameterSetName(*set)} + ", where the rules have SLHDSA_SETS";
        }
        instructions.push_back(std::move(instruction));
        if (!decoded || instructions.size() == MAX_LISTED) break;
    }
    Budget budget;
    Json json = ScriptPubKeyJson(script, budget);
    json["size"] = script.size();
    json["instructions"] = std::move(instructions);
    if (pc != script.end()) json["bytes_not_listed"] = script.end() - pc;
    json["as_tapscript"] = {{"outcome", OutcomeText(scan.outcome)},
                            {"has_slhdsa_opcode", scan.has_slhdsa_opcode},
                            {"max_initial_element_size", scan.MaxElementSize()},
                            {"leaf_hash", HexStr(ComputeTapleafHash(TAPROOT_LEAF_TAPSCRIPT, script).Bytes())}};
    return json;
}

Json DecodeWitness(std::span<const uint8_t> bytes)
{
    CheckSize(bytes.size());
    try {
        return DecodeWitness(ParseWitness(bytes));
    } catch (const ParseError& e) {
        throw InputError{e.what()};
    }
}

std::optional<CScriptWitness> TryParseWitness(std::span<const uint8_t> bytes)
{
    try {
        CScriptWitness witness{ParseWitness(bytes)};
        if (!witness.IsNull()) return witness;
    } catch (const ParseError&) {
    }
    return std::nullopt;
}

Json DecodeWitness(const CScriptWitness& witness)
{
    Budget budget;
    return WitnessJson(witness, budget);
}

Json DecodeControlBlock(std::span<const uint8_t> bytes, const CScript* leaf_script)
{
    const auto block{P2MRControlBlock::Parse(bytes)};
    if (!block) throw InputError{Counted(bytes.size(), "byte") + ", not 1 + 32*m with m at most 128"};
    Json p2mr = {{"path_length", block->PathLength()}, {"valid_low_bit", block->control_bit}, {"path", Json::array()}};
    for (size_t i = 0; i < block->PathLength(); ++i) {
        p2mr["path"].push_back(HexStr(block->path.subspan(i * TAPROOT_CONTROL_NODE_SIZE, TAPROOT_CONTROL_NODE_SIZE)));
    }
    if (block->PathLength() == 0) p2mr["note"] = "no path: a tree with one leaf, which anyone can spend";
    if (leaf_script) {
        const uint256 hash{ComputeTapleafHash(block->leaf_version, *leaf_script)};
        const uint256 root{ComputeTapPathRoot(block->path, hash)};
        p2mr["leaf_hash"] = HexStr(hash.Bytes());
        p2mr["merkle_root"] = HexStr(root.Bytes());
        Budget budget;
        p2mr["output"] = ScriptPubKeyJson(P2MRScriptPubKey(root), budget);
    }
    Json json = {{"size", bytes.size()},
                 {"leaf_version", HexByte(block->leaf_version)},
                 {"low_bit", block->control_bit ? 1 : 0},
                 {"as_p2mr", std::move(p2mr)}};
    if (ValidControlSize(bytes.size(), TAPROOT_CONTROL_BASE_SIZE)) {
        json["as_p2tr"] = {{"internal_key", HexStr(bytes.subspan(1, 32))}, {"path_length", block->PathLength() - 1}};
    }
    return json;
}

Json DecodeTx(const CTransaction& tx)
{
    CheckSize(GetSerializeSize(tx));
    Json json = {{"txid", tx.GetHash().GetHex()}, {"wtxid", tx.GetWitnessHash().GetHex()}, {"version", tx.version},
                 {"locktime", tx.nLockTime}, {"weight", GetTransactionWeight(tx)}};
    Budget budget;
    AddList(json, "inputs", tx.vin, MAX_LISTED, [&](const CTxIn& txin) {
        Json input = {{"txid", txin.prevout.hash.GetHex()},
                      {"vout", txin.prevout.n},
                      {"sequence", txin.nSequence},
                      {"script_sig", HexStr(txin.scriptSig)}};
        if (!txin.scriptWitness.IsNull()) input["witness"] = WitnessJson(txin.scriptWitness, budget);
        return input;
    });
    AddList(json, "outputs", tx.vout, MAX_LISTED, [&](const CTxOut& txout) {
        Json output = {{"amount", txout.nValue}};
        output.update(ScriptPubKeyJson(txout.scriptPubKey, budget));
        return output;
    });
    return json;
}

Json DecodeAddressText(std::string_view address)
{
    RequireAddress(address);
    std::string error;
    const auto decoded{DecodeAddress(address, error)};
    if (!decoded) throw InputError{error};
    Json networks = Json::array();
    for (const Network network : LISTED_NETWORKS) {
        if (NetworkHrp(network) == decoded->hrp) networks.push_back(NetworkName(network));
    }
    Json json = {{"type", decoded->program.TypeName()}};
    if (json["type"] == "p2mr") json["also_called"] = "p2tsh";
    json["networks"] = std::move(networks);
    json["witness_version"] = decoded->program.version;
    json["witness_program"] = HexStr(decoded->program.program);
    json["script_pubkey"] = HexStr(decoded->program.ScriptPubKey());
    return json;
}

} // namespace slhc::tool
