// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_DECODE_H
#define SLHCONSENSUS_TOOL_DECODE_H

#include <primitives/transaction.h>
#include <tool/json.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/** The meaning of bytes, as JSON. All throw InputError for bytes that mean nothing. */
namespace slhc::tool {

/** A script: instructions, address, what tapscript's scan finds. */
Json DecodeScript(std::span<const uint8_t> script);

/** A serialized witness: each element, and by BIP 341's shape which are annex, control block and leaf script. */
Json DecodeWitness(std::span<const uint8_t> bytes);
/** A witness of at least one element that the bytes are, all of them; nothing if they are none. */
std::optional<CScriptWitness> TryParseWitness(std::span<const uint8_t> bytes);
Json DecodeWitness(const CScriptWitness& witness);

/** A control block of P2MR (1 + 32m bytes) or P2TR (33 + 32m bytes).
 *  @param[in] leaf_script  if given, what it and the path lead to */
Json DecodeControlBlock(std::span<const uint8_t> bytes, const CScript* leaf_script);

Json DecodeTx(const CTransaction& tx);
Json DecodeAddressText(std::string_view address);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_DECODE_H
