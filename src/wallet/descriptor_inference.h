// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_WALLET_DESCRIPTOR_INFERENCE_H
#define SLHCONSENSUS_WALLET_DESCRIPTOR_INFERENCE_H

#include <script/script_tree.h>
#include <wallet/descriptor.h>

#include <optional>
#include <span>
#include <string>

namespace slhc::wallet {

/** The descriptor mr() of a P2MR output with this tree. It has no origins of keys, which no script knows.
 *  @param[out] why_not  set if there is none: a leaf that is not what any expression makes, or that descriptors refuse */
std::optional<Descriptor> InferDescriptor(const ScriptTree& tree, std::string& why_not);

/** A tree as BIP 386 writes it, {A,{B,C}}. @param[in] leaves  the text of each leaf, from left to right */
std::string TreeText(const ScriptTree& tree, std::span<const std::string> leaves);

} // namespace slhc::wallet

#endif // SLHCONSENSUS_WALLET_DESCRIPTOR_INFERENCE_H
