// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/script_check.h>

#include <script/interpreter.h>

#include <algorithm>
#include <cassert>
#include <utility>

namespace slhc {

namespace {

using PublicKeySpan = std::span<const uint8_t, slhdsa::PUBLIC_KEY_SIZE>;

/** The cache as one check uses it. */
class CacheUse
{
public:
    CacheUse(SignatureCache* cache, SignatureCacheMode mode) noexcept : m_cache{mode == SignatureCacheMode::NONE ? nullptr : cache}, m_mode{mode} {}

    [[nodiscard]] bool Contains(PublicKeySpan pubkey, const uint256& message, std::span<const uint8_t> signature) const
    {
        return m_cache && m_cache->Contains(pubkey, message.Bytes(), signature.first<slhdsa::SIGNATURE_SIZE>(), m_mode == SignatureCacheMode::ERASE_ON_HIT);
    }

    void InsertValid(PublicKeySpan pubkey, const uint256& message, std::span<const uint8_t> signature) const
    {
        if (m_cache && m_mode == SignatureCacheMode::STORE) m_cache->Insert(pubkey, message.Bytes(), signature.first<slhdsa::SIGNATURE_SIZE>());
    }

private:
    SignatureCache* m_cache;
    SignatureCacheMode m_mode;
};

/** Verifies at once, knows the cache, and remembers which opcode asked for an invalid signature. */
class EagerChecker final : public TransactionSignatureChecker
{
public:
    template <typename... Args>
    EagerChecker(const SLHDSAVerifyFunction& verify, CacheUse cache, Args&&... args)
        : TransactionSignatureChecker{std::forward<Args>(args)...}, m_verify{verify}, m_cache{cache}
    {
    }

    [[nodiscard]] std::optional<uint32_t> FailedOpcodePos() const noexcept { return m_failed_opcode_pos; }

protected:
    [[nodiscard]] SLHDSACheckResult VerifySLHDSASignature(std::vector<uint8_t>&& sig, PublicKeySpan pubkey, const uint256& sighash, uint32_t opcode_pos) const override
    {
        if (m_cache.Contains(pubkey, sighash, sig)) return SLHDSACheckResult::VALID;
        StagedSignature signature{.pubkey = {}, .message = sighash, .signature = std::move(sig), .opcode_pos = opcode_pos};
        std::copy(pubkey.begin(), pubkey.end(), signature.pubkey.begin());
        if (!m_verify(signature)) {
            m_failed_opcode_pos = opcode_pos;
            return SLHDSACheckResult::INVALID;
        }
        m_cache.InsertValid(pubkey, sighash, signature.signature);
        return SLHDSACheckResult::VALID;
    }

private:
    const SLHDSAVerifyFunction& m_verify;
    const CacheUse m_cache;
    mutable std::optional<uint32_t> m_failed_opcode_pos;
};

/** Defers what isn't in the cache. What is deferred is put there by whoever verifies it. */
class CachingDeferringChecker final : public DeferringTransactionSignatureChecker
{
public:
    template <typename... Args>
    CachingDeferringChecker(CacheUse cache, Args&&... args) : DeferringTransactionSignatureChecker{std::forward<Args>(args)...}, m_cache{cache}
    {
    }

protected:
    [[nodiscard]] SLHDSACheckResult VerifySLHDSASignature(std::vector<uint8_t>&& sig, PublicKeySpan pubkey, const uint256& sighash, uint32_t opcode_pos) const override
    {
        if (m_cache.Contains(pubkey, sighash, sig)) return SLHDSACheckResult::VALID;
        return DeferringTransactionSignatureChecker::VerifySLHDSASignature(std::move(sig), pubkey, sighash, opcode_pos);
    }

private:
    const CacheUse m_cache;
};

} // namespace

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
