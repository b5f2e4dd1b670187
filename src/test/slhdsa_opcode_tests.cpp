// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// The opcodes below a spend: EvalScript, and each opcode's operands, by the specification's table. What a spend can show is in
// doc/bip/vectors (bip_vectors_tests).

#include <crypto/hash.h>
#include <primitives/serialize.h>
#include <script/interpreter.h>
#include <script/observer.h>
#include <script/opcode_info.h>
#include <script/slhdsa_pubkey.h>
#include <script/stack.h>
#include <test/script_util.h>
#include <test/util/spends.h>

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

/** The opcode that checks, and the one that checks and adds. */
constexpr std::array<opcodetype, 2> BOTH_OPCODES{OP_CHECKSIGSLHDSA, OP_CHECKSIGADDSLHDSA};

constexpr script_verify_flags CONSENSUS{MANDATORY_SCRIPT_VERIFY_FLAGS};

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

std::string NameOf(uint8_t byte) { return GetTapscriptOpName(static_cast<opcodetype>(byte), CONSENSUS); }

} // namespace

BOOST_AUTO_TEST_SUITE(slhdsa_opcode_tests)

/** EvalScript itself, without the search for OP_SUCCESSx. */
BOOST_AUTO_TEST_CASE(without_the_flag_the_opcodes_are_disabled)
{
    for (const opcodetype opcode : BOTH_OPCODES) {
        for (const SigVersion version : {SigVersion::BASE, SigVersion::WITNESS_V0, SigVersion::TAPSCRIPT}) {
            ScriptStack stack;
            ScriptExecutionData execdata;
            ScriptError error;
            BOOST_CHECK(!EvalScript(stack, CScript{} << opcode, SCRIPT_VERIFY_NONE, BaseSignatureChecker{}, version, execdata, error));
            BOOST_CHECK_EQUAL(error, SCRIPT_ERR_DISABLED_OPCODE);
        }
    }
}

BOOST_AUTO_TEST_CASE(single_output_is_hashed_once)
{
    const CTransaction tx{MakeSpend(1)};
    const PrecomputedTransactionData txdata{tx, MakeSpent({CScript{} << OP_1}), /*force=*/true};
    ScriptExecutionData execdata;
    execdata.m_annex_init = true;
    execdata.m_tapleaf_hash = uint256{uint8_t{1}};
    const auto hash{
        [&] { return SignatureHashSchnorr(execdata, tx, 0, SIGHASH_SINGLE, SigVersion::TAPSCRIPT, txdata, KeyVersion::SLHDSA); }};
    const auto first{hash()};
    BOOST_REQUIRE(execdata.m_output_hash);
    BOOST_CHECK(execdata.m_output_hash->Bytes() == Sha256(SerializeToVector(tx.vout[0])));
    BOOST_CHECK(hash() == first);
    execdata.m_output_hash = uint256{uint8_t{1}}; // if it's kept, it is used
    BOOST_CHECK(hash() != first);
}

BOOST_AUTO_TEST_CASE(the_stack_moves_large_elements_and_does_not_read_them)
{
    ScriptStack stack;
    stack.Push(Bytes(521, 1));
    stack.Push(Bytes{2});
    BOOST_CHECK_EQUAL(stack.SizeOf(2), 521U);
    BOOST_CHECK_EQUAL(stack.SizeOf(1), 1U);
    BOOST_CHECK_THROW((void)stack.Read(2), LargeElementError);
    BOOST_CHECK_THROW((void)stack.Clone(), LargeElementError);
    BOOST_CHECK(std::ranges::equal(stack.Read(1), Bytes{2}));
    // A move hands the very bytes over.
    const uint8_t* const bytes{PeekForDisplay(stack, 2).data()};
    StackElement element{stack.Move(2)};
    BOOST_CHECK(element.IsLarge());
    stack.Push(std::move(element));
    BOOST_CHECK(PeekForDisplay(stack, 1).data() == bytes);
    BOOST_CHECK(std::move(stack.Move(1)).TakeBytes().data() == bytes);
    BOOST_CHECK_EQUAL(stack.size(), 1U);
}

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

BOOST_AUTO_TEST_CASE(numbers_of_sets_that_scripts_know)
{
    for (int number{0}; number < 0x100; ++number) {
        Bytes element(33, 1);
        element[0] = static_cast<uint8_t>(number);
        const auto parsed{SLHDSAPubKey::Parse(element, /*with_sets=*/true)};
        BOOST_CHECK_EQUAL(parsed.has_value(), number == 24 || number == 40);
        if (parsed) BOOST_CHECK(parsed->Element() == element);
        BOOST_CHECK(!SLHDSAPubKey::Parse(element, /*with_sets=*/false));
    }
}

BOOST_AUTO_TEST_SUITE_END()
