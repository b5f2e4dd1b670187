// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_WALLET_LEAF_RECIPE_H
#define SLHCONSENSUS_WALLET_LEAF_RECIPE_H

#include <primitives/script.h>
#include <wallet/key_type.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

/** The recipe to satisfy a leaf script, as far as it is made of conditions that all must hold: signatures (pk, pk_slhdsa, hybrids),
 *  thresholds (multi_a, multi_slhdsa), SHA-256 preimages and lock times, in any order, as
 *  descriptors and slhtool write them. */
namespace slhc::wallet {

/** A key that a leaf checks signatures by. */
struct LeafKey {
    std::vector<uint8_t> public_key; //!< @see key_type.h
    KeyType type;

    auto operator<=>(const LeafKey&) const = default;
};

/** Signatures that a script takes: by `needed` of these keys. */
struct LeafSignatures {
    std::vector<LeafKey> keys;
    size_t needed;
};

/** The preimage of this hash. */
struct LeafPreimage {
    std::vector<uint8_t> hash;
    bool of_32_bytes; //!< as miniscript demands it
};

/** An element that is true, below everything else: a script that leaves no result of its own ends with this one (BIP 342). */
struct LeafTrue {
};

struct LeafRecipe {
    using Condition = std::variant<LeafSignatures, LeafPreimage, LeafTrue>;

    std::vector<Condition> conditions; //!< that take something off the initial stack, in their order
    std::string unknown;               //!< what is none of this, so that nothing behind it was read; empty: nothing
};

[[nodiscard]] LeafRecipe ReadLeafRecipe(const CScript& leaf_script);

/** Which signatures an opcode checks in tapscript; nothing if it checks none. */
[[nodiscard]] std::optional<KeyType> CheckedKeyType(opcodetype opcode) noexcept;
/** Does a script check a signature by a key of another set than 128s, which SCRIPT_VERIFY_SLHDSA_SETS is needed for? The key must be
 *  pushed right before. */
[[nodiscard]] bool ChecksKeyOfOtherSet(const CScript& script);
/** OP_CHECKSIGADD or OP_CHECKSIGADDSLHDSA. */
[[nodiscard]] bool IsCountingCheck(opcodetype opcode) noexcept;

/** One element of an initial stack. */
struct LeafElement {
    std::vector<uint8_t> bytes;
    std::optional<LeafKey> signer; //!< whose signature this is; none: it is no signature, or an empty one
};

/** An initial stack, its top last, and what it lacks. */
struct LeafStack {
    std::vector<LeafElement> elements;
    std::string missing; //!< in words; empty: nothing is missing

    [[nodiscard]] bool Complete() const noexcept { return missing.empty(); }
};

/** Where signatures and preimages are; each call returns nothing if it has none. A signature that is still to be made may be empty. */
using FindSignature = std::function<std::optional<std::vector<uint8_t>>(const LeafKey&)>;
using FindPreimage = std::function<std::optional<std::vector<uint8_t>>(std::span<const uint8_t> hash)>;

/** Put together what satisfies a leaf. Of more signatures than are needed, the smallest ones are taken.
 *  @pre nothing in the recipe is unknown */
[[nodiscard]] LeafStack SatisfyLeaf(const LeafRecipe& recipe, const FindSignature& signature, const FindPreimage& preimage);

} // namespace slhc::wallet

#endif // SLHCONSENSUS_WALLET_LEAF_RECIPE_H
