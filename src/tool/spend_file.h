// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_SPEND_FILE_H
#define SLHCONSENSUS_TOOL_SPEND_FILE_H

#include <primitives/transaction.h>
#include <script/verify_flags.h>
#include <tool/json.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slhc::tool {

/** A transaction with all that verifying it takes: what `slhtool spend` writes and verify-tx, debug and decode read.
 *
 *    {"tx": HEX,
 *     "spent_outputs": [{"amount": SATOSHIS, "script_pubkey": HEX}, ...],  (or "address" for "script_pubkey")
 *     "flags": "consensus",          optional; or "standard", or "P2SH,WITNESS,..."
 *     "txid": HEX, "description": TEXT}   optional; a txid that is not the transaction's is an error */
struct SpendFile {
    std::string name; //!< of the file, for messages
    std::string description;
    CTransactionRef tx;
    std::vector<CTxOut> spent_outputs;
    script_verify_flags flags{MANDATORY_SCRIPT_VERIFY_FLAGS};
};

/** True if the last element is an annex (BIP 341). */
bool HasAnnex(const CScriptWitness& witness);

/** The elements by which a witness spends a leaf: views into it. */
struct ScriptPath {
    std::span<const uint8_t> script, control;
};
/** Nothing if there are fewer than two elements besides an annex, or if the last of them has no control block's size. */
std::optional<ScriptPath> FindScriptPath(const CScriptWitness& witness, bool p2mr);

/** Flags by name: "consensus", "consensus,SLHDSA_SETS", "standard" (what a node relays), or Bitcoin Core's names separated by commas, with
 *  P2MR and SLHDSA.
 *  @throws InputError */
script_verify_flags ParseFlags(const std::string& text);

/** The same of --flags, where a flag that does nothing is a mistake; files of test vectors may have any.
 *  @throws InputError */
script_verify_flags ParseFlagsOption(const std::string& text);

/** One of the former, or names separated by commas. */
std::string FormatFlags(script_verify_flags flags);
/** The rules for a spend of which nobody says more: consensus, and SLHDSA_SETS if a leaf that it spends has a key of another parameter set
 *  than 128s. */
script_verify_flags RulesFor(const CTransaction& tx);
/** A note on a verdict by other rules than consensus, which a file may have chosen; empty for consensus. */
std::string RulesNote(script_verify_flags flags);

/** The transaction that the bytes are.
 *  @throws InputError with the byte and the field where they end to make sense */
CTransactionRef ParseTx(std::span<const uint8_t> bytes);

/** An output as AMOUNT:SCRIPT, the script in hex.
 *  @throws InputError */
CTxOut ParseSpentOutput(const std::string& text);

/** An output as {"amount", "script_pubkey"} or {"amount", "address"}.
 *  @throws InputError */
CTxOut TxOutFromJson(const JsonValue& value);

/** @throws InputError; the transaction parses and there is a spent output for each input */
SpendFile ReadSpendFile(const std::string& path);

/** Before segwit, each signature hashes the whole transaction: what is too large for a block may take minutes.
 *  @param[in] what  "the block"
 *  @throws InputError for more than a block may weigh */
void CheckWeight(const std::string& what, int64_t weight);

/** The checks of ReadSpendFile that follow parsing. @throws InputError */
void CheckSpendFile(const SpendFile& file);

Json SpendFileJson(const SpendFile& file);

/** An amount in satoshis as JSON and options have it. */
CAmount ParseAmount(std::string_view text);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_SPEND_FILE_H
