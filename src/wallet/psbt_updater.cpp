// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <wallet/psbt_updater.h>

#include <crypto/hash.h>
#include <primitives/serialize.h>
#include <script/p2mr.h>
#include <script/pubkey.h>
#include <script/sighash.h>
#include <script/taptree.h>
#include <util/hex.h>
#include <wallet/leaf_recipe.h>
#include <wallet/tap_tree.h>

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

namespace slhc::wallet {
namespace {

constexpr size_t KEY_SIZE{32};
constexpr size_t TAPROOT_CONTROL_BASE{1 + KEY_SIZE};

[[noreturn]] void Refuse(size_t n_in, const std::string& why)
{
    throw PSBTError{PartiallySignedTransaction::Place(PSBTScope::INPUT, n_in) + ": " + why};
}

/** The output key of an internal key and a tree, and the parity of its y. */
std::pair<XOnlyPubKey, bool> OutputKey(const uint256& root, std::span<const uint8_t, KEY_SIZE> internal_key)
{
    const auto tweaked{XOnlyPubKey{internal_key}.CreateTapTweak(&root)};
    if (!tweaked) throw PSBTError{"the internal key " + HexStr(internal_key) + " is not the x coordinate of a point"};
    return *tweaked;
}

/** The merkle root to which the control block of a leaf leads; nothing if the output has no such leaf. */
std::optional<uint256> RootOf(const CScript& script_pubkey, const PSBTLeaf& leaf)
{
    const std::span<const uint8_t> control_block{leaf.control_block};
    if ((control_block[0] & TAPROOT_LEAF_MASK) != leaf.version) return std::nullopt;
    if (script_pubkey.IsPayToMerkleRoot()) {
        const auto parsed{P2MRControlBlock::Parse(control_block)};
        if (!parsed || !parsed->control_bit) return std::nullopt;
        const uint256 root{ComputeTapPathRoot(parsed->path, leaf.hash)};
        return P2MRScriptPubKey(root) == script_pubkey ? std::optional{root} : std::nullopt;
    }
    if (!script_pubkey.IsPayToTaproot() || !ValidControlSize(control_block.size(), TAPROOT_CONTROL_BASE)) return std::nullopt;
    const XOnlyPubKey output{std::span{script_pubkey}.last<KEY_SIZE>()}, internal{control_block.subspan<1, KEY_SIZE>()};
    const uint256 root{ComputeTapPathRoot(control_block.subspan(TAPROOT_CONTROL_BASE), leaf.hash)};
    return output.CheckTapTweak(internal, root, (control_block[0] & 1) != 0) ? std::optional{root} : std::nullopt;
}

/** The output script of a merkle root. */
CScript RootScriptPubKey(const uint256& root, const InternalKey& internal_key)
{
    if (!internal_key) return P2MRScriptPubKey(root);
    const auto [output, parity]{OutputKey(root, *internal_key)};
    CScript script;
    return script << OP_1 << std::span<const uint8_t>{output.Bytes()};
}

/** A key in a field or a control block. */
InternalKey ToInternalKey(std::optional<std::span<const uint8_t>> bytes)
{
    if (!bytes) return std::nullopt;
    std::array<uint8_t, KEY_SIZE> key;
    std::ranges::copy(*bytes, key.begin());
    return key;
}

std::string ForeignLeaf(const PSBTLeaf& leaf)
{
    return "leaf " + HexStr(leaf.hash.Bytes()) + " is not one of the output that is spent";
}

/** The leaves of an input, whatever they belong to. */
std::vector<PSBTLeaf> ReadLeaves(const PSBTMap& map)
{
    std::vector<PSBTLeaf> leaves;
    for (const auto& [key, value] : map) {
        const PSBTKeyParts parts{PSBTKeyParts::Parse(key)};
        if (parts.slhdsa || parts.type != PSBT_IN_TAP_LEAF_SCRIPT) continue;
        const CScript script{std::span{value}.first(value.size() - 1)};
        leaves.push_back({{parts.data.begin(), parts.data.end()}, value.back(), script, ComputeTapleafHash(value.back(), script)});
    }
    return leaves;
}

} // namespace

CScript TreeScriptPubKey(const ScriptTree& tree, const InternalKey& internal_key)
{
    return RootScriptPubKey(tree.Root(), internal_key);
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

const PSBTMap& PSBTInput(const PartiallySignedTransaction& psbt, size_t n_in)
{
    if (n_in < psbt.Inputs().size()) return psbt.Inputs()[n_in];
    throw PSBTError{"there is no " + PartiallySignedTransaction::Place(PSBTScope::INPUT, n_in)};
}

CTxOut KnownSpentOutput(const PartiallySignedTransaction& psbt, size_t n_in)
{
    (void)PSBTInput(psbt, n_in);
    auto output{psbt.SpentOutput(n_in)};
    if (!output) Refuse(n_in, "what it spends is not known: neither PSBT_IN_WITNESS_UTXO nor PSBT_IN_NON_WITNESS_UTXO");
    return *std::move(output);
}

void SetSpentOutput(PartiallySignedTransaction& psbt, size_t n_in, const CTxOut& output)
{
    (void)PSBTInput(psbt, n_in);
    const auto known{psbt.SpentOutput(n_in)};
    if (known && *known != output) Refuse(n_in, "the PSBT says that it spends another output");
    psbt.Set(PSBTScope::INPUT, n_in, PSBTKey(PSBT_IN_WITNESS_UTXO), SerializeToVector(output));
}

void AddLeaf(PartiallySignedTransaction& psbt, size_t n_in, std::span<const uint8_t> control_block, uint8_t version,
             const CScript& script)
{
    const CTxOut spent{KnownSpentOutput(psbt, n_in)};
    if (control_block.empty()) Refuse(n_in, "the control block is empty");
    const PSBTLeaf leaf{{control_block.begin(), control_block.end()}, version, script, ComputeTapleafHash(version, script)};
    const auto root{RootOf(spent.scriptPubKey, leaf)};
    if (!root) Refuse(n_in, ForeignLeaf(leaf));
    const auto set{[&](uint64_t type, std::span<const uint8_t> value) {
        const auto said{PartiallySignedTransaction::Find(PSBTInput(psbt, n_in), type)};
        if (said && !std::ranges::equal(*said, value)) {
            Refuse(n_in, "the PSBT has another merkle root or internal key than the output that is spent");
        }
        psbt.Set(PSBTScope::INPUT, n_in, PSBTKey(type), value);
    }};
    set(PSBT_IN_TAP_MERKLE_ROOT, root->Bytes());
    if (spent.scriptPubKey.IsPayToTaproot()) set(PSBT_IN_TAP_INTERNAL_KEY, control_block.subspan(1, KEY_SIZE));
    std::vector<uint8_t> value{script.begin(), script.end()};
    value.push_back(version);
    psbt.Set(PSBTScope::INPUT, n_in, PSBTKey(PSBT_IN_TAP_LEAF_SCRIPT, control_block), value);
}

void AddLeaves(PartiallySignedTransaction& psbt, size_t n_in, const ScriptTree& tree, std::span<const size_t> leaves,
               const InternalKey& internal_key)
{
    if (KnownSpentOutput(psbt, n_in).scriptPubKey != TreeScriptPubKey(tree, internal_key)) {
        Refuse(n_in, "what it spends does not have this tree");
    }
    for (const size_t n : leaves) {
        if (n >= tree.Leaves().size()) Refuse(n_in, "the tree has no leaf " + std::to_string(n));
        const auto& leaf{tree.Leaves()[n]};
        AddLeaf(psbt, n_in, TreeControlBlock(tree, leaf, internal_key), leaf.version, leaf.script);
    }
}

bool AddPreimage(PartiallySignedTransaction& psbt, size_t n_in, std::span<const uint8_t> preimage)
{
    const auto hash{Sha256(preimage)};
    for (const auto& leaf : Leaves(psbt, n_in)) {
        if (!leaf.problem.empty()) continue;
        for (const auto& condition : ReadLeafRecipe(leaf.script).conditions) {
            const auto* const wanted{std::get_if<LeafPreimage>(&condition)};
            if (!wanted || !std::ranges::equal(wanted->hash, hash)) continue;
            psbt.Set(PSBTScope::INPUT, n_in, PSBTKey(PSBT_IN_SHA256, hash), preimage);
            return true;
        }
    }
    return false;
}

void AddOutputTree(PartiallySignedTransaction& psbt, size_t n_out, const ScriptTree& tree, const InternalKey& internal_key)
{
    const std::string place{PartiallySignedTransaction::Place(PSBTScope::OUTPUT, n_out)};
    if (n_out >= psbt.Outputs().size()) throw PSBTError{"there is no " + place};
    if (psbt.Output(n_out).scriptPubKey != TreeScriptPubKey(tree, internal_key)) throw PSBTError{place + ": does not have this tree"};
    psbt.Set(PSBTScope::OUTPUT, n_out, PSBTKey(PSBT_OUT_TAP_TREE), SerializeTapTree(tree));
    if (internal_key) psbt.Set(PSBTScope::OUTPUT, n_out, PSBTKey(PSBT_OUT_TAP_INTERNAL_KEY), *internal_key);
}

std::vector<PSBTLeaf> Leaves(const PartiallySignedTransaction& psbt, size_t n_in)
{
    auto leaves{ReadLeaves(PSBTInput(psbt, n_in))};
    const auto spent{psbt.SpentOutput(n_in)};
    for (auto& leaf : leaves) {
        if (!spent) leaf.problem = "leaf " + HexStr(leaf.hash.Bytes()) + ": what the input spends is not known";
        if (spent && !RootOf(spent->scriptPubKey, leaf)) leaf.problem = ForeignLeaf(leaf);
    }
    return leaves;
}

PSBTLeaf FindLeaf(const PartiallySignedTransaction& psbt, size_t n_in, const uint256& hash)
{
    std::string problem{"there is no leaf " + HexStr(hash.Bytes())};
    for (auto& leaf : Leaves(psbt, n_in)) {
        if (leaf.hash != hash) continue;
        if (leaf.problem.empty()) return std::move(leaf);
        problem = leaf.problem;
    }
    Refuse(n_in, problem);
}

std::string InputTreeProblem(const PartiallySignedTransaction& psbt, size_t n_in)
{
    const PSBTMap& map{PSBTInput(psbt, n_in)};
    const auto root_bytes{PartiallySignedTransaction::Find(map, PSBT_IN_TAP_MERKLE_ROOT)};
    InternalKey key{ToInternalKey(PartiallySignedTransaction::Find(map, PSBT_IN_TAP_INTERNAL_KEY))};
    const auto spent{psbt.SpentOutput(n_in)};
    if (!spent || (!root_bytes && !key)) return "";
    std::optional<uint256> root;
    if (root_bytes) root = uint256{root_bytes->first<KEY_SIZE>()};
    // What the fields do not say, a leaf of the output does.
    for (const auto& leaf : Leaves(psbt, n_in)) {
        if (!leaf.problem.empty()) continue;
        if (!root) root = RootOf(spent->scriptPubKey, leaf);
        if (!key && spent->scriptPubKey.IsPayToTaproot()) key = ToInternalKey(std::span{leaf.control_block}.subspan(1, KEY_SIZE));
    }
    if (spent->scriptPubKey.IsPayToTaproot() && (!root || !key)) return "";
    try {
        if (root && RootScriptPubKey(*root, key) == spent->scriptPubKey) return "";
    } catch (const PSBTError&) { // no key
    }
    return "PSBT_IN_TAP_MERKLE_ROOT or PSBT_IN_TAP_INTERNAL_KEY is not that of the output that is spent";
}

std::string OutputTreeProblem(const PartiallySignedTransaction& psbt, size_t n_out, const ScriptTree& tree)
{
    const CScript script_pubkey{psbt.Output(n_out).scriptPubKey};
    const InternalKey key{ToInternalKey(PartiallySignedTransaction::Find(psbt.Outputs()[n_out], PSBT_OUT_TAP_INTERNAL_KEY))};
    if (script_pubkey.IsPayToTaproot() && !key) return "PSBT_OUT_TAP_TREE cannot be checked without PSBT_OUT_TAP_INTERNAL_KEY";
    try {
        if (TreeScriptPubKey(tree, key) == script_pubkey) return "";
    } catch (const PSBTError&) { // no key
    }
    return std::string{"PSBT_OUT_TAP_TREE"} + (key ? " with PSBT_OUT_TAP_INTERNAL_KEY" : "") + " is not the tree of this output";
}

std::string HashTypeProblem(uint32_t hash_type, size_t n_in, size_t n_outputs)
{
    constexpr uint32_t KNOWN{SIGHASH_OUTPUT_MASK | SIGHASH_INPUT_MASK};
    if ((hash_type & ~KNOWN) != 0 || hash_type == SIGHASH_ANYONECANPAY) return "hash type " + std::to_string(hash_type) + " is undefined";
    if ((hash_type & SIGHASH_OUTPUT_MASK) != SIGHASH_SINGLE || n_in < n_outputs) return "";
    return "hash type SINGLE, but there is no output " + std::to_string(n_in);
}

std::optional<uint8_t> RequestedHashType(const PartiallySignedTransaction& psbt, size_t n_in)
{
    const auto value{PartiallySignedTransaction::Find(PSBTInput(psbt, n_in), PSBT_IN_SIGHASH_TYPE)};
    if (!value) return std::nullopt;
    const uint32_t type{ReadLE32(value->data())};
    const std::string problem{HashTypeProblem(type, n_in, psbt.Outputs().size())};
    if (!problem.empty()) Refuse(n_in, problem);
    return static_cast<uint8_t>(type);
}

} // namespace slhc::wallet
