// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <wallet/psbt_roles.h>

#include <crypto/hash.h>
#include <primitives/serialize.h>
#include <script/p2mr.h>
#include <script/pubkey.h>
#include <script/taptree.h>
#include <util/check.h>
#include <util/hex.h>
#include <wallet/tap_tree.h>

#include <algorithm>
#include <set>
#include <utility>

namespace slhc::wallet {
namespace {

constexpr size_t KEY_SIZE{32};
constexpr size_t TAPROOT_CONTROL_BASE{1 + KEY_SIZE};

[[noreturn]] void Refuse(size_t n_in, const std::string& why)
{
    throw PSBTError{PartiallySignedTransaction::Place(PSBTScope::INPUT, n_in) + ": " + why};
}

const PSBTMap& Input(const PartiallySignedTransaction& psbt, size_t n_in)
{
    if (n_in < psbt.Inputs().size()) return psbt.Inputs()[n_in];
    throw PSBTError{"there is no " + PartiallySignedTransaction::Place(PSBTScope::INPUT, n_in)};
}

CTxOut SpentOutputOrRefuse(const PartiallySignedTransaction& psbt, size_t n_in)
{
    (void)Input(psbt, n_in);
    auto output{psbt.SpentOutput(n_in)};
    if (!output) Refuse(n_in, "what it spends is not known: neither PSBT_IN_WITNESS_UTXO nor PSBT_IN_NON_WITNESS_UTXO");
    return *std::move(output);
}

/** The output key of an internal key and a tree, and the parity of its y. */
std::pair<XOnlyPubKey, bool> OutputKey(const uint256& root, std::span<const uint8_t, KEY_SIZE> internal_key)
{
    const auto tweaked{XOnlyPubKey{internal_key}.CreateTapTweak(&root)};
    if (!tweaked) throw PSBTError{"the internal key " + HexStr(internal_key) + " is not the x coordinate of a point"};
    return *tweaked;
}

/** Whether a control block leads from a leaf to an output. */
bool LeadsTo(const CScript& script_pubkey, std::span<const uint8_t> control_block, const uint256& leaf_hash)
{
    int version;
    std::span<const uint8_t> program;
    if (!script_pubkey.IsWitnessProgram(version, program) || program.size() != KEY_SIZE) return false;
    if (script_pubkey.IsPayToMerkleRoot()) {
        const auto parsed{P2MRControlBlock::Parse(control_block)};
        return parsed && parsed->control_bit && std::ranges::equal(ComputeTapPathRoot(parsed->path, leaf_hash).Bytes(), program);
    }
    if (!script_pubkey.IsPayToTaproot() || !ValidControlSize(control_block.size(), TAPROOT_CONTROL_BASE)) return false;
    const XOnlyPubKey output{program.first<KEY_SIZE>()}, internal{control_block.subspan<1, KEY_SIZE>()};
    const uint256 root{ComputeTapPathRoot(control_block.subspan(TAPROOT_CONTROL_BASE), leaf_hash)};
    return output.CheckTapTweak(internal, root, (control_block[0] & 1) != 0);
}

/** The key of the field that holds a signature. */
std::vector<uint8_t> SignatureField(const LeafKey& key, const uint256& leaf_hash)
{
    std::vector<uint8_t> data{key.public_key};
    data.insert(data.end(), leaf_hash.begin(), leaf_hash.end());
    return key.type == KeyType::SLHDSA ? PSBTSLHDSAKey(PSBT_IN_SLHDSA_SIG, data) : PSBTKey(PSBT_IN_TAP_SCRIPT_SIG, data);
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

std::optional<std::vector<uint8_t>> GetPreimage(const PSBTMap& map, std::span<const uint8_t> hash)
{
    const auto found{map.find(PSBTKey(PSBT_IN_SHA256, hash))};
    if (found == map.end()) return std::nullopt;
    return found->second;
}

/** The whole witness that spends a leaf. */
std::vector<std::vector<uint8_t>> Witness(LeafStack stack, const PSBTLeaf& leaf)
{
    std::vector<std::vector<uint8_t>> witness;
    for (auto& element : stack.elements) witness.push_back(std::move(element.bytes));
    witness.emplace_back(leaf.script.begin(), leaf.script.end());
    witness.push_back(leaf.control_block);
    return witness;
}

/** The witness that a leaf will have, with signatures and preimages of the right sizes. */
std::vector<std::vector<uint8_t>> DummyWitness(const PartiallySignedTransaction& psbt, size_t n_in, const PSBTLeaf& leaf,
                                               const LeafRecipe& recipe)
{
    constexpr size_t PREIMAGE_SIZE{32}; // what nearly all have
    const size_t hash_type_size{RequestedHashType(psbt, n_in) == SIGHASH_DEFAULT ? size_t{0} : size_t{1}};
    const auto signature{[&](const LeafKey& key) -> std::optional<std::vector<uint8_t>> {
        if (auto have{GetSignature(psbt, n_in, leaf.hash, key)}) return have;
        return std::vector<uint8_t>(SignatureSize(key.type) + hash_type_size);
    }};
    const auto preimage{[&](std::span<const uint8_t> hash) -> std::optional<std::vector<uint8_t>> {
        return GetPreimage(psbt.Inputs()[n_in], hash).value_or(std::vector<uint8_t>(PREIMAGE_SIZE));
    }};
    return Witness(SatisfyLeaf(recipe, signature, preimage), leaf);
}

/** Fields that a Finalizer leaves in an input: what is spent, what belongs to the transaction, and what is not known here. */
bool StaysInFinalInput(const PSBTKeyParts& key)
{
    if (key.slhdsa) return key.type != PSBT_IN_SLHDSA_SIG;
    switch (key.type) {
    case PSBT_IN_PARTIAL_SIG:
    case PSBT_IN_SIGHASH_TYPE:
    case PSBT_IN_REDEEM_SCRIPT:
    case PSBT_IN_WITNESS_SCRIPT:
    case PSBT_IN_BIP32_DERIVATION:
    case PSBT_IN_RIPEMD160:
    case PSBT_IN_SHA256:
    case PSBT_IN_HASH160:
    case PSBT_IN_HASH256:
    case PSBT_IN_TAP_KEY_SIG:
    case PSBT_IN_TAP_SCRIPT_SIG:
    case PSBT_IN_TAP_LEAF_SCRIPT:
    case PSBT_IN_TAP_BIP32_DERIVATION:
    case PSBT_IN_TAP_INTERNAL_KEY:
    case PSBT_IN_TAP_MERKLE_ROOT:
        return false;
    default:
        return true;
    }
}

void SetFinalWitness(PartiallySignedTransaction& psbt, size_t n_in, std::vector<std::vector<uint8_t>> stack)
{
    const PSBTMap fields{psbt.Inputs()[n_in]};
    for (const auto& [key, value] : fields) {
        if (!StaysInFinalInput(PSBTKeyParts::Parse(key))) psbt.Erase(PSBTScope::INPUT, n_in, key);
    }
    psbt.Set(PSBTScope::INPUT, n_in, PSBTKey(PSBT_IN_FINAL_SCRIPTWITNESS), SerializeToVector(CScriptWitness{std::move(stack)}));
}

/** Why a leaf's signatures don't have the hash type that the PSBT asks for; empty if they do. */
std::string HashTypeError(const PartiallySignedTransaction& psbt, size_t n_in, const PSBTLeaf& leaf, const LeafRecipe& recipe)
{
    if (!PartiallySignedTransaction::Find(psbt.Inputs()[n_in], PSBT_IN_SIGHASH_TYPE)) return "";
    const uint8_t requested{RequestedHashType(psbt, n_in)};
    for (const auto& key : KeysOf(recipe)) {
        const auto signature{GetSignature(psbt, n_in, leaf.hash, key)};
        if (signature && SignatureHashType(key.type, *signature) != requested) {
            return "the signature by " + HexStr(key.public_key) + " has another hash type than the input's";
        }
    }
    return "";
}

} // namespace

CScript TreeScriptPubKey(const ScriptTree& tree, const InternalKey& internal_key)
{
    if (!internal_key) return P2MRScriptPubKey(tree.Root());
    const auto [output, parity]{OutputKey(tree.Root(), *internal_key)};
    CScript script;
    return script << OP_1 << std::span<const uint8_t>{output.Bytes()};
}

std::vector<uint8_t> TreeControlBlock(const ScriptTree& tree, const ScriptTree::Leaf& leaf, const InternalKey& internal_key)
{
    if (!internal_key) return leaf.P2MRControlBlock();
    const auto [output, parity]{OutputKey(tree.Root(), *internal_key)};
    std::vector<uint8_t> block{static_cast<uint8_t>(leaf.version | (parity ? 1 : 0))};
    block.insert(block.end(), internal_key->begin(), internal_key->end());
    block.insert(block.end(), leaf.path.begin(), leaf.path.end());
    return block;
}

void AddLeaf(PartiallySignedTransaction& psbt, size_t n_in, const ScriptTree& tree, size_t leaf, const InternalKey& internal_key)
{
    const CTxOut spent{SpentOutputOrRefuse(psbt, n_in)};
    if (leaf >= tree.Leaves().size()) Refuse(n_in, "the tree has no leaf " + std::to_string(leaf));
    if (spent.scriptPubKey != TreeScriptPubKey(tree, internal_key)) Refuse(n_in, "what it spends does not have this tree");
    const auto& spent_leaf{tree.Leaves()[leaf]};
    std::vector<uint8_t> script{spent_leaf.script.begin(), spent_leaf.script.end()};
    script.push_back(spent_leaf.version);
    psbt.Set(PSBTScope::INPUT, n_in, PSBTKey(PSBT_IN_TAP_LEAF_SCRIPT, TreeControlBlock(tree, spent_leaf, internal_key)), script);
    psbt.Set(PSBTScope::INPUT, n_in, PSBTKey(PSBT_IN_TAP_MERKLE_ROOT), tree.Root().Bytes());
    if (internal_key) psbt.Set(PSBTScope::INPUT, n_in, PSBTKey(PSBT_IN_TAP_INTERNAL_KEY), *internal_key);
}

void SetSpentOutput(PartiallySignedTransaction& psbt, size_t n_in, const CTxOut& output)
{
    (void)Input(psbt, n_in);
    const auto known{psbt.SpentOutput(n_in)};
    if (known && *known != output) Refuse(n_in, "the PSBT says that it spends another output");
    psbt.Set(PSBTScope::INPUT, n_in, PSBTKey(PSBT_IN_WITNESS_UTXO), SerializeToVector(output));
}

void AddOutputTree(PartiallySignedTransaction& psbt, size_t n_out, const ScriptTree& tree, const InternalKey& internal_key)
{
    const CMutableTransaction tx{psbt.UnsignedTx()};
    const std::string place{PartiallySignedTransaction::Place(PSBTScope::OUTPUT, n_out)};
    if (n_out >= tx.vout.size()) throw PSBTError{"there is no " + place};
    if (tx.vout[n_out].scriptPubKey != TreeScriptPubKey(tree, internal_key)) throw PSBTError{place + ": does not have this tree"};
    psbt.Set(PSBTScope::OUTPUT, n_out, PSBTKey(PSBT_OUT_TAP_TREE), SerializeTapTree(tree));
    if (internal_key) psbt.Set(PSBTScope::OUTPUT, n_out, PSBTKey(PSBT_OUT_TAP_INTERNAL_KEY), *internal_key);
}

void AddPreimage(PartiallySignedTransaction& psbt, size_t n_in, std::span<const uint8_t> preimage)
{
    psbt.Set(PSBTScope::INPUT, n_in, PSBTKey(PSBT_IN_SHA256, Sha256(preimage)), preimage);
}

std::vector<PSBTLeaf> Leaves(const PartiallySignedTransaction& psbt, size_t n_in)
{
    std::vector<PSBTLeaf> leaves;
    std::optional<CTxOut> spent;
    for (const auto& [key, value] : Input(psbt, n_in)) {
        const PSBTKeyParts parts{PSBTKeyParts::Parse(key)};
        if (parts.slhdsa || parts.type != PSBT_IN_TAP_LEAF_SCRIPT) continue;
        PSBTLeaf leaf{{parts.data.begin(), parts.data.end()}, value.back(), CScript{std::span{value}.first(value.size() - 1)}, {}};
        leaf.hash = ComputeTapleafHash(leaf.version, leaf.script);
        if (!spent) spent = SpentOutputOrRefuse(psbt, n_in);
        const bool of_version{(leaf.control_block[0] & TAPROOT_LEAF_MASK) == leaf.version};
        if (!of_version || !LeadsTo(spent->scriptPubKey, leaf.control_block, leaf.hash)) {
            Refuse(n_in, "leaf " + HexStr(leaf.hash.Bytes()) + " is not one of the output that is spent");
        }
        leaves.push_back(std::move(leaf));
    }
    return leaves;
}

uint8_t RequestedHashType(const PartiallySignedTransaction& psbt, size_t n_in)
{
    const auto value{PartiallySignedTransaction::Find(Input(psbt, n_in), PSBT_IN_SIGHASH_TYPE)};
    if (!value) return SIGHASH_DEFAULT;
    const uint32_t type{ReadLE32(value->data())};
    constexpr uint32_t KNOWN{SIGHASH_OUTPUT_MASK | SIGHASH_INPUT_MASK};
    if ((type & ~KNOWN) != 0 || type == SIGHASH_ANYONECANPAY) Refuse(n_in, "hash type " + std::to_string(type) + " is undefined");
    return static_cast<uint8_t>(type);
}

PSBTSignatureHasher::PSBTSignatureHasher(const PartiallySignedTransaction& psbt) : m_tx{psbt.UnsignedTx()}
{
    std::vector<CTxOut> spent;
    for (size_t i = 0; i < m_tx.vin.size(); ++i) spent.push_back(SpentOutputOrRefuse(psbt, i));
    m_txdata.Init(m_tx, std::move(spent), /*force=*/true);
}

uint256 PSBTSignatureHasher::Hash(size_t n_in, const uint256& leaf_hash, KeyType type, uint8_t hash_type) const
{
    if (n_in >= m_tx.vin.size()) throw PSBTError{"there is no " + PartiallySignedTransaction::Place(PSBTScope::INPUT, n_in)};
    ScriptExecutionData data;
    data.m_tapleaf_hash = leaf_hash;
    data.m_annex_init = true;
    const auto hash{
        SignatureHashSchnorr(data, m_tx, static_cast<uint32_t>(n_in), hash_type, SigVersion::TAPSCRIPT, m_txdata, KeyVersionOf(type))};
    if (hash) return *hash;
    const bool single{(hash_type & SIGHASH_OUTPUT_MASK) == SIGHASH_SINGLE && n_in >= m_tx.vout.size()};
    Refuse(n_in, single ? "hash type SINGLE, but there is no output " + std::to_string(n_in) :
                          "hash type " + std::to_string(hash_type) + " is undefined");
}

void AddSignature(PartiallySignedTransaction& psbt, size_t n_in, const uint256& leaf_hash, const LeafKey& key,
                  std::span<const uint8_t> signature)
{
    const auto leaves{Leaves(psbt, n_in)};
    const auto leaf{std::ranges::find(leaves, leaf_hash, &PSBTLeaf::hash)};
    if (leaf == leaves.end()) Refuse(n_in, "there is no leaf " + HexStr(leaf_hash.Bytes()));
    if (!KeysOf(ReadLeafRecipe(leaf->script)).contains(key)) {
        Refuse(n_in, "leaf " + HexStr(leaf_hash.Bytes()) + " checks no signature by " + HexStr(key.public_key));
    }
    psbt.Set(PSBTScope::INPUT, n_in, SignatureField(key, leaf_hash), signature);

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

bool IsFinal(const PartiallySignedTransaction& psbt, size_t n_in)
{
    const PSBTMap& map{Input(psbt, n_in)};
    return map.contains(PSBTKey(PSBT_IN_FINAL_SCRIPTWITNESS)) || map.contains(PSBTKey(PSBT_IN_FINAL_SCRIPTSIG));
}

LeafStack LeafProgress(const PartiallySignedTransaction& psbt, size_t n_in, const PSBTLeaf& leaf, const LeafRecipe& recipe)
{
    return SatisfyLeaf(
        recipe, [&](const LeafKey& key) { return GetSignature(psbt, n_in, leaf.hash, key); },
        [&](std::span<const uint8_t> hash) { return GetPreimage(Input(psbt, n_in), hash); });
}

std::string CheckSignatures(const PartiallySignedTransaction& psbt, size_t n_in, const PSBTSignatureHasher& hasher,
                            const VerifySignature& verify)
{
    for (const auto& leaf : Leaves(psbt, n_in)) {
        for (const auto& key : KeysOf(ReadLeafRecipe(leaf.script))) {
            const auto signature{GetSignature(psbt, n_in, leaf.hash, key)};
            if (!signature) continue;
            const std::string by{"the signature by " + HexStr(key.public_key)};
            const uint8_t hash_type{SignatureHashType(key.type, *signature)};
            if (signature->size() > SignatureSize(key.type) && hash_type == SIGHASH_DEFAULT) return by + " has a hash type of 0";
            uint256 hash;
            try {
                hash = hasher.Hash(n_in, leaf.hash, key.type, hash_type);
            } catch (const PSBTError& e) {
                return by + ": " + e.what();
            }
            if (!verify(key, hash, std::span{*signature}.first(SignatureSize(key.type)))) return by + " is not valid for this transaction";
        }
    }
    return "";
}

std::string FinalizeInput(PartiallySignedTransaction& psbt, size_t n_in)
{
    if (IsFinal(psbt, n_in)) return "";
    if (const auto signature{PartiallySignedTransaction::Find(Input(psbt, n_in), PSBT_IN_TAP_KEY_SIG)}) {
        SetFinalWitness(psbt, n_in, {{signature->begin(), signature->end()}});
        return "";
    }
    const auto leaves{Leaves(psbt, n_in)};
    if (leaves.empty()) return "has no leaf script (PSBT_IN_TAP_LEAF_SCRIPT)";
    std::string why;
    for (const auto& leaf : leaves) {
        const LeafRecipe recipe{ReadLeafRecipe(leaf.script)};
        std::string problem{leaf.version == TAPROOT_LEAF_TAPSCRIPT ? recipe.never : "its leaf version is not that of tapscript"};
        if (problem.empty() && !recipe.unknown.empty()) problem = recipe.unknown + ": only another program knows how to satisfy it";
        if (problem.empty()) problem = HashTypeError(psbt, n_in, leaf, recipe);
        if (problem.empty()) {
            LeafStack stack{LeafProgress(psbt, n_in, leaf, recipe)};
            if (stack.Complete()) {
                SetFinalWitness(psbt, n_in, Witness(std::move(stack), leaf));
                return "";
            }
            problem = stack.missing;
        }
        why += (why.empty() ? "" : "; ") + (leaves.size() == 1 ? "" : "leaf " + HexStr(leaf.hash.Bytes()) + ": ") + problem;
    }
    return why;
}

CMutableTransaction ExtractTransaction(const PartiallySignedTransaction& psbt)
{
    CMutableTransaction tx{psbt.UnsignedTx()};
    for (size_t i = 0; i < tx.vin.size(); ++i) {
        if (!IsFinal(psbt, i)) Refuse(i, "not final");
        const PSBTMap& map{psbt.Inputs()[i]};
        if (const auto script_sig{PartiallySignedTransaction::Find(map, PSBT_IN_FINAL_SCRIPTSIG)})
            tx.vin[i].scriptSig = CScript{*script_sig};
        if (const auto witness{PartiallySignedTransaction::Find(map, PSBT_IN_FINAL_SCRIPTWITNESS)}) {
            SpanReader reader{*witness};
            const size_t count{reader.ReadCount(1, "witness element count")};
            for (size_t n = 0; n < count; ++n) {
                const auto element{reader.ReadVarBytes("witness element")};
                tx.vin[i].scriptWitness.stack.emplace_back(element.begin(), element.end());
            }
        }
    }
    return tx;
}

std::optional<PSBTEstimate> EstimateWeight(const PartiallySignedTransaction& psbt)
{
    PartiallySignedTransaction filled{psbt};
    bool exact{true};
    for (size_t i = 0; i < psbt.Inputs().size(); ++i) {
        if (IsFinal(psbt, i)) continue;
        std::vector<std::vector<uint8_t>> largest;
        size_t readable{0};
        const auto leaves{Leaves(psbt, i)};
        for (const auto& leaf : leaves) {
            const LeafRecipe recipe{ReadLeafRecipe(leaf.script)};
            if (leaf.version != TAPROOT_LEAF_TAPSCRIPT || !recipe.Usable()) continue;
            ++readable;
            auto witness{DummyWitness(psbt, i, leaf, recipe)};
            if (GetSerializeSize(CScriptWitness{witness}) > GetSerializeSize(CScriptWitness{largest})) largest = std::move(witness);
            for (const auto& condition : recipe.conditions) exact = exact && !std::holds_alternative<LeafPreimage>(condition);
        }
        if (readable == 0) return std::nullopt;
        exact = exact && readable == 1 && leaves.size() == 1;
        SetFinalWitness(filled, i, std::move(largest));
    }
    return PSBTEstimate{GetTransactionWeight(CTransaction{ExtractTransaction(filled)}), exact};
}

std::optional<CAmount> Fee(const PartiallySignedTransaction& psbt)
{
    const auto add{[](CAmount& sum, CAmount amount) {
        sum += amount; // two amounts in range do not overflow
        if (!MoneyRange(sum)) throw PSBTError{"inputs or outputs of more than 21,000,000 bitcoin"};
    }};
    CAmount in{0}, out{0};
    const CMutableTransaction tx{psbt.UnsignedTx()};
    for (size_t i = 0; i < tx.vin.size(); ++i) {
        const auto spent{psbt.SpentOutput(i)};
        if (!spent) return std::nullopt;
        add(in, spent->nValue);
    }
    for (const auto& txout : tx.vout) add(out, txout.nValue);
    return in - out;
}

} // namespace slhc::wallet
