// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <primitives/opcodes.h>
#include <script/address.h>
#include <test/json_data.h>
#include <util/hex.h>
#include <wallet/descriptor.h>
#include <wallet/descriptor_checksum.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace slhc;
using namespace slhc::wallet;

namespace {

// Keys of the BIPs' vectors: points on the curve.
const std::string A{"a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd"};
const std::string B{"669b8afcec803a0d323e9a17f3ea8e68e8abe5a278020a929adbec52421adbd0"};
const std::string NUMS{"50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0"};
// Any 32 bytes may be an SLH-DSA key; T is not a point (BIP 340's vectors).
const std::string S{"1f4b1febdc7dfa77c1efacc875b43317b46155e5a564decf475fc369124c5f24"};
const std::string T{"eefdea4cdb677750a420fee807eacf21eb9898ae79b9768766e4faa04a2d4a34"};

std::string ScriptOf(const std::string& descriptor)
{
    return HexStr(Descriptor::Parse(descriptor).Output().script_pubkey);
}

std::string AddressOf(const std::string& descriptor, Network network = Network::MAINNET)
{
    std::string error;
    const std::string address{OutputAddress(Descriptor::Parse(descriptor).Output(), network, error)};
    BOOST_CHECK_EQUAL(error, "");
    return address;
}

/** The only leaf of tr(NUMS,LEAF). */
std::string LeafScript(const std::string& leaf)
{
    const auto output{Descriptor::Parse("tr(" + NUMS + "," + leaf + ")").Output()};
    BOOST_REQUIRE_EQUAL(output.leaves.size(), 1u);
    BOOST_CHECK_EQUAL(output.leaves[0].expression.ToString(), leaf);
    return HexStr(output.leaves[0].leaf.script);
}

std::string Problem(const std::string& descriptor)
{
    try {
        Descriptor::Parse(descriptor);
    } catch (const DescriptorError& e) {
        return e.what();
    }
    return "accepted";
}

void CheckRefused(const std::string& descriptor, const std::string& problem)
{
    const std::string got{Problem(descriptor)};
    BOOST_CHECK_MESSAGE(got.starts_with(problem), descriptor << ": " << got);
}

} // namespace

BOOST_AUTO_TEST_SUITE(descriptor_tests)

// BIP 385, 386 and 387, "Test Vectors", those without private and extended keys.
BOOST_AUTO_TEST_CASE(bip_vectors)
{
    BOOST_CHECK_EQUAL(ScriptOf("raw(deadbeef)"), "deadbeef");
    BOOST_CHECK_EQUAL(ScriptOf("raw(a9149a4d9901d6af519b2a23d4a2f51650fcba87ce7b87)"),
                      "a9149a4d9901d6af519b2a23d4a2f51650fcba87ce7b87");
    BOOST_CHECK_EQUAL(ScriptOf("tr(" + A + ")"), "512077aab6e066f8a7419c5ab714c12c67d25007ed55a43cadcacb4d7a970a093f11");
    BOOST_CHECK_EQUAL(ScriptOf("tr(" + A + ",pk(" + B + "))"), "512017cf18db381d836d8923b1bdb246cfcd818da1a9f0e6e7907f187f0b2f937754");
    BOOST_CHECK_EQUAL(ScriptOf("tr(" + A + ",multi_a(1," + B + "))"),
                      "5120eb5bd3894327d75093891cc3a62506df7d58ec137fcd104cdd285d67816074f3");

    CheckRefused("wsh(tr(" + A + "))", "column 1: wsh() is not a descriptor known here");
    CheckRefused("multi_a(1,03" + B + ")", "column 1: multi_a() can only be a leaf");
    CheckRefused("tr(04" + A + "5b8dec5235a0fa8722476c7709c02559e3aa73aa03918ba2d492eea75abea235)", "column 4: a key of 130 hex digits");
    CheckRefused("tr(5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss)", "column 4: a private key");
    CheckRefused("tr(" + NUMS + ",multi_a(a,03" + A + "))", "column 77: expected a number");
    CheckRefused("tr(" + NUMS + ",multi_a(0,03" + A + "))", "column 77: multi_a(): with 0 signatures needed, anyone could spend");
    CheckRefused("tr(" + NUMS + ",multi_a(3," + A + "," + B + "))", "column 77: multi_a() needs 3 signatures, but has 2 keys");
    CheckRefused("raw(asdf)", "column 5: an odd number of hex digits");
    CheckRefused("raw()", "column 5: expected a script in hex"); // as Bitcoin Core
    CheckRefused("addr(asdf)", "column 6: not a segwit address");
}

// Trees of BIP 360's vectors that consist of single keys.
BOOST_AUTO_TEST_CASE(bip360_vectors)
{
    BOOST_CHECK_EQUAL(AddressOf("mr({pk(72ea6adcf1d371dea8fba1035a09f3d24ed5a059799bae114084130ee5898e69),"
                                "{pk(2352d137f2f3ab38d1eaa976758873377fa5ebb817372c71e2c542313d4abda8),"
                                "pk(7337c0dd4253cb86f2c43a2351aadd82cccb12a172cd120452b9bb8324f2186a)}})"),
                      "bc1zej7kd3hhar76k3an5jr0t8fgyc47s4lnp4rh8uk4afrlwasuur3qzgewqq");
    BOOST_CHECK_EQUAL(AddressOf("mr({pk(71981521ad9fc9036687364118fb6ccd2035b96a423c59c5430e98310a11abe2),"
                                "{pk(d5094d2dbe9b76e2c245a2b89b6006888952e2faa6a149ae318d69e520617748),"
                                "pk(71981521ad9fc9036687364118fb6ccd2035b96a423c59c5430e98310a11abe2)}})"),
                      "bc1z8260sq2nqy3e3f7l9he88v9a8ndc8xyrxg8lqmtzarxpaje4rwnsxxww7h");
    BOOST_CHECK_EQUAL(AddressOf("mr({pk_slhdsa(1d58016252d5a941f84574c4821b5f87e56778b2bbc3b610dfd801fc0250f6cc),"
                                "{pk_slhdsa(a3b0dcac08f86306ba04f5fe2a3243ef3a0347c0e2a4529720a18d3cfdce90ad),"
                                "pk_slhdsa(e6ccf03593dbd07eba10403e33586c130889de6e8219da0a9ccbdd46a56a5f36)}})"),
                      "bc1zatu024lah9nnmeamnwkhuazjm205fglx2yelmt0jsjw9tnaneadszq7wg7");
    BOOST_CHECK_EQUAL(AddressOf("mr({pk_slhdsa(409f78ce0978519ff5d960c4ab595174c7efca11b1f89410a4e98b70cd423e1c),"
                                "{pk_slhdsa(9f0955dc884a5c88d1732e017d30e27e8a445889bce5aa42611b7635c5c1073a),"
                                "pk_slhdsa(c60b10d57c0cdf27e5c751e131ea4301b37abe7384948059256c7f5f1f285a7f)}})"),
                      "bc1z283uz9gm5u7eal8gqxphwuenr0usxzthyshk9hltvat8jh6gysys28twnc");
}

// Bytes written from BIP 379's table of translations, BIP 387 and the specification of the opcodes.
BOOST_AUTO_TEST_CASE(leaf_scripts)
{
    BOOST_CHECK_EQUAL(LeafScript("pk(" + A + ")"), "20" + A + "ac");
    BOOST_CHECK_EQUAL(LeafScript("pk_slhdsa(" + S + ")"), "20" + S + "7f");
    BOOST_CHECK_EQUAL(LeafScript("multi_a(2," + A + "," + B + ")"), "20" + A + "ac20" + B + "ba529c");
    BOOST_CHECK_EQUAL(LeafScript("sortedmulti_a(2," + A + "," + B + ")"), "20" + B + "ac20" + A + "ba529c");
    BOOST_CHECK_EQUAL(LeafScript("multi_slhdsa(2," + S + "," + T + ")"), "20" + S + "7f20" + T + "80529c");
    BOOST_CHECK_EQUAL(LeafScript("and_v(v:pk_slhdsa(" + S + "),pk(" + A + "))"), "20" + S + "7f6920" + A + "ac");
    BOOST_CHECK_EQUAL(LeafScript("and_v(v:pk(" + A + "),pk_slhdsa(" + S + "))"), "20" + A + "ad20" + S + "7f");
    BOOST_CHECK_EQUAL(LeafScript("and_v(v:pk(" + A + "),older(144))"), "20" + A + "ad029000b2");
    BOOST_CHECK_EQUAL(LeafScript("and_v(v:older(16),pk(" + A + "))"), "60b26920" + A + "ac");
    BOOST_CHECK_EQUAL(LeafScript("and_v(v:after(500000),pk(" + A + "))"), "0320a107b16920" + A + "ac");
    BOOST_CHECK_EQUAL(LeafScript("and_v(v:sha256(" + T + "),pk_slhdsa(" + S + "))"), "82012088a820" + T + "8820" + S + "7f");
    BOOST_CHECK_EQUAL(LeafScript("and_v(v:multi_a(1," + A + "),and_v(v:multi_slhdsa(1," + S + "),after(1)))"),
                      "20" + A + "ac519d20" + S + "7f519d51b1");
    // 17 keys: k and beyond are numbers, not opcodes
    std::string many, script;
    for (int i = 0; i < 17; ++i) {
        const std::string key{std::string(62, '1') + std::to_string(10 + i)};
        many += "," + key;
        script += "20" + key + (i == 0 ? "7f" : "80");
    }
    BOOST_CHECK_EQUAL(LeafScript("multi_slhdsa(17" + many + ")"), script + "01119c");
}

// src/test/data/descriptors.json, which the Python package reads too.
BOOST_AUTO_TEST_CASE(vectors)
{
    const nlohmann::json data = test::ReadJson("descriptors.json");
    for (const auto& vector : data.at("valid")) {
        const auto descriptor{Descriptor::Parse(vector.at("descriptor").get<std::string>())};
        BOOST_CHECK_EQUAL(descriptor.ToString(), vector.at("normal").get<std::string>());
        const auto output{descriptor.Output()};
        BOOST_CHECK_EQUAL(HexStr(output.script_pubkey), vector.at("script_pubkey").get<std::string>());
        BOOST_REQUIRE_EQUAL(output.leaves.size(), vector.at("leaves").size());
        for (size_t i = 0; i < output.leaves.size(); ++i) {
            BOOST_CHECK_EQUAL(HexStr(output.leaves[i].leaf.script), vector.at("leaves")[i].at("script").get<std::string>());
            BOOST_CHECK_EQUAL(HexStr(output.leaves[i].control_block), vector.at("leaves")[i].at("control_block").get<std::string>());
        }
    }
    for (const auto& vector : data.at("invalid")) {
        BOOST_CHECK_EQUAL(Problem(vector.at("descriptor").get<std::string>()), vector.at("error").get<std::string>());
    }
}

// The witness that a descriptor's leaf needs: BIP 341's own control block for a tree of two leaves, and P2MR's.
BOOST_AUTO_TEST_CASE(control_blocks)
{
    const auto mr{Descriptor::Parse("mr({pk(" + A + "),pk_slhdsa(" + S + ")})").Output()};
    BOOST_REQUIRE_EQUAL(mr.leaves.size(), 2u);
    BOOST_CHECK_EQUAL(HexStr(mr.leaves[0].control_block), "c1" + HexStr(mr.leaves[1].leaf.hash.Bytes()));
    BOOST_CHECK(!mr.internal_key);
    const auto tr{Descriptor::Parse("tr(" + NUMS + ",{pk(" + A + "),pk_slhdsa(" + S + ")})").Output()};
    BOOST_REQUIRE_EQUAL(tr.leaves.size(), 2u);
    const std::string block{HexStr(tr.leaves[1].control_block)};
    BOOST_CHECK_EQUAL(block.substr(2), NUMS + HexStr(tr.leaves[0].leaf.hash.Bytes()));
    BOOST_CHECK(block.starts_with("c0") || block.starts_with("c1"));
    BOOST_CHECK_EQUAL(HexStr(tr.tree->Root().Bytes()), HexStr(mr.tree->Root().Bytes()));
}

BOOST_AUTO_TEST_CASE(normal_form)
{
    const auto check{[](const std::string& text, const std::string& normal) {
        const std::string expected{normal + "#" + DescriptorChecksum(normal)};
        BOOST_CHECK_EQUAL(Descriptor::Parse(text).ToString(), expected);
        BOOST_CHECK_EQUAL(Descriptor::Parse(expected, Descriptor::Checksum::REQUIRED).ToString(), expected);
    }};
    std::string upper{S};
    std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
    check("raw(DEADbeef)", "raw(deadbeef)");
    check("tr(02" + A + ")", "tr(02" + A + ")");
    check("mr({pk_slhdsa(" + upper + "),pk([DEADBEEF/0'/1h/2]" + A + ")})", "mr({pk_slhdsa(" + S + "),pk([deadbeef/0h/1h/2]" + A + ")})");
    check("mr({pk_slhdsa([d34db33f/87'/1'/0']" + S + "),{and_v(v:pk(" + A + "),older(5)),sortedmulti_a(1," + B + ")}})",
          "mr({pk_slhdsa([d34db33f/87h/1h/0h]" + S + "),{and_v(v:pk(" + A + "),older(5)),sortedmulti_a(1," + B + ")}})");
    // keys of other parameter sets
    check("mr({pk_slhdsa(18" + S + "),multi_slhdsa(1,[d34db33f/0h]28" + upper + "," + T + ")})",
          "mr({pk_slhdsa(18" + S + "),multi_slhdsa(1,[d34db33f/0h]28" + S + "," + T + ")})");
    const Descriptor of_sets{Descriptor::Parse("mr({pk_slhdsa(18" + S + "),pk_slhdsa(28" + T + ")})")};
    BOOST_CHECK_EQUAL(HexStr(of_sets.Output().leaves[0].leaf.script), "2118" + S + "7f");
    BOOST_CHECK_EQUAL(HexStr(of_sets.Output().leaves[1].leaf.script), "2128" + T + "7f");
    check("addr(BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4)", "addr(bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4)");
    // the same output, however its key is written
    BOOST_CHECK_EQUAL(ScriptOf("tr(02" + A + ")"), ScriptOf("tr(03" + A + ")"));
    BOOST_CHECK_EQUAL(ScriptOf("tr(02" + A + ")"), ScriptOf("tr(" + A + ")"));
    BOOST_CHECK(Descriptor::Parse("tr(" + A + ")").ToString() != Descriptor::Parse("tr(02" + A + ")").ToString());
}

// BIP 380, "Test Vectors".
BOOST_AUTO_TEST_CASE(checksums)
{
    BOOST_CHECK_EQUAL(Descriptor::Parse("raw(deadbeef)#89f8spxm").ToString(), "raw(deadbeef)#89f8spxm");
    CheckRefused("raw(deadbeef)#", "column 15: a checksum of 0 characters, not 8");
    CheckRefused("raw(deadbeef)#89f8spxmx", "column 15: a checksum of 9 characters, not 8");
    CheckRefused("raw(deadbeef)#89f8spx", "column 15: a checksum of 7 characters, not 8");
    CheckRefused("raw(deedbeef)#89f8spxm", "column 15: the checksum is '89f8spxm', but that of the text before it is '");
    CheckRefused("raw(deedbeef)##9f8spxm", "column 15: a second '#'");
    CheckRefused("raw(\xc3\x9c)#00000000", "column 5: a character that no descriptor has");
    BOOST_CHECK_EXCEPTION(Descriptor::Parse("raw(deadbeef)", Descriptor::Checksum::REQUIRED), DescriptorError,
                          [](const DescriptorError& e) { return std::string{e.what()}.starts_with("column 14: "); });
}

// BIP 380, "Test Vectors", invalid key expressions.
BOOST_AUTO_TEST_CASE(origins)
{
    const auto refused{[](const std::string& key, const std::string& problem) { CheckRefused("tr(" + key + ")", problem); }};
    BOOST_CHECK_EQUAL(Problem("tr([deadbeef/0'/0h/0']02" + A + ")"), "accepted");
    BOOST_CHECK_EQUAL(Problem("tr([deadbeef]" + A + ")"), "accepted");
    refused("[deadbeef/0h/0h/0h/*]" + A, "column 23: expected a number");
    refused("[deadbeef/0h/0h/0h/]" + A, "column 23: expected a number");
    refused("[deadbef/0h/0h/0h]" + A, "column 5: the fingerprint of an origin has 8 hex digits");
    refused("[deadbeeef/0h/0h/0h]" + A, "column 5: the fingerprint of an origin has 8 hex digits");
    refused("[deadbeef/0f/0f/0f]" + A, "column 15: expected ']'");
    refused("[deadbeef/-0/-0/-0]" + A, "column 14: expected a number");
    refused("[deadbeef/0H/0H/0H]" + A, "column 15: a hardened step is written h or '");
    refused("[deadbeef/2147483648]" + A, "column 14: the number is greater than 2147483647");
    refused("[deadbeef/01]" + A, "column 14: a number with a leading zero");
    refused("[aaaaaaaa][aaaaaaaa]" + A, "column 14: a key has one origin");
    refused("aaaaaaaa]" + A, "column 4: not a key in hex");
    refused("[gaaaaaaa]" + A, "column 5: the fingerprint");
    refused("[deadbeef]", "column 14: expected a key");
    refused("[deadbeef/0h]/*h", "column 17: expected a key");
    refused("xpub6ERApfZwUNrhLCkDtcHTcxd75RbzS1ed54G1LkBUHQVHQKqhMkhgbmJbZRkrgZw4koxb5JaHWkY4ALHY2grBGRjaDMzQLcgJvLJuZZvRcEL/0/*",
            "column 4: extended keys (BIP 32) are not derived here");
    refused(A + "/0", "column 68: a key in hex has no children");
    std::string path;
    for (int i = 0; i < 256; ++i) path += "/1";
    refused("[deadbeef" + path + "]" + A, "column 525: a path of more than 255 steps");
}

BOOST_AUTO_TEST_CASE(refusals)
{
    const auto leaf{[](const std::string& text, const std::string& problem) { CheckRefused("tr(" + NUMS + "," + text + ")", problem); }};
    // Descriptors that nobody wants, with the reason.
    CheckRefused("mr(pk_slhdsa(" + S + "))", "column 4: a P2MR (P2TSH) output with a single leaf can be spent by anyone");
    leaf("older(144)", "column 69: anyone could spend this leaf: it needs no signature");
    leaf("and_v(v:sha256(" + T + "),after(7))", "column 69: anyone could spend this leaf");
    leaf("and_v(v:pk(" + A + "),v:older(1))", "column 69: the leaf leaves nothing on the stack");
    leaf("multi_slhdsa(1," + S + "," + T + "," + S + ")", "column 214: the same key as in column 84, so its signature would count twice");
    leaf("and_v(v:pk(" + A + "),pk(02" + A + "))", "column 149: the same key as in column 80");
    leaf("and_v(v:pk(" + A + "),and_v(v:pk_slhdsa(" + S + "),pk(" + A + ")))", "column 233: the same key as in column 80");
    leaf("and_v(v:sortedmulti_a(1," + A + "," + B + "),older(5))", "column 77: sortedmulti_a() can only be a whole leaf");
    leaf("and_v(v:pk_slhdsa(" + S + "),sortedmulti_a(1," + A + "))", "column 153: sortedmulti_a() can only be a whole leaf");
    leaf("v:sortedmulti_a(1," + A + ")", "column 71: sortedmulti_a() can only be a whole leaf");
    leaf("and_v(v:pk_slhdsa(" + A + "),pk(" + A + "))",
         "column 156: the same key as in column 87, where it is a key of another type: one of the two is wrong");
    leaf("multi_slhdsa(1,18" + S + ",18" + S + ")", "column 151: the same key as in column 84, so its signature would count twice");
    leaf("multi_slhdsa(1,18" + S + "," + S + ")", "column 151: the same key as in column 84, where it is a key of another type");
    leaf("pk_slhdsa(01" + S + ")", "column 79: an SLH-DSA key of 33 bytes begins with the number of a parameter set that scripts know "
                                   "(18: 128-24, 28: 128-q40), not with 01, 128f");
    leaf("pk_slhdsa(" + S + "0000)", "column 79: a key of 68 hex digits: an SLH-DSA key has 64, or 66 with the number of a parameter set");
    leaf("pk(" + T + ")", "column 72: the key is not the x coordinate of a point");
    CheckRefused("tr(" + T + ")", "column 4: the key is not the x coordinate of a point");
    leaf("and_v(v:pk(" + A + "),older(0))", "column 152: older(0): under BIP 68 this is no wait at all");
    leaf("and_v(v:pk(" + A + "),older(65536))", "column 152: older(65536): under BIP 68 this is no wait at all");
    leaf("and_v(v:pk(" + A + "),after(0))", "column 152: after(0): would not wait at all; it takes a height, 1 to 499999999, "
                                             "or a time in seconds since 1970, 500000000 to 2147483647");
    leaf("and_v(v:pk(" + A + "),after(2147483648))", "column 152: the number is greater than 2147483647");
    leaf("and_v(v:older(1),and_v(v:older(4194305),pk(" + A + ")))", "column 69: the leaf demands an age in blocks and one in time");
    leaf("and_v(v:after(1),and_v(v:after(500000000),pk(" + A + ")))", "column 69: the leaf demands a block height and a time");
    // Miniscript's types.
    leaf("and_v(pk(" + A + "),pk(" + B + "))", "column 75: the first part of and_v() leaves a result: write v: before it");
    leaf("v:v:pk(" + A + ")", "column 71: v: takes an expression that leaves a result");
    leaf("s:pk(" + A + ")", "column 69: the wrapper s: is not known here");
    // Names from elsewhere.
    leaf("or_d(pk(" + A + "),pk(" + B + "))", "column 69: or_d() is not known here (pk, pk_slhdsa,");
    leaf("pk_schnorr(" + A + ")", "column 69: pk_schnorr() is not known here (pk, pk_slhdsa,");
    leaf("hybrid(" + S + "," + A + ")", "column 69: hybrid() is not known here (pk, pk_slhdsa,");
    leaf("raw(51)", "column 69: raw() cannot be a leaf");
    leaf("nonsense(" + A + ")", "column 69: nonsense() is not known here (pk, pk_slhdsa,");
    CheckRefused("pk_slhdsa(" + S + ")", "column 1: pk_slhdsa() can only be a leaf of mr() or tr()");
    // Form.
    CheckRefused("", "column 1: a descriptor begins with mr(");
    CheckRefused("mr", "column 3: expected '('");
    CheckRefused("mr(", "column 4: expected a leaf or '{'");
    CheckRefused("mr({})", "column 5: expected a leaf or '{'");
    CheckRefused("mr({pk(" + A + ")})", "column 73: expected ',' between the two sides of a branch");
    CheckRefused("mr({pk(" + A + "),pk(" + B + "),pk(" + NUMS + ")})", "column 142: expected '}' after the two sides of a branch");
    CheckRefused("mr( {pk(" + A + "),pk(" + B + ")})", "column 4: expected a leaf or '{'");
    CheckRefused("mr({pk(" + A + "),pk(" + B + ")}", "column 143: expected ')' at the end of the descriptor");
    CheckRefused("mr({pk(" + A + "),pk(" + B + ")})x", "column 144: unexpected text after the descriptor");
    leaf("pk(" + A.substr(1) + ")", "column 72: not a key in hex");
    leaf("pk_slhdsa(02" + S + ")", "column 79: an SLH-DSA key of 33 bytes begins with the number of a parameter set that scripts know "
                                   "(18: 128-24, 28: 128-q40), not with 02");
    leaf(A, "column 69: expected a leaf such as pk_slhdsa(KEY)");
    leaf("pk", "column 69: expected a leaf such as pk_slhdsa(KEY)");
    leaf("pk()", "column 72: expected a key");
    leaf("sha256(00)", "column 76: sha256() takes 64 hex digits");
    leaf("sha256(0)", "column 76: an odd number of hex digits");
    leaf("multi_slhdsa(2," + S + ")", "column 82: multi_slhdsa() needs 2 signatures, but has 1 key");
    leaf("multi_slhdsa(1)", "column 83: expected ',' and a key");
    leaf("multi_slhdsa(1000," + S + ")", "column 82: the number is greater than 999");
    leaf("multi_slhdsa(" + S + ")", "column 83: expected ',' and a key");
    CheckRefused("raw(0)", "column 5: an odd number of hex digits");
    CheckRefused("addr(bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5)", "column 6: not a segwit address: ");
}

BOOST_AUTO_TEST_CASE(limits)
{
    const auto nested{[](int levels) {
        std::string text;
        for (int i = 0; i < levels; ++i) text += "{pk_slhdsa(" + S + "),";
        return "mr(" + text + "pk_slhdsa(" + T + ")" + std::string(levels, '}') + ")";
    }};
    BOOST_CHECK_EQUAL(Descriptor::Parse(nested(128)).Output().leaves.size(), 129u);
    const std::string too_deep{Problem(nested(129))};
    BOOST_CHECK_MESSAGE(too_deep.ends_with("the tree is deeper than 128 levels"), too_deep);

    const auto balanced{[](auto&& self, int levels) -> std::string {
        if (levels == 0) return "pk_slhdsa(" + S + ")";
        const std::string side{self(self, levels - 1)};
        return "{" + side + "," + side + "}";
    }};
    BOOST_CHECK_EQUAL(Descriptor::Parse("mr(" + balanced(balanced, 10) + ")").Output().leaves.size(), 1024u);
    const std::string too_many{Problem("mr({" + balanced(balanced, 10) + ",pk(" + A + ")})")};
    BOOST_CHECK_MESSAGE(too_many.ends_with("the tree has more than 1024 leaves"), too_many);

    std::string deep_leaf{"pk(" + A + ")"};
    for (int i = 0; i < 200; ++i) deep_leaf = "and_v(v:older(1)," + deep_leaf + ")";
    const std::string deep{Problem("tr(" + NUMS + "," + deep_leaf + ")")};
    BOOST_CHECK_MESSAGE(deep.ends_with("more than 128 expressions within one another"), deep);

    BOOST_CHECK_EQUAL(Problem("raw(" + std::string(1u << 20, '0') + ")"),
                      "column 1048577: the descriptor has more than 1048576 characters");
    // The checksum does not count: the normal form has one.
    const auto longest{Descriptor::Parse("raw(" + std::string((1u << 20) - 6, '0') + ")")};
    BOOST_CHECK_EQUAL(longest.ToString().size(), (1u << 20) + 8);
    BOOST_CHECK_EQUAL(Problem(longest.ToString()), "accepted");
    BOOST_CHECK_EQUAL(Problem("raw(" + std::string((1u << 20) - 4, '0') + ")#" + std::string(8, 'q')),
                      "column 1048577: the descriptor has more than 1048576 characters");

    std::string keys;
    for (int i = 0; i < 999; ++i) keys += "," + std::string(60, '2') + std::to_string(1000 + i);
    const auto multi{[&](const std::string& call) { return Problem("tr(" + NUMS + "," + call + ")"); }};
    BOOST_CHECK_EQUAL(multi("multi_slhdsa(46" + keys + ")"), "accepted");
    BOOST_CHECK_EQUAL(multi("multi_slhdsa(1" + keys + ")"), "accepted");
    // Outputs that nobody could spend: 47 signatures and 999 keys weigh more than nodes relay.
    BOOST_CHECK(multi("multi_slhdsa(47" + keys + ")").find("takes a transaction of at least 404624 weight units") != std::string::npos);
    std::string fifty;
    for (int i = 0; i < 50; ++i) fifty += "," + std::string(60, '2') + std::to_string(1000 + i);
    BOOST_CHECK_EQUAL(multi("multi_slhdsa(50" + fifty + ")"), "accepted");
    const std::string heavy{multi("multi_slhdsa(51" + fifty + "," + S + ")")};
    BOOST_CHECK_MESSAGE(heavy.ends_with("weight units, and nodes do not relay more than 400000"), heavy);
    // Signatures of 3,856 bytes: the smallest ones count.
    std::string many_small;
    for (int i = 0; i < 102; ++i) many_small += ",18" + std::string(60, '2') + std::to_string(1000 + i);
    for (const auto& [needed, accepted] : {std::pair{"102", true}, {"103", false}}) {
        BOOST_CHECK_EQUAL(multi("multi_slhdsa(" + std::string{needed} + many_small + "," + S + ")") == "accepted", accepted);
    }
    // 1,000 elements, and the first key above them; with one element fewer, a preimage's size and 32.
    const std::string stack{"nobody could spend this leaf: it needs 1001 elements on the stack, and there can be 1000"};
    BOOST_CHECK(multi("and_v(v:pk_slhdsa(" + S + "),multi_slhdsa(1" + keys + "))").ends_with(stack));
    BOOST_CHECK(multi("and_v(v:pk(" + A + "),multi_slhdsa(1" + keys + "))").ends_with(stack));
    const std::string fewer{keys.substr(0, keys.size() - 65)};
    BOOST_CHECK(multi("and_v(v:sha256(" + S + "),multi_slhdsa(1" + fewer + "))").ends_with(stack));
    BOOST_CHECK_EQUAL(multi("and_v(v:after(5),and_v(v:pk(" + A + "),multi_slhdsa(1" + fewer + ")))"), "accepted");
    const std::string too_many_keys{Problem("tr(" + NUMS + ",multi_slhdsa(999" + keys + "," + S + "))")};
    BOOST_CHECK_MESSAGE(too_many_keys.ends_with("multi_slhdsa() has more than 999 keys"), too_many_keys);
}

BOOST_AUTO_TEST_CASE(addresses)
{
    BOOST_CHECK_EQUAL(AddressOf("raw(deadbeef)"), "");
    BOOST_CHECK_EQUAL(AddressOf("raw(5101)"), "");
    const std::string address{"tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"};
    BOOST_CHECK_EQUAL(AddressOf("addr(" + address + ")", Network::SIGNET), address);
    std::string error;
    BOOST_CHECK_EQUAL(OutputAddress(Descriptor::Parse("addr(" + address + ")").Output(), Network::MAINNET, error), "");
    BOOST_CHECK_EQUAL(error, "the descriptor is an address with the prefix 'tb', which is not that of mainnet");
}

BOOST_AUTO_TEST_SUITE_END()
