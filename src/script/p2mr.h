// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_SCRIPT_P2MR_H
#define SLHCONSENSUS_SCRIPT_P2MR_H

#include <primitives/script.h>
#include <primitives/uint256.h>
#include <script/taptree.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

/** Pay-to-Merkle-Root (P2MR, BIP 360; called Pay-to-Tapscript-Hash, P2TSH, before version 0.11): a script tree
 *  without an internal key. The witness program is the tree's root. */
namespace slhc {

inline constexpr uint8_t P2MR_WITNESS_VERSION{2};
inline constexpr size_t P2MR_PROGRAM_SIZE{32};
/** Bytes of a control block before its path: leaf version and one set bit. */
inline constexpr size_t P2MR_CONTROL_BASE_SIZE{1};
/** The bit of a control block's first byte that must be set. P2TR has the parity of a key's y there; P2MR has no key, and with the bit
 *  always set, no valid control block can be mistaken for an annex. */
inline constexpr uint8_t P2MR_CONTROL_BIT{0x01};

/** A control block of 1 + 32*m bytes, m at most 128. */
struct P2MRControlBlock {
    uint8_t leaf_version;
    bool control_bit;              //!< consensus requires it to be set
    std::span<const uint8_t> path; //!< 32*m bytes, siblings from the leaf up; a view into the parsed bytes

    /** Returns nothing if the size is impossible. */
    [[nodiscard]] static std::optional<P2MRControlBlock> Parse(std::span<const uint8_t> bytes) noexcept;

    /** m: 0 if the leaf is the whole tree. */
    [[nodiscard]] size_t PathLength() const noexcept { return path.size() / TAPROOT_CONTROL_NODE_SIZE; }
};

/** The scriptPubKey for a tree: OP_2 and the root. */
[[nodiscard]] CScript P2MRScriptPubKey(const uint256& merkle_root);

} // namespace slhc

#endif // SLHCONSENSUS_SCRIPT_P2MR_H
