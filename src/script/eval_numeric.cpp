// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/eval.h>
#include <util/check.h>

#include <algorithm>

namespace slhc {

// Operands have 4 bytes at most: no result leaves the range of 64 bits.

ScriptError ScriptEvaluator::ExecuteUnaryNumericOp(opcodetype opcode)
{
    // x -- out
    if (!HasOperands(opcode)) return SCRIPT_ERR_INVALID_STACK_OPERATION;
    const int64_t x{ReadNum(1).GetInt64()};
    int64_t out{0};
    switch (opcode) {
    case OP_1ADD: out = x + 1; break;
    case OP_1SUB: out = x - 1; break;
    case OP_NEGATE: out = -x; break;
    case OP_ABS: out = x < 0 ? -x : x; break;
    case OP_NOT: out = x == 0; break;
    case OP_0NOTEQUAL: out = x != 0; break;
    default: assert(false);
    }
    m_stack.Drop();
    m_stack.PushNum(CScriptNum{out});
    return SCRIPT_ERR_OK;
}

ScriptError ScriptEvaluator::ExecuteBinaryNumericOp(opcodetype opcode)
{
    // x1 x2 -- out
    if (!HasOperands(opcode)) return SCRIPT_ERR_INVALID_STACK_OPERATION;
    // Both are read before either is decoded.
    const auto bytes1{m_stack.Read(2)};
    const auto bytes2{m_stack.Read(1)};
    const int64_t x1{CScriptNum{bytes1, m_require_minimal}.GetInt64()};
    const int64_t x2{CScriptNum{bytes2, m_require_minimal}.GetInt64()};
    int64_t out{0};
    switch (opcode) {
    case OP_ADD: out = x1 + x2; break;
    case OP_SUB: out = x1 - x2; break;
    case OP_BOOLAND: out = x1 != 0 && x2 != 0; break;
    case OP_BOOLOR: out = x1 != 0 || x2 != 0; break;
    case OP_NUMEQUAL:
    case OP_NUMEQUALVERIFY: out = x1 == x2; break;
    case OP_NUMNOTEQUAL: out = x1 != x2; break;
    case OP_LESSTHAN: out = x1 < x2; break;
    case OP_GREATERTHAN: out = x1 > x2; break;
    case OP_LESSTHANOREQUAL: out = x1 <= x2; break;
    case OP_GREATERTHANOREQUAL: out = x1 >= x2; break;
    case OP_MIN: out = std::min(x1, x2); break;
    case OP_MAX: out = std::max(x1, x2); break;
    default: assert(false);
    }
    m_stack.Drop(2);
    if (opcode == OP_NUMEQUALVERIFY) return out ? SCRIPT_ERR_OK : SCRIPT_ERR_NUMEQUALVERIFY;
    m_stack.PushNum(CScriptNum{out});
    return SCRIPT_ERR_OK;
}

ScriptError ScriptEvaluator::OpWithin()
{
    // x min max -- bool
    if (!HasOperands(OP_WITHIN)) return SCRIPT_ERR_INVALID_STACK_OPERATION;
    const auto x_bytes{m_stack.Read(3)};
    const auto min_bytes{m_stack.Read(2)};
    const auto max_bytes{m_stack.Read(1)};
    const CScriptNum x{x_bytes, m_require_minimal};
    const CScriptNum min{min_bytes, m_require_minimal};
    const CScriptNum max{max_bytes, m_require_minimal};
    m_stack.Drop(3);
    m_stack.PushBool(min <= x && x < max);
    return SCRIPT_ERR_OK;
}

} // namespace slhc
