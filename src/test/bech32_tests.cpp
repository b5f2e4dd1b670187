// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/address.h>
#include <util/bech32.h>
#include <util/hex.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace slhc;

namespace {

std::string Lower(std::string str)
{
    std::ranges::transform(str, str.begin(), [](unsigned char c) { return std::tolower(c); });
    return str;
}

} // namespace

// Strings of BIP 173 and BIP 350, "Test vectors".
BOOST_AUTO_TEST_SUITE(bech32_tests)

BOOST_AUTO_TEST_CASE(valid_strings)
{
    const std::pair<bech32::Encoding, std::string> cases[]{
        {bech32::Encoding::BECH32, "A12UEL5L"},
        {bech32::Encoding::BECH32, "a12uel5l"},
        {bech32::Encoding::BECH32, "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1tt5tgs"},
        {bech32::Encoding::BECH32, "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw"},
        {bech32::Encoding::BECH32, "11qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqc8247j"},
        {bech32::Encoding::BECH32, "split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w"},
        {bech32::Encoding::BECH32, "?1ezyfcl"},
        {bech32::Encoding::BECH32M, "A1LQFN3A"},
        {bech32::Encoding::BECH32M, "a1lqfn3a"},
        {bech32::Encoding::BECH32M, "an83characterlonghumanreadablepartthatcontainsthetheexcludedcharactersbioandnumber11sg7hg6"},
        {bech32::Encoding::BECH32M, "abcdef1l7aum6echk45nj3s0wdvt2fg8x9yrzpqzd3ryx"},
        {bech32::Encoding::BECH32M, "11llllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllludsr8"},
        {bech32::Encoding::BECH32M, "split1checkupstagehandshakeupstreamerranterredcaperredlc445v"},
        {bech32::Encoding::BECH32M, "?1v759aa"},
    };
    for (const auto& [encoding, str] : cases) {
        std::string error;
        const auto decoded{bech32::Decode(str, error)};
        BOOST_REQUIRE_MESSAGE(decoded, str << ": " << error);
        BOOST_CHECK(decoded->encoding == encoding);
        BOOST_CHECK_EQUAL(bech32::Encode(encoding, decoded->hrp, decoded->values), Lower(str));
    }
}

BOOST_AUTO_TEST_CASE(invalid_strings)
{
    const std::pair<std::string, std::string> cases[]{
        {"\x20" "1nwldj5", "unprintable character at position 0"},
        {"\x7f" "1axkwrx", "unprintable character at position 0"},
        {"\x80" "1eym55h", "unprintable character at position 0"},
        {"an84characterslonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1569pvx", "longer than 90 characters"},
        {"pzry9x0s0muk", "no separator '1'"},
        {"1pzry9x0s0muk", "nothing before the separator '1'"},
        {"x1b4n0q5v", "'b' at position 2 is not a Bech32 character"},
        {"li1dgmt3", "too short for a checksum"},
        {"de1lg7wt\xff", "unprintable character at position 8"},
        {"A1G7SGD8", "checksum does not match"},
        {"10a06t8", "nothing before the separator '1'"},
        {"1qzzfhee", "nothing before the separator '1'"},
        {"a12UEL5L", "upper and lower case mixed"},
        {"\x20" "1xj0phk", "unprintable character at position 0"},
        {"\x7f" "1g6xzxy", "unprintable character at position 0"},
        {"\x80" "1vctc34", "unprintable character at position 0"},
        {"an84characterslonghumanreadablepartthatcontainsthetheexcludedcharactersbioandnumber11d6pts4", "longer than 90 characters"},
        {"qyrz8wqd2c9m", "no separator '1'"},
        {"1qyrz8wqd2c9m", "nothing before the separator '1'"},
        {"y1b0jsk6g", "'b' at position 2 is not a Bech32 character"},
        {"lt1igcx5c0", "'i' at position 3 is not a Bech32 character"},
        {"in1muywd", "too short for a checksum"},
        {"mm1crxm3i", "'i' at position 8 is not a Bech32 character"},
        {"au1s5cgom", "'o' at position 7 is not a Bech32 character"},
        {"M1VUXWEZ", "checksum does not match"},
        {"16plkw9", "nothing before the separator '1'"},
        {"1p2gdwpf", "nothing before the separator '1'"},
        {"", "no separator '1'"},
    };
    for (const auto& [str, why] : cases) {
        std::string error;
        BOOST_CHECK_MESSAGE(!bech32::Decode(str, error), str);
        BOOST_CHECK_EQUAL(error, why);
    }
}

BOOST_AUTO_TEST_CASE(valid_addresses)
{
    const std::pair<std::string, std::string> cases[]{
        {"BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", "0014751e76e8199196d454941c45d1b3a323f1433bd6"},
        {"tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7",
         "00201863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262"},
        {"bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y",
         "5128751e76e8199196d454941c45d1b3a323f1433bd6751e76e8199196d454941c45d1b3a323f1433bd6"},
        {"BC1SW50QGDZ25J", "6002751e"},
        {"bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs", "5210751e76e8199196d454941c45d1b3a323"},
        {"tb1qqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesrxh6hy",
         "0020000000c4a5cad46221b2a187905e5266362b99d5e91c6ce24d165dab93e86433"},
        {"tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c",
         "5120000000c4a5cad46221b2a187905e5266362b99d5e91c6ce24d165dab93e86433"},
        {"bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0",
         "512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"},
    };
    for (const auto& [address, script] : cases) {
        std::string error;
        const auto decoded{DecodeAddress(address, error)};
        BOOST_REQUIRE_MESSAGE(decoded, address << ": " << error);
        BOOST_CHECK_EQUAL(HexStr(decoded->program.ScriptPubKey()), script);
        BOOST_CHECK(WitnessProgram::FromScriptPubKey(*TryParseHex(script)) == decoded->program);
        const Network network{decoded->hrp == "bc" ? Network::MAINNET : Network::SIGNET};
        BOOST_CHECK_EQUAL(EncodeAddress(network, decoded->program), Lower(address));
    }
}

BOOST_AUTO_TEST_CASE(invalid_addresses)
{
    const std::pair<std::string, std::string> cases[]{
        {"tc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq5zuyut", "prefix 'tc' is not that of a known network (bc, tb or bcrt)"},
        {"bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd", "Bech32 checksum, but witness version 1 needs a Bech32m one"},
        {"tb1z0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqglt7rf", "Bech32 checksum, but witness version 2 needs a Bech32m one"},
        {"BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL", "Bech32 checksum, but witness version 16 needs a Bech32m one"},
        {"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh", "Bech32m checksum, but witness version 0 needs a Bech32 one"},
        {"tb1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq24jc47", "Bech32m checksum, but witness version 0 needs a Bech32 one"},
        {"bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4", "'o' at position 59 is not a Bech32 character"},
        {"BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R", "witness version 17 (at most 16)"},
        {"bc1pw5dgrnzv", "witness program of 1 byte (2 to 40)"},
        {"bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav", "witness program of 41 bytes (2 to 40)"},
        {"BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P", "version 0 witness program of 16 bytes (20 or 32)"},
        {"tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq47Zagq", "upper and lower case mixed"},
        {"bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf", "superfluous or non-zero bits after the witness program"},
        {"tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vpggkg4j", "superfluous or non-zero bits after the witness program"},
        {"bc1gmk9yu", "no witness version"},
    };
    for (const auto& [address, why] : cases) {
        std::string error;
        BOOST_CHECK_MESSAGE(!DecodeAddress(address, error), address);
        BOOST_CHECK_EQUAL(error, why);
    }
}

BOOST_AUTO_TEST_CASE(witness_programs)
{
    const auto type_of{[](const std::string& script) {
        const auto program{WitnessProgram::FromScriptPubKey(*TryParseHex(script))};
        return program ? std::string{program->TypeName()} : "none";
    }};
    const std::string hash(64, '7');
    BOOST_CHECK_EQUAL(type_of("0020" + hash), "p2wsh");
    BOOST_CHECK_EQUAL(type_of("0014" + hash.substr(24)), "p2wpkh");
    BOOST_CHECK_EQUAL(type_of("5120" + hash), "p2tr");
    BOOST_CHECK_EQUAL(type_of("5220" + hash), "p2mr");
    BOOST_CHECK_EQUAL(type_of("521f" + hash.substr(2)), "witness_unknown");
    BOOST_CHECK_EQUAL(type_of("5320" + hash), "witness_unknown");
    BOOST_CHECK_EQUAL(type_of("51024e73"), "p2a");
    BOOST_CHECK_EQUAL(type_of("51024e74"), "witness_unknown");
    BOOST_CHECK_EQUAL(type_of("51020000"), "witness_unknown");                                // 2 bytes
    BOOST_CHECK_EQUAL(type_of("6028" + hash + std::string(16, '0')), "witness_unknown"); // version 16, 40 bytes
    const std::vector<std::string> none{
        "", "51", "510100",                   // too short
        "5229" + hash + std::string(18, '0'), // 41 bytes
        "5020" + hash, "6120" + hash,         // OP_RESERVED, OP_NOP
        "5220" + hash + "00", "5221" + hash,  // not one whole push
    };
    for (const std::string& script : none) {
        BOOST_CHECK_EQUAL(type_of(script), "none");
    }
}

BOOST_AUTO_TEST_CASE(every_version_and_size_has_its_type)
{
    const std::map<std::pair<unsigned, size_t>, std::string> types{
        {{0, 20}, "p2wpkh"}, {{0, 32}, "p2wsh"}, {{1, 32}, "p2tr"}, {{2, 32}, "p2mr"}};
    for (uint8_t version{0}; version <= 16; ++version) {
        for (size_t size{2}; size <= 40; ++size) {
            const WitnessProgram program{version, std::vector<uint8_t>(size, 0x4e)};
            const auto type{types.find({version, size})};
            BOOST_CHECK_EQUAL(program.TypeName(), type == types.end() ? "witness_unknown" : type->second);
            BOOST_CHECK_EQUAL(WitnessProgramError(version, size).empty(), version != 0 || type != types.end());
            BOOST_CHECK(WitnessProgram::FromScriptPubKey(program.ScriptPubKey()) == program);
        }
        // BIP 433's program
        BOOST_CHECK_EQUAL((WitnessProgram{version, {0x4e, 0x73}}.TypeName()), version == 1 ? "p2a" : "witness_unknown");
    }
    BOOST_CHECK_EQUAL((WitnessProgram{1, {0x4e, 0x73, 0x73}}.TypeName()), "witness_unknown");
    // OP_0, or OP_1 to OP_16
    std::vector<uint8_t> script(34, 0x20);
    for (unsigned opcode{0}; opcode <= 0xff; ++opcode) {
        script[0] = static_cast<uint8_t>(opcode);
        BOOST_CHECK_EQUAL(WitnessProgram::FromScriptPubKey(script).has_value(), opcode == 0 || (opcode >= 0x51 && opcode <= 0x60));
    }
}

BOOST_AUTO_TEST_CASE(only_the_prefixes_of_known_networks)
{
    const WitnessProgram program{2, std::vector<uint8_t>(32, 0x33)};
    std::vector<uint8_t> values{bech32::ToFiveBit(program.program)};
    values.insert(values.begin(), program.version);
    for (const std::string hrp : {"bc", "tb", "bcrt"}) {
        std::string error;
        const auto decoded{DecodeAddress(bech32::Encode(bech32::Encoding::BECH32M, hrp, values), error)};
        BOOST_REQUIRE_MESSAGE(decoded, error);
        BOOST_CHECK_EQUAL(decoded->hrp, hrp);
        BOOST_CHECK(decoded->program == program);
    }
    for (const std::string hrp : {"aa", "b", "bb", "bcr", "bcrs", "bcrtx", "bcru", "bd", "ta", "tc", "zz"}) {
        std::string error;
        BOOST_CHECK(!DecodeAddress(bech32::Encode(bech32::Encoding::BECH32M, hrp, values), error));
        BOOST_CHECK_EQUAL(error, "prefix '" + hrp + "' is not that of a known network (bc, tb or bcrt)");
    }
}

BOOST_AUTO_TEST_SUITE_END()
