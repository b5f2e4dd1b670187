// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <wallet/leaf_recipe.h>

#include <consensus/consensus.h>
#include <crypto/hash.h>
#include <crypto/sha256.h>
#include <primitives/serialize.h>
#include <script/checker.h>
#include <script/interpreter.h>
#include <script/opcodes.h>
#include <script/pubkey.h>
#include <script/script.h>
#include <script/verify_flags.h>
#include <util/counted.h>
#include <util/hex.h>
#include <wallet/lock_time.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace slhc::wallet {
namespace {

constexpr size_t PUBLIC_KEY_SIZE{32}; //!< of both types
constexpr size_t PREIMAGE_SIZE{32};   //!< that miniscript allows

struct Instruction {
    opcodetype opcode;
    std::span<const uint8_t> data;

    bool IsKey() const { return data.size() == PUBLIC_KEY_SIZE; }
};

std::string Name(const Instruction& instruction)
{
    if (instruction.opcode > OP_0 && instruction.opcode <= OP_PUSHDATA4) return "<" + HexStr(instruction.data) + ">";
    return std::string{GetTapscriptOpName(instruction.opcode, SCRIPT_VERIFY_SLHDSA)};
}

std::string_view TypeName(KeyType type)
{
    return type == KeyType::SLHDSA ? "slh-dsa-sha2-128s" : "schnorr-bip340";
}

/** Accepts every signature and every lock time. */
class AcceptingChecker final : public BaseSignatureChecker
{
public:
    [[nodiscard]] bool CheckSchnorrSignature(std::span<const uint8_t>, std::span<const uint8_t>, SigVersion, ScriptExecutionData&,
                                             ScriptError&) const override
    {
        return true;
    }
    [[nodiscard]] SLHDSACheckResult CheckSLHDSASignature(std::vector<uint8_t>&&, std::span<const uint8_t, slhdsa::PUBLIC_KEY_SIZE>,
                                                         ScriptExecutionData&, ScriptError&) const override
    {
        return SLHDSACheckResult::VALID;
    }
    [[nodiscard]] bool CheckLockTime(const CScriptNum&) const override { return true; }
    [[nodiscard]] bool CheckSequence(const CScriptNum&) const override { return true; }
};

/** A preimage that is known here. */
std::vector<uint8_t> StandIn() { return std::vector<uint8_t>(PREIMAGE_SIZE); }

/** Whether there is a secret key for it. Any 32 bytes may be an SLH-DSA key. */
bool CanSign(const LeafKey& key)
{
    return key.type == KeyType::SLHDSA || XOnlyPubKey{std::span{key.public_key}.first<PUBLIC_KEY_SIZE>()}.IsFullyValid();
}

std::string StackGrowsTooHigh()
{
    return "its stack grows beyond " + std::to_string(MAX_STACK_SIZE) + " elements: nobody can ever spend it";
}

/** Why a script fails although it gets what its recipe asks for; empty if it doesn't fail.
 *  @param[in] script  which asks for no other preimages than StandIn() */
std::string WhyItFails(const CScript& script, const LeafRecipe& recipe)
{
    const auto signature{[](const LeafKey& key) {
        return CanSign(key) ? std::optional{std::vector<uint8_t>{1}} : std::nullopt;
    }};
    const LeafStack stack{SatisfyLeaf(recipe, signature, [](std::span<const uint8_t>) { return StandIn(); })};
    if (!stack.Complete()) {
        return "it " + stack.missing + ", since BIP 340 keys of it are not the x coordinate of a point: nobody can ever spend it";
    }
    std::vector<std::vector<uint8_t>> elements;
    for (const auto& element : stack.elements) elements.push_back(element.bytes);
    const AcceptingChecker checker;
    ScriptRun run{.flags = MANDATORY_SCRIPT_VERIFY_FLAGS, .checker = checker};
    run.execdata.m_validation_weight_left = std::numeric_limits<int64_t>::max(); // signatures bring more than they take
    if (ExecuteWitnessScript(elements, script, SigVersion::TAPSCRIPT, run)) return "";
    if (run.failure.error == SCRIPT_ERR_STACK_SIZE) return StackGrowsTooHigh();
    return "it fails with " + std::string{ScriptErrorName(run.failure.error)} + ": nobody can ever spend it";
}

class RecipeReader
{
public:
    explicit RecipeReader(const CScript& script) : m_script{script}
    {
        m_recipe.never = TooHeavy();
        if (!m_recipe.never.empty()) return; // a PSBT may have a script of any size: nothing is built of it
        auto pc{script.begin()};
        while (pc != script.end() && m_recipe.unknown.empty()) {
            Instruction instruction{};
            if (!script.GetOp(pc, instruction.opcode, instruction.data)) m_recipe.unknown = "cannot be decoded";
            m_instructions.push_back(instruction);
        }
    }

    LeafRecipe Read()
    {
        while (!AtEnd() && m_recipe.Usable()) ReadOne();
        if (!m_recipe.never.empty()) LookForOpSuccess();
        if (m_recipe.Usable()) m_recipe.never = m_contradiction;
        if (m_results.empty()) m_recipe.conditions.emplace_back(LeafTrue{});
        if (m_recipe.Usable() && m_results.size() > 1) {
            m_recipe.never = "it ends with " + std::to_string(m_results.size()) +
                             " results, but must end with one: nobody can ever spend it";
        }
        if (const size_t elements{Elements()}; m_recipe.Usable() && elements > MAX_STACK_SIZE) {
            m_recipe.never = "it takes " + std::to_string(elements) + " stack elements, of which there may be " +
                             std::to_string(MAX_STACK_SIZE) + ": nobody can ever spend it";
        }
        if (m_recipe.Usable()) m_recipe.never = ReadLockTimes(m_script).never;
        if (m_recipe.Usable()) m_recipe.never = TooHeavy();
        if (m_recipe.Usable()) m_recipe.never = WhyItFails(WithKnownPreimages(), m_recipe);
        return std::move(m_recipe);
    }

private:
    /** Why no block has room for a spend, as far as the recipe is known; empty if one may have it. */
    std::string TooHeavy() const
    {
        const size_t weight{LeastSpendWeight(m_recipe, m_script)};
        if (weight <= size_t{MAX_BLOCK_WEIGHT}) return "";
        return "to spend it takes a transaction of at least " + std::to_string(weight) +
               " weight units, more than a block may have: nobody can ever spend it";
    }

    /** What was not read may have an instruction with which a script succeeds whatever it does before. */
    void LookForOpSuccess()
    {
        for (; !AtEnd(); ++m_position) {
            if (!IsOpSuccess(Here().opcode, SCRIPT_VERIFY_SLHDSA)) continue;
            m_recipe.never.clear();
            SetUnknownHere();
            return;
        }
    }

    void SetUnknownHere() { m_recipe.unknown = Name(Here()) + " (instruction " + std::to_string(m_position) + ")"; }

    /** The script leaves a result on the stack. */
    void AddResult(std::optional<std::vector<uint8_t>> result)
    {
        m_results.push_back(std::move(result));
        if (m_results.size() > MAX_STACK_SIZE) m_recipe.never = StackGrowsTooHigh(); // no more is read
    }

    /** The script, with a hash whose preimage is known in place of each that it asks for. */
    CScript WithKnownPreimages() const
    {
        const auto hash{Sha256(StandIn())};
        CScript script{m_script};
        for (const auto& wanted : m_hashes) std::ranges::copy(hash, script.begin() + (wanted.data() - m_script.data()));
        return script;
    }

    bool AtEnd() const { return m_position >= m_instructions.size(); }
    const Instruction& At(size_t ahead) const { return m_instructions[m_position + ahead]; }
    const Instruction& Here() const { return At(0); }
    template <typename F>
    bool Matches(size_t ahead, F&& f) const
    {
        return m_position + ahead < m_instructions.size() && f(At(ahead));
    }

    /** How many elements the conditions take off the stack: one for each key, signed by or not, and one for anything else. */
    size_t Elements() const
    {
        size_t elements{0};
        for (const auto& condition : m_recipe.conditions) {
            const auto* const signatures{std::get_if<LeafSignatures>(&condition)};
            elements += signatures ? signatures->keys.size() : 1;
        }
        return elements;
    }

    void ReadOne()
    {
        if (Here().IsKey() && Matches(1, [](const Instruction& i) { return CheckedKeyType(i.opcode) && !IsCountingCheck(i.opcode); })) {
            ReadSignatures();
        } else if (Here().opcode == OP_SHA256 && Matches(1, [](const Instruction& i) { return i.data.size() == CSHA256::OUTPUT_SIZE; }) &&
                   Matches(2, [](const Instruction& i) { return i.opcode == OP_EQUALVERIFY || i.opcode == OP_EQUAL; })) {
            Take(LeafPreimage{{At(1).data.begin(), At(1).data.end()}, m_preimage_of_32_bytes}, ResultMayBePreimage(At(1).data));
            m_hashes.push_back(At(1).data);
            m_preimage_of_32_bytes = false;
            if (At(2).opcode == OP_EQUAL) AddResult(std::nullopt);
            m_position += 3;
        } else if (SizeOf32Bytes()) {
            m_preimage_of_32_bytes = true;
            m_position += 3;
        } else if (LockTime()) {
            const bool dropped{Matches(2, [](const Instruction& i) { return i.opcode == OP_DROP; })};
            m_recipe.never = LockTimeNeverMet(Here().opcode, Here().data, At(1).opcode);
            if (!dropped) AddResult(Pushed(Here())); // it leaves its number
            m_position += dropped ? 3 : 2;
        } else if (Here().opcode == OP_VERIFY && !m_results.empty()) {
            m_results.pop_back();
            ++m_position;
        } else if (Here().opcode >= OP_1 && Here().opcode <= OP_16) {
            AddResult(Pushed(Here()));
            ++m_position;
        } else {
            SetUnknownHere();
        }
    }

    /** n OP_CHECKLOCKTIMEVERIFY, or OP_CHECKSEQUENCEVERIFY; without OP_DROP behind it n must be a result, which 0 is not. */
    bool LockTime() const
    {
        return Here().opcode <= OP_16 && Here().opcode != OP_RESERVED &&
               Matches(1, [](const Instruction& i) { return i.opcode == OP_CHECKLOCKTIMEVERIFY || i.opcode == OP_CHECKSEQUENCEVERIFY; }) &&
               (Here().opcode != OP_0 || Matches(2, [](const Instruction& i) { return i.opcode == OP_DROP; }));
    }

    /** What miniscript puts in front of OP_SHA256: OP_SIZE <32> OP_EQUALVERIFY. */
    bool SizeOf32Bytes() const
    {
        return Here().opcode == OP_SIZE && Matches(1, [](const Instruction& i) { return Number(i) == PREIMAGE_SIZE; }) &&
               Matches(2, [](const Instruction& i) { return i.opcode == OP_EQUALVERIFY; }) &&
               Matches(3, [](const Instruction& i) { return i.opcode == OP_SHA256; });
    }

    /** A condition takes what the initial stack has for it, or else the result of the condition before it.
     *  @param[in] satisfiable  whether a result may satisfy it */
    void Take(LeafRecipe::Condition condition, bool satisfiable)
    {
        if (m_results.empty()) {
            m_recipe.conditions.push_back(std::move(condition));
            return;
        }
        m_results.pop_back();
        const std::string instruction{"instruction " + std::to_string(m_position)};
        if (satisfiable) {
            m_recipe.unknown = "a condition that takes the result of the one before it (" + instruction + ")";
        } else {
            Contradict(instruction + " takes the result of the condition before it, which OP_VERIFY must drop first: nobody can ever "
                                     "spend it");
        }
    }

    /** The script fails here, or leaves a result that is false. That is the end of it, unless a later condition takes results. */
    void Contradict(std::string why)
    {
        if (m_contradiction.empty()) m_contradiction = std::move(why);
    }

    /** Whether the last result may have this hash. */
    bool ResultMayBePreimage(std::span<const uint8_t> hash) const
    {
        if (m_results.empty()) return false;
        const auto has_hash{[&](std::span<const uint8_t> result) { return std::ranges::equal(Sha256(result), hash); }};
        if (const auto& constant{m_results.back()}) return has_hash(*constant);
        return has_hash({}) || has_hash(std::vector<uint8_t>{1});
    }

    void ReadSignatures()
    {
        LeafSignatures signatures{{}, 1};
        int64_t needed{1};
        opcodetype last;
        const size_t begin{m_position};
        do {
            last = At(1).opcode;
            signatures.keys.push_back({{Here().data.begin(), Here().data.end()}, *CheckedKeyType(last)});
            m_position += 2;
        } while (last != OP_CHECKSIGVERIFY && !AtEnd() && Here().IsKey() &&
                 Matches(1, [](const Instruction& i) { return IsCountingCheck(i.opcode); }));
        const auto threshold{last == OP_CHECKSIGVERIFY ? std::nullopt : Threshold()};
        if (threshold) {
            needed = *threshold;
            last = At(1).opcode;
            m_position += 2;
        } else if (signatures.keys.size() > 1) {
            m_recipe.unknown = "a count of signatures that no number and OP_NUMEQUAL follow";
            return;
        }
        const size_t end{std::exchange(m_position, begin)};
        const size_t n{signatures.keys.size()};
        if (needed < 0 || static_cast<uint64_t>(needed) > n) {
            if (!m_results.empty()) m_results.pop_back();
            Contradict(std::to_string(needed) + " of " + std::to_string(n) + " signatures is impossible");
        } else {
            signatures.needed = static_cast<size_t>(needed);
            Take(std::move(signatures), /*satisfiable=*/n > 1 || needed == 0);
        }
        m_position = end;
        if (last != OP_CHECKSIGVERIFY && last != OP_NUMEQUALVERIFY) AddResult(std::nullopt);
    }

    /** k OP_NUMEQUAL, or OP_NUMEQUALVERIFY: how many signatures there must be, if that is what follows. */
    std::optional<int64_t> Threshold() const
    {
        const bool compared{Matches(1, [](const Instruction& i) { return i.opcode == OP_NUMEQUAL || i.opcode == OP_NUMEQUALVERIFY; })};
        return compared ? Number(Here()) : std::nullopt;
    }

    /** What an instruction pushes: data, or the number of OP_1 to OP_16. */
    static std::vector<uint8_t> Pushed(const Instruction& instruction)
    {
        if (instruction.opcode <= OP_PUSHDATA4) return {instruction.data.begin(), instruction.data.end()};
        return {static_cast<uint8_t>(CScript::DecodeOP_N(instruction.opcode))};
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

    const CScript& m_script;
    std::vector<Instruction> m_instructions;
    std::vector<std::span<const uint8_t>> m_hashes; //!< whose preimages the script asks for
    size_t m_position{0};
    //! What is left on the stack: a constant, or what a check says, which is 1 or empty.
    std::vector<std::optional<std::vector<uint8_t>>> m_results;
    std::string m_contradiction; //!< why a result is false, or the script fails; empty: neither is known
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
        size_t found{0};
        std::vector<LeafKey> without;
        for (const auto& key : signatures.keys) {
            LeafElement element; // an empty one is no signature
            if (found < signatures.needed) {
                if (auto signature{m_signature(key)}) {
                    element = {*std::move(signature), key};
                    ++found;
                } else {
                    without.push_back(key);
                }
            }
            m_stack.elements.push_back(std::move(element));
        }
        if (found == signatures.needed) return;
        m_stack.missing_keys.insert(m_stack.missing_keys.end(), without.begin(), without.end());
        if (signatures.keys.size() == 1) {
            const LeafKey& key{signatures.keys[0]};
            Lacks("a signature by the " + std::string{TypeName(key.type)} + " key " + HexStr(key.public_key));
        } else {
            Lacks(Counted(signatures.needed, "signature") + ", but has " + std::to_string(found));
        }
    }

    void operator()(const LeafPreimage& wanted)
    {
        auto preimage{m_preimage(wanted.hash)};
        if (wanted.of_32_bytes && preimage && preimage->size() != PREIMAGE_SIZE) preimage.reset();
        if (!preimage) {
            m_stack.missing_preimages.push_back(wanted);
            Lacks("the preimage of " + HexStr(wanted.hash));
        }
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

bool IsCountingCheck(opcodetype opcode) noexcept
{
    return opcode == OP_CHECKSIGADD || opcode == OP_CHECKSIGADDSLHDSA;
}

LeafRecipe ReadLeafRecipe(const CScript& leaf_script)
{
    return RecipeReader{leaf_script}.Read();
}

size_t LeastSpendWeight(const LeafRecipe& recipe, const CScript& leaf_script)
{
    constexpr size_t AROUND_IT{4 * (10 + 41 + 31) + 2}; // the input and the output; marker and flag
    size_t weight{AROUND_IT + leaf_script.size()};
    for (const auto& condition : recipe.conditions) {
        const auto* const signatures{std::get_if<LeafSignatures>(&condition)};
        if (!signatures) {
            weight += std::holds_alternative<LeafTrue>(condition) ? 2 : 1; // a preimage may be empty
            continue;
        }
        std::vector<size_t> sizes;
        for (const auto& key : signatures->keys) sizes.push_back(SignatureSize(key.type));
        std::ranges::sort(sizes);
        weight += sizes.size(); // the size of each element, in one byte at least
        for (size_t i = 0; i < signatures->needed; ++i) weight += sizes[i] + GetSizeOfCompactSize(sizes[i]) - 1;
    }
    return weight;
}

LeafStack SatisfyLeaf(const LeafRecipe& recipe, const FindSignature& signature, const FindPreimage& preimage)
{
    Satisfier satisfier{signature, preimage};
    for (const auto& condition : recipe.conditions) std::visit(satisfier, condition);
    return satisfier.Finish();
}

} // namespace slhc::wallet
