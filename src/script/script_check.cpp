// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/script_check.h>

#include <script/interpreter.h>
#include <util/check.h>

#include <algorithm>
#include <utility>

namespace slhc {

namespace {

using PublicKeySpan = std::span<const uint8_t, slhdsa::PUBLIC_KEY_SIZE>;

/** The cache as one check uses it. */
class CacheUse
{
public:
    CacheUse(SignatureCache* cache, SignatureCacheMode mode) noexcept : m_cache{mode == SignatureCacheMode::NONE ? nullptr : cache}, m_mode{mode} {}

    [[nodiscard]] bool Contains(const SignedMessage& signature) const
    {
        return m_cache && m_cache->Contains(signature, m_mode == SignatureCacheMode::ERASE_ON_HIT);
    }

    void InsertValid(const SignedMessage& signature) const
    {
        if (m_cache && m_mode == SignatureCacheMode::STORE) m_cache->Insert(signature);
    }

private:
    SignatureCache* m_cache;
    SignatureCacheMode m_mode;
};

/** A checker of kind Base that knows the cache. What is verified at once in any case, over the curve, is looked up and
 *  stored here. */
template <typename Base>
class CachingChecker : public Base
{
public:
    template <typename... Args>
    explicit CachingChecker(CacheUse cache, Args&&... args) : Base{std::forward<Args>(args)...}, m_cache{cache}
    {
    }

protected:
    const CacheUse m_cache;

    [[nodiscard]] bool VerifyECDSASignature(std::span<const uint8_t> sig, const CPubKey& pubkey, const uint256& sighash) const override
    {
        return Verify({SignatureScheme::ECDSA, pubkey.Bytes(), sighash.Bytes(), sig}, [&] { return Base::VerifyECDSASignature(sig, pubkey, sighash); });
    }
    [[nodiscard]] bool VerifySchnorrSignature(std::span<const uint8_t, 64> sig, const XOnlyPubKey& pubkey, const uint256& sighash) const override
    {
        return Verify({SignatureScheme::BIP340, pubkey.Bytes(), sighash.Bytes(), sig}, [&] { return Base::VerifySchnorrSignature(sig, pubkey, sighash); });
    }

private:
    template <typename F>
    bool Verify(const SignedMessage& signature, F&& verify) const
    {
        if (m_cache.Contains(signature)) return true;
        if (!verify()) return false;
        m_cache.InsertValid(signature);
        return true;
    }
};

/** Verifies at once, and remembers which opcode asked for an invalid signature. */
class EagerChecker final : public CachingChecker<TransactionSignatureChecker>
{
public:
    template <typename... Args>
    EagerChecker(const SLHDSAVerifyFunction& verify, CacheUse cache, Args&&... args)
        : CachingChecker{cache, std::forward<Args>(args)...}, m_verify{verify}
    {
    }

    [[nodiscard]] std::optional<uint32_t> FailedOpcodePos() const noexcept { return m_failed_opcode_pos; }

protected:
    [[nodiscard]] SLHDSACheckResult VerifySLHDSASignature(std::vector<uint8_t>&& sig, PublicKeySpan pubkey, const uint256& sighash, uint32_t opcode_pos) const override
    {
        StagedSignature signature{.pubkey = {}, .message = sighash, .signature = std::move(sig), .opcode_pos = opcode_pos};
        std::copy(pubkey.begin(), pubkey.end(), signature.pubkey.begin());
        if (m_cache.Contains(AsSignedMessage(signature))) return SLHDSACheckResult::VALID;
        if (!m_verify(signature)) {
            m_failed_opcode_pos = opcode_pos;
            return SLHDSACheckResult::INVALID;
        }
        m_cache.InsertValid(AsSignedMessage(signature));
        return SLHDSACheckResult::VALID;
    }

private:
    const SLHDSAVerifyFunction& m_verify;
    mutable std::optional<uint32_t> m_failed_opcode_pos;
};

/** Defers SLH-DSA signatures that aren't in the cache. What is deferred is put there by whoever verifies it. */
class CachingDeferringChecker final : public CachingChecker<DeferringTransactionSignatureChecker>
{
public:
    using CachingChecker::CachingChecker;

protected:
    [[nodiscard]] SLHDSACheckResult VerifySLHDSASignature(std::vector<uint8_t>&& sig, PublicKeySpan pubkey, const uint256& sighash, uint32_t opcode_pos) const override
    {
        if (m_cache.Contains({SignatureScheme::SLHDSA, pubkey, sighash.Bytes(), sig})) return SLHDSACheckResult::VALID;
        return DeferringTransactionSignatureChecker::VerifySLHDSASignature(std::move(sig), pubkey, sighash, opcode_pos);
    }
};

} // namespace

SignedMessage AsSignedMessage(const StagedSignature& staged)
{
    return {SignatureScheme::SLHDSA, staged.pubkey, staged.message.Bytes(), staged.signature};
}

CScriptCheck::CScriptCheck(const CTransaction& tx, unsigned n_in, script_verify_flags flags, const PrecomputedTransactionData& txdata, SignatureCache* cache, SignatureCacheMode cache_mode)
    : m_tx{tx}, m_n_in{n_in}, m_flags{flags}, m_txdata{txdata}, m_cache{cache}, m_cache_mode{cache_mode}
{
    assert(n_in < tx.vin.size());
    assert(txdata.m_spent_outputs_ready);
}

void CScriptCheck::UseWitnessProgram(int version, std::vector<uint8_t> program, CScriptWitness witness)
{
    m_witness_program = WitnessProgram{version, std::move(program), std::move(witness)};
}

bool CScriptCheck::Run(const BaseSignatureChecker& checker)
{
    const CTxIn& txin{m_tx.vin[m_n_in]};
    m_failed_opcode_pos.reset();
    if (m_witness_program) {
        const auto& [version, program, witness]{*m_witness_program};
        return VerifyWitnessProgram(witness, version, program, m_flags, checker, m_error, /*is_p2sh=*/false, m_observer);
    }
    return VerifyScript(txin.scriptSig, m_txdata.m_spent_outputs[m_n_in].scriptPubKey, &txin.scriptWitness, m_flags, checker, m_error, m_observer);
}

ScriptVerdict CScriptCheck::operator()()
{
    const EagerChecker checker{m_verify, CacheUse{m_cache, m_cache_mode}, m_tx, m_n_in, m_txdata.m_spent_outputs[m_n_in].nValue, m_txdata};
    if (Run(checker)) return ScriptVerdict::VALID;
    m_failed_opcode_pos = checker.FailedOpcodePos();
    return ScriptVerdict::INVALID;
}

ScriptVerdict CScriptCheck::operator()(std::vector<StagedSignature>& staged)
{
    CachingDeferringChecker checker{CacheUse{m_cache, m_cache_mode}, m_tx, m_n_in, m_txdata.m_spent_outputs[m_n_in].nValue, m_txdata};
    if (Run(checker)) {
        if (checker.Staged().empty()) return ScriptVerdict::VALID;
        staged = std::move(checker).TakeStaged();
        return ScriptVerdict::DEFERRED;
    }
    // The script may have failed only because it went on behind an invalid signature.
    for (const StagedSignature& signature : checker.Staged()) {
        if (m_verify(signature)) continue;
        m_error = SCRIPT_ERR_SLHDSA_SIG;
        m_failed_opcode_pos = signature.opcode_pos;
        break;
    }
    return ScriptVerdict::INVALID;
}

} // namespace slhc
