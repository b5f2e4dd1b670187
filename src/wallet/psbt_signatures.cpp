// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <wallet/psbt_signatures.h>

#include <crypto/sha256.h>
#include <pqc/check.h>
#include <pqc/slhdsa/slhdsa.h>
#include <primitives/serialize.h>
#include <script/checker.h>
#include <script/interpreter.h>
#include <script/pubkey.h>
#include <script/taptree.h>
#include <script/verify_flags.h>
#include <util/hex.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace slhc::wallet {
namespace {

constexpr size_t KEY_SIZE{32};
constexpr size_t SCHNORR_SIZE{SignatureSize(KeyType::SCHNORR)};

[[noreturn]] void Refuse(size_t n_in, const std::string& why)
{
    throw PSBTError{PartiallySignedTransaction::Place(PSBTScope::INPUT, n_in) + ": " + why};
}

[[noreturn]] void RefuseHashType(const CMutableTransaction& tx, size_t n_in, uint8_t hash_type)
{
    const bool single{(hash_type & SIGHASH_OUTPUT_MASK) == SIGHASH_SINGLE && n_in >= tx.vout.size()};
    Refuse(n_in, single ? "hash type SINGLE, but there is no output " + std::to_string(n_in) :
                          "hash type " + std::to_string(hash_type) + " is undefined");
}

const PSBTMap& Input(const PartiallySignedTransaction& psbt, size_t n_in)
{
    if (n_in < psbt.Inputs().size()) return psbt.Inputs()[n_in];
    throw PSBTError{"there is no " + PartiallySignedTransaction::Place(PSBTScope::INPUT, n_in)};
}

/** Whose signature a field holds, and for which leaf; nothing if it is none for a leaf. */
std::optional<std::pair<LeafKey, uint256>> ReadSignatureField(std::span<const uint8_t> field)
{
    const PSBTKeyParts parts{PSBTKeyParts::Parse(field)};
    const bool slhdsa{parts.slhdsa && parts.type == PSBT_IN_SLHDSA_SIG};
    if (!slhdsa && (parts.slhdsa || parts.type != PSBT_IN_TAP_SCRIPT_SIG)) return std::nullopt;
    const auto key{parts.data.first(KEY_SIZE)};
    return std::pair{LeafKey{{key.begin(), key.end()}, slhdsa ? KeyType::SLHDSA : KeyType::SCHNORR},
                     uint256{parts.data.subspan(KEY_SIZE).first<uint256::SIZE>()}};
}

/** Verifies each signature once, however often it is asked for: a PSBT may have a leaf in many places, and each step asks again. */
VerifySignature Remembering(VerifySignature verify)
{
    auto verdicts{std::make_shared<std::map<std::array<uint8_t, CSHA256::OUTPUT_SIZE>, bool>>()};
    return [verify = std::move(verify), verdicts = std::move(verdicts)](const LeafKey& key, const uint256& hash,
                                                                        std::span<const uint8_t> signature) {
        const auto type{static_cast<uint8_t>(key.type)};
        const auto id{CSHA256{}.Write({&type, 1}).Write(key.public_key).Write(hash.Bytes()).Write(signature).Digest()};
        const auto known{verdicts->find(id)};
        return known != verdicts->end() ? known->second : verdicts->emplace(id, verify(key, hash, signature)).first->second;
    };
}

/** What signatures from before segwit may still hash. */
struct LegacyBudget {
    uint64_t tx_size; //!< without scriptSigs
    uint64_t& bytes_left;
    bool exceeded{false};

    [[nodiscard]] bool Take(const CScript& script_code)
    {
        const uint64_t size{tx_size + script_code.size()};
        exceeded = exceeded || size > bytes_left;
        if (!exceeded) bytes_left -= size;
        return !exceeded;
    }
};

/** Verifies signatures as it is told. */
class InputChecker final : public TransactionSignatureChecker
{
public:
    InputChecker(const CTransaction& tx, unsigned n_in, CAmount amount, const PrecomputedTransactionData& txdata,
                 const VerifySignature& verify, LegacyBudget& budget)
        : TransactionSignatureChecker{tx, n_in, amount, txdata}, m_verify{verify}, m_budget{budget}
    {
    }

    [[nodiscard]] bool CheckECDSASignature(std::span<const uint8_t> sig, std::span<const uint8_t> pubkey, const CScript& script_code,
                                           SigVersion sigversion) const override
    {
        if (sigversion == SigVersion::BASE && !m_budget.Take(script_code)) return false;
        return TransactionSignatureChecker::CheckECDSASignature(sig, pubkey, script_code, sigversion);
    }

protected:
    [[nodiscard]] bool VerifySchnorrSignature(std::span<const uint8_t, 64> sig, const XOnlyPubKey& pubkey,
                                              const uint256& sighash) const override
    {
        return m_verify({{pubkey.Bytes().begin(), pubkey.Bytes().end()}, KeyType::SCHNORR}, sighash, sig);
    }
    [[nodiscard]] SLHDSACheckResult VerifySLHDSASignature(slhdsa::SignatureCheck&& check) const override
    {
        const LeafKey key{{check.public_key.begin(), check.public_key.end()}, KeyType::SLHDSA};
        return m_verify(key, uint256{std::span{check.message}}, check.signature) ? SLHDSACheckResult::VALID : SLHDSACheckResult::INVALID;
    }

private:
    const VerifySignature& m_verify;
    LegacyBudget& m_budget;
};

bool HasCodeSeparator(const CScript& script)
{
    opcodetype opcode;
    std::span<const uint8_t> data;
    for (auto pc{script.begin()}; script.GetOp(pc, opcode, data);) {
        if (opcode == OP_CODESEPARATOR) return true;
    }
    return false;
}

/** What SIGHASH_SINGLE commits to. */
uint256 OutputHash(const CTxOut& txout)
{
    HashWriter writer;
    Serialize(writer, txout);
    return writer.GetSHA256();
}

/** The leaves of an input for which signatures may sign another hash than the one that is computed here. Those that are not of the output
 *  are left out: no signature for them is of use. */
std::set<std::vector<uint8_t>> LeavesWithCodeSeparator(const PSBTMap& map, std::span<const PSBTWrongField> wrong)
{
    std::set<std::vector<uint8_t>> wrong_fields, hashes;
    for (const auto& field : wrong) wrong_fields.insert(field.field);
    for (const auto& [key, value] : map) {
        const PSBTKeyParts parts{PSBTKeyParts::Parse(key)};
        if (parts.slhdsa || parts.type != PSBT_IN_TAP_LEAF_SCRIPT) continue;
        if (wrong_fields.contains(key)) continue;
        const CScript script{std::span{value}.first(value.size() - 1)};
        if (!HasCodeSeparator(script)) continue;
        const uint256 hash{ComputeTapleafHash(value.back(), script)};
        hashes.emplace(hash.begin(), hash.end());
    }
    return hashes;
}

/** Add to what is wrong with an input's tree what is wrong with its signatures. */
void AddWrongSignatures(std::vector<PSBTWrongField>& wrong, const PSBTVerifier& verifier, const PartiallySignedTransaction& psbt,
                        size_t n_in)
{
    const PSBTMap& map{psbt.Inputs()[n_in]};
    const auto unclear{LeavesWithCodeSeparator(map, wrong)};
    std::string why_not_asked;
    for (const auto& [field, value] : map) {
        const auto read{ReadSignatureField(field)};
        if (read && unclear.contains({read->second.begin(), read->second.end()})) continue;
        if (auto why{verifier.FieldError(n_in, field, value)}; !why.empty()) {
            wrong.push_back({n_in, field, std::move(why)});
            continue;
        }
        if (!read && field != PSBTKey(PSBT_IN_TAP_KEY_SIG)) continue;
        const std::string signature{read ? "the signature by " + HexStr(read->first.public_key) : std::string{KEY_PATH_SIGNATURE}};
        const uint8_t hash_type{SignatureHashType(read ? read->first.type : KeyType::SCHNORR, value)};
        auto problem{HashTypeProblem(psbt, n_in, signature, hash_type)};
        if (problem.empty()) continue;
        // Together they are of no use. A signature for the whole transaction is worth more than the wish for another one.
        if (hash_type == SIGHASH_DEFAULT || hash_type == SIGHASH_ALL) {
            why_not_asked = "PSBT_IN_SIGHASH_TYPE asks for another hash type than that of " + signature + ", which cannot be used so";
        } else {
            wrong.push_back({n_in, field, std::move(problem)});
        }
    }
    const CScript& spent{verifier.Hasher().TxData().m_spent_outputs[n_in].scriptPubKey};
    if (spent.IsPayToMerkleRoot() || spent.IsPayToTaproot()) {
        try {
            (void)RequestedHashType(psbt, n_in);
        } catch (const PSBTError&) {
            why_not_asked = "PSBT_IN_SIGHASH_TYPE asks for a hash type that is undefined";
        }
    }
    if (!why_not_asked.empty()) wrong.push_back({n_in, PSBTKey(PSBT_IN_SIGHASH_TYPE), why_not_asked});
    std::ranges::move(WrongFinalFields(psbt, n_in, verifier), std::back_inserter(wrong));
}

} // namespace

PSBTSignatureHasher::PSBTSignatureHasher(const PartiallySignedTransaction& psbt) : m_tx{psbt.UnsignedTx()}
{
    std::vector<CTxOut> spent;
    for (size_t i = 0; i < m_tx.vin.size(); ++i) {
        auto output{psbt.SpentOutput(i)};
        if (!output) Refuse(i, "what it spends is not known: neither PSBT_IN_WITNESS_UTXO nor PSBT_IN_NON_WITNESS_UTXO");
        spent.push_back(*std::move(output));
    }
    m_txdata.Init(m_tx, std::move(spent), /*force=*/true);
    for (size_t i = 0; i < std::min(m_tx.vin.size(), m_tx.vout.size()); ++i) m_output_hashes.emplace_back(OutputHash(m_tx.vout[i]));
}

ScriptExecutionData PSBTSignatureHasher::ExecutionData(size_t n_in) const
{
    ScriptExecutionData data;
    data.m_annex_init = true;
    if (n_in < m_output_hashes.size()) data.m_output_hash = m_output_hashes[n_in];
    return data;
}

uint256 PSBTSignatureHasher::Hash(size_t n_in, const uint256& leaf_hash, KeyType type, uint8_t hash_type) const
{
    if (n_in >= m_tx.vin.size()) throw PSBTError{"there is no " + PartiallySignedTransaction::Place(PSBTScope::INPUT, n_in)};
    ScriptExecutionData data{ExecutionData(n_in)};
    data.m_tapleaf_hash = leaf_hash;
    const auto hash{
        SignatureHashSchnorr(data, m_tx, static_cast<uint32_t>(n_in), hash_type, SigVersion::TAPSCRIPT, m_txdata, KeyVersionOf(type))};
    if (hash) return *hash;
    RefuseHashType(m_tx, n_in, hash_type);
}

uint256 PSBTSignatureHasher::KeyPathHash(size_t n_in, uint8_t hash_type) const
{
    ScriptExecutionData data{ExecutionData(n_in)};
    const auto hash{SignatureHashSchnorr(data, m_tx, static_cast<uint32_t>(n_in), hash_type, SigVersion::TAPROOT, m_txdata)};
    if (hash) return *hash;
    RefuseHashType(m_tx, n_in, hash_type);
}

std::set<LeafKey> KeysOf(const LeafRecipe& recipe)
{
    std::set<LeafKey> keys;
    for (const auto& condition : recipe.conditions) {
        if (const auto* const signatures{std::get_if<LeafSignatures>(&condition)}) {
            keys.insert(signatures->keys.begin(), signatures->keys.end());
        }
    }
    return keys;
}

std::vector<uint8_t> SignatureField(const LeafKey& key, const uint256& leaf_hash)
{
    std::vector<uint8_t> data{key.public_key};
    data.insert(data.end(), leaf_hash.begin(), leaf_hash.end());
    return key.type == KeyType::SLHDSA ? PSBTSLHDSAKey(PSBT_IN_SLHDSA_SIG, data) : PSBTKey(PSBT_IN_TAP_SCRIPT_SIG, data);
}

void AddSignature(PartiallySignedTransaction& psbt, size_t n_in, const uint256& leaf_hash, const LeafKey& key,
                  std::span<const uint8_t> signature)
{
    const auto leaves{Leaves(psbt, n_in)};
    const auto leaf{std::ranges::find(leaves, leaf_hash, &PSBTLeaf::hash)};
    if (leaf == leaves.end()) Refuse(n_in, "there is no leaf " + HexStr(leaf_hash.Bytes()));
    AddSignature(psbt, n_in, *leaf, key, signature);
}

void AddSignature(PartiallySignedTransaction& psbt, size_t n_in, const PSBTLeaf& leaf, const LeafKey& key,
                  std::span<const uint8_t> signature)
{
    if (!KeysOf(ReadLeafRecipe(leaf.script)).contains(key)) {
        Refuse(n_in, "leaf " + HexStr(leaf.hash.Bytes()) + " checks no signature by " + HexStr(key.public_key));
    }
    psbt.Set(PSBTScope::INPUT, n_in, SignatureField(key, leaf.hash), signature);

    const auto modifiable{PartiallySignedTransaction::Find(psbt.Global(), PSBT_GLOBAL_TX_MODIFIABLE)};
    if (!modifiable) return;
    const uint8_t hash_type{SignatureHashType(key.type, signature)};
    uint8_t flags{modifiable->front()};
    if ((hash_type & SIGHASH_ANYONECANPAY) == 0) flags &= static_cast<uint8_t>(~PSBT_INPUTS_MODIFIABLE);
    if ((hash_type & SIGHASH_OUTPUT_MASK) != SIGHASH_NONE) flags &= static_cast<uint8_t>(~PSBT_OUTPUTS_MODIFIABLE);
    if ((hash_type & SIGHASH_OUTPUT_MASK) == SIGHASH_SINGLE) flags |= PSBT_HAS_SIGHASH_SINGLE;
    psbt.Set(PSBTScope::GLOBAL, 0, PSBTKey(PSBT_GLOBAL_TX_MODIFIABLE), std::array{flags});
}

std::optional<std::vector<uint8_t>> GetSignature(const PartiallySignedTransaction& psbt, size_t n_in, const uint256& leaf_hash,
                                                 const LeafKey& key)
{
    const PSBTMap& map{Input(psbt, n_in)};
    const auto found{map.find(SignatureField(key, leaf_hash))};
    if (found == map.end()) return std::nullopt;
    return found->second;
}

uint8_t SignatureHashType(KeyType type, std::span<const uint8_t> signature) noexcept
{
    return signature.size() > SignatureSize(type) ? signature.back() : uint8_t{SIGHASH_DEFAULT};
}

std::string HashTypeProblem(const PartiallySignedTransaction& psbt, size_t n_in, const std::string& signature, uint8_t hash_type)
{
    const auto asked{PartiallySignedTransaction::Find(Input(psbt, n_in), PSBT_IN_SIGHASH_TYPE)};
    if (!asked || ReadLE32(asked->data()) == hash_type) return "";
    return signature + " has another hash type than PSBT_IN_SIGHASH_TYPE asks for";
}

bool IsFinal(const PartiallySignedTransaction& psbt, size_t n_in)
{
    const PSBTMap& map{Input(psbt, n_in)};
    return map.contains(PSBTKey(PSBT_IN_FINAL_SCRIPTWITNESS)) || map.contains(PSBTKey(PSBT_IN_FINAL_SCRIPTSIG));
}

bool VerifyLeafSignature(const LeafKey& key, const uint256& hash, std::span<const uint8_t> signature)
{
    if (key.public_key.size() != KEY_SIZE || signature.size() != SignatureSize(key.type)) return false;
    const std::span<const uint8_t, KEY_SIZE> public_key{std::span{key.public_key}.first<KEY_SIZE>()};
    if (key.type == KeyType::SLHDSA) return slhdsa::slh_verify(hash.Bytes(), signature, {}, public_key);
    return XOnlyPubKey{public_key}.VerifySchnorr(hash, signature.first<SCHNORR_SIZE>());
}

PSBTVerifier::PSBTVerifier(const PartiallySignedTransaction& psbt, VerifySignature verify)
    : m_hasher{psbt}
    , m_tx{std::make_shared<const CTransaction>(m_hasher.Tx())}
    , m_tx_size{GetSerializeSize(*m_tx)}
    , m_verify{Remembering(std::move(verify))}
{
}

std::optional<PSBTVerifier> PSBTVerifier::Make(const PartiallySignedTransaction& psbt, const VerifySignature& verify)
{
    for (size_t i = 0; i < psbt.Inputs().size(); ++i) {
        if (!psbt.SpentOutput(i)) return std::nullopt;
    }
    try {
        return PSBTVerifier{psbt, verify};
    } catch (const PSBTError&) { // lock times that contradict each other: NeverValid() says so
        return std::nullopt;
    }
}

std::string PSBTVerifier::SignatureError(size_t n_in, const uint256& leaf_hash, const LeafKey& key,
                                         std::span<const uint8_t> signature) const
{
    const std::string by{"the signature by " + HexStr(key.public_key)};
    // The script of another output may be long, and some hash types would have each signature hash it again.
    const CScript& spent{m_hasher.TxData().m_spent_outputs.at(n_in).scriptPubKey};
    if (!spent.IsPayToMerkleRoot() && !spent.IsPayToTaproot()) return by + " is for a leaf, and what the input spends has none";
    const uint8_t hash_type{SignatureHashType(key.type, signature)};
    if (signature.size() > SignatureSize(key.type) && hash_type == SIGHASH_DEFAULT) return by + " has a hash type of 0";
    try {
        const bool valid{m_verify(key, m_hasher.Hash(n_in, leaf_hash, key.type, hash_type), signature.first(SignatureSize(key.type)))};
        return valid ? "" : by + " is not valid for this transaction";
    } catch (const PSBTError& e) {
        return by + ": " + e.what();
    }
}

std::string PSBTVerifier::KeyPathError(size_t n_in, std::span<const uint8_t> signature) const
{
    const CScript& script_pubkey{m_hasher.TxData().m_spent_outputs[n_in].scriptPubKey};
    if (!script_pubkey.IsPayToTaproot()) return "PSBT_IN_TAP_KEY_SIG: what the input spends has no key path";
    const auto output_key{std::span{script_pubkey}.last(KEY_SIZE)};
    const uint8_t hash_type{SignatureHashType(KeyType::SCHNORR, signature)};
    const std::string name{KEY_PATH_SIGNATURE};
    if (signature.size() > SCHNORR_SIZE && hash_type == SIGHASH_DEFAULT) return name + " has a hash type of 0";
    try {
        const LeafKey key{{output_key.begin(), output_key.end()}, KeyType::SCHNORR};
        const bool valid{m_verify(key, m_hasher.KeyPathHash(n_in, hash_type), signature.first(SCHNORR_SIZE))};
        return valid ? "" : name + " is not valid for this transaction";
    } catch (const PSBTError& e) {
        return name + ": " + e.what();
    }
}

std::string PSBTVerifier::FieldError(size_t n_in, std::span<const uint8_t> field, std::span<const uint8_t> value) const
{
    if (const auto read{ReadSignatureField(field)}) return SignatureError(n_in, read->second, read->first, value);
    return std::ranges::equal(field, PSBTKey(PSBT_IN_TAP_KEY_SIG)) ? KeyPathError(n_in, value) : "";
}

std::string PSBTVerifier::FinalError(size_t n_in, const CScript& script_sig, const CScriptWitness& witness) const
{
    const CTxOut& spent{m_hasher.TxData().m_spent_outputs[n_in]};
    LegacyBudget budget{m_tx_size, m_legacy_bytes_left};
    const InputChecker checker{*m_tx, static_cast<unsigned>(n_in), spent.nValue, m_hasher.TxData(), m_verify, budget};
    ScriptRun run{.flags = MANDATORY_SCRIPT_VERIFY_FLAGS, .checker = checker};
    if (VerifyScript(script_sig, spent.scriptPubKey, &witness, run) || budget.exceeded) return "";
    return "what is final does not spend the output: " + std::string{ScriptErrorString(run.failure.error)};
}

PSBTFinalFields ReadFinalFields(const PartiallySignedTransaction& psbt, size_t n_in)
{
    PSBTFinalFields fields;
    const PSBTMap& map{Input(psbt, n_in)};
    if (const auto script_sig{PartiallySignedTransaction::Find(map, PSBT_IN_FINAL_SCRIPTSIG)}) fields.script_sig = CScript{*script_sig};
    if (const auto witness{PartiallySignedTransaction::Find(map, PSBT_IN_FINAL_SCRIPTWITNESS)}) {
        SpanReader reader{*witness};
        const size_t count{reader.ReadCount(1, "witness element count")};
        for (size_t n = 0; n < count; ++n) {
            const auto element{reader.ReadVarBytes("witness element")};
            fields.witness.stack.emplace_back(element.begin(), element.end());
        }
    }
    return fields;
}

std::vector<PSBTWrongField> WrongFinalFields(const PartiallySignedTransaction& psbt, size_t n_in, const PSBTVerifier& verifier)
{
    std::vector<PSBTWrongField> wrong;
    if (!IsFinal(psbt, n_in)) return wrong;
    const auto [script_sig, witness]{ReadFinalFields(psbt, n_in)};
    const std::string why{verifier.FinalError(n_in, script_sig, witness)};
    if (why.empty()) return wrong;
    for (const uint64_t type : {PSBT_IN_FINAL_SCRIPTSIG, PSBT_IN_FINAL_SCRIPTWITNESS}) {
        if (psbt.Inputs()[n_in].contains(PSBTKey(type))) wrong.push_back({n_in, PSBTKey(type), why});
    }
    return wrong;
}

std::vector<PSBTWrongField> WrongFields(const PartiallySignedTransaction& psbt, const VerifySignature& verify)
{
    std::vector<PSBTWrongField> wrong;
    const auto verifier{PSBTVerifier::Make(psbt, verify)};
    for (size_t i = 0; i < psbt.Inputs().size(); ++i) {
        auto of_input{WrongTreeFields(psbt, i)};
        if (verifier) AddWrongSignatures(of_input, *verifier, psbt, i);
        std::ranges::move(of_input, std::back_inserter(wrong));
    }
    for (size_t i = 0; i < psbt.Outputs().size(); ++i) {
        auto of_tree{CheckOutputTree(psbt, i).wrong};
        std::ranges::move(of_tree, std::back_inserter(wrong));
    }
    return wrong;
}

std::vector<PSBTWrongField> DropWrongFields(PartiallySignedTransaction& psbt, const VerifySignature& verify)
{
    auto wrong{WrongFields(psbt, verify)};
    for (const auto& field : wrong) psbt.Erase(field.scope, field.index, field.field);
    return wrong;
}

} // namespace slhc::wallet
