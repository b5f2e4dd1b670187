// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/taptree.h>

#include <crypto/hash.h>
#include <primitives/serialize.h>
#include <util/check.h>

#include <algorithm>

namespace slhc {

uint256 ComputeTapleafHash(uint8_t leaf_version, std::span<const uint8_t> script)
{
    static const CSHA256 s_tagged{TaggedHash("TapLeaf")};
    HashWriter writer{s_tagged};
    WriteU8(writer, leaf_version);
    WriteVarBytes(writer, script);
    return writer.GetSHA256();
}

uint256 ComputeTapbranchHash(std::span<const uint8_t, 32> a, std::span<const uint8_t, 32> b)
{
    static const CSHA256 s_tagged{TaggedHash("TapBranch")};
    if (std::lexicographical_compare(b.begin(), b.end(), a.begin(), a.end())) std::swap(a, b);
    HashWriter writer{s_tagged};
    writer.write(a);
    writer.write(b);
    return writer.GetSHA256();
}

uint256 ComputeTapPathRoot(std::span<const uint8_t> path, const uint256& tapleaf_hash)
{
    assert(path.size() % TAPROOT_CONTROL_NODE_SIZE == 0);
    uint256 node{tapleaf_hash};
    for (; !path.empty(); path = path.subspan(TAPROOT_CONTROL_NODE_SIZE)) {
        node = ComputeTapbranchHash(node.Bytes(), path.first<TAPROOT_CONTROL_NODE_SIZE>());
    }
    return node;
}

} // namespace slhc
