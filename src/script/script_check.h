// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_SCRIPT_SCRIPT_CHECK_H
#define SLHCONSENSUS_SCRIPT_SCRIPT_CHECK_H

#include <primitives/transaction.h>
#include <script/checker.h>
#include <script/script_error.h>
#include <script/sigcache.h>
#include <script/sighash.h>
#include <script/verify_flags.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace slhc {

class EvalObserver;

/** Verifies one SLH-DSA signature, on the calling thread and at once, with slh_verify's verdict. A caller with a
 *  faster engine than the scalar code brings its own. */
using SLHDSAVerifyFunction = std::function<bool(const StagedSignature&)>;

/** A staged signature as a signature cache knows it. */
[[nodiscard]] SignedMessage AsSignedMessage(const StagedSignature& staged);

/** What running an input's scripts says of it. */
enum class ScriptVerdict {
    INVALID,
    VALID,
    DEFERRED, //!< valid if every signature that was staged is valid, and not before that is known
};

/** The check of one input: what to run, and afterwards why it failed. References what it is given, which must
 *  outlive it; different objects may be used by different threads. */
class CScriptCheck
{
public:
    /** @param[in] txdata  of tx, with its spent outputs
     *  @param[in] cache   of valid signatures; may be null
     *  @pre n_in < tx.vin.size(), txdata.m_spent_outputs_ready */
    CScriptCheck(const CTransaction& tx, unsigned n_in, script_verify_flags flags, const PrecomputedTransactionData& txdata,
                 SignatureCache* cache = nullptr, SignatureCacheMode cache_mode = SignatureCacheMode::NONE);

    /** Run the scripts and verify all signatures on this thread: VALID or INVALID, and final. */
    [[nodiscard]] ScriptVerdict operator()();

    /** Run the scripts and stage SLH-DSA signatures instead of verifying them.
     *
     *  If the scripts fail, the staged signatures are verified here, in order: if one is invalid, it is the reason
     *  (that is what verifying at once would have said), else the scripts' own error stands.
     *  @param[out] staged  signatures to verify if the result is DEFERRED, in the order in which the script asked;
     *                      untouched otherwise */
    [[nodiscard]] ScriptVerdict operator()(std::vector<StagedSignature>& staged);

    /** Why the last run said INVALID; SCRIPT_ERR_OK if it didn't. */
    [[nodiscard]] ScriptError GetScriptError() const noexcept { return m_error; }

    /** If that is SCRIPT_ERR_SLHDSA_SIG: which opcode asked for the signature. */
    [[nodiscard]] std::optional<uint32_t> FailedOpcodePos() const noexcept { return m_failed_opcode_pos; }

    /** Use this function wherever a signature is verified at once; it must be callable. */
    void SetSLHDSAVerifier(SLHDSAVerifyFunction verify) { m_verify = std::move(verify); }

    /** Run this witness program with this witness from now on, instead of the input's own scripts: for a caller whose
     *  own interpreter found them. @pre version is 0 to 16, program has 2 to 40 bytes */
    void UseWitnessProgram(int version, std::vector<uint8_t> program, CScriptWitness witness);

    /** Let somebody watch the next runs; null for nobody. */
    void SetObserver(EvalObserver* observer) noexcept { m_observer = observer; }

private:
    const CTransaction& m_tx;
    const unsigned m_n_in;
    const script_verify_flags m_flags;
    const PrecomputedTransactionData& m_txdata;
    SignatureCache* const m_cache;
    const SignatureCacheMode m_cache_mode;
    struct WitnessProgram {
        int version;
        std::vector<uint8_t> program;
        CScriptWitness witness;
    };

    std::optional<WitnessProgram> m_witness_program; //!< to run instead of the input's scripts
    SLHDSAVerifyFunction m_verify{[](const StagedSignature& signature) { return signature.Verify(); }};
    EvalObserver* m_observer{nullptr};
    ScriptError m_error{SCRIPT_ERR_OK};
    std::optional<uint32_t> m_failed_opcode_pos;

    bool Run(const BaseSignatureChecker& checker);
};

} // namespace slhc

#endif // SLHCONSENSUS_SCRIPT_SCRIPT_CHECK_H
