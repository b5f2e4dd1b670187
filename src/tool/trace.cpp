// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/trace.h>

#include <pqc/slhdsa/slhdsa.h>
#include <script/address.h>
#include <script/observer.h>
#include <script/script_check.h>
#include <script/taptree.h>
#include <tool/asm.h>
#include <tool/error.h>
#include <tool/keys.h>
#include <tool/process_verifier.h>
#include <util/counted.h>
#include <util/hex.h>
#include <wallet/leaf_recipe.h>

#include <algorithm>
#include <memory>
#include <set>
#include <span>

namespace slhc::tool {
namespace {

//! A script may have a hundred thousand keys, and each is a verification.
constexpr size_t MAX_KEYS_TRIED{1000};

/** The signature without its hash type; nothing if it has another size than those by this key, or nobody has such a key. */
std::optional<std::span<const uint8_t>> WithoutHashType(std::span<const uint8_t> signature, KeyType type,
                                                        std::span<const uint8_t> public_key)
{
    if (!wallet::IsKey(type, public_key)) return std::nullopt;
    const size_t size{SignatureSize(type, public_key)};
    if (signature.size() != size && signature.size() != size + 1) return std::nullopt;
    return signature.first(size);
}

/** Keys of which type have signatures of this size; empty if none have. */
std::string TypeOfSignature(size_t size)
{
    if (size == wallet::SCHNORR_SIGNATURE_SIZE || size == wallet::SCHNORR_SIGNATURE_SIZE + 1) {
        return KeyTypeName(KeyType::SCHNORR, slhdsa::ParameterSet::SHA2_128S);
    }
    const auto set{wallet::SetOfSignature(size)};
    return set ? KeyTypeName(KeyType::SLHDSA, *set) : "";
}

/** What signatures depend on besides the transaction, before any script is known. */
ScriptExecutionData WithAnnex(const CScriptWitness& witness)
{
    ScriptExecutionData execdata;
    execdata.m_annex_init = true;
    if (HasAnnex(witness)) execdata.m_annex_hash = ComputeAnnexHash(witness.stack.back());
    return execdata;
}

constexpr size_t MAX_SHOWN_BYTES{36};
constexpr size_t MAX_SHOWN_SCRIPT{4000};

/** Keeps the first steps of each script and the last one. Of those between it keeps and computes nothing: there may be millions. */
class Recorder : public EvalObserver
{
public:
    Recorder(Trace& trace, const CTransaction& tx, unsigned n_in, const PrecomputedTransactionData& txdata, size_t shown)
        : m_trace{trace}, m_tx{tx}, m_n_in{n_in}, m_txdata{txdata}, m_shown{shown} {}

    /** Which step is the last shows when a script ends, too late to look at all that it found. If that matters, forget everything but
     *  how many steps each script has.
     *  @return true if the same scripts have to run once more */
    bool StartAgain()
    {
        const bool all_kept{std::ranges::all_of(m_trace.scripts, [](const TracedScript& script) { return script.skipped == 0; })};
        if ((all_kept && m_extra_left > 0) || !m_lengths.empty()) return false;
        for (const TracedScript& script : m_trace.scripts) m_lengths.push_back(script.steps.size() + script.skipped);
        m_trace.scripts.clear();
        m_extra_left = MAX_EXTRA_ELEMENTS;
        return true;
    }

    void BeginScript(const CScript& script, SigVersion version, const ScriptStack&) override
    {
        const size_t index{m_trace.scripts.size()};
        m_length = index < m_lengths.size() ? m_lengths[index] : MAX_STEPS;
        m_trace.scripts.push_back({version, FormatScript(script, MAX_SHOWN_SCRIPT), {}, 0, SCRIPT_ERR_OK, {}, {}});
        m_checks = version == SigVersion::TAPSCRIPT ? std::make_unique<SignatureChecks>(m_tx, m_n_in, m_txdata, script) : nullptr;
    }

    void BeforeOpcode(const EvalStep& step) override
    {
        auto& [version, script, steps, skipped, error, result, hint]{m_trace.scripts.back()};
        if (m_checks && step.executed && step.opcode == OP_CODESEPARATOR) m_checks->SetCodeSeparator(step.opcode_pos);
        const bool is_last{steps.size() + skipped + 1 == m_length};
        if (steps.size() + 1 >= MAX_STEPS && !is_last) {
            ++skipped;
            return;
        }
        std::optional<SignatureCheck> check;
        if (m_checks && step.executed) check = m_checks->Look(step.opcode, step.stack);
        const auto size{[&](size_t i) { return step.stack.size() < i ? 0 : PeekForDisplay(step.stack, i).size(); }};
        steps.push_back({step.opcode_pos, step.byte_offset, Instruction(step), step.executed, ShowStack(step.stack, is_last),
                         ShowStack(step.altstack, is_last), step.stack.size(), step.altstack.size(), {size(1), size(2)},
                         step.validation_weight_left, std::move(check)});
    }

    void EndScript(ScriptError error, const ScriptStack& stack) override
    {
        TracedScript& script{m_trace.scripts.back()};
        script.error = error;
        script.result = Show(stack, m_shown);
        const bool has_last{!script.steps.empty() && script.steps.size() + script.skipped <= m_length};
        const bool has_failed{error != SCRIPT_ERR_OK && error != SCRIPT_ERR_TAPSCRIPT_VALIDATION_WEIGHT};
        if (has_failed && m_checks && has_last && script.steps.back().check) {
            script.hint = m_checks->Explain(*script.steps.back().check);
        }
    }

private:
    std::string Instruction(const EvalStep& step) const
    {
        if (step.data.size() > MAX_SHOWN_BYTES) return ShowElement(step.data);
        return FormatInstruction(step.opcode, step.data);
    }

    /** Of a step. */
    std::vector<std::string> ShowStack(const ScriptStack& stack, bool is_last)
    {
        const size_t wanted{std::min(stack.size(), m_shown)};
        if (is_last || wanted <= DEFAULT_SHOWN) return Show(stack, wanted);
        const size_t extra{std::min(wanted - DEFAULT_SHOWN, m_extra_left)};
        m_extra_left -= extra;
        return Show(stack, DEFAULT_SHOWN + extra);
    }

    static std::vector<std::string> Show(const ScriptStack& stack, size_t max)
    {
        std::vector<std::string> elements;
        for (size_t position{std::min(stack.size(), max)}; position > 0; --position) {
            elements.push_back(ShowElement(PeekForDisplay(stack, position)));
        }
        return elements;
    }

    Trace& m_trace;
    const CTransaction& m_tx;
    const unsigned m_n_in;
    const PrecomputedTransactionData& m_txdata;
    const size_t m_shown;
    size_t m_extra_left{MAX_EXTRA_ELEMENTS};
    std::vector<size_t> m_lengths; //!< steps of each script, if it has run before
    size_t m_length{MAX_STEPS};    //!< of the script that runs; until it is known, no more than are kept
    std::unique_ptr<SignatureChecks> m_checks; //!< of the script that runs, if it is a tapscript
};

} // namespace

SignatureChecks::SignatureChecks(const CTransaction& tx, unsigned n_in, const PrecomputedTransactionData& txdata,
                                 const CScript& leaf_script)
    : m_tx{tx}
    , m_n_in{n_in}
    , m_txdata{txdata}
    , m_script{leaf_script}
{
    m_execdata = WithAnnex(tx.vin[n_in].scriptWitness);
    m_execdata.m_tapleaf_hash = ComputeTapleafHash(TAPROOT_LEAF_TAPSCRIPT, leaf_script);
}

std::optional<uint256> SignatureChecks::Hash(uint8_t hash_type, KeyVersion key_version)
{
    m_execdata.m_codeseparator_pos = m_codeseparator_pos;
    return SignatureHashSchnorr(m_execdata, m_tx, m_n_in, hash_type, SigVersion::TAPSCRIPT, m_txdata, key_version);
}

std::optional<SignatureCheck> SignatureChecks::Look(opcodetype opcode, const ScriptStack& stack)
{
    const auto type{wallet::CheckedKeyType(opcode)};
    if (!type) return std::nullopt;
    // "sig pubkey", and where signatures are counted "sig n pubkey"
    const size_t depth{wallet::IsCountingCheck(opcode) ? 3U : 2U};
    if (stack.size() < depth) return std::nullopt;
    const auto public_key{PeekForDisplay(stack, 1)}, signature{PeekForDisplay(stack, depth)};
    SignatureCheck check{{public_key.begin(), public_key.end()}, {signature.begin(), signature.end()}, {}, {}, *type, {}, {}};
    if (wallet::IsKey(*type, public_key)) check.key_version = wallet::KeyVersionOf(*type, public_key);
    if (const auto without{WithoutHashType(signature, *type, public_key)}) {
        check.hash_type = without->size() == signature.size() ? static_cast<uint8_t>(SIGHASH_DEFAULT) : signature.back();
        check.hash = Hash(*check.hash_type, check.key_version);
        if (check.hash) {
            check.message = SignatureMessage(m_execdata, m_tx, m_n_in, *check.hash_type, SigVersion::TAPSCRIPT, m_txdata,
                                             check.key_version);
        }
    }
    return check;
}

bool SignatureChecks::Verifies(const SignatureCheck& check, const std::vector<uint8_t>& public_key, uint8_t hash_type,
                               KeyVersion key_version)
{
    const auto signature{WithoutHashType(check.signature, check.type, public_key)};
    const auto hash{Hash(hash_type, key_version)};
    if (!signature || !hash) return false;
    const std::span bytes{std::span{public_key}.last<ANY_PUBLIC_KEY_SIZE>()};
    return VerifyMessage(check.type, bytes, hash->Bytes(), {}, *signature, *wallet::SetOfKey(public_key));
}

std::string SignatureChecks::Explain(const SignatureCheck& check)
{
    if (check.signature.empty() || !wallet::IsKey(check.type, check.public_key)) return "";
    if (!check.hash_type) {
        const std::string size{"it has " + Counted(check.signature.size(), "byte")}, other{TypeOfSignature(check.signature.size())};
        return other.empty() ? size : size + ", like a signature by a " + other + " key";
    }
    std::set<std::vector<uint8_t>> tried{check.public_key};
    opcodetype opcode;
    std::span<const uint8_t> data;
    uint32_t position{0};
    for (auto pc{m_script.begin()}; tried.size() < MAX_KEYS_TRIED && m_script.GetOp(pc, opcode, data); ++position) {
        if (!wallet::IsKey(check.type, data)) continue;
        const auto [key, added]{tried.emplace(data.begin(), data.end())};
        if (added && Verifies(check, *key, *check.hash_type, check.key_version)) {
            return "it would verify under another key of the script: <" + HexStr(*key) + "> (instruction " + std::to_string(position) + ")";
        }
    }
    for (const auto& [name, hash_type] : HASH_TYPES) {
        if (hash_type != *check.hash_type && Verifies(check, check.public_key, hash_type, check.key_version)) {
            return "it would verify for hash type " + std::string{name};
        }
    }
    for (const KeyVersion other : {KeyVersion::SLHDSA, KeyVersion::BIP340, KeyVersion::SLHDSA_SETS}) {
        if (other == check.key_version || !Verifies(check, check.public_key, *check.hash_type, other)) continue;
        return "it would verify with key_version " + std::to_string(static_cast<int>(other)) + " in the signature hash; it must be " +
               std::to_string(static_cast<int>(check.key_version));
    }
    const auto signature{WithoutHashType(check.signature, check.type, check.public_key)};
    if (check.type == KeyType::SLHDSA && check.hash &&
        slhdsa::slh_verify_internal(*wallet::SetOfKey(check.public_key), slhdsa::MessagePieces::Internal(check.hash->Bytes()), *signature,
                                    std::span{check.public_key}.last<slhdsa::PUBLIC_KEY_SIZE>())) {
        return "it would verify with slh_verify_internal: the two zero bytes of slh_sign are missing before the signature hash";
    }
    return "";
}

std::string ShowElement(std::span<const uint8_t> bytes)
{
    if (bytes.size() <= MAX_SHOWN_BYTES) return "<" + HexStr(bytes) + ">";
    return "<" + HexStr(bytes.first(6)) + ".." + HexStr(bytes.last(4)) + " " + std::to_string(bytes.size()) + " bytes>";
}

Tracer::Tracer(const SpendFile& spend)
    : m_flags{spend.flags}
    , m_tx{spend.tx}
    , m_txdata{*m_tx, std::vector<CTxOut>{spend.spent_outputs}}
{
}

std::optional<SignatureCheck> Tracer::KeyPath(unsigned n_in) const
{
    const auto program{WitnessProgram::FromScriptPubKey(m_txdata.m_spent_outputs[n_in].scriptPubKey)};
    const CScriptWitness& witness{m_tx->vin[n_in].scriptWitness};
    if (!(m_flags & SCRIPT_VERIFY_TAPROOT) || !program || program->TypeName() != "p2tr") return std::nullopt;
    if (witness.stack.size() != size_t{1} + HasAnnex(witness)) return std::nullopt;
    SignatureCheck check{program->program, witness.stack.front(), {}, {}, KeyType::SCHNORR, KeyVersion::BIP340, {}};
    if (const auto without{WithoutHashType(check.signature, check.type, check.public_key)}) {
        check.hash_type = without->size() == check.signature.size() ? static_cast<uint8_t>(SIGHASH_DEFAULT) : check.signature.back();
        ScriptExecutionData execdata{WithAnnex(witness)};
        check.hash = SignatureHashSchnorr(execdata, *m_tx, n_in, *check.hash_type, SigVersion::TAPROOT, m_txdata);
        if (check.hash) {
            check.message = SignatureMessage(execdata, *m_tx, n_in, *check.hash_type, SigVersion::TAPROOT, m_txdata, KeyVersion::BIP340);
        }
    }
    return check;
}

Trace Tracer::TraceInput(unsigned n_in, size_t shown) const
{
    Trace trace;
    trace.key_path = KeyPath(n_in);
    Recorder recorder{trace, *m_tx, n_in, m_txdata, shown};
    do {
        CScriptCheck check{*m_tx, n_in, m_flags, m_txdata, *ProcessVerifier()};
        check.SetObserver(&recorder);
        trace.valid = check.VerifyNow() == ScriptVerdict::VALID;
        trace.failure = check.Failure();
    } while (recorder.StartAgain());
    return trace;
}

} // namespace slhc::tool
