// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_SCRIPT_OBSERVER_H
#define SLHCONSENSUS_SCRIPT_OBSERVER_H

#include <script/script.h>
#include <script/script_error.h>
#include <script/sighash.h>
#include <script/stack.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

/** A debugger's view of the interpreter. Nothing here can change a script's behaviour. */
namespace slhc {

/** The state before an instruction. All references and views are valid only during the call. */
struct EvalStep {
    uint32_t opcode_pos;              //!< index of the instruction in the script, counted in instructions
    size_t byte_offset;               //!< its first byte in the script
    opcodetype opcode;
    std::span<const uint8_t> data;    //!< what it pushes, if it is a push with data
    bool executed;                    //!< false in a branch not taken (where OP_IF and the like still take effect)
    const ScriptStack& stack;
    const ScriptStack& altstack;
    std::optional<int64_t> validation_weight_left; //!< in tapscript
};

class EvalObserver
{
public:
    virtual ~EvalObserver() = default;

    /** EvalScript starts. stack is the initial stack of the script. */
    virtual void BeginScript(const CScript& script, SigVersion sigversion, const ScriptStack& stack) = 0;
    /** An instruction was decoded and comes next. */
    virtual void BeforeOpcode(const EvalStep& step) = 0;
    /** EvalScript ends. error is SCRIPT_ERR_OK if the script ran to its end, whatever the stack holds. */
    virtual void EndScript(ScriptError error, const ScriptStack& stack) = 0;
};

/** The bytes of an element of any size, for display. Consensus code reads with ScriptStack::Read. */
[[nodiscard]] inline std::span<const uint8_t> PeekForDisplay(const StackElement& element) noexcept { return element.m_bytes; }
[[nodiscard]] inline std::span<const uint8_t> PeekForDisplay(const ScriptStack& stack, size_t position) noexcept
{
    return PeekForDisplay(stack.At(position));
}

} // namespace slhc

#endif // SLHCONSENSUS_SCRIPT_OBSERVER_H
