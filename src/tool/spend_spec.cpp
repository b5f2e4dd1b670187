// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/spend_spec.h>

#include <slhconsensus.h>
#include <tool/error.h>
#include <tool/hash_type.h>
#include <tool/input.h>
#include <tool/json.h>
#include <tool/network.h>
#include <tool/spend_file.h>
#include <tool/tree.h>

#include <algorithm>
#include <array>

namespace slhc::tool {
namespace {

constexpr uint64_t MAX_FEE_RATE{1'000'000}; //!< satoshis per virtual byte

SpendInput InputFromJson(const JsonValue& json)
{
    json.OnlyMembers({"txid", "vout", "amount", "tree", "internal_key", "leaf", "keys", "signatures", "preimages", "witness", "sighash",
                      "annex", "sequence"});
    const JsonValue txid_json{json.At("txid")};
    const auto txid{uint256::FromHex(txid_json.String())};
    if (!txid) txid_json.Fail("not 64 hex digits");
    SpendInput input{
        .outpoint = {*txid, static_cast<uint32_t>(json.At("vout").Number(0xfffffffe))},
        .amount = static_cast<CAmount>(json.At("amount").Number(MAX_MONEY)),
        .tree = json.At("tree").Parse(TreeArgument),
    };
    if (const auto key{json.Find("internal_key")}) input.internal_key = key->Parse(ParseInternalKey);
    if (const auto leaf{json.Find("leaf")}) input.leaf = leaf->Number(input.tree.Leaves().size() - 1);
    if (const auto keys{json.Find("keys")}) {
        for (const auto& key : keys->Elements()) {
            input.keys.push_back(key.Parse([](const std::string& path) { return std::make_shared<const KeyPair>(ReadKeyFile(path)); }));
        }
    }
    if (const auto signatures{json.Find("signatures")}) {
        for (const auto& signature : signatures->Elements()) input.signatures.push_back(signature.Parse(ParseGivenSignature));
    }
    if (const auto preimages{json.Find("preimages")}) {
        for (const auto& preimage : preimages->Elements()) input.preimages.push_back(preimage.Hex());
    }
    if (const auto witness{json.Find("witness")}) {
        input.witness.emplace();
        for (const auto& element : witness->Elements()) input.witness->push_back(element.Parse(ParseWitnessElement));
    }
    if (const auto sighash{json.Find("sighash")}) input.hash_type = sighash->Parse(ParseHashType);
    if (const auto annex{json.Find("annex")}) input.annex = annex->Hex();
    if (const auto sequence{json.Find("sequence")}) input.sequence = static_cast<uint32_t>(sequence->Number(0xffffffff));
    return input;
}

/** Without an amount it is the one that gets the rest. */
void AddOutput(SpendSpec& spec, const JsonValue& json)
{
    json.OnlyMembers({"amount", "script_pubkey", "address"});
    const auto address{json.Find("address")};
    const auto script{json.Find("script_pubkey")};
    if (address && script) json.Fail("has both 'address' and 'script_pubkey'");
    if (!address && !script) json.Fail("no member 'address' or 'script_pubkey'");
    CTxOut output;
    const auto pay_to{[&](const std::string& text) { return PayToAddress(text, spec.network); }};
    output.scriptPubKey = address ? address->Parse(pay_to) : CScript{script->Hex()};
    if (const auto amount{json.Find("amount")}) {
        output.nValue = static_cast<CAmount>(amount->Number(MAX_MONEY));
    } else if (spec.rest) {
        json.Fail("a second output without an amount");
    } else {
        spec.rest = spec.outputs.size();
    }
    spec.outputs.push_back(std::move(output));
}

SpendSpec SpecFromJson(const JsonValue& json)
{
    json.OnlyMembers({"version", "locktime", "inputs", "outputs", "fee", "feerate", "network", "flags", "description"});
    SpendSpec spec;
    spec.flags = SLHC_VERIFY_CONSENSUS;
    if (const auto version{json.Find("version")}) spec.version = static_cast<uint32_t>(version->Number(0xffffffff));
    if (const auto lock_time{json.Find("locktime")}) spec.lock_time = static_cast<uint32_t>(lock_time->Number(0xffffffff));
    if (const auto network{json.Find("network")}) spec.network = network->Parse(ParseNetwork);
    for (const auto& input : json.At("inputs").Elements()) spec.inputs.push_back(InputFromJson(input));
    for (const auto& output : json.At("outputs").Elements()) AddOutput(spec, output);
    const auto fee{json.Find("fee")}, fee_rate{json.Find("feerate")};
    if (fee && fee_rate) fee->Fail("cannot be combined with 'feerate'");
    for (const auto& given : {fee, fee_rate}) {
        if (given && !spec.rest) given->Fail("every output has an amount, so the fee is what is left; leave one amount out");
    }
    if (fee) spec.fee = static_cast<CAmount>(fee->Number(MAX_MONEY));
    if (fee_rate) {
        const std::string rate{fee_rate->NumberOrString()};
        spec.fee_rate = fee_rate->Within([&] { return ParseFeeRate(rate); });
    }
    if (const auto flags{json.Find("flags")}) spec.flags = flags->Parse(ParseFlags);
    if (const auto description{json.Find("description")}) spec.description = description->String();
    return spec;
}

} // namespace

SpendSpec ReadSpendSpec(const std::string& path)
{
    const std::string text{ReadFile(path)};
    return Within(FileName(path), [&] {
        return SpecFromJson(JsonDocument{text}.Top());
    });
}

GivenSignature ParseGivenSignature(const std::string& text)
{
    const size_t equals{text.find('=')};
    if (equals == text.npos) throw InputError{Quote(text) + " is not KEY=SIGNATURE"};
    return {ParsePublicKey(text.substr(0, equals), {}), HexArgument(text.substr(equals + 1))};
}

wallet::InternalKey ParseInternalKey(const std::string& text)
{
    const auto key{ParsePublicKey(text, KeyType::SCHNORR)};
    if (!IsSchnorrPublicKey(key)) throw InputError{"not the x coordinate of a point"};
    std::array<uint8_t, ANY_PUBLIC_KEY_SIZE> bytes{};
    std::ranges::copy(key, bytes.begin());
    return bytes;
}

int64_t ParseFeeRate(std::string_view text)
{
    const size_t point{text.find('.')};
    if (point == 0 || point + 1 == text.size() || text.rfind('.') != point || text.find_first_not_of("0123456789.") != text.npos) {
        throw InputError{Quote(text) + " is not a fee rate, such as 2 or 1.5"};
    }
    const uint64_t whole{ParseNumber(text.substr(0, point), MAX_FEE_RATE)};
    uint64_t thousandths{0};
    if (point != text.npos) {
        const std::string_view decimals{text.substr(point + 1)};
        if (decimals.size() > 3) throw InputError{Quote(text) + " has more than three decimals"};
        uint64_t unit{FEE_RATE_UNIT};
        for (size_t i = 0; i < decimals.size(); ++i) unit /= 10;
        thousandths = ParseNumber(decimals, FEE_RATE_UNIT - 1) * unit;
    }
    return static_cast<int64_t>(whole * FEE_RATE_UNIT + thousandths);
}

CScript PayToAddress(const std::string& address, Network network)
{
    RequireAddress(address, "; for any other output give script_pubkey in a SPEC file");
    std::string error;
    const auto decoded{DecodeAddress(address, error)};
    if (!decoded) throw InputError{Quote(address) + ": " + error};
    if (decoded->hrp != NetworkHrp(network)) {
        std::string networks;
        for (const Network of : ALL_NETWORKS) {
            if (NetworkHrp(of) == decoded->hrp) networks += (networks.empty() ? "" : " and ") + std::string{NetworkName(of)};
        }
        throw InputError{Quote(address) + " is an address on " + networks + ", but the network is " + std::string{NetworkName(network)} +
                         " (--network, or \"network\" in a SPEC file)"};
    }
    return CScript{decoded->program.ScriptPubKey()};
}

} // namespace slhc::tool
