// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <wallet/psbt_finalizer.h>

#include <consensus/tx_check.h>
#include <consensus/validation.h>
#include <pqc/check.h>
#include <primitives/serialize.h>
#include <script/checker.h>
#include <script/interpreter.h>
#include <script/slhdsa_pubkey.h>
#include <script/taptree.h>
#include <script/verify_flags.h>
#include <util/hex.h>
#include <wallet/lock_time.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

namespace slhc::wallet {
namespace {

[[noreturn]] void Refuse(size_t n_in, const std::string& why)
{
    throw PSBTError{PartiallySignedTransaction::Place(PSBTScope::INPUT, n_in) + ": " + why};
}

/** Nothing for one that no script can read, which may be as large as the PSBT, and which a leaf may ask for a thousand times. */
std::optional<std::vector<uint8_t>> GetPreimage(const PSBTMap& map, std::span<const uint8_t> hash)
{
    const auto found{map.find(PSBTKey(PSBT_IN_SHA256, hash))};
    if (found == map.end() || found->second.size() > MAX_SCRIPT_ELEMENT_SIZE) return std::nullopt;
    return found->second;
}

/** Fields that a Finalizer leaves in an input beside the new witness: what is spent, what belongs to the transaction, and what is not
 *  known here. */
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

/** A witness, serialized. */
std::vector<uint8_t> Witness(LeafStack stack, const PSBTLeaf& leaf)
{
    CScriptWitness witness;
    for (auto& element : stack.elements) witness.stack.push_back(std::move(element.bytes));
    witness.stack.emplace_back(leaf.script.begin(), leaf.script.end());
    witness.stack.push_back(leaf.control_block);
    return SerializeToVector(witness);
}

void SetFinalWitness(PartiallySignedTransaction& psbt, size_t n_in, std::span<const uint8_t> witness)
{
    const PSBTMap fields{psbt.Inputs()[n_in]};
    for (const auto& [key, value] : fields) {
        if (!StaysInFinalInput(PSBTKeyParts::Parse(key))) psbt.Erase(PSBTScope::INPUT, n_in, key);
    }
    psbt.Set(PSBTScope::INPUT, n_in, PSBTKey(PSBT_IN_FINAL_SCRIPTWITNESS), witness);
}

/** Verifies SLH-DSA signatures one by one, without a context. */
struct LeafSignatureSink final : SignatureSink {
    [[nodiscard]] SLHDSACheckResult PutSLHDSA(slhdsa::SignatureCheck&& check) override
    {
        const LeafKey key{SLHDSAPubKey{check.set, check.public_key}.Element(), KeyType::SLHDSA};
        const bool valid{VerifyLeafSignature(key, uint256{std::span{check.message}}, check.signature)};
        return valid ? SLHDSACheckResult::VALID : SLHDSACheckResult::INVALID;
    }
};

/** The final scriptSig and witness of an input. */
void ReadFinalFields(const PSBTMap& map, CTxIn& txin)
{
    if (const auto script_sig{PartiallySignedTransaction::Find(map, PSBT_IN_FINAL_SCRIPTSIG)}) txin.scriptSig = CScript{*script_sig};
    if (const auto witness{PartiallySignedTransaction::Find(map, PSBT_IN_FINAL_SCRIPTWITNESS)}) {
        SpanReader reader{*witness};
        const size_t count{reader.ReadCount(1, "witness element count")};
        for (size_t n = 0; n < count; ++n) {
            const auto element{reader.ReadVarBytes("witness element")};
            txin.scriptWitness.stack.emplace_back(element.begin(), element.end());
        }
    }
}

} // namespace

LeafStack LeafProgress(const PartiallySignedTransaction& psbt, size_t n_in, const PSBTLeaf& leaf, const PSBTVerifier& verifier)
{
    LeafStack stack;
    const LeafRecipe recipe{ReadLeafRecipe(leaf.script)};
    if (!leaf.problem.empty()) {
        stack.missing = leaf.problem;
    } else if (leaf.version != TAPROOT_LEAF_TAPSCRIPT) {
        stack.missing = "its leaf version is not that of tapscript";
    } else if (!recipe.unknown.empty()) {
        stack.missing = recipe.unknown + ": only another program knows how to satisfy it";
    } else {
        stack.missing = LockTimeProblem(ReadLockTimes(leaf.script), verifier.Tx(), n_in);
    }
    if (!stack.missing.empty()) return stack;
    std::set<std::string> not_used;
    const auto find_signature{[&](const LeafKey& key) {
        auto signature{GetSignature(psbt, n_in, leaf.hash, key)};
        if (!signature) return signature;
        const std::string why{WhyNotUsed(psbt, n_in, leaf.hash, key, *signature, verifier)};
        if (why.empty()) return signature;
        not_used.insert("; not used: " + why);
        signature.reset();
        return signature;
    }};
    stack = SatisfyLeaf(recipe, find_signature, [&](std::span<const uint8_t> hash) { return GetPreimage(psbt.Inputs()[n_in], hash); });
    if (stack.Complete()) return stack;
    for (const auto& why : not_used) stack.missing += why;
    return stack;
}

std::string FinalizeInput(PartiallySignedTransaction& psbt, size_t n_in, const PSBTVerifier& verifier)
{
    if (IsFinal(psbt, n_in)) return "";
    std::string missing;
    std::vector<uint8_t> smallest;
    std::set<uint256> seen; // a tree may have a leaf in many places: the shortest path to it comes first
    auto leaves{Leaves(psbt, n_in)};
    std::ranges::stable_sort(leaves, {}, [](const PSBTLeaf& leaf) { return leaf.control_block.size(); });
    for (const auto& leaf : leaves) {
        if (leaf.problem.empty() && !seen.insert(leaf.hash).second) continue;
        LeafStack stack{LeafProgress(psbt, n_in, leaf, verifier)};
        if (stack.Complete()) {
            auto witness{Witness(std::move(stack), leaf)};
            if (smallest.empty() || witness.size() < smallest.size()) smallest = std::move(witness);
            continue;
        }
        const bool is_named{leaves.size() == 1 || !leaf.problem.empty()};
        missing += (missing.empty() ? "" : "; ") + (is_named ? "" : "leaf " + HexStr(leaf.hash.Bytes()) + ": ") + stack.missing;
    }
    if (!smallest.empty()) {
        SetFinalWitness(psbt, n_in, smallest);
        return "";
    }
    return missing.empty() ? "has no leaf script (PSBT_IN_TAP_LEAF_SCRIPT)" : missing;
}

std::optional<CAmount> Fee(const PartiallySignedTransaction& psbt)
{
    const auto add{[](CAmount& sum, CAmount amount) {
        sum += amount; // two amounts in range do not overflow
        if (!MoneyRange(sum)) throw PSBTError{"inputs or outputs of more than 21,000,000 bitcoin"};
    }};
    CAmount in{0}, out{0};
    for (size_t i = 0; i < psbt.Inputs().size(); ++i) {
        const auto spent{psbt.SpentOutput(i)};
        if (!spent) return std::nullopt;
        add(in, spent->nValue);
    }
    for (size_t i = 0; i < psbt.Outputs().size(); ++i) add(out, psbt.Output(i).nValue);
    return in - out;
}

CMutableTransaction ExtractTransaction(const PartiallySignedTransaction& psbt)
{
    CMutableTransaction tx{psbt.UnsignedTx()};
    std::vector<CTxOut> spent;
    for (size_t i = 0; i < tx.vin.size(); ++i) {
        if (!IsFinal(psbt, i)) Refuse(i, "not final");
        ReadFinalFields(psbt.Inputs()[i], tx.vin[i]);
        spent.push_back(KnownSpentOutput(psbt, i));
    }
    const CTransaction signed_tx{tx};
    ValidationState state;
    if (!CheckTransaction(signed_tx, state)) throw PSBTError{"the transaction is not valid: " + std::string{state.GetRejectReason()}};
    if (*Fee(psbt) < 0) throw PSBTError{"the transaction is not valid: the outputs get more than the inputs have"};
    const PrecomputedTransactionData txdata{signed_tx, std::vector{spent}, /*force=*/true};
    for (size_t i = 0; i < tx.vin.size(); ++i) {
        LeafSignatureSink sink;
        const TransactionSignatureChecker checker{signed_tx, static_cast<unsigned>(i), spent[i].nValue, &txdata, sink};
        ScriptRun run{.flags = MANDATORY_SCRIPT_VERIFY_FLAGS | SCRIPT_VERIFY_SLHDSA_SETS, .checker = checker};
        if (VerifyScript(tx.vin[i].scriptSig, spent[i].scriptPubKey, &tx.vin[i].scriptWitness, run)) continue;
        Refuse(i, "not valid: " + std::string{ScriptErrorName(run.failure.error)});
    }
    return tx;
}

} // namespace slhc::wallet
