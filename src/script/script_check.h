// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_SCRIPT_SCRIPT_CHECK_H
#define SLHCONSENSUS_SCRIPT_SCRIPT_CHECK_H

#include <pqc/check.h>
#include <pqc/verifier.h>
#include <primitives/transaction.h>
#include <script/check_origin.h>
#include <script/checker.h>
#include <script/script_run.h>
#include <script/sigcache.h>
#include <script/sighash.h>
#include <script/verify_flags.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace slhc {

class EvalObserver;

/** The result of running an input's scripts. */
enum class ScriptVerdict {
    INVALID,
    VALID,
    DEFERRED, //!< valid if every staged signature is valid, which is not known yet
};

/** A check's signature in the form that a signature cache takes. */
[[nodiscard]] SignedMessage AsSignedMessage(const slhdsa::SignatureCheck& check) noexcept;

/** The failure of an input whose deferred signature turns out to be invalid. */
[[nodiscard]] ScriptFailure SLHDSAFailure(const CheckOrigin& origin) noexcept;

/** A cache of valid signatures, and how a check uses it. */
struct SignatureCacheUse {
    SignatureCache* cache{nullptr}; //!< null: no cache
    SignatureCacheMode mode{SignatureCacheMode::NONE};
};

/** Looks up each signature in the cache before it is verified, and stores those found valid. */
class CachingSink : public SignatureSink
{
public:
    explicit CachingSink(SignatureCacheUse use) : m_use{use} {}

    [[nodiscard]] bool PutECDSA(std::span<const uint8_t> sig, const CPubKey& pubkey, const uint256& sighash) override;
    [[nodiscard]] bool PutSchnorr(std::span<const uint8_t, 64> sig, const XOnlyPubKey& pubkey, const uint256& sighash) override;

protected:
    [[nodiscard]] bool IsKnown(const SignedMessage& signature) const;
    /** True if the cache knows the signature, or if verify() returns true, which the cache then remembers. */
    template <typename F>
    [[nodiscard]] bool Verify(const SignedMessage& signature, F&& verify) const;

private:
    const SignatureCacheUse m_use;
};

/** Verifies every signature now. */
class VerifyingSink final : public CachingSink
{
public:
    /** @param[in] verifier  for SLH-DSA signatures; must outlive the sink */
    explicit VerifyingSink(const slhdsa::Verifier& verifier, SignatureCacheUse use = {}) : CachingSink{use}, m_verifier{verifier} {}

    [[nodiscard]] SLHDSACheckResult PutSLHDSA(slhdsa::SignatureCheck&& check) override;

    /** The number of SLH-DSA signatures that it verified. */
    [[nodiscard]] size_t Verified() const noexcept { return m_verified; }

private:
    const slhdsa::Verifier& m_verifier;
    size_t m_verified{0};
};

/** Stages the SLH-DSA signatures that the cache does not know. A script that succeeds is then valid only if every one of them is. */
class StagingSink final : public CachingSink
{
public:
    using CachingSink::CachingSink;

    [[nodiscard]] SLHDSACheckResult PutSLHDSA(slhdsa::SignatureCheck&& check) override;

    /** In the order in which the script asked. */
    [[nodiscard]] std::vector<slhdsa::SignatureCheck>& Staged() noexcept { return m_staged; }

private:
    std::vector<slhdsa::SignatureCheck> m_staged;
};

/** The check of one input: the scripts to run, and afterwards the reason of a failure. Keeps references to its arguments, which must
 *  outlive it. Different threads may use different objects. */
class CScriptCheck
{
public:
    /** @param[in] txdata    of tx, with its spent outputs
     *  @param[in] verifier  for SLH-DSA signatures
     *  @param[in] tag       the caller's number for tx, which the CheckOrigin of each staged check has
     *  @pre n_in < tx.vin.size(), txdata.m_spent_outputs_ready */
    CScriptCheck(const CTransaction& tx, unsigned n_in, script_verify_flags flags, const PrecomputedTransactionData& txdata,
                 const slhdsa::Verifier& verifier, SignatureCacheUse cache = {}, uint64_t tag = 0);

    /** Run the scripts and verify all signatures on this thread: VALID or INVALID, and final. */
    [[nodiscard]] ScriptVerdict VerifyNow();

    /** Run the scripts and stage SLH-DSA signatures instead of verifying them.
     *
     *  If the scripts fail, the staged signatures are verified here, in order: the first invalid one is the reason, as if all were verified
     *  at once; if all are valid, the scripts' own failure stands.
     *  @param[out] staged  if the result is DEFERRED, the checks to be verified are appended, in the order in which the script asked;
     *                      untouched otherwise */
    [[nodiscard]] ScriptVerdict RunDeferring(std::vector<slhdsa::SignatureCheck>& staged);

    /** The reason and place of the last run's failure; its error is SCRIPT_ERR_OK if it did not return INVALID. */
    [[nodiscard]] const ScriptFailure& Failure() const noexcept { return m_failure; }

    /** The number of SLH-DSA signatures that the last run verified itself, not counting those found in the cache. */
    [[nodiscard]] size_t VerifiedNow() const noexcept { return m_verified_now; }

    /** Set the observer of later runs; null for none. */
    void SetObserver(EvalObserver* observer) noexcept { m_observer = observer; }

private:
    const CTransaction& m_tx;
    const unsigned m_n_in;
    const script_verify_flags m_flags;
    const PrecomputedTransactionData& m_txdata;
    const slhdsa::Verifier& m_verifier;
    const SignatureCacheUse m_cache;
    const uint64_t m_tag;
    EvalObserver* m_observer{nullptr};
    ScriptFailure m_failure;
    size_t m_verified_now{0};

    bool Run(SignatureSink& sink);
};

} // namespace slhc

#endif // SLHCONSENSUS_SCRIPT_SCRIPT_CHECK_H
