// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/eval.h>

#include <crypto/hash.h>
#include <crypto/ripemd160.h>
#include <crypto/sha1.h>
#include <crypto/sha256.h>
#include <script/sig_encoding.h>
#include <util/check.h>

#include <optional>

namespace slhc {

namespace {

template <typename Hasher>
StackElement HashOf(std::span<const uint8_t> bytes)
{
    std::vector<uint8_t> hash(Hasher::OUTPUT_SIZE);
    Hasher{}.Write(bytes).Finalize(std::span<uint8_t, Hasher::OUTPUT_SIZE>{hash});
    return StackElement{std::move(hash)};
}

StackElement HashByOpcode(opcodetype opcode, std::span<const uint8_t> bytes)
{
    switch (opcode) {
    case OP_RIPEMD160: return HashOf<CRIPEMD160>(bytes);
    case OP_SHA1: return HashOf<CSHA1>(bytes);
    case OP_SHA256: return HashOf<CSHA256>(bytes);
    case OP_HASH160: return HashOf<CHash160>(bytes);
    default:
        assert(opcode == OP_HASH256);
        return HashOf<CHash256>(bytes);
    }
}

} // namespace

ScriptError ScriptEvaluator::ExecuteHashOp(opcodetype opcode)
{
    // x -- hash
    if (!HasOperands(opcode)) return SCRIPT_ERR_INVALID_STACK_OPERATION;
    StackElement hash{HashByOpcode(opcode, m_stack.Read(1))};
    m_stack.Drop();
    m_stack.Push(std::move(hash));
    return SCRIPT_ERR_OK;
}

/** A signature cannot sign itself: legacy scripts sign their code without it. */
ScriptError ScriptEvaluator::RemoveSignature(CScript& script_code, std::span<const uint8_t> sig) const
{
    if (m_sigversion != SigVersion::BASE) return SCRIPT_ERR_OK;
    const int found{FindAndDelete(script_code, CScript{} << sig)};
    return found > 0 && (m_flags & SCRIPT_VERIFY_CONST_SCRIPTCODE) ? SCRIPT_ERR_SIG_FINDANDDELETE : SCRIPT_ERR_OK;
}

ScriptError ScriptEvaluator::CheckSigPreTapscript(std::span<const uint8_t> sig, std::span<const uint8_t> pubkey, bool& success)
{
    CScript script_code{ScriptCode()};
    if (const ScriptError error{RemoveSignature(script_code, sig)}; error != SCRIPT_ERR_OK) return error;
    if (const ScriptError error{CheckSignatureEncoding(sig, m_flags)}; error != SCRIPT_ERR_OK) return error;
    if (const ScriptError error{CheckPubKeyEncoding(pubkey, m_flags, m_sigversion)}; error != SCRIPT_ERR_OK) return error;
    success = m_checker.CheckECDSASignature(sig, pubkey, script_code, m_sigversion);
    return !success && (m_flags & SCRIPT_VERIFY_NULLFAIL) && !sig.empty() ? SCRIPT_ERR_SIG_NULLFAIL : SCRIPT_ERR_OK;
}

/** BIP 342's limit on signature checks: a witness pays for them by its size. */
ScriptError ScriptEvaluator::SpendValidationWeight()
{
    assert(m_execdata.m_validation_weight_left);
    *m_execdata.m_validation_weight_left -= VALIDATION_WEIGHT_PER_SIGOP_PASSED;
    return *m_execdata.m_validation_weight_left < 0 ? SCRIPT_ERR_TAPSCRIPT_VALIDATION_WEIGHT : SCRIPT_ERR_OK;
}

ScriptError ScriptEvaluator::CheckSigTapscript(std::span<const uint8_t> sig, std::span<const uint8_t> pubkey, bool& success)
{
    // The order is consensus (BIP 342). The check succeeds if the signature is not empty, whatever else it is: one that is neither empty
    // nor valid fails the script.
    success = !sig.empty();
    if (success) {
        if (const ScriptError error{SpendValidationWeight()}; error != SCRIPT_ERR_OK) return error;
    }
    if (pubkey.empty()) return SCRIPT_ERR_TAPSCRIPT_EMPTY_PUBKEY;
    if (pubkey.size() != XOnlyPubKey::SIZE) {
        return m_flags & SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_PUBKEYTYPE ? SCRIPT_ERR_DISCOURAGE_UPGRADABLE_PUBKEYTYPE : SCRIPT_ERR_OK;
    }
    ScriptError error{SCRIPT_ERR_UNKNOWN_ERROR};
    if (success && !m_checker.CheckSchnorrSignature(sig, pubkey, m_sigversion, m_execdata, error)) return error;
    return SCRIPT_ERR_OK;
}

ScriptError ScriptEvaluator::CheckSig(std::span<const uint8_t> sig, std::span<const uint8_t> pubkey, bool& success)
{
    return IsTapscript() ? CheckSigTapscript(sig, pubkey, success) : CheckSigPreTapscript(sig, pubkey, success);
}

ScriptError ScriptEvaluator::OpCheckSig(opcodetype opcode)
{
    // sig pubkey -- bool
    if (!HasOperands(opcode)) return SCRIPT_ERR_INVALID_STACK_OPERATION;
    bool success;
    if (const ScriptError error{CheckSig(m_stack.Read(2), m_stack.Read(1), success)}; error != SCRIPT_ERR_OK) return error;
    m_stack.Drop(2);
    if (opcode == OP_CHECKSIGVERIFY) return success ? SCRIPT_ERR_OK : SCRIPT_ERR_CHECKSIGVERIFY;
    m_stack.PushBool(success);
    return SCRIPT_ERR_OK;
}

ScriptError ScriptEvaluator::OpCheckSigAdd()
{
    // sig n pubkey -- n + bool
    if (!IsTapscript()) return SCRIPT_ERR_BAD_OPCODE;
    if (!HasOperands(OP_CHECKSIGADD)) return SCRIPT_ERR_INVALID_STACK_OPERATION;
    const auto sig{m_stack.Read(3)};
    const auto n_bytes{m_stack.Read(2)};
    const auto pubkey{m_stack.Read(1)};
    const CScriptNum n{n_bytes, m_require_minimal};
    bool success;
    if (const ScriptError error{CheckSig(sig, pubkey, success)}; error != SCRIPT_ERR_OK) return error;
    m_stack.Drop(3);
    m_stack.PushNum(CScriptNum{n.GetInt64() + (success ? 1 : 0)});
    return SCRIPT_ERR_OK;
}

/** OP_CHECKSIGSLHDSA and OP_CHECKSIGADDSLHDSA, with the same order as BIP 342's opcodes: weight, empty key, unknown key, signature.
 *  The result depends on nothing but the signature being empty or not, so that verification can be deferred. */
ScriptError ScriptEvaluator::OpCheckSigSLHDSA(opcodetype opcode)
{
    // sig pubkey -- bool, or
    // sig n pubkey -- n + bool
    if (!HasOperands(opcode)) return SCRIPT_ERR_INVALID_STACK_OPERATION; // opcode-depth
    std::optional<CScriptNum> n;
    if (opcode == OP_CHECKSIGADDSLHDSA) n = ReadNum(2); // before the key is looked at; opcode-num
    const StackElement key{m_stack.Move(1)};
    const auto pubkey{key.Read()}; // opcode-key-large
    if (n) m_stack.Drop();
    std::vector<uint8_t> sig{m_stack.Move(1).TakeBytes()};

    // opcode-budget
    const bool success{!sig.empty()};
    if (success) {
        if (const ScriptError error{SpendValidationWeight()}; error != SCRIPT_ERR_OK) return error;
    }
    if (pubkey.empty()) return SCRIPT_ERR_TAPSCRIPT_EMPTY_PUBKEY; // opcode-key-empty
    const auto known{SLHDSAPubKey::Parse(pubkey, static_cast<bool>(m_flags & SCRIPT_VERIFY_SLHDSA_SETS))}; // sets-flag
    if (!known) {
        if (m_flags & SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_PUBKEYTYPE) return SCRIPT_ERR_DISCOURAGE_UPGRADABLE_PUBKEYTYPE; // policy-pubkey
    } else if (success) { // opcode-sig-empty
        ScriptError error{SCRIPT_ERR_UNKNOWN_ERROR};
        const auto result{m_checker.CheckSLHDSASignature(std::move(sig), *known, m_execdata, error)};
        if (result == SLHDSACheckResult::INVALID) return error; // else it is valid, or will be if the script is
    }
    // opcode-result
    if (n) {
        m_stack.PushNum(CScriptNum{n->GetInt64() + (success ? 1 : 0)});
    } else {
        m_stack.PushBool(success);
    }
    return SCRIPT_ERR_OK;
}

ScriptError ScriptEvaluator::OpCheckMultiSig(opcodetype opcode)
{
    // dummy sig... n_sigs pubkey... n_keys -- bool
    // The opcode has always taken one element too many, the dummy; NULLDUMMY wants it empty.
    if (IsTapscript()) return SCRIPT_ERR_TAPSCRIPT_CHECKMULTISIG;

    if (m_stack.empty()) return SCRIPT_ERR_INVALID_STACK_OPERATION;
    const int n_keys{ReadNum(1).getint()};
    if (n_keys < 0 || n_keys > MAX_PUBKEYS_PER_MULTISIG) return SCRIPT_ERR_PUBKEY_COUNT;
    m_op_count += n_keys;
    if (m_op_count > MAX_OPS_PER_SCRIPT) return SCRIPT_ERR_OP_COUNT;
    const size_t first_key{2}; // positions from the top: the last key and signature come first
    const size_t n_sigs_position{first_key + static_cast<size_t>(n_keys)};
    if (m_stack.size() < n_sigs_position) return SCRIPT_ERR_INVALID_STACK_OPERATION;
    const int n_sigs{ReadNum(n_sigs_position).getint()};
    if (n_sigs < 0 || n_sigs > n_keys) return SCRIPT_ERR_SIG_COUNT;
    const size_t first_sig{n_sigs_position + 1};
    const size_t dummy_position{first_sig + static_cast<size_t>(n_sigs)};
    if (m_stack.size() < dummy_position) return SCRIPT_ERR_INVALID_STACK_OPERATION;

    CScript script_code{ScriptCode()};
    for (size_t sig{first_sig}; sig < dummy_position; ++sig) {
        if (const ScriptError error{RemoveSignature(script_code, m_stack.Read(sig))}; error != SCRIPT_ERR_OK) return error;
    }

    // Each signature is tried with one key after the other. The order is visible, since the encodings of keys and signatures that are never
    // tried are not checked.
    size_t sig_position{first_sig};
    bool success{true};
    for (size_t key_position{first_key}; success && sig_position < dummy_position; ++key_position) {
        const auto sig{m_stack.Read(sig_position)};
        const auto pubkey{m_stack.Read(key_position)};
        if (const ScriptError error{CheckSignatureEncoding(sig, m_flags)}; error != SCRIPT_ERR_OK) return error;
        if (const ScriptError error{CheckPubKeyEncoding(pubkey, m_flags, m_sigversion)}; error != SCRIPT_ERR_OK) return error;
        if (m_checker.CheckECDSASignature(sig, pubkey, script_code, m_sigversion)) ++sig_position;
        const size_t sigs_left{dummy_position - sig_position};
        const size_t keys_left{n_sigs_position - key_position - 1};
        success = sigs_left <= keys_left;
    }

    if (!success && (m_flags & SCRIPT_VERIFY_NULLFAIL)) {
        for (size_t sig{first_sig}; sig < dummy_position; ++sig) {
            if (!m_stack.Read(sig).empty()) return SCRIPT_ERR_SIG_NULLFAIL;
        }
    }
    if ((m_flags & SCRIPT_VERIFY_NULLDUMMY) && !m_stack.Read(dummy_position).empty()) return SCRIPT_ERR_SIG_NULLDUMMY;
    m_stack.Drop(dummy_position);
    if (opcode == OP_CHECKMULTISIGVERIFY) return success ? SCRIPT_ERR_OK : SCRIPT_ERR_CHECKMULTISIGVERIFY;
    m_stack.PushBool(success);
    return SCRIPT_ERR_OK;
}

} // namespace slhc
