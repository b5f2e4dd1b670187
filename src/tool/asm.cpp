// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/asm.h>

#include <script/script.h>
#include <tool/cursor.h>
#include <tool/error.h>
#include <tool/input.h>
#include <tool/keys.h>
#include <util/counted.h>
#include <util/hex.h>
#include <wallet/leaf_expression.h>
#include <wallet/lock_time.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <map>
#include <numeric>
#include <utility>

namespace slhc::tool {
namespace {

//! More than any script that the rules can execute, and a bound on what a typing error can cost.
constexpr size_t MAX_SCRIPT_TEXT{8u << 20};
constexpr size_t MAX_MULTI_KEYS{999}; //!< the initial stack holds 1000 elements at most
constexpr size_t HASH_SIZE{32};

bool IsNameCharacter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/** Every opcode by each of its names. */
const std::map<std::string, opcodetype, std::less<>>& OpcodesByName()
{
    static const auto names{[] {
        std::map<std::string, opcodetype, std::less<>> map;
        for (const auto& [alias, opcode] : GetOpcodeAliases()) map.emplace(alias, opcode);
        for (int byte{OP_PUSHDATA4 + 1}; byte <= 0xff; ++byte) {
            const auto opcode{static_cast<opcodetype>(byte)};
            map.emplace(GetOpName(opcode), opcode);
            map.emplace(GetTapscriptOpName(opcode, SCRIPT_VERIFY_SLHDSA), opcode);
        }
        map.emplace("OP_0", OP_0);
        map.erase("OP_UNKNOWN");
        map.erase("OP_INVALIDOPCODE");
        return map;
    }()};
    return names;
}

/** Bytes of the length that follows OP_PUSHDATA1, 2 or 4. */
size_t LengthSize(opcodetype opcode)
{
    return opcode == OP_PUSHDATA1 ? 1 : opcode == OP_PUSHDATA2 ? 2 : 4;
}

/** The opcode with which CScript pushes data of this size. */
opcodetype ShortestPush(size_t size)
{
    if (size < OP_PUSHDATA1) return static_cast<opcodetype>(size);
    if (size <= 0xff) return OP_PUSHDATA1;
    return size <= 0xffff ? OP_PUSHDATA2 : OP_PUSHDATA4;
}

class Parser
{
public:
    explicit Parser(std::string_view text) : m_cursor{text} {}

    CScript Parse()
    {
        for (m_cursor.SkipSpace(); !m_cursor.AtEnd(); m_cursor.SkipSpace()) {
            Within("position " + std::to_string(m_cursor.Position()), [&] { ParseItem(); });
        }
        return std::move(m_script);
    }

private:
    void ParseItem()
    {
        if (m_cursor.Peek() == '<') {
            m_script << PushArgument();
            return;
        }
        const std::string_view word{Word()};
        if (m_cursor.Peek() == '(') {
            Shorthand(word, SplitAtCommas(m_cursor.TakeEnclosed(')')));
            return;
        }
        if (m_cursor.Peek() == '<') {
            PushWithPrefix(word, PushArgument());
        } else if (word.starts_with("0x")) {
            const auto bytes{ParseHex(word.substr(2))};
            m_script.insert(m_script.end(), bytes.begin(), bytes.end());
        } else if (word.starts_with("OP_")) {
            m_script << Opcode(word);
        } else {
            m_script << Number(word);
        }
        if (!m_cursor.AtEnd() && !IsSpace(m_cursor.Peek()) && m_cursor.Peek() != '<') Unexpected();
    }

    [[noreturn]] void Unexpected() const
    {
        throw InputError{Quote(std::string{m_cursor.Peek()}) + " is not expected here"};
    }

    /** Letters, digits and underscores, and a sign before them. */
    std::string_view Word()
    {
        bool first{true};
        const std::string_view word{
            m_cursor.TakeWhile([&](char c) { return std::exchange(first, false) && c == '-' ? true : IsNameCharacter(c); })};
        if (word.empty()) Unexpected();
        return word;
    }

    /** The bytes between '<' and '>'. */
    std::vector<uint8_t> PushArgument()
    {
        const std::string_view argument{m_cursor.TakeEnclosed('>')};
        if (argument.starts_with('@')) return ParseScriptKey(argument, std::nullopt);
        return WithMissingAtHint(std::string{argument}, [&] { return ParseHex(argument); });
    }

    static opcodetype Opcode(std::string_view name)
    {
        const auto found{OpcodesByName().find(name)};
        if (found == OpcodesByName().end()) throw InputError{Quote(name) + " is not an opcode"};
        return found->second;
    }

    static int64_t Number(std::string_view word)
    {
        int64_t number{};
        const auto [end, code]{std::from_chars(word.data(), word.data() + word.size(), number)};
        if (code != std::errc{} || end != word.data() + word.size()) {
            throw InputError{Quote(word) + " is neither an opcode, a number nor a shorthand (bytes to push are written <00ff>)"};
        }
        // Beyond this a script cannot read it back as a number.
        constexpr int64_t MAX_NUMBER{(int64_t{1} << 39) - 1};
        if (number > MAX_NUMBER || number < -MAX_NUMBER) throw InputError{Quote(word) + " does not fit into five bytes"};
        return number;
    }

    void PushWithPrefix(std::string_view name, const std::vector<uint8_t>& data)
    {
        const opcodetype opcode{name == "OP_PUSHDATA1"   ? OP_PUSHDATA1
                                : name == "OP_PUSHDATA2" ? OP_PUSHDATA2
                                : name == "OP_PUSHDATA4" ? OP_PUSHDATA4
                                                         : OP_INVALIDOPCODE};
        if (opcode == OP_INVALIDOPCODE) throw InputError{Quote(name) + " before '<' is not OP_PUSHDATA1, 2 or 4"};
        const size_t length_size{LengthSize(opcode)};
        if (length_size < 4 && data.size() >> 8 * length_size != 0) {
            throw InputError{std::string{name} + " cannot push " + Counted(data.size(), "byte")};
        }
        m_script.push_back(opcode);
        for (size_t i = 0; i < length_size; ++i) m_script.push_back(static_cast<uint8_t>(data.size() >> 8 * i));
        m_script.insert(m_script.end(), data.begin(), data.end());
    }

    /** A key that somebody can sign with. One that is on the command line by mistake would lock a coin for ever. */
    static std::vector<uint8_t> Key(std::string_view shorthand, size_t argument, std::string_view text, KeyType type)
    {
        return Within(std::string{shorthand} + "(), argument " + std::to_string(argument + 1), [&] {
            auto key{ParseScriptKey(text, type)};
            if (type == KeyType::SCHNORR && !IsSchnorrPublicKey(key)) {
                throw InputError{"not the x coordinate of a point on secp256k1: nobody could sign"};
            }
            return key;
        });
    }

    /** k signatures of n different keys: of one key that is there twice, one signature counts twice. */
    void Multi(std::string_view name, KeyType type, std::span<const std::string_view> arguments)
    {
        const std::string call{std::string{name} + "()"};
        const size_t keys{arguments.size() - 1};
        if (keys < 1 || keys > MAX_MULTI_KEYS) {
            throw InputError{call + " takes a number and 1 to " + std::to_string(MAX_MULTI_KEYS) + " keys"};
        }
        const auto needed{ParseNumber(arguments[0], INT64_MAX)};
        if (needed > keys) {
            throw InputError{call + ": " + Counted(static_cast<int64_t>(needed), "signature") + " of " + Counted(keys, "key")};
        }
        if (needed == 0) throw InputError{call + ": with 0 signatures needed, anyone could spend"};
        const bool slhdsa{type == KeyType::SLHDSA};
        std::map<std::vector<uint8_t>, size_t> seen;
        std::vector<size_t> sizes;
        for (size_t i = 1; i <= keys; ++i) {
            const auto key{Key(name, i, arguments[i], type)};
            if (const auto [same, added]{seen.emplace(key, i)}; !added) {
                throw InputError{call + ": arguments " + std::to_string(same->second + 1) + " and " + std::to_string(i + 1) +
                                 " are the same key, so its signature would count twice"};
            }
            sizes.push_back(SignatureSize(type, key));
            m_script << key << (slhdsa ? (i == 1 ? OP_CHECKSIGSLHDSA : OP_CHECKSIGADDSLHDSA) : (i == 1 ? OP_CHECKSIG : OP_CHECKSIGADD));
        }
        std::ranges::sort(sizes);
        const size_t least{std::accumulate(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(needed), size_t{0})};
        if (least > wallet::MAX_STANDARD_TX_WEIGHT) {
            throw InputError{call + ": no transaction that nodes relay has room for " + std::to_string(needed) + " signatures"};
        }
        m_script << static_cast<int64_t>(needed) << OP_NUMEQUAL;
    }

    void Shorthand(std::string_view name, const std::vector<std::string_view>& arguments)
    {
        const auto expect{[&](size_t count) {
            if (arguments.size() != count) {
                throw InputError{std::string{name} + "() takes " + Counted(count, "argument") + ", not " +
                                 std::to_string(arguments.size())};
            }
        }};
        const auto key{[&](size_t i, KeyType type) { return Key(name, i, arguments[i], type); }};
        if (name == "pk_slhdsa") {
            expect(1);
            m_script << key(0, KeyType::SLHDSA) << OP_CHECKSIGSLHDSA;
        } else if (name == "pk_schnorr") {
            expect(1);
            m_script << key(0, KeyType::SCHNORR) << OP_CHECKSIG;
        } else if (name == "multi_slhdsa") {
            Multi(name, KeyType::SLHDSA, arguments);
        } else if (name == "multi_schnorr") {
            Multi(name, KeyType::SCHNORR, arguments);
        } else if (name == "hybrid") {
            expect(2);
            const auto slhdsa{key(0, KeyType::SLHDSA)}, schnorr{key(1, KeyType::SCHNORR)};
            if (slhdsa == schnorr) {
                throw InputError{"hybrid(): both keys are the same 32 bytes; the first must be an SLH-DSA key, the second a Schnorr key"};
            }
            m_script << slhdsa << OP_CHECKSIGSLHDSA << OP_VERIFY << schnorr << OP_CHECKSIG;
        } else if (name == "after" || name == "older") {
            expect(1);
            const uint64_t n{ParseNumber(arguments[0], UINT64_MAX)};
            const bool after{name == "after"};
            if (const auto problem{after ? wallet::AfterProblem(n) : wallet::OlderProblem(n)}; !problem.empty()) throw InputError{problem};
            m_script << static_cast<int64_t>(n) << (after ? OP_CHECKLOCKTIMEVERIFY : OP_CHECKSEQUENCEVERIFY) << OP_DROP;
        } else if (name == "sha256") {
            expect(1);
            m_script << OP_SHA256 << ParseHex(arguments[0], HASH_SIZE) << OP_EQUALVERIFY;
        } else {
            throw InputError{Quote(name) +
                             " is not a shorthand (pk_slhdsa, pk_schnorr, multi_slhdsa, multi_schnorr, hybrid, after, older, sha256)"};
        }
    }

    Cursor m_cursor;
    CScript m_script;
};

/** The number that a lock time's push holds; nothing if the number would be pushed otherwise. */
std::optional<int64_t> LockTimeNumber(opcodetype opcode, std::span<const uint8_t> data, std::optional<opcodetype> next)
{
    if (next != OP_CHECKLOCKTIMEVERIFY && next != OP_CHECKSEQUENCEVERIFY) return std::nullopt;
    constexpr size_t MAX_LOCK_TIME_SIZE{5};
    if (opcode >= OP_PUSHDATA1 || data.empty() || data.size() > MAX_LOCK_TIME_SIZE) return std::nullopt;
    try {
        const int64_t number{CScriptNum{data, /*require_minimal=*/true, MAX_LOCK_TIME_SIZE}.GetInt64()};
        CScript script;
        script << number;
        if (script.size() == 1) return std::nullopt; // OP_1 and the like
        return number;
    } catch (const scriptnum_error&) {
        return std::nullopt;
    }
}

} // namespace

CScript ParseScript(std::string_view text)
{
    if (text.size() > MAX_SCRIPT_TEXT) throw InputError{"the script has more than " + std::to_string(MAX_SCRIPT_TEXT) + " characters"};
    return Parser{text}.Parse();
}

CScript ParseScriptOrHex(std::string_view text)
{
    text = Trim(text);
    if (text.empty()) throw InputError{"the script is empty (write 0x for an empty script)"};
    if (!HasOnlyHexDigits(text)) return ParseScript(text);
    return CScript{ParseHex(text)};
}

std::string FormatInstruction(opcodetype opcode, std::span<const uint8_t> data, std::optional<opcodetype> next)
{
    if (opcode == OP_0) return "OP_0";
    if (opcode <= OP_PUSHDATA4) {
        if (const auto number{LockTimeNumber(opcode, data, next)}) return std::to_string(*number);
        const std::string push{"<" + HexStr(data) + ">"};
        return opcode == ShortestPush(data.size()) ? push : "OP_PUSHDATA" + std::to_string(LengthSize(opcode)) + push;
    }
    std::string name{GetTapscriptOpName(opcode, SCRIPT_VERIFY_SLHDSA)};
    if (OpcodesByName().contains(name)) return name;
    return "0x" + HexStr(std::array{static_cast<uint8_t>(opcode)});
}

std::string FormatScript(std::span<const uint8_t> bytes, size_t max_size)
{
    const CScript script{bytes};
    std::string text;
    auto pc{script.begin()};
    while (pc != script.end()) {
        const auto begin{pc};
        opcodetype opcode;
        std::span<const uint8_t> data;
        if (!text.empty()) text += " ";
        if (!script.GetOp(pc, opcode, data)) {
            text += "0x" + HexStr(std::span{begin, script.end()});
            break;
        }
        std::optional<opcodetype> next;
        auto after{pc};
        opcodetype next_opcode;
        if (script.GetOp(after, next_opcode)) next = next_opcode;
        text += FormatInstruction(opcode, data, next);
        if (text.size() > max_size) return text.substr(0, max_size) + "...";
    }
    return text;
}

} // namespace slhc::tool
