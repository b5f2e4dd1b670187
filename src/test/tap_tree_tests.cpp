// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <primitives/serialize.h>
#include <primitives/uint256.h>
#include <script/script.h>
#include <script/script_tree.h>
#include <script/taptree.h>
#include <test/psbt_fixture.h>
#include <wallet/tap_tree.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace slhc;
using namespace slhc::test;
using namespace slhc::wallet;

namespace {

using LeafList = std::vector<ScriptTree::Leaf>;

ScriptTree Join(ScriptTree left, ScriptTree right) { return *ScriptTree::Branch(std::move(left), std::move(right)); }

ScriptTree LeafOf(int64_t number) { return ScriptTree{CScript{} << number}; }

/** Leaves `first` to `first + count - 1`, the first of them the least deep. */
ScriptTree Chain(int64_t first, int64_t count)
{
    return count == 1 ? LeafOf(first) : Join(LeafOf(first), Chain(first + 1, count - 1));
}

std::string TreeProblem(const Bytes& tree)
{
    try {
        CheckTapTree(tree);
        (void)ParseTapTree(tree);
    } catch (const ParseError& e) {
        return e.what();
    }
    return "no error";
}

} // namespace

BOOST_AUTO_TEST_SUITE(tap_tree_tests)

BOOST_AUTO_TEST_CASE(depths_that_make_a_tree)
{
    BOOST_CHECK_EQUAL(TreeProblem({0, 0xc0, 0}), "no error");
    BOOST_CHECK_EQUAL(TreeProblem({2, 0xc0, 0, 2, 0xc0, 0, 1, 0xc0, 0}), "no error");
    BOOST_CHECK_EQUAL(TreeProblem({1, 0xc0, 0, 2, 0xc0, 0, 2, 0xc0, 0}), "no error");
    BOOST_CHECK(Contains(TreeProblem({}), "depth"));
    BOOST_CHECK(Contains(TreeProblem({1, 0xc0, 0}), "lacks a leaf"));
    BOOST_CHECK(Contains(TreeProblem({0, 0xc0, 0, 0, 0xc0, 0}), "no place"));
    BOOST_CHECK(Contains(TreeProblem({2, 0xc0, 0, 1, 0xc0, 0, 2, 0xc0, 0}), "no place"));
    BOOST_CHECK(Contains(TreeProblem({0, 0xc1, 0}), "odd"));
    BOOST_CHECK(Contains(TreeProblem({129, 0xc0, 0}), "more than 128"));
}

BOOST_AUTO_TEST_CASE(a_tree_has_other_leaves_if_one_is_left_out)
{
    for (const ScriptTree& tree : {LeafOf(1), Chain(1, 2), Chain(1, 5), Join(Chain(1, 4), Chain(5, 4)), Chain(1, 129)}) {
        BOOST_CHECK(AreAllLeaves(tree.Root(), tree.Leaves()));
        BOOST_CHECK(!AreAllLeaves(tree.Root(), {}));
        for (size_t i{0}; i < tree.Leaves().size(); ++i) {
            LeafList others{tree.Leaves()};
            others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
            BOOST_CHECK_MESSAGE(!AreAllLeaves(tree.Root(), others), "leaf " << i << " of " << tree.Leaves().size());
        }
    }
}

BOOST_AUTO_TEST_CASE(no_order_or_number_of_the_leaves_matters)
{
    const ScriptTree tree{Join(Chain(1, 4), Chain(5, 4))};
    LeafList leaves{tree.Leaves().rbegin(), tree.Leaves().rend()};
    leaves.insert(leaves.end(), tree.Leaves().begin(), tree.Leaves().end());
    BOOST_CHECK(AreAllLeaves(tree.Root(), leaves));
}

BOOST_AUTO_TEST_CASE(a_leaf_or_branch_that_stands_twice_needs_one_path)
{
    const ScriptTree twice{Join(LeafOf(1), Join(LeafOf(2), LeafOf(1)))};
    BOOST_CHECK(AreAllLeaves(twice.Root(), LeafList{twice.Leaves()[0], twice.Leaves()[1]}));
    BOOST_CHECK(!AreAllLeaves(twice.Root(), LeafList{twice.Leaves()[0]}));
    BOOST_CHECK(!AreAllLeaves(twice.Root(), LeafList{twice.Leaves()[0], twice.Leaves()[2]}));

    const ScriptTree branch{Chain(1, 3)};
    const ScriptTree mirrored{Join(branch, Join(LeafOf(9), branch))};
    BOOST_CHECK(AreAllLeaves(mirrored.Root(), LeafList{mirrored.Leaves().begin(), mirrored.Leaves().begin() + 4}));
    BOOST_CHECK(!AreAllLeaves(mirrored.Root(), branch.Leaves()));
}

BOOST_AUTO_TEST_CASE(a_tree_of_2_to_the_128_equal_leaves_takes_128_steps)
{
    ScriptTree::Leaf leaf{LeafOf(1).Leaves()[0]};
    uint256 root{leaf.hash};
    for (int level{0}; level < 128; ++level) {
        leaf.path.insert(leaf.path.end(), root.Bytes().begin(), root.Bytes().end());
        root = ComputeTapbranchHash(root.Bytes(), root.Bytes());
    }
    BOOST_CHECK(AreAllLeaves(root, LeafList{leaf}));

    // One that differs, at the lowest level
    const uint256 other{LeafOf(2).Root()};
    std::copy(other.Bytes().begin(), other.Bytes().end(), leaf.path.begin());
    BOOST_CHECK(!AreAllLeaves(ComputeTapPathRoot(leaf.path, leaf.hash), LeafList{leaf}));
}

BOOST_AUTO_TEST_CASE(leaves_of_another_tree_are_not_those_of_this_one)
{
    BOOST_CHECK(!AreAllLeaves(Chain(1, 3).Root(), Chain(1, 4).Leaves()));
    BOOST_CHECK(!AreAllLeaves(Chain(1, 4).Root(), Chain(1, 3).Leaves()));
    BOOST_CHECK(!AreAllLeaves(uint256{}, Chain(1, 3).Leaves()));
}

BOOST_AUTO_TEST_SUITE_END()
