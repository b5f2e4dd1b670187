// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/spend_file.h>

#include <consensus/consensus.h>
#include <script/address.h>
#include <script/interpreter.h>
#include <script/p2mr.h>
#include <tool/error.h>
#include <tool/input.h>
#include <util/counted.h>
#include <util/hex.h>
#include <wallet/leaf_recipe.h>

#include <nlohmann/json.hpp>


namespace slhc::tool {
namespace {

constexpr const char* CONSENSUS_FLAGS{"consensus"};
constexpr const char* STANDARD_FLAGS{"standard"};

/** What spends with keys of other parameter sets are verified under. */
std::string ConsensusWithSets()
{
    return std::string{CONSENSUS_FLAGS} + "," + std::string{ScriptFlagName(SCRIPT_VERIFY_SLHDSA_SETS)};
}

CScript ScriptFromAddress(const std::string& address)
{
    std::string error;
    const auto decoded{DecodeAddress(address, error)};
    if (!decoded) throw InputError{error};
    return CScript{decoded->program.ScriptPubKey()};
}

SpendFile FromJson(const JsonValue& json)
{
    json.OnlyMembers({"tx", "spent_outputs", "flags", "txid", "wtxid", "weight", "description"});
    SpendFile file;
    const auto raw_tx{json.At("tx").Hex()};
    for (const auto& output : json.At("spent_outputs").Elements()) file.spent_outputs.push_back(TxOutFromJson(output));
    if (const auto flags{json.Find("flags")}) file.flags = flags->Parse(ParseFlags);
    if (const auto description{json.Find("description")}) file.description = description->String();
    file.tx = Within("tx", [&] { return ParseTx(raw_tx); });
    CheckSpendFile(file);
    if (const auto txid{json.Find("txid")}) {
        if (txid->String() != file.tx->GetHash().GetHex()) txid->Fail("not that of the transaction");
    }
    return file;
}

/** Without WITNESS no witness is read: any spend of a witness program would be called valid. */
void RefuseFlagsWithoutEffect(script_verify_flags flags)
{
    if (flags & SCRIPT_VERIFY_WITNESS) return;
    for (const auto flag : {SCRIPT_VERIFY_TAPROOT, SCRIPT_VERIFY_P2MR, SCRIPT_VERIFY_SLHDSA, SCRIPT_VERIFY_SLHDSA_SETS}) {
        if (flags & flag) throw InputError{std::string{ScriptFlagName(flag)} + " has no effect without P2SH and WITNESS"};
    }
}

} // namespace

bool HasAnnex(const CScriptWitness& witness)
{
    return witness.stack.size() >= 2 && !witness.stack.back().empty() && witness.stack.back()[0] == ANNEX_TAG;
}

std::optional<ScriptPath> FindScriptPath(const CScriptWitness& witness, bool p2mr)
{
    std::span<const std::vector<uint8_t>> stack{witness.stack};
    if (HasAnnex(witness)) stack = stack.first(stack.size() - 1);
    if (stack.size() < 2) return std::nullopt;
    const auto& control{stack.back()};
    if (!ValidControlSize(control.size(), p2mr ? P2MR_CONTROL_BASE_SIZE : TAPROOT_CONTROL_BASE_SIZE)) return std::nullopt;
    return ScriptPath{stack[stack.size() - 2], control};
}

script_verify_flags ParseFlags(const std::string& text)
{
    if (text == CONSENSUS_FLAGS) return MANDATORY_SCRIPT_VERIFY_FLAGS;
    if (text == STANDARD_FLAGS) return STANDARD_SCRIPT_VERIFY_FLAGS;
    if (text == ConsensusWithSets()) return MANDATORY_SCRIPT_VERIFY_FLAGS | SCRIPT_VERIFY_SLHDSA_SETS;
    std::string error;
    const auto flags{ParseScriptFlags(text, error)};
    if (!flags) throw InputError{error};
    if (const auto why{CheckFlags(*flags)}) throw InputError{*why};
    return *flags;
}

script_verify_flags ParseFlagsOption(const std::string& text)
{
    return Within("--flags", [&] {
        const script_verify_flags flags{ParseFlags(text)};
        RefuseFlagsWithoutEffect(flags);
        return flags;
    });
}

std::string FormatFlags(script_verify_flags flags)
{
    if (flags == MANDATORY_SCRIPT_VERIFY_FLAGS) return CONSENSUS_FLAGS;
    if (flags == STANDARD_SCRIPT_VERIFY_FLAGS) return STANDARD_FLAGS;
    if (flags == (MANDATORY_SCRIPT_VERIFY_FLAGS | SCRIPT_VERIFY_SLHDSA_SETS)) return ConsensusWithSets();
    std::string text;
    for (const auto& name : GetScriptFlagNames(flags)) text += (text.empty() ? "" : ",") + name;
    return text.empty() ? "NONE" : text;
}

script_verify_flags RulesFor(const CTransaction& tx)
{
    for (const CTxIn& txin : tx.vin) {
        std::span<const std::vector<uint8_t>> stack{txin.scriptWitness.stack};
        if (HasAnnex(txin.scriptWitness)) stack = stack.first(stack.size() - 1);
        if (stack.size() >= 2 && wallet::ChecksKeyOfOtherSet(CScript{stack[stack.size() - 2]})) {
            return MANDATORY_SCRIPT_VERIFY_FLAGS | SCRIPT_VERIFY_SLHDSA_SETS;
        }
    }
    return MANDATORY_SCRIPT_VERIFY_FLAGS;
}

std::string RulesNote(script_verify_flags flags)
{
    return flags == MANDATORY_SCRIPT_VERIFY_FLAGS ? "" : "verified under " + FormatFlags(flags) + ", not under the consensus rules";
}

CTransactionRef ParseTx(std::span<const uint8_t> bytes)
{
    try {
        return CTransactionRef{new CTransaction{ParseTransaction(bytes)}}; // which cannot be moved into std::make_shared
    } catch (const ParseError& e) {
        throw InputError{e.what()};
    }
}

CAmount ParseAmount(std::string_view text)
{
    if (text.find('.') != text.npos) throw InputError{Quote(text) + " is not a whole number of satoshis (a bitcoin has 100000000)"};
    return static_cast<CAmount>(ParseNumber(text, MAX_MONEY));
}

CTxOut ParseSpentOutput(const std::string& text)
{
    const size_t colon{text.find(':')};
    if (colon == text.npos) throw InputError{Quote(text) + " is not AMOUNT:SCRIPT"};
    return {ParseAmount(text.substr(0, colon)), CScript{ParseHex(text.substr(colon + 1))}};
}

CTxOut TxOutFromJson(const JsonValue& value)
{
    value.OnlyMembers({"amount", "script_pubkey", "address"});
    const auto amount{static_cast<CAmount>(value.At("amount").Number(MAX_MONEY))};
    const auto address{value.Find("address")};
    const auto script{value.Find("script_pubkey")};
    if (address && script) value.Fail("has both 'address' and 'script_pubkey'");
    if (address) return {amount, address->Parse(ScriptFromAddress)};
    return {amount, CScript{value.At("script_pubkey").Hex()}};
}

void CheckWeight(const std::string& what, int64_t weight)
{
    if (weight <= MAX_BLOCK_WEIGHT) return;
    throw InputError{what + " weighs " + Counted(weight, "weight unit") + "; a block may have at most " + std::to_string(MAX_BLOCK_WEIGHT)};
}

void CheckSpendFile(const SpendFile& file)
{
    const CTransaction& tx{*file.tx};
    if (tx.vin.empty()) throw InputError{"tx", "the transaction has no inputs: there is nothing to verify"};
    CheckWeight("tx:", GetTransactionWeight(tx));
    if (file.spent_outputs.size() != tx.vin.size()) {
        throw InputError{"spent_outputs", std::to_string(file.spent_outputs.size()) + " for " + Counted(tx.vin.size(), "input")};
    }
}

SpendFile ReadSpendFile(const std::string& path)
{
    const std::string text{ReadFile(path)};
    const std::string name{FileName(path)};
    SpendFile file{Within(name, [&] {
        return FromJson(JsonDocument{text}.Top());
    })};
    file.name = name;
    return file;
}

Json SpendFileJson(const SpendFile& file)
{
    Json json = Json::object();
    if (!file.description.empty()) json["description"] = file.description;
    json["txid"] = file.tx->GetHash().GetHex();
    json["weight"] = GetTransactionWeight(*file.tx);
    json["tx"] = HexStr(SerializeToVector(*file.tx));
    json["spent_outputs"] = Json::array();
    for (const auto& output : file.spent_outputs) {
        json["spent_outputs"].push_back({{"amount", output.nValue}, {"script_pubkey", HexStr(output.scriptPubKey)}});
    }
    json["flags"] = FormatFlags(file.flags);
    return json;
}

} // namespace slhc::tool
