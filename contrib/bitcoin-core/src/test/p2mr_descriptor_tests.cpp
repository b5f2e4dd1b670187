// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <addresstype.h>
#include <key_io.h>
#include <script/descriptor.h>
#include <script/interpreter.h>
#include <script/script.h>
#include <script/signingprovider.h>
#include <slhdsa/config.h>
#include <test/util/setup_common.h>
#include <tinyformat.h>
#include <uint256.h>
#include <util/strencodings.h>

#include <boost/test/unit_test.hpp>

#include <memory>
#include <regex>
#include <string>
#include <utility>
#include <vector>

BOOST_FIXTURE_TEST_SUITE(p2mr_descriptor_tests, BasicTestingSetup)

namespace {
const std::string K1(64, '1'), K2(64, '2'), K3(64, '3');
const std::string X{"79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"};
const std::string X2{"c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5"};

std::unique_ptr<Descriptor> ParseOne(const std::string& text, FlatSigningProvider& out)
{
    std::string error;
    auto parsed{Parse(text, out, error, /*require_checksum=*/false)};
    BOOST_REQUIRE_MESSAGE(parsed.size() == 1, text << ": " << error);
    return std::move(parsed[0]);
}

std::string ParseError(const std::string& text)
{
    FlatSigningProvider out;
    std::string error;
    BOOST_CHECK_MESSAGE(Parse(text, out, error, /*require_checksum=*/false).empty(), text << " was accepted");
    return error;
}

bool Contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

CScript Expand(const Descriptor& desc, FlatSigningProvider& out, int pos = 0)
{
    std::vector<CScript> scripts;
    BOOST_REQUIRE(desc.Expand(pos, DUMMY_SIGNING_PROVIDER, scripts, out));
    BOOST_REQUIRE_EQUAL(scripts.size(), 1U);
    return scripts[0];
}

std::string Address(const CScript& script)
{
    CTxDestination destination;
    BOOST_REQUIRE(ExtractDestination(script, destination));
    return EncodeDestination(destination);
}

std::string WithChecksum(const std::string& text) { return text + "#" + GetDescriptorChecksum(text); }
} // namespace

BOOST_AUTO_TEST_CASE(off)
{
    if (HAVE_SLHDSA) return;
    BOOST_CHECK(Contains(ParseError("mr({pk_slhdsa(" + K1 + "),rawleaf(6a)})"), "is not a valid descriptor function"));
    BOOST_CHECK(Contains(ParseError("pk_slhdsa(" + K1 + ")"), "is not a valid descriptor function"));
}

BOOST_AUTO_TEST_CASE(addresses)
{
    if (!HAVE_SLHDSA) return;
    // The addresses are those of another implementation of the same leaves (slhtool).
    std::string many;
    for (int i{1}; i <= 20; ++i) many += "," + std::string(62, '0') + HexStr(std::vector<unsigned char>{static_cast<unsigned char>(i)});
    const std::vector<std::pair<std::string, std::string>> cases{
        {"{pk_slhdsa(" + K1 + "),rawleaf(6a)}", "bc1zm5kqd56jsym6yfys7duyeu3nx4w0nlwf6ty687w8y0xv0petvyxs3z9y7a"},
        {"{rawleaf(6a),pk_slhdsa(" + K1 + ")}", "bc1zm5kqd56jsym6yfys7duyeu3nx4w0nlwf6ty687w8y0xv0petvyxs3z9y7a"}, // branches are sorted
        {"{pk_slhdsa(" + K1 + "),pk(" + X + ")}", "bc1zduzpamhudfupz4m689wyncl9024a2q23p52m7ped2m362hfdgkjqw5088h"},
        {"{multi_slhdsa(2," + K1 + "," + K2 + "," + K3 + "),{pk_slhdsa(" + K2 + "),rawleaf(20" + K1 + "7f6920" + X + "ac)}}", "bc1zm8zrk4glvk5dudfv5vwquzshyh7kculylw2hyvngzwxpeeuzla7qw3fpsc"},
        {"{multi_slhdsa(17" + many + "),pk_slhdsa(" + K1 + ")}", "bc1zjh6hmkamjpexvlg992evqxcsvc73vz8srf7trpda8ucguevrf7jsw6rr8u"},
        {"{{multi_a(1," + X + "," + X2 + "),pk_slhdsa(" + K3 + ")},pk_slhdsa(" + K2 + ")}", "bc1z79jpshs75d3jc57n5qek49ye5vl2ssg2h0x392fv0vr9j85vqgrssk3w4n"},
    };
    for (const auto& [tree, address] : cases) {
        const std::string text{"mr(" + tree + ")"};
        FlatSigningProvider keys, out;
        const auto desc{ParseOne(text, keys)};
        BOOST_CHECK_EQUAL(desc->ToString(), WithChecksum(text));
        BOOST_CHECK(!desc->IsRange());
        BOOST_CHECK(desc->IsSingleType());
        BOOST_CHECK_EQUAL(desc->IsSolvable(), !Contains(text, "rawleaf"));
        BOOST_CHECK(!desc->GetOutputType()); // so that no wallet makes it active
        const CScript script{Expand(*desc, out)};
        BOOST_CHECK_EQUAL(Address(script), address);
        BOOST_CHECK_EQUAL(*desc->ScriptSize(), static_cast<int64_t>(script.size()));

        // The descriptor inferred from the script and the tree is the same, except for the origins of Schnorr keys.
        const std::string inferred{InferDescriptor(script, out)->ToString()};
        BOOST_CHECK_EQUAL(WithChecksum(std::regex_replace(inferred.substr(0, inferred.size() - 9), std::regex{"\\[[0-9a-f]{8}\\]"}, "")), WithChecksum(text));
        // Without the tree it is an address.
        BOOST_CHECK_EQUAL(InferDescriptor(script, DUMMY_SIGNING_PROVIDER)->ToString(), WithChecksum("addr(" + address + ")"));

        // Every leaf and control block leads to the program.
        TaprootBuilder builder;
        const WitnessV2P2MR output{uint256{std::span{script}.last(32)}};
        BOOST_REQUIRE(out.GetP2MRBuilder(output, builder));
        for (const auto& [leaf, controls] : builder.GetP2MRSpendData().scripts) {
            for (const auto& control : controls) {
                BOOST_CHECK(control.size() % 32 == 1 && control[0] == 0xc1);
                BOOST_CHECK(WitnessV2P2MR{ComputeP2MRMerkleRoot(control, ComputeTapleafHash(leaf.second, leaf.first))} == output);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(key_case_and_checksum)
{
    if (!HAVE_SLHDSA) return;
    FlatSigningProvider keys;
    const std::string upper{"mr({pk_slhdsa(" + std::string(64, 'A') + "),rawleaf(6A)})"}, lower{"mr({pk_slhdsa(" + std::string(64, 'a') + "),rawleaf(6a)})"};
    BOOST_CHECK_EQUAL(ParseOne(upper, keys)->ToString(), WithChecksum(lower));
    ParseOne(WithChecksum(lower), keys);
    BOOST_CHECK(Contains(ParseError(lower + "#qqqqqqqq"), "does not match computed checksum"));
}

BOOST_AUTO_TEST_CASE(ranges_and_multipath)
{
    if (!HAVE_SLHDSA) return;
    const std::string xpub{"xpub6ERApfZwUNrhLCkDtcHTcxd75RbzS1ed54G1LkBUHQVHQKqhMkhgbmJbZRkrgZw4koxb5JaHWkY4ALHY2grBGRjaDMzQLcgJvLJuZZvRcEL"};
    FlatSigningProvider keys;
    const auto ranged{ParseOne("mr({pk_slhdsa(" + K1 + "),pk(" + xpub + "/0/*)})", keys)};
    BOOST_CHECK(ranged->IsRange());
    FlatSigningProvider out0, out1;
    const CScript script0{Expand(*ranged, out0, 0)}, script1{Expand(*ranged, out1, 1)};
    BOOST_CHECK(script0 != script1);
    // The Schnorr key's origin is kept where it is inferred again.
    BOOST_CHECK(Contains(InferDescriptor(script1, out1)->ToString(), "/0/1]"));

    std::string error;
    const auto multipath{Parse("mr({pk_slhdsa(" + K1 + "),and_v(v:pk(" + xpub + "/<0;1>/*),older(10))})", keys, error, /*require_checksum=*/false)};
    BOOST_REQUIRE_EQUAL(multipath.size(), 2U);
    BOOST_CHECK_EQUAL(multipath[1]->ToString(), WithChecksum("mr({pk_slhdsa(" + K1 + "),and_v(v:pk(" + xpub + "/1/*),older(10))})"));
    BOOST_CHECK(Contains(ParseError("mr({pk(" + xpub + "/<0;1;2>/*),pk(" + xpub + "/<3;4>/*)})"), "mismatched lengths"));
}

BOOST_AUTO_TEST_CASE(errors)
{
    if (!HAVE_SLHDSA) return;
    const auto leaf{[](const std::string& text) { return ParseError("mr({" + text + ",rawleaf(6a)})"); }};

    // Anyone can spend a tree of one leaf.
    BOOST_CHECK(Contains(ParseError("mr(pk_slhdsa(" + K1 + "))"), "needs at least two leaves"));
    BOOST_CHECK(Contains(ParseError("mr(pk_slhdsa(" + K1 + "))"), "anyone can spend"));
    BOOST_CHECK(!ParseError("mr()").empty());
    BOOST_CHECK(Contains(ParseError("mr({pk_slhdsa(" + K1 + ")})"), "expected ','"));
    BOOST_CHECK(Contains(ParseError("mr({pk_slhdsa(" + K1 + "),rawleaf(6a),rawleaf(6a)})"), "expected '}'"));
    BOOST_CHECK(Contains(ParseError("mr({pk_slhdsa(" + K1 + "),rawleaf(6a)}x)"), "expected ')'"));
    BOOST_CHECK(Contains(ParseError("mr(" + std::string(129, '{') + "rawleaf(6a)"), "at most 128 nesting levels"));
    std::string deep{"rawleaf(6a)"};
    for (int i{0}; i < 128; ++i) deep = "{" + deep + ",rawleaf(6a)}";
    FlatSigningProvider keys, out;
    Expand(*ParseOne("mr(" + deep + ")", keys), out);
    BOOST_CHECK(Contains(ParseError("mr({" + deep + ",rawleaf(6a)})"), "at most 128 nesting levels"));

    // Keys
    BOOST_CHECK(Contains(leaf("pk_slhdsa()"), "is not 64 hex digits"));
    BOOST_CHECK(Contains(leaf("pk_slhdsa(" + K1 + "11)"), "is not 64 hex digits"));
    BOOST_CHECK(Contains(leaf("pk_slhdsa(" + K1.substr(2) + ")"), "is not 64 hex digits"));
    BOOST_CHECK(Contains(leaf("pk_slhdsa(" + K1.substr(1) + "g)"), "is not 64 hex digits"));
    BOOST_CHECK(Contains(leaf("pk_slhdsa(" + K1 + "," + K2 + ")"), "is not 64 hex digits"));

    // Thresholds
    BOOST_CHECK(Contains(leaf("multi_slhdsa(0," + K1 + ")"), "must be at least 1"));
    BOOST_CHECK(Contains(leaf("multi_slhdsa(2," + K1 + ")"), "only 1 keys"));
    BOOST_CHECK(Contains(leaf("multi_slhdsa(a," + K1 + ")"), "threshold 'a' is not valid"));
    BOOST_CHECK(Contains(leaf("multi_slhdsa(-1," + K1 + ")"), "threshold '-1' is not valid"));
    BOOST_CHECK(Contains(leaf("multi_slhdsa(1)"), "Cannot have 0 keys"));
    BOOST_CHECK(Contains(leaf("multi_slhdsa(1," + K1 + "," + K1 + ")"), "occurs twice"));
    std::string many;
    for (int i{0}; i < 999; ++i) many += "," + std::string(60, '0') + strprintf("%04x", i);
    FlatSigningProvider keys999;
    ParseOne("mr({multi_slhdsa(46" + many + "),rawleaf(6a)})", keys999);
    BOOST_CHECK(Contains(leaf("multi_slhdsa(47" + many + ")"), "takes a transaction of at least 404624 weight units"));
    BOOST_CHECK(Contains(leaf("and_v(v:pk_slhdsa(" + K1 + "),multi_slhdsa(1" + many + "))"), "it needs 1001 elements on the stack"));
    BOOST_CHECK(Contains(leaf("and_v(v:pk_slhdsa(" + K1 + "),and_v(v:sha256(" + K1 + "),multi_slhdsa(1" + many + ")))"), "it needs 1002 elements on the stack"));
    const std::string fewer{many.substr(0, many.size() - 65)};
    BOOST_CHECK(Contains(leaf("and_v(v:sha256(" + K1 + "),multi_slhdsa(1" + fewer + "))"), "it needs 1001 elements on the stack"));
    FlatSigningProvider keys998;
    ParseOne("mr({and_v(v:after(5),and_v(v:pk_slhdsa(" + K1 + "),multi_slhdsa(1" + fewer + "))),rawleaf(6a)})", keys998);
    BOOST_CHECK(Contains(leaf("multi_slhdsa(999" + many + "," + K1 + ")"), "Cannot have 1000 keys"));

    // Where they do not belong
    for (const std::string& name : std::vector<std::string>{"pk_slhdsa(" + K1 + ")", "multi_slhdsa(1," + K1 + ")", std::string{"rawleaf(6a)"}}) {
        for (const std::string context : {"", "sh", "wsh"}) {
            const std::string text{context.empty() ? name : context + "(" + name + ")"};
            BOOST_CHECK_MESSAGE(Contains(ParseError(text), "as a leaf of mr() or tr()"), text);
        }
    }
    for (const std::string context : {"sh", "wsh"}) BOOST_CHECK(Contains(ParseError(context + "(mr({rawleaf(6a),rawleaf(6a)}))"), "only have mr at top level"));
    BOOST_CHECK(Contains(ParseError("tr(" + X + ",pkh(pk_slhdsa(" + K1 + ")))"), "pk_slhdsa"));
    BOOST_CHECK(Contains(ParseError("tr(" + X + ",mr({rawleaf(6a),rawleaf(6a)}))"), "only have mr at top level"));
    BOOST_CHECK(Contains(leaf("rawleaf()"), "is not hex"));
    BOOST_CHECK(Contains(leaf("rawleaf(6)"), "is not hex"));
    BOOST_CHECK(Contains(leaf("wpkh(" + X + ")"), "Can only have wpkh()"));
    BOOST_CHECK(Contains(leaf("multi(1," + X + ")"), "Can only have multi"));
}

BOOST_AUTO_TEST_CASE(inferred_leaves)
{
    if (!HAVE_SLHDSA) return;
    const auto infer{[](const std::string& hex) {
        const auto bytes{ParseHex(hex)};
        return InferP2MRLeaf(CScript(bytes.begin(), bytes.end()));
    }};
    BOOST_CHECK_EQUAL(infer("20" + K1 + "7f"), "pk_slhdsa(" + K1 + ")");
    BOOST_CHECK_EQUAL(infer("20" + K1 + "7f519c"), "multi_slhdsa(1," + K1 + ")");
    BOOST_CHECK_EQUAL(infer("20" + K1 + "7f20" + K2 + "80529c"), "multi_slhdsa(2," + K1 + "," + K2 + ")");
    BOOST_CHECK_EQUAL(infer("20" + X + "ac"), "pk(" + X + ")");
    // Alike, but not what the descriptor makes: another threshold's push, too many, another opcode, a key twice, an
    // x coordinate that is not on the curve, a cut instruction.
    for (const std::string& hex : std::vector<std::string>{"20" + K1 + "7f01019c", "20" + K1 + "7f529c", "20" + K1 + "7f009c", "20" + K1 + "7f51a2", "20" + K1 + "7f", "20" + K1 + "80",
                                  "20" + K1 + "7f20" + K1 + "80519c", "20" + std::string(64, 'f') + "ac", "20" + K1 + "7f20" + K2, std::string{"6a"}, std::string{"4c"}}) {
        if (hex == "20" + K1 + "7f") continue;
        BOOST_CHECK_EQUAL(infer(hex), "rawleaf(" + hex + ")");
    }
}

BOOST_AUTO_TEST_CASE(conjunctions)
{
    if (!HAVE_SLHDSA) return;
    const std::string hash(64, 'e');
    // Scripts as Miniscript makes them of and_v() and v:.
    for (const auto& [leaf, script] : std::vector<std::pair<std::string, std::string>>{
             {"and_v(v:pk_slhdsa(" + K1 + "),pk(" + X + "))", "20" + K1 + "7f6920" + X + "ac"}, // slhtool's hybrid()
             {"and_v(v:pk(" + X + "),pk_slhdsa(" + K1 + "))", "20" + X + "ad20" + K1 + "7f"},
             {"and_v(v:multi_slhdsa(1," + K1 + "," + K2 + "),multi_a(1," + X + "," + X2 + "))", "20" + K1 + "7f20" + K2 + "80519d20" + X + "ac20" + X2 + "ba519c"},
             {"and_v(v:multi_a(2," + X + "," + X2 + "),pk_slhdsa(" + K1 + "))", "20" + X + "ac20" + X2 + "ba529d20" + K1 + "7f"},
             {"and_v(v:pk_slhdsa(" + K1 + "),older(144))", "20" + K1 + "7f69029000b2"},
             {"and_v(v:after(16),pk_slhdsa(" + K1 + "))", "60b16920" + K1 + "7f"},
             {"and_v(v:sha256(" + hash + "),pk_slhdsa(" + K1 + "))", "82012088a820" + hash + "8820" + K1 + "7f"},
             {"and_v(v:pk_slhdsa(" + K1 + "),and_v(v:pk(" + X + "),older(5)))", "20" + K1 + "7f6920" + X + "ad55b2"},
             {"and_v(v:and_v(v:pk_slhdsa(" + K1 + "),pk(" + X + ")),older(5))", "20" + K1 + "7f6920" + X + "ad55b2"},
             {"and_v(and_v(v:pk_slhdsa(" + K1 + "),v:pk(" + X + ")),older(5))", "20" + K1 + "7f6920" + X + "ad55b2"},
             {"and_v(and_v(v:pk(" + X + "),and_v(v:older(5),v:sha256(" + hash + "))),pk_slhdsa(" + K1 + "))", "20" + X + "ad55b26982012088a820" + hash + "8820" + K1 + "7f"},
         }) {
        FlatSigningProvider keys, out, out_raw;
        const auto desc{ParseOne("mr({" + leaf + ",rawleaf(6a)})", keys)}, raw{ParseOne("mr({rawleaf(" + script + "),rawleaf(6a)})", keys)};
        BOOST_CHECK_EQUAL(desc->ToString(), WithChecksum("mr({" + leaf + ",rawleaf(6a)})"));
        BOOST_CHECK_MESSAGE(Expand(*desc, out) == Expand(*raw, out_raw), leaf);
    }
    const auto error{[](const std::string& leaf) { return ParseError("mr({" + leaf + ",rawleaf(6a)})"); }};
    BOOST_CHECK(Contains(error("and_v(pk_slhdsa(" + K1 + "),pk(" + X + "))"), "expected 'v:'"));
    BOOST_CHECK(Contains(error("and_v(v:pk_slhdsa(" + K1 + "))"), "expected two arguments"));
    BOOST_CHECK(Contains(error("and_v(v:pk_slhdsa(" + K1 + "),older(1),older(1))"), "expected two arguments"));
    BOOST_CHECK(Contains(error("and_v(v:pk_slhdsa(" + K1 + "),pk_slhdsa(" + K1 + "))"), "occurs twice"));
    BOOST_CHECK(Contains(error("and_v(v:pk(" + X + "),and_v(v:pk_slhdsa(" + K1 + "),pk(" + X + ")))"), "occurs twice"));
    BOOST_CHECK(Contains(error("and_v(v:pk(02" + X + "),and_v(v:pk_slhdsa(" + K1 + "),pk(03" + X + ")))"), "occurs twice"));
    BOOST_CHECK(Contains(error("and_v(v:multi_a(1," + X + "," + X2 + "),and_v(v:pk(" + X2 + "),pk_slhdsa(" + K1 + ")))"), "occurs twice"));
    BOOST_CHECK(Contains(error("and_v(v:multi_a(1," + X + "," + X + "),pk_slhdsa(" + K1 + "))"), "occurs twice"));
    BOOST_CHECK(Contains(error("and_v(v:pk_slhdsa(" + X + "),pk(" + X + "))"), "occurs twice"));
    BOOST_CHECK(Contains(error("and_v(v:pk_slhdsa(" + K1 + "),and_v(v:older(144),older(4194305)))"), "mixes lock times"));
    BOOST_CHECK(Contains(error("and_v(v:after(500000000),and_v(v:pk_slhdsa(" + K1 + "),after(16)))"), "mixes lock times"));
    FlatSigningProvider keys;
    ParseOne("mr({and_v(v:pk_slhdsa(" + K1 + "),and_v(v:older(4194305),after(16))),rawleaf(6a)})", keys);
    BOOST_CHECK(Contains(error("and_v(v:sortedmulti_a(1," + X + "," + X2 + "),pk_slhdsa(" + K1 + "))"), "can only be a whole leaf"));
    BOOST_CHECK(Contains(error("and_v(and_v(v:pk_slhdsa(" + K1 + "),pk(" + X + ")),older(5))"), "expected 'v:'"));
    std::string deep{"pk_slhdsa(" + K1 + ")"};
    for (int i{0}; i < 127; ++i) deep = "and_v(v:older(1)," + deep + ")";
    ParseOne("mr({" + deep + ",rawleaf(6a)})", keys);
    BOOST_CHECK(Contains(error("and_v(v:older(1)," + deep + ")"), "within one another"));
    BOOST_CHECK(!error("and_v(v:pk_slhdsa(" + K1 + "),v:pk(" + X + "))").empty());
    BOOST_CHECK(!error("v:pk_slhdsa(" + K1 + ")").empty());
    BOOST_CHECK(Contains(error("and_v(v:pk_slhdsa(" + K1 + "),older(0))"), "must be between 1 and"));
    BOOST_CHECK(Contains(error("and_v(v:pk_slhdsa(" + K1 + "),after(2147483648))"), "must be between 1 and"));
    BOOST_CHECK(Contains(error("and_v(v:pk_slhdsa(" + K1 + "),sha256(00))"), "is not 64 hex digits"));
    BOOST_CHECK(!error("or_d(pk_slhdsa(" + K1 + "),pk(" + X + "))").empty());
    BOOST_CHECK(!error("older(5)").empty()); // anyone could spend
}

BOOST_AUTO_TEST_CASE(origins)
{
    if (!HAVE_SLHDSA) return;
    const auto text{[](const std::string& origin) { return "mr({multi_slhdsa(1," + origin + K1 + "," + K2 + "),rawleaf(6a)})"; }};
    FlatSigningProvider keys, out, out_plain;
    const auto desc{ParseOne(text("[D34DB33F/87'/1h]"), keys)};
    BOOST_CHECK_EQUAL(desc->ToString(), WithChecksum(text("[d34db33f/87h/1h]")));
    BOOST_CHECK(Expand(*desc, out) == Expand(*ParseOne(text(""), keys), out_plain));
    for (const std::string origin : {"[]", "[d34db33]", "[d34db33g]", "[d34db33f/x]", "[d34db33f/<0;1>]", "[d34db33f", "d34db33f]"}) {
        BOOST_CHECK(!ParseError(text(origin)).empty());
    }
    BOOST_CHECK(!ParseError("mr({pk_slhdsa([d34db33f/87h]" + K1 + "/*),rawleaf(6a)})").empty());
}

BOOST_AUTO_TEST_CASE(taproot)
{
    if (!HAVE_SLHDSA) return;
    const std::string text{"tr(" + X + ",{pk_slhdsa(" + K1 + "),multi_slhdsa(1," + K2 + "," + K3 + ")})"};
    FlatSigningProvider keys, out;
    const auto desc{ParseOne(text, keys)};
    BOOST_CHECK_EQUAL(desc->ToString(), WithChecksum(text));
    const std::string inferred{InferDescriptor(Expand(*desc, out), out)->ToString()};
    BOOST_CHECK(Contains(inferred, "pk_slhdsa(" + K1 + ")") && Contains(inferred, "multi_slhdsa(1," + K2 + "," + K3 + ")"));
}

BOOST_AUTO_TEST_CASE(satisfaction_size)
{
    if (!HAVE_SLHDSA) return;
    FlatSigningProvider keys;
    const auto desc{ParseOne("mr({pk_slhdsa(" + K1 + "),{multi_slhdsa(2," + K1 + "," + K2 + "," + K3 + "),pk(" + X + ")}})", keys)};
    // The 2-of-3 leaf: two signatures with hash type and their sizes, an empty one, the script and its size, the control
    // block of two levels and its size.
    BOOST_CHECK_EQUAL(*desc->MaxSatisfactionWeight(true), 2 * (3 + 7857) + 1 + 1 + (3 * 34 + 2) + 1 + 65);
    BOOST_CHECK_EQUAL(*desc->MaxSatisfactionElems(), 5);
    BOOST_CHECK(!ParseOne("mr({pk_slhdsa(" + K1 + "),rawleaf(6a)})", keys)->MaxSatisfactionWeight(true));
}

BOOST_AUTO_TEST_SUITE_END()
