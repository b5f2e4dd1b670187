// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_SCRIPT_CHECKER_H
#define SLHCONSENSUS_SCRIPT_CHECKER_H

#include <pqc/check.h>
#include <primitives/transaction.h>
#include <script/pubkey.h>
#include <script/script.h>
#include <script/script_error.h>
#include <script/sighash.h>
#include <script/slhdsa_pubkey.h>

#include <cstdint>
#include <span>
#include <vector>

/** The questions that a script asks about the transaction that spends it: are signatures valid, are lock times reached? */
namespace slhc {

/** The result of checking an SLH-DSA signature. */
enum class SLHDSACheckResult {
    INVALID,
    VALID,
    DEFERRED, //!< not verified: the script continues as if it were valid, but its result means nothing until it is verified
};

/** A checker without a transaction: no signature is valid and no lock time is reached. */
class BaseSignatureChecker
{
public:
    virtual ~BaseSignatureChecker() = default;

    /** @param[in] sig  with the hash type as its last byte; may be empty */
    [[nodiscard]] virtual bool CheckECDSASignature([[maybe_unused]] std::span<const uint8_t> sig,
                                                   [[maybe_unused]] std::span<const uint8_t> pubkey,
                                                   [[maybe_unused]] const CScript& script_code, SigVersion) const
    {
        return false;
    }

    /** @param[in] sig     of any size; 64 or 65 bytes can be valid
     *  @param[in] pubkey  32 bytes
     *  @param[out] error  why, if the result is false (SCHNORR_SIG_SIZE, SCHNORR_SIG_HASHTYPE, SCHNORR_SIG; UNKNOWN_ERROR
     *                    without the transaction's data) */
    [[nodiscard]] virtual bool CheckSchnorrSignature([[maybe_unused]] std::span<const uint8_t> sig,
                                                     [[maybe_unused]] std::span<const uint8_t> pubkey, SigVersion, ScriptExecutionData&,
                                                     [[maybe_unused]] ScriptError& error) const
    {
        return false;
    }

    /** A signature of the opcodes OP_CHECKSIGSLHDSA and OP_CHECKSIGADDSLHDSA. Size, hash type and the presence of
     *  SINGLE's output are checked at once, whether or not verification is deferred.
     *  @param[in] sig       of any size except 0; consumed
     *  @param[in] execdata  names the opcode that asks
     *  @param[out] error    why, if the result is INVALID: SLHDSA_SIG_SIZE, SLHDSA_SIG_HASHTYPE, SLHDSA_SIG, or UNKNOWN_ERROR without
     *                       the transaction's data; a checker that checks no signatures leaves it as it was */
    [[nodiscard]] virtual SLHDSACheckResult CheckSLHDSASignature([[maybe_unused]] std::vector<uint8_t>&& sig,
                                                                 [[maybe_unused]] const SLHDSAPubKey& pubkey,
                                                                 [[maybe_unused]] ScriptExecutionData& execdata,
                                                                 [[maybe_unused]] ScriptError& error) const
    {
        return SLHDSACheckResult::INVALID;
    }

    /** For OP_CHECKLOCKTIMEVERIFY (BIP 65). */
    [[nodiscard]] virtual bool CheckLockTime(const CScriptNum& /*lock_time*/) const { return false; }

    /** For OP_CHECKSEQUENCEVERIFY (BIP 112). */
    [[nodiscard]] virtual bool CheckSequence(const CScriptNum& /*sequence*/) const { return false; }
};

/** The receiver of a checker's signatures, once their size, hash type and message are known: it verifies them now, or stages them. */
class SignatureSink
{
public:
    virtual ~SignatureSink() = default;

    /** Verify it now, like every signature over the curve.
     *  @param[in] sig  without the hash type, DER or nearly so */
    [[nodiscard]] virtual bool PutECDSA(std::span<const uint8_t> sig, const CPubKey& pubkey, const uint256& sighash)
    {
        return pubkey.Verify(sighash, sig);
    }
    [[nodiscard]] virtual bool PutSchnorr(std::span<const uint8_t, 64> sig, const XOnlyPubKey& pubkey, const uint256& sighash)
    {
        return pubkey.VerifySchnorr(sighash, sig);
    }
    /** @param[in] check  its signature has the size of its set; may be consumed */
    [[nodiscard]] virtual SLHDSACheckResult PutSLHDSA(slhdsa::SignatureCheck&& check) = 0;
};

/** Checks for one input of a transaction: sizes, hash types and messages. The sink does the rest. For a single thread. */
class TransactionSignatureChecker : public BaseSignatureChecker
{
public:
    /** The arguments passed by reference must outlive the checker.
     *  @param[in] amount  of the output spent; negative if unknown, so that no version 0 signature is valid
     *  @param[in] txdata  null: no taproot, tapscript or SLH-DSA signature is valid
     *  @param[in] tag     the caller's number for this transaction, which each check's CheckOrigin has
     *  @pre n_in < tx.vin.size() */
    TransactionSignatureChecker(const CTransaction& tx, unsigned n_in, CAmount amount, const PrecomputedTransactionData* txdata,
                                SignatureSink& sink, uint64_t tag = 0) noexcept
        : m_tx{tx}, m_n_in{n_in}, m_amount{amount}, m_txdata{txdata}, m_sink{sink}, m_tag{tag} {}

    [[nodiscard]] bool CheckECDSASignature(std::span<const uint8_t> sig, std::span<const uint8_t> pubkey, const CScript& script_code,
                                           SigVersion sigversion) const override;
    [[nodiscard]] bool CheckSchnorrSignature(std::span<const uint8_t> sig, std::span<const uint8_t> pubkey, SigVersion sigversion,
                                             ScriptExecutionData& execdata, ScriptError& error) const override;
    [[nodiscard]] SLHDSACheckResult CheckSLHDSASignature(std::vector<uint8_t>&& sig, const SLHDSAPubKey& pubkey,
                                                         ScriptExecutionData& execdata, ScriptError& error) const override;
    [[nodiscard]] bool CheckLockTime(const CScriptNum& lock_time) const override;
    [[nodiscard]] bool CheckSequence(const CScriptNum& sequence) const override;

private:
    const CTransaction& m_tx;
    const unsigned m_n_in;
    const CAmount m_amount;
    const PrecomputedTransactionData* const m_txdata;
    SignatureSink& m_sink;
    const uint64_t m_tag;
    mutable SigHashCache m_sighash_cache;
};

} // namespace slhc

#endif // SLHCONSENSUS_SCRIPT_CHECKER_H
