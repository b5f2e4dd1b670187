// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_SCRIPT_SCRIPT_RUN_H
#define SLHCONSENSUS_SCRIPT_SCRIPT_RUN_H

#include <script/script.h>
#include <script/script_error.h>
#include <script/sighash.h>
#include <script/verify_flags.h>

#include <cstdint>

namespace slhc {

class BaseSignatureChecker;
class EvalObserver;

/** One of the scripts that an input may run, in the order in which they run. */
enum class ScriptRole : uint8_t {
    NONE,           //!< no script: the fault lies before one is found, or in the input as a whole
    SCRIPT_SIG,
    SCRIPT_PUB_KEY,
    REDEEM_SCRIPT,  //!< of P2SH
    WITNESS_SCRIPT, //!< of P2WSH, and the script that P2WPKH stands for
    LEAF_SCRIPT,    //!< of P2TR and P2MR
};

/** The opcode position of a script that ran to its end, or where no script ran. */
inline constexpr uint32_t NO_OPCODE{0xffffffff};

/** The reason why an input may not spend its output, and the place where its scripts failed. */
struct ScriptFailure {
    ScriptError error{SCRIPT_ERR_OK};
    ScriptRole script{ScriptRole::NONE};
    uint32_t opcode_pos{NO_OPCODE};        //!< of the opcode that failed, counted in opcodes
    opcodetype opcode{OP_INVALIDOPCODE};   //!< the opcode there; OP_INVALIDOPCODE also if the instruction does not decode

    bool operator==(const ScriptFailure&) const = default;
};

/** The state that all scripts of one input share: the rules that apply, the transaction's checker, and the outcome. */
struct ScriptRun {
    const script_verify_flags flags; //!< valid, see CheckFlags
    const BaseSignatureChecker& checker;
    EvalObserver* observer{nullptr};      //!< sees every instruction; may be null
    ScriptExecutionData execdata{};       //!< of the script that runs
    ScriptRole script{ScriptRole::NONE};  //!< that script
    ScriptFailure failure{};              //!< of the last function that returned false; its error is OK after true

    /** The input fails, but not at an opcode. @return false */
    bool Fail(ScriptError error, ScriptRole at = ScriptRole::NONE) noexcept
    {
        failure = {.error = error, .script = at, .opcode_pos = NO_OPCODE, .opcode = OP_INVALIDOPCODE};
        return false;
    }
    /** The input fails at the current opcode. @return false */
    bool FailAtOpcode(ScriptError error) noexcept
    {
        failure = {.error = error, .script = script, .opcode_pos = execdata.m_opcode_pos, .opcode = execdata.m_opcode};
        return false;
    }
    /** @return true */
    bool Succeed() noexcept
    {
        failure = {};
        return true;
    }
};

} // namespace slhc

#endif // SLHCONSENSUS_SCRIPT_SCRIPT_RUN_H
