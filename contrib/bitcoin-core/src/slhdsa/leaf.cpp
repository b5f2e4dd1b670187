// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <slhdsa/leaf.h>

#include <script/script.h>
#include <slhdsa/pubkey.h>

#include <algorithm>
#include <utility>

namespace {

struct Instruction {
    opcodetype opcode;
    std::vector<unsigned char> data;

    bool IsKey() const { return opcode == SLHDSAPubKey::SIZE; }
};

std::optional<std::vector<Instruction>> ReadInstructions(const CScript& script)
{
    std::vector<Instruction> instructions;
    CScript::const_iterator pc{script.begin()};
    while (pc != script.end()) {
        Instruction instruction;
        if (!script.GetOp(pc, instruction.opcode, instruction.data)) return std::nullopt;
        instructions.push_back(std::move(instruction));
    }
    return instructions;
}

class LeafParser
{
public:
    LeafParser(std::vector<Instruction> instructions, size_t max_elements) : m_instructions{std::move(instructions)}, m_max_elements{max_elements} {}

    std::optional<std::vector<SLHDSALeafCondition>> Parse()
    {
        while (m_pos < m_instructions.size()) {
            if (!Signatures() && !Preimage() && !Lock()) return std::nullopt;
        }
        if (!m_result) return std::nullopt;
        return std::move(m_conditions);
    }

private:
    //! The opcode at an offset from the current position.
    opcodetype Op(size_t offset = 0) const
    {
        return m_pos + offset < m_instructions.size() ? m_instructions[m_pos + offset].opcode : OP_INVALIDOPCODE;
    }

    std::optional<int64_t> Number(size_t offset) const
    {
        if (m_pos + offset >= m_instructions.size()) return std::nullopt;
        const auto& [opcode, data]{m_instructions[m_pos + offset]};
        if (opcode >= OP_1 && opcode <= OP_16) return CScript::DecodeOP_N(opcode);
        if (opcode > OP_PUSHDATA4 || !CheckMinimalPush(data, opcode)) return std::nullopt;
        try {
            return CScriptNum(data, /*fRequireMinimal=*/true, /*nMaxNumSize=*/5).GetInt64();
        } catch (const scriptnum_error&) {
            return std::nullopt;
        }
    }

    //! Take the instructions of a condition, and an OP_VERIFY that drops its result.
    bool Take(size_t instructions, bool verified, SLHDSALeafCondition&& condition)
    {
        m_pos += instructions;
        if (!verified && Op() == OP_VERIFY) {
            verified = true;
            ++m_pos;
        }
        m_elements += condition.checks.size() + (condition.type == SLHDSALeafCondition::Type::PREIMAGE);
        if (m_elements > m_max_elements) return false;
        const bool has_elements{condition.type == SLHDSALeafCondition::Type::SIGNATURES || condition.type == SLHDSALeafCondition::Type::PREIMAGE};
        // The result of an earlier condition lies above the elements of a later one.
        if (m_result && (has_elements || !verified)) return false;
        m_result |= !verified;
        m_conditions.push_back(std::move(condition));
        return true;
    }

    bool Signatures()
    {
        SLHDSALeafCondition condition{.type = SLHDSALeafCondition::Type::SIGNATURES};
        size_t n{0};
        if (Op() != SLHDSAPubKey::SIZE) return false;
        if (Op(1) != OP_CHECKSIG && Op(1) != OP_CHECKSIGVERIFY && Op(1) != OP_CHECKSIGSLHDSA) return false;
        const bool verify{Op(1) == OP_CHECKSIGVERIFY};
        do {
            condition.checks.push_back({m_instructions[m_pos + n].data, IsSLHDSAOpcode(Op(n + 1))});
            n += 2;
        } while (!verify && Op(n) == SLHDSAPubKey::SIZE && (Op(n + 1) == OP_CHECKSIGADD || Op(n + 1) == OP_CHECKSIGADDSLHDSA));

        condition.threshold = 1;
        const auto threshold{Number(n)};
        if (!verify && threshold && (Op(n + 1) == OP_NUMEQUAL || Op(n + 1) == OP_NUMEQUALVERIFY)) {
            if (*threshold < 0 || static_cast<uint64_t>(*threshold) > condition.checks.size()) return false;
            condition.threshold = *threshold;
            return Take(n + 2, Op(n + 1) == OP_NUMEQUALVERIFY, std::move(condition));
        }
        if (condition.checks.size() > 1) return false; // a count that nothing compares
        return Take(n, verify, std::move(condition));
    }

    bool Preimage()
    {
        SLHDSALeafCondition condition{.type = SLHDSALeafCondition::Type::PREIMAGE};
        // Miniscript's form, that allows 32 bytes only, or without it.
        size_t n{0};
        if (Op() == OP_SIZE && Number(1) == 32 && Op(2) == OP_EQUALVERIFY) n = 3;
        condition.hash_opcode = Op(n);
        const size_t hash_size(condition.hash_opcode == OP_SHA256 || condition.hash_opcode == OP_HASH256       ? 32 :
                               condition.hash_opcode == OP_RIPEMD160 || condition.hash_opcode == OP_HASH160 ? 20 :
                                                                                                               0);
        if (hash_size == 0 || Op(n + 1) != hash_size) return false;
        if (Op(n + 2) != OP_EQUAL && Op(n + 2) != OP_EQUALVERIFY) return false;
        condition.hash = m_instructions[m_pos + n + 1].data;
        return Take(n + 3, Op(n + 2) == OP_EQUALVERIFY, std::move(condition));
    }

    bool Lock()
    {
        SLHDSALeafCondition condition{.type = Op(1) == OP_CHECKLOCKTIMEVERIFY ? SLHDSALeafCondition::Type::AFTER : SLHDSALeafCondition::Type::OLDER};
        const auto number{Number(0)};
        if (!number || (Op(1) != OP_CHECKLOCKTIMEVERIFY && Op(1) != OP_CHECKSEQUENCEVERIFY)) return false;
        // Zero is no result that is true.
        if (*number <= 0) return false;
        condition.lock = *number;
        const bool drop{Op(2) == OP_DROP};
        return Take(drop ? 3 : 2, drop, std::move(condition));
    }

    const std::vector<Instruction> m_instructions;
    const size_t m_max_elements;
    size_t m_pos{0};
    size_t m_elements{0}; //!< that the conditions so far take
    bool m_result{false}; //!< whether the conditions so far leave a result on the stack
    std::vector<SLHDSALeafCondition> m_conditions;
};

} // namespace

std::optional<std::vector<SLHDSALeafCondition>> ParseSLHDSALeaf(const CScript& script, size_t max_elements)
{
    auto instructions{ReadInstructions(script)};
    if (!instructions || std::ranges::none_of(*instructions, IsSLHDSAOpcode, &Instruction::opcode)) return std::nullopt;
    return LeafParser{std::move(*instructions), max_elements}.Parse();
}

bool HasSLHDSAOpcode(const CScript& script)
{
    opcodetype opcode;
    for (CScript::const_iterator pc{script.begin()}; pc != script.end() && script.GetOp(pc, opcode);) {
        if (IsSLHDSAOpcode(opcode)) return true;
    }
    return false;
}
