// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/witness_plan.h>

#include <crypto/sha256.h>
#include <script/interpreter.h>
#include <script/script.h>
#include <script/sighash.h>
#include <tool/asm.h>
#include <tool/error.h>
#include <tool/input.h>
#include <util/hex.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <variant>

namespace slhc::tool {
namespace {

struct Instruction {
    opcodetype opcode;
    std::span<const uint8_t> data;

    bool IsKey() const { return data.size() == ANY_PUBLIC_KEY_SIZE; }
};

std::vector<Instruction> Decode(const CScript& script)
{
    std::vector<Instruction> instructions;
    auto pc{script.begin()};
    while (pc != script.end()) {
        Instruction instruction{};
        if (!script.GetOp(pc, instruction.opcode, instruction.data)) throw InputError{"cannot be decoded"};
        instructions.push_back(instruction);
    }
    return instructions;
}

/** A signature that a script checks. */
struct Check {
    std::vector<uint8_t> public_key;
    KeyType type;
};

/** Signatures that a script takes: `needed` of these. */
struct Signatures {
    std::vector<Check> checks;
    size_t needed;
};

/** The preimage of this hash. */
struct Preimage {
    std::vector<uint8_t> hash;
};

/** A leaf script that is made of conditions that all must hold. */
struct Recipe {
    std::vector<std::variant<Signatures, Preimage>> conditions; //!< that take something off the initial stack, in their order
    std::string unknown; //!< the instruction that is none of this; empty: there is none
    std::string never;   //!< why nobody can ever satisfy it; empty: somebody may
};

class RecipeReader
{
public:
    explicit RecipeReader(const CScript& script) : m_instructions{Decode(script)} {}

    Recipe Read()
    {
        while (!AtEnd() && m_recipe.unknown.empty() && m_recipe.never.empty()) ReadOne();
        if (m_recipe.unknown.empty() && m_recipe.never.empty() && m_results != 1) {
            m_recipe.never = "it ends with " + std::to_string(m_results) + " results, but must end with one: nobody can ever spend it";
        }
        return std::move(m_recipe);
    }

private:
    bool AtEnd() const { return m_position >= m_instructions.size(); }
    const Instruction& At(size_t ahead) const { return m_instructions[m_position + ahead]; }
    const Instruction& Here() const { return At(0); }
    template <typename F>
    bool Matches(size_t ahead, F&& f) const
    {
        return m_position + ahead < m_instructions.size() && f(At(ahead));
    }

    void ReadOne()
    {
        if (Here().IsKey() && Matches(1, [](const Instruction& i) { return CheckedKeyType(i.opcode) && !IsCountingCheck(i.opcode); })) {
            ReadSignatures();
        } else if (Here().opcode == OP_SHA256 && Matches(1, [](const Instruction& i) { return i.data.size() == CSHA256::OUTPUT_SIZE; }) &&
                   Matches(2, [](const Instruction& i) { return i.opcode == OP_EQUALVERIFY || i.opcode == OP_EQUAL; })) {
            Take(Preimage{{At(1).data.begin(), At(1).data.end()}});
            m_results += At(2).opcode == OP_EQUAL;
            m_position += 3;
        } else if (LockTime()) {
            m_position += 3;
        } else if (Here().opcode == OP_VERIFY && m_results > 0) {
            --m_results;
            ++m_position;
        } else if (Here().opcode >= OP_1 && Here().opcode <= OP_16) {
            ++m_results;
            ++m_position;
        } else {
            m_recipe.unknown = FormatInstruction(Here().opcode, Here().data) + " (instruction " + std::to_string(m_position) + ")";
        }
    }

    /** n OP_CHECKLOCKTIMEVERIFY OP_DROP, or OP_CHECKSEQUENCEVERIFY. */
    bool LockTime() const
    {
        return Here().opcode <= OP_16 &&
               Matches(1, [](const Instruction& i) { return i.opcode == OP_CHECKLOCKTIMEVERIFY || i.opcode == OP_CHECKSEQUENCEVERIFY; }) &&
               Matches(2, [](const Instruction& i) { return i.opcode == OP_DROP; });
    }

    /** The script takes something that must not be the result of what came before. */
    template <typename Condition>
    void Take(Condition condition)
    {
        if (m_results > 0) {
            m_recipe.never = "instruction " + std::to_string(m_position) +
                             " takes the result of the condition before it, which OP_VERIFY must drop first: nobody can ever spend it";
        }
        m_recipe.conditions.emplace_back(std::move(condition));
    }

    void ReadSignatures()
    {
        Signatures signatures{{}, 1};
        opcodetype last;
        const size_t begin{m_position};
        do {
            last = At(1).opcode;
            signatures.checks.push_back({{Here().data.begin(), Here().data.end()}, *CheckedKeyType(last)});
            m_position += 2;
        } while (!AtEnd() && Here().IsKey() && Matches(1, [](const Instruction& i) { return IsCountingCheck(i.opcode); }));
        if (signatures.checks.size() > 1) {
            const auto threshold{Threshold(signatures.checks.size())};
            if (!threshold) return;
            signatures.needed = *threshold;
            last = At(1).opcode;
            m_position += 2;
        }
        const size_t end{std::exchange(m_position, begin)};
        Take(std::move(signatures));
        m_position = end;
        m_results += last != OP_CHECKSIGVERIFY && last != OP_NUMEQUALVERIFY;
    }

    /** k OP_NUMEQUAL, or OP_NUMEQUALVERIFY: how many of n signatures there must be. */
    std::optional<size_t> Threshold(size_t n)
    {
        const auto number{AtEnd() ? std::nullopt : Number(Here())};
        if (!number || !Matches(1, [](const Instruction& i) { return i.opcode == OP_NUMEQUAL || i.opcode == OP_NUMEQUALVERIFY; })) {
            m_recipe.unknown = "a count of signatures that no number and OP_NUMEQUAL follow";
            return std::nullopt;
        }
        if (*number < 0 || static_cast<uint64_t>(*number) > n) {
            m_recipe.never = std::to_string(*number) + " of " + std::to_string(n) + " signatures is impossible";
            return std::nullopt;
        }
        return static_cast<size_t>(*number);
    }

    static std::optional<int64_t> Number(const Instruction& instruction)
    {
        if (instruction.opcode >= OP_1 && instruction.opcode <= OP_16) return CScript::DecodeOP_N(instruction.opcode);
        if (instruction.opcode > OP_PUSHDATA4) return std::nullopt;
        try {
            return CScriptNum{instruction.data, /*require_minimal=*/true}.GetInt64();
        } catch (const scriptnum_error&) {
            return std::nullopt;
        }
    }

    const std::vector<Instruction> m_instructions;
    size_t m_position{0};
    size_t m_results{0}; //!< what conditions have left on the stack
    Recipe m_recipe;
};

class Planner
{
public:
    Planner(std::span<const std::shared_ptr<const KeyPair>> keys, std::span<const std::vector<uint8_t>> preimages)
        : m_keys{keys}, m_preimages{preimages} {}

    void operator()(const Signatures& signatures)
    {
        size_t found{0};
        for (const auto& [public_key, type] : signatures.checks) {
            WitnessElement element;
            if (found < signatures.needed) element.key = FindKey(public_key, type);
            found += element.key != nullptr;
            m_elements.push_back(std::move(element)); // without a key: an empty signature
        }
        if (found == signatures.needed) return;
        const Check& first{signatures.checks[0]};
        if (signatures.checks.size() == 1) {
            throw InputError{"needs a signature by the " + std::string{KeyTypeName(first.type)} + " key " + HexStr(first.public_key)};
        }
        throw InputError{"needs " + std::to_string(signatures.needed) + " signatures, but keys for only " + std::to_string(found) +
                         " are given"};
    }

    void operator()(const Preimage& wanted)
    {
        const auto found{std::ranges::find_if(m_preimages, [&](const auto& preimage) {
            std::array<uint8_t, CSHA256::OUTPUT_SIZE> digest;
            CSHA256{}.Write(preimage.data(), preimage.size()).Finalize(digest.data());
            return std::ranges::equal(digest, wanted.hash);
        })};
        if (found == m_preimages.end()) throw InputError{"needs the preimage of " + HexStr(wanted.hash)};
        WitnessElement element;
        element.bytes = *found;
        m_elements.push_back(std::move(element));
    }

    /** The initial stack. What the script takes first lies on top, which is last. */
    std::vector<WitnessElement> Finish()
    {
        std::ranges::reverse(m_elements);
        return std::move(m_elements);
    }

private:
    std::shared_ptr<const KeyPair> FindKey(std::span<const uint8_t> public_key, KeyType type) const
    {
        const auto found{std::ranges::find_if(m_keys, [&](const auto& key) {
            return key->type == type && std::ranges::equal(key->public_key, public_key);
        })};
        return found == m_keys.end() ? nullptr : *found;
    }

    const std::span<const std::shared_ptr<const KeyPair>> m_keys;
    const std::span<const std::vector<uint8_t>> m_preimages;
    std::vector<WitnessElement> m_elements; //!< in the order in which the script takes them
};

} // namespace

std::optional<KeyType> CheckedKeyType(opcodetype opcode)
{
    switch (opcode) {
    case OP_CHECKSIG:
    case OP_CHECKSIGVERIFY:
    case OP_CHECKSIGADD: return KeyType::SCHNORR;
    case OP_CHECKSIGSLHDSA:
    case OP_CHECKSIGADDSLHDSA: return KeyType::SLHDSA;
    default: return std::nullopt;
    }
}

bool IsCountingCheck(opcodetype opcode)
{
    return opcode == OP_CHECKSIGADD || opcode == OP_CHECKSIGADDSLHDSA;
}

std::vector<WitnessElement> PlanWitness(const CScript& script, std::span<const std::shared_ptr<const KeyPair>> keys,
                                        std::span<const std::vector<uint8_t>> preimages)
{
    const Recipe recipe{RecipeReader{script}.Read()};
    if (!recipe.unknown.empty()) {
        throw InputError{recipe.unknown + ": slhtool does not know how to satisfy it; give the witness elements one by one (--witness)"};
    }
    if (!recipe.never.empty()) throw InputError{recipe.never};
    Planner planner{keys, preimages};
    for (const auto& condition : recipe.conditions) std::visit(planner, condition);
    return planner.Finish();
}

std::string WhyNeverSpendable(const ScriptTree::Leaf& leaf)
{
    if (leaf.version != TAPROOT_LEAF_TAPSCRIPT ||
        ScanTapscript(leaf.script, SCRIPT_VERIFY_SLHDSA).outcome != TapscriptScan::Outcome::EXECUTE) {
        return "";
    }
    const Recipe recipe{RecipeReader{leaf.script}.Read()};
    return recipe.unknown.empty() ? recipe.never : "";
}

bool AnyoneCanSpend(const ScriptTree::Leaf& leaf)
{
    if (leaf.version != TAPROOT_LEAF_TAPSCRIPT) return true;
    const auto outcome{ScanTapscript(leaf.script, SCRIPT_VERIFY_SLHDSA).outcome};
    if (outcome != TapscriptScan::Outcome::EXECUTE) return outcome == TapscriptScan::Outcome::OP_SUCCESS;
    const Recipe recipe{RecipeReader{leaf.script}.Read()};
    const auto needs_nothing{[](const auto& condition) {
        const auto* const signatures{std::get_if<Signatures>(&condition)};
        return signatures && signatures->needed == 0;
    }};
    return recipe.unknown.empty() && recipe.never.empty() && std::ranges::all_of(recipe.conditions, needs_nothing);
}

uint8_t ParseHashType(std::string_view text)
{
    static constexpr std::pair<std::string_view, uint8_t> NAMES[]{
        {"DEFAULT", SIGHASH_DEFAULT},
        {"ALL", SIGHASH_ALL},
        {"NONE", SIGHASH_NONE},
        {"SINGLE", SIGHASH_SINGLE},
        {"ALL|ANYONECANPAY", SIGHASH_ALL | SIGHASH_ANYONECANPAY},
        {"NONE|ANYONECANPAY", SIGHASH_NONE | SIGHASH_ANYONECANPAY},
        {"SINGLE|ANYONECANPAY", SIGHASH_SINGLE | SIGHASH_ANYONECANPAY},
    };
    for (const auto& [name, value] : NAMES) {
        if (text == name) return value;
    }
    throw InputError{Quote(text) + " is not a hash type (DEFAULT, ALL, NONE, SINGLE; the last three also with |ANYONECANPAY)"};
}

WitnessElement ParseWitnessElement(const std::string& text)
{
    constexpr std::string_view SIG{"sig("};
    WitnessElement element;
    std::string_view trimmed{Trim(text)};
    if (!trimmed.starts_with(SIG)) {
        if (trimmed.starts_with('<') && trimmed.ends_with('>')) trimmed = trimmed.substr(1, trimmed.size() - 2);
        element.bytes = ParseHex(trimmed);
        return element;
    }
    if (!trimmed.ends_with(')')) throw InputError{"missing ')' after 'sig('"};
    const auto arguments{SplitAtCommas(trimmed.substr(SIG.size(), trimmed.size() - SIG.size() - 1))};
    if (arguments.size() > 3) throw InputError{"sig() takes at most a key file, a hash type and a position"};
    element.key = std::make_shared<const KeyPair>(ReadKeyFile(std::string{arguments[0]}));
    if (arguments.size() > 1) element.hash_type = ParseHashType(arguments[1]);
    if (arguments.size() > 2) element.codeseparator_pos = static_cast<uint32_t>(ParseNumber(arguments[2], 0xffffffff));
    return element;
}

} // namespace slhc::tool
