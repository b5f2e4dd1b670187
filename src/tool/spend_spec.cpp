// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/spend_spec.h>

#include <tool/error.h>
#include <tool/input.h>
#include <tool/json.h>
#include <tool/network.h>
#include <tool/spend_file.h>
#include <tool/tree.h>

#include <algorithm>
#include <array>
#include <utility>

namespace slhc::tool {
namespace {

constexpr uint64_t MAX_FEE_RATE{1'000'000}; //!< satoshis per virtual byte

/** KEY=SIGNATURE: a public key as ParseScriptKey takes it, and hex or @FILE with hex.
 *  @throws InputError */
GivenSignature ParseGivenSignature(const std::string& text)
{
    const size_t equals{text.find('=')};
    if (equals == text.npos) throw InputError{Quote(text) + " is not KEY=SIGNATURE"};
    return {ParseScriptKey(text.substr(0, equals), {}), HexArgument(text.substr(equals + 1))};
}

/** Satoshis per virtual byte with at most three decimals, up to a million.
 *  @throws InputError */
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

/** The output script that an address stands for.
 *  @throws InputError if it is none, or one of another network */
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
    } else if (output.scriptPubKey.IsUnspendable()) {
        json.Fail("without an amount it would get what is left, which nobody could ever spend: give it an amount");
    } else {
        spec.rest = spec.outputs.size();
    }
    spec.outputs.push_back(std::move(output));
}

SpendSpec SpecFromJson(const JsonValue& json)
{
    json.OnlyMembers({"version", "locktime", "inputs", "outputs", "fee", "feerate", "network", "flags", "description"});
    SpendSpec spec;
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

/** The spec in a JSON file, see `slhtool spend --help`. Files that it names are relative to the working directory.
 *  @throws InputError */
SpendSpec ReadSpendSpec(const std::string& path)
{
    const std::string text{ReadFile(path)};
    return Within(FileName(path), [&] {
        return SpecFromJson(JsonDocument{text}.Top());
    });
}

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

void SetFee(SpendSpec& spec, const SpendOptions& options)
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

SpendSpec SpecFromGroup(const SpendOptions& options)
{
    for (const auto& [name, value] :
         {std::pair{"--outpoint", &options.outpoint}, {"--amount", &options.amount}, {"--tree", &options.tree}}) {
        if (value->empty()) throw InputError{name, "missing (or give a SPEC file)"};
    }
    if (options.to.empty()) throw InputError{"--to", "missing"};
    SpendInput input{
        .outpoint = Within("--outpoint", [&] { return ParseOutpoint(options.outpoint); }),
        .amount = Within("--amount", [&] { return ParseAmount(options.amount); }),
        .tree = Within("--tree", [&] { return TreeArgument(options.tree); }),
        .annex = options.annex.empty() ? std::vector<uint8_t>{} : HexArgument("--annex", options.annex),
    };
    if (!options.internal_key.empty())
        input.internal_key = Within("--internal-key", [&] { return ParseInternalKey(options.internal_key); });
    if (!options.leaf.empty()) input.leaf = Within("--leaf", [&] { return ParseIndex(options.leaf, input.tree.Leaves().size(), "leaf"); });
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
    if (!options.flags.empty()) spec.flags = ParseFlagsOption(options.flags);
    spec.inputs.push_back(std::move(input));
    return spec;
}

} // namespace

wallet::InternalKey ParseInternalKey(const std::string& text)
{
    const auto key{ParseScriptKey(text, KeyType::SCHNORR)};
    if (!IsSchnorrPublicKey(key)) throw InputError{"not the x coordinate of a point"};
    std::array<uint8_t, ANY_PUBLIC_KEY_SIZE> bytes{};
    std::ranges::copy(key, bytes.begin());
    return bytes;
}

std::string SpecHelp(OptionsFor command)
{
    const std::string annex{command == OptionsFor::PSBT ? "" : ", \"annex\": HEX"};
    const std::string witness{command == OptionsFor::SPEND ? ", \"witness\": [\"sig(alice.key)\", \"<00ff>\"]" : ""};
    return "A SPEC file:\n"
           "  {\"version\": 2, \"locktime\": 0, \"flags\": \"consensus\", \"network\": \"regtest\", \"feerate\": 1.5,\n"
           "   \"inputs\": [{\"txid\": HEX, \"vout\": 0, \"amount\": 100000, \"tree\": \"@alice.tree\", \"leaf\": 0,\n"
           "               \"keys\": [\"alice.key\"], \"preimages\": [HEX], \"sighash\": \"ALL\"" + annex + ",\n"
           "               \"sequence\": 4294967294" + witness + "}],\n"
           "   \"outputs\": [{\"address\": \"bcrt1z...\", \"amount\": 50000}, {\"script_pubkey\": HEX}]}\n"
           "An input must have txid, vout, amount and tree; one that is P2TR also has \"internal_key\". \"signatures\" that others\n"
           "made are [\"KEY=HEX\", \"KEY=@FILE\"]. One output may lack an amount, but no OP_RETURN: it gets what the others and\n"
           "the fee (\"feerate\", or \"fee\" in satoshis) leave.";
}

std::vector<std::shared_ptr<const KeyPair>> ReadKeys(const std::vector<std::string>& files)
{
    std::vector<std::shared_ptr<const KeyPair>> keys;
    for (const auto& file : files) keys.push_back(std::make_shared<const KeyPair>(Within("--key", [&] { return ReadKeyFile(file); })));
    return keys;
}

void SpendOptions::Declare(CommandParser& parser, OptionsFor command)
{
    const bool spend{command == OptionsFor::SPEND}, psbt{command == OptionsFor::PSBT};
    parser.Add("SPEC", spec, "JSON file that says what to build, see below");
    CommandParser one{parser.AddGroup("One input, instead of SPEC")};
    one.Add("--outpoint TXID:N", outpoint, "The coin: TXID:INDEX");
    one.Add("--amount SATOSHIS", amount, "Its amount in satoshis");
    one.Add("--tree TREE", tree, "Its tree {A,{B,C}} or descriptor mr(...), @FILE containing it, or @FILE from slhtool address --json");
    one.Add("--internal-key KEY", internal_key, "The coin is P2TR with this internal key (64 hex digits or @FILE), not P2MR");
    one.Add("--leaf N", leaf,
            spend ? "The leaf to spend, counted from 0 (default: the first that the keys can spend)" :
                    "The leaf to spend, counted from 0 (default: the first that can be spent)");
    one.Add("--preimage HEX", preimages, "Preimage in hex, for sha256(H)");
    if (spend) {
        one.Add("--witness ELEMENT", witness,
                "The leaf's initial stack given by hand, top last: <HEX>, sig(KEYFILE), sig(KEYFILE,HASHTYPE) or "
                "sig(KEYFILE,HASHTYPE,CODESEPARATOR), one for each element; @FILE for hex in a file");
    }
    if (!psbt) one.Add("--annex HEX", annex, "Annex in hex; its first byte is 50");
    one.Add("--sequence N", sequence, "nSequence (default: what the leaf's older() requires, else 4294967294)");
    one.Add("--locktime N", lock_time, "nLockTime (default: what the leaf's after() requires, else 0)");
    one.Add("--to ADDRESS=SATOSHIS", to,
            "ADDRESS=SATOSHIS, one for each output; one ADDRESS without an amount gets what the others and the fee leave");
    one.Add("--feerate RATE", fee_rate,
            "Fee in satoshis per virtual byte, if an ADDRESS gets what is left (default: " +
                std::to_string(DEFAULT_FEE_RATE / FEE_RATE_UNIT) + ")");
    one.Add("--fee SATOSHIS", fee, "Fee in satoshis, instead of --feerate");
    AddNetworkOption(one, network, "The network of the addresses; those of other networks are refused");
    if (!psbt) {
        one.Add("--flags FLAGS", flags,
                "Rules to verify by: consensus, consensus,SLHDSA_SETS (the default if a key is of another parameter set than 128s), "
                "standard, or Bitcoin Core's names, e.g. P2SH,WITNESS,TAPROOT,P2MR,SLHDSA (P2MR: once "
                "P2TSH)");
    }
    one.Add("--sighash TYPE", sighash, "Hash type: DEFAULT, ALL, NONE or SINGLE, the last three also with |ANYONECANPAY");
    m_given = [one] { return one.Given(); };
    if (!spend) return;
    parser.Add("--key FILE", keys, "Secret key file; with a SPEC file, for all its inputs");
    parser.Add("--signature KEY=SIGNATURE", signatures,
               "A signature that somebody else made (see slhtool sighash): public key and signature in hex, each also as @FILE");
}

SpendSpec SpendOptions::Spec() const
{
    if (!spec.empty()) {
        for (const auto& name : m_given()) throw InputError{name, "cannot be combined with a SPEC file"};
    }
    SpendSpec made{spec.empty() ? SpecFromGroup(*this) : ReadSpendSpec(spec)};
    const auto key_pairs{ReadKeys(keys)};
    std::vector<GivenSignature> given;
    for (const auto& text : signatures) given.push_back(Within("--signature", [&] { return ParseGivenSignature(text); }));
    if (!given.empty() && made.inputs.size() > 1) {
        throw InputError{"--signature", "there are several inputs: give it as \"signatures\" of its input in the SPEC file"};
    }
    for (auto& input : made.inputs) {
        input.keys.insert(input.keys.end(), key_pairs.begin(), key_pairs.end());
        input.signatures.insert(input.signatures.end(), given.begin(), given.end());
    }
    return made;
}

} // namespace slhc::tool
