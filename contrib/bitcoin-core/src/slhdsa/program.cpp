// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <slhdsa/program.h>

#include <script/interpreter.h>
#include <script/script.h>

#include <cstddef>
#include <span>

namespace slhdsa {

namespace {

constexpr int P2MR_WITNESS_VERSION{2};
constexpr size_t P2MR_PROGRAM_SIZE{32};
constexpr int TAPROOT_WITNESS_VERSION{1};
constexpr opcodetype OP_CHECKSIGSLHDSA{static_cast<opcodetype>(0x7f)};
constexpr opcodetype OP_CHECKSIGADDSLHDSA{static_cast<opcodetype>(0x80)};

} // namespace

bool IsP2MR(int witversion, const std::vector<unsigned char>& program)
{
    return witversion == P2MR_WITNESS_VERSION && program.size() == P2MR_PROGRAM_SIZE;
}

bool IsP2MR(const CScript& script_pub_key)
{
    int witversion;
    std::vector<unsigned char> program;
    return script_pub_key.IsWitnessProgram(witversion, program) && IsP2MR(witversion, program);
}

bool HasOpcode(const CScript& tapscript)
{
    CScript::const_iterator pc{tapscript.begin()};
    opcodetype opcode;
    while (pc < tapscript.end() && tapscript.GetOp(pc, opcode)) {
        if (opcode == OP_CHECKSIGSLHDSA || opcode == OP_CHECKSIGADDSLHDSA) return true;
    }
    return false;
}

bool IsHandedOver(const CScript& script_pub_key, const CScriptWitness& witness, script_verify_flags flags)
{
    int witversion;
    std::vector<unsigned char> program;
    if (!script_pub_key.IsWitnessProgram(witversion, program)) return false;
    if (IsP2MR(witversion, program)) return bool{flags & SCRIPT_VERIFY_P2MR};

    if (witversion != TAPROOT_WITNESS_VERSION || program.size() != WITNESS_V1_TAPROOT_SIZE || !(flags & SCRIPT_VERIFY_SLHDSA)) return false;
    std::span stack{witness.stack};
    if (stack.size() >= 2 && !stack.back().empty() && stack.back()[0] == ANNEX_TAG) stack = stack.first(stack.size() - 1);
    if (stack.size() < 2) return false;
    const auto& leaf{stack[stack.size() - 2]};
    return HasOpcode(CScript(leaf.begin(), leaf.end()));
}

} // namespace slhdsa
