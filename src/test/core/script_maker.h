// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_CORE_SCRIPT_MAKER_H
#define SLHCONSENSUS_TEST_CORE_SCRIPT_MAKER_H

#include <primitives/opcodes.h>
#include <test/core/choices.h>
#include <test/core/plan.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace slhc::test {

/** A stack opcode and its effect on the top elements, written down independently so that a wrong shuffle shows. */
struct StackOp {
    opcodetype opcode;
    size_t takes;
    std::vector<size_t> leaves; //!< indices of the elements taken, 0 the deepest
};
const std::vector<StackOp>& StackOps();

/** The rules by which a script is going to run. */
enum class Rules : uint8_t { LEGACY, V0, TAPSCRIPT };

/** Writes scripts into a plan: a row of snippets that each take their elements off the stack and leave nothing, then an end that decides.
 *  Most snippets are right, so that execution gets far; some are wrong in one of the ways that
 *  have a script error of their own; a few are noise. */
class ScriptMaker
{
public:
    /** @param slhdsa  also write OP_CHECKSIGSLHDSA and OP_CHECKSIGADDSLHDSA (in tapscript) */
    ScriptMaker(Plan& plan, Choices& choices, Rules rules, bool slhdsa = false)
        : m_plan{plan}, m_choices{choices}, m_rules{rules}, m_slhdsa{slhdsa} {}

    /** Write plan.script and plan.stack. */
    void Make();

private:
    Plan& m_plan;
    Choices& m_choices;
    const Rules m_rules;
    const bool m_slhdsa;
    bool m_has_slhdsa_opcode{false};
    bool m_executed{true};  //!< what is written now
    size_t m_separators{0}; //!< OP_CODESEPARATORs so far, and the last one of them that is executed
    size_t m_separator{0};
    size_t m_checks{0};     //!< signature checks so far, and the slots that they read
    size_t m_read{0};
    struct Fitted {
        size_t need;   //!< index of a need whose first element may have any size
        size_t checks; //!< signature checks that are paid for
    };
    std::optional<Fitted> m_fitted; //!< the snippet that spends the budget
    std::vector<std::vector<Piece>> m_needs; //!< the elements that each snippet finds on the stack

    void Op(opcodetype opcode);
    void Raw(std::span<const uint8_t> bytes);
    void Push(std::span<const uint8_t> data);
    void PushNumber(int64_t n);
    void PushSlot(int slot);
    /** Let the next snippet find these on the stack, the last on top. */
    void Need(std::vector<Piece> pieces);

    std::vector<uint8_t> SomeNumber();
    std::vector<uint8_t> SomeElement();
    PushForm SomeForm();
    uint8_t SomeHashType(bool schnorr);
    SigFlaw SomeFlaw(bool schnorr);
    std::vector<uint8_t> SomePubkey(size_t key);
    int NewSlot(size_t key);

    void Snippet(unsigned depth);
    void PushAndDrop();
    void Arithmetic();
    void Within();
    void HashAndCompare();
    void StackShuffle();
    void PickOrRoll();
    void AltStack();
    void Conditional(unsigned depth);
    void UnexecutedNoise();
    void LockTime();
    void CheckSig();
    void CheckSigInScript();
    void CheckMultiSig();
    void CheckSigAdd();

    // script_maker_slhdsa.cpp
    void SLHDSASnippet();
    void SLHDSAOp(bool add);
    int NewSLHDSASlot(size_t key);
    std::vector<uint8_t> SomeSLHDSAPubkey(size_t key);
    size_t SomeLargeSize();
    void CheckSigSLHDSA();
    void CheckSigAddSLHDSA();
    void LargeOperands();
    void LargeShuffle();
    void LargePickOrRoll();
    void SLHDSABudget();
    void FitBudget();
    void MentionSLHDSA();
    void SuccessOrTruncated();
    void LargeEnd();

    void Budget();
    void ManyOps();
    void ManyElements();
    void ManyBytes();
    void Noise();
    void End();
};

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_CORE_SCRIPT_MAKER_H
