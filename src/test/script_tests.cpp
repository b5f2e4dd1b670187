// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// The parts of Script that need no transaction: instructions, numbers, names, flags, errors, encodings, keys.

#include <crypto/hash.h>
#include <primitives/transaction.h>
#include <script/interpreter.h>
#include <script/pubkey.h>
#include <script/script.h>
#include <script/sig_encoding.h>
#include <script/verify_flags.h>
#include <test/json_data.h>
#include <test/script_util.h>
#include <test/util/spends.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <set>
#include <utility>
#include <vector>

using namespace slhc;
using namespace slhc::test;

BOOST_AUTO_TEST_SUITE(script_tests)

BOOST_AUTO_TEST_CASE(pushes_take_the_shortest_prefix)
{
    const auto prefix{[](size_t size) {
        const CScript script{CScript{} << Bytes(size, 7)};
        return Bytes{script.begin(), script.end() - static_cast<std::ptrdiff_t>(size)};
    }};
    BOOST_CHECK((prefix(0) == Bytes{0}));
    BOOST_CHECK((prefix(1) == Bytes{1}));
    BOOST_CHECK((prefix(75) == Bytes{75}));
    BOOST_CHECK((prefix(76) == Bytes{OP_PUSHDATA1, 76}));
    BOOST_CHECK((prefix(255) == Bytes{OP_PUSHDATA1, 255}));
    BOOST_CHECK((prefix(256) == Bytes{OP_PUSHDATA2, 0, 1}));
    BOOST_CHECK((prefix(65535) == Bytes{OP_PUSHDATA2, 255, 255}));
    BOOST_CHECK((prefix(65536) == Bytes{OP_PUSHDATA4, 0, 0, 1, 0}));

    const auto number{[](int64_t n) { return CScript{} << n; }};
    BOOST_CHECK(number(0) == CScript{Bytes{OP_0}});
    BOOST_CHECK(number(-1) == CScript{Bytes{OP_1NEGATE}});
    BOOST_CHECK(number(1) == CScript{Bytes{OP_1}});
    BOOST_CHECK(number(16) == CScript{Bytes{OP_16}});
    BOOST_CHECK(number(17) == (CScript{Bytes{1, 17}}));
    BOOST_CHECK(number(-2) == (CScript{Bytes{1, 0x82}}));
    BOOST_CHECK(number(500) == (CScript{Bytes{2, 0xf4, 0x01}}));
    for (int n{0}; n <= 16; ++n) BOOST_CHECK_EQUAL(CScript::DecodeOP_N(CScript::EncodeOP_N(n)), n);
}

BOOST_AUTO_TEST_CASE(instructions_decode_unless_they_are_cut_off)
{
    opcodetype opcode;
    std::span<const uint8_t> data;
    for (const size_t size : {0, 1, 75, 76, 255, 256, 65535, 65536}) {
        CScript script{CScript{} << OP_DUP << Bytes(size, 9) << OP_DROP};
        auto pc{script.cbegin()};
        BOOST_CHECK(script.GetOp(pc, opcode, data) && opcode == OP_DUP && data.empty());
        BOOST_CHECK(script.GetOp(pc, opcode, data) && opcode <= OP_PUSHDATA4 && data.size() == size);
        BOOST_CHECK(script.GetOp(pc, opcode) && opcode == OP_DROP);
        BOOST_CHECK(pc == script.cend());
        BOOST_CHECK(!script.GetOp(pc, opcode, data));
        BOOST_CHECK(opcode == OP_INVALIDOPCODE);
    }
    // Cut off in each place; pc stops behind what could be read.
    const std::vector<std::pair<Bytes, std::ptrdiff_t>> cut_off{{{5}, 1},
                                                                {{5, 1, 2, 3, 4}, 1},
                                                                {{OP_PUSHDATA1}, 1},
                                                                {{OP_PUSHDATA1, 2, 7}, 2},
                                                                {{OP_PUSHDATA2, 1}, 1},
                                                                {{OP_PUSHDATA2, 1, 0}, 3},
                                                                {{OP_PUSHDATA4, 1, 0, 0}, 1},
                                                                {{OP_PUSHDATA4, 2, 0, 0, 0, 7}, 5},
                                                                {{OP_PUSHDATA4, 0xff, 0xff, 0xff, 0xff, 7}, 5}};
    for (const auto& [bytes, stops_at] : cut_off) {
        const CScript script{bytes};
        auto pc{script.begin()};
        BOOST_CHECK(!script.GetOp(pc, opcode, data));
        BOOST_CHECK_EQUAL(pc - script.begin(), stops_at);
        BOOST_CHECK(opcode == OP_INVALIDOPCODE);
        BOOST_CHECK(!script.IsPushOnly());
    }
}

BOOST_AUTO_TEST_CASE(script_numbers)
{
    const std::vector<std::pair<int64_t, Bytes>> numbers{
        {0, {}}, {1, {1}}, {-1, {0x81}}, {127, {0x7f}}, {-127, {0xff}}, {128, {0x80, 0}}, {-128, {0x80, 0x80}}, {255, {0xff, 0}},
        {256, {0, 1}}, {-255, {0xff, 0x80}}, {32767, {0xff, 0x7f}}, {32768, {0, 0x80, 0}}, {0x7fffffff, {0xff, 0xff, 0xff, 0x7f}},
        {-0x7fffffff, {0xff, 0xff, 0xff, 0xff}}};
    for (const auto& [number, bytes] : numbers) {
        BOOST_CHECK(CScriptNum{number}.getvch() == bytes);
        BOOST_CHECK_EQUAL((CScriptNum{bytes, /*require_minimal=*/true}.GetInt64()), number);
        // A longer form of the same number
        if (bytes.size() == 4) continue;
        Bytes longer{bytes};
        const uint8_t sign{static_cast<uint8_t>(number < 0 ? 0x80 : 0)};
        if (!longer.empty()) longer.back() &= static_cast<uint8_t>(~sign);
        longer.push_back(sign);
        if (number < 0 && (bytes.back() & 0x7f) == 0) longer = {bytes[0], 0x00, 0x80};
        BOOST_CHECK_EQUAL((CScriptNum{longer, false}.GetInt64()), number);
        BOOST_CHECK_THROW((CScriptNum{longer, true}), scriptnum_error);
    }
    BOOST_CHECK_THROW((CScriptNum{Bytes{0x80}, true}), scriptnum_error); // minus zero
    BOOST_CHECK_EQUAL((CScriptNum{Bytes{0x80}, false}.GetInt64()), 0);
    BOOST_CHECK_THROW((CScriptNum{Bytes{0, 0, 0, 0x80, 0}, true}), scriptnum_error);
    BOOST_CHECK_EQUAL((CScriptNum{Bytes{0, 0, 0, 0x80, 0}, true, 5}.GetInt64()), 0x80000000);
    BOOST_CHECK_THROW((CScriptNum{Bytes(6, 1), false, 5}), scriptnum_error);
    // Bytes in front of a number in memory do not belong to it.
    const Bytes two_numbers{0x80, 0x00};
    BOOST_CHECK_THROW((CScriptNum{std::span{two_numbers}.last(1), true}), scriptnum_error);
    // Results don't have to be operands.
    BOOST_CHECK((CScriptNum{int64_t{0x80000000}}.getvch() == Bytes{0, 0, 0, 0x80, 0}));
    BOOST_CHECK((SerializeScriptNum(std::numeric_limits<int64_t>::min()) == Bytes{0, 0, 0, 0, 0, 0, 0, 0x80, 0x80}));
    BOOST_CHECK_EQUAL(CScriptNum{int64_t{1} << 40}.getint(), std::numeric_limits<int>::max());
    BOOST_CHECK_EQUAL(CScriptNum{-(int64_t{1} << 40)}.getint(), std::numeric_limits<int>::min());
}

BOOST_AUTO_TEST_CASE(zero_and_negative_zero_are_false)
{
    for (const Bytes& bytes : {Bytes{}, Bytes{0}, Bytes{0x80}, Bytes{0, 0}, Bytes{0, 0x80}, Bytes(520, 0)}) BOOST_CHECK(!CastToBool(bytes));
    for (const Bytes& bytes : {Bytes{1}, Bytes{0x81}, Bytes{0x80, 0}, Bytes{0x80, 0x80}, Bytes{0, 1}, Bytes{1, 0}, Bytes{0, 0x81}}) {
        BOOST_CHECK(CastToBool(bytes));
    }
}

/** Each size has one opcode, the shortest; above OP_PUSHDATA2's range, there is no choice. */
BOOST_AUTO_TEST_CASE(every_size_has_its_push)
{
    std::vector<size_t> sizes(300);
    for (size_t i{0}; i < sizes.size(); ++i) sizes[i] = i + 2;
    sizes.insert(sizes.end(), {520, 521, 0xfffe, 0xffff});
    for (const size_t size : sizes) {
        const int shortest{size < 76 ? static_cast<int>(size) : size < 0x100 ? OP_PUSHDATA1 : OP_PUSHDATA2};
        for (int opcode{0}; opcode <= OP_PUSHDATA4; ++opcode) {
            BOOST_CHECK_EQUAL(CheckMinimalPush(Bytes(size, 1), static_cast<opcodetype>(opcode)), opcode == shortest);
        }
    }
    BOOST_CHECK(CheckMinimalPush(Bytes(0x10000, 1), OP_PUSHDATA4));
}

BOOST_AUTO_TEST_CASE(minimal_pushes)
{
    const auto direct{[](size_t size) { return static_cast<opcodetype>(size); }};
    BOOST_CHECK(CheckMinimalPush({}, OP_0));
    BOOST_CHECK(!CheckMinimalPush({}, OP_PUSHDATA1));
    for (int byte{0}; byte <= 0xff; ++byte) {
        const bool has_opcode{(byte >= 1 && byte <= 16) || byte == 0x81};
        BOOST_CHECK_EQUAL(CheckMinimalPush(Bytes{static_cast<uint8_t>(byte)}, direct(1)), !has_opcode);
    }
    BOOST_CHECK(CheckMinimalPush(Bytes(75, 1), direct(75)));
    BOOST_CHECK(!CheckMinimalPush(Bytes(75, 1), OP_PUSHDATA1));
    BOOST_CHECK(CheckMinimalPush(Bytes(76, 1), OP_PUSHDATA1));
    BOOST_CHECK(!CheckMinimalPush(Bytes(76, 1), OP_PUSHDATA2));
    BOOST_CHECK(!CheckMinimalPush(Bytes(76, 1), direct(75)));
    BOOST_CHECK(CheckMinimalPush(Bytes(255, 1), OP_PUSHDATA1));
    BOOST_CHECK(CheckMinimalPush(Bytes(256, 1), OP_PUSHDATA2));
    BOOST_CHECK(!CheckMinimalPush(Bytes(256, 1), OP_PUSHDATA4));
    BOOST_CHECK(!CheckMinimalPush(Bytes(256, 1), OP_PUSHDATA1));
    BOOST_CHECK(CheckMinimalPush(Bytes(65536, 1), OP_PUSHDATA4));
}

BOOST_AUTO_TEST_CASE(opcode_names)
{
    BOOST_CHECK_EQUAL(GetOpName(OP_0), "OP_0");
    BOOST_CHECK_EQUAL(GetOpName(static_cast<opcodetype>(20)), "OP_PUSHBYTES_20");
    BOOST_CHECK_EQUAL(GetOpName(OP_PUSHDATA1), "OP_PUSHDATA1");
    BOOST_CHECK_EQUAL(GetOpName(OP_1NEGATE), "OP_1NEGATE");
    BOOST_CHECK_EQUAL(GetOpName(OP_16), "OP_16");
    BOOST_CHECK_EQUAL(GetOpName(OP_CHECKSIGSLHDSA), "OP_SUBSTR");
    BOOST_CHECK_EQUAL(GetOpName(OP_CHECKSIGADDSLHDSA), "OP_LEFT");
    BOOST_CHECK_EQUAL(GetOpName(OP_CHECKSEQUENCEVERIFY), "OP_CHECKSEQUENCEVERIFY");
    BOOST_CHECK_EQUAL(GetOpName(OP_CHECKSIGADD), "OP_CHECKSIGADD");
    BOOST_CHECK_EQUAL(GetOpName(static_cast<opcodetype>(0xbb)), "OP_UNKNOWN");
    BOOST_CHECK_EQUAL(GetOpName(OP_INVALIDOPCODE), "OP_INVALIDOPCODE");
    BOOST_CHECK_EQUAL(GetTapscriptOpName(OP_CHECKSIGSLHDSA, SCRIPT_VERIFY_SLHDSA), "OP_CHECKSIGSLHDSA");
    BOOST_CHECK_EQUAL(GetTapscriptOpName(OP_CHECKSIGADDSLHDSA, SCRIPT_VERIFY_SLHDSA), "OP_CHECKSIGADDSLHDSA");
    BOOST_CHECK_EQUAL(GetTapscriptOpName(OP_CHECKSIGSLHDSA, SCRIPT_VERIFY_NONE), "OP_SUCCESS127");
    BOOST_CHECK_EQUAL(GetTapscriptOpName(OP_RESERVED, SCRIPT_VERIFY_SLHDSA), "OP_SUCCESS80");
    BOOST_CHECK_EQUAL(GetTapscriptOpName(OP_CHECKSIG, SCRIPT_VERIFY_SLHDSA), "OP_CHECKSIG");
    std::set<std::string> names;
    for (int opcode{0}; opcode <= OP_CHECKSIGADD; ++opcode) names.insert(GetOpName(static_cast<opcodetype>(opcode)));
    BOOST_CHECK_EQUAL(names.size(), OP_CHECKSIGADD + 1U);
}

BOOST_AUTO_TEST_CASE(error_names)
{
    std::set<std::string_view> texts;
    for (int i{0}; i < SCRIPT_ERR_ERROR_COUNT; ++i) {
        const auto error{static_cast<ScriptError>(i)};
        const std::string_view name{ScriptErrorName(error)};
        BOOST_CHECK(ScriptErrorFromName(name) == error);
        BOOST_CHECK(ScriptErrorFromName(name.substr(11)) == error);
        texts.insert(ScriptErrorString(error));
    }
    BOOST_CHECK_EQUAL(texts.size(), static_cast<size_t>(SCRIPT_ERR_ERROR_COUNT));
    BOOST_CHECK_EQUAL(ScriptErrorName(SCRIPT_ERR_EVAL_FALSE), "SCRIPT_ERR_EVAL_FALSE");
    BOOST_CHECK_EQUAL(ScriptErrorName(SCRIPT_ERR_SLHDSA_SIG_SIZE), "SCRIPT_ERR_SLHDSA_SIG_SIZE");
    for (const int none : {-1, static_cast<int>(SCRIPT_ERR_ERROR_COUNT), 1000}) {
        BOOST_CHECK_EQUAL(ScriptErrorName(static_cast<ScriptError>(none)), "SCRIPT_ERR_UNKNOWN_ERROR");
    }
    BOOST_CHECK(!ScriptErrorFromName("SCRIPT_ERR_NONE_OF_THEM"));
    BOOST_CHECK(!ScriptErrorFromName(""));
}

BOOST_AUTO_TEST_CASE(flag_names_and_sets)
{
    for (int bit{0}; bit < MAX_SCRIPT_VERIFY_FLAGS_BITS; ++bit) {
        const auto flag{static_cast<script_verify_flag_name>(bit)};
        BOOST_CHECK(ScriptFlagFromName(ScriptFlagName(flag)) == flag);
        BOOST_CHECK_EQUAL(script_verify_flags{flag}.as_int(), uint64_t{1} << bit);
    }
    std::string error;
    BOOST_CHECK(ParseScriptFlags("", error) == SCRIPT_VERIFY_NONE);
    BOOST_CHECK(ParseScriptFlags("NONE", error) == SCRIPT_VERIFY_NONE);
    BOOST_CHECK(ParseScriptFlags("P2SH,SLHDSA", error) == (SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_SLHDSA));
    BOOST_CHECK(!ParseScriptFlags("P2SH,", error));
    BOOST_CHECK_EQUAL(error, "unknown script verification flag ''");
    BOOST_CHECK(!ParseScriptFlags("P2SH,p2mr,WITNESS", error));
    BOOST_CHECK_EQUAL(error, "unknown script verification flag 'p2mr'");
    // An unknown name is repeated in one line of bearable length.
    BOOST_CHECK(!ParseScriptFlags("P2SH,a\nb" + std::string(100, 'x'), error));
    BOOST_CHECK_EQUAL(error, "unknown script verification flag 'a?b" + std::string(57, 'x') + "...'");
    for (const auto& [name, shown] : {std::pair{std::string{" ~\x1f\x7f\x80"}, std::string{" ~???"}},
                                      std::pair{std::string(60, 'y'), std::string(60, 'y')},
                                      std::pair{std::string(61, 'y'), std::string(60, 'y') + "..."}}) {
        BOOST_CHECK(!ParseScriptFlags(name, error));
        BOOST_CHECK_EQUAL(error, "unknown script verification flag '" + shown + "'");
    }
    for (const int none : {MAX_SCRIPT_VERIFY_FLAGS_BITS, MAX_SCRIPT_VERIFY_FLAGS_BITS + 1, 200}) {
        BOOST_CHECK_EQUAL(ScriptFlagName(static_cast<script_verify_flag_name>(none)), "UNKNOWN");
    }
    BOOST_CHECK_EQUAL(GetScriptFlagNames(script_verify_flags::from_int(MAX_SCRIPT_VERIFY_FLAGS + 1)).size(), 1U);
    BOOST_CHECK((GetScriptFlagNames(SCRIPT_VERIFY_SLHDSA | SCRIPT_VERIFY_P2SH | script_verify_flags::from_int(uint64_t{5} << 40)) ==
                 std::vector<std::string>{"P2SH", "SLHDSA", "0x50000000000"}));

    const auto check{[](script_verify_flags set) { return CheckFlags(set).value_or("fine"); }};
    BOOST_CHECK_EQUAL(check(SCRIPT_VERIFY_NONE), "fine");
    BOOST_CHECK_EQUAL(check(script_verify_flags::from_int(MAX_SCRIPT_VERIFY_FLAGS)), "fine");
    BOOST_CHECK_EQUAL(check(script_verify_flags::from_int(MAX_SCRIPT_VERIFY_FLAGS + 1)).substr(0, 36),
                      "unknown script verification flags 0x");
    BOOST_CHECK_EQUAL(check(script_verify_flags::from_int(uint64_t{1} << 40)), "unknown script verification flags 0x10000000000");
    BOOST_CHECK_EQUAL(check(script_verify_flags::from_int(~uint64_t{0})), "unknown script verification flags 0xffffffffff000000");
    BOOST_CHECK_EQUAL(check(SCRIPT_VERIFY_WITNESS), "script verification flag WITNESS needs P2SH");
    BOOST_CHECK_EQUAL(check(SCRIPT_VERIFY_CLEANSTACK), "script verification flag CLEANSTACK needs P2SH and WITNESS");
    BOOST_CHECK_EQUAL(check(SCRIPT_VERIFY_CLEANSTACK | SCRIPT_VERIFY_P2SH), "script verification flag CLEANSTACK needs P2SH and WITNESS");
    BOOST_CHECK_EQUAL(check(SCRIPT_VERIFY_CLEANSTACK | SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS), "fine");
    BOOST_CHECK_EQUAL(check(SCRIPT_VERIFY_P2MR | SCRIPT_VERIFY_SLHDSA), "fine");

    // Such flags are an error of a script, and no crash.
    for (const script_verify_flags bad : {script_verify_flags{SCRIPT_VERIFY_WITNESS}, script_verify_flags{SCRIPT_VERIFY_CLEANSTACK},
                                          script_verify_flags::from_int(uint64_t{1} << 63)}) {
        ScriptError script_error;
        BOOST_CHECK(!VerifyScript({}, CScript{} << OP_TRUE, nullptr, bad, BaseSignatureChecker{}, script_error));
        BOOST_CHECK_EQUAL(script_error, SCRIPT_ERR_UNKNOWN_ERROR);
    }
}

BOOST_AUTO_TEST_CASE(templates)
{
    int version;
    std::span<const uint8_t> program;
    const auto is_program{[&](const CScript& script) { return script.IsWitnessProgram(version, program); }};
    for (const size_t size : {1, 2, 40, 41}) {
        BOOST_CHECK_EQUAL(is_program(CScript{} << OP_3 << Bytes(size, 1)), size >= 2 && size <= 40);
    }
    BOOST_CHECK(is_program(CScript{} << OP_0 << Bytes(20, 1)));
    BOOST_CHECK_EQUAL(version, 0);
    BOOST_CHECK(is_program(CScript{} << OP_16 << Bytes(20, 1)));
    BOOST_CHECK_EQUAL(version, 16);
    BOOST_CHECK_EQUAL(program.size(), 20U);
    BOOST_CHECK(!is_program(CScript{} << OP_1NEGATE << Bytes(20, 1)));
    BOOST_CHECK(!is_program(CScript{} << OP_NOP << Bytes(20, 1)));
    BOOST_CHECK(!is_program(CScript{} << OP_1 << Bytes(20, 1) << OP_NOP));
    BOOST_CHECK(!is_program(CScript{Bytes{OP_1, OP_PUSHDATA1, 2, 1, 1}}));

    const CScript anchor{CScript{} << OP_1 << Bytes{0x4e, 0x73}};
    BOOST_CHECK(anchor.IsPayToAnchor());
    BOOST_CHECK(!(CScript{} << OP_1 << Bytes{0x4e, 0x74}).IsPayToAnchor());
    BOOST_CHECK(!(CScript{} << OP_1 << Bytes{0x4f, 0x73}).IsPayToAnchor());
    BOOST_CHECK(!(CScript{} << OP_1 << Bytes{0x4e, 0x73, 0}).IsPayToAnchor());
    BOOST_CHECK(!(CScript{} << OP_2 << Bytes{0x4e, 0x73}).IsPayToAnchor());
    BOOST_CHECK((CScript{} << OP_HASH160 << Bytes(20, 1) << OP_EQUAL).IsPayToScriptHash());
    BOOST_CHECK(!(CScript{} << OP_HASH160 << Bytes(21, 1) << OP_EQUAL).IsPayToScriptHash());
    BOOST_CHECK(!(CScript{} << OP_HASH160 << Bytes(19, 1) << OP_EQUAL).IsPayToScriptHash());
    BOOST_CHECK(!(CScript{} << OP_HASH160 << Bytes(20, 1) << OP_EQUAL << OP_NOP).IsPayToScriptHash());
    BOOST_CHECK(!(CScript{} << OP_HASH256 << Bytes(20, 1) << OP_EQUAL).IsPayToScriptHash());
    BOOST_CHECK(!(CScript{} << OP_HASH160 << Bytes(20, 1) << OP_EQUALVERIFY).IsPayToScriptHash());
    BOOST_CHECK(!(CScript{} << OP_HASH160 << Bytes(19, 1) << OP_NOP << OP_EQUAL).IsPayToScriptHash());
    BOOST_CHECK(!(CScript{Bytes{OP_HASH160, OP_PUSHDATA1, 20}}.IsPayToScriptHash()));
    BOOST_CHECK((CScript{} << OP_0 << Bytes(32, 1)).IsPayToWitnessScriptHash());
    BOOST_CHECK((CScript{} << OP_1 << Bytes(32, 1)).IsPayToTaproot());
    BOOST_CHECK((CScript{} << OP_2 << Bytes(32, 1)).IsPayToMerkleRoot());
    BOOST_CHECK((CScript{} << OP_0 << Bytes(300, 1) << OP_16 << OP_RESERVED).IsPushOnly());
    BOOST_CHECK(!(CScript{} << OP_0 << OP_NOP).IsPushOnly());
    BOOST_CHECK((CScript{} << OP_RETURN).IsUnspendable());
    BOOST_CHECK(!(CScript{} << OP_TRUE << OP_RETURN).IsUnspendable());
    BOOST_CHECK(!CScript{Bytes(10'000, OP_NOP)}.IsUnspendable());
    BOOST_CHECK(CScript{Bytes(10'001, OP_NOP)}.IsUnspendable());
}

BOOST_AUTO_TEST_CASE(only_the_exact_program_is_an_anchor)
{
    const CScript anchor{CScript{} << OP_1 << Bytes{0x4e, 0x73}};
    const auto flags{SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS | SCRIPT_VERIFY_TAPROOT |
                     SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM};
    ScriptError error;
    BOOST_CHECK(VerifyScript({}, anchor, nullptr, flags, BaseSignatureChecker{}, error));
    BOOST_CHECK_EQUAL(error, SCRIPT_ERR_OK);
    const CScript other{CScript{} << OP_1 << Bytes{0x4e, 0x74}};
    BOOST_CHECK(!VerifyScript({}, other, nullptr, flags, BaseSignatureChecker{}, error));
    BOOST_CHECK_EQUAL(error, SCRIPT_ERR_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM);
    // Not in P2SH
    const CScript p2sh{CScript{} << OP_HASH160 << Hash160(anchor) << OP_EQUAL};
    BOOST_CHECK(!VerifyScript(CScript{} << Bytes{anchor}, p2sh, nullptr, flags, BaseSignatureChecker{}, error));
    BOOST_CHECK_EQUAL(error, SCRIPT_ERR_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM);
}

BOOST_AUTO_TEST_CASE(version_0_programs_have_20_or_32_bytes)
{
    constexpr auto flags{SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS | SCRIPT_VERIFY_TAPROOT};
    const auto error_of{[&](size_t size, const CScriptWitness& witness) {
        ScriptError error;
        (void)VerifyScript({}, CScript{} << OP_0 << Bytes(size, 1), &witness, flags, BaseSignatureChecker{}, error);
        return error;
    }};
    for (size_t size{2}; size <= 40; ++size) {
        const bool known{size == 20 || size == 32};
        for (size_t n{0}; n <= 3 && !known; ++n) {
            BOOST_CHECK_EQUAL(error_of(size, {std::vector<Bytes>(n, Bytes{1})}), SCRIPT_ERR_WITNESS_PROGRAM_WRONG_LENGTH);
        }
    }
    // A signature and a key, or a script
    for (size_t n{0}; n <= 4; ++n) {
        BOOST_CHECK_EQUAL(error_of(20, {std::vector<Bytes>(n, Bytes{1})}),
                          n == 2 ? SCRIPT_ERR_EQUALVERIFY : SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
        BOOST_CHECK_EQUAL(error_of(32, {std::vector<Bytes>(n, Bytes{1})}),
                          n == 0 ? SCRIPT_ERR_WITNESS_PROGRAM_WITNESS_EMPTY : SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
    }
}

BOOST_AUTO_TEST_CASE(no_opcode_makes_a_version_0_script_succeed)
{
    constexpr auto flags{SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS | SCRIPT_VERIFY_TAPROOT};
    size_t n_success{0};
    for (int byte{OP_PUSHDATA4 + 1}; byte <= 0xff; ++byte) {
        const auto opcode{static_cast<opcodetype>(byte)};
        if (!IsOpSuccess(opcode, flags)) continue;
        ++n_success;
        const CScript script{CScript{} << OP_1 << opcode};
        const CScriptWitness witness{{script}};
        ScriptError error;
        BOOST_CHECK(!VerifyScript({}, CScript{} << OP_0 << Sha256(script), &witness, flags, BaseSignatureChecker{}, error));
        BOOST_CHECK_EQUAL(error, IsDisabledOpcode(opcode) ? SCRIPT_ERR_DISABLED_OPCODE : SCRIPT_ERR_BAD_OPCODE);
    }
    BOOST_CHECK_EQUAL(n_success, 87U); // BIP 342
}

BOOST_AUTO_TEST_CASE(a_null_witness_is_an_empty_one)
{
    constexpr auto flags{SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS};
    ScriptError error;
    BOOST_CHECK(VerifyScript({}, CScript{} << OP_TRUE, nullptr, flags, BaseSignatureChecker{}, error));
    BOOST_CHECK(!VerifyScript({}, CScript{} << OP_0 << Bytes(32, 1), nullptr, flags, BaseSignatureChecker{}, error));
    BOOST_CHECK_EQUAL(error, SCRIPT_ERR_WITNESS_PROGRAM_WITNESS_EMPTY);
}

BOOST_AUTO_TEST_CASE(redeem_scripts_need_the_flag)
{
    const CScript redeem_script{CScript{} << OP_0};
    const CScript p2sh{CScript{} << OP_HASH160 << Hash160(redeem_script) << OP_EQUAL};
    const CScript script_sig{CScript{} << static_cast<const Bytes&>(redeem_script)};
    for (int bit{0}; bit < MAX_SCRIPT_VERIFY_FLAGS_BITS; ++bit) {
        const auto flags{script_verify_flags::from_int(script_verify_flags::value_type{1} << bit)};
        if (!ValidFlags(flags)) continue;
        ScriptError error;
        BOOST_CHECK_EQUAL(VerifyScript(script_sig, p2sh, nullptr, flags, BaseSignatureChecker{}, error), !(flags & SCRIPT_VERIFY_P2SH));
        BOOST_CHECK_EQUAL(error, flags & SCRIPT_VERIFY_P2SH ? SCRIPT_ERR_EVAL_FALSE : SCRIPT_ERR_OK);
    }
}

BOOST_AUTO_TEST_CASE(a_program_in_p2sh_is_pushed_alone_and_minimally)
{
    const CScript program{CScript{} << OP_3 << Bytes(2, 1)}; // unknown: anything spends it
    const CScript p2sh{CScript{} << OP_HASH160 << Hash160(program) << OP_EQUAL};
    const CScript right{CScript{} << static_cast<const Bytes&>(program)};
    const auto error_with{[&](const CScript& script_sig) {
        ScriptError error;
        (void)VerifyScript(script_sig, p2sh, nullptr, SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS, BaseSignatureChecker{}, error);
        return error;
    }};
    BOOST_CHECK_EQUAL(error_with(right), SCRIPT_ERR_OK);
    // Scripts that come before the right one in the order of bytes, and after it
    for (const opcodetype before : {OP_0, OP_16}) {
        CScript more{CScript{} << before};
        more.insert(more.end(), right.begin(), right.end());
        BOOST_CHECK_EQUAL(error_with(more), SCRIPT_ERR_WITNESS_MALLEATED_P2SH);
    }
    for (const Bytes& prefix : {Bytes{OP_PUSHDATA1, 4}, Bytes{OP_PUSHDATA2, 4, 0}}) {
        CScript longer{prefix};
        longer.insert(longer.end(), program.begin(), program.end());
        BOOST_CHECK_EQUAL(error_with(longer), SCRIPT_ERR_WITNESS_MALLEATED_P2SH);
    }
}

namespace {
/** Gives a fixed answer about every lock time. */
struct LockChecker final : BaseSignatureChecker {
    bool reached;
    explicit LockChecker(bool is_reached) : reached{is_reached} {}
    [[nodiscard]] bool CheckLockTime(const CScriptNum&) const override { return reached; }
    [[nodiscard]] bool CheckSequence(const CScriptNum&) const override { return reached; }
};

/** Run a script on some elements: its error or, if there is none, the elements left. */
ScriptError Eval(const CScript& script, std::vector<Bytes> elements, std::vector<Bytes>& left, script_verify_flags flags,
                 SigVersion sigversion = SigVersion::BASE, const BaseSignatureChecker& checker = BaseSignatureChecker{})
{
    ScriptStack stack{elements};
    ScriptRun run{.flags = flags, .checker = checker};
    left.clear();
    if (!EvalScript(stack, script, sigversion, run)) return run.failure.error;
    for (size_t i{stack.size()}; i > 0; --i) left.emplace_back(stack.Read(i).begin(), stack.Read(i).end());
    return SCRIPT_ERR_OK;
}
} // namespace

BOOST_AUTO_TEST_CASE(operands_of_lock_times)
{
    const auto flags{SCRIPT_VERIFY_CHECKLOCKTIMEVERIFY | SCRIPT_VERIFY_CHECKSEQUENCEVERIFY};
    std::vector<Bytes> left;
    for (const opcodetype opcode : {OP_CHECKLOCKTIMEVERIFY, OP_CHECKSEQUENCEVERIFY}) {
        const CScript script{CScript{} << opcode};
        const auto error_of{[&](const Bytes& operand, bool reached) {
            const ScriptError error{Eval(script, {operand}, left, flags, SigVersion::BASE, LockChecker{reached})};
            if (error == SCRIPT_ERR_OK) BOOST_CHECK((left == std::vector<Bytes>{operand}));
            return error;
        }};
        for (const Bytes& operand : {Bytes{}, Bytes{1}, Bytes{0xff, 0xff, 0xff, 0x7f}, Bytes{1, 0, 0, 0, 0}, Bytes{0, 0, 0, 0, 1}}) {
            BOOST_CHECK_EQUAL(error_of(operand, true), SCRIPT_ERR_OK);
            BOOST_CHECK_EQUAL(error_of(operand, false), SCRIPT_ERR_UNSATISFIED_LOCKTIME);
        }
        // In sequence numbers the bit 31 says that there is nothing to check.
        for (const Bytes& operand : {Bytes{0, 0, 0, 0x80, 0}, Bytes{0xff, 0xff, 0xff, 0xff, 0}}) {
            BOOST_CHECK_EQUAL(error_of(operand, true), SCRIPT_ERR_OK);
            BOOST_CHECK_EQUAL(error_of(operand, false), opcode == OP_CHECKSEQUENCEVERIFY ? SCRIPT_ERR_OK : SCRIPT_ERR_UNSATISFIED_LOCKTIME);
        }
        for (const Bytes& operand : {Bytes{0x81}, Bytes{0xff, 0xff, 0xff, 0xff, 0xff}}) {
            BOOST_CHECK_EQUAL(error_of(operand, true), SCRIPT_ERR_NEGATIVE_LOCKTIME);
        }
        BOOST_CHECK_EQUAL(error_of(Bytes(6, 1), true), SCRIPT_ERR_SCRIPTNUM);
        BOOST_CHECK_EQUAL(Eval(script, {}, left, flags, SigVersion::BASE, LockChecker{true}), SCRIPT_ERR_INVALID_STACK_OPERATION);
        // Without their flags they are NOPs.
        BOOST_CHECK_EQUAL(Eval(script, {}, left, SCRIPT_VERIFY_NONE), SCRIPT_ERR_OK);
    }
}

BOOST_AUTO_TEST_CASE(limits_of_scripts_before_tapscript)
{
    std::vector<Bytes> left;
    for (const SigVersion sigversion : {SigVersion::BASE, SigVersion::WITNESS_V0}) {
        CScript longest;
        for (int i{0}; i < 19; ++i) longest << Bytes(520, 1) << OP_DROP;
        longest << Bytes(MAX_SCRIPT_SIZE - longest.size() - 1, 1); // behind its size
        BOOST_REQUIRE_EQUAL(longest.size(), 10'000U);
        BOOST_CHECK_EQUAL(Eval(longest, {}, left, SCRIPT_VERIFY_NONE, sigversion), SCRIPT_ERR_OK);
        longest << OP_NOP;
        BOOST_CHECK_EQUAL(Eval(longest, {}, left, SCRIPT_VERIFY_NONE, sigversion), SCRIPT_ERR_SCRIPT_SIZE);

        // Of opcodes, those above OP_16 count, executed or not.
        CScript most;
        most << OP_0 << OP_IF << OP_RESERVED << OP_16 << OP_1NEGATE << OP_ENDIF;
        most.insert(most.end(), 199, OP_NOP);
        most << OP_16;
        BOOST_CHECK_EQUAL(Eval(most, {}, left, SCRIPT_VERIFY_NONE, sigversion), SCRIPT_ERR_OK);
        most << OP_NOP;
        BOOST_CHECK_EQUAL(Eval(most, {}, left, SCRIPT_VERIFY_NONE, sigversion), SCRIPT_ERR_OP_COUNT);

        // OP_CODESEPARATOR, executed or not
        const CScript separator{CScript{} << OP_0 << OP_IF << OP_CODESEPARATOR << OP_ENDIF};
        BOOST_CHECK_EQUAL(Eval(separator, {}, left, SCRIPT_VERIFY_NONE, sigversion), SCRIPT_ERR_OK);
        BOOST_CHECK_EQUAL(Eval(separator, {}, left, SCRIPT_VERIFY_CONST_SCRIPTCODE, sigversion),
                          sigversion == SigVersion::BASE ? SCRIPT_ERR_OP_CODESEPARATOR : SCRIPT_ERR_OK);
    }
}

BOOST_AUTO_TEST_CASE(conditions)
{
    std::vector<Bytes> left;
    for (const SigVersion sigversion : {SigVersion::BASE, SigVersion::WITNESS_V0, SigVersion::TAPSCRIPT}) {
        for (const bool flag : {false, true}) {
            for (const Bytes& condition : {Bytes{}, Bytes{1}, Bytes{0}, Bytes{2}, Bytes{0x80}, Bytes{0x81}, Bytes{1, 0}, Bytes{0, 1}}) {
                const bool minimal{condition.empty() || condition == Bytes{1}};
                const bool is_true{CastToBool(condition)};
                ScriptError expected{SCRIPT_ERR_OK};
                if (!minimal && sigversion == SigVersion::TAPSCRIPT) expected = SCRIPT_ERR_TAPSCRIPT_MINIMALIF;
                if (!minimal && sigversion == SigVersion::WITNESS_V0 && flag) expected = SCRIPT_ERR_MINIMALIF;
                for (const opcodetype opcode : {OP_IF, OP_NOTIF}) {
                    const CScript script{CScript{} << opcode << OP_2 << OP_ELSE << OP_3 << OP_ENDIF};
                    const auto flags{flag ? SCRIPT_VERIFY_MINIMALIF : SCRIPT_VERIFY_NONE};
                    BOOST_CHECK_EQUAL(Eval(script, {condition}, left, flags, sigversion), expected);
                    const uint8_t number{is_true == (opcode == OP_IF) ? uint8_t{2} : uint8_t{3}};
                    if (expected == SCRIPT_ERR_OK) BOOST_CHECK((left == std::vector<Bytes>{{number}}));
                }
            }
        }
    }
    // A branch that is not taken is skipped with the conditionals in it, up to the opcode that closes it.
    const CScript skipped{CScript{} << OP_0 << OP_IF << OP_IF << OP_RETURN << OP_ELSE << OP_RETURN << OP_ENDIF << OP_ELSE << OP_5
                                    << OP_ENDIF};
    BOOST_CHECK_EQUAL(Eval(skipped, {}, left, SCRIPT_VERIFY_NONE), SCRIPT_ERR_OK);
    BOOST_CHECK((left == std::vector<Bytes>{{5}}));
    for (const opcodetype opcode : {OP_ELSE, OP_ENDIF}) {
        BOOST_CHECK_EQUAL(Eval(CScript{} << opcode, {}, left, SCRIPT_VERIFY_NONE), SCRIPT_ERR_UNBALANCED_CONDITIONAL);
    }
    // A push that is cut off is seen even where it would not be executed.
    CScript cut_off{CScript{} << OP_0 << OP_IF};
    cut_off.push_back(OP_PUSHDATA1);
    BOOST_CHECK_EQUAL(Eval(cut_off, {}, left, SCRIPT_VERIFY_NONE), SCRIPT_ERR_BAD_OPCODE);
}

/** Each for all pairs of some numbers, on top of an element that must not be touched. */
BOOST_AUTO_TEST_CASE(arithmetic)
{
    const std::vector<int64_t> numbers{-0x7fffffff, -2, -1, 0, 1, 2, 0x7fffffff};
    std::vector<Bytes> left;
    const auto check{[&](opcodetype opcode, const std::vector<int64_t>& operands, int64_t result) {
        std::vector<Bytes> elements{{9}};
        for (const int64_t operand : operands) elements.push_back(SerializeScriptNum(operand));
        BOOST_CHECK_EQUAL(Eval(CScript{} << opcode, elements, left, SCRIPT_VERIFY_MINIMALDATA), SCRIPT_ERR_OK);
        BOOST_CHECK_MESSAGE((left == std::vector<Bytes>{{9}, SerializeScriptNum(result)}), GetOpName(opcode));
    }};
    for (const int64_t a : numbers) {
        check(OP_1ADD, {a}, a + 1);
        check(OP_1SUB, {a}, a - 1);
        check(OP_NEGATE, {a}, -a);
        check(OP_ABS, {a}, std::abs(a));
        check(OP_NOT, {a}, a == 0);
        check(OP_0NOTEQUAL, {a}, a != 0);
        for (const int64_t b : numbers) {
            check(OP_ADD, {a, b}, a + b);
            check(OP_SUB, {a, b}, a - b);
            check(OP_BOOLAND, {a, b}, a != 0 && b != 0);
            check(OP_BOOLOR, {a, b}, a != 0 || b != 0);
            check(OP_NUMEQUAL, {a, b}, a == b);
            check(OP_NUMNOTEQUAL, {a, b}, a != b);
            check(OP_LESSTHAN, {a, b}, a < b);
            check(OP_GREATERTHAN, {a, b}, a > b);
            check(OP_LESSTHANOREQUAL, {a, b}, a <= b);
            check(OP_GREATERTHANOREQUAL, {a, b}, a >= b);
            check(OP_MIN, {a, b}, a < b ? a : b);
            check(OP_MAX, {a, b}, a < b ? b : a);
            for (const int64_t x : numbers) check(OP_WITHIN, {x, a, b}, a <= x && x < b);
        }
    }
}

BOOST_AUTO_TEST_CASE(find_and_delete)
{
    const auto check{[](const Bytes& script, const Bytes& pattern, const Bytes& left, int count) {
        CScript changed{script};
        BOOST_CHECK_EQUAL(FindAndDelete(changed, CScript{pattern}), count);
        BOOST_CHECK(changed == CScript{left});
    }};
    check({OP_1, OP_2}, {}, {OP_1, OP_2}, 0);
    check({OP_1, OP_2, OP_1}, {OP_1}, {OP_2}, 2);
    check({OP_1, OP_1, OP_1}, {OP_1, OP_1}, {OP_1}, 1);
    check({OP_3, OP_3, OP_3, OP_3}, {OP_3, OP_3}, {}, 2);
    // Where an instruction begins, and not within one
    check({2, OP_1, OP_2}, {OP_1, OP_2}, {2, OP_1, OP_2}, 0);
    check({2, 0xfe, 0xed, OP_1, OP_VERIFY}, {0xfe, 0xed, OP_1}, {2, 0xfe, 0xed, OP_1, OP_VERIFY}, 0);
    check({2, 0xfe, 0xed, OP_1, OP_VERIFY}, {2, 0xfe}, {0xed, OP_1, OP_VERIFY}, 1);
    check({OP_0, OP_0, OP_1, OP_1}, {OP_0, OP_1}, {OP_0, OP_1}, 1); // bytes that close up aren't searched again
    // Up to an instruction that is cut off
    check({OP_1, OP_2, 5, OP_1}, {OP_1}, {OP_2, 5, OP_1}, 1);
    check({5, 1, 2}, {5, 1, 2}, {}, 1);
}

BOOST_AUTO_TEST_CASE(what_is_cut_off_pushes_nothing)
{
    const CScript script{Bytes{1, 7, 5, 8}};
    auto pc{script.begin()};
    opcodetype opcode;
    std::span<const uint8_t> data;
    BOOST_CHECK(script.GetOp(pc, opcode, data));
    BOOST_CHECK_EQUAL(data.size(), 1U);
    BOOST_CHECK(!script.GetOp(pc, opcode, data));
    BOOST_CHECK(data.empty());
    BOOST_CHECK_EQUAL(opcode, OP_INVALIDOPCODE);
}

/** Each byte that makes a form, and the size: nothing else is of that form. */
BOOST_AUTO_TEST_CASE(forms_of_outputs)
{
    struct Form {
        bool (CScript::*is)() const noexcept;
        size_t size;
        std::vector<std::pair<size_t, uint8_t>> bytes;
    };
    const Form forms[]{
        {&CScript::IsPayToScriptHash, 23, {{0, OP_HASH160}, {1, 20}, {22, OP_EQUAL}}},
        {&CScript::IsPayToWitnessScriptHash, 34, {{0, OP_0}, {1, 32}}},
        {&CScript::IsPayToTaproot, 34, {{0, OP_1}, {1, 32}}},
        {&CScript::IsPayToMerkleRoot, 34, {{0, OP_2}, {1, 32}}},
        {&CScript::IsPayToAnchor, 4, {{0, OP_1}, {1, 2}, {2, 0x4e}, {3, 0x73}}},
    };
    for (const Form& form : forms) {
        Bytes good(40, 1);
        for (const auto& [pos, value] : form.bytes) good[pos] = value;
        for (size_t size{0}; size <= good.size(); ++size) {
            const CScript script{Bytes{good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)}};
            BOOST_CHECK_EQUAL((script.*form.is)(), size == form.size);
        }
        good.resize(form.size);
        for (const auto& [pos, value] : form.bytes) {
            for (unsigned other{0}; other <= 0xff; ++other) {
                Bytes changed{good};
                changed[pos] = static_cast<uint8_t>(other);
                BOOST_CHECK_EQUAL((CScript{changed}.*form.is)(), other == value);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(signature_checks_are_counted_as_in_core)
{
    const auto count{[](const CScript& script, bool accurate) { return script.GetSigOpCount(accurate); }};
    BOOST_CHECK_EQUAL(count(CScript{} << OP_CHECKSIG << OP_CHECKSIGVERIFY << OP_CHECKSIGADD, true), 2U);
    const CScript multisig{CScript{} << OP_3 << OP_CHECKMULTISIG  << OP_CHECKMULTISIGVERIFY};
    BOOST_CHECK_EQUAL(count(multisig, true), 23U);
    BOOST_CHECK_EQUAL(count(multisig, false), 40U);
    for (const auto& [n, expected] : {std::pair{OP_0, 20U}, {OP_1, 1U}, {OP_16, 16U}, {OP_NOP, 20U}, {OP_RESERVED, 20U}}) {
        BOOST_CHECK_EQUAL(count(CScript{} << n << OP_CHECKMULTISIG, true), expected);
    }
    for (const bool accurate : {false, true}) { // outside of tapscript, these are not signature checks
        BOOST_CHECK_EQUAL(count(CScript{} << OP_CHECKSIGSLHDSA << OP_CHECKSIGADDSLHDSA, accurate), 0U);
    }
    BOOST_CHECK_EQUAL(count(CScript{Bytes{OP_CHECKSIG, 5, OP_CHECKSIG}}, true), 1U); // up to what is cut off

    const CScript redeem_script{CScript{} << OP_2 << OP_CHECKMULTISIG};
    const CScript p2sh{CScript{} << OP_HASH160 << Hash160(redeem_script) << OP_EQUAL};
    BOOST_CHECK_EQUAL(p2sh.GetSigOpCount(CScript{} << OP_0 << Bytes{redeem_script}), 2U);
    BOOST_CHECK_EQUAL(p2sh.GetSigOpCount(CScript{} << OP_16 << Bytes{redeem_script}), 2U);
    BOOST_CHECK_EQUAL(p2sh.GetSigOpCount(CScript{} << OP_NOP << Bytes{redeem_script}), 0U);
    BOOST_CHECK_EQUAL(p2sh.GetSigOpCount(CScript{}), 0U);
    BOOST_CHECK_EQUAL(redeem_script.GetSigOpCount(CScript{}), 2U);

    const auto flags{SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS};
    const CScript p2wpkh{CScript{} << OP_0 << Bytes(20, 1)};
    const CScript p2wsh{CScript{} << OP_0 << Bytes(32, 1)};
    const CScriptWitness witness{{{1}, redeem_script}};
    BOOST_CHECK_EQUAL(CountWitnessSigOps({}, p2wpkh, witness, flags), 1U);
    BOOST_CHECK_EQUAL(CountWitnessSigOps({}, p2wpkh, witness, SCRIPT_VERIFY_P2SH), 0U);
    BOOST_CHECK_EQUAL(CountWitnessSigOps({}, p2wsh, witness, flags), 2U);
    BOOST_CHECK_EQUAL(CountWitnessSigOps({}, p2wsh, {}, flags), 0U);
    for (const size_t size : {2, 19, 21, 31, 33, 40}) { // reserved for soft forks
        BOOST_CHECK_EQUAL(CountWitnessSigOps({}, CScript{} << OP_0 << Bytes(size, 1), witness, flags), 0U);
    }
    BOOST_CHECK_EQUAL(CountWitnessSigOps({}, CScript{} << OP_1 << Bytes(32, 1), witness, flags), 0U);
    // scope-sigops: the opcodes, in a leaf, count nothing.
    const CScriptWitness leaf{{Bytes{OP_CHECKSIG, OP_CHECKSIGSLHDSA, OP_CHECKSIGADDSLHDSA, OP_CHECKMULTISIG}, Bytes(33, 0xc1)}};
    BOOST_CHECK_EQUAL(CountWitnessSigOps({}, CScript{} << OP_2 << Bytes(32, 1), leaf, MANDATORY_SCRIPT_VERIFY_FLAGS), 0U);
    const CScript wrapped{CScript{} << OP_HASH160 << Hash160(p2wsh) << OP_EQUAL};
    BOOST_CHECK_EQUAL(CountWitnessSigOps(CScript{} << Bytes{p2wsh}, wrapped, witness, flags), 2U);
    // The last push is the redeem script, if the output wants one.
    BOOST_CHECK_EQUAL(CountWitnessSigOps(CScript{} << Bytes{p2wpkh} << Bytes{p2wsh}, wrapped, witness, flags), 2U);
    BOOST_CHECK_EQUAL(CountWitnessSigOps(CScript{} << Bytes{p2wsh} << OP_0, wrapped, witness, flags), 0U);
    BOOST_CHECK_EQUAL(CountWitnessSigOps(CScript{} << Bytes{p2wsh}, CScript{} << OP_TRUE, witness, flags), 0U);
    BOOST_CHECK_EQUAL(CountWitnessSigOps(CScript{} << OP_NOP << Bytes{p2wsh}, wrapped, witness, flags), 0U);
    BOOST_CHECK_EQUAL(CountWitnessSigOps({}, wrapped, witness, flags), 0U);
}

BOOST_AUTO_TEST_CASE(bip340_vectors)
{
    std::ifstream file{OpenTestData("bip340.csv")};
    std::string line;
    BOOST_REQUIRE(std::getline(file, line)); // the names of the columns
    size_t n_vectors{0};
    while (std::getline(file, line)) {
        std::vector<std::string> fields;
        for (size_t begin{0}, end; begin <= line.size(); begin = end + 1) {
            end = std::min(line.find(',', begin), line.size());
            fields.push_back(line.substr(begin, end - begin));
        }
        BOOST_REQUIRE_EQUAL(fields.size(), 4U);
        const XOnlyPubKey key{std::span<const uint8_t, 32>{Hex(fields[0])}};
        const uint256 message{std::span<const uint8_t, 32>{Hex(fields[1])}};
        const Bytes sig{Hex(fields[2])};
        BOOST_CHECK_EQUAL(key.VerifySchnorr(message, std::span<const uint8_t, 64>{sig}), fields[3] == "TRUE");
        ++n_vectors;
    }
    BOOST_CHECK_EQUAL(n_vectors, 15U);
}

/** CheckLowS returns false for a signature that cannot be read. */
BOOST_AUTO_TEST_CASE(signatures_are_read_as_leniently_as_before_bip66)
{
    const auto reads{[](const std::vector<uint8_t>& header, const std::vector<uint8_t>& rest) {
        std::vector<uint8_t> sig{0x30};
        sig.insert(sig.end(), header.begin(), header.end());
        sig.insert(sig.end(), rest.begin(), rest.end());
        return CPubKey::CheckLowS(sig);
    }};
    const std::vector<uint8_t> one_and_one{0x02, 0x01, 0x01, 0x02, 0x01, 0x01};
    BOOST_CHECK(reads({0x06}, one_and_one));
    // The sequence's length may be wrong, and longer than it need be.
    BOOST_CHECK(reads({0x00}, one_and_one));
    BOOST_CHECK(reads({0x81, 0x06}, one_and_one));
    BOOST_CHECK(reads({0x83, 0xff, 0xff, 0xff}, one_and_one));
    BOOST_CHECK(!reads({0x87}, one_and_one)); // seven bytes of length, six are there
    // Integers' lengths are read.
    BOOST_CHECK(reads({0x08}, {0x02, 0x81, 0x01, 0x01, 0x02, 0x84, 0x00, 0x00, 0x00, 0x01, 0x01}));
    BOOST_CHECK(!reads({0x06}, {0x02, 0x02, 0x01, 0x02, 0x01, 0x01}));
    BOOST_CHECK(!reads({0x06}, {0x02, 0x01, 0x01, 0x02, 0x02, 0x01}));
    // Padding, and bytes behind.
    BOOST_CHECK(reads({0x06}, {0x02, 0x03, 0x00, 0x00, 0x01, 0x02, 0x01, 0x01, 0xab, 0xcd}));
    // Numbers of more than 32 bytes, or not below the order, can be read. Such a signature counts as zero, which is not high.
    for (const uint8_t size : {32, 33}) {
        std::vector<uint8_t> rest{0x02, size};
        rest.insert(rest.end(), size, 0xff);
        rest.insert(rest.end(), {0x02, 0x20, 0xff});
        rest.insert(rest.end(), 31, 0);
        BOOST_CHECK(reads({0x00}, rest));
    }
}

/** Signatures that were valid before BIP 66 still are where its flag is off: r and s count, not their encoding. */
BOOST_AUTO_TEST_CASE(signatures_verify_however_they_are_written)
{
    RealSigner signer;
    uint256 message;
    const CPubKey key{signer.ECDSAKey(1)};
    Bytes der{signer.SignECDSA(1, message)};
    for (uint8_t i{1}; der[4] == 0 || der[3] + der[5 + der[3]] != 64; ++i) { // until neither number has a zero in front, or is short
        message.data()[0] = i;
        der = signer.SignECDSA(1, message);
    }
    const Bytes r(der.begin() + 4, der.begin() + 36);
    const Bytes s(der.begin() + 38, der.end());
    BOOST_REQUIRE_EQUAL(s.size(), 32U);
    const auto join{[](std::initializer_list<Bytes> pieces) {
        Bytes all;
        for (const Bytes& piece : pieces) all.insert(all.end(), piece.begin(), piece.end());
        return all;
    }};
    const auto verifies{[&](const Bytes& sig) { return key.Verify(message, sig); }};
    const Bytes header{0x30, 0x44};
    const Bytes plain{0x02, 0x20};
    BOOST_CHECK(verifies(der));
    BOOST_CHECK(verifies(join({header, plain, r, plain, s})));

    for (const Bytes& other : {Bytes{0x30, 0x00}, Bytes{0x30, 0x7f}, Bytes{0x30, 0x80}, Bytes{0x30, 0x81, 0x44}, Bytes{0x30, 0x82, 0, 0}}) {
        BOOST_CHECK(verifies(join({other, plain, r, plain, s})));
    }
    const Bytes zeros(65536, 0);
    for (const auto& [length, padding] : {std::pair{Bytes{0x81, 0x20}, size_t{0}}, std::pair{Bytes{0x82, 0, 0x20}, size_t{0}},
                                          std::pair{Bytes{0x85, 0, 0, 0, 0, 0x20}, size_t{0}}, std::pair{Bytes{0x21}, size_t{1}},
                                          std::pair{Bytes{0x23}, size_t{3}}, std::pair{Bytes{0x82, 0x01, 0x20}, size_t{256}},
                                          std::pair{Bytes{0x83, 0x01, 0x00, 0x20}, size_t{65536}}}) {
        const Bytes padded{join({{0x02}, length, Bytes(zeros.begin(), zeros.begin() + static_cast<std::ptrdiff_t>(padding))})};
        BOOST_CHECK(verifies(join({header, padded, r, plain, s})));
        BOOST_CHECK(verifies(join({header, plain, r, padded, s})));
        BOOST_CHECK(verifies(join({header, padded, r, padded, s, {0}})));
    }
    BOOST_CHECK(verifies(join({der, {0x02, 0x01, 0x01}})));

    // The bytes of the form
    for (const auto& [i, right] : {std::pair{size_t{0}, 0x30}, std::pair{size_t{2}, 0x02}, std::pair{size_t{36}, 0x02}}) {
        for (const int wrong : {right - 1, right + 1}) {
            Bytes sig{der};
            sig[i] = static_cast<uint8_t>(wrong);
            BOOST_CHECK(!verifies(sig));
        }
    }
    // Bytes behind a signature that is cut off do not belong to it.
    const Bytes long_length{0x02, 0x82, 0x00, 0x20};
    for (const Bytes& whole : {der, join({{0x30, 0x84, 0x00, 0x00, 0x00, 0x44}, long_length, r, long_length, s})}) {
        BOOST_CHECK(verifies(whole));
        for (size_t size{0}; size < whole.size(); ++size) {
            BOOST_CHECK(!key.Verify(message, std::span{whole}.first(size)));
            BOOST_CHECK(!CPubKey::CheckLowS(std::span{whole}.first(size)));
        }
    }
    // A length of more than three bytes without its zeros, though so many bytes are there
    const Bytes many(size_t{1} << 24, 0);
    BOOST_CHECK(!verifies(join({header, {0x02, 0x84, 0x01, 0x00, 0x00, 0x20}, many, r, plain, s})));
    // r or s of more than 32 bytes, or none, can be read and is not valid.
    for (const Bytes& number : {Bytes{}, join({{1}, r}), Bytes(32, 0xff)}) {
        const Bytes with_length{join({{0x02, static_cast<uint8_t>(number.size())}, number})};
        BOOST_CHECK(!verifies(join({header, with_length, plain, s})));
        BOOST_CHECK(!verifies(join({header, plain, r, with_length})));
        BOOST_CHECK(CPubKey::CheckLowS(join({header, with_length, plain, s})));
        BOOST_CHECK(CPubKey::CheckLowS(join({header, plain, r, with_length})));
    }
    BOOST_CHECK(!verifies(join({header, plain, r, {0x02, 0x21, r.back()}, s})));
    // Too large a number stands for a signature that no key has, not even one made for this.
    const Bytes overflows(32, 0xff);
    for (int byte{0}; byte < 3; ++byte) {
        const CPubKey made{join({{0x02}, Bytes(32, static_cast<uint8_t>(byte))})};
        BOOST_CHECK(!made.Verify(uint256{}, join({header, plain, overflows, plain, overflows})));
    }
    // A length of zero ends there, whatever follows.
    BOOST_CHECK(CPubKey::CheckLowS(join({header, plain, r, {0x02, 0x81, 0x00}})));
    BOOST_CHECK(CPubKey::CheckLowS(join({header, plain, r, {0x02, 0x80, 0x00}})));
    BOOST_CHECK(CPubKey::CheckLowS(join({header, plain, r, {0x02, 0x80}})));
}

BOOST_AUTO_TEST_CASE(sizes_of_public_keys)
{
    for (int first{0}; first <= 0xff; ++first) {
        const size_t right{first == 2 || first == 3 ? 33U : first == 4 || first == 6 || first == 7 ? 65U : 0U};
        for (const size_t size : {1, 2, 32, 33, 34, 64, 65, 66}) {
            Bytes bytes(size, 1);
            bytes[0] = static_cast<uint8_t>(first);
            BOOST_CHECK_EQUAL(CPubKey::ValidSize(bytes), size == right);
            BOOST_CHECK_EQUAL(CPubKey{bytes}.IsValid(), size == right);
        }
    }
    BOOST_CHECK(!CPubKey{Bytes{}}.IsValid());
}

/** BIP 66: 0x30, size, then 0x02, size and number for r and for s; the hash type follows. */
BOOST_AUTO_TEST_CASE(signatures_are_der_encoded)
{
    const auto encode{[](const Bytes& r, const Bytes& s) {
        Bytes sig{0x30, static_cast<uint8_t>(4 + r.size() + s.size()), 0x02, static_cast<uint8_t>(r.size())};
        sig.insert(sig.end(), r.begin(), r.end());
        sig.insert(sig.end(), {0x02, static_cast<uint8_t>(s.size())});
        sig.insert(sig.end(), s.begin(), s.end());
        sig.push_back(SIGHASH_ALL);
        return sig;
    }};
    const Bytes full(32, 0x7f);
    Bytes padded(33, 0xff);
    padded[0] = 0;
    for (const Bytes& good : {Bytes{0}, Bytes{1}, Bytes{0x7f}, Bytes{0, 0x80}, full, padded}) {
        BOOST_CHECK(IsValidSignatureEncoding(encode(good, {1})));
        BOOST_CHECK(IsValidSignatureEncoding(encode({1}, good)));
    }
    BOOST_CHECK(IsValidSignatureEncoding(encode(padded, padded))); // the longest
    // Negative, padded without need, empty; two bytes in the place of one
    for (const Bytes& bad : {Bytes{0x80}, Bytes{0xff, 1}, Bytes{0, 0x7f}, Bytes{0, 0}, Bytes{}, Bytes(34, 1)}) {
        BOOST_CHECK(!IsValidSignatureEncoding(encode(bad, padded)));
        BOOST_CHECK(!IsValidSignatureEncoding(encode(padded, bad)));
    }
    // No byte of the form may differ, nor may one be missing or be too many.
    const Bytes right{encode(full, padded)};
    for (const size_t i : {0, 1, 2, 3, 36, 37}) {
        for (int change{1}; change < 256; ++change) {
            Bytes wrong{right};
            wrong[i] = static_cast<uint8_t>(wrong[i] + change);
            BOOST_CHECK(!IsValidSignatureEncoding(wrong));
        }
    }
    for (size_t size{0}; size < right.size(); ++size) {
        BOOST_CHECK(!IsValidSignatureEncoding(std::span{right}.first(size)));
    }
    Bytes longer{right};
    longer.push_back(SIGHASH_ALL);
    BOOST_CHECK(!IsValidSignatureEncoding(longer));
}

BOOST_AUTO_TEST_SUITE_END()
