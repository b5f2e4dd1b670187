// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/checker.h>

#include <script/check_origin.h>
#include <util/check.h>

#include <algorithm>

namespace slhc {

bool TransactionSignatureChecker::CheckECDSASignature(std::span<const uint8_t> sig, std::span<const uint8_t> pubkey_bytes,
                                                      const CScript& script_code, SigVersion sigversion) const
{
    const CPubKey pubkey{pubkey_bytes};
    if (!pubkey.IsValid() || sig.empty()) return false;
    const uint8_t hash_type{sig.back()};
    if (sigversion == SigVersion::WITNESS_V0 && m_amount < 0) return false; // the amount is part of the message, and unknown
    const uint256 sighash{SignatureHash(script_code, m_tx, m_n_in, hash_type, m_amount, sigversion, m_txdata, &m_sighash_cache)};
    return m_sink.PutECDSA(sig.first(sig.size() - 1), pubkey, sighash);
}

bool TransactionSignatureChecker::CheckSchnorrSignature(std::span<const uint8_t> sig, std::span<const uint8_t> pubkey_bytes,
                                                        SigVersion sigversion, ScriptExecutionData& execdata, ScriptError& error) const
{
    constexpr size_t SIZE{64};
    assert(pubkey_bytes.size() == XOnlyPubKey::SIZE);
    const auto fail{[&](ScriptError why) {
        error = why;
        return false;
    }};

    uint8_t hash_type{SIGHASH_DEFAULT};
    if (sig.size() == SIZE + 1) {
        hash_type = sig.back();
        if (hash_type == SIGHASH_DEFAULT) return fail(SCRIPT_ERR_SCHNORR_SIG_HASHTYPE); // it is written by leaving it out
    } else if (sig.size() != SIZE) {
        return fail(SCRIPT_ERR_SCHNORR_SIG_SIZE);
    }
    if (!m_txdata) return fail(SCRIPT_ERR_UNKNOWN_ERROR);
    const auto sighash{SignatureHashSchnorr(execdata, m_tx, m_n_in, hash_type, sigversion, *m_txdata)};
    if (!sighash) return fail(SCRIPT_ERR_SCHNORR_SIG_HASHTYPE);
    const XOnlyPubKey pubkey{pubkey_bytes.first<XOnlyPubKey::SIZE>()};
    if (!m_sink.PutSchnorr(sig.first<SIZE>(), pubkey, *sighash)) return fail(SCRIPT_ERR_SCHNORR_SIG);
    return true;
}

SLHDSACheckResult TransactionSignatureChecker::CheckSLHDSASignature(std::vector<uint8_t>&& sig, const SLHDSAPubKey& pubkey,
                                                                    ScriptExecutionData& execdata, ScriptError& error) const
{
    const auto fail{[&](ScriptError why) {
        error = why;
        return SLHDSACheckResult::INVALID;
    }};

    uint8_t hash_type{SIGHASH_DEFAULT};
    // opcode-sig-size, opcode-hashtype, sets-sig-size
    if (sig.size() == pubkey.SignatureSize() + 1) {
        hash_type = sig.back();
        sig.pop_back();
        if (hash_type == SIGHASH_DEFAULT) return fail(SCRIPT_ERR_SLHDSA_SIG_HASHTYPE); // it is written by leaving it out
    } else if (sig.size() != pubkey.SignatureSize()) {
        return fail(SCRIPT_ERR_SLHDSA_SIG_SIZE);
    }
    if (!m_txdata) return fail(SCRIPT_ERR_UNKNOWN_ERROR);
    const auto sighash{SignatureHashSchnorr(execdata, m_tx, m_n_in, hash_type, SigVersion::TAPSCRIPT, *m_txdata,
                                            pubkey.MessageKeyVersion())};
    if (!sighash) return fail(SCRIPT_ERR_SLHDSA_SIG_HASHTYPE);
    slhdsa::PublicKey key;
    std::copy(pubkey.bytes.begin(), pubkey.bytes.end(), key.begin());
    const CheckOrigin origin{.tag = m_tag,
                             .input = m_n_in,
                             .opcode_pos = execdata.m_opcode_pos,
                             .opcode = static_cast<uint8_t>(execdata.m_opcode)};
    // opcode-verify, message-verify, sets-verify
    const SLHDSACheckResult result{m_sink.PutSLHDSA({origin.ToTicket(), key, sighash->Bytes(), std::move(sig), pubkey.set})};
    return result == SLHDSACheckResult::INVALID ? fail(SCRIPT_ERR_SLHDSA_SIG) : result;
}

bool TransactionSignatureChecker::CheckLockTime(const CScriptNum& lock_time) const
{
    const int64_t wanted{lock_time.GetInt64()};
    const int64_t actual{m_tx.nLockTime};
    // Heights compare with heights, times with times.
    if ((wanted < LOCKTIME_THRESHOLD) != (actual < LOCKTIME_THRESHOLD)) return false;
    if (wanted > actual) return false;
    // If all inputs are final, nLockTime isn't enforced. It is enough to look at this one, since its script demands the lock
    // time.
    return m_tx.vin[m_n_in].nSequence != CTxIn::SEQUENCE_FINAL;
}

bool TransactionSignatureChecker::CheckSequence(const CScriptNum& sequence) const
{
    constexpr uint32_t MEANINGFUL_BITS{CTxIn::SEQUENCE_LOCKTIME_TYPE_FLAG | CTxIn::SEQUENCE_LOCKTIME_MASK};
    // BIP 68, which enforces relative lock times, applies from version 2 on and unless the input opts out.
    if (m_tx.version < 2) return false;
    if (m_tx.vin[m_n_in].nSequence & CTxIn::SEQUENCE_LOCKTIME_DISABLE_FLAG) return false;

    const int64_t wanted{sequence.GetInt64() & MEANINGFUL_BITS};
    const int64_t actual{m_tx.vin[m_n_in].nSequence & MEANINGFUL_BITS};
    // Blocks compare with blocks, times with times.
    if ((wanted < CTxIn::SEQUENCE_LOCKTIME_TYPE_FLAG) != (actual < CTxIn::SEQUENCE_LOCKTIME_TYPE_FLAG)) return false;
    return wanted <= actual;
}

} // namespace slhc
