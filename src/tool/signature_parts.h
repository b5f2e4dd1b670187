// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_SIGNATURE_PARTS_H
#define SLHCONSENSUS_TOOL_SIGNATURE_PARTS_H

#include <pqc/slhdsa/params.h>
#include <primitives/transaction.h>
#include <script/sighash.h>
#include <tool/json.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

/** What a signature signs, and what it is made of, for people. */
namespace slhc::tool {

/** The fields of a message, in order, by the names of the BIP's table. */
using MessageFields = std::vector<std::pair<std::string_view, std::vector<uint8_t>>>;

/** The message whose TapSighash SignatureHashSchnorr computes for the same arguments. @pre it gives a hash */
MessageFields SignatureMessage(const ScriptExecutionData& execdata, const CTransaction& tx, unsigned n_in, uint8_t hash_type,
                               SigVersion sigversion, const PrecomputedTransactionData& txdata, KeyVersion key_version);

/** The parts of an SLH-DSA signature of a message, each with its place, the indexes that follow from the digest, and the root that
 *  follows from the parts so far.
 *  @param[in] signature   of the set's size
 *  @param[in] public_key  PK.seed || PK.root */
Json SignatureAnatomy(slhdsa::ParameterSet set, std::span<const uint8_t> signature, const uint256& message,
                      std::span<const uint8_t, slhdsa::PUBLIC_KEY_SIZE> public_key);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_SIGNATURE_PARTS_H
