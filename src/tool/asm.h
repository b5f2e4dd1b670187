// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_ASM_H
#define SLHCONSENSUS_TOOL_ASM_H

#include <primitives/script.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

/** The readable script language: what people write on a command line, and what decode and debug print.
 *
 *  A script is a row of items:
 *
 *    OP_CHECKSIGSLHDSA          an opcode by name
 *    <00ff>, <@alice.pub>       a push of these bytes, or of a public key, with the shortest length prefix; <> is OP_0
 *    OP_PUSHDATA1<00ff>         the same with a given prefix
 *    144, -1                    a push of a number: OP_0, OP_1NEGATE, OP_1 to OP_16, or its bytes
 *    0x51ff                     raw bytes of script, whatever they mean
 *
 *  and shorthands, where KEY is 64 hex digits, 66 of an SLH-DSA key with the number of its parameter set in front, or @FILE:
 *
 *    pk_slhdsa(KEY)             <KEY> OP_CHECKSIGSLHDSA
 *    pk_schnorr(KEY)            <KEY> OP_CHECKSIG
 *    multi_slhdsa(k,KEY,...)    k signatures of these keys, all different, with OP_CHECKSIGADDSLHDSA
 *    multi_schnorr(k,KEY,...)   k signatures of these keys, all different, with OP_CHECKSIGADD
 *    hybrid(KEY,KEY)            an SLH-DSA and a Schnorr signature, of these keys in this order
 *    after(n)                   not before this block height or time, see wallet::AfterProblem: n OP_CHECKLOCKTIMEVERIFY OP_DROP
 *    older(n)                   not before the coin is this old, see wallet::OlderProblem: n OP_CHECKSEQUENCEVERIFY OP_DROP
 *    sha256(H)                  the preimage of H: OP_SHA256 <H> OP_EQUALVERIFY
 *
 *  A shorthand that would not do what it says is refused; the same written in opcodes is a script like any other.
 *  For any bytes x, ParseScript(FormatScript(x)) is x. */
namespace slhc::tool {

/** The script that text spells.
 *  @throws InputError naming the position of the item that is wrong */
CScript ParseScript(std::string_view text);

/** A leaf or another script as users write it: if it has hex digits and nothing else, they are the script's
 *  bytes; else the language above.
 *  @throws InputError */
CScript ParseScriptOrHex(std::string_view text);

/** One instruction in the language above.
 *  @param[in] next  the opcode after it: lock times are shown as numbers */
std::string FormatInstruction(opcodetype opcode, std::span<const uint8_t> data, std::optional<opcodetype> next = std::nullopt);

/** A whole script; opcodes have the names that they have in tapscript with SLH-DSA. What cannot be decoded at
 *  its end is raw bytes.
 *  @param[in] max_size  if the text were longer than this many characters: "..." in place of what is left */
std::string FormatScript(std::span<const uint8_t> script, size_t max_size = SIZE_MAX);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_ASM_H
