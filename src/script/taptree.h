// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_SCRIPT_TAPTREE_H
#define SLHCONSENSUS_SCRIPT_TAPTREE_H

#include <primitives/uint256.h>

#include <cstddef>
#include <cstdint>
#include <span>

/** The script tree of BIP 341, which P2TR and P2MR share: leaves, branches, and the path from a leaf to the root. */
namespace slhc {

/** The bits of a control block's first byte that hold the leaf version. */
inline constexpr uint8_t TAPROOT_LEAF_MASK{0xfe};
/** The leaf version whose scripts are tapscript (BIP 342). */
inline constexpr uint8_t TAPROOT_LEAF_TAPSCRIPT{0xc0};
/** Bytes of one step of a path. */
inline constexpr size_t TAPROOT_CONTROL_NODE_SIZE{32};
/** The most steps that a path may have. */
inline constexpr size_t TAPROOT_CONTROL_MAX_NODE_COUNT{128};

/** TapLeaf hash of a script. */
[[nodiscard]] uint256 ComputeTapleafHash(uint8_t leaf_version, std::span<const uint8_t> script);

/** TapBranch hash of two nodes, in either order. */
[[nodiscard]] uint256 ComputeTapbranchHash(std::span<const uint8_t, 32> a, std::span<const uint8_t, 32> b);

/** The root that a path leads to. @param[in] path  siblings from the leaf up, 32 bytes each */
[[nodiscard]] uint256 ComputeTapPathRoot(std::span<const uint8_t> path, const uint256& tapleaf_hash);

/** True if size is base + 32*m bytes with 0 <= m <= 128. */
[[nodiscard]] constexpr bool ValidControlSize(size_t size, size_t base) noexcept
{
    return size >= base && size <= base + TAPROOT_CONTROL_NODE_SIZE * TAPROOT_CONTROL_MAX_NODE_COUNT &&
           (size - base) % TAPROOT_CONTROL_NODE_SIZE == 0;
}

} // namespace slhc

#endif // SLHCONSENSUS_SCRIPT_TAPTREE_H
