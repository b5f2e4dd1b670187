// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/address.h>
#include <script/p2mr.h>
#include <tool/asm.h>
#include <tool/error.h>
#include <tool/tree.h>
#include <util/hex.h>

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace slhc;
using namespace slhc::tool;

namespace {

std::string Error(const std::string& text)
{
    try {
        RefuseSingleLeaf(ParseTree(text));
    } catch (const InputError& e) {
        return e.what();
    }
    return "no error";
}

/** {OP_1,{OP_1,...}} with this many levels. */
std::string Chain(size_t levels)
{
    std::string text;
    for (size_t i = 0; i < levels; ++i) text += "{OP_1,";
    return text + "OP_2" + std::string(levels, '}');
}

} // namespace

BOOST_AUTO_TEST_SUITE(tool_tree_tests)

BOOST_AUTO_TEST_CASE(every_control_block_leads_to_the_root)
{
    const ScriptTree tree{
        ParseTree(" { OP_1 , { multi_slhdsa(1," + std::string(64, 'a') + "," + std::string(64, 'b') + ") , leaf(0xfa, 53) } } ")};
    BOOST_REQUIRE_EQUAL(tree.Leaves().size(), 3);
    BOOST_CHECK_EQUAL(tree.Leaves()[0].Depth(), 1);
    BOOST_CHECK_EQUAL(tree.Leaves()[1].Depth(), 2);
    BOOST_CHECK_EQUAL(tree.Leaves()[2].Depth(), 2);
    BOOST_CHECK_EQUAL(HexStr(tree.Leaves()[2].script), "53");
    BOOST_CHECK_EQUAL(tree.Leaves()[2].version, 0xfa);
    BOOST_CHECK_EQUAL(tree.Leaves()[1].version, 0xc0);
    // Every control block leads to the root, by consensus code.
    for (const auto& leaf : tree.Leaves()) {
        const auto block{leaf.P2MRControlBlock()};
        const auto parsed{P2MRControlBlock::Parse(block)};
        BOOST_REQUIRE(parsed);
        BOOST_CHECK(parsed->control_bit);
        BOOST_CHECK_EQUAL(parsed->leaf_version, leaf.version);
        BOOST_CHECK(ComputeTapPathRoot(parsed->path, ComputeTapleafHash(leaf.version, leaf.script)) == tree.Root());
    }
}

BOOST_AUTO_TEST_CASE(format_round_trip)
{
    for (const std::string text : {"OP_1", "{OP_1,OP_2}", "{{OP_1,OP_2},OP_3}", "{OP_1,{OP_2,OP_3}}", "{{OP_1,OP_2},{OP_3,OP_4}}",
                                   "{{OP_1,{{OP_2,OP_3},OP_4}},OP_5}", "{leaf(0xfa,<424950333431>),leaf(0x02,0x)}",
                                   "{0x,144 OP_CHECKSEQUENCEVERIFY OP_DROP OP_1}"}) {
        BOOST_CHECK_EQUAL(FormatTree(ParseTree(text)), text);
    }
}

BOOST_AUTO_TEST_CASE(leaves_make_a_balanced_tree_in_their_order)
{
    const auto formatted{[](std::vector<std::string> leaves) { return FormatTree(BalancedTree(leaves)); }};
    BOOST_CHECK_EQUAL(formatted({"OP_1"}), "OP_1");
    BOOST_CHECK_EQUAL(formatted({"OP_1", "OP_2"}), "{OP_1,OP_2}");
    BOOST_CHECK_EQUAL(formatted({"OP_1", "OP_2", "OP_3"}), "{{OP_1,OP_2},OP_3}");
    BOOST_CHECK_EQUAL(formatted({"OP_1", "OP_2", "OP_3", "OP_4", "OP_5"}), "{{{OP_1,OP_2},OP_3},{OP_4,OP_5}}");
    BOOST_CHECK_THROW(BalancedTree({}), InputError);
}

BOOST_AUTO_TEST_CASE(errors_name_the_position_in_the_tree)
{
    BOOST_CHECK_EQUAL(Error("{OP_1,OP_2}"), "no error");
    BOOST_CHECK(Error("OP_1").find("can be spent by anyone") != std::string::npos);
    BOOST_CHECK_EQUAL(Error(""), "position 0: expected a leaf or '{'");
    BOOST_CHECK_EQUAL(Error("{OP_1"), "position 5: missing ',' between the two sides of a branch");
    BOOST_CHECK_EQUAL(Error("{OP_1,OP_2"), "position 10: missing '}' after the two sides of a branch");
    BOOST_CHECK_EQUAL(Error("{OP_1,OP_2,OP_3}"), "position 10: missing '}' after the two sides of a branch");
    BOOST_CHECK_EQUAL(Error("{OP_1,OP_2}}"), "position 11: unexpected text after the tree");
    BOOST_CHECK_EQUAL(Error("{OP_1,}"), "leaf at position 6: the script is empty (write 0x for an empty script)");
    BOOST_CHECK_EQUAL(Error("{OP_1,OP_X}"), "leaf at position 6: position 0: 'OP_X' is not an opcode");
    BOOST_CHECK_EQUAL(Error("{OP_1,leaf(0xfb,OP_1)}"), "leaf at position 6: leaf version '0xfb' is odd");
    BOOST_CHECK_EQUAL(Error("{OP_1,leaf(250,OP_1)}"), "leaf at position 6: leaf version '250' does not begin with 0x");
    BOOST_CHECK_EQUAL(Error("{OP_1,leaf(0xfa)}"), "leaf at position 6: leaf() takes a version and a script: leaf(0xfa,OP_1)");
}

BOOST_AUTO_TEST_CASE(trees_have_up_to_128_levels)
{
    const ScriptTree deepest{ParseTree(Chain(128))};
    BOOST_CHECK_EQUAL(deepest.Leaves().back().P2MRControlBlock().size(), 1 + 32 * 128);
    BOOST_CHECK(Error(Chain(129)).find("the tree is deeper than 128 levels") != std::string::npos);
    BOOST_CHECK(Error(std::string(1000000, '{')).find("the tree is deeper than 128 levels") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
