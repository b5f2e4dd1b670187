// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/eval.h>

#include <script/observer.h>
#include <util/check.h>

namespace slhc {

ScriptEvaluator::ScriptEvaluator(ScriptStack& stack, const CScript& script, SigVersion sigversion, ScriptRun& run)
    : m_stack{stack}
    , m_script{script}
    , m_sigversion{sigversion}
    , m_run{run}
    , m_flags{run.flags}
    , m_checker{run.checker}
    , m_execdata{run.execdata}
    , m_require_minimal{run.flags & SCRIPT_VERIFY_MINIMALDATA}
    , m_slhdsa_opcodes{sigversion == SigVersion::TAPSCRIPT && (run.flags & SCRIPT_VERIFY_SLHDSA)} // scope-tapscript
    , m_pc{script.begin()}
    , m_code_hash_begin{script.begin()}
{
    // Taproot's key path has no script.
    assert(sigversion == SigVersion::BASE || sigversion == SigVersion::WITNESS_V0 || sigversion == SigVersion::TAPSCRIPT);
    m_execdata.m_codeseparator_pos = 0xffffffff;
    m_execdata.m_opcode_pos = 0;
}

void ScriptEvaluator::Observe(size_t byte_offset) const
{
    m_run.observer->BeforeOpcode({
        .opcode_pos = m_execdata.m_opcode_pos,
        .byte_offset = byte_offset,
        .opcode = m_execdata.m_opcode,
        .data = m_data,
        .executed = m_executed,
        .stack = m_stack,
        .altstack = m_altstack,
        .validation_weight_left = m_execdata.m_validation_weight_left,
    });
}

inline ScriptError ScriptEvaluator::Fetch()
{
    m_executed = m_conditions.AllTrue();
    const auto byte_offset{static_cast<size_t>(m_pc - m_script.begin())};
    opcodetype& opcode{m_execdata.m_opcode};
    const bool decoded{m_script.GetOp(m_pc, opcode, m_data)};
    if (!decoded) return SCRIPT_ERR_BAD_OPCODE;
    if (m_run.observer) Observe(byte_offset);

    if (m_data.size() > MAX_SCRIPT_ELEMENT_SIZE) return SCRIPT_ERR_PUSH_SIZE; // limit-push
    // OP_RESERVED isn't counted.
    if (!IsTapscript() && opcode > OP_16 && ++m_op_count > MAX_OPS_PER_SCRIPT) return SCRIPT_ERR_OP_COUNT;
    // scope-legacy
    if (IsDisabledOpcode(opcode) && !(m_slhdsa_opcodes && IsSLHDSAOpcode(opcode))) return SCRIPT_ERR_DISABLED_OPCODE;
    if (opcode == OP_CODESEPARATOR && m_sigversion == SigVersion::BASE && (m_flags & SCRIPT_VERIFY_CONST_SCRIPTCODE)) {
        return SCRIPT_ERR_OP_CODESEPARATOR;
    }
    return SCRIPT_ERR_OK;
}

inline ScriptError ScriptEvaluator::Execute()
{
    const opcodetype opcode{m_execdata.m_opcode};
    if (opcode <= OP_PUSHDATA4) {
        if (!m_executed) return SCRIPT_ERR_OK;
        if (m_require_minimal && !CheckMinimalPush(m_data, opcode)) return SCRIPT_ERR_MINIMALDATA; // policy-minimaldata
        m_stack.Push(m_data);
        return SCRIPT_ERR_OK;
    }
    if (!m_executed && (opcode < OP_IF || opcode > OP_ENDIF)) return SCRIPT_ERR_OK; // opcode-unexecuted
    switch (opcode) {
    case OP_1NEGATE:
    case OP_1:
    case OP_2:
    case OP_3:
    case OP_4:
    case OP_5:
    case OP_6:
    case OP_7:
    case OP_8:
    case OP_9:
    case OP_10:
    case OP_11:
    case OP_12:
    case OP_13:
    case OP_14:
    case OP_15:
    case OP_16:
        m_stack.PushNum(CScriptNum{int64_t{opcode} - (OP_1 - 1)});
        return SCRIPT_ERR_OK;

    case OP_NOP:
        return SCRIPT_ERR_OK;
    case OP_CHECKLOCKTIMEVERIFY:
        return OpCheckLockTimeVerify();
    case OP_CHECKSEQUENCEVERIFY:
        return OpCheckSequenceVerify();
    case OP_NOP1:
    case OP_NOP4:
    case OP_NOP5:
    case OP_NOP6:
    case OP_NOP7:
    case OP_NOP8:
    case OP_NOP9:
    case OP_NOP10:
        return m_flags & SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_NOPS ? SCRIPT_ERR_DISCOURAGE_UPGRADABLE_NOPS : SCRIPT_ERR_OK;

    case OP_IF:
    case OP_NOTIF:
        return OpIf(opcode);
    case OP_ELSE:
        if (m_conditions.empty()) return SCRIPT_ERR_UNBALANCED_CONDITIONAL;
        m_conditions.ToggleTop();
        return SCRIPT_ERR_OK;
    case OP_ENDIF:
        if (m_conditions.empty()) return SCRIPT_ERR_UNBALANCED_CONDITIONAL;
        m_conditions.Pop();
        return SCRIPT_ERR_OK;
    case OP_VERIFY:
        return OpVerify();
    case OP_RETURN:
        return SCRIPT_ERR_OP_RETURN;

    case OP_TOALTSTACK:
    case OP_FROMALTSTACK:
    case OP_2DROP:
    case OP_2DUP:
    case OP_3DUP:
    case OP_2OVER:
    case OP_2ROT:
    case OP_2SWAP:
    case OP_IFDUP:
    case OP_DEPTH:
    case OP_DROP:
    case OP_DUP:
    case OP_NIP:
    case OP_OVER:
    case OP_PICK:
    case OP_ROLL:
    case OP_ROT:
    case OP_SWAP:
    case OP_TUCK:
    case OP_SIZE:
    case OP_EQUAL:
    case OP_EQUALVERIFY:
        return ExecuteStackOp(opcode);

    case OP_1ADD:
    case OP_1SUB:
    case OP_NEGATE:
    case OP_ABS:
    case OP_NOT:
    case OP_0NOTEQUAL:
        return ExecuteUnaryNumericOp(opcode);
    case OP_ADD:
    case OP_SUB:
    case OP_BOOLAND:
    case OP_BOOLOR:
    case OP_NUMEQUAL:
    case OP_NUMEQUALVERIFY:
    case OP_NUMNOTEQUAL:
    case OP_LESSTHAN:
    case OP_GREATERTHAN:
    case OP_LESSTHANOREQUAL:
    case OP_GREATERTHANOREQUAL:
    case OP_MIN:
    case OP_MAX:
        return ExecuteBinaryNumericOp(opcode);
    case OP_WITHIN:
        return OpWithin();

    case OP_RIPEMD160:
    case OP_SHA1:
    case OP_SHA256:
    case OP_HASH160:
    case OP_HASH256:
        return ExecuteHashOp(opcode);

    case OP_CODESEPARATOR:
        m_code_hash_begin = m_pc;
        m_execdata.m_codeseparator_pos = m_execdata.m_opcode_pos;
        return SCRIPT_ERR_OK;
    case OP_CHECKSIG:
    case OP_CHECKSIGVERIFY:
        return OpCheckSig(opcode);
    case OP_CHECKSIGADD:
        return OpCheckSigAdd();
    case OP_CHECKMULTISIG:
    case OP_CHECKMULTISIGVERIFY:
        return OpCheckMultiSig(opcode);
    case OP_CHECKSIGSLHDSA:
    case OP_CHECKSIGADDSLHDSA:
        return OpCheckSigSLHDSA(opcode);

    default:
        return SCRIPT_ERR_BAD_OPCODE;
    }
}

ScriptError ScriptEvaluator::OpIf(opcodetype opcode)
{
    bool value{false};
    if (m_executed) {
        if (!HasOperands(opcode)) return SCRIPT_ERR_INVALID_STACK_OPERATION;
        const auto condition{m_stack.Read(1)};
        const bool minimal{condition.empty() || (condition.size() == 1 && condition[0] == 1)};
        if (IsTapscript() && !minimal) return SCRIPT_ERR_TAPSCRIPT_MINIMALIF;
        if (m_sigversion == SigVersion::WITNESS_V0 && (m_flags & SCRIPT_VERIFY_MINIMALIF) && !minimal) return SCRIPT_ERR_MINIMALIF;
        value = CastToBool(condition) != (opcode == OP_NOTIF);
        m_stack.Drop();
    }
    m_conditions.Push(value);
    return SCRIPT_ERR_OK;
}

ScriptError ScriptEvaluator::OpVerify()
{
    if (!HasOperands(OP_VERIFY)) return SCRIPT_ERR_INVALID_STACK_OPERATION;
    if (!CastToBool(m_stack.Read(1))) return SCRIPT_ERR_VERIFY;
    m_stack.Drop();
    return SCRIPT_ERR_OK;
}

/** Lock times are 32 bits without a sign: as numbers of Script they need 5 bytes. */
static constexpr size_t LOCKTIME_MAX_SIZE{5};

ScriptError ScriptEvaluator::OpCheckLockTimeVerify()
{
    if (!(m_flags & SCRIPT_VERIFY_CHECKLOCKTIMEVERIFY)) return SCRIPT_ERR_OK; // it is OP_NOP2
    if (!HasOperands(OP_CHECKLOCKTIMEVERIFY)) return SCRIPT_ERR_INVALID_STACK_OPERATION;
    const CScriptNum lock_time{m_stack.Read(1), m_require_minimal, LOCKTIME_MAX_SIZE};
    if (lock_time.GetInt64() < 0) return SCRIPT_ERR_NEGATIVE_LOCKTIME;
    return m_checker.CheckLockTime(lock_time) ? SCRIPT_ERR_OK : SCRIPT_ERR_UNSATISFIED_LOCKTIME;
}

ScriptError ScriptEvaluator::OpCheckSequenceVerify()
{
    if (!(m_flags & SCRIPT_VERIFY_CHECKSEQUENCEVERIFY)) return SCRIPT_ERR_OK; // it is OP_NOP3
    if (!HasOperands(OP_CHECKSEQUENCEVERIFY)) return SCRIPT_ERR_INVALID_STACK_OPERATION;
    const CScriptNum sequence{m_stack.Read(1), m_require_minimal, LOCKTIME_MAX_SIZE};
    if (sequence.GetInt64() < 0) return SCRIPT_ERR_NEGATIVE_LOCKTIME;
    if (sequence.GetInt64() & CTxIn::SEQUENCE_LOCKTIME_DISABLE_FLAG) return SCRIPT_ERR_OK; // kept for soft forks
    return m_checker.CheckSequence(sequence) ? SCRIPT_ERR_OK : SCRIPT_ERR_UNSATISFIED_LOCKTIME;
}

bool EvalScript(ScriptStack& stack, const CScript& script, SigVersion sigversion, ScriptRun& run)
{
    if (run.observer) run.observer->BeginScript(script, sigversion, stack);
    ScriptEvaluator evaluator{stack, script, sigversion, run};
    bool ran{false};
    if (sigversion != SigVersion::TAPSCRIPT && script.size() > MAX_SCRIPT_SIZE) {
        run.Fail(SCRIPT_ERR_SCRIPT_SIZE, run.script);
    } else {
        ScriptError error{SCRIPT_ERR_OK};
        try {
            while (!evaluator.AtEnd()) {
                if (error = evaluator.Fetch(); error != SCRIPT_ERR_OK) break;
                if (error = evaluator.Execute(); error != SCRIPT_ERR_OK) break;
                if (error = evaluator.CheckStackSize(); error != SCRIPT_ERR_OK) break; // limit-stack
                ++run.execdata.m_opcode_pos;
            }
        } catch (const LargeElementError&) { // large-order
            error = SCRIPT_ERR_PUSH_SIZE;
        } catch (const scriptnum_error&) {
            error = SCRIPT_ERR_SCRIPTNUM;
        }
        if (error != SCRIPT_ERR_OK) {
            run.FailAtOpcode(error);
        } else if (evaluator.InConditional()) {
            run.Fail(SCRIPT_ERR_UNBALANCED_CONDITIONAL, run.script);
        } else {
            ran = run.Succeed();
        }
    }
    if (run.observer) run.observer->EndScript(run.failure.error, stack);
    return ran;
}

} // namespace slhc
