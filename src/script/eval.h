// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_SCRIPT_EVAL_H
#define SLHCONSENSUS_SCRIPT_EVAL_H

#include <script/checker.h>
#include <script/interpreter.h>
#include <script/script.h>
#include <script/script_error.h>
#include <script/script_run.h>
#include <script/sighash.h>
#include <script/stack.h>
#include <script/verify_flags.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

/** The internals of EvalScript; for no other code. */
namespace slhc {

/** The stack of conditions of nested OP_IFs. It only matters whether any of them is false, so two numbers represent it: conditions above
 *  the first false one make no difference. */
class ConditionStack
{
public:
    [[nodiscard]] bool empty() const noexcept { return m_size == 0; }
    [[nodiscard]] bool AllTrue() const noexcept { return !m_first_false; }

    void Push(bool value) noexcept
    {
        if (AllTrue() && !value) m_first_false = m_size;
        ++m_size;
    }

    /** @pre not empty */
    void Pop() noexcept
    {
        --m_size;
        if (m_first_false == m_size) m_first_false.reset();
    }

    /** Negate the innermost one. @pre not empty */
    void ToggleTop() noexcept
    {
        const size_t top{m_size - 1};
        if (AllTrue()) {
            m_first_false = top;
        } else if (m_first_false == top) {
            m_first_false.reset();
        }
    }

private:
    size_t m_size{0};
    std::optional<size_t> m_first_false; //!< from the bottom
};

/** One run of one script, an instruction at a time: EvalScript has the loop.
 *
 *  Within an opcode, the order of checks is: the stack is deep enough; no operand that is read or copied is a large element; everything
 *  else. ScriptStack::Read does the second check, by throwing LargeElementError, so all operands are read before any of them is used.
 *  A number that decides what else is read (OP_PICK, OP_ROLL), and the number of OP_CHECKSIGADDSLHDSA, is decoded first. */
class ScriptEvaluator
{
public:
    ScriptEvaluator(ScriptStack& stack, const CScript& script, SigVersion sigversion, ScriptRun& run);

    [[nodiscard]] bool AtEnd() const { return m_pc == m_script.end(); }
    // Each is called in one place only and inline, so that an opcode does not cost two more calls.
    /** Decode the next instruction, and apply the rules that hold even in branches not taken. */
    [[nodiscard]] inline ScriptError Fetch();
    /** Execute that instruction. @throws LargeElementError, scriptnum_error */
    [[nodiscard]] inline ScriptError Execute();
    /** After every instruction. */
    [[nodiscard]] ScriptError CheckStackSize() const
    {
        return m_stack.size() + m_altstack.size() > MAX_STACK_SIZE ? SCRIPT_ERR_STACK_SIZE : SCRIPT_ERR_OK;
    }
    [[nodiscard]] bool InConditional() const { return !m_conditions.empty(); }

private:
    ScriptStack& m_stack;
    ScriptStack m_altstack;
    ConditionStack m_conditions;
    const CScript& m_script;
    const SigVersion m_sigversion;
    ScriptRun& m_run;
    const script_verify_flags m_flags;
    const BaseSignatureChecker& m_checker;
    ScriptExecutionData& m_execdata;
    const bool m_require_minimal;
    const bool m_slhdsa_opcodes; //!< OP_CHECKSIGSLHDSA and OP_CHECKSIGADDSLHDSA exist

    CScript::const_iterator m_pc;              //!< behind the current instruction
    std::span<const uint8_t> m_data{};         //!< what it pushes
    bool m_executed{true};                     //!< false in a branch that is not taken
    CScript::const_iterator m_code_hash_begin; //!< where scriptCode begins: behind the last OP_CODESEPARATOR executed
    int m_op_count{0};

    // eval.cpp
    [[gnu::cold]] void Observe(size_t byte_offset) const;
    bool IsTapscript() const noexcept { return m_sigversion == SigVersion::TAPSCRIPT; }
    /** True if the stack is deep enough for an opcode. */
    bool HasOperands(opcodetype opcode) const noexcept { return m_stack.size() >= GetOperands(opcode).size(); }
    ScriptError OpIf(opcodetype opcode);
    ScriptError OpVerify();
    ScriptError OpCheckLockTimeVerify();
    ScriptError OpCheckSequenceVerify();

    // eval_stack.cpp
    ScriptError ExecuteStackOp(opcodetype opcode);
    ScriptError OpPickRoll(opcodetype opcode);

    // eval_numeric.cpp
    CScriptNum ReadNum(size_t position) const { return CScriptNum{m_stack.Read(position), m_require_minimal}; }
    ScriptError ExecuteUnaryNumericOp(opcodetype opcode);
    ScriptError ExecuteBinaryNumericOp(opcodetype opcode);
    ScriptError OpWithin();

    // eval_checksig.cpp
    ScriptError ExecuteHashOp(opcodetype opcode);
    CScript ScriptCode() const { return CScript{m_code_hash_begin, m_script.end()}; }
    ScriptError RemoveSignature(CScript& script_code, std::span<const uint8_t> sig) const;
    ScriptError CheckSig(std::span<const uint8_t> sig, std::span<const uint8_t> pubkey, bool& success);
    ScriptError CheckSigPreTapscript(std::span<const uint8_t> sig, std::span<const uint8_t> pubkey, bool& success);
    ScriptError CheckSigTapscript(std::span<const uint8_t> sig, std::span<const uint8_t> pubkey, bool& success);
    ScriptError SpendValidationWeight();
    ScriptError OpCheckSig(opcodetype opcode);
    ScriptError OpCheckSigAdd();
    ScriptError OpCheckMultiSig(opcodetype opcode);
    ScriptError OpCheckSigSLHDSA(opcodetype opcode);
};

} // namespace slhc

#endif // SLHCONSENSUS_SCRIPT_EVAL_H
