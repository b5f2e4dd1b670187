// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/psbt_view.h>

#include <consensus/consensus.h>
#include <primitives/serialize.h>
#include <script/sighash.h>
#include <script/taptree.h>
#include <tool/asm.h>
#include <tool/hash_type.h>
#include <tool/lock_time.h>
#include <tool/output.h>
#include <tool/psbt_access.h>
#include <tool/psbt_file.h>
#include <tool/psbt_signer.h>
#include <tool/signature_check.h>
#include <tool/spender.h>
#include <tool/tree.h>
#include <tool/witness_plan.h>
#include <util/hex.h>
#include <wallet/psbt_finalizer.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace slhc::tool {
namespace {

using wallet::PartiallySignedTransaction;
using wallet::PSBTScope;

/** Signers see every leaf in full, unless nobody can ever sign for it: no block has room for its script. */
std::string ShowLeaf(const CScript& script)
{
    constexpr size_t MAX_SHOWN{100'000};
    return FormatScript(script, script.size() > size_t{MAX_BLOCK_WEIGHT} ? MAX_SHOWN : SIZE_MAX);
}

void AddScript(Json& json, const CScript& script_pubkey, Network network)
{
    json["script_pubkey"] = HexStr(script_pubkey);
    if (const auto program{WitnessProgram::FromScriptPubKey(script_pubkey)}) {
        json["type"] = program->TypeName();
        json["address"] = EncodeAddress(network, *program);
    }
}

class Viewer
{
public:
    Viewer(const PartiallySignedTransaction& psbt, Network network, const std::set<wallet::LeafKey>& own)
        : m_psbt{psbt}
        , m_network{network}
        , m_own{own}
        , m_tx{psbt.UnsignedTx()}
        , m_verifier{wallet::PSBTVerifier::Make(psbt)}
        , m_warnings{wallet::LockTimesWithoutEffect(m_tx)}
    {
        for (size_t i = 0; i < m_tx.vin.size(); ++i) {
            m_spent_outputs.push_back(psbt.SpentOutput(i));
            if (const auto& spent{m_spent_outputs.back()}) m_spent_scripts.emplace(spent->scriptPubKey, i);
        }
        for (const auto& wrong : wallet::WrongFields(psbt)) {
            m_warnings.push_back(Describe(wrong) + " (psbt update --drop-invalid removes it)");
            if (wrong.scope != PSBTScope::INPUT) continue;
            const bool hash_type{wrong.field == wallet::PSBTKey(wallet::PSBT_IN_SIGHASH_TYPE)};
            m_needs_update = m_needs_update || hash_type || wallet::IsFinal(psbt, wrong.index);
        }
    }

    Json Whole()
    {
        Json json = {{"psbt_version", m_psbt.Version()},
                     {"txid", m_tx.GetHash().GetHex()},
                     {"version", m_tx.version},
                     {"locktime", m_tx.nLockTime}};
        if (const std::string wait{DescribeWait(m_tx)}; !wait.empty()) json["not_before"] = wait;
        if (const auto flags{PartiallySignedTransaction::Find(m_psbt.Global(), wallet::PSBT_GLOBAL_TX_MODIFIABLE)})
            json["modifiable"] = flags->front();
        json["inputs"] = Json::array();
        for (size_t i = 0; i < m_tx.vin.size(); ++i) json["inputs"].push_back(Input(i));
        json["outputs"] = Json::array();
        for (size_t i = 0; i < m_tx.vout.size(); ++i) json["outputs"].push_back(Output(i));
        AddUnknown(json, m_psbt.Global(), PSBTScope::GLOBAL);
        AddSizeAndFee(json);
        if (m_needs_update) Next("update");
        const bool all_signed{m_next == "finalize" || m_next == "extract"};
        for (const std::string& why :
             {wallet::NeverValid(m_psbt), OpenOutput(m_psbt), all_signed ? wallet::WhyIncomplete(m_psbt) : std::string{}}) {
            if (why.empty()) continue;
            m_warnings.push_back(why);
            m_next = "none";
        }
        json["warnings"] = m_warnings;
        json["next"] = m_next;
        return json;
    }

private:
    Json Input(size_t n_in)
    {
        const CTxIn& txin{m_tx.vin[n_in]};
        Json json = {{"txid", txin.prevout.hash.GetHex()}, {"vout", txin.prevout.n}};
        const auto& spent{m_spent_outputs[n_in]};
        if (spent) {
            json["amount"] = spent->nValue;
            AddScript(json, spent->scriptPubKey, m_network);
        }
        const bool wrong_tree{!wallet::WrongTreeFields(m_psbt, n_in).empty()}; // of which the warnings speak
        const auto leaves{spent && !wrong_tree ? wallet::Leaves(m_psbt, n_in) : std::vector<wallet::PSBTLeaf>{}};
        if (spent && !wrong_tree) AddTree(json, n_in, leaves);
        json["sequence"] = txin.nSequence;
        if (const std::string age{DescribeAge(m_tx, n_in)}; !age.empty()) json["age"] = age;
        AddHashType(json, n_in);
        const bool final{wallet::IsFinal(m_psbt, n_in)};
        json["final"] = final;
        json["leaves"] = Json::array();
        bool complete{final};
        const auto key_path{PartiallySignedTransaction::Find(m_psbt.Inputs()[n_in], wallet::PSBT_IN_TAP_KEY_SIG)};
        if (!final && spent && key_path) {
            json["key_path"] = KeyPath(n_in, *key_path, complete);
        }
        if (!final) {
            for (const auto& leaf : leaves) json["leaves"].push_back(Leaf(n_in, json["leaves"].size(), leaf, complete));
        }
        const bool can_be_signed{!json["leaves"].empty() || json.contains("key_path")};
        Next(!spent || wrong_tree || (!final && !can_be_signed) ? "update" : final ? "extract" : complete ? "finalize" : "sign");
        AddUnknown(json, m_psbt.Inputs()[n_in], PSBTScope::INPUT);
        return json;
    }

    /** The fields of a map that nothing here knows, as far as the first of them in the PSBT go: there may be millions. */
    void AddUnknown(Json& json, const wallet::PSBTMap& map, PSBTScope scope)
    {
        Json unknown = Json::array();
        size_t left_out{0};
        for (const auto& [key, value] : map) {
            if (wallet::IsKnownPSBTField(scope, wallet::PSBTKeyParts::Parse(key))) continue;
            if (m_unknown_to_show == 0) {
                ++left_out;
                continue;
            }
            --m_unknown_to_show;
            unknown.push_back({{"key", HexStr(key)}, {"value", HexStr(value)}});
        }
        if (!unknown.empty()) json["unknown"] = std::move(unknown);
        if (left_out != 0) json["unknown_left_out"] = left_out;
    }

    /** What the PSBT shows of the output that is spent, beside the leaves. @pre the output is known, and WrongTreeFields finds nothing */
    void AddTree(Json& json, size_t n_in, std::span<const wallet::PSBTLeaf> leaves)
    {
        const CTxOut& spent{*m_spent_outputs[n_in]};
        const auto internal_key{wallet::InputInternalKey(m_psbt, n_in, spent, leaves)};
        if (internal_key) AddInternalKey(json, *internal_key, m_own);
        if (m_own.empty() || wallet::IsFinal(m_psbt, n_in)) return; // a final input no longer says what its leaves are
        auto access{AccessOf(m_own, KnownTree::OfInput(spent, leaves, internal_key))};
        if (access.some) m_signed_scripts.insert(spent.scriptPubKey);
        // Of inputs with the same script, one that shows more of the tree may come later.
        const auto [known, inserted]{m_access.try_emplace(spent.scriptPubKey, access)};
        if (!inserted && (access.Only() || !known->second.some)) known->second = std::move(access);
    }

    /** What the PSBT asks for. */
    void AddHashType(Json& json, size_t n_in)
    {
        const auto asked{PartiallySignedTransaction::Find(m_psbt.Inputs()[n_in], wallet::PSBT_IN_SIGHASH_TYPE)};
        const uint32_t hash_type{asked ? ReadLE32(asked->data()) : uint32_t{SIGHASH_DEFAULT}};
        try {
            json["sighash"] = HashTypeName(wallet::RequestedHashType(m_psbt, n_in));
        } catch (const wallet::PSBTError&) {
            json["sighash"] = hash_type; // without a name
            return;
        }
        const std::string warning{HashTypeWarning(n_in, static_cast<uint8_t>(hash_type))};
        if (!warning.empty()) m_warnings.push_back(warning);
    }

    /** A warning about the hash type of a signature, unless the PSBT asks for it, so that there is one already. */
    void WarnOfHashType(size_t n_in, uint8_t hash_type, const std::string& signature)
    {
        const std::string warning{HashTypeWarning(n_in, hash_type)};
        const auto asked{PartiallySignedTransaction::Find(m_psbt.Inputs()[n_in], wallet::PSBT_IN_SIGHASH_TYPE)};
        if (warning.empty() || (asked && ReadLE32(asked->data()) == hash_type)) return;
        m_warnings.push_back(warning + " (" + signature + ")");
    }

    Json KeyPath(size_t n_in, std::span<const uint8_t> signature, bool& complete)
    {
        const auto* const verifier{m_verifier ? &*m_verifier : nullptr};
        const uint8_t hash_type{wallet::SignatureHashType(KeyType::SCHNORR, signature)};
        Json json = {{"sighash", HashTypeName(hash_type)}};
        if (verifier) json["valid"] = verifier->KeyPathError(n_in, signature).empty();
        WarnOfHashType(n_in, hash_type, std::string{wallet::KEY_PATH_SIGNATURE});
        complete = complete || wallet::WhyKeyPathNotUsed(m_psbt, n_in, signature, verifier).empty();
        return json;
    }

    Json Leaf(size_t n_in, size_t number, const wallet::PSBTLeaf& leaf, bool& complete)
    {
        Json json = {{"leaf", number},
                     {"leaf_hash", HexStr(leaf.hash.Bytes())},
                     {"leaf_version", leaf.version},
                     {"script", HexStr(leaf.script)},
                     {"asm", ShowLeaf(leaf.script)}};
        json["signatures"] = Json::array();
        std::map<wallet::LeafKey, Json> of_key; // a script may have a key many times
        for (const auto& condition : wallet::ReadLeafRecipe(leaf.script).conditions) {
            const auto* const signatures{std::get_if<wallet::LeafSignatures>(&condition)};
            if (!signatures) continue;
            for (const auto& key : signatures->keys) {
                auto& signature{of_key[key]};
                if (signature.is_null()) signature = Signature(n_in, leaf, key);
                json["signatures"].push_back(signature);
            }
        }
        const auto stack{wallet::LeafProgress(m_psbt, m_tx, n_in, leaf, m_verifier ? &*m_verifier : nullptr)};
        if (!stack.Complete()) json["missing"] = stack.missing;
        complete = complete || stack.Complete();
        return json;
    }

    Json Signature(size_t n_in, const wallet::PSBTLeaf& leaf, const wallet::LeafKey& key)
    {
        const auto signature{wallet::GetSignature(m_psbt, n_in, leaf.hash, key)};
        Json json = {{"type", KeyTypeName(key.type)}, {"public_key", HexStr(key.public_key)}, {"signed", signature.has_value()}};
        if (!signature) return json;
        const uint8_t hash_type{wallet::SignatureHashType(key.type, *signature)};
        json["sighash"] = HashTypeName(hash_type);
        if (m_verifier) json["valid"] = m_verifier->SignatureError(n_in, leaf.hash, key, *signature).empty();
        WarnOfHashType(n_in, hash_type, "the signature by " + HexStr(key.public_key));
        return json;
    }

    Json Output(size_t n_out)
    {
        const CTxOut& txout{m_tx.vout[n_out]};
        Json json = {{"amount", txout.nValue}};
        AddScript(json, txout.scriptPubKey, m_network);
        const std::string place{PartiallySignedTransaction::Place(PSBTScope::OUTPUT, n_out) + ": "};
        const auto said{wallet::ReadOutputTree(m_psbt, n_out)};
        const auto internal_key{wallet::OutputInternalKey(m_psbt, n_out, said)};
        if (internal_key) AddInternalKey(json, *internal_key, m_own);
        if (said.agrees && internal_key) Warn(place, InternalKeyWarning(*internal_key, m_own));
        if (said.tree) {
            json["tree"] = FormatTree(*said.tree);
            if (!m_own.empty()) AddLeavesOf(json, m_own, *said.tree);
            WarnOfLeaves(*said.tree, place);
        }
        Warn(place, said.unknown);
        Warn(place, BurnWarning(txout));
        std::optional<KnownTree> tree;
        if (said.tree) tree = KnownTree{.leaves = said.tree->Leaves(), .whole = true, .internal_key = internal_key};
        AddAccess(json, txout.scriptPubKey, place, tree);
        AddUnknown(json, m_psbt.Outputs()[n_out], PSBTScope::OUTPUT);
        return json;
    }

    /** Whose an output may be: what looks like change is somebody else's if others can spend it.
     *  @param[in] tree  of the output, if the PSBT says it */
    void AddAccess(Json& json, const CScript& script_pubkey, const std::string& place, const std::optional<KnownTree>& tree)
    {
        const auto input{m_spent_scripts.find(script_pubkey)};
        if (input != m_spent_scripts.end()) json["script_of_input"] = input->second;
        if (m_own.empty()) return;
        const auto known{m_access.find(script_pubkey)};
        if (!tree && known == m_access.end()) return;
        const KeyAccess access{tree ? AccessOf(m_own, *tree) : known->second};
        json["only_these_keys"] = access.Only();
        if (access.Only()) json["others_must_sign"] = !access.alone;
        if (!access.some || access.others.empty()) return;
        json["others_may_spend"] = access.others;
        if (input == m_spent_scripts.end()) return;
        // If everything that is signed for has this script, others could spend all that before, too: they gain nothing.
        const bool all{m_signed_scripts.size() == 1 && m_signed_scripts.contains(script_pubkey)};
        json["script_of_all_signed_inputs"] = all;
        if (all) return;
        Warn(place, "it has the script of input " + std::to_string(input->second) +
                        ", of which these keys sign a leaf, but others may spend it: " + access.others);
    }

    void Warn(const std::string& place, const std::string& warning)
    {
        if (!warning.empty()) m_warnings.push_back(place + warning);
    }

    /** Who else can spend what looks like change. */
    void WarnOfLeaves(const ScriptTree& tree, const std::string& place)
    {
        for (size_t i = 0; i < tree.Leaves().size(); ++i) {
            Warn(place + "leaf " + std::to_string(i) + ": ", WhoCanSpend(tree.Leaves()[i]).warning);
        }
    }

    /** Nothing also for amounts that cannot be, of which a warning speaks. */
    std::optional<CAmount> KnownFee() const
    {
        try {
            return wallet::Fee(m_psbt);
        } catch (const wallet::PSBTError&) {
            return std::nullopt;
        }
    }

    void AddSizeAndFee(Json& json) const
    {
        const auto fee{KnownFee()};
        const auto estimate{m_verifier ? wallet::EstimateWeight(m_psbt, &*m_verifier) : std::nullopt};
        const int64_t virtual_size{estimate ? estimate->VirtualSize() : 0};
        if (estimate) {
            json["weight"] = estimate->weight;
            json["vsize"] = virtual_size;
            json["exact"] = estimate->exact;
        }
        if (fee) json["fee"] = *fee;
        if (fee && *fee >= 0 && estimate) json["feerate"] = Json::parse(FormatFeeRate(*fee, virtual_size));
    }

    /** The first role that some input still needs. */
    void Next(std::string_view role)
    {
        static constexpr std::array<std::string_view, 4> ROLES{"update", "sign", "finalize", "extract"};
        if (std::ranges::find(ROLES, role) < std::ranges::find(ROLES, m_next)) m_next = role;
    }

    const PartiallySignedTransaction& m_psbt;
    const Network m_network;
    const std::set<wallet::LeafKey>& m_own; //!< the viewer's own keys; empty: not known
    const CMutableTransaction m_tx;
    //! Of each input, if known. To find one may take parsing a whole previous transaction: once for each input, not for each leaf.
    std::vector<std::optional<CTxOut>> m_spent_outputs;
    std::map<CScript, size_t> m_spent_scripts; //!< with the first input that spends such an output
    std::map<CScript, KeyAccess> m_access;     //!< what m_own can do with those of inputs that are not final
    std::set<CScript> m_signed_scripts;        //!< those that m_own signs
    const std::optional<wallet::PSBTVerifier> m_verifier; //!< nothing if a spent output is not known
    std::vector<std::string> m_warnings;
    size_t m_unknown_to_show{10'000};
    bool m_needs_update{false};
    std::string m_next{"extract"};
};

std::string Text(const Json& json)
{
    return json.is_string() ? json.get<std::string>() : json.dump();
}

std::string SignatureState(const Json& signature, bool is_signed)
{
    std::string state{is_signed ? "signed" : "not signed"};
    if (signature.contains("valid") && !signature["valid"].get<bool>()) state = "INVALID signature";
    if (signature.contains("sighash") && signature["sighash"] != "DEFAULT") state += ", hash type " + Text(signature["sighash"]);
    return state;
}

void AddLeafRows(std::vector<std::pair<std::string, std::string>>& rows, const Json& leaf)
{
    rows.emplace_back("  leaf " + Text(leaf["leaf"]), leaf["asm"]);
    rows.emplace_back("    hash", leaf["leaf_hash"]);
    for (const auto& signature : leaf["signatures"]) {
        const std::string state{SignatureState(signature, signature["signed"].get<bool>())};
        rows.emplace_back("    " + Text(signature["type"]), Text(signature["public_key"]) + ": " + state);
    }
    if (leaf.contains("missing")) rows.emplace_back("    missing", leaf["missing"]);
}

} // namespace

Json PSBTJson(const PartiallySignedTransaction& psbt, Network network, const std::set<wallet::LeafKey>& own)
{
    return WithPSBT([&] { return Viewer{psbt, network, own}.Whole(); });
}

void PrintPSBT(const Json& psbt, std::FILE* out)
{
    std::vector<std::pair<std::string, std::string>> rows{{"txid", Text(psbt["txid"])}};
    for (size_t i = 0; i < psbt["inputs"].size(); ++i) {
        const Json& input{psbt["inputs"][i]};
        const std::string coin{Text(input["txid"]) + ":" + Text(input["vout"])};
        rows.emplace_back("input " + std::to_string(i),
                          (input.contains("amount") ? FormatSatoshis(input["amount"]) + " of " : "unknown amount of ") + coin);
        if (input.contains("script_pubkey")) {
            rows.emplace_back("  from", DescribeScript(input));
        }
        AddInternalKeyRow(rows, input);
        if (input.contains("age")) rows.emplace_back("  age", "at least " + Text(input["age"]));
        if (input["sighash"] != "DEFAULT") rows.emplace_back("  hash type", Text(input["sighash"]));
        if (input["final"].get<bool>()) rows.emplace_back("  final", "yes");
        if (input.contains("key_path")) rows.emplace_back("  key path", SignatureState(input["key_path"], /*is_signed=*/true));
        for (const auto& leaf : input["leaves"]) AddLeafRows(rows, leaf);
    }
    for (size_t i = 0; i < psbt["outputs"].size(); ++i) {
        const Json& output{psbt["outputs"][i]};
        rows.emplace_back("output " + std::to_string(i), FormatSatoshis(output["amount"]) + " to " + DescribeScript(output));
        AddAccessRows(rows, output);
    }
    if (psbt.contains("not_before")) rows.emplace_back("not before", psbt["not_before"]);
    if (psbt.contains("weight")) rows.emplace_back("weight", DescribeWeight(psbt));
    if (psbt.contains("fee") && psbt["fee"].get<CAmount>() < 0) {
        rows.emplace_back("fee", "none: the outputs get more than the inputs have");
    } else if (psbt.contains("fee")) {
        rows.emplace_back("fee", FormatSatoshis(psbt["fee"]) +
                                     (psbt.contains("feerate") ? " (" + Text(psbt["feerate"]) + " per virtual byte)" : ""));
    } else {
        const bool known{std::ranges::all_of(psbt["inputs"], [](const Json& input) { return input.contains("amount"); })};
        rows.emplace_back("fee", known ? "none: these amounts cannot be" : "unknown: not every spent output is");
    }
    for (const auto& warning : psbt["warnings"]) rows.emplace_back("WARNING", warning);
    rows.emplace_back("next", psbt["next"]);
    PrintTable(rows, out);
}

Json WrongFieldsJson(std::span<const wallet::PSBTWrongField> wrong)
{
    Json json = Json::array();
    for (const auto& field : wrong) {
        const char* const place{field.scope == PSBTScope::OUTPUT ? "output" : "input"};
        json.push_back({{place, field.index}, {"field", HexStr(field.field)}, {"why", field.why}});
    }
    return json;
}

void PrintNote(const std::string& note)
{
    std::fprintf(stderr, "%s\n", Printable(note).c_str());
}

Json SignaturesJson(std::span<const PSBTSignature> signatures)
{
    Json json = Json::array();
    for (const auto& signature : signatures) {
        json.push_back({{"input", signature.n_in},
                        {"leaf", signature.leaf},
                        {"leaf_hash", HexStr(signature.leaf_hash.Bytes())},
                        {"type", KeyTypeName(signature.key.type)},
                        {"public_key", HexStr(signature.key.public_key)},
                        {"sighash", HashTypeName(signature.hash_type)}});
    }
    return json;
}

} // namespace slhc::tool
