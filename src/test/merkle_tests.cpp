// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <consensus/merkle.h>

#include <primitives/serialize.h>

#include <boost/test/unit_test.hpp>

#include <vector>

using namespace slhc;

BOOST_AUTO_TEST_SUITE(merkle_tests)

namespace {
uint256 Pair(const uint256& left, const uint256& right)
{
    HashWriter hasher;
    hasher.write(left.Bytes());
    hasher.write(right.Bytes());
    return hasher.GetHash();
}

/** The definition, by halves: a tree of 2^depth leaves in which the last leaf is repeated as often as needed. */
uint256 Recursive(const std::vector<uint256>& leaves, size_t first, size_t width)
{
    if (width == 1) return leaves[first];
    const uint256 left{Recursive(leaves, first, width / 2)};
    return Pair(left, first + width / 2 < leaves.size() ? Recursive(leaves, first + width / 2, width / 2) : left);
}

std::vector<uint256> Leaves(size_t n)
{
    std::vector<uint256> leaves;
    for (size_t i = 0; i < n; ++i) leaves.push_back(Pair(uint256{static_cast<uint8_t>(i)}, uint256{static_cast<uint8_t>(i >> 8)}));
    return leaves;
}
} // namespace

BOOST_AUTO_TEST_CASE(agrees_with_the_definition)
{
    BOOST_CHECK(ComputeMerkleRoot({}).IsNull());
    for (size_t n = 1; n <= 70; ++n) {
        const auto leaves{Leaves(n)};
        size_t width{1};
        while (width < n) width *= 2;
        bool mutated{true};
        BOOST_CHECK_MESSAGE(ComputeMerkleRoot(leaves, &mutated) == Recursive(leaves, 0, width), n << " leaves");
        BOOST_CHECK(!mutated);
    }
}

BOOST_AUTO_TEST_CASE(repetitions_that_keep_the_root_are_seen)
{
    // Wherever a level is odd, its last node, with all the leaves under it, can be written out twice (CVE-2012-2459).
    for (size_t n = 2; n <= 40; ++n) {
        const auto leaves{Leaves(n)};
        size_t found{0};
        for (size_t under = 1; under < n; under *= 2) {
            // At this level a node has this many leaves under it; the last node is whole and has no partner.
            if (n % under != 0 || (n / under) % 2 == 0) continue;
            auto repeated{leaves};
            repeated.insert(repeated.end(), leaves.end() - static_cast<std::ptrdiff_t>(under), leaves.end());
            bool mutated{false};
            BOOST_CHECK(ComputeMerkleRoot(repeated, &mutated) == ComputeMerkleRoot(leaves));
            BOOST_CHECK_MESSAGE(mutated, n << " leaves, the last " << under << " repeated");
            ++found;
        }
        BOOST_CHECK_EQUAL(found > 0, (n & (n - 1)) != 0);
    }
}

BOOST_AUTO_TEST_CASE(equal_leaves_that_make_no_pair_are_no_mutation)
{
    auto leaves{Leaves(4)};
    leaves[2] = leaves[1];
    bool mutated{true};
    (void)ComputeMerkleRoot(leaves, &mutated);
    BOOST_CHECK(!mutated);
    leaves[3] = leaves[2];
    (void)ComputeMerkleRoot(leaves, &mutated);
    BOOST_CHECK(mutated);
}

BOOST_AUTO_TEST_SUITE_END()
