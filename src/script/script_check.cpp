// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/script_check.h>

#include <script/interpreter.h>
#include <util/check.h>

#include <iterator>
#include <utility>

namespace slhc {

namespace {

/** Asks the cache before anything is verified, and tells it what was found valid. Over the curve all is verified at once. */
class CachingChecker : public TransactionSignatureChecker
{
public:
    template <typename... Args>
    explicit CachingChecker(SignatureCacheUse use, Args&&... args)
        : TransactionSignatureChecker{std::forward<Args>(args)...}
        , m_cache{use.mode == SignatureCacheMode::NONE ? nullptr : use.cache}
        , m_mode{use.mode}
    {
    }

protected:
    [[nodiscard]] bool IsKnown(const SignedMessage& signature) const
    {
        return m_cache && m_cache->Contains(signature, m_mode == SignatureCacheMode::ERASE_ON_HIT);
    }

    /** @pre it was verified, and is valid */
    void Remember(const SignedMessage& signature) const
    {
        if (m_cache && m_mode == SignatureCacheMode::STORE) m_cache->Insert(signature);
    }

    [[nodiscard]] bool VerifyECDSASignature(std::span<const uint8_t> sig, const CPubKey& pubkey, const uint256& sighash) const override
    {
        return Verify({SignatureScheme::ECDSA, pubkey.Bytes(), sighash.Bytes(), sig},
                      [&] { return TransactionSignatureChecker::VerifyECDSASignature(sig, pubkey, sighash); });
    }
    [[nodiscard]] bool VerifySchnorrSignature(std::span<const uint8_t, 64> sig, const XOnlyPubKey& pubkey,
                                              const uint256& sighash) const override
    {
        return Verify({SignatureScheme::BIP340, pubkey.Bytes(), sighash.Bytes(), sig},
                      [&] { return TransactionSignatureChecker::VerifySchnorrSignature(sig, pubkey, sighash); });
    }

    template <typename F>
    [[nodiscard]] bool Verify(const SignedMessage& signature, F&& verify) const
    {
        if (IsKnown(signature)) return true;
        if (!verify()) return false;
        Remember(signature);
        return true;
    }

private:
    SignatureCache* const m_cache; //!< null: neither asked nor filled
    const SignatureCacheMode m_mode;
};

/** Verifies at once. */
class EagerChecker final : public CachingChecker
{
public:
    using CachingChecker::CachingChecker;

    /** How many SLH-DSA signatures. */
    [[nodiscard]] size_t Verified() const noexcept { return m_verified; }

protected:
    [[nodiscard]] SLHDSACheckResult VerifySLHDSASignature(slhdsa::SignatureCheck&& check) const override
    {
        if (IsKnown(AsSignedMessage(check))) return SLHDSACheckResult::VALID;
        ++m_verified;
        if (!SLHDSAVerifier().VerifyNow(check.View())) return SLHDSACheckResult::INVALID;
        Remember(AsSignedMessage(check));
        return SLHDSACheckResult::VALID;
    }

private:
    mutable size_t m_verified{0};
};

/** Stages the SLH-DSA signatures that the cache does not know, instead of verifying them. A script that succeeds with this checker is valid
 *  only if every check that it staged is. All other signatures are verified at once. */
class DeferringChecker final : public CachingChecker
{
public:
    using CachingChecker::CachingChecker;

    /** In the order in which the script asked. */
    [[nodiscard]] std::vector<slhdsa::SignatureCheck>& Staged() noexcept { return m_staged; }

protected:
    [[nodiscard]] SLHDSACheckResult VerifySLHDSASignature(slhdsa::SignatureCheck&& check) const override
    {
        if (IsKnown(AsSignedMessage(check))) return SLHDSACheckResult::VALID;
        m_staged.push_back(std::move(check));
        return SLHDSACheckResult::DEFERRED;
    }

private:
    mutable std::vector<slhdsa::SignatureCheck> m_staged;
};

} // namespace

SignedMessage AsSignedMessage(const slhdsa::SignatureCheck& check) noexcept
{
    return {SignatureScheme::SLHDSA, check.public_key, check.message, check.signature};
}

ScriptFailure SLHDSAFailure(const slhdsa::CheckOrigin& origin) noexcept
{
    return {.error = SCRIPT_ERR_SLHDSA_SIG,
            .script = ScriptRole::LEAF_SCRIPT,
            .opcode_pos = origin.opcode_pos,
            .opcode = static_cast<opcodetype>(origin.opcode)};
}

CScriptCheck::CScriptCheck(const CTransaction& tx, unsigned n_in, script_verify_flags flags, const PrecomputedTransactionData& txdata,
                           const slhdsa::Verifier& verifier, SignatureCacheUse cache, uint64_t tag)
    : m_tx{tx}, m_n_in{n_in}, m_flags{flags}, m_txdata{txdata}, m_verifier{verifier}, m_cache{cache}, m_tag{tag}
{
    assert(n_in < tx.vin.size());
    assert(txdata.m_spent_outputs_ready);
}

bool CScriptCheck::Run(const BaseSignatureChecker& checker)
{
    ScriptRun run{.flags = m_flags, .checker = checker, .observer = m_observer};
    const CTxIn& txin{m_tx.vin[m_n_in]};
    const bool valid{VerifyScript(txin.scriptSig, m_txdata.m_spent_outputs[m_n_in].scriptPubKey, &txin.scriptWitness, run)};
    m_failure = run.failure;
    return valid;
}

ScriptVerdict CScriptCheck::VerifyNow()
{
    const EagerChecker checker{m_cache, m_tx, m_n_in, m_txdata.m_spent_outputs[m_n_in].nValue, m_txdata, m_verifier, m_tag};
    const bool valid{Run(checker)};
    m_verified_now = checker.Verified();
    return valid ? ScriptVerdict::VALID : ScriptVerdict::INVALID;
}

ScriptVerdict CScriptCheck::RunDeferring(std::vector<slhdsa::SignatureCheck>& staged)
{
    DeferringChecker checker{m_cache, m_tx, m_n_in, m_txdata.m_spent_outputs[m_n_in].nValue, m_txdata, m_verifier, m_tag};
    m_verified_now = 0;
    if (Run(checker)) {
        if (checker.Staged().empty()) return ScriptVerdict::VALID;
        std::move(checker.Staged().begin(), checker.Staged().end(), std::back_inserter(staged));
        return ScriptVerdict::DEFERRED;
    }
    // The script may have failed only because it went on behind an invalid signature.
    for (const slhdsa::SignatureCheck& check : checker.Staged()) {
        ++m_verified_now;
        if (m_verifier.VerifyNow(check.View())) continue;
        m_failure = SLHDSAFailure(check.origin);
        break;
    }
    return ScriptVerdict::INVALID;
}

} // namespace slhc
