// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/spend_options.h>

#include <tool/hash_type.h>
#include <tool/input.h>
#include <tool/network.h>
#include <tool/spend_file.h>
#include <tool/tree.h>

#include <utility>

namespace slhc::tool {
namespace {

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
    const auto hash_types{ParseHashTypes(options.sighash)};
    if (hash_types.size() > 1) throw InputError{"--sighash", "give only one hash type for a single input"};
    if (!hash_types.empty()) input.hash_type = *hash_types.begin();
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
    spec.flags = ParseFlagsOption(options.flags);
    spec.inputs.push_back(std::move(input));
    return spec;
}

} // namespace

const char* const SPEC_HELP{
    "A SPEC file:\n"
    "  {\"version\": 2, \"locktime\": 0, \"flags\": \"consensus\", \"network\": \"regtest\", \"feerate\": 1.5,\n"
    "   \"inputs\": [{\"txid\": HEX, \"vout\": 0, \"amount\": 100000, \"tree\": \"@alice.tree\", \"leaf\": 0,\n"
    "               \"keys\": [\"alice.key\"], \"preimages\": [HEX], \"sighash\": \"ALL\", \"annex\": HEX,\n"
    "               \"sequence\": 4294967294, \"witness\": [\"sig(alice.key)\", \"<00ff>\"]}],\n"
    "   \"outputs\": [{\"address\": \"bcrt1z...\", \"amount\": 50000}, {\"script_pubkey\": HEX}]}\n"
    "An input must have txid, vout, amount and tree; one that is P2TR also has \"internal_key\". \"signatures\" that others\n"
    "made are [\"KEY=HEX\", \"KEY=@FILE\"]. One output may lack an amount: it gets what the others and the fee\n"
    "(\"feerate\", or \"fee\" in satoshis) leave. A \"sighash\" other than DEFAULT or ALL is refused unless --sighash names it.\n"
    "\n"};

std::vector<std::shared_ptr<const KeyPair>> ReadKeys(const std::vector<std::string>& files)
{
    std::vector<std::shared_ptr<const KeyPair>> keys;
    for (const auto& file : files) keys.push_back(std::make_shared<const KeyPair>(Within("--key", [&] { return ReadKeyFile(file); })));
    return keys;
}

std::vector<GivenSignature> ParseGivenSignatures(const std::vector<std::string>& texts)
{
    std::vector<GivenSignature> signatures;
    for (const auto& text : texts) signatures.push_back(Within("--signature", [&] { return ParseGivenSignature(text); }));
    return signatures;
}

void AddNonstandardFlag(CommandParser& parser, bool& nonstandard)
{
    parser.AddFlag("--nonstandard", nonstandard, "Accept what nodes do not relay: more than 400000 weight units, or dust");
}

void AddBurnFlag(CommandParser& parser, bool& allow_burn)
{
    parser.AddFlag("--allow-burn", allow_burn,
                   "Accept an amount above 0 for an output that nobody can ever spend: OP_RETURN, or a script of more than 10000 bytes");
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
                "Rules to verify by: consensus, standard, or Bitcoin Core's names, e.g. P2SH,WITNESS,TAPROOT,P2MR,SLHDSA (P2MR: once "
                "P2TSH)");
    }
    m_given = [one] { return one.Given(); };
    parser.Add("--sighash TYPE", sighash,
               "Hash type: DEFAULT, ALL, NONE or SINGLE, the last three also with |ANYONECANPAY; one other than DEFAULT or ALL that a SPEC "
               "file or a signature has is refused unless it is named here");
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
    const auto given{ParseGivenSignatures(signatures)};
    if (!given.empty() && made.inputs.size() > 1) {
        throw InputError{"--signature", "there are several inputs: give it as \"signatures\" of its input in the SPEC file"};
    }
    for (auto& input : made.inputs) {
        input.keys.insert(input.keys.end(), key_pairs.begin(), key_pairs.end());
        input.signatures.insert(input.signatures.end(), given.begin(), given.end());
    }
    RequireNamed(made, !spec.empty(), ParseHashTypes(sighash));
    return made;
}

} // namespace slhc::tool
