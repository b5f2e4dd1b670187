// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_SCRIPT_INTERPRETER_H
#define SLHCONSENSUS_SCRIPT_INTERPRETER_H

#include <pqc/slhdsa/params.h>
#include <primitives/transaction.h>
#include <script/checker.h>
#include <script/script.h>
#include <script/script_error.h>
#include <script/script_run.h>
#include <script/sighash.h>
#include <script/stack.h>
#include <script/verify_flags.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/** Running scripts, structured as in Bitcoin Core: VerifyScript calls VerifyWitnessProgram calls ExecuteWitnessScript calls EvalScript.
 *
 *  With SCRIPT_VERIFY_P2MR and SCRIPT_VERIFY_SLHDSA off, verdict and error are Bitcoin Core's for any input. If a checker answers DEFERRED,
 *  "true" means true provided that the deferred signatures are valid. Each function that takes a ScriptRun records in run.failure why and
 *  where it failed. Nothing here throws except std::bad_alloc and an observer's exceptions. */
namespace slhc {

inline constexpr size_t WITNESS_V0_SCRIPTHASH_SIZE{32};
inline constexpr size_t WITNESS_V0_KEYHASH_SIZE{20};
inline constexpr size_t WITNESS_V1_TAPROOT_SIZE{32};

/** Bytes of a P2TR control block before its path: leaf version with parity, and internal key. */
inline constexpr size_t TAPROOT_CONTROL_BASE_SIZE{33};

/** The largest initial stack element, in bytes, if the leaf script contains OP_CHECKSIGSLHDSA or OP_CHECKSIGADDSLHDSA: a signature and its
 *  hash type. */
inline constexpr size_t MAX_SLHDSA_ELEMENT_SIZE{slhdsa::SIGNATURE_SIZE + 1};

/** The result of the search through a leaf script for OP_SUCCESSx. */
struct TapscriptScan {
    enum class Outcome {
        EXECUTE,     //!< every instruction decodes and none is an OP_SUCCESSx
        OP_SUCCESS,  //!< there is an OP_SUCCESSx, and every instruction before it decodes
        UNDECODABLE, //!< an instruction is truncated, and there is no OP_SUCCESSx before it
    };
    Outcome outcome;
    bool has_slhdsa_opcode; //!< one of the two opcodes is among the instructions scanned; only with SCRIPT_VERIFY_SLHDSA

    /** The largest initial stack element allowed, in bytes. */
    [[nodiscard]] size_t MaxElementSize() const noexcept { return has_slhdsa_opcode ? MAX_SLHDSA_ELEMENT_SIZE : MAX_SCRIPT_ELEMENT_SIZE; }
};

/** Search a leaf script from its beginning until the outcome is known. */
[[nodiscard]] TapscriptScan ScanTapscript(const CScript& leaf_script, script_verify_flags flags);

/** Run one script on a stack.
 *  @param[in,out] stack   the script's stack; unspecified after a failure
 *  @param[in] sigversion  BASE, WITNESS_V0 or TAPSCRIPT; TAPSCRIPT needs the tapleaf hash, the annex and the validation
 *                         weight in run.execdata
 *  @return true if it ran to its end; the caller must judge the stack that is left */
[[nodiscard]] bool EvalScript(ScriptStack& stack, const CScript& script, SigVersion sigversion, ScriptRun& run);

/** Run a witness script or leaf script whose commitment has been checked: handle tapscript's OP_SUCCESSx, enforce the limits of the initial
 *  stack, run the script, and check that it leaves one true element.
 *  @param[in] stack_elements  the initial stack, top last; copied once, after its limits are checked
 *  @param[in] sigversion      WITNESS_V0 or TAPSCRIPT, as for EvalScript */
[[nodiscard]] bool ExecuteWitnessScript(std::span<const std::vector<uint8_t>> stack_elements, const CScript& exec_script,
                                        SigVersion sigversion, ScriptRun& run);

/** Check a witness against a witness program and run the script to which the program commits. Assumes SCRIPT_VERIFY_WITNESS.
 *  @param[in] witversion  0 to 16
 *  @param[in] program     2 to 40 bytes
 *  @param[in] is_p2sh     true if the program comes from a redeem script */
[[nodiscard]] bool VerifyWitnessProgram(const CScriptWitness& witness, int witversion, std::span<const uint8_t> program, bool is_p2sh,
                                        ScriptRun& run);

/** True if an input may spend an output. False with SCRIPT_ERR_UNKNOWN_ERROR if CheckFlags rejects the flags.
 *  @param[in] witness  null stands for an empty one */
[[nodiscard]] bool VerifyScript(const CScript& script_sig, const CScript& script_pub_key, const CScriptWitness* witness, ScriptRun& run);

/** Signature checks in an input's witness that count towards the block's limit: only those of version 0. */
[[nodiscard]] size_t CountWitnessSigOps(const CScript& script_sig, const CScript& script_pub_key, const CScriptWitness& witness,
                                        script_verify_flags flags);

/** Remove every occurrence of b from script that starts at an instruction. @return how many there were */
int FindAndDelete(CScript& script, const CScript& b);

} // namespace slhc

#endif // SLHCONSENSUS_SCRIPT_INTERPRETER_H
