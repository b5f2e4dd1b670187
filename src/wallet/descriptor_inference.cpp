// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <wallet/descriptor_inference.h>

#include <script/opcodes.h>
#include <script/p2mr.h>
#include <script/script.h>
#include <script/verify_flags.h>
#include <util/check.h>
#include <util/hex.h>
#include <wallet/descriptor_error.h>
#include <wallet/key_type.h>
#include <wallet/leaf_recipe.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace slhc::wallet {
namespace {

struct Instruction {
    opcodetype opcode;
    std::span<const uint8_t> data;
};

/** Reads a leaf script as the expressions of leaf_expression.h make it. What comes out has to be parsed and compared with the script:
 *  a number in another encoding, for one, reads the same here. */
class LeafReader
{
public:
    explicit LeafReader(const CScript& script)
    {
        for (auto pc{script.begin()}; pc != script.end();) {
            Instruction instruction{};
            if (!script.GetOp(pc, instruction.opcode, instruction.data)) break;
            m_instructions.push_back(instruction);
        }
    }

    /** The leaf's text; nothing if the script is not such a one. */
    std::optional<std::string> Read()
    {
        std::vector<std::string> parts;
        bool verified{true};
        while (m_position < m_instructions.size()) {
            if (!verified) return std::nullopt; // its result lies in the way of what follows
            if (parts.size() == MAX_LEAF_DEPTH) return std::nullopt; // each is within the one before
            const auto part{Part(verified)};
            if (!part) return std::nullopt;
            parts.push_back(*part);
        }
        if (verified) return std::nullopt;
        std::string text;
        for (size_t i = 0; i + 1 < parts.size(); ++i) text += "and_v(v:" + parts[i] + ",";
        return text + parts.back() + std::string(parts.size() - 1, ')');
    }

    /** Where it stopped, for a message. */
    [[nodiscard]] std::string Here() const
    {
        if (m_position >= m_instructions.size()) return "its end";
        return std::string{GetTapscriptOpName(m_instructions[m_position].opcode, SCRIPT_VERIFY_SLHDSA)} + " (instruction " +
               std::to_string(m_position) + ")";
    }

private:
    opcodetype Opcode(size_t ahead = 0) const
    {
        return m_position + ahead < m_instructions.size() ? m_instructions[m_position + ahead].opcode : OP_INVALIDOPCODE;
    }
    std::span<const uint8_t> Data(size_t ahead) const
    {
        return m_position + ahead < m_instructions.size() ? m_instructions[m_position + ahead].data : std::span<const uint8_t>{};
    }
    std::optional<int64_t> Number() const
    {
        if (Opcode() >= OP_1 && Opcode() <= OP_16) return CScript::DecodeOP_N(Opcode());
        if (Opcode() > OP_PUSHDATA4) return std::nullopt;
        try {
            return CScriptNum{Data(0), /*require_minimal=*/true}.GetInt64();
        } catch (const scriptnum_error&) {
            return std::nullopt;
        }
    }

    std::optional<std::string> Part(bool& verified)
    {
        verified = false;
        std::optional<std::string> text{Keys(verified)};
        if (!text) text = Preimage(verified);
        if (!text) text = LockTime();
        if (text && !verified && Opcode() == OP_VERIFY) {
            verified = true;
            ++m_position;
        }
        return text;
    }

    std::optional<std::string> Keys(bool& verified)
    {
        const auto type{CheckedKeyType(Opcode(1))};
        if (Data(0).size() != PublicKey{}.size() || !type || IsCountingCheck(Opcode(1))) return std::nullopt;
        std::string keys{HexStr(Data(0))};
        verified = Opcode(1) == OP_CHECKSIGVERIFY;
        m_position += 2;
        const char* const single{*type == KeyType::SLHDSA ? "pk_slhdsa(" : "pk("};
        if (verified) return single + keys + ")";
        while (Data(0).size() == PublicKey{}.size() && IsCountingCheck(Opcode(1)) && CheckedKeyType(Opcode(1)) == type) {
            keys += "," + HexStr(Data(0));
            m_position += 2;
        }
        const auto threshold{Number()};
        if (!threshold || (Opcode(1) != OP_NUMEQUAL && Opcode(1) != OP_NUMEQUALVERIFY)) {
            return keys.size() == 2 * PublicKey{}.size() ? std::optional{single + keys + ")"} : std::nullopt;
        }
        verified = Opcode(1) == OP_NUMEQUALVERIFY;
        m_position += 2;
        return (*type == KeyType::SLHDSA ? "multi_slhdsa(" : "multi_a(") + std::to_string(*threshold) + "," + keys + ")";
    }

    std::optional<std::string> Preimage(bool& verified)
    {
        if (Opcode() != OP_SIZE || Opcode(2) != OP_EQUALVERIFY || Opcode(3) != OP_SHA256) return std::nullopt;
        if (Opcode(5) != OP_EQUAL && Opcode(5) != OP_EQUALVERIFY) return std::nullopt;
        verified = Opcode(5) == OP_EQUALVERIFY;
        std::string text{"sha256(" + HexStr(Data(4)) + ")"};
        m_position += 6;
        return text;
    }

    std::optional<std::string> LockTime()
    {
        const auto number{Number()};
        const bool older{Opcode(1) == OP_CHECKSEQUENCEVERIFY};
        if (!number || (!older && Opcode(1) != OP_CHECKLOCKTIMEVERIFY)) return std::nullopt;
        m_position += 2;
        return (older ? "older(" : "after(") + std::to_string(*number) + ")";
    }

    std::vector<Instruction> m_instructions;
    size_t m_position{0};
};

/** The expression of a leaf. */
std::optional<std::string> InferLeaf(const ScriptTree::Leaf& leaf, std::string& why_not)
{
    if (leaf.version != TAPROOT_LEAF_TAPSCRIPT) {
        why_not = "its leaf version is not 0xc0";
        return std::nullopt;
    }
    LeafReader reader{leaf.script};
    const auto text{reader.Read()};
    if (!text) {
        why_not = "no expression makes its script, from " + reader.Here() + " on";
        return std::nullopt;
    }
    try {
        // Two leaves, since a single one is refused for another reason.
        const auto output{Descriptor::Parse("mr({" + *text + "," + *text + "})").Output()};
        if (output.leaves[0].leaf.script == leaf.script) return text;
        why_not = "its script is not quite that of " + *text;
    } catch (const DescriptorError& e) {
        why_not = e.Problem();
    }
    return std::nullopt;
}

} // namespace

std::string TreeText(const ScriptTree& tree, std::span<const std::string> leaves)
{
    assert(leaves.size() == tree.Leaves().size());
    // The depths of a tree's leaves, from left to right, determine its shape.
    std::string text;
    std::vector<bool> right_side; // for each open branch: whether its left side is done
    for (size_t i = 0; i < leaves.size(); ++i) {
        while (right_side.size() < tree.Leaves()[i].Depth()) {
            text += "{";
            right_side.push_back(false);
        }
        text += leaves[i];
        while (!right_side.empty() && right_side.back()) {
            text += "}";
            right_side.pop_back();
        }
        if (!right_side.empty()) {
            text += ",";
            right_side.back() = true;
        }
    }
    return text;
}

std::optional<Descriptor> InferDescriptor(const ScriptTree& tree, std::string& why_not)
{
    if (tree.Leaves().size() == 1) {
        why_not = SINGLE_LEAF_PROBLEM;
        return std::nullopt;
    }
    std::vector<std::string> leaves;
    for (const auto& leaf : tree.Leaves()) {
        std::string problem;
        const auto text{InferLeaf(leaf, problem)};
        if (!text) {
            why_not = "leaf " + std::to_string(leaves.size()) + ": " + problem;
            return std::nullopt;
        }
        leaves.push_back(*text);
    }
    try {
        auto descriptor{Descriptor::Parse("mr(" + TreeText(tree, leaves) + ")")};
        assert(descriptor.Output().tree->Root() == tree.Root());
        return descriptor;
    } catch (const DescriptorError& e) {
        why_not = e.Problem(); // more leaves, or more text, than a descriptor may have
        return std::nullopt;
    }
}

} // namespace slhc::wallet
