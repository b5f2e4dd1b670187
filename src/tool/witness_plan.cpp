// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/witness_plan.h>

#include <crypto/sha256.h>
#include <script/script.h>
#include <script/sighash.h>
#include <tool/asm.h>
#include <tool/error.h>
#include <tool/input.h>
#include <util/hex.h>

#include <algorithm>
#include <array>
#include <string_view>

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

class Planner
{
public:
    Planner(const CScript& script, std::span<const std::shared_ptr<const KeyPair>> keys, std::span<const std::vector<uint8_t>> preimages)
        : m_instructions{Decode(script)}, m_keys{keys}, m_preimages{preimages} {}

    std::vector<WitnessElement> Plan()
    {
        while (!AtEnd()) {
            if (Here().IsKey() && m_position + 1 < m_instructions.size() && CheckedKeyType(At(1).opcode)) {
                Signatures();
            } else if (Here().opcode == OP_SHA256 && Matches(1, [](const Instruction& i) { return i.data.size() == CSHA256::OUTPUT_SIZE; })) {
                Preimage();
            } else if (LockTime() || Here().opcode == OP_VERIFY || Here().opcode == OP_TRUE) {
                m_position += LockTime() ? 3 : 1;
            } else {
                throw InputError{FormatInstruction(Here().opcode, Here().data) + " (instruction " + std::to_string(m_position) +
                                 "): no recipe for it, give the witness elements one by one (--witness)"};
            }
        }
        // What the script takes first lies on top, which is last.
        std::ranges::reverse(m_needed);
        return std::move(m_needed);
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

    /** n OP_CHECKLOCKTIMEVERIFY OP_DROP, or OP_CHECKSEQUENCEVERIFY. */
    bool LockTime() const
    {
        return Here().opcode <= OP_16 &&
               Matches(1, [](const Instruction& i) { return i.opcode == OP_CHECKLOCKTIMEVERIFY || i.opcode == OP_CHECKSEQUENCEVERIFY; }) &&
               Matches(2, [](const Instruction& i) { return i.opcode == OP_DROP; });
    }

    std::shared_ptr<const KeyPair> FindKey(std::span<const uint8_t> public_key, KeyType type) const
    {
        const auto found{std::ranges::find_if(m_keys, [&](const auto& key) { return key->type == type && std::ranges::equal(key->public_key, public_key); })};
        return found == m_keys.end() ? nullptr : *found;
    }

    void Signatures()
    {
        struct Check {
            std::span<const uint8_t> public_key;
            KeyType type;
        };
        std::vector<Check> checks{{Here().data, *CheckedKeyType(At(1).opcode)}};
        if (IsCountingCheck(At(1).opcode)) throw InputError{FormatInstruction(At(1).opcode, {}) + " without a count before it"};
        m_position += 2;
        while (!AtEnd() && Here().IsKey() && Matches(1, [](const Instruction& i) { return IsCountingCheck(i.opcode); })) {
            checks.push_back({Here().data, *CheckedKeyType(At(1).opcode)});
            m_position += 2;
        }
        const size_t needed{checks.size() > 1 ? Threshold(checks.size()) : 1};

        size_t found{0};
        for (const auto& [public_key, type] : checks) {
            WitnessElement element;
            if (found < needed) element.key = FindKey(public_key, type);
            found += element.key != nullptr;
            m_needed.push_back(std::move(element)); // without a key: an empty signature
        }
        if (found == needed) return;
        if (checks.size() == 1) throw InputError{"needs a signature of the " + std::string{KeyTypeName(checks[0].type)} + " key " + HexStr(checks[0].public_key)};
        throw InputError{"needs " + std::to_string(needed) + " signatures, and keys for " + std::to_string(found) + " are given"};
    }

    /** k OP_NUMEQUAL, or OP_NUMEQUALVERIFY: how many of n signatures there must be. */
    size_t Threshold(size_t n)
    {
        const auto is_end{[](const Instruction& i) { return i.opcode == OP_NUMEQUAL || i.opcode == OP_NUMEQUALVERIFY; }};
        if (AtEnd() || !Matches(1, is_end)) throw InputError{"signatures are counted, but no number and OP_NUMEQUAL follow"};
        const int64_t number{Here().opcode >= OP_1 && Here().opcode <= OP_16 ? CScript::DecodeOP_N(Here().opcode) : Number(Here().data)};
        if (number < 0 || static_cast<size_t>(number) > n) throw InputError{std::to_string(number) + " of " + std::to_string(n) + " signatures can never be"};
        m_position += 2;
        return static_cast<size_t>(number);
    }

    static int64_t Number(std::span<const uint8_t> data)
    {
        try {
            return CScriptNum{data, /*require_minimal=*/true}.GetInt64();
        } catch (const scriptnum_error& e) {
            throw InputError{e.what()};
        }
    }

    /** OP_SHA256 <H> OP_EQUALVERIFY */
    void Preimage()
    {
        const auto hash{At(1).data};
        if (!Matches(2, [](const Instruction& i) { return i.opcode == OP_EQUALVERIFY || i.opcode == OP_EQUAL; })) throw InputError{"OP_SHA256 without OP_EQUALVERIFY"};
        const auto found{std::ranges::find_if(m_preimages, [&](const auto& preimage) {
            std::array<uint8_t, CSHA256::OUTPUT_SIZE> digest;
            CSHA256{}.Write(preimage.data(), preimage.size()).Finalize(digest.data());
            return std::ranges::equal(digest, hash);
        })};
        if (found == m_preimages.end()) throw InputError{"needs the preimage of " + HexStr(hash)};
        WitnessElement element;
        element.bytes = *found;
        m_needed.push_back(std::move(element));
        m_position += 3;
    }

    const std::vector<Instruction> m_instructions;
    const std::span<const std::shared_ptr<const KeyPair>> m_keys;
    const std::span<const std::vector<uint8_t>> m_preimages;
    size_t m_position{0};
    std::vector<WitnessElement> m_needed; //!< in the order in which the script takes them
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
    return Planner{script, keys, preimages}.Plan();
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
    throw InputError{Quote(text) + " is no hash type (DEFAULT, ALL, NONE, SINGLE; the last three with |ANYONECANPAY)"};
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
    if (!trimmed.ends_with(')')) throw InputError{"no ')' after 'sig('"};
    const auto arguments{SplitAtCommas(trimmed.substr(SIG.size(), trimmed.size() - SIG.size() - 1))};
    if (arguments.size() > 3) throw InputError{"sig() takes a key file, a hash type and a position"};
    element.key = std::make_shared<const KeyPair>(ReadKeyFile(std::string{arguments[0]}));
    if (arguments.size() > 1) element.hash_type = ParseHashType(arguments[1]);
    if (arguments.size() > 2) element.codeseparator_pos = static_cast<uint32_t>(ParseNumber(arguments[2], 0xffffffff));
    return element;
}

} // namespace slhc::tool
