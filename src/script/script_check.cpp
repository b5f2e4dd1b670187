// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/script_check.h>

#include <script/interpreter.h>
#include <util/check.h>

#include <iterator>
#include <utility>

namespace slhc {

bool CachingSink::IsKnown(const SignedMessage& signature) const
{
    if (!m_use.cache || m_use.mode == SignatureCacheMode::NONE) return false;
    return m_use.cache->Contains(signature, m_use.mode == SignatureCacheMode::ERASE_ON_HIT);
}

template <typename F>
bool CachingSink::Verify(const SignedMessage& signature, F&& verify) const
{
    if (IsKnown(signature)) return true;
    if (!verify()) return false;
    if (m_use.cache && m_use.mode == SignatureCacheMode::STORE) m_use.cache->Insert(signature);
    return true;
}

bool CachingSink::PutECDSA(std::span<const uint8_t> sig, const CPubKey& pubkey, const uint256& sighash)
{
    return Verify({SignatureScheme::ECDSA, pubkey.Bytes(), sighash.Bytes(), sig},
                  [&] { return SignatureSink::PutECDSA(sig, pubkey, sighash); });
}

bool CachingSink::PutSchnorr(std::span<const uint8_t, 64> sig, const XOnlyPubKey& pubkey, const uint256& sighash)
{
    return Verify({SignatureScheme::BIP340, pubkey.Bytes(), sighash.Bytes(), sig},
                  [&] { return SignatureSink::PutSchnorr(sig, pubkey, sighash); });
}

SLHDSACheckResult VerifyingSink::PutSLHDSA(slhdsa::SignatureCheck&& check)
{
    const bool valid{Verify(AsSignedMessage(check), [&] {
        ++m_verified;
        return m_verifier.VerifyNow(check.View());
    })};
    return valid ? SLHDSACheckResult::VALID : SLHDSACheckResult::INVALID;
}

SLHDSACheckResult StagingSink::PutSLHDSA(slhdsa::SignatureCheck&& check)
{
    if (IsKnown(AsSignedMessage(check))) return SLHDSACheckResult::VALID;
    m_staged.push_back(std::move(check));
    return SLHDSACheckResult::DEFERRED;
}

SignedMessage AsSignedMessage(const slhdsa::SignatureCheck& check) noexcept
{
    return {SignatureScheme::SLHDSA, check.public_key, check.message, check.signature, static_cast<uint8_t>(check.set)};
}

ScriptFailure SLHDSAFailure(const CheckOrigin& origin) noexcept
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

bool CScriptCheck::Run(SignatureSink& sink)
{
    const CTxOut& spent{m_txdata.m_spent_outputs[m_n_in]};
    const TransactionSignatureChecker checker{m_tx, m_n_in, spent.nValue, &m_txdata, sink, m_tag};
    ScriptRun run{.flags = m_flags, .checker = checker, .observer = m_observer};
    const CTxIn& txin{m_tx.vin[m_n_in]};
    const bool valid{VerifyScript(txin.scriptSig, spent.scriptPubKey, &txin.scriptWitness, run)};
    m_failure = run.failure;
    return valid;
}

ScriptVerdict CScriptCheck::VerifyNow()
{
    VerifyingSink sink{m_verifier, m_cache};
    const bool valid{Run(sink)};
    m_verified_now = sink.Verified();
    return valid ? ScriptVerdict::VALID : ScriptVerdict::INVALID;
}

ScriptVerdict CScriptCheck::RunDeferring(std::vector<slhdsa::SignatureCheck>& staged)
{
    StagingSink sink{m_cache};
    m_verified_now = 0;
    if (Run(sink)) {
        if (sink.Staged().empty()) return ScriptVerdict::VALID;
        std::move(sink.Staged().begin(), sink.Staged().end(), std::back_inserter(staged));
        return ScriptVerdict::DEFERRED;
    }
    // The script may have failed only because it went on after an invalid signature.
    for (const slhdsa::SignatureCheck& check : sink.Staged()) {
        ++m_verified_now;
        if (m_verifier.VerifyNow(check.View())) continue;
        m_failure = SLHDSAFailure(CheckOrigin::FromTicket(check.ticket));
        break;
    }
    return ScriptVerdict::INVALID;
}

} // namespace slhc
