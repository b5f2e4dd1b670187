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
#include <wallet/descriptor.h>
#include <wallet/tap_tree.h>

#include <algorithm>
#include <array>
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

CScript RootScriptPubKey(const uint256& root, const InternalKey& internal_key)
{
    if (!internal_key) return P2MRScriptPubKey(root);
    const auto [output, parity]{OutputKey(root, *internal_key)};
    CScript script;
    return script << OP_1 << std::span<const uint8_t>{output.Bytes()};
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

/** A leaf as a field has it, whatever it belongs to. */
PSBTLeaf ReadLeaf(std::span<const uint8_t> control_block, std::span<const uint8_t> value)
{
    PSBTLeaf leaf{{control_block.begin(), control_block.end()}, value.back(), CScript{value.first(value.size() - 1)}, {}};
    leaf.hash = ComputeTapleafHash(leaf.version, leaf.script);
    return leaf;
}

/** Whether a field says the same as the output. */
bool Agrees(const PSBTMap& map, uint64_t type, std::span<const uint8_t> expected)
{
    const auto value{PartiallySignedTransaction::Find(map, type)};
    return !value || std::ranges::equal(*value, expected);
}

/** Whether a P2TR output has an internal key, with a tree of this root or, if there is none, without a tree. */
bool HasInternalKey(const CScript& script_pubkey, std::span<const uint8_t> internal_key,
                    const std::optional<std::span<const uint8_t>>& root)
{
    std::optional<uint256> hash;
    if (root) hash.emplace(root->first<uint256::SIZE>());
    const auto tweaked{XOnlyPubKey{internal_key.first<KEY_SIZE>()}.CreateTapTweak(hash ? &*hash : nullptr)};
    return tweaked && std::ranges::equal(tweaked->first.Bytes(), std::span{script_pubkey}.last(KEY_SIZE));
}

/** Whether an input's merkle root and internal key, if it has both, lead to a P2TR output. */
bool LeadTo(const PSBTMap& map, const CScript& script_pubkey)
{
    const auto root{PartiallySignedTransaction::Find(map, PSBT_IN_TAP_MERKLE_ROOT)};
    const auto internal_key{PartiallySignedTransaction::Find(map, PSBT_IN_TAP_INTERNAL_KEY)};
    return !root || !internal_key || HasInternalKey(script_pubkey, *internal_key, root);
}

PSBTInternalKey MakeInternalKey(std::span<const uint8_t> key, bool verified)
{
    PSBTInternalKey internal_key{.key = {}, .verified = verified};
    std::ranges::copy(key, internal_key.key.begin());
    return internal_key;
}

/** Whether a leaf's script has something as an operand. */
bool Pushes(const CScript& script, std::span<const uint8_t> wanted)
{
    opcodetype opcode;
    std::span<const uint8_t> data;
    for (auto pc{script.begin()}; script.GetOp(pc, opcode, data);) {
        if (std::ranges::equal(data, wanted)) return true;
    }
    return false;
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

void AddLeaf(PartiallySignedTransaction& psbt, size_t n_in, const ScriptTree& tree, size_t leaf, const InternalKey& internal_key)
{
    AddLeaves(psbt, n_in, tree, std::array{leaf}, internal_key);
}

void AddLeaves(PartiallySignedTransaction& psbt, size_t n_in, const ScriptTree& tree, std::span<const size_t> leaves,
               const InternalKey& internal_key)
{
    const CTxOut spent{SpentOutputOrRefuse(psbt, n_in)};
    for (const size_t leaf : leaves) {
        if (leaf >= tree.Leaves().size()) Refuse(n_in, "the tree has no leaf " + std::to_string(leaf));
    }
    if (spent.scriptPubKey != TreeScriptPubKey(tree, internal_key)) Refuse(n_in, "what it spends does not have this tree");
    // Each leaf that is there takes work. What is added below belongs to the output, so that it needs no second look.
    if (const auto wrong{WrongTreeFields(psbt, n_in)}; !wrong.empty()) Refuse(n_in, wrong[0].why);
    const PSBTMap& map{psbt.Inputs()[n_in]};
    if (!Agrees(map, PSBT_IN_TAP_MERKLE_ROOT, tree.Root().Bytes()) ||
        (internal_key && !Agrees(map, PSBT_IN_TAP_INTERNAL_KEY, *internal_key))) {
        Refuse(n_in, "the PSBT has another merkle root or internal key than the output that is spent");
    }
    for (const size_t leaf : leaves) {
        const auto& spent_leaf{tree.Leaves()[leaf]};
        std::vector<uint8_t> script{spent_leaf.script.begin(), spent_leaf.script.end()};
        script.push_back(spent_leaf.version);
        psbt.Set(PSBTScope::INPUT, n_in, PSBTKey(PSBT_IN_TAP_LEAF_SCRIPT, TreeControlBlock(tree, spent_leaf, internal_key)), script);
    }
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
    const std::string place{PartiallySignedTransaction::Place(PSBTScope::OUTPUT, n_out)};
    if (n_out >= psbt.Outputs().size()) throw PSBTError{"there is no " + place};
    if (psbt.Output(n_out).scriptPubKey != TreeScriptPubKey(tree, internal_key)) throw PSBTError{place + ": does not have this tree"};
    if (!internal_key && tree.Leaves().size() == 1) throw PSBTError{place + ": " + std::string{SINGLE_LEAF_PROBLEM}};
    psbt.Set(PSBTScope::OUTPUT, n_out, PSBTKey(PSBT_OUT_TAP_TREE), SerializeTapTree(tree));
    if (internal_key) psbt.Set(PSBTScope::OUTPUT, n_out, PSBTKey(PSBT_OUT_TAP_INTERNAL_KEY), *internal_key);
}

void AddPreimage(PartiallySignedTransaction& psbt, size_t n_in, std::span<const uint8_t> preimage)
{
    if (preimage.size() > MAX_SCRIPT_ELEMENT_SIZE) {
        Refuse(n_in, "the preimage has more than the " + std::to_string(MAX_SCRIPT_ELEMENT_SIZE) + " bytes that a script can read");
    }
    const auto hash{Sha256(preimage)};
    const auto leaves{Leaves(psbt, n_in)};
    if (std::ranges::none_of(leaves, [&](const PSBTLeaf& leaf) { return Pushes(leaf.script, hash); })) {
        Refuse(n_in, "no leaf in the PSBT asks for the preimage of " + HexStr(hash));
    }
    psbt.Set(PSBTScope::INPUT, n_in, PSBTKey(PSBT_IN_SHA256, hash), preimage);
}

std::vector<PSBTWrongField> WrongTreeFields(const PartiallySignedTransaction& psbt, size_t n_in)
{
    std::vector<PSBTWrongField> wrong;
    const PSBTMap& map{Input(psbt, n_in)};
    const auto spent{psbt.SpentOutput(n_in)};
    if (!spent) return wrong;
    const auto add{[&](const std::vector<uint8_t>& field, const std::string& why) { wrong.push_back({n_in, field, why}); }};
    bool root_agrees{true}, internal_key_agrees{true}, has_leaf{false};
    if (spent->scriptPubKey.IsPayToMerkleRoot()) {
        root_agrees = Agrees(map, PSBT_IN_TAP_MERKLE_ROOT, std::span{spent->scriptPubKey}.last(KEY_SIZE));
        if (map.contains(PSBTKey(PSBT_IN_TAP_INTERNAL_KEY))) {
            add(PSBTKey(PSBT_IN_TAP_INTERNAL_KEY), "PSBT_IN_TAP_INTERNAL_KEY: the P2MR output that is spent has no internal key");
        }
    }
    for (const auto& [key, value] : map) {
        const PSBTKeyParts parts{PSBTKeyParts::Parse(key)};
        if (parts.slhdsa || parts.type != PSBT_IN_TAP_LEAF_SCRIPT) continue;
        const PSBTLeaf leaf{ReadLeaf(parts.data, value)};
        const bool of_version{(leaf.control_block[0] & TAPROOT_LEAF_MASK) == leaf.version};
        if (!of_version || !LeadsTo(spent->scriptPubKey, leaf.control_block, leaf.hash)) {
            add(key, "leaf " + HexStr(leaf.hash.Bytes()) + " is not one of the output that is spent");
        } else if (spent->scriptPubKey.IsPayToTaproot()) {
            has_leaf = true;
            const std::span control_block{leaf.control_block};
            const uint256 root{ComputeTapPathRoot(control_block.subspan(TAPROOT_CONTROL_BASE), leaf.hash)};
            root_agrees = root_agrees && Agrees(map, PSBT_IN_TAP_MERKLE_ROOT, root.Bytes());
            internal_key_agrees = internal_key_agrees && Agrees(map, PSBT_IN_TAP_INTERNAL_KEY, control_block.subspan(1, KEY_SIZE));
        }
    }
    if (spent->scriptPubKey.IsPayToTaproot() && !has_leaf && !LeadTo(map, spent->scriptPubKey)) {
        for (const uint64_t type : {PSBT_IN_TAP_MERKLE_ROOT, PSBT_IN_TAP_INTERNAL_KEY}) { // without a leaf, nobody knows which is wrong
            add(PSBTKey(type), "PSBT_IN_TAP_MERKLE_ROOT and PSBT_IN_TAP_INTERNAL_KEY do not lead to the output that is spent");
        }
    }
    if (!root_agrees) add(PSBTKey(PSBT_IN_TAP_MERKLE_ROOT), "PSBT_IN_TAP_MERKLE_ROOT is not the merkle root of the output that is spent");
    if (!internal_key_agrees) {
        add(PSBTKey(PSBT_IN_TAP_INTERNAL_KEY), "PSBT_IN_TAP_INTERNAL_KEY is not the internal key of the output that is spent");
    }
    return wrong;
}

PSBTOutputTreeCheck CheckOutputTree(const PartiallySignedTransaction& psbt, size_t n_out)
{
    PSBTOutputTreeCheck result;
    if (n_out >= psbt.Outputs().size()) throw PSBTError{"there is no " + PartiallySignedTransaction::Place(PSBTScope::OUTPUT, n_out)};
    const PSBTMap& map{psbt.Outputs()[n_out]};
    const CScript script_pubkey{psbt.Output(n_out).scriptPubKey};
    const auto said{PartiallySignedTransaction::Find(map, PSBT_OUT_TAP_TREE)};
    const auto key{PartiallySignedTransaction::Find(map, PSBT_OUT_TAP_INTERNAL_KEY)};
    const auto wrong{[&](uint64_t type, const std::string& why) {
        result.wrong.push_back({n_out, PSBTKey(type), why, PSBTScope::OUTPUT});
    }};
    const bool taproot{script_pubkey.IsPayToTaproot()};
    if (key && !taproot) wrong(PSBT_OUT_TAP_INTERNAL_KEY, "PSBT_OUT_TAP_INTERNAL_KEY: the output has no internal key");
    if (!said) return result;
    if (!taproot && !script_pubkey.IsPayToMerkleRoot()) {
        wrong(PSBT_OUT_TAP_TREE, "PSBT_OUT_TAP_TREE: the output has no tree");
        return result;
    }
    if (taproot && !key) {
        result.unknown = "whether it has the tree that is said is not known without PSBT_OUT_TAP_INTERNAL_KEY";
        return result;
    }
    InternalKey internal_key;
    if (taproot) std::ranges::copy(*key, internal_key.emplace().begin());
    try {
        result.agrees = RootScriptPubKey(TapTreeRoot(*said), internal_key) == script_pubkey;
        if (result.agrees) return result;
    } catch (const PSBTError&) {
        // The internal key is not that of any output.
    }
    wrong(PSBT_OUT_TAP_TREE, "PSBT_OUT_TAP_TREE is not the tree of the output");
    if (taproot) wrong(PSBT_OUT_TAP_INTERNAL_KEY, "PSBT_OUT_TAP_INTERNAL_KEY does not lead to the output with the tree that is said");
    return result;
}

PSBTOutputTree ReadOutputTree(const PartiallySignedTransaction& psbt, size_t n_out)
{
    PSBTOutputTree result{CheckOutputTree(psbt, n_out), {}};
    if (!result.agrees) return result;
    try {
        result.tree = ParseTapTree(*PartiallySignedTransaction::Find(psbt.Outputs()[n_out], PSBT_OUT_TAP_TREE));
    } catch (const ParseError& e) { // too many leaves: others were refused when the PSBT was parsed
        result.unknown = e.what();
    }
    return result;
}

std::string WhyAnyoneCanSpend(const PartiallySignedTransaction& psbt, size_t n_out)
{
    if (n_out >= psbt.Outputs().size()) throw PSBTError{"there is no " + PartiallySignedTransaction::Place(PSBTScope::OUTPUT, n_out)};
    const auto said{PartiallySignedTransaction::Find(psbt.Outputs()[n_out], PSBT_OUT_TAP_TREE)};
    // The first byte is the depth of the first leaf: only a single leaf has none.
    if (!said || said->front() != 0 || !psbt.Output(n_out).scriptPubKey.IsPayToMerkleRoot()) return "";
    return CheckOutputTree(psbt, n_out).agrees ? std::string{SINGLE_LEAF_PROBLEM} : "";
}

std::span<const uint8_t> PSBTLeaf::Path(const CScript& spent) const
{
    return std::span{control_block}.subspan(spent.IsPayToTaproot() ? TAPROOT_CONTROL_BASE : P2MR_CONTROL_BASE_SIZE);
}

std::optional<PSBTInternalKey> InputInternalKey(const PartiallySignedTransaction& psbt, size_t n_in, const CTxOut& spent,
                                                std::span<const PSBTLeaf> leaves)
{
    if (!spent.scriptPubKey.IsPayToTaproot()) return std::nullopt;
    if (!leaves.empty()) return MakeInternalKey(std::span{leaves[0].control_block}.subspan(1, KEY_SIZE), /*verified=*/true);
    const auto key{PartiallySignedTransaction::Find(Input(psbt, n_in), PSBT_IN_TAP_INTERNAL_KEY)};
    if (!key) return std::nullopt;
    const auto root{PartiallySignedTransaction::Find(Input(psbt, n_in), PSBT_IN_TAP_MERKLE_ROOT)};
    return MakeInternalKey(*key, HasInternalKey(spent.scriptPubKey, *key, root));
}

std::optional<PSBTInternalKey> OutputInternalKey(const PartiallySignedTransaction& psbt, size_t n_out, const PSBTOutputTreeCheck& said)
{
    const auto key{PartiallySignedTransaction::Find(psbt.Outputs()[n_out], PSBT_OUT_TAP_INTERNAL_KEY)};
    if (!key || !said.wrong.empty()) return std::nullopt;
    return MakeInternalKey(*key, said.agrees || HasInternalKey(psbt.Output(n_out).scriptPubKey, *key, std::nullopt));
}

std::vector<PSBTLeaf> Leaves(const PartiallySignedTransaction& psbt, size_t n_in)
{
    if (const auto wrong{WrongTreeFields(psbt, n_in)}; !wrong.empty()) Refuse(n_in, wrong[0].why);
    std::vector<PSBTLeaf> leaves;
    for (const auto& [key, value] : Input(psbt, n_in)) {
        const PSBTKeyParts parts{PSBTKeyParts::Parse(key)};
        if (parts.slhdsa || parts.type != PSBT_IN_TAP_LEAF_SCRIPT) continue;
        if (leaves.empty()) (void)SpentOutputOrRefuse(psbt, n_in);
        leaves.push_back(ReadLeaf(parts.data, value));
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

} // namespace slhc::wallet
