// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/eval.h>
#include <util/check.h>

#include <algorithm>

namespace slhc {

// large-operands: m_stack refuses to read a large element, here and in every other opcode.
ScriptError ScriptEvaluator::ExecuteStackOp(opcodetype opcode)
{
    if (!HasOperands(opcode)) return SCRIPT_ERR_INVALID_STACK_OPERATION;

    switch (opcode) {
    // Moves: the element goes from one place to another, whatever its size.
    case OP_DROP: // x --
        m_stack.Drop();
        return SCRIPT_ERR_OK;
    case OP_2DROP: // x1 x2 --
        m_stack.Drop(2);
        return SCRIPT_ERR_OK;
    case OP_NIP: // x1 x2 -- x2
        (void)m_stack.Move(2);
        return SCRIPT_ERR_OK;
    case OP_SWAP: // x1 x2 -- x2 x1
        m_stack.Swap(2, 1);
        return SCRIPT_ERR_OK;
    case OP_ROT: // x1 x2 x3 -- x2 x3 x1
        m_stack.Swap(3, 2);
        m_stack.Swap(2, 1);
        return SCRIPT_ERR_OK;
    case OP_2SWAP: // x1 x2 x3 x4 -- x3 x4 x1 x2
        m_stack.Swap(4, 2);
        m_stack.Swap(3, 1);
        return SCRIPT_ERR_OK;
    case OP_2ROT: // x1 x2 x3 x4 x5 x6 -- x3 x4 x5 x6 x1 x2
        m_stack.Push(m_stack.Move(6));
        m_stack.Push(m_stack.Move(6));
        return SCRIPT_ERR_OK;
    case OP_TOALTSTACK:
        m_altstack.Push(m_stack.Move(1));
        return SCRIPT_ERR_OK;
    case OP_FROMALTSTACK:
        if (m_altstack.empty()) return SCRIPT_ERR_INVALID_ALTSTACK_OPERATION;
        m_stack.Push(m_altstack.Move(1));
        return SCRIPT_ERR_OK;

    // Copies: all copied elements are read before anything is pushed.
    case OP_DUP: // x -- x x
        m_stack.Push(m_stack.Read(1));
        return SCRIPT_ERR_OK;
    case OP_IFDUP: { // x -- x x, or 0 -- 0
        const auto x{m_stack.Read(1)};
        if (CastToBool(x)) m_stack.Push(x);
        return SCRIPT_ERR_OK;
    }
    case OP_OVER: // x1 x2 -- x1 x2 x1
        m_stack.Push(m_stack.Read(2));
        return SCRIPT_ERR_OK;
    case OP_TUCK: { // x1 x2 -- x2 x1 x2
        StackElement x2{m_stack.Read(1)};
        m_stack.Push(m_stack.Move(2));
        m_stack.Push(std::move(x2));
        return SCRIPT_ERR_OK;
    }
    case OP_2DUP: { // x1 x2 -- x1 x2 x1 x2
        StackElement x1{m_stack.Read(2)};
        StackElement x2{m_stack.Read(1)};
        m_stack.Push(std::move(x1));
        m_stack.Push(std::move(x2));
        return SCRIPT_ERR_OK;
    }
    case OP_3DUP: { // x1 x2 x3 -- x1 x2 x3 x1 x2 x3
        StackElement x1{m_stack.Read(3)};
        StackElement x2{m_stack.Read(2)};
        StackElement x3{m_stack.Read(1)};
        m_stack.Push(std::move(x1));
        m_stack.Push(std::move(x2));
        m_stack.Push(std::move(x3));
        return SCRIPT_ERR_OK;
    }
    case OP_2OVER: { // x1 x2 x3 x4 -- x1 x2 x3 x4 x1 x2
        StackElement x1{m_stack.Read(4)};
        StackElement x2{m_stack.Read(3)};
        m_stack.Push(std::move(x1));
        m_stack.Push(std::move(x2));
        return SCRIPT_ERR_OK;
    }
    case OP_PICK:
    case OP_ROLL:
        return OpPickRoll(opcode);

    // Looks
    case OP_DEPTH: // -- size of the stack
        m_stack.PushNum(CScriptNum{static_cast<int64_t>(m_stack.size())});
        return SCRIPT_ERR_OK;
    case OP_SIZE: // x -- x size of x; a length is no copy, so x may be large
        m_stack.PushNum(CScriptNum{static_cast<int64_t>(m_stack.SizeOf(1))});
        return SCRIPT_ERR_OK;
    case OP_EQUAL: // x1 x2 -- bool
    case OP_EQUALVERIFY: {
        const auto x1{m_stack.Read(2)};
        const auto x2{m_stack.Read(1)};
        const bool equal{std::equal(x1.begin(), x1.end(), x2.begin(), x2.end())};
        m_stack.Drop(2);
        if (opcode == OP_EQUALVERIFY) return equal ? SCRIPT_ERR_OK : SCRIPT_ERR_EQUALVERIFY;
        m_stack.PushBool(equal);
        return SCRIPT_ERR_OK;
    }
    default:
        assert(false);
        return SCRIPT_ERR_UNKNOWN_ERROR;
    }
}

/** OP_PICK: xn ... x1 x0 n -- xn ... x1 x0 xn. OP_ROLL: xn ... x1 x0 n -- ... x1 x0 xn. */
ScriptError ScriptEvaluator::OpPickRoll(opcodetype opcode)
{
    const int n{ReadNum(1).getint()};
    m_stack.Drop();
    if (n < 0 || static_cast<size_t>(n) >= m_stack.size()) return SCRIPT_ERR_INVALID_STACK_OPERATION;
    const auto position{static_cast<size_t>(n) + 1};
    m_stack.Push(opcode == OP_ROLL ? m_stack.Move(position) : StackElement{m_stack.Read(position)}); // large-pick-roll
    return SCRIPT_ERR_OK;
}

} // namespace slhc
