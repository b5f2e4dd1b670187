// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <wallet/leaf_recipe.h>

#include <crypto/sha256.h>
#include <script/opcode_info.h>
#include <script/script.h>
#include <script/verify_flags.h>
#include <util/counted.h>
#include <util/hex.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace slhc::wallet {
namespace {

constexpr size_t PREIMAGE_SIZE{32}; //!< that miniscript allows

struct Instruction {
    opcodetype opcode{OP_INVALIDOPCODE}; //!< of what is no instruction, and behind the last one
    std::span<const uint8_t> data{};
    CScript::const_iterator end{};

    [[nodiscard]] bool IsPush() const { return opcode <= OP_16 && opcode != OP_RESERVED; }
    [[nodiscard]] bool IsLockTimeCheck() const { return opcode == OP_CHECKLOCKTIMEVERIFY || opcode == OP_CHECKSEQUENCEVERIFY; }
    [[nodiscard]] std::optional<int64_t> Number() const
    {
        if (opcode >= OP_1 && opcode <= OP_16) return CScript::DecodeOP_N(opcode);
        if (opcode > OP_PUSHDATA4) return std::nullopt;
        try {
            return CScriptNum{data, /*require_minimal=*/true}.GetInt64();
        } catch (const scriptnum_error&) {
            return std::nullopt;
        }
    }
    [[nodiscard]] std::string Name() const
    {
        if (opcode > OP_0 && opcode <= OP_PUSHDATA4) return "<" + HexStr(data) + ">";
        return std::string{GetTapscriptOpName(opcode, SCRIPT_VERIFY_SLHDSA)};
    }
};

/** Reads a script from left to right, and stops where it does not know what stands there: a PSBT may have one of any size. */
class RecipeReader
{
public:
    explicit RecipeReader(const CScript& script) : m_script{script}, m_pc{script.begin()} { Load(); }

    LeafRecipe Read()
    {
        while (m_pc != m_script.end() && m_recipe.unknown.empty()) ReadOne();
        if (!m_result) m_recipe.conditions.emplace_back(LeafTrue{});
        return std::move(m_recipe);
    }

private:
    /** Decode what comes next. */
    void Load()
    {
        auto pc{m_pc};
        for (auto& instruction : m_next) {
            instruction = {};
            if (pc == m_script.end()) return;
            if (!m_script.GetOp(pc, instruction.opcode, instruction.data)) {
                instruction = {};
                return;
            }
            instruction.end = pc;
        }
    }

    void Advance(size_t n)
    {
        m_pc = m_next[n - 1].end;
        m_position += n;
        Load();
    }

    void SetUnknown(const std::string& what) { m_recipe.unknown = what + " (instruction " + std::to_string(m_position) + ")"; }

    /** Do a push of a key and a check of a signature by it come next? */
    [[nodiscard]] bool ChecksKey() const
    {
        const auto type{CheckedKeyType(m_next[1].opcode)};
        return type && IsKey(*type, m_next[0].data);
    }

    /** The next condition is satisfied from the initial stack, on which nothing may lie that the script has put there. */
    bool Begin()
    {
        if (m_result) SetUnknown("a condition on top of the result of the one before it");
        return !m_result;
    }

    void ReadOne()
    {
        const auto& [first, second, third, fourth]{m_next};
        if (ChecksKey() && !IsCountingCheck(second.opcode)) {
            if (Begin()) ReadSignatures();
        } else if (first.opcode == OP_SIZE && second.Number() == int64_t{PREIMAGE_SIZE} && third.opcode == OP_EQUALVERIFY &&
                   fourth.opcode == OP_SHA256) { // miniscript's
            m_preimage_of_32_bytes = true;
            Advance(3);
        } else if (first.opcode == OP_SHA256 && second.data.size() == CSHA256::OUTPUT_SIZE &&
                   (third.opcode == OP_EQUALVERIFY || third.opcode == OP_EQUAL)) {
            if (!Begin()) return;
            m_recipe.conditions.emplace_back(LeafPreimage{{second.data.begin(), second.data.end()}, m_preimage_of_32_bytes});
            m_preimage_of_32_bytes = false;
            m_result = third.opcode == OP_EQUAL;
            Count(1);
            Advance(3);
        } else if (first.IsPush() && second.IsLockTimeCheck() && third.opcode == OP_DROP) {
            Advance(3);
        } else if (first.Number().value_or(0) != 0 && second.IsLockTimeCheck()) {
            if (!Begin()) return;
            m_result = true; // the number, which is true
            Advance(2);
        } else if (first.opcode == OP_VERIFY && m_result) {
            m_result = false;
            Advance(1);
        } else if (first.opcode >= OP_1 && first.opcode <= OP_16) {
            if (!Begin()) return;
            m_result = true;
            Advance(1);
        } else {
            SetUnknown(first.opcode == OP_INVALIDOPCODE ? "what cannot be decoded" : first.Name());
        }
    }

    void ReadSignatures()
    {
        LeafSignatures signatures{{}, 1};
        opcodetype last;
        do {
            last = m_next[1].opcode;
            signatures.keys.push_back({{m_next[0].data.begin(), m_next[0].data.end()}, *CheckedKeyType(last)});
            Count(1);
            Advance(2);
        } while (last != OP_CHECKSIGVERIFY && ChecksKey() && IsCountingCheck(m_next[1].opcode) && m_recipe.unknown.empty());
        const auto& [number, compare, third, fourth]{m_next};
        const bool compared{compare.opcode == OP_NUMEQUAL || compare.opcode == OP_NUMEQUALVERIFY};
        if (const auto needed{last != OP_CHECKSIGVERIFY && compared ? number.Number() : std::nullopt}) {
            if (*needed < 0 || static_cast<uint64_t>(*needed) > signatures.keys.size()) {
                return SetUnknown(std::to_string(*needed) + " of " + std::to_string(signatures.keys.size()) + " signatures");
            }
            signatures.needed = static_cast<size_t>(*needed);
            last = compare.opcode;
            Advance(2);
        } else if (signatures.keys.size() > 1) {
            return SetUnknown("a count of signatures that no number and OP_NUMEQUAL follow");
        }
        m_recipe.conditions.emplace_back(std::move(signatures));
        m_result = last != OP_CHECKSIGVERIFY && last != OP_NUMEQUALVERIFY;
    }

    /** The script takes more elements off the initial stack. */
    void Count(size_t n)
    {
        m_elements += n;
        if (m_elements > MAX_STACK_SIZE) SetUnknown("more than " + std::to_string(MAX_STACK_SIZE) + " stack elements");
    }

    const CScript& m_script;
    CScript::const_iterator m_pc;
    std::array<Instruction, 4> m_next; //!< from m_pc on
    size_t m_position{0};              //!< of the instruction at m_pc
    size_t m_elements{0};
    bool m_result{false};              //!< what was read last has left one element on the stack
    bool m_preimage_of_32_bytes{false};
    LeafRecipe m_recipe;
};

/** Collects a stack, in the order in which the script takes its elements. */
class Satisfier
{
public:
    Satisfier(const FindSignature& signature, const FindPreimage& preimage) : m_signature{signature}, m_preimage{preimage} {}

    void operator()(const LeafSignatures& signatures)
    {
        std::vector<LeafElement> elements(signatures.keys.size()); // an empty one is no signature
        std::vector<std::pair<size_t, size_t>> found;              // sizes and numbers
        for (size_t i = 0; i < elements.size(); ++i) {
            const LeafKey& key{signatures.keys[i]};
            auto signature{m_signature(key)};
            if (!signature) continue;
            found.emplace_back(signature->empty() ? SignatureSize(key.type, key.public_key) : signature->size(), i);
            elements[i] = {*std::move(signature), key};
        }
        std::ranges::sort(found);
        for (size_t i = signatures.needed; i < found.size(); ++i) elements[found[i].second] = {};
        std::ranges::move(elements, std::back_inserter(m_stack.elements));
        if (found.size() >= signatures.needed) return;
        if (signatures.keys.size() == 1) {
            const LeafKey& key{signatures.keys[0]};
            Lacks("a signature by the " + KeyTypeName(key.type, key.public_key) + " key " + HexStr(key.public_key));
        } else {
            Lacks(Counted(signatures.needed, "signature") + ", but has " + std::to_string(found.size()));
        }
    }

    void operator()(const LeafPreimage& wanted)
    {
        auto preimage{m_preimage(wanted.hash)};
        if (wanted.of_32_bytes && preimage && preimage->size() != PREIMAGE_SIZE) preimage.reset();
        if (!preimage) Lacks("the preimage of " + HexStr(wanted.hash));
        m_stack.elements.push_back({std::move(preimage).value_or(std::vector<uint8_t>{}), {}});
    }

    void operator()(const LeafTrue&) { m_stack.elements.push_back({{1}, {}}); }

    LeafStack Finish()
    {
        std::ranges::reverse(m_stack.elements); // what the script takes first lies on top
        return std::move(m_stack);
    }

private:
    void Lacks(const std::string& what) { m_stack.missing += (m_stack.missing.empty() ? "needs " : ", and ") + what; }

    const FindSignature& m_signature;
    const FindPreimage& m_preimage;
    LeafStack m_stack;
};

} // namespace

std::optional<KeyType> CheckedKeyType(opcodetype opcode) noexcept
{
    switch (opcode) {
    case OP_CHECKSIG:
    case OP_CHECKSIGVERIFY:
    case OP_CHECKSIGADD:
        return KeyType::SCHNORR;
    case OP_CHECKSIGSLHDSA:
    case OP_CHECKSIGADDSLHDSA:
        return KeyType::SLHDSA;
    default:
        return std::nullopt;
    }
}

bool ChecksKeyOfOtherSet(const CScript& script)
{
    std::span<const uint8_t> pushed, data;
    opcodetype opcode;
    for (auto pc{script.begin()}; script.GetOp(pc, opcode, data); pushed = data) {
        if (CheckedKeyType(opcode) != KeyType::SLHDSA) continue;
        if (const auto set{SetOfKey(pushed)}; set && *set != slhdsa::ParameterSet::SHA2_128S) return true;
    }
    return false;
}

bool IsCountingCheck(opcodetype opcode) noexcept
{
    return opcode == OP_CHECKSIGADD || opcode == OP_CHECKSIGADDSLHDSA;
}

LeafRecipe ReadLeafRecipe(const CScript& leaf_script)
{
    return RecipeReader{leaf_script}.Read();
}

LeafStack SatisfyLeaf(const LeafRecipe& recipe, const FindSignature& signature, const FindPreimage& preimage)
{
    Satisfier satisfier{signature, preimage};
    for (const auto& condition : recipe.conditions) std::visit(satisfier, condition);
    return satisfier.Finish();
}

} // namespace slhc::wallet
