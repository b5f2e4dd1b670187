// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Trees, control blocks and flags of P2MR outputs. How they are spent is in doc/bip/vectors (bip_vectors_tests).

#include <script/p2mr.h>
#include <script/script_tree.h>
#include <script/taptree.h>
#include <script/verify_flags.h>
#include <test/script_util.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace slhc;
using namespace slhc::test;

BOOST_AUTO_TEST_SUITE(p2mr_tests)

BOOST_AUTO_TEST_CASE(tree_hashes_are_those_of_bip341)
{
    const Bytes script{CScript{} << OP_TRUE};
    const uint256 leaf{ComputeTapleafHash(0xc0, script)};
    BOOST_CHECK(leaf != ComputeTapleafHash(0xc2, script));
    // A branch is the same whichever of its children comes first, and so is a path.
    const uint256 low{uint8_t{1}};
    uint256 high;
    std::fill(high.begin(), high.end(), uint8_t{0xff});
    BOOST_CHECK(ComputeTapbranchHash(leaf.Bytes(), low.Bytes()) == ComputeTapbranchHash(low.Bytes(), leaf.Bytes()));
    BOOST_CHECK(ComputeTapbranchHash(leaf.Bytes(), high.Bytes()) == ComputeTapbranchHash(high.Bytes(), leaf.Bytes()));
    BOOST_CHECK(ComputeTapbranchHash(leaf.Bytes(), high.Bytes()) != ComputeTapbranchHash(leaf.Bytes(), low.Bytes()));
    BOOST_CHECK(ComputeTapPathRoot({}, leaf) == leaf);
    BOOST_CHECK(ComputeTapPathRoot(low.Bytes(), leaf) == ComputeTapbranchHash(leaf.Bytes(), low.Bytes()));
}

BOOST_AUTO_TEST_CASE(flags_of_blocks_and_of_the_mempool)
{
    BOOST_CHECK(ValidFlags(STANDARD_SCRIPT_VERIFY_FLAGS));
    BOOST_CHECK(ValidFlags(MANDATORY_SCRIPT_VERIFY_FLAGS));
    // All but SIGPUSHONLY, which P2SH and the transaction's own rule make needless, and the experiment.
    BOOST_CHECK((STANDARD_SCRIPT_VERIFY_FLAGS | SCRIPT_VERIFY_SIGPUSHONLY | SCRIPT_VERIFY_SLHDSA_SETS) ==
                script_verify_flags::from_int(MAX_SCRIPT_VERIFY_FLAGS));
    BOOST_CHECK((GetScriptFlagNames(MANDATORY_SCRIPT_VERIFY_FLAGS) == std::vector<std::string>{"P2SH", "DERSIG", "NULLDUMMY",
                                                                                               "CHECKLOCKTIMEVERIFY", "CHECKSEQUENCEVERIFY",
                                                                                               "WITNESS", "TAPROOT", "P2MR", "SLHDSA"}));
}

BOOST_AUTO_TEST_CASE(control_blocks_have_whole_paths)
{
    for (size_t size{0}; size <= 1 + 32 * 130; ++size) {
        std::vector<uint8_t> bytes(size, 0x33);
        if (size > 0) bytes[0] = 0xc1;
        const auto block{P2MRControlBlock::Parse(bytes)};
        const bool possible{size % 32 == 1 && size / 32 <= 128};
        BOOST_CHECK_EQUAL(block.has_value(), possible);
        if (!block) continue;
        BOOST_CHECK_EQUAL(block->PathLength(), size / 32);
        BOOST_CHECK_EQUAL(block->path.size(), size - 1);
        BOOST_CHECK_EQUAL(block->leaf_version, 0xc0);
        BOOST_CHECK(block->control_bit);
    }
}

/** No tree is deeper than a control block can express. */
BOOST_AUTO_TEST_CASE(trees_have_128_levels_at_most)
{
    for (const bool leaf_to_the_left : {false, true}) {
        ScriptTree tree{CScript{} << OP_1};
        for (size_t depth{1}; depth <= 128; ++depth) {
            ScriptTree leaf{CScript{} << OP_2};
            auto higher{leaf_to_the_left ? ScriptTree::Branch(leaf, tree) : ScriptTree::Branch(tree, leaf)};
            BOOST_REQUIRE(higher);
            tree = *std::move(higher);
            const ScriptTree::Leaf& deepest{leaf_to_the_left ? tree.Leaves().back() : tree.Leaves().front()};
            BOOST_CHECK_EQUAL(deepest.Depth(), depth);
            BOOST_CHECK_EQUAL(deepest.P2MRControlBlock().size(), 1 + 32 * depth);
        }
        const ScriptTree leaf{CScript{} << OP_2};
        BOOST_CHECK(!ScriptTree::Branch(leaf, tree));
        BOOST_CHECK(!ScriptTree::Branch(tree, leaf));
        BOOST_CHECK(!ScriptTree::Branch(tree, tree));
    }
}

BOOST_AUTO_TEST_SUITE_END()
