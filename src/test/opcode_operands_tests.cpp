// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// The specification's table of each opcode's operands, row by row against the interpreter.

#include <script/interpreter.h>
#include <script/opcode_info.h>
#include <test/script_machine.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

using namespace slhc;
using namespace slhc::test;

namespace {

constexpr size_t LARGE{521};

using Use = OperandUse;

/** One row of the table. */
struct Row {
    std::vector<uint8_t> bytes;
    std::set<std::string> names;       //!< of opcodes
    std::vector<std::string> operands; //!< the deepest first
    std::map<std::string, Use> uses;   //!< of each operand

    /** xn ... x1 x0 n */
    [[nodiscard]] bool IsPickOrRoll() const { return names.contains("OP_PICK") || names.contains("OP_ROLL"); }
    /** Its operand is on the alternative stack. */
    [[nodiscard]] bool IsFromAltStack() const { return names.contains("OP_FROMALTSTACK"); }
    /** True for opcodes that decode a number, or find an element, before they look at another operand. */
    [[nodiscard]] bool HasOrderOfItsOwn() const { return IsPickOrRoll() || names.contains("OP_CHECKSIGADDSLHDSA"); }
};

std::vector<std::string> Split(std::string_view text, std::string_view separator)
{
    std::vector<std::string> parts;
    for (size_t end; (end = text.find(separator)) != text.npos; text.remove_prefix(end + separator.size())) {
        parts.emplace_back(text.substr(0, end));
    }
    parts.emplace_back(text);
    return parts;
}

std::vector<std::string> Words(const std::string& text)
{
    std::istringstream stream{text};
    return {std::istream_iterator<std::string>{stream}, {}};
}

void ReplaceAll(std::string& text, std::string_view from, std::string_view to)
{
    for (size_t at{0}; (at = text.find(from, at)) != text.npos; at += to.size()) text.replace(at, from.size(), to);
}

/** "0x61, 0x67-0x69" */
std::vector<uint8_t> ParseBytes(const std::string& text)
{
    std::vector<uint8_t> bytes;
    for (const std::string& part : Split(text, ", ")) {
        const auto ends{Split(part, "-")};
        const int first{std::stoi(ends.front(), nullptr, 16)};
        const int last{std::stoi(ends.back(), nullptr, 16)};
        for (int byte{first}; byte <= last; ++byte) bytes.push_back(static_cast<uint8_t>(byte));
    }
    return bytes;
}

std::vector<Row> ReadTable()
{
    std::ifstream file{SLHC_BIP_TEXT};
    std::string text{std::istreambuf_iterator<char>{file}, {}};
    BOOST_REQUIRE_MESSAGE(!text.empty(), "cannot read " SLHC_BIP_TEXT);
    ReplaceAll(text, "&ndash;", "-");
    ReplaceAll(text, "&hellip;", "...");
    ReplaceAll(text, "</code>", " ");
    ReplaceAll(text, "<code>", " ");
    const size_t begin{text.find("! Opcode !! Byte !! Operands !! Read !! Moved !! Left !! Signature")};
    BOOST_REQUIRE(begin != text.npos);
    auto lines{Split(std::string_view{text}.substr(begin, text.find("\n|}", begin) - begin), "|-\n")};
    lines.erase(lines.begin()); // the head

    std::vector<Row> rows;
    for (const std::string& line : lines) {
        auto cells{Split(line.substr(1), "||")};
        BOOST_REQUIRE_LE(cells.size(), 7U);
        cells.resize(7);
        Row row{.bytes = ParseBytes(Words(cells[1]).empty() ? "" : cells[1]), .names = {}, .operands = Words(cells[2]), .uses = {}};
        for (const std::string& word : Words(cells[0])) {
            if (const size_t end{word.find_first_of(",-")}; word.starts_with("OP_")) row.names.insert(word.substr(0, end));
        }
        const std::array<Use, 4> kinds{Use::READ, Use::MOVED, Use::LEFT, Use::SIGNATURE};
        for (size_t i{0}; i < kinds.size(); ++i) {
            for (const std::string& operand : Words(cells[3 + i])) {
                BOOST_CHECK_MESSAGE(row.uses.emplace(operand, kinds[i]).second, line << ": two kinds for one operand");
            }
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

const std::vector<Row>& Table()
{
    static const std::vector<Row> TABLE{ReadTable()};
    return TABLE;
}

/** The operands of one execution. */
struct Instance {
    std::vector<Bytes> elements;
    std::vector<Use> uses;
};

/** Elements with which any opcode succeeds: true, equal to each other, numbers, a key of unknown type.
 *  @param[in] n  of OP_PICK and OP_ROLL */
Instance Instantiate(const Row& row, uint8_t n = 0)
{
    Instance instance;
    const auto add{[&](Bytes element, Use use) {
        instance.elements.push_back(std::move(element));
        instance.uses.push_back(use);
    }};
    if (row.IsPickOrRoll()) {
        BOOST_REQUIRE((row.operands == std::vector<std::string>{"xn", "...", "x1", "x0", "n"}));
        add({9}, row.uses.at("xn"));
        for (uint8_t i{0}; i < n; ++i) add({i}, row.uses.at("x0"));
        add(SerializeScriptNum(n), row.uses.at("n"));
        return instance;
    }
    for (const std::string& operand : row.operands) add(operand == "pubkey" ? Bytes(33, 2) : Bytes{1}, row.uses.at(operand));
    return instance;
}

/** One execution of an opcode, with the opcodes that its form demands around it. */
CScript Once(uint8_t byte)
{
    CScript script{Bytes{byte}};
    if (byte < OP_PUSHDATA1) script.insert(script.end(), byte, 7);
    if (byte >= OP_PUSHDATA1 && byte <= OP_PUSHDATA4) script.insert(script.end(), size_t{1} << (byte - OP_PUSHDATA1), 0);
    if (byte == OP_IF || byte == OP_NOTIF) script << OP_ENDIF;
    return script;
}

class AllLockTimesReached final : public BaseSignatureChecker
{
public:
    [[nodiscard]] bool CheckLockTime(const CScriptNum&) const override { return true; }
    [[nodiscard]] bool CheckSequence(const CScriptNum&) const override { return true; }
};

Machine Execute(const std::vector<Bytes>& elements, uint8_t byte, script_verify_flags flags = CONSENSUS)
{
    return Machine{elements, Once(byte), flags, AllLockTimesReached{}};
}

std::string NameOf(uint8_t byte) { return GetTapscriptOpName(static_cast<opcodetype>(byte), CONSENSUS); }

/** Run body for each opcode that takes operands from the stack, and each n that makes a difference to it. */
template <typename F>
void ForEachInstance(F&& body)
{
    for (const Row& row : Table()) {
        if (row.operands.empty() || row.IsFromAltStack()) continue;
        for (const uint8_t byte : row.bytes) {
            for (const uint8_t n : row.IsPickOrRoll() ? std::vector<uint8_t>{0, 1, 3} : std::vector<uint8_t>{0}) {
                BOOST_TEST_CONTEXT(NameOf(byte)) { body(row, byte, Instantiate(row, n)); }
            }
        }
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(opcode_operands_tests)

BOOST_AUTO_TEST_CASE(every_byte_is_in_the_table_once_or_an_op_success)
{
    std::map<uint8_t, int> rows;
    for (const Row& row : Table()) {
        std::set<std::string> names;
        for (const uint8_t byte : row.bytes) {
            ++rows[byte];
            names.insert(NameOf(byte));
        }
        // Rows without operands leave out names from ranges.
        BOOST_CHECK(std::ranges::includes(names, row.names));
        if (!row.operands.empty()) BOOST_CHECK(names == row.names);
        // Every operand is of one kind.
        for (const std::string& operand : row.operands) {
            BOOST_CHECK_MESSAGE(row.uses.contains(operand) || row.IsPickOrRoll(), *row.names.begin() << ": " << operand);
        }
        BOOST_CHECK(row.uses.size() == row.operands.size() || row.IsPickOrRoll());
    }
    for (int byte{0}; byte <= 0xff; ++byte) {
        BOOST_CHECK_MESSAGE(rows[static_cast<uint8_t>(byte)] + IsOpSuccess(static_cast<opcodetype>(byte), CONSENSUS) == 1,
                            "opcode " << byte);
    }
}

BOOST_AUTO_TEST_CASE(the_list_of_opcodes_says_the_same)
{
    for (const Row& row : Table()) {
        std::vector<Use> uses;
        if (row.IsPickOrRoll()) {
            uses = {row.uses.at("xn"), row.uses.at("n")}; // what lies between them may be nothing
        } else if (!row.IsFromAltStack()) {
            for (const std::string& operand : row.operands) uses.push_back(row.uses.at(operand));
        }
        for (const uint8_t byte : row.bytes) {
            BOOST_CHECK_MESSAGE(std::ranges::equal(GetOperands(static_cast<opcodetype>(byte)), uses), NameOf(byte));
        }
    }
}

BOOST_AUTO_TEST_CASE(small_operands_succeed)
{
    // Without this, large operands would fail for no reason of their own below.
    ForEachInstance([](const Row&, uint8_t byte, const Instance& instance) {
        BOOST_CHECK_EQUAL(Execute(instance.elements, byte).error, SCRIPT_ERR_OK);
    });
}

// large-operands
BOOST_AUTO_TEST_CASE(a_large_operand_fails_where_it_is_read_and_nowhere_else)
{
    ForEachInstance([](const Row&, uint8_t byte, const Instance& instance) {
        for (size_t i{0}; i < instance.elements.size(); ++i) {
            BOOST_TEST_CONTEXT("operand " << i)
            {
                auto elements{instance.elements};
                for (const size_t size : {LARGE, size_t{7856}, size_t{7857}}) {
                    elements[i] = Bytes(size, 1);
                    const Machine machine{Execute(elements, byte)};
                    BOOST_CHECK_EQUAL(machine.error, instance.uses[i] == Use::READ ? SCRIPT_ERR_PUSH_SIZE : SCRIPT_ERR_OK);
                    if (instance.uses[i] == Use::READ) continue;
                    // Whole, and never twice
                    const auto after{machine.Elements()};
                    const auto copies{std::ranges::count(after, elements[i])};
                    BOOST_CHECK_LE(copies, 1);
                    if (instance.uses[i] == Use::LEFT) BOOST_CHECK_EQUAL(copies, 1);
                    if (instance.uses[i] == Use::SIGNATURE) BOOST_CHECK_EQUAL(copies, 0);
                    for (const Bytes& element : after) BOOST_CHECK(element.size() < LARGE || element == elements[i]);
                }
                // 520 bytes are not large.
                elements[i] = Bytes(LARGE - 1, 1);
                BOOST_CHECK_NE(Execute(elements, byte).error, SCRIPT_ERR_PUSH_SIZE);
            }
        }
    });
}

BOOST_AUTO_TEST_CASE(elements_below_the_operands_may_be_large)
{
    const Bytes large(7857, 1);
    ForEachInstance([&](const Row&, uint8_t byte, const Instance& instance) {
        auto elements{instance.elements};
        elements.insert(elements.begin(), large);
        const Machine machine{Execute(elements, byte)};
        BOOST_CHECK_EQUAL(machine.error, SCRIPT_ERR_OK);
        BOOST_CHECK(machine.Elements().front() == large);
    });
    for (const Row& row : Table()) {
        if (!row.operands.empty()) continue;
        for (const uint8_t byte : row.bytes) {
            const Machine machine{Execute({large}, byte)};
            BOOST_CHECK_NE(machine.error, SCRIPT_ERR_PUSH_SIZE);
            BOOST_CHECK_MESSAGE(machine.Elements().front() == large, NameOf(byte));
        }
    }
}

BOOST_AUTO_TEST_CASE(depth_comes_first)
{
    ForEachInstance([](const Row& row, uint8_t byte, const Instance& instance) {
        // OP_PICK and OP_ROLL know how deep only when they have read n.
        const size_t needed{row.IsPickOrRoll() ? 2 : instance.elements.size()};
        BOOST_CHECK_EQUAL(Execute(std::vector<Bytes>(needed - 1, Bytes(LARGE, 1)), byte).error, SCRIPT_ERR_INVALID_STACK_OPERATION);
        BOOST_CHECK_NE(Execute(std::vector<Bytes>(needed, Bytes(LARGE, 1)), byte).error, SCRIPT_ERR_INVALID_STACK_OPERATION);
    });
}

// large-order
BOOST_AUTO_TEST_CASE(large_operands_come_before_all_other_checks)
{
    ForEachInstance([](const Row& row, uint8_t byte, const Instance& instance) {
        if (row.HasOrderOfItsOwn()) return;
        for (size_t i{0}; i < instance.elements.size(); ++i) {
            if (instance.uses[i] != Use::READ) continue;
            // Whatever else is wrong: no number, no minimal one, not equal, empty key, ...
            for (const Bytes& other : {Bytes(5, 1), Bytes{}, Bytes(520, 1), Bytes{0x80}}) {
                std::vector<Bytes> elements(instance.elements.size(), other);
                elements[i] = Bytes(LARGE, 1);
                BOOST_CHECK_EQUAL(Execute(elements, byte, CONSENSUS | SCRIPT_VERIFY_MINIMALDATA).error, SCRIPT_ERR_PUSH_SIZE);
            }
        }
    });
}

BOOST_AUTO_TEST_CASE(orders_of_their_own)
{
    const Bytes large(LARGE, 1);
    const Bytes no_number(5, 1);
    // n, its range, then the element
    for (const uint8_t byte : {OP_PICK, OP_ROLL}) {
        BOOST_CHECK_EQUAL(Execute({large, large}, byte).error, SCRIPT_ERR_PUSH_SIZE);
        BOOST_CHECK_EQUAL(Execute({large, no_number}, byte).error, SCRIPT_ERR_SCRIPTNUM);
        BOOST_CHECK_EQUAL(Execute({large, {1}}, byte).error, SCRIPT_ERR_INVALID_STACK_OPERATION);
        BOOST_CHECK_EQUAL(Execute({large, {0x81}}, byte).error, SCRIPT_ERR_INVALID_STACK_OPERATION);
    }
    // The number, then the key
    BOOST_CHECK_EQUAL(Execute({{}, large, {}}, OP_CHECKSIGADDSLHDSA).error, SCRIPT_ERR_PUSH_SIZE);
    BOOST_CHECK_EQUAL(Execute({{}, no_number, large}, OP_CHECKSIGADDSLHDSA).error, SCRIPT_ERR_SCRIPTNUM);
    BOOST_CHECK_EQUAL(Execute({{}, {}, large}, OP_CHECKSIGADDSLHDSA).error, SCRIPT_ERR_PUSH_SIZE);
    BOOST_CHECK_EQUAL(Execute({{}, {}, {}}, OP_CHECKSIGADDSLHDSA).error, SCRIPT_ERR_TAPSCRIPT_EMPTY_PUBKEY);
}

BOOST_AUTO_TEST_CASE(the_alternative_stack)
{
    // The one operand that is not on the stack
    const auto row{std::ranges::find_if(Table(), &Row::IsFromAltStack)};
    BOOST_REQUIRE(row != Table().end());
    BOOST_CHECK((row->uses == std::map<std::string, Use>{{"y1", Use::MOVED}}));
    const Bytes large(LARGE, 1);
    const Machine there_and_back{{{7}, large}, CScript{} << OP_TOALTSTACK << OP_FROMALTSTACK};
    BOOST_CHECK_EQUAL(there_and_back.error, SCRIPT_ERR_OK);
    BOOST_CHECK((there_and_back.Elements() == std::vector<Bytes>{{7}, large}));
    BOOST_CHECK_EQUAL(Execute({large}, OP_FROMALTSTACK).error, SCRIPT_ERR_INVALID_ALTSTACK_OPERATION);
}

BOOST_AUTO_TEST_SUITE_END()
