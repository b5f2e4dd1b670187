// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_WITNESS_PLAN_H
#define SLHCONSENSUS_TOOL_WITNESS_PLAN_H

#include <primitives/script.h>
#include <script/script_tree.h>
#include <tool/keys.h>
#include <wallet/leaf_recipe.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace slhc::tool {

/** One element of the initial stack of a leaf script: bytes, or a signature that is still to be made. */
struct WitnessElement {
    std::vector<uint8_t> bytes;
    std::shared_ptr<const KeyPair> key;              //!< whose signature; null for bytes, and if somebody else signs
    std::optional<wallet::LeafKey> signer;           //!< somebody else
    std::optional<uint8_t> hash_type;                //!< of the signature; none: that of the input
    uint32_t codeseparator_pos{0xffffffff};          //!< that the signature commits to
};

/** The means to satisfy a leaf. */
struct LeafMeans {
    std::span<const std::shared_ptr<const KeyPair>> keys;
    std::span<const std::vector<uint8_t>> preimages;
    wallet::FindSignature signature{};  //!< signatures that are here already; may be empty
    bool others{false};                 //!< what is missing will come from others: of a threshold, the largest signatures
};

/** The initial stack, its top last, that satisfies a leaf script made of conditions that all must hold: signatures
 *  (pk_*, hybrid), thresholds (multi_*), hash preimages and lock times, in any order. One that leaves no result gets an element that is
 *  true.
 *  @throws InputError naming what is missing, or the opcode for which there is no recipe */
std::vector<WitnessElement> PlanWitness(const CScript& script, const LeafMeans& means);

/** An element as users write it: "<HEX>" or HEX for bytes, "@FILE" for bytes whose hex is in a file; "sig(FILE)", "sig(FILE,HASHTYPE)" or
 *  "sig(FILE,HASHTYPE,POS)" for a signature with the key in that file, its hash type, and the position of the
 *  OP_CODESEPARATOR before the check.
 *  @throws InputError */
WitnessElement ParseWitnessElement(const std::string& text);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_WITNESS_PLAN_H
