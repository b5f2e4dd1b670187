// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/script.h>
#include <test/random_source.h>
#include <tool/asm.h>
#include <tool/error.h>
#include <util/hex.h>

#include <boost/test/unit_test.hpp>

#include <random>
#include <string>

using namespace slhc;
using namespace slhc::tool;

namespace {

const std::string A(64, 'a'), B(64, 'b'), C(64, 'c');
//! X coordinates, as A is and B is not
const std::string X{"f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9"};

std::string Parsed(const std::string& text)
{
    return HexStr(ParseScript(text));
}

std::string Error(const std::string& text)
{
    try {
        ParseScript(text);
    } catch (const InputError& e) {
        return e.what();
    }
    return "no error";
}

void CheckRoundTrip(const CScript& script)
{
    const std::string text{FormatScript(script)};
    BOOST_REQUIRE_MESSAGE(ParseScript(text) == script, HexStr(script) << " -> " << text);
}

} // namespace

BOOST_AUTO_TEST_SUITE(tool_asm_tests)

BOOST_AUTO_TEST_CASE(items)
{
    BOOST_CHECK_EQUAL(Parsed(""), "");
    BOOST_CHECK_EQUAL(Parsed(" OP_DUP\n\tOP_HASH160 "), "76a9");
    BOOST_CHECK_EQUAL(Parsed("OP_CHECKSIGSLHDSA OP_CHECKSIGADDSLHDSA"), "7f80");
    BOOST_CHECK_EQUAL(Parsed("OP_SUBSTR OP_LEFT"), "7f80");
    BOOST_CHECK_EQUAL(Parsed("OP_CLTV OP_CHECKLOCKTIMEVERIFY OP_NOP2 OP_CSV OP_CHECKSEQUENCEVERIFY OP_NOP3"), "b1b1b1b2b2b2");
    BOOST_CHECK_EQUAL(Parsed("OP_0 OP_FALSE OP_1NEGATE OP_1 OP_TRUE OP_16"), "00004f515160");
    BOOST_CHECK_EQUAL(Parsed("OP_SUCCESS80 OP_RESERVED OP_SUCCESS254"), "5050fe");
    BOOST_CHECK_EQUAL(Parsed("0 -1 1 16 17 -2 144 65536 2147483648"), "004f5160" "0111" "0182" "029000" "03000001" "050000008000");
    BOOST_CHECK_EQUAL(Parsed("<> <00><01> <0a0b>"), "00" "0100" "0101" "020a0b");
    BOOST_CHECK_EQUAL(Parsed("OP_PUSHDATA1<00> OP_PUSHDATA2<> OP_PUSHDATA4<0102>"), "4c0100" "4d0000" "4e020000000102");
    BOOST_CHECK_EQUAL(Parsed("0x51 0x 0x4c 0xFF"), "514cff");
    // The length prefix changes at 76, 256 and 65536 bytes.
    BOOST_CHECK_EQUAL(Parsed("<" + std::string(150, '1') + ">").substr(0, 4), "4b11");
    BOOST_CHECK_EQUAL(Parsed("<" + std::string(152, '1') + ">").substr(0, 6), "4c4c11");
    BOOST_CHECK_EQUAL(Parsed("<" + std::string(512, '1') + ">").substr(0, 8), "4d000111");
    BOOST_CHECK_EQUAL(Parsed("<" + std::string(131072, '1') + ">").substr(0, 12), "4e0000010011");
}

BOOST_AUTO_TEST_CASE(shorthands)
{
    BOOST_CHECK_EQUAL(Parsed("pk_slhdsa(" + A + ")"), "20" + A + "7f");
    BOOST_CHECK_EQUAL(Parsed("pk_schnorr( " + A + " )"), "20" + A + "ac");
    BOOST_CHECK_EQUAL(Parsed("multi_slhdsa(2," + A + "," + B + ", " + C + ")"), "20" + A + "7f" "20" + B + "80" "20" + C + "80" "529c");
    BOOST_CHECK_EQUAL(Parsed("multi_schnorr(1," + A + "," + X + ")"), "20" + A + "ac" "20" + X + "ba" "519c");
    BOOST_CHECK_EQUAL(Parsed("hybrid(" + B + "," + A + ")"), "20" + B + "7f69" "20" + A + "ac");
    BOOST_CHECK_EQUAL(Parsed("after(500000) older(144) pk_slhdsa(" + A + ")"), "0320a107b175" "029000b275" "20" + A + "7f");
    BOOST_CHECK_EQUAL(Parsed("sha256(" + B + ")"), "a820" + B + "88");
    // Keys of other parameter sets
    BOOST_CHECK_EQUAL(Parsed("pk_slhdsa(18" + A + ")"), "2118" + A + "7f");
    BOOST_CHECK_EQUAL(Parsed("hybrid(28" + B + "," + A + ")"), "2128" + B + "7f69" "20" + A + "ac");
    BOOST_CHECK_EQUAL(Parsed("multi_slhdsa(2," + A + ",18" + A + ",28" + A + ")"),
                      "20" + A + "7f" "2118" + A + "80" "2128" + A + "80" "529c");
}

BOOST_AUTO_TEST_CASE(errors_name_the_position)
{
    BOOST_CHECK_EQUAL(Error("OP_DUP OP_NOSUCH"), "position 7: 'OP_NOSUCH' is not an opcode");
    BOOST_CHECK_EQUAL(Error("OP_PUSHBYTES_20"), "position 0: 'OP_PUSHBYTES_20' is not an opcode");
    BOOST_CHECK_EQUAL(Error("OP_UNKNOWN"), "position 0: 'OP_UNKNOWN' is not an opcode");
    BOOST_CHECK_EQUAL(Error("OP_PUSHDATA1"), "position 0: 'OP_PUSHDATA1' is not an opcode");
    BOOST_CHECK_EQUAL(Error("deadbeef"),
                      "position 0: 'deadbeef' is neither an opcode, a number nor a shorthand (bytes to push are written <00ff>)");
    BOOST_CHECK_EQUAL(Error("549755813888"), "position 0: '549755813888' does not fit into five bytes");
    BOOST_CHECK_EQUAL(Error("<0"), "position 0: missing '>' after '<'");
    BOOST_CHECK_EQUAL(Error("<0>"), "position 0: odd number of hex digits (1)");
    BOOST_CHECK_EQUAL(Error("<0g>"), "position 0: position 1: 'g' is not a hex digit");
    BOOST_CHECK_EQUAL(Error("OP_DUP<00>"), "position 0: 'OP_DUP' before '<' is not OP_PUSHDATA1, 2 or 4");
    BOOST_CHECK_EQUAL(Error("OP_PUSHDATA1<" + std::string(512, '0') + ">"), "position 0: OP_PUSHDATA1 cannot push 256 bytes");
    BOOST_CHECK_EQUAL(Error("OP_1;OP_2"), "position 0: ';' is not expected here");
    BOOST_CHECK_EQUAL(Error(";"), "position 0: ';' is not expected here");
    BOOST_CHECK_EQUAL(Error("pk(" + A + ")").substr(0, 39), "position 0: 'pk' is not a shorthand (pk");
    BOOST_CHECK_EQUAL(Error("pk_slhdsa(" + A), "position 0: missing ')' after '('");
    BOOST_CHECK_EQUAL(Error("pk_slhdsa(" + A + "," + B + ")"), "position 0: pk_slhdsa() takes 1 argument, not 2");
    const std::string known{"an SLH-DSA key of 33 bytes begins with the number of a parameter set that scripts know "
                            "(18: 128-24, 28: 128-q40), "};
    BOOST_CHECK_EQUAL(Error("pk_slhdsa(aa" + A + ")"), "position 0: pk_slhdsa(), argument 1: " + known + "not with aa");
    BOOST_CHECK_EQUAL(Error("pk_slhdsa(01" + A + ")"), "position 0: pk_slhdsa(), argument 1: " + known + "not with 01, 128f");
    BOOST_CHECK_EQUAL(Error("pk_slhdsa(" + A + "aaaa)"), "position 0: pk_slhdsa(), argument 1: has 34 bytes, not 32");
    BOOST_CHECK_EQUAL(Error("pk_schnorr(18" + X + ")"), "position 0: pk_schnorr(), argument 1: has 33 bytes, not 32");
    BOOST_CHECK_EQUAL(Error("pk_slhdsa(@/nonexistent)"), "position 0: pk_slhdsa(), argument 1: /nonexistent: No such file or directory");
    BOOST_CHECK_EQUAL(Error("multi_slhdsa(3," + A + "," + B + ")"), "position 0: multi_slhdsa(): 3 signatures of 2 keys");
    BOOST_CHECK_EQUAL(Error("multi_slhdsa(0," + A + ")"), "position 0: multi_slhdsa(): with 0 signatures needed, anyone could spend");
    BOOST_CHECK_EQUAL(Error("multi_slhdsa(1)"), "position 0: multi_slhdsa() takes a number and 1 to 999 keys");
}

BOOST_AUTO_TEST_CASE(older_takes_what_bip68_reads_as_a_wait)
{
    const std::string takes{"; it takes 1 to 65535 blocks, or a time: 4194304 plus 1 to 65535 units of 512 s"};
    const auto refused{[&](const std::string& n, const std::string& meaning) {
        BOOST_CHECK_EQUAL(Error("older(" + n + ")"), "position 0: older(" + n + "): under BIP 68 this is " + meaning + takes);
    }};
    for (const char* nothing : {"0", "65536", "4194304", "2147483648", "2147483649", "2151677953", "4294967296"}) {
        refused(nothing, "no wait at all");
    }
    refused("65537", "1 block");
    refused("70000", "4464 blocks");
    refused("4259840", "no wait at all"); // one unit too many
    refused("4259850", "10 units of 512 s");
    refused("8388609", "1 block"); // another bit that BIP 68 does not look at
    BOOST_CHECK_EQUAL(Parsed("older(1)"), "51b275");
    BOOST_CHECK_EQUAL(Parsed("older(65535)"), "03ffff00b275");
    BOOST_CHECK_EQUAL(Parsed("older(4194305)"), "03010040b275");
    BOOST_CHECK_EQUAL(Parsed("older(4259839)"), "03ffff40b275");
    BOOST_CHECK_EQUAL(Error("older(-1)"), "position 0: '-1' is not a whole number, 0 or more");
    // In opcodes, everything may be written.
    BOOST_CHECK_EQUAL(Parsed("0 OP_CSV OP_DROP 70000 OP_CSV"), "00b275" "03701101b2");
}

BOOST_AUTO_TEST_CASE(after_takes_what_bip65_reads_as_a_wait)
{
    const auto refused{[&](const std::string& n, const std::string& meaning) {
        BOOST_CHECK_EQUAL(Error("after(" + n + ")"),
                          "position 0: after(" + n + "): " + meaning +
                              "; it takes a height, 1 to 499999999, or a time in seconds since 1970, 500000000 to 4294967294");
    }};
    refused("0", "would not wait at all");
    refused("4294967295", "would wait forever");
    refused("1700000000000", "would wait forever"); // milliseconds
    BOOST_CHECK_EQUAL(Parsed("after(1)"), "51b175");
    BOOST_CHECK_EQUAL(Parsed("after(499999999)"), "04ff64cd1db175");
    BOOST_CHECK_EQUAL(Parsed("after(500000000)"), "040065cd1db175");
    BOOST_CHECK_EQUAL(Parsed("after(4294967294)"), "05feffffff00b175");
}

BOOST_AUTO_TEST_CASE(keys_that_lock_a_coin_otherwise_than_they_say)
{
    const std::string twice{" are the same key, so its signature would count twice"};
    BOOST_CHECK_EQUAL(Error("multi_slhdsa(2," + A + "," + A + "," + B + ")"), "position 0: multi_slhdsa(): arguments 2 and 3" + twice);
    BOOST_CHECK_EQUAL(Error("multi_slhdsa(1," + A + "," + B + "," + std::string(64, 'A') + ")"),
                      "position 0: multi_slhdsa(): arguments 2 and 4" + twice);
    BOOST_CHECK_EQUAL(Error("multi_schnorr(2," + X + "," + A + "," + X + ")"), "position 0: multi_schnorr(): arguments 2 and 4" + twice);
    const std::string no_point{": not the x coordinate of a point on secp256k1: nobody could sign"};
    BOOST_CHECK_EQUAL(Error("pk_schnorr(" + B + ")"), "position 0: pk_schnorr(), argument 1" + no_point);
    BOOST_CHECK_EQUAL(Error("multi_schnorr(1," + A + "," + C + ")"), "position 0: multi_schnorr(), argument 3" + no_point);
    BOOST_CHECK_EQUAL(Error("hybrid(" + A + "," + B + ")"), "position 0: hybrid(), argument 2" + no_point);
    BOOST_CHECK_EQUAL(Error("hybrid(" + A + "," + A + ")"),
                      "position 0: hybrid(): both keys are the same 32 bytes; the first must be an SLH-DSA key, the second a Schnorr key");
    BOOST_CHECK_EQUAL(Parsed("<" + B + "> OP_CHECKSIG"), "20" + B + "ac");
}

BOOST_AUTO_TEST_CASE(hex_or_script)
{
    BOOST_CHECK_EQUAL(HexStr(ParseScriptOrHex(" 5152\n")), "5152");
    BOOST_CHECK_EQUAL(HexStr(ParseScriptOrHex("OP_1 OP_2")), "5152");
    BOOST_CHECK_EQUAL(HexStr(ParseScriptOrHex("0x")), "");
    BOOST_CHECK_THROW(ParseScriptOrHex("515"), InputError);
    BOOST_CHECK_THROW(ParseScriptOrHex(" "), InputError);
}

BOOST_AUTO_TEST_CASE(format)
{
    const auto formatted{[](const std::string& hex) { return FormatScript(*TryParseHex(hex)); }};
    BOOST_CHECK_EQUAL(formatted(""), "");
    BOOST_CHECK_EQUAL(formatted("20" + A + "7f5180ba"), "<" + A + "> OP_CHECKSIGSLHDSA OP_1 OP_CHECKSIGADDSLHDSA OP_CHECKSIGADD");
    BOOST_CHECK_EQUAL(formatted("029000b2"), "144 OP_CHECKSEQUENCEVERIFY");
    BOOST_CHECK_EQUAL(formatted("029000b1"), "144 OP_CHECKLOCKTIMEVERIFY");
    BOOST_CHECK_EQUAL(formatted("029000ac"), "<9000> OP_CHECKSIG");
    BOOST_CHECK_EQUAL(formatted("0101b2"), "<01> OP_CHECKSEQUENCEVERIFY"); // 1 would be OP_1
    BOOST_CHECK_EQUAL(formatted("020100b2"), "<0100> OP_CHECKSEQUENCEVERIFY"); // not minimal
    BOOST_CHECK_EQUAL(formatted("4c0101b2"), "OP_PUSHDATA1<01> OP_CHECKSEQUENCEVERIFY");
    BOOST_CHECK_EQUAL(formatted("ff51"), "0xff OP_1");
    BOOST_CHECK_EQUAL(formatted("5102aa"), "OP_1 0x02aa"); // cut off
}

BOOST_AUTO_TEST_CASE(round_trip)
{
    for (int byte{0}; byte <= 0xff; ++byte) CheckRoundTrip(CScript{std::vector<uint8_t>{static_cast<uint8_t>(byte)}});
    for (const size_t size : {75, 76, 255, 256, 520, 65535, 65536}) {
        CScript script;
        script << std::vector<uint8_t>(size, 0x07);
        CheckRoundTrip(script);
    }
    std::mt19937 random{slhc::test::Seed(360)};
    for (int i{0}; i < 20000; ++i) {
        std::vector<uint8_t> bytes(random() % 40);
        // Small values are pushes: mix them with opcodes.
        for (uint8_t& byte : bytes) {
            byte = static_cast<uint8_t>(random() % 4 == 0 ? random() % 6 : random() % 8 == 0 ? 0x4c + random() % 4 : random());
        }
        CheckRoundTrip(CScript{bytes});
    }
}

BOOST_AUTO_TEST_SUITE_END()
