// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/p2mr.h>
#include <script/script.h>
#include <script/script_tree.h>
#include <test/json_data.h>
#include <util/hex.h>
#include <wallet/descriptor.h>
#include <wallet/descriptor_inference.h>

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace slhc;
using namespace slhc::wallet;

namespace {

const std::string A{"a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd"};
const std::string S{"1f4b1febdc7dfa77c1efacc875b43317b46155e5a564decf475fc369124c5f24"};
const std::string T{"eefdea4cdb677750a420fee807eacf21eb9898ae79b9768766e4faa04a2d4a34"};

ScriptTree Leaf(const std::string& hex, uint8_t version = TAPROOT_LEAF_TAPSCRIPT)
{
    return ScriptTree{CScript{*TryParseHex(hex)}, version};
}

/** What is inferred from a tree of this leaf and another one: the leaf, or why there is no descriptor. */
std::string Inferred(const std::string& leaf_hex)
{
    std::string why_not;
    const auto descriptor{InferDescriptor(*ScriptTree::Branch(Leaf(leaf_hex), Leaf("20" + T + "7f")), why_not)};
    if (!descriptor) return why_not;
    BOOST_CHECK_EQUAL(why_not, "");
    const auto output{descriptor->Output()};
    BOOST_CHECK_EQUAL(HexStr(output.leaves[0].leaf.script), leaf_hex);
    return output.leaves[0].expression.ToString();
}

} // namespace

BOOST_AUTO_TEST_SUITE(descriptor_inference_tests)

// Each tree of src/test/data/descriptors.json comes back as a descriptor with the same output.
BOOST_AUTO_TEST_CASE(vectors)
{
    const nlohmann::json data = test::ReadJson("descriptors.json");
    size_t trees{0};
    for (const auto& vector : data["valid"]) {
        const auto output{Descriptor::Parse(vector["descriptor"].get<std::string>()).Output()};
        if (!output.tree || output.tree->Leaves().size() == 1) continue;
        std::string why_not;
        const auto inferred{InferDescriptor(*output.tree, why_not)};
        BOOST_REQUIRE_MESSAGE(inferred, vector["descriptor"] << ": " << why_not);
        BOOST_CHECK(inferred->Output().script_pubkey == P2MRScriptPubKey(output.tree->Root()));
        ++trees;
    }
    BOOST_CHECK_GE(trees, 7u);
}

BOOST_AUTO_TEST_CASE(leaves)
{
    BOOST_CHECK_EQUAL(Inferred("20" + S + "7f"), "pk_slhdsa(" + S + ")");
    BOOST_CHECK_EQUAL(Inferred("20" + A + "ac"), "pk(" + A + ")");
    BOOST_CHECK_EQUAL(Inferred("20" + A + "ac519c"), "multi_a(1," + A + ")");
    BOOST_CHECK_EQUAL(Inferred("20" + S + "7f20" + T + "80529c"), "multi_slhdsa(2," + S + "," + T + ")");
    BOOST_CHECK_EQUAL(Inferred("20" + S + "7f6920" + A + "ad029000b2"), "and_v(v:pk_slhdsa(" + S + "),and_v(v:pk(" + A + "),older(144)))");
    BOOST_CHECK_EQUAL(Inferred("82012088a820" + T + "8820" + S + "7f"), "and_v(v:sha256(" + T + "),pk_slhdsa(" + S + "))");
    BOOST_CHECK_EQUAL(Inferred("20" + S + "7f6982012088a820" + T + "87"), "and_v(v:pk_slhdsa(" + S + "),sha256(" + T + "))");
    BOOST_CHECK_EQUAL(Inferred("55b16920" + S + "7f20" + T + "80519c"), "and_v(v:after(5),multi_slhdsa(1," + S + "," + T + "))");
}

// Scripts that are nearly such, or that descriptors refuse.
BOOST_AUTO_TEST_CASE(no_descriptor)
{
    const auto none{[](const std::string& hex, const std::string& why_not) {
        const std::string got{Inferred(hex)};
        BOOST_CHECK_MESSAGE(got.starts_with("leaf 0: " + why_not), hex << ": " << got);
    }};
    const std::string no_expression{"no expression makes its script, from "};
    none("", no_expression + "its end on");
    none("6a", no_expression + "OP_RETURN (instruction 0) on");
    none("55b17520" + S + "7f", no_expression + "OP_DROP (instruction 2) on");
    none("20" + S + "7f20" + A + "ac", no_expression); // the result of the first lies in the way
    none("20" + S + "7f69", no_expression + "its end on");
    none("20" + S + "7f20" + A + "ba529c", no_expression); // both types in one count
    none("20" + S + "7f20" + T + "80", no_expression + "its end on"); // a count that nothing compares
    none("20" + S + "7f20" + T, no_expression);
    none("20" + S + "7f20" + T.substr(2), "its script is not quite that of pk_slhdsa("); // cut off
    none("82012088a814" + T.substr(24) + "8820" + S + "7f", "sha256() takes 64 hex digits");
    none("a820" + T + "8820" + S + "7f", no_expression + "OP_SHA256 (instruction 0) on");
    none("20" + A + "ac6920" + S + "7f", "its script is not quite that of and_v(v:pk(");
    none("20" + S + "7f01019c", "its script is not quite that of multi_slhdsa(1,"); // 1 that is not OP_1
    none("20" + T + "ac", "the key is not the x coordinate");
    none("20" + S + "7f20" + S + "80529c", "the same key as in column");
    none("20" + S + "7f20" + T + "80539c", "multi_slhdsa() needs 3 signatures");
    none("20" + S + "7f20" + T + "80009c", "multi_slhdsa(): with 0 signatures needed");
    none("20" + S + "7f6903900001b2", "older("); // 65680: under BIP 68 that is 144
    none("55b2", "anyone could spend this leaf");

    std::string why_not;
    BOOST_CHECK(!InferDescriptor(Leaf("20" + S + "7f"), why_not));
    BOOST_CHECK_EQUAL(why_not, SINGLE_LEAF_PROBLEM);
    BOOST_CHECK(!InferDescriptor(*ScriptTree::Branch(Leaf("20" + S + "7f"), Leaf("20" + S + "7f", 0xfa)), why_not));
    BOOST_CHECK_EQUAL(why_not, "leaf 1: its leaf version is not 0xc0");
}

/** A script of many parts: as many as a descriptor may have within one another are read, and not one more. */
BOOST_AUTO_TEST_CASE(many_parts)
{
    const auto with_parts{[](size_t n) {
        std::string hex;
        for (size_t i = 1; i < n; ++i) hex += "51b269";
        return hex + "20" + S + "7f";
    }};
    BOOST_CHECK(Inferred(with_parts(MAX_LEAF_DEPTH)).starts_with("and_v(v:older(1),and_v(v:older(1),"));
    for (const size_t n : {MAX_LEAF_DEPTH + 1, size_t{20'000}}) {
        const std::string got{Inferred(with_parts(n))};
        BOOST_CHECK_MESSAGE(got.starts_with("leaf 0: no expression makes its script") && got.ends_with(" (instruction 384) on"), got);
    }
}

BOOST_AUTO_TEST_SUITE_END()
