// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <wallet/psbt_finalizer.h>

#include <consensus/tx_check.h>
#include <consensus/validation.h>
#include <primitives/serialize.h>
#include <script/taptree.h>
#include <util/hex.h>
#include <wallet/lock_time.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <utility>
#include <variant>

namespace slhc::wallet {
namespace {

/** Nothing for one that no script can read, which may be as large as the PSBT, and which a leaf may ask for a thousand times. */
std::optional<std::vector<uint8_t>> GetPreimage(const PSBTMap& map, std::span<const uint8_t> hash)
{
    const auto found{map.find(PSBTKey(PSBT_IN_SHA256, hash))};
    if (found == map.end() || found->second.size() > MAX_SCRIPT_ELEMENT_SIZE) return std::nullopt;
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

/** Why a signature is not used for an input; empty if it may be. */
std::string WhyNotUsed(const PartiallySignedTransaction& psbt, size_t n_in, const uint256& leaf_hash, const LeafKey& key,
                       std::span<const uint8_t> signature, const PSBTVerifier* verifier)
{
    auto why{HashTypeProblem(psbt, n_in, "the signature by " + HexStr(key.public_key), SignatureHashType(key.type, signature))};
    if (!why.empty()) return why;
    return verifier ? verifier->SignatureError(n_in, leaf_hash, key, signature) : "";
}

/** The signatures for a leaf that may be used, each judged once: a script may have a key many times. */
class UsableSignatures
{
public:
    UsableSignatures(const PartiallySignedTransaction& psbt, size_t n_in, const uint256& leaf_hash, const PSBTVerifier* verifier)
        : m_psbt{psbt}, m_n_in{n_in}, m_leaf_hash{leaf_hash}, m_verifier{verifier} {}

    std::optional<std::vector<uint8_t>> operator()(const LeafKey& key)
    {
        if (m_not_used.contains(key)) return std::nullopt;
        auto signature{GetSignature(m_psbt, m_n_in, m_leaf_hash, key)};
        if (!signature || m_used.contains(key)) return signature;
        const bool use{WhyNotUsed(m_psbt, m_n_in, m_leaf_hash, key, *signature, m_verifier).empty()};
        (use ? m_used : m_not_used).insert(key);
        return use ? signature : std::nullopt;
    }

private:
    const PartiallySignedTransaction& m_psbt;
    const size_t m_n_in;
    const uint256& m_leaf_hash;
    const PSBTVerifier* const m_verifier;
    std::set<LeafKey> m_used, m_not_used;
};

bool BothTypes(const std::vector<LeafKey>& keys)
{
    return std::ranges::adjacent_find(keys, std::ranges::not_equal_to{}, &LeafKey::type) != keys.end();
}

struct InputEstimate {
    size_t witness_size;
    bool exact;
};

/** Adds up the whole witness that will spend a leaf, with signatures and preimages of the right sizes. */
class WitnessEstimator
{
public:
    WitnessEstimator(const PSBTMap& input, const PSBTLeaf& leaf, UsableSignatures signatures)
        : m_input{input}, m_signatures{std::move(signatures)}
    {
        const auto asked{PartiallySignedTransaction::Find(input, PSBT_IN_SIGHASH_TYPE)};
        m_hash_type_size = !asked || ReadLE32(asked->data()) == SIGHASH_DEFAULT ? 0 : 1;
        Add(leaf.script.size());
        Add(leaf.control_block.size());
    }

    void operator()(const LeafTrue&) { Add(1); }

    void operator()(const LeafPreimage& wanted)
    {
        constexpr size_t PREIMAGE_SIZE{32}; // what nearly all have
        const auto have{wanted.of_32_bytes ? std::nullopt : GetPreimage(m_input, wanted.hash)};
        Add(have ? have->size() : PREIMAGE_SIZE);
        m_exact = m_exact && (wanted.of_32_bytes || have);
    }

    void operator()(const LeafSignatures& signatures)
    {
        const auto signers{ExpectedSigners(signatures, [&](const LeafKey& key) { return m_signatures(key).has_value(); })};
        bool all_there{true};
        for (size_t i = 0; i < signatures.needed; ++i) {
            // A signature that is there says its size: it may have a hash type that others lack.
            const auto signature{m_signatures(signers[i])};
            Add(signature ? signature->size() : SignatureSize(signers[i].type) + m_hash_type_size);
            all_there = signature.has_value();
        }
        for (size_t i = signatures.needed; i < signers.size(); ++i) Add(0);
        const bool all_sign{signatures.needed == signers.size()};
        m_exact = m_exact && (all_there || all_sign || !BothTypes(signers));
    }

    [[nodiscard]] InputEstimate Estimate() const { return {GetSizeOfCompactSize(m_elements) + m_size, m_exact}; }

private:
    void Add(size_t element_size)
    {
        m_size += GetSizeOfCompactSize(element_size) + element_size;
        ++m_elements;
    }

    const PSBTMap& m_input;
    UsableSignatures m_signatures;
    size_t m_hash_type_size;
    size_t m_elements{0}, m_size{0};
    bool m_exact{true};
};

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
    case PSBT_IN_FINAL_SCRIPTSIG:
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

/** Why a leaf cannot be spent by this transaction, no matter who signs; empty if it can. */
std::string WhyUnusable(const PSBTLeaf& leaf, const LeafRecipe& recipe, const CMutableTransaction& tx, size_t n_in)
{
    if (leaf.version != TAPROOT_LEAF_TAPSCRIPT) return "its leaf version is not that of tapscript";
    if (!recipe.never.empty()) return recipe.never;
    if (!recipe.unknown.empty()) return recipe.unknown + ": only another program knows how to satisfy it";
    return LockTimeProblem(leaf.script, tx, n_in);
}

/** What an input that is not final will take; nothing if it cannot be finalized, or no leaf is known that can be spent. */
std::optional<InputEstimate> EstimateInput(const PartiallySignedTransaction& psbt, const CMutableTransaction& tx, size_t n_in,
                                           const PSBTVerifier* verifier)
{
    if (!WrongTreeFields(psbt, n_in).empty()) return std::nullopt;
    const PSBTMap& input{psbt.Inputs()[n_in]};
    if (const auto signature{PartiallySignedTransaction::Find(input, PSBT_IN_TAP_KEY_SIG)};
        signature && WhyKeyPathNotUsed(psbt, n_in, *signature, verifier).empty()) {
        return InputEstimate{GetSerializeSize(CScriptWitness{{{signature->begin(), signature->end()}}}), true};
    }
    InputEstimate estimate{0, true};
    size_t readable{0};
    const auto leaves{Leaves(psbt, n_in)};
    for (const auto& leaf : leaves) {
        const LeafRecipe recipe{ReadLeafRecipe(leaf.script)};
        if (!WhyUnusable(leaf, recipe, tx, n_in).empty()) continue;
        ++readable;
        WitnessEstimator estimator{input, leaf, UsableSignatures{psbt, n_in, leaf.hash, verifier}};
        for (const auto& condition : recipe.conditions) std::visit(estimator, condition);
        const InputEstimate of_leaf{estimator.Estimate()};
        estimate = {std::max(estimate.witness_size, of_leaf.witness_size), estimate.exact && of_leaf.exact};
    }
    if (readable == 0) return std::nullopt;
    estimate.exact = estimate.exact && readable == 1 && leaves.size() == 1;
    return estimate;
}

/** Make an input final if its script accepts the witness. @return why it does not */
std::string TryFinal(PartiallySignedTransaction& psbt, size_t n_in, std::vector<std::vector<uint8_t>> stack, const PSBTVerifier& verifier)
{
    std::string why{verifier.FinalError(n_in, {}, CScriptWitness{stack})};
    if (why.empty()) SetFinalWitness(psbt, n_in, std::move(stack));
    return why;
}

/** The leaves of an input, each once: a tree may have it in many places, and one of them is enough to spend it. */
std::vector<PSBTLeaf> DistinctLeaves(const PartiallySignedTransaction& psbt, size_t n_in)
{
    auto leaves{Leaves(psbt, n_in)};
    std::set<uint256> known;
    std::erase_if(leaves, [&](const PSBTLeaf& leaf) { return !known.insert(leaf.hash).second; });
    return leaves;
}

/** The signatures of an input that are not used for any of its leaves. */
std::vector<PSBTWrongField> LeftOut(const PartiallySignedTransaction& psbt, size_t n_in, const std::vector<PSBTLeaf>& leaves,
                                    const PSBTVerifier& verifier)
{
    std::vector<PSBTWrongField> left_out;
    for (const auto& leaf : leaves) {
        for (const auto& key : KeysOf(ReadLeafRecipe(leaf.script))) {
            const auto signature{GetSignature(psbt, n_in, leaf.hash, key)};
            if (!signature) continue;
            if (auto why{WhyNotUsed(psbt, n_in, leaf.hash, key, *signature, &verifier)}; !why.empty()) {
                left_out.push_back({n_in, SignatureField(key, leaf.hash), std::move(why)});
            }
        }
    }
    return left_out;
}

} // namespace

LeafStack LeafProgress(const PartiallySignedTransaction& psbt, const CMutableTransaction& tx, size_t n_in, const PSBTLeaf& leaf,
                       const PSBTVerifier* verifier)
{
    const LeafRecipe recipe{ReadLeafRecipe(leaf.script)};
    if (const std::string why{WhyUnusable(leaf, recipe, tx, n_in)}; !why.empty()) {
        LeafStack stack;
        stack.missing = why;
        return stack;
    }
    UsableSignatures signatures{psbt, n_in, leaf.hash, verifier};
    return SatisfyLeaf(recipe, std::ref(signatures), [&](std::span<const uint8_t> hash) { return GetPreimage(psbt.Inputs()[n_in], hash); });
}

std::string WhyKeyPathNotUsed(const PartiallySignedTransaction& psbt, size_t n_in, std::span<const uint8_t> signature,
                              const PSBTVerifier* verifier)
{
    auto why{HashTypeProblem(psbt, n_in, std::string{KEY_PATH_SIGNATURE}, SignatureHashType(KeyType::SCHNORR, signature))};
    if (!why.empty()) return why;
    return verifier ? verifier->KeyPathError(n_in, signature) : "";
}

PSBTFinalization FinalizeInput(PartiallySignedTransaction& psbt, size_t n_in, const PSBTVerifier& verifier)
{
    PSBTFinalization result;
    result.left_out = WrongFinalFields(psbt, n_in, verifier);
    if (IsFinal(psbt, n_in) && result.left_out.empty()) return result;
    if (auto wrong{WrongTreeFields(psbt, n_in)}; !wrong.empty()) {
        result.missing = "cannot be finalized: " + wrong[0].why;
        std::ranges::move(wrong, std::back_inserter(result.left_out));
        return result;
    }
    const auto leaves{DistinctLeaves(psbt, n_in)};
    std::ranges::move(LeftOut(psbt, n_in, leaves, verifier), std::back_inserter(result.left_out));
    if (const auto signature{PartiallySignedTransaction::Find(psbt.Inputs()[n_in], PSBT_IN_TAP_KEY_SIG)}) {
        std::string why{WhyKeyPathNotUsed(psbt, n_in, *signature, &verifier)};
        if (why.empty()) why = TryFinal(psbt, n_in, {{signature->begin(), signature->end()}}, verifier);
        if (why.empty()) return result;
        result.left_out.push_back({n_in, PSBTKey(PSBT_IN_TAP_KEY_SIG), std::move(why)});
    }
    if (leaves.empty()) result.missing = "has no leaf script (PSBT_IN_TAP_LEAF_SCRIPT)";
    for (const auto& leaf : leaves) {
        LeafStack stack{LeafProgress(psbt, verifier.Hasher().Tx(), n_in, leaf, &verifier)};
        std::string problem{stack.missing};
        if (stack.Complete()) {
            problem = TryFinal(psbt, n_in, Witness(std::move(stack), leaf), verifier);
            if (problem.empty()) {
                result.leaf = leaf.hash;
                result.missing.clear();
                return result;
            }
        }
        result.missing += (result.missing.empty() ? "" : "; ") +
                          (leaves.size() == 1 ? "" : "leaf " + HexStr(leaf.hash.Bytes()) + ": ") + problem;
    }
    for (const auto& field : result.left_out) result.missing += "; not used: " + field.why;
    return result;
}

CMutableTransaction ExtractTransaction(const PartiallySignedTransaction& psbt)
{
    CMutableTransaction tx{psbt.UnsignedTx()};
    for (size_t i = 0; i < tx.vin.size(); ++i) {
        if (!IsFinal(psbt, i)) throw PSBTError{PartiallySignedTransaction::Place(PSBTScope::INPUT, i) + ": not final"};
        auto fields{ReadFinalFields(psbt, i)};
        tx.vin[i].scriptSig = std::move(fields.script_sig);
        tx.vin[i].scriptWitness = std::move(fields.witness);
    }
    return tx;
}

std::vector<LeafKey> ExpectedSigners(const LeafSignatures& signatures, const std::function<bool(const LeafKey&)>& has_signed)
{
    auto signers{signatures.keys};
    const auto missing{std::stable_partition(signers.begin(), signers.end(), has_signed)};
    std::ranges::stable_sort(missing, signers.end(), std::ranges::greater{}, [](const LeafKey& key) { return SignatureSize(key.type); });
    return signers;
}

std::optional<PSBTEstimate> EstimateWeight(const PartiallySignedTransaction& psbt, const PSBTVerifier* verifier)
{
    const CScriptWitness stands_in{{{}}}; // for a witness that does not exist yet: its size is in missing_size instead
    const CMutableTransaction unsigned_tx{psbt.UnsignedTx()};
    CMutableTransaction tx{unsigned_tx};
    size_t missing_size{0};
    bool exact{true};
    for (size_t i = 0; i < psbt.Inputs().size(); ++i) {
        if (IsFinal(psbt, i)) {
            auto fields{ReadFinalFields(psbt, i)};
            tx.vin[i].scriptSig = std::move(fields.script_sig);
            tx.vin[i].scriptWitness = std::move(fields.witness);
            continue;
        }
        const auto estimate{EstimateInput(psbt, unsigned_tx, i, verifier)};
        if (!estimate) return std::nullopt;
        exact = exact && estimate->exact;
        missing_size += estimate->witness_size - GetSerializeSize(stands_in);
        tx.vin[i].scriptWitness = stands_in;
    }
    return PSBTEstimate{GetTransactionWeight(CTransaction{std::move(tx)}) + static_cast<int64_t>(missing_size), exact};
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

std::string NeverValid(const PartiallySignedTransaction& psbt)
{
    try {
        if (const auto fee{Fee(psbt)}; fee && *fee < 0) {
            return "the outputs get " + std::to_string(-*fee) + (*fee == -1 ? " satoshi" : " satoshis") +
                   " more than the inputs have: the transaction can never be valid";
        }
    } catch (const PSBTError& e) {
        return std::string{e.what()} + ": the transaction can never be valid";
    }
    const CTransaction tx{psbt.UnsignedTx()};
    ValidationState state;
    if (!WhyIncomplete(psbt).empty() || CheckTransaction(tx, state)) return "";
    return "the transaction can never be valid: " + std::string{state.GetRejectReason()};
}

std::string WhyIncomplete(const PartiallySignedTransaction& psbt)
{
    if (psbt.Inputs().empty()) return "the transaction has no inputs: bad-txns-vin-empty";
    if (psbt.Outputs().empty()) return "the transaction has no outputs: bad-txns-vout-empty";
    return "";
}

} // namespace slhc::wallet
